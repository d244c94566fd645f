//! Tests of `[settings] reads = true` and `set_role` over every transport: policies of row-level security see the
//! caller in every kind of statement, and nothing of one caller reaches the next request on the same connection. Tests
//! of `[errors]` as well, because the same functions raise them.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod row_security {
    mod service;
    #[expect(dead_code, reason = "the legacy protocol and refused sockets are for other tests")]
    #[path = "../http/websocket_client.rs"]
    mod websocket_client;

    mod policies;
    mod raised_errors;
    mod refusals;
    mod set_role;
    mod settings;
    mod token_claims;
    mod transports;
}
