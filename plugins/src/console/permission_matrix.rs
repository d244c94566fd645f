//! The permissions of all roles: for each role, table and action the grant with its rules, and
//! where these stand in the permission file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use permissions::Permissions;
use serde_json::{Map, Value, json};
use sql::model::ExposedTable;
use sql::model::access::{Access, Columns, Grants, Rule, Select, SourceLocation};
use sql::model::names::RootKind;
use sql::postgres::catalog::ColumnId;
use sql::postgres::length_limits::LengthLimits;

use crate::explain::file_name;

/// The roles, and for each the session values that its rules read.
pub(super) fn roles(permissions: &Permissions) -> Value {
    let role = |access: &Arc<Access>| {
        let mut values = BTreeSet::new();
        if !access.is_admin() {
            let grants = permissions
                .model
                .tables()
                .filter_map(|exposed| access.grants(exposed.table));
            for rule in grants.flat_map(rules) {
                values.extend(rule.session_values().map(|value| value.name.as_str()));
            }
        }
        values.remove("role");
        json!({"name": access.role(), "values": values})
    };
    permissions.roles().map(role).collect()
}

/// The matrix. The role `admin` may do everything, so it has no rows.
pub(super) fn describe_permissions(permissions: &Permissions) -> Value {
    let model = &permissions.model;
    let table = |exposed: &ExposedTable| {
        let table = model.table(exposed.table);
        let list = model
            .roots()
            .find(|root| root.table == exposed.table && root.kind == RootKind::List);
        json!({
            "name": exposed.name, "table": format!("{}.{}", table.schema, table.name),
            "columns": all_columns(exposed, permissions), "list": list.map(|root| &root.name),
        })
    };
    let grants = permissions
        .roles()
        .filter(|access| !access.is_admin())
        .flat_map(|access| {
            model.tables().filter_map(|exposed| {
                let mut object = grant(access.grants(exposed.table)?, exposed, permissions);
                object.insert("role".into(), access.role().into());
                object.insert("table".into(), exposed.name.as_str().into());
                Some(Value::Object(object))
            })
        });
    json!({
        "roles": permissions.roles().map(|access| access.role()).collect::<Vec<_>>(),
        "tables": model.tables().map(table).collect::<Vec<_>>(),
        "grants": grants.collect::<Vec<_>>(),
    })
}

/// The grants of one role for one table, by action.
fn grant(grants: &Grants, exposed: &ExposedTable, permissions: &Permissions) -> Map<String, Value> {
    let names = |columns: &Columns| {
        columns
            .iter()
            .map(|column| name(exposed, permissions, column))
            .collect::<Vec<_>>()
    };
    let named_rule = |(column, rule): (ColumnId, &Rule)| {
        let mut object = source(rule);
        object["column"] = name(exposed, permissions, column).into();
        object
    };
    let presets = |preset: &[(ColumnId, Rule)]| -> Vec<Value> {
        preset
            .iter()
            .map(|(column, rule)| named_rule((*column, rule)))
            .collect()
    };
    let lengths = |limits: &BTreeMap<ColumnId, LengthLimits>| -> Vec<Value> {
        let of_column = |(column, limits): (&ColumnId, &LengthLimits)| {
            json!({
                "column": name(exposed, permissions, *column),
                "characters": limits.characters, "elements": limits.elements,
            })
        };
        limits.iter().map(of_column).collect()
    };
    let mut object = Map::new();
    if let Some(select) = &grants.select {
        let masks = select.values.iter().map(|(column, rule)| (*column, rule));
        let value = json!({
            "columns": names(&select.columns), "rows": source(&select.rows), "limit": select.limit,
            "aggregates": select.aggregates.is_some(), "masks": masks.map(named_rule).collect::<Vec<_>>(),
            "other_rows": other_rows(grants, select),
        });
        object.insert("select".into(), value);
    }
    if let Some(insert) = &grants.insert {
        let value = json!({
            "columns": names(&insert.columns), "check": source(&insert.check), "presets": presets(&insert.preset),
            "limit": insert.max_rows, "lengths": lengths(&insert.lengths), "backend_only": insert.backend_only,
        });
        object.insert("insert".into(), value);
    }
    if let Some(update) = &grants.update {
        let value = json!({
            "columns": names(&update.columns), "rows": source(&update.rows), "check": source(&update.check),
            "presets": presets(&update.preset), "limit": update.max_affected, "lengths": lengths(&update.lengths),
            "backend_only": update.backend_only,
        });
        object.insert("update".into(), value);
    }
    if let Some(delete) = &grants.delete {
        let value = json!({
            "rows": source(&delete.rows), "limit": delete.max_affected, "backend_only": delete.backend_only,
        });
        object.insert("delete".into(), value);
    }
    object
}

/// The rules for reading of a role that inherits, as far as they are others than that of the grant.
fn other_rows(grants: &Grants, select: &Select) -> Vec<Value> {
    let rules = grants.purposes.values().flatten().map(|other| &other.rows);
    let own = select.rows.source();
    let mut others: Vec<SourceLocation> = vec![];
    for location in rules.map(Rule::source) {
        if location != own && !others.contains(&location) {
            others.push(location);
        }
    }
    others.sort_by_key(|location| (location.line, location.text.clone()));
    others.iter().map(location_json).collect()
}

/// All rules of grants.
fn rules(grants: &Grants) -> Vec<&Rule> {
    let mut rules: Vec<&Rule> = vec![];
    let purposes = grants.purposes.values().flatten().map(|select| &**select);
    for select in grants.select.iter().chain(purposes) {
        rules.push(&select.rows);
        rules.extend(select.values.values());
    }
    if let Some(insert) = &grants.insert {
        rules.push(&insert.check);
        rules.extend(insert.preset.iter().map(|(_, rule)| rule));
    }
    if let Some(update) = &grants.update {
        rules.extend([&update.rows, &update.check]);
        rules.extend(update.preset.iter().map(|(_, rule)| rule));
    }
    rules.extend(grants.delete.iter().map(|delete| &delete.rows));
    rules
}

/// A rule as it is written, and its place. The line is 0 for a rule that stands in no file.
fn source(rule: &Rule) -> Value {
    location_json(&rule.source())
}

fn location_json(location: &SourceLocation) -> Value {
    json!({"text": &*location.text, "file": file_name(&location.file), "line": location.line})
}

fn all_columns(exposed: &ExposedTable, permissions: &Permissions) -> Vec<String> {
    let columns = permissions.model.table(exposed.table).column_ids();
    columns
        .map(|(column, _)| name(exposed, permissions, column))
        .collect()
}

/// The column's name in GraphQL, or in the database if it has none there.
fn name(exposed: &ExposedTable, permissions: &Permissions, column: ColumnId) -> String {
    let in_database = || {
        permissions
            .model
            .table(exposed.table)
            .column(column)
            .name
            .as_str()
    };
    exposed
        .column_name(column)
        .unwrap_or_else(in_database)
        .to_owned()
}
