//! Hasura's directive `@cached` as introspection and the schema definition language show it in Hasura's dialect.
//! `async-graphql` cannot register a directive with a schema made at run time, so this one is added to the list that it
//! returns for `__schema { directives }`.

use std::sync::LazyLock;

use async_graphql_parser::types::{Selection, SelectionSet};
use async_graphql_value::{ConstValue, Name, indexmap::IndexMap};
use serde_json::json;

use crate::resolve::Cached;

const ABOUT: &str = "how long the answer of this query is cached";
const ABOUT_TTL: &str = "measured in seconds";
const ABOUT_REFRESH: &str = "run the query although its answer is cached, and replace that answer";

/// The directive with every field that introspection has for it.
static DIRECTIVE: LazyLock<ConstValue> = LazyLock::new(|| {
    let argument = |name: &str, about: &str, of: &str, default: String| {
        let scalar = json!({"__typename": "__Type", "kind": "SCALAR", "name": of});
        json!({
            "__typename": "__InputValue", "name": name, "description": about, "defaultValue": default,
            "isDeprecated": false, "type": {"__typename": "__Type", "kind": "NON_NULL", "ofType": scalar},
        })
    };
    let directive = json!({
        "__typename": "__Directive", "name": "cached", "description": ABOUT, "locations": ["QUERY"], "isRepeatable": false,
        "args": [
            argument("ttl", ABOUT_TTL, "Int", Cached::DEFAULT_SECONDS.to_string()),
            argument("refresh", ABOUT_REFRESH, "Boolean", "false".into()),
        ],
    });
    ConstValue::from_json(directive).unwrap_or_default()
});

/// The definition of the directive.
pub(super) fn sdl() -> String {
    let seconds = Cached::DEFAULT_SECONDS;
    format!(
        "\"\"\"\n{ABOUT}\n\"\"\"\ndirective @cached(\n\t\"\"\"\n\t{ABOUT_TTL}\n\t\"\"\"\n\tttl: Int! = {seconds}\n\t\
         \"\"\"\n\t{ABOUT_REFRESH}\n\t\"\"\"\n\trefresh: Boolean! = false\n) on QUERY\n"
    )
}

/// The selected fields of the directive. Fields that it does not have are null.
pub(super) fn select(selection: &SelectionSet) -> ConstValue {
    project(&DIRECTIVE, selection)
}

fn project(value: &ConstValue, selection: &SelectionSet) -> ConstValue {
    match value {
        ConstValue::List(items) => ConstValue::List(items.iter().map(|item| project(item, selection)).collect()),
        ConstValue::Object(members) => {
            let mut selected = IndexMap::new();
            collect(members, selection, &mut selected);
            ConstValue::Object(selected)
        }
        leaf => leaf.clone(),
    }
}

/// The excerpt that is executed has its fragments inlined, and conditions removed.
fn collect(members: &IndexMap<Name, ConstValue>, selection: &SelectionSet, selected: &mut IndexMap<Name, ConstValue>) {
    for item in &selection.items {
        match &item.node {
            Selection::Field(field) => {
                let found = members.get(&field.node.name.node).unwrap_or(&ConstValue::Null);
                let value = project(found, &field.node.selection_set.node);
                merge(selected.entry(field.node.response_key().node.clone()).or_default(), value);
            }
            Selection::InlineFragment(inline) => collect(members, &inline.node.selection_set.node, selected),
            Selection::FragmentSpread(_) => {}
        }
    }
}

/// Merges the selections of two fields with one response key.
fn merge(known: &mut ConstValue, value: ConstValue) {
    match (known, value) {
        (ConstValue::Object(known), ConstValue::Object(more)) => {
            for (key, value) in more {
                merge(known.entry(key).or_default(), value);
            }
        }
        (ConstValue::List(known), ConstValue::List(more)) => {
            known.iter_mut().zip(more).for_each(|(known, value)| merge(known, value));
        }
        (known, value) => *known = value,
    }
}
