//! The state of resolving one operation, to which the other files of this folder add methods.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::Arc;

use super::options::{Coercion, Options};
use crate::graphql::document::Document;
use crate::graphql::variables::{VariableFingerprint, Variables};
use crate::schema::Schema;
use crate::statement::{Operand, ValueBudget};

/// The context of resolving one operation, and the counters and variable reads that it accumulates.
pub(super) struct Resolve<'a, 'm> {
    pub(super) schema: Schema<'m>,
    pub(super) document: &'a Document,
    pub(super) variables: &'a Variables,
    pub(super) options: Options,
    pub(super) coercion: Coercion,
    pub(super) structure: RefCell<VariableFingerprint>,
    /// The number of conditions so far: on columns, and on relations.
    pub(super) conditions: Cell<(usize, usize)>,
    /// The number of updates so far, including those of related rows.
    pub(super) updates: Cell<usize>,
    /// The number of distinct column sets of the rows to insert, over all nested lists.
    pub(super) batches: Cell<usize>,
    /// The number of fields selected so far.
    pub(super) fields: Cell<usize>,
    /// The number of fields selected from updates in lists, counted once for each update.
    pub(super) responses: Cell<usize>,
    /// The remaining budget for values.
    pub(super) budget: Cell<ValueBudget>,
    /// The operands with variables that are charged to it.
    pub(super) operands: RefCell<HashSet<Arc<Operand>>>,
}
