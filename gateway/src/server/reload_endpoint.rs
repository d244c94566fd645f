//! `POST /v1/reload`: reloads as `SIGHUP` does and answers with the report, or with the faults that
//! keep the running version. Only callers with the admin secret may use it. The route has the class
//! of sign-in, so wrong secrets and frequent calls are limited by address.

use std::path::Path;
use std::sync::{Arc, OnceLock, Weak};

use http::header::{CACHE_CONTROL, HeaderValue};
use http::{Method, StatusCode};
use permissions::{Diagnostic, DiagnosticKind};
use pg::deadline;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::reload::{ReloadReport, Reloader, log_reload};
use super::start_error::StartError;
use crate::auth::session::AuthKind;
use crate::error::Error;
use crate::execute::schema_version::LoadError;
use crate::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use crate::http::{ErrorFormat, HttpExchange, media, object};
use crate::limits::LimitExceeded;

/// The route's path.
const PATH: &str = "/v1/reload";

/// The handler. The reloader is set once it exists.
#[derive(Debug, Default)]
pub(super) struct ReloadEndpoint(OnceLock<Weak<Reloader>>);

impl ReloadEndpoint {
    /// The route.
    pub(super) fn route(self: Arc<Self>) -> Route {
        let methods = &[Method::POST];
        let error_format = ErrorFormat::Rest;
        Route {
            path: PATH,
            methods,
            error_format,
            class: RouteClass::Authentication,
            handler: Handler::Plugin(self),
        }
    }

    /// Sets what reloads.
    pub(super) fn set(&self, reloader: &Arc<Reloader>) {
        // Set once, by the start.
        let _ = self.0.set(Arc::downgrade(reloader));
    }
}

impl PluginHandler for ReloadEndpoint {
    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            let state = exchange.app.state();
            let limit = exchange.app.state().limits.time;
            let deadline = Instant::from_std(exchange.started) + limit;
            let session =
                deadline::timeout_at(deadline, state.authenticator.session(&exchange.headers));
            let session = session.await.ok_or(LimitExceeded::Time(limit))??;
            if session.caller() != AuthKind::Trusted {
                return Err(Error::RoleNotAllowed);
            }
            // Under `--insecure` no secret is needed, and browsers let every page send a POST.
            let headers = &exchange.headers;
            let uri = &exchange.uri;
            let is_foreign = !exchange.app.cors_for(headers).allows_socket(headers, uri);
            if is_foreign && !state.authenticator.has_credentials(headers, &session) {
                return Err(Error::OriginNotAllowed);
            }
            drop(state);
            let reloader = self
                .0
                .get()
                .and_then(Weak::upgrade)
                .ok_or(Error::NotFound)?;
            // On a thread of its own: a client that disconnects does not end the reload half-way,
            // and compiling permissions holds up no request.
            let runtime = tokio::runtime::Handle::current();
            let reload = tokio::task::spawn_blocking(move || runtime.block_on(reloader.reload()));
            let result = reload
                .await
                .map_err(|error| Error::Internal(error.to_string()))?;
            let (status, body) = match &result {
                Ok(report) => (StatusCode::OK, report_of(report)),
                Err(error) => (StatusCode::CONFLICT, faults_of(error)),
            };
            log_reload(result);
            let mut response = crate::http::json(status, media::JSON, object(&body));
            response
                .headers_mut()
                .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            Ok(response)
        })
    }
}

fn report_of(report: &ReloadReport) -> Value {
    let ReloadReport {
        tables,
        added,
        changed,
        removed,
        roles,
        permissions,
        waiting,
        time,
    } = report;
    json!({
        "status": "ok", "ms": time.as_micros() as f64 / 1000.0, "tables": tables, "added": added, "changed": changed,
        "removed": removed, "roles": roles, "permissions_changed": permissions, "next_start": waiting,
    })
}

/// The faults of a reload that failed, in the form of `postern check --json`.
fn faults_of(error: &StartError) -> Value {
    json!({
        "status": "error", "message": "not reloaded, the running version stays", "data": null,
        "problems": problems_of(error),
    })
}

fn problems_of(error: &StartError) -> Vec<Value> {
    match error {
        StartError::Load(LoadError::Permissions { problems, .. }) => {
            problems.iter().map(problem).collect()
        }
        StartError::RestMap { problems, .. } => problems.iter().map(problem).collect(),
        StartError::Several(errors) => errors.iter().flat_map(problems_of).collect(),
        other => vec![json!({"message": other.to_string()})],
    }
}

/// A fault with the name of its file, without the folder: paths are for the log.
fn problem<F: DiagnosticKind>(problem: &Diagnostic<F>) -> Value {
    let location = problem.span();
    let name = Path::new(&*location.file().name)
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    json!({
        "file": name, "line": location.line(), "column": location.column(),
        "code": problem.code(), "message": problem.message(), "help": problem.suggestion(),
    })
}
