//! What the access log records of an exchange. [`crate::http::router`] writes the line.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pg::WalPosition;

use crate::config::dialect::Profile;
use crate::error::{Error, Reason, catalogue};
use crate::execute::{ExecutionResult, Timings};
use crate::telemetry::execution_record::ExecutionRecord;
use crate::telemetry::metrics::RoleMetrics;

/// What the access log records of an exchange beside its response.
#[derive(Debug)]
pub struct AccessLogEntry {
    /// The role that the request ran as.
    pub role: Option<Arc<str>>,
    /// The metrics of the caller's role, once the caller is known.
    pub role_metrics: Option<Arc<RoleMetrics>>,
    /// Whether the caller has the admin secret.
    pub is_trusted: bool,
    /// Whether the caller's role is none of the permission file, so that `role` is none.
    pub has_unknown_role: bool,
    /// Whether the request is of a page whose origin CORS does not allow.
    pub has_refused_origin: bool,
    /// The operation's name.
    pub operation: Option<String>,
    /// How many GraphQL requests the exchange contained: a batch has several.
    pub requests: usize,
    /// The error that the response contains beside other responses.
    pub error: LoggedError,
    /// How long each stage took.
    pub stages: Timings,
    /// Whether a mutation was rolled back because the caller asked for a dry run.
    pub dry_run: bool,
    /// What was measured while the request was executed.
    pub record: ExecutionRecord,
    /// A position in the write-ahead log behind the changes of a mutation, if there are replicas.
    pub written_at: Option<WalPosition>,
}

/// What the access log records of an error. That of an error response travels in the response's
/// extensions.
#[derive(Clone, Debug, Default)]
pub struct LoggedError {
    /// Its code.
    pub code: Option<&'static str>,
    /// Its cause, which only the log shows.
    pub cause: Option<String>,
    /// The rule, limit or constraint behind it.
    pub reason: Reason,
    /// Whether the caller is not authenticated.
    pub is_unauthenticated: bool,
    /// Why a token or a secret was refused.
    pub refusal: Option<String>,
    /// The path of the refusal, if it is not that of the route.
    pub refusal_path: Option<String>,
    /// Whether the request has or may have changed something outside of the database, so that it
    /// must not be repeated.
    pub forbids_repetition: bool,
}

impl AccessLogEntry {
    /// The entry of an exchange that has begun at this time.
    pub fn new(started: Instant) -> AccessLogEntry {
        AccessLogEntry {
            role: None,
            role_metrics: None,
            is_trusted: false,
            has_unknown_role: false,
            has_refused_origin: false,
            operation: None,
            requests: 0,
            error: LoggedError::default(),
            stages: Timings::default(),
            dry_run: false,
            record: ExecutionRecord::new(started),
            written_at: None,
        }
    }

    /// Records a request that succeeded, after those of the same batch.
    pub(super) fn record_result(&mut self, result: &ExecutionResult) {
        self.stages.add(result.timings);
        self.dry_run |= result.dry_run;
        self.written_at = self.written_at.max(result.written_at);
    }

    /// Records an error that is sent as part of a response.
    pub fn record_error(&mut self, error: &Error, profile: Profile) {
        let mut logged = LoggedError::new(error, profile);
        logged.cause = logged.cause.or(self.error.cause.take());
        logged.is_unauthenticated = false;
        self.error = logged;
    }

    /// The value of `Server-Timing`, in milliseconds.
    pub fn server_timing(&self) -> String {
        let stage =
            |name: &str, time: Duration| format!("{name};dur={:.3}", time.as_secs_f64() * 1000.0);
        let Timings { plan, bind, run } = self.stages;
        [stage("plan", plan), stage("bind", bind), stage("run", run)].join(", ")
    }
}

impl LoggedError {
    /// The entry of an error.
    pub fn new(error: &Error, profile: Profile) -> LoggedError {
        LoggedError {
            code: Some(error.code(profile)),
            cause: error.cause(),
            reason: error.reason(),
            is_unauthenticated: error.spec() == catalogue::UNAUTHENTICATED,
            refusal: refusal(error),
            refusal_path: match error {
                Error::Plugin(fault) => fault.log.path.clone(),
                _ => None,
            },
            forbids_repetition: matches!(
                error,
                Error::OutcomeUnknown(_) | Error::CommitUnknown(_) | Error::UnusableAnswer(_)
            ),
        }
    }
}

/// Why a token or a secret was refused. A request without any was not tried with a wrong one.
pub(super) fn refusal(error: &Error) -> Option<String> {
    match error {
        Error::NoAuthorization => None,
        Error::Plugin(fault) => fault.log.refusal.clone().map(Cow::into_owned),
        error => (error.spec() == catalogue::UNAUTHENTICATED).then(|| error.message()),
    }
}
