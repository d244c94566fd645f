//! Plans groups of rows: `SELECT …, count(*) FROM t WHERE … GROUP BY … HAVING … ORDER BY …`.

use std::rc::Rc;

use super::builder::Builder;
use super::read::constant;
use super::{Denied, Expression, Grouping, GroupingForm, Predicate, Scan, Select};
use crate::encode::shape;
use crate::encode::shape::{Key, Node};
use crate::model::access::Purpose;
use crate::model::names::RootKind;
use crate::postgres::catalog::ColumnId;
use crate::postgres::types::{Cast, Family};
use crate::resolve::selection::{Arguments, GroupBy, GroupField, Groups};
use crate::schema::Bucket;

impl<'m> Builder<'m> {
    /// Plans the groups, and the response fields of each. The grant's limit applies to the number
    /// of groups.
    pub(super) fn groups(
        &mut self,
        groups: &Groups<'m>,
    ) -> Result<(Select<'m>, Vec<shape::Field>), Denied> {
        let purpose = Purpose::Root(RootKind::Group);
        let scan = self.open(groups.table, purpose)?;
        let arguments = Arguments {
            filter: groups.filter.clone(),
            limit: groups.limit.clone(),
            offset: groups.offset.clone(),
            ..Arguments::default()
        };
        let mut select = self.select(scan.clone(), Vec::new(), &arguments)?;
        select
            .limits
            .extend(self.granted_limit(groups.table, purpose));
        let keys = groups
            .keys
            .iter()
            .map(|(column, bucket)| self.grouping(&scan, *column, *bucket).map(Rc::new));
        let keys: Vec<_> = keys.collect::<Result<_, Denied>>()?;
        select.group_by = keys.iter().cloned().map(Expression::Grouped).collect();
        select.having.extend(
            scan.least_group()
                .map(|least| Predicate::AtLeast(least, None)),
        );
        if let Some(having) = &groups.having {
            select.having.push(self.predicate(&scan, having)?);
        }
        for (by, direction) in &groups.order {
            select
                .order
                .push((self.group_order(&scan, &keys, by)?, *direction));
        }
        let mut shapes = Vec::new();
        for (key, field) in &groups.fields {
            let node = self.group_field(&scan, &keys, field, &mut select.output)?;
            shapes.push(shape::Field {
                key: Key::new(key),
                node,
            });
        }
        Ok((select, shapes))
    }

    fn grouping(
        &self,
        scan: &Scan<'m>,
        column: ColumnId,
        bucket: Option<Bucket>,
    ) -> Result<Grouping<'m>, Denied> {
        let column = scan.column(column)?;
        let scalar = self.scalar(column.r#type());
        let form = match bucket {
            Some(bucket) => GroupingForm::Bucket(bucket),
            None if scalar.family == Family::Opaque => GroupingForm::Text,
            None => GroupingForm::Value,
        };
        Ok(Grouping {
            column,
            form,
            scalar,
        })
    }

    fn group_order(
        &self,
        scan: &Scan<'m>,
        keys: &[Rc<Grouping<'m>>],
        by: &GroupBy,
    ) -> Result<Expression<'m>, Denied> {
        match by {
            GroupBy::Key(index) => keys
                .get(*index)
                .cloned()
                .map(Expression::Grouped)
                .ok_or(Denied),
            GroupBy::Count => Ok(Expression::count_rows()),
            GroupBy::Function(function, column) => {
                self.function(scan, *function, *column, Cast::None)
            }
        }
    }

    fn group_field(
        &mut self,
        scan: &Scan<'m>,
        keys: &[Rc<Grouping<'m>>],
        field: &GroupField,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Node, Denied> {
        match field {
            GroupField::Constant(text) => Ok(constant(text)),
            GroupField::Fields(calculations) => Ok(Node::Object(self.calculations(
                scan,
                calculations,
                columns,
            )?)),
            GroupField::Key(asked) => {
                let mut shapes = Vec::new();
                for (key, location) in asked {
                    let node = match location {
                        Err(typename) => constant(typename),
                        Ok(index) => {
                            let grouping = keys.get(*index).ok_or(Denied)?;
                            let output = self.output(grouping.scalar.output.clone());
                            columns.push(Expression::Key(grouping.clone(), output.cast));
                            Node::Value(output.encoder)
                        }
                    };
                    shapes.push(shape::Field {
                        key: Key::new(key),
                        node,
                    });
                }
                Ok(Node::Object(shapes))
            }
        }
    }
}
