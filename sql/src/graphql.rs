//! Parses GraphQL documents and reads the variables of a request, both independent of the database.
//! Resolving names of the schema is left to [`crate::resolve`].
pub mod document;
pub mod variables;
