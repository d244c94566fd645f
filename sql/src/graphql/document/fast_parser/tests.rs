//! Compares the fast parser with `async-graphql-parser` on the documents of the repository, generated ones, and mutated
//! ones.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;

use super::super::{Limits, parse_with_diagnostics, prescan};
use super::read;
use tape::Tape;

mod tape;

/// Parses with the fast parser. The result includes positions.
fn parse_fast(text: &str) -> Option<String> {
    read(text, &Limits::default()).map(|definitions| format!("{definitions:#?}"))
}

/// Parses with `async-graphql-parser`.
fn parse_reference(text: &str) -> Option<String> {
    parse_with_diagnostics(text, &Limits::default()).ok().map(|definitions| format!("{definitions:#?}"))
}

/// Compares the two parsers. Each may accept documents that the other refuses, where this module lists the reason.
fn compare(text: &str) -> Result<(), TestCaseError> {
    match (parse_fast(text), parse_reference(text)) {
        (Some(here), Some(there)) if text.contains("\"\"\"") => {
            assert_equal(&sorted(&without_strings(&here)), &sorted(&without_strings(&there)), text)?;
        }
        (Some(here), Some(there)) if is_repaired(text) => {
            assert_equal(&sorted(&without_places(&here)), &sorted(&without_places(&there)), text)?;
        }
        (Some(here), Some(there)) if text.contains('\r') => assert_equal(&sorted(&here), &sorted(&there), text)?,
        (Some(here), Some(there)) => assert_equal(&here, &there, text)?,
        (Some(_), None) => prop_assert!(is_newer(text), "only read here: {}", text),
        (None, Some(_)) => prop_assert!(is_laxer(text), "only read there: {}", text),
        (None, None) => {}
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

/// Whether `async-graphql-parser` gets a repaired text, in which tokens may have moved within their line.
fn is_repaired(text: &str) -> bool {
    prescan::scan(text, &Limits::default()).is_ok_and(|repaired| repaired.text != text)
}

/// Removes string values: `async-graphql-parser` keeps `\"""` and the blanks of short lines in block strings.
/// [`super::text`] has its own tests.
fn without_strings(tree: &str) -> String {
    let lines = without_places(tree);
    let is_string = |line: &&str| !line.trim_start().starts_with('"');
    lines.lines().filter(is_string).collect::<Vec<_>>().join("\n")
}

/// Sorts the lines of a tree. Positions restart after a lone carriage return, so the definitions from
/// `async-graphql-parser`, which are sorted by position, may be in any order.
fn sorted(tree: &str) -> String {
    let mut lines: Vec<&str> = tree.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

fn without_places(tree: &str) -> String {
    tree.lines().filter(|line| !line.trim_start().starts_with("pos: ")).collect::<Vec<_>>().join("\n")
}

/// Whether the text may contain syntax of the specification that `async-graphql-parser` refuses.
fn is_newer(text: &str) -> bool {
    let directives_behind_defaults = text.contains('@') && text.contains('=');
    let comment_behind_on = text.contains("on") && text.contains('#');
    let keyword_in_directive =
        text.contains('@') && ["nullable", "trueish", "falsely"].iter().any(|name| text.contains(name));
    text.contains("\\u{") || directives_behind_defaults || comment_behind_on || keyword_in_directive
}

/// Whether the text may contain syntax that `async-graphql-parser` accepts against the specification.
fn is_laxer(text: &str) -> bool {
    let directives_on_variables = text.contains('@') && text.contains('$');
    let spread_of_on = text.contains("on");
    directives_on_variables || spread_of_on
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
    files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true if path.file_name().is_none_or(|name| name != "node_modules") => collect(&path, files),
            true => {}
            false if path.extension().is_some_and(|extension| extension == "graphql") => files.push(path),
            false => {}
        }
    }
}

#[test]
fn both_parsers_agree_on_documents_of_the_repository() {
    let documents = documents();
    let well_formed = documents.iter().filter(|text| parse_reference(text).is_some()).count();
    assert!(well_formed > 300, "{well_formed}");
    for text in documents {
        compare(text).unwrap();
        assert!(parse_reference(text).is_none() || parse_fast(text).is_some(), "left to the judge: {text}");
    }
}

#[test]
fn syntax_that_only_the_fast_parser_accepts() {
    for text in [
        "query ($a: [ [ Int ! ] ] ! = [1] @x(a: 1)) { a }",
        "{ a(x: \"\\u{1F600}\") ... on # here\n A { b } }",
        "fragment F on,#\nA { b } \"d\" query Q(\"\"\"d\"\"\" $a: Int) { ...F }",
    ] {
        assert!(parse_fast(text).is_some(), "{text}");
    }
}

#[test]
fn escaped_surrogate_pair_keeps_columns() {
    let tree = parse_fast("{ a(x: \"\\ud83d\\ude00é😀\") b }").unwrap();
    assert!(tree.contains("\"😀é😀\"") && tree.contains("pos: Pos(1:26)"), "{tree}");
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
        assert_eq!(parse_fast(wrong), None, "{wrong}");
    }
}

#[test]
fn limits_are_enforced() {
    let within = |text: &str, limits: Limits| read(text, &limits).is_some();
    let text = "{ a(b: [1 2]) ...F } fragment F on A { c }";
    assert!(within(text, Limits { tokens: 22, nesting: 3, bytes: text.len(), ..Limits::default() }));
    assert!(!within(text, Limits { tokens: 21, ..Limits::default() }));
    assert!(!within(text, Limits { nesting: 2, ..Limits::default() }));
    assert!(!within(text, Limits { bytes: text.len() - 1, ..Limits::default() }));
    let endless = Limits { nesting: usize::MAX, tokens: usize::MAX, bytes: usize::MAX, ..Limits::default() };
    for bracket in ["{a", "[", "(", "{ a(b: [", "{ a(b: {c: ", "query ($a: ["] {
        assert!(!within(&bracket.repeat(100_000), endless.clone()));
        assert!(!within(&format!("{{ a(b: {}", bracket.repeat(100_000)), endless.clone()));
    }
    assert!(within(&format!("{{ {} }}", "a".repeat(255)), Limits::default()));
    assert!(!within(&format!("{{ {} }}", "a".repeat(256)), Limits::default()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_parsers_agree_on_generated_documents(tape in proptest::collection::vec(any::<u16>(), 0..400)) {
        let text = Tape::new(&tape).document();
        prop_assert!(parse_fast(&text).is_some(), "{}", text);
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
    "{", "}", "(", ")", "[", "]", ":", "=", "!", "$", "@", "...", ".", "&", "|", "\"", "\"\"\"", "\\", "\\u",
    "\\ud83d", "\\ude00", "\\n", "#", "\n", "\r", ",", " ", "\u{feff}", "é", "\u{0}", "-", "0", "1", "e", "+", "on",
    "query", "fragment", "null", "true", "a", "A", "_", "",
];

/// Replaces spans of the text with pieces.
fn mutated(mut text: String, edits: &[[u16; 3]]) -> String {
    for [at, length, piece] in edits {
        let marks: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let from = usize::from(*at) % marks.len();
        let to = (from + usize::from(*length % 4)).min(marks.len() - 1);
        text.replace_range(marks[from]..marks[to], PIECES[usize::from(*piece) % PIECES.len()]);
    }
    text
}
