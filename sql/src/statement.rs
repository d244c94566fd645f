//! A statement ready to be run: text, parameters, and the shape of its answer.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::encode::cursor::{Ordering, Secret};
use crate::encode::shape::Shape;
use crate::error::{Cause, Error};
use crate::graphql::variables::{Template, Variables};
use crate::model::access::SourceLocation;
use crate::model::operators::{Mode, Pattern, regular};
use crate::postgres::json_path;
use crate::postgres::types::Input;
use crate::postgres::value::{ActualKind, found, short};

mod list_strategy;
mod mutation;
mod value_budget;
mod rows;
pub(crate) mod required_row;

pub use list_strategy::{CostEstimate, FallbackReason, ListStrategy};
pub use mutation::{ANSWER, AssertionToken, LIST, Mutation, Step};
use rows::ResolvedRows;
pub use rows::{GivenColumn, GivenRows, RowsParameter};
pub use value_budget::{PATTERNS, VALUES, ValueBudget};

/// One SQL statement for one operation of one role. Its text holds no value of a user's.
#[derive(Debug)]
pub struct Statement {
    /// The SQL.
    pub text: String,
    /// What `$1`, `$2` … stand for.
    pub parameters: Vec<Parameter>,
    /// The numbers of those that are patterns and stand in the text once more, as often as they do.
    pub repeated: Vec<usize>,
    /// What the rows become.
    pub shape: Shape,
    /// Every table that is read, in the order of the text.
    pub reads: Vec<ScanReport>,
    /// What the planner is asked before the statement is run.
    pub estimates: Vec<Estimate>,
    /// What may make the statement fail by its own words.
    pub alarms: Vec<AssertionToken>,
    /// Whether it reads few rows and builds no lists or aggregates of them, whatever the parameters.
    pub is_small: bool,
}

/// A question to the planner: how many rows it expects.
#[derive(Debug)]
pub struct Estimate {
    /// `EXPLAIN (FORMAT JSON) SELECT …`
    pub text: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The place of the answer among the statement's parameters.
    pub place: usize,
}

/// What stands for a placeholder. All travel as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// A value written in the document.
    Constant(String),
    /// The number of rows that the planner expects, by the question's place in [`Statement::estimates`].
    Estimate(usize),
    /// A value held by variables.
    Request(Arc<Operand>),
    /// A pattern or the query of a search, whose work grows with its length for each row: counted with the others of the request.
    Pattern(Box<Parameter>),
    /// A value of the session.
    Session {
        /// Its name: `user_id`.
        name: String,
        /// Which text fits.
        input: Input,
        /// The type it was declared with.
        expected: String,
    },
    /// A value of the session as text, by its name; empty text where the caller has none.
    SessionText(String),
    /// The whole session as a JSON object.
    WholeSession,
    /// The word of an [`AssertionToken`].
    Word(String),
    /// A column of rows that the request gives.
    Rows(Arc<GivenRows>, RowsParameter),
}

/// The session of a caller, as parameters need it.
pub trait SessionValues {
    /// The value of that name: `user_id`.
    fn value(&self, name: &str) -> Option<&str>;

    /// All values and the role as a JSON object, by the names that headers have: `{"x-gateway-user-id": "7"}`.
    fn json(&self) -> String;
}

/// A value held by variables, and what has to be true of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The argument or operator it is given for.
    pub name: String,
    /// The place in the request, for errors.
    pub path: String,
    /// The value.
    pub value: Template,
    /// What it has to be.
    pub need: OperandRequirement,
    /// The type it has to have, as GraphQL writes it.
    pub expected: String,
}

/// What has to be true of an operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OperandRequirement {
    /// A value.
    Value(Input),
    /// A list of values, none of them null.
    List(Input),
    /// Two values, neither of them null.
    Pair(Input),
    /// The query of a full-text search.
    Search(Mode),
    /// A pattern.
    Pattern(Input, Pattern),
    /// A value, or null.
    Nullable(Input),
    /// A whole number that is not negative, or null for none.
    Count,
    /// A path into JSON, or null for all of it.
    JsonPath,
    /// A value of a cursor.
    Cursor {
        /// What cursors are tagged with.
        secret: Secret,
        /// The order that the cursor has to be a place in.
        ordering: Ordering,
        /// Which of its values.
        place: usize,
    },
    /// The same of 64 bits, digits in a string too.
    LongCount,
}

/// A table that a statement reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanReport {
    /// The alias in the statement: `_0`.
    pub alias: String,
    /// The table's schema and name.
    pub table: (String, String),
    /// The row rule that stands inside, and where it was written.
    pub rule: SourceLocation,
    /// The columns for which something else stands than what is stored, as masks do, and where that was written.
    pub values: Vec<(String, SourceLocation)>,
    /// In which form a list is read whose rule may be a membership, where there was a choice.
    pub form: Option<ListStrategy>,
    /// Whether some row has to be found there before anything else is done.
    pub required: bool,
}

impl Statement {
    /// The text forms of the parameters, in order; none is an SQL null. They take what they need of the room that there is
    /// for all statements of a request.
    ///
    /// Errors: a variable of the wrong form, a session value that is missing or malformed, no room.
    pub fn bind(
        &self,
        variables: &Variables,
        caller: &dyn SessionValues,
        room: &mut ValueBudget,
    ) -> Result<Vec<Option<String>>, Error> {
        let bound = bind(&self.parameters, variables, caller, room)?;
        for place in &self.repeated {
            let text = place.checked_sub(1).and_then(|place| bound.get(place)?.as_deref());
            room.take_pattern(text)?;
        }
        Ok(bound)
    }
}

fn bind(
    parameters: &[Parameter],
    variables: &Variables,
    caller: &dyn SessionValues,
    room: &mut ValueBudget,
) -> Result<Vec<Option<String>>, Error> {
    let mut found = ResolvedRows::within(*room);
    let bound = parameters.iter().map(|parameter| {
        let text = parameter.bind(variables, caller, &mut found, room)?;
        room.take(text.as_deref())?;
        if let Parameter::Pattern(_) = parameter {
            room.take_pattern(text.as_deref())?;
        }
        Ok(text)
    });
    bound.collect()
}

impl Estimate {
    /// The text forms of the parameters, in order, within the room that there is.
    pub fn bind(
        &self,
        variables: &Variables,
        caller: &dyn SessionValues,
        room: &mut ValueBudget,
    ) -> Result<Vec<Option<String>>, Error> {
        bind(&self.parameters, variables, caller, room)
    }

    /// The number of rows in the planner's answer.
    pub fn read(answer: &str) -> Option<String> {
        let plan: serde_json::Value = serde_json::from_str(answer).ok()?;
        plan.get(0)?.get("Plan")?.get("Plan Rows").map(ToString::to_string)
    }
}

impl Parameter {
    fn bind<'a>(
        &'a self,
        variables: &'a Variables,
        caller: &dyn SessionValues,
        found: &mut ResolvedRows<'a>,
        room: &ValueBudget,
    ) -> Result<Option<String>, Error> {
        match self {
            Parameter::Constant(text) => Ok(Some(text.clone())),
            // Whoever runs the statement asks the planner first.
            Parameter::Estimate(_) => Ok(None),
            Parameter::Request(operand) => operand.bind_within(variables, room),
            Parameter::Pattern(parameter) => parameter.bind(variables, caller, found, room),
            Parameter::SessionText(name) => Ok(Some(caller.value(name).unwrap_or_default().to_owned())),
            Parameter::WholeSession => Ok(Some(caller.json())),
            Parameter::Word(word) => Ok(Some(word.clone())),
            Parameter::Rows(rows, what) => rows.bind(what, variables, found),
            Parameter::Session { name, input, expected } => {
                let missing = || Cause::MissingSession { name: name.clone() }.under("$");
                input
                    .of_text(caller.value(name).ok_or_else(missing)?)
                    .ok_or_else(|| {
                        Cause::MalformedSession { name: name.clone(), expected: expected.clone() }.under("$")
                    })
                    .map(Some)
            }
        }
    }
}

impl Operand {
    fn place(
        &self,
        value: &serde_json::Value,
        secret: &Secret,
        ordering: Ordering,
        place: usize,
    ) -> Result<Option<String>, Error> {
        let values = value.as_str().and_then(|cursor| crate::encode::cursor::decode(secret, ordering, cursor));
        let found = values.and_then(|values| values.into_iter().nth(place));
        found.ok_or_else(|| Cause::Cursor { name: self.name.clone() }.under(self.path.clone()))
    }

    /// The text form of the operand under these variables.
    pub fn bind(&self, variables: &Variables) -> Result<Option<String>, Error> {
        self.bind_within(variables, &ValueBudget::default())
    }

    /// The same, refused where there is no room for it.
    pub(crate) fn bind_within(&self, variables: &Variables, room: &ValueBudget) -> Result<Option<String>, Error> {
        room.check(&self.value, variables)?;
        let value = self.value.fill(variables);
        let wrong = |found| self.wrong(&value, found).under(self.path.clone());
        let text = match &self.need {
            OperandRequirement::Cursor { secret, ordering, place } => {
                return self.place(&value, secret, *ordering, *place);
            }
            OperandRequirement::JsonPath if value.is_null() => return Ok(Some("{}".into())),
            OperandRequirement::Count | OperandRequirement::LongCount | OperandRequirement::Nullable(_)
                if value.is_null() =>
            {
                return Ok(None);
            }
            _ if value.is_null() => Err(found(&value)),
            OperandRequirement::Count => COUNT.text(&value),
            OperandRequirement::LongCount if value.as_f64().is_some_and(|number| number < 0.0) => {
                return Err(Cause::NegativeOffset.under("$"));
            }
            OperandRequirement::LongCount => LONG_COUNT.text(&value),
            OperandRequirement::Value(input) | OperandRequirement::Nullable(input) => input.text(&value),
            OperandRequirement::Pair(_) if value.as_array().is_none_or(|items| items.len() != 2) => {
                Err("a value that is no list of two".into())
            }
            OperandRequirement::List(input) | OperandRequirement::Pair(input) => match input.list(&value) {
                Ok(text) if !holds_null(&value) => Ok(text),
                _ => return Err(self.wrong_item(input, &value)),
            },
            OperandRequirement::JsonPath => {
                let text = Input::Text.text(&value).map_err(wrong)?;
                let path = json_path::parse(&text);
                let bad = || Cause::JsonPath { name: self.name.clone() }.under(self.path.clone());
                return path.map(Some).ok_or_else(bad);
            }
            OperandRequirement::Search(mode) => {
                let text = Input::Text.text(&value).map_err(wrong)?;
                mode.fault(&text).map_or(Ok(text), |fault| Err(fault.into()))
            }
            OperandRequirement::Pattern(input, pattern) => {
                let text = input.text(&value).map_err(wrong)?;
                let name = self.name.clone();
                let cause = match pattern {
                    Pattern::Like | Pattern::Similar => ends_escaped(&text).then_some(Cause::Pattern { name }),
                    Pattern::Regular => regular::fault(&text).map(|fault| Cause::Regular { name, fault }),
                };
                return cause.map_or(Ok(Some(text)), |cause| Err(cause.under(self.path.clone())));
            }
        };
        text.map(Some).map_err(wrong)
    }

    fn wrong(&self, value: &Json, found: ActualKind) -> Cause {
        misfit(&self.name, &self.expected, self.need.input(), value, found)
    }

    /// The first item of a list that does not fit; a single value is a list of one.
    fn wrong_item(&self, input: &Input, value: &Json) -> Error {
        let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        let misfit = |item: &Json| match item {
            Json::Null => Some("null in a list".to_owned()),
            item => input.text(item).err(),
        };
        let first = items.iter().enumerate().find_map(|(i, item)| Some((i, item, misfit(item)?)));
        let (i, item, found) = first.unwrap_or((0, value, found(value)));
        self.wrong(item, found).under(format!("{}[{i}]", self.path))
    }
}

/// `limit` and `offset`. Hasura takes 32 bits for the one and digits for the other; both read these.
pub(crate) const COUNT: Input = Input::Integer { min: 0, max: i32::MAX as i64, text: false };
const LONG_COUNT: Input = Input::Integer { min: 0, max: i64::MAX, text: true };

impl OperandRequirement {
    /// The same, but any text fits that Postgres may take for the type.
    pub(crate) fn loosened(self) -> OperandRequirement {
        match self {
            OperandRequirement::Value(input) => OperandRequirement::Value(input.loosened()),
            OperandRequirement::List(input) => OperandRequirement::List(input.loosened()),
            OperandRequirement::Pair(input) => OperandRequirement::Pair(input.loosened()),
            OperandRequirement::Nullable(input) => OperandRequirement::Nullable(input.loosened()),
            other => other,
        }
    }

    fn input(&self) -> Option<&Input> {
        match self {
            OperandRequirement::Value(input)
            | OperandRequirement::List(input)
            | OperandRequirement::Pair(input)
            | OperandRequirement::Nullable(input) => Some(input),
            _ => None,
        }
    }
}

/// The cause of a value that does not fit an input.
fn misfit(name: &str, expected: &str, input: Option<&Input>, value: &Json, found: ActualKind) -> Cause {
    let (name, expected) = (name.to_owned(), expected.to_owned());
    match (value, input) {
        (Json::Null, _) => Cause::WrongType { name, expected, found },
        (Json::String(text), Some(Input::Enum(labels))) => {
            let expected = expected.trim_matches(['[', ']', '!']).to_owned();
            Cause::UnknownEnumValue { name, expected, found: text.clone(), values: labels.to_vec() }
        }
        (value, Some(Input::Loose(_))) => Cause::Unreadable { name, expected, found, value: short(value) },
        _ => Cause::WrongType { name, expected, found },
    }
}

/// Whether a pattern ends with an escape that escapes nothing, which Postgres refuses (22025).
fn ends_escaped(pattern: &str) -> bool {
    pattern.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1
}

fn holds_null(value: &Json) -> bool {
    value.as_array().is_some_and(|items| items.iter().any(Json::is_null))
}
