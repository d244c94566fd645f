//! Reads the code for the words that CONTRIBUTING.md lists under "Not": one word per thing, one
//! thing per word.

use std::path::Path;
use std::{fs, io};

use crate::imports::files;

/// The folders whose code is read.
const FOLDERS: [&str; 10] = [
    "sql/src",
    "permissions/src",
    "import/src",
    "gateway/src",
    "plugins/src",
    "pg/src",
    "postern/src",
    "demo/src",
    "bench/src",
    "bench/loadgen/src",
];

/// Identifiers that no code has.
const WORDS: [&str; 12] = [
    "answer", "answers", "place", "doorman", "door", "face", "Leaver", "Courier", "Mixed",
    "Worded", "Handed", "Veiled",
];

/// The key of a setting, which is also the name of its field.
const KEY: &str = "Answer, answer: usize => response_bytes";

/// Names of constants without a subject or a unit.
const CONSTANTS: [&str; 12] = [
    "TIME", "DEPTH", "LONGEST", "SHORTEST", "MOST", "LEAST", "FEW", "FAR", "AGAIN", "PAUSE",
    "PATIENCE", "KEPT",
];

/// Names of functions that say nothing of what happens.
const FUNCTIONS: [&str; 7] = ["of", "goes", "sides", "beyond", "put", "told", "handed"];

/// Names of locals, parameters and fields, and the type whose name they have instead.
const PAIRS: [(&str, &str); 10] = [
    ("parts", "HandlerState"),
    ("wire", "WireProtocol"),
    ("wire", "ConnectionInfo"),
    ("room", "ValueBudget"),
    ("room", "usize"),
    ("account", "AccessLogEntry"),
    ("bounds", "RoleLimits"),
    ("bounds", "LimitsByRole"),
    ("bounds", "LimitsConfig"),
    ("waker", "Context"),
];

#[test]
fn code_has_none_of_the_words_that_contributing_lists() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for file in FOLDERS
        .iter()
        .map(|folder| files(&root.join(folder)))
        .collect::<io::Result<Vec<_>>>()?
        .concat()
    {
        let code = code(&fs::read_to_string(&file)?);
        for (index, line) in code
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.contains(KEY))
        {
            found.extend(
                banned(line)
                    .into_iter()
                    .map(|word| format!("{}:{}: {word}", file.display(), index + 1)),
            );
        }
    }
    assert_eq!(found, Vec::<String>::new());
    Ok(())
}

#[test]
fn banned_words_are_found_in_code_and_not_in_comments_or_texts() {
    let found = |text: &str| code(text).lines().map(banned).collect::<Vec<_>>().concat();
    assert_eq!(found("let answer = f(place);"), ["answer", "place"]);
    assert_eq!(found("const TIME: Duration = x;"), ["const TIME"]);
    assert_eq!(
        found("fn put(&self, waker: &mut Context<'_>) {"),
        ["fn put", "waker: Context"]
    );
    assert_eq!(found("    room: &mut usize, // the place"), ["room: usize"]);
    assert_eq!(
        found("let replace = \"the \\\" answer\"; // a place"),
        Vec::<String>::new()
    );
    assert_eq!(
        found("const SQL: &str = r#\"\nORDER BY \"place\" place\n\"#;\nanswer"),
        ["answer"]
    );
    assert_eq!(found("let quote = '\"'; door"), ["door"]);
    assert_eq!(
        found("waker: Waker, wake: Context, Type::TIME"),
        Vec::<String>::new()
    );
}

/// The banned words of a line of code.
fn banned(line: &str) -> Vec<String> {
    let names: Vec<&str> = line
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .collect();
    let words = names
        .iter()
        .filter(|name| WORDS.contains(name))
        .map(ToString::to_string);
    let constants = CONSTANTS
        .iter()
        .filter(|name| line.contains(&format!("const {name}:")));
    let is_function = |name: &&&str| {
        line.contains(&format!("fn {name}(")) || line.contains(&format!("fn {name}<"))
    };
    let functions = FUNCTIONS
        .iter()
        .filter(is_function)
        .map(|name| format!("fn {name}"));
    let pairs = PAIRS
        .iter()
        .filter(|(name, kind)| declares(line, name, kind));
    let declared = constants
        .map(|name| format!("const {name}"))
        .chain(functions);
    words
        .chain(declared)
        .chain(pairs.map(|(name, kind)| format!("{name}: {kind}")))
        .collect()
}

/// Whether a line declares something of this name and type, or of a type around it.
fn declares(line: &str, name: &str, kind: &str) -> bool {
    line.match_indices(&format!("{name}: ")).any(|(at, whole)| {
        let is_whole_name =
            !line[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let declared = line[at + whole.len()..]
            .split([',', ')', ';', '=', '{'])
            .next()
            .unwrap_or_default();
        is_whole_name
            && declared
                .split(|letter: char| !letter.is_alphanumeric())
                .any(|part| part == kind)
    })
}

/// Rust without comments and without what texts contain; lines stay lines.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("r#\"") {
            rest.find("\"#").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("'\"'") {
            3
        } else if letter == '"' {
            text_length(rest)
        } else {
            code.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        };
        code.extend(rest[..skipped].chars().filter(|letter| *letter == '\n'));
        rest = &rest[skipped..];
    }
    code
}

/// The length of a text in quotes, with both of them.
fn text_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return at + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}
