//! A REST endpoint, compiled: its parameters, the roles that may call it, and the operation or
//! statement that it runs.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value};
use sql::Requirement;
use sql::graphql::document::{Document, OperationKind};

use super::parameters::{self, LIMIT, OFFSET, Parameter, RawParameters};
use super::statement::Statement;
use crate::auth::session::Session;
use crate::error::Error;
use crate::execute::read_cache::CachePolicy;
use crate::rest::cache_control::CacheControl;

/// A compiled endpoint of the REST map.
#[derive(Debug)]
pub struct Endpoint {
    /// The path below `/api/rest/`, as the map has it.
    pub path: String,
    /// The name in the access log and in descriptions.
    pub name: Option<String>,
    /// A description of what it is for.
    pub summary: Option<String>,
    /// Whether MCP offers it as a tool.
    pub tool: bool,
    /// The parameters, in the order of the document.
    pub parameters: Vec<Parameter>,
    /// The names of the path's parameters, in the order of the path.
    pub in_path: Vec<String>,
    /// The root field whose value is the response; `None` for all of `data`.
    pub single: Option<String>,
    /// The row that must be visible to the caller.
    pub requirement: Option<Arc<Requirement>>,
    /// The error's text if that row is not visible; `None` for the default.
    pub denied: Option<Arc<str>>,
    /// The `Cache-Control` of its responses.
    pub cache_control: CacheControl,
    /// How long the gateway caches its responses.
    pub cache_policy: CachePolicy,
    /// Whether CSV has texts that a spreadsheet would take for formulas as texts.
    pub escapes_formulas: bool,
    pub(super) work: EndpointKind,
}

/// What an endpoint runs.
#[derive(Debug)]
pub enum EndpointKind {
    /// An operation of GraphQL.
    Operation {
        /// The document's text.
        text: String,
        /// The parsed document.
        document: Arc<Document>,
        /// The name of the operation in the document; `None` if its only operation has no name.
        name: Option<String>,
        /// Whether it is a query or a mutation.
        kind: OperationKind,
        /// The roles that may call it.
        admitted: AllowedRoles,
    },
    /// An SQL statement, with its tables opened for each role.
    Statement(Box<Statement>),
}

/// The roles that a document is valid for.
#[derive(Debug, Default)]
pub struct AllowedRoles {
    pub(super) plain: HashSet<String>,
    /// The roles whose backend callers may call it.
    pub(super) backend: HashSet<String>,
}

impl Endpoint {
    /// What the endpoint runs.
    pub fn kind(&self) -> &EndpointKind {
        &self.work
    }

    /// Whether it changes data.
    pub fn writes(&self) -> bool {
        match &self.work {
            EndpointKind::Operation { kind, .. } => *kind == OperationKind::Mutation,
            EndpointKind::Statement(statement) => statement.writes(),
        }
    }

    /// Whether a request can ask for one page of its rows: it reads, and takes the parameters
    /// `limit` and `offset`.
    pub fn has_pages(&self) -> bool {
        let takes = |name: &str| {
            self.parameters
                .iter()
                .any(|parameter| parameter.name == name)
        };
        !self.writes() && takes(LIMIT) && takes(OFFSET)
    }

    /// The SQL that it runs, if that is known before any request: only for a statement.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let statement = match &self.work {
            EndpointKind::Operation { .. } => None,
            EndpointKind::Statement(statement) => Some(statement),
        };
        statement
            .into_iter()
            .flat_map(|statement| statement.texts())
    }

    /// Whether a role may call it, for backend callers or others.
    pub fn allows_role(&self, role: &str, backend: bool) -> bool {
        match &self.work {
            EndpointKind::Operation { admitted, .. } if backend => admitted.backend.contains(role),
            EndpointKind::Operation { admitted, .. } => admitted.plain.contains(role),
            EndpointKind::Statement(statement) => statement.form(role, backend).is_some(),
        }
    }

    /// Whether this caller may call it.
    pub fn admits_caller(&self, session: &Session) -> bool {
        self.allows_role(session.role(), session.backend_only())
    }

    /// The variables for a request's parameters.
    pub fn variables(
        &self,
        in_path: Vec<String>,
        given: RawParameters,
    ) -> Result<Arc<Map<String, Value>>, Error> {
        let in_path = self.in_path.iter().cloned().zip(in_path);
        parameters::variables(&self.parameters, in_path, given).map(Arc::new)
    }
}
