//! Tests the widgets: the sessions that they open, what these may do, the files, and the widgets themselves in
//! Chromium.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod widgets {
    mod service;

    mod browser;
    mod files;
    mod sessions;
}
