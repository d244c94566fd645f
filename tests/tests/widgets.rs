//! Tests the widgets: the sessions that they open, what these may do, the files, and the widgets
//! themselves in Chromium.

mod service;

mod browser;
mod files;
mod sessions;
