//! Errors of a request: one [`Cause`] variant for each fault, with names kept as values, and the
//! position in the document. The gateway turns them into responses; [`ErrorKind`] selects the code.

mod actual_kind;
mod expected_kind;
mod name_kind;
mod request_limit;
mod rule;

use async_graphql_parser::Pos;

pub use actual_kind::{ActualKind, GeometryFault, LengthLimit, TextFormat};
pub use expected_kind::ExpectedKind;
pub use name_kind::NameKind;
pub use request_limit::RequestLimit;

/// A request that cannot be translated: the cause and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The cause.
    pub cause: Cause,
    /// The path in the request, for example `$.selectionSet.users.args.where`.
    pub path: String,
    /// Line and column in the document, counted from 1.
    pub location: Option<(usize, usize)>,
}

/// The class of an error. Each class has one code, listed in `docs/errors.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The text is not a GraphQL document.
    ParseFailed,
    /// The document violates a validation rule.
    ValidationFailed,
    /// A value has the wrong type or format.
    ConstraintViolation,
    /// A session value is missing or malformed.
    PermissionError,
    /// The request is well formed but uses something that is not supported.
    NotSupported,
    /// A limit is exceeded.
    LimitExceeded,
    /// Another writer changed the row first.
    Conflict,
}

/// A token of a document where the grammar has others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnexpectedToken {
    /// What the grammar has there: `a name`.
    pub expected: &'static str,
    /// The token: `'}'`, `a string`.
    pub found: String,
}

/// The cause of an error, one variant for each fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The text is not a GraphQL document.
    #[error(
        "not a valid GraphQL document, at line {line}, column {column}{}",
        unexpected_token(token.as_ref())
    )]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// The token there, if the text has tokens up to it.
        token: Option<UnexpectedToken>,
    },
    /// A limit is exceeded.
    #[error("the limit on {limit} is {value}")]
    Limit {
        /// The limit.
        limit: RequestLimit,
        /// The limit's value.
        value: usize,
    },
    /// A field that does not exist or that the role may not select.
    #[error("field '{field}' not found in type: '{on}'")]
    UnknownField {
        /// The field.
        field: String,
        /// The type in which it was looked up.
        on: String,
    },
    /// An unknown argument.
    #[error("argument '{argument}' not found in field: '{field}'")]
    UnknownArgument {
        /// The argument.
        argument: String,
        /// The field that it was passed to.
        field: String,
        /// The arguments that there are.
        known: Vec<String>,
    },
    /// An input object field that does not exist or that the role may not use.
    #[error("field '{field}' not found in type: '{on}'")]
    UnknownInputField {
        /// The input field.
        field: String,
        /// The type of the input object.
        on: String,
    },
    /// A required argument or input field is missing.
    #[error("missing required {kind} '{name}'")]
    Missing {
        /// What it is.
        kind: NameKind,
        /// The argument's or field's name.
        name: String,
    },
    /// A name that occurs twice where it must be unique.
    #[error("there can be only one {kind} named '{name}'")]
    Duplicate {
        /// What the name stands for.
        kind: NameKind,
        /// The duplicate name.
        name: String,
    },
    /// One argument passed in both of its spellings.
    #[error("argument '{argument}' is given twice, in two spellings")]
    TwoSpellings {
        /// The argument in its usual spelling.
        argument: String,
    },
    /// A reference to a name that is not defined.
    #[error("unknown {kind} '{name}'")]
    Unknown {
        /// What the name should stand for.
        kind: NameKind,
        /// The undefined name.
        name: String,
    },
    /// A definition that is never used.
    #[error("{kind} '{name}' is never used")]
    Unused {
        /// What is never used.
        kind: NameKind,
        /// The unused name.
        name: String,
    },
    /// Fragments that spread each other in a cycle.
    #[error("cannot spread fragment '{name}' within itself")]
    FragmentCycle {
        /// The fragment at which the cycle was detected.
        name: String,
        /// The fragments of the cycle, starting with `name`.
        through: Vec<String>,
    },
    /// A fragment whose type condition can never match the enclosing type.
    #[error("a fragment on type '{on}' can never be spread in type '{within}'")]
    ImpossibleFragment {
        /// The fragment's type condition.
        on: String,
        /// The type that encloses the spread.
        within: String,
    },
    /// A fragment on a type without fields.
    #[error("a fragment cannot be on type '{on}', which has no fields")]
    FragmentOnLeaf {
        /// The fragment's type condition.
        on: String,
    },
    /// A scalar or enum field with a selection set.
    #[error("field '{field}' has no fields of its own, its type is '{on}'")]
    LeafWithSelection {
        /// The field.
        field: String,
        /// Its type.
        on: String,
    },
    /// An object field without a selection set.
    #[error("field '{field}' of type '{on}' needs a selection of fields")]
    MissingSelection {
        /// The field.
        field: String,
        /// Its type.
        on: String,
    },
    /// Two fields with the same response key that cannot be merged.
    #[error("fields '{key}' conflict: {reason}")]
    Conflict {
        /// The response key.
        key: String,
        /// How they differ.
        reason: FieldConflict,
    },
    /// A directive at a location where it is not allowed.
    #[error("directive '{name}' may not be used here")]
    MisplacedDirective {
        /// The directive's name.
        name: String,
        /// The location of the directive, for example `a query`.
        on: &'static str,
    },
    /// A variable whose declared type does not match the type of the position where it is used.
    #[error(
        "variable '{name}' is declared as '{declared}', but used where '{expected}' is expected"
    )]
    VariableType {
        /// The variable.
        name: String,
        /// The declared type.
        declared: String,
        /// The type expected at the position.
        expected: String,
    },
    /// A variable declared with an output type.
    #[error("variable '{name}' cannot be of type '{on}', which is not an input type")]
    VariableNotInput {
        /// The variable.
        name: String,
        /// Its type.
        on: String,
    },
    /// A non-nullable variable without a value.
    #[error("expecting a value for non-nullable variable: '{name}'")]
    MissingVariable {
        /// The variable.
        name: String,
    },
    /// A variable without a value in the condition of a write.
    #[error(
        "expecting a value for variable: '{name}': the condition of a write cannot leave it out"
    )]
    AbsentInWrite {
        /// The variable.
        name: String,
    },
    /// A value of the wrong type.
    #[error("expected type '{expected}' for '{name}', found {found}")]
    WrongType {
        /// The argument, variable or input field.
        name: String,
        /// The expected kind of value.
        expected: ExpectedKind,
        /// The kind of the value.
        found: ActualKind,
    },
    /// An unknown value of an enum.
    #[error(
        "expected one of the values of type '{expected}' for '{name}'{}, found '{found}'",
        few_values(expected, values)
    )]
    UnknownEnumValue {
        /// The argument, variable or input field.
        name: String,
        /// The enum.
        expected: String,
        /// The value.
        found: String,
        /// The values of the enum.
        values: Vec<String>,
    },
    /// A value that is not an input object where one is expected.
    #[error("expected type '{expected}' for '{name}', found {found}")]
    NotAnObject {
        /// The argument, variable or input field.
        name: String,
        /// The type of the input object.
        expected: String,
        /// The kind of the value.
        found: ActualKind,
    },
    /// A value that is not an enum value where one is expected.
    #[error("expected type '{expected}' for '{name}', found {found}")]
    NotAnEnumValue {
        /// The argument, variable or input field.
        name: String,
        /// The enum.
        expected: String,
        /// The kind of the value.
        found: ActualKind,
    },
    /// A column value that cannot be converted, under the coercion that leaves the check of any
    /// text to Postgres.
    #[error("expected type '{expected}' for '{name}', found {found}")]
    Unreadable {
        /// The argument, variable or input field.
        name: String,
        /// The column's type.
        expected: String,
        /// The kind of the value.
        found: ActualKind,
        /// The value itself if it is a number.
        value: Option<String>,
    },
    /// Values for variables that the operation does not use.
    #[error("unexpected variables: {}", names.join(", "))]
    UnexpectedVariables {
        /// The names of the variables.
        names: Vec<String>,
    },
    /// A negative offset.
    #[error("the offset must not be negative")]
    NegativeOffset,
    /// A pattern that Postgres would reject.
    #[error("the pattern for '{name}' ends with a lone escape character")]
    Pattern {
        /// The operator.
        name: String,
    },
    /// A regular expression that Postgres would reject.
    #[error("the regular expression for '{name}' has {fault}")]
    Regular {
        /// The operator.
        name: String,
        /// The fault in the expression.
        fault: &'static str,
    },
    /// A JSON path that cannot be parsed.
    #[error("the path for '{name}' is no path into JSON")]
    JsonPath {
        /// The argument.
        name: String,
    },
    /// A cursor that was not created for this list and order.
    #[error("the cursor for '{name}' was not made for this list and order")]
    Cursor {
        /// The argument.
        name: String,
    },
    /// Arguments that cannot be combined.
    #[error("{one} and {other} do not go together")]
    Together {
        /// The first argument.
        one: &'static str,
        /// The second argument.
        other: &'static str,
    },
    /// A group's column that the rows are not grouped by.
    #[error("'{column}' is neither in 'by' nor in 'bucket'")]
    NotGrouped {
        /// The column.
        column: String,
    },
    /// A missing function argument that has no default.
    #[error("argument '{name}' has no default, so it cannot be left out")]
    NoDefault {
        /// The argument.
        name: String,
    },
    /// A function argument without a name that follows an omitted one.
    #[error("argument '{name}' cannot be given when one before it is left out")]
    Gap {
        /// The argument.
        name: String,
    },
    /// `distinct_on` columns that are not the leading `order_by` columns.
    #[error("'{distinct_on}' columns must match the leading '{order_by}' columns")]
    DistinctOrder {
        /// `distinct_on` in the table's spelling.
        distinct_on: &'static str,
        /// `order_by` in the table's spelling.
        order_by: &'static str,
    },
    /// A document that consists of fragments only.
    #[error("a document without operations")]
    NoOperation,
    /// A type system definition in a document.
    #[error("a definition of '{what}' is not executable")]
    NotExecutable {
        /// The kind of definition: `type`, `scalar`.
        what: String,
    },
    /// Several operations without an `operationName`.
    #[error("'operationName' is needed in a document with several operations")]
    OperationNameNeeded,
    /// An anonymous operation next to others.
    #[error("an anonymous operation must be the only one in its document")]
    LoneAnonymous,
    /// The role has no mutations.
    #[error("no mutations exist")]
    NoMutations,
    /// Subscriptions are not supported.
    #[error("no subscriptions exist")]
    NoSubscriptions,
    /// The first value of a stream's cursor would be another one whenever it is read.
    #[error("the first value of the cursor '{name}' must not stand for the current time")]
    MovingCursor {
        /// The column.
        name: String,
    },
    /// A subscription selects several root fields.
    /// <https://spec.graphql.org/October2021/#sec-Single-root-field>
    #[error("a subscription must select only one root field")]
    SeveralRoots,
    /// A subscription selects `__typename` as its root field.
    #[error("a subscription must not select an introspection field as its root field")]
    IntrospectedRoot,
    /// Introspection by a role for which it is disabled.
    #[error("introspection is switched off for role '{role}'")]
    IntrospectionOff {
        /// The role.
        role: String,
    },
    /// A written row that fails the role's check.
    #[error("check constraint of an insert/update permission has failed")]
    Check,
    /// More affected rows than the role's limit for a field.
    #[error("the limit on affected rows is {value}")]
    Affected {
        /// The limit.
        value: u32,
    },
    /// More rows of a table to insert than the role may insert in one operation.
    #[error("the limit on rows inserted into '{table}' is {value}")]
    Inserted {
        /// The table's GraphQL name.
        table: String,
        /// The limit.
        value: u32,
    },
    /// A value that is longer than the role may give for its column.
    #[error("the limit on the length of '{name}' is {limit}")]
    TooLong {
        /// The column's key in the request.
        name: String,
        /// The limit.
        limit: LengthLimit,
    },
    /// Several rows with the key by which one row is to be changed: those of tables that inherit
    /// may repeat it.
    #[error("several rows have this key, in tables that inherit from this one")]
    KeyRepeats,
    /// A row that does not match the values in `if_match`.
    #[error("the row has changed: 'if_match' did not match")]
    Mismatch,
    /// A nested insert whose parent row already exists and is left unchanged.
    #[error("cannot proceed to insert related rows since insert to '{table}' affects zero rows")]
    NotInserted {
        /// The table's GraphQL name.
        table: String,
        /// The relation under which the row is nested, if the row is inserted before the row that
        /// references it.
        relation: Option<String>,
    },
    /// A number of rows to link to that is not one.
    #[error("'{relation}' has to find exactly one row")]
    NotOne {
        /// The relation.
        relation: String,
    },
    /// An update without any change.
    #[error("at least one of {} is expected", names.join(", "))]
    NothingToUpdate {
        /// The arguments that could contain a change.
        names: Vec<String>,
    },
    /// Columns that several operators change.
    #[error("columns are changed by several operators: {}", changed_twice(columns))]
    ChangedTwice {
        /// The columns, each with its operators.
        columns: Vec<(String, Vec<String>)>,
    },
    /// The placeholder value of a column enum that has no values.
    #[error("erroneous column name")]
    Placeholder,
    /// A column of a nested row whose value is determined by the relation.
    #[error("column '{column}' is given by relation '{relation}'")]
    Determined {
        /// The column.
        column: String,
        /// The relation.
        relation: String,
        /// Whether the column belongs to the related row, rather than to the row that the relation
        /// starts from.
        is_related: bool,
    },
    /// A key that must be equal in all related rows of a level, but differs.
    #[error("'{name}' has to be the same in all related rows")]
    Differs {
        /// The key.
        name: String,
    },
    /// A required row is not visible to the caller: it belongs to another user or does not exist.
    #[error("a row that is required is not visible")]
    Required,
    /// A session value that a rule needs is missing.
    #[error("missing session value '{name}'")]
    MissingSession {
        /// The session value's name.
        name: String,
    },
    /// A session value with a malformed value.
    #[error("session value '{name}' is not of type '{expected}'")]
    MalformedSession {
        /// The session value's name.
        name: String,
        /// The declared type.
        expected: String,
    },
}

/// `'views' in _set, _inc. 'likes' in _set, _mul`
fn changed_twice(columns: &[(String, Vec<String>)]) -> String {
    let column = |(column, operators): &(String, Vec<String>)| {
        format!("'{column}' in {}", operators.join(", "))
    };
    columns.iter().map(column).collect::<Vec<_>>().join(". ")
}

/// How two fields with the same response key differ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldConflict {
    /// They select different fields.
    #[error("'{0}' and '{1}' are different fields")]
    Fields(String, String),
    /// They select the same field with different arguments.
    #[error("they have differing arguments")]
    Arguments(String),
}

impl Cause {
    /// The class of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Cause::Syntax { .. } => ErrorKind::ParseFailed,
            Cause::WrongType { .. }
            | Cause::UnknownEnumValue { .. }
            | Cause::NotAnObject { .. }
            | Cause::NotAnEnumValue { .. }
            | Cause::Unreadable { .. }
            | Cause::NegativeOffset
            | Cause::KeyRepeats
            | Cause::Pattern { .. }
            | Cause::Regular { .. }
            | Cause::JsonPath { .. }
            | Cause::MovingCursor { .. }
            | Cause::Cursor { .. } => ErrorKind::ConstraintViolation,
            Cause::NoDefault { .. }
            | Cause::Gap { .. }
            | Cause::NotInserted { .. }
            | Cause::Differs { .. } => ErrorKind::NotSupported,
            Cause::MissingSession { .. }
            | Cause::MalformedSession { .. }
            | Cause::Check
            | Cause::Required => ErrorKind::PermissionError,
            Cause::Mismatch => ErrorKind::Conflict,
            Cause::Affected { .. }
            | Cause::Inserted { .. }
            | Cause::TooLong { .. }
            | Cause::Limit { .. } => ErrorKind::LimitExceeded,
            Cause::IntrospectionOff { .. } => ErrorKind::NotSupported,
            _ => ErrorKind::ValidationFailed,
        }
    }

    /// The error at a position of the document.
    pub fn at(self, path: impl Into<String>, position: Pos) -> Error {
        Error {
            cause: self,
            path: path.into(),
            location: Some((position.line, position.column)),
        }
    }

    /// The error at a path, without a position in the document's text.
    pub fn under(self, path: impl Into<String>) -> Error {
        Error {
            cause: self,
            path: path.into(),
            location: None,
        }
    }
}

impl Error {
    /// The class of the error.
    pub fn kind(&self) -> ErrorKind {
        self.cause.kind()
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.cause.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

fn unexpected_token(token: Option<&UnexpectedToken>) -> String {
    token
        .map(|UnexpectedToken { expected, found }| format!(": expected {expected}, found {found}"))
        .unwrap_or_default()
}

/// How many values of an enum a message lists.
const MAX_VALUES: usize = 12;

/// ` ('draft', 'paid')`, if there are not too many. Columns and constraints are parts of the role's
/// schema, which the role may not be allowed to introspect.
fn few_values(expected: &str, values: &[String]) -> String {
    let expected = expected.to_ascii_lowercase();
    let is_of_schema = ["column", "constraint"]
        .iter()
        .any(|kind| expected.ends_with(kind));
    if is_of_schema || values.is_empty() || values.len() > MAX_VALUES {
        return String::new();
    }
    let values: Vec<String> = values.iter().map(|value| format!("'{value}'")).collect();
    format!(" ({})", values.join(", "))
}
