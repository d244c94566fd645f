//! An endpoint's SQL statement, translated for every role that may run it when the map is compiled.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use sql::Translation;
use sql::graphql::variables::Variables;
use sql::native_query::{Query, Types};

use crate::execute;

/// The field of the response that holds the rows.
pub const ROWS: &str = "rows";

/// An SQL statement of the map.
#[derive(Debug)]
pub struct Statement {
    pub(super) query: Query,
    /// The translations for the roles that may run it.
    pub(super) plain: HashMap<String, RoleStatement>,
    /// The translations for backend callers, who may have more permissions.
    pub(super) backend: HashMap<String, RoleStatement>,
}

/// A statement translated for one role.
#[derive(Debug)]
pub struct RoleStatement {
    /// The types of parameters and columns. With `*`, roles may have different columns.
    pub types: Types,
    /// The translation to run.
    pub translation: Arc<Translation>,
}

impl Statement {
    /// The translation for a role, for backend callers or others; `None` if the role may not run
    /// the statement.
    pub fn form(&self, role: &str, backend: bool) -> Option<&RoleStatement> {
        let forms = if backend { &self.backend } else { &self.plain };
        forms.get(role)
    }

    /// The SQL of all translations.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let statements = self.plain.values().chain(self.backend.values());
        statements
            .flat_map(|form| execute::statements(&form.translation))
            .map(|statement| statement.text.as_str())
    }

    /// Whether it writes, or calls functions that may.
    pub fn writes(&self) -> bool {
        self.query.writes
    }

    /// Whether it calls a volatile function, so that a response must not be shared between
    /// requests.
    pub fn is_volatile(&self) -> bool {
        self.query.volatile
    }

    /// The names of its parameters, in the order of their types.
    pub fn parameters(&self) -> &[String] {
        &self.query.parameters
    }

    /// Coerces the values of its parameters.
    pub fn coerce(&self, given: &Arc<Map<String, Value>>) -> Result<Variables, sql::Error> {
        self.query.coerce(given)
    }
}
