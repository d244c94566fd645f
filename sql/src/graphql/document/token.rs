//! The tokens of a document, as far as the prescan distinguishes them.
//! <https://spec.graphql.org/October2021/#sec-Appendix-Grammar-Summary.Lexical-Tokens>

/// A lexical token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// The start of the text, before the first token.
    Start,
    Name(&'a str),
    Punctuator(char),
    Number,
    /// A string or a block string.
    Text,
}
