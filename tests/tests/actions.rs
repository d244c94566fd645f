//! Tests actions over HTTP: their schema, the handlers (a scripted web service, functions of the
//! database, Rust), the relations from an answer to tables, asynchronous calls, and the faults of
//! the files that declare them.

mod service;

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
