//! What the log says about a refused request. It repeats nothing that the client has sent: names in
//! documents, variables and parameters may be values.

use pg::DatabaseError;
use sql::Cause;

use super::{Error, InvalidRequest};
use crate::limits::LimitExceeded;

/// Why a request was refused, for the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reason {
    /// The rule, the limit or the fault of the credentials.
    pub text: Option<String>,
    /// Postgres' code of the error.
    pub sqlstate: Option<String>,
    /// The constraint of the database that is violated.
    pub constraint: Option<String>,
}

impl Error {
    /// Why the request was refused. [`Error::cause`] has what only operators may know.
    pub fn reason(&self) -> Reason {
        match self {
            Error::Database(DatabaseError::Refused(refusal))
            | Error::NotWritten { refusal, .. } => Reason {
                text: None,
                sqlstate: Some(refusal.sqlstate.clone()),
                constraint: refusal.named_constraint().map(str::to_owned),
            },
            Error::Query(error) => Reason::new(reason_of_query(error)),
            Error::Database(DatabaseError::Timeout(limit)) => {
                Reason::new(LimitExceeded::Time(*limit).to_string())
            }
            Error::Database(DatabaseError::RowTooLong(limit)) => {
                Reason::new(LimitExceeded::Answer(*limit).to_string())
            }
            other => other.plain_reason().map(Reason::new).unwrap_or_default(),
        }
    }

    /// The reason of an error that is neither about a document nor of the database.
    fn plain_reason(&self) -> Option<String> {
        let text = match self {
            Error::InvalidToken(reason) => return Some(reason.to_string()),
            Error::Limit(exceeded) => return Some(exceeded.to_string()),
            Error::RateLimited(refused) => {
                return Some(format!(
                    "rate limit {}: {} in {} s",
                    refused.rule,
                    refused.rate,
                    refused.every.as_secs_f64()
                ));
            }
            Error::InvalidRequest(malformed) => return Some(reason_of_malformed(malformed)),
            Error::InvalidUpgrade(reason) => return Some(reason.to_string()),
            Error::Plugin(fault) => &fault.log.reason,
            Error::HeaderTwice(name) => return Some(format!("the header {name} is given twice")),
            Error::MethodNotAllowed { allow } => return Some(format!("the path takes {allow}")),
            Error::Database(_)
            | Error::NotWritten { .. }
            | Error::Query(_)
            | Error::Internal(_) => return None,
            Error::UnusableAnswer(_) => "a web service gives an answer that cannot be used",
            Error::NoAuthorization => "no credentials",
            Error::WrongAdminSecret => "wrong admin secret",
            Error::KeysUnavailable => "the issuer's keys are not fetched yet",
            Error::WebhookRejected => "the authentication webhook rejects the request",
            Error::WebhookUnavailable(_) => "the authentication webhook does not answer",
            Error::RoleNotAllowed => "role not allowed",
            Error::RowNotVisible(_) => "the required row is not visible",
            Error::StreamInUse(text) => text,
            Error::OutOfMemory(error) => error.limit.reason(),
            Error::Action(_) => "the action's handler rejects the call",
            Error::ActionUnavailable(_) => "the action's handler does not answer",
            Error::OutcomeUnknown(_) => "the action's handler did not say what it has done",
            Error::CommitUnknown(_) => "the database did not say whether it has committed",
            Error::ActionDryRun(_) => "action without dry run",
            Error::NoDryRun(_) => "role without dry runs",
            Error::UnknownTool(_) => "unknown tool",
            Error::OriginNotAllowed => "origin not allowed",
            Error::HostNotAllowed => "host not in `allowed_hosts`",
            Error::NotFound | Error::Misplaced(_) => "no such path",
            Error::NoEventStream => "no such event stream",
            Error::OnlyQueries => "operation other than a query",
            Error::NoSubscriptions => "subscription without a stream",
            Error::PersistedQuery => "persisted queries are off",
            Error::UnknownDocument(_) => "unknown document",
            Error::Unlisted(_) => "on no allow list",
            Error::TransferEncoding => "transfer encoding",
            Error::ContentType | Error::ParameterType | Error::NoParameterType => "content type",
            Error::ContentEncoding => "content encoding",
            Error::NotAcceptable => "no media type that the client accepts",
        };
        Some(text.to_owned())
    }
}

impl Reason {
    fn new(text: String) -> Reason {
        Reason {
            text: Some(text),
            ..Reason::default()
        }
    }
}

/// The rule that the document breaks and its place: `FieldsOnCorrectType at 1:9`. Types are named,
/// fields are not: a type is the gateway's own word.
fn reason_of_query(error: &sql::Error) -> String {
    let rule = error.cause.rule();
    let mut text = match &error.cause {
        Cause::Limit { .. }
        | Cause::Affected { .. }
        | Cause::Inserted { .. }
        | Cause::TooLong { .. } => error.cause.to_string(),
        Cause::MissingSession { name } => format!("{rule} {name}"),
        Cause::MalformedSession { name, expected } => format!("{rule} {name}, expected {expected}"),
        Cause::UnknownField { on, .. } => format!("{rule} in {on}"),
        _ => rule.to_owned(),
    };
    if let Some((line, column)) = error.location {
        text.push_str(&format!(" at {line}:{column}"));
    }
    text
}

/// The fault of a malformed request, without the names of its parameters and headers.
fn reason_of_malformed(malformed: &InvalidRequest) -> String {
    match malformed {
        InvalidRequest::ParameterEncoding(_) => "a parameter is not percent-encoded UTF-8".into(),
        InvalidRequest::ParameterTwice(_) => "a parameter is given twice".into(),
        InvalidRequest::UnknownParameter(_) => "unknown parameter".into(),
        InvalidRequest::ParameterJson(_) => "a parameter is not JSON".into(),
        InvalidRequest::Header(_) => "a header cannot be read".into(),
        InvalidRequest::TwoSpellings(_) => "a header is given twice, in two spellings".into(),
        InvalidRequest::Spelling { .. } => "a header has another spelling than its own".into(),
        InvalidRequest::Switch(_) => "a header is neither true nor false".into(),
        InvalidRequest::Claims(_) => "a header with claims is no JSON object".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::TokenError;
    use pg::PostgresError;

    fn text(error: &Error) -> String {
        error.reason().text.unwrap_or_default()
    }

    #[test]
    fn reasons_name_rule_and_place_but_nothing_of_the_client() {
        let cause = Cause::UnknownField {
            field: "secret".into(),
            on: "query_root".into(),
        };
        let error = Error::Query(sql::Error {
            cause,
            path: "$.selectionSet.secret".into(),
            location: Some((1, 9)),
        });
        assert_eq!(text(&error), "FieldsOnCorrectType in query_root at 1:9");
        assert_eq!(
            text(&InvalidRequest::UnknownParameter("secret".into()).into()),
            "unknown parameter"
        );
        assert_eq!(text(&Error::UnknownTool("secret".into())), "unknown tool");
        assert_eq!(text(&TokenError::Expired.into()), "JWTExpired");
        assert_eq!(
            text(&LimitExceeded::Batch(3).into()),
            "the batch holds more requests than the limit of 3"
        );
    }

    #[test]
    fn constraints_are_named_if_postgres_reports_them() {
        let refusal = |routine: &str| PostgresError {
            sqlstate: "23505".into(),
            constraint: Some("users_key".into()),
            routine: routine.into(),
            ..PostgresError::default()
        };
        let reason = |refusal| {
            Error::NotWritten {
                refusal,
                path: "$".into(),
            }
            .reason()
        };
        let expected = Reason {
            text: None,
            sqlstate: Some("23505".into()),
            constraint: Some("users_key".into()),
        };
        assert_eq!(reason(refusal("_bt_check_unique")), expected);
        assert_eq!(reason(refusal("exec_stmt_raise")).constraint, None);
    }
}
