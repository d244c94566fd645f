//! A file whose secrets are masked, to draw faults on its lines.

use permissions::SourceFile;
use toml::de::{DeTable, DeValue};

use super::verification::METHODS;

/// The file with `*` in place of each character of a secret. Places in the file stay where they are.
pub(super) fn masked(file: &SourceFile) -> SourceFile {
    let mut bytes = file.text.as_bytes().to_vec();
    let (table, _) = DeTable::parse_recoverable(&file.text);
    mask_table(table.get_ref(), &mut bytes);
    // Whole strings are masked with ASCII, so the text stays valid.
    let text = String::from_utf8(bytes).unwrap_or_default();
    SourceFile::new(file.name.clone(), text)
}

fn mask_table(table: &DeTable<'_>, text: &mut [u8]) {
    for (key, value) in table {
        match is_secret(key.get_ref(), value.get_ref()) {
            true => mask_strings(value.get_ref(), value.span(), text),
            false => descend(value.get_ref(), text),
        }
    }
}

/// Whether a value may be a secret, also one in the wrong place: a key in place of its digest, a secret in place of the
/// table of its method.
fn is_secret(key: &str, value: &DeValue<'_>) -> bool {
    let is_named = (key.contains("secret") && !key.ends_with("_from_env")) || key.contains("password") || key == "keys";
    is_named || (METHODS.contains(&key) && !value.is_table())
}

fn descend(value: &DeValue<'_>, text: &mut [u8]) {
    match value {
        DeValue::Table(table) => mask_table(table, text),
        DeValue::Array(items) => items.iter().for_each(|item| descend(item.get_ref(), text)),
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
            text.get_mut(inner).into_iter().flatten().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b'*');
        }
        DeValue::Table(table) => {
            table.iter().for_each(|(_, value)| mask_strings(value.get_ref(), value.span(), text));
        }
        DeValue::Array(items) => items.iter().for_each(|item| mask_strings(item.get_ref(), item.span(), text)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_and_places_stay() {
        let text = "jwt_secret = '{\"key\":\"ü\"}'\n[a.hmac]\nsecrets = [\"one\", \"${TWO}\"]\nsecret_from_env = \"X\"\nheader = \"Y\"\n";
        let text = [text, "github = \"one\"\nlegacy.keys.a = \"two\"\n"].concat();
        let masked = masked(&SourceFile::new("f", text.as_str()));
        let expected = "jwt_secret = '************'\n[a.hmac]\nsecrets = [\"***\", \"${TWO}\"]\nsecret_from_env = \"X\"\nheader = \"Y\"\n\
                        github = \"***\"\nlegacy.keys.a = \"***\"\n";
        assert_eq!((&*masked.text, masked.text.len()), (expected, text.len()));
    }
}
