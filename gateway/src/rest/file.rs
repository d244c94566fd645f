//! Parses the REST map: every key and its position, without looking anything up. Reports unknown keys and values of the
//! wrong type.

use std::borrow::Cow;
use std::ops::Range;

use http::Method;
use permissions::{SourceFile, did_you_mean, listed};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Fault, Problem};

/// A table `[[endpoint]]`.
#[derive(Debug)]
pub(super) struct Entry {
    /// The table's span in the file.
    pub(super) span: Range<usize>,
    pub(super) path: Text,
    pub(super) operation: Option<Text>,
    pub(super) methods: Vec<Spanned<Method>>,
    pub(super) document: Document,
    pub(super) summary: Option<String>,
    /// The descriptions of parameters, by name.
    pub(super) parameters: Vec<(Text, Text)>,
    pub(super) roles: Vec<Text>,
    pub(super) require: Option<Require>,
    pub(super) single: Option<Text>,
    pub(super) cache_control: Option<Text>,
    pub(super) cache_seconds: Option<Spanned<u32>>,
    pub(super) tool: bool,
    pub(super) optional: Vec<Text>,
    pub(super) unchecked: Option<Spanned<bool>>,
}

/// The endpoint's document, or the path of its file.
#[derive(Debug)]
pub(super) enum Document {
    /// A GraphQL document in a file.
    File(Text),
    /// A GraphQL document in the map.
    Here(Text),
    /// SQL in a file whose name ends in `.sql`.
    SqlFile(Text),
    /// SQL in the map.
    Sql(Text),
}

/// The ending of a file with SQL.
const SQL: &str = ".sql";

impl Document {
    /// Whether it is SQL.
    pub(super) fn is_sql(&self) -> bool {
        matches!(self, Document::SqlFile(_) | Document::Sql(_))
    }
}

/// A table `{ table = "data_controllers", parameter = "dataControllerId" }`.
#[derive(Debug)]
pub(super) struct Require {
    pub(super) table: Text,
    pub(super) parameter: Text,
    /// The error's text if the row is not visible.
    pub(super) denied: Option<Text>,
}

/// A string with its position in the file.
pub(super) type Text = Spanned<String>;

type Value<'i> = Spanned<DeValue<'i>>;

const KEYS: [&str; 16] = [
    "path",
    "operation",
    "methods",
    "document",
    "query",
    "sql",
    "optional",
    "unchecked",
    "summary",
    "parameters",
    "roles",
    "require",
    "single",
    "cache_control",
    "cache_seconds",
    "tool",
];

/// The longest time that a response is cached, in seconds: one day.
const LONGEST: u32 = 86_400;

/// The methods that an endpoint can have, reading ones first.
pub(super) const METHODS: [Method; 5] = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

/// Parses the map. An endpoint with an error is left out.
pub(super) fn read(file: &SourceFile, problems: &mut Vec<Problem>) -> Vec<Entry> {
    let mut reader = Reader { file, problems };
    let (table, errors) = DeTable::parse_recoverable(&file.text);
    for error in &errors {
        reader.add(Fault::Syntax { message: error.message().to_owned() }, error.span().unwrap_or(0..0));
    }
    match errors.is_empty() {
        true => reader.map(table.get_ref()),
        false => vec![],
    }
}

struct Reader<'a> {
    file: &'a SourceFile,
    problems: &'a mut Vec<Problem>,
}

/// The pairs of a table in the order of the file.
fn pairs<'t, 'i>(table: &'t DeTable<'i>) -> Vec<(Text, &'t Value<'i>)> {
    let text = |key: &Spanned<Cow<'_, str>>| Spanned::new(key.span(), key.get_ref().to_string());
    let mut pairs: Vec<_> = table.iter().map(|(key, value)| (text(key), value)).collect();
    pairs.sort_by_key(|(key, _)| key.span().start);
    pairs
}

impl Reader<'_> {
    fn map(&mut self, table: &DeTable<'_>) -> Vec<Entry> {
        let mut entries = vec![];
        for (key, value) in pairs(table) {
            match (key.get_ref().as_str(), value.get_ref()) {
                ("endpoint", DeValue::Array(items)) => {
                    entries.extend(items.iter().filter_map(|item| self.endpoint(&key, item)));
                }
                ("endpoint", _) => self.wrong(&key, "a list of tables, each under `[[endpoint]]`", value),
                _ => self.unknown(&key, "the map", &["endpoint"]),
            }
        }
        entries
    }

    fn endpoint(&mut self, key: &Text, value: &Value<'_>) -> Option<Entry> {
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong(key, "a list of tables, each under `[[endpoint]]`", value);
            return None;
        };
        let (mut path, mut operation, mut methods, mut file, mut here) = (None, None, None, None, None);
        let (mut summary, mut parameters, mut roles) = (None, vec![], vec![]);
        let (mut require, mut single) = (None, None);
        let (mut cache_control, mut cache_seconds, mut tool) = (None, None, true);
        let (mut sql, mut optional, mut unchecked) = (None, vec![], None);
        let before = self.problems.len();
        for (key, value) in pairs(table) {
            match key.get_ref().as_str() {
                "path" => path = self.text(&key, value),
                "operation" => operation = self.text(&key, value),
                "methods" => methods = Some(self.methods(&key, value)),
                "document" => file = self.text(&key, value),
                "query" => here = self.text(&key, value),
                "sql" => sql = self.text(&key, value),
                "optional" => optional = self.texts(&key, value),
                "unchecked" => unchecked = self.switch(&key, value),
                "summary" => summary = self.text(&key, value).map(Spanned::into_inner),
                "parameters" => parameters = self.words(&key, value),
                "roles" => roles = self.texts(&key, value),
                "require" => require = self.require(&key, value),
                "single" => single = self.text(&key, value),
                "cache_control" => cache_control = self.text(&key, value),
                "cache_seconds" => cache_seconds = self.seconds(&key, value),
                "tool" => tool = self.switch(&key, value).is_some_and(Spanned::into_inner),
                _ => self.unknown(&key, "an endpoint", &KEYS),
            }
        }
        let span = value.span();
        let document = match (file, here, sql) {
            (Some(file), None, None) if file.get_ref().ends_with(SQL) => Some(Document::SqlFile(file)),
            (Some(file), None, None) => Some(Document::File(file)),
            (None, Some(here), None) => Some(Document::Here(here)),
            (None, None, Some(sql)) => Some(Document::Sql(sql)),
            _ => None,
        };
        // A key with an error already reported is not missing as well.
        if self.problems.len() == before {
            let absent = [("path", path.is_none()), ("methods", methods.is_none())];
            for (key, _) in absent.into_iter().filter(|(_, absent)| *absent) {
                self.add(Fault::Missing { key }, span.clone());
            }
            if document.is_none() {
                self.add(Fault::Documents {}, span.clone());
            }
        }
        let (path, methods, document) = (path?, methods?, document?);
        let entry = Entry {
            span,
            path,
            operation,
            methods,
            document,
            summary,
            parameters,
            roles,
            require,
            single,
            cache_control,
            cache_seconds,
            tool,
            optional,
            unchecked,
        };
        Some(entry)
    }

    fn methods(&mut self, key: &Text, value: &Value<'_>) -> Vec<Spanned<Method>> {
        let mut methods: Vec<Spanned<Method>> = vec![];
        if value.get_ref().as_array().is_some_and(|items| items.is_empty()) {
            self.wrong(key, "a list of methods", value);
        }
        let words = self.texts(key, value);
        for word in words {
            match METHODS.iter().find(|method| method.as_str() == word.get_ref()) {
                Some(method) => methods.push(Spanned::new(word.span(), method.clone())),
                None => {
                    let help = format!("they are {}", listed(METHODS.iter().map(Method::as_str)));
                    let fault = Fault::UnknownMethod { word: word.get_ref().clone() };
                    let place = self.file.place(word.span());
                    self.problems.push(Problem::new(fault, place).help(help));
                }
            }
        }
        methods
    }

    fn require(&mut self, key: &Text, value: &Value<'_>) -> Option<Require> {
        let DeValue::Table(fields) = value.get_ref() else {
            self.wrong(key, "a table: `{ table = \"…\", parameter = \"…\" }`", value);
            return None;
        };
        let (mut table, mut parameter, mut denied) = (None, None, None);
        for (key, value) in pairs(fields) {
            match key.get_ref().as_str() {
                "table" => table = self.text(&key, value),
                "parameter" => parameter = self.text(&key, value),
                "denied" => denied = self.text(&key, value),
                _ => self.unknown(&key, "`require`", &["table", "parameter", "denied"]),
            }
        }
        match (table, parameter) {
            (Some(table), Some(parameter)) => Some(Require { table, parameter, denied }),
            _ => {
                self.wrong(key, "a table: `{ table = \"…\", parameter = \"…\" }`", value);
                None
            }
        }
    }

    fn words(&mut self, key: &Text, value: &Value<'_>) -> Vec<(Text, Text)> {
        let DeValue::Table(fields) = value.get_ref() else {
            self.wrong(key, "a table: `{ name = \"…\" }`", value);
            return vec![];
        };
        pairs(fields).into_iter().filter_map(|(name, value)| Some((name.clone(), self.text(&name, value)?))).collect()
    }

    fn seconds(&mut self, key: &Text, value: &Value<'_>) -> Option<Spanned<u32>> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        match number.filter(|number| (1..=LONGEST).contains(number)) {
            Some(number) => Some(Spanned::new(value.span(), number)),
            None => {
                self.wrong(key, "a number of seconds from 1 to 86400", value);
                None
            }
        }
    }

    fn switch(&mut self, key: &Text, value: &Value<'_>) -> Option<Spanned<bool>> {
        match value.get_ref() {
            DeValue::Boolean(on) => Some(Spanned::new(value.span(), *on)),
            _ => {
                self.wrong(key, "true or false", value);
                None
            }
        }
    }

    fn text(&mut self, key: &Text, value: &Value<'_>) -> Option<Text> {
        match value.get_ref() {
            DeValue::String(text) => Some(Spanned::new(value.span(), text.to_string())),
            _ => {
                self.wrong(key, "a string", value);
                None
            }
        }
    }

    /// A list of strings; duplicates are reported.
    fn texts(&mut self, key: &Text, value: &Value<'_>) -> Vec<Text> {
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong(key, "a list of strings", value);
            return vec![];
        };
        let mut texts: Vec<Text> = vec![];
        for item in items {
            match self.text(key, item) {
                Some(text) if texts.iter().any(|known| known.get_ref() == text.get_ref()) => {
                    self.add(Fault::Twice { name: text.get_ref().clone() }, text.span());
                }
                text => texts.extend(text),
            }
        }
        texts
    }

    fn wrong(&mut self, key: &Text, expected: &'static str, value: &Value<'_>) {
        self.add(Fault::WrongType { key: key.get_ref().clone(), expected }, value.span());
    }

    fn unknown(&mut self, key: &Text, within: &'static str, known: &[&str]) {
        let near = did_you_mean(key.get_ref(), known.iter().copied());
        let help = near.unwrap_or_else(|| format!("the keys are {}", listed(known.iter().copied())));
        let fault = Fault::UnknownKey { key: key.get_ref().clone(), within };
        self.problems.push(Problem::new(fault, self.file.place(key.span())).help(help));
    }

    fn add(&mut self, fault: Fault, span: Range<usize>) {
        self.problems.push(Problem::new(fault, self.file.place(span)));
    }
}
