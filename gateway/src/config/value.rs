//! The types that a setting may have, and how their values are read from text.

use std::path::PathBuf;
use std::time::Duration;

use pg::PoolerMode;

use super::dialect::Profile;
use super::subscription_source::SubscriptionSource;
use super::webhook_method::WebhookMethod;
use super::{Secret, Secrets};
use crate::telemetry::log::LogFormat;

/// The form of a setting's value: what flags, environment variables and the settings file accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A path; in the file relative to the file.
    Path,
    /// Text that is never shown.
    Secret,
    /// Several URLs that are never shown, separated by spaces; a flag for each, in the file a list.
    Urls,
    /// `true` or `false`; a flag without value is true.
    Switch,
    /// A whole number, which [`super::validate`] compares with this range.
    Number {
        /// The minimum.
        min: usize,
        /// The maximum.
        max: usize,
    },
    /// A positive number of seconds, possibly fractional.
    Seconds,
    /// A number of seconds that may be 0.
    Delay,
    /// A number from 0 to 1.
    Ratio,
    /// Several texts, separated by commas; in the file a list.
    List,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// A number, in mebibytes where it is a whole number of them.
fn with_unit(number: usize) -> String {
    match number >> 20 {
        mebibytes if mebibytes > 0 && mebibytes << 20 == number => format!("{mebibytes} MiB"),
        _ => number.to_string(),
    }
}

/// The maximum of numbers whose row in the table has no range. A larger one is meant as no limit,
/// or a mistake.
pub(super) const MAX_NUMBER: usize = 1 << 40;

impl Kind {
    /// The range of a number, as the documentation shows it.
    pub fn range(self) -> Option<String> {
        match self {
            Kind::Number {
                min,
                max: MAX_NUMBER,
            } => Some(format!("from {}", with_unit(min))),
            Kind::Number { min, max } => Some(format!("{} to {}", with_unit(min), with_unit(max))),
            Kind::Seconds => Some("above 0".into()),
            Kind::Delay => Some("from 0".into()),
            Kind::Ratio => Some("0 to 1".into()),
            Kind::Text
            | Kind::Path
            | Kind::Secret
            | Kind::Urls
            | Kind::Switch
            | Kind::List
            | Kind::Word(_) => None,
        }
    }

    /// The valid values, for the message about an invalid one. Texts, secrets and lists are always
    /// valid.
    pub(super) fn expected(self) -> String {
        match self {
            Kind::Text | Kind::List => "a text".into(),
            Kind::Secret => "a text, or where several are accepted a list of texts".into(),
            Kind::Urls => "URLs (`postgres://…`), separated by spaces".into(),
            Kind::Path => "a path".into(),
            Kind::Switch => "true or false".into(),
            Kind::Number { .. } => "a whole number".into(),
            Kind::Seconds => "a positive number of seconds".into(),
            Kind::Delay => "a number of seconds, or 0".into(),
            Kind::Ratio => "a number from 0 to 1".into(),
            Kind::Word(words) => format!("one of {}", words.join(", ")),
        }
    }
}

/// A type that a setting may have.
pub(super) trait SettingValue: Sized {
    /// Its form in flags, variables and the file.
    const KIND: Kind;

    /// Reads a text without surrounding spaces; `None` if it is not of this form.
    fn parse(text: &str) -> Option<Self>;

    /// The value as it would be written; `None` for values that are not shown as defaults.
    fn to_text(&self) -> Option<String>;
}

/// An optional setting has no default. An empty text or secret counts as not set.
impl<T: SettingValue> SettingValue for Option<T> {
    const KIND: Kind = T::KIND;

    fn parse(text: &str) -> Option<Option<T>> {
        match (text, T::KIND) {
            ("", Kind::Text | Kind::Secret) => Some(None),
            _ => T::parse(text).map(Some),
        }
    }

    fn to_text(&self) -> Option<String> {
        self.as_ref().and_then(T::to_text)
    }
}

impl SettingValue for String {
    const KIND: Kind = Kind::Text;

    fn parse(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn to_text(&self) -> Option<String> {
        Some(self.clone())
    }
}

impl SettingValue for PathBuf {
    const KIND: Kind = Kind::Path;

    fn parse(text: &str) -> Option<PathBuf> {
        (!text.is_empty()).then(|| PathBuf::from(text))
    }

    fn to_text(&self) -> Option<String> {
        Some(self.to_string_lossy().into_owned())
    }
}

impl SettingValue for Secret {
    const KIND: Kind = Kind::Secret;

    fn parse(text: &str) -> Option<Secret> {
        Some(Secret::new(text))
    }

    fn to_text(&self) -> Option<String> {
        None
    }
}

/// In the file a list as well, which comes here as JSON.
impl SettingValue for Secrets {
    const KIND: Kind = Kind::Secret;

    fn parse(text: &str) -> Option<Secrets> {
        Secrets::parse(text)
    }

    fn to_text(&self) -> Option<String> {
        None
    }
}

impl SettingValue for Vec<Secret> {
    const KIND: Kind = Kind::Urls;

    fn parse(text: &str) -> Option<Vec<Secret>> {
        text.split_whitespace()
            .map(|url| url.contains("://").then(|| Secret::new(url)))
            .collect()
    }

    fn to_text(&self) -> Option<String> {
        None
    }
}

/// Switches are off unless their default says otherwise.
impl SettingValue for bool {
    const KIND: Kind = Kind::Switch;

    fn parse(text: &str) -> Option<bool> {
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Some(true),
            "false" | "0" | "no" | "off" => Some(false),
            _ => None,
        }
    }

    fn to_text(&self) -> Option<String> {
        self.then(|| self.to_string())
    }
}

impl SettingValue for usize {
    const KIND: Kind = Kind::Number {
        min: 1,
        max: MAX_NUMBER,
    };

    fn parse(text: &str) -> Option<usize> {
        text.parse().ok()
    }

    fn to_text(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl SettingValue for Duration {
    const KIND: Kind = Kind::Seconds;

    fn parse(text: &str) -> Option<Duration> {
        let number: f64 = text.parse().ok()?;
        Duration::try_from_secs_f64(number)
            .ok()
            .filter(|time| !time.is_zero() && number < 1e7)
    }

    fn to_text(&self) -> Option<String> {
        Some(self.as_secs_f64().to_string())
    }
}

/// A time that may be zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay(pub Duration);

impl SettingValue for Delay {
    const KIND: Kind = Kind::Delay;

    fn parse(text: &str) -> Option<Delay> {
        let is_zero = text.parse() == Ok(0.0);
        if is_zero {
            Some(Delay::default())
        } else {
            Duration::parse(text).map(Delay)
        }
    }

    fn to_text(&self) -> Option<String> {
        self.0.to_text()
    }
}

/// A part of all requests.
impl SettingValue for f64 {
    const KIND: Kind = Kind::Ratio;

    fn parse(text: &str) -> Option<f64> {
        text.parse()
            .ok()
            .filter(|ratio| (0.0..=1.0).contains(ratio))
    }

    fn to_text(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl SettingValue for Vec<String> {
    const KIND: Kind = Kind::List;

    fn parse(text: &str) -> Option<Vec<String>> {
        let items = text.split(',').map(str::trim);
        Some(
            items
                .filter(|item| !item.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    fn to_text(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.join(","))
    }
}

/// Implements [`SettingValue`] for an enum without fields, with a word for each variant.
macro_rules! words {
    ($type:ident { $($word:literal => $variant:ident),+ $(,)? }) => {
        impl SettingValue for $type {
            const KIND: Kind = Kind::Word(&[$($word),+]);

            fn parse(text: &str) -> Option<$type> {
                match text {
                    $($word => Some($type::$variant),)+
                    _ => None,
                }
            }

            fn to_text(&self) -> Option<String> {
                match self {
                    $($type::$variant => Some($word.into()),)+
                }
            }
        }
    };
}

words!(WebhookMethod { "GET" => Get, "POST" => Post });
words!(Profile { "gateway" => Gateway, "hasura" => Hasura });
words!(SubscriptionSource {
    "auto" => Auto,
    "replication" => Replication,
    "triggers" => Triggers,
    "snapshot" => Snapshot,
});
words!(PoolerMode { "auto" => Auto, "none" => None, "session" => Session, "transaction" => Transaction });
words!(LogFormat { "json" => Json, "text" => Text });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_optional_texts_are_not_set() {
        assert_eq!(Option::<String>::parse(""), Some(None));
        assert_eq!(Option::<Secret>::parse(""), Some(None));
        assert_eq!(Option::<PathBuf>::parse(""), None);
        assert_eq!(Option::<usize>::parse(""), None);
        assert_eq!(Option::<usize>::parse("7"), Some(Some(7)));
    }

    #[test]
    fn urls_are_separated_by_spaces() {
        let two = Vec::<Secret>::parse("postgres://a,b/d  postgres://c/d").unwrap();
        assert_eq!(
            two.iter().map(Secret::reveal).collect::<Vec<_>>(),
            ["postgres://a,b/d", "postgres://c/d"]
        );
        assert_eq!(Vec::<Secret>::parse("host=a"), None);
        assert_eq!(Vec::<Secret>::parse(""), Some(vec![]));
    }

    #[test]
    fn seconds_are_positive_and_finite() {
        assert_eq!(Duration::parse("1.5"), Some(Duration::from_millis(1500)));
        for text in ["0", "-1", "1e7", "inf", "NaN", ""] {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
    }

    #[test]
    fn delays_may_be_zero() {
        assert_eq!(
            Delay::parse("1.5"),
            Some(Delay(Duration::from_millis(1500)))
        );
        assert_eq!(
            (Delay::parse("0"), Delay::parse("0.0")),
            (Some(Delay::default()), Some(Delay::default()))
        );
        for text in ["-1", "1e7", "inf", "NaN", ""] {
            assert_eq!(Delay::parse(text), None, "{text}");
        }
    }

    #[test]
    fn every_word_is_read_back() {
        for format in [LogFormat::Json, LogFormat::Text] {
            assert_eq!(LogFormat::parse(&format.to_text().unwrap()), Some(format));
        }
        assert_eq!(Profile::parse("Hasura"), None);
    }
}
