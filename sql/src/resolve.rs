//! From document to selection, with the specification's rules.
//!
//! [`Operation::validate`] holds a document against a role's schema once; [`Operation::coerce`] takes the variables
//! of one request; [`Operation::select`] makes the selection, noting which variables decided it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use async_graphql_parser::types::OperationDefinition;
use serde_json::{Map, Value as Json};

use crate::encode::cursor::Secret;
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
mod call;
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
mod rules;
mod variable_definition;
mod variable_input;
mod input_constraints;
mod fragments;
mod merge;
mod hasura_coercion;
pub mod selection;

use variable_definition::Declared;

pub use variable_input::{Values, Variable};

/// An operation that fits the schema of a role. Only [`Operation::validate`] makes one.
#[derive(Debug)]
pub struct Operation {
    document: Arc<Document>,
    name: Option<String>,
    kind: OperationKind,
    variables: Vec<Declared>,
    used: BTreeSet<String>,
    introspects: bool,
    volatile: bool,
    coercion: Coercion,
    requirement: Option<Arc<Requirement>>,
}

/// How the values of a request are held against their types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Coercion {
    /// As the GraphQL specification says.
    #[default]
    Strict,
    /// As Hasura does it: variables are judged where they are used, one that was not given is null, one that is declared
    /// need not be used, and a column takes any text that Postgres takes for its type.
    Loose,
}

/// What [`Operation::select`] needs to know beside the variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Whether limits in variables become parameters, rather than numbers that decide the text.
    pub limit_parameters: bool,
    /// Whether bigint, numeric and double precision go out as strings.
    pub stringify_numbers: bool,
    /// What cursors are tagged with.
    pub cursors: Secret,
    /// The most bytes of a mutation's lists, roughly: what is written is undone if it cannot be told.
    pub answer_bytes: Option<usize>,
    /// The most bytes of the values of a request, as they are sent to Postgres.
    pub value_bytes: Option<usize>,
    /// How the values of requests are held against their types; [`Operation::validate_as`] is told the same.
    pub coercion: Coercion,
    /// How lists under a row rule that is a membership are read.
    pub memberships: MembershipStrategy,
    /// How lists within lists come.
    pub lists: NestedListStrategy,
}

/// How lists under a row rule that is a membership are read. Either way they have the same rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MembershipStrategy {
    /// As the statistics of the catalog say.
    #[default]
    ByStatistics,
    /// From the memberships wherever that is right.
    Always,
    /// With the rule as a condition.
    Never,
}

/// How lists within lists come from Postgres. The answer is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NestedListStrategy {
    /// As levels where that is known to pay and the root has few rows, else as records.
    #[default]
    Chosen,
    /// As levels wherever that can be.
    Levels,
    /// As records in the rows that they belong to.
    Records,
}

impl Operation {
    /// Holds a document against a role's schema and picks an operation of it.
    ///
    /// Errors: the first fault of the document; all operations of it are judged.
    pub fn validate(access: &Access, document: Arc<Document>, name: Option<&str>) -> Result<Operation, Error> {
        Operation::validate_as(access, document, name, Coercion::Strict)
    }

    /// The same under another coercion, which then holds for the values of the operation's requests too.
    pub fn validate_as(
        access: &Access,
        document: Arc<Document>,
        name: Option<&str>,
        coercion: Coercion,
    ) -> Result<Operation, Error> {
        let kind = document.kind(name)?;
        let schema = Schema::new(access);
        let rules::ValidatedOperation { introspects, volatile, used, declared } =
            rules::check(schema, &document, name, coercion)?;
        Ok(Operation {
            name: name.map(str::to_owned),
            kind,
            variables: declared,
            used,
            introspects,
            volatile,
            coercion,
            requirement: None,
            document,
        })
    }

    /// Whether it calls a function of which each call matters: a volatile one, as a root field.
    pub fn is_volatile(&self) -> bool {
        self.volatile
    }

    /// What it does.
    pub fn kind(&self) -> OperationKind {
        self.kind
    }

    /// Whether it asks for `__schema` or `__type`.
    pub fn introspects(&self) -> bool {
        self.introspects
    }

    /// The document it is written in.
    pub fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// The `operationName` it was picked by.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The values of the declared variables, defaults put in. Values of others are ignored.
    ///
    /// Errors: a required one that is missing, one of the wrong type.
    /// <https://spec.graphql.org/October2021/#sec-Coercing-Variable-Values>
    pub fn coerce(&self, access: &Access, given: &Map<String, Json>) -> Result<Variables, Error> {
        self.coerce_shared(access, &Arc::new(given.clone()))
    }

    /// The same, of values that are held on to and not copied.
    pub fn coerce_shared(&self, access: &Access, given: &Arc<Map<String, Json>>) -> Result<Variables, Error> {
        if self.coercion == Coercion::Loose {
            return self.coerce_loosely(given);
        }
        let mut defaults = Map::new();
        for declared in &self.variables {
            if let Some(default) = declared.coerce(Schema::new(access), given.get(&declared.name))? {
                defaults.insert(declared.name.clone(), default.clone());
            }
        }
        Ok(Variables::new(self.declared(given), defaults))
    }

    /// The given values without those of variables that are not declared.
    fn declared(&self, given: &Arc<Map<String, Json>>) -> Arc<Map<String, Json>> {
        // Names differ from each other, so all that are given are declared where as many of the declared ones are given.
        let known = || self.variables.iter().filter(|declared| given.contains_key(&declared.name)).count();
        if given.len() <= self.variables.len() && known() == given.len() {
            return given.clone();
        }
        let declared = self.variables.iter().filter_map(|declared| given.get_key_value(&declared.name));
        Arc::new(declared.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// The same, with sample values for scalar variables that were not given: for translation without a request.
    pub fn coerce_sampled(&self, access: &Access, given: &Map<String, Json>) -> Result<Variables, Error> {
        self.coerce(access, &self.sampled(given))
    }

    /// What is given, with sample values for the other scalar variables.
    pub fn sampled(&self, given: &Map<String, Json>) -> Map<String, Json> {
        let mut sampled = given.clone();
        for declared in self.variables.iter().filter(|declared| !given.contains_key(&declared.name)) {
            if let Some(value) = declared.sample() {
                sampled.insert(declared.name.clone(), value);
            }
        }
        sampled
    }

    /// What is wanted, and the variables that decided it.
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
            answers: Cell::default(),
            room: Cell::new(options.value_bytes.map(ValueBudget::new).unwrap_or_default()),
        };
        let mut selection = resolve.operation(self.definition()?)?;
        selection.required = self.requirement.as_ref().map(|row| resolve.required(row)).transpose()?;
        Ok((selection, resolve.structure.into_inner()))
    }

    /// The operation as the document has it.
    pub(crate) fn definition(&self) -> Result<&OperationDefinition, Error> {
        Ok(&self.document.operation(self.name.as_deref())?.node)
    }
}

/// What stays the same while one operation is resolved, and the variables that have been read structurally.
struct Resolve<'a, 'm> {
    schema: Schema<'m>,
    document: &'a Document,
    variables: &'a Variables,
    options: Options,
    coercion: Coercion,
    structure: RefCell<VariableFingerprint>,
    /// The conditions met so far: on columns, and on relations.
    conditions: Cell<(usize, usize)>,
    /// The updates met so far, changes of related rows among them.
    updates: Cell<usize>,
    /// How many sets of columns rows to insert have, at all their places.
    batches: Cell<usize>,
    /// The fields selected so far.
    fields: Cell<usize>,
    /// What is asked of the answers of updates that stand in lists, once for each of them.
    answers: Cell<usize>,
    /// How much more the values may come to.
    room: Cell<ValueBudget>,
}
