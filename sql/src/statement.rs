//! A statement ready to be executed: its text, its parameters, and the shape of its response. The
//! gateway binds the parameters for each request and sends both to Postgres; [`crate::encode`]
//! writes the rows by the shape.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::Value as Json;

use crate::encode::cursor::{Ordering, Secret};
use crate::encode::shape::Shape;
use crate::error::{Cause, Error, ExpectedKind};
use crate::graphql::variables::{Template, Variables};
use crate::model::access::SourceLocation;
use crate::model::operators::{Mode, Pattern, regular};
use crate::postgres::json_path;
use crate::postgres::types::Input;
use crate::postgres::value::{ActualKind, found, short};

mod list_strategy;
mod mutation;
mod step_runs;
mod refused_value;
mod value_budget;
mod rows;
mod row_limits;
mod settings;
pub(crate) mod required_row;

pub use list_strategy::{CostEstimate, FallbackReason, ListStrategy};
pub use mutation::{AssertionToken, Mutation, Step};
pub use refused_value::{Literal, RefusedValue};
pub use row_limits::{RowLimit, RowLimits};
use rows::ResolvedRows;
pub use rows::{GivenColumn, GivenRows, RowsParameter};
pub use settings::{BoundSettings, SettingsStatement};
pub use step_runs::{LevelSteps, StepRun};
pub use value_budget::ValueBudget;

/// One SQL statement for one operation of one role. Its text depends on the role, never on the
/// user.
#[derive(Debug)]
pub struct Statement {
    /// The SQL text.
    pub text: String,
    /// The values of `$1`, `$2` and so on.
    pub parameters: Vec<Parameter>,
    /// The numbers of the pattern parameters that occur more than once in the text, one entry for
    /// each further occurrence.
    pub repeated: Vec<usize>,
    /// How rows become the response.
    pub shape: Shape,
    /// The tables that are read, in the order of the text.
    pub scans: Vec<ScanReport>,
    /// The row estimates to fetch from the planner before execution.
    pub estimates: Vec<Estimate>,
    /// The assertions by which the statement may fail intentionally.
    pub assertions: Vec<AssertionToken>,
    /// Whether the statement reads few rows and builds no lists or aggregates of them, for any
    /// parameters.
    pub is_small: bool,
    /// Whether Postgres should plan it for the values of the parameters at each execution, because
    /// the plan for all values may read far more rows than it seems to.
    pub needs_values: bool,
    /// The statement that runs a subscription's query for many subscribers at once, if its
    /// parameters differ between subscribers. Each row of its arrays has one value per parameter
    /// that [varies](Parameter::varies).
    pub batch: Option<Box<str>>,
    /// Of a stream, the index of the parameter for each key of the order. The values of the keys,
    /// as text, are the last columns of each row.
    pub positions: Vec<usize>,
    /// The statement that runs before it in its transaction, if the role's settings hold for reads.
    pub settings: Option<Box<SettingsStatement>>,
}

/// The columns of a [batch](Statement::batch) before those of its query: the number of the arrays'
/// row, from 1, and true if the query has a row for it, else null.
pub const BATCH_COLUMNS: usize = 2;

/// A query for the planner's row estimate.
#[derive(Debug)]
pub struct Estimate {
    /// `EXPLAIN (FORMAT JSON) SELECT …`
    pub text: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The number of this estimate among the statement's parameters.
    pub index: usize,
}

/// The value of a placeholder. All values are sent in text format.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// A literal of the document.
    Constant(Literal),
    /// The row estimate of the planner, by its index in [`Statement::estimates`].
    Estimate(usize),
    /// A value that contains variables.
    Request(Arc<Operand>),
    /// A pattern or a full-text query, whose work per row grows with its length. Its bytes count
    /// against the request's pattern budget.
    Pattern(Box<Parameter>),
    /// A session value.
    Session {
        /// The name of the session value: `user_id`.
        name: String,
        /// The accepted input.
        input: Input,
        /// The declared type.
        expected: String,
        /// Whether it is null for callers without it, instead of an error.
        optional: bool,
    },
    /// A session value as text, by its name; the empty string if the caller has none.
    SessionText(String),
    /// The whole session as a JSON object.
    WholeSession,
    /// The trace that the request belongs to, as JSON.
    TraceContext,
    /// The whole session as a JSON object, in the form of a token's claims.
    Claims,
    /// The claims of the caller's token as a JSON object, with the role that statements run as.
    TokenClaims {
        /// The role of the database, if the statements run as one.
        database_role: Option<String>,
    },
    /// The position of a stream in one key of its order: the first value, and later the value of
    /// the last row that was delivered.
    Position {
        /// The index of the key.
        column_index: usize,
        /// The first value; none if it is null.
        start: Option<Arc<Operand>>,
        /// The table and the order, in which alone the position has a meaning.
        ordering: Ordering,
    },
    /// The word of an [`AssertionToken`].
    Word(String),
    /// A column of the request's input rows.
    Rows(Arc<GivenRows>, RowsParameter),
}

/// The session values of a caller, as parameters read them.
pub trait SessionValues {
    /// The value with that name: `user_id`.
    fn value(&self, name: &str) -> Option<&str>;

    /// All values and the role as a JSON object, keyed by header names: `{"x-gateway-user-id":
    /// "7"}`.
    fn json(&self) -> String;

    /// The trace that the request belongs to, as JSON; none without one.
    fn trace_context(&self) -> Option<String> {
        None
    }

    /// All values and the role as a JSON object, keyed by their names: `{"role": "user", "user_id":
    /// "7"}`.
    fn claims(&self) -> String;

    /// The claims of the caller's token as a JSON object, in which `role` is the role of the
    /// database, or else that of the session. `None` if they are not known.
    fn token_claims(&self, database_role: Option<&str>) -> Option<String>;
}

/// A value that contains variables, and the requirement on it. Operands are equal if they have
/// equal texts under all variables, wherever the document uses them: a value that it uses many
/// times is one parameter of a statement.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The argument or operator that takes it.
    pub name: String,
    /// The path in the request, for errors.
    pub path: String,
    /// The value.
    pub value: Template,
    /// The requirement.
    pub requirement: OperandRequirement,
    /// The expected kind of value.
    pub expected: ExpectedKind,
}

impl PartialEq for Operand {
    fn eq(&self, other: &Operand) -> bool {
        self.value == other.value && self.requirement == other.requirement
    }
}

impl Eq for Operand {}

impl Hash for Operand {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
        self.requirement.hash(state);
    }
}

/// The requirement on an operand's value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OperandRequirement {
    /// A value that is not null.
    Value(Input),
    /// A list of values without nulls.
    List(Input),
    /// Two values, neither of them null.
    Pair(Input),
    /// The query of a full-text search.
    Search(Mode),
    /// A pattern.
    Pattern(Input, Pattern),
    /// A value or null.
    Nullable(Input),
    /// A non-negative 32-bit integer, or null for none.
    Count,
    /// A positive 32-bit integer: the rows of a stream's result at most.
    BatchSize,
    /// A JSON path, or null for the whole value.
    JsonPath,
    /// One value of a cursor.
    Cursor {
        /// The secret that authenticates cursors.
        secret: Secret,
        /// The order for which the cursor must have been created.
        ordering: Ordering,
        /// The index of the value in the cursor.
        position: usize,
    },
    /// A non-negative 64-bit integer, also as digits in a string, or null for none.
    LongCount,
}

/// A report on one table that a statement reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanReport {
    /// The alias in the statement: `_0`.
    pub alias: String,
    /// The table's schema and name.
    pub table: (String, String),
    /// The source location of the row rule that was applied.
    pub rule: SourceLocation,
    /// The columns that are replaced by an expression, as masks do, each with its source location.
    pub values: Vec<(String, SourceLocation)>,
    /// How the list is read, if there was a choice because its rule may be a membership.
    pub form: Option<ListStrategy>,
    /// Whether the scan looks for a required row before anything else runs.
    pub required: bool,
    /// The response keys to the rows, of a field of a request: `parent.child`.
    pub path: String,
}

impl Statement {
    /// Binds the parameters and returns their text forms in order; `None` is an SQL null. Behind
    /// them come those of [`Statement::settings`], so that results which depend on them are never
    /// taken for those of other callers. The values are charged to `budget`, the budget of all
    /// statements of a request.
    ///
    /// Errors: a variable has the wrong type, a session value is missing or malformed, or the
    /// budget is exhausted.
    pub fn bind(
        &self,
        variables: &Variables,
        caller: &dyn SessionValues,
        budget: &mut ValueBudget,
    ) -> Result<Vec<Option<String>>, Error> {
        let mut resolved = ResolvedRows::within(*budget);
        self.bind_resolved(variables, caller, budget, &mut resolved)
    }

    /// [`Statement::bind`] with input rows that other statements of the request have perhaps
    /// collected.
    fn bind_resolved<'a>(
        &'a self,
        variables: &'a Variables,
        caller: &dyn SessionValues,
        budget: &mut ValueBudget,
        resolved: &mut ResolvedRows<'a>,
    ) -> Result<Vec<Option<String>>, Error> {
        let mut bound = bind(&self.parameters, variables, caller, budget, resolved)?;
        for index in &self.repeated {
            let text = index
                .checked_sub(1)
                .and_then(|position| bound.get(position)?.as_deref());
            budget.take_pattern(text)?;
        }
        if let Some(settings) = &self.settings {
            bound.extend(settings.bind(caller, budget)?);
        }
        Ok(bound)
    }
}

/// A limit or an offset of a statement that is a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCount {
    /// The number of the parameter, from 1.
    pub number: usize,
    /// Its value; none for null, which is no limit.
    pub value: Option<u64>,
    /// Whether it is an offset.
    pub is_offset: bool,
}

impl Statement {
    /// The limits and offsets that are parameters.
    pub fn row_counts(&self, variables: &Variables) -> Result<Vec<RowCount>, Error> {
        let counts = self
            .parameters
            .iter()
            .enumerate()
            .filter_map(|(index, parameter)| match parameter {
                Parameter::Request(operand) if operand.requirement.is_row_count() => {
                    Some((index, operand))
                }
                _ => None,
            });
        let counts = counts.map(|(index, operand)| {
            let value = operand.bind(variables)?.and_then(|text| text.parse().ok());
            Ok(RowCount {
                number: index + 1,
                value,
                is_offset: operand.name == "offset",
            })
        });
        counts.collect()
    }

    /// Whether it matches rows with patterns, whose work per row the planner does not know.
    pub fn has_patterns(&self) -> bool {
        let is_pattern = |parameter: &Parameter| matches!(parameter, Parameter::Pattern(_));
        self.parameters.iter().any(is_pattern)
    }
}

fn bind<'a>(
    parameters: &'a [Parameter],
    variables: &'a Variables,
    caller: &dyn SessionValues,
    budget: &mut ValueBudget,
    resolved: &mut ResolvedRows<'a>,
) -> Result<Vec<Option<String>>, Error> {
    let bound = parameters.iter().map(|parameter| {
        let text = parameter.bind(variables, caller, resolved, budget)?;
        budget.take(text.as_deref())?;
        if let Parameter::Pattern(_) = parameter {
            budget.take_pattern(text.as_deref())?;
        }
        Ok(text)
    });
    bound.collect()
}

impl Estimate {
    /// Binds the parameters within the budget and returns their text forms in order.
    pub fn bind(
        &self,
        variables: &Variables,
        caller: &dyn SessionValues,
        budget: &mut ValueBudget,
    ) -> Result<Vec<Option<String>>, Error> {
        bind(
            &self.parameters,
            variables,
            caller,
            budget,
            &mut ResolvedRows::within(*budget),
        )
    }

    /// Reads the estimated number of rows from the planner's output.
    pub fn read(response: &str) -> Option<String> {
        let plan: serde_json::Value = serde_json::from_str(response).ok()?;
        plan.get(0)?
            .get("Plan")?
            .get("Plan Rows")
            .map(ToString::to_string)
    }
}

impl Parameter {
    /// Whether the value depends on the variables or the session.
    pub fn varies(&self) -> bool {
        match self {
            Parameter::Constant(_) | Parameter::Estimate(_) | Parameter::Word(_) => false,
            Parameter::Request(_)
            | Parameter::Pattern(_)
            | Parameter::Session { .. }
            | Parameter::SessionText(_)
            | Parameter::WholeSession
            | Parameter::TraceContext
            | Parameter::Claims
            | Parameter::TokenClaims { .. }
            | Parameter::Position { .. }
            | Parameter::Rows(..) => true,
        }
    }

    /// Whether the value depends on the session or the connection of the caller.
    pub fn reads_session(&self) -> bool {
        match self {
            Parameter::Constant(_)
            | Parameter::Estimate(_)
            | Parameter::Word(_)
            | Parameter::Request(_)
            | Parameter::Position { .. }
            | Parameter::Rows(..) => false,
            Parameter::Pattern(parameter) => parameter.reads_session(),
            Parameter::Session { .. }
            | Parameter::SessionText(_)
            | Parameter::WholeSession
            | Parameter::TraceContext
            | Parameter::Claims
            | Parameter::TokenClaims { .. } => true,
        }
    }

    fn bind<'a>(
        &'a self,
        variables: &'a Variables,
        caller: &dyn SessionValues,
        resolved: &mut ResolvedRows<'a>,
        budget: &ValueBudget,
    ) -> Result<Option<String>, Error> {
        match self {
            Parameter::Constant(literal) => Ok(Some(literal.text.clone())),
            // The caller fetches the estimate and fills it in before it executes the statement.
            Parameter::Estimate(_) => Ok(None),
            Parameter::Request(operand) => operand.bind_within(variables, budget),
            Parameter::Position { start, .. } => match start {
                Some(start) => {
                    let text = start.bind_within(variables, budget)?;
                    let is_moving = matches!(
                        text.as_deref(),
                        Some("now" | "today" | "tomorrow" | "yesterday")
                    );
                    if is_moving && start.requirement.input() != Some(&Input::Text) {
                        Err(Cause::MovingCursor {
                            name: start.name.clone(),
                        }
                        .under(start.path.clone()))
                    } else {
                        Ok(text)
                    }
                }
                None => Ok(None),
            },
            Parameter::Pattern(parameter) => parameter.bind(variables, caller, resolved, budget),
            Parameter::SessionText(name) => {
                Ok(Some(caller.value(name).unwrap_or_default().to_owned()))
            }
            Parameter::WholeSession => Ok(Some(caller.json())),
            Parameter::TraceContext => Ok(caller.trace_context()),
            Parameter::Claims => Ok(Some(caller.claims())),
            Parameter::TokenClaims { database_role } => {
                let missing = || {
                    Cause::MissingSession {
                        name: "token".to_owned(),
                    }
                    .under("$")
                };
                caller
                    .token_claims(database_role.as_deref())
                    .map(Some)
                    .ok_or_else(missing)
            }
            Parameter::Word(word) => Ok(Some(word.clone())),
            Parameter::Rows(rows, what) => rows.bind(what, variables, resolved),
            Parameter::Session {
                name,
                input,
                expected,
                optional,
            } => {
                let Some(text) = caller.value(name) else {
                    let missing = || Cause::MissingSession { name: name.clone() }.under("$");
                    return if *optional { Ok(None) } else { Err(missing()) };
                };
                let malformed = || {
                    Cause::MalformedSession {
                        name: name.clone(),
                        expected: expected.clone(),
                    }
                    .under("$")
                };
                input.parse_text(text).ok_or_else(malformed).map(Some)
            }
        }
    }
}

impl Operand {
    fn cursor_value(
        &self,
        value: &serde_json::Value,
        secret: &Secret,
        ordering: Ordering,
        index: usize,
    ) -> Result<Option<String>, Error> {
        let values = value
            .as_str()
            .and_then(|cursor| crate::encode::cursor::decode(secret, ordering, cursor));
        let found = values.and_then(|values| values.into_iter().nth(index));
        found.ok_or_else(|| {
            Cause::Cursor {
                name: self.name.clone(),
            }
            .under(self.path.clone())
        })
    }

    /// The text form of the operand under these variables.
    pub fn bind(&self, variables: &Variables) -> Result<Option<String>, Error> {
        self.bind_within(variables, &ValueBudget::default())
    }

    /// Like [`Operand::bind`], but fails if the value exceeds the budget.
    pub(crate) fn bind_within(
        &self,
        variables: &Variables,
        budget: &ValueBudget,
    ) -> Result<Option<String>, Error> {
        budget.check(&self.value, variables)?;
        let value = self.value.fill(variables);
        let wrong = |found| self.wrong(&value, found).under(self.path.clone());
        let text = match &self.requirement {
            OperandRequirement::Cursor {
                secret,
                ordering,
                position: index,
            } => {
                return self.cursor_value(&value, secret, *ordering, *index);
            }
            OperandRequirement::JsonPath if value.is_null() => return Ok(Some("{}".into())),
            OperandRequirement::Count
            | OperandRequirement::LongCount
            | OperandRequirement::Nullable(_)
                if value.is_null() =>
            {
                return Ok(None);
            }
            _ if value.is_null() => Err(found(&value)),
            OperandRequirement::Count => COUNT.text(&value),
            OperandRequirement::BatchSize => BATCH_SIZE.text(&value),
            OperandRequirement::LongCount if value.as_f64().is_some_and(|number| number < 0.0) => {
                return Err(Cause::NegativeOffset.under("$"));
            }
            OperandRequirement::LongCount => LONG_COUNT.text(&value),
            OperandRequirement::Value(input) | OperandRequirement::Nullable(input) => {
                input.text(&value)
            }
            OperandRequirement::Pair(_)
                if value.as_array().is_none_or(|items| items.len() != 2) =>
            {
                Err(ActualKind::NotAPair)
            }
            OperandRequirement::List(input) | OperandRequirement::Pair(input) => {
                match input.list(&value) {
                    Ok(text) if !holds_null(&value) => Ok(text),
                    _ => return Err(self.wrong_item(input, &value)),
                }
            }
            OperandRequirement::JsonPath => {
                let text = Input::Text.text(&value).map_err(wrong)?;
                let path = json_path::parse(&text);
                let bad = || {
                    Cause::JsonPath {
                        name: self.name.clone(),
                    }
                    .under(self.path.clone())
                };
                return path.map(Some).ok_or_else(bad);
            }
            OperandRequirement::Search(mode) => {
                let text = Input::Text.text(&value).map_err(wrong)?;
                mode.fault(&text).map_or(Ok(text), Err)
            }
            OperandRequirement::Pattern(input, pattern) => {
                let text = input.text(&value).map_err(wrong)?;
                let name = self.name.clone();
                let cause = match pattern {
                    Pattern::Like | Pattern::Similar => {
                        ends_escaped(&text).then_some(Cause::Pattern { name })
                    }
                    Pattern::Regular => {
                        regular::fault(&text).map(|fault| Cause::Regular { name, fault })
                    }
                };
                return cause.map_or(Ok(Some(text)), |cause| Err(cause.under(self.path.clone())));
            }
        };
        text.map(Some).map_err(wrong)
    }

    fn wrong(&self, value: &Json, found: ActualKind) -> Cause {
        misfit(
            &self.name,
            self.expected.clone(),
            self.requirement.input(),
            value,
            found,
        )
    }

    /// The error for the first list item that does not fit; a single value counts as a list of one.
    fn wrong_item(&self, input: &Input, value: &Json) -> Error {
        let items = value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice);
        let misfit = |item: &Json| match item {
            Json::Null => Some(ActualKind::NullInList),
            item => input.text(item).err(),
        };
        let first = items
            .iter()
            .enumerate()
            .find_map(|(i, item)| Some((i, item, misfit(item)?)));
        let (i, item, found) = first.unwrap_or((0, value, found(value)));
        self.wrong(item, found).under(format!("{}[{i}]", self.path))
    }
}

/// The input of `limit` and `offset`. Hasura accepts 32-bit integers for `limit`, and for `offset`
/// also 64-bit integers and digits in a string; see [`OperandRequirement::LongCount`].
pub(crate) const COUNT: Input = Input::Integer {
    min: 0,
    max: i32::MAX as i64,
    text: false,
};
const BATCH_SIZE: Input = Input::Integer {
    min: 1,
    max: i32::MAX as i64,
    text: false,
};
const LONG_COUNT: Input = Input::Integer {
    min: 0,
    max: i64::MAX,
    text: true,
};

impl OperandRequirement {
    /// Whether it is a limit or an offset.
    fn is_row_count(&self) -> bool {
        matches!(
            self,
            OperandRequirement::Count
                | OperandRequirement::LongCount
                | OperandRequirement::BatchSize
        )
    }

    /// The requirement under [`crate::resolve::Coercion::Loose`]: any text that Postgres may accept
    /// for the type.
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

/// The cause for a value that does not fit an input.
fn misfit(
    name: &str,
    expected: ExpectedKind,
    input: Option<&Input>,
    value: &Json,
    found: ActualKind,
) -> Cause {
    let name = name.to_owned();
    if let ActualKind::TooLong(limit) = found {
        return Cause::TooLong { name, limit };
    }
    match (value, input.map(Input::unlimited)) {
        (Json::Null, _) => Cause::WrongType {
            name,
            expected,
            found,
        },
        (Json::String(text), Some(Input::Enum(labels))) => {
            let expected = expected.named_type();
            Cause::UnknownEnumValue {
                name,
                expected,
                found: text.clone(),
                values: labels.to_vec(),
            }
        }
        (value, Some(Input::Loose(_))) => Cause::Unreadable {
            name,
            expected: expected.to_string(),
            found,
            value: short(value),
        },
        _ => Cause::WrongType {
            name,
            expected,
            found,
        },
    }
}

/// Whether a pattern ends with an escape character that escapes nothing, which Postgres rejects
/// (22025).
fn ends_escaped(pattern: &str) -> bool {
    pattern.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1
}

fn holds_null(value: &Json) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.iter().any(Json::is_null))
}
