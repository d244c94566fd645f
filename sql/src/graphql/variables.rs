//! The variables of a request after coercion, and templates of values with variables in them.
//! [`VariableFingerprint`] records which variables decided the text of a statement, for the cache
//! key of plans.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

mod operand_length;
mod fingerprint;

pub use fingerprint::VariableFingerprint;
pub use operand_length::{
    MAX_SHORT_LIST_ITEMS, MAX_SHORT_TEXT_BYTES, MAX_SHORT_TEXT_ITEMS, OperandLength,
};

/// Coerced variables, with defaults filled in. Only
/// [`Operation::coerce`](crate::resolve::Operation::coerce) makes them. The values may contain
/// thousands of rows, so they are shared with the request.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    given: Arc<Map<String, Json>>,
    /// Defaults of variables that the request does not have.
    defaults: Map<String, Json>,
    /// Variables that the request does not have and that count as null, as in Hasura. Their nulls
    /// are in `defaults`.
    omitted: Vec<String>,
}

/// The largest number of rows that counts as few.
pub const MAX_FEW_ROWS: u64 = 1000;

impl Variables {
    pub(crate) fn new(given: Arc<Map<String, Json>>, defaults: Map<String, Json>) -> Variables {
        Variables {
            given,
            defaults,
            omitted: Vec::new(),
        }
    }

    /// The variables with these omitted ones as nulls.
    pub(crate) fn with_omitted(mut self, omitted: Vec<String>) -> Variables {
        self.defaults
            .extend(omitted.iter().map(|name| (name.clone(), Json::Null)));
        Variables { omitted, ..self }
    }

    /// Returns the value of a variable; `None` if the request does not have it and it has no
    /// default.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.given.get(name).or_else(|| self.defaults.get(name))
    }

    /// The variables with further ones, whose names are not valid in GraphQL, so that no request
    /// can set them.
    pub fn with(&self, further: Map<String, Json>) -> Variables {
        let defaults = self
            .defaults
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()));
        let defaults = defaults.chain(further).collect();
        Variables {
            given: self.given.clone(),
            defaults,
            omitted: self.omitted.clone(),
        }
    }

    /// Whether the request has no value for a variable, which has no default either.
    pub(crate) fn is_absent(&self, name: &str) -> bool {
        self.get(name).is_none() || self.omitted.iter().any(|omitted| omitted == name)
    }

    /// Whether a variable is an integer of at most [`MAX_FEW_ROWS`].
    pub(crate) fn is_small_count(&self, name: &str) -> bool {
        self.get(name)
            .and_then(Json::as_u64)
            .is_some_and(|number| number <= MAX_FEW_ROWS)
    }

    /// Returns all variables, defaults included.
    pub fn to_json(&self) -> Map<String, Json> {
        let all = self.given.iter().chain(&self.defaults);
        all.map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

#[cfg(test)]
impl From<Map<String, Json>> for Variables {
    fn from(given: Map<String, Json>) -> Variables {
        Variables::new(Arc::new(given), Map::new())
    }
}

/// A path to a value inside the variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VariablePath {
    /// The name of the variable.
    pub name: String,
    /// The steps from the variable's value inward.
    pub steps: Vec<Step>,
}

/// A step into a JSON value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// To the value of an object's key.
    Key(String),
    /// To an item of a list. A value that is not a list counts as a list of one item.
    Item(usize),
    /// To the first item of a list in which the remaining steps find a value.
    First,
}

impl VariablePath {
    /// The path of a whole variable.
    pub fn variable(name: &str) -> VariablePath {
        VariablePath {
            name: name.to_owned(),
            steps: Vec::new(),
        }
    }

    /// Returns this path with one more step.
    pub fn then(&self, step: Step) -> VariablePath {
        let mut path = self.clone();
        path.steps.push(step);
        path
    }

    /// Returns the value at the path.
    pub fn find<'a>(&self, variables: &'a Variables) -> Option<&'a Json> {
        follow(variables.get(&self.name)?, &self.steps)
    }

    /// Whether two paths are equal apart from the items of lists.
    pub(crate) fn is_alike(&self, other: &VariablePath) -> bool {
        self.name == other.name && self.keys().eq(other.keys())
    }

    /// The object keys of the path, without the items of lists.
    fn keys(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Item(_) | Step::First => None,
        })
    }
}

fn follow<'a>(value: &'a Json, steps: &[Step]) -> Option<&'a Json> {
    let Some((step, rest)) = steps.split_first() else {
        return Some(value);
    };
    match (step, value) {
        (Step::Key(key), Json::Object(object)) => follow(object.get(key)?, rest),
        (Step::Item(i), Json::Array(items)) => follow(items.get(*i)?, rest),
        (Step::First, Json::Array(items)) => items.iter().find_map(|item| follow(item, rest)),
        (Step::Item(0) | Step::First, single) => follow(single, rest),
        _ => None,
    }
}

/// A JSON value with variables in it, as an argument of a document has them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Template {
    /// A literal of the document.
    Json(Json),
    /// A variable, or a value inside one.
    Variable(VariablePath),
    /// A list of templates.
    List(Vec<Template>),
    /// An object whose values are templates.
    Object(Vec<(String, Template)>),
}

impl Template {
    /// Substitutes the variables. An absent variable is null in a list, and leaves its key out of
    /// an object.
    pub fn fill<'a>(&'a self, variables: &'a Variables) -> Cow<'a, Json> {
        match self {
            Template::Json(value) => Cow::Borrowed(value),
            Template::Variable(path) => path
                .find(variables)
                .map_or(Cow::Owned(Json::Null), Cow::Borrowed),
            Template::List(items) => Cow::Owned(
                items
                    .iter()
                    .map(|item| item.fill(variables).into_owned())
                    .collect(),
            ),
            Template::Object(fields) => {
                let present = fields
                    .iter()
                    .filter(|(_, value)| !value.is_absent(variables));
                let filled =
                    present.map(|(key, value)| (key.clone(), value.fill(variables).into_owned()));
                Cow::Owned(Json::Object(filled.collect()))
            }
        }
    }

    /// Subtracts the value's approximate size from `left` bytes, without building the value.
    /// Returns false if it does not fit.
    pub(crate) fn fits(&self, variables: &Variables, left: &mut usize) -> bool {
        match self {
            Template::Json(value) => fits(value, left),
            Template::Variable(path) => path.find(variables).is_none_or(|value| fits(value, left)),
            Template::List(items) => items.iter().all(|item| item.fits(variables, left)),
            Template::Object(fields) => fields
                .iter()
                .all(|(key, value)| subtract(left, key.len()) && value.fits(variables, left)),
        }
    }

    fn is_absent(&self, variables: &Variables) -> bool {
        matches!(self, Template::Variable(path) if path.find(variables).is_none())
    }
}

fn fits(value: &Json, left: &mut usize) -> bool {
    match value {
        Json::String(text) => subtract(left, text.len()),
        Json::Array(items) => subtract(left, 0) && items.iter().all(|item| fits(item, left)),
        Json::Object(fields) => {
            subtract(left, 0)
                && fields
                    .iter()
                    .all(|(key, value)| subtract(left, key.len()) && fits(value, left))
        }
        _ => subtract(left, 0),
    }
}

/// Subtracts `bytes` and a fixed overhead per value. Returns false if too few are left.
fn subtract(left: &mut usize, bytes: usize) -> bool {
    const EACH: usize = 8;
    match left.checked_sub(bytes + EACH) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    }
}
