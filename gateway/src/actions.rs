//! Actions: GraphQL root fields that a handler answers: a web service, a function of the database,
//! or Rust. Two files declare them: the definitions (TOML), and their arguments and types
//! (GraphQL). [`compile()`] checks both against the database and the permissions, and makes
//! [`Handlers`], which [`crate::execute`] calls.

mod breaker;
mod compile;
mod context;
mod definition;
mod diagnostic;
mod document;
mod function;
mod generated_text;
mod handler;
mod handler_compiler;
mod language_model;
mod native;
mod source;
mod web_service;
mod log;
pub mod worker;

pub use compile::compile;
pub use context::ActionContext;
pub use diagnostic::{Fault, Problem};
pub use handler::{HandlerResponse, Handlers};
pub use native::{ActionError, ActionInput, NativeHandlers};
pub use source::{ActionsConfig, LogSettings, Source, log_settings};
