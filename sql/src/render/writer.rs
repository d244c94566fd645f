//! The buffer that SQL is written to, with the only methods that add text to a statement.

use std::collections::HashMap;
use std::fmt::Write;

use foldhash::fast::RandomState;

use crate::postgres::types::push_quoted;
use crate::statement::Parameter;

/// A statement that is being written.
#[derive(Default)]
pub(super) struct Writer {
    text: String,
    parameters: Vec<Parameter>,
    /// The positions of parameters by the type that they were written with; there may be tens of
    /// thousands.
    places: HashMap<String, HashMap<Parameter, usize, RandomState>, RandomState>,
    /// The positions of patterns that are written more than once, since each occurrence is more
    /// work for Postgres.
    repeated: Vec<usize>,
    placeholders: Placeholders,
}

/// A statement that is written.
pub(super) struct WrittenText {
    pub text: String,
    pub parameters: Vec<Parameter>,
    /// The positions of patterns that are written more than once.
    pub repeated: Vec<usize>,
}

/// How parameters are written.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Placeholders {
    /// `$1`
    #[default]
    Numbered,
    /// `NULL`
    Null,
    /// `"_s"."p1"` for a parameter that differs between subscribers, `$1` for any other.
    Columns,
}

impl Writer {
    /// A writer that writes `NULL` for every parameter, for statements that cannot have any.
    pub(super) fn for_nulls() -> Writer {
        Writer {
            placeholders: Placeholders::Null,
            ..Writer::default()
        }
    }

    /// A writer for the query of a [`batch`](super::batch), whose parameters are columns of the
    /// batch's rows.
    pub(super) fn for_columns() -> Writer {
        Writer {
            placeholders: Placeholders::Columns,
            ..Writer::default()
        }
    }

    /// SQL from the source code of this crate.
    pub(super) fn syntax(&mut self, sql: &'static str) {
        self.text.push_str(sql);
    }

    /// A name of the database, quoted.
    pub(super) fn ident(&mut self, name: &str) {
        push_quoted(name, &mut self.text);
    }

    /// The alias of a scan: `_0`.
    pub(super) fn alias(&mut self, alias: u32) {
        self.syntax("_");
        self.number(alias.into());
    }

    /// A column of a scan: `_0."id"`.
    pub(super) fn column(&mut self, alias: u32, name: &str) {
        self.alias(alias);
        self.syntax(".");
        self.ident(name);
    }

    /// A text as a literal, where the planner has to see it. It reads alike whether or not the
    /// server has `standard_conforming_strings`.
    pub(super) fn literal(&mut self, text: &str) {
        let escape = if text.contains('\\') { "E" } else { "" };
        let text = text.replace('\\', "\\\\").replace('\'', "''");
        let _ = write!(self.text, "{escape}'{text}'");
    }

    /// A whole number. A statement has dozens, nearly all below ten, for which the formatter takes
    /// long.
    pub(super) fn number(&mut self, number: u64) {
        if number >= 10 {
            self.number(number / 10);
        }
        self.text.push(char::from(b'0' + (number % 10) as u8));
    }

    /// The name of a type as the catalog gives it, already quoted, with its dimensions.
    pub(super) fn type_name(&mut self, sql: &str, dimensions: &'static str) {
        self.text.push_str(sql);
        self.text.push_str(dimensions);
    }

    /// The SQL of a compiled rule, written from its parsed tree.
    pub(super) fn rule(&mut self, sql: &str) {
        self.text.push_str(sql);
    }

    /// A placeholder with its type, `$1::uuid`. Each pair of value and type has one number.
    pub(super) fn param(&mut self, parameter: &Parameter, type_name: &str) {
        self.placeholder(parameter, type_name);
        self.syntax("::");
        self.type_name(type_name, "");
    }

    /// A placeholder whose type Postgres infers: `$1`.
    pub(super) fn untyped(&mut self, parameter: &Parameter) {
        self.placeholder(parameter, "");
    }

    fn placeholder(&mut self, parameter: &Parameter, type_name: &str) {
        if self.placeholders == Placeholders::Null {
            return self.syntax("NULL");
        }
        let index = self.parameter_index(parameter, type_name);
        let is_column = self.placeholders == Placeholders::Columns && parameter.varies();
        self.syntax(if is_column { r#""_s"."p"# } else { "$" });
        self.number(index as u64);
        self.syntax(if is_column { "\"" } else { "" });
    }

    fn parameter_index(&mut self, parameter: &Parameter, type_name: &str) -> usize {
        let existing = self
            .places
            .get(type_name)
            .and_then(|places| places.get(parameter))
            .copied();
        if let (Some(index), Parameter::Pattern(_)) = (existing, parameter) {
            self.repeated.push(index);
        }
        existing.unwrap_or_else(|| {
            self.parameters.push(parameter.clone());
            let position = self.parameters.len();
            self.places
                .entry(type_name.to_owned())
                .or_default()
                .insert(parameter.clone(), position);
            position
        })
    }

    /// The number of bytes written so far.
    pub(super) fn length(&self) -> usize {
        self.text.len()
    }

    /// The statement.
    pub(super) fn finish(self) -> WrittenText {
        let Writer {
            text,
            parameters,
            repeated,
            ..
        } = self;
        WrittenText {
            text,
            parameters,
            repeated,
        }
    }
}
