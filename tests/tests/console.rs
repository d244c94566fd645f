//! Tests the console: who gets what from its endpoints, its policy and files, and the page itself
//! in Chromium.

mod service;

mod access;
mod answers;
mod browser;
mod files;
