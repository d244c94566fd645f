//! Plans nested lists as levels of one `UNION ALL`: the rows of each list are rows of the
//! statement, beside those of the root, and not records in the rows that they belong to. A record
//! costs Postgres more than a row, and a record of many records costs more still.
//!
//! ```sql
//! WITH _0 (c0, c1) AS MATERIALIZED (SELECT … LIMIT 20)
//! (SELECT 0::int2, … FROM requests AS _2 WHERE _2.subject_id = ANY (array(SELECT _0.c0 FROM _0)) ORDER BY …)
//! UNION ALL SELECT 1::int2, _0.c0, … FROM _0
//! ```

mod layout;

use super::builder::Builder;
use super::planned_for_values::needs_values;
use super::planned_levels::{Owner, PlannedLevel};
use super::{ArmRows, Column, Denied, Expression, LevelUnion, Scan, Term};
use crate::encode::shape;
use crate::encode::shape::{Key, LevelRows, Node, RootForm, Shape};
use crate::graphql::variables::MAX_FEW_ROWS;
use crate::model::Relation;
use crate::model::access::Purpose;
use crate::model::names::RootKind;
use crate::postgres::catalog::{ColumnId, Oid, TableId};
use crate::postgres::types::Cast;
use crate::resolve::NestedListStrategy;
use crate::resolve::selection::{Arguments, Count, Field, FieldKind, Root, RootSelection, Rows};

/// The purpose for which a list root field reads rows.
const LIST: Purpose = Purpose::Root(RootKind::List);

/// The most levels of a statement: Postgres' planning time grows faster than their number.
const MAX_LEVELS: usize = 50;

/// `smallint`, `integer`, `bigint`: equal across these types, so both sides are sent as the longer
/// one to have equal bytes.
const WHOLE: [Oid; 3] = [21, 23, 20];

/// Text: equal where the bytes are, under a deterministic collation.
const TEXT: [Oid; 2] = [25, 1043];

/// `uuid`, `date`, `timestamp`, `timestamptz`: equal where the bytes are.
const PLAIN: [Oid; 4] = [2950, 1082, 1114, 1184];

impl<'m> Builder<'m> {
    /// Plans the root fields of a query as levels, if they have lists that can be levels.
    pub(super) fn levels(
        &mut self,
        roots: &[Root<'m>],
    ) -> Result<Option<(LevelUnion<'m>, Shape)>, Denied> {
        let form = match roots {
            [
                Root {
                    key,
                    selection: RootSelection::List(rows),
                },
            ] if self.may_level(rows, false) => {
                self.plan_under_key(key, |builder| builder.root_rows(rows, false))?;
                RootForm::List(Key::new(key))
            }
            [
                Root {
                    key,
                    selection: RootSelection::One(rows),
                },
            ] if self.may_level(rows, true) => {
                self.plan_under_key(key, |builder| builder.root_rows(rows, true))?;
                RootForm::One(Key::new(key))
            }
            roots if roots.len() > 1 && roots.iter().any(|root| is_many(&root.selection)) => {
                if self.lists() == NestedListStrategy::Records {
                    return Ok(None);
                }
                self.side_by_side(roots)?;
                RootForm::Whole
            }
            _ => return Ok(None),
        };
        let drafts = std::mem::take(&mut self.levels.done);
        Ok(if (2..=MAX_LEVELS).contains(&drafts.len()) {
            self.place_columns(form, drafts)
        } else {
            None
        })
    }

    /// Plans root fields side by side: each list is a level, and so is a single row with lists in
    /// it. The others are columns of one row.
    fn side_by_side(&mut self, roots: &[Root<'m>]) -> Result<(), Denied> {
        let alias = self.alias();
        let mut columns = Vec::new();
        let mut fields = Vec::new();
        for root in roots {
            let node = self.plan_under_key(&root.key, |builder| {
                builder.side(&root.selection, &mut columns)
            })?;
            fields.extend(node.map(|node| shape::Field {
                key: Key::new(&root.key),
                node,
            }));
        }
        if columns.is_empty() {
            columns.push(Expression::Level(0));
        }
        let rows = ArmRows::Row(columns);
        let node = Node::Object(fields);
        self.levels.done.push(PlannedLevel {
            alias,
            rows,
            node,
            owner: None,
        });
        Ok(())
    }

    /// Plans a root field beside others.
    fn side(
        &mut self,
        want: &RootSelection<'m>,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Option<Node>, Denied> {
        Ok(match want {
            RootSelection::List(rows) if is_many(want) => {
                Some(Node::Level(self.root_rows(rows, false)?, LevelRows::All))
            }
            RootSelection::One(rows) if is_many(want) => {
                Some(Node::Level(self.root_rows(rows, true)?, LevelRows::Sole))
            }
            other => self.root(other, columns)?,
        })
    }

    /// Plans the rows of a root field as a level.
    fn root_rows(&mut self, rows: &Rows<'m>, one: bool) -> Result<usize, Denied> {
        let limit = if one {
            self.limit_of_one(rows.table)
        } else {
            self.granted_limit(rows.table, LIST)
        };
        let purpose = if one {
            Purpose::Root(RootKind::One)
        } else {
            LIST
        };
        let alias = self.alias();
        let scan = self.open(rows.table, purpose)?;
        self.plan_level(alias, &scan, None, rows, limit, !one)
    }

    /// Whether a root field has a list in it, and few rows.
    fn may_level(&self, rows: &Rows<'m>, one: bool) -> bool {
        let few = || one || self.is_cut(rows) || self.is_small(rows.table);
        has_list(&rows.fields)
            && !rows.arguments.backwards
            && match self.lists() {
                NestedListStrategy::Chosen => few(),
                NestedListStrategy::Levels => true,
                NestedListStrategy::Records => false,
            }
    }

    /// Whether the request or the grant limits a list to a few rows. The rows of inner lists are
    /// buffered until the last root row has come, so with more rows the root is streamed with
    /// records in it.
    fn is_cut(&self, rows: &Rows<'m>) -> bool {
        rows.arguments
            .limit
            .iter()
            .chain(&self.granted_limit(rows.table, LIST))
            .any(Count::is_few)
    }

    /// Whether a table has few rows, by the catalog's estimate.
    fn is_small(&self, table: TableId) -> bool {
        (0.0..=MAX_FEW_ROWS as f64).contains(&self.access().model().table(table).estimated_rows)
    }

    /// Plans a level, after the levels in it. The condition by which its rows belong to another
    /// level is added once the position of the key in that level is known.
    fn plan_level(
        &mut self,
        alias: u32,
        scan: &Scan<'m>,
        owner: Option<Owner<'m>>,
        rows: &Rows<'m>,
        limit: Option<Count>,
        listed: bool,
    ) -> Result<usize, Denied> {
        self.levels.within.push((scan.alias(), alias));
        let (mut select, fields) =
            self.rows_of(scan, Vec::new(), &rows.arguments, &rows.fields, limit)?;
        self.levels.within.pop();
        select
            .output
            .extend(owner.as_ref().map(|owner| owner.here.clone()));
        if listed {
            self.through_memberships(&mut select);
            select.strategy.needs_values = needs_values(&select);
        }
        let rows = ArmRows::Select(Box::new(select));
        let node = Node::Object(fields);
        self.levels.done.push(PlannedLevel {
            alias,
            rows,
            node,
            owner,
        });
        Ok(self.levels.done.len() - 1)
    }

    /// Plans the list of a relation as a level of its own, if the row belongs to a level and the
    /// key and the arguments allow it.
    pub(super) fn level(
        &mut self,
        scan: &Scan<'m>,
        relation: &'m Relation,
        rows: &Rows<'m>,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Option<Node>, Denied> {
        let Some(parent) = self.level_of(scan) else {
            return Ok(None);
        };
        let [(here, over)] = relation.on.as_slice() else {
            return Ok(None);
        };
        let Some(sent) = self.sent_as(scan.id(), *here, relation.to, *over) else {
            return Ok(None);
        };
        let limited = self.granted_limit(rows.table, Purpose::Rows).is_some();
        if scan.relation_condition(relation).is_some() || is_picky(&rows.arguments) || limited {
            return Ok(None);
        }
        let from = self.key(scan.key(*here), sent);
        let alias = self.alias();
        let there = self.open(rows.table, Purpose::Rows)?;
        let column = there.key(*over);
        // A condition that may raise would need a fence.
        if column.raises() {
            return Ok(None);
        }
        let here = self.key(column.clone(), sent);
        let owner = Owner {
            parent,
            column,
            there: from.clone(),
            here,
        };
        let level = self.plan_level(alias, &there, Some(owner), rows, None, false)?;
        columns.push(from);
        Ok(Some(Node::Level(level, LevelRows::Own)))
    }

    /// The level of a scan's rows: its own, or that of the rows that it is joined to.
    fn level_of(&self, scan: &Scan<'m>) -> Option<u32> {
        let mut alias = scan.alias();
        loop {
            if let Some((_, level)) = self
                .levels
                .within
                .iter()
                .find(|(within, _)| *within == alias)
            {
                return Some(*level);
            }
            alias = self
                .joined
                .iter()
                .find(|(_, _, there)| there.alias() == alias)?
                .0;
        }
    }

    /// The type in which two columns are equal exactly if their bytes are.
    fn sent_as(&self, here: TableId, from: ColumnId, there: TableId, to: ColumnId) -> Option<Oid> {
        let model = self.access().model();
        let from = model.table(here).column(from);
        let to = model.table(there).column(to);
        let a = self.base(from.r#type)?;
        let b = self.base(to.r#type)?;
        let length = |oid| WHOLE.iter().position(|whole| *whole == oid);
        let both = |types: &[Oid]| types.contains(&a) && types.contains(&b);
        match (length(a), length(b)) {
            (Some(x), Some(y)) => Some(if x < y { b } else { a }),
            _ if both(&TEXT) => (from.deterministic && to.deterministic).then_some(TEXT[0]),
            _ if both(&PLAIN) => (a == b).then_some(a),
            _ => None,
        }
    }

    /// A key as it is sent.
    fn key(&self, column: Column<'m>, sent: Oid) -> Expression<'m> {
        let as_it_is = self
            .base(column.r#type())
            .is_some_and(|base| base == sent || TEXT.contains(&base));
        let term = Term::Column(column);
        Expression::Output(
            if as_it_is {
                term
            } else {
                Term::Cast {
                    term: Box::new(term),
                    r#type: sent,
                    raises: false,
                }
            },
            Cast::None,
        )
    }

    pub(super) fn base(&self, oid: Oid) -> Option<Oid> {
        self.access()
            .model()
            .catalog()
            .base_type(oid)
            .map(|base| base.oid)
    }
}

/// Whether a root field is a list, or a row with a list in it.
fn is_many(want: &RootSelection<'_>) -> bool {
    match want {
        RootSelection::List(rows) => !rows.arguments.backwards,
        RootSelection::One(rows) => has_list(&rows.fields),
        _ => false,
    }
}

/// Whether a list is among the fields, or among those of their objects.
fn has_list(fields: &[Field<'_>]) -> bool {
    fields.iter().any(|field| match &field.kind {
        FieldKind::Array(..) => true,
        FieldKind::Object(_, fields) | FieldKind::Same(fields) => has_list(fields),
        _ => false,
    })
}

/// Whether the arguments select rows for each parent row separately: a limit, an offset, a cursor.
fn is_picky(arguments: &Arguments<'_>) -> bool {
    arguments.cuts()
        || arguments.backwards
        || arguments.after.is_some()
        || arguments.before.is_some()
}
