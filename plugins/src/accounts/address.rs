//! E-mail addresses of requests.

use super::account_error::AccountError;

/// The longest address, by RFC 5321, section 4.5.3.1.3: a path of 256 characters with its brackets.
const MAX_LENGTH: usize = 254;

/// The longest part before the `@`, by RFC 5321, section 4.5.3.1.1.
const MAX_LOCAL_LENGTH: usize = 64;

/// Checks that a text is an address that mail can be sent to. Only ASCII is: the owner's query
/// compares addresses without case, and Postgres maps letters of other alphabets to those of ASCII
/// (the Kelvin sign to `k`), so that another person's address could find the user.
pub(super) fn check(text: &str) -> Result<&str, AccountError> {
    const INVALID: AccountError = AccountError::Invalid("`email` has to be an email address");
    let (local, domain) = text.split_once('@').ok_or(INVALID)?;
    let is_local = |character: char| {
        character.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(character)
    };
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .chars()
                .all(|character| character.is_ascii_alphanumeric() || character == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_valid = text.len() <= MAX_LENGTH
        && (1..=MAX_LOCAL_LENGTH).contains(&local.len())
        && local.chars().all(is_local)
        && local.split('.').all(|part| !part.is_empty())
        && domain.split('.').all(is_label);
    if is_valid { Ok(text) } else { Err(INVALID) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_mail_can_be_sent_to() {
        for address in [
            "a@b.example",
            "First.Last+tag@mail.example.com",
            "o'hara@x-y.example",
            "a@localhost",
        ] {
            assert_eq!(check(address), Ok(address));
        }
    }

    #[test]
    fn other_texts_are_no_addresses() {
        let long = format!("{}@example.com", "a".repeat(65));
        for text in [
            "",
            "a",
            "@",
            "a@",
            "@b",
            "a@b@c",
            "a b@c.de",
            "a@b..c",
            ".a@b.c",
            "a.@b.c",
            "a@-b.c",
            "a\u{ff20}b.example",
            "\u{212a}a@b.example",
            "a@b\u{3002}example",
            "a@b.c\r\nBcc: d@e.f",
            "\"a b\"@c.de",
            "a@[127.0.0.1]",
            "<a@b.c>",
            "a@b.c ",
            &long,
        ] {
            assert!(check(text).is_err(), "{text}");
        }
    }
}
