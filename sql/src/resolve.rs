//! Resolves a parsed document into a [`Selection`], following the rules of the GraphQL
//! specification.
//!
//! [`Operation::validate`] validates a document against a role's schema once. [`Operation::coerce`]
//! coerces the variables of one request. [`Operation::select`] makes the selection that
//! [`crate::plan`] plans, and records which variables determined it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use async_graphql_parser::types::OperationDefinition;
use serde_json::{Map, Value as Json};

use crate::error::Error;
use crate::graphql::document::{Document, OperationKind};
use crate::graphql::variables::{VariableFingerprint, Variables};
use crate::model::access::Access;
use crate::resolve::selection::Selection;
use crate::schema::Schema;
use crate::statement::ValueBudget;
use crate::statement::required_row::Requirement;

mod read;
mod connection;
mod stream;
mod call;
mod action;
mod filter;
mod compare;
mod related;
mod path;
mod search;
mod aggregate_condition;
mod group;
mod order;
mod write;
mod insert;
mod conflict;
mod change;
mod related_change;
mod required_row;
mod input;
mod cached;
mod rules;
mod variable_definition;
mod variable_input;
mod input_constraints;
mod fragments;
mod merge;
mod hasura_coercion;
mod entities;
mod granted_limit;
mod resolver;
mod options;
pub mod selection;

use variable_definition::Declared;

pub use cached::Cached;
pub use entities::POSITION;
pub use granted_limit::granted_limit;
pub use options::{Coercion, MembershipStrategy, NestedListStrategy, Options};
use resolver::Resolve;
pub use variable_input::{Values, Variable};

/// An operation that is valid under a role's schema. Only [`Operation::validate`] and
/// [`Operation::validate_as`] make one.
#[derive(Debug)]
pub struct Operation {
    document: Arc<Document>,
    name: Option<String>,
    kind: OperationKind,
    variables: Vec<Declared>,
    used: BTreeSet<String>,
    introspects: bool,
    volatile: bool,
    /// Whether it has the directive `@cached`.
    is_cached: bool,
    coercion: Coercion,
    requirement: Option<Arc<Requirement>>,
    /// Whether its lists find entities; see [`Operation::finding_entities`].
    finds_entities: bool,
}

impl Operation {
    /// Validates a document against a role's schema and selects one of its operations.
    ///
    /// Errors: the first fault of the document. All of its operations are validated.
    pub fn validate(
        access: &Access,
        document: Arc<Document>,
        name: Option<&str>,
    ) -> Result<Operation, Error> {
        Operation::validate_as(access, document, name, Coercion::Strict)
    }

    /// Validates a document under the given coercion, which also applies to the variables of the
    /// operation's requests.
    pub fn validate_as(
        access: &Access,
        document: Arc<Document>,
        name: Option<&str>,
        coercion: Coercion,
    ) -> Result<Operation, Error> {
        let kind = document.kind(name)?;
        let schema = Schema::new(access);
        let rules::ValidatedOperation {
            introspects,
            volatile,
            used,
            declared,
        } = rules::check(schema, &document, name, coercion)?;
        let is_cached = cached::is_cached(&document.operation(name)?.node);
        Ok(Operation {
            is_cached,
            name: name.map(str::to_owned),
            kind,
            variables: declared,
            used,
            introspects,
            volatile,
            coercion,
            requirement: None,
            finds_entities: false,
            document,
        })
    }

    /// Whether the operation calls a volatile function as a root field.
    pub fn is_volatile(&self) -> bool {
        self.volatile
    }

    /// Makes each list of the operation, whose condition is an `_in` for each column of a key,
    /// return for each element of these lists the row that has the key, with the position of the
    /// element as the field [`POSITION`].
    #[must_use]
    pub fn finding_entities(self) -> Operation {
        Operation {
            finds_entities: true,
            ..self
        }
    }

    /// Whether the operation has the directive `@cached`.
    pub fn has_cached(&self) -> bool {
        self.is_cached
    }

    /// What the directive `@cached` says under these variables, if the operation has it.
    pub fn cached(&self, variables: &Variables) -> Option<Cached> {
        if !self.is_cached {
            return None;
        }
        cached::cached(self.definition().ok()?, variables)
    }

    /// The kind of the operation.
    pub fn kind(&self) -> OperationKind {
        self.kind
    }

    /// Whether the operation selects `__schema` or `__type`.
    pub fn introspects(&self) -> bool {
        self.introspects
    }

    /// The document that contains the operation.
    pub fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// The `operationName` by which the operation was selected.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Coerces the values of the declared variables and applies defaults. Values of undeclared
    /// variables are ignored.
    ///
    /// Errors: a required variable is missing, or a value has the wrong type.
    /// <https://spec.graphql.org/October2021/#sec-Coercing-Variable-Values>
    pub fn coerce(&self, access: &Access, values: &Map<String, Json>) -> Result<Variables, Error> {
        self.coerce_shared(access, &Arc::new(values.clone()))
    }

    /// Like [`Operation::coerce`], but shares the values instead of copying them.
    pub fn coerce_shared(
        &self,
        access: &Access,
        values: &Arc<Map<String, Json>>,
    ) -> Result<Variables, Error> {
        if self.coercion == Coercion::Loose {
            return self.coerce_loosely(values);
        }
        let mut defaults = Map::new();
        for declared in &self.variables {
            if let Some(default) =
                declared.coerce(Schema::new(access), values.get(&declared.name))?
            {
                defaults.insert(declared.name.clone(), default.clone());
            }
        }
        Ok(Variables::new(self.declared(values), defaults))
    }

    /// The given values without those of undeclared variables.
    fn declared(&self, values: &Arc<Map<String, Json>>) -> Arc<Map<String, Json>> {
        // Names are unique, so if as many declared variables have values as there are values, every
        // value is declared.
        let count = || {
            self.variables
                .iter()
                .filter(|declared| values.contains_key(&declared.name))
                .count()
        };
        if values.len() <= self.variables.len() && count() == values.len() {
            return values.clone();
        }
        let declared = self
            .variables
            .iter()
            .filter_map(|declared| values.get_key_value(&declared.name));
        Arc::new(
            declared
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    /// Like [`Operation::coerce`], with sample values for omitted scalar variables: for translation
    /// without a request.
    pub fn coerce_sampled(
        &self,
        access: &Access,
        values: &Map<String, Json>,
    ) -> Result<Variables, Error> {
        self.coerce(access, &self.sampled(values))
    }

    /// The given values, with sample values for omitted scalar variables.
    pub fn sampled(&self, values: &Map<String, Json>) -> Map<String, Json> {
        let mut sampled = values.clone();
        for declared in self
            .variables
            .iter()
            .filter(|declared| !values.contains_key(&declared.name))
        {
            if let Some(value) = declared.sample() {
                sampled.insert(declared.name.clone(), value);
            }
        }
        sampled
    }

    /// Makes the selection, and the fingerprint of the variables that determined it.
    pub fn select<'m>(
        &self,
        access: &'m Access,
        variables: &Variables,
        options: Options,
    ) -> Result<(Selection<'m>, VariableFingerprint), Error> {
        let resolve = Resolve {
            schema: Schema::new(access),
            document: &self.document,
            variables,
            options,
            coercion: self.coercion,
            structure: RefCell::default(),
            conditions: Cell::default(),
            updates: Cell::default(),
            batches: Cell::default(),
            fields: Cell::default(),
            responses: Cell::default(),
            budget: Cell::new(
                options
                    .value_bytes
                    .map(ValueBudget::new)
                    .unwrap_or_default(),
            ),
            operands: RefCell::default(),
        };
        let mut selection = resolve.operation(self.definition()?)?;
        if self.finds_entities {
            entities::number_rows(&mut selection);
        }
        selection.required = self
            .requirement
            .as_ref()
            .map(|row| resolve.required(row))
            .transpose()?;
        Ok((selection, resolve.structure.into_inner()))
    }

    /// The operation's definition in the document.
    pub(crate) fn definition(&self) -> Result<&OperationDefinition, Error> {
        Ok(&self.document.operation(self.name.as_deref())?.node)
    }
}
