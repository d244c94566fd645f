//! Tests of the schema that introspection shows, and that requests may use exactly what it shows.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use super::*;
use crate::error::ErrorKind;
use crate::model::DefaultExposure;
use crate::model::names::Convention;
use crate::testing::{admin, now, reader, validate};

mod agreement;
mod async_graphql_schema;
mod mutations;

const STANDARD: &str = include_str!("standard.graphql");

/// A role with access to some tables and columns.
pub(super) fn restricted(convention: Convention) -> Access {
    let authors: &[&str] = &["id", "name", "born"];
    let articles: &[&str] = &["id", "title", "author_id", "rating", "tags"];
    reader(
        convention,
        &[
            ("articles", articles, true),
            ("attachments", &["data"], false),
            ("authors", authors, false),
        ],
    )
}

/// The role `admin` in Hasura's dialect.
fn hasura_admin() -> Access {
    let model = std::sync::Arc::into_inner(crate::testing::model(Convention::Snake)).unwrap();
    Access::admin(std::sync::Arc::new(
        model.with_default_exposure(DefaultExposure::AsHasura),
    ))
}

/// Writes the introspection fields of a document, in parts of one step each.
fn introspect_all(
    access: &Access,
    document: &str,
    variables: Json,
) -> Result<Vec<(String, Json)>, Error> {
    let texts = texts(access, document, variables)?;
    Ok(texts
        .into_iter()
        .map(|(key, json)| (key, serde_json::from_str(&json).unwrap()))
        .collect())
}

fn texts(access: &Access, document: &str, variables: Json) -> Result<Vec<(String, String)>, Error> {
    let operation = validate(access, document)?;
    let Json::Object(given) = variables else {
        panic!("variables are an object")
    };
    let variables = operation.coerce(access, &given)?;
    let selection = IntrospectionSelection::new(&operation, &variables)?;
    let schema = Schema::new(access);
    let types = if selection.lists_types() {
        ReachableTypes::new(schema)
    } else {
        ReachableTypes::default()
    };
    let most = if selection.is_simple() {
        usize::MAX
    } else {
        max_fields(schema)
    };
    let mut responses = Vec::new();
    for root in selection.roots() {
        let mut writer = IntrospectionWriter::new(schema, &types, root);
        let mut json = Vec::new();
        while writer.write(json.len() + 1, &mut json) {
            check_fields(writer.fields(), most)?;
        }
        responses.push((root.key.clone(), String::from_utf8(json).unwrap()));
    }
    Ok(responses)
}

/// Executes a document with one introspection field and no variables.
fn introspect(access: &Access, document: &str) -> Json {
    let [(_, response)] = introspect_all(access, document, json!({}))
        .unwrap()
        .try_into()
        .unwrap();
    response
}

/// The types that introspection shows to a role, by name.
pub(super) fn types(access: &Access) -> Map<String, Json> {
    let mut schema = introspect(access, STANDARD);
    let Json::Array(types) = schema["types"].take() else {
        panic!("types are a list")
    };
    types
        .into_iter()
        .map(|r#type| (r#type["name"].as_str().unwrap().to_owned(), r#type))
        .collect()
}

#[test]
fn standard_introspection_query_is_deterministic() {
    for access in [
        admin(Convention::Snake),
        admin(Convention::Camel),
        restricted(Convention::Snake),
    ] {
        let first = introspect(&access, STANDARD);
        assert_eq!(
            first["queryType"],
            json!({"name": "query_root", "kind": "OBJECT"})
        );
        let mutates = access.role() == "admin";
        let mutation = if mutates {
            json!({"name": "mutation_root", "kind": "OBJECT"})
        } else {
            Json::Null
        };
        assert_eq!(first["mutationType"], mutation);
        assert_eq!(first.to_string(), introspect(&access, STANDARD).to_string());
        assert_eq!(sdl(&access), sdl(&access));
    }
}

#[test]
fn schema_of_a_restricted_role() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/introspection/restricted.graphql"
    );
    let sdl = sdl(&restricted(Convention::Snake));
    if crate::testing::is_blessed() {
        std::fs::write(path, &sdl).unwrap();
    }
    assert_eq!(sdl, std::fs::read_to_string(path).unwrap());
}

#[test]
fn hidden_tables_and_columns_are_nowhere_in_the_schema() {
    let access = restricted(Convention::Camel);
    let shown = sdl(&access) + &introspect(&access, STANDARD).to_string();
    for hidden in [
        "email",
        "mood",
        "height",
        "secret",
        "never shown",
        "body",
        "views",
        "published",
    ] {
        assert!(!shown.contains(hidden), "{hidden} is shown");
    }
    for seen in [
        "born",
        "authorId",
        "orderBy",
        "as printed",
        "articlesAggregate",
    ] {
        assert!(shown.contains(seen), "{seen} is not shown");
    }
    assert_eq!(
        introspect(&access, r#"{ __type(name: "secrets") { name } }"#),
        Json::Null
    );
    assert_eq!(
        introspect(&access, r#"{ __type(name: "secrets_bool_exp") { name } }"#),
        Json::Null
    );
}

#[test]
fn role_without_grants_sees_a_constant_field() {
    let nobody = reader(Convention::Camel, &[]);
    let query = introspect(
        &nobody,
        r#"{ __type(name: "query_root") { fields { name type { kind ofType { name } } } } }"#,
    );
    let expected = json!([{"name": "no_queries_available", "type": {"kind": "NON_NULL", "ofType": {"name": "String"}}}]);
    assert_eq!(query["fields"], expected);
    let operation = validate(&nobody, "{ no_queries_available }").unwrap();
    let variables = operation.coerce(&nobody, &Map::new()).unwrap();
    let (selection, _) = operation
        .select(&nobody, &variables, Default::default())
        .unwrap();
    assert!(
        matches!(&selection.roots[0].selection, crate::resolve::selection::RootSelection::Constant(text) if text.contains("no \
             queries"))
    );
    let error = validate(&admin(Convention::Camel), "{ no_queries_available }").unwrap_err();
    assert_eq!(
        error.to_string(),
        "field 'no_queries_available' not found in type: 'query_root'"
    );
}

#[test]
fn role_that_may_only_count_sees_no_empty_type() {
    let counter = reader(Convention::Camel, &[("authors", &[], true)]);
    let types = types(&counter);
    let names: BTreeSet<_> = types
        .keys()
        .map(String::as_str)
        .filter(|name| !name.starts_with("__"))
        .collect();
    let built_in = ["Boolean", "Float", "ID", "Int", "String"];
    let own = [
        "Int_comparison_exp",
        "authors_aggregate",
        "authors_aggregate_bool_exp_count",
        "authors_aggregate_fields",
        "authors_bool_exp",
        "authors_group",
        "authors_group_having",
        "authors_group_order_by",
        "count_mode",
        "order_by",
        "query_root",
        "subscription_root",
    ];
    assert_eq!(names, built_in.into_iter().chain(own).collect());
}

#[test]
fn no_type_is_empty() {
    for access in [admin(Convention::Snake), restricted(Convention::Camel)] {
        for (name, r#type) in types(&access) {
            for list in ["fields", "inputFields", "enumValues"] {
                assert_ne!(r#type[list], json!([]), "{name}.{list}");
            }
        }
    }
}

#[test]
fn comments_and_descriptions_are_shown() {
    let access = admin(Convention::Snake);
    let types = types(&access);
    assert_eq!(types["authors"]["description"], "people who '''write'''");
    let find = |of: &str, list: &str, name: &str| {
        let items = types[of][list].as_array().unwrap();
        items.iter().find(|item| item["name"] == name).unwrap()["description"].clone()
    };
    assert_eq!(find("authors", "fields", "name"), "as printed");
    assert_eq!(
        find("authors_bool_exp", "inputFields", "email"),
        "never shown"
    );
    assert_eq!(
        find("query_root", "fields", "authors"),
        "fetch data from the table: \"authors\""
    );
    assert_eq!(
        find("order_by", "enumValues", "desc"),
        "in descending order, nulls first"
    );
    assert_eq!(
        find("String_comparison_exp", "inputFields", "_neq"),
        "not equal to"
    );
    assert_eq!(types["mood"]["description"], "how somebody feels");
    assert_eq!(types["uuid"]["kind"], "SCALAR");
}

#[test]
fn introspection_works_beside_data_fields_and_with_variables() {
    let document = r#"
        query Q($id: Int!, $name: String!, $deprecated: Boolean, $no: Boolean!, $where: authors_bool_exp) {
            a: __typename
            one: authors_by_pk(id: $id) { name }
            ...Meta
            many: authors(where: $where) { id }
            left: __schema @include(if: $no) { types { name } }
            ... @skip(if: $no) { last: __type(name: "order_by") { kind } }
        }
        fragment Meta on query_root {
            type: __type(name: $name) { ...Names fields(includeDeprecated: $deprecated) { ...FieldName @skip(if: $no) } }
            articles { id }
            type: __type(name: $name) { kind fields(includeDeprecated: $deprecated) { __typename } }
        }
        fragment Names on __Type { name }
        fragment FieldName on __Field { name }
    "#;
    for deprecated in [json!(true), json!(false), Json::Null] {
        let given =
            json!({"id": 1, "name": "articles_aggregate", "deprecated": deprecated, "no": false});
        let responses = introspect_all(&admin(Convention::Snake), document, given).unwrap();
        let fields = json!([
            {"name": "aggregate", "__typename": "__Field"}, {"name": "nodes", "__typename": "__Field"}
        ]);
        let expected = [
            (
                "type".to_owned(),
                json!({"name": "articles_aggregate", "fields": fields, "kind": "OBJECT"}),
            ),
            ("last".to_owned(), json!({"kind": "ENUM"})),
        ];
        assert_eq!(responses, expected);
    }
}

#[test]
fn an_operation_without_introspection_has_no_answers() {
    let responses = introspect_all(
        &admin(Convention::Snake),
        "{ __typename authors { id } }",
        json!({}),
    );
    assert_eq!(responses.unwrap(), []);
}

#[test]
fn errors_in_introspection_selections_are_ordinary_validation_errors() {
    let access = admin(Convention::Snake);
    let error_of = |document: &str| {
        let error = validate(&access, document).unwrap_err();
        (error.kind(), error.to_string())
    };
    let invalid = |message: &str| (ErrorKind::ValidationFailed, message.to_owned());
    assert_eq!(
        error_of("{ __schema { nope } }"),
        invalid("field 'nope' not found in type: '__Schema'")
    );
    assert_eq!(
        error_of("{ __schema { types { ...F } } } fragment F on __Type { fields { nope } }"),
        invalid("field 'nope' not found in type: '__Field'")
    );
    assert_eq!(
        error_of("{ __type { name } }"),
        invalid("missing required argument 'name'")
    );
    assert_eq!(
        error_of("{ __schema }"),
        invalid("field '__schema' of type '__Schema' needs a selection of fields")
    );
    assert_eq!(
        error_of("{ __schema { description { x } } }").0,
        ErrorKind::ValidationFailed
    );
    assert_eq!(
        error_of(r#"{ __type(name: "x") { fields(nope: 1) { name } } }"#).0,
        ErrorKind::ValidationFailed
    );
    assert_eq!(
        error_of("{ __type(name: 1) { name } }").0,
        ErrorKind::ConstraintViolation
    );
    assert_eq!(
        error_of("{ authors { __schema { types { name } } } }").0,
        ErrorKind::ValidationFailed
    );
    assert_eq!(
        error_of("{ __schema { ... on authors { id } } }").0,
        ErrorKind::ValidationFailed
    );
}

#[test]
fn introspection_over_the_field_limit_is_refused() {
    let access = admin(Convention::Snake);
    let deep = "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }";
    assert_eq!(
        validate(&access, deep).unwrap_err().kind(),
        ErrorKind::LimitExceeded
    );
    let aliases = (0..90).map(|i| format!("a{i}: fields {{ type {{ b{i}: fields {{ name }} }} }}"));
    let wide = format!(
        "{{ __schema {{ types {{ {} }} }} }}",
        aliases.collect::<String>()
    );
    assert_eq!(
        introspect_all(&access, &wide, json!({}))
            .unwrap_err()
            .kind(),
        ErrorKind::LimitExceeded
    );
}

#[test]
fn executable_directives_are_include_and_skip() {
    let schema = introspect(
        &admin(Convention::Snake),
        "{ __schema { directives { name locations } } }",
    );
    let executable = [
        "FIELD",
        "FRAGMENT_SPREAD",
        "INLINE_FRAGMENT",
        "QUERY",
        "VARIABLE_DEFINITION",
    ];
    let directives = schema["directives"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|directive| {
            let mut locations = directive["locations"].as_array().unwrap().iter();
            locations.any(|location| executable.contains(&location.as_str().unwrap()))
        });
    let names: Vec<_> = directives
        .map(|directive| directive["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["include", "skip"]);
}

#[test]
fn responses_and_sdl_are_those_of_async_graphql() {
    let name = |name: &str| format!("{{ a: __type(name: \"{name}\") {{ ...T }} }} {TYPE}");
    let spread = format!(
        "{{ __schema {{ __typename types {{ ...T }} queryType {{ ...T }} mutationType {{ ...T }} subscriptionType {{ ...T }}
        directives {{ __typename name args {{ name x: type {{ ofType {{ ...T }} }} }} locations }} }} }} {TYPE}"
    );
    let types = format!("{{ __schema {{ types {{ ...T }} }} }} {TYPE}");
    let plain = admin(Convention::Snake);
    let hasura = hasura_admin();
    for access in [
        plain,
        admin(Convention::Camel),
        restricted(Convention::Snake),
        reader(Convention::Snake, &[]),
        hasura,
    ] {
        let reference = async_graphql_schema::build(&access);
        let compare = |document: &str| {
            let [(_, own)] = texts(&access, document, json!({}))
                .unwrap()
                .try_into()
                .unwrap();
            let response = now(reference.execute(document));
            assert_eq!(response.errors, [], "{document}");
            let async_graphql::Value::Object(data) = response.data else {
                panic!("no data")
            };
            let expected = serde_json::to_string(data.values().next().unwrap()).unwrap();
            let differs = own
                .bytes()
                .zip(expected.bytes())
                .position(|(own, other)| own != other);
            let around = |text: &str, at: usize| {
                text.get(at.saturating_sub(200)..(at + 100).min(text.len()))
                    .unwrap_or_default()
                    .to_owned()
            };
            assert_eq!(
                differs.map(|at| around(&own, at)),
                differs.map(|at| around(&expected, at)),
                "{document}"
            );
            assert_eq!(own.len(), expected.len(), "{document}");
        };
        // The reference has no directive `@cached`.
        let has_cached = access.model().offer() == DefaultExposure::AsHasura;
        let whole = if has_cached {
            [types.as_str(); 2]
        } else {
            [STANDARD, &spread]
        };
        whole.into_iter().for_each(compare);
        let names = [
            "query_root",
            "Int",
            "ID",
            "__Type",
            "__TypeKind",
            "__Schema",
            "uuid",
            "mood",
            "articles_bool_exp",
            "nothing",
        ];
        names.into_iter().for_each(|of| compare(&name(of)));
        let options = async_graphql::SDLExportOptions::new().use_space_ident();
        assert!(sdl(&access).starts_with(&reference.sdl_with_options(options)));
    }
}

/// Everything that can be selected in a type without lists inside lists.
const TYPE: &str = "fragment T on __Type {
    __typename specifiedByURL isOneOf description name kind
    fields(includeDeprecated: true) { __typename deprecationReason isDeprecated type { ofType { name kind } name kind }
        args { ...A } description name }
    inputFields { ...A }
    interfaces { name kind } possibleTypes { name }
    enumValues { __typename deprecationReason isDeprecated description name }
    ofType { name }
} fragment A on __InputValue {
    __typename name again: name description defaultValue isDeprecated deprecationReason type { kind name ofType { kind name ofType { name } } }
}";

#[test]
fn every_type_that_is_listed_is_found_by_its_name() {
    for access in [
        admin(Convention::Snake),
        admin(Convention::Camel),
        hasura_admin(),
    ] {
        let schema = Schema::new(&access);
        for named in ReachableTypes::new(schema).keys() {
            let name = schema.name(*named);
            assert_eq!(
                schema.named(&name).map(|found| schema.name(found)),
                Some(name)
            );
        }
    }
}

#[test]
fn usual_documents_are_simple() {
    let access = admin(Convention::Snake);
    let is_simple = |document: &str| {
        let operation = validate(&access, document).unwrap();
        let variables = operation.coerce(&access, &Map::new()).unwrap();
        IntrospectionSelection::new(&operation, &variables)
            .unwrap()
            .is_simple()
    };
    assert!(is_simple(STANDARD));
    assert!(is_simple("{ __schema { types { name } } }"));
    assert!(!is_simple(
        "{ __schema { types { fields { type { fields { name } } } } } }"
    ));
    assert!(!is_simple(
        "{ __schema { types { a: fields { name } b: fields { name } } } }"
    ));
    assert!(!is_simple(
        "{ a: __schema { types { name } } b: __schema { types { name } } }"
    ));
    let aliases: String = (0..70).map(|i| format!("a{i}: name ")).collect();
    assert!(!is_simple(&format!(
        "{{ __schema {{ types {{ {aliases} }} }} }}"
    )));
}

#[test]
fn chain_of_fragments_fits_a_small_stack() {
    let chain = |inner: &str, on: &str| {
        let fragments = (0..60)
            .map(|i| format!("fragment F{i} on {on} {{ ...F{} }} ", i + 1))
            .collect::<String>();
        format!("{fragments} fragment F60 on {on} {{ {inner} }}")
    };
    let root = format!(
        "{{ ...F0 }} {}",
        chain("__schema { description }", "query_root")
    );
    let inside = format!(
        "{{ __schema {{ ...F0 }} }} {}",
        chain("description", "__Schema")
    );
    for document in [root, inside] {
        let run = move || introspect_all(&admin(Convention::Snake), &document, json!({})).map(drop);
        let answered = std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(run)
            .unwrap()
            .join()
            .unwrap();
        assert_eq!(answered, Ok(()));
    }
}
