//! The errors of requests and their texts for clients: the one catalogue of codes and statuses, and
//! the only module that writes messages for clients. [`hasura`] has the same errors in Hasura's
//! format. Startup errors are in [`crate::server`].

mod action;
pub mod catalogue;
pub mod hasura;
mod plugin;
mod reason;
mod refusal;

use std::borrow::Cow;
use std::sync::Arc;

use pg::memory::OutOfMemory;
use pg::{DatabaseError, PostgresError};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorCode, JsonRpcError, MetaObject, ProtocolVersion,
};
use serde_json::{Value, json};

use crate::config::dialect::Profile;
use crate::limits::{LimitExceeded, LimitKind, RateLimitExceeded};
pub use action::ActionError;
pub use catalogue::ErrorSpec;
pub use plugin::{FaultLog, PluginFault};
pub use reason::Reason;
use refusal::{NO_ROOM, database_entry, database_message, writing_entry, writing_message};
use sql::{Cause, ErrorKind, RequestLimit};

/// Why a request failed.
#[derive(Debug)]
pub enum Error {
    /// No token and no secret, and no role for requests without credentials.
    NoAuthorization,
    /// An invalid token.
    InvalidToken(TokenError),
    /// A wrong admin secret.
    WrongAdminSecret,
    /// An error of a plugin.
    Plugin(Box<PluginFault>),
    /// The issuer's published keys could not be fetched yet.
    KeysUnavailable,
    /// The authentication webhook rejects the request.
    WebhookRejected,
    /// The authentication webhook does not respond; the text is for the log.
    WebhookUnavailable(String),
    /// A header used for authentication is repeated.
    HeaderTwice(String),
    /// A role that the caller may not use.
    RoleNotAllowed,
    /// The row that an endpoint requires does not exist or is not visible to the caller.
    RowNotVisible(Option<Arc<str>>),
    /// A malformed request.
    InvalidRequest(InvalidRequest),
    /// A request for a WebSocket that cannot be granted.
    InvalidUpgrade(InvalidUpgrade),
    /// An event stream that is open already, or an operation on it whose id is in use.
    StreamInUse(&'static str),
    /// An error of `sql` in the document or its variables.
    Query(sql::Error),
    /// A limit of the gateway.
    Limit(LimitExceeded),
    /// A rate limit.
    RateLimited(Box<RateLimitExceeded>),
    /// The memory budget has no room for the request.
    OutOfMemory(OutOfMemory),
    /// The database rejected a statement or is unavailable.
    Database(DatabaseError),
    /// The database rejected a mutation.
    NotWritten {
        /// The error from Postgres.
        refusal: PostgresError,
        /// The path in the request.
        path: String,
    },
    /// The handler of an action rejects the call.
    Action(Box<ActionError>),
    /// The handler of an action cannot be called, or does not answer; the text is for the log.
    ActionUnavailable(String),
    /// The handler of an action that changes something was called and did not say what it has done;
    /// the text is for the log.
    OutcomeUnknown(String),
    /// A mutation was sent to the database, which did not say whether it has committed it; the text
    /// is for the log.
    CommitUnknown(String),
    /// The handler of an action, or the authentication webhook, gives an answer that cannot be
    /// used; the text is for the log.
    UnusableAnswer(String),
    /// A dry run of an action that cannot be undone; the value is its path.
    ActionDryRun(String),
    /// A dry run by a role that may not use them; the value is the role.
    NoDryRun(String),
    /// An unknown tool, or one that the caller may not use; the value is its name.
    UnknownTool(String),
    /// An origin that CORS does not allow.
    OriginNotAllowed,
    /// A host that requests without credentials may not name.
    HostNotAllowed,
    /// An unknown path.
    NotFound,
    /// A path of other servers, with what is to be found where.
    Misplaced(&'static str),
    /// An event stream that is not reserved, or by another caller.
    NoEventStream,
    /// A method that the path does not support.
    MethodNotAllowed {
        /// The supported methods.
        allow: String,
    },
    /// A mutation or subscription where only queries are allowed.
    OnlyQueries,
    /// A subscription over plain HTTP.
    NoSubscriptions,
    /// A persisted query hash, while persisted queries are disabled.
    PersistedQuery,
    /// A document id or hash that is unknown or not allowed for the caller.
    UnknownDocument(UnknownDocument),
    /// An operation that is not on an allow list of the role; the text is for the log.
    Unlisted(String),
    /// A transfer coding other than `chunked`.
    TransferEncoding,
    /// A `Content-Type` other than JSON.
    ContentType,
    /// A `Content-Type` other than JSON or a form.
    ParameterType,
    /// A body of a REST request without `Content-Type`.
    NoParameterType,
    /// An unsupported `Content-Encoding`.
    ContentEncoding,
    /// An `Accept` header without any supported media type.
    NotAcceptable,
    /// An internal error; the text is for the log.
    Internal(String),
}

/// Why a token is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It has expired.
    #[error("JWTExpired")]
    Expired,
    /// It is not valid yet.
    #[error("JWTNotYetValid")]
    NotYetValid,
    /// The header is not `Bearer <token>`.
    #[error("malformed authorization header")]
    Header,
    /// It is not a JWT.
    #[error("malformed token")]
    Token,
    /// Its signature is invalid.
    #[error("JWSInvalidSignature")]
    Signature,
    /// It names a key that the issuer does not have.
    #[error("no key has the token's 'kid'")]
    Key,
    /// Different tokens were sent, and more than one may be meant.
    #[error("more than one token is given")]
    Several,
    /// Its algorithm is not that of the key.
    #[error("the algorithm is not the one of the key")]
    Algorithm,
    /// It has critical header parameters, which are not supported.
    #[error("critical header parameters are not supported")]
    Critical,
    /// Its audience is not configured.
    #[error("JWTNotInAudience")]
    Audience,
    /// Its issuer is not configured.
    #[error("JWTNotInIssuer")]
    Issuer,
    /// No key is configured.
    #[error("no key is configured")]
    NoKey,
    /// A claim is missing.
    #[error("the claim '{0}' is missing")]
    MissingClaim(String),
    /// A claim occurs in two spellings.
    #[error("the claim '{0}' is given twice, in two spellings")]
    TwoSpellings(String),
    /// A claim has the wrong type.
    #[error("the claim '{name}' has to be {expected}")]
    Claim {
        /// Its name.
        name: String,
        /// The expected type.
        expected: &'static str,
    },
}

/// A document id or hash that is unknown or not allowed for the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDocument {
    /// The document's id; `None` for a hash, for which the client can send the query.
    pub id: Option<String>,
    /// The reason for the log, if the document exists.
    pub cause: Option<String>,
}

/// Why a connection cannot become a WebSocket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUpgrade {
    /// A method other than GET.
    #[error("a WebSocket is opened by GET")]
    Method,
    /// HTTP/1.0 or HTTP/2, or no `Connection: Upgrade`.
    #[error(
        "a WebSocket needs HTTP/1.1 and the header 'Connection: Upgrade', which proxies have \
             to pass on"
    )]
    Connection,
    /// A version of the WebSocket protocol other than 13.
    #[error("the header 'Sec-WebSocket-Version' has to be 13")]
    Version,
    /// No key, or one that is not 16 bytes in base64.
    #[error("the header 'Sec-WebSocket-Key' has to be 16 bytes in base64")]
    Key,
}

/// Why a request is malformed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRequest {
    /// Bytes that are no request of HTTP/1.
    #[error("this is not a valid HTTP request")]
    NotHttp,
    /// HTTP without TLS on a TLS port.
    #[error("this port speaks HTTPS, and the request came without TLS")]
    PlainHttp,
    /// A body that is not JSON.
    #[error("the body is not JSON: line {line}, column {column}")]
    Json {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
    /// A request that is not an object.
    #[error("a request has to be a JSON object")]
    NotAnObject,
    /// An empty batch: `[]`.
    #[error("a batch of requests must not be empty")]
    EmptyBatch,
    /// No document.
    #[error("the request has no 'query'")]
    NoQuery,
    /// Both a document and the id of one.
    #[error("'query' and 'documentId' are given, where only one of them can be")]
    TwoDocuments,
    /// A persisted query hash that does not match the document.
    #[error("provided sha does not match query")]
    Digest,
    /// A member of the wrong type.
    #[error("'{name}' has to be {expected}")]
    Member {
        /// Its name.
        name: &'static str,
        /// The expected type.
        expected: &'static str,
    },
    /// A repeated member.
    #[error("'{0}' is given twice")]
    MemberTwice(&'static str),
    /// The name of a parameter contains `%zz`, or bytes that are not UTF-8.
    #[error("the name of a parameter is not percent-encoded UTF-8")]
    PercentEncoding,
    /// The value of a parameter contains `%zz`, or bytes that are not UTF-8.
    #[error("the parameter '{0}' is not percent-encoded UTF-8")]
    ParameterEncoding(String),
    /// A form that is not UTF-8.
    #[error("the form is not UTF-8")]
    Form,
    /// A repeated parameter of the query string.
    #[error("the parameter '{0}' is given twice")]
    ParameterTwice(String),
    /// A parameter that the endpoint does not have.
    #[error("unknown parameter '{0}'")]
    UnknownParameter(String),
    /// A required parameter is missing.
    #[error("the parameter '{0}' is missing")]
    MissingParameter(String),
    /// A parameter whose type is written as JSON, with invalid JSON.
    #[error("the parameter '{0}' has to be JSON")]
    ParameterJson(String),
    /// JSON that is not a message of the Model Context Protocol.
    #[error("the body is not a message of the Model Context Protocol")]
    Message,
    /// An unsupported method of the protocol.
    #[error("this method is not answered here")]
    Method,
    /// A message whose parameters are not those of its method.
    #[error("'params' is not what the method takes in this version of the protocol")]
    MessageParameters,
    /// Headers that do not match the message, so that a proxy may have checked another method or
    /// name.
    #[error(
        "the headers 'MCP-Protocol-Version', 'Mcp-Method' and 'Mcp-Name' have to say what \
             the message does"
    )]
    MessageHeaders,
    /// An unsupported version of the protocol.
    #[error("the header 'MCP-Protocol-Version' has to be one of {}", versions())]
    ProtocolVersion,
    /// Parameters that are not an object.
    #[error("the parameters in a body have to be a JSON object")]
    ParameterBody,
    /// A GET request that a foreign page could have sent.
    #[error(
        "a GET request needs a header that a foreign page cannot send: 'Authorization', \
             'Content-Type: application/json', \
             'Apollo-Require-Preflight' or one of the gateway's own"
    )]
    Preflight,
    /// A body that ended before its announced length.
    #[error("the body could not be read")]
    Body,
    /// A compressed body that is corrupt or not compressed.
    #[error("the body is not compressed as its header 'Content-Encoding' says")]
    Compressed,
    /// A header whose value is not text, or not one of its valid values.
    #[error("the header '{0}' has a value that cannot be read")]
    Header(String),
    /// Two headers that set one session value: `X-Gateway-User-Id` and `X-Gateway-User_Id`.
    #[error("the header '{0}' is given twice, in two spellings")]
    TwoSpellings(String),
    /// A header that has a meaning in one spelling alone, in another one: `X-Gateway-Dry_Run`.
    #[error("the header '{given}' has to be spelled '{expected}'")]
    Spelling {
        /// The name as it is given, in lower case.
        given: String,
        /// The name that has the meaning.
        expected: String,
    },
    /// A boolean header with another value.
    #[error("the header '{0}' has a value that is neither true nor false")]
    Switch(String),
    /// Claims of an admin that are no JSON object.
    #[error("the header '{0}' has to be a JSON object that has each key once")]
    Claims(String),
    /// Too many headers in the payload of `connection_init`.
    #[error("the payload holds more than {0} headers")]
    TooManyHeaders(usize),
    /// An operation for an event stream without `extensions.operationId`.
    #[error("'extensions.operationId' has to be a string")]
    OperationId,
}

impl Error {
    /// The entry in the catalogue.
    pub fn spec(&self) -> ErrorSpec {
        match self {
            Error::NoAuthorization
            | Error::InvalidToken(_)
            | Error::WrongAdminSecret
            | Error::WebhookRejected => catalogue::UNAUTHENTICATED,
            Error::KeysUnavailable
            | Error::WebhookUnavailable(_)
            | Error::ActionUnavailable(_)
            | Error::OutOfMemory(_) => catalogue::UNAVAILABLE,
            Error::RoleNotAllowed
            | Error::NoDryRun(_)
            | Error::RowNotVisible(_)
            | Error::OriginNotAllowed
            | Error::HostNotAllowed => catalogue::FORBIDDEN,
            Error::Plugin(fault) => fault.spec,
            Error::HeaderTwice(_) | Error::InvalidRequest(_) | Error::UnknownTool(_) => {
                catalogue::BAD_REQUEST
            }
            Error::InvalidUpgrade(InvalidUpgrade::Version) => catalogue::UPGRADE_REQUIRED,
            Error::InvalidUpgrade(_) => catalogue::BAD_REQUEST,
            Error::StreamInUse(_) => catalogue::STREAM_IN_USE,
            Error::Query(error) => query_entry(error),
            Error::Limit(LimitExceeded::Body(_) | LimitExceeded::Inflation(_)) => {
                catalogue::BODY_LIMIT
            }
            Error::Limit(LimitExceeded::Head(_) | LimitExceeded::Headers(_)) => {
                catalogue::HEAD_LIMIT
            }
            Error::Limit(LimitExceeded::BodyTime(_)) => catalogue::BODY_TIME,
            Error::Limit(LimitExceeded::Time(_) | LimitExceeded::ReadRate(_)) => {
                catalogue::TIME_LIMIT
            }
            Error::Limit(
                LimitExceeded::Batch(_)
                | LimitExceeded::Rows { .. }
                | LimitExceeded::Cost { .. }
                | LimitExceeded::Operations(_),
            ) => catalogue::DOCUMENT_LIMIT,
            Error::Limit(LimitExceeded::Sockets(_)) => catalogue::RATE_LIMITED,
            Error::Limit(
                LimitExceeded::Answer(_) | LimitExceeded::Memory(_) | LimitExceeded::Calls(_),
            ) => catalogue::ANSWER_LIMIT,
            Error::RateLimited(_) => catalogue::RATE_LIMITED,
            Error::Database(fault) => database_entry(fault),
            Error::NotWritten { refusal, .. } => writing_entry(refusal),
            Error::NotFound | Error::Misplaced(_) | Error::NoEventStream => catalogue::NOT_FOUND,
            Error::MethodNotAllowed { .. } | Error::OnlyQueries => catalogue::METHOD_NOT_ALLOWED,
            Error::NoSubscriptions => catalogue::NOT_SUPPORTED,
            Error::PersistedQuery => catalogue::NO_DIGESTS,
            Error::UnknownDocument(UnknownDocument { id: None, .. }) => catalogue::UNKNOWN_DIGEST,
            Error::UnknownDocument(_) => catalogue::UNKNOWN_DOCUMENT,
            Error::Unlisted(_) => catalogue::VALIDATION_FAILED,
            Error::ContentType
            | Error::ParameterType
            | Error::NoParameterType
            | Error::ContentEncoding => catalogue::MEDIA_TYPE,
            Error::TransferEncoding => catalogue::TRANSFER_CODING,
            Error::NotAcceptable => catalogue::NOT_ACCEPTABLE,
            Error::Action(error) => error.spec(),
            Error::ActionDryRun(_) => catalogue::NOT_SUPPORTED,
            Error::OutcomeUnknown(_) | Error::CommitUnknown(_) => catalogue::OUTCOME_UNKNOWN,
            Error::UnusableAnswer(_) | Error::Internal(_) => catalogue::UNEXPECTED,
        }
    }

    /// The exceeded limit, if it can be set per role.
    pub fn limit(&self) -> Option<LimitKind> {
        match self {
            Error::Limit(exceeded) => exceeded.kind(),
            Error::Database(DatabaseError::RowTooLong(_)) => Some(LimitKind::Answer),
            Error::Database(DatabaseError::Timeout(_)) => Some(LimitKind::Time),
            Error::Query(sql::Error {
                cause: Cause::Limit { limit, .. },
                ..
            }) => LimitKind::from_request_limit(*limit),
            _ => None,
        }
    }

    /// Whether the request failed without effect because the database has changed since its catalog
    /// was read.
    pub fn is_outdated(&self) -> bool {
        match self {
            Error::Database(fault) => fault.is_outdated(),
            Error::NotWritten { refusal, .. } => refusal.is_outdated,
            _ => false,
        }
    }

    /// The message for clients. [`Error::to_graphql`] adds the request id to that of an unexpected
    /// error.
    pub fn message(&self) -> String {
        match self {
            Error::NoAuthorization => "No authorization header provided".into(),
            Error::InvalidToken(reason) => format!("Could not verify JWT: {reason}"),
            Error::WrongAdminSecret => "invalid admin secret".into(),
            Error::Plugin(fault) => fault.message.clone().into_owned(),
            Error::KeysUnavailable => {
                "the keys that tokens are verified by are not available".into()
            }
            Error::WebhookRejected => "Authentication hook unauthorized this request".into(),
            Error::WebhookUnavailable(_) => "the authentication hook is not available".into(),
            Error::Action(error) => error.message.clone(),
            Error::ActionUnavailable(_) => "the handler of the action is not available".into(),
            Error::OutcomeUnknown(_) => "the outcome is unknown: the handler of the action was \
                                         called, and did not say what it has done"
                .into(),
            Error::CommitUnknown(_) => "the outcome is unknown: the connection to the database \
                                        was lost while the mutation ran"
                .into(),
            Error::ActionDryRun(_) => "the action cannot be undone, so it has no dry run".into(),
            Error::HeaderTwice(name) => format!("the header '{name}' is given twice"),
            Error::RoleNotAllowed => "User does not have required role permissions".into(),
            Error::RowNotVisible(text) => text
                .as_deref()
                .unwrap_or("the required row is not visible")
                .to_owned(),
            Error::InvalidRequest(malformed) => malformed.to_string(),
            Error::InvalidUpgrade(reason) => reason.to_string(),
            Error::StreamInUse(text) => (*text).to_owned(),
            Error::Query(error) => error.to_string(),
            Error::Limit(exceeded) => exceeded.to_string(),
            Error::RateLimited(refused) => refused.to_string(),
            Error::OutOfMemory(_) => NO_ROOM.into(),
            Error::Database(fault) => database_message(fault),
            Error::NotWritten { refusal, .. } => writing_message(refusal),
            Error::NoDryRun(role) => format!("Role '{role}' may not use dry runs"),
            Error::UnknownTool(name) => format!("Unknown tool: {name}"),
            Error::OriginNotAllowed => "requests from this origin are not allowed".into(),
            Error::HostNotAllowed => {
                "requests without credentials to this host are not allowed".into()
            }
            Error::NotFound => "no such path".into(),
            Error::Misplaced(hint) => format!("no such path: {hint}"),
            Error::NoEventStream => "no event stream is reserved with this token".into(),
            Error::MethodNotAllowed { allow } => format!("this path takes {allow} only"),
            Error::OnlyQueries => "only a query can be sent by GET".into(),
            Error::NoSubscriptions => "a subscription needs a WebSocket, or an event stream by \
                                       'Accept: text/event-stream'"
                .into(),
            // Apollo clients recognize both errors by these texts.
            Error::PersistedQuery => "PersistedQueryNotSupported".into(),
            Error::UnknownDocument(UnknownDocument { id: None, .. }) => {
                "PersistedQueryNotFound".into()
            }
            Error::UnknownDocument(UnknownDocument { id: Some(id), .. }) => {
                format!("document '{id}' not found")
            }
            Error::Unlisted(_) => "query is not allowed".into(),
            Error::TransferEncoding => "the transfer encoding has to be 'chunked'".into(),
            Error::ContentType => "the content type has to be 'application/json'".into(),
            Error::ParameterType => "the content type has to be 'application/json' or \
                                     'application/x-www-form-urlencoded'"
                .into(),
            Error::NoParameterType => "the body has no content type: send the header \
                                       'Content-Type: application/json', or \
                                       'application/x-www-form-urlencoded' for a form"
                .into(),
            Error::ContentEncoding => "the content encoding has to be one of 'gzip', 'br' and \
                                       'zstd'"
                .into(),
            Error::NotAcceptable => {
                "the answer can be 'application/json' or 'application/graphql-response+json' only"
                    .into()
            }
            Error::UnusableAnswer(_) | Error::Internal(_) => "internal error".into(),
        }
    }

    /// The message for REST clients, which differs for an expired token.
    pub fn rest_message(&self) -> String {
        match self {
            Error::InvalidToken(TokenError::Expired) => "JWT token has expired".into(),
            other => other.message(),
        }
    }

    /// The Postgres error that it contains.
    pub fn refusal_mut(&mut self) -> Option<&mut PostgresError> {
        match self {
            Error::Database(DatabaseError::Refused(refusal))
            | Error::NotWritten { refusal, .. } => Some(refusal),
            _ => None,
        }
    }

    /// Adds what clients see of an error that a function raises, beside its message: to
    /// `extensions` in GraphQL, to the response elsewhere.
    fn add_shown(&self, members: &mut Value) {
        let (Error::Database(DatabaseError::Refused(refusal)) | Error::NotWritten { refusal, .. }) =
            self
        else {
            return;
        };
        let Some(shown) = &refusal.shown else { return };
        // The code of `RAISE EXCEPTION` without another one says nothing.
        if refusal.sqlstate != "P0001" {
            members["sqlstate"] = refusal.sqlstate.as_str().into();
        }
        for (name, text) in [("detail", &shown.detail), ("hint", &shown.hint)] {
            if let Some(text) = text {
                members[name] = shortened(text).into();
            }
        }
    }

    /// The details that only the log contains.
    pub fn cause(&self) -> Option<String> {
        match self {
            Error::Internal(cause)
            | Error::WebhookUnavailable(cause)
            | Error::ActionUnavailable(cause)
            | Error::OutcomeUnknown(cause)
            | Error::CommitUnknown(cause)
            | Error::UnusableAnswer(cause)
            | Error::Unlisted(cause) => Some(cause.clone()),
            Error::Plugin(fault) => fault.log.cause.clone().map(Cow::into_owned),
            Error::UnknownDocument(unknown) => unknown.cause.clone(),
            Error::OutOfMemory(error) => Some(error.to_string()),
            Error::Database(fault) => Some(fault.to_string()),
            Error::NotWritten { refusal, .. } => Some(refusal.to_string()),
            _ => None,
        }
    }

    /// The code under a profile.
    pub fn code(&self, profile: Profile) -> &'static str {
        match profile {
            Profile::Gateway => self.spec().code,
            Profile::Hasura => hasura::HasuraError::from_error(self).code,
        }
    }

    /// The GraphQL response: `{"errors":[…]}`.
    pub fn to_graphql(&self, request_id: &str, profile: Profile) -> Value {
        if profile == Profile::Hasura {
            let mut response = hasura::HasuraError::from_error(self).to_graphql();
            response
                .pointer_mut("/errors/0/extensions")
                .into_iter()
                .for_each(|members| self.add_shown(members));
            return if let Error::Action(error) = self {
                error.extend(response)
            } else {
                response
            };
        }
        let path = match self {
            Error::Query(error) => error.path.as_str(),
            Error::Action(error) => error.path.as_str(),
            Error::Database(DatabaseError::Refused(PostgresError {
                value: Some(value), ..
            }))
            | Error::NotWritten {
                refusal:
                    PostgresError {
                        value: Some(value), ..
                    },
                ..
            } => &value.path,
            Error::NotWritten { path, .. } | Error::ActionDryRun(path) => path,
            _ => "$",
        };
        let mut error = json!({
            "message": shortened(&self.to_text(self.message(), request_id)),
            "extensions": {"code": self.spec().code, "path": shortened(path)},
        });
        self.add_shown(&mut error["extensions"]);
        if let Error::Query(sql::Error {
            location: Some((line, column)),
            ..
        }) = self
        {
            error["locations"] = json!([{"line": line, "column": column}]);
        }
        let response_value = json!({ "errors": [error] });
        if let Error::Action(error) = self {
            error.extend(response_value)
        } else {
            response_value
        }
    }

    /// The response of REST and other paths: `{"status":"error","message":…,"data":null}`.
    pub fn to_rest(&self, request_id: &str, profile: Profile) -> Value {
        if profile == Profile::Hasura {
            let mut response = hasura::HasuraError::from_error(self).to_rest();
            self.add_shown(&mut response);
            return if let Error::Action(error) = self {
                error.with_rest_code(response)
            } else {
                response
            };
        }
        let message = self.to_text(self.rest_message(), request_id);
        let mut response_value =
            json!({"status": "error", "message": shortened(&message), "data": null});
        self.add_shown(&mut response_value);
        response_value
    }

    /// The response of the token exchange: that of REST in every profile, with the code that
    /// hasura-auth's clients read.
    pub fn to_token_exchange(&self, request_id: &str) -> Value {
        let mut response = self.to_rest(request_id, Profile::Gateway);
        if let Value::Object(members) = &mut response {
            members.insert("error".into(), self.account_code().into());
        }
        response
    }

    /// The response of sign-in paths, in hasura-auth's form:
    /// `{"status":401,"error":"invalid-otp","message":…}`.
    pub fn to_account(&self, request_id: &str) -> Value {
        let message = self.to_text(self.rest_message(), request_id);
        json!({
            "status": self.spec().strict,
            "error": self.account_code(),
            "message": shortened(&message),
        })
    }

    /// The code of hasura-auth for this error.
    fn account_code(&self) -> &'static str {
        let of_plugin = match self {
            Error::Plugin(fault) => fault.account_code,
            _ => None,
        };
        of_plugin.unwrap_or(match self.spec().strict {
            429 => "too-many-requests",
            500.. => "internal-server-error",
            _ => "invalid-request",
        })
    }

    /// The response of the Model Context Protocol, `{"jsonrpc":"2.0","error":…}`, for a message
    /// whose id is unknown.
    pub fn to_message(&self, request_id: &str, profile: Profile) -> Value {
        let message = JsonRpcError::new(None, self.to_json_rpc(request_id, profile));
        serde_json::to_value(message).unwrap_or_default()
    }

    /// Converts an error of rmcp by its JSON-RPC code.
    pub fn from_json_rpc(error: &ErrorData) -> Error {
        match error.code {
            ErrorCode::METHOD_NOT_FOUND => InvalidRequest::Method.into(),
            ErrorCode::INVALID_PARAMS => InvalidRequest::MessageParameters.into(),
            ErrorCode::HEADER_MISMATCH => InvalidRequest::MessageHeaders.into(),
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => InvalidRequest::ProtocolVersion.into(),
            ErrorCode::INTERNAL_ERROR => Error::Internal(error.message.to_string()),
            _ => InvalidRequest::Message.into(),
        }
    }

    /// The error as a JSON-RPC error of the Model Context Protocol.
    pub fn to_json_rpc(&self, request_id: &str, profile: Profile) -> ErrorData {
        let code = match self {
            Error::InvalidRequest(InvalidRequest::Json { .. }) => ErrorCode::PARSE_ERROR,
            Error::InvalidRequest(InvalidRequest::Method) => ErrorCode::METHOD_NOT_FOUND,
            Error::InvalidRequest(InvalidRequest::MessageParameters) | Error::UnknownTool(_) => {
                ErrorCode::INVALID_PARAMS
            }
            Error::InvalidRequest(InvalidRequest::MessageHeaders) => ErrorCode::HEADER_MISMATCH,
            _ if self.spec().strict >= 500 => ErrorCode::INTERNAL_ERROR,
            _ => ErrorCode::INVALID_REQUEST,
        };
        let data = json!({"code": self.code(profile)});
        ErrorData::new(code, self.plain(request_id, profile), Some(data))
    }

    /// The error as the result of a tool: the text, and the code as metadata.
    pub fn to_tool(&self, request_id: &str, profile: Profile) -> CallToolResult {
        let text = ContentBlock::text(self.plain(request_id, profile));
        let code = [("code".to_owned(), self.code(profile).into())];
        CallToolResult::error(vec![text]).with_meta(Some(MetaObject(code.into_iter().collect())))
    }

    /// The message alone.
    fn plain(&self, request_id: &str, profile: Profile) -> String {
        let message = match profile {
            Profile::Gateway => self.to_text(self.rest_message(), request_id),
            Profile::Hasura => hasura::HasuraError::from_error(self).message,
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

/// The maximum number of characters of a message: names come from requests and may be as long as
/// those.
const LONGEST_MESSAGE: usize = 2000;

fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_MESSAGE) {
        None => text.into(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
    }
}

/// The versions of the Model Context Protocol that rmcp supports.
fn versions() -> String {
    let versions: Vec<String> = ProtocolVersion::KNOWN_VERSIONS
        .iter()
        .map(|known| format!("'{known}'"))
        .collect();
    versions.join(", ")
}

fn query_entry(error: &sql::Error) -> ErrorSpec {
    let is_of_grant = matches!(
        error.cause,
        Cause::Affected { .. } | Cause::Inserted { .. } | Cause::TooLong { .. }
    );
    match error.kind() {
        ErrorKind::LimitExceeded if is_of_grant => catalogue::ANSWER_LIMIT,
        ErrorKind::ValidationFailed => catalogue::VALIDATION_FAILED,
        ErrorKind::ParseFailed => catalogue::PARSE_FAILED,
        ErrorKind::ConstraintViolation => catalogue::CONSTRAINT_VIOLATION,
        ErrorKind::PermissionError => catalogue::PERMISSION_ERROR,
        ErrorKind::LimitExceeded => catalogue::DOCUMENT_LIMIT,
        ErrorKind::NotSupported => catalogue::NOT_SUPPORTED,
        ErrorKind::Conflict => catalogue::CONFLICT,
    }
}

impl From<PluginFault> for Error {
    fn from(fault: PluginFault) -> Error {
        Error::Plugin(Box::new(fault))
    }
}

impl From<InvalidRequest> for Error {
    fn from(malformed: InvalidRequest) -> Error {
        Error::InvalidRequest(malformed)
    }
}

impl From<InvalidUpgrade> for Error {
    fn from(reason: InvalidUpgrade) -> Error {
        Error::InvalidUpgrade(reason)
    }
}

impl From<TokenError> for Error {
    fn from(reason: TokenError) -> Error {
        Error::InvalidToken(reason)
    }
}

impl From<LimitExceeded> for Error {
    fn from(exceeded: LimitExceeded) -> Error {
        Error::Limit(exceeded)
    }
}

impl From<OutOfMemory> for Error {
    /// Memory that others use now is worth another try; a request that never fits exceeds a limit.
    fn from(error: OutOfMemory) -> Error {
        if error.may_fit_later {
            Error::OutOfMemory(error)
        } else {
            LimitExceeded::Memory(error.budget).into()
        }
    }
}

impl From<DatabaseError> for Error {
    fn from(fault: DatabaseError) -> Error {
        match fault {
            DatabaseError::RowTooLong(limit) => LimitExceeded::Answer(limit).into(),
            DatabaseError::OutOfMemory(error) => error.into(),
            fault => Error::Database(fault),
        }
    }
}

impl From<sql::encode::Error> for Error {
    fn from(error: sql::encode::Error) -> Error {
        match error {
            sql::encode::Error::Type(_) => {
                Error::Database(DatabaseError::SchemaChanged(error.to_string()))
            }
            sql::encode::Error::Keys => Error::Query(
                Cause::Limit {
                    limit: RequestLimit::ListRows,
                    value: sql::encode::shape::MAX_PARENT_ROWS,
                }
                .under("$"),
            ),
            other => Error::Internal(other.to_string()),
        }
    }
}

impl From<sql::Error> for Error {
    fn from(error: sql::Error) -> Error {
        match error.cause {
            Cause::Required => Error::RowNotVisible(None),
            _ => Error::Query(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_no_line_twice() {
        for (index, entry) in catalogue::ALL.iter().enumerate() {
            assert!(!catalogue::ALL[..index].contains(entry), "{entry:?}");
        }
    }

    #[test]
    fn both_faces_of_an_error() {
        let expired = Error::InvalidToken(TokenError::Expired);
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
    fn locations_are_in_the_response() {
        let cause = Cause::Syntax {
            line: 1,
            column: 3,
            token: None,
        };
        let error = Error::Query(sql::Error {
            cause,
            path: "$.query".into(),
            location: Some((1, 3)),
        });
        let response = error.to_graphql("1", Profile::Gateway);
        assert_eq!(
            response["errors"][0]["locations"],
            json!([{"line": 1, "column": 3}])
        );
        assert_eq!(response["errors"][0]["extensions"]["path"], "$.query");
        assert_eq!((error.spec().lenient, error.spec().strict), (200, 400));
    }

    #[test]
    fn a_row_that_is_too_long_is_an_answer_that_is() {
        let error = Error::from(DatabaseError::RowTooLong(5));
        assert_eq!(
            (error.spec(), error.message()),
            (
                catalogue::ANSWER_LIMIT,
                LimitExceeded::Answer(5).to_string()
            )
        );
    }

    #[test]
    fn an_unexpected_error_tells_the_request_and_nothing_else() {
        let error = Error::Internal("/etc/passwd".into());
        assert_eq!(
            error.to_rest("r-1", Profile::Gateway)["message"],
            "internal error (request r-1)"
        );
        let refusal = PostgresError {
            sqlstate: "XX000".into(),
            ..PostgresError::default()
        };
        let response =
            Error::Database(DatabaseError::Refused(refusal)).to_graphql("r-1", Profile::Gateway);
        assert_eq!(
            response["errors"][0]["message"],
            "internal error (request r-1)"
        );
    }
}
