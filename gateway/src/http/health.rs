//! Handlers for operators and load balancers: liveness, readiness and the version.

use http::StatusCode;
use serde_json::json;

use super::{LoggedError, Response, Server, json as reply, media, object};

/// `GET /healthz`: the process is alive.
pub fn health() -> Response {
    reply(StatusCode::OK, media::JSON, object(&json!({"status": "ok"})))
}

/// `GET /readyz`: the database can be reached, and the gateway is not about to end. The catalog is loaded before the
/// first request is answered.
pub async fn ready(server: &Server) -> Response {
    if server.is_ending() {
        return not_ready("ending", "the gateway is shutting down");
    }
    match server.state().executor.database.check_reachable().await {
        Ok(()) => reply(StatusCode::OK, media::JSON, object(&json!({"status": "ready"}))),
        Err(fault) => {
            // A balancer may send no other request until this one succeeds, so its line and its count have to say why.
            let mut response = unavailable();
            response.extensions_mut().insert(LoggedError::of(&fault.into(), server.profile));
            response
        }
    }
}

/// The answer of `GET /readyz` while the database cannot be reached.
pub fn unavailable() -> Response {
    not_ready("unavailable", "the database is not available")
}

fn not_ready(status: &str, message: &str) -> Response {
    let body = json!({"status": status, "message": message});
    reply(StatusCode::SERVICE_UNAVAILABLE, media::JSON, object(&body))
}

/// `GET /v1/version`.
pub fn version() -> Response {
    reply(StatusCode::OK, media::JSON, object(&json!({"version": env!("CARGO_PKG_VERSION")})))
}
