//! Which grant of the permission file an error under `--dev` is about: one that is missing, so that
//! a field is not in the role's schema, or one whose check a written row does not pass.

use permissions::ADMIN;
use sql::model::Model;
use sql::model::access::{Access, Rule};
use sql::model::names::RootKind;
use sql::postgres::catalog::TableId;
use sql::schema::Schema;
use sql::{Cause, Error};

use super::members::members;
use crate::http::state::HandlerState;

/// The grant that the role lacks, if what it asked for exists.
pub(super) fn missing_grant(state: &HandlerState, role: &str, cause: &Cause) -> Option<String> {
    let permissions = &state.execution.schema.permissions;
    let access = permissions.role(role)?;
    let admin = permissions.role(ADMIN).filter(|_| role != ADMIN)?;
    let model = &*permissions.model;
    match cause {
        Cause::UnknownField { field, on } | Cause::UnknownInputField { field, on } => {
            let exists = members(&Schema::new(admin), on).contains(field);
            exists.then(|| match model.root(field) {
                Some(root) if on.ends_with("_root") => {
                    let what = root_grant(model, access, root.table, root.kind);
                    format!("`{field}` exists, but {what}")
                }
                _ => match model.tables().find(|table| {
                    *on == table.type_name || on.starts_with(&format!("{}_", table.types))
                }) {
                    Some(table) => format!(
                        "`{field}` exists, but {} does not show it: what is missing is a column, \
                         or a grant on the table that a relation leads to",
                        section(model, table.table, role)
                    ),
                    None => format!("`{field}` exists, but no grant of role `{role}` shows it"),
                },
            })
        }
        _ => None,
    }
}

/// The check that a written row does not pass, as the file has it.
pub(super) fn failed_check(state: &HandlerState, role: &str, error: &Error) -> Option<String> {
    let permissions = &state.execution.schema.permissions;
    let access = permissions.role(role)?;
    let Cause::Check = error.cause else {
        return None;
    };
    let field = error.path.strip_prefix("$.selectionSet.")?;
    let field = field.split('.').next()?;
    let field = field.split('[').next()?;
    let root = permissions.model.root(field)?;
    let table = section(&permissions.model, root.table, role);
    let check = match root.kind {
        RootKind::Insert | RootKind::InsertOne => &access.insert(root.table)?.check,
        RootKind::Update | RootKind::UpdateOne | RootKind::UpdateMany => {
            &access.update(root.table)?.check
        }
        _ => return None,
    };
    Some(format!(
        "a row does not pass {} of {table}, or that of a nested row its own",
        located(check)
    ))
}

fn located(check: &Rule) -> String {
    let source = check.source();
    format!(
        "the check `{}` ({}:{})",
        source.text, source.file, source.line
    )
}

/// What keeps a root field from a role.
fn root_grant(model: &Model, access: &Access, table: TableId, kind: RootKind) -> String {
    let (command, is_granted) = match kind {
        RootKind::List
        | RootKind::One
        | RootKind::Aggregate
        | RootKind::Group
        | RootKind::Connection
        | RootKind::Stream => ("select", access.select(table).is_some()),
        RootKind::Insert | RootKind::InsertOne => ("insert", access.insert(table).is_some()),
        RootKind::Update | RootKind::UpdateOne | RootKind::UpdateMany => {
            ("update", access.update(table).is_some())
        }
        RootKind::Delete | RootKind::DeleteOne => ("delete", access.delete(table).is_some()),
    };
    let section = section(model, table, access.role());
    if !is_granted {
        return format!("{section} has no `{command}`");
    }
    let needed = match kind {
        RootKind::Aggregate | RootKind::Group => "`aggregates = true`",
        RootKind::One | RootKind::UpdateOne | RootKind::DeleteOne | RootKind::InsertOne => {
            "a `select` of all columns of the primary key"
        }
        _ => "it in its `roots`",
    };
    format!("the `{command}` of {section} lacks {needed}")
}

/// `[table.api_keys.role.member]`
fn section(model: &Model, table: TableId, role: &str) -> String {
    let table = model.table(table);
    match table.schema.as_str() {
        "public" => format!("`[table.{}.role.{role}]`", table.name),
        schema => format!("`[table.\"{schema}.{}\".role.{role}]`", table.name),
    }
}
