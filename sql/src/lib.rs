//! Translates one GraphQL request into one SQL statement for one role. It does no IO and reads no clock and no environment.
//!
//! [`translate()`] names the steps in order: [`resolve`], [`plan`], [`render`]. [`graphql`] parses the document before it, and
//! [`encode`] writes the rows of the [`statement`] as JSON behind it. [`schema`] answers what a name means for a role, from the
//! role's access in [`model`] and the catalog in [`postgres`]. The modules stand from top to bottom, and each uses only those
//! below it; a test checks that.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod translate;
pub mod introspection;
pub mod render;
pub mod plan;
pub mod native_query;
pub mod resolve;
pub mod schema;
pub mod statement;
pub mod encode;
pub mod model;
pub mod graphql;
pub mod postgres;
mod error;
#[cfg(test)]
mod testing;

pub use error::{Cause, Error, ErrorKind, FieldConflict};
pub use statement::required_row::Requirement;
pub use translate::{ExpectedWork, TranslateError, Translation, TranslationKind, lower, translate};
