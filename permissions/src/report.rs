//! Collects the problems of one file, and suggests names for misspelt ones.

use std::ops::Range;

use crate::diagnostic::{Diagnostic, SourceFile, Span};
use crate::diagnostic_kind::Fault;
use crate::rule_check::RuleCheck;

/// The problems found so far. They are reported all at once.
pub(crate) struct Report<'a> {
    pub(crate) file: &'a SourceFile,
    pub(crate) problems: Vec<Diagnostic>,
    /// Notes, which are no faults.
    pub(crate) notes: Vec<Diagnostic>,
    /// Statements that Postgres checks, other than rules.
    pub(crate) prepared: Vec<RuleCheck>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(file: &'a SourceFile) -> Report<'a> {
        Report {
            file,
            problems: vec![],
            notes: vec![],
            prepared: vec![],
        }
    }

    /// Adds the problems and notes that another report found in the same file.
    pub(crate) fn append(&mut self, other: Report<'_>) {
        let Report {
            file: _,
            problems,
            notes,
            prepared,
        } = other;
        let new: Vec<Diagnostic> = problems
            .into_iter()
            .filter(|problem| !self.problems.contains(problem))
            .collect();
        self.problems.extend(new);
        self.notes.extend(notes);
        self.prepared.extend(prepared);
    }

    /// The number of problems and notes.
    pub(crate) fn len(&self) -> usize {
        self.problems.len() + self.notes.len()
    }

    pub(crate) fn span_of(&self, span: &Range<usize>) -> Span {
        self.file.span_of(span.clone())
    }

    /// Adds a fault.
    pub(crate) fn add(&mut self, fault: Fault, span: &Range<usize>) {
        self.add_with(fault, span, None);
    }

    /// Adds a note.
    pub(crate) fn record(&mut self, fault: Fault, span: &Range<usize>, help: &str) {
        let note = Diagnostic::new(fault, self.file.span_of(span.clone()))
            .help(help)
            .noted();
        // A rule is compiled for each table and command that it stands for.
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds a fault with an optional suggestion.
    pub(crate) fn add_with(&mut self, fault: Fault, span: &Range<usize>, help: Option<String>) {
        let problem = Diagnostic::new(fault, self.file.span_of(span.clone()));
        let problem = match help {
            Some(help) => problem.help(help),
            None => problem,
        };
        // A named rule is rendered again wherever it is called.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

/// ``did you mean `x`?``, if one of the names is similar enough.
pub fn did_you_mean<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    closest(name, known).map(|close| format!("did you mean `{close}`?"))
}

/// The most similar name, if one is similar enough, measured by the length of the name. Letter case
/// and underscores do not count.
pub fn closest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let distance = |known: &str| distance(name, known);
    let bound = (1 + name.chars().count() / 4).min(name.chars().count().saturating_sub(1));
    let near = known.into_iter().map(|known| (distance(known), known));
    near.filter(|(distance, _)| *distance <= bound)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Whether a name is probably meant for another one: at most one letter in four differs. It decides
/// about more than a hint, so it is stricter than [`closest`].
pub fn is_typo(name: &str, known: &str) -> bool {
    let length = |name: &str| folded(name).chars().count();
    distance(name, known) * 4 <= length(name).min(length(known))
}

fn distance(one: &str, other: &str) -> usize {
    strsim::damerau_levenshtein(&folded(one), &folded(other))
}

fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_')
        .flat_map(char::to_lowercase)
        .collect()
}

/// The names as a list for a help text: `a`, `b`, `c`.
pub fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    names
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_is_measured_by_the_length_of_the_name() {
        let known = [
            "dev",
            "listen",
            "pooler",
            "redis_url",
            "admin_secret",
            "watch",
        ];
        let near = |name: &str| closest(name, known);
        for name in [
            "zzz", "env", "tag", "url", "role", "data", "user", "test", "x", "",
        ] {
            assert_eq!(near(name), None, "{name}");
        }
        let cases = [
            ("dve", "dev"),
            ("lisen", "listen"),
            ("ADMIN_SECRTE", "admin_secret"),
            ("redisurl", "redis_url"),
        ];
        for (name, expected) in cases {
            assert_eq!(near(name), Some(expected), "{name}");
        }
        assert!(is_typo("admin_secrte", "admin_secret") && is_typo("LISTNE", "listen"));
        for (name, other) in [
            ("env", "dev"),
            ("deb", "dev"),
            ("pool", "pooler"),
            ("list", "listen"),
            ("redis_port", "redis_url"),
        ] {
            assert!(!is_typo(name, other), "{name}");
        }
    }
}
