//! Databases with names that clash in GraphQL. With a permission file the clash is reported; without one the later item
//! is omitted.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::sync::Arc;

use permissions::{SourceFile, allow_all, compile, init};
use serde_json::{Value, json};
use sql::model::names::RootKind;
use sql::postgres::catalog::Catalog;

/// A table of text columns, the first of which is the primary key, with foreign keys `(column, table, column)`.
fn table(schema: &str, name: &str, columns: &[&str], keys: &[(&str, &str, &str)]) -> Value {
    let column = |name: &&str| {
        json!({"name": name, "type": 25, "nullable": false, "default": null, "generated": null, "identity": null,
               "deterministic": true, "comment": null})
    };
    let foreign = |(own, table, other): &(&str, &str, &str)| {
        json!({"name": format!("{name}_{own}_fkey"), "columns": [own], "schema": schema, "table": table,
               "references": [other], "validated": true})
    };
    json!({
        "schema": schema, "name": name, "kind": "table", "comment": null, "estimated_rows": 0.0, "updatable": 28,
        "columns": columns.iter().map(column).collect::<Vec<_>>(),
        "keys": [{"name": format!("{name}_pkey"), "primary": true, "columns": [columns[0]]}],
        "foreign_keys": keys.iter().map(foreign).collect::<Vec<_>>(),
    })
}

fn catalog(tables: &[Value]) -> Arc<Catalog> {
    let text = json!({"oid": 25, "schema": "pg_catalog", "name": "text", "category": "S", "binary": true,
                      "ordered": true, "kind": "base", "comment": null});
    let document = json!({"server_version": 150000, "database": "d", "search_path": ["public"], "tables": tables,
                          "types": [text], "functions": []});
    Arc::new(Catalog::decode(&document.to_string()).unwrap())
}

fn messages(text: &str, catalog: &Arc<Catalog>) -> Vec<String> {
    let problems = compile(&SourceFile::new("p.toml", text), catalog.clone()).unwrap_err();
    problems.iter().map(|problem| format!("{}: {}", problem.place().line(), problem.message())).collect()
}

fn relations(catalog: &Arc<Catalog>, table: &str) -> Vec<String> {
    let model = allow_all(catalog.clone()).model;
    let id = catalog.find("public", table).unwrap();
    model.exposed(id).unwrap().relations.iter().map(|relation| relation.name.clone()).collect()
}

/// Asserts that the file that `init` generates compiles against the same database.
fn init_compiles(catalog: &Arc<Catalog>) -> String {
    let text = init(catalog);
    let file = SourceFile::new("p.toml", text.as_str());
    if let Err(problems) = compile(&file, catalog.clone()) {
        panic!("{}\n{text}", permissions::render(&problems, &file, false));
    }
    text
}

#[test]
fn tables_of_one_name_clash() {
    let catalog = catalog(&[table("public", "s_t", &["id"], &[]), table("s", "t", &["id"], &[])]);
    let clash = "1: the row of `s_t` and the row of `s.t` are both called `sT`";
    assert_eq!(messages("", &catalog)[0], clash);
    let model = allow_all(catalog.clone()).model;
    assert_eq!(model.tables().count(), 1);
    assert!(init_compiles(&catalog).contains("[table.\"s.t\"]\nexposed = false"));
    let named = SourceFile::new("p.toml", "[table.'s.t']\nname = 'other'\n");
    assert_eq!(compile(&named, catalog).unwrap().model.tables().count(), 2);
}

#[test]
fn columns_of_one_name_clash() {
    let catalog = catalog(&[table("public", "t", &["id", "user_id", "userId"], &[])]);
    assert_eq!(
        messages("[table.t]", &catalog),
        ["1: column `user_id` of `t` and column `userId` of `t` are both called `userId`"]
    );
    let model = allow_all(catalog.clone()).model;
    let names: Vec<Option<&str>> = model.tables().next().unwrap().columns.iter().map(Option::as_deref).collect();
    assert_eq!(names, [Some("id"), Some("userId"), None]);
    assert!(init_compiles(&catalog).contains("column.userId = \"userId2\""));
}

#[test]
fn relation_and_column_of_one_name_clash() {
    let tables = [
        table(
            "public",
            "orders",
            &["id", "user", "user_id", "owner"],
            &[("user_id", "users", "id"), ("owner", "users", "id")],
        ),
        table("public", "users", &["id", "orders_by_owner"], &[]),
    ];
    let catalog = catalog(&tables);
    assert_eq!(relations(&catalog, "orders"), ["userByUserId", "users"]);
    assert_eq!(relations(&catalog, "users"), ["ordersByOwner", "ordersByUserId"].map(String::from)[1..]);
    let clash = "column `orders_by_owner` of `users` and the relation over foreign key `orders_owner_fkey` of `orders`";
    assert_eq!(messages("", &catalog), [format!("1: {clash} are both called `ordersByOwner`")]);
    init_compiles(&catalog);
    let hidden = SourceFile::new("p.toml", "[table.users.relation]\nordersByOwner = false\n");
    assert!(compile(&hidden, catalog).is_ok());
}

#[test]
fn self_reference_gives_two_relations() {
    let catalog = catalog(&[table("public", "nodes", &["id", "parent_id"], &[("parent_id", "nodes", "id")])]);
    assert_eq!(relations(&catalog, "nodes"), ["nodes", "parent"]);
    init_compiles(&catalog);
}

#[test]
fn helper_types_and_root_fields_clash() {
    let tables = [table("public", "a", &["id"], &[]), table("public", "a_bool_exp", &["id"], &[])];
    let text = "[naming]\nconvention = 'snake'\n";
    assert_eq!(
        messages(text, &catalog(&tables))[0],
        "1: a helper type of `a` and the row of `a_bool_exp` are both called `a_bool_exp`"
    );
    let tables = [table("public", "a", &["id"], &[]), table("public", "a_by_pk", &["id"], &[])];
    assert_eq!(
        messages(text, &catalog(&tables))[0],
        "1: root field `one` of `a` and root field `list` of `a_by_pk` are both called `a_by_pk`"
    );
    init_compiles(&catalog(&tables));
    let tables = [table("public", "String", &["id"], &[])];
    assert_eq!(
        messages(text, &catalog(&tables))[0],
        "1: a built-in type and the row of `String` are both called `String`"
    );
    assert_eq!(allow_all(catalog(&tables)).model.tables().count(), 0);
}

/// A table with the name of another's group types keeps the name, and that other table has no groups, unless the file
/// names its root field; a clash of the types themselves is still reported.
#[test]
fn tables_take_precedence_over_group_types() {
    let catalog = catalog(&[table("public", "team", &["id"], &[]), table("public", "team_group", &["id"], &[])]);
    let file = SourceFile::new("p.toml", "[naming]\nconvention = \"snake\"\n");
    let model = compile(&file, catalog.clone()).unwrap().model;
    let named = |name: &str| model.root(name).map(|root| (catalog.table(root.table).name.as_str(), root.kind));
    assert_eq!(named("team_group"), Some(("team_group", RootKind::List)));
    assert_eq!(named("team_group_group"), Some(("team_group", RootKind::Group)));
    assert!(!model.roots().any(|root| root.kind == RootKind::Group && catalog.table(root.table).name == "team"));
    let given = "[naming]\nconvention = \"snake\"\n[table.team]\nroot = { group = \"teams_grouped\" }\n";
    assert_eq!(messages(given, &catalog).len(), 1);
}

#[test]
fn alias_input_must_not_have_the_name_of_another_type() {
    let catalog = catalog(&[table("public", "a", &["id"], &[]), table("public", "b", &["id"], &[])]);
    let reported = |input: &str| {
        let alias = format!("aliases = {{ insert_one = [{{ name = \"add\", input = \"{input}\" }}] }}");
        messages(&format!("naming.convention = \"snake\"\n[table.a]\n{alias}\n"), &catalog)
    };
    let clash =
        |other: &str, input: &str| vec![format!("3: the input type of `add` and {other} are both called `{input}`")];
    for input in ["b", "b_insert_input", "b_if_match_input"] {
        assert_eq!(reported(input), clash("a type of `b`", input));
    }
    assert_eq!(reported("a_set_input"), clash("a type of `a`", "a_set_input"));
    for input in ["order_by", "mutation_root", "Int"] {
        assert_eq!(reported(input), clash("a built-in type", input));
    }
    let own = "naming.convention = \"snake\"\n[table.a]\naliases = { insert_one = [{ name = \"add\", input = \"a_insert_input\" }] }\n";
    assert!(compile(&SourceFile::new("p.toml", own), catalog).is_ok());
}
