//! Parses a golden test case: a `.graphql` file with directives in its leading comments: `# role:
//! a, b`, `# session: user-id=7`, `# variables: {…}`, `# operation: Name`, `# requires:
//! table=variable`, `# options: stringify-numbers, limit-parameters, loose, memberships`, `#
//! permissions: settings` for another permission file of the fixture. Comments that begin with
//! another lower-case word and a colon are refused, because they are directives with a mistake; all
//! others are ignored. Lines beginning with `##` are promises that must hold for every rewrite of
//! the expected output; each golden case has one of `## statements: 1` and `## error`.

use std::path::{Path, PathBuf};

use sql::resolve::{Coercion, MembershipStrategy};

use crate::request::Request;

/// A parsed case file.
#[derive(Debug)]
pub struct Case {
    /// The file's path below `tests/cases`, without its extension.
    pub name: String,
    /// The roles that the request is run as.
    pub roles: Vec<String>,
    /// The request.
    pub request: Request,
    /// The permission file, if it is not the usual one.
    pub permissions: Option<String>,
    /// What must stay true when the expected output is rewritten.
    pub promises: Vec<Promise>,
}

/// A property that must stay true when the expected output of a case is rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Promise {
    /// The request runs this number of statements.
    Statements(usize),
    /// Every role gets an error.
    Error,
    /// Every role gets an identical response.
    Same,
}

/// A directive of a case file that cannot be parsed.
#[derive(Debug, thiserror::Error)]
#[error("`{file}`: {reason}")]
pub struct Malformed {
    file: String,
    reason: String,
}

impl Case {
    /// Parses the text of a case file.
    pub fn parse(name: &str, text: &str) -> Result<Case, Malformed> {
        let roles = Vec::new();
        let request = Request::new(text);
        let permissions = None;
        let promises = Vec::new();
        let mut case = Case {
            name: name.to_owned(),
            roles,
            request,
            permissions,
            promises,
        };
        for line in text
            .lines()
            .take_while(|line| line.starts_with('#') || line.is_empty())
        {
            case.line(line).map_err(|reason| Malformed {
                file: name.to_owned(),
                reason,
            })?;
        }
        if case.roles.is_empty() {
            Err(Malformed {
                file: name.to_owned(),
                reason: "no `# role:`".into(),
            })
        } else {
            Ok(case)
        }
    }

    /// Whether the case says what a rewrite of its expected output has to keep.
    pub fn has_promise(&self) -> bool {
        self.promises
            .iter()
            .any(|promise| *promise != Promise::Same)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(promise) = line.strip_prefix("##") {
            self.promises.push(Promise::parse(promise.trim())?);
            return Ok(());
        }
        let comment = line.trim_start_matches('#').trim();
        let Some((key, value)) = comment
            .split_once(':')
            .map(|(key, value)| (key, value.trim()))
        else {
            return Ok(());
        };
        let items = || value.split(',').map(|item| item.trim().to_owned());
        match key {
            "role" => self.roles = items().collect(),
            "permissions" => self.permissions = Some(value.to_owned()),
            "operation" => self.request.operation = Some(value.to_owned()),
            "variables" => {
                self.request.variables = serde_json::from_str(value).map_err(|e| e.to_string())?;
            }
            // Session values may contain commas, so each value has its own line.
            "session" => {
                let (name, value) = value.split_once('=').ok_or("`# session:` without `=`")?;
                self.request
                    .session
                    .insert(name.replace('-', "_"), value.to_owned());
            }
            "requires" => {
                let (table, parameter) =
                    value.split_once('=').ok_or("`# requires:` without `=`")?;
                self.request.requires = Some((table.to_owned(), parameter.to_owned()));
            }
            "options" => items().try_for_each(|option| self.option(&option))?,
            key if is_word(key) => return Err(format!("no directive `# {key}:`")),
            _ => {}
        }
        Ok(())
    }

    fn option(&mut self, option: &str) -> Result<(), String> {
        match option {
            "stringify-numbers" => self.request.options.stringify_numbers = true,
            "limit-parameters" => self.request.options.limit_parameters = true,
            "loose" => self.request.options.coercion = Coercion::Loose,
            "memberships" => self.request.options.memberships = MembershipStrategy::Always,
            _ => return Err(format!("no option `{option}`")),
        }
        Ok(())
    }
}

impl Promise {
    fn parse(text: &str) -> Result<Promise, String> {
        match text.split_once(": ") {
            Some(("statements", number)) => number
                .parse()
                .map(Promise::Statements)
                .map_err(|_| format!("no promise `{text}`")),
            None if text == "error" => Ok(Promise::Error),
            None if text == "same" => Ok(Promise::Same),
            _ => Err(format!("no promise `{text}`")),
        }
    }
}

/// Whether a comment begins like a directive, and not like a sentence.
fn is_word(key: &str) -> bool {
    !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_'))
}

/// The folder of all cases.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

/// All files below the folder of cases, as sorted paths relative to it.
pub fn files() -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(relative) = path.strip_prefix(crate::case::folder()) {
                found.push(relative.to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(line: &str) -> Option<String> {
        Case::parse("a", &format!("# role: admin\n{line}\n{{ a }}"))
            .err()
            .map(|malformed| malformed.reason)
    }

    #[test]
    fn comment_that_begins_like_a_directive_is_one() {
        for line in [
            "# variabels: {\"a\": 1}",
            "# sessions: a=1",
            "#option: loose",
            "# roles: a",
            "# limit:",
        ] {
            assert!(
                reason(line).is_some_and(|reason| reason.starts_with("no directive")),
                "{line}"
            );
        }
        for line in [
            "# ValuesOfCorrectType: a rule",
            "# Two fields: one list",
            "# A sentence",
            "# session: a=1",
            "#",
        ] {
            assert_eq!(reason(line), None, "{line}");
        }
    }
}
