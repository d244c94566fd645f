//! Turns the resolved selection of a query into a plan: one statement for all root fields, and the
//! [`Shape`] that encodes its rows. Conditions and orders are left to `filter`, nested lists to
//! `level_union`, writes to `write`.
//!
//! Object relations are joined by `LEFT JOIN` to the rows that `LIMIT` has left, so the join runs
//! once for the rows of the response; the `ORDER BY` is repeated outside. If the order depends on
//! the relation, the join comes before the limit. Without a key that proves one row at most, or
//! where a computed column of a view would be evaluated before the row rule, it is `LATERAL (…
//! LIMIT 1)`.

use std::rc::Rc;

use super::builder::Builder;
use super::filter::{join_predicates, sorts_by_others};
use super::planned_for_values::needs_values;
use super::required_row::ALIAS_COUNT;
use super::{
    CountedColumn, Denied, Expression, Join, PlanBody, PostLimit, Predicate, Scan, Select,
};
use crate::encode::shape;
use crate::encode::shape::{Encoder, Key, Node, ResponseShape, Shape};
use crate::model::access::{Access, Purpose};
use crate::model::names::RootKind;
use crate::model::{Relation, Returns};
use crate::postgres::catalog::TableId;
use crate::resolve::Options;
use crate::resolve::selection::{
    Aggregate, AggregateField, Arguments, Calculation, CalculationKind, Call, Count, Field,
    FieldKind, PartKind, Root, RootSelection, Rows, Selection,
};

/// Plans the root fields of a query. The plan is none if no root field needs the database; the
/// shape then has constants.
pub fn plan<'m>(
    access: &'m Access,
    selection: &Selection<'m>,
    options: Options,
) -> Result<(Option<PlanBody<'m>>, Shape), Denied> {
    let taken = if selection.required.is_some() {
        ALIAS_COUNT
    } else {
        0
    };
    let is_stream = |root: &Root<'_>| matches!(root.selection, RootSelection::Stream(_));
    if !selection.roots.iter().any(is_stream)
        && let Some((levels, shape)) =
            Builder::with_taken_aliases(taken, access, options).levels(&selection.roots)?
    {
        return Ok((Some(PlanBody::Levels(Box::new(levels))), shape));
    }
    let mut builder = Builder::with_taken_aliases(taken, access, options);
    match selection.roots.as_slice() {
        [root] => builder.single(root),
        roots => builder.row(roots),
    }
}

/// Where the rows of a select come from, which decides its purpose and its join condition.
#[derive(Clone, Copy)]
pub(super) enum RowSource<'s, 'm> {
    /// A root field of that kind.
    Root(RootKind),
    /// A relation of a row.
    Relation(&'s Scan<'m>, &'m Relation),
    /// A function, of a row or by itself.
    Call(&'s Call, Option<&'s Scan<'m>>),
}

impl RowSource<'_, '_> {
    /// The purpose for which rows are returned one by one.
    pub(super) fn rows(self) -> Purpose {
        match self {
            RowSource::Root(kind) => Purpose::Root(kind),
            RowSource::Call(call, None) => Purpose::Call(call.id),
            RowSource::Relation(..) | RowSource::Call(_, Some(_)) => Purpose::Rows,
        }
    }

    /// The purpose for which rows are aggregated.
    fn aggregates(self) -> Purpose {
        match self {
            RowSource::Root(kind) => Purpose::Root(kind),
            RowSource::Call(call, None) => Purpose::CallAggregate(call.id),
            RowSource::Relation(..) | RowSource::Call(_, Some(_)) => Purpose::Aggregate,
        }
    }
}

/// The columns of a statement, and the response fields that they become.
type Columns<'m> = (Vec<Expression<'m>>, Vec<shape::Field>);

impl<'m> Builder<'m> {
    // ---- root fields

    /// Plans the only root field. A list or a single row is read as rows, so that it can be
    /// streamed.
    fn single(&mut self, root: &Root<'m>) -> Result<(Option<PlanBody<'m>>, Shape), Denied> {
        let key = Key::new(&root.key);
        match self.plan_under_key(&root.key, |builder| builder.streamed(key, &root.selection))? {
            Some((select, response)) => {
                Ok((Some(PlanBody::Rows(Box::new(select))), Shape { response }))
            }
            None => self.row(std::slice::from_ref(root)),
        }
    }

    /// Plans a root field whose rows are those of the statement; none if it is no such field.
    fn streamed(
        &mut self,
        key: Key,
        want: &RootSelection<'m>,
    ) -> Result<Option<(Select<'m>, ResponseShape)>, Denied> {
        Ok(Some(match want {
            RootSelection::List(rows) if !rows.arguments.backwards => {
                let (select, fields) = self.list(rows, RowSource::Root(RootKind::List))?;
                (
                    select,
                    ResponseShape::Rows {
                        key,
                        row: Node::Object(fields),
                    },
                )
            }
            RootSelection::Stream(rows) => {
                let (mut select, fields) = self.limited(
                    rows.table,
                    &rows.arguments,
                    &rows.fields,
                    RowSource::Root(RootKind::Stream),
                )?;
                let scan = select.scan.clone();
                let mut joins = Vec::new();
                self.cursor(&scan, &rows.arguments.order, &mut joins, &mut select.output)?;
                (
                    select,
                    ResponseShape::Rows {
                        key,
                        row: Node::Object(fields),
                    },
                )
            }
            RootSelection::Groups(groups) => {
                let (select, fields) = self.groups(groups)?;
                (
                    select,
                    ResponseShape::Rows {
                        key,
                        row: Node::Object(fields),
                    },
                )
            }
            RootSelection::One(rows) => {
                let limit = self.limit_of_one(rows.table);
                let (select, fields) = self.rows(
                    rows.table,
                    &rows.arguments,
                    &rows.fields,
                    RowSource::Root(RootKind::One),
                    limit,
                )?;
                (
                    select,
                    ResponseShape::One {
                        key,
                        row: Node::Object(fields),
                    },
                )
            }
            RootSelection::Called(call, rows)
                if matches!(call.returns, Returns::Rows(_)) && !rows.arguments.backwards =>
            {
                let (select, fields) = self.list(rows, RowSource::Call(call, None))?;
                (
                    select,
                    ResponseShape::Rows {
                        key,
                        row: Node::Object(fields),
                    },
                )
            }
            _ => return Ok(None),
        }))
    }

    /// Plans root fields as columns of one row.
    fn row(&mut self, roots: &[Root<'m>]) -> Result<(Option<PlanBody<'m>>, Shape), Denied> {
        let mut columns = Vec::new();
        let mut fields = Vec::new();
        for root in roots {
            let node = self.plan_under_key(&root.key, |builder| {
                builder.root(&root.selection, &mut columns)
            })?;
            fields.extend(node.map(|node| shape::Field {
                key: Key::new(&root.key),
                node,
            }));
        }
        let body = (!columns.is_empty()).then_some(PlanBody::Row(columns));
        Ok((
            body,
            Shape {
                response: ResponseShape::Row(fields),
            },
        ))
    }

    /// Adds a root field to the columns of one row; none if it needs no statement.
    pub(super) fn root(
        &mut self,
        want: &RootSelection<'m>,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Option<Node>, Denied> {
        Ok(Some(match want {
            RootSelection::Introspection => return Ok(None),
            // A stream is the only root field of its subscription.
            RootSelection::Write(_) | RootSelection::Stream(_) | RootSelection::Action(_) => {
                return Err(Denied);
            }
            RootSelection::Constant(text) => constant(text),
            RootSelection::List(rows) => {
                let (select, inner) = self.list(rows, RowSource::Root(RootKind::List))?;
                columns.push(Expression::Rows(Rc::new(select)));
                listed(rows, inner)
            }
            RootSelection::Connection(page) => {
                self.connection(page, RowSource::Root(RootKind::Connection), columns)?
            }
            RootSelection::One(rows) => {
                let (select, inner) = self.rows(
                    rows.table,
                    &rows.arguments,
                    &rows.fields,
                    RowSource::Root(RootKind::One),
                    None,
                )?;
                columns.push(Expression::Rows(Rc::new(select)));
                Node::One(Box::new(Node::Object(inner)))
            }
            RootSelection::Groups(groups) => {
                let (select, inner) = self.groups(groups)?;
                columns.push(Expression::Rows(Rc::new(select)));
                Node::List(Box::new(Node::Object(inner)))
            }
            RootSelection::Aggregate(aggregate) => {
                self.aggregate(aggregate, RowSource::Root(RootKind::Aggregate), columns)?
            }
            RootSelection::Value(call) => self.value(call, None, columns)?,
            RootSelection::Called(call, rows) => self.called_rows(call, rows, None, columns)?,
            RootSelection::CalledAggregate(call, aggregate) => {
                self.aggregate(aggregate, RowSource::Call(call, None), columns)?
            }
        }))
    }

    // ---- rows

    /// A list of rows. The grant's limit applies beside the limit of the request.
    fn list(
        &mut self,
        rows: &Rows<'m>,
        from: RowSource<'_, 'm>,
    ) -> Result<(Select<'m>, Vec<shape::Field>), Denied> {
        let (mut select, fields) = self.limited(rows.table, &rows.arguments, &rows.fields, from)?;
        if matches!(from, RowSource::Root(_)) {
            self.through_memberships(&mut select);
            select.strategy.needs_values = needs_values(&select);
        }
        Ok((select, fields))
    }

    fn limited(
        &mut self,
        table: TableId,
        arguments: &Arguments<'m>,
        fields: &[Field<'m>],
        from: RowSource<'_, 'm>,
    ) -> Result<(Select<'m>, Vec<shape::Field>), Denied> {
        let limit = self.granted_limit(table, from.rows());
        self.rows(table, arguments, fields, from, limit)
    }

    /// The limit of a row by its key: one if rows of tables that inherit may have the same key.
    pub(super) fn limit_of_one(&self, table: TableId) -> Option<Count> {
        let key = self.access().model().table(table).primary_key();
        key.is_some_and(|key| key.repeats)
            .then_some(Count::Number(1))
    }

    /// Opens the rows of a source, with the conditions that join them to it.
    pub(super) fn enter(
        &mut self,
        table: TableId,
        from: RowSource<'_, 'm>,
        purpose: Purpose,
    ) -> Result<(Scan<'m>, Vec<Predicate<'m>>), Denied> {
        match from {
            RowSource::Root(_) => Ok((self.open(table, purpose)?, Vec::new())),
            RowSource::Relation(here, relation) => {
                let scan = self.open(table, purpose)?;
                let correlated = join_predicates(here, &scan, relation);
                Ok((scan, correlated))
            }
            RowSource::Call(call, row) => self.called(table, purpose, call, row),
        }
    }

    /// The rows, or the one row, that a function returns.
    fn called_rows(
        &mut self,
        call: &Call,
        rows: &Rows<'m>,
        row: Option<&Scan<'m>>,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Node, Denied> {
        let from = RowSource::Call(call, row);
        if let Returns::Row(table) = call.returns {
            // So that the planner expects one row.
            let (select, inner) = self.rows(
                table,
                &rows.arguments,
                &rows.fields,
                from,
                Some(Count::Number(1)),
            )?;
            columns.push(Expression::Rows(Rc::new(select)));
            return Ok(Node::One(Box::new(Node::Object(inner))));
        }
        let (select, inner) = self.list(rows, from)?;
        columns.push(Expression::Rows(Rc::new(select)));
        Ok(listed(rows, inner))
    }

    pub(super) fn rows(
        &mut self,
        table: TableId,
        arguments: &Arguments<'m>,
        fields: &[Field<'m>],
        from: RowSource<'_, 'm>,
        limit: Option<Count>,
    ) -> Result<(Select<'m>, Vec<shape::Field>), Denied> {
        let (scan, correlated) = self.enter(table, from, from.rows())?;
        self.rows_of(&scan, correlated, arguments, fields, limit)
    }

    /// A select of the rows of an opened scan, with its output.
    pub(super) fn rows_of(
        &mut self,
        scan: &Scan<'m>,
        correlated: Vec<Predicate<'m>>,
        arguments: &Arguments<'m>,
        fields: &[Field<'m>],
        limit: Option<Count>,
    ) -> Result<(Select<'m>, Vec<shape::Field>), Denied> {
        let mut select = self.select(scan.clone(), correlated, arguments)?;
        select.limits.extend(limit);
        // Relations are joined after `LIMIT`, unless rows are sorted by them.
        let early = !select.cuts() || sorts_by_others(&arguments.order) || select.keys.is_some();
        let mut late = Vec::new();
        let joins = if early { &mut select.joins } else { &mut late };
        let (output, fields) = self.fields(scan, joins, fields)?;
        select.output = output;
        // `DISTINCT ON` and `OFFSET` have to drop rows before the subqueries of the output run for
        // them.
        let drops = !select.distinct_on.is_empty() || select.offset.is_some();
        let wasteful = drops && select.output.iter().any(is_subquery);
        if !early && (!late.is_empty() || wasteful) {
            select.after = PostLimit::Join(late);
        }
        Ok((select, fields))
    }

    pub(super) fn fields(
        &mut self,
        scan: &Scan<'m>,
        joins: &mut Vec<Join<'m>>,
        fields: &[Field<'m>],
    ) -> Result<Columns<'m>, Denied> {
        let mut columns = Vec::new();
        let mut shapes = Vec::new();
        for field in fields {
            let node = self.plan_under_key(&field.key, |builder| {
                builder.field(scan, joins, &field.kind, &mut columns)
            })?;
            shapes.push(shape::Field {
                key: Key::new(&field.key),
                node,
            });
        }
        Ok((columns, shapes))
    }

    fn field(
        &mut self,
        scan: &Scan<'m>,
        joins: &mut Vec<Join<'m>>,
        kind: &FieldKind<'m>,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Node, Denied> {
        Ok(match kind {
            FieldKind::Constant(text) => constant(text),
            FieldKind::Value(term) => {
                let term = self.term(scan, term)?;
                let output = self.output(self.scalar(term.r#type()).output.clone());
                columns.push(Expression::Output(term, output.cast));
                Node::Value(output.encoder)
            }
            FieldKind::Object(relation, fields) => {
                let there = self.join(scan, relation, joins)?;
                let key = relation
                    .on
                    .first()
                    .map(|(_, over)| there.key(*over))
                    .ok_or(Denied)?;
                columns.push(Expression::Present(key));
                let (inner, shapes) = self.fields(&there, joins, fields)?;
                columns.extend(inner);
                Node::Optional(shapes)
            }
            FieldKind::Array(relation, rows) => {
                if let Some(node) = self.level(scan, relation, rows, columns)? {
                    return Ok(node);
                }
                let (select, inner) = self.list(rows, RowSource::Relation(scan, relation))?;
                columns.push(Expression::Rows(Rc::new(select)));
                listed(rows, inner)
            }
            FieldKind::Position => {
                columns.push(Expression::KeyPosition);
                Node::Value(Encoder::Int4)
            }
            FieldKind::Cursor(order) => self.cursor(scan, order, joins, columns)?,
            FieldKind::Same(fields) => {
                let (inner, shapes) = self.fields(scan, joins, fields)?;
                columns.extend(inner);
                Node::Object(shapes)
            }
            FieldKind::Connection(relation, page) => {
                self.connection(page, RowSource::Relation(scan, relation), columns)?
            }
            FieldKind::Values(call) => self.value(call, Some(scan), columns)?,
            FieldKind::Called(call, rows) => self.called_rows(call, rows, Some(scan), columns)?,
            FieldKind::CalledAggregate(call, aggregate) => {
                self.aggregate(aggregate, RowSource::Call(call, Some(scan)), columns)?
            }
            FieldKind::Aggregate(relation, aggregate) => {
                self.aggregate(aggregate, RowSource::Relation(scan, relation), columns)?
            }
        })
    }

    // ---- aggregates

    /// Aggregates and nodes of the same rows: one record, with the nodes as a subquery in it. Nodes
    /// alone need no record.
    fn aggregate(
        &mut self,
        aggregate: &Aggregate<'m>,
        from: RowSource<'_, 'm>,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Node, Denied> {
        let (scan, correlated) = self.enter(aggregate.table, from, from.aggregates())?;
        let least = scan.least_group();
        let select = if aggregate
            .parts
            .iter()
            .any(|part| part.measures(least.is_some()))
        {
            Some(self.aggregated(&scan, &aggregate.arguments, correlated)?)
        } else {
            None
        };
        let estimated = self.estimate(aggregate, from)?;
        let outer = std::mem::replace(&mut self.estimated, estimated);
        let mut output = Vec::new();
        let mut shapes = Vec::new();
        for part in &aggregate.parts {
            let node = self.plan_under_key(&part.key, |builder| {
                builder.part(&scan, aggregate, part, from, &mut output)
            })?;
            shapes.push(shape::Field {
                key: Key::new(&part.key),
                node,
            });
        }
        self.estimated = outer;
        // Planner estimates and nodes are subqueries of their own, so they need no aggregated
        // select around them.
        let apart = |column: &Expression<'m>| {
            matches!(column, Expression::Planned { .. } | Expression::Rows(_))
        };
        let Some(mut select) = select.filter(|_| !output.iter().all(apart)) else {
            columns.append(&mut output);
            return Ok(Node::Object(shapes));
        };
        select.output = output;
        select.after = if select.cuts() {
            PostLimit::Aggregate
        } else {
            PostLimit::Nothing
        };
        columns.push(Expression::Record(Rc::new(select)));
        Ok(Node::Record(Box::new(Node::Object(shapes))))
    }

    /// The select whose rows are aggregated. Its order matters only if a limit cuts rows off.
    fn aggregated(
        &mut self,
        scan: &Scan<'m>,
        arguments: &Arguments<'m>,
        correlated: Vec<Predicate<'m>>,
    ) -> Result<Select<'m>, Denied> {
        if arguments.cuts() {
            return self.select(scan.clone(), correlated, arguments);
        }
        let filter = arguments.filter.clone();
        self.select(
            scan.clone(),
            correlated,
            &Arguments {
                filter,
                ..Arguments::default()
            },
        )
    }

    fn part(
        &mut self,
        scan: &Scan<'m>,
        aggregate: &Aggregate<'m>,
        part: &AggregateField<'m>,
        from: RowSource<'_, 'm>,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Node, Denied> {
        Ok(match &part.kind {
            PartKind::Constant(text) => constant(text),
            PartKind::Fields(calculations) => {
                let least = scan.least_group();
                columns.extend(least.clone().map(Expression::AtLeast));
                let shapes = self.calculations(scan, calculations, columns)?;
                if least.is_some() {
                    Node::Optional(shapes)
                } else {
                    Node::Object(shapes)
                }
            }
            PartKind::Nodes(fields) => {
                let from = match from {
                    RowSource::Root(_) => {
                        RowSource::Root(self.access().listing_root(aggregate.table).ok_or(Denied)?)
                    }
                    other => other,
                };
                let (select, inner) =
                    self.limited(aggregate.table, &aggregate.arguments, fields, from)?;
                columns.push(Expression::Rows(Rc::new(select)));
                Node::List(Box::new(Node::Object(inner)))
            }
        })
    }

    pub(super) fn calculations(
        &mut self,
        scan: &Scan<'m>,
        calculations: &[Calculation],
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Vec<shape::Field>, Denied> {
        let mut shapes = Vec::new();
        for calculation in calculations {
            let node = self.calculation(scan, calculation, columns)?;
            shapes.push(shape::Field {
                key: Key::new(&calculation.key),
                node,
            });
        }
        Ok(shapes)
    }

    fn calculation(
        &mut self,
        scan: &Scan<'m>,
        calculation: &Calculation,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Node, Denied> {
        Ok(match &calculation.kind {
            CalculationKind::Constant(text) => constant(text),
            CalculationKind::Count {
                columns: counted,
                mode,
                ..
            } if counted.is_empty()
                && let Some(planned) = self.planned(*mode) =>
            {
                columns.push(planned);
                Node::Value(Encoder::Int8)
            }
            CalculationKind::Count {
                columns: counted,
                distinct,
                ..
            } => {
                let counted = counted.iter().map(|column| {
                    let column = scan.column(*column)?;
                    let as_text = *distinct && self.is_opaque(&column);
                    Ok(CountedColumn { column, as_text })
                });
                columns.push(Expression::Count {
                    columns: counted.collect::<Result<_, Denied>>()?,
                    distinct: *distinct,
                });
                Node::Value(Encoder::Int8)
            }
            CalculationKind::Function(function, columns_by_key) => {
                let mut shapes = Vec::new();
                for (key, column) in columns_by_key {
                    let node = match column {
                        Err(typename) => constant(typename),
                        Ok(column) => {
                            let scalar = self.scalar(scan.column(*column)?.r#type());
                            let output = function.output(&scalar, self.stringifies_numbers());
                            columns.push(self.function(scan, *function, *column, output.cast)?);
                            Node::Value(output.encoder)
                        }
                    };
                    shapes.push(shape::Field {
                        key: Key::new(key),
                        node,
                    });
                }
                Node::Object(shapes)
            }
        })
    }
}

fn is_subquery(expression: &Expression<'_>) -> bool {
    use Expression::{Record, Rows, Single, Values};
    matches!(expression, Rows(_) | Record(_) | Single(_) | Values(..))
}

/// A list of rows, in reverse where the limit counts from the end.
fn listed(rows: &Rows<'_>, fields: Vec<shape::Field>) -> Node {
    let row = Box::new(Node::Object(fields));
    if rows.arguments.backwards {
        Node::Reversed(row)
    } else {
        Node::List(row)
    }
}

pub(super) fn constant(text: &str) -> Node {
    Node::Constant(json(text))
}

/// A text as a JSON string.
pub(super) fn json(text: &str) -> Box<str> {
    serde_json::Value::from(text).to_string().into_boxed_str()
}
