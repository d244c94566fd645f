//! One GraphQL request, one SQL statement, for one role. No IO, no clock, no environment.
//!
//! Read from the bottom: [`catalog`] is the database, [`model`] its names in GraphQL, [`access`] what a role may do.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod access;
pub mod resolve;
pub mod selection;
pub mod schema;
pub mod model;
pub mod operators;
pub mod encode;
pub mod statement;
pub mod variables;
pub mod value;
pub mod shape;
pub mod document;
pub mod types;
pub mod names;
pub mod catalog;
mod error;

pub use error::{Cause, Error, ErrorKind};
