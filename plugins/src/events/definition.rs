//! The SQL of event triggers: a trigger and its function, whose statement is fixed.
//!
//! ```sql
//! BEGIN
//!   BEGIN
//!     IF NOT pg_catalog.record_image_ne(ROW(OLD."place"), ROW(NEW."place")) THEN RETURN NULL; END IF;
//!     event_key := NEW."id"::text;
//!     event_data := json_build_object('old', OLD, 'new', NEW);
//!   EXCEPTION WHEN undefined_column OR datatype_mismatch THEN
//!     … -- the same by the numbers of the columns
//!   END;
//!   INSERT INTO postern.event_queue …
//! ```
//!
//! Only the function names columns: a column in the trigger's own condition could not change its
//! type. So a name may be wrong when the function runs, because a column was renamed or dropped,
//! and a session that has run the function before a change of type has plans for the old type.
//! Neither may fail the statement of a writer. The function then finds the columns by their
//! numbers, which stay; dropped ones are null.

use std::collections::HashMap;

use sha2::{Digest, Sha256};
use sql::postgres::types::quoted;

use super::idle::{CHANNEL, IS_IDLE};
use super::trigger::{Capture, CaptureOperation, TableName};

/// The prefix of the names of triggers.
pub(super) const PREFIX: &str = "postern_event_";

/// The most columns of an object that a function call makes: Postgres' functions have at most 100
/// arguments.
const MOST_COLUMNS: usize = 50;

/// How the columns of `OLD` and `NEW` are written.
enum Columns<'c> {
    /// `NEW."place"`
    Named,
    /// `%2$s`, which `format` replaces by `($2)."place"` under the name that the column has now.
    /// The numbers are those of the distinct columns of the capture.
    Numbered(HashMap<&'c str, usize>),
}

/// The row before or after an update; of other operations, the only one.
#[derive(Clone, Copy)]
enum Row {
    Old,
    New,
}

/// The function of a trigger: `postern_event_insert_x` calls `event_insert_x`.
pub(super) fn function_name(trigger: &str) -> String {
    format!("event_{}", trigger.strip_prefix(PREFIX).unwrap_or(trigger))
}

/// The function of the triggers on tables that inherit. No name of a trigger contains a full stop.
pub(super) fn child_function_name(trigger: &str) -> String {
    format!("{}.child", function_name(trigger))
}

impl Capture {
    /// The same capture on a table that inherits these columns. Its rows are those that the parent
    /// shows.
    pub(super) fn inherited(&self, table: &TableName, columns: &[String]) -> Capture {
        let or_all =
            |named: &Option<Vec<String>>| Some(named.clone().unwrap_or_else(|| columns.to_owned()));
        let operation = match &self.operation {
            CaptureOperation::Update(named) => CaptureOperation::Update(or_all(named)),
            operation => operation.clone(),
        };
        Capture {
            trigger: self.trigger.clone(),
            table: table.clone(),
            operation,
            payload: or_all(&self.payload),
            order_by: self.order_by.clone(),
            numbers: self.numbers.clone(),
            is_inherited: true,
        }
    }

    fn function_name(&self) -> String {
        let name = if self.is_inherited {
            child_function_name
        } else {
            function_name
        };
        name(&self.trigger_name())
    }

    /// The digest of the definition, by which an installed trigger is recognized.
    pub(super) fn digest(&self) -> String {
        // Tables that inherit share a function.
        let trigger = if self.is_inherited {
            self.condition().to_owned()
        } else {
            self.create_trigger()
        };
        let definition = self.create_function() + &trigger;
        Sha256::digest(definition)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// At most 63 bytes, as names of triggers have at most 42.
    pub(super) fn trigger_name(&self) -> String {
        format!(
            "{PREFIX}{}_{}",
            self.operation.word().to_lowercase(),
            self.trigger
        )
    }

    /// The statements that replace the function and create the trigger.
    pub(super) fn script(&self) -> String {
        let name = quoted(&self.trigger_name());
        let table = self.table.quoted();
        let function = quoted(&self.function_name());
        format!(
            "{}REVOKE ALL ON FUNCTION postern.{function}() FROM PUBLIC;\n\
             COMMENT ON FUNCTION postern.{function}() IS {};\n\
             DROP TRIGGER IF EXISTS {name} ON {table};\n{}",
            self.create_function(),
            literal(&self.digest()),
            self.create_trigger(),
        )
    }

    fn create_function(&self) -> String {
        let body = format!(
            "DECLARE\n  is_changed boolean;\n  event_key text;\n  event_data json;\nBEGIN\n{}  \
             INSERT INTO postern.event_queue\n    \
             (trigger_name, kind, ordering_key, payload, session_variables, trace_context)\n  \
             VALUES ({}, 'table', event_key,\n    \
             json_build_object('op', '{}', 'data', event_data),\n    \
             nullif(current_setting('postern.session', true), '')::json,\n    \
             nullif(current_setting('postern.trace_context', true), '')::json);\n  \
             IF {IS_IDLE} THEN\n    \
             PERFORM pg_notify('{CHANNEL}', '');\n  \
             END IF;\n  \
             RETURN NULL;\nEND",
            self.compute_event(),
            literal(&self.trigger),
            self.operation.word(),
        );
        format!(
            "CREATE OR REPLACE FUNCTION postern.{}() RETURNS trigger\n\
             LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS {};\n",
            quoted(&self.function_name()),
            literal(&body),
        )
    }

    /// The statements that compute the event, or return if no named column has changed.
    fn compute_event(&self) -> String {
        let columns = self.columns();
        let by_name = self.assign_event(&Columns::Named);
        if columns.is_empty() {
            by_name
        } else {
            // The block is a subtransaction, which takes no transaction id, because it writes
            // nothing.
            format!(
                "  BEGIN\n{by_name}  EXCEPTION WHEN undefined_column OR datatype_mismatch \
                 THEN\n{}  END;\n",
                self.execute_event(&columns)
            )
        }
    }

    fn assign_event(&self, columns: &Columns<'_>) -> String {
        let test = self.is_changed(columns);
        let test =
            test.map(|test| format!("    IF NOT {test} THEN\n      RETURN NULL;\n    END IF;\n"));
        format!(
            "{}    event_key := {};\n    event_data := {};\n",
            test.unwrap_or_default(),
            self.ordering_key(columns),
            self.data(columns)
        )
    }

    /// The same by the numbers of the columns: a statement that is made with their present names.
    fn execute_event(&self, columns: &[&str]) -> String {
        let numbered = Columns::Numbered(columns.iter().copied().zip(0..).collect());
        let statement = format!(
            "SELECT {}, {}, {}",
            self.is_changed(&numbered)
                .unwrap_or_else(|| "true".to_owned()),
            self.ordering_key(&numbered),
            self.data(&numbered)
        );
        let numbers = columns
            .iter()
            .map(|name| self.numbers.columns.get(*name).unwrap_or(&0).to_string());
        let (old, new) = match self.operation {
            CaptureOperation::Insert => ("NEW", "NEW"),
            CaptureOperation::Update(_) => ("OLD", "NEW"),
            CaptureOperation::Delete => ("OLD", "OLD"),
        };
        format!(
            "    EXECUTE format({}, VARIADIC ARRAY(\n      \
             SELECT coalesce('($' || r.place || ').' || quote_ident(a.attname), \
             'NULL::text')\n      \
             FROM unnest('{{{}}}'::int2[]) WITH ORDINALITY AS n (number, place)\n      \
             CROSS JOIN generate_series(1, 2) AS r (place)\n      \
             LEFT JOIN pg_attribute a ON a.attrelid = {}::oid AND a.attnum = n.number AND NOT \
             a.attisdropped\n      \
             ORDER BY n.place, r.place\n    \
             )) INTO is_changed, event_key, event_data USING {old}, {new};\n    \
             IF NOT is_changed THEN\n      RETURN NULL;\n    END IF;\n",
            literal(&statement),
            numbers.collect::<Vec<_>>().join(","),
            self.numbers.relation,
        )
    }

    /// The distinct columns that the function names.
    fn columns(&self) -> Vec<&str> {
        let changing = match &self.operation {
            CaptureOperation::Update(columns) => columns.as_ref(),
            CaptureOperation::Insert | CaptureOperation::Delete => None,
        };
        let mut distinct: Vec<&str> = Vec::new();
        for column in changing
            .into_iter()
            .chain(&self.payload)
            .flatten()
            .chain(&self.order_by)
        {
            if !distinct.contains(&column.as_str()) {
                distinct.push(column);
            }
        }
        distinct
    }

    fn create_trigger(&self) -> String {
        let trigger = self.trigger_name();
        format!(
            "CREATE TRIGGER {} AFTER {} ON {}\nFOR EACH ROW{} EXECUTE FUNCTION postern.{}();\n",
            quoted(&trigger),
            self.operation.word(),
            self.table.quoted(),
            self.condition(),
            quoted(&self.function_name()),
        )
    }

    /// An update fires only if a value has changed. Values are compared as they are stored, because
    /// not every type has an equality. The whole rows depend on no column.
    fn condition(&self) -> &'static str {
        match self.operation {
            CaptureOperation::Insert | CaptureOperation::Delete => "",
            CaptureOperation::Update(_) => " WHEN (pg_catalog.record_image_ne(OLD, NEW))",
        }
    }

    /// Whether one of the columns has changed that the file names for an update.
    fn is_changed(&self, columns: &Columns<'_>) -> Option<String> {
        let CaptureOperation::Update(Some(named)) = &self.operation else {
            return None;
        };
        let [old, new] = [Row::Old, Row::New].map(|row| columns.list(row, named));
        Some(format!(
            "pg_catalog.record_image_ne(ROW({old}), ROW({new}))"
        ))
    }

    fn data(&self, columns: &Columns<'_>) -> String {
        let (old, new) = match self.operation {
            CaptureOperation::Insert => ("NULL".to_owned(), self.row(columns, Row::New)),
            CaptureOperation::Update(_) => {
                (self.row(columns, Row::Old), self.row(columns, Row::New))
            }
            CaptureOperation::Delete => (self.row(columns, Row::Old), "NULL".to_owned()),
        };
        format!("json_build_object('old', {old}, 'new', {new})")
    }

    /// The payload's row, which `json_build_object` makes an object of. A query of the columns
    /// costs 2 µs more than a call.
    fn row(&self, columns: &Columns<'_>, row: Row) -> String {
        match &self.payload {
            None => columns.whole(row).to_owned(),
            Some(named) if named.len() <= MOST_COLUMNS => {
                let pair = |column: &String| {
                    format!(
                        "{}, {}",
                        columns.text(&literal(column)),
                        columns.one(row, column)
                    )
                };
                format!(
                    "json_build_object({})",
                    named.iter().map(pair).collect::<Vec<_>>().join(", ")
                )
            }
            Some(named) => {
                let column = |column: &String| {
                    format!(
                        "{} AS {}",
                        columns.one(row, column),
                        columns.text(&quoted(column))
                    )
                };
                format!(
                    "(SELECT r FROM (SELECT {}) r)",
                    named.iter().map(column).collect::<Vec<_>>().join(", ")
                )
            }
        }
    }

    /// One column as text, several as a JSON array.
    fn ordering_key(&self, columns: &Columns<'_>) -> String {
        let row = if self.operation == CaptureOperation::Delete {
            Row::Old
        } else {
            Row::New
        };
        match self.order_by.as_slice() {
            [] => "NULL".to_owned(),
            [column] => format!("{}::text", columns.one(row, column)),
            named => format!("json_build_array({})::text", columns.list(row, named)),
        }
    }
}

impl Columns<'_> {
    fn one(&self, row: Row, column: &str) -> String {
        match self {
            Columns::Named => format!("{}.{}", self.whole(row), quoted(column)),
            Columns::Numbered(numbers) => {
                let index = 2 * numbers.get(column).copied().unwrap_or_default();
                format!("%{}$s", index + if matches!(row, Row::Old) { 1 } else { 2 })
            }
        }
    }

    /// `NEW."a", NEW."b"`
    fn list(&self, row: Row, columns: &[String]) -> String {
        columns
            .iter()
            .map(|column| self.one(row, column))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn whole(&self, row: Row) -> &'static str {
        match (self, row) {
            (Columns::Named, Row::Old) => "OLD",
            (Columns::Named, Row::New) => "NEW",
            (Columns::Numbered(_), Row::Old) => "$1",
            (Columns::Numbered(_), Row::New) => "$2",
        }
    }

    /// Text that `format` keeps.
    fn text(&self, sql: &str) -> String {
        match self {
            Columns::Named => sql.to_owned(),
            Columns::Numbered(_) => sql.replace('%', "%%"),
        }
    }
}

impl TableName {
    pub(super) fn quoted(&self) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&self.name))
    }
}

impl CaptureOperation {
    fn word(&self) -> &'static str {
        match self {
            CaptureOperation::Insert => "INSERT",
            CaptureOperation::Update(_) => "UPDATE",
            CaptureOperation::Delete => "DELETE",
        }
    }
}

/// A string constant, whatever `standard_conforming_strings` is.
fn literal(text: &str) -> String {
    let doubled = text.replace('\'', "''");
    if doubled.contains('\\') {
        format!("E'{}'", doubled.replace('\\', "\\\\"))
    } else {
        format!("'{doubled}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_quotes_names() {
        let capture = Capture {
            trigger: "moved".into(),
            table: TableName {
                schema: "pub".into(),
                name: "or\"ders".into(),
            },
            operation: CaptureOperation::Update(Some(vec!["pla'ce".into()])),
            payload: Some(vec!["id".into(), "b\\c".into()]),
            order_by: vec!["a".into(), "b".into()],
            numbers: Default::default(),
            is_inherited: false,
        };
        let script = capture.script();
        for part in [
            r#"CREATE OR REPLACE FUNCTION postern."event_update_moved"() RETURNS trigger"#,
            r#"DROP TRIGGER IF EXISTS "postern_event_update_moved" ON "pub"."or""ders";"#,
            r#"AFTER UPDATE ON "pub"."or""ders""#,
            "FOR EACH ROW WHEN (pg_catalog.record_image_ne(OLD, NEW))",
            r#"IF NOT pg_catalog.record_image_ne(ROW(OLD."pla''ce"), ROW(NEW."pla''ce")) THEN"#,
            r#"json_build_object(''id'', NEW."id", E''b\\\\c'', NEW."b\\c")"#,
            r#"json_build_array(NEW."a", NEW."b")::text"#,
        ] {
            assert!(script.contains(part), "{part}\n{script}");
        }
    }

    #[test]
    fn names_fit_into_postgres() {
        let capture = Capture {
            trigger: "x".repeat(42).into(),
            table: TableName {
                schema: "s".into(),
                name: "t".into(),
            },
            operation: CaptureOperation::Insert,
            payload: None,
            order_by: vec![],
            numbers: Default::default(),
            is_inherited: true,
        };
        assert_eq!(capture.trigger_name().len(), 63);
        assert!(capture.function_name().len() <= 63);
    }
}
