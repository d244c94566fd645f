//! For whoever runs the gateway: is the process alive, is it ready, which version is it.

use http::StatusCode;
use serde_json::json;

use super::{Response, Server, json as reply, media, object};

/// `GET /healthz`: the process answers.
pub fn health() -> Response {
    reply(StatusCode::OK, media::JSON, object(&json!({"status": "ok"})))
}

/// `GET /readyz`: the catalog is loaded, or this would not answer, and the database can be reached.
pub async fn ready(server: &Server) -> Response {
    match server.answering().executor.database.is_reachable().await {
        true => reply(StatusCode::OK, media::JSON, object(&json!({"status": "ready"}))),
        false => {
            let told = json!({"status": "unavailable", "message": "the database is not available"});
            reply(StatusCode::SERVICE_UNAVAILABLE, media::JSON, object(&told))
        }
    }
}

/// `GET /v1/version`.
pub fn version() -> Response {
    reply(StatusCode::OK, media::JSON, object(&json!({"version": env!("CARGO_PKG_VERSION")})))
}
