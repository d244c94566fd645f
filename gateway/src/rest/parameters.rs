//! Converts the parameters of a path, a query string and a body to variables. Text is parsed by the
//! declared types; text that does not fit stays a string, and `sql` reports the error.

use serde_json::{Map, Value};
use sql::postgres::types::Input;
use sql::resolve::{Values, Variable};

use crate::error::{Error, InvalidRequest};
use crate::request::json;

/// The parameters that select a page of a list: its length, and the rows before it.
pub const LIMIT: &str = "limit";
/// See [`LIMIT`].
pub const OFFSET: &str = "offset";

/// A parameter of an endpoint.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name, which is that of a variable.
    pub name: String,
    /// Whether a request must contain it.
    pub required: bool,
    /// Whether a request must contain it although the document declares it as optional.
    pub is_operand: bool,
    /// Its description in the map.
    pub description: Option<String>,
    values: Values,
}

/// The parameters in a request, without those of the path.
#[derive(Debug, Default)]
pub struct RawParameters {
    /// The query string.
    pub query: Vec<(String, String)>,
    /// The body.
    pub body: Body,
}

/// The parameters in a body.
#[derive(Debug, Default)]
pub enum Body {
    /// There is no body.
    #[default]
    Empty,
    /// The members of a JSON object.
    Json(Vec<(String, Value)>),
    /// The fields of a form.
    Form(Vec<(String, String)>),
}

impl From<Variable> for Parameter {
    fn from(variable: Variable) -> Parameter {
        let Variable {
            name,
            required,
            is_operand,
            values,
            ..
        } = variable;
        Parameter {
            name,
            required,
            is_operand,
            description: None,
            values,
        }
    }
}

/// The variables of a request: each parameter once, from one source, and no unknown ones.
pub(super) fn variables(
    parameters: &[Parameter],
    in_path: impl Iterator<Item = (String, String)>,
    given: RawParameters,
) -> Result<Map<String, Value>, Error> {
    let mut variables = Map::new();
    let in_path: Vec<_> = in_path.collect();
    let mut take = |read: Vec<(String, Value)>| {
        read.into_iter().try_for_each(
            |(name, value)| match variables.insert(name.clone(), value) {
                Some(_) => Err(Error::from(InvalidRequest::ParameterTwice(name))),
                None => Ok(()),
            },
        )
    };
    take(texts(parameters, &in_path)?)?;
    take(texts(parameters, &given.query)?)?;
    match given.body {
        Body::Empty => {}
        Body::Form(fields) => take(texts(parameters, &fields)?)?,
        Body::Json(members) => {
            if let Some((name, _)) = members
                .iter()
                .find(|(name, _)| find(parameters, name).is_none())
            {
                return Err(InvalidRequest::UnknownParameter(name.clone()).into());
            }
            take(members)?;
        }
    }
    match parameters
        .iter()
        .find(|parameter| parameter.required && !variables.contains_key(&parameter.name))
    {
        Some(missing) => Err(InvalidRequest::MissingParameter(missing.name.clone()).into()),
        None => Ok(variables),
    }
}

fn find<'p>(parameters: &'p [Parameter], name: &str) -> Option<(usize, &'p Parameter)> {
    parameters
        .iter()
        .enumerate()
        .find(|(_, parameter)| parameter.name == name)
}

/// Parses the texts of one source. A list may repeat its name, and may append brackets to it
/// (`a[]=1`).
fn texts(
    parameters: &[Parameter],
    pairs: &[(String, String)],
) -> Result<Vec<(String, Value)>, Error> {
    let mut gathered: Vec<Vec<&str>> = vec![vec![]; parameters.len()];
    let mut bracketed = vec![false; parameters.len()];
    for (name, text) in pairs {
        let (plain, brackets) = name
            .strip_suffix("[]")
            .map_or((name.as_str(), false), |plain| (plain, true));
        let known = find(parameters, plain)
            .filter(|(_, parameter)| !brackets || is_list(&parameter.values));
        let Some((index, parameter)) = known else {
            return Err(InvalidRequest::UnknownParameter(name.clone()).into());
        };
        let (Some(texts), Some(seen)) = (gathered.get_mut(index), bracketed.get_mut(index)) else {
            continue;
        };
        if !texts.is_empty() && !is_list(&parameter.values) {
            return Err(InvalidRequest::ParameterTwice(name.clone()).into());
        }
        texts.push(text);
        *seen |= brackets;
    }
    let given = parameters
        .iter()
        .zip(gathered)
        .zip(bracketed)
        .filter(|((_, texts), _)| !texts.is_empty());
    given
        .map(|((parameter, texts), bracketed)| {
            let value = match (texts.as_slice(), bracketed) {
                ([text], false) => read(&parameter.values, text),
                _ => list(&parameter.values, &texts),
            };
            let value =
                value.ok_or_else(|| InvalidRequest::ParameterJson(parameter.name.clone()))?;
            Ok((parameter.name.clone(), value))
        })
        .collect()
}

fn is_list(values: &Values) -> bool {
    match values {
        Values::List(_) => true,
        Values::Scalar(input) => element(input).is_some(),
        Values::Enum | Values::Object => false,
    }
}

/// The element type of a Postgres array.
fn element(input: &Input) -> Option<&Input> {
    match input {
        Input::Array(element) => Some(element),
        Input::Loose(input) => element(input),
        _ => None,
    }
}

/// A list with an item for each text.
fn list(values: &Values, texts: &[&str]) -> Option<Value> {
    let items = texts.iter().map(|text| match values {
        Values::List(of) => read(of, text),
        Values::Scalar(input) => element(input).and_then(|element| scalar(element, text)),
        Values::Enum | Values::Object => None,
    });
    items.collect::<Option<Vec<Value>>>().map(Value::Array)
}

/// Parses one text as a value. `None` if the type needs JSON and the text is not JSON.
fn read(values: &Values, text: &str) -> Option<Value> {
    match values {
        Values::Scalar(input) => scalar(input, text),
        Values::Enum => Some(text.into()),
        Values::Object => json::read(text.as_bytes()).ok(),
        // A list may also be written as JSON. Anything else is a list of one item.
        Values::List(of) => match json::read(text.as_bytes()) {
            Ok(Value::Array(items)) => Some(Value::Array(items)),
            Ok(Value::Null) if **of == Values::Object => Some(Value::Null),
            _ => list(values, &[text]),
        },
    }
}

fn scalar(input: &Input, text: &str) -> Option<Value> {
    let as_text = || Value::from(text);
    Some(match input {
        Input::Boolean => match text {
            "true" => true.into(),
            "false" => false.into(),
            _ => as_text(),
        },
        Input::Integer { .. } | Input::Float | Input::Numeric => {
            number(text).unwrap_or_else(as_text)
        }
        Input::Json => return json::read(text.as_bytes()).ok(),
        // These types also have a text form of Postgres.
        Input::Composite(_) | Input::Hstore | Input::GeoJson { .. } | Input::Vector => {
            structured(text).unwrap_or_else(as_text)
        }
        Input::Array(_) if text.starts_with('{') => as_text(),
        Input::Array(of) => match structured(text) {
            Some(items @ Value::Array(_)) => items,
            _ => Value::Array(vec![scalar(of, text)?]),
        },
        Input::Loose(input) => return scalar(input, text),
        _ => as_text(),
    })
}

/// Parses a number as in JSON, with all its digits.
fn number(text: &str) -> Option<Value> {
    let value = json::read(text.as_bytes()).ok()?;
    // JSON allows blanks around a value, a number does not.
    (value.is_number() && text.trim() == text).then_some(value)
}

fn structured(text: &str) -> Option<Value> {
    json::read(text.as_bytes())
        .ok()
        .filter(|value| value.is_array() || value.is_object())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn integer() -> Values {
        Values::Scalar(Input::Integer {
            min: i32::MIN.into(),
            max: i32::MAX.into(),
            text: false,
        })
    }

    fn parameters() -> Vec<Parameter> {
        let list = |of| Values::List(Box::new(of));
        let array = Values::Scalar(Input::Array(Box::new(Input::Uuid)));
        let all = [
            ("id", integer(), true),
            ("name", Values::Scalar(Input::Text), false),
            ("yes", Values::Scalar(Input::Boolean), false),
            ("ids", list(integer()), false),
            ("names", list(Values::Scalar(Input::Text)), false),
            ("where", Values::Object, false),
            ("any", Values::Scalar(Input::Json), false),
            ("links", array, false),
            ("grid", list(list(integer())), false),
        ];
        all.map(|(name, values, required)| Parameter {
            name: name.into(),
            required,
            is_operand: false,
            description: None,
            values,
        })
        .into()
    }

    fn parse(in_path: &[(&str, &str)], query: &str, body: Body) -> Result<Value, String> {
        let in_path = in_path
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let query = crate::request::parameters(query).unwrap();
        let given = RawParameters { query, body };
        variables(&parameters(), in_path, given)
            .map(Value::Object)
            .map_err(|error| error.message())
    }

    fn by_query(query: &str) -> Result<Value, String> {
        parse(&[("id", "7")], query, Body::Empty).map(|mut value| {
            value.as_object_mut().unwrap().remove("id");
            value
        })
    }

    #[test]
    fn text_is_parsed_by_declared_type() {
        let known = [
            ("name=7&yes=true", json!({"name": "7", "yes": true})),
            ("yes=1", json!({"yes": "1"})),
            ("ids=1", json!({"ids": [1]})),
            ("ids=1&ids=2", json!({"ids": [1, 2]})),
            ("ids[]=1", json!({"ids": [1]})),
            ("ids%5B%5D=1&ids[]=2&ids=3", json!({"ids": [1, 2, 3]})),
            ("ids=[1,2]", json!({"ids": [1, 2]})),
            ("ids=[]", json!({"ids": []})),
            ("ids=x", json!({"ids": ["x"]})),
            ("names=[1", json!({"names": ["[1"]})),
            ("names[]=[1]", json!({"names": ["[1]"]})),
            (
                "where={\"a\":{\"_eq\":12345678901234567890}}",
                json!({"where": {"a": {"_eq": 12345678901234567890_u64}}}),
            ),
            ("any=%221%22", json!({"any": "1"})),
            ("any=null", json!({"any": null})),
            ("links=a", json!({"links": ["a"]})),
            ("links={a,b}", json!({"links": "{a,b}"})),
            ("links=[\"a\"]", json!({"links": ["a"]})),
            ("grid=[[1],[2]]", json!({"grid": [[1], [2]]})),
            ("name=", json!({"name": ""})),
            ("name=null", json!({"name": "null"})),
        ];
        for (query, expected) in known {
            assert_eq!(by_query(query), Ok(expected), "{query}");
        }
    }

    #[test]
    fn numbers_are_parsed_as_in_json() {
        for (text, expected) in [("7", json!(7)), ("-7", json!(-7)), ("7.5", json!(7.5))] {
            assert_eq!(
                parse(&[("id", text)], "", Body::Empty).unwrap()["id"].to_string(),
                expected.to_string()
            );
        }
        for text in ["", " 7", "0x7", "07", "seven", "true", "7 "] {
            assert_eq!(
                parse(&[("id", text)], "", Body::Empty).unwrap()["id"],
                text,
                "{text:?}"
            );
        }
    }

    #[test]
    fn parameter_is_given_once_and_by_one_source() {
        let json =
            |value: Value| Body::Json(value.as_object().unwrap().clone().into_iter().collect());
        let twice = |name: &str| Err(format!("the parameter '{name}' is given twice"));
        assert_eq!(by_query("name=a&name=b"), twice("name"));
        assert_eq!(by_query("id=7"), twice("id"));
        assert_eq!(parse(&[], "id=7", json(json!({"id": 7}))), twice("id"));
        assert_eq!(
            parse(&[], "id=7", Body::Form(vec![("id".into(), "7".into())])),
            twice("id")
        );
        assert_eq!(
            parse(
                &[],
                "",
                Body::Json(vec![("id".into(), 7.into()), ("id".into(), 8.into())])
            ),
            twice("id")
        );
        assert_eq!(
            parse(&[], "", Body::Empty),
            Err("the parameter 'id' is missing".into())
        );
        for query in ["nAme=1", "name[]=1", "=1", "where[]={}"] {
            let name = query.split('=').next().unwrap();
            assert_eq!(by_query(query), Err(format!("unknown parameter '{name}'")));
        }
        assert_eq!(
            parse(&[], "id=1", json(json!({"no": 1}))),
            Err("unknown parameter 'no'".into())
        );
        for query in ["where=a", "where=", "any=", "any=a", "where={}&ids=1&any={"] {
            assert!(
                by_query(query).unwrap_err().ends_with("has to be JSON"),
                "{query}"
            );
        }
        assert_eq!(
            parse(&[], "", json(json!({"id": "7"}))),
            Ok(json!({"id": "7"}))
        );
    }
}
