//! A GraphQL document, parsed within bounds.
//!
//! [`fast_parser`] reads what is well formed. What it leaves is judged by a parser that says what is wrong and where; [`prescan`]
//! bounds the text before that one sees it, since it recurses. [`complexity`] counts what the fragments expand to. Whether
//! the document fits a role's schema is the business of [`crate::resolve`]. [`normalize`] writes operations in one form, by which
//! lists of them know them again.

use std::collections::HashMap;

use async_graphql_parser::types::{
    DocumentOperations, ExecutableDocument, FragmentDefinition, OperationDefinition, OperationType,
};
use async_graphql_parser::{Error as ParseError, Pos, Positioned, parse_query};

use crate::error::{Cause, Error};
use fast_parser::Definitions;

pub use normalize::Normal;

mod fast_parser;
mod complexity;
mod merged_field_count;
mod normalize;
mod parser_workarounds;
mod prescan;
mod token;

/// Bounds on a document. Each is reached only by documents that nobody writes by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text.
    pub bytes: usize,
    /// Tokens of text; values in arguments too, fragments expanded.
    pub tokens: usize,
    /// Braces, brackets and parentheses inside each other; fragments inside each other too.
    pub nesting: usize,
    /// Fields inside each other, fragments expanded.
    pub depth: usize,
    /// Fields of all operations, fragments expanded; a spread counts as one more.
    pub fields: usize,
    /// Aliases, fragments expanded.
    pub aliases: usize,
    /// Root fields, fragments expanded.
    pub roots: usize,
    /// Fields with fields inside them, fragments expanded.
    pub nodes: usize,
    /// Different fields: those of one name at one place count once, however often they stand there and by whatever alias.
    pub height: usize,
}

/// What of a document is bounded, as messages name it.
pub mod bound {
    /// [`super::Limits::tokens`].
    pub const TOKENS: &str = "tokens of a document";
    /// [`super::Limits::tokens`], of arguments where their fragments are spread.
    pub const VALUES: &str = "values of a document";
    /// [`super::Limits::depth`].
    pub const DEPTH: &str = "depth of a document";
    /// [`super::Limits::fields`].
    pub const FIELDS: &str = "fields of a document";
    /// [`super::Limits::aliases`].
    pub const ALIASES: &str = "aliases of a document";
    /// [`super::Limits::roots`].
    pub const ROOTS: &str = "root fields of a document";
    /// [`super::Limits::nodes`].
    pub const NODES: &str = "nodes of a document";
    /// [`super::Limits::height`].
    pub const HEIGHT: &str = "height of a document";
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

/// A document that parses and keeps within its bounds. Only [`parse`] makes one.
#[derive(Debug)]
pub struct Document {
    operations: Vec<(Option<String>, Positioned<OperationDefinition>)>,
    fragments: Vec<(String, Positioned<FragmentDefinition>)>,
    by_name: HashMap<String, usize>,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// Reads.
    Query,
    /// Writes.
    Mutation,
    /// Keeps reading.
    Subscription,
}

/// Parses a document.
///
/// Errors: [`Cause::Syntax`], [`Cause::Limit`], and names given twice.
pub fn parse(text: &str, limits: &Limits) -> Result<Document, Error> {
    let definitions = match fast_parser::read(text, limits) {
        Some(definitions) => definitions,
        None => judge(text, limits)?,
    };
    let document = Document::new(definitions);
    complexity::measure(&document, limits)?;
    Ok(document)
}

/// What of a document is over these bounds, which may be narrower than those that it was parsed within: names of [`bound`].
pub fn exceeded(text: &str, document: &Document, limits: &Limits) -> Vec<&'static str> {
    let mut over: Vec<&'static str> =
        complexity::exceeded(document, limits).into_iter().map(|(limit, _)| limit).collect();
    // No document has more tokens than bytes.
    if text.len() > limits.tokens
        && let Err(Error { cause: Cause::Limit { limit, .. }, .. }) = prescan::scan(text, limits)
    {
        over.push(limit);
    }
    over
}

/// Has the text judged by the parser that knows what is wrong with it.
fn judge(text: &str, limits: &Limits) -> Result<Definitions, Error> {
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

    /// All operations, in the order of the text.
    pub fn operations(&self) -> impl Iterator<Item = (Option<&str>, &Positioned<OperationDefinition>)> {
        self.operations.iter().map(|(name, operation)| (name.as_deref(), operation))
    }

    /// All fragments, in the order of the text.
    pub fn fragments(&self) -> impl Iterator<Item = (&str, &Positioned<FragmentDefinition>)> {
        self.fragments.iter().map(|(name, fragment)| (name.as_str(), fragment))
    }

    /// The fragment of that name.
    pub fn fragment(&self, name: &str) -> Option<&Positioned<FragmentDefinition>> {
        self.by_name.get(name).map(|&i| &self.fragments[i].1)
    }

    /// The operation that `operationName` picks.
    /// <https://spec.graphql.org/October2021/#GetOperation()>
    pub fn operation(&self, name: Option<&str>) -> Result<&Positioned<OperationDefinition>, Error> {
        match (name, self.operations.as_slice()) {
            (None, [(_, operation)]) => Ok(operation),
            (None, _) => Err(Cause::OperationNameNeeded.under("$")),
            (Some(wanted), operations) => {
                let found = operations.iter().find(|(name, _)| name.as_deref() == Some(wanted));
                let unknown = || Cause::Unknown { what: "operation", name: wanted.to_owned() }.under("$");
                found.map(|(_, operation)| operation).ok_or_else(unknown)
            }
        }
    }

    /// What the operation that `operationName` picks does.
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
            at(second, Cause::Duplicate { what: "operation", name: operation.to_string() })
        }
        ParseError::FragmentDuplicated { fragment, second, .. } => {
            at(second, Cause::Duplicate { what: "fragment", name: fragment.to_string() })
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
    fn a_comment_hides_nothing_that_the_parser_reads() {
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
    fn values_are_counted_wherever_fragments_bring_them() {
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
    fn names_have_a_length() {
        assert_eq!(kind(&format!("{{ {} }}", "a".repeat(255))), None);
        assert_eq!(kind(&format!("{{ {} }}", "a".repeat(256))), Some(ErrorKind::LimitExceeded));
    }

    #[test]
    fn fragments_that_double_are_counted_without_being_expanded() {
        let mut text = "query { ...F0 }".to_owned();
        for i in 0..60 {
            text += &format!(" fragment F{i} on Q {{ a{i}: x ...F{} ...F{} }}", i + 1, i + 1);
        }
        text += " fragment F60 on Q { x }";
        assert_eq!(kind(&text), Some(ErrorKind::LimitExceeded));
    }

    #[test]
    fn fragments_without_fields_are_counted_too() {
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
    fn what_the_parser_lets_pass_is_refused_by_the_scan() {
        assert_eq!(kind("{ a(where: {id: 1, id: 2}) }"), Some(ErrorKind::ValidationFailed));
        assert_eq!(kind("{ a(where: [{id: 1}, {id: 2}]) { b: c d: e } }"), None);
        for lone in [r"\uD800", r"\uDE00\uD83D", r"\uD83D\\uDE00", r"\uD83D \uDE00"] {
            assert_eq!(kind(&format!(r#"{{ a(x: "{lone}") }}"#)), Some(ErrorKind::ParseFailed), "{lone}");
        }
        assert_eq!(kind("{ a(x: \"\u{0}\") \u{0} }"), Some(ErrorKind::ParseFailed));
        assert_eq!(kind("{ a(x: \"\"\"{{{ \\\"\"\" }}}\"\"\") }"), None);
    }

    #[test]
    fn an_escaped_pair_of_surrogates_is_one_character() {
        let document =
            parse(r#"{ a(x: "<\ud83d\ude00\u00e9\\ud83d>", y: "\uD83D\uDE00") }"#, &Limits::default()).unwrap();
        let text = format!("{:?}", document.operation(None).unwrap().node.selection_set);
        assert!(text.contains(r#"<😀é\\ud83d>"#), "{text}");
    }

    #[test]
    fn a_syntax_error_has_its_place() {
        let error = parse("{\n  a(\n}", &Limits::default()).unwrap_err();
        assert_eq!(error.location.map(|(line, _)| line), Some(3));
        assert_eq!(error.kind(), ErrorKind::ParseFailed);
    }

    #[test]
    fn an_operation_is_picked_by_name() {
        let document = parse("query A { a } mutation B { b }", &Limits::default()).unwrap();
        assert_eq!(document.kind(Some("B")), Ok(OperationKind::Mutation));
        assert_eq!(document.kind(None).unwrap_err().cause, Cause::OperationNameNeeded);
        assert!(document.kind(Some("C")).is_err());
    }
}
