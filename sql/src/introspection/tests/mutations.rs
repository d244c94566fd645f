//! Tests of the mutation types in the schema that introspection shows.

use std::collections::HashSet;

use serde_json::{Value as Json, json};

use super::{introspect, types};
use crate::introspection::sdl;
use crate::model::Model;
use crate::model::access::{
    Access, Columns, Delete, Grants, Insert, RootKinds, Rule, Select, Update,
};
use crate::model::names::{Convention, RootKind};
use crate::postgres::catalog::{ColumnId, TableId};
use crate::schema::{Schema, TypeKey};
use crate::testing::{admin, granted, reader, validate};

fn columns(model: &Model, table: TableId, names: &[&str]) -> Columns {
    let find = |name: &&str| {
        model
            .table(table)
            .find(name)
            .unwrap_or_else(|| panic!("no column {name}"))
    };
    names.iter().map(find).collect()
}

fn insert(columns: Columns, preset: &[ColumnId]) -> Insert {
    let preset = preset
        .iter()
        .map(|column| (*column, Rule::everything()))
        .collect();
    Insert {
        columns,
        check: Rule::everything(),
        preset,
        max_rows: None,
        lengths: Default::default(),
        backend_only: false,
        roots: RootKinds::ALL,
    }
}

fn update(columns: Columns) -> Update {
    Update {
        columns,
        rows: Rule::everything(),
        check: Rule::everything(),
        preset: Vec::new(),
        max_affected: None,
        lengths: Default::default(),
        backend_only: false,
        roots: RootKinds::ALL,
    }
}

fn delete() -> Delete {
    Delete {
        rows: Rule::everything(),
        max_affected: None,
        backend_only: false,
        roots: RootKinds::ALL,
    }
}

/// A role that reads and writes some columns of authors and articles, and inserts attachments that
/// it may not read.
pub(super) fn writer(convention: Convention) -> Access {
    granted(convention, |model| {
        let table = |name: &str| model.catalog().find("public", name).unwrap();
        let authors = table("authors");
        let articles = table("articles");
        let attachments = table("attachments");
        let of = |table: TableId, names: &[&str]| columns(model, table, names);
        let select =
            |table, names: &[&str]| Some(Select::new(of(table, names), Rule::everything()));
        let email = model.table(authors).find("email").unwrap();
        vec![
            (
                authors,
                Grants {
                    purposes: Default::default(),
                    select: select(authors, &["id", "name"]),
                    insert: Some(insert(of(authors, &["name", "height"]), &[email])),
                    update: Some(update(of(authors, &["name"]))),
                    delete: None,
                },
            ),
            (
                articles,
                Grants {
                    purposes: Default::default(),
                    select: select(articles, &["id", "title", "rating", "tags", "author_id"]),
                    insert: Some(insert(of(articles, &["id", "title", "tags"]), &[])),
                    update: Some(update(of(
                        articles,
                        &["title", "tags", "views", "author_id"],
                    ))),
                    delete: Some(delete()),
                },
            ),
            (
                attachments,
                Grants {
                    insert: Some(insert(of(attachments, &["data"]), &[])),
                    update: Some(update(of(attachments, &["data"]))),
                    ..Grants::default()
                },
            ),
        ]
    })
}

/// A role that writes and reads nothing.
pub(super) fn clerk(convention: Convention) -> Access {
    granted(convention, |model| {
        let secrets = model.catalog().find("public", "secrets").unwrap();
        let authors = model.catalog().find("public", "authors").unwrap();
        let one = Insert {
            roots: [RootKind::InsertOne, RootKind::Insert]
                .into_iter()
                .collect(),
            ..insert(columns(model, authors, &["mood"]), &[])
        };
        let grants = Grants {
            insert: Some(insert(Columns::default(), &[])),
            delete: Some(delete()),
            ..Grants::default()
        };
        vec![
            (secrets, grants),
            (
                authors,
                Grants {
                    insert: Some(one),
                    ..Grants::default()
                },
            ),
        ]
    })
}

fn names_of(of: &Json, list: &str) -> Vec<String> {
    let names = of[list].as_array().into_iter().flatten();
    names
        .map(|item| item["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn schema_of_a_writing_role() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/introspection/writer.graphql"
    );
    let sdl = sdl(&writer(Convention::Snake));
    if crate::testing::is_blessed() {
        std::fs::write(path, &sdl).unwrap();
    }
    assert_eq!(sdl, std::fs::read_to_string(path).unwrap());
}

#[test]
fn type_names_round_trip() {
    for convention in Convention::ALL {
        for access in [admin(convention), writer(convention), clerk(convention)] {
            let schema = Schema::new(&access);
            for name in types(&access).keys() {
                let named = schema
                    .named(name)
                    .unwrap_or_else(|| panic!("{name} is not found"));
                assert_eq!(schema.name(named), *name);
            }
        }
    }
}

#[test]
fn role_that_may_not_read_sees_affected_rows() {
    let types = types(&clerk(Convention::Snake));
    assert_eq!(
        names_of(&types["mutation_root"], "fields"),
        ["insert_authors", "insert_secrets", "delete_secrets"]
    );
    assert_eq!(
        names_of(&types["secrets_mutation_response"], "fields"),
        ["affected_rows"]
    );
    assert_eq!(
        names_of(&types["secrets_bool_exp"], "inputFields"),
        ["_and", "_not", "_or"]
    );
    // The role may set no column, and an input type may not be empty.
    assert_eq!(
        names_of(&types["secrets_insert_input"], "inputFields"),
        ["_PLACEHOLDER"]
    );
    let names: HashSet<&str> = types
        .keys()
        .map(String::as_str)
        .filter(|name| !name.starts_with("__"))
        .collect();
    let built_in = ["Boolean", "Float", "ID", "Int", "String"];
    let own = [
        "query_root",
        "mutation_root",
        "authors_insert_input",
        "authors_mutation_response",
        "mood",
        "secrets_arr_rel_insert_input",
        "secrets_bool_exp",
        "secrets_insert_input",
        "secrets_mutation_response",
    ];
    assert_eq!(names, built_in.into_iter().chain(own).collect());
}

#[test]
fn mutation_types_of_other_roles_are_unknown() {
    let access = clerk(Convention::Snake);
    let hidden = [
        "authors",
        "authors_bool_exp",
        "authors_on_conflict",
        "authors_set_input",
        "authors_updates",
        "authors_pk_columns_input",
        "authors_arr_rel_insert_input",
        "authors_obj_rel_insert_input",
        "articles_insert_input",
        "secrets_set_input",
        "secrets_on_conflict",
        "secrets_related_input",
        "secrets_related_where_input",
        "manuscript_input",
        "float8",
        "uuid",
        "jsonb",
    ];
    let schema = Schema::new(&access);
    for name in hidden {
        assert_eq!(schema.named(name), None, "{name}");
        let document =
            format!("mutation ($v: {name}) {{ delete_secrets(where: $v) {{ affected_rows }} }}");
        let error = validate(&access, &document).unwrap_err();
        assert_eq!(error.to_string(), format!("unknown type '{name}'"));
    }
    let none = reader(Convention::Snake, &[("authors", &["id"], true)]);
    assert_eq!(Schema::new(&none).named("mutation_root"), None);
    assert_eq!(
        introspect(&none, "{ __schema { mutationType { name } } }"),
        json!({"mutationType": null})
    );
    assert_eq!(
        validate(&none, "mutation { delete_authors { x } }")
            .unwrap_err()
            .to_string(),
        "no mutations exist"
    );
}

#[test]
fn unwritable_columns_are_not_in_input_types() {
    let access = writer(Convention::Snake);
    let types = types(&access);
    assert_eq!(
        names_of(&types["authors_insert_input"], "inputFields"),
        ["name", "height", "articles"]
    );
    assert_eq!(
        names_of(&types["authors_update_column"], "enumValues"),
        ["name"]
    );
    // For other columns the new value would depend on one that the role may not read.
    assert_eq!(
        names_of(&types["articles_inc_input"], "inputFields"),
        ["author_id"]
    );
    assert_eq!(
        names_of(&types["articles_array_append_input"], "inputFields"),
        ["tags"]
    );
    assert_eq!(
        names_of(&types["articles_if_match_input"], "inputFields"),
        ["id", "title", "author_id", "rating", "tags"]
    );
    assert!(!types.contains_key("articles_append_input"));
    assert!(!types.contains_key("attachments_if_match_input"));
    assert!(
        !types.contains_key("attachments_on_conflict"),
        "a table without a key has no conflicts"
    );
    assert!(!types.contains_key("attachments_delete_at_path_input"));
}

#[test]
fn update_columns_of_on_conflict_defaults_to_an_empty_list() {
    let types = types(&writer(Convention::Snake));
    let fields = types["articles_on_conflict"]["inputFields"]
        .as_array()
        .unwrap();
    let columns = fields
        .iter()
        .find(|field| field["name"] == "update_columns")
        .unwrap();
    assert_eq!(columns["defaultValue"], "[]");
    assert_eq!(columns["type"]["kind"], "NON_NULL");
    let insert = |conflict: &str| {
        let document = format!(
            "mutation ($c: [articles_update_column!]) {{ publish(object: {{}}, on_conflict: {{{conflict}}}) {{ id }}
                other: publish(object: {{}}, on_conflict: {{constraint: articles_pkey, update_columns: $c}}) {{ id }} }}"
        );
        validate(&writer(Convention::Snake), &document)
    };
    assert!(insert("constraint: articles_pkey, update_columns: $c").is_ok());
    let error = insert("constraint: articles_pkey, update_columns: null").unwrap_err();
    assert!(
        error.to_string().contains("articles_update_column"),
        "{error}"
    );
    assert!(
        insert("update_columns: $c")
            .unwrap_err()
            .to_string()
            .contains("'constraint'")
    );
    assert!(insert("constraint: authors_pkey, update_columns: $c").is_err());
}

#[test]
fn insert_alias_accepts_both_input_types() {
    let access = writer(Convention::Snake);
    let fits = |declared: &str, field: &str| {
        let document = format!("mutation ($v: {declared}!) {{ {field}(object: $v) {{ id }} }}");
        validate(&access, &document).map(drop)
    };
    for (declared, field) in [
        ("manuscript_input", "publish"),
        ("articles_insert_input", "publish"),
        ("manuscript_input", "insert_articles_one"),
        ("articles_insert_input", "insert_articles_one"),
    ] {
        assert_eq!(fits(declared, field), Ok(()), "{declared} {field}");
    }
    assert!(fits("authors_insert_input", "publish").is_err());
    let types = types(&access);
    assert_eq!(
        types["manuscript_input"]["inputFields"],
        types["articles_insert_input"]["inputFields"]
    );
}

#[test]
fn related_inputs_follow_the_grants() {
    let types = types(&writer(Convention::Snake));
    // The foreign key may be set, and is never null; attachments may only be inserted and updated.
    assert_eq!(
        names_of(&types["authors_related_articles_input"], "inputFields"),
        ["delete", "insert", "link", "update"]
    );
    assert_eq!(
        names_of(&types["articles_related_author_input"], "inputFields"),
        ["insert", "link", "update"]
    );
    assert_eq!(
        names_of(&types["articles_related_attachments_input"], "inputFields"),
        ["insert", "update"]
    );
    assert_eq!(
        names_of(&types["authors_change_input"], "inputFields"),
        ["_related", "_set", "if_match"]
    );
    // The key of an attachment may not be set.
    assert_eq!(
        names_of(&types["attachments_related_article_input"], "inputFields"),
        ["delete", "update"]
    );
}

#[test]
fn fragments_on_mutation_types_are_valid() {
    let access = writer(Convention::Camel);
    let document =
        "mutation { ...F } fragment F on mutation_root { deleteArticles(where: {}) { ...R } }
        fragment R on articles_mutation_response { affected_rows returning { id } }";
    assert!(validate(&access, document).is_ok());
    let query = "{ ...F } fragment F on mutation_root { __typename }";
    assert!(validate(&access, query).is_err());
    assert!(matches!(
        Schema::new(&access).named("mutation_root"),
        Some(TypeKey::Object(_))
    ));
}
