//! What a request must have to be answered, beside its role.

use super::secret::Secrets;

/// Which requests may read `/metrics`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricsAccess {
    /// Requests with one of these secrets.
    Secret(Secrets),
    /// All requests.
    Open,
    /// Requests from the gateway's own machine.
    Loopback,
}

/// Which requests have to name an allowed host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCheck {
    /// All requests, since each of them is answered as the admin.
    Requests,
    /// Requests that bear nothing like credentials, and those that get the role of callers without
    /// credentials.
    RequestsWithoutCredentials,
    /// Requests that get the role of callers without credentials.
    SessionsWithoutCredentials,
    /// No request: the address can be reached by everyone, so that it protects nothing.
    None,
}
