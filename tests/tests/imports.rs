//! The folders of each crate stand in an order, and a folder imports only from folders below it. So
//! there is no circle, and a reader can begin at the bottom. Comments fit into the columns that
//! rustfmt leaves to code. `circles` compares the files of all crates.

mod circles;
mod known_circles;
mod module_tree;

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The folders of `gateway/src`, from top to bottom. A file beside a folder of its name belongs to
/// it.
const GATEWAY: &[&str] = &[
    "server",
    "plugin",
    "http",
    "rest",
    "subscriptions",
    "execute",
    "actions",
    "transform",
    "trusted_documents",
    "rate_limit",
    "auth",
    "request",
    "error",
    "migrations",
    "limits",
    "config",
    "telemetry",
    "tls",
    "http_client",
];

/// The folders and files of `plugins/src`.
const PLUGINS: &[&str] = &[
    "console",
    "explain",
    "events",
    "webhooks",
    "accounts",
    "token_exchange",
    "metrics",
    "refused_callers",
    "outbound_webhook",
];

/// The folders of `pg/src`.
const PG: &[&str] = &[
    "replicas",
    "primary_watch",
    "server_state",
    "listener",
    "transaction",
    "database",
    "pool",
    "replication",
    "connection",
    "server_start",
    "sign_in",
    "pooler",
    "protocol",
    "tls",
    "conninfo",
    "socket",
    "retry",
    "error",
    "query",
    "memory",
    "observer",
    "memory_limit",
    "sharing",
    "deadline",
    "wal_position",
];

/// The folders of `sql/src`.
const SQL: &[&str] = &[
    "testing",
    "translate",
    "introspection",
    "render",
    "plan",
    "resolve",
    "schema",
    "native_query",
    "statement",
    "encode",
    "model",
    "graphql",
    "postgres",
    "error",
];

/// The folders and files of `permissions/src`.
const PERMISSIONS: &[&str] = &[
    "policies",
    "init",
    "statement",
    "refusals",
    "compile",
    "grants",
    "inherit",
    "roles",
    "keys",
    "enums",
    "exposure",
    "rule_check",
    "rule",
    "clock_literals",
    "settings",
    "state_check",
    "table_names",
    "database_rights",
    "settings_read",
    "session",
    "file",
    "report",
    "toml_reader",
    "toml_syntax",
    "left_out",
    "diagnostic",
    "fault",
    "diagnostic_kind",
    "similar_names",
    "toml_fault",
    "variables",
];

/// The files of `import/src`.
const IMPORT: &[&str] = &[
    "metadata",
    "file",
    "functions",
    "inherit",
    "grants",
    "condition",
    "operators",
    "relations",
    "settings",
    "limits",
    "source",
    "triggers",
    "passthrough",
    "endpoints",
    "sdl",
    "tables",
    "relationship",
    "json_object",
    "report",
    "toml_writer",
    "value",
    "expression",
    "session",
    "names",
    "yaml",
];

#[test]
fn folders_of_the_gateway_import_only_from_below() -> io::Result<()> {
    assert_eq!(upward("gateway", GATEWAY)?, Vec::<String>::new());
    Ok(())
}

#[test]
fn plugins_import_only_from_below() -> io::Result<()> {
    assert_eq!(upward("plugins", PLUGINS)?, Vec::<String>::new());
    Ok(())
}

#[test]
fn folders_of_pg_import_only_from_below() -> io::Result<()> {
    assert_eq!(upward("pg", PG)?, Vec::<String>::new());
    Ok(())
}

#[test]
fn folders_of_sql_import_only_from_below() -> io::Result<()> {
    assert_eq!(upward("sql", SQL)?, Vec::<String>::new());
    Ok(())
}

#[test]
fn files_of_permissions_import_only_from_below() -> io::Result<()> {
    assert_eq!(upward("permissions", PERMISSIONS)?, Vec::<String>::new());
    Ok(())
}

#[test]
fn files_of_import_import_only_from_below() -> io::Result<()> {
    assert_eq!(upward("import", IMPORT)?, Vec::<String>::new());
    Ok(())
}

#[test]
fn architecture_page_has_the_folders_in_this_order() -> io::Result<()> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md"))?;
    assert_eq!(listed(&page, "gateway/src"), GATEWAY);
    assert_eq!(listed(&page, "plugins/src"), PLUGINS);
    assert_eq!(listed(&page, "pg/src"), PG);
    // The page leaves out what only tests use.
    assert_eq!(listed(&page, "sql/src"), &SQL[1..]);
    Ok(())
}

/// The folders in the page's table with this title.
fn listed<'p>(page: &'p str, title: &str) -> Vec<&'p str> {
    let title = format!("| `{title}` | |");
    let rows = page
        .lines()
        .skip_while(|line| *line != title)
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| row.split('`').nth(1))
        .map(|name| name.trim_end_matches('/').trim_end_matches(".rs"))
        .collect()
}

/// The widest line of code that rustfmt writes.
const COLUMNS: usize = 100;

#[test]
fn comments_are_at_most_100_columns_wide() -> io::Result<()> {
    let mut wide = Vec::new();
    for folder in [
        "bench",
        "demo",
        "examples",
        "gateway",
        "import",
        "permissions",
        "pg",
        "plugins",
        "postern",
        "sql",
        "tests",
    ] {
        for file in files(&root().join(folder))? {
            let text = fs::read_to_string(&file)?;
            wide.extend(wide_comments(&text).map(|number| format!("{}:{number}", file.display())));
        }
    }
    assert_eq!(wide, Vec::<String>::new());
    Ok(())
}

/// The numbers of the lines of a file whose comments are too wide. Statements and drawings in
/// fences, rows of tables and addresses may be as wide as they are.
fn wide_comments(text: &str) -> impl Iterator<Item = usize> {
    let mut is_fenced = false;
    text.lines().zip(1..).filter_map(move |(line, number)| {
        let comment = line.trim_start().strip_prefix("//")?;
        let comment = comment.trim_start_matches(['/', '!']).trim_start();
        if comment.starts_with("```") {
            is_fenced = !is_fenced;
        }
        let may_be_wide = is_fenced || comment.starts_with('|') || comment.contains("://");
        (!may_be_wide && line.chars().count() > COLUMNS).then_some(number)
    })
}

/// So every request of the gateway has its `User-Agent`.
#[test]
fn http_clients_of_the_gateway_begin_in_one_file() -> io::Result<()> {
    let mut all = files(&root().join("gateway/src"))?;
    all.extend(files(&root().join("plugins/src"))?);
    for file in all {
        let text = fs::read_to_string(&file)?;
        let begins = ["Client::builder()", "Client::new()", "ClientBuilder::new()"]
            .iter()
            .any(|call| text.contains(call));
        assert_eq!(
            begins,
            file.ends_with("http_client.rs"),
            "{}",
            file.display()
        );
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn imports_are_found_in_every_form() {
    let text = "use crate::a::B;\nuse crate::{b::C, c};\nfn f() { super::super::d::g(); let _ = \
                \"// crate::e\"; } // crate::f\n";
    let path = ["room".to_owned(), "file".to_owned()];
    assert_eq!(imported(&path, text), ["a", "b", "c", "d"]);
    let tests = "use crate::a::B;\n\n#[cfg(test)]\nmod tests {\n    use crate::z::Y;\n}\n";
    assert_eq!(imported(&path, tests), ["a"]);
}

/// Every import of a crate that goes up, and every file whose folder the order does not have.
fn upward(name: &str, order: &[&str]) -> io::Result<Vec<String>> {
    let source = root().join(name).join("src");
    let index = |folder: &str| order.iter().position(|known| *known == folder);
    let mut wrong = vec![];
    for file in files(&source)? {
        let relative = file
            .strip_prefix(&source)
            .unwrap_or(&file)
            .with_extension("");
        let path: Vec<String> = relative
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        // `lib.rs` declares the folders, and tests may import everything.
        if path == ["lib"] || path.iter().any(|part| part == "tests") {
            continue;
        }
        let Some(own) = path.first().and_then(|folder| index(folder)) else {
            wrong.push(format!(
                "{}: its folder is not in the order",
                relative.display()
            ));
            continue;
        };
        for folder in imported(&path, &fs::read_to_string(&file)?) {
            // Names that are not folders are re-exports of `lib.rs`.
            if index(&folder).is_some_and(|other| other < own) {
                wrong.push(format!("{} imports from {folder}", relative.display()));
            }
        }
    }
    Ok(wrong)
}

/// The Rust files below a folder.
pub(crate) fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = vec![];
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true if path.ends_with("node_modules") => {}
            true => found.extend(files(&path)?),
            false if path.extension().is_some_and(|extension| extension == "rs") => {
                found.push(path);
            }
            false => {}
        }
    }
    Ok(found)
}

/// The first names behind `crate::`, and behind as many `super::` as lead to the root, in the code
/// of a file that stands at a path. Its unit tests are left out.
fn imported(path: &[String], text: &str) -> Vec<String> {
    let code = text
        .split("\n#[cfg(test)]\nmod ")
        .next()
        .unwrap_or_default();
    let code: String = code
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = vec![];
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before
                .is_some_and(|before| before.is_alphanumeric() || before == '_' || before == ':')
            {
                continue;
            }
            let mut rest = &code[at..];
            let mut above = if start == "crate::" { path.len() } else { 0 };
            while let Some(further) = rest.strip_prefix("super::") {
                (rest, above) = (further, above + 1);
            }
            rest = rest.strip_prefix("crate::").unwrap_or(rest);
            if above == path.len() {
                found.extend(first_names(rest));
            }
        }
    }
    found
}

/// The first name of a path; of several in braces each one's.
fn first_names(rest: &str) -> Vec<String> {
    let name = |text: &str| {
        text.trim_start()
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .map(str::to_owned)
    };
    let Some(inner) = rest.strip_prefix('{') else {
        return name(rest).into_iter().collect();
    };
    let mut names = vec![];
    let mut depth = 0;
    let mut begins = true;
    for (at, character) in inner.char_indices() {
        match character {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            other if begins && !other.is_whitespace() => {
                names.extend(name(&inner[at..]));
                begins = false;
            }
            _ => {}
        }
    }
    names
}
