//! What can be wrong with a request: one cause per variant, names kept as values, and the place in the document.

use async_graphql_parser::Pos;

/// A request that cannot be translated, and where the fault lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub cause: Cause,
    /// The place in the request, `$.selectionSet.users.args.where`.
    pub path: String,
    /// Line and column in the document, counted from 1.
    pub location: Option<(usize, usize)>,
}

/// The class of an error. Each class has one code, listed in `docs/errors.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The text is not GraphQL.
    ParseFailed,
    /// The document breaks a rule of validation.
    ValidationFailed,
    /// A value has the wrong type.
    ConstraintViolation,
    /// A session value is missing or malformed.
    PermissionError,
    /// The request is well formed and asks for something that is not offered.
    NotSupported,
    /// The request itself has the wrong shape.
    BadRequest,
    /// A bound on documents is exceeded.
    LimitExceeded,
    /// Somebody else was there first.
    Conflict,
}

/// What is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The text is not GraphQL.
    #[error("not a valid GraphQL document, at line {line}, column {column}")]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
    },
    /// A bound is exceeded.
    #[error("the limit on {limit} is {value}")]
    Limit {
        /// Which bound.
        limit: &'static str,
        /// Its value.
        value: usize,
    },
    /// A field that is not there, or hidden.
    #[error("field '{field}' not found in type: '{on}'")]
    UnknownField {
        /// The field.
        field: String,
        /// The type it was looked for in.
        on: String,
    },
    /// An argument that is not there.
    #[error("argument '{argument}' not found in field: '{field}'")]
    UnknownArgument {
        /// The argument.
        argument: String,
        /// The field it was given to.
        field: String,
    },
    /// A key of an input object that is not there, or hidden.
    #[error("field '{field}' not found in type: '{on}'")]
    UnknownInputField {
        /// The key.
        field: String,
        /// The input object's type.
        on: String,
    },
    /// A required argument or input field is missing.
    #[error("missing required {what} '{name}'")]
    Missing {
        /// `argument` or `field`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Two of the same name where one is allowed.
    #[error("there can be only one {what} named '{name}'")]
    Duplicate {
        /// What is there twice.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Two spellings of one argument.
    #[error("argument '{argument}' is given twice, in two spellings")]
    TwoSpellings {
        /// The argument as it is usually spelled.
        argument: String,
    },
    /// A name that is declared nowhere.
    #[error("unknown {what} '{name}'")]
    Unknown {
        /// `type`, `fragment`, `directive`, `variable`, `operation`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Something declared and used nowhere.
    #[error("{what} '{name}' is never used")]
    Unused {
        /// `variable` or `fragment`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Fragments that spread each other.
    #[error("cannot spread fragment '{name}' within itself")]
    FragmentCycle {
        /// The fragment where the cycle was met.
        name: String,
        /// Those that the cycle goes through, that one first.
        through: Vec<String>,
    },
    /// A fragment on a type that cannot be there.
    #[error("a fragment on type '{on}' can never be spread in type '{within}'")]
    ImpossibleFragment {
        /// The fragment's type condition.
        on: String,
        /// The type it is spread in.
        within: String,
    },
    /// A fragment on a type without fields.
    #[error("a fragment cannot be on type '{on}', which has no fields")]
    FragmentOnLeaf {
        /// The fragment's type condition.
        on: String,
    },
    /// A leaf with a selection.
    #[error("field '{field}' has no fields of its own, its type is '{on}'")]
    LeafWithSelection {
        /// The field.
        field: String,
        /// Its type.
        on: String,
    },
    /// An object without a selection.
    #[error("field '{field}' of type '{on}' needs a selection of fields")]
    MissingSelection {
        /// The field.
        field: String,
        /// Its type.
        on: String,
    },
    /// Two fields of one response key that differ.
    #[error("fields '{key}' conflict: {reason}")]
    Conflict {
        /// The response key.
        key: String,
        /// How they differ.
        reason: FieldConflict,
    },
    /// A directive at a place where it may not stand.
    #[error("directive '{name}' may not be used here")]
    MisplacedDirective {
        /// Its name.
        name: String,
        /// Where it stands: `a query`.
        on: &'static str,
    },
    /// A variable of another type than its place.
    #[error("variable '{name}' is declared as '{declared}', but used where '{expected}' is expected")]
    VariableType {
        /// The variable.
        name: String,
        /// The type it is declared with.
        declared: String,
        /// The type of the place.
        expected: String,
    },
    /// A variable declared with a type of output.
    #[error("variable '{name}' cannot be of type '{on}', which is not an input type")]
    VariableNotInput {
        /// The variable.
        name: String,
        /// Its type.
        on: String,
    },
    /// A required variable without a value.
    #[error("expecting a value for non-nullable variable: '{name}'")]
    MissingVariable {
        /// The variable.
        name: String,
    },
    /// A value of the wrong type.
    #[error("unexpected {found} for '{name}', expected type '{expected}'")]
    WrongType {
        /// The argument, variable or key it was given for.
        name: String,
        /// What was expected.
        expected: String,
        /// What was found: `null`, `a string`, `text that is no uuid`.
        found: String,
    },
    /// An enum value that is not there.
    #[error("unexpected value '{found}' for '{name}', expected one of the values of type '{expected}'")]
    UnknownEnumValue {
        /// The argument, variable or key it was given for.
        name: String,
        /// The enum.
        expected: String,
        /// The value.
        found: String,
        /// The values that there are.
        values: Vec<String>,
    },
    /// Something else where an input object is wanted.
    #[error("unexpected {found} for '{name}', expected type '{expected}'")]
    NotAnObject {
        /// The argument, variable or key it was given for.
        name: String,
        /// The input object's type.
        expected: String,
        /// What was found.
        found: String,
    },
    /// Something else where an enum's value is wanted.
    #[error("unexpected {found} for '{name}', expected type '{expected}'")]
    NotAnEnumValue {
        /// The argument, variable or key it was given for.
        name: String,
        /// The enum.
        expected: String,
        /// What was found.
        found: String,
    },
    /// A column's value that cannot be read, where any text would be left to Postgres.
    #[error("unexpected {found} for '{name}', expected type '{expected}'")]
    Unreadable {
        /// The argument, variable or key it was given for.
        name: String,
        /// The column's type.
        expected: String,
        /// What was found.
        found: String,
        /// The value itself, when it is a number.
        value: Option<String>,
    },
    /// Values for variables that the operation does not use.
    #[error("unexpected variables: {}", names.join(", "))]
    UnexpectedVariables {
        /// Their names.
        names: Vec<String>,
    },
    /// An offset below zero.
    #[error("the offset must not be negative")]
    NegativeOffset,
    /// A pattern that Postgres would refuse.
    #[error("the pattern for '{name}' ends with a lone escape character")]
    Pattern {
        /// The operator.
        name: String,
    },
    /// A regular expression that Postgres would refuse.
    #[error("the regular expression for '{name}' has {fault}")]
    Regular {
        /// The operator.
        name: String,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// A path into JSON that cannot be read.
    #[error("the path for '{name}' is no path into JSON")]
    JsonPath {
        /// The argument.
        name: String,
    },
    /// A cursor that was not made for this list.
    #[error("the cursor for '{name}' was not made for this list and order")]
    Cursor {
        /// The argument.
        name: String,
    },
    /// Arguments that do not go together.
    #[error("{one} and {other} do not go together")]
    Together {
        /// The one.
        one: &'static str,
        /// The other.
        other: &'static str,
    },
    /// A column of a group that rows are not grouped by.
    #[error("'{column}' is neither in 'by' nor in 'bucket'")]
    NotGrouped {
        /// The column.
        column: String,
    },
    /// An argument of a function that has no default.
    #[error("argument '{name}' has no default, so it cannot be left out")]
    NoDefault {
        /// The argument.
        name: String,
    },
    /// An argument of a function without a name, behind one that was left out.
    #[error("argument '{name}' cannot be given when one before it is left out")]
    Gap {
        /// The argument.
        name: String,
    },
    /// `distinct_on` that does not lead `order_by`.
    #[error("'{distinct_on}' columns must match the leading '{order_by}' columns")]
    DistinctOrder {
        /// `distinct_on`, as the table spells it.
        distinct_on: &'static str,
        /// `order_by`, as the table spells it.
        order_by: &'static str,
    },
    /// A document of fragments alone.
    #[error("a document without operations")]
    NoOperation,
    /// A definition of types in a document.
    #[error("a definition of '{what}' is not executable")]
    NotExecutable {
        /// What is defined: `type`, `scalar`.
        what: String,
    },
    /// Several operations and no name that picks one.
    #[error("'operationName' is needed in a document with several operations")]
    OperationNameNeeded,
    /// An anonymous operation beside others.
    #[error("an anonymous operation must be the only one in its document")]
    LoneAnonymous,
    /// No mutations for this role.
    #[error("no mutations exist")]
    NoMutations,
    /// No subscriptions yet.
    #[error("no subscriptions exist")]
    NoSubscriptions,
    /// A schema that cannot be shown, or introspection that cannot be answered.
    #[error("introspection: {reason}")]
    Introspection {
        /// Why not.
        reason: String,
    },
    /// Introspection by a role that is shown no schema.
    #[error("introspection is switched off for role '{role}'")]
    IntrospectionOff {
        /// The role.
        role: String,
    },
    /// A row that is written against the role's check.
    #[error("check constraint of an insert/update permission has failed")]
    Check,
    /// More rows than a field of the role may change.
    #[error("the limit on affected rows is {value}")]
    Affected {
        /// The limit.
        value: u32,
    },
    /// A row that no longer is what the caller took it for.
    #[error("the row has changed: 'if_match' did not match")]
    Mismatch,
    /// A nested insert whose row is left alone because it is there already.
    #[error("cannot proceed to insert related rows since insert to '{table}' affects zero rows")]
    NotInserted {
        /// The table, as GraphQL has it.
        table: String,
        /// The relation that the row came with, where it goes before the row that names it.
        relation: Option<String>,
    },
    /// Another number of rows than one to link to.
    #[error("'{relation}' has to find exactly one row")]
    NotOne {
        /// The relation.
        relation: String,
    },
    /// An update that says nothing of what is to change.
    #[error("at least one of {} is expected", names.join(", "))]
    NothingToUpdate {
        /// The arguments that would say so.
        names: Vec<String>,
    },
    /// Columns that several operators change.
    #[error("columns are changed by several operators: {}", changed_twice(columns))]
    ChangedTwice {
        /// The columns, each with its operators.
        columns: Vec<(String, Vec<String>)>,
    },
    /// The value of an enum of columns that has none.
    #[error("erroneous column name")]
    Placeholder,
    /// A column of a nested row that the relation gives its value.
    #[error("column '{column}' is given by relation '{relation}'")]
    Determined {
        /// The column.
        column: String,
        /// The relation.
        relation: String,
        /// Whether the row is one of the relation's, rather than the row that the relation leads away from.
        is_related: bool,
    },
    /// Something that is said once for all rows of a level, and is said in two ways.
    #[error("'{name}' has to be the same in all related rows")]
    Differs {
        /// The key.
        name: String,
    },
    /// A row that has to be there for the caller is not: it is another's, or does not exist.
    #[error("a row that is required is not visible")]
    Required,
    /// A session value that a rule needs and the caller lacks.
    #[error("missing session value '{name}'")]
    MissingSession {
        /// Its name.
        name: String,
    },
    /// A session value in the wrong form.
    #[error("session value '{name}' is not of type '{expected}'")]
    MalformedSession {
        /// Its name.
        name: String,
        /// The declared type.
        expected: String,
    },
}

/// `'views' in _set, _inc. 'likes' in _set, _mul`
fn changed_twice(columns: &[(String, Vec<String>)]) -> String {
    let column = |(column, operators): &(String, Vec<String>)| format!("'{column}' in {}", operators.join(", "));
    columns.iter().map(column).collect::<Vec<_>>().join(". ")
}

/// How two fields of one response key differ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldConflict {
    /// They are different fields.
    #[error("'{0}' and '{1}' are different fields")]
    Fields(String, String),
    /// They are the same field with other arguments.
    #[error("they have differing arguments")]
    Arguments(String),
}

impl Cause {
    /// The class of the fault.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Cause::Syntax { .. } => ErrorKind::ParseFailed,
            Cause::WrongType { .. }
            | Cause::UnknownEnumValue { .. }
            | Cause::NotAnObject { .. }
            | Cause::NotAnEnumValue { .. }
            | Cause::Unreadable { .. }
            | Cause::NegativeOffset
            | Cause::Pattern { .. }
            | Cause::Regular { .. }
            | Cause::JsonPath { .. }
            | Cause::Cursor { .. } => ErrorKind::ConstraintViolation,
            Cause::NoDefault { .. } | Cause::Gap { .. } | Cause::NotInserted { .. } | Cause::Differs { .. } => {
                ErrorKind::NotSupported
            }
            Cause::MissingSession { .. } | Cause::MalformedSession { .. } | Cause::Check | Cause::Required => {
                ErrorKind::PermissionError
            }
            Cause::Mismatch => ErrorKind::Conflict,
            Cause::Affected { .. } | Cause::Limit { .. } => ErrorKind::LimitExceeded,
            Cause::IntrospectionOff { .. } => ErrorKind::NotSupported,
            _ => ErrorKind::ValidationFailed,
        }
    }

    /// The fault at a place in the document.
    pub fn at(self, path: impl Into<String>, position: Pos) -> Error {
        Error { cause: self, path: path.into(), location: Some((position.line, position.column)) }
    }

    /// The fault at a path, away from the document's text.
    pub fn under(self, path: impl Into<String>) -> Error {
        Error { cause: self, path: path.into(), location: None }
    }
}

impl Error {
    /// The class of the fault.
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
