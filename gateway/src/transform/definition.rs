//! Reads a transform as written, in Hasura's form. Nothing is looked up here.

use permissions::{Text, TomlFault, TomlReader, TomlValue};
use toml::de::DeValue;

/// How the request to a web service differs from the usual one.
#[derive(Debug, Default)]
pub struct RequestTransform {
    /// The method in place of `POST`.
    pub method: Option<Text>,
    /// The template of the URL.
    pub url: Option<Text>,
    /// The names and templates of query parameters.
    pub query_params: Vec<(Text, Text)>,
    /// The template of the body.
    pub body: Option<Text>,
    /// Whether the request has no body.
    pub without_body: bool,
}

/// Hasura's form. Keys that say what is the case anyway are accepted.
pub fn read_request<F: From<TomlFault>>(
    reader: &mut TomlReader<F>,
    key: &Text,
    value: &TomlValue<'_>,
) -> Option<RequestTransform> {
    let mut fields = reader.table(key, "a table", value)?;
    fields.read("version", |_, _, _| Some(()));
    fields.text("template_engine");
    fields.read("content_type", |reader, key, value| {
        match value.get_ref().as_str() {
            Some("application/json") => Some(()),
            _ => reader.wrong_type(key, "`application/json`", value),
        }
    });
    let method = fields.text("method");
    let url = fields.text("url");
    let query_params = fields.texts("query_params");
    let body = fields.read("body", read_body);
    fields.finish("`request_transform`");
    let (body, without_body) = body.unwrap_or((None, false));
    Some(RequestTransform {
        method,
        url,
        query_params,
        body,
        without_body,
    })
}

/// `{ action = "transform", template = "…" }`, `{ action = "remove" }`, or the template alone. The
/// second value says whether there is no body.
pub fn read_body<F: From<TomlFault>>(
    reader: &mut TomlReader<F>,
    key: &Text,
    value: &TomlValue<'_>,
) -> Option<(Option<Text>, bool)> {
    if let DeValue::String(_) = value.get_ref() {
        return Some((reader.text(key, value), false));
    }
    let mut fields = reader.table(
        key,
        "a template, or a table: `{ action = \"transform\", template = \"…\" }`",
        value,
    )?;
    let action = fields.text("action");
    let template = fields.text("template");
    fields.finish("`body`");
    match action.as_ref().map(|action| action.value.as_str()) {
        Some("remove") => Some((None, true)),
        None | Some("transform") => Some((template, false)),
        Some(_) => reader.wrong_type(
            key,
            "a transform with the action `transform` or `remove`",
            value,
        ),
    }
}
