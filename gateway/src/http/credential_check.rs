//! Authenticates the caller of an open WebSocket or event stream again after each reload, so that a
//! connection ends whose credentials no longer hold. The connection sends results meanwhile.

use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;

use http::HeaderMap;
use http::header::HeaderValue;
use tokio::sync::watch;

use super::app::App;
use super::caller::Caller;
use crate::error::Error;

/// The check of one connection's credentials.
pub(super) struct CredentialCheck {
    app: Arc<App>,
    reloads: watch::Receiver<()>,
    running: Option<Authentication>,
}

/// What a connection learns from its check.
pub(super) enum CheckEvent {
    /// A reload has replaced the handler state.
    Reloaded,
    /// The check has ended.
    Ended(Box<Result<Caller, Error>>),
}

type Authentication = Pin<Box<dyn Future<Output = Result<Caller, Error>> + Send + Sync>>;

impl CredentialCheck {
    /// No check yet.
    pub(super) fn new(app: &Arc<App>) -> CredentialCheck {
        let mut reloads = app.current.subscribe();
        // One may have happened since the caller got its handler state.
        reloads.mark_changed();
        CredentialCheck {
            app: app.clone(),
            reloads,
            running: None,
        }
    }

    /// Waits for a reload or for the end of the check.
    pub(super) async fn next(&mut self) -> CheckEvent {
        let CredentialCheck {
            reloads, running, ..
        } = self;
        let ended = async {
            match running {
                Some(authentication) => authentication.await,
                None => pending().await,
            }
        };
        tokio::select! {
            reloaded = reloads.changed() => match reloaded {
                Ok(()) => CheckEvent::Reloaded,
                // The app is gone, and so are reloads.
                Err(_) => pending().await,
            },
            caller = ended => {
                *running = None;
                CheckEvent::Ended(Box::new(caller))
            }
        }
    }

    /// Begins a check, in place of one that runs.
    pub(super) fn begin(
        &mut self,
        authentication: impl Future<Output = Result<Caller, Error>> + Send + Sync + 'static,
    ) {
        let app = self.app.clone();
        self.running = Some(Box::pin(async move {
            // The semaphore is never closed.
            let _permit = app.sockets.checks.acquire().await;
            authentication.await
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
    headers
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), copy(value)?)))
        .collect()
}
