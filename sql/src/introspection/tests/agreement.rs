//! Tests that `resolve` accepts everything that the introspection schema allows, and refuses
//! everything that it does not show.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, Value as Json};

use super::mutations::{clerk, writer};
use super::{restricted, types};
use crate::error::Cause;
use crate::model::access::Access;
use crate::model::names::Convention;
use crate::model::operators;
use crate::model::operators::OperandShape;
use crate::testing::{admin, reader, validate};
use crate::translate::{TranslateError, translate};

/// The types of the schema, and a document context in which each can be used.
struct Shown {
    types: Map<String, Json>,
    /// The text before and after a selection set of an object type.
    selections: BTreeMap<String, (String, String)>,
    /// The text before and after a value of an input type. A single value is valid for a list.
    values: BTreeMap<String, (String, String)>,
}

impl Shown {
    fn new(access: &Access) -> Shown {
        let mut shown = Shown {
            types: types(access),
            selections: BTreeMap::new(),
            values: BTreeMap::new(),
        };
        shown.find_selections();
        shown.find_values();
        shown
    }

    fn find_selections(&mut self) {
        let mut next = VecDeque::from([
            ("query_root".to_owned(), String::new(), String::new()),
            (
                "mutation_root".to_owned(),
                "mutation ".to_owned(),
                String::new(),
            ),
            (
                "subscription_root".to_owned(),
                "subscription ".to_owned(),
                String::new(),
            ),
            (
                "__Schema".to_owned(),
                "{ __schema ".to_owned(),
                " }".to_owned(),
            ),
        ]);
        while let Some((name, before, after)) = next.pop_front() {
            if self.selections.contains_key(&name) || !self.types.contains_key(&name) {
                continue;
            }
            for field in self.items(&name, "fields") {
                let inner = named(&field["type"]);
                if self.types[&inner]["kind"] == "OBJECT" {
                    let before = format!(
                        "{before}{{ {}{} ",
                        text(&field, "name"),
                        self.required(&field, None)
                    );
                    next.push_back((inner, before, format!(" }}{after}")));
                }
            }
            self.selections.insert(name, (before, after));
        }
    }

    fn find_values(&mut self) {
        let mut next = VecDeque::new();
        for (name, (before, after)) in &self.selections {
            for field in self.items(name, "fields") {
                for argument in list(&field, "args") {
                    let start = format!(
                        "{before}{{ {}({}: ",
                        text(&field, "name"),
                        text(&argument, "name")
                    );
                    let others = self.others(&field, &argument);
                    let end = format!("{others}){} }}{after}", self.selected(&field));
                    next.push_back((named(&argument["type"]), start, end));
                }
            }
        }
        while let Some((name, before, after)) = next.pop_front() {
            if self.values.contains_key(&name) {
                continue;
            }
            for field in self.items(&name, "inputFields") {
                let before = format!("{before}{{{}: ", text(&field, "name"));
                let siblings = self.siblings(&name, &field);
                next.push_back((
                    named(&field["type"]),
                    before,
                    format!("{siblings}}}{after}"),
                ));
            }
            self.values.insert(name, (before, after));
        }
    }

    fn items(&self, name: &str, of: &str) -> Vec<Json> {
        list(&self.types[name], of)
    }

    /// The required arguments of a field, in parentheses.
    fn required(&self, field: &Json, also: Option<&Json>) -> String {
        let wanted = |argument: &Json| is_required(argument) || Some(argument) == also;
        let arguments = list(field, "args").into_iter().filter(wanted);
        let written =
            arguments.map(|a| format!("{}: {}", text(&a, "name"), self.value(&a["type"])));
        let written: Vec<_> = written.collect();
        if written.is_empty() {
            String::new()
        } else {
            format!("({})", written.join(", "))
        }
    }

    fn others(&self, field: &Json, but: &Json) -> String {
        let required = list(field, "args")
            .into_iter()
            .filter(|a| is_required(a) && a != but);
        required
            .map(|a| format!(", {}: {}", text(&a, "name"), self.value(&a["type"])))
            .collect()
    }

    /// The other required fields of an input object.
    fn siblings(&self, name: &str, but: &Json) -> String {
        let required = self.items(name, "inputFields").into_iter();
        let required = required.filter(|field| is_required(field) && field != but);
        required
            .map(|f| format!(", {}: {}", text(&f, "name"), self.value(&f["type"])))
            .collect()
    }

    fn selected(&self, field: &Json) -> &'static str {
        if self.types[&named(&field["type"])]["kind"] == "OBJECT" {
            " { __typename }"
        } else {
            ""
        }
    }

    /// Returns a valid value of a type. A list has one item: a single value is none for an array of
    /// the database.
    fn value(&self, r#type: &Json) -> String {
        match r#type["kind"].as_str().unwrap() {
            "NON_NULL" => self.value(&r#type["ofType"]),
            "LIST" => format!("[{}]", self.value(&r#type["ofType"])),
            _ => self.sample(&text(r#type, "name")),
        }
    }

    /// Returns a valid value of a named input type.
    fn sample(&self, name: &str) -> String {
        match name {
            "Int" | "bigint" | "int8" => "1".into(),
            "Float" | "float8" | "numeric" => "1.5".into(),
            "Boolean" => "true".into(),
            "String" => "\"x\"".into(),
            "uuid" => "\"8a5bd9ae-0a0c-4f57-8e5b-2f4b5e5d0f0e\"".into(),
            "timestamptz" => "\"2020-01-02T03:04:05Z\"".into(),
            "jsonb" => "{a: [1, null]}".into(),
            "_text" => "[\"a\"]".into(),
            "mood" => "\"happy\"".into(),
            name if self.types[name]["kind"] == "ENUM" => {
                text(&self.items(name, "enumValues")[0], "name")
            }
            name if self.types[name]["kind"] == "INPUT_OBJECT" => {
                format!(
                    "{{{}}}",
                    self.siblings(name, &Json::Null).trim_start_matches(", ")
                )
            }
            name => panic!("no sample of {name}"),
        }
    }

    /// Builds a document for every field, argument, input field and enum value, and one with a
    /// variable for each value.
    fn documents(&self) -> Vec<String> {
        let mut documents = Vec::new();
        for (name, (before, after)) in &self.selections {
            documents.push(format!(
                "{before}{{ __typename ... on {name} {{ __typename }} }}{after}"
            ));
            for field in self.items(name, "fields") {
                let called = text(&field, "name");
                let plain = self.required(&field, None);
                documents.push(format!(
                    "{before}{{ {called}{plain}{} }}{after}",
                    self.selected(&field)
                ));
                for argument in list(&field, "args") {
                    let with = self.required(&field, Some(&argument));
                    documents.push(format!(
                        "{before}{{ {called}{with}{} }}{after}",
                        self.selected(&field)
                    ));
                    let argued = text(&argument, "name");
                    let others = self.others(&field, &argument);
                    let start = format!("{before}{{ {called}({argued}: ");
                    let end = format!("{others}){} }}{after}", self.selected(&field));
                    documents.push(declaring(
                        &written(&argument["type"]),
                        &format!("{start}$v{end}"),
                    ));
                }
            }
        }
        for (name, (before, after)) in &self.values {
            for field in self.items(name, "inputFields") {
                let called = text(&field, "name");
                let sample = self.value(&field["type"]);
                let siblings = self.siblings(name, &field);
                documents.push(format!("{before}{{{called}: {sample}{siblings}}}{after}"));
                let declared = written(&field["type"]);
                documents.push(declaring(
                    &declared,
                    &format!("{before}{{{called}: $v{siblings}}}{after}"),
                ));
            }
            for value in self.items(name, "enumValues") {
                documents.push(format!("{before}{}{after}", text(&value, "name")));
            }
        }
        documents
    }
}

/// Whether an argument is required. An update must also change something.
fn is_required(argument: &Json) -> bool {
    argument["type"]["kind"] == "NON_NULL" || argument["name"] == "_set"
}

/// An operation with a variable.
fn declaring(declared: &str, operation: &str) -> String {
    match operation.split_once(' ') {
        Some((kind @ ("mutation" | "subscription"), set)) => {
            format!("{kind} ($v: {declared}) {set}")
        }
        _ => format!("query ($v: {declared}) {operation}"),
    }
}

fn list(of: &Json, name: &str) -> Vec<Json> {
    of[name].as_array().cloned().unwrap_or_default()
}

fn text(of: &Json, name: &str) -> String {
    of[name].as_str().unwrap().to_owned()
}

fn named(r#type: &Json) -> String {
    match &r#type["ofType"] {
        Json::Null => text(r#type, "name"),
        inner => named(inner),
    }
}

fn written(r#type: &Json) -> String {
    match r#type["kind"].as_str().unwrap() {
        "NON_NULL" => format!("{}!", written(&r#type["ofType"])),
        "LIST" => format!("[{}]", written(&r#type["ofType"])),
        _ => text(r#type, "name"),
    }
}

fn roles(convention: Convention) -> Vec<Access> {
    vec![
        admin(convention),
        restricted(convention),
        reader(
            convention,
            &[("authors", &[], true), ("articles", &["id"], false)],
        ),
        reader(convention, &[("attachments", &["data"], true)]),
        reader(convention, &[]),
        writer(convention),
        clerk(convention),
    ]
}

#[test]
fn shown_fields_and_values_are_valid() {
    for convention in Convention::ALL {
        for access in roles(convention) {
            let documents = Shown::new(&access).documents();
            assert!(documents.len() > 50);
            // The root field of a subscription must be one of the database.
            let allowed = |document: &String| !document.starts_with("subscription { __typename");
            for document in documents.into_iter().filter(allowed) {
                if let Err(error) = validate(&access, &document) {
                    panic!("{document}\n{error}");
                }
            }
        }
    }
}

#[test]
fn shown_mutations_are_translated() {
    let mut resolved = 0;
    for convention in Convention::ALL {
        for access in roles(convention) {
            let documents = Shown::new(&access).documents().into_iter();
            for document in documents.filter(|document| document.starts_with("mutation ")) {
                let operation = validate(&access, &document).unwrap();
                let Ok(variables) = operation.coerce_sampled(&access, &Map::new()) else {
                    continue;
                };
                match translate(&access, &operation, &variables, Default::default()) {
                    Ok(_) => resolved += 1,
                    // The schema cannot express that a range needs two ends, or that a variable
                    // must have a value. Nor that a cursor needs a column.
                    Err(_) if document.contains("initial_value: {}") => {}
                    Err(TranslateError::Request(error))
                        if matches!(error.cause, Cause::AbsentInWrite { .. }) => {}
                    Err(_) if has_pair(&document) || document.contains("_set: $v") => {}
                    Err(error) => panic!("{document}\n{error}"),
                }
            }
        }
    }
    assert!(resolved > 1_000, "{resolved}");
}

/// Whether a document has an operator that takes two values.
fn has_pair(document: &str) -> bool {
    let words: Vec<&str> = document
        .split(|letter: char| letter != '_' && !letter.is_alphanumeric())
        .collect();
    let mut pairs =
        operators::all().filter(|operator| matches!(operator.takes, OperandShape::Pair(_)));
    pairs.any(|operator| words.contains(&operator.name))
}

#[test]
fn literals_around_variables_are_validated() {
    let access = admin(Convention::Snake);
    let fits = |argument: &str| {
        validate(
            &access,
            &format!("query ($v: Int) {{ articles({argument}) {{ id }} }}"),
        )
        .is_ok()
    };
    assert!(!fits("limit: {a: $v}"));
    assert!(!fits("limit: [$v]"));
    assert!(!fits("where: {title: {_eq: [$v]}}"));
    assert!(!fits("where: {id: {_eq: {a: $v}}}"));
    assert!(fits("where: {tags: {_eq: [$v]}}"));
}

#[test]
fn every_shown_type_is_reached_by_some_document() {
    for access in roles(Convention::Camel) {
        let shown = Shown::new(&access);
        for (name, r#type) in &shown.types {
            let kind = r#type["kind"].as_str().unwrap();
            let reached = match kind {
                "OBJECT" => shown.selections.contains_key(name),
                "INPUT_OBJECT" => shown.values.contains_key(name),
                _ => true,
            };
            assert!(reached, "{name}");
        }
    }
}

/// Validates a document with a name inserted, and returns the error with the name removed.
fn without(access: &Access, name: &str, document: &str) -> String {
    let error = validate(access, &document.replace("NAME", name)).expect_err(document);
    format!(
        "{:?} {} {}",
        error.kind(),
        error.path.replace(name, "NAME"),
        error.to_string().replace(name, "NAME")
    )
}

#[test]
fn hidden_and_unknown_names_have_equal_errors() {
    let access = restricted(Convention::Snake);
    let columns = [
        "{ authors { NAME } }",
        "{ authors(where: {NAME: {_eq: \"x\"}}) { id } }",
        "{ authors(order_by: {NAME: asc}) { id } }",
        "{ authors(distinct_on: NAME) { id } }",
        "{ articles { author { NAME } } }",
        "{ articles(where: {author: {NAME: {_is_null: true}}}) { id } }",
        "{ articles(order_by: {author: {NAME: asc}}) { id } }",
        "{ authors { ...F } } fragment F on authors { NAME }",
        "query ($w: authors_bool_exp = {NAME: {_is_null: true}}) { authors(where: $w) { id } }",
    ];
    for document in columns {
        assert_eq!(
            without(&access, "email", document),
            without(&access, "nothing", document),
            "{document}"
        );
    }
    let measures = [
        "{ articles_aggregate { aggregate { sum { NAME } } } }",
        "{ articles_aggregate { aggregate { count(columns: NAME) } } }",
        "{ articles_aggregate { nodes { NAME } } }",
        "{ authors(order_by: {articles_aggregate: {max: {NAME: asc}}}) { id } }",
    ];
    for document in measures {
        assert_eq!(
            without(&access, "views", document),
            without(&access, "nothing", document),
            "{document}"
        );
    }
    let tables = [
        "{ NAME { id } }",
        "{ NAME_by_pk(id: 1) { id } }",
        "{ NAME_aggregate { aggregate { count } } }",
        "{ authors { NAME { id } } }",
        "{ authors { NAME_aggregate { aggregate { count } } } }",
        "{ authors(where: {NAME: {}}) { id } }",
        "{ authors(order_by: {NAME_aggregate: {count: asc}}) { id } }",
        "query ($w: NAME_bool_exp) { authors { id } }",
        "query ($w: NAME_order_by) { authors { id } }",
        "query ($w: NAME_select_column) { authors { id } }",
        "{ authors { ... on NAME { id } } }",
        "{ authors { ... on NAME_aggregate { nodes { id } } } }",
        "query ($w: NAME) { authors { id } }",
    ];
    for document in tables {
        assert_eq!(
            without(&access, "secrets", document),
            without(&access, "nothing", document),
            "{document}"
        );
    }
    for hidden in [
        "mood",
        "float8",
        "bigint",
        "mood_comparison_exp",
        "String_plain_comparison_exp",
    ] {
        let document = "query ($v: NAME) { authors { id } }";
        assert_eq!(
            without(&access, hidden, document),
            without(&access, "nothing", document),
            "{hidden}"
        );
    }
}

#[test]
fn fields_of_other_roles_are_refused() {
    let access = restricted(Convention::Camel);
    let all = Shown::new(&admin(Convention::Camel));
    let shown = Shown::new(&access);
    let mut refused = 0;
    for (name, (before, after)) in &shown.selections {
        let own = shown.items(name, "fields");
        let hidden = all
            .items(name, "fields")
            .into_iter()
            .filter(|field| !own.iter().any(|o| o["name"] == field["name"]));
        for field in hidden {
            let document = format!("{before}{{ {} }}{after}", text(&field, "name"));
            let error = validate(&access, &document).expect_err(&document);
            let expected = Cause::UnknownField {
                field: text(&field, "name"),
                on: name.clone(),
            };
            assert_eq!(error.cause, expected, "{document}");
            refused += 1;
        }
    }
    for (name, (before, after)) in &shown.values {
        let own = shown.items(name, "inputFields");
        let hidden = all
            .items(name, "inputFields")
            .into_iter()
            .filter(|field| !own.iter().any(|o| o["name"] == field["name"]));
        for field in hidden {
            let document = format!("{before}{{{}: null}}{after}", text(&field, "name"));
            let error = validate(&access, &document).expect_err(&document);
            let expected = Cause::UnknownInputField {
                field: text(&field, "name"),
                on: name.clone(),
            };
            assert_eq!(error.cause, expected, "{document}");
            refused += 1;
        }
    }
    assert!(refused > 20, "{refused}");
}
