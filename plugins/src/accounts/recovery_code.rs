//! Recovery codes, for those who have lost their second factor: 80 random bits as sixteen letters
//! and digits, `k5x2-mq7d-3nfa-wo6t`.

use data_encoding::BASE32_NOPAD;

/// How many codes a person gets.
pub(super) const CODES: usize = 10;

/// The letters and digits of a code.
const LENGTH: usize = 16;

/// A new code, as people see it.
pub(super) fn new_code() -> String {
    let text = BASE32_NOPAD.encode(&rand::random::<[u8; 10]>());
    let text = text.to_ascii_lowercase();
    [&text[..4], &text[4..8], &text[8..12], &text[12..]].join("-")
}

/// The digest of a code of a user, however it is spelled; `None` if the text is no code.
pub(super) fn digest(user: &str, text: &str) -> Option<String> {
    let is_separator = |letter: char| letter == '-' || letter == ' ';
    let letters = text.chars().filter(|letter| !is_separator(*letter));
    let code: String = letters
        .map(|letter| letter.to_ascii_lowercase())
        .take(LENGTH + 1)
        .collect();
    let is_code = code.len() == LENGTH && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_code.then(|| crate::token_exchange::digest(&format!("{user} {code}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_may_be_spelled_as_people_do() {
        let code = new_code();
        assert_eq!((code.len(), code.split('-').count()), (19, 4), "{code}");
        let digested = digest("ada", &code);
        assert!(digested.is_some());
        for spelled in [
            code.to_uppercase(),
            code.replace('-', ""),
            code.replace('-', " "),
        ] {
            assert_eq!(digest("ada", &spelled), digested, "{spelled}");
        }
        assert_ne!(digest("bob", &code), digested);
        for text in [
            "",
            "123456",
            &code[1..],
            &format!("{code}a"),
            "ä5x2-mq7d-3nfa-wo6",
        ] {
            assert_eq!(digest("ada", text), None, "{text}");
        }
    }
}
