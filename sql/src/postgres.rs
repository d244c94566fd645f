//! Postgres for the rest of the crate: the catalog, types as GraphQL scalars, and the text form of
//! parameters.
pub mod catalog;
pub mod encoder;
pub mod types;
pub mod value;
pub mod length_limits;
pub mod ltree;
pub mod spatial;
pub(crate) mod json_path;
pub(crate) mod implicit_cast;
