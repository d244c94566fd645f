//! The permission file against a catalog: faults, golden cases, grants, names that clash.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod clashes;
mod golden;
mod grants;
