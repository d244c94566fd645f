//! Tests the console: who gets what from its endpoints, its policy and files, and the page itself in Chromium.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod console {
    mod service;

    mod access;
    mod answers;
    mod browser;
    mod files;
}
