//! The errors in the format of Hasura 2: its codes, messages and paths, derived from the same
//! causes. Errors that Hasura does not have keep the gateway's message, with names in double
//! quotes.

use pg::{DatabaseError, PostgresError};
use serde_json::{Value, json};
use sql::{
    ActualKind, Cause, ErrorKind, ExpectedKind, FieldConflict, GeometryFault, NameKind, TextFormat,
};

use super::{Error, InvalidRequest, TokenError, shortened};

mod number;
mod written;

/// An error in Hasura's format.
#[derive(Debug, PartialEq, Eq)]
pub struct HasuraError {
    /// Its code.
    pub code: &'static str,
    /// Its path.
    pub path: String,
    /// Its message.
    pub message: String,
}

impl HasuraError {
    /// Converts an error.
    pub fn from_error(error: &Error) -> HasuraError {
        let (code, message) = match error {
            Error::Query(sql::Error { cause, .. }) => (code(cause), message(cause)),
            Error::Database(DatabaseError::Refused(refusal))
            | Error::NotWritten { refusal, .. } => (
                refusal_code(refusal, error),
                refusal_message(refusal, error),
            ),
            Error::Database(DatabaseError::Protocol(_)) => {
                ("unexpected", "database query error".into())
            }
            other => (request_code(other), request_message(other)),
        };
        HasuraError {
            code,
            path: path(error),
            message,
        }
    }

    /// The GraphQL response.
    pub fn to_graphql(&self) -> Value {
        let extensions = json!({"path": shortened(&self.path), "code": self.code});
        json!({"errors": [{"extensions": extensions, "message": shortened(&self.message)}]})
    }

    /// The response of REST and other paths.
    pub fn to_rest(&self) -> Value {
        json!({"path": shortened(&self.path), "error": shortened(&self.message), "code": self.code})
    }
}

/// The HTTP status. Errors of GraphQL have status 200, and so have those of the web services behind
/// the gateway: clients show the errors of such a response to the application, and repeat others.
/// Errors of the database and of HTTP itself keep their status, so that clients and proxies retry
/// correctly.
pub fn status(error: &Error) -> u16 {
    match (error, error.spec().lenient) {
        (
            Error::ActionUnavailable(_)
            | Error::OutcomeUnknown(_)
            | Error::CommitUnknown(_)
            | Error::UnusableAnswer(_)
            | Error::WebhookUnavailable(_)
            | Error::KeysUnavailable,
            _,
        )
        | (_, 400 | 401 | 403) => 200,
        (_, other) => other,
    }
}

// ---- requests and credentials

fn request_code(error: &Error) -> &'static str {
    match error {
        Error::InvalidToken(TokenError::Header) => "invalid-headers",
        Error::InvalidToken(TokenError::MissingClaim(_)) => "jwt-missing-role-claims",
        Error::InvalidToken(TokenError::Claim { .. }) => "jwt-invalid-claims",
        Error::InvalidToken(_) => "invalid-jwt",
        Error::InvalidRequest(InvalidRequest::Json { .. }) => "invalid-json",
        Error::InvalidRequest(
            InvalidRequest::NotAnObject | InvalidRequest::NoQuery | InvalidRequest::Member { .. },
        ) => "parse-failed",
        Error::PersistedQuery => "not-supported",
        other => other.spec().code,
    }
}

fn request_message(error: &Error) -> String {
    match error {
        Error::NoAuthorization => {
            "x-hasura-admin-secret/x-hasura-access-key required, but not found".into()
        }
        Error::WrongAdminSecret => "invalid x-hasura-admin-secret/x-hasura-access-key".into(),
        Error::InvalidToken(TokenError::Header) => "Malformed Authorization header".into(),
        Error::RoleNotAllowed => "Your requested role is not in allowed roles".into(),
        Error::NotFound | Error::Misplaced(_) => "resource does not exist".into(),
        // The words are those of the action's handler.
        Error::Action(error) => error.message.clone(),
        Error::PersistedQuery => "Automatic Persisted Queries is not enabled".into(),
        Error::InvalidRequest(InvalidRequest::NoQuery) => "key \"query\" not found".into(),
        Error::InvalidRequest(InvalidRequest::Switch(name)) => {
            format!(
                "{name}:  Not a valid boolean text. True values are \
                     [\"true\",\"t\",\"yes\",\"y\"] and  False values are \
                     [\"false\",\"f\",\"no\",\"n\"]. All values are case insensitive"
            )
        }
        other => quoted(&other.message()),
    }
}

/// The gateway's message with names in double quotes. An apostrophe between two letters is none of
/// the quotes: they have a space or a mark on their outer side.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let is_apostrophe = before.is_some_and(char::is_alphanumeric)
            && characters.peek().is_some_and(|next| next.is_alphanumeric());
        quoted.push(if character == '\'' && !is_apostrophe {
            '"'
        } else {
            character
        });
        before = Some(character);
    }
    quoted
}

// ---- documents and variables

/// An invalid value for a database enum. In Hasura, Postgres reports this error.
const NO_LABEL: ActualKind = ActualKind::Malformed(TextFormat::EnumValue);

fn code(cause: &Cause) -> &'static str {
    match cause {
        Cause::Limit { .. }
        | Cause::Affected { .. }
        | Cause::Inserted { .. }
        | Cause::TooLong { .. } => "limit-exceeded",
        Cause::Check => "permission-error",
        Cause::Mismatch => "conflict",
        Cause::MissingSession { .. } => "not-found",
        Cause::MalformedSession { .. } | Cause::NegativeOffset => "data-exception",
        Cause::Pattern { .. } => "bad-request",
        Cause::Unreadable { found, .. } if *found == NO_LABEL => "data-exception",
        Cause::Unreadable { .. } => "parse-failed",
        Cause::Duplicate {
            kind: NameKind::Variable | NameKind::Fragment,
            ..
        } => "parse-failed",
        other if other.kind() == ErrorKind::NotSupported => "not-supported",
        _ => "validation-failed",
    }
}

fn path(error: &Error) -> String {
    if let Error::NotWritten { path, .. }
    | Error::Query(sql::Error {
        cause: Cause::Check,
        path,
        ..
    }) = error
    {
        return mutation_path(path);
    }
    let Error::Query(sql::Error { cause, path, .. }) = error else {
        return "$".into();
    };
    match cause {
        Cause::Syntax { .. } => "$.query".into(),
        Cause::Unreadable { found, .. } if *found == NO_LABEL => mutation_path(path),
        Cause::MissingSelection { .. } => format!("{path}.selectionSet"),
        Cause::Missing {
            kind: NameKind::Argument,
            name,
        } => format!("{path}.args.{name}"),
        Cause::UnknownArgument { argument, .. } => path
            .trim_end_matches(&format!(".args.{argument}"))
            .to_owned(),
        Cause::Pattern { .. } | Cause::NoOperation | Cause::OperationNameNeeded => "$".into(),
        Cause::Missing {
            kind: NameKind::Field,
            name,
        } => format!("{path}.{name}"),
        Cause::Placeholder | Cause::Determined { .. } | Cause::NotInserted { .. } => {
            written::path(cause, path)
        }
        Cause::NoDefault { name } | Cause::Gap { name } => {
            path.trim_end_matches(&format!(".{name}")).to_owned()
        }
        Cause::Unknown {
            kind: NameKind::Variable | NameKind::Operation,
            ..
        } => "$".into(),
        Cause::Unknown {
            kind: NameKind::Fragment,
            ..
        } => format!("{path}.selectionSet"),
        _ => path.clone(),
    }
}

/// The path of an error while writing: that of all inserted objects for an insert, `$` for other
/// mutations.
fn mutation_path(path: &str) -> String {
    let inserted = [".args.objects", ".args.object"]
        .into_iter()
        .find_map(|argument| {
            let (before, _) = path.split_once(argument)?;
            Some(format!("{before}{argument}"))
        });
    inserted.unwrap_or_else(|| "$".into())
}

fn message(cause: &Cause) -> String {
    match cause {
        Cause::Syntax { .. } => "not a valid graphql query".into(),
        Cause::UnknownField { field, on } | Cause::UnknownInputField { field, on } => {
            format!("field \"{field}\" not found in type: '{on}'")
        }
        Cause::UnknownArgument {
            argument, field, ..
        } => {
            format!("\"{field}\" has no argument named \"{argument}\"")
        }
        Cause::Missing { name, .. } => format!("missing required field \"{name}\""),
        Cause::MissingSelection { on, .. } => format!("missing selection set for \"{on}\""),
        Cause::LeafWithSelection { .. } => {
            "unexpected subselection set for non-object field".into()
        }
        Cause::FragmentCycle { through, .. } => {
            format!(
                "the fragment definition(s) {} form a cycle",
                english_list("and", through)
            )
        }
        Cause::Conflict {
            key,
            reason: FieldConflict::Fields(one, other),
        } => {
            format!(
                "selection of both \"{one}\" and \"{other}\" specify the same response name, \
                     \"{key}\""
            )
        }
        Cause::Conflict {
            reason: FieldConflict::Arguments(field),
            ..
        } => {
            format!("inconsistent arguments between multiple selections of field \"{field}\"")
        }
        Cause::Unknown { kind, name } => unknown_name(*kind, name),
        Cause::Duplicate { kind, name } => duplicate_name(*kind, name),
        Cause::MisplacedDirective { .. } | Cause::NoOperation | Cause::OperationNameNeeded => {
            document_message(cause)
        }
        Cause::DistinctOrder {
            distinct_on,
            order_by,
        } => {
            format!("\"{distinct_on}\" columns must match initial \"{order_by}\" columns")
        }
        Cause::IntrospectionOff { role } => {
            format!("introspection is disabled for role: \"{role}\"")
        }
        Cause::Pattern { .. } => "LIKE pattern must not end with escape character".into(),
        Cause::NegativeOffset => "OFFSET must not be negative".into(),
        Cause::NoDefault { .. } => "Non default arguments cannot be omitted".into(),
        Cause::Gap { .. } => "Only last set of positional arguments can be omitted".into(),
        Cause::NotInserted { .. }
        | Cause::Determined { .. }
        | Cause::NothingToUpdate { .. }
        | Cause::ChangedTwice { .. } => written::message(cause),
        Cause::MissingSession { name } => {
            format!(
                "missing session variables: \"x-hasura-{}\"",
                name.replace('_', "-")
            )
        }
        other => value_message(other),
    }
}

fn unknown_name(kind: NameKind, name: &str) -> String {
    match kind {
        NameKind::Fragment => format!("reference to undefined fragment \"{name}\""),
        NameKind::Directive => format!("directive \"{name}\" is not defined in the schema"),
        NameKind::Variable => format!("unbound variable \"{name}\""),
        NameKind::Operation => format!("no such operation found in the document: \"{name}\""),
        NameKind::Type | NameKind::Argument | NameKind::Field | NameKind::InputField => quoted(
            &Cause::Unknown {
                kind,
                name: name.to_owned(),
            }
            .to_string(),
        ),
    }
}

fn duplicate_name(kind: NameKind, name: &str) -> String {
    match kind {
        NameKind::Argument | NameKind::Field => "not a valid graphql query".into(),
        NameKind::Directive => format!("the following directives are used more than once: {name}"),
        NameKind::Operation
        | NameKind::Fragment
        | NameKind::Variable
        | NameKind::InputField
        | NameKind::Type => {
            format!("multiple definitions for {kind} \"{name}\"")
        }
    }
}

fn document_message(cause: &Cause) -> String {
    match cause {
        Cause::MisplacedDirective { name, on } => {
            format!("directive \"{name}\" is not allowed on {on}")
        }
        Cause::NoOperation | Cause::OperationNameNeeded => {
            "exactly one operation has to be present in the document when operationName is not \
             specified"
                .into()
        }
        other => quoted(&other.to_string()),
    }
}

fn value_message(cause: &Cause) -> String {
    match cause {
        Cause::VariableType {
            name,
            declared,
            expected,
        } => {
            format!(
                "variable \"{name}\" is declared as {declared}, but used where {expected} is \
                     expected"
            )
        }
        Cause::UnexpectedVariables { names } => {
            format!(
                "unexpected variables in variableValues: {}",
                names.join(", ")
            )
        }
        Cause::NotAnObject {
            expected, found, ..
        } => {
            format!(
                "expected an object for type \"{}\", but found {found}",
                named_type(expected)
            )
        }
        Cause::NotAnEnumValue {
            expected, found, ..
        } => {
            format!(
                "expected an enum value for type \"{}\", but found {found}",
                named_type(expected)
            )
        }
        Cause::UnknownEnumValue {
            expected,
            found,
            values,
            ..
        } => {
            let values = english_list("or", values);
            format!(
                "expected one of the values {values} for type \"{}\", but found \"{found}\"",
                named_type(expected)
            )
        }
        Cause::Unreadable { found, .. } if *found == NO_LABEL => {
            "a value has the wrong form for its type".into()
        }
        Cause::Unreadable {
            expected,
            found,
            value,
            ..
        } => unreadable(named_type(expected), found, value.as_deref()),
        Cause::WrongType {
            name,
            expected,
            found,
        } => wrong_type(name, expected, found),
        other => quoted(&other.to_string()),
    }
}

fn wrong_type(name: &str, expected: &ExpectedKind, found: &ActualKind) -> String {
    let is_list = matches!(expected, ExpectedKind::Type(name) if name.starts_with('['));
    if *expected == ExpectedKind::Conditions || is_list && *found == ActualKind::Null {
        return format!("expected a list, but found {found}");
    }
    let found = match found {
        ActualKind::IntegerOutOfRange | ActualKind::NotAnInteger => &ActualKind::Integer,
        other => other,
    };
    if *expected == ExpectedKind::Count {
        return format!(
            "expected a non-negative 32-bit integer for type \"Int\", but found {found}"
        );
    }
    if *expected == ExpectedKind::BatchSize {
        return format!("expected a positive 32-bit integer for type \"Int\", but found {found}");
    }
    let r#type = expected.named_type();
    let is_null = matches!(
        found,
        ActualKind::Null | ActualKind::NullInList | ActualKind::Absent
    );
    match r#type.as_str() {
        _ if is_null && name != "if" => format!("unexpected null value for type \"{type}\""),
        "Int" => format!("expected a 32-bit integer for type \"Int\", but found {found}"),
        "Float" => format!("expected a float for type \"Float\", but found {found}"),
        "String" => format!("expected a string for type \"String\", but found {found}"),
        "Boolean" => format!("expected a boolean for type \"Boolean\", but found {found}"),
        other => format!("expected {other}, but found {found}"),
    }
}

fn unreadable(r#type: &str, found: &ActualKind, value: Option<&str>) -> String {
    match (r#type, value) {
        ("Int" | "smallint" | "bigint", Some(number)) => format!(
            "The value {} lies outside the bounds or is not an integer. Maybe it is a float, or \
             is there integer \
             overflow?",
            number::shown(number)
        ),
        ("geometry" | "geography", _) => geometry_message(found),
        ("raster", _) => match found {
            ActualKind::Malformed(_) | ActualKind::NulCharacter => {
                "invalid hexadecimal representation of raster well known binary format".into()
            }
            _ => "expecting String for raster".into(),
        },
        ("ltree", _) => "Expecting label path: a sequence of zero or more labels separated by \
                         dots, for example L1.L2.L3"
            .into(),
        _ => format!("cannot read {found} as a value of type \"{type}\""),
    }
}

/// The message for invalid GeoJSON.
fn geometry_message(found: &ActualKind) -> String {
    match found {
        ActualKind::Geometry(GeometryFault::ShortPosition) => {
            "A Position needs at least 2 elements".into()
        }
        ActualKind::Geometry(GeometryFault::ShortLine) => {
            "A LineString needs at least 2 Positions".into()
        }
        ActualKind::Geometry(GeometryFault::ShortRing) => {
            "A LinearRing needs at least 4 Positions".into()
        }
        ActualKind::Geometry(GeometryFault::OpenRing) => {
            "the first and last locations have to be equal for a LinearRing".into()
        }
        ActualKind::Geometry(GeometryFault::UnknownType(name)) => {
            format!("unexpected geometry type: {name}")
        }
        other => format!("parsing Geometry failed, found {other}"),
    }
}

/// The named type inside a GraphQL type's list and non-null wrappers.
fn named_type(written: &str) -> &str {
    written.trim_matches(['[', ']', '!'])
}

/// `"a", "b", or "c"`
fn english_list(joiner: &str, names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} {joiner} {other}"),
        [several @ .., last] => format!("{}, {joiner} {last}", several.join(", ")),
    }
}

// ---- the database

fn refusal_code(refusal: &PostgresError, error: &Error) -> &'static str {
    match refusal.sqlstate.as_str() {
        _ if refusal.shown.is_some() || refusal.is_of_value => "data-exception",
        "22025" => "bad-request",
        "23514" | "44000" => "permission-error",
        "0A000" => "not-supported",
        state if state.starts_with("22") => "data-exception",
        state if state.starts_with("23") => "constraint-violation",
        "42P10" => "constraint-error",
        "21000" if refusal.message.contains("ON CONFLICT") => "constraint-violation",
        "21000" => "data-exception",
        "42501" | "42P17" => "permission-error",
        "40001" | "40P01" => "concurrent-update",
        _ if error.spec() == super::catalogue::DATA_EXCEPTION && refusal.is_raised() => {
            "unexpected"
        }
        _ => error.spec().code,
    }
}

fn refusal_message(refusal: &PostgresError, error: &Error) -> String {
    match refusal.sqlstate.as_str() {
        _ if refusal.shown.is_some() => refusal.message.clone(),
        "22025" => "LIKE pattern must not end with escape character".into(),
        state if state.starts_with("40") => "serialization failure due to concurrent update".into(),
        _ if error.spec() == super::catalogue::DATA_EXCEPTION && refusal.is_raised() => {
            "database query error".into()
        }
        _ => match error.spec() {
            super::catalogue::UNEXPECTED => "database query error".into(),
            _ => quoted(&error.message()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_hasura(cause: Cause) -> (&'static str, String, String) {
        let hasura_error = HasuraError::from_error(&Error::Query(cause.under("$.selectionSet.t")));
        (hasura_error.code, hasura_error.path, hasura_error.message)
    }

    #[test]
    fn envelopes_have_hasuras_format() {
        let cause = Cause::UnknownField {
            field: "x".into(),
            on: "t".into(),
        };
        let error = Error::Query(sql::Error {
            cause,
            path: "$.selectionSet.x".into(),
            location: Some((1, 2)),
        });
        assert_eq!(
            HasuraError::from_error(&error).to_graphql().to_string(),
            r#"{"errors":[{"extensions":{"path":"$.selectionSet.x","code":"validation-failed"},"message":"field \"x\" not found in type: 't'"}]}"#
        );
        assert_eq!(
            HasuraError::from_error(&Error::NotFound)
                .to_rest()
                .to_string(),
            r#"{"path":"$","error":"resource does not exist","code":"not-found"}"#
        );
    }

    #[test]
    fn paths_match_hasura() {
        let syntax = Cause::Syntax {
            line: 1,
            column: 1,
            token: None,
        };
        assert_eq!(to_hasura(syntax).1, "$.query");
        assert_eq!(
            to_hasura(Cause::Missing {
                kind: NameKind::Argument,
                name: "id".into()
            })
            .1,
            "$.selectionSet.t.args.id"
        );
        assert_eq!(
            to_hasura(Cause::Unknown {
                kind: NameKind::Variable,
                name: "id".into()
            })
            .1,
            "$"
        );
    }

    #[test]
    fn lists_are_joined_in_english() {
        let list = |names: &[&str]| {
            english_list(
                "or",
                &names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>(),
            )
        };
        assert_eq!(list(&["a"]), r#""a""#);
        assert_eq!(list(&["a", "b"]), r#""a" or "b""#);
        assert_eq!(list(&["a", "b", "c"]), r#""a", "b", or "c""#);
    }

    #[test]
    fn value_messages_match_hasura() {
        let wrong = |expected: ExpectedKind, found| {
            to_hasura(Cause::WrongType {
                name: "x".into(),
                expected,
                found,
            })
            .2
        };
        assert_eq!(
            wrong("Int".into(), ActualKind::Null),
            "unexpected null value for type \"Int\""
        );
        assert_eq!(
            wrong("[Int!]".into(), ActualKind::Null),
            "expected a list, but found null"
        );
        assert_eq!(
            wrong(ExpectedKind::Conditions, ActualKind::String),
            "expected a list, but found a string"
        );
        assert_eq!(
            wrong(ExpectedKind::Count, ActualKind::String),
            "expected a non-negative 32-bit integer for type \"Int\", but found a string"
        );
        assert_eq!(
            unreadable("geometry", &GeometryFault::ShortRing.into(), None),
            "A LinearRing needs at least 4 Positions"
        );
        assert_eq!(
            unreadable(
                "geography",
                &GeometryFault::UnknownType("Circle".into()).into(),
                None
            ),
            "unexpected geometry type: Circle"
        );
        assert_eq!(
            unreadable("raster", &ActualKind::Malformed(TextFormat::Raster), None),
            "invalid hexadecimal representation of raster well known binary format"
        );
        assert_eq!(
            to_hasura(Cause::MissingSession {
                name: "user_id".into()
            }),
            (
                "not-found",
                "$.selectionSet.t".into(),
                "missing session variables: \"x-hasura-user-id\"".into()
            )
        );
    }
}

#[cfg(test)]
mod quote_tests {
    use super::*;
    use crate::error::{PluginFault, catalogue};

    #[test]
    fn names_are_quoted_and_apostrophes_stay() {
        let cases = [
            (
                "no key has the token's 'kid'",
                "no key has the token's \"kid\"",
            ),
            (
                "the claim 'it's' is missing",
                "the claim \"it's\" is missing",
            ),
            (
                "'a' and 'b-c' ('d'), 'e'.",
                "\"a\" and \"b-c\" (\"d\"), \"e\".",
            ),
            ("''", "\"\""),
            ("the gateway's own", "the gateway's own"),
        ];
        for (text, expected) in cases {
            assert_eq!(quoted(text), expected);
        }
    }

    #[test]
    fn failures_of_services_behind_the_gateway_have_status_200() {
        let text = String::new;
        let of_services = [
            Error::ActionUnavailable(text()),
            Error::OutcomeUnknown(text()),
            Error::CommitUnknown(text()),
            Error::UnusableAnswer(text()),
            Error::WebhookUnavailable(text()),
            Error::WebhookRejected,
            Error::KeysUnavailable,
            PluginFault::new(catalogue::UNAUTHENTICATED, "", "").into(),
        ];
        for error in of_services {
            assert_eq!(status(&error), 200, "{error:?}");
        }
        assert_eq!(
            status(&Error::Database(DatabaseError::Unavailable(text()))),
            503
        );
        assert_eq!(status(&Error::Internal(text())), 500);
    }
}
