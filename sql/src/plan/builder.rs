//! The state of one plan while it is built: the role's access, the options and the next free alias.
//! The other modules of `plan` add their methods to [`Builder`].

use std::rc::Rc;
use std::sync::Arc;

use super::planned_levels::LevelBuilder;
use super::{Action, Denied, Predicate, Scan, Select};
use crate::encode::cursor::Secret;
use crate::model::Relation;
use crate::model::access::{Access, Purpose};
use crate::postgres::catalog::{Oid, TableId};
use crate::postgres::types::{Output, Scalar};
use crate::resolve::selection::Count;
use crate::resolve::{Coercion, MembershipStrategy, NestedListStrategy, Options};
use crate::statement::LevelSteps;

/// Builds one plan.
pub(super) struct Builder<'m> {
    access: &'m Access,
    options: Options,
    aliases: u32,
    /// The number of scans opened so far that may hide rows.
    hiding: u32,
    /// The work of the caller's conditions beside row rules, in all scans together.
    pub(super) spent: u32,
    /// The select whose planner estimate answers the counts of the current aggregate; none where
    /// they may not be estimated.
    pub(super) estimated: Option<Rc<Select<'m>>>,
    /// The filter on the rows of a group that the aggregates of the current condition aggregate.
    pub(super) measured_over: Option<Rc<Predicate<'m>>>,
    /// Object relations that were joined: the left scan's alias, the relation, the joined scan.
    pub(super) joined: Vec<(u32, &'m Relation, Scan<'m>)>,
    /// The levels that rows are being planned in, where lists may become levels of their own.
    pub(super) levels: LevelBuilder<'m>,
    /// The response keys to the field that is being planned.
    path: Vec<String>,
    /// The inserts of a mutation whose rows are written one after another.
    pub(super) row_by_row: Vec<LevelSteps>,
}

impl<'m> Builder<'m> {
    pub(super) fn new(access: &'m Access, options: Options) -> Builder<'m> {
        let aliases = 0;
        let hiding = 0;
        let spent = 0;
        let estimated = None;
        let measured_over = None;
        let joined = Vec::new();
        let levels = LevelBuilder::default();
        let path = Vec::new();
        let row_by_row = Vec::new();
        Builder {
            access,
            options,
            aliases,
            hiding,
            spent,
            estimated,
            measured_over,
            joined,
            levels,
            path,
            row_by_row,
        }
    }

    /// A builder for which the first `taken` aliases are in use.
    pub(super) fn with_taken_aliases(
        taken: u32,
        access: &'m Access,
        options: Options,
    ) -> Builder<'m> {
        Builder {
            aliases: taken,
            ..Builder::new(access, options)
        }
    }

    pub(super) fn access(&self) -> &'m Access {
        self.access
    }

    /// Opens a table under the next alias.
    pub(super) fn open(&mut self, table: TableId, purpose: Purpose) -> Result<Scan<'m>, Denied> {
        let alias = self.alias();
        let scan = Scan::open(self.access, table, purpose, alias)?;
        self.hiding += u32::from(scan.may_hide_rows());
        Ok(scan.with_path(self.path()))
    }

    /// The response keys to the field that is being planned: `parent.child`.
    pub(super) fn path(&self) -> Rc<str> {
        self.path.join(".").into()
    }

    /// Plans a field of the response under its key.
    pub(super) fn plan_under_key<T>(&mut self, key: &str, plan: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(key.to_owned());
        let planned = plan(self);
        self.path.pop();
        planned
    }

    /// Opens a table under the next alias so that its rows are written; `reads` is whether the
    /// statement reads stored values.
    pub(super) fn open_for(
        &mut self,
        table: TableId,
        action: Action,
        reads: bool,
    ) -> Result<Scan<'m>, Denied> {
        let alias = self.alias();
        Scan::open_for(self.access, table, alias, action, reads)
    }

    /// The number of scans opened so far that may hide rows.
    pub(super) fn hiding(&self) -> u32 {
        self.hiding
    }

    /// Starts aliases at zero again, for a statement that uses nothing of the earlier ones.
    /// Mutation fields that are alike then share a text.
    pub(super) fn restart(&mut self) {
        self.aliases = 0;
        self.joined.clear();
    }

    /// Takes the next alias.
    pub(super) fn alias(&mut self) -> u32 {
        self.aliases += 1;
        self.aliases - 1
    }

    pub(super) fn scalar(&self, oid: Oid) -> Arc<Scalar> {
        self.access.model().scalar(oid)
    }

    /// The row limit that the grant sets for a table.
    pub(super) fn granted_limit(&self, table: TableId, purpose: Purpose) -> Option<Count> {
        let limit = self
            .access
            .read(table, purpose)
            .and_then(|select| select.limit);
        limit.map(|limit| Count::Number(limit.into()))
    }

    /// The strategy for lists under a membership rule.
    pub(super) fn memberships(&self) -> MembershipStrategy {
        self.options.memberships
    }

    /// How input values are coerced.
    pub(super) fn coercion(&self) -> Coercion {
        self.options.coercion
    }

    /// The strategy for lists within lists.
    pub(super) fn lists(&self) -> NestedListStrategy {
        self.options.lists
    }

    /// The secret that cursors are authenticated with.
    pub(super) fn cursors(&self) -> Secret {
        self.options.cursors
    }

    /// Whether numbers that lose digits in JavaScript are sent as strings.
    pub(super) fn stringifies_numbers(&self) -> bool {
        self.options.stringify_numbers
    }

    /// How a value is sent; numbers become strings where the options ask for it.
    pub(super) fn output(&self, output: Output) -> Output {
        if self.options.stringify_numbers {
            output.stringified()
        } else {
            output
        }
    }
}
