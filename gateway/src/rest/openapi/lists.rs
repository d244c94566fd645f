//! Which answers are lists, by their schemas: such an answer is CSV for clients that prefer it, and
//! a page of it has links.

use serde_json::Value;

/// The schema of the items, if an answer may be a list, or an object whose only member is one.
/// Members that a directive can leave out are not required, so they need not be members.
pub(super) fn items(response: &Value) -> Option<&Value> {
    if let Some(items) = list_items(response) {
        return Some(items);
    }
    let required: Vec<&str> = response["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let members = response.get("properties")?.as_object()?;
    let alone = members
        .iter()
        .filter(|(name, _)| required.iter().all(|required| required == name));
    alone.filter_map(|(_, member)| list_items(member)).next()
}

/// Whether items of this schema are objects, which are rows of CSV.
pub(super) fn are_rows(items: &Value) -> bool {
    ways(items).any(|way| is_named(way, "object"))
}

fn list_items(schema: &Value) -> Option<&Value> {
    ways(schema)
        .filter(|way| is_named(way, "array"))
        .find_map(|way| way.get("items"))
}

/// A schema, or those that it is any of.
fn ways(schema: &Value) -> impl Iterator<Item = &Value> {
    let several = schema.get("anyOf").and_then(Value::as_array);
    several
        .into_iter()
        .flatten()
        .chain(several.is_none().then_some(schema))
}

fn is_named(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(|known| known == name),
        known => known.is_some_and(|known| known == name),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_one_list_alone_is_a_list() {
        let rows = json!({"type": "array", "items": {"type": "object"}});
        let response = |members: &[&str], required: &[&str]| {
            let properties: serde_json::Map<String, Value> = members
                .iter()
                .map(|name| ((*name).to_owned(), rows.clone()))
                .collect();
            json!({"type": "object", "properties": properties, "required": required})
        };
        assert!(items(&rows).is_some_and(are_rows));
        assert!(items(&response(&["a"], &["a"])).is_some());
        assert!(items(&response(&["a", "b"], &["a", "b"])).is_none());
        assert!(
            items(&response(&["a", "b"], &["a"])).is_some(),
            "a directive may leave the other out"
        );
        assert!(items(&json!({"anyOf": [rows, {"type": "null"}]})).is_some());
        assert!(
            items(&json!({"type": ["array", "null"], "items": {"type": "string"}}))
                .is_some_and(|of| !are_rows(of))
        );
        assert!(
            items(&json!({"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]})).is_none()
        );
    }
}
