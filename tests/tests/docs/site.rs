//! What mdBook would check: `SUMMARY.md` names every page once, and every link between files leads
//! to a file and a heading of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{path, read};

/// The pages outside of `docs` whose links are checked, too.
const OTHERS: [&str; 10] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "bench/README.md",
    "demo/README.md",
    "demo/endpoints.md",
    "demo/interface.md",
    "demo/widgets.md",
];

/// All Markdown files of a folder of the repository, by their paths from its root.
fn pages(folder: &str) -> Vec<String> {
    let entries =
        std::fs::read_dir(path(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut found = vec![];
    for entry in entries {
        let name = entry
            .expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned();
        let below = format!("{folder}/{name}");
        if path(&below).is_dir() {
            found.extend(pages(&below));
        } else if name.ends_with(".md") {
            found.push(below);
        }
    }
    found
}

/// The text of a page without its code.
fn prose(page: &str) -> String {
    let mut in_code = false;
    let lines = page.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    });
    lines.map(|line| format!("{line}\n")).collect()
}

/// The targets of `[text](target)`.
fn links(page: &str) -> Vec<String> {
    let text = prose(page);
    let mut code = false;
    let plain: String = text
        .split('`')
        .map(|part| {
            let shown = if code { "" } else { part };
            code = !code;
            shown
        })
        .collect();
    plain
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .collect()
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let text = prose(page);
    let headings = text
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|line| line.trim_start_matches('#').trim());
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for heading in headings {
        let kept = heading.to_lowercase().replace(' ', "-");
        let anchor: String = kept
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
            .collect();
        let times = seen.entry(anchor.clone()).or_default();
        found.insert(if *times == 0 {
            anchor
        } else {
            format!("{anchor}-{times}")
        });
        *times += 1;
    }
    found
}

#[test]
fn summary_names_every_page_once() {
    let named = links(&read("docs/SUMMARY.md"));
    let unique: BTreeSet<&String> = named.iter().collect();
    assert_eq!(
        unique.len(),
        named.len(),
        "a page stands twice in {named:?}"
    );
    for page in pages("docs") {
        let page = page.trim_start_matches("docs/");
        let is_decision = page.starts_with("decisions/") && page != "decisions/README.md";
        assert!(
            page == "SUMMARY.md" || is_decision || named.iter().any(|name| name == page),
            "{page} is in no summary"
        );
    }
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut wrong = vec![];
    for page in pages("docs").into_iter().chain(OTHERS.map(str::to_owned)) {
        let text = read(&page);
        let folder = Path::new(&page)
            .parent()
            .map(PathBuf::from)
            .unwrap_or_default();
        for link in links(&text)
            .iter()
            .filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                page.clone()
            } else {
                folder.join(file).to_string_lossy().into_owned()
            };
            if !path(&target).exists() {
                wrong.push(format!("{page}: {link} is no file"));
            } else if !anchor.is_empty()
                && target.ends_with(".md")
                && !anchors(&read(&target)).contains(anchor)
            {
                wrong.push(format!("{page}: {link} is no heading"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// The pages for users: decisions, and the outputs of measurements, are of another kind.
fn user_pages() -> impl Iterator<Item = String> {
    let others = ["docs/decisions/", "docs/measurements/"];
    pages("docs")
        .into_iter()
        .filter(move |page| !others.iter().any(|folder| page.starts_with(folder)))
}

#[test]
fn no_page_is_longer_than_2500_words() {
    // The borders of tables are no words.
    let words = |text: &str| text.split_whitespace().filter(|word| *word != "|").count();
    let counted = user_pages().map(|page| (words(&read(&page)), page));
    let long: Vec<(usize, String)> = counted.filter(|(words, _)| *words > 2500).collect();
    assert_eq!(long, vec![]);
}

/// Tables, code, lines with a link and the roles of examples may be longer.
#[test]
fn prose_fits_into_120_columns() {
    let mut wide = vec![];
    for page in user_pages() {
        let text = prose(&read(&page));
        let may_be_long = |line: &str| {
            line.trim_start().starts_with(['|', '<'])
                || line.contains("](")
                || line.starts_with("Role `")
        };
        let lines = text
            .lines()
            .filter(|line| !may_be_long(line) && line.chars().count() > 120);
        wide.extend(lines.map(|line| format!("{page}: {line}")));
    }
    assert_eq!(wide, Vec::<String>::new());
}
