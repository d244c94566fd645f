//! Diagnostics for files that users write: the fault, its location and a suggestion, rendered on
//! the lines of the file.
//!
//! The faults of permission files are in [`crate::fault`]; other kinds of files have their own
//! list.

use std::fmt::{self, Display};
use std::ops::{Deref, Range};
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::diagnostic_kind::DiagnosticKind;
use crate::fault::Fault;
use crate::variables::Variables;

/// A file that a user has written. Every span and diagnostic has one, so a clone shares the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile(Arc<SourceText>);

/// A file's text, with the name to display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The name as the user gave it: `demo/permissions.toml`.
    pub name: Arc<str>,
    /// The text.
    pub text: Box<str>,
    /// The start of each line, in bytes. Every rule looks up its line; counting lines each time
    /// would take as long as reading the whole file.
    lines: Box<[usize]>,
    /// The environment variables that the text names.
    pub(crate) variables: Option<Variables>,
}

/// A range of bytes in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    file: SourceFile,
    span: Range<usize>,
}

/// A fault of any kind of file, as its code and its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultText {
    code: &'static str,
    message: String,
}

/// One fault of a file; of a permission file by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic<F = Fault> {
    fault: F,
    span: Span,
    /// The places that have to change or be left out, if they are others than `span`.
    concerned: Vec<Span>,
    help: Option<String>,
    note: bool,
}

impl SourceFile {
    /// Creates a file with that name and text.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Box<str>>) -> SourceFile {
        let text = text.into();
        let lines = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        SourceFile(Arc::new(SourceText {
            name: name.into(),
            text,
            lines,
            variables: None,
        }))
    }

    /// Replaces `${NAME}` in the strings of the file by these variables. Without them such strings
    /// stay as they are.
    pub fn with_variables(self, value: impl Fn(&str) -> Option<String>) -> SourceFile {
        let variables = Some(Variables::named_in(&self.text, value));
        SourceFile(Arc::new(SourceText {
            variables,
            ..Arc::unwrap_or_clone(self.0)
        }))
    }

    /// The span of a range of bytes, widened to character boundaries and cut to the text.
    pub fn span_of(&self, span: Range<usize>) -> Span {
        let end = span.end.min(self.text.len());
        let start = span.start.min(end);
        Span {
            file: self.clone(),
            span: self.floor(start)..self.ceil(end),
        }
    }

    fn floor(&self, at: usize) -> usize {
        (0..=at)
            .rev()
            .find(|&i| self.text.is_char_boundary(i))
            .unwrap_or(0)
    }

    fn ceil(&self, at: usize) -> usize {
        (at..self.text.len())
            .find(|&i| self.text.is_char_boundary(i))
            .unwrap_or(self.text.len())
    }
}

impl Deref for SourceFile {
    type Target = SourceText;

    fn deref(&self) -> &SourceText {
        &self.0
    }
}

impl Span {
    /// The file.
    pub fn file(&self) -> &SourceFile {
        &self.file
    }

    /// The range of bytes in the file.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The line of its start, counted from 1.
    pub fn line(&self) -> u32 {
        self.file
            .lines
            .partition_point(|begin| *begin <= self.span.start) as u32
    }

    /// The column of its start, in characters, counted from 1.
    pub fn column(&self) -> u32 {
        self.before()
            .rsplit('\n')
            .next()
            .map_or(0, |line| line.chars().count()) as u32
            + 1
    }

    fn before(&self) -> &str {
        self.file.text.get(..self.span.start).unwrap_or_default()
    }
}

impl<F> Diagnostic<F> {
    /// Creates a diagnostic for a fault at a place.
    pub fn new(fault: F, span: Span) -> Diagnostic<F> {
        Diagnostic {
            fault,
            span,
            concerned: vec![],
            help: None,
            note: false,
        }
    }

    /// Names the places that one cause makes faulty.
    pub(crate) fn concerning(self, concerned: Vec<Span>) -> Diagnostic<F> {
        Diagnostic { concerned, ..self }
    }

    /// The places that have the fault: those that a cause elsewhere makes faulty, or its own.
    pub(crate) fn concerned(&self) -> &[Span] {
        if self.concerned.is_empty() {
            std::slice::from_ref(&self.span)
        } else {
            &self.concerned
        }
    }

    /// Marks the diagnostic as a note, which is no fault.
    pub(crate) fn noted(self) -> Diagnostic<F> {
        Diagnostic { note: true, ..self }
    }

    /// Moves the diagnostic to another place.
    pub(crate) fn at(self, span: Span) -> Diagnostic<F> {
        Diagnostic { span, ..self }
    }

    /// Adds a suggestion.
    pub fn help(self, help: impl Into<String>) -> Diagnostic<F> {
        Diagnostic {
            help: Some(help.into()),
            ..self
        }
    }

    /// Adds lines to the suggestion.
    pub fn more_help(self, more: &str) -> Diagnostic<F> {
        let help = match &self.help {
            Some(help) => format!("{help}\n{more}"),
            None => more.to_owned(),
        };
        self.help(help)
    }

    /// Writes the name of the database user into the suggestion.
    pub fn with_database_user(mut self, user: &str) -> Diagnostic<F> {
        if let Some(help) = &mut self.help {
            *help = help.replace(crate::DATABASE_USER, user);
        }
        self
    }

    /// The fault.
    pub fn fault(&self) -> &F {
        &self.fault
    }

    /// The location of the fault.
    pub fn span(&self) -> &Span {
        &self.span
    }

    /// The suggestion, if there is one.
    pub fn suggestion(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl<F: DiagnosticKind> Diagnostic<F> {
    /// The diagnostic without the kind of its file, for lists of faults of several kinds.
    pub fn to_text(&self) -> Diagnostic<FaultText> {
        Diagnostic {
            fault: FaultText {
                code: self.code(),
                message: self.message(),
            },
            span: self.span.clone(),
            concerned: self.concerned.clone(),
            help: self.help.clone(),
            note: self.note,
        }
    }

    /// The message.
    pub fn message(&self) -> String {
        self.fault.to_string()
    }

    /// The machine-readable code of the fault: `unknown-column`.
    pub fn code(&self) -> &'static str {
        self.fault.code()
    }

    /// Renders the fault on the lines of the file, with ANSI colours if `colour`.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let message = self.message();
        let text = &*self.span.file.text;
        let snippet = Snippet::source(text)
            .path(&*self.span.file.name)
            .annotation(AnnotationKind::Primary.span(self.visible_span()));
        let level = if self.note { Level::NOTE } else { Level::ERROR };
        let title = level.primary_title(message.as_str()).id(self.code());
        let mut group = title.element(snippet);
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }

    /// The span, cut at the end of its first line, so that a long rule does not fill the screen.
    fn visible_span(&self) -> Range<usize> {
        let span = self.span.span();
        let text = self.span.file.text.get(span.clone()).unwrap_or_default();
        let first = text.split('\n').next().unwrap_or_default().trim_end();
        span.start..span.start + first.len()
    }
}

/// Renders all problems, in file order, separated by blank lines.
pub fn render<F: DiagnosticKind>(
    problems: &[Diagnostic<F>],
    file: &SourceFile,
    colour: bool,
) -> String {
    let mut sorted: Vec<&Diagnostic<F>> = problems.iter().collect();
    sorted.sort_by_key(|problem| (problem.span.file.name != file.name, problem.span.span.start));
    sorted
        .iter()
        .map(|problem| problem.render(colour))
        .collect::<Vec<_>>()
        .join("\n\n")
}

impl DiagnosticKind for FaultText {
    fn code(&self) -> &'static str {
        self.code
    }
}

impl Display for FaultText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<F: DiagnosticKind> Display for Diagnostic<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl<F: DiagnosticKind + fmt::Debug> std::error::Error for Diagnostic<F> {}

impl<F: DiagnosticKind> Serialize for Diagnostic<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Problem", 6)?;
        fields.serialize_field("file", &*self.span.file.name)?;
        fields.serialize_field("line", &self.span.line())?;
        fields.serialize_field("column", &self.span.column())?;
        fields.serialize_field("code", self.code())?;
        fields.serialize_field("message", &self.message())?;
        fields.serialize_field("help", &self.help)?;
        fields.end()
    }
}
