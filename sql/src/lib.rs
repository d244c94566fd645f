//! Translates one GraphQL request into one SQL statement for one role. The crate does no IO and
//! reads neither the clock nor the environment.
//!
//! [`translate()`] calls the stages in order: [`resolve`], [`plan`], [`render`]. [`graphql`] parses
//! the document before them, and [`encode`] writes the result rows of the [`statement`] as JSON
//! after them. [`schema`] resolves names for a role, using the role's access in [`model`] and the
//! catalog in [`postgres`]. The modules below are listed from top to bottom; each imports only
//! modules below it, and a test checks this.

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

pub use error::{
    ActualKind, Cause, Error, ErrorKind, ExpectedKind, FieldConflict, GeometryFault, LengthLimit,
    NameKind, RequestLimit, TextFormat,
};
pub use statement::required_row::Requirement;
pub use translate::{
    CompositeOperation, CountedWork, ExpectedWork, ExpectedWorkCache, Grouping, GroupingState,
    OperationPart, ResponseLength, RootField, TranslateError, Translation, TranslationKind, lower,
    translate,
};
