//! The catalogue: every combination of code and statuses in use.

/// An entry of the catalogue: the code and statuses that clients can rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorSpec {
    /// `extensions.code`.
    pub code: &'static str,
    /// The HTTP status of GraphQL responses as `application/json`.
    pub lenient: u16,
    /// The HTTP status of `application/graphql-response+json` and REST.
    pub strict: u16,
    /// Whether the request may succeed when it is retried unchanged.
    pub retryable: bool,
}

impl ErrorSpec {
    const fn one(code: &'static str, status: u16) -> ErrorSpec {
        ErrorSpec {
            code,
            lenient: status,
            strict: status,
            retryable: false,
        }
    }

    const fn two(code: &'static str, strict: u16) -> ErrorSpec {
        ErrorSpec {
            code,
            lenient: 200,
            strict,
            retryable: false,
        }
    }

    const fn retryable(self) -> ErrorSpec {
        ErrorSpec {
            retryable: true,
            ..self
        }
    }
}

/// The caller is not authenticated.
pub const UNAUTHENTICATED: ErrorSpec = ErrorSpec::one("access-denied", 401);
/// The caller lacks permission.
pub const FORBIDDEN: ErrorSpec = ErrorSpec::one("access-denied", 403);
/// The request is malformed.
pub const BAD_REQUEST: ErrorSpec = ErrorSpec::one("bad-request", 400);
/// The document breaks a rule of GraphQL or of the role's schema.
pub const VALIDATION_FAILED: ErrorSpec = ErrorSpec::two("validation-failed", 400);
/// The document is not GraphQL.
pub const PARSE_FAILED: ErrorSpec = ErrorSpec::two("parse-failed", 400);
/// A value has the wrong type, or violates a constraint of the database.
pub const CONSTRAINT_VIOLATION: ErrorSpec = ErrorSpec::two("constraint-violation", 400);
/// Postgres cannot compute with a value.
pub const DATA_EXCEPTION: ErrorSpec = ErrorSpec::two("data-exception", 400);
/// A row fails the role's check, or a session value is missing.
pub const PERMISSION_ERROR: ErrorSpec = ErrorSpec::two("permission-error", 403);
/// An event stream, or an id on it, is in use.
pub const STREAM_IN_USE: ErrorSpec = ErrorSpec::one("conflict", 409);
/// The request has to ask for another version of the WebSocket protocol.
pub const UPGRADE_REQUIRED: ErrorSpec = ErrorSpec::one("bad-request", 426);
/// A concurrent transaction conflicts.
pub const CONFLICT: ErrorSpec = ErrorSpec::two("conflict", 409).retryable();
/// The handler of an action rejects the call.
pub const ACTION_FAILED: ErrorSpec = ErrorSpec::two("action-failed", 400);
/// A limit of the response.
pub const ANSWER_LIMIT: ErrorSpec = ErrorSpec::two("limit-exceeded", 400);
/// A limit of the document.
pub const DOCUMENT_LIMIT: ErrorSpec = ErrorSpec::one("limit-exceeded", 400);
/// The body is too large.
pub const BODY_LIMIT: ErrorSpec = ErrorSpec::one("limit-exceeded", 413);
/// The head of the request is too large.
pub const HEAD_LIMIT: ErrorSpec = ErrorSpec::one("limit-exceeded", 431);
/// The body did not arrive in time.
pub const BODY_TIME: ErrorSpec = ErrorSpec::one("limit-exceeded", 408);
/// The time limit has passed.
pub const TIME_LIMIT: ErrorSpec = ErrorSpec::one("limit-exceeded", 504).retryable();
/// A rate limit.
pub const RATE_LIMITED: ErrorSpec = ErrorSpec::one("rate-limited", 429).retryable();
/// An unknown path.
pub const NOT_FOUND: ErrorSpec = ErrorSpec::one("not-found", 404);
/// An unsupported method.
pub const METHOD_NOT_ALLOWED: ErrorSpec = ErrorSpec::one("method-not-allowed", 405);
/// The client accepts none of the supported media types.
pub const NOT_ACCEPTABLE: ErrorSpec = ErrorSpec::one("not-supported", 406);
/// An unsupported media type.
pub const MEDIA_TYPE: ErrorSpec = ErrorSpec::one("not-supported", 415);
/// A transfer coding that the gateway does not support.
pub const TRANSFER_CODING: ErrorSpec = ErrorSpec::one("not-supported", 501);
/// A feature of GraphQL that the gateway does not support.
pub const NOT_SUPPORTED: ErrorSpec = ErrorSpec::two("not-supported", 400);
/// A hash for which the client can send the document. Clients recognize this code, which is
/// Apollo's.
pub const UNKNOWN_DIGEST: ErrorSpec = ErrorSpec::two("PERSISTED_QUERY_NOT_FOUND", 400);
/// A hash, while persisted queries are disabled. Clients recognize this code, too.
pub const NO_DIGESTS: ErrorSpec = ErrorSpec::two("PERSISTED_QUERY_NOT_SUPPORTED", 400);
/// The id of an unknown document.
pub const UNKNOWN_DOCUMENT: ErrorSpec = ErrorSpec::two("not-found", 404);
/// The database is unavailable.
pub const UNAVAILABLE: ErrorSpec = ErrorSpec::one("unavailable", 503).retryable();
/// What the request changes may have been changed or not.
pub const OUTCOME_UNKNOWN: ErrorSpec = ErrorSpec::two("outcome-unknown", 500);
/// An internal error.
pub const UNEXPECTED: ErrorSpec = ErrorSpec::one("unexpected", 500);

/// All entries, for the reference page.
pub const ALL: [ErrorSpec; 31] = [
    UNAUTHENTICATED,
    FORBIDDEN,
    BAD_REQUEST,
    VALIDATION_FAILED,
    PARSE_FAILED,
    CONSTRAINT_VIOLATION,
    DATA_EXCEPTION,
    PERMISSION_ERROR,
    STREAM_IN_USE,
    UPGRADE_REQUIRED,
    CONFLICT,
    ACTION_FAILED,
    ANSWER_LIMIT,
    DOCUMENT_LIMIT,
    BODY_LIMIT,
    HEAD_LIMIT,
    BODY_TIME,
    TIME_LIMIT,
    RATE_LIMITED,
    NOT_FOUND,
    METHOD_NOT_ALLOWED,
    NOT_ACCEPTABLE,
    MEDIA_TYPE,
    TRANSFER_CODING,
    NOT_SUPPORTED,
    UNKNOWN_DIGEST,
    NO_DIGESTS,
    UNKNOWN_DOCUMENT,
    UNAVAILABLE,
    OUTCOME_UNKNOWN,
    UNEXPECTED,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::metrics::ALERTED_ERRORS;

    #[test]
    fn errors_that_alerts_watch_for_are_in_the_catalogue() {
        for (status, code) in ALERTED_ERRORS {
            let is_listed =
                |spec: &ErrorSpec| spec.code == code && spec.strict.to_string() == status;
            assert!(ALL.iter().any(is_listed), "{status} {code}");
        }
    }
}
