//! Parses GraphQL documents within limits. This is the first step of a request; validating the
//! document against a role's schema is left to [`crate::resolve`].
//!
//! [`fast_parser`] parses a document or reports where it is wrong. [`complexity`] counts what the
//! fragments expand to. [`normalize`] writes operations in the normal form that allow lists
//! compare.

use crate::error::{Error, RequestLimit};

pub use limits::Limits;
pub use normalize::Normal;
pub use valid_document::{Document, OperationKind};

mod fast_parser;
mod complexity;
mod merged_field_count;
mod normalize;
mod valid_document;
mod limits;

/// Parses a document.
///
/// Errors: those of [`fast_parser::read`], and that its fields, fragments expanded, exceed a limit.
pub fn parse(text: &str, limits: &Limits) -> Result<Document, Error> {
    let document = Document::new(fast_parser::read(text, limits)?);
    complexity::measure(&document, limits)?;
    Ok(document)
}

/// Lists the limits that a document exceeds. The limits may be narrower than those it was parsed
/// with.
pub fn exceeded(text: &str, document: &Document, limits: &Limits) -> Vec<RequestLimit> {
    let mut over: Vec<RequestLimit> = complexity::exceeded(document, limits)
        .into_iter()
        .map(|(limit, _)| limit)
        .collect();
    // A text has at most as many tokens as bytes, so most texts need no scan.
    if text.len() > limits.tokens {
        over.extend(fast_parser::exceeded(text, limits).map(|(limit, _)| limit));
    }
    over
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Cause, ErrorKind};

    fn kind(text: &str) -> Option<ErrorKind> {
        parse(text, &Limits::default())
            .err()
            .map(|error| error.kind())
    }

    #[test]
    fn hostile_documents_are_refused_without_recursion() {
        for bracket in ["{", "[", "("] {
            assert_eq!(
                kind(&format!("query {{ a(x: {}", bracket.repeat(100_000))),
                Some(ErrorKind::LimitExceeded)
            );
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
            assert_eq!(
                kind(&format!("{{ a(x: #{end} {{b: 1, b: 2}}) }}")),
                Some(ErrorKind::ValidationFailed)
            );
        }
    }

    #[test]
    fn operations_are_counted_together() {
        let fragment = "fragment F on Q { a b c d e f g h i j }";
        let operations = |many: usize| {
            (0..many)
                .map(|i| format!("query Q{i} {{ ...F }} "))
                .collect::<String>()
        };
        assert_eq!(kind(&(operations(100) + fragment)), None);
        assert_eq!(
            kind(&(operations(1_000) + fragment)),
            Some(ErrorKind::LimitExceeded)
        );
    }

    #[test]
    fn values_count_at_every_fragment_spread() {
        let spread = |times: usize, value: &str| {
            kind(&format!(
                "{{ {} }} fragment F on Q {{ a(x: {value}) }}",
                "...F ".repeat(times)
            ))
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
        assert_eq!(
            kind(&format!("{{ {} }}", "a".repeat(256))),
            Some(ErrorKind::LimitExceeded)
        );
    }

    #[test]
    fn doubling_fragments_are_refused_without_expansion() {
        let mut text = "query { ...F0 }".to_owned();
        for i in 0..60 {
            text += &format!(
                " fragment F{i} on Q {{ a{i}: x ...F{} ...F{} }}",
                i + 1,
                i + 1
            );
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
            format!(
                "{{ ...F0 }} {} fragment F{length} on Q {{ x }}",
                (0..length).map(fragment).collect::<String>()
            )
        };
        assert_eq!(kind(&chain(60)), None);
        assert_eq!(kind(&chain(2_200)), Some(ErrorKind::LimitExceeded));
    }

    #[test]
    fn duplicate_keys_and_invalid_characters_are_refused() {
        assert_eq!(
            kind("{ a(where: {id: 1, id: 2}) }"),
            Some(ErrorKind::ValidationFailed)
        );
        assert_eq!(kind("{ a(where: [{id: 1}, {id: 2}]) { b: c d: e } }"), None);
        for lone in [
            r"\uD800",
            r"\uDE00\uD83D",
            r"\uD83D\\uDE00",
            r"\uD83D \uDE00",
        ] {
            assert_eq!(
                kind(&format!(r#"{{ a(x: "{lone}") }}"#)),
                Some(ErrorKind::ParseFailed),
                "{lone}"
            );
        }
        assert_eq!(
            kind("{ a(x: \"\u{0}\") \u{0} }"),
            Some(ErrorKind::ParseFailed)
        );
        assert_eq!(kind("{ a(x: \"\"\"{{{ \\\"\"\" }}}\"\"\") }"), None);
    }

    #[test]
    fn escaped_surrogate_pair_is_one_character() {
        let document = parse(
            r#"{ a(x: "<\ud83d\ude00\u00e9\\ud83d>", y: "\uD83D\uDE00") }"#,
            &Limits::default(),
        )
        .unwrap();
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
        assert_eq!(
            document.kind(None).unwrap_err().cause,
            Cause::OperationNameNeeded
        );
        assert!(document.kind(Some("C")).is_err());
    }

    #[test]
    fn types_may_contain_blanks_and_comments() {
        assert_eq!(
            kind("query ($a : [ Int ! ] !, $b: Int ! = 1 $c: [[\n Int] # c ]\n ]) { a }"),
            None
        );
    }

    #[test]
    fn enum_value_may_start_with_a_keyword() {
        let document = parse(
            "query ($a: [A!] = [nullable], $nullable: [ nullably ! ]) { a(b: true_north, c: \
             [$nullable nullable null false falsely], d: {nulls: Aullable}) @x(y: truest) { \
             nulls: trues } }",
            &Limits::default(),
        );
        let text = format!("{:?}", document.unwrap());
        for name in [
            "\"true_north\"",
            "\"nullable\"",
            "\"falsely\"",
            "\"nulls\"",
            "\"Aullable\"",
            "\"truest\"",
            "\"trues\"",
        ] {
            assert!(text.contains(name), "{name}: {text}");
        }
        for name in ["Bullable", "Arue_north", "Aalsely"] {
            assert!(!text.contains(name), "{text}");
        }
        assert_eq!(
            text.matches("Null").count() + text.matches("Boolean(false)").count(),
            2,
            "{text}"
        );
    }

    #[test]
    fn descriptions_have_no_effect() {
        let text = "\"\"\"\né\n\"\"\" query Q(\"one\" $a: Int = 1 \"two\" $b: String = \"x\" $c: \
                    Int) { a }\"f\" fragment F on A { b }";
        assert_eq!(kind(text), None);
        for wrong in [
            "\"d\" { a }",
            "\"d\" \"e\" query { a }",
            "query (\"d\") { a }",
            "{ a(\"d\" b: 1) }",
            "query Q \"d\" { a }",
        ] {
            assert_eq!(kind(wrong), Some(ErrorKind::ParseFailed), "{wrong}");
        }
    }

    #[test]
    fn invalid_syntax_is_refused() {
        for wrong in [
            "queryQ { a }",
            "query () { a }",
            "{ a() }",
            "{ a @x() }",
            "fragment on on A { b } { a }",
            "fragmentF on A { b } { a }",
            "{ a(b: [00]) }",
            "{ a(b: [-01]) }",
            "{ a } b { c }",
        ] {
            assert_eq!(kind(wrong), Some(ErrorKind::ParseFailed), "{wrong}");
        }
        for right in [
            "query query { a }",
            "{ a(b: [0 1-2 0.0 -0]) }",
            "query fragment { a(b: [], c: {}) }",
        ] {
            assert_eq!(kind(right), None, "{right}");
        }
    }

    #[test]
    fn type_definitions_are_refused_as_not_executable() {
        for text in [
            "{ a } type A { b: Int }",
            "\"d\" scalar X",
            "extend type A { b: Int }",
        ] {
            let error = parse(text, &Limits::default()).unwrap_err();
            assert!(
                matches!(error.cause, Cause::NotExecutable { .. }),
                "{text}: {error}"
            );
            assert!(error.location.is_some());
        }
    }
}
