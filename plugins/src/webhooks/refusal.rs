//! Why a webhook is refused. The log and the metrics have the exact reason; the sender reads only
//! which of three faults it is, so that an attacker does not learn how far a forged request got.

use gateway::error::catalogue::{self, ErrorSpec};
use gateway::error::{Error, PluginFault};

/// The reason of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The service requires HTTPS, and the request came without.
    NotHttps,
    /// A header with the signature, the time or the id is missing.
    MissingHeader,
    /// Such a header is given twice.
    RepeatedHeader,
    /// The signature is not in the format of its method.
    MalformedSignature,
    /// The signature is not the one of the body with any of the secrets.
    WrongSignature,
    /// The time is not a number of seconds.
    MalformedTime,
    /// The time is longer ago than the tolerance.
    Old,
    /// The time lies further ahead than the tolerance.
    Future,
    /// The parameter with the token, the DID or the key is missing.
    MissingParameter,
    /// Such a parameter is given twice.
    RepeatedParameter,
    /// The token is not a JWE in compact form.
    MalformedToken,
    /// The token names other algorithms than the service declares.
    WrongAlgorithm,
    /// No secret decrypts the token.
    Undecryptable,
    /// The token has no expiry, or has expired.
    Expired,
    /// The token is not valid yet.
    NotYetValid,
    /// The token is for another service.
    WrongService,
    /// The token names no controller, or one that the service does not declare.
    WrongController,
    /// The key is not one of the DID's keys, or the DID is unknown.
    WrongKey,
}

impl Refusal {
    /// Every reason.
    pub(super) const ALL: [Refusal; 18] = [
        Refusal::NotHttps,
        Refusal::MissingHeader,
        Refusal::RepeatedHeader,
        Refusal::MalformedSignature,
        Refusal::WrongSignature,
        Refusal::MalformedTime,
        Refusal::Old,
        Refusal::Future,
        Refusal::MissingParameter,
        Refusal::RepeatedParameter,
        Refusal::MalformedToken,
        Refusal::WrongAlgorithm,
        Refusal::Undecryptable,
        Refusal::Expired,
        Refusal::NotYetValid,
        Refusal::WrongService,
        Refusal::WrongController,
        Refusal::WrongKey,
    ];

    /// The reason in the log, and the outcome in the metrics.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Refusal::NotHttps => "not-https",
            Refusal::MissingHeader => "missing-header",
            Refusal::RepeatedHeader => "repeated-header",
            Refusal::MalformedSignature => "malformed-signature",
            Refusal::WrongSignature => "wrong-signature",
            Refusal::MalformedTime => "malformed-time",
            Refusal::Old => "old",
            Refusal::Future => "future",
            Refusal::MissingParameter => "missing-parameter",
            Refusal::RepeatedParameter => "repeated-parameter",
            Refusal::MalformedToken => "malformed-token",
            Refusal::WrongAlgorithm => "wrong-algorithm",
            Refusal::Undecryptable => "undecryptable-token",
            Refusal::Expired => "expired-token",
            Refusal::NotYetValid => "token-not-yet-valid",
            Refusal::WrongService => "wrong-service",
            Refusal::WrongController => "wrong-controller",
            Refusal::WrongKey => "wrong-key",
        }
    }

    /// The message that the sender reads.
    const fn message(self) -> &'static str {
        match self {
            Refusal::NotHttps => "this webhook has to be sent by HTTPS",
            Refusal::MissingHeader => "missing signature header",
            Refusal::MalformedSignature | Refusal::WrongSignature => "invalid signature",
            Refusal::RepeatedHeader
            | Refusal::MalformedTime
            | Refusal::Old
            | Refusal::Future
            | Refusal::MissingParameter
            | Refusal::RepeatedParameter
            | Refusal::MalformedToken
            | Refusal::WrongAlgorithm
            | Refusal::Undecryptable
            | Refusal::Expired
            | Refusal::NotYetValid
            | Refusal::WrongService
            | Refusal::WrongController
            | Refusal::WrongKey => "verification failed",
        }
    }

    /// The code and the status of the response.
    const fn spec(self) -> ErrorSpec {
        if matches!(self, Refusal::NotHttps) {
            catalogue::FORBIDDEN
        } else {
            catalogue::UNAUTHENTICATED
        }
    }

    /// The error of the response. `path` is that of the service, which the audit table names.
    pub(super) fn into_error(self, path: String) -> Error {
        let message = self.message();
        PluginFault::new(self.spec(), message, message)
            .with_cause(self.name())
            .recorded_as(self.name())
            .recorded_at(path)
            .into()
    }
}

/// Why a delivery is not taken.
#[derive(Debug)]
pub(super) enum ReceiveError {
    /// The sender is not verified.
    Unverified(Refusal),
    /// The request or the database fails.
    Failed(Box<Error>),
}

impl From<Refusal> for ReceiveError {
    fn from(refusal: Refusal) -> ReceiveError {
        ReceiveError::Unverified(refusal)
    }
}

impl From<Error> for ReceiveError {
    fn from(error: Error) -> ReceiveError {
        ReceiveError::Failed(Box::new(error))
    }
}
