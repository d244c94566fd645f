//! Parses the REST map: every key and its position, without looking anything up. Reports unknown
//! keys and values of the wrong type.

use std::ops::Range;

use http::Method;
use permissions::{SourceFile, SpannedValue, Text, TomlFault, TomlReader, TomlValue, listed};
use toml::de::DeValue;

use super::diagnostic::{Fault, Problem};

type Reader = TomlReader<Fault>;

/// A table `[[endpoint]]`.
#[derive(Debug)]
pub(super) struct Entry {
    /// The table's span in the file.
    pub(super) span: Range<usize>,
    pub(super) path: Text,
    pub(super) operation: Option<Text>,
    pub(super) methods: Vec<SpannedValue<Method>>,
    pub(super) document: Document,
    pub(super) summary: Option<String>,
    /// The descriptions of parameters, by name.
    pub(super) parameters: Vec<(Text, Text)>,
    pub(super) roles: Vec<Text>,
    pub(super) require: Option<Require>,
    pub(super) single: Option<Text>,
    pub(super) cache_control: Option<Text>,
    pub(super) cache_seconds: Option<SpannedValue<u32>>,
    pub(super) escapes_formulas: bool,
    pub(super) tool: bool,
    pub(super) optional: Vec<Text>,
    pub(super) unchecked: Option<SpannedValue<bool>>,
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

/// The longest time that a response is cached, in seconds: one day.
const MAX_CACHE_SECONDS: u32 = 86_400;

/// The methods that an endpoint can have, reading ones first.
pub(super) const METHODS: [Method; 5] = [
    Method::GET,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
];

/// What the key `endpoint` must be.
const ENDPOINTS: &str = "a list of tables, each under `[[endpoint]]`";

/// What the key `require` must be.
const REQUIRE: &str = "a table: `{ table = \"…\", parameter = \"…\" }`";

/// Parses the map. An endpoint with an error is left out.
pub(super) fn read(file: &SourceFile, problems: &mut Vec<Problem>) -> Vec<Entry> {
    let (entries, faults) = Reader::read(file, |mut fields| {
        let entries = fields.read_all("endpoint", |reader, key, value| match value.get_ref() {
            DeValue::Array(items) => Some(
                items
                    .iter()
                    .filter_map(|item| endpoint(reader, key, item))
                    .collect(),
            ),
            _ => reader.wrong_type(key, ENDPOINTS, value),
        });
        fields.finish("the map");
        entries
    });
    problems.extend(faults);
    // A file that is not TOML has no endpoints; its faults have been reported.
    entries.unwrap_or_default()
}

fn endpoint(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Entry> {
    let span = value.span();
    let before = reader.faults();
    let mut fields = reader.table(key, ENDPOINTS, value)?;
    let path = fields.text("path");
    let operation = fields.text("operation");
    let methods = fields.read("methods", methods);
    let document = (
        fields.text("document"),
        fields.text("query"),
        fields.text("sql"),
    );
    let document = match document {
        (Some(file), None, None) if file.value.ends_with(SQL) => Some(Document::SqlFile(file)),
        (Some(file), None, None) => Some(Document::File(file)),
        (None, Some(here), None) => Some(Document::Here(here)),
        (None, None, Some(sql)) => Some(Document::Sql(sql)),
        _ => None,
    };
    let optional = fields.read_all("optional", unique_texts);
    let unchecked = fields.read("unchecked", |reader, key, switch| {
        reader.boolean(key, switch).map(|value| SpannedValue {
            value,
            span: switch.span(),
        })
    });
    let summary = fields.text("summary").map(|text| text.value);
    let parameters = fields.read_all("parameters", parameters);
    let roles = fields.read_all("roles", unique_texts);
    let require = fields.read("require", require);
    let single = fields.text("single");
    let cache_control = fields.text("cache_control");
    let cache_seconds = fields.read("cache_seconds", seconds);
    let escapes_formulas = fields.read("csv_formulas", csv_formulas).is_some();
    let tool = fields.boolean("tool").unwrap_or(true);
    fields.finish("an endpoint");
    // A key with an error already reported is not missing as well.
    if reader.faults() == before {
        let absent = [("path", path.is_none()), ("methods", methods.is_none())];
        for (key, _) in absent.into_iter().filter(|(_, absent)| *absent) {
            reader.add(Fault::Missing { key }, span.clone());
        }
        if document.is_none() {
            reader.add(Fault::Documents {}, span.clone());
        }
    }
    let path = path?;
    let methods = methods?;
    let document = document?;
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
        escapes_formulas,
        tool,
        optional,
        unchecked,
    };
    Some(entry)
}

fn methods(
    reader: &mut Reader,
    key: &Text,
    value: &TomlValue<'_>,
) -> Option<Vec<SpannedValue<Method>>> {
    if value
        .get_ref()
        .as_array()
        .is_some_and(|items| items.is_empty())
    {
        reader.wrong_type::<()>(key, "a list of methods", value);
    }
    let mut methods = vec![];
    // A wrong value is reported and counts as an empty list, so that the endpoint's other faults
    // are found, too.
    for word in unique_texts(reader, key, value).unwrap_or_default() {
        match METHODS.iter().find(|method| method.as_str() == word.value) {
            Some(method) => methods.push(SpannedValue {
                value: method.clone(),
                span: word.span,
            }),
            None => {
                let help = format!("they are {}", listed(METHODS.iter().map(Method::as_str)));
                reader.add_with(Fault::UnknownMethod { word: word.value }, word.span, help);
            }
        }
    }
    Some(methods)
}

fn require(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Require> {
    let mut fields = reader.table(key, REQUIRE, value)?;
    let table = fields.text("table");
    let parameter = fields.text("parameter");
    let denied = fields.text("denied");
    fields.finish("`require`");
    match (table, parameter) {
        (Some(table), Some(parameter)) => Some(Require {
            table,
            parameter,
            denied,
        }),
        _ => reader.wrong_type(key, REQUIRE, value),
    }
}

fn parameters(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Vec<(Text, Text)>> {
    let pairs = reader.pairs(key, "a table: `{ name = \"…\" }`", value)?;
    Some(
        pairs
            .into_iter()
            .filter_map(|(name, value)| Some((name.clone(), reader.text(&name, value)?)))
            .collect(),
    )
}

fn seconds(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<SpannedValue<u32>> {
    let number = match value.get_ref() {
        DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    match number.filter(|number| (1..=MAX_CACHE_SECONDS).contains(number)) {
        Some(number) => Some(SpannedValue {
            value: number,
            span: value.span(),
        }),
        None => reader.wrong_type(key, "a number of seconds from 1 to 86400", value),
    }
}

/// The word `escape`. Without the key CSV has the values as they are.
fn csv_formulas(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<()> {
    match value.get_ref().as_str() {
        Some("escape") => Some(()),
        _ => reader.wrong_type(key, "the word `escape`", value),
    }
}

/// A list of strings; duplicates are reported.
fn unique_texts(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Vec<Text>> {
    let DeValue::Array(items) = value.get_ref() else {
        return reader.wrong_type(key, "a list of strings", value);
    };
    let mut texts: Vec<Text> = vec![];
    for item in items {
        match reader.text(key, item) {
            Some(text) if texts.iter().any(|known| known.value == text.value) => {
                reader.add(Fault::Twice { name: text.value }, text.span);
            }
            text => texts.extend(text),
        }
    }
    Some(texts)
}

impl From<TomlFault> for Fault {
    fn from(fault: TomlFault) -> Fault {
        match fault {
            TomlFault::Syntax(message) => Fault::Syntax { message },
            TomlFault::UnknownKey { key, within } => Fault::UnknownKey { key, within },
            TomlFault::UnsetVariable(name) => Fault::UnsetVariable { name },
            TomlFault::WrongType { key, expected, .. } => Fault::WrongType { key, expected },
        }
    }
}
