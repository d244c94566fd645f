//! Tests actions over HTTP: their schema, the handlers (a scripted web service, functions of the database, Rust), the
//! relations from an answer to tables, asynchronous calls, and the faults of the files that declare them.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod actions {
    #[path = "../http/elsewhere.rs"]
    mod elsewhere;
    #[expect(dead_code, reason = "the legacy protocol and refused sockets are for other tests")]
    #[path = "../http/websocket_client.rs"]
    mod websocket_client;
    mod service;
    #[expect(dead_code, reason = "invalid tokens are for other tests")]
    #[path = "../http/token.rs"]
    mod token;

    mod arrays;
    mod asynchronous;
    mod check;
    mod endpoints;
    mod faults;
    mod forwarded_headers;
    mod functions;
    mod handled_once;
    mod language_model;
    mod mixed;
    mod relations;
    mod schema;
    mod shares;
    mod web_service;
}
