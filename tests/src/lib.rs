//! The harness of the tests: a Postgres cluster for all of them, a database for each.

pub mod database;

pub use database::{TestDatabase, create};
