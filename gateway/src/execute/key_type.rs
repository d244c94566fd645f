//! The types of columns by which changed rows are matched with the parameters of subscribers: types
//! whose equal values have equal texts. A parameter is written as its value is by Postgres, so that
//! texts can be compared.

use std::borrow::Cow;

use sql::postgres::catalog::Oid;

/// A group of types whose values are compared by their text form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// `smallint`, `integer`, `bigint`
    Integer,
    /// `uuid`
    Uuid,
    /// `boolean`
    Boolean,
    /// `text` and `varchar`, if all collations of the database are deterministic: then only equal
    /// bytes are equal.
    Text,
}

impl KeyType {
    /// The group of a type by its OID. For texts, the collations have to be checked as well.
    pub fn from_oid(oid: Oid) -> Option<KeyType> {
        match oid {
            20 | 21 | 23 => Some(KeyType::Integer),
            2950 => Some(KeyType::Uuid),
            16 => Some(KeyType::Boolean),
            25 | 1043 => Some(KeyType::Text),
            _ => None,
        }
    }

    /// The group of a type that a plan casts to.
    pub(super) fn from_cast(name: &str) -> Option<KeyType> {
        match name {
            "smallint" | "integer" | "bigint" => Some(KeyType::Integer),
            "uuid" => Some(KeyType::Uuid),
            "boolean" => Some(KeyType::Boolean),
            "text" | "character varying" => Some(KeyType::Text),
            _ => None,
        }
    }

    /// The text that Postgres writes for the value that it reads from a text; none if that is not
    /// certain.
    pub fn normalize(self, text: &str) -> Option<Cow<'_, str>> {
        // Postgres ignores the white space around all values but texts.
        let trimmed = text.trim_matches(|c: char| c == ' ' || ('\t'..='\r').contains(&c));
        match self {
            KeyType::Text => Some(Cow::Borrowed(text)),
            KeyType::Integer => {
                let digits = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
                let is_number =
                    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
                is_number
                    .then(|| trimmed.parse::<i64>().ok())?
                    .map(|number| Cow::Owned(number.to_string()))
            }
            KeyType::Boolean => match trimmed {
                "t" | "true" => Some(Cow::Borrowed("t")),
                "f" | "false" => Some(Cow::Borrowed("f")),
                _ => None,
            },
            KeyType::Uuid => uuid::Uuid::try_parse(trimmed)
                .ok()
                .map(|uuid| Cow::Owned(uuid.hyphenated().to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_written_as_postgres_writes_them() {
        let normalized = |key_type: KeyType, text| key_type.normalize(text).map(Cow::into_owned);
        for (text, expected) in [("7", "7"), (" +007\n", "7"), ("-0", "0"), ("-12", "-12")] {
            assert_eq!(
                normalized(KeyType::Integer, text).as_deref(),
                Some(expected),
                "{text:?}"
            );
        }
        for text in [
            "",
            "-",
            "0x1F",
            "1_000",
            "7.0",
            "99999999999999999999",
            "１",
        ] {
            assert_eq!(normalized(KeyType::Integer, text), None, "{text:?}");
        }
        let uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
        assert_eq!(
            normalized(KeyType::Uuid, "{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}").as_deref(),
            Some(uuid)
        );
        assert_eq!(
            normalized(KeyType::Uuid, "a0eebc999c0b4ef8bb6d6bb9bd380a11").as_deref(),
            Some(uuid)
        );
        assert_eq!(normalized(KeyType::Uuid, "a0eebc99"), None);
        assert_eq!(normalized(KeyType::Boolean, "true").as_deref(), Some("t"));
        assert_eq!(normalized(KeyType::Boolean, "yes"), None);
        assert_eq!(normalized(KeyType::Text, " a ").as_deref(), Some(" a "));
    }
}
