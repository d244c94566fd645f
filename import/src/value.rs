//! Writes values in conditions and presets: literals as Postgres reads them beside a column, and
//! session values.

use serde_json::Value;
use sql::postgres::catalog::{Catalog, Oid, Type, TypeKind};

use crate::expression::Expression;
use crate::names::{ident, literal};
use crate::session::{self, SessionType};

/// The classes of types whose values are written differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number, written without quotes.
    Number,
    Boolean,
    Json,
    Jsonb,
    Array(Oid),
    Geometry,
    Geography,
    Raster,
    Ltree,
    /// Any other type, written as a string in quotes.
    Other,
}

impl Kind {
    /// Classifies a type.
    pub(crate) fn from_oid(catalog: &Catalog, oid: Oid) -> Kind {
        let Some(found) = catalog.base_type(oid) else {
            return Kind::Other;
        };
        if let TypeKind::Array(element) = found.kind {
            return Kind::Array(element);
        }
        match (found.schema.as_str(), found.name.as_str()) {
            ("pg_catalog", "int2" | "int4" | "int8" | "numeric" | "float8") => Kind::Number,
            ("pg_catalog", "bool") => Kind::Boolean,
            ("pg_catalog", "json") => Kind::Json,
            ("pg_catalog", "jsonb") => Kind::Jsonb,
            ("pg_catalog", _) => Kind::Other,
            (_, "geometry") => Kind::Geometry,
            (_, "geography") => Kind::Geography,
            (_, "raster") => Kind::Raster,
            (_, "ltree") => Kind::Ltree,
            _ => Kind::Other,
        }
    }
}

/// Returns the session value that a text names, if it names one.
pub(crate) fn session_name(value: &Value) -> Option<String> {
    value.as_str().and_then(session::name)
}

/// Collects the names of session variables inside of a JSON value, as they are written.
fn nested_session_names(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::String(text) if session::name(text).is_some() => names.push(text.clone()),
        Value::Array(items) => items
            .iter()
            .for_each(|item| nested_session_names(item, names)),
        Value::Object(fields) => fields
            .values()
            .for_each(|value| nested_session_names(value, names)),
        _ => {}
    }
}

/// Writes a value of a type: a session value, or a literal.
pub(crate) fn value(catalog: &Catalog, oid: Oid, value: &Value) -> Result<Expression, String> {
    let kind = Kind::from_oid(catalog, oid);
    if let Some(name) = session_name(value) {
        return Ok(match kind {
            Kind::Geometry | Kind::Geography => geojson(
                catalog,
                oid,
                kind,
                Expression::session(name, SessionType::TEXT),
            ),
            _ => Expression::session(name, SessionType::beside(catalog, oid)),
        });
    }
    let text = match (kind, value) {
        (_, Value::Null) => return Err("a null cannot be compared".to_owned()),
        (Kind::Json | Kind::Jsonb, value) => {
            let mut names = Vec::new();
            nested_session_names(value, &mut names);
            return Ok(Expression::sql(literal(&value.to_string())).taking_literally(names));
        }
        (Kind::Geometry | Kind::Geography, Value::Object(_)) => {
            return Ok(geojson(
                catalog,
                oid,
                kind,
                Expression::sql(literal(&value.to_string())),
            ));
        }
        (Kind::Array(element), Value::Array(items))
            if items.iter().any(|item| is_moment(catalog, element, item)) =>
        {
            return moments(catalog, element, items);
        }
        (Kind::Array(element), Value::Array(items)) => literal(&array(catalog, element, items)?),
        (Kind::Number, Value::Number(number)) => number.to_string(),
        (Kind::Boolean, Value::Bool(boolean)) => boolean.to_string(),
        (_, Value::String(text)) => match moment(catalog, oid, text) {
            Some(moment) => moment.to_owned(),
            None => literal(text),
        },
        (_, other) => literal(&other.to_string()),
    };
    Ok(Expression::sql(text))
}

/// Writes `st_geomfromgeojson('…')`, cast to `geography` for that type.
fn geojson(catalog: &Catalog, oid: Oid, kind: Kind, text: Expression) -> Expression {
    let prefix = catalog
        .base_type(oid)
        .map_or_else(String::new, |found| prefix(catalog, found));
    let call = Expression::call(&format!("{prefix}st_geomfromgeojson"), vec![text]);
    if kind == Kind::Geography {
        call.then(&format!("::{prefix}geography"))
    } else {
        call
    }
}

/// The schema prefix for names of a type's extension, such as `ext.`; empty if the search path
/// contains the schema.
pub(crate) fn prefix(catalog: &Catalog, found: &Type) -> String {
    let visible = found.schema == "pg_catalog" || catalog.search_path.contains(&found.schema);
    if visible {
        String::new()
    } else {
        format!("{}.", ident(&found.schema))
    }
}

/// Writes Postgres' text form of an array.
fn array(catalog: &Catalog, element: Oid, items: &[Value]) -> Result<String, String> {
    let json = matches!(Kind::from_oid(catalog, element), Kind::Json | Kind::Jsonb);
    let item = |item: &Value| {
        Ok::<_, String>(match item {
            Value::Null => "NULL".to_owned(),
            item if session_name(item).is_some() => {
                return Err("a session value inside of an array".to_owned());
            }
            item if json => in_quotes(&item.to_string()),
            Value::Array(inner) => array(catalog, element, inner)?,
            Value::String(text) => in_quotes(text),
            other => in_quotes(&other.to_string()),
        })
    };
    let items: Vec<String> = items.iter().map(item).collect::<Result<_, _>>()?;
    Ok(format!("{{{}}}", items.join(",")))
}

fn in_quotes(text: &str) -> String {
    let plain = !text.is_empty()
        && !text.eq_ignore_ascii_case("null")
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    if plain {
        text.to_owned()
    } else {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// Writes the value of a preset, which is cast to the column's type.
pub(crate) fn preset(catalog: &Catalog, oid: Oid, preset: &Value) -> Result<Expression, String> {
    if preset.is_null() {
        return Ok(Expression::sql("NULL"));
    }
    value(catalog, oid, preset)
}

/// Translates the special words of date and time input, such as `now`, into an expression of the
/// type. As a literal such a word would be evaluated when the statement is prepared.
fn moment(catalog: &Catalog, oid: Oid, text: &str) -> Option<&'static str> {
    let found = catalog
        .base_type(oid)
        .filter(|found| found.schema == "pg_catalog")?;
    let word = text
        .trim()
        .trim_end_matches("()")
        .trim_end()
        .to_ascii_lowercase();
    Some(match (found.name.as_str(), word.as_str()) {
        ("timestamptz", "now") => "now()",
        ("timestamp", "now") => "localtimestamp",
        ("date", "now" | "today") => "current_date",
        ("date", "tomorrow") => "(current_date + 1)",
        ("date", "yesterday") => "(current_date - 1)",
        ("time", "now") => "localtime",
        ("timetz", "now") => "current_time",
        ("timestamptz", "today") => "current_date::timestamptz",
        ("timestamptz", "tomorrow") => "(current_date + 1)::timestamptz",
        ("timestamptz", "yesterday") => "(current_date - 1)::timestamptz",
        ("timestamp", "today") => "current_date::timestamp",
        ("timestamp", "tomorrow") => "(current_date + 1)::timestamp",
        ("timestamp", "yesterday") => "(current_date - 1)::timestamp",
        _ => return None,
    })
}

fn is_moment(catalog: &Catalog, oid: Oid, value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| moment(catalog, oid, text).is_some())
}

/// Writes an array with a word such as `now` in it: `ARRAY[now(), '2020-01-01']::timestamptz[]`.
fn moments(catalog: &Catalog, element: Oid, items: &[Value]) -> Result<Expression, String> {
    let item = |item: &Value| match item {
        Value::Null => Ok(Expression::sql("NULL")),
        item if session_name(item).is_some() => {
            Err("a session value inside of an array".to_owned())
        }
        item => value(catalog, element, item),
    };
    let items = items.iter().map(item).collect::<Result<Vec<_>, _>>()?;
    let name = catalog
        .base_type(element)
        .map_or("text", |found| found.name.as_str());
    Ok(Expression::sql("ARRAY[")
        .and(Expression::listed(items))
        .then(&format!("]::{name}[]")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arrays_are_written_in_postgres_text_form() {
        let items = json!(["a", "b c", "null", null, "x\"y", ["n"]]);
        let text = array(&Catalog::default(), 25, items.as_array().unwrap()).unwrap();
        assert_eq!(text, r#"{a,"b c","null",NULL,"x\"y",{n}}"#);
        assert!(array(&Catalog::default(), 25, &[json!("X-Hasura-A")]).is_err());
    }
}
