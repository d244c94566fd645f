//! Joins the parts that plugins give of an OpenAPI description.

use serde_json::{Value, json};

use super::{components, headers, responses};

/// Joins the parts of a description, each the JSON text of an object with `tags`, `paths` and
/// `components`. Objects are joined member by member and lists item by item; any other value
/// replaces the one of an earlier part, so that a part can add to the paths of another one.
///
/// The response headers of the gateway are described already, such as
/// `#/components/headers/X-Request-Id`, and so is the response to a head that is too large, which
/// the gateway sends before it knows the path.
///
/// Errors: a part is not JSON.
pub fn join_parts(parts: &[&str]) -> Result<Value, serde_json::Error> {
    let mut document = json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Postern",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The paths beside GraphQL and the REST map that the settings turn on.",
        },
        "servers": [{"url": "/"}],
        "tags": [],
        "paths": {},
        "components": {
            "headers": headers::of_answers(),
            "responses": {responses::HEAD_TOO_LARGE: responses::head_too_large()},
        },
    });
    for part in parts {
        join(&mut document, serde_json::from_str(part)?);
    }
    for operation in members_mut(&mut document["paths"]).flat_map(members_mut) {
        if let Some(Value::Object(described)) = operation.get_mut("responses") {
            let name = responses::HEAD_TOO_LARGE;
            let too_large = json!({"$ref": format!("#/components/responses/{name}")});
            described.insert("431".into(), too_large);
        }
    }
    let mut components = document["components"].take();
    // Requirements name the schemes without referring to them.
    let security_schemes = components["securitySchemes"].take();
    components::retain_referenced(&mut components, &document["paths"]);
    components["securitySchemes"] = security_schemes;
    document["components"] = components;
    Ok(document)
}

/// The values of an object's members.
fn members_mut(object: &mut Value) -> impl Iterator<Item = &mut Value> {
    let members = object.as_object_mut().into_iter();
    members.flat_map(|members| members.values_mut())
}

fn join(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(members), Value::Object(further)) => {
            for (name, value) in further {
                join(members.entry(name).or_insert(Value::Null), value);
            }
        }
        (Value::Array(items), Value::Array(further)) => {
            for item in further {
                if !items.contains(&item) {
                    items.push(item);
                }
            }
        }
        (into, from) => *into = from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_part_adds_to_an_earlier_one() {
        let first = json!({
            "tags": [{"name": "a"}],
            "paths": {"/a": {"get": {
                "summary": "one",
                "responses": {"200": {"$ref": "#/components/responses/A"}},
            }}},
            "components": {
                "responses": {"A": {"headers": {"X": {"$ref": "#/components/headers/X-Request-Id"}}}},
                "securitySchemes": {"Token": {"type": "http"}},
                "schemas": {"Unused": {}},
            },
        });
        let second = json!({
            "tags": [{"name": "a"}, {"name": "b"}],
            "paths": {"/a": {"get": {"summary": "two"}}, "/b": {}},
        });
        let parts = [first.to_string(), second.to_string()];
        let parts = parts.each_ref().map(String::as_str);
        let joined = join_parts(&parts).unwrap();
        assert_eq!(joined["tags"], json!([{"name": "a"}, {"name": "b"}]));
        assert_eq!(joined["paths"]["/a"]["get"]["summary"], "two");
        let responses = joined["paths"]["/a"]["get"]["responses"].as_object();
        assert_eq!(
            responses.unwrap().keys().collect::<Vec<_>>(),
            ["200", "431"]
        );
        assert!(joined["paths"]["/b"].is_object());
        let components = &joined["components"];
        assert_eq!(components["schemas"], json!({}));
        assert!(components["securitySchemes"]["Token"].is_object());
        let headers = components["headers"].as_object().unwrap();
        assert!(headers.contains_key("X-Request-Id") && !headers.contains_key("Link"));
    }
}
