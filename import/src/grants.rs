//! Converts table permissions into grants. A permission that cannot be expressed exactly enough is
//! refused, so that the imported file never grants more than the metadata.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::{Map, Value};
use sql::model::names::is_graphql;
use sql::postgres::catalog::{Catalog, ColumnId, ReadOnly, Table};

use crate::condition::Conditions;
use crate::expression::{Condition, Expression};
use crate::json_object::JsonObject;
use crate::names;
use crate::report::Report;
use crate::tables::{Action, Tables, Tracked};
use crate::toml_writer::TomlValue;
use crate::value;

/// A grant of one action on a table.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    pub(crate) action: Action,
    /// The keys of the grant, or the reason why it was refused.
    pub(crate) item: Result<TomlValue, String>,
    /// Approximations, for the report and the comment above the grant.
    pub(crate) notes: Vec<String>,
}

/// The grants on a table, by role.
pub(crate) type Grants = IndexMap<String, Vec<Grant>>;

/// Reads the permissions of a table.
pub(crate) fn read(
    catalog: &Catalog,
    tables: &Tables<'_>,
    tracked: &Tracked<'_>,
    report: &mut Report,
) -> Grants {
    let mut grants = Grants::new();
    for (action, value) in &tracked.permissions {
        let of_table = format!("table {}, {} permission", tracked.key, action.key());
        let Some(mut node) = JsonObject::new(value, of_table.clone(), report) else {
            continue;
        };
        let Some(role) = node.text("role") else {
            report.refused(of_table, "it names no role");
            continue;
        };
        let construct = format!("table {}, role {role}, {}", tracked.key, action.key());
        // The comment of a permission has no effect, and the permission file gets comments of its
        // own.
        node.get("comment");
        let permission = node.object("permission");
        node.finish(report);
        let reading = GrantReader {
            catalog,
            tables,
            tracked,
            construct,
            notes: vec![],
            seen: vec![],
        };
        let grant = reading.grant(*action, role, permission, report);
        let of_role = grants.entry(role.to_owned()).or_default();
        if of_role.iter().any(|other| other.action == *action) {
            report.refused(
                format!("table {}, role {role}, {}", tracked.key, action.key()),
                "it is defined twice",
            );
        } else {
            of_role.push(grant);
        }
    }
    for of_role in grants.values_mut() {
        of_role.sort_by_key(|grant| grant.action);
    }
    grants
}

struct GrantReader<'a> {
    catalog: &'a Catalog,
    tables: &'a Tables<'a>,
    tracked: &'a Tracked<'a>,
    construct: String,
    notes: Vec<String>,
    seen: Vec<&'static str>,
}

type Fields<'v> = &'v Map<String, Value>;

type Pairs = Vec<(String, TomlValue)>;

impl GrantReader<'_> {
    fn grant(
        mut self,
        action: Action,
        role: &str,
        permission: Option<Fields<'_>>,
        report: &mut Report,
    ) -> Grant {
        let item = match (role, permission) {
            ("admin", _) => Err("the role admin may do everything already".to_owned()),
            (_, None) => Err("it has no `permission`".to_owned()),
            _ if !self.tracked.exposed => Err("the table is not exposed".to_owned()),
            _ if !action.is_possible(self.table()) => {
                Err("the view does not allow this change".to_owned())
            }
            (_, Some(fields)) => self.pairs(action, fields).and_then(|pairs| {
                self.check_all_keys_read(fields)?;
                Ok(TomlValue::Table(pairs))
            }),
        };
        match &item {
            Err(why) => report.refused(self.construct.clone(), why.clone()),
            Ok(_) if self.notes.is_empty() => report.carried(self.construct.clone()),
            Ok(_) => report.approximated(self.construct.clone(), self.notes.join("; ")),
        }
        Grant {
            action,
            item,
            notes: self.notes,
        }
    }

    fn pairs(&mut self, action: Action, fields: Fields<'_>) -> Result<Pairs, String> {
        match action {
            Action::Select => self.select(fields),
            Action::Insert => self.insert(fields),
            Action::Update => self.update(fields),
            Action::Delete => self.delete(fields),
        }
    }

    fn get<'v>(&mut self, fields: Fields<'v>, key: &'static str) -> Option<&'v Value> {
        self.seen.push(key);
        fields.get(key).filter(|value| !value.is_null())
    }

    /// Refuses a permission with a key that was not read: it may be a restriction, without which
    /// too much would be granted.
    fn check_all_keys_read(&self, fields: Fields<'_>) -> Result<(), String> {
        let left = |(key, value): &(&String, &Value)| {
            !self.seen.contains(&key.as_str()) && crate::json_object::says_something(value)
        };
        match fields.iter().find(left) {
            Some((key, _)) if key == "validate_input" => {
                Err("`validate_input`: Postern calls no webhook before a write".to_owned())
            }
            Some((key, _)) => Err(format!("`{key}`: the importer does not know it")),
            None => Ok(()),
        }
    }

    fn select(&mut self, fields: Fields<'_>) -> Result<Pairs, String> {
        let mut pairs = vec![self.columns(fields, &[], false)?];
        let filter = self.get(fields, "filter").ok_or("it has no `filter`")?;
        pairs.push(self.rule("rows", filter)?);
        if let Some(limit) = self.get(fields, "limit") {
            pairs.push((
                "limit".to_owned(),
                TomlValue::Number(limit.as_u64().ok_or("`limit` is not a number")?),
            ));
        }
        if self
            .get(fields, "allow_aggregations")
            .and_then(Value::as_bool)
            == Some(true)
        {
            pairs.push(("aggregates".to_owned(), TomlValue::Flag(true)));
        }
        let computed = self.get(fields, "computed_fields");
        let computed = computed
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let computed = self.scalar_fields(computed)?;
        if !computed.is_empty() {
            pairs.push(("computed".to_owned(), TomlValue::texts(&computed)));
        }
        if let Some(roots) = self.roots(fields)? {
            pairs.push(("roots".to_owned(), TomlValue::texts(&roots)));
        }
        Ok(pairs)
    }

    /// Reads computed fields. Scalar ones must be listed; those that return rows follow the grant
    /// on their table.
    fn scalar_fields(&mut self, names: &[Value]) -> Result<Vec<String>, String> {
        let mut scalar = vec![];
        for name in names.iter().filter_map(Value::as_str) {
            let found = self
                .tracked
                .computed
                .iter()
                .find(|computed| computed.name == name);
            let found = found.ok_or_else(|| format!("there is no computed field `{name}`"))?;
            let function = found.function(self.catalog)?;
            if names::returned(self.catalog, function).is_none() {
                scalar.push(name.to_owned());
            }
        }
        Ok(scalar)
    }

    /// Reads the allowed root fields. In Postern subscriptions have the root fields of queries, and
    /// streams in addition.
    fn roots(&mut self, fields: Fields<'_>) -> Result<Option<Vec<String>>, String> {
        const KINDS: [(&str, &str); 4] = [
            ("select", "list"),
            ("select_by_pk", "one"),
            ("select_aggregate", "aggregate"),
            ("select_stream", "stream"),
        ];
        let mut read = |key| {
            let Some(value) = self.get(fields, key) else {
                return Ok(None);
            };
            let names = value
                .as_array()
                .ok_or_else(|| format!("`{key}` is not a list"))?;
            let kind = |name: &Value| {
                KINDS
                    .iter()
                    .find(|(known, _)| Some(*known) == name.as_str())
                    .map(|(_, kind)| *kind)
            };
            let kinds: Option<Vec<&str>> = names.iter().map(kind).collect();
            // A list of all root fields means the default.
            let all = KINDS
                .iter()
                .filter(|(name, _)| *name != "select_stream" || key == "subscription_root_fields");
            let limited = |kinds: Vec<&'static str>| {
                let every = all.clone().all(|(_, kind)| kinds.contains(kind));
                (!every).then_some(kinds)
            };
            kinds
                .map(limited)
                .ok_or_else(|| format!("`{key}` holds a root field that is not known"))
        };
        let query = read("query_root_fields")?;
        let subscription = read("subscription_root_fields")?;
        let streams = subscription
            .as_ref()
            .is_none_or(|kinds| kinds.contains(&"stream"));
        let same = |kind: &&str| {
            subscription
                .as_ref()
                .is_none_or(|kinds| kinds.contains(kind))
        };
        let (mut kinds, differs) = match (&query, &subscription) {
            (None, None) => return Ok(None),
            (Some(kinds), _) => (
                kinds.clone(),
                subscription.is_none() || kinds.iter().any(|kind| !same(kind)),
            ),
            (None, Some(_)) => {
                let all = ["list", "one", "aggregate"];
                (
                    ["list", "one", "aggregate", "group", "connection"].to_vec(),
                    !all.iter().all(same),
                )
            }
        };
        if subscription
            .iter()
            .flatten()
            .any(|kind| *kind != "stream" && !kinds.contains(kind))
            || differs
        {
            self.notes
                .push("subscriptions have the root fields that queries have".to_owned());
        }
        if streams {
            kinds.push("stream");
        }
        Ok(Some(kinds.into_iter().map(str::to_owned).collect()))
    }

    fn insert(&mut self, fields: Fields<'_>) -> Result<Pairs, String> {
        // A key of old metadata. Upserts depend on the update permission.
        self.get(fields, "allow_upsert");
        let presets = self.presets(fields)?;
        let columns = self.columns(fields, &presets, true)?;
        let check = self.get(fields, "check").ok_or("it has no `check`")?;
        let mut pairs = vec![columns, self.rule("check", check)?];
        push_presets(&mut pairs, presets);
        self.backend_only(fields, &mut pairs);
        Ok(pairs)
    }

    fn update(&mut self, fields: Fields<'_>) -> Result<Pairs, String> {
        let presets = self.presets(fields)?;
        let columns = self.columns(fields, &presets, true)?;
        let filter = self.get(fields, "filter").ok_or("it has no `filter`")?;
        let mut pairs = vec![columns, self.rule("rows", filter)?];
        // Without `check` Hasura does not check the new row. In the permission file a missing
        // `check` means `rows`.
        let check = match self.get(fields, "check") {
            Some(check) => self.rule("check", check)?,
            None => ("check".to_owned(), TomlValue::text("true")),
        };
        pairs.push(check);
        push_presets(&mut pairs, presets);
        self.backend_only(fields, &mut pairs);
        Ok(pairs)
    }

    fn delete(&mut self, fields: Fields<'_>) -> Result<Pairs, String> {
        let filter = self.get(fields, "filter").ok_or("it has no `filter`")?;
        let mut pairs = vec![self.rule("rows", filter)?];
        self.backend_only(fields, &mut pairs);
        // Columns have no meaning for a delete.
        self.get(fields, "columns");
        Ok(pairs)
    }

    fn backend_only(&mut self, fields: Fields<'_>, pairs: &mut Pairs) {
        if self.get(fields, "backend_only").and_then(Value::as_bool) == Some(true) {
            pairs.push(("backend_only".to_owned(), TomlValue::Flag(true)));
        }
    }

    fn rule(&mut self, key: &str, expression: &Value) -> Result<(String, TomlValue), String> {
        let condition = self.condition(expression).map_err(|why| {
            if why.starts_with('`') {
                why
            } else {
                format!("`{key}`: {why}")
            }
        })?;
        let rule = condition.rule();
        self.note_literals(key, &rule);
        Ok((key.to_owned(), TomlValue::Rule(rule)))
    }

    /// Notes session variables inside of JSON literals. Hasura takes them literally too, which
    /// surprises their authors.
    fn note_literals(&mut self, key: &str, rule: &Expression) {
        let names: BTreeSet<String> = rule
            .taken_literally()
            .map(|name| format!("`{name}`"))
            .collect();
        if !names.is_empty() {
            let names: Vec<String> = names.into_iter().collect();
            self.notes.push(format!(
                "`{key}`: {} inside of JSON: taken literally, as by Hasura",
                names.join(", ")
            ));
        }
    }

    fn condition(&self, expression: &Value) -> Result<Condition, String> {
        Conditions {
            catalog: self.catalog,
            tables: self.tables,
            root: self.tracked.id,
        }
        .make(expression)
    }

    fn table(&self) -> &Table {
        self.catalog.table(self.tracked.id)
    }

    fn presets(&mut self, fields: Fields<'_>) -> Result<Pairs, String> {
        let Some(presets) = self.get(fields, "set") else {
            return Ok(vec![]);
        };
        let presets = presets.as_object().ok_or("`set` is not an object")?;
        let mut pairs = Pairs::new();
        for (name, preset) in presets {
            let table = self.table();
            let column = table
                .find(name)
                .ok_or_else(|| format!("`set`: there is no column `{name}`"))?;
            if let Some(why) = self.unwritable(column) {
                return Err(format!("`set`: column `{name}` {why}"));
            }
            let expression = value::preset(self.catalog, table.column(column).r#type, preset);
            let expression = expression.map_err(|why| format!("`set`, `{name}`: {why}"))?;
            self.note_literals("set", &expression);
            pairs.push((name.clone(), TomlValue::Rule(expression)));
        }
        Ok(pairs)
    }

    /// The reason why a column cannot be written, if it cannot.
    fn unwritable(&self, column: ColumnId) -> Option<&'static str> {
        self.catalog
            .read_only(self.tracked.id, column)
            .map(|reason| match reason {
                ReadOnly::Generated => "is generated",
                ReadOnly::Identity => "is generated always as identity",
                ReadOnly::Computed => "is an expression of the view",
            })
    }

    /// Reads `columns`, without preset columns, columns without a GraphQL name, and for writes
    /// read-only columns.
    fn columns(
        &mut self,
        fields: Fields<'_>,
        presets: &[(String, TomlValue)],
        write: bool,
    ) -> Result<(String, TomlValue), String> {
        let key = "columns".to_owned();
        let names = match self.get(fields, "columns") {
            // `columns` is optional for an insert.
            None if write => return Ok((key, TomlValue::text("*"))),
            Some(Value::String(star)) if star == "*" => return Ok((key, TomlValue::text("*"))),
            Some(Value::Array(names)) => names.as_slice(),
            None => &[],
            Some(_) => return Err("`columns` is not a list".to_owned()),
        };
        let mut kept: Vec<String> = vec![];
        for name in names.iter().filter_map(Value::as_str) {
            let Some(column) = self.table().find(name) else {
                return Err(format!("`columns`: there is no column `{name}`"));
            };
            let custom = self
                .tracked
                .columns
                .iter()
                .any(|(column, _)| column == name);
            if !custom && !is_graphql(name) {
                self.notes.push(format!(
                    "column `{name}` has no name in GraphQL, and is left out"
                ));
            } else if let Some(why) = self.unwritable(column).filter(|_| write) {
                self.notes
                    .push(format!("column `{name}` {why}, and is left out"));
            } else if !presets.iter().any(|(preset, _)| preset == name)
                && !kept.iter().any(|other| other == name)
            {
                kept.push(name.to_owned());
            }
        }
        Ok((key, TomlValue::texts(&kept)))
    }
}

fn push_presets(pairs: &mut Pairs, presets: Pairs) {
    if !presets.is_empty() {
        pairs.push(("preset".to_owned(), TomlValue::Table(presets)));
    }
}
