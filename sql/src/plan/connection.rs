//! Keyset pagination: cursors, the conditions for `after` and `before`, and connections with their
//! page info.

use std::rc::Rc;
use std::sync::Arc;

use super::builder::Builder;
use super::condition_cost;
use super::planned_for_values::needs_values;
use super::read::{RowSource, constant, json};
use super::{
    ConditionPlacement, Denied, Expression, Join, KeysetKey, KeysetPredicate, Predicate, Scan,
    Select, Term,
};
use crate::encode::cursor::Ordering;
use crate::encode::shape;
use crate::encode::shape::{InfoPart, Key, Node, PagePart};
use crate::postgres::catalog::{Table, TableId};
use crate::postgres::types::Scalar;
use crate::resolve::selection;
use crate::resolve::selection::{Arguments, Connection, Count, InfoKind, Order, OrderBy, PageKind};
use crate::statement::{Operand, OperandRequirement, Parameter};

impl<'m> Builder<'m> {
    /// The cursor of a row: the text forms of the values that it is sorted by.
    pub(super) fn cursor(
        &mut self,
        scan: &Scan<'m>,
        order: &[Order<'m>],
        joins: &mut Vec<Join<'m>>,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Node, Denied> {
        for key in order {
            let expression = self.order(scan, &key.by, joins)?;
            columns.push(Expression::Text(Box::new(expression)));
        }
        let ordering = self.ordering(scan.id(), order);
        Ok(Node::Cursor(shape::Cursor {
            secret: self.cursors(),
            ordering,
            values: order.len(),
        }))
    }

    /// The conditions for `after` and `before`.
    pub(super) fn bounds(
        &mut self,
        scan: &Scan<'m>,
        arguments: &Arguments<'m>,
        joins: &mut Vec<Join<'m>>,
    ) -> Result<Vec<Predicate<'m>>, Denied> {
        let mut bounds = Vec::new();
        for (cursor, forwards) in [(&arguments.after, true), (&arguments.before, false)] {
            if let Some(cursor) = cursor {
                bounds.push(Predicate::Keyset(Box::new(self.after_cursor(
                    scan,
                    cursor,
                    forwards,
                    &arguments.order,
                    joins,
                )?)));
            }
        }
        if !arguments.position.is_empty() {
            bounds.push(Predicate::Keyset(Box::new(
                self.after_position(scan, arguments, joins)?,
            )));
        }
        Ok(bounds)
    }

    /// The condition that rows come after the position of a stream. A key without a first value
    /// begins as null, which comes after all values: then only rows with greater cursors pass.
    fn after_position(
        &mut self,
        scan: &Scan<'m>,
        arguments: &Arguments<'m>,
        joins: &mut Vec<Join<'m>>,
    ) -> Result<KeysetPredicate<'m>, Denied> {
        let ordering = self.stream_ordering(scan.id(), &arguments.order);
        let mut keys = Vec::new();
        for (index, (key, start)) in arguments.order.iter().zip(&arguments.position).enumerate() {
            let expression = self.order(scan, &key.by, joins)?;
            let (scalar, may_be_null) = self.sorted(scan.id(), &key.by, &expression);
            // Rows whose first cursor is null have no place in the stream.
            let direction = key.direction;
            let nullable = start.is_none() || index > 0 && may_be_null;
            keys.push(KeysetKey {
                expression,
                scalar,
                direction,
                nullable,
                value: Parameter::Position {
                    column_index: index,
                    start: start.clone(),
                    ordering,
                },
            });
        }
        let work = keys.iter().map(|key| key_work(scan, key)).sum();
        Ok(KeysetPredicate {
            keys,
            negated: false,
            work,
        })
    }

    fn after_cursor(
        &mut self,
        scan: &Scan<'m>,
        cursor: &Operand,
        forwards: bool,
        order: &[Order<'m>],
        joins: &mut Vec<Join<'m>>,
    ) -> Result<KeysetPredicate<'m>, Denied> {
        let secret = self.cursors();
        let ordering = self.ordering(scan.id(), order);
        let mut keys = Vec::new();
        for (index, key) in order.iter().enumerate() {
            let expression = self.order(scan, &key.by, joins)?;
            let (scalar, nullable) = self.sorted(scan.id(), &key.by, &expression);
            let direction = if forwards {
                key.direction
            } else {
                key.direction.reversed()
            };
            let need = OperandRequirement::Cursor {
                secret,
                ordering,
                position: index,
            };
            let value = Parameter::Request(
                Operand {
                    requirement: need,
                    ..cursor.clone()
                }
                .into(),
            );
            keys.push(KeysetKey {
                expression,
                scalar,
                direction,
                nullable,
                value,
            });
        }
        let work = keys.iter().map(|key| key_work(scan, key)).sum();
        Ok(KeysetPredicate {
            keys,
            negated: false,
            work,
        })
    }

    /// The type of a key of an order, and whether it may be null.
    fn sorted(
        &self,
        table: TableId,
        by: &OrderBy<'m>,
        expression: &Expression<'m>,
    ) -> (Arc<Scalar>, bool) {
        let scalar = match expression {
            Expression::Compared {
                term,
                as_text: false,
            } => self.scalar(term.r#type()),
            Expression::Compared { as_text: true, .. } => Arc::new(Scalar::built_in("text")),
            _ => Arc::new(Scalar::built_in("int8")),
        };
        let nullable = match by {
            OrderBy::Value(selection::Term::Column(column)) => {
                let valued = self
                    .access()
                    .select(table)
                    .is_some_and(|select| select.values.contains_key(column));
                valued || self.access().model().table(table).column(*column).nullable
            }
            OrderBy::Count(_) => false,
            _ => true,
        };
        (scalar, nullable)
    }

    /// Identifies this order of these rows, so that a cursor of another order is refused.
    fn ordering(&self, table: TableId, order: &[Order<'m>]) -> Ordering {
        let table = self.access().model().table(table);
        let keys = order
            .iter()
            .map(|key| format!("{} {:?}", self.describe_key(table, &key.by), key.direction));
        Ordering::from_description(&format!(
            "{}.{}: {}",
            table.schema,
            table.name,
            keys.collect::<Vec<_>>().join(", ")
        ))
    }

    /// The order of a stream with the types of its columns, whose values are kept from one result
    /// to the next.
    fn stream_ordering(&self, table: TableId, order: &[Order<'m>]) -> Ordering {
        let table = self.access().model().table(table);
        let keys = order.iter().map(|key| match &key.by {
            OrderBy::Value(selection::Term::Column(column)) => {
                let column = table.column(*column);
                format!("{} {} {:?}", column.name, column.r#type, key.direction)
            }
            other => format!("{} {:?}", self.describe_key(table, other), key.direction),
        });
        Ordering::from_description(&format!(
            "{}.{}: {}",
            table.schema,
            table.name,
            keys.collect::<Vec<_>>().join(", ")
        ))
    }

    fn describe_key(&self, table: &Table, by: &OrderBy<'m>) -> String {
        match by {
            OrderBy::Value(selection::Term::Column(column)) => table.column(*column).name.clone(),
            OrderBy::Related(relation, by) => {
                format!(
                    "{}.{}",
                    relation.name,
                    self.describe_key(self.access().model().table(relation.to), by)
                )
            }
            other => format!("{other:?}"),
        }
    }

    // ---- connections

    pub(super) fn connection(
        &mut self,
        page: &Connection<'m>,
        from: RowSource<'_, 'm>,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Node, Denied> {
        let rows = &page.rows;
        let granted = self.granted_limit(rows.table, from.rows());
        let limits: Vec<Count> = rows
            .arguments
            .limit
            .iter()
            .cloned()
            .chain(granted.clone())
            .collect();
        let (mut select, nodes) =
            self.rows(rows.table, &rows.arguments, &rows.fields, from, granted)?;
        select.peek = !limits.is_empty();
        select.strategy.needs_values = matches!(from, RowSource::Root(_)) && needs_values(&select);
        columns.push(Expression::Rows(Rc::new(select)));
        columns.push(Expression::Limit(limits));
        let asked = |kind: &InfoKind| {
            page.parts
                .iter()
                .any(|(_, part)| matches!(part, PageKind::Info(_, info) if info.iter().any(|(_, k)| k == kind)))
        };
        let (other, side) = if rows.arguments.backwards {
            (&rows.arguments.before, InfoKind::HasNext)
        } else {
            (&rows.arguments.after, InfoKind::HasPrevious)
        };
        let beyond = other.is_some() && asked(&side);
        if beyond {
            columns.push(Expression::Exists(Rc::new(self.other_side(page, from)?)));
        }
        let total = page
            .parts
            .iter()
            .any(|(_, part)| matches!(part, PageKind::Total));
        if total {
            columns.push(Expression::Single(Rc::new(self.total(page, from)?)));
        }
        let fields = page
            .parts
            .iter()
            .map(|(key, part)| (Key::new(key), page_part(part, &nodes)))
            .collect();
        let backwards = rows.arguments.backwards;
        Ok(Node::Connection(Box::new(shape::Connection {
            fields,
            backwards,
            beyond,
            total,
        })))
    }

    /// The rows at the cursor that the page starts from and on its other side, which decide whether
    /// a previous page exists.
    fn other_side(
        &mut self,
        page: &Connection<'m>,
        from: RowSource<'_, 'm>,
    ) -> Result<Select<'m>, Denied> {
        let page_arguments = &page.rows.arguments;
        let arguments = Arguments {
            filter: page_arguments.filter.clone(),
            ..Arguments::default()
        };
        let mut select = self.related(page.rows.table, from, &arguments)?;
        let (cursor, forwards) = if page_arguments.backwards {
            (&page_arguments.before, false)
        } else {
            (&page_arguments.after, true)
        };
        let Some(cursor) = cursor else {
            return Ok(select);
        };
        let scan = select.scan.clone();
        let mut beyond = self.after_cursor(
            &scan,
            cursor,
            forwards,
            &page_arguments.order,
            &mut select.joins,
        )?;
        beyond.negated = true;
        let mut placement = ConditionPlacement {
            selected_by: select.placement.selected_by,
            ..ConditionPlacement::default()
        };
        self.place_beside_rule(&scan, Predicate::Keyset(Box::new(beyond)), &mut placement);
        let existing = &mut select.placement;
        existing.selected_by = placement.selected_by;
        existing.beside_rule.extend(placement.beside_rule);
        existing.outside_fence.extend(placement.outside_fence);
        Ok(select)
    }

    fn total(
        &mut self,
        page: &Connection<'m>,
        from: RowSource<'_, 'm>,
    ) -> Result<Select<'m>, Denied> {
        let arguments = Arguments {
            filter: page.rows.arguments.filter.clone(),
            ..Arguments::default()
        };
        let mut select = self.related(page.rows.table, from, &arguments)?;
        select.output = vec![Expression::count_rows()];
        Ok(select)
    }

    fn related(
        &mut self,
        table: TableId,
        from: RowSource<'_, 'm>,
        arguments: &Arguments<'m>,
    ) -> Result<Select<'m>, Denied> {
        let (scan, correlated) = self.enter(table, from, from.rows())?;
        self.select(scan, correlated, arguments)
    }
}

/// The most work that comparing a key of an order is on one row, if the key is a column of the
/// table itself. Cursors contain the values that rows are sorted by, so they are as long as stored
/// values.
fn key_work(scan: &Scan<'_>, key: &KeysetKey<'_>) -> Option<u32> {
    match &key.expression {
        Expression::Compared {
            term: Term::Column(column),
            as_text: false,
        } if column.alias() == scan.alias() && !key.scalar.raises() => {
            condition_cost::order_cost(column)
        }
        _ => None,
    }
}

/// A part of a page. `skip` is the number of columns in each record before its own.
fn page_part(part: &PageKind, nodes: &[shape::Field]) -> PagePart {
    let skip = |index: usize| {
        nodes
            .iter()
            .take(index)
            .map(|field| field.node.columns())
            .sum()
    };
    let node = |position: usize| nodes.get(position).map(|field| field.node.clone());
    match part {
        PageKind::Constant(text) => PagePart::Constant(json(text)),
        PageKind::Total => PagePart::Total,
        PageKind::Rows(column_index) => PagePart::Rows {
            skip: skip(*column_index),
            node: node(*column_index).unwrap_or_else(|| constant("")),
        },
        PageKind::Info(info_index, fields) => {
            let cursor = match info_index.and_then(node) {
                Some(Node::Cursor(cursor)) => Some(cursor),
                _ => None,
            };
            let fields = fields
                .iter()
                .map(|(key, kind)| (Key::new(key), info_part(kind)))
                .collect();
            PagePart::Info {
                skip: info_index.map_or(0, skip),
                cursor,
                fields,
            }
        }
    }
}

fn info_part(kind: &InfoKind) -> InfoPart {
    match kind {
        InfoKind::Constant(text) => InfoPart::Constant(json(text)),
        InfoKind::HasNext => InfoPart::HasNext,
        InfoKind::HasPrevious => InfoPart::HasPrevious,
        InfoKind::Start => InfoPart::Start,
        InfoKind::End => InfoPart::End,
    }
}
