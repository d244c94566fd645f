//! Converts Hasura metadata into Postern's files: the permission file, the REST map, GraphQL
//! documents, settings, and files for features that Postern does not serve yet.
//!
//! The crate does no IO: files are passed in and returned as text. It needs the database's catalog,
//! because metadata has no types: the catalog determines the types of session values, where
//! relationships over foreign keys lead, and which tables were not tracked.
//!
//! [`import`] is the entry point. `source` assembles the metadata; `tables`, `grants` and
//! `functions` read it; `condition` translates boolean expressions to SQL; `relations` finds which
//! relationships the permission file must declare; `file` writes it.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod metadata;
mod source;
mod yaml;
mod sdl;
mod tables;
mod relationship;
mod grants;
mod inherit;
mod relations;
mod condition;
mod operators;
mod value;
mod functions;
mod endpoints;
mod passthrough;
mod triggers;
mod settings;
mod limits;
mod file;
mod expression;
mod session;
mod toml_writer;
mod names;
mod json_object;
mod report;

pub use functions::FunctionPermissions;
pub use metadata::{Imported, Location, Options, import, location};
pub use report::{Entry, Outcome, Report};
pub use source::{Source, SourceError};
