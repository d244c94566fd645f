//! Named queries as tools of the Model Context Protocol: its messages over plain HTTP, what each role is offered and answered, who
//! may call, rates, and the official client.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod mcp {
    mod service;

    mod callers;
    mod calls;
    mod client;
    mod log;
    mod messages;
    mod rates;
    mod tools;
}
