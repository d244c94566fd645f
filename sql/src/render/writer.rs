//! The verbs that text is written with. Nothing else adds to a statement.

use std::collections::HashMap;
use std::fmt::Write;

use crate::postgres::types::quoted;
use crate::statement::Parameter;

/// A statement being written.
#[derive(Default)]
pub(super) struct Writer {
    text: String,
    parameters: Vec<Parameter>,
    /// The places of parameters by the type they were written with; there may be tens of thousands.
    places: HashMap<String, HashMap<Parameter, usize>>,
    /// The places of patterns that are written once more: each time is more work.
    repeated: Vec<usize>,
    /// Whether every parameter is written as null.
    nulls: bool,
}

impl Writer {
    /// One that writes `NULL` for every parameter, for where there can be none.
    pub(super) fn of_nulls() -> Writer {
        Writer { nulls: true, ..Writer::default() }
    }

    /// SQL that stands in this program.
    pub(super) fn syntax(&mut self, sql: &'static str) {
        self.text.push_str(sql);
    }

    /// A name of the database, quoted.
    pub(super) fn ident(&mut self, name: &str) {
        self.text.push_str(&quoted(name));
    }

    /// The alias of a scan: `_0`.
    pub(super) fn alias(&mut self, alias: u32) {
        let _ = write!(self.text, "_{alias}");
    }

    /// A column of a scan: `_0."id"`.
    pub(super) fn column(&mut self, alias: u32, name: &str) {
        self.alias(alias);
        self.syntax(".");
        self.ident(name);
    }

    /// A name of the database as text, where the planner has to see it.
    pub(super) fn literal(&mut self, text: &str) {
        let escape = if text.contains('\\') { "E" } else { "" };
        let text = text.replace('\\', "\\\\").replace('\'', "''");
        let _ = write!(self.text, "{escape}'{text}'");
    }

    /// A whole number, where the planner has to see it.
    pub(super) fn number(&mut self, number: u64) {
        let _ = write!(self.text, "{number}");
    }

    /// The name of a type as the catalog gives it, quoted where it has to be, and its dimensions.
    pub(super) fn type_name(&mut self, sql: &str, dimensions: &'static str) {
        self.text.push_str(sql);
        self.text.push_str(dimensions);
    }

    /// A compiled rule's SQL, written again from its parsed tree.
    pub(super) fn rule(&mut self, sql: &str) {
        self.text.push_str(sql);
    }

    /// A placeholder with its type, `$1::uuid`; one for each value and type.
    pub(super) fn param(&mut self, parameter: &Parameter, type_name: &str) {
        self.placeholder(parameter, type_name);
        let _ = write!(self.text, "::{type_name}");
    }

    /// A placeholder whose type Postgres is to find out: `$1`.
    pub(super) fn untyped(&mut self, parameter: &Parameter) {
        self.placeholder(parameter, "");
    }

    fn placeholder(&mut self, parameter: &Parameter, type_name: &str) {
        if self.nulls {
            return self.syntax("NULL");
        }
        let place = self.place(parameter, type_name);
        let _ = write!(self.text, "${place}");
    }

    fn place(&mut self, parameter: &Parameter, type_name: &str) -> usize {
        let known = self.places.get(type_name).and_then(|places| places.get(parameter)).copied();
        if let (Some(place), Parameter::Pattern(_)) = (known, parameter) {
            self.repeated.push(place);
        }
        known.unwrap_or_else(|| {
            self.parameters.push(parameter.clone());
            let place = self.parameters.len();
            self.places.entry(type_name.to_owned()).or_default().insert(parameter.clone(), place);
            place
        })
    }

    /// How many bytes have been written.
    pub(super) fn length(&self) -> usize {
        self.text.len()
    }

    /// The text, its parameters, and the places of those that are patterns and stand there more than once.
    pub(super) fn finish(self) -> (String, Vec<Parameter>, Vec<usize>) {
        (self.text, self.parameters, self.repeated)
    }
}
