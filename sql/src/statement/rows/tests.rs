//! Tests of [`GivenRows::bind`] against a reference evaluation of the same JSON, and of the paths
//! in its errors.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::*;
use crate::error::ActualKind;
use crate::graphql::variables::VariablePath;

fn variables(value: Json) -> Variables {
    Variables::from(if let Json::Object(values) = value {
        values
    } else {
        Map::new()
    })
}

fn given(value: Template, list: bool, way: &[(&str, bool)], keys: &[&str]) -> GivenRows {
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    GivenRows {
        value: Arc::new(value),
        path: "$.o".into(),
        list,
        relations: way
            .iter()
            .map(|(relation, list)| ((*relation).to_owned(), *list))
            .collect(),
        keys: names(keys),
        before: names(&["one"]),
        free: names(&["b", "many"]),
        on_conflict: names(if way.is_empty() {
            &[]
        } else {
            &["on_conflict"]
        }),
    }
}

fn column(key: &str, input: Input) -> GivenColumn {
    GivenColumn {
        key: key.to_owned(),
        input,
        expected: "T".into(),
    }
}

fn bind(
    rows: &GivenRows,
    what: &RowsParameter,
    variables: &Variables,
) -> Result<Option<String>, Error> {
    rows.bind(what, variables, &mut ResolvedRows::default())
}

// ---- against a reference evaluation

/// The relations that lead to nested lists of rows: `{many: {data: […]}, one: {data: …}}`.
const WAYS: [&[(&str, bool)]; 5] = [
    &[],
    &[("many", true)],
    &[("one", false)],
    &[("many", true), ("many", true)],
    &[("one", false), ("many", true)],
];
const KEYS: [&[&str]; 4] = [&[], &["a"], &["one"], &["one", "a"]];

/// A row of which every key except `b` and `many` distinguishes batches.
fn row(depth: u32) -> BoxedStrategy<Json> {
    let text = prop_oneof![
        Just(Json::Null),
        Just(json!("x")),
        Just(json!("a\"\\,{}")),
        Just(json!("NULL"))
    ];
    let inner: BoxedStrategy<Json> = if depth == 0 {
        Just(Json::Null).boxed()
    } else {
        row(depth - 1)
    };
    let many = prop_oneof![
        inner.clone().prop_map(|row| json!({ "data": row })),
        vec(inner.clone(), 0..4).prop_map(|rows| json!({ "data": rows })),
        Just(Json::Null),
    ];
    let one = prop_oneof![
        inner.prop_map(|row| json!({ "data": row })),
        Just(Json::Null)
    ];
    let members = (
        proptest::option::of(text.clone()),
        proptest::option::of(text),
        proptest::option::of(many),
        proptest::option::of(one),
        any::<bool>(),
    );
    members
        .prop_map(|(a, b, many, one, turned)| {
            let mut fields: Vec<_> = [("a", a), ("b", b), ("many", many), ("one", one)].into();
            if turned {
                fields.reverse();
            }
            fields
                .into_iter()
                .filter_map(|(key, value)| Some((key.to_owned(), value?)))
                .collect::<Map<_, _>>()
                .into()
        })
        .boxed()
}

/// Converts the value to a template: parts of it become variables, and some variables are absent.
fn written(value: &Json, depth: usize, variables: &mut Map<String, Json>) -> Template {
    let name = format!("v{}", variables.len());
    match value {
        Json::Array(items) if depth > 0 => Template::List(
            items
                .iter()
                .map(|item| written(item, depth - 1, variables))
                .collect(),
        ),
        Json::Object(fields) if depth > 0 => {
            let mut fields: Vec<_> = fields
                .iter()
                .map(|(key, value)| (key.clone(), written(value, depth - 1, variables)))
                .collect();
            if fields.iter().all(|(key, _)| key != "a") {
                fields.push((
                    "a".into(),
                    Template::Variable(VariablePath::variable("absent")),
                ));
            }
            Template::Object(fields)
        }
        value if depth.is_multiple_of(2) => {
            variables.insert(name.clone(), value.clone());
            Template::Variable(VariablePath::variable(&name))
        }
        value => Template::Json(value.clone()),
    }
}

/// Reference evaluation: the rows at the end of `way`, each with the number of its parent row.
fn plain(value: &Json, list: bool, way: &[(&str, bool)]) -> Vec<(usize, Json)> {
    let items = |value: &Json, list: bool| match value {
        Json::Null => Vec::new(),
        Json::Array(items) if list => items.clone(),
        single => vec![single.clone()],
    };
    let mut rows: Vec<(usize, Json)> = items(value, list).into_iter().map(|row| (0, row)).collect();
    for (relation, list) in way {
        let below = |(index, (_, row)): (usize, &(usize, Json))| {
            let data = row
                .get(relation)
                .and_then(|object| object.get("data"))
                .cloned()
                .unwrap_or_default();
            items(&data, *list)
                .into_iter()
                .map(move |row| (index + 1, row))
                .collect::<Vec<_>>()
        };
        rows = rows.iter().enumerate().flat_map(below).collect();
    }
    rows
}

fn decisive(row: &Json) -> Option<Vec<&str>> {
    let fields = row.as_object()?.iter();
    let free =
        |key: &str, value: &Json| matches!(key, "b" | "many") || (key == "one" && value.is_null());
    let mut keys: Vec<&str> = fields
        .filter(|(key, value)| !free(key, value))
        .map(|(key, _)| key.as_str())
        .collect();
    keys.sort_unstable();
    Some(keys)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn rows_match_reference_evaluation(rows in vec(row(2), 0..5), depth in 0_usize..6, single in any::<bool>()) {
        let value = match rows.as_slice() {
            [only] if single => only.clone(),
            rows => Json::from(rows.to_vec()),
        };
        let mut bindings = Map::new();
        let template = written(&value, depth, &mut bindings);
        let bindings = Variables::from(bindings);
        prop_assert_eq!(&*template.fill(&bindings), &value);
        for way in WAYS {
            for keys in KEYS {
                let rows = given(template.clone(), true, way, keys);
                let found = plain(&value, true, way);
                let mut wanted: Vec<&str> = keys.to_vec();
                wanted.sort_unstable();
                let expected = found.iter().enumerate().filter(|(_, (_, row))| decisive(row).as_ref() == Some(&wanted));
                let expected: Vec<_> = expected.map(|(index, (parent, row))| (index + 1, *parent, row)).collect();
                let texts = |key: &str| {
                    let values = expected.iter().map(|(_, _, row)| row.get(key).cloned().unwrap_or_default());
                    Input::Array(Box::new(Input::Text)).text(&values.collect())
                };
                for key in ["a", "b"] {
                    let what = RowsParameter::Column(column(key, Input::Text));
                    prop_assert_eq!(bind(&rows, &what, &bindings), Ok(texts(key).ok()));
                }
                let numbers = |numbers: Vec<usize>| Ok(Some(format!("{numbers:?}").replace('[', "{").replace(']', "}").replace(' ', "")));
                prop_assert_eq!(bind(&rows, &RowsParameter::Number, &bindings), numbers(expected.iter().map(|(n, ..)| *n).collect()));
                if !way.is_empty() {
                    prop_assert_eq!(bind(&rows, &RowsParameter::Parent, &bindings), numbers(expected.iter().map(|(_, p, _)| *p).collect()));
                }
            }
        }
    }
}

// ---- single rows and errors

#[test]
fn single_row_binds_one_value() {
    let row = Template::Json(json!({"a": "x\"", "one": {"data": {"a": null}}}));
    let outer = given(row.clone(), false, &[], &["a", "one"]);
    let inner = given(row, false, &[("one", false)], &["a"]);
    let what = RowsParameter::Value(column("a", Input::Text));
    assert!(outer.is_single() && inner.is_single());
    assert_eq!(
        bind(&outer, &what, &Variables::default()),
        Ok(Some("x\"".into()))
    );
    assert_eq!(bind(&inner, &what, &Variables::default()), Ok(None));
    assert!(!given(Template::Json(Json::Null), true, &[], &[]).is_single());
}

#[test]
fn errors_contain_the_path_of_the_value() {
    let bindings = variables(
        json!({"rows": [{"a": "x"}, {"b": "y", "many": {"data": [{"a": "z"}, {"a": 1}]}}, {"a": "n\0"}]}),
    );
    let value = Template::Variable(VariablePath::variable("rows"));
    let path = |way: &[(&str, bool)], input: Input| {
        let rows = given(value.clone(), true, way, &["a"]);
        bind(&rows, &RowsParameter::Column(column("a", input)), &bindings)
            .map_err(|error| (error.path, error.cause))
    };
    let wrong = |found| Cause::WrongType {
        name: "a".into(),
        expected: "T".into(),
        found,
    };
    assert_eq!(
        path(&[], Input::Text),
        Err(("$.o[2].a".into(), wrong(ActualKind::NulCharacter)))
    );
    assert_eq!(
        path(&[("many", true)], Input::Text),
        Err(("$.o[1].many.data[1].a".into(), wrong(ActualKind::Integer)))
    );
    let labels = Input::Enum(["x".to_owned()].into());
    let unknown = |found: &str| Cause::UnknownEnumValue {
        name: "a".into(),
        expected: "T".into(),
        found: found.into(),
        values: vec!["x".into()],
    };
    assert_eq!(
        path(&[("many", true)], labels),
        Err(("$.o[1].many.data[0].a".into(), unknown("z")))
    );
    let single = given(
        Template::Json(json!({"many": {"data": {"a": 1}}})),
        true,
        &[("many", true)],
        &["a"],
    );
    let error = bind(
        &single,
        &RowsParameter::Column(column("a", Input::Text)),
        &bindings,
    )
    .unwrap_err();
    assert_eq!(error.path, "$.o[0].many.data[0].a");
}

#[test]
fn array_elements_are_quoted_and_nested_arrays_are_texts() {
    let rows = given(
        Template::Json(json!([{"a": [1, null]}, {"a": null}, {"a": []}, {"a": "{2}"}])),
        true,
        &[],
        &["a"],
    );
    let integers = column(
        "a",
        Input::Array(Box::new(Input::Integer {
            min: 0,
            max: 9,
            text: false,
        })),
    );
    assert!(integers.travels_as_text());
    let text = bind(
        &rows,
        &RowsParameter::Column(integers),
        &Variables::default(),
    );
    assert_eq!(text, Ok(Some(r#"{"{\"1\",NULL}",NULL,"{}","{2}"}"#.into())));
    let rows = given(
        Template::Json(json!([{"a": {"k": "\""}}, {"a": "s"}, {"a": true}])),
        true,
        &[],
        &["a"],
    );
    let text = bind(
        &rows,
        &RowsParameter::Column(column("a", Input::Json)),
        &Variables::default(),
    );
    assert_eq!(
        text,
        Ok(Some(r#"{"{\"k\":\"\\\"\"}","\"s\"","true"}"#.into()))
    );
}

#[test]
fn differing_on_conflict_values_are_rejected() {
    let bind_conflicts = |first: Json, second: Json| {
        let row = |on_conflict_value: Json| json!({"one": {"data": {"a": "x"}, "on_conflict": on_conflict_value}});
        let rows = given(
            Template::Json(json!([{}, row(first), row(second)])),
            true,
            &[("one", false)],
            &["a"],
        );
        bind(&rows, &RowsParameter::Parent, &Variables::default())
            .map_err(|error| (error.path, error.cause))
    };
    let constraint = |value: i32| json!({"constraint": "k", "where": {"id": {"_eq": value}}});
    assert_eq!(
        bind_conflicts(constraint(1), constraint(1)),
        Ok(Some("{2,3}".into()))
    );
    let differs = Cause::Differs {
        name: "on_conflict".into(),
    };
    assert_eq!(
        bind_conflicts(constraint(1), constraint(2)),
        Err(("$.o[2].one".into(), differs.clone()))
    );
    assert_eq!(
        bind_conflicts(Json::Null, constraint(2)),
        Err(("$.o[2].one".into(), differs))
    );
}
