//! Parses GraphQL documents within limits. This is the first step of a request; validating the document against a
//! role's schema is left to [`crate::resolve`].
//!
//! [`fast_parser`] parses well-formed documents. A document that it rejects goes to `async-graphql-parser`, which
//! reports the error with its location; [`prescan`] limits the text before, because that parser recurses.
//! [`complexity`] counts what the fragments expand to. [`normalize`] writes operations in the normal form that allow
//! lists compare.

use std::collections::HashMap;

use async_graphql_parser::types::{
    DocumentOperations, ExecutableDocument, FragmentDefinition, OperationDefinition, OperationType,
};
use async_graphql_parser::{Error as ParseError, Pos, Positioned, parse_query};

use crate::error::{Cause, Error, NameKind, RequestLimit};
use fast_parser::Definitions;

pub use normalize::Normal;

mod fast_parser;
mod complexity;
mod merged_field_count;
mod normalize;
mod parser_workarounds;
mod prescan;
mod token;

/// Limits on a document. Documents written by hand stay far below the defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of the text.
    pub bytes: usize,
    /// The tokens of the text; also the values in arguments with fragments expanded.
    pub tokens: usize,
    /// The nesting of braces, brackets and parentheses; also the nesting of fragment spreads.
    pub nesting: usize,
    /// The nesting of fields, fragments expanded.
    pub depth: usize,
    /// The fields of all operations, fragments expanded; a spread counts as one more.
    pub fields: usize,
    /// The aliases of an operation, fragments expanded.
    pub aliases: usize,
    /// The root fields of an operation, fragments expanded.
    pub roots: usize,
    /// The fields of an operation that have a selection set, fragments expanded.
    pub nodes: usize,
    /// The distinct fields of an operation: fields of one name at one place count once, whatever their number and
    /// aliases.
    pub height: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            bytes: 256 << 10,
            tokens: 20_000,
            nesting: 64,
            depth: 20,
            fields: 5_000,
            aliases: 200,
            roots: 50,
            nodes: 5_000,
            height: 5_000,
        }
    }
}

/// A document that parses and is within its limits. Only [`parse`] makes one.
#[derive(Debug)]
pub struct Document {
    operations: Vec<(Option<String>, Positioned<OperationDefinition>)>,
    fragments: Vec<(String, Positioned<FragmentDefinition>)>,
    by_name: HashMap<String, usize>,
}

/// The type of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// `query`.
    Query,
    /// `mutation`.
    Mutation,
    /// `subscription`.
    Subscription,
}

/// Parses a document.
///
/// Errors: [`Cause::Syntax`], [`Cause::Limit`], and duplicate names.
pub fn parse(text: &str, limits: &Limits) -> Result<Document, Error> {
    let definitions = match fast_parser::read(text, limits) {
        Some(definitions) => definitions,
        None => parse_with_diagnostics(text, limits)?,
    };
    let document = Document::new(definitions);
    complexity::measure(&document, limits)?;
    Ok(document)
}

/// Lists the limits that a document exceeds. The limits may be narrower than those it was parsed with.
pub fn exceeded(text: &str, document: &Document, limits: &Limits) -> Vec<RequestLimit> {
    let mut over: Vec<RequestLimit> =
        complexity::exceeded(document, limits).into_iter().map(|(limit, _)| limit).collect();
    // A text has at most as many tokens as bytes, so most texts need no scan.
    if text.len() > limits.tokens
        && let Err(Error { cause: Cause::Limit { limit, .. }, .. }) = prescan::scan(text, limits)
    {
        over.push(limit);
    }
    over
}

/// Parses with `async-graphql-parser`, which reports errors with their location.
fn parse_with_diagnostics(text: &str, limits: &Limits) -> Result<Definitions, Error> {
    let repaired = prescan::scan(text, limits)?;
    let mut parsed = parse_query(&repaired.text).map_err(refused)?;
    repaired.restore(&mut parsed);
    Ok(parsed.into())
}

impl From<ExecutableDocument> for Definitions {
    fn from(parsed: ExecutableDocument) -> Definitions {
        let mut operations: Vec<_> = match parsed.operations {
            DocumentOperations::Single(operation) => vec![(None, operation)],
            DocumentOperations::Multiple(named) => {
                named.into_iter().map(|(name, operation)| (Some(name.to_string()), operation)).collect()
            }
        };
        operations.sort_by_key(|(_, operation)| operation.pos);
        let mut fragments: Vec<_> = parsed.fragments.into_iter().map(|(name, f)| (name.to_string(), f)).collect();
        fragments.sort_by_key(|(_, fragment)| fragment.pos);
        Definitions { operations, fragments }
    }
}

impl Document {
    fn new(Definitions { operations, fragments }: Definitions) -> Document {
        let by_name = fragments.iter().enumerate().map(|(i, (name, _))| (name.clone(), i)).collect();
        Document { operations, fragments, by_name }
    }

    /// Returns all operations, in the order of the text, each with its name.
    pub fn operations(&self) -> impl Iterator<Item = (Option<&str>, &Positioned<OperationDefinition>)> {
        self.operations.iter().map(|(name, operation)| (name.as_deref(), operation))
    }

    /// Returns all fragments, in the order of the text, each with its name.
    pub fn fragments(&self) -> impl Iterator<Item = (&str, &Positioned<FragmentDefinition>)> {
        self.fragments.iter().map(|(name, fragment)| (name.as_str(), fragment))
    }

    /// Looks up a fragment by name.
    pub fn fragment(&self, name: &str) -> Option<&Positioned<FragmentDefinition>> {
        self.by_name.get(name).map(|&i| &self.fragments[i].1)
    }

    /// Returns the operation that `operationName` selects.
    ///
    /// Errors: [`Cause::OperationNameNeeded`] without a name where the document has several operations,
    /// [`Cause::Unknown`] where it has none of this name. <https://spec.graphql.org/October2021/#GetOperation()>
    pub fn operation(&self, name: Option<&str>) -> Result<&Positioned<OperationDefinition>, Error> {
        match (name, self.operations.as_slice()) {
            (None, [(_, operation)]) => Ok(operation),
            (None, _) => Err(Cause::OperationNameNeeded.under("$")),
            (Some(wanted), operations) => {
                let found = operations.iter().find(|(name, _)| name.as_deref() == Some(wanted));
                let unknown = || Cause::Unknown { kind: NameKind::Operation, name: wanted.to_owned() }.under("$");
                found.map(|(_, operation)| operation).ok_or_else(unknown)
            }
        }
    }

    /// Returns the type of the operation that `operationName` selects.
    ///
    /// Errors: as [`Document::operation`].
    pub fn kind(&self, name: Option<&str>) -> Result<OperationKind, Error> {
        Ok(match self.operation(name)?.node.ty {
            OperationType::Query => OperationKind::Query,
            OperationType::Mutation => OperationKind::Mutation,
            OperationType::Subscription => OperationKind::Subscription,
        })
    }
}

fn refused(error: ParseError) -> Error {
    let at = |position: Pos, cause: Cause| cause.at("$.query", position);
    match error {
        ParseError::MultipleOperations { anonymous, .. } => at(anonymous, Cause::LoneAnonymous),
        ParseError::OperationDuplicated { operation, second, .. } => {
            at(second, Cause::Duplicate { kind: NameKind::Operation, name: operation.to_string() })
        }
        ParseError::FragmentDuplicated { fragment, second, .. } => {
            at(second, Cause::Duplicate { kind: NameKind::Fragment, name: fragment.to_string() })
        }
        ParseError::MissingOperation => Cause::NoOperation.under("$.query"),
        ParseError::Syntax { start, .. } => at(start, Cause::Syntax { line: start.line, column: start.column }),
        _ => at(Pos { line: 1, column: 1 }, Cause::Syntax { line: 1, column: 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn kind(text: &str) -> Option<ErrorKind> {
        parse(text, &Limits::default()).err().map(|error| error.kind())
    }

    #[test]
    fn hostile_documents_are_refused_without_recursion() {
        for bracket in ["{", "[", "("] {
            assert_eq!(kind(&format!("query {{ a(x: {}", bracket.repeat(100_000))), Some(ErrorKind::LimitExceeded));
            assert!(kind(&bracket.repeat(100_000)).is_some());
        }
        assert_eq!(kind(&"{a".repeat(100)), Some(ErrorKind::LimitExceeded));
        assert_eq!(kind(&" ".repeat(1 << 20)), Some(ErrorKind::LimitExceeded));
    }

    #[test]
    fn line_break_of_any_kind_ends_a_comment() {
        for end in ["\r", "\n", "\r\n"] {
            let nested = format!("{{ a(x: #{end}{}", "[".repeat(100_000));
            assert_eq!(kind(&nested), Some(ErrorKind::LimitExceeded));
            assert_eq!(kind(&format!("{{ a(x: #{end} {{b: 1, b: 2}}) }}")), Some(ErrorKind::ValidationFailed));
        }
    }

    #[test]
    fn operations_are_counted_together() {
        let fragment = "fragment F on Q { a b c d e f g h i j }";
        let operations = |many: usize| (0..many).map(|i| format!("query Q{i} {{ ...F }} ")).collect::<String>();
        assert_eq!(kind(&(operations(100) + fragment)), None);
        assert_eq!(kind(&(operations(1_000) + fragment)), Some(ErrorKind::LimitExceeded));
    }

    #[test]
    fn values_count_at_every_fragment_spread() {
        let spread = |times: usize, value: &str| {
            kind(&format!("{{ {} }} fragment F on Q {{ a(x: {value}) }}", "...F ".repeat(times)))
        };
        let list = format!("[{}]", "1 ".repeat(1_000));
        assert_eq!(spread(10, &list), None);
        assert_eq!(spread(100, &list), Some(ErrorKind::LimitExceeded));
        let text = format!("\"{}\"", "x".repeat(100_000));
        assert_eq!(spread(2, &text), None);
        assert_eq!(spread(100, &text), Some(ErrorKind::LimitExceeded));
    }

    #[test]
    fn names_over_255_bytes_are_refused() {
        assert_eq!(kind(&format!("{{ {} }}", "a".repeat(255))), None);
        assert_eq!(kind(&format!("{{ {} }}", "a".repeat(256))), Some(ErrorKind::LimitExceeded));
    }

    #[test]
    fn doubling_fragments_are_refused_without_expansion() {
        let mut text = "query { ...F0 }".to_owned();
        for i in 0..60 {
            text += &format!(" fragment F{i} on Q {{ a{i}: x ...F{} ...F{} }}", i + 1, i + 1);
        }
        text += " fragment F60 on Q { x }";
        assert_eq!(kind(&text), Some(ErrorKind::LimitExceeded));
    }

    #[test]
    fn spreads_of_fragments_without_fields_count() {
        let mut text = "query { ...F0 }".to_owned();
        for i in 0..40 {
            text += &format!(" fragment F{i} on Q {{ ...F{} ...F{} }}", i + 1, i + 1);
        }
        assert_eq!(kind(&text), Some(ErrorKind::LimitExceeded));
    }

    #[test]
    fn a_long_chain_of_fragments_is_refused() {
        let chain = |length: usize| {
            let fragment = |i| format!(" fragment F{i} on Q {{ ...F{} }}", i + 1);
            format!("{{ ...F0 }} {} fragment F{length} on Q {{ x }}", (0..length).map(fragment).collect::<String>())
        };
        assert_eq!(kind(&chain(60)), None);
        assert_eq!(kind(&chain(2_200)), Some(ErrorKind::LimitExceeded));
    }

    #[test]
    fn prescan_refuses_duplicate_keys_and_invalid_characters() {
        assert_eq!(kind("{ a(where: {id: 1, id: 2}) }"), Some(ErrorKind::ValidationFailed));
        assert_eq!(kind("{ a(where: [{id: 1}, {id: 2}]) { b: c d: e } }"), None);
        for lone in [r"\uD800", r"\uDE00\uD83D", r"\uD83D\\uDE00", r"\uD83D \uDE00"] {
            assert_eq!(kind(&format!(r#"{{ a(x: "{lone}") }}"#)), Some(ErrorKind::ParseFailed), "{lone}");
        }
        assert_eq!(kind("{ a(x: \"\u{0}\") \u{0} }"), Some(ErrorKind::ParseFailed));
        assert_eq!(kind("{ a(x: \"\"\"{{{ \\\"\"\" }}}\"\"\") }"), None);
    }

    #[test]
    fn escaped_surrogate_pair_is_one_character() {
        let document =
            parse(r#"{ a(x: "<\ud83d\ude00\u00e9\\ud83d>", y: "\uD83D\uDE00") }"#, &Limits::default()).unwrap();
        let text = format!("{:?}", document.operation(None).unwrap().node.selection_set);
        assert!(text.contains(r#"<😀é\\ud83d>"#), "{text}");
    }

    #[test]
    fn syntax_error_has_a_location() {
        let error = parse("{\n  a(\n}", &Limits::default()).unwrap_err();
        assert_eq!(error.location.map(|(line, _)| line), Some(3));
        assert_eq!(error.kind(), ErrorKind::ParseFailed);
    }

    #[test]
    fn operation_is_selected_by_name() {
        let document = parse("query A { a } mutation B { b }", &Limits::default()).unwrap();
        assert_eq!(document.kind(Some("B")), Ok(OperationKind::Mutation));
        assert_eq!(document.kind(None).unwrap_err().cause, Cause::OperationNameNeeded);
        assert!(document.kind(Some("C")).is_err());
    }
}
