//! Writes the permission file from the imported tables, grants, roles and functions.

use std::collections::BTreeSet;
use std::fmt::Write;

use sql::postgres::catalog::{Catalog, TableId};

use crate::functions::Function;
use crate::grants::{Grant, Grants};
use crate::inherit::Inherited;
use crate::names::key as key_of;
use crate::relations::Relations;
use crate::session::Session;
use crate::tables::{Action, Tables, Tracked};
use crate::toml_writer::{Entry, TomlValue, comment, entry, key, string};

/// The contents of the file except relationships.
pub(crate) struct File<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) convention: &'a str,
    pub(crate) tables: &'a Tables<'a>,
    pub(crate) inherited: &'a [Inherited],
    pub(crate) silent: &'a [&'a str],
    /// The grants on each tracked table, in the order of the tables.
    pub(crate) grants: &'a [Grants],
    pub(crate) functions: &'a [Function],
}

const HEAD: &str = "\
# Permissions imported from Hasura's metadata; the report of the import lists the differences.
# Tables in the conditions of rules are read without rules of their own.
";

/// The setting in which triggers find the session. A file for a database whose triggers do not read
/// it is better without.
const SETTINGS: &str = "
# Triggers read the session as JSON with current_setting('hasura.user'). Remove this section if no trigger does.
[settings]
\"hasura.user\" = \"session\"
";

impl File<'_> {
    /// Writes the complete file.
    pub(crate) fn text(&self, relations: &Relations, session: &Session) -> String {
        let mut text = self.names(relations, Some(session));
        for function in self.functions {
            let _ = writeln!(text, "\n[function.{}]", key(&function.key));
            for (name, item) in &function.pairs {
                let _ = writeln!(text, "{} = {}", key(name), item.line(session));
            }
        }
        self.untracked(&mut text);
        text
    }

    /// Writes the file without grants and functions, to find out which relationships it makes.
    pub(crate) fn without_grants(&self, relations: &Relations) -> String {
        let mut text = self.names(relations, None);
        self.untracked(&mut text);
        text
    }

    fn names(&self, relations: &Relations, session: Option<&Session>) -> String {
        let mut text = format!(
            "{HEAD}\n[naming]\nconvention = {}\n",
            string(self.convention)
        );
        if let Some(session) = session {
            self.session(&mut text, session);
            constants(&mut text, session);
            text.push_str(SETTINGS);
            self.roles(&mut text, session);
        }
        for (index, table) in self.tables.tracked.iter().enumerate() {
            let mut body = Section::new(&format!("table.{}", key(&table.key)));
            describe(&mut body, table);
            body.write(&mut text);
            relate(&mut text, table, relations);
            compute(&mut text, table);
            if let Some(session) = session {
                let grants = self.grants.get(index).into_iter().flatten();
                grants.for_each(|(role, grants)| grant(&mut text, table, role, grants, session));
            }
        }
        text
    }

    /// Writes the sections of roles without grants, of inherited roles, and of roles without
    /// introspection.
    fn roles(&self, text: &mut String, session: &Session) {
        let silent = |role: &str| {
            if self.silent.contains(&role) {
                "introspection = false\n"
            } else {
                ""
            }
        };
        let without = self.without_grants_of_their_own();
        for role in &without {
            let _ = write!(
                text,
                "\n# This role has no grants.\n[role.{}]\n{}",
                key(role),
                silent(role)
            );
        }
        for Inherited { role, parents } in self.inherited {
            let parents = TomlValue::texts(parents).line(session);
            let _ = write!(
                text,
                "\n[role.{}]\ninherits = {parents}\n{}",
                key(role),
                silent(role)
            );
        }
        let is_declared = |role: &str| {
            without.contains(role) || self.inherited.iter().any(|other| other.role == role)
        };
        for role in self.silent.iter().filter(|role| !is_declared(role)) {
            let _ = write!(text, "\n[role.{}]\n{}", key(role), silent(role));
        }
    }

    /// Roles that the metadata names but that have no grant. The permission file must declare them.
    fn without_grants_of_their_own(&self) -> BTreeSet<&str> {
        let grants = || self.grants.iter().flatten();
        let granted = |role: &str| {
            grants().any(|(granted, grants)| {
                granted == role && grants.iter().any(|grant| grant.item.is_ok())
            })
        };
        let inherits = |role: &str| {
            self.inherited
                .iter()
                .any(|inherited| inherited.role == role)
        };
        let parents = self
            .inherited
            .iter()
            .flat_map(|inherited| &inherited.parents);
        let named = grants()
            .map(|(role, _)| role)
            .chain(parents)
            .map(String::as_str);
        named
            .filter(|role| *role != "admin" && !granted(role) && !inherits(role))
            .collect()
    }

    fn session(&self, text: &mut String, session: &Session) {
        for (index, (name, r#type)) in session.declarations().enumerate() {
            text.push_str(if index == 0 { "\n[session]\n" } else { "" });
            let _ = writeln!(text, "{} = {}", key(name), string(r#type));
        }
    }

    fn untracked(&self, text: &mut String) {
        let untracked = |(id, _): &(TableId, _)| self.tables.find(*id).is_none();
        for (index, (_, table)) in self.catalog.table_ids().filter(untracked).enumerate() {
            text.push_str(if index == 0 {
                "\n# Not tracked before the import.\n"
            } else {
                ""
            });
            let _ = writeln!(text, "[table.{}]\nexposed = false", key(&key_of(table)));
        }
    }
}

/// Writes constant conditions as named rules without arguments.
fn constants(text: &mut String, session: &Session) {
    for (name, sql) in session.constants() {
        let _ = write!(
            text,
            "\n# True for all rows or for none.\n[rules.{name}]\nsql = {}\n",
            string(&sql)
        );
    }
}

/// A section that is written only if it has lines.
struct Section {
    header: String,
    lines: String,
}

impl Section {
    fn new(header: &str) -> Section {
        Section {
            header: header.to_owned(),
            lines: String::new(),
        }
    }

    fn line(&mut self, name: &str, value: &str) {
        let _ = writeln!(self.lines, "{name} = {value}");
    }

    fn write(self, text: &mut String) {
        if !self.lines.is_empty() {
            let _ = write!(text, "\n[{}]\n{}", self.header, self.lines);
        }
    }
}

fn describe(section: &mut Section, table: &Tracked<'_>) {
    if !table.exposed {
        section
            .lines
            .push_str("# Its name is not valid in GraphQL, and it has no other.\n");
        return section.line("exposed", "false");
    }
    if let Some(name) = &table.name {
        section.line("name", &string(name));
    }
    if table.is_enum {
        section.line("enum", "true");
    }
    for (column, name) in &table.columns {
        section.line(&format!("column.{}", key(column)), &string(name));
    }
    if let Some(comment) = &table.comment {
        section.line("comment", &string(comment));
    }
    if !table.comments.is_empty() {
        let comments = table
            .comments
            .iter()
            .map(|(column, comment)| (column.clone(), TomlValue::text(comment.as_str())));
        section.line(
            "comments",
            &TomlValue::Table(comments.collect()).line(&Session::default()),
        );
    }
    if !table.roots.is_empty() {
        let roots = table
            .roots
            .iter()
            .map(|(kind, name)| (kind.key().to_owned(), TomlValue::text(name.as_str())));
        section.line(
            "root",
            &TomlValue::Table(roots.collect()).line(&Session::default()),
        );
    }
}

fn relate(text: &mut String, table: &Tracked<'_>, relations: &Relations) {
    let mut section = Section::new(&format!("table.{}.relation", key(&table.key)));
    for (name, item) in relations.get(&table.id).into_iter().flatten() {
        section.line(&key(name), &item.line(&Session::default()));
    }
    section.write(text);
}

fn compute(text: &mut String, table: &Tracked<'_>) {
    for computed in &table.computed {
        let mut section = Section::new(&format!(
            "table.{}.computed.{}",
            key(&table.key),
            key(&computed.name)
        ));
        section.line("function", &string(&computed.function.key()));
        if let Some(row) = &computed.row {
            section.line("row", &string(row));
        }
        if let Some(session) = &computed.session {
            section.line("session", &string(session));
        }
        section.write(text);
    }
}

fn grant(text: &mut String, table: &Tracked<'_>, role: &str, grants: &[Grant], session: &Session) {
    let header = format!("table.{}.role.{}", key(&table.key), key(role));
    let mut lines = String::new();
    let mut sections = String::new();
    let any = grants.iter().any(|grant| grant.item.is_ok());
    for Grant {
        action,
        item,
        notes,
    } in grants
    {
        let note: String = notes.iter().map(|note| comment(note)).collect();
        let item = match item {
            Ok(item) => item,
            Err(why) => {
                lines.push_str(&comment(&format!(
                    "{} was not imported: {why}",
                    action.key()
                )));
                continue;
            }
        };
        match entry(&header, action.key(), item, session) {
            Entry::Line(line) => lines.push_str(&(note + &line)),
            // A comment must be right before the section's header.
            Entry::Section(section) => {
                sections.push_str(&format!("\n{note}{}", section.trim_start()));
            }
        }
    }
    // The permission compiler takes even an empty section for a role, so a header without grants is
    // a comment.
    let _ = match (lines.is_empty(), any) {
        (true, _) => write!(text, "{sections}"),
        (false, true) => write!(text, "\n[{header}]\n{lines}{sections}"),
        (false, false) => write!(text, "\n# {header}:\n{lines}"),
    };
    debug_assert!(
        grants
            .iter()
            .map(|grant| grant.action)
            .is_sorted_by(|a: &Action, b| a <= b)
    );
}
