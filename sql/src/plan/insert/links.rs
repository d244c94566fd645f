//! Links between new rows and the rows that they depend on: how the key is copied, and whether it
//! is available before the other row is written.
//!
//! A key is available before if the request gives it, a preset sets it, or the statement evaluates
//! its default first. All parts of one statement see the snapshot from before it, so
//! before-triggers, `on_conflict` on the row that others refer to, and checks that read what an
//! earlier level writes need a statement for each level. A row that `on_conflict` left alone has no
//! key to pass on, and the mutation fails.

use super::guard;
use super::levels::{Level, LevelLink};
use super::target::Target;
use crate::model::Relation;
use crate::model::access::RuleDependencies;
use crate::plan::builder::Builder;
use crate::plan::{Denied, Event, Link, LinkColumn, LinkDirection, ParentRows, TransferredKey};
use crate::postgres::catalog::{ColumnId, TableId};
use crate::resolve::selection::Insert;

impl<'m> Builder<'m> {
    /// The link of a level to rows that it depends on, with its position in [`Insert::before`] if
    /// it has one.
    pub(super) fn link(
        &self,
        levels: &[Level<'_, 'm>],
        hang: &LevelLink,
        rows: ParentRows<'m>,
    ) -> Result<(Option<usize>, Link<'m>), Denied> {
        let over = levels.get(hang.level).ok_or(Denied)?;
        let table = self.access().model().table(over.insert.table);
        let column = |(here, there): &(ColumnId, ColumnId)| {
            let there = table.column(*there);
            LinkColumn {
                here: *here,
                there: &there.name,
                r#type: there.r#type,
            }
        };
        let columns = hang.columns.iter().map(column).collect();
        Ok((
            hang.before,
            Link {
                alias: 0,
                rows,
                along: hang.along,
                columns,
            },
        ))
    }

    /// The link of rows to the only row from which a relation leads to them.
    pub(super) fn only_link(&self, relation: &Relation, keys: Vec<TransferredKey<'m>>) -> Link<'m> {
        let columns = relation.on.iter().zip(&keys);
        let column = |((_, here), key): (&(ColumnId, ColumnId), &TransferredKey<'m>)| LinkColumn {
            here: *here,
            there: key.name,
            r#type: key.r#type,
        };
        let columns = columns.map(column).collect();
        Link {
            alias: 0,
            rows: ParentRows::Only(keys),
            along: LinkDirection::Parent,
            columns,
        }
    }

    /// Whether one statement can insert the rows of all levels: keys are available before rows are
    /// written, and no level depends on what an earlier level has stored.
    pub(super) fn is_one_statement(&self, levels: &[Level<'_, 'm>]) -> Result<bool, Denied> {
        let mut written: Vec<TableId> = Vec::new();
        for level in levels {
            let insert = level.insert;
            let of_table = levels
                .iter()
                .filter(|other| other.insert.table == insert.table);
            let twice = insert.on_conflict.is_some() && of_table.count() > 1;
            let independent = written.is_empty() || self.is_independent(insert, &written)?;
            if twice || !independent || !self.has_known_columns(insert, &level.wanted) {
                return Ok(false);
            }
            written.push(insert.table);
        }
        Ok(true)
    }

    /// Whether rows can be written without seeing the rows written to other tables.
    fn is_independent(&self, insert: &Insert<'m>, written: &[TableId]) -> Result<bool, Denied> {
        let access = self.access();
        let target = Target::open(self.access(), insert.table)?;
        let presets = target.presets().map(|(_, rule)| rule);
        let mut reads = presets.fold(target.check().reads.clone(), |reads, rule| {
            reads.union(rule.reads.clone())
        });
        if let Some(conflict) = &insert.on_conflict {
            let grant = access
                .update(insert.table)
                .filter(|_| !conflict.columns.is_empty());
            if let Some(grant) = grant {
                let presets = grant.preset.iter().map(|(_, rule)| rule);
                reads = presets
                    .chain([&grant.rows, &grant.check])
                    .fold(reads, |reads, rule| reads.union(rule.reads.clone()));
            }
            if conflict.filter.is_some() {
                reads = RuleDependencies::Anything;
            }
        }
        // A row trigger may look for the row that the new row depends on.
        let updates = insert.on_conflict.is_some() && guard::changes(target.table(), Event::Update);
        Ok(!reads.may_read_any_of(written) && guard::is_plain(target.table()) && !updates)
    }

    /// Whether columns of new rows are stored as they are available before: no trigger or
    /// expression changes them, and no existing row is updated or kept instead.
    fn has_known_columns(&self, insert: &Insert<'m>, wanted: &[ColumnId]) -> bool {
        let table = self.access().model().table(insert.table);
        let plain = |column: &ColumnId| {
            let column = table.column(*column);
            column.generated.is_none() && column.modifier.is_none()
        };
        let own = guard::is_plain(table) && insert.on_conflict.is_none();
        wanted.is_empty() || (own && wanted.iter().all(plain))
    }
}
