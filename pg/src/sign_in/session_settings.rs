//! The settings of every session with Postgres, so that no text format depends on the server's
//! settings. A pooler refuses or ignores startup options, so the settings have three forms:
//!
//! ```text
//! of a server               -c jit=off …                                           when the connection is opened
//! of a pooler's session     SET "jit" TO 'off'; …                                  once, on the new connection
//! of a transaction          SELECT WHERE set_config('jit', 'off', true) IS NULL …  before each statement, in one Sync
//! ```
//!
//! The last one returns no row, so that the rows after it are those of the statement. It needs no
//! round trip of its own.

use std::fmt::Write;
use std::time::Duration;

/// The settings of a session, in order. Later ones override earlier ones.
#[derive(Clone, Debug)]
pub(crate) struct SessionSettings {
    /// `options` of the database URL.
    own: String,
    /// The pairs in `own`; none if it contains anything but settings.
    own_pairs: Option<Vec<(String, String)>>,
    time_limit: Duration,
}

/// The setting by which a session shows that the server has applied the startup options.
const MARKER: &str = "postern.has_options";

/// The statement that returns `on` if the server has applied the startup options.
pub(crate) const ASK_MARKER: &str =
    "SELECT pg_catalog.current_setting('postern.has_options', true)";

/// The settings of every session. JIT is off: statements are prepared once and short, and compiling
/// them at every execution takes longer than running them.
const SETTINGS: [(&str, &str); 6] = [
    ("TimeZone", "UTC"),
    ("DateStyle", "ISO"),
    ("IntervalStyle", "postgres"),
    ("bytea_output", "hex"),
    ("lc_monetary", "C"),
    ("jit", "off"),
];

/// Asynchronous appends would mix rows of foreign tables with those of other levels. Servers before
/// version 14 reject the setting, so it cannot be a startup option.
const SINCE_14: (&str, &str) = ("enable_async_append", "off");

impl SessionSettings {
    /// The settings with those of the database URL and this maximum run time of statements.
    pub(crate) fn new(own: Option<&str>, time_limit: Duration) -> SessionSettings {
        let own = own.unwrap_or_default().to_owned();
        SessionSettings {
            own_pairs: pairs(&own),
            own,
            time_limit,
        }
    }

    /// The startup options.
    pub(crate) fn options(&self) -> String {
        let mut options = self.own.clone();
        for (name, value) in SETTINGS.into_iter().chain([(MARKER, "on")]) {
            let _ = write!(options, " -c {name}={value}");
        }
        let _ = write!(
            options,
            " -c statement_timeout={}",
            self.time_limit.as_millis()
        );
        options
    }

    /// Whether all settings can be written as statements: `options` of the database URL contains
    /// only settings.
    pub(crate) fn has_statements(&self) -> bool {
        self.own_pairs.is_some()
    }

    /// The statements that set what is not a startup option, and nothing if there is none. `path`
    /// is a list of quoted names.
    pub(crate) fn later(path: Option<&str>, version: Option<u32>) -> String {
        let mut text = path
            .map(|path| format!("SET search_path TO {path};"))
            .unwrap_or_default();
        if is_at_least_14(version) {
            let (name, value) = SINCE_14;
            let _ = write!(text, "SET {name} TO {value}");
        }
        text
    }

    /// The statements that set everything for a session.
    pub(crate) fn session_options(&self, path: Option<&str>, version: Option<u32>) -> String {
        let mut text = String::new();
        for (name, value) in self.all(None, version) {
            let _ = write!(
                text,
                "SELECT pg_catalog.set_config({}, {}, false);",
                literal(name),
                literal(&value)
            );
        }
        // Not as a value: its names are quoted, and an empty list is written `''`.
        text + &path
            .map(|path| format!("SET search_path TO {path}"))
            .unwrap_or_default()
    }

    /// The statement without rows that sets everything for the transaction.
    pub(crate) fn transaction_settings(&self, path: Option<&str>, version: Option<u32>) -> String {
        let mut text = String::from("SELECT WHERE");
        for (index, (name, value)) in self.all(path, version).into_iter().enumerate() {
            let or = if index == 0 { "" } else { " OR" };
            let _ = write!(
                text,
                "{or} pg_catalog.set_config({}, {}, true) IS NULL",
                literal(name),
                literal(&value)
            );
        }
        text
    }

    fn all(&self, path: Option<&str>, version: Option<u32>) -> Vec<(&str, String)> {
        let own = self
            .own_pairs
            .iter()
            .flatten()
            .map(|(name, value)| (name.as_str(), value.clone()));
        let usual = SETTINGS
            .into_iter()
            .map(|(name, value)| (name, value.to_owned()));
        let since_14 = is_at_least_14(version).then(|| (SINCE_14.0, SINCE_14.1.to_owned()));
        let timeout = ("statement_timeout", self.time_limit.as_millis().to_string());
        let path = path.map(|path| {
            (
                "search_path",
                if path == "''" {
                    String::new()
                } else {
                    path.to_owned()
                },
            )
        });
        own.chain(usual)
            .chain([timeout])
            .chain(since_14)
            .chain(path)
            .collect()
    }
}

pub(crate) fn is_at_least_14(version: Option<u32>) -> bool {
    version.is_some_and(|version| version >= 14)
}

/// A string constant that does not depend on `standard_conforming_strings`.
fn literal(text: &str) -> String {
    format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

/// The settings in startup options: `-c name=value`, `-cname=value` or `--name=value`, with a
/// backslash before spaces in values. None if there is anything else.
fn pairs(options: &str) -> Option<Vec<(String, String)>> {
    let words = words(options);
    let mut words = words.iter().map(String::as_str);
    let mut pairs = Vec::new();
    while let Some(word) = words.next() {
        let setting = match word.strip_prefix("-c") {
            Some("") => words.next()?,
            Some(setting) => setting,
            None => word.strip_prefix("--")?,
        };
        let (name, value) = setting.split_once('=')?;
        pairs.push((name.replace('-', "_"), value.to_owned()));
    }
    Some(pairs)
}

/// The words of startup options.
fn words(options: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_escaped = false;
    for letter in options.chars() {
        match letter {
            _ if is_escaped => {
                word.push(letter);
                is_escaped = false;
            }
            '\\' => is_escaped = true,
            letter if letter.is_ascii_whitespace() => words.push(std::mem::take(&mut word)),
            letter => word.push(letter),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(own: &str) -> SessionSettings {
        SessionSettings::new(Some(own), Duration::from_secs(7))
    }

    #[test]
    fn options_of_the_url_come_first() {
        let options = settings("-c x.y=1").options();
        assert!(
            options.starts_with("-c x.y=1 -c TimeZone=UTC "),
            "{options}"
        );
        assert!(
            options.ends_with(" -c postern.has_options=on -c statement_timeout=7000"),
            "{options}"
        );
    }

    #[test]
    fn options_are_read_as_postgres_reads_them() {
        let found = pairs(r"-c a=b  -cc.d=e\ f --g-h=i=j").unwrap();
        let expected = [("a", "b"), ("c.d", "e f"), ("g_h", "i=j")];
        assert_eq!(
            found,
            expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        assert_eq!(pairs(""), Some(vec![]));
        assert!(
            ["-d 3", "x=y", "-c", "-c x"]
                .iter()
                .all(|options| pairs(options).is_none())
        );
        assert!(!settings("-S 4").has_statements());
    }

    #[test]
    fn statement_of_a_transaction_has_no_rows_and_quotes_its_values() {
        let text =
            settings(r"-c x.y=it's\\so").transaction_settings(Some("\"a\"\"b\", \"c\""), Some(15));
        assert!(
            text.starts_with(
                r"SELECT WHERE pg_catalog.set_config(E'x.y', E'it''s\\so', true) IS NULL OR "
            ),
            "{text}"
        );
        assert!(
            text.contains("set_config(E'enable_async_append', E'off', true)"),
            "{text}"
        );
        assert!(
            text.ends_with(r#"set_config(E'search_path', E'"a""b", "c"', true) IS NULL"#),
            "{text}"
        );
        assert!(
            !settings("")
                .transaction_settings(None, Some(13))
                .contains("async")
        );
        assert!(
            settings("")
                .transaction_settings(Some("''"), None)
                .contains("E'search_path', E''")
        );
    }
}
