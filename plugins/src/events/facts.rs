//! What the database says about the tables and functions that triggers name.

use std::collections::HashMap;
use std::sync::Arc;

use tokio_postgres::Client;

use super::trigger::ColumnNumbers;

/// A schema and a name in it.
pub(super) type QualifiedName = (String, String);

/// The tables and functions, by schema and name. What is not there is absent.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) tables: HashMap<QualifiedName, TableFacts>,
    pub(super) functions: HashMap<QualifiedName, FunctionFacts>,
}

/// A relation.
#[derive(Clone, Debug)]
pub(super) struct TableFacts {
    /// Whether it can have row triggers.
    pub(super) is_table: bool,
    pub(super) columns: Vec<String>,
    /// The columns of the primary key.
    pub(super) key: Vec<String>,
    pub(super) numbers: Arc<ColumnNumbers>,
}

/// The functions of a name: the type of the parameter of one that can be called with one argument
/// of type `json` or `jsonb`.
#[derive(Clone, Copy, Debug)]
pub(super) struct FunctionFacts {
    pub(super) parameter: Option<&'static str>,
}

/// A row for each of the names that is there.
const TABLES: &str = "
SELECT n.nspname::text, c.relname::text, c.relkind IN ('r', 'p', 'f'),
       ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum),
       ARRAY(SELECT a.attname::text
             FROM pg_catalog.pg_index i
             CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, place)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
             WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY k.place),
       c.oid,
       ARRAY(SELECT a.attnum FROM pg_catalog.pg_attribute a
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)
FROM unnest($1::text[], $2::text[]) AS w (schema, name)
JOIN pg_catalog.pg_namespace n ON n.nspname = w.schema
JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = w.name
WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm')";

/// A row for each function of the names, with the type of its first parameter if one argument is
/// enough.
const FUNCTIONS: &str = "
SELECT n.nspname::text, p.proname::text,
       CASE WHEN p.prokind = 'f' AND p.pronargs >= 1 AND p.pronargs - p.pronargdefaults <= 1
            THEN CASE p.proargtypes[0] WHEN 'json'::regtype THEN 'json' WHEN 'jsonb'::regtype THEN 'jsonb' END END
FROM unnest($1::text[], $2::text[]) AS w (schema, name)
JOIN pg_catalog.pg_namespace n ON n.nspname = w.schema
JOIN pg_catalog.pg_proc p ON p.pronamespace = n.oid AND p.proname = w.name";

impl Facts {
    /// Looks up tables and functions.
    pub(super) async fn read(
        client: &Client,
        tables: &[QualifiedName],
        functions: &[QualifiedName],
    ) -> Result<Facts, tokio_postgres::Error> {
        let mut facts = Facts::default();
        let (schemas, names) = columns(tables);
        for row in client.query(TABLES, &[&schemas, &names]).await? {
            let columns: Vec<String> = row.get(3);
            let numbers = columns
                .iter()
                .cloned()
                .zip(row.get::<_, Vec<i16>>(6))
                .collect();
            let numbers = Arc::new(ColumnNumbers {
                relation: row.get(5),
                columns: numbers,
            });
            let table = TableFacts {
                is_table: row.get(2),
                columns,
                key: row.get(4),
                numbers,
            };
            facts.tables.insert((row.get(0), row.get(1)), table);
        }
        let (schemas, names) = columns(functions);
        for row in client.query(FUNCTIONS, &[&schemas, &names]).await? {
            let parameter = match row.get(2) {
                Some("json") => Some("json"),
                Some("jsonb") => Some("jsonb"),
                _ => None,
            };
            let known = facts
                .functions
                .entry((row.get(0), row.get(1)))
                .or_insert(FunctionFacts { parameter });
            known.parameter = known.parameter.or(parameter);
        }
        Ok(facts)
    }
}

fn columns(names: &[QualifiedName]) -> (Vec<&str>, Vec<&str>) {
    names
        .iter()
        .map(|(schema, name)| (schema.as_str(), name.as_str()))
        .unzip()
}

/// The schema and the name in `schema.name`; without a schema it is `public`, as in permission
/// files.
pub(super) fn qualified(text: &str) -> QualifiedName {
    let (schema, name) = text.split_once('.').unwrap_or(("public", text));
    (schema.to_owned(), name.to_owned())
}
