//! Judges the text of a language model: it may have words of its own, but every address and every
//! number in it is one of the passages that the model got. A wrong address or number would be the
//! worst of a model's inventions, and each can be recognized.

use std::collections::HashSet;

use serde_json::Value;

/// The addresses and numbers of some passages.
#[derive(Debug, Default)]
pub(super) struct KnownDetails {
    /// The words: runs between spaces, brackets and quotation marks. A URL is one.
    words: HashSet<String>,
    numbers: HashSet<String>,
}

/// What ends a word beside spaces. No URL has these characters unless they are encoded, or at its
/// end.
const ENDS: &str = "()[]{}<>\"'„“”«»‹›「」『』（）【】《》,;*`|、，；";

/// What may stand at both ends of a word in a sentence.
const PUNCTUATION: &str = ".:!?…。！？：’–—-";

/// The characters that hosts may have in place of a dot.
/// <https://www.unicode.org/reports/tr46/#Notation>
const DOTS: &str = ".․。︒﹒．｡";

/// Dots with which sentences end, too, without a space after them.
const IDEOGRAPHIC_DOTS: &str = "。︒﹒．｡";

/// The most letters of a host between such dots. A longer run is a text.
const MAX_HOST_LETTERS: usize = 12;

/// What ends a label of a host.
const LABEL_ENDS: &str = "!\"#$&'()*+,/:;<=>?[\\]^`{|}~”’»›」』）】》…–—，、！？：；";

impl KnownDetails {
    /// The details of all texts and numbers in the passages.
    pub(super) fn new(passages: &[Value]) -> KnownDetails {
        let mut known = KnownDetails::default();
        passages.iter().for_each(|passage| known.add(passage));
        known
    }

    fn add(&mut self, passage: &Value) {
        match passage {
            Value::String(text) => self.add_text(text),
            Value::Number(number) => self.add_text(number.as_str()),
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(members) => members.values().for_each(|member| self.add(member)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        let text = readable(text);
        self.words
            .extend(words(&text).map(|word| trim_punctuation(word).to_owned()));
        self.numbers.extend(
            numbers(&text)
                .into_iter()
                .flat_map(|number| parts(&number).chain([number.clone()]).collect::<Vec<_>>()),
        );
    }

    /// The kind of detail in a text that no passage has.
    pub(super) fn unfounded(&self, text: &str) -> Option<&'static str> {
        let text = readable(text);
        if words(&text).any(|word| !self.words.contains(trim_punctuation(word)) && is_address(word))
        {
            return Some("an address");
        }
        numbers(&text)
            .iter()
            .any(|number| !self.has_number(number))
            .then_some("a number")
    }

    /// Whether the passages have a number, or both ends of a range.
    fn has_number(&self, number: &str) -> bool {
        let parts: Vec<String> = parts(number).collect();
        self.numbers.contains(number)
            || parts.len() <= 2 && parts.iter().all(|part| self.numbers.contains(part))
    }
}

/// The text in lower case without characters that no reader sees: `evil.<zero-width space>example`
/// is a host.
fn readable(text: &str) -> String {
    text.chars()
        .filter(|letter| !is_invisible(*letter))
        .collect::<String>()
        .to_lowercase()
}

/// Characters with the property `Default_Ignorable_Code_Point`.
/// <https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt>
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| {
        letter.is_whitespace() || letter.is_control() || ENDS.contains(letter)
    })
}

/// A word without the punctuation around it.
fn trim_punctuation(word: &str) -> &str {
    let word = word.trim_matches(|letter| PUNCTUATION.contains(letter));
    word.strip_suffix('/').unwrap_or(word)
}

/// Whether a word looks like a URL, a host, an e-mail address or a path.
fn is_address(word: &str) -> bool {
    let is_encoded =
        |(at, _): (usize, &str)| word[at + 1..].starts_with(|next: char| next.is_ascii_hexdigit());
    word.contains("//")
        || word.contains(['@', '＠', '﹫', '\\', '／', '＼'])
        || word.match_indices('%').any(is_encoded)
        || word
            .char_indices()
            .any(|(at, letter)| DOTS.contains(letter) && is_host_dot(word, at, letter))
}

/// Whether a dot stands between labels of a host.
fn is_host_dot(word: &str, at: usize, dot: char) -> bool {
    let is_dot = |letter: char| DOTS.contains(letter);
    let Some(before) = word[..at]
        .chars()
        .next_back()
        .filter(|letter| !is_dot(*letter))
    else {
        return false;
    };
    let label = word[at + dot.len_utf8()..]
        .split(|letter| is_dot(letter) || LABEL_ENDS.contains(letter))
        .next();
    let label = label.unwrap_or_default();
    // The last label of a host has two letters at least, and begins with none that is a digit.
    // `e.g.` is no host.
    if label.chars().nth(1).is_none() || label.starts_with(char::is_numeric) {
        return false;
    }
    let is_latin =
        before.is_ascii_alphabetic() || label.contains(|letter: char| letter.is_ascii_alphabetic());
    is_latin || !IDEOGRAPHIC_DOTS.contains(dot) || word.chars().count() <= MAX_HOST_LETTERS
}

/// The numbers of a text, of any script. A single character between digits does not end a number:
/// `1,000.50`, `10:30`, `030-1234`.
fn numbers(text: &str) -> Vec<String> {
    let mut numbers: Vec<String> = vec![];
    let mut number = String::new();
    let mut joint = None;
    for letter in text.chars().chain([' ']) {
        if letter.is_numeric() {
            number.extend(joint.take());
            number.push(letter);
        } else if joint.is_none() && !number.is_empty() && (is_mark(letter) || is_joint(letter)) {
            joint = Some(letter);
        } else {
            joint = None;
            if !number.is_empty() {
                numbers.push(std::mem::take(&mut number));
            }
        }
    }
    numbers
}

/// The parts of a number that is several: a range, a date, a telephone number.
fn parts(number: &str) -> impl Iterator<Item = String> {
    number.split(is_joint).map(str::to_owned)
}

/// Whether a character stands between the digits of one number.
fn is_mark(letter: char) -> bool {
    ".,'’٫٬".contains(letter)
}

/// Whether a character stands between several numbers.
fn is_joint(letter: char) -> bool {
    "-‐‑–—/:".contains(letter)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn known() -> KnownDetails {
        KnownDetails::new(&[
            json!({"text": "Write to dpo@shop.example within 30 days, see \
                            https://shop.example/privacy?x=1.", "page": 7}),
            json!({"text": ["Kept 120 months.\nCall +49 30 901820 or 030-901820, fee 1,000.50", {"a": "Open \
                 10:30–18:00"}]}),
        ])
    }

    #[test]
    fn details_of_the_passages_are_founded() {
        let known = known();
        for text in [
            "Write to dpo@shop.example within 30 days.",
            "See https://shop.example/privacy?x=1. It takes effect at once.",
            "(dpo@shop.example), “https://shop.example/privacy?x=1”; [DPO@shop.example]!",
            "You may withdraw your consent (at any time), e.g. by e-mail; i.e. z.B. or d.h. in \
             writing…",
            "Within 30–120 days, a 30-day period, 30/120, for 1,000.50; page 7: +49 30 901820, \
             030-901820, 10:30–18:00.",
            "He/she, and/or, Nutzer:innen, Nutzer*innen, AT&T, don't, l’accord, well...and—so: \
             “yes”.",
            "您可以在30天内随时撤回您的同意。请写信给我们，我们会尽快处理。谢谢您的理解与支持。",
            "同意はいつでも撤回できます。メールでご連絡ください。",
            "Отзовите согласие в любое время, т.е. сразу. Mail: dpo@shop.example!",
            "می‌توانید رضایت خود را پس بگیرید.",
        ] {
            assert_eq!(known.unfounded(text), None, "{text}");
        }
    }

    #[test]
    fn invented_addresses_and_numbers_are_not() {
        let known = known();
        for text in [
            "evil.example?x",
            "evil.example#x",
            "evil.example:30",
            "evil.example–it",
            "op.example",
            "evil.xn--fiqs",
            "evil。example",
            "Write to evil@shop.example.",
            "See https://evil.example/x",
            "[here](evil.example)",
            "shop.example",
            "https://shop.example/privacy",
            "https://shop.example/privacy?x=1&y",
            "dpo@shop.example.evil",
            "https://shop.example/evil",
            "//evil/x",
            "\\\\evil\\x",
            "evil%2eexample",
            "骗子。中国",
            "例え．テスト",
            "evil.\u{200b}example",
            "ev\u{ad}il.ex\u{2060}ample",
            "evil.c\u{301}om",
            "💩.la",
            "evil．example",
            "me＠evil",
            "evil.example/",
            "-evil.example-",
            "evil.example…",
            "ＥＶＩＬ．ＣＯＭ",
            "𝐞𝐯𝐢𝐥.𝐜𝐨𝐦",
            "https://dpo@shop.example",
            "evil.example@shop",
            "http://localhost",
        ] {
            assert_eq!(
                known.unfounded(&format!("Go to {text} now.")),
                Some("an address"),
                "{text}"
            );
        }
        for text in [
            "Call ٠١٢٣",
            "It takes 12 months.",
            "Article 17 says so.",
            "30.120",
            "3",
            "0",
            "1,000",
            "120-30-120",
            "30.5",
            "Ⅻ months",
            "½ year",
            "② days",
            "３０ days",
            "３0",
            "c3po",
            "120.30.120.30",
            "+49 30 90182",
            "10:30:18",
            "30²",
        ] {
            assert_eq!(known.unfounded(text), Some("a number"), "{text}");
        }
    }

    /// Assigned characters are among these.
    fn characters() -> impl Iterator<Item = char> {
        (0..0x3000)
            .chain(0x3000..0x3400)
            .chain(0xa000..0xac00)
            .chain(0xf900..0x1_0000)
            .chain(0x1_d000..0x1_fc00)
            .chain(0xe_0000..0xe_0200)
            .filter_map(char::from_u32)
    }

    #[test]
    fn no_character_beside_a_host_hides_it() {
        let known = known();
        for letter in characters() {
            for text in [
                "evil.example{}",
                "evil.example{}it",
                "{}evil.example",
                "it{}evil.example",
                "shop{}evil.example",
            ] {
                let text = text.replace("{}", &letter.to_string());
                assert!(known.unfounded(&text).is_some(), "{letter:?} in {text}");
            }
            for text in ["dpo@shop.example{}it", "it{}dpo@shop.example"] {
                let text = text.replace("{}", &letter.to_string());
                let is_known = text
                    .to_lowercase()
                    .split(|letter: char| {
                        letter.is_whitespace() || letter.is_control() || ENDS.contains(letter)
                    })
                    .any(|word| trim_punctuation(word) == "dpo@shop.example");
                assert!(
                    is_known || is_invisible(letter) || known.unfounded(&text).is_some(),
                    "{letter:?} in {text}"
                );
            }
        }
    }

    #[test]
    fn every_character_that_joins_labels_of_a_host_is_a_dot() {
        let known = known();
        // The model's text has no control characters, and readers take no quotation mark for a part
        // of a host.
        for letter in characters().filter(|letter| !letter.is_control() && !ENDS.contains(*letter))
        {
            for text in [
                format!("evil{letter}example"),
                format!("evil.ex{letter}ample"),
                format!("evil{letter}.example"),
            ] {
                let url = format!("http://{text}/").parse::<reqwest::Url>();
                let is_letter =
                    |letter: char| letter.is_ascii_alphanumeric() || "-.".contains(letter);
                let is_plain = |host: &str| {
                    host.contains('.') && !host.contains("..") && host.chars().all(is_letter)
                };
                let is_host = url.is_ok_and(|url| url.host_str().is_some_and(is_plain));
                assert!(
                    !is_host || known.unfounded(&text).is_some(),
                    "{letter:?} in {text}"
                );
            }
        }
    }

    #[test]
    fn digits_of_every_script_are_numbers() {
        let known = known();
        for letter in characters().filter(|letter| letter.is_numeric()) {
            let is_known = ['1', '7'].contains(&letter);
            for text in [format!("Call {letter}."), format!("{letter}")] {
                assert_eq!(known.unfounded(&text).is_none(), is_known, "{letter:?}");
            }
            assert!(
                known
                    .unfounded(&format!("Call {letter}{letter}{letter}"))
                    .is_some(),
                "{letter:?}"
            );
        }
    }
}
