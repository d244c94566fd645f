//! Reads `actions.toml`: who answers each action and for which roles, and the relations of output
//! types to tables. Nothing is looked up here; unknown keys and values of the wrong type are
//! reported.

use std::ops::Range;

use permissions::{SourceFile, SpannedValue, Text, TomlReader, TomlValue};
use toml::de::DeValue;

use super::diagnostic::{Fault, Problem};
use crate::transform::{self, RequestTransform};

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
    pub(super) forward_client_headers: Option<ForwardedNames>,
    /// Seconds.
    pub(super) timeout: Option<u64>,
    pub(super) retries: Option<SpannedValue<u64>>,
    pub(super) circuit_breaker: Option<BreakerDefinition>,
    pub(super) request_transform: Option<RequestTransform>,
    pub(super) response_transform: Option<Text>,
    /// The language model that words the answer of a function.
    pub(super) model: Option<ModelDefinition>,
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

/// Which of the client's headers a handler gets.
#[derive(Debug)]
pub(super) enum ForwardedNames {
    /// All but those that describe its connection, body or browser, or that the gateway writes.
    All,
    /// These.
    Listed(Vec<Text>),
}

/// `{ url = "…/v1/chat/completions", name = "…", key_from_env = "…", question = "…", passages =
/// "…", answer = "…" }`
#[derive(Debug)]
pub(super) struct ModelDefinition {
    /// Where the table is.
    pub(super) span: Range<usize>,
    pub(super) url: Option<Text>,
    pub(super) url_from_env: Option<Text>,
    pub(super) name: Option<Text>,
    pub(super) key_from_env: Option<Text>,
    /// The argument with the question.
    pub(super) question: Option<Text>,
    /// The field of the function's answer with the passages.
    pub(super) passages: Option<Text>,
    /// The field whose text the model replaces.
    pub(super) response: Option<Text>,
    /// The field that is set to true if it does.
    pub(super) generated: Option<Text>,
    /// Seconds.
    pub(super) timeout: Option<u64>,
    pub(super) max_tokens: Option<u64>,
    /// The most bytes of passages.
    pub(super) max_bytes: Option<u64>,
    pub(super) calls_per_hour: Option<u64>,
    /// Of one user in an hour.
    pub(super) calls_per_caller: Option<u64>,
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
            let relations = fields.each("relation", |reader, name, value| {
                relation(reader, &object, name, value)
            });
            fields.finish("a type");
            Some(relations)
        });
        fields.finish("the file");
        Definitions {
            actions,
            relations: relations.into_iter().flatten().collect(),
        }
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
    let handler = fields.text("handler");
    let function = fields.text("function");
    let roles = fields.list("roles");
    let headers = fields.read_all("headers", headers);
    let forward_client_headers = fields
        .read("forward_client_headers", forwarded_names)
        .flatten();
    let timeout = fields.read("timeout", count).map(|count| count.value);
    let retries = fields.read("retries", count);
    let circuit_breaker = fields.read("circuit_breaker", |reader, key, value| {
        let mut fields = reader.table(key, "a table: `{ failures = 5, seconds = 10 }`", value)?;
        let failures = fields.read("failures", count).map(|count| count.value);
        let seconds = fields.read("seconds", count).map(|count| count.value);
        fields.finish("`circuit_breaker`");
        Some(BreakerDefinition { failures, seconds })
    });
    let request_transform = fields.read("request_transform", transform::read_request);
    let response_transform = fields.read("response_transform", response_transform);
    let model = fields.read("model", model);
    let only_web = WEB
        .into_iter()
        .filter(|key| fields.contains(key))
        .map(|key| (key, name.span.clone()))
        .collect();
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
        model,
        only_web,
    })
}

fn model(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<ModelDefinition> {
    let span = key.span.clone();
    let mut fields = reader.table(key, "a table: `{ url = \"…\", name = \"…\", … }`", value)?;
    let mut text = |name| fields.text(name);
    let url = text("url");
    let url_from_env = text("url_from_env");
    let name = text("name");
    let key_from_env = text("key_from_env");
    let question = text("question");
    let passages = text("passages");
    let response = text("answer");
    let generated = text("generated");
    let mut number = |name| fields.read(name, whole).map(|number| number.value);
    let timeout = number("timeout");
    let max_tokens = number("max_tokens");
    let max_bytes = number("max_bytes");
    let calls_per_hour = number("calls_per_hour");
    let calls_per_caller = number("calls_per_caller");
    fields.finish("`model`");
    Some(ModelDefinition {
        span,
        url,
        url_from_env,
        name,
        key_from_env,
        question,
        passages,
        response,
        generated,
        timeout,
        max_tokens,
        max_bytes,
        calls_per_hour,
        calls_per_caller,
    })
}

/// `true`, or a list of names; `None` is `false`.
fn forwarded_names(
    reader: &mut Reader,
    key: &Text,
    value: &TomlValue<'_>,
) -> Option<Option<ForwardedNames>> {
    match value.get_ref() {
        DeValue::Boolean(is_forwarded) => Some(is_forwarded.then_some(ForwardedNames::All)),
        DeValue::Array(items) => {
            let names = items.iter().filter_map(|item| reader.text(key, item));
            Some(Some(ForwardedNames::Listed(names.collect())))
        }
        _ => reader.wrong_type(key, "true, false, or a list of names of headers", value),
    }
}

fn headers(
    reader: &mut Reader,
    key: &Text,
    value: &TomlValue<'_>,
) -> Option<Vec<HeaderDefinition>> {
    const HEADER: &str = "a list of tables: `{ name = \"…\", value = \"…\" }`";
    let DeValue::Array(items) = value.get_ref() else {
        return reader.wrong_type(key, HEADER, value);
    };
    let header = |item: &TomlValue<'_>| {
        let mut fields = reader.table(key, HEADER, item)?;
        let name = fields.text("name");
        let value = fields.text("value");
        let variable = fields.text("value_from_env");
        fields.finish("a header");
        match name {
            Some(name) if value.is_some() != variable.is_some() => Some(HeaderDefinition {
                name,
                value,
                value_from_env: variable,
            }),
            _ => reader.wrong_type(key, HEADER, item),
        }
    };
    Some(items.iter().filter_map(header).collect())
}

fn response_transform(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Text> {
    let mut fields = reader.table(key, "a table", value)?;
    fields.read("version", count);
    fields.text("template_engine");
    let body = fields.read("body", transform::read_body);
    fields.finish("`response_transform`");
    body?.0
}

fn relation(
    reader: &mut Reader,
    object: &Text,
    name: Text,
    value: &TomlValue<'_>,
) -> Option<RelationDefinition> {
    let mut fields = reader.table(&name, "a table: `{ table = \"…\", on = { … } }`", value)?;
    let table = fields.text("table");
    let on = fields.texts("on");
    let one = fields.boolean("one").unwrap_or_default();
    fields.finish("a relation");
    Some(RelationDefinition {
        object: object.clone(),
        name,
        table,
        on,
        one,
    })
}

/// A number from 0 to 3600, which is enough for seconds and numbers of attempts.
fn count(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<SpannedValue<u64>> {
    number_between(
        reader,
        key,
        value,
        0..=3600,
        "a whole number from 0 to 3600",
    )
}

/// A number from 1 to 1,000,000.
fn whole(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<SpannedValue<u64>> {
    number_between(
        reader,
        key,
        value,
        1..=1_000_000,
        "a whole number from 1 to 1,000,000",
    )
}

fn number_between(
    reader: &mut Reader,
    key: &Text,
    value: &TomlValue<'_>,
    range: std::ops::RangeInclusive<u64>,
    expected: &'static str,
) -> Option<SpannedValue<u64>> {
    let number = match value.get_ref() {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    match number.filter(|number| range.contains(number)) {
        Some(value_of_key) => Some(SpannedValue {
            value: value_of_key,
            span: value.span(),
        }),
        None => reader.wrong_type(key, expected, value),
    }
}
