//! The permission file: who may do what with which rows, and what everything is called.
//!
//! [`compile`] turns a file and a catalog into [`Permissions`], or tells every problem of the file at once. Read
//! `file` for the file as written, `expose` for names, `grants` and `rule` for what roles may do.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod compile;
mod statement;
mod init;
mod grants;
mod inherit;
mod rule;
mod session;
mod settings;
mod expose;
mod enums;
mod keys;
mod file;
mod report;
mod preparation;
mod problem;
mod fault;

pub use compile::{Attempt, Defaults, Permissions, attempt, compile, compile_as, open, open_as, sort};
pub use enums::enum_query;
pub use fault::Fault;
pub use init::init;
pub use preparation::Preparation;
pub use problem::{Flaw, Place, Problem, SourceFile, draw};
pub use report::{did_you_mean, listed};
pub use rule::Checked;
pub use statement::{Statement, statement};
