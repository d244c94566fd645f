//! Tests that under `graphql-default` no name that Postern defines is in snake case, whatever is
//! added to the schema.

use std::sync::Arc;

use async_graphql_parser::parse_schema;
use async_graphql_parser::types::{TypeKind, TypeSystemDefinition};
use permissions::SourceFile;
use sql::introspection::reference::Reference;
use sql::postgres::catalog::Catalog;
use tests::fixture;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Leaves out tables with unusual names in the database, so that the remaining names are Postern's.
const FILE: &str = r#"
[naming]
convention = "graphql-default"

[table.users]
connection = true

[table.order_lines]
connection = true
"#;

/// Names that do not depend on the convention: Hasura's roots, and enums that tables of every
/// spelling share.
const FIXED: [&str; 5] = [
    "query_root",
    "mutation_root",
    "subscription_root",
    "fts_mode",
    "jsonb_path_type",
];

#[test]
fn no_built_in_name_is_in_snake_case() -> Outcome {
    let catalog = Catalog::decode(&std::fs::read_to_string(fixture::catalog_path())?)?;
    let file = SourceFile::new("names.toml", FILE);
    let compiled = permissions::compile(&file, Arc::new(catalog));
    let compiled = compiled.map_err(|problems| permissions::render(&problems, &file, false))?;
    let access = compiled.role("admin").ok_or("no admin")?;
    let sdl = sql::introspection::sdl(access);
    let mut snake = Vec::new();
    let mut words = 0;
    for definition in parse_schema(&sdl)?.definitions {
        let TypeSystemDefinition::Type(definition) = definition else {
            continue;
        };
        let name = definition.node.name.node.as_str();
        let mut names: Vec<String> = Vec::new();
        match &definition.node.kind {
            // Scalars have the names of Postgres' types.
            TypeKind::Scalar => continue,
            // Its values are names of scalars.
            _ if name.eq_ignore_ascii_case("jsonb_path_type") => continue,
            TypeKind::Object(object) => {
                for field in &object.fields {
                    names.push(field.node.name.node.to_string());
                    names.extend(
                        field
                            .node
                            .arguments
                            .iter()
                            .map(|argument| argument.node.name.node.to_string()),
                    );
                }
            }
            TypeKind::InputObject(input) => {
                names.extend(input.fields.iter().map(|f| f.node.name.node.to_string()));
            }
            TypeKind::Enum(of) => {
                for value in &of.values {
                    let value = value.node.value.node.to_string();
                    // The values of column enums are the columns' names.
                    let columns = name.ends_with("Column") || name.ends_with("Columns");
                    // The values of constraint enums are the database's names.
                    if !columns && !name.ends_with("Constraint") && value != value.to_uppercase() {
                        snake.push(format!("{name}.{value}"));
                    }
                    names.extend(columns.then_some(value));
                }
            }
            _ => {}
        }
        words += names.len();
        names.push(name.to_owned());
        let is_snake = |name: &&String| {
            name.trim_start_matches('_').contains('_') && !FIXED.contains(&name.as_str())
        };
        snake.extend(
            names
                .iter()
                .filter(is_snake)
                .map(|found| format!("{name}: {found}")),
        );
    }
    assert!(
        snake.is_empty(),
        "{} names in snake case: {}",
        snake.len(),
        snake.join(", ")
    );
    assert!(words > 1_000, "{words}");
    Ok(())
}

/// A table without a grant would yield to the other's name.
const GRANT: &str =
    "[table.order_lines.role.user]\nselect = { columns = \"*\", rows = \"true\" }\n";

/// Giving the name of an existing type to the row type of a table is reported as a clash.
#[test]
fn type_names_are_reserved_from_other_tables() -> Outcome {
    let catalog = Arc::new(Catalog::decode(&std::fs::read_to_string(
        fixture::catalog_path(),
    )?)?);
    for convention in ["snake", "graphql-default"] {
        let naming = format!("naming.convention = \"{convention}\"\n");
        let compile = |rest: &str| {
            let file = SourceFile::new("names.toml", format!("{naming}{rest}"));
            permissions::compile(&file, catalog.clone())
                .map_err(|problems| permissions::render(&problems, &file, false))
        };
        let compiled = compile("[table.order_lines]\nconnection = true\n")?;
        let reference = Reference::new(compiled.role("admin").ok_or("no admin")?);
        let lines = reference
            .tables
            .iter()
            .find(|table| table.table == "order_lines")
            .ok_or("no table")?;
        assert!(lines.types.len() > 20 && reference.types.len() > 20);
        let free = |name: &&&String| {
            compile(&format!(
                "[table.order_lines]\nconnection = true\n{GRANT}[table.teams]\ntype = \"{name}\"\n"
            ))
            .is_ok()
        };
        // Excludes names that no table has in practice: columns in an aggregate's condition, and
        // types of text search, which are not for columns.
        let odd = |name: &&String| {
            name.to_lowercase().contains("argumentscolumns") || name.ends_with("query")
        };
        // Group types get another name if a table has that of a group type.
        let groups = |name: &&String| {
            name.to_lowercase()
                .replace('_', "")
                .starts_with("orderlinesgroup")
        };
        // The name of a relation is part of these.
        let related = |name: &&String| {
            name.to_lowercase()
                .replace('_', "")
                .starts_with("orderlinesrelated")
        };
        let long = |name: &&String| name.ends_with("_arguments_columns");
        let all = lines
            .types
            .iter()
            .chain(&reference.types)
            .filter(|name| !odd(name) && !long(name) && !groups(name));
        let all = all.filter(|name| !related(name));
        let free: Vec<_> = all.filter(|name| free(&name)).collect();
        assert!(
            free.is_empty(),
            "under {convention} a table's rows may be called {free:?}"
        );
    }
    Ok(())
}
