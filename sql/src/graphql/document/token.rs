//! The tokens of a document.
//! <https://spec.graphql.org/October2021/#sec-Appendix-Grammar-Summary.Lexical-Tokens>

/// A token, as much of it as is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// The beginning of the text.
    Start,
    Name(&'a str),
    Punctuator(char),
    Number,
    /// A string, or a block of text.
    Text,
}
