//! The REST map: endpoints under `/api/rest/`, each a GraphQL operation or an SQL statement.
//! [`mod@file`] parses the map, [`mod@compile`] checks it against the database and every role, and
//! [`crate::http::rest`] serves the result.

mod function_calls;
mod compile;
mod endpoint;
mod diagnostic;
mod file;
mod map;
mod operation_names;
mod warnings;
mod parameters;
mod path;
mod source;
mod statement;
mod type_inference;
pub mod openapi;
pub mod tools;
pub mod per_role;
pub mod cache_control;

pub use compile::{check_form, compile};
pub use diagnostic::{Fault, Problem};
pub use endpoint::{Endpoint, EndpointKind};
pub use map::{Map, PathItem, RouteMatch};
pub use operation_names::Operation;
pub use parameters::{Body, LIMIT, OFFSET, Parameter, RawParameters};
pub use source::{Documents, Source};
pub use statement::{ROWS, RoleStatement, Statement};
pub use warnings::notes;
