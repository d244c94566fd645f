//! Postgres as the rest of the crate sees it: the catalog, its types, and the values that are sent as parameters.
pub mod catalog;
pub mod encoder;
pub mod types;
pub mod value;
pub mod ltree;
pub mod spatial;
pub(crate) mod json_path;
pub(crate) mod implicit_cast;
