//! SQL that an endpoint holds, ready for every role that may ask it: translated once, when the map is read.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use sql::Translation;
use sql::graphql::variables::Variables;
use sql::native_query::{Query, Types};

use crate::execute;

/// The field of the answer that holds the rows.
pub const ROWS: &str = "rows";

/// A statement of the map.
#[derive(Debug)]
pub struct Statement {
    pub(super) query: Query,
    /// For the roles that may ask it.
    pub(super) plain: HashMap<String, RoleStatement>,
    /// To a back end more may be open.
    pub(super) backend: HashMap<String, RoleStatement>,
}

/// A statement as a role has it.
#[derive(Debug)]
pub struct RoleStatement {
    /// Of which types it is: of two roles one may see more columns, where it asks for all.
    pub types: Types,
    /// What is run.
    pub translation: Arc<Translation>,
}

impl Statement {
    /// As a role has it that may ask it, as a back end or not.
    pub fn form(&self, role: &str, backend: bool) -> Option<&RoleStatement> {
        let forms = if backend { &self.backend } else { &self.plain };
        forms.get(role)
    }

    /// What is run for whoever may ask it.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let forms = self.plain.values().chain(self.backend.values());
        forms.flat_map(|form| execute::statements(&form.translation)).map(|statement| statement.text.as_str())
    }

    /// Whether it writes, or calls what may.
    pub fn writes(&self) -> bool {
        self.query.writes
    }

    /// Whether it calls a function of which each call matters, so that no answer may be another's.
    pub fn is_volatile(&self) -> bool {
        self.query.volatile
    }

    /// The names of its parameters, in the order of their types.
    pub fn parameters(&self) -> &[String] {
        &self.query.parameters
    }

    /// The values of its parameters.
    pub fn coerce(&self, given: &Arc<Map<String, Value>>) -> Result<Variables, sql::Error> {
        self.query.coerce(given)
    }
}
