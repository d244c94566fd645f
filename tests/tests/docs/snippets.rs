//! Blocks of code that are parts of files: a line `<!-- from: path -->` stands before such a block,
//! and the block's lines stand in that file one after the other. Indentation may differ.

use crate::docs::{path, read};

/// The page of which every block is a part of a file.
const PAGE: &str = "docs/dashboard.md";

struct Snippet {
    line: usize,
    file: Option<String>,
    body: Vec<String>,
}

/// The blocks of the page, each with the file of the marker before it.
fn snippets(page: &str) -> Vec<Snippet> {
    let mut found: Vec<Snippet> = vec![];
    let mut file = None;
    let mut is_open = false;
    for (number, line) in page.lines().enumerate() {
        if line.starts_with("```") {
            if !is_open {
                found.push(Snippet {
                    line: number + 1,
                    file: file.take(),
                    body: vec![],
                });
            }
            is_open = !is_open;
        } else if is_open {
            let snippet = found.last_mut().expect("an open block");
            snippet.body.push(line.trim().to_owned());
        } else if let Some(marker) = line.strip_prefix("<!-- from: ") {
            file = marker.strip_suffix(" -->").map(str::to_owned);
        } else {
            file = None;
        }
    }
    found
}

#[test]
fn snippets_of_the_dashboard_stand_in_its_sources() {
    let page = read(PAGE);
    let found = snippets(&page);
    assert!(found.len() > 15, "{} blocks", found.len());
    let mut faults = vec![];
    for Snippet { line, file, body } in found {
        let Some(file) = file else {
            faults.push(format!("{PAGE}:{line}: a block without a file"));
            continue;
        };
        if !path(&file).is_file() {
            faults.push(format!("{PAGE}:{line}: there is no {file}"));
            continue;
        }
        let source = read(&file);
        let lines: Vec<&str> = source.lines().map(str::trim).collect();
        if !lines.windows(body.len()).any(|window| window == body) {
            faults.push(format!("{PAGE}:{line}: not in {file}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
