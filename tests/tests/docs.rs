//! Holds the reference pages against the code: the table of codes, the table of settings, the permission file. Whether the
//! sentences around them are true is for readers to say.

use std::path::PathBuf;
use std::sync::Arc;

use gateway::config::{Kind, SETTINGS, Setting};
use gateway::error::catalogue;
use permissions::SourceFile;
use sql::catalog::Catalog;

fn path(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", path].iter().collect()
}

fn read(file: &str) -> String {
    std::fs::read_to_string(path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The cells of every row of the page's tables, heads and rules left out.
fn rows(page: &str) -> Vec<Vec<String>> {
    let lines = page.lines().filter(|line| line.starts_with("| `"));
    lines.map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().replace('`', "")).collect()).collect()
}

#[test]
fn the_table_of_codes_is_the_catalogue() {
    let retry = |retryable| if retryable { "yes" } else { "no" };
    let expected: Vec<[String; 4]> = catalogue::ALL
        .iter()
        .map(|e| [e.code.to_owned(), e.lenient.to_string(), e.strict.to_string(), retry(e.retryable).to_owned()])
        .collect();
    let found: Vec<Vec<String>> = rows(&read("docs/errors.md")).into_iter().map(|row| row[..4].to_vec()).collect();
    assert_eq!(found, expected);
}

/// Set `POSTERN_BLESS=docs` to write the table again.
#[test]
fn the_table_of_settings_is_the_one_of_the_program() {
    const BEGIN: &str = "<!-- settings -->\n";
    const END: &str = "<!-- end -->\n";
    let file = "docs/configuration.md";
    let page = read(file);
    let (before, rest) = page.split_once(BEGIN).expect("the page has a place for the table");
    let (found, after) = rest.split_once(END).expect("the table ends");
    let table: String = SETTINGS.iter().map(row).collect();
    let table = format!("| Option | In the file | Default | |\n|---|---|---|---|\n{table}");
    if std::env::var("POSTERN_BLESS").is_ok_and(|case| case == "docs") {
        std::fs::write(path(file), [before, BEGIN, &table, END, after].concat()).expect("the page can be written");
    } else {
        assert_eq!(found, table, "`make bless CASE=docs` writes it again");
    }
}

fn row(setting: &Setting) -> String {
    let value = match setting.kind {
        Kind::Switch => String::new(),
        Kind::Word(words) => format!(" {}", words.join("\\|")),
        _ => format!(" {}", setting.value),
    };
    let key = if setting.name == "config" { String::new() } else { format!("`{}`", setting.key()) };
    let default = setting.default.map_or(String::new(), |default| format!("`{default}`"));
    format!("| `--{}{value}` | {key} | {default} | {}. |\n", setting.name, setting.help)
}

#[test]
fn the_permission_file_of_its_page_compiles() {
    let page = read("docs/permissions.md");
    let blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let catalog = Catalog::decode(&read("bench/catalog.json")).expect("a catalog");
    let file = SourceFile::new("docs/permissions.md", blocks.collect::<Vec<_>>().join("\n"));
    let compiled = permissions::compile(&file, Arc::new(catalog));
    let compiled = compiled.unwrap_or_else(|problems| panic!("{}", permissions::draw(&problems, &file, false)));
    let roles: Vec<&str> = compiled.roles().map(|access| access.role()).collect();
    assert_eq!(roles, ["admin", "user", "dataSubject", "statistics"]);
}
