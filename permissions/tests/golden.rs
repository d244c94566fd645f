//! Golden tests of permission files: `faults/*.toml` with the rendered problems (`.txt`),
//! `good/*.toml` with the statements that Postgres prepares and the names in GraphQL (`.txt`).
//! `make bless CASE=snapshots` rewrites the results.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use permissions::{Permissions, SourceFile, compile, render};
use sql::model::{ArgumentSource, Callable, RelationKind, Returns};
use sql::postgres::catalog::Catalog;

const CATALOG: &str = include_str!("catalog.json");

fn catalog() -> Arc<Catalog> {
    Arc::new(Catalog::decode(CATALOG).unwrap())
}

fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    cases.sort();
    assert!(!cases.is_empty());
    cases
}

fn source(path: &Path) -> SourceFile {
    let name = path.file_name().unwrap().to_str().unwrap();
    SourceFile::new(name, std::fs::read_to_string(path).unwrap())
}

fn expect(path: &Path, found: &str) -> Option<String> {
    let expected = path.with_extension("txt");
    if std::env::var("POSTERN_BLESS").is_ok_and(|part| matches!(part.as_str(), "snapshots" | "all"))
    {
        std::fs::write(&expected, found).unwrap();
        return None;
    }
    let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
    (wanted != found).then(|| {
        format!(
            "{}\n--- wanted\n{wanted}\n--- found\n{found}",
            expected.display()
        )
    })
}

fn summary(permissions: &Permissions) -> String {
    let mut text = String::new();
    for rule in &permissions.rules {
        writeln!(text, "{}: {}", rule.span.line(), rule.sql).unwrap();
    }
    for table in permissions.model.tables() {
        let columns: Vec<&str> = table
            .columns
            .iter()
            .map(|name| name.as_deref().unwrap_or("-"))
            .collect();
        writeln!(
            text,
            "\n{}: {} ({})",
            table.name,
            table.type_name,
            columns.join(" ")
        )
        .unwrap();
        for relation in &table.relations {
            let to = &permissions.model.exposed(relation.to).unwrap().name;
            let kind = match relation.kind {
                RelationKind::Array => format!("[{to}] {}", relation.aggregate.as_deref().unwrap()),
                RelationKind::Object { unique, always } => {
                    format!(
                        "{to}{}{}",
                        if always { "!" } else { "" },
                        if unique { "" } else { " not unique" }
                    )
                }
            };
            writeln!(text, "  .{}: {kind}", relation.name).unwrap();
        }
        for computed in &table.computed {
            let aggregate = computed.aggregate.as_deref().unwrap_or_default();
            writeln!(
                text,
                "  .{}: {} {aggregate}",
                computed.name,
                called(&computed.callable)
            )
            .unwrap();
        }
        let roots = permissions
            .model
            .roots()
            .filter(|root| root.table == table.table);
        let roots = roots.map(|root| match &root.input {
            Some(input) => format!("{}({input})", root.name),
            None => root.name.clone(),
        });
        writeln!(text, "  {}", roots.collect::<Vec<_>>().join(" ")).unwrap();
    }
    for routine in permissions.model.routines() {
        let callers = permissions
            .roles()
            .filter(|access| access.may_call(routine))
            .map(|access| access.role());
        let kind = if routine.mutates { "mutation" } else { "query" };
        let names = [Some(routine.name.as_str()), routine.aggregate.as_deref()]
            .into_iter()
            .flatten();
        let names = names.collect::<Vec<_>>().join(" ");
        let callers = callers.collect::<Vec<_>>().join(", ");
        writeln!(
            text,
            "\n{kind} {names}: {} by {callers}",
            called(&routine.callable)
        )
        .unwrap();
    }
    text
}

fn called(callable: &Callable) -> String {
    let takes = callable.arguments.iter().map(|takes| match takes {
        ArgumentSource::Row => "ROW",
        ArgumentSource::Session => "SESSION",
        ArgumentSource::Given(name) => name,
    });
    let returns = match callable.returns {
        Returns::Value(_) => "value",
        Returns::Values(_) => "values",
        Returns::Row(_) => "row",
        Returns::Rows(_) => "rows",
    };
    format!(
        "{}({}) {returns}",
        callable.args,
        takes.collect::<Vec<_>>().join(", ")
    )
}

#[test]
fn faults_render_as_expected() {
    let differences = cases("faults").into_iter().filter_map(|path| {
        let file = source(&path);
        let problems = match compile(&file, catalog()) {
            Err(problems) => problems,
            Ok(_) => panic!("{} has no problem", path.display()),
        };
        expect(&path, &(render(&problems, &file, false) + "\n"))
    });
    let differences: Vec<String> = differences.collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn good_files_compile() {
    let differences = cases("good").into_iter().filter_map(|path| {
        let file = source(&path);
        match compile(&file, catalog()) {
            Ok(permissions) => expect(&path, &summary(&permissions)),
            Err(problems) => panic!("{}", render(&problems, &file, false)),
        }
    });
    let differences: Vec<String> = differences.collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}
