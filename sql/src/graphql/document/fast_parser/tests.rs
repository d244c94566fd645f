//! What is read is what the other parser reads: the documents of the repository, generated ones, and ones that were
//! tampered with.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;

use super::super::{Limits, judge, prescan};
use super::read;
use tape::Tape;

mod tape;

/// What the reader makes of a text, places included.
fn read_here(text: &str) -> Option<String> {
    read(text, &Limits::default()).map(|definitions| format!("{definitions:#?}"))
}

/// What the judge makes of it.
fn judged(text: &str) -> Option<String> {
    judge(text, &Limits::default()).ok().map(|definitions| format!("{definitions:#?}"))
}

/// Holds the reader against the judge; both may know more than the other where this module says so.
fn compare(text: &str) -> Result<(), TestCaseError> {
    match (read_here(text), judged(text)) {
        (Some(here), Some(there)) if text.contains("\"\"\"") => {
            same(&sorted(&without_strings(&here)), &sorted(&without_strings(&there)), text)?;
        }
        (Some(here), Some(there)) if shifts(text) => {
            same(&sorted(&without_places(&here)), &sorted(&without_places(&there)), text)?;
        }
        (Some(here), Some(there)) if text.contains('\r') => same(&sorted(&here), &sorted(&there), text)?,
        (Some(here), Some(there)) => same(&here, &there, text)?,
        (Some(_), None) => prop_assert!(is_newer(text), "only read here: {}", text),
        (None, Some(_)) => prop_assert!(is_laxer(text), "only read there: {}", text),
        (None, None) => {}
    }
    Ok(())
}

/// Fails with the first line that differs.
fn same(here: &str, there: &str, text: &str) -> Result<(), TestCaseError> {
    for (here, there) in here.lines().zip(there.lines()) {
        prop_assert_eq!(here, there, "{}", text);
    }
    prop_assert_eq!(here.len(), there.len(), "{}", text);
    Ok(())
}

/// Whether the judge reads a repaired text, in which something may have moved on its line.
fn shifts(text: &str) -> bool {
    prescan::scan(text, &Limits::default()).is_ok_and(|repaired| repaired.text != text)
}

/// The judge keeps `\"""` and blanks of short lines; [`super::text`] has tests of its own.
fn without_strings(tree: &str) -> String {
    let lines = without_places(tree);
    let is_string = |line: &&str| !line.trim_start().starts_with('"');
    lines.lines().filter(is_string).collect::<Vec<_>>().join("\n")
}

/// Behind a lone carriage return places begin anew, so the judge's definitions may stand in any order.
fn sorted(tree: &str) -> String {
    let mut lines: Vec<&str> = tree.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

fn without_places(tree: &str) -> String {
    tree.lines().filter(|line| !line.trim_start().starts_with("pos: ")).collect::<Vec<_>>().join("\n")
}

/// What the specification allows and the judge does not know.
fn is_newer(text: &str) -> bool {
    let directives_behind_defaults = text.contains('@') && text.contains('=');
    let comment_behind_on = text.contains("on") && text.contains('#');
    let keyword_in_directive =
        text.contains('@') && ["nullable", "trueish", "falsely"].iter().any(|name| text.contains(name));
    text.contains("\\u{") || directives_behind_defaults || comment_behind_on || keyword_in_directive
}

/// What the judge takes against the specification.
fn is_laxer(text: &str) -> bool {
    let directives_on_variables = text.contains('@') && text.contains('$');
    let spread_of_on = text.contains("on");
    directives_on_variables || spread_of_on
}

/// Every document of the repository.
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
fn documents_of_the_repository_are_read_alike() {
    let documents = documents();
    let well_formed = documents.iter().filter(|text| judged(text).is_some()).count();
    assert!(well_formed > 300, "{well_formed}");
    for text in documents {
        compare(text).unwrap();
        assert!(judged(text).is_none() || read_here(text).is_some(), "left to the judge: {text}");
    }
}

#[test]
fn what_the_judge_does_not_know() {
    for text in [
        "query ($a: [ [ Int ! ] ] ! = [1] @x(a: 1)) { a }",
        "{ a(x: \"\\u{1F600}\") ... on # here\n A { b } }",
        "fragment F on,#\nA { b } \"d\" query Q(\"\"\"d\"\"\" $a: Int) { ...F }",
    ] {
        assert!(read_here(text).is_some(), "{text}");
    }
}

#[test]
fn an_escaped_pair_leaves_columns_as_they_are() {
    let tree = read_here("{ a(x: \"\\ud83d\\ude00é😀\") b }").unwrap();
    assert!(tree.contains("\"😀é😀\"") && tree.contains("pos: Pos(1:26)"), "{tree}");
}

#[test]
fn what_is_no_document_is_left() {
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
        assert_eq!(read_here(wrong), None, "{wrong}");
    }
}

#[test]
fn bounds_are_kept() {
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
    fn generated_documents_are_read_alike(tape in proptest::collection::vec(any::<u16>(), 0..400)) {
        let text = Tape::new(&tape).document();
        prop_assert!(read_here(&text).is_some(), "{}", text);
        compare(&text)?;
    }

    #[test]
    fn tampered_documents_are_read_alike(
        tape in proptest::collection::vec(any::<u16>(), 0..200),
        edits in proptest::collection::vec(any::<[u16; 3]>(), 1..4),
    ) {
        compare(&tampered(Tape::new(&tape).document(), &edits))?;
    }

    #[test]
    fn tampered_documents_of_the_repository_are_read_alike(
        which in any::<prop::sample::Index>(),
        edits in proptest::collection::vec(any::<[u16; 3]>(), 1..4),
    ) {
        compare(&tampered(which.get(documents()).clone(), &edits))?;
    }
}

/// What is put in, beside pieces of the text itself.
const PIECES: [&str; 44] = [
    "{", "}", "(", ")", "[", "]", ":", "=", "!", "$", "@", "...", ".", "&", "|", "\"", "\"\"\"", "\\", "\\u",
    "\\ud83d", "\\ude00", "\\n", "#", "\n", "\r", ",", " ", "\u{feff}", "é", "\u{0}", "-", "0", "1", "e", "+", "on",
    "query", "fragment", "null", "true", "a", "A", "_", "",
];

/// The text with pieces taken out and others put in.
fn tampered(mut text: String, edits: &[[u16; 3]]) -> String {
    for [at, length, piece] in edits {
        let marks: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let from = usize::from(*at) % marks.len();
        let to = (from + usize::from(*length % 4)).min(marks.len() - 1);
        text.replace_range(marks[from]..marks[to], PIECES[usize::from(*piece) % PIECES.len()]);
    }
    text
}
