//! Reads names of tables and functions in metadata, and writes identifiers and literals in SQL.

use serde_json::Value;
use sql::postgres::catalog::{Catalog, Function, Table, TableId, TypeKind};
use sql::postgres::types::quoted;

/// A table or function as metadata names it: `"t"`, or `{"schema": "s", "name": "t"}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Name {
    pub(crate) schema: String,
    pub(crate) name: String,
}

impl Name {
    /// Reads a name in either form.
    pub(crate) fn read(value: &Value) -> Option<Name> {
        let (schema, name) = match value {
            Value::String(name) => ("public", name.as_str()),
            Value::Object(fields) => {
                let schema = fields.get("schema").map_or(Some("public"), Value::as_str)?;
                (schema, fields.get("name")?.as_str()?)
            }
            _ => return None,
        };
        Some(Name {
            schema: schema.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Looks the table up in the catalog.
    pub(crate) fn find(&self, catalog: &Catalog) -> Option<TableId> {
        catalog.find(&self.schema, &self.name)
    }

    /// The name in the permission file: `t`, or `s.t` outside `public`.
    pub(crate) fn key(&self) -> String {
        match self.schema.as_str() {
            "public" => self.name.clone(),
            schema => format!("{schema}.{}", self.name),
        }
    }
}

/// Looks up the only function of that name. Hasura does not track overloaded functions.
pub(crate) fn function<'c>(catalog: &'c Catalog, name: &Name) -> Result<&'c Function, String> {
    let mut found = catalog
        .functions
        .iter()
        .filter(|f| f.schema == name.schema && f.name == name.name);
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(format!("there is no function `{}`", name.key())),
        (Some(_), Some(_)) => Err(format!("there are several functions `{}`", name.key())),
    }
}

/// The table whose rows a function returns, if it returns rows.
pub(crate) fn returned(catalog: &Catalog, function: &Function) -> Option<TableId> {
    let rows = catalog
        .type_of(function.result)
        .filter(|found| matches!(found.kind, TypeKind::Composite(_)))?;
    catalog.find(&rows.schema, &rows.name)
}

/// A table's name in the permission file.
pub(crate) fn key(table: &Table) -> String {
    Name {
        schema: table.schema.clone(),
        name: table.name.clone(),
    }
    .key()
}

/// Writes a table in FROM, without its schema where the search path finds it by name.
pub(crate) fn from(catalog: &Catalog, id: TableId) -> String {
    let table = catalog.table(id);
    if catalog.find_unqualified(&table.name) == Some(id) {
        ident(&table.name)
    } else {
        format!("{}.{}", ident(&table.schema), ident(&table.name))
    }
}

/// Words that Postgres or the parser of rules does not read as a column name; and `session`.
const WORDS: &str = " all analyse analyze and any array as asc asymmetric authorization between \
                     bigint binary bit boolean both bytea \
                     case cast ceil char character check coalesce collate collation column \
                     concurrently constraint convert create cross cube \
                     current_catalog current_date current_role current_schema current_time \
                     current_timestamp current_user date datetime dec \
                     decimal default deferrable desc distinct div do double else end except \
                     exists extract false fetch filter first float \
                     floor for foreign freeze from full glob grant greatest group grouping \
                     having ilike in initially inner inout int integer \
                     intersect interval into is isnull join json jsonb lateral leading least \
                     left like limit listagg localtime \
                     localtimestamp map match national natural nchar none normalize not notnull \
                     null nullif numeric offset on only operator or \
                     order out outer over overlaps overlay partition placing position precision \
                     primary prior qualify real references regexp \
                     returning right rlike rollup row safe_cast select session session_user set \
                     setof sets similar smallint some struct \
                     substr substring symmetric system_user table tablesample text then time \
                     timestamp timestamptz to trailing treat trim true \
                     try_cast truncate tuple union unique unnest user using uuid values varchar \
                     variadic verbose when where window with within \
                     xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlparse xmlpi \
                     xmlroot xmlserialize xmltable ";

/// Writes an SQL identifier, in quotes where they are needed.
pub(crate) fn ident(name: &str) -> String {
    let begins = name
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_lowercase() || b == b'_');
    let plain = name
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if begins && plain && !WORDS.contains(&format!(" {name} ")) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// Writes an SQL string literal.
pub(crate) fn literal(text: &str) -> String {
    let doubled = text.replace('\'', "''");
    if text.contains('\\') {
        format!("E'{}'", doubled.replace('\\', "\\\\"))
    } else {
        format!("'{doubled}'")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_read_in_both_forms() {
        assert_eq!(Name::read(&json!("a b")).unwrap().key(), "a b");
        assert_eq!(
            Name::read(&json!({"schema": "s", "name": "t"}))
                .unwrap()
                .key(),
            "s.t"
        );
        assert!(Name::read(&json!(["s", "t"])).is_none());
    }

    #[test]
    fn identifiers_are_quoted_where_needed() {
        for (name, written) in [
            ("a_1", "a_1"),
            ("user", "\"user\""),
            ("A", "\"A\""),
            ("a\"b", "\"a\"\"b\""),
            ("1a", "\"1a\""),
        ] {
            assert_eq!(ident(name), written);
        }
        assert_eq!(literal("it's \\d"), "E'it''s \\\\d'");
    }
}
