//! Compares the parser with `async-graphql-parser` on the documents of the repository, generated
//! ones, and mutated ones.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use async_graphql_parser::parse_query;
use async_graphql_parser::types::{DocumentOperations, ExecutableDocument};
use proptest::prelude::*;

use super::super::Limits;
use super::{DEFINITION, Definitions, read};
use crate::error::{Cause, ErrorKind, NameKind};
use tape::Tape;

mod tape;

/// Parses a document. The result includes positions.
fn parse_here(text: &str) -> Result<String, Cause> {
    read(text, &Limits::default())
        .map(|definitions| format!("{definitions:#?}"))
        .map_err(|error| error.cause)
}

/// Parses with `async-graphql-parser`.
fn parse_reference(text: &str) -> Option<String> {
    parse_query(text)
        .ok()
        .map(|parsed| format!("{:#?}", Definitions::from(parsed)))
}

impl From<ExecutableDocument> for Definitions {
    fn from(parsed: ExecutableDocument) -> Definitions {
        let mut operations: Vec<_> = match parsed.operations {
            DocumentOperations::Single(operation) => vec![(None, operation)],
            DocumentOperations::Multiple(named) => named
                .into_iter()
                .map(|(name, operation)| (Some(name.to_string()), operation))
                .collect(),
        };
        operations.sort_by_key(|(_, operation)| operation.pos);
        let mut fragments: Vec<_> = parsed
            .fragments
            .into_iter()
            .map(|(name, f)| (name.to_string(), f))
            .collect();
        fragments.sort_by_key(|(_, fragment)| fragment.pos);
        Definitions {
            operations,
            fragments,
        }
    }
}

/// Compares the two parsers. Each may accept documents that the other refuses, where this module
/// lists the reason.
fn compare(text: &str) -> Result<(), TestCaseError> {
    match (parse_here(text), parse_reference(text)) {
        (Ok(_), Some(_)) if is_misread(text) => {}
        (Ok(here), Some(there)) if text.contains("\"\"\"") => {
            assert_equal(
                &sorted(&without_strings(&here)),
                &sorted(&without_strings(&there)),
                text,
            )?;
        }
        (Ok(here), Some(there)) if text.contains('\r') => {
            assert_equal(&sorted(&here), &sorted(&there), text)?;
        }
        (Ok(here), Some(there)) => assert_equal(&here, &there, text)?,
        (Ok(_), None) => prop_assert!(is_newer(text), "only read here: {}", text),
        (
            Err(Cause::Duplicate {
                kind: NameKind::InputField,
                ..
            }),
            Some(_),
        ) => {}
        (Err(error), Some(_)) => {
            prop_assert!(is_laxer(text), "only read there, here {}: {}", error, text);
        }
        (Err(_), None) => {}
    }
    Ok(())
}

/// Fails with the first line that differs.
fn assert_equal(here: &str, there: &str, text: &str) -> Result<(), TestCaseError> {
    for (here, there) in here.lines().zip(there.lines()) {
        prop_assert_eq!(here, there, "{}", text);
    }
    prop_assert_eq!(here.len(), there.len(), "{}", text);
    Ok(())
}

/// Removes string values: `async-graphql-parser` keeps `\"""` and the blanks of short lines in
/// block strings. [`super::text`] has its own tests.
fn without_strings(tree: &str) -> String {
    let lines = without_places(tree);
    let is_string = |line: &&str| !line.trim_start().starts_with('"');
    lines
        .lines()
        .filter(is_string)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Sorts the lines of a tree. Positions restart after a lone carriage return, so the definitions
/// from `async-graphql-parser`, which are sorted by position, may be in any order.
fn sorted(tree: &str) -> String {
    let mut lines: Vec<&str> = tree.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

fn without_places(tree: &str) -> String {
    tree.lines()
        .filter(|line| !line.trim_start().starts_with("pos: "))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Whether `async-graphql-parser` may read the text otherwise than the specification requires: a
/// value such as `nullable` as the keyword `null` and a name, and an escaped surrogate as a
/// character of its own.
fn is_misread(text: &str) -> bool {
    words(text).any(|word| {
        ["true", "false", "null"]
            .iter()
            .any(|name| word.starts_with(name) && word != *name)
    }) || text.contains("\\u")
}

/// Whether the text may contain syntax of the specification that `async-graphql-parser` refuses:
/// blanks in types, directives behind defaults, a comment behind `on`, and descriptions.
fn is_newer(text: &str) -> bool {
    let comment_behind_on = text.contains("on") && text.contains('#');
    is_misread(text) || text.contains('$') || comment_behind_on || text.contains('"')
}

/// Whether the text may contain syntax that `async-graphql-parser` accepts against the
/// specification: directives on variables, a spread of `on`, a keyword and a name in one word,
/// empty parentheses, and a zero before digits.
fn is_laxer(text: &str) -> bool {
    let mut one_word = words(text).filter(|word| {
        ["query", "mutation", "subscription", "fragment"]
            .iter()
            .any(|name| word.starts_with(name) && word != name)
    });
    let blank = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | '\u{feff}');
    let empty = text.match_indices('(').any(|(at, _)| {
        text[at + 1..]
            .trim_start_matches(blank)
            .starts_with([')', '#'])
    });
    let zero = text
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0] == b'0' && pair[1].is_ascii_digit());
    let directives_on_variables = text.contains('@') && text.contains('$');
    is_misread(text)
        || directives_on_variables
        || text.contains("on")
        || one_word.next().is_some()
        || empty
        || zero
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

/// All documents of the repository.
fn documents() -> &'static [String] {
    static DOCUMENTS: LazyLock<Vec<String>> = LazyLock::new(all_documents);
    &DOCUMENTS
}

fn all_documents() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in ["tests/cases", "demo", "bench"] {
        collect(&root.join(folder), &mut files);
    }
    files
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true if path.file_name().is_none_or(|name| name != "node_modules") => {
                collect(&path, files);
            }
            true => {}
            false
                if path
                    .extension()
                    .is_some_and(|extension| extension == "graphql") =>
            {
                files.push(path);
            }
            false => {}
        }
    }
}

#[test]
fn both_parsers_agree_on_documents_of_the_repository() {
    let documents = documents();
    let well_formed = documents
        .iter()
        .filter(|text| parse_reference(text).is_some())
        .count();
    assert!(well_formed > 300, "{well_formed}");
    for text in documents {
        compare(text).unwrap();
    }
}

#[test]
fn syntax_that_the_reference_refuses() {
    for text in [
        "query ($a: [ [ Int ! ] ] ! = [1] @x(a: 1)) { a }",
        "{ a(x: \"\\u{1F600}\") ... on # here\n A { b } }",
        "fragment F on,#\nA { b } \"d\" query Q(\"\"\"d\"\"\" $a: Int) { ...F }",
    ] {
        assert!(parse_here(text).is_ok(), "{text}");
    }
}

#[test]
fn escaped_surrogate_pair_keeps_columns() {
    let tree = parse_here("{ a(x: \"\\ud83d\\ude00é😀\") b }").unwrap();
    assert!(
        tree.contains("\"😀é😀\"") && tree.contains("pos: Pos(1:26)"),
        "{tree}"
    );
}

#[test]
fn malformed_documents_are_refused() {
    for wrong in [
        "",
        "#",
        "{",
        "}",
        "{}",
        "{ a } }",
        "{ a {} }",
        "{ a( ) }",
        "query () { a }",
        "{ a @x() }",
        "query",
        "{ a: }",
        "{ a(b: $) }",
        "{ a(b) }",
        "{ a(b: 00) }",
        "{ a(b: -) }",
        "{ a(b: 1.) }",
        "{ a(b: .1) }",
        "{ a(b: 1e) }",
        "{ a(b: 1a) }",
        "{ a(b: 1_) }",
        "{ a(b: 1.0.0) }",
        "{ a(b: 0x1) }",
        "{ a(b: +1) }",
        "{ a(b: \"\n\") }",
        "{ a(b: \"\r\") }",
        "{ a(b: \"\\q\") }",
        "{ a(b: \"\\ud800\") }",
        "{ a(b: \"x) }",
        "{ a(b: \"\"\"x\"\") }",
        "{ a(b: {c: 1, c: 2}) }",
        "{ ..a }",
        "{ .. .a }",
        "{ ... }",
        "{ ...on }",
        "{ ... on A }",
        "{ a } { b }",
        "{ a } query Q { b }",
        "query Q { a } query Q { b }",
        "{ ...F } fragment F on A { b } fragment F on A { b }",
        "fragment F on A { b }",
        "fragment on on A { b } { a }",
        "fragment F A { b } { a }",
        "\"d\" { a }",
        "\"\\x\" query { a }",
        "query ($a: Int = $b) { a }",
        "query ($a: Int @x = 1) { a }",
        "query ($a) { a }",
        "query ($a: Int @x(y: $b)) { a }",
        "query ($a: [Int) { a }",
        "query ($a: Int!!) { a }",
        "{ a } type A { b: C }",
        "queryQ { a }",
        "{ a & b }",
        "{ a | b }",
        "{ a ? }",
        "{ é }",
        "{ a\u{0} }",
        "{ a\u{a0}b }",
        "subscription",
    ] {
        assert!(parse_here(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn errors_name_the_token_or_the_name() {
    let error = |text: &str| {
        let error = read(text, &Limits::default()).unwrap_err();
        (error.to_string(), error.location)
    };
    let syntax = |line, column, token: &str| {
        (
            format!("not a valid GraphQL document, at line {line}, column {column}{token}"),
            Some((line, column)),
        )
    };
    let unexpected = |line, column, expected: &str, found: &str| {
        syntax(
            line,
            column,
            &format!(": expected {expected}, found {found}"),
        )
    };
    assert_eq!(error("{ a(b: ) }"), unexpected(1, 8, "a value", "')'"));
    assert_eq!(error("{ é: a ? }"), syntax(1, 3, ""));
    assert_eq!(error("{\n  a(b: \"x)\n}"), syntax(2, 8, ""));
    assert_eq!(error("{ a(b: \"é\\ud800\") }"), syntax(1, 8, ""));
    let end = "the end of the document";
    assert_eq!(error("{ a"), unexpected(1, 4, "a field or '}'", end));
    assert_eq!(error("{ a { } }"), unexpected(1, 7, "a field", "'}'"));
    assert_eq!(
        error("{ a(b: 1 }"),
        unexpected(1, 10, "an argument or ')'", "'}'")
    );
    assert_eq!(error("{ a(b: [1) }"), unexpected(1, 10, "a value", "')'"));
    assert_eq!(
        error("{ a(b = 1) }").0,
        syntax(1, 7, ": expected ':', found '='").0
    );
    assert_eq!(error("{ a } }"), unexpected(1, 7, DEFINITION, "'}'"));
    let name = "the fragment's name";
    assert_eq!(
        error("fragment on on A { b }"),
        unexpected(1, 10, name, "'on'")
    );
    let duplicate = |text, name: &str, at| {
        let (message, location) = error(text);
        assert!(
            message.contains(&format!("'{name}'")) && location == Some(at),
            "{message} {location:?}"
        );
    };
    duplicate("{ a(b: {c: 1, c: 2}) }", "c", (1, 16));
    duplicate("query Q { a } query Q { b }", "Q", (1, 15));
    duplicate(
        "{ ...F } fragment F on A { b } fragment F on A { b }",
        "F",
        (1, 32),
    );
    assert_eq!(
        read("query Q { a } { b }", &Limits::default())
            .unwrap_err()
            .cause,
        Cause::LoneAnonymous
    );
    assert_eq!(
        read("fragment F on A { b }", &Limits::default())
            .unwrap_err()
            .cause,
        Cause::NoOperation
    );
    // The limit comes first, wherever the syntax is wrong.
    let nested = format!("{{ a( }} {}", "[".repeat(100));
    assert_eq!(
        read(&nested, &Limits::default()).unwrap_err().kind(),
        ErrorKind::LimitExceeded
    );
}

#[test]
fn limits_are_enforced() {
    let within = |text: &str, limits: Limits| read(text, &limits).is_ok();
    let text = "{ a(b: [1 2]) ...F } fragment F on A { c }";
    assert!(within(
        text,
        Limits {
            tokens: 22,
            nesting: 3,
            bytes: text.len(),
            ..Limits::default()
        }
    ));
    assert!(!within(
        text,
        Limits {
            tokens: 21,
            ..Limits::default()
        }
    ));
    assert!(!within(
        text,
        Limits {
            nesting: 2,
            ..Limits::default()
        }
    ));
    assert!(!within(
        text,
        Limits {
            bytes: text.len() - 1,
            ..Limits::default()
        }
    ));
    let endless = Limits {
        nesting: usize::MAX,
        tokens: usize::MAX,
        bytes: usize::MAX,
        ..Limits::default()
    };
    for bracket in ["{a", "[", "(", "{ a(b: [", "{ a(b: {c: ", "query ($a: ["] {
        assert!(!within(&bracket.repeat(100_000), endless.clone()));
        assert!(!within(
            &format!("{{ a(b: {}", bracket.repeat(100_000)),
            endless.clone()
        ));
    }
    assert!(within(
        &format!("{{ {} }}", "a".repeat(255)),
        Limits::default()
    ));
    assert!(!within(
        &format!("{{ {} }}", "a".repeat(256)),
        Limits::default()
    ));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_parsers_agree_on_generated_documents(tape in proptest::collection::vec(any::<u16>(), 0..400)) {
        let text = Tape::new(&tape).document();
        prop_assert!(parse_here(&text).is_ok(), "{}", text);
        compare(&text)?;
    }

    #[test]
    fn both_parsers_agree_on_mutated_documents(
        tape in proptest::collection::vec(any::<u16>(), 0..200),
        edits in proptest::collection::vec(any::<[u16; 3]>(), 1..4),
    ) {
        compare(&mutated(Tape::new(&tape).document(), &edits))?;
    }

    #[test]
    fn both_parsers_agree_on_mutated_documents_of_the_repository(
        which in any::<prop::sample::Index>(),
        edits in proptest::collection::vec(any::<[u16; 3]>(), 1..4),
    ) {
        compare(&mutated(which.get(documents()).clone(), &edits))?;
    }
}

/// The pieces that mutations insert.
const PIECES: [&str; 44] = [
    "{", "}", "(", ")", "[", "]", ":", "=", "!", "$", "@", "...", ".", "&", "|", "\"", "\"\"\"",
    "\\", "\\u", "\\ud83d", "\\ude00", "\\n", "#", "\n", "\r", ",", " ", "\u{feff}", "é", "\u{0}",
    "-", "0", "1", "e", "+", "on", "query", "fragment", "null", "true", "a", "A", "_", "",
];

/// Replaces spans of the text with pieces.
fn mutated(mut text: String, edits: &[[u16; 3]]) -> String {
    for [at, length, piece] in edits {
        let marks: Vec<usize> = text
            .char_indices()
            .map(|(at, _)| at)
            .chain([text.len()])
            .collect();
        let from = usize::from(*at) % marks.len();
        let to = (from + usize::from(*length % 4)).min(marks.len() - 1);
        text.replace_range(
            marks[from]..marks[to],
            PIECES[usize::from(*piece) % PIECES.len()],
        );
    }
    text
}
