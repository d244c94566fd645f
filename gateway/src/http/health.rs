//! Handlers for operators and load balancers: liveness, readiness and the version.

use http::StatusCode;
use serde_json::{Value, json as value};

use super::access_log::LoggedError;
use super::app::App;
use super::media;
use super::response::{Response, json, object};

/// `GET /healthz`: the process is alive.
pub fn health() -> Response {
    with_json(StatusCode::OK, &value!({"status": "ok"}))
}

/// `GET /readyz`: the database can be reached, and the gateway is not about to end. The catalog is
/// loaded before the first request is answered.
pub async fn ready(app: &App) -> Response {
    if app.is_ending() {
        return not_ready("ending", "the gateway is shutting down");
    }
    match app.state().execution.database.check_reachable().await {
        Ok(()) => with_json(StatusCode::OK, &value!({"status": "ready"})),
        Err(error) => {
            // A balancer may send no other request until this one succeeds, so its line and its
            // count have to say why.
            let mut response = unavailable();
            response
                .extensions_mut()
                .insert(LoggedError::new(&error.into(), app.profile));
            response
        }
    }
}

/// The answer of `GET /readyz` while the database cannot be reached.
pub fn unavailable() -> Response {
    not_ready("unavailable", "the database is not available")
}

fn with_json(status: StatusCode, body: &Value) -> Response {
    json(status, media::JSON, object(body))
}

fn not_ready(status: &str, message: &str) -> Response {
    with_json(
        StatusCode::SERVICE_UNAVAILABLE,
        &value!({"status": status, "message": message}),
    )
}

/// `GET /v1/version`.
pub fn version() -> Response {
    with_json(
        StatusCode::OK,
        &value!({"version": env!("CARGO_PKG_VERSION")}),
    )
}
