//! Converts JSON objects to the text forms of composite rows and of hstores.

use std::borrow::Cow;

use serde_json::Value as Json;

use super::{ActualKind, checked, found, quote, without_nul};
use crate::error::TextFormat;
use crate::postgres::types::Input;

/// `("a","b c",)`: the attributes in order; null and absent ones are empty. A string is taken as a
/// row in text form. <https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-IO-SYNTAX>
pub(super) fn row(attributes: &[(String, Input)], value: &Json) -> Result<String, ActualKind> {
    let object = match value {
        Json::Object(object) => object,
        Json::String(text) => return checked(text, TextFormat::Row, is_row).map(Cow::into_owned),
        other => return Err(found(other)),
    };
    if let Some(key) = object
        .keys()
        .find(|key| !attributes.iter().any(|(name, _)| name == *key))
    {
        return Err(ActualKind::UnknownKey(key.as_str().into()));
    }
    let mut text = String::from("(");
    for (i, (name, input)) in attributes.iter().enumerate() {
        text.push_str(if i > 0 { "," } else { "" });
        match object.get(name) {
            None | Some(Json::Null) => {}
            Some(value) => quote(
                &input.part(value).map_err(|found| found.under_key(name))?,
                &mut text,
            ),
        }
    }
    text.push(')');
    Ok(text)
}

fn is_row(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('(') && text.ends_with(')')
}

/// The text form of an hstore: `"a"=>"1","b"=>NULL`.
pub(super) fn hstore(value: &Json) -> Result<String, ActualKind> {
    let object = match value {
        Json::Object(object) => object,
        Json::String(text) => return without_nul(text).map(Cow::into_owned),
        other => return Err(found(other)),
    };
    let mut text = String::new();
    for (i, (key, value)) in object.iter().enumerate() {
        text.push_str(if i > 0 { "," } else { "" });
        quote(&without_nul(key)?, &mut text);
        text.push_str("=>");
        match value {
            Json::Null => text.push_str("NULL"),
            Json::String(value) => quote(&without_nul(value)?, &mut text),
            Json::Number(_) | Json::Bool(_) => quote(&value.to_string(), &mut text),
            other => return Err(found(other).under_key(key)),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_are_quoted_attribute_by_attribute() {
        let inner = Input::Composite([("n".into(), Input::Numeric)].into());
        let attributes = [
            ("a".into(), Input::Text),
            ("b".into(), inner),
            ("c".into(), Input::Text),
        ];
        let text = |value: Json| row(&attributes, &value);
        assert_eq!(
            text(json!({"c": "", "a": "x\"\\,"})),
            Ok(r#"("x\"\\,",,"")"#.into())
        );
        assert_eq!(
            text(json!({"b": {"n": 1.50}, "c": null})),
            Ok(r#"(,"(\"1.5\")",)"#.into())
        );
        assert_eq!(text(json!("(a,,)")), Ok("(a,,)".into()));
        assert_eq!(
            text(json!({"d": 1})),
            Err(ActualKind::UnknownKey("d".into()))
        );
        assert_eq!(
            text(json!({"b": {"n": []}})),
            Err(ActualKind::List.under_key("n").under_key("b"))
        );
        assert!(
            text(json!("a")).is_err()
                && text(json!([1])).is_err()
                && text(json!({"a": "\0"})).is_err()
        );
    }

    #[test]
    fn hstores_hold_text_and_nulls() {
        assert_eq!(
            hstore(&json!({"a\"": "=>", "b": null, "c": 1})),
            Ok(r#""a\""=>"=>","b"=>NULL,"c"=>"1""#.into())
        );
        assert_eq!(hstore(&json!({})), Ok(String::new()));
        assert!(hstore(&json!({"a": {}})).is_err() && hstore(&json!({"\0": ""})).is_err());
    }
}
