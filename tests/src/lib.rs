//! The harness of the tests: a Postgres cluster for all of them, a database for each, the fixture that most of them
//! use, requests answered by the translation engine alone, without a gateway around it, and what tests of the whole need:
//! answers over HTTP, a proxy before Postgres, the real binary.

pub mod database;
pub mod fixture;
pub mod request;
pub mod plain;
pub mod wire;
pub mod domains;
pub mod choices;
pub mod documents;
pub mod writes;
pub mod mutations;
pub mod state;
pub mod case;
pub mod golden;
pub mod reply;
pub mod openapi;
pub mod proxy;
pub mod binary;
pub mod certificates;

pub use database::{TestDatabase, create};
