//! A file whose secrets are masked, to draw faults on its lines.

use permissions::{Diagnostic, DiagnosticKind, SourceFile};
use toml::de::{DeTable, DeValue};

/// The file with `*` in place of each character of a secret. Places in the file stay where they
/// are. `tables` are keys whose values are tables: anything else there may be a secret in the wrong
/// place.
pub fn masked(file: &SourceFile, tables: &[&str]) -> SourceFile {
    let mut bytes = file.text.as_bytes().to_vec();
    let (table, _) = DeTable::parse_recoverable(&file.text);
    mask_table(table.get_ref(), tables, &mut bytes);
    // Whole strings are masked with ASCII, so the text stays valid.
    let text = String::from_utf8(bytes).unwrap_or_default();
    SourceFile::new(file.name.clone(), text)
}

/// The fault, drawn on a masked file.
pub fn hide<F: DiagnosticKind + Clone>(
    problem: &Diagnostic<F>,
    shown: &SourceFile,
) -> Diagnostic<F> {
    let hidden = Diagnostic::new(
        problem.fault().clone(),
        shown.span_of(problem.span().span()),
    );
    match problem.suggestion() {
        Some(help) => hidden.help(help),
        None => hidden,
    }
}

fn mask_table(table: &DeTable<'_>, tables: &[&str], text: &mut [u8]) {
    for (key, value) in table {
        match is_secret(key.get_ref(), value.get_ref(), tables) {
            true => mask_strings(value.get_ref(), value.span(), text),
            false if key.get_ref() == "headers" => mask_headers(value.get_ref(), text),
            false => descend(value.get_ref(), tables, text),
        }
    }
}

/// Masks the values of headers: `[{ name = "Authorization", value = "…" }]`.
fn mask_headers(value: &DeValue<'_>, text: &mut [u8]) {
    for header in value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|item| item.get_ref().as_table())
    {
        for (_, value) in header.iter().filter(|(key, _)| key.get_ref() == "value") {
            mask_strings(value.get_ref(), value.span(), text);
        }
    }
}

/// Whether a value may be a secret, also one in the wrong place: a key in place of its digest, a
/// secret in place of the table of its method.
fn is_secret(key: &str, value: &DeValue<'_>, tables: &[&str]) -> bool {
    let is_named = (key.contains("secret") && !key.ends_with("_from_env"))
        || key.contains("password")
        || key == "keys";
    is_named || (tables.contains(&key) && !value.is_table())
}

fn descend(value: &DeValue<'_>, tables: &[&str], text: &mut [u8]) {
    match value {
        DeValue::Table(table) => mask_table(table, tables, text),
        DeValue::Array(items) => items
            .iter()
            .for_each(|item| descend(item.get_ref(), tables, text)),
        _ => {}
    }
}

/// Masks every string of a value but those that only name an environment variable.
fn mask_strings(value: &DeValue<'_>, span: std::ops::Range<usize>, text: &mut [u8]) {
    match value {
        DeValue::String(string) if string.starts_with("${") && string.ends_with('}') => {}
        DeValue::String(_) => {
            let inner = span.start + 1..span.end.saturating_sub(1);
            // Lines stay, so that those after a long string keep their numbers.
            text.get_mut(inner)
                .into_iter()
                .flatten()
                .filter(|byte| **byte != b'\n')
                .for_each(|byte| *byte = b'*');
        }
        DeValue::Table(table) => {
            let secrets = table
                .iter()
                .filter(|(key, _)| !key.get_ref().ends_with("_from_env"));
            secrets.for_each(|(_, value)| mask_strings(value.get_ref(), value.span(), text));
        }
        DeValue::Array(items) => items
            .iter()
            .for_each(|item| mask_strings(item.get_ref(), item.span(), text)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_and_places_stay() {
        let text = "jwt_secret = '{\"key\":\"ü\"}'\n[a.hmac]\nsecrets = [\"one\", \
                    \"${TWO}\"]\nsecret_from_env = \"X\"\nheader = \"Y\"\n";
        let text = [text, "github = \"one\"\nlegacy.keys.a = \"two\"\n"].concat();
        let masked = masked(&SourceFile::new("f", text.as_str()), &["github", "legacy"]);
        let expected = "jwt_secret = '************'\n[a.hmac]\nsecrets = [\"***\", \
                        \"${TWO}\"]\nsecret_from_env = \"X\"\nheader = \"Y\"\n\
                        github = \"***\"\nlegacy.keys.a = \"***\"\n";
        assert_eq!((&*masked.text, masked.text.len()), (expected, text.len()));
    }

    #[test]
    fn values_of_headers_are_masked() {
        let text = "headers = [{ name = \"A\", value = \"one\" }, { name = \"B\", value_from_env \
                    = \"TWO\" }]\n\
                    secrets = [{ value = \"three\" }, { value_from_env = \"FOUR\" }]\n";
        let masked = masked(&SourceFile::new("f", text), &[]);
        assert_eq!(
            &*masked.text,
            text.replace("one", "***").replace("three", "*****")
        );
    }
}
