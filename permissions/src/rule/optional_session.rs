//! `session.sub?`: a session value that is null for callers without it. SQL has no such name, so
//! the `?` becomes a part of the name's token before the text is parsed.
//!
//! `?`, `?|` and `?&` are also operators of `jsonb`. Directly after the name of a session value, a
//! `?` belongs to the name unless an operand follows: `session.roles?'admin'` and `session.roles ?
//! 'admin'` ask for a key.

use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

/// The words that may follow a value. Any other word is the operand of an operator.
const FOLLOWING: [&str; 44] = [
    "and",
    "as",
    "asc",
    "at",
    "between",
    "collate",
    "cross",
    "desc",
    "else",
    "end",
    "except",
    "fetch",
    "filter",
    "for",
    "from",
    "full",
    "group",
    "having",
    "ilike",
    "in",
    "inner",
    "intersect",
    "is",
    "isnull",
    "join",
    "left",
    "like",
    "limit",
    "not",
    "notnull",
    "nulls",
    "offset",
    "on",
    "operator",
    "or",
    "order",
    "over",
    "returning",
    "right",
    "similar",
    "then",
    "union",
    "when",
    "where",
];

/// A parser of a text whose session values may be optional.
pub(super) fn parser<'d>(
    dialect: &'d PostgreSqlDialect,
    sql: &str,
) -> Result<Parser<'d>, ParserError> {
    let tokens = Tokenizer::new(dialect, sql).tokenize_with_location()?;
    let tokens = if sql.contains('?') {
        joined(&tokens)
    } else {
        tokens
    };
    Ok(Parser::new(dialect).with_tokens_with_locations(tokens))
}

/// The name of a session value, and whether it is optional.
pub(super) fn split_name(written: &str) -> (&str, bool) {
    written
        .strip_suffix('?')
        .map_or((written, false), |name| (name, true))
}

/// The tokens with each `?` joined to the name of the session value before it.
fn joined(tokens: &[TokenWithSpan]) -> Vec<TokenWithSpan> {
    let mut joined: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let [next, after @ ..] = rest {
        rest = after;
        let Some((operator, taken)) =
            after_name(next, after).filter(|_| ends_with_session_value(&joined))
        else {
            joined.push(next.clone());
            continue;
        };
        if let Some(TokenWithSpan {
            token: Token::Word(name),
            span,
        }) = joined.last_mut()
        {
            name.value.push('?');
            span.end = next.span.end;
        }
        joined.extend(operator.map(|token| TokenWithSpan {
            token,
            span: next.span,
        }));
        rest = after.get(taken..).unwrap_or_default();
    }
    joined
}

/// If a token begins with a `?` that can belong to a name: the operator that the tokenizer has
/// joined to it, and how many further tokens are parts of that operator.
fn after_name(token: &TokenWithSpan, after: &[TokenWithSpan]) -> Option<(Option<Token>, usize)> {
    let next = after.first().map(|after| &after.token);
    let (operator, taken) = match (&token.token, next) {
        (Token::Question, _) => return (!begins_with_operand(after)).then_some((None, 0)),
        (Token::QuestionMarkDoubleVerticalBar, _) => (Token::StringConcat, 0),
        (Token::QuestionAnd, Some(Token::Ampersand)) => (Token::Overlap, 1),
        (Token::QuestionMarkDash, Some(Token::Gt)) => (Token::Arrow, 1),
        (Token::QuestionMarkDash, Some(Token::ShiftRight)) => (Token::LongArrow, 1),
        (Token::QuestionMarkDash, _) => (Token::Minus, 0),
        (Token::QuestionMarkSharp, Some(Token::Gt)) => (Token::HashArrow, 1),
        (Token::QuestionMarkSharp, Some(Token::ShiftRight)) => (Token::HashLongArrow, 1),
        _ => return None,
    };
    Some((Some(operator), taken))
}

/// Whether the tokens end with `session.<name>`.
fn ends_with_session_value(tokens: &[TokenWithSpan]) -> bool {
    let [before @ .., session, dot, name] = tokens else {
        return false;
    };
    let is_plain = |token: &Token| matches!(token, Token::Word(word) if word.quote_style.is_none());
    let is_session =
        matches!(&session.token, Token::Word(word) if word.value.eq_ignore_ascii_case("session"));
    let is_qualified = before
        .last()
        .is_some_and(|token| token.token == Token::Period);
    is_session
        && is_plain(&session.token)
        && dot.token == Token::Period
        && is_plain(&name.token)
        && !is_qualified
}

/// Whether tokens after a `?` make it an operator.
fn begins_with_operand(tokens: &[TokenWithSpan]) -> bool {
    match tokens
        .iter()
        .map(|token| &token.token)
        .find(|token| !matches!(token, Token::Whitespace(_)))
    {
        Some(Token::Word(word)) => {
            word.quote_style.is_some()
                || !FOLLOWING.contains(&word.value.to_ascii_lowercase().as_str())
        }
        Some(
            Token::SingleQuotedString(_)
            | Token::EscapedStringLiteral(_)
            | Token::UnicodeStringLiteral(_)
            | Token::DollarQuotedString(_)
            | Token::Placeholder(_)
            | Token::Colon
            | Token::LParen,
        ) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of session values that are marked.
    fn optional(sql: &str) -> Vec<String> {
        let tokens = Tokenizer::new(&PostgreSqlDialect {}, sql)
            .tokenize_with_location()
            .unwrap();
        let marked = joined(&tokens)
            .into_iter()
            .filter_map(|token| match token.token {
                Token::Word(word) if word.quote_style.is_none() && word.value.ends_with('?') => {
                    Some(word.value)
                }
                _ => None,
            });
        marked.collect()
    }

    #[test]
    fn question_mark_after_a_session_value_belongs_to_its_name() {
        let texts = [
            "owner = session.sub?",
            "owner = session.sub? OR public",
            "(session.sub?)",
            "session.sub?::uuid = owner",
            "SESSION.sub? IS NULL",
            "id = ANY (session.sub?)",
            "session.sub?[1] = 2",
            "session.sub?||'x' = a",
            "session.sub? || 'x' = a",
            "session.sub?&&tags",
            "coalesce(session.sub?, 0)",
            "session.sub?+1 > 2",
            "session.sub?-1 > 2",
            "session.sub?\nAND true",
            "session.sub?=owner",
            "session.sub?->'a' = 'b'",
            "session.sub?->>'a' = 'b'",
            "session.sub?#>'{a}' = 'b'",
            "session.sub?#>>'{a}' = 'b'",
        ];
        for text in texts {
            assert_eq!(optional(text), ["sub?"], "{text}");
            let parsed = parser(&PostgreSqlDialect {}, text).and_then(|mut parser| {
                parser.parse_expr()?;
                parser.expect_token(&Token::EOF)
            });
            assert!(parsed.is_ok(), "{text}: {parsed:?}");
        }
    }

    #[test]
    fn question_mark_before_an_operand_is_an_operator() {
        let texts = [
            "session.roles ? 'admin'",
            "session.roles?'admin'",
            "session.roles? 'admin'",
            "session.roles?|ARRAY['a']",
            "session.roles?&ARRAY['a']",
            "session.roles?name",
            "session.roles? (SELECT 'a')",
            "session.roles? :role",
            "roles ? session.role_name",
            "roles?'session.sub?'",
            "'session.sub?' = a",
            "\"session.sub?\" = a",
            "\"session\".sub? OR b",
            "session.\"sub\"? OR b",
            "a.session.sub? OR b",
            "mysession.sub? OR b",
            "a = 1 -- session.sub?",
            "a = $$session.sub?$$",
            "a /* session.sub? */ = 1",
        ];
        for text in texts {
            assert_eq!(optional(text), [""; 0], "{text}");
        }
    }
}
