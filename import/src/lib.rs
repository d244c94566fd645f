//! Metadata of Hasura becomes the files of Postern: permissions, REST map, documents, settings, and what later parts run.
//!
//! Pure: files come as text, and go as text. The catalog of the database is needed, because metadata holds no types: they
//! decide what a session value is, where a relationship over a foreign key leads, and what was not tracked.
//!
//! [`import`] is the whole of it. `source` puts the metadata together, `tables`, `grants` and `functions` read it,
//! `condition` turns boolean expressions into SQL, `relations` finds what has to be said of relations, `file` writes.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

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
