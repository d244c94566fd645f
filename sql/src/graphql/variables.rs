//! Variables of a request: their values once coerced, and which of them decided the text of a statement.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

mod operand_length;
mod fingerprint;

pub use fingerprint::VariableFingerprint;
pub use operand_length::{ITEMS, OperandLength, SHORT, TEXTS};

/// Variables whose types have been checked, defaults filled in. Only
/// [`Operation::coerce`](crate::resolve::Operation::coerce) makes them. They may hold thousands of rows, so they are shared
/// with the request.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    given: Arc<Map<String, Json>>,
    /// Of those that are not given.
    defaults: Map<String, Json>,
}

/// So many rows at most are few.
pub const FEW: u64 = 1000;

impl Variables {
    pub(crate) fn new(given: Arc<Map<String, Json>>, defaults: Map<String, Json>) -> Variables {
        Variables { given, defaults }
    }

    /// The value of a variable; none when it was not given and has no default.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.given.get(name).or_else(|| self.defaults.get(name))
    }

    /// Whether a variable is a number up to [`FEW`].
    pub(crate) fn is_few(&self, name: &str) -> bool {
        self.get(name).and_then(Json::as_u64).is_some_and(|number| number <= FEW)
    }

    /// All of them, as JSON.
    pub fn to_json(&self) -> Map<String, Json> {
        let all = self.given.iter().chain(&self.defaults);
        all.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

#[cfg(test)]
impl From<Map<String, Json>> for Variables {
    fn from(given: Map<String, Json>) -> Variables {
        Variables { given: Arc::new(given), defaults: Map::new() }
    }
}

/// A place inside the variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VariablePath {
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
    /// To the first item of a list from which the rest of the way leads somewhere.
    First,
}

impl VariablePath {
    /// The variable itself.
    pub fn variable(name: &str) -> VariablePath {
        VariablePath { name: name.to_owned(), steps: Vec::new() }
    }

    /// A place further in.
    pub fn then(&self, step: Step) -> VariablePath {
        let mut place = self.clone();
        place.steps.push(step);
        place
    }

    /// The value at the place.
    pub fn find<'a>(&self, variables: &'a Variables) -> Option<&'a Json> {
        follow(variables.get(&self.name)?, &self.steps)
    }

    /// Whether it is the same place but for which items of lists are passed.
    pub(crate) fn is_alike(&self, other: &VariablePath) -> bool {
        self.name == other.name && self.keys().eq(other.keys())
    }

    /// The keys on the way: lists are passed whatever item is meant.
    fn keys(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Item(_) | Step::First => None,
        })
    }
}

fn follow<'a>(value: &'a Json, steps: &[Step]) -> Option<&'a Json> {
    let Some((step, rest)) = steps.split_first() else { return Some(value) };
    match (step, value) {
        (Step::Key(key), Json::Object(object)) => follow(object.get(key)?, rest),
        (Step::Item(i), Json::Array(items)) => follow(items.get(*i)?, rest),
        (Step::First, Json::Array(items)) => items.iter().find_map(|item| follow(item, rest)),
        (Step::Item(0) | Step::First, single) => follow(single, rest),
        _ => None,
    }
}

/// A value of the request that may hold variables: JSON with places in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Template {
    /// Written in the document.
    Json(Json),
    /// Held by a variable.
    Variable(VariablePath),
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

    /// Whether the value is within so many bytes, roughly, and takes its own of them; it is not made for that.
    pub(crate) fn fits(&self, variables: &Variables, left: &mut usize) -> bool {
        match self {
            Template::Json(value) => fits(value, left),
            Template::Variable(place) => place.find(variables).is_none_or(|value| fits(value, left)),
            Template::List(items) => items.iter().all(|item| item.fits(variables, left)),
            Template::Object(fields) => {
                fields.iter().all(|(key, value)| takes(left, key.len()) && value.fits(variables, left))
            }
        }
    }

    fn is_absent(&self, variables: &Variables) -> bool {
        matches!(self, Template::Variable(place) if place.find(variables).is_none())
    }
}

fn fits(value: &Json, left: &mut usize) -> bool {
    match value {
        Json::String(text) => takes(left, text.len()),
        Json::Array(items) => takes(left, 0) && items.iter().all(|item| fits(item, left)),
        Json::Object(fields) => {
            takes(left, 0) && fields.iter().all(|(key, value)| takes(left, key.len()) && fits(value, left))
        }
        _ => takes(left, 0),
    }
}

/// Takes the bytes of a text, or of a value that has none, and a few that each costs.
fn takes(left: &mut usize, bytes: usize) -> bool {
    const EACH: usize = 8;
    match left.checked_sub(bytes + EACH) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    }
}
