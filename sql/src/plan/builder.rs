//! What a plan is built with: fixed facts, and the next alias.

use std::rc::Rc;

use super::level_union::LevelBuilder;
use super::{Action, Denied, Predicate, Scan, Select};
use crate::encode::cursor::Secret;
use crate::model::Relation;
use crate::model::access::{Access, Purpose};
use crate::postgres::catalog::{Oid, TableId};
use crate::postgres::types::{Output, Scalar};
use crate::resolve::selection::Count;
use crate::resolve::{MembershipStrategy, NestedListStrategy, Options};

/// Builds one plan.
pub(super) struct Builder<'m> {
    access: &'m Access,
    options: Options,
    aliases: u32,
    /// How many scans were opened whose rule hides rows.
    hiding: u32,
    /// How much work conditions of the caller are on a row beside row rules, in all scans together.
    pub(super) spent: u32,
    /// What the planner is asked for counts of the aggregate at hand, where it may be.
    pub(super) estimated: Option<Rc<Select<'m>>>,
    /// The rows of a group that the aggregates of the condition at hand go over.
    pub(super) measured_over: Option<Rc<Predicate<'m>>>,
    /// Object relations that were joined: from which scan, by which relation, to which scan.
    pub(super) joined: Vec<(u32, &'m Relation, Scan<'m>)>,
    /// The levels that rows are being planned in, where lists may become levels of their own.
    pub(super) levels: LevelBuilder<'m>,
}

impl<'m> Builder<'m> {
    pub(super) fn new(access: &'m Access, options: Options) -> Builder<'m> {
        let (aliases, hiding, spent, estimated, measured_over) = (0, 0, 0, None, None);
        let (joined, levels) = (Vec::new(), LevelBuilder::default());
        Builder { access, options, aliases, hiding, spent, estimated, measured_over, joined, levels }
    }

    /// The same, where so many numbers are taken already.
    pub(super) fn after(taken: u32, access: &'m Access, options: Options) -> Builder<'m> {
        Builder { aliases: taken, ..Builder::new(access, options) }
    }

    pub(super) fn access(&self) -> &'m Access {
        self.access
    }

    /// Opens a table under the next alias.
    pub(super) fn open(&mut self, table: TableId, purpose: Purpose) -> Result<Scan<'m>, Denied> {
        let alias = self.alias();
        let scan = Scan::open(self.access, table, purpose, alias)?;
        self.hiding += u32::from(scan.filters_rows());
        Ok(scan)
    }

    /// Opens a table under the next alias so that its rows are written, by a statement that reads stored values or does not.
    pub(super) fn open_for(&mut self, table: TableId, action: Action, reads: bool) -> Result<Scan<'m>, Denied> {
        let alias = self.alias();
        Scan::open_for(self.access, table, alias, action, reads)
    }

    /// How many scans have been opened whose rule hides rows.
    pub(super) fn hiding(&self) -> u32 {
        self.hiding
    }

    /// Begins to count anew, for statements that take nothing from those so far: so fields that are alike share a text.
    pub(super) fn restart(&mut self) {
        self.aliases = 0;
        self.joined.clear();
    }

    /// The next alias.
    pub(super) fn alias(&mut self) -> u32 {
        self.aliases += 1;
        self.aliases - 1
    }

    pub(super) fn scalar(&self, oid: Oid) -> Scalar {
        Scalar::of(self.access.model().catalog(), oid)
    }

    /// The most rows that the grant gives of a table.
    pub(super) fn granted_limit(&self, table: TableId, purpose: Purpose) -> Option<Count> {
        let limit = self.access.read(table, purpose).and_then(|select| select.limit);
        limit.map(|limit| Count::Number(limit.into()))
    }

    /// How lists under a membership are read.
    pub(super) fn memberships(&self) -> MembershipStrategy {
        self.options.memberships
    }

    /// How lists within lists come.
    pub(super) fn lists(&self) -> NestedListStrategy {
        self.options.lists
    }

    /// What cursors are tagged with.
    pub(super) fn cursors(&self) -> Secret {
        self.options.cursors
    }

    /// How a value goes out, numbers as strings where that is wanted.
    pub(super) fn output(&self, output: Output) -> Output {
        if self.options.stringify_numbers { output.stringified() } else { output }
    }
}
