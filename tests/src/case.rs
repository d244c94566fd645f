//! A case: a `.graphql` file with lines about it in front. `# role: a, b`, `# session: user-id=7`, `# variables: {…}`,
//! `# operation: Name`, `# requires: table=variable`, `# options: stringify-numbers, limit-parameters, loose, memberships`; any other comment is for people.
//! Lines beginning `##` are promises that a rewrite keeps: `## statements: 1`, `## error`.

use std::path::{Path, PathBuf};

use sql::resolve::{Coercion, MembershipStrategy};

use crate::request::Request;

/// A case as its file has it.
#[derive(Debug)]
pub struct Case {
    /// The file's path below `tests/cases`, without its ending.
    pub name: String,
    /// The roles that ask.
    pub roles: Vec<String>,
    /// What they ask.
    pub request: Request,
    /// What a rewrite has to keep.
    pub promises: Vec<Promise>,
}

/// What a rewrite has to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Promise {
    /// So many statements are run.
    Statements(usize),
    /// Every role gets an error.
    Error,
    /// Every role gets the same answer.
    Same,
}

/// A line of a case that means nothing.
#[derive(Debug, thiserror::Error)]
#[error("`{file}`: {reason}")]
pub struct Malformed {
    file: String,
    reason: String,
}

impl Case {
    /// Reads a case's text.
    pub fn parse(name: &str, text: &str) -> Result<Case, Malformed> {
        let mut case =
            Case { name: name.to_owned(), roles: Vec::new(), request: Request::new(text), promises: Vec::new() };
        for line in text.lines().take_while(|line| line.starts_with('#') || line.is_empty()) {
            case.line(line).map_err(|reason| Malformed { file: name.to_owned(), reason })?;
        }
        match case.roles.is_empty() {
            true => Err(Malformed { file: name.to_owned(), reason: "no `# role:`".into() }),
            false => Ok(case),
        }
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(promise) = line.strip_prefix("##") {
            self.promises.push(Promise::parse(promise.trim())?);
            return Ok(());
        }
        let Some((key, value)) = line.trim_start_matches('#').trim().split_once(": ") else { return Ok(()) };
        let items = || value.split(',').map(|item| item.trim().to_owned());
        match key {
            "role" => self.roles = items().collect(),
            "operation" => self.request.operation = Some(value.to_owned()),
            "variables" => self.request.variables = serde_json::from_str(value).map_err(|e| e.to_string())?,
            // Values may hold commas, so each has a line of its own.
            "session" => {
                let (name, value) = value.split_once('=').ok_or("`# session:` without `=`")?;
                self.request.session.insert(name.replace('-', "_"), value.to_owned());
            }
            "requires" => {
                let (table, parameter) = value.split_once('=').ok_or("`# requires:` without `=`")?;
                self.request.requires = Some((table.to_owned(), parameter.to_owned()));
            }
            "options" => items().try_for_each(|option| self.option(&option))?,
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
            Some(("statements", number)) => {
                number.parse().map(Promise::Statements).map_err(|_| format!("no promise `{text}`"))
            }
            None if text == "error" => Ok(Promise::Error),
            None if text == "same" => Ok(Promise::Same),
            _ => Err(format!("no promise `{text}`")),
        }
    }
}

/// The folder of all cases.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

/// All files below the folder of cases, as paths below it, sorted.
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
