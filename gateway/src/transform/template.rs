//! Templates of transforms: text with `{{$body.input.day}}`, the part of Hasura's template language
//! that has no conditions, loops or functions. Values are inserted as JSON, as text inside a JSON
//! string, or percent-encoded in a URL.

use std::ops::Range;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

/// A template, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    /// A name, and the steps from its value inward.
    Path(Vec<Step>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Item(usize),
}

/// All characters that are not unreserved in URLs.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The variable that a URL may begin with: the handler's URL.
const BASE: &str = "base_url";

impl Template {
    /// Parses a template. `names` are the variables that it may use.
    pub fn parse(text: &str, names: &[&str]) -> Result<Template, String> {
        let mut pieces = vec![];
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((inside, after)) = after.split_once("}}") else {
                return Err("`{{` has no `}}`".into());
            };
            if !before.is_empty() {
                pieces.push(Piece::Literal(before.to_owned()));
            }
            pieces.push(Piece::Path(path(inside.trim(), names)?));
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Literal(rest.to_owned()));
        }
        Ok(Template(pieces))
    }

    /// Whether no value can change the scheme, the host or the port of the URL: it begins with
    /// `{{$base_url}}` or a literal scheme, and values come only behind a literal that ends the
    /// host.
    pub fn has_fixed_host(&self) -> bool {
        let mut pieces = self.0.iter();
        let mut is_ended = match pieces.next() {
            Some(Piece::Path(steps)) if is_base(steps) => false,
            Some(Piece::Literal(text)) => {
                let rest = text
                    .strip_prefix("http://")
                    .or_else(|| text.strip_prefix("https://"));
                let Some(rest) = rest else { return false };
                // Parsers of URLs skip further slashes.
                if rest.starts_with(['/', '\\', '?', '#']) {
                    return false;
                }
                ends_host(rest)
            }
            Some(Piece::Path(_)) | None => return false,
        };
        pieces.all(|piece| {
            if let Piece::Literal(text) = piece {
                is_ended |= ends_host(text);
            }
            is_ended || matches!(piece, Piece::Literal(_))
        })
    }

    /// The JSON value that the template describes; `None` if the text is not JSON.
    pub fn json(&self, variables: &Map<String, Value>) -> Option<Value> {
        let mut text = String::new();
        let mut inside = false;
        for piece in &self.0 {
            match piece {
                Piece::Literal(literal) => {
                    inside = ends_inside_string(literal, inside);
                    text.push_str(literal);
                }
                Piece::Path(steps) if inside => {
                    let plain = Value::String(plain(find(variables, steps))).to_string();
                    text.push_str(plain.get(1..plain.len() - 1)?);
                }
                Piece::Path(steps) => text.push_str(&find(variables, steps).to_string()),
            }
        }
        crate::request::json::read(text.as_bytes()).ok()
    }

    /// The text with plain values.
    pub fn text(&self, variables: &Map<String, Value>) -> String {
        self.0
            .iter()
            .fold(String::new(), |text, piece| match piece {
                Piece::Literal(literal) => text + literal,
                Piece::Path(steps) => text + &plain(find(variables, steps)),
            })
    }

    /// The text with percent-encoded values after `base`, which takes the place of `{{$base_url}}`.
    /// `None` if a segment of the path with a value in it would be a step to another folder: no
    /// encoding prevents that.
    pub fn url(&self, base: &str, variables: &Map<String, Value>) -> Option<String> {
        let mut text = String::new();
        let mut values = vec![];
        for piece in &self.0 {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Path(steps) if is_base(steps) => text.push_str(base),
                Piece::Path(steps) => {
                    let start = text.len();
                    text.extend(utf8_percent_encode(&plain(find(variables, steps)), ENCODED));
                    values.push(start..text.len());
                }
            }
        }
        // Values are encoded, so these characters are the template's.
        let path = text.get(..text.find(['?', '#']).unwrap_or(text.len()))?;
        let is_step_with = |value: &Range<usize>| {
            let (Some(before), Some(after)) = (path.get(..value.start), path.get(value.end..))
            else {
                return false;
            };
            let start = before.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
            let end = after
                .find(['/', '\\'])
                .map_or(path.len(), |slash| value.end + slash);
            path.get(start..end).is_some_and(is_step)
        };
        let has_step = values.iter().any(is_step_with);
        (!has_step).then_some(text)
    }
}

/// Whether a path stands for the handler's URL.
fn is_base(steps: &[Step]) -> bool {
    steps.first() == Some(&Step::Key(BASE.into()))
}

/// Whether a segment of a path leads to another folder, or to the folder itself. Parsers of URLs
/// leave tabs and line breaks out, and read `%2e` as a dot.
/// <https://url.spec.whatwg.org/#double-dot-path-segment>
fn is_step(segment: &str) -> bool {
    let segment: String = segment
        .chars()
        .filter(|letter| !matches!(letter, '\t' | '\n' | '\r'))
        .collect();
    matches!(
        segment.to_ascii_lowercase().replace("%2e", ".").as_str(),
        "" | "." | ".."
    )
}

/// Whether the host of a URL ends in this part of it. <https://url.spec.whatwg.org/#host-state>
fn ends_host(text: &str) -> bool {
    text.contains(['/', '\\', '?', '#'])
}

/// Whether a JSON text ends inside of a string, if it begins inside of one or not.
fn ends_inside_string(text: &str, mut inside: bool) -> bool {
    let mut escaped = false;
    for character in text.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            _ => {}
        }
    }
    inside
}

/// A string without quotes, and any other value as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn find<'v>(variables: &'v Map<String, Value>, steps: &[Step]) -> &'v Value {
    const NULL: &Value = &Value::Null;
    let Some((Step::Key(name), rest)) = steps.split_first() else {
        return NULL;
    };
    let first = variables.get(name);
    let found = rest.iter().fold(first, |value, step| match step {
        Step::Key(key) => value?.get(key),
        Step::Item(index) => value?.get(index),
    });
    found.unwrap_or(NULL)
}

/// Parses `$body.input.day`, `$session_variables['x-hasura-user-id']`, `$body?.input`.
fn path(text: &str, names: &[&str]) -> Result<Vec<Step>, String> {
    let unsupported = || {
        format!(
            "`{{{{{text}}}}}`, where only paths such as `{{{{$body.input.id}}}}` are understood"
        )
    };
    let rest = text.strip_prefix('$').ok_or_else(unsupported)?;
    let end = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let (name, mut rest) = rest.split_at(end);
    if !names.contains(&name) {
        return Err(format!(
            "`${name}` is none of {}",
            permissions::listed(names.iter().copied())
        ));
    }
    let mut steps = vec![Step::Key(name.to_owned())];
    while !rest.is_empty() {
        rest = rest.strip_prefix('?').unwrap_or(rest);
        if let Some(after) = rest.strip_prefix('.') {
            let end = after
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(after.len());
            let (key, after) = after.split_at(end);
            if key.is_empty() {
                return Err(unsupported());
            }
            steps.push(Step::Key(key.to_owned()));
            rest = after;
        } else {
            let inside = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
            let (inside, after) = inside.ok_or_else(unsupported)?;
            let quoted = ['\'', '"']
                .into_iter()
                .find_map(|quote| inside.strip_prefix(quote)?.strip_suffix(quote));
            steps.push(match quoted {
                Some(key) => Step::Key(key.to_owned()),
                None => Step::Item(inside.parse().map_err(|_| unsupported())?),
            });
            rest = after;
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(text: &str) -> Template {
        Template::parse(text, &["body", "base_url", "session_variables"]).unwrap()
    }

    #[test]
    fn values_are_inserted_as_json_text_or_encoded() {
        let variables = json!({"body": {"input": {"a": "x\"/y", "n": [1, 2]}}, "session_variables": {"x-u": "7"}});
        let variables = variables.as_object().unwrap();
        let template = parsed(
            "{\"a\": {{$body.input.a}}, \"b\": \"<{{ $body.input.a }}>\", \
                               \"c\": {{$body?.input.n[1]}}}",
        );
        assert_eq!(
            template.json(variables),
            Some(json!({"a": "x\"/y", "b": "<x\"/y>", "c": 2}))
        );
        assert_eq!(
            parsed("{{$session_variables['x-u']}}!").text(variables),
            "7!"
        );
        let url = parsed("{{$base_url}}/{{$body.input.a}}?b={{$session_variables['x-u']}}");
        assert_eq!(
            url.url("http://h", variables).unwrap(),
            "http://h/x%22%2Fy?b=7"
        );
    }

    #[test]
    fn only_a_whole_segment_of_the_path_is_refused() {
        let values = [
            "", ".", "..", "%2e", "%2e%2E", "/", "../x", "?", "#", "a b", "\t", "ü", "..\\",
            "null", "…", "．",
        ];
        // Where a value stands: in a segment of the path of its own, within one, and elsewhere.
        let whole = [
            "/a/{}/b", "/a/{}", "/{}?x=1", "/a/{}#x", "\\{}\\b", "/a/\t{}",
        ];
        let part = ["/a-{}/b", "/{}.json", "/a/v{}", "/{}-b", "/a.{}.b"];
        let behind = [
            "/a?q={}",
            "/a?{}=1",
            "/a?q={}&r=1",
            "/a/?{}",
            "?{}",
            "/a#{}",
            "/a?x#/{}/",
            "/a?/{}/../",
            "#{}",
        ];
        let url = |location: &str, value: &str| {
            let variables = json!({"body": value});
            let template = format!("https://h{}", location.replace("{}", "{{$body}}"));
            parsed(&template).url("unused", variables.as_object().unwrap())
        };
        let segments = |text: &str| {
            text.parse::<reqwest::Url>()
                .unwrap()
                .path_segments()
                .unwrap()
                .count()
        };
        for value in values {
            for source_location in whole {
                let made = url(source_location, value);
                assert_eq!(
                    made.is_none(),
                    matches!(value, "" | "." | ".."),
                    "{source_location} {value}: {made:?}"
                );
                let expected =
                    segments(&format!("https://h{}", source_location.replace("{}", "x")));
                assert!(
                    made.is_none_or(|text| segments(&text) == expected),
                    "{source_location} {value}"
                );
            }
            for part in part.into_iter().chain(behind) {
                let made = url(part, value).unwrap_or_else(|| panic!("{part} {value}"));
                let expected = segments(&format!("https://h{}", part.replace("{}", "x")));
                assert_eq!(segments(&made), expected, "{part} {value}: {made}");
            }
        }
    }

    #[test]
    fn values_and_literals_make_no_step_together() {
        let url = |template: &str, one: &str, other: &str| {
            let variables = json!({"body": {"a": one, "b": other}});
            parsed(template).url("http://h/base", variables.as_object().unwrap())
        };
        for (template, one, other) in [
            ("{{$base_url}}/{{$body.a}}{{$body.b}}", ".", "."),
            ("{{$base_url}}/{{$body.a}}{{$body.b}}", "", ""),
            ("{{$base_url}}/.{{$body.a}}", ".", ""),
            ("{{$base_url}}/%2e{{$body.a}}", ".", ""),
            ("{{$base_url}}/{{$body.a}}%2E/{{$body.b}}", "", "x"),
            ("{{$base_url}}/{{$body.a}}/{{$body.b}}", "x", ".."),
        ] {
            assert_eq!(url(template, one, other), None, "{template}");
        }
        assert_eq!(
            url("{{$base_url}}/{{$body.a}}.{{$body.b}}", "", "x").unwrap(),
            "http://h/base/.x"
        );
        assert_eq!(
            url("{{$base_url}}/../{{$body.a}}", "x", "").unwrap(),
            "http://h/base/../x",
            "as it is written"
        );
        assert_eq!(
            url("{{$base_url}}/{{$body.a}}{{$body.b}}", "a.", ".").unwrap(),
            "http://h/base/a.."
        );
    }

    #[test]
    fn values_cannot_change_the_host_of_a_url() {
        for fixed in [
            "{{$base_url}}",
            "{{$base_url}}/{{$body.a}}",
            "{{$base_url}}?a={{$body.a}}",
            "{{$base_url}}:8080/{{$body.a}}",
            "https://h/{{$body.a}}{{$body.b}}",
            "http://h?{{$body.a}}",
            "https://h.example:8443/x#{{$body.a}}",
        ] {
            assert!(parsed(fixed).has_fixed_host(), "{fixed}");
        }
        for open in [
            "",
            "{{$body.a}}/x",
            "{{$body.a}}://h/x",
            "//h/x",
            "h/x",
            "https:{{$body.a}}",
            "https:///{{$body.a}}/x",
            "https://\\{{$body.a}}/x",
            "https://?{{$body.a}}",
            "https://{{$body.a}}/x",
            "https://{{$body.a}}.example/x",
            "https://h{{$body.a}}/x",
            "https://h:{{$body.a}}/x",
            "https://u:{{$body.a}}@h/x",
            "{{$base_url}}{{$body.a}}",
            "{{$base_url}}.example{{$session_variables.a}}/x",
            "{{$base_url}}{{$base_url}}/x",
        ] {
            assert!(!parsed(open).has_fixed_host(), "{open}");
        }
        // Whatever a value is, it stays behind the host.
        let hostile = [
            "@evil.example",
            ":9",
            "\\\\evil.example",
            "//evil.example",
            "%2e%2e",
            "?x#y",
            "\t/\n",
            "a b",
            "ü",
        ];
        for value in hostile {
            let variables = json!({"body": value});
            for template in [
                "{{$base_url}}/{{$body}}",
                "https://h/{{$body}}",
                "https://h?{{$body}}",
                "https://h#{{$body}}",
            ] {
                let text = parsed(template)
                    .url("https://h", variables.as_object().unwrap())
                    .unwrap();
                let url = text.parse::<reqwest::Url>().unwrap();
                assert_eq!(
                    (url.scheme(), url.host_str(), url.port()),
                    ("https", Some("h"), None),
                    "{text}"
                );
                assert_eq!((url.username(), url.password()), ("", None), "{text}");
            }
        }
    }

    #[test]
    fn other_expressions_are_refused() {
        for text in [
            "{{ if $body }}",
            "{{$other}}",
            "{{$body.}}",
            "{{$body[x]}}",
            "{{$body",
        ] {
            assert!(Template::parse(text, &["body"]).is_err(), "{text}");
        }
    }
}
