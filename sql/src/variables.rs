//! Variables of a request: their values once coerced, and which of them decided the text of a statement.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Map, Value as Json};

/// Variables whose types have been checked, defaults filled in. Only
/// [`Operation::coerce`](crate::resolve::Operation::coerce) makes them.
#[derive(Clone, Debug, Default)]
pub struct Variables(Map<String, Json>);

impl Variables {
    pub(crate) fn new(values: Map<String, Json>) -> Variables {
        Variables(values)
    }

    /// The value of a variable; none when it was not given and has no default.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.get(name)
    }

    /// All of them, as JSON.
    pub fn as_json(&self) -> &Map<String, Json> {
        &self.0
    }
}

/// A place inside the variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The variable.
    pub name: String,
    /// The way inside it.
    pub steps: Vec<Step>,
}

/// A step into a JSON value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// To a key of an object.
    Key(String),
    /// To an item of a list. A single value is its own only item.
    Item(usize),
}

impl Place {
    /// The variable itself.
    pub fn variable(name: &str) -> Place {
        Place { name: name.to_owned(), steps: Vec::new() }
    }

    /// A place further in.
    pub fn then(&self, step: Step) -> Place {
        let mut place = self.clone();
        place.steps.push(step);
        place
    }

    /// The value at the place.
    pub fn find<'a>(&self, variables: &'a Variables) -> Option<&'a Json> {
        self.steps.iter().try_fold(variables.get(&self.name)?, |value, step| match (step, value) {
            (Step::Key(key), Json::Object(object)) => object.get(key),
            (Step::Item(i), Json::Array(items)) => items.get(*i),
            (Step::Item(0), single) => Some(single),
            _ => None,
        })
    }
}

/// A value of the request that may hold variables: JSON with places in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Template {
    /// Written in the document.
    Json(Json),
    /// Held by a variable.
    Variable(Place),
    /// A list of such.
    List(Vec<Template>),
    /// An object of such.
    Object(Vec<(String, Template)>),
}

impl Template {
    /// The value under these variables; a variable that is absent is null, and leaves no key in an object.
    pub fn fill<'a>(&'a self, variables: &'a Variables) -> Cow<'a, Json> {
        match self {
            Template::Json(value) => Cow::Borrowed(value),
            Template::Variable(place) => place.find(variables).map_or(Cow::Owned(Json::Null), Cow::Borrowed),
            Template::List(items) => Cow::Owned(items.iter().map(|item| item.fill(variables).into_owned()).collect()),
            Template::Object(fields) => {
                let present = fields.iter().filter(|(_, value)| !value.is_absent(variables));
                let filled = present.map(|(key, value)| (key.clone(), value.fill(variables).into_owned()));
                Cow::Owned(Json::Object(filled.collect()))
            }
        }
    }

    fn is_absent(&self, variables: &Variables) -> bool {
        matches!(self, Template::Variable(place) if place.find(variables).is_none())
    }
}

/// Which variables decided the text of a statement, and how much of them.
///
/// Translation is deterministic in what it reads, so two requests of one document that agree in
/// [`Structure::key`] have the same statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Those whose whole value decides: orders, enums, limits, conditions of directives.
    whole: BTreeSet<String>,
    /// Those whose shape decides: keys, nulls, Booleans, but no text and no number.
    shape: BTreeSet<String>,
}

impl Structure {
    /// Notes that a variable's whole value was read.
    pub fn read_whole(&mut self, name: &str) {
        self.whole.insert(name.to_owned());
    }

    /// Notes that a variable's shape was read.
    pub fn read_shape(&mut self, name: &str) {
        self.shape.insert(name.to_owned());
    }

    /// Adds what another translation of the document read. Says whether that was anything new.
    pub fn join(&mut self, other: &Structure) -> bool {
        let before = self.whole.len() + self.shape.len();
        self.whole.extend(other.whole.iter().cloned());
        self.shape.extend(other.shape.iter().cloned());
        before != self.whole.len() + self.shape.len()
    }

    /// What these variables decide, as text to look a statement up by.
    pub fn key(&self, variables: &Variables) -> String {
        let mut key = String::new();
        for name in &self.whole {
            let value = variables.get(name).map_or("-".into(), Json::to_string);
            let _ = write!(key, "{name}={value};");
        }
        for name in &self.shape {
            let _ = write!(key, "{name}~");
            match variables.get(name) {
                Some(value) => shape(value, &mut key),
                None => key.push('-'),
            }
            key.push(';');
        }
        key
    }
}

/// Writes keys, nulls and Booleans, and a mark for any text or number. A list of such is one mark, whatever its
/// length: it is one parameter.
fn shape(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push('n'),
        Json::Bool(value) => out.push(if *value { 't' } else { 'f' }),
        Json::Number(_) | Json::String(_) => out.push('*'),
        Json::Array(items) if !items.is_empty() && items.iter().all(is_plain) => out.push_str("[*]"),
        Json::Array(items) => {
            out.push('[');
            items.iter().for_each(|item| {
                shape(item, out);
                out.push(',');
            });
            out.push(']');
        }
        Json::Object(fields) => {
            out.push('{');
            for (key, value) in fields {
                out.push_str(&Json::from(key.as_str()).to_string());
                out.push(':');
                shape(value, out);
            }
            out.push('}');
        }
    }
}

fn is_plain(value: &Json) -> bool {
    matches!(value, Json::Number(_) | Json::String(_))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn key(structure: &Structure, value: Json) -> String {
        let Json::Object(values) = value else { return String::new() };
        structure.key(&Variables::new(values))
    }

    #[test]
    fn a_shape_keeps_keys_and_nulls_and_forgets_values() {
        let mut structure = Structure::default();
        structure.read_shape("where");
        let one = key(&structure, json!({"where": {"id": {"_eq": 1}}}));
        assert_eq!(one, key(&structure, json!({"where": {"id": {"_eq": 2}}})));
        assert_ne!(one, key(&structure, json!({"where": {"id": {"_gt": 1}}})));
        assert_ne!(one, key(&structure, json!({"where": {"id": {"_eq": null}}})));
        assert_ne!(one, key(&structure, json!({})));
        let list = key(&structure, json!({"where": {"id": {"_in": [1]}}}));
        assert_eq!(list, key(&structure, json!({"where": {"id": {"_in": [1, 2, 3]}}})));
        let is_null = |value: bool| key(&structure, json!({"where": {"id": {"_is_null": value}}}));
        assert_ne!(is_null(true), is_null(false));
    }

    #[test]
    fn a_whole_value_is_told_from_another() {
        let mut structure = Structure::default();
        structure.read_whole("order");
        assert_ne!(key(&structure, json!({"order": {"id": "asc"}})), key(&structure, json!({"order": {"id": "desc"}})));
    }

    #[test]
    fn keys_with_quotes_do_not_run_together() {
        let mut structure = Structure::default();
        structure.read_shape("w");
        assert_ne!(key(&structure, json!({"w": {"a\":{\"b": 1}})), key(&structure, json!({"w": {"a": {"b": 1}}})));
    }
}
