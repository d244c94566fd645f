//! The token exchange over HTTP: signing in, refreshing, signing out, what is told of it, and personal access tokens by command
//! and by GraphQL. What tokens open is left to the tests of the front door.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod exchange {
    mod service;

    mod client;
    mod commands;
    mod keys;
    mod own_tokens;
    mod refresh;
    mod sign_in;
    mod sign_out;
}
