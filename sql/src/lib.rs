//! One GraphQL request, one SQL statement, for one role. No IO, no clock, no environment.
//!
//! Read from the bottom: [`catalog`] is the database, [`model`] its names in GraphQL, [`access`] what a role may do.

pub mod access;
pub mod catalog;
pub mod encode;
pub mod model;
pub mod names;
pub mod shape;
