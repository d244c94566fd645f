//! The secrets of a method: written in the file, as `${VARIABLE}` there, or by the name of an
//! environment variable.

use std::ops::Range;

use permissions::{Text, TomlFields, TomlReader};

use super::fault::Fault;

/// Reads a file with declarations.
pub(super) type Reader = TomlReader<Fault>;

/// The keys of a table in it.
pub(super) type Fields<'r, 't> = TomlFields<'r, 't, Fault>;

/// Returns environment variables by name.
pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The least bytes of a secret.
const MIN_SECRET_BYTES: usize = 16;

/// The least different bytes of a secret.
const MIN_DISTINCT_BYTES: usize = 6;

/// The keys with the secrets of a method.
pub(super) const KEYS: [&str; 4] = ["secret", "secrets", "secret_from_env", "secrets_from_env"];

/// Reads the secrets of a method. Without any, the fault is at its key.
pub(super) fn read(
    fields: &mut Fields<'_, '_>,
    method: &'static str,
    key: &Text,
    variable: Environment<'_>,
) -> Option<Vec<Text>> {
    let written: Vec<Text> = fields
        .text("secret")
        .into_iter()
        .chain(fields.list("secrets"))
        .collect();
    let named: Vec<Text> = fields
        .text("secret_from_env")
        .into_iter()
        .chain(fields.list("secrets_from_env"))
        .collect();
    let reader = fields.reader();
    if written.is_empty() && named.is_empty() {
        let help = "`secret_from_env` names the environment variable with the secret, or \
                    `secret_query` finds those of a sender";
        reader.add_with(Fault::NoSecret { method }, key.span.clone(), help);
        return None;
    }
    // Every secret is read before the first fault ends the method.
    let written: Vec<Option<Text>> = written
        .into_iter()
        .map(|text| resolve(reader, text, variable))
        .collect();
    let named: Vec<Option<Text>> = named
        .into_iter()
        .map(|Text { value, span }| lookup(reader, &value, span, variable))
        .collect();
    written.into_iter().chain(named).collect()
}

/// Replaces each `${VARIABLE}` of a text.
pub(super) fn resolve(reader: &mut Reader, text: Text, variable: Environment<'_>) -> Option<Text> {
    let mut resolved = String::new();
    let mut rest = text.value.as_str();
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, after)) = after.split_once('}') else {
            break;
        };
        resolved.push_str(before);
        resolved.push_str(&lookup(reader, name, text.span.clone(), variable)?.value);
        rest = after;
    }
    resolved.push_str(rest);
    Some(Text {
        value: resolved,
        span: text.span,
    })
}

fn lookup(
    reader: &mut Reader,
    name: &str,
    span: Range<usize>,
    variable: Environment<'_>,
) -> Option<Text> {
    match variable(name).filter(|value| !value.is_empty()) {
        // A secret in a file that a shell has read may end with its line.
        Some(value) => Some(Text {
            value: value.trim_end_matches(['\r', '\n']).to_owned(),
            span,
        }),
        None => {
            reader.add(
                Fault::NoVariable {
                    name: name.to_owned(),
                },
                span,
            );
            None
        }
    }
}

/// The bytes of a secret that is not easily guessed.
pub(super) fn strong(reader: &mut Reader, bytes: Vec<u8>, span: Range<usize>) -> Option<Vec<u8>> {
    let Some(reason) = weakness(&bytes) else {
        return Some(bytes);
    };
    reader.add_with(
        Fault::WeakSecret { reason },
        span,
        "`openssl rand -hex 32` makes a strong one",
    );
    None
}

/// Why a secret is easily guessed; `None` if it is not.
pub(super) fn weakness(bytes: &[u8]) -> Option<&'static str> {
    let variety = bytes
        .iter()
        .collect::<std::collections::BTreeSet<_>>()
        .len();
    match bytes.len() {
        0..MIN_SECRET_BYTES => Some("fewer than 16 bytes"),
        _ if variety < MIN_DISTINCT_BYTES => Some("fewer than 6 different characters"),
        _ => None,
    }
}
