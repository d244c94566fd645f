//! A named query, ready to be asked.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value};
use sql::Requirement;
use sql::graphql::document::{Document, OperationKind};

use super::parameters::{self, Parameter, RawParameters};
use super::statement::Statement;
use crate::auth::session::Session;
use crate::error::Error;
use crate::execute::read_cache::CachePolicy;
use crate::rest::cache_control::CacheControl;

/// A named query.
#[derive(Debug)]
pub struct Endpoint {
    /// Its path below the map's, as the map has it.
    pub path: String,
    /// What it is called: in the log, and in descriptions.
    pub name: Option<String>,
    /// What it is for.
    pub summary: Option<String>,
    /// Whether it is offered as a tool.
    pub tool: bool,
    /// What it takes, in the order of the document.
    pub parameters: Vec<Parameter>,
    /// Which of them stand in the path, in the order of the path.
    pub in_path: Vec<String>,
    /// The root field that is the answer, where not all of them are.
    pub single: Option<String>,
    /// The row that has to be visible to the caller.
    pub requirement: Option<Arc<Requirement>>,
    /// What others may keep of its answers.
    pub cache_control: CacheControl,
    /// For how long the gateway keeps them.
    pub reuse: CachePolicy,
    pub(super) work: EndpointKind,
}

/// What an endpoint has done.
#[derive(Debug)]
pub enum EndpointKind {
    /// An operation of GraphQL.
    Operation {
        /// Its document.
        text: String,
        /// The same, parsed.
        document: Arc<Document>,
        /// Which of the document's operations it is; none where it has one without a name.
        name: Option<String>,
        /// Whether it reads or writes.
        kind: OperationKind,
        /// Who may ask it.
        admitted: AllowedRoles,
    },
    /// SQL, with its tables opened for whoever asks.
    Statement(Box<Statement>),
}

/// The roles that a document is valid for.
#[derive(Debug, Default)]
pub struct AllowedRoles {
    pub(super) plain: HashSet<String>,
    /// To a back end more may be open.
    pub(super) backend: HashSet<String>,
}

impl Endpoint {
    /// What it has done.
    pub fn work(&self) -> &EndpointKind {
        &self.work
    }

    /// Whether it changes something.
    pub fn writes(&self) -> bool {
        match &self.work {
            EndpointKind::Operation { kind, .. } => *kind == OperationKind::Mutation,
            EndpointKind::Statement(statement) => statement.writes(),
        }
    }

    /// The SQL that is run for it, where it is known before anybody asks.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let statement = match &self.work {
            EndpointKind::Operation { .. } => None,
            EndpointKind::Statement(statement) => Some(statement),
        };
        statement.into_iter().flat_map(|statement| statement.texts())
    }

    /// Whether a role may ask it, as a back end or not.
    pub fn admits(&self, role: &str, backend: bool) -> bool {
        match &self.work {
            EndpointKind::Operation { admitted, .. } if backend => admitted.backend.contains(role),
            EndpointKind::Operation { admitted, .. } => admitted.plain.contains(role),
            EndpointKind::Statement(statement) => statement.form(role, backend).is_some(),
        }
    }

    /// The same for a caller.
    pub fn admits_caller(&self, session: &Session) -> bool {
        self.admits(session.role(), session.backend_only())
    }

    /// The variables that it makes of what a client gives.
    pub fn variables(&self, in_path: Vec<String>, given: RawParameters) -> Result<Arc<Map<String, Value>>, Error> {
        let in_path = self.in_path.iter().cloned().zip(in_path);
        parameters::variables(&self.parameters, in_path, given).map(Arc::new)
    }
}
