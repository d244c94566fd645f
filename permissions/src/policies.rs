//! `postern init --from rls`: grants from the privileges and the policies of the database, where a permission file can
//! say them. What it cannot say becomes a comment with the reason: [`PolicyDraft::reject`] takes the problems that
//! compiling the file finds, until there are none.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use serde::Deserialize;
use sql::postgres::catalog::Catalog;
use toml_writer::{ToTomlValue, TomlStringBuilder};

use crate::diagnostic::Diagnostic;
use crate::exposure::{key, quoted};

/// The statement that reads privileges and policies. Its one column is a JSON document for [`PolicyDraft::new`].
///
/// The roles are those that tables or columns are granted to; without any, the current user, which becomes the role
/// `user`.
pub const POLICIES_QUERY: &str = include_str!("policies.sql");

/// A permission file with the grants of the database.
#[derive(Debug)]
pub struct PolicyDraft {
    /// The file without grants.
    head: String,
    bypassing: Vec<String>,
    session: BTreeMap<String, String>,
    sections: Vec<Section>,
}

/// What a role of the database may do with a table.
#[derive(Debug)]
struct Section {
    table: String,
    role: String,
    grants: Vec<GrantDraft>,
}

/// One grant.
#[derive(Debug)]
struct GrantDraft {
    /// `select`, `insert`, `update` or `delete`.
    kind: &'static str,
    /// The grant in TOML.
    entry: String,
    /// The names of the policies that it comes from.
    policies: Vec<String>,
    /// Why the file cannot have it.
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Document {
    bypassing: Vec<String>,
    grants: Vec<Privileges>,
}

#[derive(Deserialize)]
struct Privileges {
    role: String,
    schema: String,
    table: String,
    security: bool,
    select: Vec<String>,
    insert: Vec<String>,
    update: Vec<String>,
    delete: bool,
    policies: Vec<Policy>,
}

#[derive(Deserialize)]
struct Policy {
    name: String,
    command: String,
    permissive: bool,
    using: Option<String>,
    check: Option<String>,
}

/// The session value that stands for Supabase's `auth.uid()`.
const SUBJECT: (&str, &str) = ("sub", "uuid");

/// The lines of a grant in the text, and its section and number there.
type PlacedGrant = (Range<usize>, (usize, usize));

impl PolicyDraft {
    /// The draft for the tables of these schemas, or of all; `document` is the result of [`POLICIES_QUERY`].
    pub fn new(catalog: &Catalog, schemas: &[String], document: &str) -> Result<PolicyDraft, serde_json::Error> {
        let Document { bypassing, grants } = serde_json::from_str(document)?;
        let mut draft = PolicyDraft {
            head: crate::init::init(catalog, schemas),
            bypassing,
            session: BTreeMap::new(),
            sections: vec![],
        };
        for privileges in grants {
            let is_listed = schemas.is_empty() || schemas.contains(&privileges.schema);
            let table = catalog.find(&privileges.schema, &privileges.table).filter(|_| is_listed);
            if let Some(table) = table {
                draft.add(key(catalog.table(table)), &privileges);
            }
        }
        Ok(draft)
    }

    fn add(&mut self, table: String, privileges: &Privileges) {
        let mut grants = vec![];
        let columns = |names: &[String]| names.iter().map(|name| string(name)).collect::<Vec<_>>().join(", ");
        if !privileges.select.is_empty() {
            let (rows, policies) = self.rule(privileges, "r", false);
            let entry = format!("{{ columns = [{}], rows = {} }}", columns(&privileges.select), string(&rows));
            grants.push(GrantDraft::new("select", entry, policies, &rows));
        }
        if !privileges.insert.is_empty() {
            let (check, policies) = self.rule(privileges, "a", true);
            let entry = format!("{{ columns = [{}], check = {} }}", columns(&privileges.insert), string(&check));
            grants.push(GrantDraft::new("insert", entry, policies, &check));
        }
        if !privileges.update.is_empty() {
            let ((rows, policies), (check, _)) = (self.rule(privileges, "w", false), self.rule(privileges, "w", true));
            let check = if check == rows { String::new() } else { format!(", check = {}", string(&check)) };
            let entry = format!("{{ columns = [{}], rows = {}{check} }}", columns(&privileges.update), string(&rows));
            grants.push(GrantDraft::new("update", entry, policies, &rows));
        }
        if privileges.delete {
            let (rows, policies) = self.rule(privileges, "d", false);
            grants.push(GrantDraft::new("delete", format!("{{ rows = {} }}", string(&rows)), policies, &rows));
        }
        self.sections.push(Section { table, role: privileges.role.clone(), grants });
    }

    /// The row rule of the policies for a command, and their names: one of the permissive policies and all restrictive
    /// ones have to hold. With `check` it is that for new rows, which is that for old ones where a policy has none.
    fn rule(&mut self, privileges: &Privileges, command: &str, check: bool) -> (String, Vec<String>) {
        if !privileges.security {
            return ("true".to_owned(), vec![]);
        }
        let applies = |policy: &&Policy| policy.command == "*" || policy.command == command;
        let (mut permissive, mut restrictive, mut names) = (vec![], vec![], vec![]);
        for policy in privileges.policies.iter().filter(applies) {
            let expression =
                if check { policy.check.as_ref().or(policy.using.as_ref()) } else { policy.using.as_ref() };
            let expression = expression.map_or_else(|| "true".to_owned(), |text| self.with_session_values(text));
            if policy.permissive {
                permissive.push(expression);
            } else {
                restrictive.push(expression);
            }
            names.push(policy.name.clone());
        }
        let any = match permissive.as_slice() {
            [] => "false".to_owned(),
            [only] => only.clone(),
            several => format!("({})", several.join(" OR ")),
        };
        let rule = restrictive.into_iter().fold(any, |rule, restriction| format!("{rule} AND {restriction}"));
        (rule, names)
    }

    /// Writes session values in place of settings: `(current_setting('app.user_id'::text, true))::uuid` is
    /// `session.user_id`, and `auth.uid()` is `session.sub`.
    fn with_session_values(&mut self, text: &str) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some(found) = SettingCall::find(rest) {
            let before = rest.get(..found.range.start).unwrap_or_default();
            out.push_str(before);
            let declared = self.session.entry(found.name.clone()).or_insert_with(|| found.r#type.clone());
            let cast = if *declared == found.r#type { String::new() } else { format!("::{}", found.r#type) };
            let _ = write!(out, "session.{}{cast}", found.name);
            rest = rest.get(found.range.end..).unwrap_or_default();
        }
        out + rest
    }

    /// The file. What it cannot say stands in comments.
    pub fn text(&self) -> String {
        self.render().0
    }

    /// Turns the grants that have problems into comments. Returns whether there were any.
    pub fn reject(&mut self, problems: &[Diagnostic]) -> bool {
        let (_, places) = self.render();
        let mut is_changed = false;
        for problem in problems {
            let at = problem.place().span().start;
            let found = places.iter().find(|(range, _)| range.contains(&at)).map(|(_, place)| *place);
            let grant = found.and_then(|(section, grant)| self.sections.get_mut(section)?.grants.get_mut(grant));
            if let Some(grant) = grant.filter(|grant| grant.reason.is_none()) {
                grant.reason = Some(problem.message());
                is_changed = true;
            }
        }
        is_changed
    }

    /// The text, and where in it each grant is.
    fn render(&self) -> (String, Vec<PlacedGrant>) {
        let (mut text, mut places) = (self.head.clone(), vec![]);
        text.push_str("\n# ---- from the privileges and the policies of the database\n");
        if !self.bypassing.is_empty() {
            let _ = writeln!(
                text,
                "# Not limited by policies, so without grants here: {}",
                one_line(&self.bypassing.join(", "))
            );
        }
        text.push_str("# Functions are not read: grant those that are to be fields by [function.<name>] roles = […]\n");
        if !self.session.is_empty() {
            text.push_str("\n[session]\n");
            for (name, r#type) in &self.session {
                let _ = writeln!(text, "{name} = {}", string(r#type));
            }
        }
        for (number, section) in self.sections.iter().enumerate() {
            let _ = writeln!(text, "\n[table.{}.role.{}]", quoted(&section.table), quoted(&section.role));
            for (place, grant) in section.grants.iter().enumerate() {
                if !grant.policies.is_empty() {
                    let _ = writeln!(text, "# policies: {}", one_line(&grant.policies.join(", ")));
                }
                let start = text.len();
                match &grant.reason {
                    None => {
                        let _ = writeln!(text, "{} = {}", grant.kind, grant.entry);
                        places.push((start..text.len(), (number, place)));
                    }
                    Some(reason) => {
                        let _ = writeln!(
                            text,
                            "# not {}: {}\n# {} = {}",
                            grant.kind,
                            one_line(reason),
                            grant.kind,
                            grant.entry
                        );
                    }
                }
            }
        }
        (text, places)
    }
}

impl GrantDraft {
    fn new(kind: &'static str, entry: String, policies: Vec<String>, rule: &str) -> GrantDraft {
        let reason = (rule == "false").then(|| "row-level security is on, and no policy permits it".to_owned());
        GrantDraft { kind, entry, policies, reason }
    }
}

/// A place of an expression that reads a setting.
struct SettingCall {
    range: Range<usize>,
    /// The session value that stands for it.
    name: String,
    /// Its type in the expression.
    r#type: String,
}

impl SettingCall {
    /// The first one in a text that Postgres has written, with the casts around it.
    fn find(text: &str) -> Option<SettingCall> {
        let setting = text.find("current_setting('").map(|start| (start, false));
        let user = text.find("auth.uid()").map(|start| (start, true));
        let (start, is_user) = [setting, user].into_iter().flatten().min()?;
        if is_user {
            let (name, r#type) = (SUBJECT.0.to_owned(), SUBJECT.1.to_owned());
            let range = wrapped(text, start..start + "auth.uid()".len(), "( SELECT ", " AS uid)");
            return Some(SettingCall { range, name, r#type });
        }
        let written = text.get(start + "current_setting('".len()..)?;
        let (setting, after) = written.split_once('\'')?;
        let close = after.find(')')?;
        let end = text.len() - after.len() + close + 1;
        let range = wrapped(text, start..end, "NULLIF(", ", ''::text)");
        let (mut range, mut name) = (range, setting.rsplit('.').next()?.to_ascii_lowercase());
        for json in [")::json ->> '", ")::jsonb ->> '"] {
            let inside = text.get(range.end..).and_then(|after| after.strip_prefix(json));
            if let Some((key, after)) = inside.and_then(|inside| inside.split_once("'::text"))
                && text.get(..range.start).is_some_and(|before| before.ends_with('('))
            {
                name = key.to_ascii_lowercase().replace('-', "_");
                range = range.start - 1..text.len() - after.len();
                // The operator stands in parentheses of its own below a cast.
                if after.starts_with("))::") && text.get(..range.start).is_some_and(|before| before.ends_with('(')) {
                    range = range.start - 1..range.end + 1;
                }
            }
        }
        let mut r#type = "text".to_owned();
        let cast = text.get(range.end..).and_then(|after| after.strip_prefix(")::"));
        if let Some(cast) = cast.filter(|_| text.get(..range.start).is_some_and(|before| before.ends_with('('))) {
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']');
            let length = cast.find(|c| !is_name(c)).unwrap_or(cast.len());
            r#type = cast.get(..length)?.to_owned();
            range = range.start - 1..text.len() - cast.len() + length;
        }
        let is_name =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        is_name.then_some(SettingCall { range, name, r#type })
    }
}

/// The range with this text around it, if it is there.
fn wrapped(text: &str, range: Range<usize>, before: &str, after: &str) -> Range<usize> {
    let is_before = text.get(..range.start).is_some_and(|text| text.ends_with(before));
    let is_after = text.get(range.end..).is_some_and(|text| text.starts_with(after));
    if is_before && is_after { range.start - before.len()..range.end + after.len() } else { range }
}

/// A string on one line.
fn string(text: &str) -> String {
    let kinds = TomlStringBuilder::new(text);
    kinds.as_basic_pretty().or_else(|| kinds.as_literal()).unwrap_or_else(|| kinds.as_basic()).to_toml_value()
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_in_policies_become_session_values() {
        let pairs = [
            ("(user_id = (current_setting('app.user_id'::text, true))::uuid)", "(user_id = session.user_id)", "uuid"),
            ("(who = current_setting('app.who'::text))", "(who = session.who)", "text"),
            (
                "(owner = (NULLIF(current_setting('app.owner'::text, true), ''::text))::integer)",
                "(owner = session.owner)",
                "integer",
            ),
            ("(id = ( SELECT auth.uid() AS uid))", "(id = session.sub)", "uuid"),
            (
                "(org = (((current_setting('request.jwt.claims'::text, true))::jsonb ->> 'org_id'::text))::uuid)",
                "(org = session.org_id)",
                "uuid",
            ),
            ("(a > 1)", "(a > 1)", ""),
        ];
        for (policy, rule, r#type) in pairs {
            let mut draft =
                PolicyDraft { head: String::new(), bypassing: vec![], session: BTreeMap::new(), sections: vec![] };
            assert_eq!(draft.with_session_values(policy), rule);
            assert_eq!(draft.session.values().next().map_or("", String::as_str), r#type, "{policy}");
        }
    }
}
