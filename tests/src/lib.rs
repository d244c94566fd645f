//! The harness of the tests: a Postgres cluster for all of them, a database for each, the fixture that most of them
//! use, and requests answered by the translation engine alone, without a gateway around it.

pub mod database;
pub mod fixture;
pub mod request;
pub mod wire;
pub mod choices;
pub mod case;
pub mod golden;

pub use database::{TestDatabase, create};
