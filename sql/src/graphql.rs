//! GraphQL as the specification has it: documents and the variables of a request. Names of the database are left to
//! [`crate::resolve`].
pub mod document;
pub mod variables;
