//! Finds the settings that SQL of the database reads: calls of `current_setting` in policies,
//! functions, defaults, triggers and views, and `SHOW`. It looks into comments and strings too,
//! because a string may be a statement; a setting too many costs a line of a file, one that is
//! missing changes what policies show.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::session::RESERVED_SESSION_VALUES;

/// The setting that older versions of PostgREST set to the role of the request; `session.role` is
/// that role.
const ROLE: &str = "request.jwt.claim.role";

/// A text of the database that may read settings.
#[derive(Debug, Deserialize)]
pub(crate) struct SettingReader {
    /// What it is: `policy own of notes`.
    pub(crate) name: String,
    /// The name of the function, if it is one.
    pub(crate) function: Option<String>,
    /// Its SQL.
    text: String,
}

/// The settings that a database reads.
#[derive(Debug, Default)]
pub(crate) struct SettingsRead {
    /// The names of settings in lower case, and what reads them.
    pub(crate) settings: BTreeMap<String, BTreeSet<String>>,
    /// What reads a setting whose name it computes.
    pub(crate) computed: BTreeSet<String>,
}

/// The first argument of a call.
enum Argument {
    /// A literal alone.
    Literal(String),
    /// Another expression, and the literal that it begins with: `'request.jwt.claim.' || name`.
    Expression { prefix: String },
}

impl SettingsRead {
    /// The settings that these texts read. Where a function computes the name from its argument, so
    /// do the literals that it is called with.
    pub(crate) fn new(readers: &[SettingReader]) -> SettingsRead {
        let mut read = SettingsRead::default();
        let mut wrappers = vec![];
        for reader in readers {
            for argument in arguments(&reader.text, "current_setting") {
                match argument {
                    Argument::Literal(name) => read.add(&name, reader),
                    Argument::Expression { prefix } => {
                        read.computed.insert(reader.name.clone());
                        wrappers.extend(
                            reader
                                .function
                                .as_deref()
                                .map(|function| (function, prefix)),
                        );
                    }
                }
            }
            for after in occurrences(&reader.text, "show") {
                let name: String = skip_blanks(after)
                    .chars()
                    .take_while(|c| is_name(*c) || *c == '.')
                    .collect();
                read.add(&name, reader);
            }
        }
        for (function, prefix) in &wrappers {
            for reader in readers {
                for argument in arguments(&reader.text, function) {
                    if let Argument::Literal(name) = argument {
                        read.add(&format!("{prefix}{name}"), reader);
                    }
                }
            }
        }
        read
    }

    /// A session value for each setting except one: the last part of its name, or the whole name
    /// where two settings end alike or the gateway has another meaning for it.
    pub(crate) fn session_names(&self, without: &str) -> BTreeMap<&str, String> {
        let settings = || {
            self.settings
                .keys()
                .map(String::as_str)
                .filter(|setting| *setting != without)
        };
        let mut names = BTreeMap::new();
        let mut taken = BTreeSet::new();
        for setting in settings() {
            let last = last_part(setting);
            let is_alone = settings().filter(|other| last_part(other) == last).count() == 1;
            let mut name =
                if setting == ROLE || is_alone && !RESERVED_SESSION_VALUES.contains(&last) {
                    last.to_owned()
                } else {
                    setting.replace('.', "_")
                };
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            names.insert(setting, name);
        }
        names
    }

    /// The key of a setting in TOML: `app.user_id`, in quotes where another setting begins with it.
    pub(crate) fn key(&self, setting: &str) -> String {
        let begins = |one: &str, other: &str| {
            one.strip_prefix(other)
                .is_some_and(|rest| rest.starts_with('.'))
        };
        let is_nested = self
            .settings
            .keys()
            .any(|other| begins(other, setting) || begins(setting, other));
        if is_nested || begins(setting, "reads") {
            format!("\"{setting}\"")
        } else {
            setting.to_owned()
        }
    }

    /// Adds a setting of an application. Settings of Postgres have no dot.
    fn add(&mut self, name: &str, reader: &SettingReader) {
        let is_part = |part: &str| {
            part.starts_with(|c: char| !c.is_ascii_digit()) && part.chars().all(is_name)
        };
        let name = name.to_ascii_lowercase();
        if name.contains('.') && name.split('.').all(is_part) && !name.starts_with("postern.") {
            self.settings
                .entry(name)
                .or_default()
                .insert(reader.name.clone());
        }
    }
}

fn last_part(setting: &str) -> &str {
    setting.rsplit('.').next().unwrap_or(setting)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The text after each occurrence of a word, in any case.
fn occurrences<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let folded = text.to_ascii_lowercase();
    let word = word.to_ascii_lowercase();
    let is_whole = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text
            .get(at + word.len()..)
            .and_then(|after| after.chars().next());
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    };
    let found = folded.match_indices(&word).filter(|(at, _)| is_whole(*at));
    found
        .filter_map(|(at, _)| text.get(at + word.len()..))
        .collect()
}

/// The first arguments of the calls of a function.
fn arguments(text: &str, function: &str) -> Vec<Argument> {
    let after_name = |after| skip_blanks(skip_quote(after)).strip_prefix('(');
    occurrences(text, function)
        .into_iter()
        .filter_map(after_name)
        .map(argument)
        .collect()
}

/// The argument at the start of a text, in which quotes are doubled where it is inside of a string.
fn argument(text: &str) -> Argument {
    let mut rest = skip_blanks(text);
    while let Some(inner) = rest.strip_prefix('(') {
        rest = skip_blanks(inner);
    }
    if let Some((name, value)) = rest.split_once("=>").or_else(|| rest.split_once(":="))
        && name.trim().eq_ignore_ascii_case("setting_name")
    {
        rest = skip_blanks(value);
    }
    if let Some(literal) = rest
        .strip_prefix(['E', 'e', 'N', 'n'])
        .filter(|literal| literal.starts_with('\''))
    {
        rest = literal;
    }
    let Some(tag) = opening_quote(rest) else {
        return Argument::Expression {
            prefix: String::new(),
        };
    };
    let body = rest.get(tag.len()..).unwrap_or_default();
    let Some((literal, after)) = body.split_once(tag) else {
        return Argument::Expression {
            prefix: String::new(),
        };
    };
    // `'app.x'`, `('app.x')::text`, `'app.x'::pg_catalog.text`
    let mut after = skip_blanks(after);
    while let Some(cast) = after.strip_prefix("::") {
        let cast = skip_blanks(cast);
        after = skip_blanks(cast.trim_start_matches(|c| is_name(c) || c == '.'));
    }
    if after.starts_with([',', ')']) && !literal.contains('\\') {
        Argument::Literal(literal.to_owned())
    } else {
        Argument::Expression {
            prefix: literal.to_owned(),
        }
    }
}

/// The quote that a literal begins with: `'`, several of them inside of a string, or `$tag$`.
fn opening_quote(text: &str) -> Option<&str> {
    if text.starts_with('\'') {
        return text.get(..text.len() - text.trim_start_matches('\'').len());
    }
    let tag = text.strip_prefix('$')?;
    let length = tag.find(|c| !is_name(c))?;
    if tag.get(length..)?.starts_with('$') {
        text.get(..length + 2)
    } else {
        None
    }
}

/// The text without a quote at its start, of a name that was quoted.
fn skip_quote(text: &str) -> &str {
    text.strip_prefix('"').unwrap_or(text)
}

/// The text without white space and comments at its start.
fn skip_blanks(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let after = if let Some(comment) = rest.strip_prefix("--") {
            comment.split_once('\n').map(|(_, after)| after)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map(|(_, after)| after)
        } else {
            return rest;
        };
        rest = after.unwrap_or_default().trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(name: &str, text: &str) -> SettingReader {
        SettingReader {
            name: name.to_owned(),
            function: Some(name.to_owned()),
            text: text.to_owned(),
        }
    }

    #[test]
    fn every_spelling_of_a_call_names_its_setting() {
        for text in [
            "current_setting('app.who')",
            "CURRENT_SETTING ( 'App.Who', true )",
            "pg_catalog.current_setting('app.who'::text, true)",
            "pg_catalog.\"current_setting\"('app.who')",
            "current_setting(('app.who')::text)",
            "current_setting(E'app.who')",
            "current_setting($$app.who$$, true)",
            "current_setting($a$app.who$a$)",
            "current_setting(setting_name => 'app.who', missing_ok => true)",
            "current_setting(-- the caller\n /* id */ 'app.who')",
            "EXECUTE 'SELECT current_setting(''app.who'', true)'",
            "SHOW app.who",
            "show /* it */ App.who;",
        ] {
            let read = SettingsRead::new(&[reader("f", text)]);
            assert_eq!(
                read.settings.keys().collect::<Vec<_>>(),
                ["app.who"],
                "{text}"
            );
            assert!(read.computed.is_empty(), "{text}");
        }
        for text in [
            "current_setting('role')",
            "my_current_setting('app.who')",
            "'app.who'",
            "shows app.who",
        ] {
            let read = SettingsRead::new(&[reader("f", text)]);
            assert!(
                read.settings.is_empty() && read.computed.is_empty(),
                "{text}"
            );
        }
    }

    #[test]
    fn each_setting_has_a_session_value_of_its_own() {
        let pairs = [
            ("acting.tenant_id", "acting_tenant_id", "acting.tenant_id"),
            ("app.role", "app_role", "app.role"),
            ("app.tenant_id", "app_tenant_id", "app.tenant_id"),
            ("app.user", "user", "\"app.user\""),
            ("app.user.name", "name", "\"app.user.name\""),
            ("app_tenant.id", "id", "app_tenant.id"),
            ("reads.claims", "reads_claims", "\"reads.claims\""),
            ("request.jwt.claim.role", "role", "request.jwt.claim.role"),
            ("request.jwt.claim.sub", "sub", "request.jwt.claim.sub"),
            ("x.app_tenant_id", "app_tenant_id_", "x.app_tenant_id"),
        ];
        let text: String = pairs
            .iter()
            .map(|(setting, ..)| format!("current_setting('{setting}') "))
            .collect();
        let read = SettingsRead::new(&[reader("f", &text)]);
        let names = read.session_names("request.jwt.claims");
        let found: Vec<_> = names
            .iter()
            .map(|(setting, name)| (*setting, name.as_str(), read.key(setting)))
            .collect();
        let expected: Vec<_> = pairs
            .iter()
            .map(|(setting, name, key)| (*setting, *name, (*key).to_owned()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn computed_names_are_those_of_the_callers_of_a_function() {
        let readers = [
            reader(
                "claim",
                "SELECT current_setting('request.jwt.claim.' || $1, true)",
            ),
            reader("setting", "SELECT current_setting($1, true)"),
            reader(
                "policy",
                "claim('sub') = owner AND setting('app.team'::text) = team",
            ),
        ];
        let read = SettingsRead::new(&readers);
        assert_eq!(
            read.settings.keys().collect::<Vec<_>>(),
            ["app.team", "request.jwt.claim.sub"]
        );
        assert_eq!(
            read.computed.iter().collect::<Vec<_>>(),
            ["claim", "setting"]
        );
    }
}
