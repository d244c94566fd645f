//! Removes the components of a description that nothing refers to.

use std::collections::BTreeSet;

use serde_json::Value;

/// Keeps the components that the paths refer to, directly or through other components.
pub(super) fn retain_referenced(components: &mut Value, paths: &Value) {
    let mut found = BTreeSet::new();
    let mut waiting = vec![paths];
    while let Some(value) = waiting.pop() {
        let reference = value
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|text| text.strip_prefix("#/components"));
        if let Some(reference) = reference.filter(|reference| !found.contains(*reference)) {
            found.insert(reference.to_owned());
            waiting.extend(components.pointer(reference));
        }
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(members) => waiting.extend(members.values()),
            _ => {}
        }
    }
    for (kind, named) in components.as_object_mut().into_iter().flatten() {
        if let Some(named) = named.as_object_mut() {
            named.retain(|name, _| found.contains(&format!("/{kind}/{name}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unreferenced_components_are_removed() {
        let mut components = json!({
            "responses": {"A": {"schema": {"$ref": "#/components/schemas/B"}}, "C": {}},
            "schemas": {"B": {"items": [{"$ref": "#/components/schemas/B"}]}, "D": {"$ref": "#/components/schemas/B"}},
        });
        retain_referenced(
            &mut components,
            &json!([{"x": {"$ref": "#/components/responses/A"}}]),
        );
        let kept = |kind: &str| {
            components[kind]
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!([kept("responses"), kept("schemas")], [["A"], ["B"]]);
    }
}
