//! Parses the `path:` argument of a JSON column, `$.sizes[0]['any key']`, into the `text[]` that
//! `#>` takes.

use serde_json::Value as Json;

use crate::postgres::types::Input;

/// Converts a path to the text form of a `text[]`; `$` is `{}`, the whole value. `None` if it is
/// not a valid path.
///
/// A step is a name, an index in brackets, or any key in brackets and quotes, optionally after a
/// dot. Names are ASCII letters, digits, `_` and `-`, and do not begin with a digit or `-`.
pub(crate) fn parse(path: &str) -> Option<String> {
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    let mut steps = Vec::new();
    if rest.is_empty() && path.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (step, left) = step(rest, steps.is_empty() && !path.starts_with('$'))?;
        steps.push(Json::String(step));
        rest = left;
    }
    Input::Text.list(&Json::Array(steps)).ok()
}

/// The first step, and the rest of the path. A name needs a dot before it, unless it is the first
/// step of a path without `$`.
fn step(path: &str, first: bool) -> Option<(String, &str)> {
    let (pointed, path) = path
        .strip_prefix('.')
        .map_or((false, path), |rest| (true, rest));
    match path.strip_prefix('[') {
        Some(inner) => bracketed(inner),
        None if pointed || first => name(path),
        None => None,
    }
}

fn name(path: &str) -> Option<(String, &str)> {
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let (name, rest) = path.split_at(path.find(|c: char| !inside(c)).unwrap_or(path.len()));
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins.then(|| (name.to_owned(), rest))
}

/// `0]`, `'any key']` or `"any key"]`. In a key, a backslash precedes a quote that does not end it,
/// or begins a JSON escape.
fn bracketed(path: &str) -> Option<(String, &str)> {
    let Some(quote) = path.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        let (digits, rest) = path.split_once(']')?;
        let index =
            !digits.is_empty() && digits.len() < 10 && digits.bytes().all(|b| b.is_ascii_digit());
        return index.then(|| (digits.to_owned(), rest));
    };
    let inner = path.get(1..)?;
    let mut escaped = false;
    let end = inner.char_indices().find(|(_, c)| {
        let ends = *c == quote && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    let (key, rest) = inner.split_at(end?.0);
    Some((unescaped(key, quote)?, rest.get(1..)?.strip_prefix(']')?))
}

fn unescaped(key: &str, quote: char) -> Option<String> {
    let key = if quote == '\'' {
        key.replace("\\'", "'").replace('"', "\\\"")
    } else {
        key.to_owned()
    };
    serde_json::from_str(&format!("\"{key}\"")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_steps_become_array_elements() {
        for (path, wanted) in [
            ("$", "{}"),
            ("a", r#"{"a"}"#),
            (".a.b", r#"{"a","b"}"#),
            ("$.a.b-c", r#"{"a","b-c"}"#),
            ("arr[0]", r#"{"arr","0"}"#),
            ("$[0][12]", r#"{"0","12"}"#),
            ("['any key']", r#"{"any key"}"#),
            (r#"["any key"]"#, r#"{"any key"}"#),
            (r#"objs.[0].["x"]"#, r#"{"objs","0","x"}"#),
            (r#"["a\"b"]"#, r#"{"a\"b"}"#),
            (r"['it\'s']['say \u0022']", r#"{"it's","say \""}"#),
            (r#"['a"b']"#, r#"{"a\"b"}"#),
            ("['a,{}b']", r#"{"a,{}b"}"#),
            ("['']", r#"{""}"#),
            ("['ö']", r#"{"ö"}"#),
        ] {
            assert_eq!(parse(path).as_deref(), Some(wanted), "{path}");
        }
    }

    #[test]
    fn invalid_paths_are_refused() {
        let bad = [
            "",
            ".",
            "$.",
            "a.",
            "a..b",
            "$a",
            "a b",
            "a[",
            "a[]",
            "a[x]",
            "a[-1]",
            "a['x]",
            "a['x'",
            "['x'y]",
            "1a",
            "-a",
            "a]",
            "$$",
            "ö",
            "['\\q']",
            "[99999999999]",
            "['\0']",
            "['\\u0000']",
        ];
        for path in bad {
            assert_eq!(parse(path), None, "{path}");
        }
    }
}
