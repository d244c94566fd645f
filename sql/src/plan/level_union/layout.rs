//! Assigns the columns of levels to the columns of their union, and links each level to the one
//! that its rows belong to.

use std::rc::Rc;

use crate::encode::shape;
use crate::encode::shape::{Level, ResponseShape, RootForm, Shape};
use crate::plan::builder::Builder;
use crate::plan::planned_levels::{Owner, PlannedLevel};
use crate::plan::{ArmRows, Column, Expression, LevelUnion, Predicate, Term, UnionArm, Value};
use crate::postgres::catalog::Oid;
use crate::postgres::types::Cast;

/// `smallint`, the type of the first column.
const LEVEL: Oid = 21;

impl<'m> Builder<'m> {
    /// Assigns every column a position; columns of one type in different levels share positions.
    /// None if a type has no name that a null could be cast to.
    pub(super) fn place_columns(
        &self,
        form: RootForm,
        planned_levels: Vec<PlannedLevel<'m>>,
    ) -> Option<(LevelUnion<'m>, Shape)> {
        let mut columns: Vec<(Rc<str>, Oid)> = Vec::new();
        let mut arms = Vec::new();
        let mut levels = Vec::new();
        let mut owners = Vec::new();
        for mut planned in planned_levels {
            let (output, consumed) = distinct(std::mem::take(planned.rows.output_mut()));
            let places = self.places(&output, &mut columns)?;
            let consumed: Vec<usize> = consumed
                .iter()
                .filter_map(|i| places.get(*i))
                .map(|index| index + 1)
                .collect();
            let owner = planned
                .owner
                .as_ref()
                .and_then(|_| consumed.last().copied());
            levels.push(Level {
                places: consumed,
                owner,
                inside: 0,
                node: planned.node,
            });
            owners.push(planned.owner);
            *planned.rows.output_mut() = output;
            arms.push(UnionArm {
                alias: planned.alias,
                rows: planned.rows,
                places: Some(places),
            });
        }
        let last = owners.len().checked_sub(1)?;
        let types = std::iter::once(LEVEL)
            .chain(columns.iter().map(|(_, oid)| *oid))
            .collect();
        let columns: Vec<Rc<str>> = columns.into_iter().map(|(name, _)| name).collect();
        for (position, owner) in owners.iter().enumerate() {
            let Some(owner) = owner else {
                levels.get_mut(position)?.inside = last;
                continue;
            };
            let inside = arms.iter().position(|arm| arm.alias == owner.parent)?;
            let key = arms.get(inside)?.column_of(&owner.there)?;
            arms.get_mut(position)?.link(owner, key)?;
            levels.get_mut(position)?.inside = inside;
        }
        for (column_index, arm) in arms.iter_mut().enumerate() {
            // While one arm reads from a CTE like the arms that others belong to, Postgres runs the
            // union in one process, and the levels come in their order.
            if column_index != last
                && !owners
                    .iter()
                    .flatten()
                    .any(|owner| owner.parent == arm.alias)
            {
                arm.fill(column_index, &columns);
            }
        }
        let root = levels.pop()?;
        let levels = shape::Levels {
            form,
            types,
            inner: levels,
            root,
        };
        Some((
            LevelUnion { arms, columns },
            Shape {
                response: ResponseShape::Levels(Box::new(levels)),
            },
        ))
    }

    /// A position for each expression: the first free one of its type, or a new one.
    fn places(
        &self,
        output: &[Expression<'m>],
        columns: &mut Vec<(Rc<str>, Oid)>,
    ) -> Option<Vec<usize>> {
        let mut taken: Vec<usize> = Vec::new();
        for expression in output {
            let r#type = self.wire_type(expression)?;
            let free =
                (0..columns.len()).find(|i| !taken.contains(i) && columns.get(*i) == Some(&r#type));
            taken.push(free.unwrap_or(columns.len()));
            if free.is_none() {
                columns.push(r#type);
            }
        }
        Some(taken)
    }

    /// The type of an output column, as SQL writes it, and its OID.
    fn wire_type(&self, expression: &Expression<'m>) -> Option<(Rc<str>, Oid)> {
        Some(match expression {
            Expression::Output(term, Cast::None) => {
                let scalar = self.scalar(term.r#type());
                let base = self.base(term.r#type())?;
                return scalar.builtin.then(|| (scalar.sql.as_str().into(), base));
            }
            Expression::Output(..) | Expression::Text(_) => ("text".into(), 25),
            Expression::Level(_) => ("int2".into(), LEVEL),
            Expression::KeyPosition => ("int4".into(), 23),
            Expression::Present(_) | Expression::Exists(_) => ("bool".into(), 16),
            Expression::Rows(_) | Expression::Values(..) => ("record[]".into(), 2287),
            Expression::Record(_) => ("record".into(), 2249),
            Expression::Limit(_) | Expression::Planned { .. } | Expression::Count { .. } => {
                ("int8".into(), 20)
            }
            Expression::Single(select) => return self.wire_type(select.output.first()?),
            _ => return None,
        })
    }
}

impl<'m> UnionArm<'m> {
    /// Extends the output to all columns of the union, with null for those of other levels.
    fn fill(&mut self, level: usize, columns: &[Rc<str>]) {
        let Some(places) = self.places.take() else {
            return;
        };
        let mut output: Vec<_> = columns.iter().cloned().map(Expression::Null).collect();
        for (index, expression) in places
            .into_iter()
            .zip(std::mem::take(self.rows.output_mut()))
        {
            if let Some(column) = output.get_mut(index) {
                *column = expression;
            }
        }
        output.insert(0, Expression::Level(level));
        *self.rows.output_mut() = output;
    }

    /// Restricts the rows to those that belong to rows of another level, whose key is at that
    /// position.
    fn link(&mut self, owner: &Owner<'m>, there: usize) -> Option<()> {
        let ArmRows::Select(select) = &mut self.rows else {
            return None;
        };
        select.placement.beside_rule.insert(
            0,
            Predicate::InLevelKeys {
                column: owner.column.clone(),
                level: owner.parent,
                index: there,
            },
        );
        Some(())
    }

    fn column_of(&self, key: &Expression<'m>) -> Option<usize> {
        self.rows
            .output()
            .iter()
            .position(|expression| is_same(expression, key))
    }
}

/// Sends columns that are selected twice only once: the distinct columns, and for each selected one
/// its position among them.
fn distinct(output: Vec<Expression<'_>>) -> (Vec<Expression<'_>>, Vec<usize>) {
    let mut kept: Vec<Expression<'_>> = Vec::new();
    let mut places = Vec::new();
    for expression in output {
        let known = kept.iter().position(|other| is_same(other, &expression));
        places.push(known.unwrap_or(kept.len()));
        if known.is_none() {
            kept.push(expression);
        }
    }
    (kept, places)
}

/// Whether both are one stored column that is sent in the same form.
fn is_same(a: &Expression<'_>, b: &Expression<'_>) -> bool {
    match (a, b) {
        (Expression::Output(a, x), Expression::Output(b, y)) if x == y => match (a, b) {
            (Term::Column(a), Term::Column(b)) => is_same_column(a, b),
            (
                Term::Cast {
                    term: a, r#type: x, ..
                },
                Term::Cast {
                    term: b, r#type: y, ..
                },
            ) if x == y => match (a.as_ref(), b.as_ref()) {
                (Term::Column(a), Term::Column(b)) => is_same_column(a, b),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

fn is_same_column(a: &Column<'_>, b: &Column<'_>) -> bool {
    match (a.value(), b.value()) {
        (Value::Stored(x), Value::Stored(y)) => a.alias() == b.alias() && x == y,
        _ => false,
    }
}
