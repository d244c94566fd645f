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

    mod arrays;
    mod asynchronous;
    mod check;
    mod endpoints;
    mod faults;
    mod functions;
    mod language_model;
    mod mixed;
    mod relations;
    mod schema;
    mod web_service;
}
