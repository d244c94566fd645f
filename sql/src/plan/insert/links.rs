//! Keys of rows that hang together: how new rows find those that they hang on, and whether a key is known before its row
//! is written.

use super::guard;
use super::levels::{Level, LevelLink};
use super::target::Target;
use crate::model::Relation;
use crate::model::access::RuleDependencies;
use crate::plan::builder::Builder;
use crate::plan::{Denied, Event, TransferredKey};
use crate::postgres::catalog::{ColumnId, Oid, TableId};
use crate::resolve::selection::Insert;

/// Rows that new rows hang on, joined to them: `JOIN _1 AS _4 ON _4."_n" = _3."_p"`
#[derive(Clone, Debug)]
pub struct Link<'m> {
    /// The number of them in the statement.
    pub alias: u32,
    /// Where they are.
    pub rows: ParentRows<'m>,
    /// How they belong together.
    pub along: LinkDirection,
    /// The columns that are copied.
    pub columns: Vec<LinkColumn<'m>>,
}

/// A column that is copied from one row to another.
#[derive(Clone, Debug)]
pub struct LinkColumn<'m> {
    /// The column here.
    pub here: ColumnId,
    /// The name of the column there.
    pub there: &'m str,
    /// The type of the column there.
    pub r#type: Oid,
}

/// Where rows are that others hang on.
#[derive(Clone, Debug)]
pub enum ParentRows<'m> {
    /// The part of that number has them, and the name of the column that joins them.
    Part(u32, String),
    /// An earlier statement handed their keys over, in the order of the rows; where they belong to only some of the rows
    /// here, to which is in the setting of that number.
    Handed(Vec<TransferredKey<'m>>, Option<u32>),
    /// An earlier statement handed over the key of one row, that all rows here hang on.
    Only(Vec<TransferredKey<'m>>),
}

/// How rows belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkDirection {
    /// Each row here has the number of the one that it came with.
    Parent,
    /// Each row there has the number of the one here that it came with.
    Child,
}

impl<'m> Link<'m> {
    /// The same under another number.
    pub(super) fn in_parent_rows(&self, alias: u32) -> Link<'m> {
        Link { alias, ..self.clone() }
    }
}

impl<'m> Builder<'m> {
    /// The link of a level to rows that it hangs on, with the place in [`Insert::before`] where it has one.
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
            LinkColumn { here: *here, there: &there.name, r#type: there.r#type }
        };
        let columns = hang.columns.iter().map(column).collect();
        Ok((hang.before, Link { alias: 0, rows, along: hang.along, columns }))
    }

    /// The link of rows to the only row that a relation leads to them from.
    pub(super) fn only_link(&self, relation: &Relation, keys: Vec<TransferredKey<'m>>) -> Link<'m> {
        let columns = relation.on.iter().zip(&keys);
        let column = |((_, here), key): (&(ColumnId, ColumnId), &TransferredKey<'m>)| LinkColumn {
            here: *here,
            there: key.name,
            r#type: key.r#type,
        };
        let columns = columns.map(column).collect();
        Link { alias: 0, rows: ParentRows::Only(keys), along: LinkDirection::Parent, columns }
    }

    /// Whether one statement can insert the rows of all levels: keys are known beforehand, and nothing of a level depends
    /// on what a level before it has written.
    pub(super) fn is_one_statement(&self, levels: &[Level<'_, 'm>]) -> Result<bool, Denied> {
        let mut written: Vec<TableId> = Vec::new();
        for level in levels {
            let insert = level.insert;
            let of_table = levels.iter().filter(|other| other.insert.table == insert.table);
            let twice = insert.on_conflict.is_some() && of_table.count() > 1;
            let alone = written.is_empty() || self.stands_alone(insert, &written)?;
            if twice || !alone || !self.is_known(insert, &level.wanted) {
                return Ok(false);
            }
            written.push(insert.table);
        }
        Ok(true)
    }

    /// Whether rows can be written as if those of other tables were not.
    fn stands_alone(&self, insert: &Insert<'m>, written: &[TableId]) -> Result<bool, Denied> {
        let (access, target) = (self.access(), Target::open(self.access(), insert.table)?);
        let presets = target.presets().map(|(_, rule)| rule);
        let mut reads = presets.fold(target.check().reads.clone(), |reads, rule| reads.joined(rule.reads.clone()));
        if let Some(conflict) = &insert.on_conflict {
            let grant = access.update(insert.table).filter(|_| !conflict.columns.is_empty());
            if let Some(grant) = grant {
                let presets = grant.preset.iter().map(|(_, rule)| rule);
                reads = presets
                    .chain([&grant.rows, &grant.check])
                    .fold(reads, |reads, rule| reads.joined(rule.reads.clone()));
            }
            if conflict.filter.is_some() {
                reads = RuleDependencies::Anything;
            }
        }
        // A trigger before the row may look for the rows that it hangs on.
        let updates = insert.on_conflict.is_some() && guard::changes(target.table(), Event::Update);
        Ok(!reads.meets(written) && guard::is_plain(target.table()) && !updates)
    }

    /// Whether columns of new rows are stored as they are known before: nothing computes, cuts or replaces them, and no
    /// row that is there already is taken instead.
    fn is_known(&self, insert: &Insert<'m>, wanted: &[ColumnId]) -> bool {
        let table = self.access().model().table(insert.table);
        let plain = |column: &ColumnId| {
            let column = table.column(*column);
            column.generated.is_none() && column.modifier.is_none()
        };
        let own = guard::is_plain(table) && insert.on_conflict.is_none();
        wanted.is_empty() || (own && wanted.iter().all(plain))
    }
}
