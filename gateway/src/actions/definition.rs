//! Reads `actions.toml`: who answers each action and for which roles, and the relations of output types to tables.
//! Nothing is looked up here; unknown keys and values of the wrong type are reported.

use std::ops::Range;

use permissions::{SourceFile, SpannedValue, Text, TomlReader, TomlValue};
use toml::de::DeValue;

use super::{Fault, Problem};

type Reader = TomlReader<Fault>;

/// A file of definitions.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pub(super) actions: Vec<ActionDefinition>,
    pub(super) relations: Vec<RelationDefinition>,
}

/// A table `[action.name]`.
#[derive(Debug)]
pub(super) struct ActionDefinition {
    pub(super) name: Text,
    /// `as = "mutation"`, which the types say as well.
    pub(super) root: Option<Text>,
    pub(super) asynchronous: bool,
    pub(super) handler: Option<Text>,
    pub(super) function: Option<Text>,
    pub(super) roles: Vec<Text>,
    pub(super) headers: Vec<HeaderDefinition>,
    pub(super) forward_client_headers: bool,
    /// Seconds.
    pub(super) timeout: Option<u64>,
    pub(super) retries: Option<SpannedValue<u64>>,
    pub(super) circuit_breaker: Option<BreakerDefinition>,
    pub(super) request_transform: Option<RequestTransform>,
    pub(super) response_transform: Option<Text>,
    /// The keys that only web services have.
    pub(super) only_web: Vec<(&'static str, Range<usize>)>,
}

/// `{ failures = 5, seconds = 10 }`
#[derive(Clone, Copy, Debug)]
pub(super) struct BreakerDefinition {
    pub(super) failures: Option<u64>,
    pub(super) seconds: Option<u64>,
}

/// `{ name = "X-Key", value = "…" }` or `{ name = "X-Key", value_from_env = "KEY" }`
#[derive(Debug)]
pub(super) struct HeaderDefinition {
    pub(super) name: Text,
    pub(super) value: Option<Text>,
    pub(super) value_from_env: Option<Text>,
}

/// How the request to a web service differs from the usual one.
#[derive(Debug, Default)]
pub(super) struct RequestTransform {
    pub(super) method: Option<Text>,
    pub(super) url: Option<Text>,
    pub(super) query_params: Vec<(Text, Text)>,
    pub(super) body: Option<Text>,
    pub(super) without_body: bool,
}

/// A table `[type.T.relation.r]`.
#[derive(Debug)]
pub(super) struct RelationDefinition {
    pub(super) object: Text,
    pub(super) name: Text,
    pub(super) table: Option<Text>,
    pub(super) on: Vec<(Text, Text)>,
    pub(super) one: bool,
}

/// Parses the file. A definition with an error is left out.
pub(super) fn read(file: &SourceFile, problems: &mut Vec<Problem>) -> Definitions {
    let (definitions, faults) = Reader::read(file, |mut fields| {
        let actions = fields.each("action", action);
        let relations = fields.each("type", |reader, object, value| {
            let mut fields = reader.table(&object, "a table: `[type.T.relation.r]`", value)?;
            let relations = fields.each("relation", |reader, name, value| relation(reader, &object, name, value));
            fields.finish("a type");
            Some(relations)
        });
        fields.finish("the file");
        Definitions { actions, relations: relations.into_iter().flatten().collect() }
    });
    problems.extend(faults);
    // A file that is not TOML has no actions; its faults have been reported.
    definitions.unwrap_or_default()
}

fn action(reader: &mut Reader, name: Text, value: &TomlValue<'_>) -> Option<ActionDefinition> {
    const WEB: [&str; 7] = [
        "headers",
        "forward_client_headers",
        "timeout",
        "retries",
        "circuit_breaker",
        "request_transform",
        "response_transform",
    ];
    let mut fields = reader.table(&name, "a table: `[action.name]`", value)?;
    let root = fields.text("as");
    let asynchronous = fields.boolean("asynchronous").unwrap_or_default();
    let (handler, function, roles) = (fields.text("handler"), fields.text("function"), fields.list("roles"));
    let headers = fields.read_all("headers", headers);
    let forward_client_headers = fields.boolean("forward_client_headers").unwrap_or_default();
    let timeout = fields.read("timeout", count).map(|count| count.value);
    let retries = fields.read("retries", count);
    let circuit_breaker = fields.read("circuit_breaker", |reader, key, value| {
        let mut fields = reader.table(key, "a table: `{ failures = 5, seconds = 10 }`", value)?;
        let failures = fields.read("failures", count).map(|count| count.value);
        let seconds = fields.read("seconds", count).map(|count| count.value);
        fields.finish("`circuit_breaker`");
        Some(BreakerDefinition { failures, seconds })
    });
    let request_transform = fields.read("request_transform", request_transform);
    let response_transform = fields.read("response_transform", response_transform);
    let only_web = WEB.into_iter().filter(|key| fields.contains(key)).map(|key| (key, name.span.clone())).collect();
    fields.finish("an action");
    Some(ActionDefinition {
        name,
        root,
        asynchronous,
        handler,
        function,
        roles,
        headers,
        forward_client_headers,
        timeout,
        retries,
        circuit_breaker,
        request_transform,
        response_transform,
        only_web,
    })
}

fn headers(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Vec<HeaderDefinition>> {
    const HEADER: &str = "a list of tables: `{ name = \"…\", value = \"…\" }`";
    let DeValue::Array(items) = value.get_ref() else { return reader.wrong_type(key, HEADER, value) };
    let header = |item: &TomlValue<'_>| {
        let mut fields = reader.table(key, HEADER, item)?;
        let (name, value, variable) = (fields.text("name"), fields.text("value"), fields.text("value_from_env"));
        fields.finish("a header");
        match name {
            Some(name) if value.is_some() != variable.is_some() => {
                Some(HeaderDefinition { name, value, value_from_env: variable })
            }
            _ => reader.wrong_type(key, HEADER, item),
        }
    };
    Some(items.iter().filter_map(header).collect())
}

/// Hasura's form. Keys that say what is the case anyway are accepted.
fn request_transform(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<RequestTransform> {
    let mut fields = reader.table(key, "a table", value)?;
    fields.read("version", count);
    fields.text("template_engine");
    fields.read("content_type", |reader, key, value| match value.get_ref().as_str() {
        Some("application/json") => Some(()),
        _ => reader.wrong_type(key, "`application/json`", value),
    });
    let (method, url, query_params) = (fields.text("method"), fields.text("url"), fields.texts("query_params"));
    let body = fields.read("body", body);
    fields.finish("`request_transform`");
    let (body, without_body) = body.unwrap_or((None, false));
    Some(RequestTransform { method, url, query_params, body, without_body })
}

fn response_transform(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Text> {
    let mut fields = reader.table(key, "a table", value)?;
    fields.read("version", count);
    fields.text("template_engine");
    let body = fields.read("body", body);
    fields.finish("`response_transform`");
    body?.0
}

/// `{ action = "transform", template = "…" }`, `{ action = "remove" }`, or the template alone. The second value says
/// whether there is no body.
fn body(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<(Option<Text>, bool)> {
    if let DeValue::String(_) = value.get_ref() {
        return Some((reader.text(key, value), false));
    }
    let mut fields =
        reader.table(key, "a template, or a table: `{ action = \"transform\", template = \"…\" }`", value)?;
    let (action, template) = (fields.text("action"), fields.text("template"));
    fields.finish("`body`");
    match action.as_ref().map(|action| action.value.as_str()) {
        Some("remove") => Some((None, true)),
        None | Some("transform") => Some((template, false)),
        Some(_) => reader.wrong_type(key, "a transform with the action `transform` or `remove`", value),
    }
}

fn relation(reader: &mut Reader, object: &Text, name: Text, value: &TomlValue<'_>) -> Option<RelationDefinition> {
    let mut fields = reader.table(&name, "a table: `{ table = \"…\", on = { … } }`", value)?;
    let (table, on) = (fields.text("table"), fields.texts("on"));
    let one = fields.boolean("one").unwrap_or_default();
    fields.finish("a relation");
    Some(RelationDefinition { object: object.clone(), name, table, on, one })
}

/// A number from 0 to 3600, which is enough for seconds and numbers of attempts.
fn count(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<SpannedValue<u64>> {
    let number = match value.get_ref() {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    match number.filter(|number| *number <= 3600) {
        Some(value_of_key) => Some(SpannedValue { value: value_of_key, span: value.span() }),
        None => reader.wrong_type(key, "a whole number from 0 to 3600", value),
    }
}
