//! Compares the reference pages with the code: the table of error codes, the table of settings, the
//! permission file. The prose around them is not checked.

use std::path::PathBuf;
use std::sync::Arc;

use demo::Demo;
use gateway::config::{Kind, SETTINGS, Setting};
use gateway::error::catalogue;
use permissions::SourceFile;
use serde_json::{Map, Value, json};
use sql::model::operators;
use sql::model::operators::{
    ApplicableTypes, Mode, OperandShape, Operator, Pattern, RowCost, Type,
};
use sql::postgres::catalog::Catalog;
use sql::postgres::types::Class;
use tests::golden::is_blessed;

mod endpoints;
mod fences;
mod keys;
mod schemas;
mod site;
mod snippets;
mod walkthroughs;

/// The documents of the demo that the page shows, and variables that keep their responses short.
const QUERIES: [(&str, &str); 6] = [
    ("ControllerById", "{}"),
    ("GetDataSubjectsCountByController", "{}"),
    ("ActivitySummary", "{}"),
    ("ControllerStatistics", "{}"),
    ("OwnData", "{}"),
    ("ControllerTree", r#"{"subjects": 1, "activities": 1}"#),
];

/// When the sample data of the pages ends.
const END: &str = "2025-06-30T17:00:00Z";

/// The pages about the permission file, whose TOML blocks are one file.
const PERMISSION_PAGES: [&str; 5] = [
    "docs/permissions.md",
    "docs/names.md",
    "docs/functions.md",
    "docs/row-rules.md",
    "docs/write-grants.md",
];

/// The largest number of lines of a response that the page shows.
const LINES: usize = 16;

pub(crate) fn path(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", path].iter().collect()
}

pub(crate) fn read(file: &str) -> String {
    std::fs::read_to_string(path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The texts of several pages, one after the other.
fn read_all(files: &[&str]) -> String {
    files.iter().map(|file| read(file)).collect()
}

/// The cells of every row of the page's tables, without headers and separators.
fn rows(page: &str) -> Vec<Vec<String>> {
    let lines = page.lines().filter(|line| line.starts_with("| `"));
    lines
        .map(|line| {
            line.trim_matches('|')
                .split(" | ")
                .map(|cell| cell.trim().replace('`', ""))
                .collect()
        })
        .collect()
}

#[test]
fn table_of_error_codes_matches_the_catalogue() {
    let retry = |retryable| if retryable { "yes" } else { "no" };
    let expected: Vec<[String; 4]> = catalogue::ALL
        .iter()
        .map(|e| {
            [
                e.code.to_owned(),
                e.lenient.to_string(),
                e.strict.to_string(),
                retry(e.retryable).to_owned(),
            ]
        })
        .collect();
    let found: Vec<Vec<String>> = rows(&read("docs/errors.md"))
        .into_iter()
        .map(|row| row[..4].to_vec())
        .collect();
    assert_eq!(found, expected);
}

/// Compares the text between two marks of a page with `expected`; `POSTERN_BLESS=docs` rewrites it.
fn check(file: &str, mark: &str, expected: &str) {
    let begin = format!("<!-- {mark} -->\n");
    let end = "<!-- end -->\n";
    let page = read(file);
    let (before, rest) = page.split_once(&begin).expect("the page has the mark");
    let (found, after) = rest.split_once(end).expect("the marked part ends");
    if found != expected && is_blessed("docs") {
        std::fs::write(path(file), [before, &begin, expected, end, after].concat())
            .expect("the page can be written");
    } else {
        assert!(
            found == expected,
            "{file} is not up to date; `make bless CASE=docs` writes it again:\n{expected}"
        );
    }
}

#[test]
fn table_of_settings_matches_the_program() {
    let rows: String = SETTINGS.iter().map(row).collect();
    check(
        "docs/settings.md",
        "settings",
        &format!(
            "| Option | In the file | Default | Range | Reload | \
                  |\n|---|---|---|---|---|---|\n{rows}"
        ),
    );
}

#[test]
fn page_lists_the_settings_that_wait_for_the_next_start() {
    let fixed = SETTINGS.iter().filter(|setting| setting.is_fixed);
    let names: Vec<String> = fixed.map(|setting| format!("`{}`", setting.key)).collect();
    let mut lines = vec![String::new()];
    for name in names.join(", ").split_inclusive(' ') {
        if lines.last().unwrap().len() + name.trim_end().len() > 120 {
            lines.push(String::new());
        }
        lines.last_mut().unwrap().push_str(name);
    }
    let list: String = lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    check("docs/configuration.md", "next start", &list);
}

fn row(setting: &Setting) -> String {
    let value = match setting.kind {
        Kind::Switch => String::new(),
        Kind::Word(words) => format!(" {}", words.join("\\|")),
        _ => format!(" {}", setting.placeholder),
    };
    let key = if setting.name == SETTINGS.config.name {
        String::new()
    } else {
        format!("`{}`", setting.key)
    };
    let default = setting
        .default()
        .map_or(String::new(), |default| format!("`{default}`"));
    let range = setting.kind.range().unwrap_or_default();
    let reload = if setting.is_fixed {
        "next start"
    } else {
        "at once"
    };
    format!(
        "| `--{}{value}` | {key} | {default} | {range} | {reload} | {}. |\n",
        setting.name, setting.help
    )
}

#[test]
fn table_of_operators_matches_the_code() {
    let head = "| Operator | Of | Takes | SQL | Under a row rule | |\n|---|---|---|---|---|---|\n";
    let rows: String = operators::all().map(operator_row).collect();
    check("docs/operators.md", "operators", &format!("{head}{rows}"));
    let types = operators::PATH_TYPES
        .iter()
        .map(|of| format!("| `{}` | {} |\n", of.name, of.about));
    check(
        "docs/conditions.md",
        "paths",
        &format!("| `as` | |\n|---|---|\n{}", types.collect::<String>()),
    );
    let row = |mode: &Mode| {
        format!(
            "| `{}` | `{}` | {} |\n",
            mode.name(),
            mode.function(),
            mode.about()
        )
    };
    let modes = Mode::ALL.iter().map(|(mode, _)| row(mode));
    let head = "| `mode` | SQL | |\n|---|---|---|\n";
    check(
        "docs/conditions.md",
        "modes",
        &format!("{head}{}", modes.collect::<String>()),
    );
}

fn operator_row(operator: &Operator) -> String {
    let mut sql = operator
        .sql
        .replace("{x}", "x")
        .replace("{}", "$")
        .replace("{schema}.", "")
        .replace('|', "\\|");
    for (from, to) in [
        ("OPERATOR(pg_catalog.", ""),
        (") $", " $"),
        ("{", ""),
        ("}", ""),
    ] {
        // Parentheses around operators are removed, those of functions stay.
        if from != ") $" || operator.sql.contains("OPERATOR(") {
            sql = sql.replace(from, to);
        }
    }
    format!(
        "| `{}` | {} | {} | `{sql}` | {} | {} |\n",
        operator.name,
        on(operator.on),
        takes(operator.takes),
        under_rule(operator.cost),
        operator.about
    )
}

fn under_rule(cost: RowCost) -> &'static str {
    match cost {
        RowCost::Equality => "by an index",
        RowCost::Order => "by an index, of bounded columns",
        RowCost::Prefix => "by an index, for a beginning of bounded columns",
        RowCost::Varies | RowCost::Raises => "on visible rows",
    }
}

fn on(on: ApplicableTypes) -> String {
    match on {
        ApplicableTypes::Every => "all types".into(),
        ApplicableTypes::Comparable | ApplicableTypes::Listable => "types with an order".into(),
        ApplicableTypes::Unequal | ApplicableTypes::UnequalListable => {
            "types with an order and `<>`".into()
        }
        ApplicableTypes::WithoutUnequal | ApplicableTypes::WithoutUnequalListable => {
            "types with an order but no `<>`, as those of PostGIS".into()
        }
        ApplicableTypes::Text => "text, varchar, char, citext, types that pass as text".into(),
        ApplicableTypes::PlainText => "text, varchar, char, types that pass as text".into(),
        ApplicableTypes::Citext => "citext".into(),
        ApplicableTypes::Class(Class::Document) => "tsvector".into(),
        ApplicableTypes::Class(Class::Network) => "inet, cidr".into(),
        ApplicableTypes::Class(Class::Spatial(of)) => format!("{of:?}").to_lowercase(),
        ApplicableTypes::Class(class) => format!("{class:?}").to_lowercase(),
    }
}

fn takes(takes: OperandShape) -> String {
    let of = |of: Type| match of {
        Type::Same => "value".to_owned(),
        Type::Element => "value of the element's type".to_owned(),
        Type::Beside(name) => name.to_owned(),
        of => format!("{of:?}").to_lowercase(),
    };
    match takes {
        OperandShape::One(one) => of(one),
        OperandShape::List(item) => format!("list: {}", of(item)),
        OperandShape::Pair(item) => format!("list of two: {}", of(item)),
        OperandShape::Pattern(Pattern::Regular) => "regular expression".into(),
        OperandShape::Pattern(_) => "pattern".into(),
        OperandShape::IsNull => "Boolean".into(),
        OperandShape::Object(object) => object
            .fields
            .iter()
            .map(|f| format!("`{}`", f.name))
            .collect::<Vec<_>>()
            .join(", "),
        OperandShape::Cast(types) => types
            .iter()
            .map(|(name, _)| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", "),
        OperandShape::Path => "`at`, `as`, operators".into(),
        OperandShape::Search => "`query`, `config`, `mode`".into(),
    }
}

#[test]
fn permission_file_of_the_pages_compiles() {
    let page = read_all(&PERMISSION_PAGES);
    let blocks = page
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let file = SourceFile::new("docs/permissions.md", blocks.collect::<Vec<_>>().join("\n"));
    let compiled = permissions::compile(&file, demo_catalog());
    let compiled = compiled
        .unwrap_or_else(|problems| panic!("{}", permissions::render(&problems, &file, false)));
    let roles: Vec<&str> = compiled.roles().map(|access| access.role()).collect();
    assert_eq!(
        roles,
        ["admin", "user", "dataSubject", "statistics", "supervisor"]
    );
}

/// The demo's catalog, with the functions that the page mentions.
fn demo_catalog() -> Arc<Catalog> {
    Arc::new(Catalog::decode(&with_functions(&read("bench/catalog.json"))).expect("a catalog"))
}

/// Adds the two functions that the page mentions to the demo's catalog, which has none.
fn with_functions(catalog: &str) -> String {
    let mut catalog: Value = serde_json::from_str(catalog).expect("JSON");
    let row = json!({
        "oid": 99001, "schema": "public", "name": "data_subjects", "category": "C", "binary": true, "ordered": true,
        "kind": {"composite": []}, "comment": null,
    });
    let argument =
        |name: &str, r#type: u32| json!({"name": name, "type": r#type, "default": false});
    let function = |name: &str, arguments: [Value; 2], result: u32, set: bool| {
        json!({
            "schema": "public", "name": name, "volatility": "stable", "arguments": arguments, "result": result,
            "set": set, "variadic": false, "comment": null,
        })
    };
    let search = function(
        "search_subjects",
        [argument("query", 25), argument("caller", 114)],
        99001,
        true,
    );
    let label = function(
        "subject_label",
        [argument("s", 99001), argument("caller", 114)],
        25,
        false,
    );
    let mut push =
        |list: &str, item: Value| catalog[list].as_array_mut().expect("a list").push(item);
    push("types", row);
    push("functions", search);
    push("functions", label);
    catalog.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_responses_match_the_page() {
    let demo = Demo::start_until(None, Some(END))
        .await
        .expect("the demo starts");
    let file = demo.permissions();
    let builder = tests::gateway()
        .plugins(demo::plugins())
        .settings(
            demo.settings(tests::demo_data::URL)
                .expect("the demo's settings"),
        )
        .listen("127.0.0.1:0");
    let builder = builder
        .permissions_text(&file.name, &file.text)
        .actions(demo.actions());
    let running = builder.start().await.expect("the gateway starts");
    let url = format!("{}/v1/graphql", running.url());
    let mut text = String::new();
    for (name, variables) in QUERIES {
        text.push_str(&section(&demo, &url, name, variables).await);
    }
    running.shutdown().await;
    check("docs/demo.md", "answers", &text);
}

/// A query and its response as the page shows them.
async fn section(demo: &Demo, url: &str, name: &str, variables: &str) -> String {
    let file = read(&format!("demo/queries/{name}.graphql"));
    let header = |what: &str| {
        file.lines()
            .find_map(|line| line.strip_prefix(&format!("# {what}: ")))
    };
    let role = header("role").expect("a role");
    let mut given: Map<String, Value> =
        serde_json::from_str(header("variables").unwrap_or("{}")).expect("variables");
    given.extend(serde_json::from_str::<Map<String, Value>>(variables).expect("variables"));
    let document = file
        .split_once("\n\n")
        .map_or("", |(_, document)| document)
        .trim_end();
    let (about, document) = match document
        .strip_prefix("# ")
        .and_then(|rest| rest.split_once('\n'))
    {
        Some((about, document)) => (format!("{about}\n\n"), document),
        None => (String::new(), document),
    };
    let request = reqwest::Client::new()
        .post(url)
        .bearer_auth(demo.token(role).expect("a token"));
    let request = request
        .header("X-Gateway-Role", role)
        .json(&json!({"query": document, "variables": given}));
    let response: Value = request
        .send()
        .await
        .expect("an answer")
        .json()
        .await
        .expect("JSON");
    assert!(response.get("errors").is_none(), "{name}: {response}");
    let given = Value::Object(given);
    format!(
        "## {name}\n\n{about}Role `{role}`, variables \
         `{given}`\n\n```graphql\n{document}\n```\n\n```json\n{}\n```\n\n",
        cut(&response)
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn mutation_responses_match_the_page() {
    let demo = Demo::start_until(None, Some(END))
        .await
        .expect("the demo starts");
    let file = demo.permissions();
    let builder = tests::gateway()
        .plugins(demo::plugins())
        .settings(
            demo.settings(tests::demo_data::URL)
                .expect("the demo's settings"),
        )
        .listen("127.0.0.1:0");
    let builder = builder
        .permissions_text(&file.name, &file.text)
        .actions(demo.actions());
    let running = builder.start().await.expect("the gateway starts");
    let url = format!("{}/v1/graphql", running.url());
    let page = read("docs/mutations.md");
    let mut blocks = page.split("```");
    let mut written = blocks.next().unwrap_or_default().to_owned();
    let mut asked: Option<Value> = None;
    // Text and code blocks alternate.
    while let (Some(block), Some(text)) = (blocks.next(), blocks.next()) {
        let block = match (block.split_once('\n'), asked.take()) {
            (Some(("graphql", document)), _) => {
                asked = text.trim().is_empty().then_some(Value::from(document));
                block.to_owned()
            }
            (Some(("json", _)), Some(document)) => {
                let before = written.rsplit("```").nth(2).unwrap_or_default();
                let response = mutate(&demo, &url, before, &document).await;
                format!(
                    "json\n{}\n",
                    serde_json::to_string_pretty(&response).expect("JSON")
                )
            }
            _ => block.to_owned(),
        };
        written = format!("{written}```{block}```{text}");
    }
    running.shutdown().await;
    if written != page && is_blessed("docs") {
        std::fs::write(path("docs/mutations.md"), written).expect("the page can be written");
    } else {
        assert!(
            written == page,
            "docs/mutations.md is not up to date; `make bless CASE=docs` writes it \
             again:\n{written}"
        );
    }
}

/// The response to a document, for the role and with the variables that the text before it names.
async fn mutate(demo: &Demo, url: &str, before: &str, document: &Value) -> Value {
    let line = before
        .lines()
        .rev()
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let role = line
        .strip_prefix("Role `")
        .and_then(|rest| rest.split('`').next())
        .unwrap_or("user");
    let variables = line
        .split_once("variables `")
        .and_then(|(_, rest)| rest.strip_suffix('`'))
        .unwrap_or("{}");
    let variables: Value = serde_json::from_str(variables).expect("variables");
    let post = reqwest::Client::new()
        .post(url)
        .json(&json!({"query": document, "variables": variables}));
    let post = match role {
        "admin" => {
            let facts = demo.facts(url);
            let secret = facts
                .get("admin_secret")
                .and_then(Value::as_str)
                .expect("a secret");
            post.header("X-Gateway-Admin-Secret", secret)
        }
        role => post
            .bearer_auth(demo.token(role).expect("a token"))
            .header("X-Gateway-Role", role),
    };
    post.send()
        .await
        .expect("an answer")
        .json()
        .await
        .expect("JSON")
}

/// The response, cut to the number of lines that the page shows.
fn cut(response: &Value) -> String {
    let text = serde_json::to_string_pretty(response).expect("JSON");
    let lines: Vec<&str> = text.lines().collect();
    match lines.get(..LINES) {
        Some(shown) if lines.len() > LINES + 5 => {
            format!("{}\n… {} more lines", shown.join("\n"), lines.len() - LINES)
        }
        _ => text,
    }
}
