//! `postern init`: generates a first permission file from the catalog, without grants.

use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Arc;

use sql::model::names::is_graphql;
use sql::model::{ExposedTable, Model, Relation, RelationKind};
use sql::postgres::catalog::{Catalog, Table, TableId};
use toml_writer::{ToTomlValue, TomlStringBuilder};

use crate::diagnostic::SourceFile;
use crate::exposure::{key, quoted};

const HEAD: &str = "\
# What each role may do. Tables and relations come from the database; what is not granted is denied.

[naming]
convention = \"camel\"

# [session]                     # session values the rules use
# user_id = \"uuid\"

# [rules.own]                   # a named predicate, usable in any row rule
# args = [\"owner\"]
# sql = \"owner = session.user_id\"
";

/// Generates a first permission file: every table with its name, its relations as comments, and no grants. It compiles
/// against the same catalog.
pub fn init(catalog: &Catalog) -> String {
    let catalog = Arc::new(catalog.clone());
    let model = crate::allow_all(catalog.clone()).model;
    let mut left_out = HashSet::new();
    // Compiling finds names that clash. Their tables are omitted, until compiling reports no new fault.
    loop {
        let text = draft(&model, &left_out);
        let file = SourceFile::new("permissions.toml", text.as_str());
        let Err(problems) = crate::compile(&file, catalog.clone()) else { return text };
        let before = left_out.len();
        left_out.extend(problems.iter().filter_map(|problem| table_at(&model, &text, problem.place().span().start)));
        if left_out.len() == before {
            return text;
        }
    }
}

fn draft(model: &Model, left_out: &HashSet<TableId>) -> String {
    let mut text = HEAD.to_owned();
    for (id, table) in model.catalog().table_ids() {
        match model.exposed(id).filter(|_| !left_out.contains(&id)) {
            Some(exposed) => write_table(&mut text, model, exposed, &header(table)),
            None => write_left_out(&mut text, &header(table)),
        }
    }
    text
}

fn header(table: &Table) -> String {
    format!("[table.{}]", quoted(&key(table)))
}

/// The table whose entry contains that byte of the draft.
fn table_at(model: &Model, text: &str, at: usize) -> Option<TableId> {
    let line_end = text.get(at..)?.find('\n').map_or(text.len(), |end| at + end);
    let line = text.get(..line_end)?.lines().rfind(|line| line.starts_with("[table."))?;
    model.catalog().table_ids().find(|(_, table)| header(table) == line).map(|(id, _)| id)
}

fn write_left_out(text: &mut String, header: &str) {
    text.push_str(
        "\n# Not exposed: its name is not valid in GraphQL, or is that of another table. Give it a name of its own.\n",
    );
    let _ = writeln!(text, "{header}\nexposed = false");
}

fn write_table(text: &mut String, model: &Model, exposed: &ExposedTable, header: &str) {
    let table = model.table(exposed.table);
    let _ = writeln!(text, "\n{header}\nname = {}", string(&exposed.name));
    for (column, name) in table.columns.iter().zip(&exposed.columns) {
        let key = quoted(&column.name);
        let _ = match name {
            Some(name) => writeln!(text, "# column.{key} = {}", string(name)),
            None if is_graphql(&exposed.convention.column(&column.name)) => {
                writeln!(text, "column.{key} = {}", string(&free_name(exposed, &column.name)))
            }
            None => writeln!(text, "# column.{key} = \"…\"    # has no name in GraphQL yet"),
        };
    }
    for relation in &exposed.relations {
        let _ = writeln!(text, "# relation.{} = {}", quoted(&relation.name), entry(model, exposed, relation));
    }
}

/// A free name for a column whose name clashes with another column's.
fn free_name(exposed: &ExposedTable, column: &str) -> String {
    let name = exposed.convention.column(column);
    let numbered = (2..).map(|number| format!("{name}{number}"));
    let mut names = std::iter::once(column.to_owned()).filter(|name| is_graphql(name)).chain(numbered);
    names.find(|name| exposed.member(name).is_none()).unwrap_or_default()
}

/// The file's entry for a relation.
fn entry(model: &Model, exposed: &ExposedTable, relation: &Relation) -> String {
    let (own, other) = (model.table(exposed.table), model.table(relation.to));
    let table = string(&key(other));
    let names = |columns: Vec<&str>| match columns.as_slice() {
        [column] => string(column),
        columns => format!("[{}]", columns.iter().map(|column| string(column)).collect::<Vec<_>>().join(", ")),
    };
    let mine: Vec<&str> = relation.on.iter().map(|(mine, _)| own.column(*mine).name.as_str()).collect();
    let theirs: Vec<&str> = relation.on.iter().map(|(_, theirs)| other.column(*theirs).name.as_str()).collect();
    let lies_here = own.foreign_keys.iter().any(|foreign| foreign.columns == mine && foreign.references == theirs);
    match relation.kind {
        RelationKind::Object { .. } if lies_here => format!("{{ column = {} }}    # to {table}", names(mine)),
        _ => format!("{{ table = {table}, column = {} }}", names(theirs)),
    }
}

/// A string on one line, so that it fits into a comment.
fn string(text: &str) -> String {
    let kinds = TomlStringBuilder::new(text);
    kinds.as_basic_pretty().or_else(|| kinds.as_literal()).unwrap_or_else(|| kinds.as_basic()).to_toml_value()
}
