//! `postern init --from rls`: a permission file with which Postgres stays the judge. Each role of
//! the file runs its statements as a role of the database (`set_role`), `[settings]` has every
//! setting that the database reads, and the grants are the privileges, with `rows = "true"`: the
//! policies decide about rows.
//!
//! What the file cannot say, or what a person has to decide, becomes a comment with the reason:
//! [`PolicyDraft::reject`] takes the problems that compiling the file finds, until there are none.
//! A privilege on a whole table is `columns = "*"`, and a role with the grants of another one
//! inherits them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;

use sql::model::Model;
use sql::postgres::catalog::{Catalog, TableId};
use sql::postgres::types::quoted as identifier;
use toml_writer::{ToTomlValue, TomlStringBuilder};

use crate::ADMIN;
use crate::database_rights::{DatabaseRights, Document, Privileges};
use crate::diagnostic::Diagnostic;
use crate::exposure::quoted;
use crate::fault::Fault;
use crate::settings_read::SettingsRead;
use crate::table_names::key;

/// The setting with the claims of the caller, which PostgREST and Supabase set.
const CLAIMS: &str = "request.jwt.claims";

/// The value of [`CLAIMS`] in the file: the claims of the caller's token.
const CLAIMS_VALUE: &str = "token";

/// How many readers of a setting a comment names.
const MAX_READERS: usize = 3;

/// A permission file with the grants of the database.
#[derive(Debug)]
pub struct PolicyDraft {
    /// The file without grants.
    head: String,
    sections: Vec<Section>,
}

/// What a role of the database may do with a table.
#[derive(Debug)]
struct Section {
    table: String,
    role: String,
    /// What the section leaves out.
    remarks: Vec<String>,
    grants: Vec<GrantDraft>,
}

/// One grant.
#[derive(Debug)]
struct GrantDraft {
    /// `select`, `insert`, `update` or `delete`.
    kind: &'static str,
    /// The grant in TOML.
    entry: String,
    /// Why the file does not have it.
    reason: Option<String>,
}

/// Lines of the text: those of a grant, or the header of a section.
struct PlacedGrant {
    /// In bytes.
    lines: Range<usize>,
    section: usize,
    /// The grant's number in its section.
    grant: Option<usize>,
}

impl PolicyDraft {
    /// The draft for the tables of these schemas, or of all.
    pub fn new(catalog: &Catalog, schemas: &[String], rights: DatabaseRights) -> PolicyDraft {
        let DatabaseRights { document, read } = rights;
        let (tables, model) = crate::init::init_with_model(catalog, schemas);
        let mut sections = vec![];
        let mut roles = BTreeMap::new();
        let is_listed = |schema: &String| schemas.is_empty() || schemas.contains(schema);
        for privileges in document
            .grants
            .iter()
            .filter(|privileges| is_listed(&privileges.schema))
        {
            let Some(table) = catalog.find(&privileges.schema, &privileges.table) else {
                continue;
            };
            if privileges.r#as != ADMIN {
                roles.insert(privileges.r#as.clone(), privileges.role.clone());
                sections.push(Section::new(catalog, &model, table, privileges));
            }
        }
        let inherits = twins(&roles, &sections);
        sections.retain(|section| !inherits.contains_key(&section.role));
        let mut head = tables;
        document.write_remarks(&mut head, &roles);
        write_settings(&mut head, &read);
        document.write_roles(&mut head, &roles, &inherits);
        PolicyDraft { head, sections }
    }

    /// The file. What it does not say stands in comments.
    pub fn text(&self) -> String {
        self.render().0
    }

    /// Turns the grants that have problems into comments. Returns whether there were any.
    pub fn reject(&mut self, problems: &[Diagnostic]) -> bool {
        let (_, places) = self.render();
        let mut is_changed = false;
        for problem in problems {
            let at = problem.span().span().start;
            for location in places
                .iter()
                .filter(|source_location| source_location.lines.contains(&at))
            {
                let Some(section) = self.sections.get_mut(location.section) else {
                    continue;
                };
                let grants = match location.grant {
                    Some(grant) => section.grants.get_mut(grant..=grant),
                    None => section.grants.get_mut(..),
                };
                for grant in grants
                    .into_iter()
                    .flatten()
                    .filter(|grant| grant.reason.is_none())
                {
                    grant.reason = Some(problem.message());
                    is_changed = true;
                }
            }
        }
        is_changed
    }

    /// The statement that mends a problem of the database rather than of the file: the user that
    /// signs in is not a member of the role.
    pub fn missing_membership(problem: &Diagnostic) -> Option<&str> {
        problem
            .suggestion()
            .filter(|_| matches!(problem.fault(), Fault::DatabaseRole { .. }))
    }

    /// The text, and where in it each grant is.
    fn render(&self) -> (String, Vec<PlacedGrant>) {
        let mut text = self.head.clone();
        let mut places = vec![];
        for (number, section) in self.sections.iter().enumerate() {
            let start = text.len();
            // Without a grant the section says nothing, and a table without a name cannot have one.
            let comment = if section.grants.iter().all(|grant| grant.reason.is_some()) {
                "# "
            } else {
                ""
            };
            let _ = writeln!(
                text,
                "\n{comment}[table.{}.role.{}]",
                quoted(&section.table),
                quoted(&section.role)
            );
            places.push(PlacedGrant {
                lines: start..text.len(),
                section: number,
                grant: None,
            });
            for remark in &section.remarks {
                let _ = writeln!(text, "# {}", one_line(remark));
            }
            for (index, grant) in section.grants.iter().enumerate() {
                let start = text.len();
                match &grant.reason {
                    None => {
                        let _ = writeln!(text, "{} = {}", grant.kind, grant.entry);
                        places.push(PlacedGrant {
                            lines: start..text.len(),
                            section: number,
                            grant: Some(index),
                        });
                    }
                    Some(reason) => {
                        let _ = writeln!(text, "# no {}: {}", grant.kind, one_line(reason));
                        let _ = writeln!(text, "# {} = {}", grant.kind, grant.entry);
                    }
                }
            }
        }
        (text, places)
    }
}

impl Section {
    /// All but the role.
    fn contents(&self) -> (&str, &[String], &[GrantDraft]) {
        (&self.table, &self.remarks, &self.grants)
    }

    fn new(catalog: &Catalog, model: &Model, table: TableId, privileges: &Privileges) -> Section {
        let name = key(catalog.table(table));
        let role = &privileges.role;
        let exposed = model.exposed(table);
        let reason = if exposed.is_none() {
            Some("the table has no name in GraphQL: give it a `name`".to_owned())
        } else if !privileges.usage {
            let schema = identifier(&privileges.schema);
            let role = identifier(role);
            Some(format!(
                "the role may not use the schema: GRANT USAGE ON SCHEMA {schema} TO {role};"
            ))
        } else {
            privileges.owner.as_ref().map(|owner| {
                let what = if owner == role {
                    "owns it".to_owned()
                } else {
                    format!("is a member of its owner {owner}")
                };
                format!(
                    "policies of the table do not limit {role}, which {what} (without FORCE \
                         ROW LEVEL SECURITY)"
                )
            })
        };
        let columns = exposed
            .into_iter()
            .flat_map(|exposed| catalog.table(table).columns.iter().zip(&exposed.columns));
        let unnamed: BTreeSet<&str> = columns
            .filter(|(_, name)| name.is_none())
            .map(|(column, _)| column.name.as_str())
            .collect();
        let mut remarks = vec![];
        let mut grants = vec![];
        for (kind, columns, rule) in [
            ("select", &privileges.select, "rows"),
            ("insert", &privileges.insert, "check"),
            ("update", &privileges.update, "rows"),
        ] {
            let named: Vec<String> = columns
                .iter()
                .filter(|name| !unnamed.contains(name.as_str()))
                .map(|name| string(name))
                .collect();
            let left_out: Vec<&str> = columns
                .iter()
                .map(String::as_str)
                .filter(|name| unnamed.contains(name))
                .collect();
            if !left_out.is_empty() {
                let left_out = left_out.join(", ");
                remarks.push(format!(
                    "{kind} without columns that have no name in GraphQL yet: {left_out}"
                ));
            }
            if !named.is_empty() {
                let columns = if privileges.whole.iter().any(|whole| whole == kind) {
                    "\"*\"".to_owned()
                } else {
                    format!("[{}]", named.join(", "))
                };
                let entry = format!("{{ columns = {columns}, {rule} = \"true\" }}");
                grants.push(GrantDraft {
                    kind,
                    entry,
                    reason: reason.clone(),
                });
            }
        }
        if privileges.delete {
            grants.push(GrantDraft {
                kind: "delete",
                entry: "{ rows = \"true\" }".to_owned(),
                reason,
            });
        }
        Section {
            table: name,
            role: privileges.r#as.clone(),
            remarks,
            grants,
        }
    }
}

/// The roles that have all grants of another one and no others, with that one.
fn twins(roles: &BTreeMap<String, String>, sections: &[Section]) -> BTreeMap<String, String> {
    let grants_of = |role: &str| {
        let own = sections.iter().filter(|section| section.role == role);
        own.map(Section::contents).collect::<Vec<_>>()
    };
    let mut firsts: Vec<(String, &String)> = vec![];
    let mut twins = BTreeMap::new();
    for role in roles.keys() {
        let grants = format!("{:?}", grants_of(role));
        match firsts.iter().find(|(known, _)| *known == grants) {
            Some((_, first)) => drop(twins.insert(role.clone(), (*first).clone())),
            None => firsts.push((grants, role)),
        }
    }
    twins
}

const HEAD: &str = "
# ---- from the privileges and the policies of the database

# Postgres is the judge: statements of a role run as the role of the database that `set_role` names, with its privileges
# and under its policies. `rows = \"true\"` adds no rule to them. The admin's statements run as the user that signs in.
# Functions are not granted: offer those that are to be fields by [function.<name>] roles = […]
# Aggregates are not granted, because they read whole tables: add `aggregates = true` to a `select`.
";

const SETTINGS_HEAD: &str = "
# A setting is an empty text where the caller has no such value, as on each connection that had one before; on a new
# connection Postgres has null, or an error. `nullif(current_setting('app.user_id', true), '')` reads both alike.
";

impl Document {
    /// Writes what a person has to decide.
    fn write_remarks(&self, text: &mut String, roles: &BTreeMap<String, String>) {
        text.push_str(HEAD);
        let mut remark = |what: &str, names: &[String]| {
            if !names.is_empty() {
                let _ = writeln!(text, "# {what}: {}", one_line(&names.join(", ")));
            }
        };
        remark(
            "Left out, because policies do not limit roles with SUPERUSER or BYPASSRLS",
            &self.unlimited,
        );
        remark(
            "Left out, because they own tables and have no other grant",
            &self.owners,
        );
        remark(
            "PUBLIC has privileges on these, so the roles below have them too, and so has each \
             other role",
            &self.public,
        );
        if self
            .grants
            .iter()
            .any(|privileges| privileges.r#as == ADMIN)
        {
            remark(
                "Left out, because `admin` may do everything in this file; write [role.<another \
                 name>] set_role = \"admin\"",
                &[ADMIN.to_owned()],
            );
        }
        let members = self.members.iter();
        let members: Vec<String> = members
            .map(|member| format!("{} (member of {})", member.name, member.parents.join(", ")))
            .collect();
        remark(
            "Left out, because they have privileges as members alone",
            &members,
        );
        if roles.is_empty() {
            text.push_str(
                "# No tables are granted to a role that policies limit: create one, \
                           grant it what it may do, and write this file again.\n",
            );
        }
    }

    /// Writes the roles, with the statement that each needs.
    fn write_roles(
        &self,
        text: &mut String,
        roles: &BTreeMap<String, String>,
        inherits: &BTreeMap<String, String>,
    ) {
        let user = identifier(&self.user);
        for (role, database_role) in roles {
            text.push('\n');
            if *database_role != self.user {
                let _ = writeln!(
                    text,
                    "# GRANT {} TO {user};",
                    one_line(&identifier(database_role))
                );
            }
            let _ = writeln!(
                text,
                "[role.{}]\nset_role = {}",
                quoted(role),
                string(database_role)
            );
            if let Some(parent) = inherits.get(role) {
                let _ = writeln!(
                    text,
                    "inherits = [{}]    # the database grants both the same",
                    string(parent)
                );
            }
        }
        if !roles.is_empty() {
            let _ = writeln!(
                text,
                "# Write these grants to the user that Postern signs in as, if it is not {}.",
                one_line(&user)
            );
        }
    }
}

/// Writes `[session]` and `[settings]`.
fn write_settings(text: &mut String, read: &SettingsRead) {
    for reader in &read.computed {
        let _ = writeln!(
            text,
            "# {} reads a setting whose name it computes: look whether [settings] has all of them",
            one_line(reader)
        );
    }
    let names = read.session_names(CLAIMS);
    if !names.is_empty() {
        text.push_str("\n[session]\n");
        for name in names.values() {
            let _ = writeln!(text, "{name} = \"text\"");
        }
    }
    if read.settings.is_empty() {
        return;
    }
    text.push_str(SETTINGS_HEAD);
    text.push_str("[settings]\nreads = true\n");
    for (setting, readers) in &read.settings {
        let value = names
            .get(setting.as_str())
            .map_or_else(|| CLAIMS_VALUE.to_owned(), |name| format!("session.{name}"));
        let mut listed: Vec<&str> = readers
            .iter()
            .take(MAX_READERS)
            .map(String::as_str)
            .collect();
        if readers.len() > MAX_READERS {
            listed.push("…");
        }
        let _ = writeln!(
            text,
            "{} = \"{value}\"    # {}",
            read.key(setting),
            one_line(&listed.join(", "))
        );
    }
}

/// A string on one line.
fn string(text: &str) -> String {
    let kinds = TomlStringBuilder::new(text);
    kinds
        .as_basic_pretty()
        .or_else(|| kinds.as_literal())
        .unwrap_or_else(|| kinds.as_basic())
        .to_toml_value()
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
