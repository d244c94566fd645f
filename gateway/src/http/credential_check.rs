//! Authenticates the caller of an open WebSocket or event stream again after each reload, so that a connection ends
//! whose credentials no longer hold. The connection sends results meanwhile.

use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;

use http::HeaderMap;
use http::header::HeaderValue;
use tokio::sync::watch;

use super::Server;
use crate::auth::session::Session;
use crate::error::Error;

/// How many connections are authenticated at the same time after a reload: each may take a request to a webhook.
pub(super) const CHECKS_AT_ONCE: usize = 16;

/// The check of one connection's credentials.
pub(super) struct CredentialCheck {
    server: Arc<Server>,
    reloads: watch::Receiver<()>,
    running: Option<Authentication>,
}

/// What a connection learns from its check.
pub(super) enum CheckEvent {
    /// A reload has replaced the handler state.
    Reloaded,
    /// The check has ended.
    Ended(Box<Result<Session, Error>>),
}

type Authentication = Pin<Box<dyn Future<Output = Result<Session, Error>> + Send + Sync>>;

impl CredentialCheck {
    /// No check yet.
    pub(super) fn new(server: &Arc<Server>) -> CredentialCheck {
        let mut reloads = server.reloads.subscribe();
        // One may have happened since the caller got its handler state.
        reloads.mark_changed();
        CredentialCheck { server: server.clone(), reloads, running: None }
    }

    /// Waits for a reload or for the end of the check.
    pub(super) async fn next(&mut self) -> CheckEvent {
        let CredentialCheck { reloads, running, .. } = self;
        let ended = async {
            match running {
                Some(authentication) => authentication.await,
                None => pending().await,
            }
        };
        tokio::select! {
            reloaded = reloads.changed() => match reloaded {
                Ok(()) => CheckEvent::Reloaded,
                // The server is gone, and so are reloads.
                Err(_) => pending().await,
            },
            session = ended => {
                *running = None;
                CheckEvent::Ended(Box::new(session))
            }
        }
    }

    /// Begins a check, in place of one that runs.
    pub(super) fn begin(
        &mut self,
        authenticated: impl Future<Output = Result<Session, Error>> + Send + Sync + 'static,
    ) {
        let server = self.server.clone();
        self.running = Some(Box::pin(async move {
            // The semaphore is never closed.
            let _turn = server.sockets.checks.acquire().await;
            authenticated.await
        }));
    }

    /// Ends the check; returns whether one was running.
    pub(super) fn cancel(&mut self) -> bool {
        self.running.take().is_some()
    }
}

/// A copy of headers, whose values do not share the buffer that the whole head was read into.
pub(super) fn copied(headers: &HeaderMap) -> HeaderMap {
    let copy = |value: &HeaderValue| HeaderValue::from_bytes(value.as_bytes()).ok();
    headers.iter().filter_map(|(name, value)| Some((name.clone(), copy(value)?))).collect()
}
