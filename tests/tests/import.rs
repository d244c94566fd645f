//! Tests the importer against a database: the files that it generates from both formats of
//! metadata, and that they compile; and that recorded requests are verified against a running
//! server.

mod literals;
mod postgis;
mod round_trip;
mod verify;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use import::{Entry, Imported, Options, Outcome as Fate, Source};
use permissions::{CompileOutcome, Diagnostic, ParsedFile, Permissions, SourceFile};
use sql::model::names::Convention;
use sql::postgres::catalog::Catalog;
use tests::{fixture, golden};
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const SCHEMA: &str = include_str!("../import/schema.sql");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("import")
}

fn document() -> Outcome<Source> {
    Ok(Source::Document(fs::read_to_string(
        folder().join("metadata.json"),
    )?))
}

fn directory() -> Outcome<Source> {
    let mut files = BTreeMap::new();
    collect(&folder().join("metadata"), "", &mut files)?;
    Ok(Source::Folder(files))
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) -> Outcome {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!(
            "{prefix}{}",
            path.file_name().unwrap_or_default().to_string_lossy()
        );
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else {
            files.insert(name, fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

/// The report, without the problems about keys that the permission file does not support yet.
fn report(imported: &Imported) -> String {
    let entries = imported
        .report
        .entries()
        .iter()
        .filter(|entry| !entry.construct.starts_with("permissions.toml"));
    entries
        .map(|Entry { construct, outcome }| format!("{construct}: {outcome:?}\n"))
        .collect()
}

async fn catalog(client: &Client) -> Outcome<Arc<Catalog>> {
    Ok(Arc::new(fixture::catalog(client).await?))
}

#[tokio::test]
async fn generated_files_and_report_match() -> Outcome {
    let database = tests::create("import", &[SCHEMA]).await?;
    let catalog = catalog(&database.connect().await?).await?;
    let imported = import::import(&document()?, &catalog, &Options::default())?;
    let mut faults: Vec<String> = vec![];
    let mut files = imported.files.clone();
    files.push(("report.txt".to_owned(), report(&imported)));
    for (name, text) in &files {
        let path = folder().join("out").join(name);
        if golden::is_blessed("import") {
            fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        }
        faults.extend(golden::check(&path, "import", text).err());
    }
    let mut written = BTreeMap::new();
    collect(&folder().join("out"), "", &mut written)?;
    written.retain(|name, _| !files.iter().any(|(known, _)| known == name));
    faults.extend(
        written
            .keys()
            .map(|name| format!("── {name} is not written any more")),
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

#[tokio::test]
async fn report_names_session_variables_that_are_taken_literally() -> Outcome {
    let schema = "CREATE TABLE notes (id int PRIMARY KEY, owner text, document jsonb, plain json)";
    let database = tests::create("import", &[schema]).await?;
    let catalog = catalog(&database.connect().await?).await?;
    let grant = |filter: serde_json::Value| {
        let select = serde_json::json!({"role": "user", "permission": {"columns": ["id"], "filter": filter}});
        let insert = serde_json::json!({"role": "user", "permission": {
            "columns": ["id"], "check": {}, "set": {"document": {"by": "X-Hasura-User-Id"}, "owner": "X-Hasura-User-Id"}
        }});
        let table = serde_json::json!({
            "table": {"schema": "public", "name": "notes"},
            "select_permissions": [select], "insert_permissions": [insert]
        });
        let source = serde_json::json!({
            "name": "default", "kind": "postgres", "tables": [table],
            "configuration": {"connection_info": {"database_url": "postgres://"}}
        });
        serde_json::json!({"version": 3, "sources": [source]}).to_string()
    };
    let user = "X-Hasura-User-Id";
    for (filter, is_literal) in [
        (
            serde_json::json!({"document": {"_contains": {"user": user}}}),
            true,
        ),
        (
            serde_json::json!({"document": {"_contains": [{"users": [user, "x-hasura-org-id"]}]}}),
            true,
        ),
        (
            serde_json::json!({"document": {"_contained_in": {"user": user}}}),
            true,
        ),
        (
            serde_json::json!({"_or": [{"_not": {"document": {"_eq": {"user": user}}}}, {"id": {"_eq": 1}}]}),
            true,
        ),
        (
            serde_json::json!({"document": {"_in": [{"user": user}]}}),
            true,
        ),
        (serde_json::json!({"document": {"_contains": user}}), false),
        (
            serde_json::json!({"document": {"_contains": {"X-Hasura-User-Id": "a key"}}}),
            false,
        ),
        (serde_json::json!({"owner": {"_eq": user}}), false),
    ] {
        let imported = import::import(
            &Source::Document(grant(filter.clone())),
            &catalog,
            &Options::default(),
        )?;
        let report = report(&imported);
        let literal = "Approximated { how: \"`rows`: `X-Hasura-User-Id`";
        let line = report
            .lines()
            .find(|line| line.contains("select"))
            .ok_or("no line")?;
        assert_eq!(
            line.contains(literal) && line.contains("taken literally"),
            is_literal,
            "{filter}: {report}"
        );
        let preset = "`set`: `X-Hasura-User-Id` inside of JSON: taken literally";
        assert!(
            report
                .lines()
                .any(|line| line.contains("insert") && line.contains(preset)),
            "{report}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn folder_and_export_import_identically() -> Outcome {
    let database = tests::create("import", &[SCHEMA]).await?;
    let catalog = catalog(&database.connect().await?).await?;
    let imported = |source: Source| import::import(&source, &catalog, &Options::default());
    let one = imported(document()?)?;
    let other = imported(directory()?)?;
    assert_eq!(one.files, other.files);
    // Unknown metadata is a key in one format and a file in the other.
    let sorted_entries = |imported: &Imported| {
        let entries = imported
            .report
            .entries()
            .iter()
            .map(|entry| format!("{entry:?}"));
        let mut entries: Vec<String> = entries
            .filter(|entry| !entry.contains("moon_phase"))
            .collect();
        entries.sort();
        entries
    };
    assert_eq!(sorted_entries(&one), sorted_entries(&other));
    Ok(())
}

#[tokio::test]
async fn imported_file_compiles_and_postgres_accepts_its_rules() -> Outcome {
    let database = tests::create("import", &[SCHEMA]).await?;
    let client = database.connect().await?;
    let catalog = catalog(&client).await?;
    let imported = import::import(&document()?, &catalog, &Options::default())?;
    let compiled = compiled(&imported, &catalog, &client).await?;
    assert!(compiled.rules.len() > 20, "{} rules", compiled.rules.len());
    for rule in &compiled.rules {
        let refused = client
            .prepare(&rule.sql)
            .await
            .err()
            .map(|error| format!("{error:?}"));
        assert!(
            refused.is_none(),
            "{}: {}\n{}",
            rule.span.line(),
            refused.unwrap_or_default(),
            rule.sql
        );
    }
    let exposed = |schema: &str, name: &str| {
        catalog
            .find(schema, name)
            .and_then(|table| compiled.model.exposed(table))
            .is_some()
    };
    assert!(exposed("public", "authors") && exposed("shipping", "parcels"));
    assert!(!exposed("public", "internal_audit") && !exposed("public", "author details"));
    let relations = |name: &str| -> Option<Vec<&str>> {
        let table = compiled.model.exposed(catalog.find("public", name)?)?;
        Some(
            table
                .relations
                .iter()
                .map(|relation| relation.name.as_str())
                .collect(),
        )
    };
    let authors = [
        "articles", "comments", "edited", "latest", "org", "peers", "profile", "profiles",
    ];
    assert_eq!(relations("authors").as_deref(), Some(&authors[..]));
    assert_eq!(relations("comments").as_deref(), Some(&["article"][..]));
    Ok(())
}

/// The problems of a file, without keys that the permission file does not support yet.
fn faults(attempt: &CompileOutcome) -> Vec<Diagnostic> {
    let waits = |problem: &&Diagnostic| problem.message().contains("not supported yet");
    attempt
        .problems
        .iter()
        .filter(|problem| !waits(problem))
        .cloned()
        .collect()
}

/// Whether a construct was refused for another reason than an unsupported key.
fn is_refused(entry: &Entry) -> bool {
    matches!(&entry.outcome, Fate::Refused { why } if !why.contains("not supported yet"))
}

async fn compiled(
    imported: &Imported,
    catalog: &Arc<Catalog>,
    client: &Client,
) -> Outcome<Permissions> {
    let text = imported
        .files
        .first()
        .map(|(_, text)| text.as_str())
        .unwrap_or_default();
    let file = SourceFile::new("permissions.toml", text);
    let mut catalog = Catalog::clone(catalog);
    let parsed = ParsedFile::read(file.clone());
    if let Some(query) = parsed.enum_query(&catalog) {
        catalog.take_enum_values(client.query_one(&query, &[]).await?.get(0))?;
    }
    let attempt = parsed.compile(Arc::new(catalog), Convention::Snake);
    let faults = faults(&attempt);
    match attempt.permissions {
        Some(permissions) if faults.is_empty() => Ok(permissions),
        _ => Err(permissions::render(&faults, &file, false).into()),
    }
}
