//! What compiling each kind of endpoint has in common: the permissions and limits that it is judged
//! by, the problems that were found, and the row that an endpoint requires.

use std::ops::Range;
use std::sync::Arc;

use permissions::{Permissions, SourceFile, Span, Text, did_you_mean};
use sql::Requirement;
use sql::graphql::document::Limits;
use sql::resolve::{Options, Values, Variable};

use super::super::diagnostic::{Fault, Problem};
use super::super::endpoint::EndpointKind;
use super::super::file::{Document, Entry, Require};
use super::super::source::Source;
use crate::limits::LimitsByRole;

/// Compiles the endpoints of a map.
pub(super) struct Compiler<'a> {
    pub(super) source: &'a Source,
    pub(super) permissions: &'a Permissions,
    pub(super) limits_by_role: &'a LimitsByRole,
    pub(super) limits: &'a Limits,
    pub(super) options: Options,
    pub(super) problems: Vec<Problem>,
}

/// The document or statement of an endpoint, checked for every role.
pub(super) struct Judged {
    pub(super) name: Option<String>,
    pub(super) variables: Vec<Variable>,
    pub(super) requirement: Option<Arc<Requirement>>,
    /// The only field of the response, if there is just one.
    pub(super) only_root: Option<String>,
    /// Whether it calls a volatile function, so that its responses must not be shared.
    pub(super) volatile: bool,
    pub(super) work: EndpointKind,
}

/// A document, and where its errors are shown.
pub(super) struct Written {
    pub(super) text: String,
    pub(super) file: SourceFile,
    /// The document's offset in the file, if it occurs there verbatim.
    pub(super) begins: Option<usize>,
    /// The span to show otherwise.
    pub(super) span: Range<usize>,
}

impl Written {
    /// The position of a line and column of the document, both counted from 1.
    pub(super) fn statement_span(&self, location: Option<(usize, usize)>) -> Span {
        let (Some(begins), Some((line, column))) = (self.begins, location) else {
            return self.file.span_of(self.span.clone());
        };
        let mut lines = self.text.split_inclusive('\n');
        let before: usize = lines.by_ref().take(line - 1).map(str::len).sum();
        let line = lines.next().unwrap_or_default();
        let within: usize = line.chars().take(column - 1).map(char::len_utf8).sum();
        let rest = line.get(within..).unwrap_or_default();
        let word = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.trim_end().len())
            .max(1);
        let start = begins + before + within;
        self.file.span_of(start..start + word)
    }
}

impl Compiler<'_> {
    pub(super) fn add(&mut self, fault: Fault, span: Range<usize>) {
        self.problems
            .push(Problem::new(fault, self.source.file.span_of(span)));
    }

    pub(super) fn add_with(&mut self, fault: Fault, span: Range<usize>, help: Option<String>) {
        let problem = Problem::new(fault, self.source.file.span_of(span));
        self.problems.push(helped(problem, help));
    }

    pub(super) fn document(&mut self, entry: &Entry) -> Option<Written> {
        match &entry.document {
            Document::Here(text) | Document::Sql(text) => {
                let span = text.span.clone();
                let file = self.source.file.clone();
                let raw = file.text.get(span.clone()).unwrap_or_default();
                let begins = raw.find(text.value.as_str()).map(|at| span.start + at);
                Some(Written {
                    text: text.value.clone(),
                    file,
                    begins,
                    span,
                })
            }
            Document::File(path) | Document::SqlFile(path) => {
                match self.source.document(&path.value) {
                    Ok(file) => Some(Written {
                        text: file.text.to_string(),
                        file,
                        begins: Some(0),
                        span: 0..0,
                    }),
                    Err(cause) => {
                        let fault = Fault::Unreadable {
                            path: path.value.clone(),
                            reason: cause.to_string(),
                        };
                        self.add(fault, path.span.clone());
                        None
                    }
                }
            }
        }
    }

    pub(super) fn unknown_role(&mut self, role: &Text) {
        let name = role.value.clone();
        let help = did_you_mean(&name, self.permissions.roles().map(|access| access.role()));
        self.add_with(Fault::UnknownRole { role: name }, role.span.clone(), help);
    }

    /// The row that must be visible. The variable with its key becomes required; if the operation
    /// does not declare it, it is added to the variables.
    pub(super) fn require(
        &mut self,
        require: &Require,
        variables: &mut Vec<Variable>,
    ) -> Option<Arc<Requirement>> {
        let name = &require.table.value;
        let catalog = self.permissions.model.catalog();
        let Some(table) = catalog.find_written(name) else {
            let known = catalog.tables.iter().map(|table| table.name.as_str());
            let fault = Fault::UnknownTable {
                table: name.clone(),
            };
            self.add_with(fault, require.table.span.clone(), did_you_mean(name, known));
            return None;
        };
        let parameter = &require.parameter.value;
        let Some(requirement) = Requirement::new(catalog, table, parameter) else {
            self.add(
                Fault::Key {
                    table: name.clone(),
                },
                require.table.span.clone(),
            );
            return None;
        };
        let scalar = requirement.scalar(catalog);
        match variables
            .iter_mut()
            .find(|variable| variable.name == *parameter)
        {
            Some(variable) if variable.r#type.trim_end_matches('!') == scalar.name => {
                variable.required = true;
            }
            Some(variable) => {
                let found = variable.r#type.clone();
                let expected = scalar.name;
                let fault = Fault::NoKeyOf {
                    name: parameter.clone(),
                    found,
                    table: name.clone(),
                    expected,
                };
                self.add(fault, require.parameter.span.clone());
                return None;
            }
            None if !sql::model::names::is_graphql(parameter) => {
                self.add(
                    Fault::NoName {
                        name: parameter.clone(),
                    },
                    require.parameter.span.clone(),
                );
                return None;
            }
            None => variables.push(Variable {
                name: parameter.clone(),
                r#type: format!("{}!", scalar.name),
                required: true,
                is_operand: false,
                default: None,
                values: Values::Scalar(scalar.input),
            }),
        }
        Some(Arc::new(requirement))
    }
}

/// Adds a help text to a problem, if there is one.
pub(super) fn helped(problem: Problem, help: Option<String>) -> Problem {
    match help {
        Some(help) => problem.help(help),
        None => problem,
    }
}
