//! The value of `Cache-Control` that an endpoint of the REST map gives to its responses.

use http::header::HeaderValue;

/// The `Cache-Control` value of an endpoint's responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheControl(HeaderValue);

/// Why a text is not a value of `Cache-Control`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CacheControlError {
    /// A directive that does not exist, or does not exist in responses.
    #[error("`{0}` is not a directive of responses")]
    Unknown(String),
    /// A directive that needs a number of seconds and has none.
    #[error("`{0}` takes a whole number of seconds: `{0}=60`")]
    Seconds(String),
    /// A directive with a value that takes none.
    #[error("`{0}` takes no value")]
    Plain(String),
    /// No directive at all.
    #[error("there is no directive in it")]
    Empty,
}

/// Directives with a number of seconds, and directives without a value.
/// <https://www.rfc-editor.org/rfc/rfc9111#name-response-directives>
const TIMED: [&str; 4] = [
    "max-age",
    "s-maxage",
    "stale-while-revalidate",
    "stale-if-error",
];
const PLAIN: [&str; 9] = [
    "public",
    "private",
    "no-cache",
    "no-store",
    "no-transform",
    "must-revalidate",
    "proxy-revalidate",
    "must-understand",
    "immutable",
];

impl CacheControl {
    /// Parses a value as the REST map has it: `private, max-age=60`.
    pub fn parse(text: &str) -> Result<CacheControl, CacheControlError> {
        let directives: Vec<&str> = text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect();
        if directives.is_empty() {
            return Err(CacheControlError::Empty);
        }
        for directive in &directives {
            let (name, value) = match directive.split_once('=') {
                Some((name, value)) => (name.trim(), Some(value.trim())),
                None => (*directive, None),
            };
            let lower = name.to_ascii_lowercase();
            let seconds = value.is_some_and(|value| value.parse::<u32>().is_ok());
            match (
                TIMED.contains(&lower.as_str()),
                PLAIN.contains(&lower.as_str()),
            ) {
                (true, _) if seconds => {}
                (true, _) => return Err(CacheControlError::Seconds(name.to_owned())),
                (_, true) if value.is_none() => {}
                (_, true) => return Err(CacheControlError::Plain(name.to_owned())),
                _ => return Err(CacheControlError::Unknown(name.to_owned())),
            }
        }
        let value = HeaderValue::from_str(&directives.join(", "));
        value
            .map(CacheControl)
            .map_err(|_| CacheControlError::Unknown(text.to_owned()))
    }

    /// The value of the header.
    pub fn value(&self) -> HeaderValue {
        self.0.clone()
    }
}

/// The default of an endpoint: a browser may store a response and revalidates it each time.
impl Default for CacheControl {
    fn default() -> CacheControl {
        CacheControl(HeaderValue::from_static("private, no-cache"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read_strictly() {
        let parse = |text: &str| {
            CacheControl::parse(text)
                .map(|control| control.0)
                .map_err(|error| error.to_string())
        };
        assert_eq!(parse("private,max-age=60").unwrap(), "private, max-age=60");
        assert_eq!(parse("no-store").unwrap(), "no-store");
        assert_eq!(
            parse("max_age=60").unwrap_err(),
            "`max_age` is not a directive of responses"
        );
        assert_eq!(
            parse("max-age").unwrap_err(),
            "`max-age` takes a whole number of seconds: `max-age=60`"
        );
        assert_eq!(
            parse("max-age=\"1\"").unwrap_err(),
            "`max-age` takes a whole number of seconds: `max-age=60`"
        );
        assert_eq!(parse("private=x").unwrap_err(), "`private` takes no value");
        assert_eq!(parse(" , ").unwrap_err(), "there is no directive in it");
        assert_eq!(
            parse("public\r\nx: y").unwrap_err(),
            "`public\r\nx: y` is not a directive of responses"
        );
    }
}
