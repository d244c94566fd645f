//! Collects the problems of one file.

use std::ops::Range;

use crate::diagnostic::{Diagnostic, SourceFile, Span};
use crate::fault::Fault;

/// The problems found so far. They are reported all at once.
pub(crate) struct Report<'a> {
    pub(crate) file: &'a SourceFile,
    pub(crate) problems: Vec<Diagnostic>,
    /// Notes, which are no faults.
    pub(crate) notes: Vec<Diagnostic>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(file: &'a SourceFile) -> Report<'a> {
        Report {
            file,
            problems: vec![],
            notes: vec![],
        }
    }

    /// Adds the problems and notes that another report found in the same file.
    pub(crate) fn append(&mut self, other: Report<'_>) {
        let Report {
            file: _,
            problems,
            notes,
        } = other;
        let new: Vec<Diagnostic> = problems
            .into_iter()
            .filter(|problem| !self.problems.contains(problem))
            .collect();
        self.problems.extend(new);
        self.notes.extend(notes);
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
