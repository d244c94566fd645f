//! `postern init`: a first permission file, written from the database, granting nothing.

use std::fmt::Write;
use std::sync::Arc;

use sql::catalog::Catalog;
use sql::model::{Exposed, Model, Relation, RelationKind};

use crate::expose::{key, quoted};

const HEAD: &str = "\
# Who may do what. Tables and relations come from the database; absent means denied.

[naming]
convention = \"camel\"

# [session]                     # session values the rules use
# user_id = \"uuid\"

# [rules.own]                   # a named predicate, usable in any row rule
# args = [\"owner\"]
# sql = \"owner = session.user_id\"
";

/// A first permission file: every table with its name, its relations as comments, nothing granted.
pub fn init(catalog: &Catalog) -> String {
    let permissions = crate::open(Arc::new(catalog.clone()));
    let model = &permissions.model;
    let mut text = HEAD.to_owned();
    for (id, table) in catalog.table_ids() {
        let header = format!("[table.{}]", quoted(&key(table)));
        match model.exposed(id) {
            Some(exposed) => write_table(&mut text, model, exposed, &header),
            None => write_left_out(&mut text, &header),
        }
    }
    text
}

fn write_left_out(text: &mut String, header: &str) {
    text.push_str(
        "\n# Not exposed: its name cannot be said in GraphQL, or is that of another. Give it a name of its own.\n",
    );
    let _ = writeln!(text, "{header}\nexposed = false");
}

fn write_table(text: &mut String, model: &Model, exposed: &Exposed, header: &str) {
    let table = model.table(exposed.table);
    let _ = writeln!(text, "\n{header}\nname = {}", string(&exposed.name));
    for (column, name) in table.columns.iter().zip(&exposed.columns) {
        let name = name.as_deref().unwrap_or_default();
        match name {
            "" => {
                let _ = writeln!(text, "# column.{} = \"…\"    # has no name in GraphQL yet", quoted(&column.name));
            }
            _ => {
                let _ = writeln!(text, "# column.{} = {}", quoted(&column.name), string(name));
            }
        }
    }
    for relation in &exposed.relations {
        let _ = writeln!(text, "# relation.{} = {}", quoted(&relation.name), entry(model, exposed, relation));
    }
}

/// What the file would say of a relation.
fn entry(model: &Model, exposed: &Exposed, relation: &Relation) -> String {
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

fn string(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
