//! Databases with names that clash in GraphQL. Names that the file gives and that clash are
//! reported; names that follow from the database get a number.

use std::sync::Arc;

use permissions::{SourceFile, allow_all, compile, init};
use serde_json::{Value, json};
use sql::model::names::RootKind;
use sql::postgres::catalog::Catalog;

/// A table of text columns, the first of which is the primary key, with foreign keys `(column,
/// table, column)`.
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
    problems
        .iter()
        .map(|problem| format!("{}: {}", problem.span().line(), problem.message()))
        .collect()
}

fn relations(catalog: &Arc<Catalog>, table: &str) -> Vec<String> {
    let model = allow_all(catalog.clone()).model;
    let id = catalog.find("public", table).unwrap();
    model
        .exposed(id)
        .unwrap()
        .relations
        .iter()
        .map(|relation| relation.name.clone())
        .collect()
}

/// Asserts that the file that `init` generates compiles against the same database.
fn init_compiles(catalog: &Arc<Catalog>) -> String {
    let text = init(catalog, &[]);
    let file = SourceFile::new("p.toml", text.as_str());
    if let Err(problems) = compile(&file, catalog.clone()) {
        panic!("{}\n{text}", permissions::render(&problems, &file, false));
    }
    text
}

/// The GraphQL names of all tables, and whether the roots of each are its own.
fn names(text: &str, catalog: &Arc<Catalog>) -> Vec<String> {
    let file = SourceFile::new("p.toml", text);
    let compiled = compile(&file, catalog.clone());
    let model = compiled
        .unwrap_or_else(|problems| panic!("{}", permissions::render(&problems, &file, false)))
        .model;
    model.tables().map(|table| table.name.clone()).collect()
}

fn notes(text: &str, catalog: &Arc<Catalog>) -> Vec<String> {
    let compiled = compile(&SourceFile::new("p.toml", text), catalog.clone()).unwrap();
    compiled
        .notes
        .iter()
        .map(|note| format!("{}: {}", note.span().line(), note.message()))
        .collect()
}

const GRANT: &str = "select = { columns = '*', rows = 'true' }\n";

#[test]
fn second_of_two_tables_of_one_name_has_a_number() {
    let catalog = catalog(&[
        table("public", "s_t", &["id"], &[]),
        table("s", "t", &["id"], &[]),
    ]);
    assert_eq!(names("", &catalog), ["sT", "sT2"]);
    assert_eq!(allow_all(catalog.clone()).model.tables().count(), 2);
    assert!(init_compiles(&catalog).contains("[table.\"s.t\"]\nname = \"t\"\n"));
    assert_eq!(
        names("[table.'s.t']\nname = 'other'\n", &catalog),
        ["sT", "other"]
    );
}

#[test]
fn table_with_a_grant_keeps_its_name_when_another_is_added() {
    let catalog = catalog(&[
        table("public", "aB", &["id"], &[]),
        table("public", "a_b", &["id"], &[]),
    ]);
    assert_eq!(
        names(&format!("[table.a_b.role.user]\n{GRANT}"), &catalog),
        ["aB2", "aB"]
    );
    let both = format!("[table.a_b.role.user]\n{GRANT}[table.aB.role.user]\n{GRANT}");
    assert_eq!(names(&both, &catalog), ["aB", "aB2"]);
    assert_eq!(
        notes(&both, &catalog),
        ["1: `a_b` is called `aB2`: `aB` is the name of the row of `aB`"]
    );
    // The file gives a name that another table with a grant has by itself.
    let given = format!("[table.a_b]\nname = 'aB'\n[table.aB.role.user]\n{GRANT}");
    assert_eq!(
        messages(&given, &catalog)[0],
        "3: the row of `a_b` and the row of `aB` are both called `aB`"
    );
}

#[test]
fn table_without_a_grant_yields_to_names_of_functions_and_aliases() {
    let catalog = catalog(&[
        table("public", "a", &["id"], &[]),
        table("public", "b", &["id"], &[]),
    ]);
    assert_eq!(
        names("[table.b]\naliases = { list = ['a'] }\n", &catalog),
        ["a2", "b"]
    );
    let granted = format!("[table.b]\naliases = {{ list = ['a'] }}\n[table.a.role.user]\n{GRANT}");
    assert_eq!(messages(&granted, &catalog).len(), 1);
}

#[test]
fn second_of_two_columns_of_one_name_has_a_number() {
    let catalog = catalog(&[table(
        "public",
        "t",
        &["id", "user_id", "userId", "_and", "_some"],
        &[],
    )]);
    let model = allow_all(catalog.clone()).model;
    let names: Vec<Option<&str>> = model
        .tables()
        .next()
        .unwrap()
        .columns
        .iter()
        .map(Option::as_deref)
        .collect();
    assert_eq!(
        names,
        ["id", "userId", "userId2", "_and2", "_some2"].map(Some)
    );
    let note = "1: column `userId` of `t` is called `userId2`: `userId` is the name of column \
                `user_id` of `t`";
    assert!(notes("[table.t]", &catalog).contains(&note.to_owned()));
    assert!(init_compiles(&catalog).contains("column.userId = \"userId2\""));
    let given = "[table.t]\ncolumn.user_id = 'x'\ncolumn.userId = 'x'\n";
    let clash = "3: column `user_id` of `t` and column `userId` of `t` are both called `x`";
    assert_eq!(messages(given, &catalog), [clash]);
}

#[test]
fn relations_get_longer_names_until_they_are_free() {
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
    assert_eq!(
        relations(&catalog, "users"),
        ["ordersByOwnerList", "ordersByUserId"]
    );
    assert!(!init_compiles(&catalog).contains("\nrelation.user = "));
    let hidden = SourceFile::new(
        "p.toml",
        "[table.users.relation]\nordersByOwnerList = false\n",
    );
    assert!(compile(&hidden, catalog).is_ok());
}

#[test]
fn object_relations_of_a_first_file_are_singular() {
    let tables = [
        table(
            "public",
            "orders",
            &["id", "bought_by"],
            &[("bought_by", "customers", "id")],
        ),
        table("public", "customers", &["id"], &[]),
    ];
    let text = init_compiles(&catalog(&tables));
    assert!(
        text.contains("[table.orders]\nrelation.customer = { column = \"bought_by\" }\n"),
        "{text}"
    );
}

#[test]
fn self_reference_gives_two_relations() {
    let catalog = catalog(&[table(
        "public",
        "nodes",
        &["id", "parent_id"],
        &[("parent_id", "nodes", "id")],
    )]);
    assert_eq!(relations(&catalog, "nodes"), ["nodes", "parent"]);
    init_compiles(&catalog);
    // The key's column is not called after the table, so both directions would have the table's
    // name.
    let catalog = self::catalog(&[table(
        "public",
        "employee",
        &["id", "boss"],
        &[("boss", "employee", "id")],
    )]);
    assert_eq!(
        relations(&catalog, "employee"),
        ["employeeByBoss", "employeeByBossList"]
    );
    init_compiles(&catalog);
    let keys = [("a", "t", "id"), ("a", "t", "b"), ("b", "t", "id")];
    let catalog = self::catalog(&[table("public", "t", &["id", "a", "b", "t_by_a"], &keys)]);
    assert_eq!(
        relations(&catalog, "t"),
        [
            "tByA2",
            "tByA3",
            "tByAList",
            "tByAList2",
            "tByB",
            "tByBList"
        ]
    );
    init_compiles(&catalog);
}

#[test]
fn tables_with_names_of_helper_types_and_root_fields_have_a_number() {
    let named = |names_: &[&str]| {
        let tables: Vec<Value> = names_
            .iter()
            .map(|name| table("public", name, &["id"], &[]))
            .collect();
        init_compiles(&catalog(&tables));
        names("[naming]\nconvention = 'snake'\n", &catalog(&tables))
    };
    assert_eq!(named(&["a", "a_bool_exp"]), ["a", "a_bool_exp_2"]);
    assert_eq!(named(&["a", "a_by_pk"]), ["a", "a_by_pk_2"]);
    assert_eq!(
        named(&["String", "query_root"]),
        ["String_2", "query_root_2"]
    );
    let catalog = catalog(&[
        table("public", "a", &["id"], &[]),
        table("public", "b", &["id"], &[]),
    ]);
    let clash = "4: root field `list` of `a` and root field `list` of `b` are both called `a`";
    assert_eq!(
        messages(
            &format!("[table.a.role.user]\n{GRANT}[table.b]\nroot = {{ list = 'a' }}\n"),
            &catalog
        ),
        [clash]
    );
}

/// A table with the name of another's group types keeps the name, and that other table has no
/// groups, unless the file names its root field; a clash of the types themselves is still reported.
#[test]
fn tables_take_precedence_over_group_types() {
    let catalog = catalog(&[
        table("public", "team", &["id"], &[]),
        table("public", "team_group", &["id"], &[]),
    ]);
    let file = SourceFile::new("p.toml", "[naming]\nconvention = \"snake\"\n");
    let model = compile(&file, catalog.clone()).unwrap().model;
    let named = |name: &str| {
        model
            .root(name)
            .map(|root| (catalog.table(root.table).name.as_str(), root.kind))
    };
    assert_eq!(named("team_group"), Some(("team_group", RootKind::List)));
    assert_eq!(
        named("team_group_group"),
        Some(("team_group", RootKind::Group))
    );
    assert!(
        !model
            .roots()
            .any(|root| root.kind == RootKind::Group && catalog.table(root.table).name == "team")
    );
    let given =
        "[naming]\nconvention = \"snake\"\n[table.team]\nroot = { group = \"teams_grouped\" }\n";
    assert_eq!(messages(given, &catalog).len(), 1);
}

#[test]
fn alias_input_must_not_have_the_name_of_another_type() {
    let catalog = catalog(&[
        table("public", "a", &["id"], &[]),
        table("public", "b", &["id"], &[]),
    ]);
    let reported = |input: &str| {
        let alias =
            format!("aliases = {{ insert_one = [{{ name = \"add\", input = \"{input}\" }}] }}");
        messages(
            &format!("naming.convention = \"snake\"\n[table.a]\n{alias}\n"),
            &catalog,
        )
    };
    let clash = |other: &str, input: &str| {
        vec![format!(
            "3: the input type of `add` and {other} are both called `{input}`"
        )]
    };
    for input in ["b", "b_insert_input", "b_if_match_input"] {
        assert_eq!(reported(input), clash("a type of `b`", input));
    }
    assert_eq!(
        reported("a_set_input"),
        clash("a type of `a`", "a_set_input")
    );
    for input in ["order_by", "mutation_root", "Int"] {
        assert_eq!(reported(input), clash("a built-in type", input));
    }
    let own = "naming.convention = \"snake\"\n[table.a]\naliases = { insert_one = [{ name = \
               \"add\", input = \"a_insert_input\" }] }\n";
    assert!(compile(&SourceFile::new("p.toml", own), catalog).is_ok());
}

#[test]
fn rule_that_says_the_same_for_every_row_is_noted() {
    let tables = [
        table("public", "orders", &["id", "customer"], &[]),
        table("public", "lines", &["id", "order_id"], &[]),
    ];
    let catalog = catalog(&tables);
    let noted = |grant: &str| {
        let text = format!(
            "[session]\nwho = 'text'\n[rules.own]\nargs = ['c']\nsql = \"c = \
                            session.who\"\n\
                            [rules.has_orders]\nargs = ['w']\nsql = \"EXISTS (SELECT FROM orders \
                            o WHERE o.customer = w)\"\n\
                            [rules.is_customer]\nsql = \"EXISTS (SELECT FROM orders o WHERE \
                            o.customer = session.who)\"\n\
                            [table.lines.role.user]\n{grant}\n"
        );
        let note = "this rule reads no column of the row, so it says the same for every row";
        notes(&text, &catalog)
            .iter()
            .filter(|found| found.ends_with(note))
            .count()
    };
    let grants = |rule: &str| {
        [
            format!("select = {{ columns = '*', rows = \"{rule}\" }}"),
            format!("insert = {{ columns = '*', check = \"{rule}\" }}"),
            format!("update = {{ columns = '*', rows = \"{rule}\" }}"),
            format!("delete = {{ rows = \"{rule}\" }}"),
        ]
    };
    for rule in [
        "EXISTS (SELECT FROM orders o WHERE own(o.customer))",
        "NOT EXISTS (SELECT FROM orders o WHERE own(o.customer))",
        "session.who <> 'x' AND EXISTS (SELECT FROM orders o WHERE o.customer = session.who)",
        "session.who IN (SELECT o.customer FROM orders o)",
        "(SELECT count(*) FROM orders o WHERE own(o.customer)) > 3",
        "has_orders(session.who)",
    ] {
        for grant in grants(rule) {
            assert_eq!(noted(&grant), 1, "{grant}");
        }
    }
    for rule in [
        "true",
        "session.who = 'x'",
        "own('x')",
        "is_customer()",
        "has_orders(id)",
        "order_id IN (SELECT o.id FROM orders o WHERE own(o.customer))",
        "EXISTS (SELECT FROM orders o WHERE own(o.customer) AND o.id = lines.order_id)",
        "id = 'a' OR EXISTS (SELECT FROM orders o WHERE own(o.customer))",
    ] {
        for grant in grants(rule) {
            assert_eq!(noted(&grant), 0, "{grant}");
        }
    }
}

#[test]
fn file_that_does_less_than_it_says_is_noted() {
    let catalog = catalog(&[table("public", "t", &["id", "a"], &[])]);
    assert_eq!(
        notes("[table.t]\n", &catalog),
        ["1: this file grants nothing, so only the admin secret gives access"]
    );
    assert_eq!(notes("", &catalog), [""; 0]);
    let text = "[rules.own]\nargs = ['x']\nsql = \"x = 'a'\"\n[rules.other]\nargs = ['x']\nsql = \
                \"own(x)\"\n\
                [table.t.role.user]\nselect = { columns = '*', rows = 'true' }\ninsert = { \
                columns = ['id'], check = 'true' }\n";
    let unused = "4: no rule calls `other`";
    let insert = "9: role `user` may insert into `t`, but gives no value to `a`: NULL is not \
                  allowed, and there is no default";
    assert_eq!(notes(text, &catalog), [unused, insert]);
    let preset = text.replace(
        "check = 'true'",
        "check = 'other(a)', preset = { a = \"'b'\" }",
    );
    assert_eq!(notes(&preset, &catalog), [""; 0]);
}
