//! A statement that Postgres prepares once, so that the types in a rule are checked, and the place to blame.

use std::ops::Range;

use sql::catalog::{Catalog, Oid, TableId};
use sql::types::quoted;

use crate::fault::Fault;
use crate::problem::{Place, Problem};
use crate::rule::{Compiled, Part, Subject};

/// A statement to prepare, made from one rule.
#[derive(Clone, Debug)]
pub struct Preparation {
    /// Its text: `SELECT FROM "public"."t" AS "_0" WHERE (…)`, `SELECT (…)::text` for a preset, and both for a mask:
    /// `SELECT (…)::text FROM "public"."t" AS "_0"`.
    pub sql: String,
    /// The rule in the file.
    pub place: Place,
    /// Where in `sql` which bytes of the file were written, in order.
    marks: Vec<(usize, Range<usize>)>,
    hint: Option<String>,
    /// The types of its parameters.
    pub parameters: Vec<Oid>,
}

impl Preparation {
    pub(crate) fn new(catalog: &Catalog, subject: Subject, compiled: Compiled) -> Preparation {
        let mut text = Text { catalog, subject, sql: String::new(), marks: vec![], parameters: vec![] };
        text.begin();
        compiled.parts.iter().for_each(|part| text.part(part));
        text.end();
        let parameters = text.parameters.into_iter().map(|(_, oid)| oid).collect();
        Preparation { sql: text.sql, place: compiled.place, marks: text.marks, hint: compiled.hint, parameters }
    }

    /// The problem that Postgres' answer is: its message, the character of the statement that it points at (counted
    /// from 1), and its hint.
    pub fn problem(&self, message: &str, position: Option<u32>, hint: Option<&str>) -> Problem {
        let at = position.and_then(|position| self.blamed(position));
        let place = at.map_or_else(|| self.place.clone(), |span| self.place.file().place(span));
        let problem = Problem::new(Fault::Refused { message: message.to_owned() }, place);
        let missing_function = message.starts_with("function ");
        let own = self.hint.as_deref().filter(|_| missing_function);
        match own.or(hint) {
            Some(hint) => problem.help(hint),
            None => problem,
        }
    }

    /// The bytes of the file that stand at a character of the statement, or next before it.
    fn blamed(&self, position: u32) -> Option<Range<usize>> {
        let byte = self.sql.char_indices().nth(position.checked_sub(1)? as usize)?.0;
        self.marks.iter().rev().find(|(at, _)| *at <= byte).map(|(_, span)| span.clone())
    }
}

/// The statement as it grows.
struct Text<'c> {
    catalog: &'c Catalog,
    subject: Subject,
    sql: String,
    marks: Vec<(usize, Range<usize>)>,
    parameters: Vec<(String, Oid)>,
}

impl Text<'_> {
    fn begin(&mut self) {
        self.sql = match self.subject {
            Subject::Row(table) | Subject::Read(table) => format!("SELECT {} WHERE (", self.from(table)),
            Subject::Preset(..) | Subject::Mask(..) | Subject::Statement => "SELECT (".to_owned(),
        };
    }

    fn from(&self, table: TableId) -> String {
        let table = self.catalog.table(table);
        format!("FROM {}.{} AS \"_0\"", quoted(&table.schema), quoted(&table.name))
    }

    fn end(&mut self) {
        self.sql.push(')');
        if let Some((table, column)) = self.subject.column() {
            let cast = format!("::{}", self.type_name(self.catalog.table(table).column(column).r#type));
            self.sql.push_str(&cast);
        }
        if let Subject::Mask(table, _) = self.subject {
            let from = format!(" {}", self.from(table));
            self.sql.push_str(&from);
        }
    }

    fn part(&mut self, part: &Part) {
        let at = self.sql.len();
        let span = match part {
            Part::Sql { text, span } => {
                self.sql.push_str(text);
                span
            }
            Part::Column { column, span } => {
                if let Some(table) = self.subject.row() {
                    let name = quoted(&self.catalog.table(table).column(*column).name);
                    self.sql.push_str(&format!("\"_0\".{name}"));
                }
                span
            }
            Part::Table { .. } | Part::Parameter { .. } => return,
            Part::Session { value, span } => {
                let text = self.parameter(&value.name, value.r#type);
                self.sql.push_str(&text);
                span
            }
        };
        if let Some(span) = span {
            self.marks.push((at, span.clone()));
        }
    }

    /// `$1::uuid`; a type that is not built in goes by way of text, so that nobody has to look it up.
    fn parameter(&mut self, name: &str, oid: Oid) -> String {
        let known = self.parameters.iter().position(|(known, _)| known == name);
        let number = known.unwrap_or_else(|| {
            self.parameters.push((name.to_owned(), oid));
            self.parameters.len() - 1
        }) + 1;
        let built_in = self.catalog.type_of(oid).is_some_and(|t| t.schema == "pg_catalog");
        let by_text = if built_in { "" } else { "::text" };
        format!("${number}{by_text}::{}", self.type_name(oid))
    }

    fn type_name(&self, oid: Oid) -> String {
        let found = self.catalog.type_of(oid);
        found.map_or_else(|| "text".to_owned(), |t| format!("{}.{}", quoted(&t.schema), quoted(&t.name)))
    }
}
