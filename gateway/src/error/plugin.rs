//! Errors of plugins. A plugin declares the row of each of its errors: code and statuses, the
//! message for clients, and the texts of the log.

use std::borrow::Cow;

use super::catalogue::ErrorSpec;

/// An error of a plugin.
///
/// ```
/// use gateway::error::{Error, PluginFault, catalogue};
///
/// let spec = catalogue::FORBIDDEN;
/// let closed = PluginFault::new(spec, "the shop is closed", "outside the opening hours");
/// assert_eq!(Error::from(closed).message(), "the shop is closed");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginFault {
    /// The code and the statuses, from [`catalogue`](super::catalogue).
    pub spec: ErrorSpec,
    /// The message for clients.
    pub message: Cow<'static, str>,
    /// The code in the responses of sign-in paths; `None` for the one that follows from the status.
    pub account_code: Option<&'static str>,
    /// In how many seconds the request may succeed; `None` if the response does not say so.
    pub retry_after: Option<u32>,
    /// What the log says.
    pub log: FaultLog,
}

/// What the log says about an error of a plugin. None of it may repeat what the client has sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultLog {
    /// Why the request was refused.
    pub reason: Cow<'static, str>,
    /// The details that only the log contains.
    pub cause: Option<Cow<'static, str>>,
    /// Why a credential was refused, for the metrics and the audit table; `None` if the error is
    /// about no credential, or if the plugin records it itself.
    pub refusal: Option<Cow<'static, str>>,
    /// The path of the refusal, where that of the route has a parameter; `None` if it has none. It
    /// is made of what the settings declare.
    pub path: Option<String>,
}

impl PluginFault {
    /// An error with these texts for clients and for the log.
    pub fn new(
        spec: ErrorSpec,
        message: impl Into<Cow<'static, str>>,
        reason: impl Into<Cow<'static, str>>,
    ) -> PluginFault {
        PluginFault {
            spec,
            message: message.into(),
            account_code: None,
            retry_after: None,
            log: FaultLog {
                reason: reason.into(),
                cause: None,
                refusal: None,
                path: None,
            },
        }
    }

    /// Gives the error a code of hasura-auth, which its clients read in the responses of sign-in
    /// paths: `invalid-pat`.
    pub fn with_account_code(mut self, code: &'static str) -> PluginFault {
        self.account_code = Some(code);
        self
    }

    /// Tells clients in how many seconds the request may succeed, in `Retry-After`.
    pub fn with_retry_after(mut self, seconds: u32) -> PluginFault {
        self.retry_after = Some(seconds);
        self
    }

    /// Adds details that only the log contains.
    pub fn with_cause(mut self, cause: impl Into<Cow<'static, str>>) -> PluginFault {
        self.log.cause = Some(cause.into());
        self
    }

    /// Counts the error as a refused credential, and records why it was refused.
    pub fn recorded_as(mut self, refusal: impl Into<Cow<'static, str>>) -> PluginFault {
        self.log.refusal = Some(refusal.into());
        self
    }

    /// Records the refusal under this path, so that those of different resources are told apart.
    pub fn recorded_at(mut self, path: impl Into<String>) -> PluginFault {
        self.log.path = Some(path.into());
        self
    }
}
