//! One GraphQL request, one SQL statement, for one role. No IO, no clock, no environment.
//!
//! [`translate`] is the path, and names the steps: [`resolve`], [`plan`], [`render`]. Before it stands [`document`],
//! after it [`statement`] and [`encode`]. Below lie the role's [`schema`], its [`access`], and the [`catalog`].

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod translate;
pub mod introspection;
pub mod json_schema;
pub mod reference;
pub mod render;
pub mod plan;
pub mod resolve;
pub mod selection;
pub mod schema;
pub mod statement;
pub mod access;
mod required_row;
pub mod native_query;
mod implicit_cast;
pub mod model;
pub mod aggregates;
pub mod update_operators;
pub mod variables;
pub mod value;
mod json_path;
pub mod operators;
pub mod types;
pub mod ltree;
pub mod spatial;
pub mod encode;
pub mod shape;
pub mod cursor;
pub mod names;
pub mod catalog;
pub mod document;
mod error;
#[cfg(test)]
mod testing;

pub use error::{Cause, FieldConflict, Error, ErrorKind};
pub use required_row::Requirement;
pub use translate::{TranslationKind, ExpectedWork, TranslateError, Translation, lower, translate};
