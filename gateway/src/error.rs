//! What can go wrong with a request, and what the client reads then: the one catalogue of codes and statuses, and the only
//! place that writes text for clients; [`hasura`] has the same in Hasura's words. Errors of a start are in [`crate::server`].

pub mod hasura;
mod refusal;

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, JsonRpcError, MetaObject, ProtocolVersion};
use serde_json::{Value, json};

use crate::config::dialect::Profile;
use crate::database::{DatabaseError, PostgresError};
use crate::limits::memory::OutOfMemory;
use crate::limits::{LimitExceeded, LimitKind, RateLimitExceeded};
use refusal::{NO_ROOM, database_entry, database_message, writing_entry, writing_message};
use sql::{Cause, ErrorKind};

/// Why a request has no answer.
#[derive(Debug)]
pub enum Error {
    /// No token, no secret, and no role for callers without.
    NoAuthorization,
    /// A token that does not count.
    NotVerified(TokenError),
    /// An admin secret that is not the right one.
    WrongAdminSecret,
    /// The same of what opens `/metrics`.
    WrongMetricsSecret,
    /// A request for `/metrics` from another machine, where no secret protects them.
    MetricsElsewhere,
    /// A personal access token that opens nothing.
    PersonalAccessToken,
    /// A refresh token that is used up, revoked, over, or none.
    RefreshToken,
    /// Keys of tokens that were never fetched.
    KeysAway,
    /// A caller whom the authentication hook does not let in.
    HookRefused,
    /// An authentication hook that does not answer; the text is for the log.
    HookAway(String),
    /// A header that says who is asking, given twice.
    HeaderTwice(String),
    /// A role that the caller may not take.
    RoleNotAllowed,
    /// The row that an endpoint requires is not visible to the caller: another's, or none at all.
    RowNotVisible,
    /// A request of the wrong shape.
    Malformed(InvalidRequest),
    /// What `sql` says of the document or its variables.
    Query(sql::Error),
    /// A limit of the gateway.
    Limit(LimitExceeded),
    /// A caller who asks too often.
    RateLimited(Box<RateLimitExceeded>),
    /// A request that does not fit into memory beside those that there are.
    OutOfMemory(OutOfMemory),
    /// A database that refused, or is not there.
    Database(DatabaseError),
    /// A database that refused what was to be written.
    NotWritten {
        /// What it says.
        refusal: PostgresError,
        /// The place in the request.
        path: String,
    },
    /// A dry run by a role that may not use them; the value is the role.
    NoDryRun(String),
    /// A tool that there is not, or not for the caller; the value is its name.
    UnknownTool(String),
    /// A web page that may not call.
    OriginNotAllowed,
    /// No such path.
    NotFound,
    /// A path that does not take this method.
    MethodNotAllowed {
        /// The methods it takes.
        allow: String,
    },
    /// A mutation or subscription where only queries are answered.
    OnlyQueries,
    /// A subscription by plain HTTP.
    NoSubscriptions,
    /// The digest of a query in place of the query, where none are taken.
    PersistedQuery,
    /// A name or a digest in place of a query, which stands for nothing that the caller may ask.
    UnknownDocument(UnknownDocument),
    /// An operation that is on no allow list of the role; the text is for the log.
    Unlisted(String),
    /// A body that is not JSON by its own account.
    ContentType,
    /// A body that is neither JSON nor a form by its own account.
    ParameterType,
    /// A body that is compressed in a way that is not read here.
    ContentEncoding,
    /// A client that takes none of the media types there are.
    NotAcceptable,
    /// A fault of ours; the text is for the log.
    Internal(String),
}

/// Why a token does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Its time is over.
    #[error("JWTExpired")]
    Expired,
    /// Its time has not come.
    #[error("JWTNotYetValid")]
    NotYetValid,
    /// The header is not `Bearer <token>`.
    #[error("malformed authorization header")]
    Header,
    /// The token is not a JWT.
    #[error("malformed token")]
    Token,
    /// No key verifies it.
    #[error("JWSInvalidSignature")]
    Signature,
    /// It names a key that is none of the issuer's.
    #[error("no key has the token's 'kid'")]
    Key,
    /// There is another one, and both could be meant.
    #[error("more than one token is given")]
    Several,
    /// It is signed another way than its key is for.
    #[error("the algorithm is not the one of the key")]
    Algorithm,
    /// It has extensions that have to be understood and are not.
    #[error("critical header parameters are not supported")]
    Critical,
    /// It is for somebody else.
    #[error("JWTNotInAudience")]
    Audience,
    /// It is from somebody else.
    #[error("JWTNotInIssuer")]
    Issuer,
    /// The server has no key.
    #[error("no key is configured")]
    NoKey,
    /// A claim is missing.
    #[error("the claim '{0}' is missing")]
    MissingClaim(String),
    /// A claim is given twice, in two spellings.
    #[error("the claim '{0}' is given twice, in two spellings")]
    TwoSpellings(String),
    /// A claim has the wrong form.
    #[error("the claim '{name}' has to be {expected}")]
    Claim {
        /// Its name.
        name: String,
        /// What it should be.
        expected: &'static str,
    },
}

/// What was sent in place of a query, and stands for nothing that the caller may ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDocument {
    /// The name of a document; if it is not there, it was a digest that the client can send the query for.
    pub id: Option<String>,
    /// What the log says of a document that there is.
    pub cause: Option<String>,
}

/// How a request is of the wrong shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRequest {
    /// HTTP without TLS, where TLS is spoken.
    #[error("this port speaks HTTPS, and the request came without TLS")]
    PlainHttp,
    /// A body that does not parse.
    #[error("the body is not JSON: line {line}, column {column}")]
    Json {
        /// Where.
        line: usize,
        /// Where.
        column: usize,
    },
    /// A request that is not an object.
    #[error("a request has to be a JSON object")]
    NotAnObject,
    /// `[]`.
    #[error("a batch of requests must not be empty")]
    EmptyBatch,
    /// No document.
    #[error("the request has no 'query'")]
    NoQuery,
    /// A document, and the name of one.
    #[error("'query' and 'documentId' are given, where only one of them can be")]
    TwoDocuments,
    /// A digest beside a document that has another.
    #[error("provided sha does not match query")]
    Digest,
    /// A member of the wrong type.
    #[error("'{name}' has to be {expected}")]
    Member {
        /// Its name.
        name: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// A personal access token for somebody who has a hundred.
    #[error("a user has a hundred tokens that hold at most; revoke one of them")]
    TooManyTokens,
    /// A member given twice.
    #[error("'{0}' is given twice")]
    MemberTwice(&'static str),
    /// `%zz`, or bytes that are not UTF-8, in the name of a parameter.
    #[error("the name of a parameter is not percent-encoded UTF-8")]
    PercentEncoding,
    /// The same in the value of that parameter.
    #[error("the parameter '{0}' is not percent-encoded UTF-8")]
    ParameterEncoding(String),
    /// Bytes of a form that are not UTF-8.
    #[error("the form is not UTF-8")]
    Form,
    /// A parameter of the query string given twice.
    #[error("the parameter '{0}' is given twice")]
    ParameterTwice(String),
    /// A parameter that an endpoint does not take.
    #[error("unknown parameter '{0}'")]
    UnknownParameter(String),
    /// A parameter that an endpoint needs.
    #[error("the parameter '{0}' is missing")]
    MissingParameter(String),
    /// A parameter whose type is written as JSON, and whose text is none.
    #[error("the parameter '{0}' has to be JSON")]
    ParameterJson(String),
    /// JSON that is no message of the Model Context Protocol.
    #[error("the body is not a message of the Model Context Protocol")]
    Message,
    /// A message that asks for something else than tools.
    #[error("this method is not answered here")]
    Method,
    /// A message whose parameters are not those of its method.
    #[error("'params' is not what the method takes in this version of the protocol")]
    MessageParameters,
    /// Headers by which something on the way could have judged another message.
    #[error("the headers 'MCP-Protocol-Version', 'Mcp-Method' and 'Mcp-Name' have to say what the message does")]
    MessageHeaders,
    /// A version of that protocol that is not known.
    #[error("the header 'MCP-Protocol-Version' has to be one of {}", versions())]
    ProtocolVersion,
    /// Parameters that are no object.
    #[error("the parameters in a body have to be a JSON object")]
    ParameterBody,
    /// A GET that a foreign page could have made.
    #[error(
        "a GET request needs a header that a foreign page cannot send: 'Authorization', 'Content-Type: application/json', \
         'Apollo-Require-Preflight' or one of the gateway's own"
    )]
    Preflight,
    /// A body that ended before its announced length.
    #[error("the body could not be read")]
    Body,
    /// A compressed body that is broken, or not compressed.
    #[error("the body is not compressed as its header 'Content-Encoding' says")]
    Compressed,
    /// A header whose value is not text, or not one of those it may have.
    #[error("the header '{0}' has a value that cannot be read")]
    Header(String),
    /// Two headers that give one session value: `X-Gateway-User-Id` and `X-Gateway-User_Id`.
    #[error("the header '{0}' is given twice, in two spellings")]
    TwoSpellings(String),
    /// A header that says yes or no and says something else.
    #[error("the header '{0}' has a value that is neither true nor false")]
    Switch(String),
}

/// One line of the catalogue: what a client can rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorSpec {
    /// `extensions.code`.
    pub code: &'static str,
    /// The HTTP status of GraphQL answers as `application/json`.
    pub lenient: u16,
    /// The HTTP status of `application/graphql-response+json` and REST.
    pub strict: u16,
    /// Whether the same request may do better later.
    pub retryable: bool,
}

impl ErrorSpec {
    const fn one(code: &'static str, status: u16) -> ErrorSpec {
        ErrorSpec { code, lenient: status, strict: status, retryable: false }
    }

    const fn two(code: &'static str, strict: u16) -> ErrorSpec {
        ErrorSpec { code, lenient: 200, strict, retryable: false }
    }

    const fn retryable(self) -> ErrorSpec {
        ErrorSpec { retryable: true, ..self }
    }
}

/// The catalogue: every combination of code and statuses that there is.
pub mod catalogue {
    use super::ErrorSpec;

    /// Who is asking is not known.
    pub const UNAUTHENTICATED: ErrorSpec = ErrorSpec::one("access-denied", 401);
    /// Who is asking may not.
    pub const FORBIDDEN: ErrorSpec = ErrorSpec::one("access-denied", 403);
    /// The request is not one.
    pub const BAD_REQUEST: ErrorSpec = ErrorSpec::one("bad-request", 400);
    /// The document breaks a rule of GraphQL or of the role's schema.
    pub const VALIDATION_FAILED: ErrorSpec = ErrorSpec::two("validation-failed", 400);
    /// The document is not GraphQL.
    pub const PARSE_FAILED: ErrorSpec = ErrorSpec::two("parse-failed", 400);
    /// A value is of the wrong type, or a constraint of the database is broken.
    pub const CONSTRAINT_VIOLATION: ErrorSpec = ErrorSpec::two("constraint-violation", 400);
    /// Postgres cannot compute with a value.
    pub const DATA_EXCEPTION: ErrorSpec = ErrorSpec::two("data-exception", 400);
    /// A row fails the role's check, or a session value is missing.
    pub const PERMISSION_ERROR: ErrorSpec = ErrorSpec::two("permission-error", 403);
    /// Somebody else was faster.
    pub const CONFLICT: ErrorSpec = ErrorSpec::two("conflict", 409).retryable();
    /// A limit of the answer.
    pub const ANSWER_LIMIT: ErrorSpec = ErrorSpec::two("limit-exceeded", 400);
    /// A limit of the document.
    pub const DOCUMENT_LIMIT: ErrorSpec = ErrorSpec::one("limit-exceeded", 400);
    /// The body is too large.
    pub const BODY_LIMIT: ErrorSpec = ErrorSpec::one("limit-exceeded", 413);
    /// The head of the request is too large.
    pub const HEAD_LIMIT: ErrorSpec = ErrorSpec::one("limit-exceeded", 431);
    /// The body did not arrive.
    pub const BODY_TIME: ErrorSpec = ErrorSpec::one("limit-exceeded", 408);
    /// The time is over.
    pub const TIME_LIMIT: ErrorSpec = ErrorSpec::one("limit-exceeded", 504).retryable();
    /// Too often.
    pub const RATE_LIMITED: ErrorSpec = ErrorSpec::one("rate-limited", 429).retryable();
    /// No such path.
    pub const NOT_FOUND: ErrorSpec = ErrorSpec::one("not-found", 404);
    /// Not by this method.
    pub const METHOD_NOT_ALLOWED: ErrorSpec = ErrorSpec::one("method-not-allowed", 405);
    /// None of the media types there are is wanted.
    pub const NOT_ACCEPTABLE: ErrorSpec = ErrorSpec::one("not-supported", 406);
    /// Not this media type.
    pub const MEDIA_TYPE: ErrorSpec = ErrorSpec::one("not-supported", 415);
    /// GraphQL that the gateway does not do.
    pub const NOT_SUPPORTED: ErrorSpec = ErrorSpec::two("not-supported", 400);
    /// A digest for which the client can send the document. Clients know this code, which is Apollo's.
    pub const UNKNOWN_DIGEST: ErrorSpec = ErrorSpec::two("PERSISTED_QUERY_NOT_FOUND", 400);
    /// A digest where none are taken. Clients know this code too.
    pub const NO_DIGESTS: ErrorSpec = ErrorSpec::two("PERSISTED_QUERY_NOT_SUPPORTED", 400);
    /// The name of a document that there is not.
    pub const UNKNOWN_DOCUMENT: ErrorSpec = ErrorSpec::two("not-found", 404);
    /// The database is away.
    pub const UNAVAILABLE: ErrorSpec = ErrorSpec::one("unavailable", 503).retryable();
    /// A fault of the server.
    pub const UNEXPECTED: ErrorSpec = ErrorSpec::one("unexpected", 500);

    /// All of them, for the reference page.
    pub const ALL: [ErrorSpec; 26] = [
        UNAUTHENTICATED,
        FORBIDDEN,
        BAD_REQUEST,
        VALIDATION_FAILED,
        PARSE_FAILED,
        CONSTRAINT_VIOLATION,
        DATA_EXCEPTION,
        PERMISSION_ERROR,
        CONFLICT,
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
        NOT_SUPPORTED,
        UNKNOWN_DIGEST,
        NO_DIGESTS,
        UNKNOWN_DOCUMENT,
        UNAVAILABLE,
        UNEXPECTED,
    ];
}

impl Error {
    /// The catalogue's entry.
    pub fn spec(&self) -> ErrorSpec {
        match self {
            Error::NoAuthorization
            | Error::NotVerified(_)
            | Error::WrongAdminSecret
            | Error::WrongMetricsSecret
            | Error::PersonalAccessToken
            | Error::RefreshToken
            | Error::HookRefused => catalogue::UNAUTHENTICATED,
            Error::KeysAway | Error::HookAway(_) | Error::OutOfMemory(_) => catalogue::UNAVAILABLE,
            Error::RoleNotAllowed
            | Error::NoDryRun(_)
            | Error::RowNotVisible
            | Error::OriginNotAllowed
            | Error::MetricsElsewhere => catalogue::FORBIDDEN,
            Error::HeaderTwice(_) | Error::Malformed(_) | Error::UnknownTool(_) => catalogue::BAD_REQUEST,
            Error::Query(error) => query_entry(error),
            Error::Limit(LimitExceeded::Body(_) | LimitExceeded::Inflation(_)) => catalogue::BODY_LIMIT,
            Error::Limit(LimitExceeded::Head(_)) => catalogue::HEAD_LIMIT,
            Error::Limit(LimitExceeded::BodyTime(_)) => catalogue::BODY_TIME,
            Error::Limit(LimitExceeded::Time(_) | LimitExceeded::ReadRate(_)) => catalogue::TIME_LIMIT,
            Error::Limit(LimitExceeded::Batch(_) | LimitExceeded::Rows(_) | LimitExceeded::Cost(_)) => {
                catalogue::DOCUMENT_LIMIT
            }
            Error::Limit(LimitExceeded::Answer(_)) => catalogue::ANSWER_LIMIT,
            Error::RateLimited(_) => catalogue::RATE_LIMITED,
            Error::Database(fault) => database_entry(fault),
            Error::NotWritten { refusal, .. } => writing_entry(refusal),
            Error::NotFound => catalogue::NOT_FOUND,
            Error::MethodNotAllowed { .. } | Error::OnlyQueries => catalogue::METHOD_NOT_ALLOWED,
            Error::NoSubscriptions => catalogue::NOT_SUPPORTED,
            Error::PersistedQuery => catalogue::NO_DIGESTS,
            Error::UnknownDocument(UnknownDocument { id: None, .. }) => catalogue::UNKNOWN_DIGEST,
            Error::UnknownDocument(_) => catalogue::UNKNOWN_DOCUMENT,
            Error::Unlisted(_) => catalogue::VALIDATION_FAILED,
            Error::ContentType | Error::ParameterType | Error::ContentEncoding => catalogue::MEDIA_TYPE,
            Error::NotAcceptable => catalogue::NOT_ACCEPTABLE,
            Error::Internal(_) => catalogue::UNEXPECTED,
        }
    }

    /// The limit that the request exceeded, if it is one that can be set for each role.
    pub fn limit(&self) -> Option<LimitKind> {
        match self {
            Error::Limit(LimitExceeded::Body(_)) => Some(LimitKind::Body),
            Error::Limit(LimitExceeded::Batch(_)) => Some(LimitKind::Batch),
            Error::Limit(LimitExceeded::Answer(_)) | Error::Database(DatabaseError::Long(_)) => Some(LimitKind::Answer),
            Error::Limit(LimitExceeded::Rows(_)) => Some(LimitKind::Rows),
            Error::Limit(LimitExceeded::Cost(_)) => Some(LimitKind::Cost),
            Error::Limit(LimitExceeded::Time(_)) | Error::Database(DatabaseError::Late(_)) => Some(LimitKind::Time),
            Error::Query(sql::Error { cause: Cause::Limit { limit, .. }, .. }) => LimitKind::of_document(limit),
            _ => None,
        }
    }

    /// Whether the request was refused, and nothing of it done, since the database has changed after its catalog was read.
    pub fn is_outdated(&self) -> bool {
        match self {
            Error::Database(fault) => fault.is_outdated(),
            Error::NotWritten { refusal, .. } => refusal.is_outdated,
            _ => false,
        }
    }

    /// What the client reads. An unexpected error's text is completed by [`Error::to_graphql`].
    pub fn message(&self) -> String {
        match self {
            Error::NoAuthorization => "No authorization header provided".into(),
            Error::NotVerified(reason) => format!("Could not verify JWT: {reason}"),
            Error::WrongAdminSecret => "invalid admin secret".into(),
            Error::WrongMetricsSecret => "invalid metrics secret".into(),
            Error::MetricsElsewhere => {
                "metrics without a secret are answered to the gateway's own machine alone".into()
            }
            Error::PersonalAccessToken => "Invalid personal access token".into(),
            Error::RefreshToken => "Invalid or expired refresh token".into(),
            Error::KeysAway => "the keys that tokens are verified by are not available".into(),
            Error::HookRefused => "Authentication hook unauthorized this request".into(),
            Error::HookAway(_) => "the authentication hook is not available".into(),
            Error::HeaderTwice(name) => format!("the header '{name}' is given twice"),
            Error::RoleNotAllowed => "User does not have required role permissions".into(),
            Error::RowNotVisible => "Access denied to data controller resources".into(),
            Error::Malformed(malformed) => malformed.to_string(),
            Error::Query(error) => error.to_string(),
            Error::Limit(exceeded) => exceeded.to_string(),
            Error::RateLimited(refused) => refused.to_string(),
            Error::OutOfMemory(_) => NO_ROOM.into(),
            Error::Database(fault) => database_message(fault),
            Error::NotWritten { refusal, .. } => writing_message(refusal),
            Error::NoDryRun(role) => format!("Role '{role}' may not use dry runs"),
            Error::UnknownTool(name) => format!("Unknown tool: {name}"),
            Error::OriginNotAllowed => "requests from this origin are not allowed".into(),
            Error::NotFound => "no such path".into(),
            Error::MethodNotAllowed { allow } => format!("this path takes {allow} only"),
            Error::OnlyQueries => "only a query can be sent by GET".into(),
            Error::NoSubscriptions => "a subscription cannot be answered by GET or POST".into(),
            // Clients know both by these words.
            Error::PersistedQuery => "PersistedQueryNotSupported".into(),
            Error::UnknownDocument(UnknownDocument { id: None, .. }) => "PersistedQueryNotFound".into(),
            Error::UnknownDocument(UnknownDocument { id: Some(id), .. }) => format!("document '{id}' not found"),
            Error::Unlisted(_) => "query is not allowed".into(),
            Error::ContentType => "the content type has to be 'application/json'".into(),
            Error::ParameterType => {
                "the content type has to be 'application/json' or 'application/x-www-form-urlencoded'".into()
            }
            Error::ContentEncoding => "the content encoding has to be one of 'gzip', 'br' and 'zstd'".into(),
            Error::NotAcceptable => {
                "the answer can be 'application/json' or 'application/graphql-response+json' only".into()
            }
            Error::Internal(_) => "internal error".into(),
        }
    }

    /// What REST clients read: the message, which for an expired token is another one.
    pub fn rest_message(&self) -> String {
        match self {
            Error::NotVerified(TokenError::Expired) => "JWT token has expired".into(),
            other => other.message(),
        }
    }

    /// The refusal of the database that it is made of.
    pub fn refusal_mut(&mut self) -> Option<&mut PostgresError> {
        match self {
            Error::Database(DatabaseError::Refused(refusal)) | Error::NotWritten { refusal, .. } => Some(refusal),
            _ => None,
        }
    }

    /// What only the log holds.
    pub fn cause(&self) -> Option<String> {
        match self {
            Error::Internal(cause) | Error::HookAway(cause) | Error::Unlisted(cause) => Some(cause.clone()),
            Error::UnknownDocument(unknown) => unknown.cause.clone(),
            Error::OutOfMemory(error) => Some(error.to_string()),
            Error::Database(fault) => Some(fault.to_string()),
            Error::NotWritten { refusal, .. } => Some(refusal.to_string()),
            _ => None,
        }
    }

    /// The code that is told under a profile.
    pub fn code(&self, profile: Profile) -> &'static str {
        match profile {
            Profile::Gateway => self.spec().code,
            Profile::Hasura => hasura::HasuraError::of(self).code,
        }
    }

    /// The envelope of GraphQL: `{"errors":[…]}`.
    pub fn to_graphql(&self, request_id: &str, profile: Profile) -> Value {
        if profile == Profile::Hasura {
            return hasura::HasuraError::of(self).to_graphql();
        }
        let path = match self {
            Error::Query(error) => error.path.as_str(),
            Error::NotWritten { path, .. } => path,
            _ => "$",
        };
        let mut error = json!({
            "message": shortened(&self.to_text(self.message(), request_id)),
            "extensions": {"code": self.spec().code, "path": shortened(path)},
        });
        if let Error::Query(sql::Error { location: Some((line, column)), .. }) = self {
            error["locations"] = json!([{"line": line, "column": column}]);
        }
        json!({ "errors": [error] })
    }

    /// The envelope of everything else: `{"status":"error","message":…,"data":null}`.
    pub fn to_rest(&self, request_id: &str, profile: Profile) -> Value {
        if profile == Profile::Hasura {
            return hasura::HasuraError::of(self).to_rest();
        }
        let message = self.to_text(self.rest_message(), request_id);
        json!({"status": "error", "message": shortened(&message), "data": null})
    }

    /// The envelope of the Model Context Protocol: `{"jsonrpc":"2.0","error":…}`, where it is not known what is answered.
    pub fn to_message(&self, request_id: &str, profile: Profile) -> Value {
        let message = JsonRpcError::new(None, self.to_json_rpc(request_id, profile));
        serde_json::to_value(message).unwrap_or_default()
    }

    /// What is wrong with a message by the number that the protocol has for it.
    pub fn of_json_rpc(error: &ErrorData) -> Error {
        match error.code {
            ErrorCode::METHOD_NOT_FOUND => InvalidRequest::Method.into(),
            ErrorCode::INVALID_PARAMS => InvalidRequest::MessageParameters.into(),
            ErrorCode::HEADER_MISMATCH => InvalidRequest::MessageHeaders.into(),
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => InvalidRequest::ProtocolVersion.into(),
            ErrorCode::INTERNAL_ERROR => Error::Internal(error.message.to_string()),
            _ => InvalidRequest::Message.into(),
        }
    }

    /// The same as an error of that protocol.
    pub fn to_json_rpc(&self, request_id: &str, profile: Profile) -> ErrorData {
        let code = match self {
            Error::Malformed(InvalidRequest::Json { .. }) => ErrorCode::PARSE_ERROR,
            Error::Malformed(InvalidRequest::Method) => ErrorCode::METHOD_NOT_FOUND,
            Error::Malformed(InvalidRequest::MessageParameters) | Error::UnknownTool(_) => ErrorCode::INVALID_PARAMS,
            Error::Malformed(InvalidRequest::MessageHeaders) => ErrorCode::HEADER_MISMATCH,
            _ if self.spec().strict >= 500 => ErrorCode::INTERNAL_ERROR,
            _ => ErrorCode::INVALID_REQUEST,
        };
        let data = json!({"code": self.code(profile)});
        ErrorData::new(code, self.plain(request_id, profile), Some(data))
    }

    /// The same as what a tool tells: text, and beside it the code.
    pub fn to_tool(&self, request_id: &str, profile: Profile) -> CallToolResult {
        let text = ContentBlock::text(self.plain(request_id, profile));
        let code = [("code".to_owned(), self.code(profile).into())];
        CallToolResult::error(vec![text]).with_meta(Some(MetaObject(code.into_iter().collect())))
    }

    /// The message alone.
    fn plain(&self, request_id: &str, profile: Profile) -> String {
        let message = match profile {
            Profile::Gateway => self.to_text(self.rest_message(), request_id),
            Profile::Hasura => hasura::HasuraError::of(self).message,
        };
        shortened(&message).into_owned()
    }

    fn to_text(&self, message: String, request_id: &str) -> String {
        match self.spec() {
            catalogue::UNEXPECTED => format!("{message} (request {request_id})"),
            _ => message,
        }
    }
}

/// Names come from requests, so they may be as long as requests are; what is told of them is not.
const TOLD: usize = 2000;

fn shortened(text: &str) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(TOLD) {
        None => text.into(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
    }
}

/// The versions of the Model Context Protocol that rmcp speaks.
fn versions() -> String {
    let versions: Vec<String> = ProtocolVersion::KNOWN_VERSIONS.iter().map(|known| format!("'{known}'")).collect();
    versions.join(", ")
}

fn query_entry(error: &sql::Error) -> ErrorSpec {
    match error.kind() {
        ErrorKind::LimitExceeded if matches!(error.cause, Cause::Affected { .. }) => catalogue::ANSWER_LIMIT,
        ErrorKind::ValidationFailed => catalogue::VALIDATION_FAILED,
        ErrorKind::ParseFailed => catalogue::PARSE_FAILED,
        ErrorKind::BadRequest => catalogue::BAD_REQUEST,
        ErrorKind::ConstraintViolation => catalogue::CONSTRAINT_VIOLATION,
        ErrorKind::PermissionError => catalogue::PERMISSION_ERROR,
        ErrorKind::LimitExceeded => catalogue::DOCUMENT_LIMIT,
        ErrorKind::NotSupported => catalogue::NOT_SUPPORTED,
        ErrorKind::Conflict => catalogue::CONFLICT,
    }
}

impl From<InvalidRequest> for Error {
    fn from(malformed: InvalidRequest) -> Error {
        Error::Malformed(malformed)
    }
}

impl From<TokenError> for Error {
    fn from(reason: TokenError) -> Error {
        Error::NotVerified(reason)
    }
}

impl From<LimitExceeded> for Error {
    fn from(exceeded: LimitExceeded) -> Error {
        Error::Limit(exceeded)
    }
}

impl From<OutOfMemory> for Error {
    fn from(error: OutOfMemory) -> Error {
        Error::OutOfMemory(error)
    }
}

impl From<DatabaseError> for Error {
    fn from(fault: DatabaseError) -> Error {
        match fault {
            DatabaseError::Long(limit) => LimitExceeded::Answer(limit).into(),
            DatabaseError::OutOfMemory(error) => error.into(),
            fault => Error::Database(fault),
        }
    }
}

impl From<sql::encode::Error> for Error {
    fn from(error: sql::encode::Error) -> Error {
        match error {
            sql::encode::Error::Type(_) => Error::Database(DatabaseError::Changed(error.to_string())),
            sql::encode::Error::Keys => Error::Query(
                Cause::Limit { limit: "rows of a list with lists in them", value: sql::encode::shape::KEYS }.under("$"),
            ),
            other => Error::Internal(other.to_string()),
        }
    }
}

impl From<sql::Error> for Error {
    fn from(error: sql::Error) -> Error {
        match error.cause {
            Cause::Required => Error::RowNotVisible,
            _ => Error::Query(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_no_line_twice() {
        for (place, entry) in catalogue::ALL.iter().enumerate() {
            assert!(!catalogue::ALL[..place].contains(entry), "{entry:?}");
        }
    }

    #[test]
    fn both_faces_of_an_error() {
        let expired = Error::NotVerified(TokenError::Expired);
        assert_eq!(
            expired.to_graphql("1", Profile::Gateway).to_string(),
            r#"{"errors":[{"message":"Could not verify JWT: JWTExpired","extensions":{"code":"access-denied","path":"$"}}]}"#
        );
        assert_eq!(
            expired.to_rest("1", Profile::Gateway).to_string(),
            r#"{"status":"error","message":"JWT token has expired","data":null}"#
        );
    }

    #[test]
    fn locations_are_told() {
        let cause = Cause::Syntax { line: 1, column: 3 };
        let error = Error::Query(sql::Error { cause, path: "$.query".into(), location: Some((1, 3)) });
        let told = error.to_graphql("1", Profile::Gateway);
        assert_eq!(told["errors"][0]["locations"], json!([{"line": 1, "column": 3}]));
        assert_eq!(told["errors"][0]["extensions"]["path"], "$.query");
        assert_eq!((error.spec().lenient, error.spec().strict), (200, 400));
    }

    #[test]
    fn a_row_that_is_too_long_is_an_answer_that_is() {
        let error = Error::from(DatabaseError::Long(5));
        assert_eq!((error.spec(), error.message()), (catalogue::ANSWER_LIMIT, LimitExceeded::Answer(5).to_string()));
    }

    #[test]
    fn an_unexpected_error_tells_the_request_and_nothing_else() {
        let error = Error::Internal("/etc/passwd".into());
        assert_eq!(error.to_rest("r-1", Profile::Gateway)["message"], "internal error (request r-1)");
        let refusal = PostgresError { sqlstate: "XX000".into(), ..PostgresError::default() };
        let told = Error::Database(DatabaseError::Refused(refusal)).to_graphql("r-1", Profile::Gateway);
        assert_eq!(told["errors"][0]["message"], "internal error (request r-1)");
    }
}
