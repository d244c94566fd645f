//! Who sends a request: authentication of its headers, and what it decides for the rest of the
//! request's path.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use pg::deadline;
use pg::sharing::ShareKey;
use serde_json::Value;
use tokio::time::Instant;

use super::exchange::HttpExchange;
use super::state::HandlerState;
use crate::auth::session::{AuthKind, Session};
use crate::auth::trace_context::{TRACEPARENT, TraceContext};
use crate::error::Error;
use crate::limits::{LimitExceeded, RoleLimits};

/// An authenticated caller. There is no other way to make one than to authenticate headers.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The version of the gateway that has authenticated the caller, and that answers the request.
    pub state: Arc<HandlerState>,
    /// The role and the session values.
    pub session: Session,
    /// The limits of the role.
    pub limits: Arc<RoleLimits>,
    _authenticated: Authenticated,
}

/// Proof that this file has made the caller.
#[derive(Clone, Debug)]
struct Authenticated;

/// Headers that a caller is authenticated by, wherever they come from.
pub(super) struct Credentials<'h> {
    /// The headers.
    pub(super) headers: &'h HeaderMap,
    /// The client's address.
    pub(super) client: Option<IpAddr>,
    /// The request, for a webhook that is configured to get it.
    pub(super) request: Option<&'h Value>,
    /// When a request to another server has to be answered.
    pub(super) deadline: Instant,
    /// The time limit that an error names.
    pub(super) limit: Duration,
}

impl Caller {
    /// Authenticates the caller of an exchange without its body.
    pub(super) async fn authenticate(exchange: &mut HttpExchange) -> Result<Caller, Error> {
        let state = exchange.app.state();
        Caller::authenticate_with(state, exchange, None).await
    }

    /// Authenticates the caller of an exchange and notes the role in the access log. An
    /// authentication webhook gets `request` if it is configured to.
    pub(super) async fn authenticate_with(
        state: Arc<HandlerState>,
        exchange: &mut HttpExchange,
        request: Option<&Value>,
    ) -> Result<Caller, Error> {
        let limit = state.limits.time;
        let deadline = Instant::from_std(exchange.started) + limit;
        let client = exchange.client();
        let credentials = Credentials {
            headers: &exchange.headers,
            client,
            request,
            deadline,
            limit,
        };
        let caller = Caller::from_credentials(state, credentials).await?;
        let hosts = &caller.state.hosts;
        hosts.check_session(&caller.session, || {
            hosts.contains_all(&exchange.headers, &exchange.uri)
        })?;
        exchange.count_for(caller.share_key())?;
        let log_entry = &mut exchange.log_entry;
        // A caller with the admin secret can name any role; the log records only roles of the
        // permission file.
        let is_known = caller
            .state
            .execution
            .schema
            .permissions
            .role(caller.session.role())
            .is_some();
        log_entry.role = is_known.then(|| caller.session.shared_role());
        log_entry.role_metrics = Some(caller.limits.metrics().clone());
        log_entry.is_trusted = caller.session.caller() == AuthKind::Trusted;
        log_entry.has_unknown_role = !is_known;
        Ok(caller)
    }

    /// Authenticates by headers.
    pub(super) async fn from_credentials(
        state: Arc<HandlerState>,
        credentials: Credentials<'_>,
    ) -> Result<Caller, Error> {
        let Credentials {
            headers,
            client,
            request,
            deadline,
            limit,
        } = credentials;
        let mut session = match state.authenticator.session_at_once(headers)? {
            Some(session) => session,
            // Needed less often, and its future is large compared with the rest.
            None => {
                let session = state.authenticator.session_after_waiting(headers, request);
                let session = Box::pin(deadline::timeout_at(deadline, session)).await;
                session.ok_or(LimitExceeded::Time(limit))??
            }
        };
        session.set_client(client);
        if headers.contains_key(&TRACEPARENT) {
            session.set_trace(TraceContext::from_headers(headers));
        }
        let limits = state.execution.limits.for_role(session.role()).clone();
        Ok(Caller {
            state,
            session,
            limits,
            _authenticated: Authenticated,
        })
    }

    /// Authenticates the caller again if a reload has replaced the state, since a client that sends
    /// its body slowly must not keep permissions that were revoked meanwhile.
    pub async fn renew(&mut self, exchange: &mut HttpExchange) -> Result<(), Error> {
        if exchange.app.current.refresh(&mut self.state) {
            *self = Caller::authenticate_with(self.state.clone(), exchange, None).await?;
        }
        Ok(())
    }

    /// Applies the rate limits of callers.
    pub(super) async fn check_rates(&self, exchange: &mut HttpExchange) -> Result<(), Error> {
        let HttpExchange {
            app, rate_limit, ..
        } = exchange;
        self.state
            .rate_limiter
            .check_session(&app.metrics, rate_limit, &self.session)
            .await
    }

    /// What the caller is counted by where a limited thing is shared.
    pub(super) fn share_key(&self) -> ShareKey {
        self.session.share_key(self.limits.role_key())
    }

    /// When the time of the request is over.
    pub fn deadline(&self, exchange: &HttpExchange) -> Instant {
        Instant::from_std(exchange.started) + self.limits.enforced.time
    }
}

/// Authenticates the caller of an exchange and applies the rate limits.
pub async fn authenticate_caller(exchange: &mut HttpExchange) -> Result<Caller, Error> {
    let caller = Caller::authenticate(exchange).await?;
    caller.check_rates(exchange).await?;
    Ok(caller)
}

/// Authenticates the caller of an exchange like [`authenticate_caller`], and refuses callers
/// without the admin secret, whatever role they have.
pub async fn authenticate_admin(exchange: &mut HttpExchange) -> Result<Caller, Error> {
    let caller = authenticate_caller(exchange).await?;
    match caller.session.caller() {
        AuthKind::Trusted => Ok(caller),
        AuthKind::Token | AuthKind::Unauthorized => Err(Error::RoleNotAllowed),
    }
}
