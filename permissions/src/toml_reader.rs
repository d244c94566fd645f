//! Reads TOML with positions, and reports every unknown key and every value of the wrong type. The
//! permission file and the REST map are read with it.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostic, SourceFile};
use crate::left_out::LeftOut;
use crate::similar_names::{did_you_mean, listed};
use crate::toml_fault::TomlFault;
use crate::toml_syntax::{SyntaxFault, syntax_faults};

/// A value as TOML has it.
pub type TomlValue<'t> = Spanned<DeValue<'t>>;

/// A value, and its range of bytes in the file.
#[derive(Clone, Debug)]
pub struct SpannedValue<T> {
    /// The value.
    pub value: T,
    /// Its range of bytes.
    pub span: Range<usize>,
}

/// A key or a string.
pub type Text = SpannedValue<String>;

/// Reads one file and collects its faults.
#[derive(Debug)]
pub struct TomlReader<F> {
    file: SourceFile,
    problems: Vec<Diagnostic<F>>,
}

/// A table, of which each key is read by one call. The keys read are the keys that the table can
/// have; [`TomlFields::finish`] reports all others.
#[derive(Debug)]
pub struct TomlFields<'r, 't, F> {
    reader: &'r mut TomlReader<F>,
    pairs: Vec<(Text, &'t TomlValue<'t>)>,
    known: Vec<&'static str>,
}

impl<F: From<TomlFault>> TomlReader<F> {
    /// Reads a file with `read`, which gets the outermost table. Returns what `read` makes of it,
    /// and all faults. A text that is not TOML has only syntax errors.
    pub fn read<T>(
        file: &SourceFile,
        read: impl FnOnce(TomlFields<'_, '_, F>) -> T,
    ) -> (Option<T>, Vec<Diagnostic<F>>) {
        TomlReader::read_without(file, &LeftOut::default(), read)
    }

    /// [`TomlReader::read`] without some parts of the file.
    pub(crate) fn read_without<T>(
        file: &SourceFile,
        left_out: &LeftOut,
        read: impl FnOnce(TomlFields<'_, '_, F>) -> T,
    ) -> (Option<T>, Vec<Diagnostic<F>>) {
        let mut reader = TomlReader {
            file: file.clone(),
            problems: vec![],
        };
        let (mut table, errors) = DeTable::parse_recoverable(&file.text);
        if !errors.is_empty() {
            for fault in syntax_faults(&file.text) {
                reader.add_syntax(fault);
            }
            return (None, reader.problems);
        }
        left_out.apply(table.get_mut());
        reader.substitute(file, table.get_mut());
        let contents = reader.outermost(table.get_ref(), read);
        (Some(contents), reader.problems)
    }

    /// Reads a part of a file that is TOML by itself, as [`TomlReader::read`] does; `None` if it
    /// has a fault.
    pub(crate) fn read_part<T>(
        file: &SourceFile,
        part: Range<usize>,
        read: impl FnOnce(TomlFields<'_, '_, F>) -> T,
    ) -> Option<T> {
        let mut reader = TomlReader {
            file: file.clone(),
            problems: vec![],
        };
        let table = DeTable::parse(file.text.get(part.clone())?)
            .ok()?
            .into_inner();
        let mut table = moved_table(table, part.start);
        reader.substitute(file, &mut table);
        let contents = reader.outermost(&table, read);
        reader.problems.is_empty().then_some(contents)
    }

    /// Replaces environment variables, and reports those that are not set.
    fn substitute(&mut self, file: &SourceFile, table: &mut DeTable<'_>) {
        let Some(variables) = &file.variables else {
            return;
        };
        let mut unset = |name: &str, span| {
            let help = format!("set the variable, or write `$${{{name}}}` for the text itself");
            self.add_with(TomlFault::UnsetVariable(name.to_owned()), span, help);
        };
        variables.substitute(table, &mut unset);
    }

    fn outermost<T>(
        &mut self,
        table: &DeTable<'_>,
        read: impl FnOnce(TomlFields<'_, '_, F>) -> T,
    ) -> T {
        read(TomlFields {
            reader: self,
            pairs: pairs(table),
            known: vec![],
        })
    }

    /// Adds a fault.
    pub fn add(&mut self, fault: impl Into<F>, span: Range<usize>) {
        self.problems
            .push(Diagnostic::new(fault.into(), self.file.span_of(span)));
    }

    fn add_syntax(&mut self, fault: SyntaxFault) {
        let SyntaxFault {
            message,
            span,
            help,
        } = fault;
        let problem = Diagnostic::new(TomlFault::Syntax(message).into(), self.file.span_of(span));
        self.problems.push(match help {
            Some(help) => problem.help(help),
            None => problem,
        });
    }

    /// Adds a fault with a suggestion.
    pub fn add_with(&mut self, fault: impl Into<F>, span: Range<usize>, help: impl Into<String>) {
        self.problems
            .push(Diagnostic::new(fault.into(), self.file.span_of(span)).help(help));
    }

    /// The number of faults so far.
    pub fn faults(&self) -> usize {
        self.problems.len()
    }

    /// Reports a value of the wrong type; always `None`. A table with a header has the header as
    /// its span.
    pub fn wrong_type<T>(
        &mut self,
        key: &Text,
        expected: &'static str,
        value: &TomlValue<'_>,
    ) -> Option<T> {
        let found = match value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.add(
            TomlFault::WrongType {
                key: key.value.clone(),
                expected,
                found,
            },
            value.span(),
        );
        None
    }

    /// Reports a key that is none of the known ones.
    pub fn unknown(&mut self, key: &Text, within: &'static str, known: &[&str]) {
        let near = did_you_mean(&key.value, known.iter().copied());
        let help =
            near.unwrap_or_else(|| format!("the keys are {}", listed(known.iter().copied())));
        self.add_with(
            TomlFault::UnknownKey {
                key: key.value.clone(),
                within,
            },
            key.span.clone(),
            help,
        );
    }

    /// Reads a string.
    pub fn text(&mut self, key: &Text, value: &TomlValue<'_>) -> Option<Text> {
        match value.get_ref() {
            DeValue::String(text) => Some(SpannedValue {
                value: text.to_string(),
                span: value.span(),
            }),
            _ => self.wrong_type(key, "a string", value),
        }
    }

    /// Reads a Boolean.
    pub fn boolean(&mut self, key: &Text, value: &TomlValue<'_>) -> Option<bool> {
        match value.get_ref() {
            DeValue::Boolean(boolean) => Some(*boolean),
            _ => self.wrong_type(key, "true or false", value),
        }
    }

    /// Reads a list of strings.
    pub fn list(&mut self, key: &Text, value: &TomlValue<'_>) -> Option<Vec<Text>> {
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong_type(key, "a list", value);
        };
        Some(
            items
                .iter()
                .filter_map(|item| self.text(key, item))
                .collect(),
        )
    }

    /// The pairs of a table in the order of the file. A fault says which table was expected.
    pub fn pairs<'t>(
        &mut self,
        key: &Text,
        expected: &'static str,
        value: &'t TomlValue<'t>,
    ) -> Option<Vec<(Text, &'t TomlValue<'t>)>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(pairs(table)),
            _ => self.wrong_type(key, expected, value),
        }
    }

    /// The fields of a table; none of a value that is reported, because it is not a table.
    pub fn table<'r, 't>(
        &'r mut self,
        key: &Text,
        expected: &'static str,
        value: &'t TomlValue<'t>,
    ) -> Option<TomlFields<'r, 't, F>> {
        let pairs = self.pairs(key, expected, value)?;
        Some(TomlFields {
            reader: self,
            pairs,
            known: vec![],
        })
    }

    /// The fields of a table. A value of another type is reported and has no fields.
    pub fn fields<'r, 't>(
        &'r mut self,
        key: &Text,
        value: &'t TomlValue<'t>,
    ) -> TomlFields<'r, 't, F> {
        let pairs = self.pairs(key, "a table", value).unwrap_or_default();
        TomlFields {
            reader: self,
            pairs,
            known: vec![],
        }
    }
}

impl<'t, F: From<TomlFault>> TomlFields<'_, 't, F> {
    /// Reads the value of a key with a method of the reader; `None` without the key.
    pub fn read<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut TomlReader<F>, &Text, &'t TomlValue<'t>) -> Option<T>,
    ) -> Option<T> {
        self.known.push(key);
        let (key, value) = self.pairs.iter().find(|(known, _)| known.value == key)?;
        read(self.reader, key, value)
    }

    /// Reads the items of a key with a method of the reader; none without the key.
    pub fn read_all<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut TomlReader<F>, &Text, &'t TomlValue<'t>) -> Option<Vec<T>>,
    ) -> Vec<T> {
        self.read(key, read).unwrap_or_default()
    }

    /// Reads a string.
    pub fn text(&mut self, key: &'static str) -> Option<Text> {
        self.read(key, TomlReader::text)
    }

    /// Reads a Boolean.
    pub fn boolean(&mut self, key: &'static str) -> Option<bool> {
        self.read(key, TomlReader::boolean)
    }

    /// Reads a list of strings; empty without the key.
    pub fn list(&mut self, key: &'static str) -> Vec<Text> {
        self.read_all(key, TomlReader::list)
    }

    /// Reads a table of strings; empty without the key.
    pub fn texts(&mut self, key: &'static str) -> Vec<(Text, Text)> {
        self.each(key, |reader, key, value| {
            reader.text(&key, value).map(|text| (key, text))
        })
    }

    /// Reads each pair of a table; empty without the key.
    pub fn each<T>(
        &mut self,
        key: &'static str,
        mut one: impl FnMut(&mut TomlReader<F>, Text, &'t TomlValue<'t>) -> Option<T>,
    ) -> Vec<T> {
        self.read_all(key, |reader, key, value| {
            let pairs = reader.pairs(key, "a table", value)?;
            // `collect` would reserve room for four values at least.
            let mut values = Vec::with_capacity(pairs.len());
            values.extend(
                pairs
                    .into_iter()
                    .filter_map(|(key, value)| one(reader, key, value)),
            );
            Some(values)
        })
    }

    /// The keys and values in the order of the file.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = &(Text, &'t TomlValue<'t>)> {
        self.pairs.iter()
    }

    /// Whether the table has the key.
    pub fn contains(&self, key: &str) -> bool {
        self.pairs.iter().any(|(known, _)| known.value == key)
    }

    /// Takes a key out that the table cannot have, to report it with another fault than
    /// [`TomlFields::finish`].
    pub fn take(&mut self, key: &str) -> Option<Text> {
        let index = self
            .pairs
            .iter()
            .position(|(known, _)| known.value == key)?;
        Some(self.pairs.remove(index).0)
    }

    /// The reader, to add faults about the table.
    pub fn reader(&mut self) -> &mut TomlReader<F> {
        self.reader
    }

    /// Reports the keys that were not read. The suggestion lists those that were, in the order of
    /// reading.
    pub fn finish(&mut self, within: &'static str) {
        for (key, _) in self
            .pairs
            .iter()
            .filter(|(key, _)| !self.known.contains(&key.value.as_str()))
        {
            self.reader.unknown(key, within, &self.known);
        }
    }
}

/// The pairs of a table in the order of the file.
fn pairs<'t>(table: &'t DeTable<'t>) -> Vec<(Text, &'t TomlValue<'t>)> {
    let text = |key: &Spanned<Cow<'_, str>>| SpannedValue {
        value: key.get_ref().to_string(),
        span: key.span(),
    };
    let mut pairs: Vec<_> = table
        .iter()
        .map(|(key, value)| (text(key), value))
        .collect();
    pairs.sort_by_key(|(key, _)| key.span.start);
    pairs
}

/// A table of a part of a file, with its spans in the whole file.
fn moved_table(table: DeTable<'_>, by: usize) -> DeTable<'_> {
    if by == 0 {
        return table;
    }
    table
        .into_iter()
        .map(|(key, value)| (moved(key, by), moved_value(value, by)))
        .collect()
}

fn moved_value(value: TomlValue<'_>, by: usize) -> TomlValue<'_> {
    let mut value = moved(value, by);
    match value.get_mut() {
        DeValue::Table(table) => *table = moved_table(std::mem::take(table), by),
        DeValue::Array(items) => items.iter_mut().for_each(|item| {
            let taken = std::mem::replace(item, Spanned::new(0..0, DeValue::Boolean(false)));
            *item = moved_value(taken, by);
        }),
        _ => {}
    }
    value
}

fn moved<T>(spanned: Spanned<T>, by: usize) -> Spanned<T> {
    let span = spanned.span();
    Spanned::new(span.start + by..span.end + by, spanned.into_inner())
}
