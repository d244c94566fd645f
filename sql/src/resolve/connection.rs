//! Resolves cursors and pages: the arguments `after` and `before`, the field `_cursor`, and Relay's
//! connections. Cursors are only bound here; [`crate::encode`] writes them, and
//! [`crate::statement`] decodes them for each request.

use super::Resolve;
use super::input::{ErrorPath, VariableUse};
use super::read::{MergedFields, unknown};
use crate::error::{Cause, Error, RequestLimit};
use crate::postgres::catalog::TableId;
use crate::postgres::types::Input;
use crate::resolve::selection::{
    Connection, Field, FieldKind, InfoKind, Order, OrderBy, PageKind, Rows, Term,
};
use crate::schema::{Direction, FieldDefinition, Info, Meaning, Object, TypeKey};
use crate::statement::{Operand, OperandRequirement};

/// The most keys of an order with cursors: the text of the condition grows with the square of their
/// number.
const CURSOR_KEYS: usize = 50;

impl<'a, 'm> Resolve<'a, 'm> {
    /// The order by the primary key.
    pub(super) fn key_order(
        &self,
        table: TableId,
        at: &ErrorPath,
    ) -> Result<Vec<Order<'m>>, Error> {
        let order = |(column, _)| Order {
            by: OrderBy::Value(Term::Column(column)),
            direction: Direction::Asc,
        };
        Ok(self
            .primary_key(table, at)?
            .into_iter()
            .map(order)
            .collect())
    }

    /// Resolves `after` and `before`, and makes the order total if a cursor is given or selected.
    pub(super) fn place_cursors(
        &self,
        rows: &mut Rows<'m>,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<(), Error> {
        rows.arguments.after = self.cursor(fields, definition, "after", at)?;
        rows.arguments.before = self.cursor(fields, definition, "before", at)?;
        rows.arguments.backwards =
            rows.arguments.before.is_some() && rows.arguments.after.is_none();
        let has_cursor = rows.arguments.after.is_some() || rows.arguments.before.is_some();
        if has_cursor || selects_cursor(&rows.fields) {
            self.total_order(rows, at)
        } else {
            Ok(())
        }
    }

    /// Appends the missing columns of the key to the order, and assigns the order to every selected
    /// cursor.
    fn total_order(&self, rows: &mut Rows<'m>, at: &ErrorPath) -> Result<(), Error> {
        if !rows.arguments.distinct_on.is_empty() {
            return Err(at.error(Cause::Together {
                one: "cursors",
                other: "'distinct_on'",
            }));
        }
        if rows.arguments.order.len() > CURSOR_KEYS {
            return Err(at.error(Cause::Limit {
                limit: RequestLimit::CursorOrders,
                value: CURSOR_KEYS,
            }));
        }
        let order = &mut rows.arguments.order;
        if !order.iter().all(|key| is_placed(&key.by)) {
            return Err(at.error(Cause::Together {
                one: "cursors",
                other: "an order by aggregates or functions",
            }));
        }
        let sorted = |by: &OrderBy<'m>, order: &[Order<'m>]| match by {
            OrderBy::Value(Term::Column(key)) => order
                .iter()
                .any(|o| matches!(&o.by, OrderBy::Value(Term::Column(column)) if column == key)),
            _ => false,
        };
        for key in self.key_order(rows.table, at)? {
            if !sorted(&key.by, order) {
                order.push(key);
            }
        }
        locate_cursors(&mut rows.fields, &rows.arguments.order);
        Ok(())
    }

    fn cursor(
        &self,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        name: &'static str,
        at: &ErrorPath,
    ) -> Result<Option<Operand>, Error> {
        let Some((input_value, at)) =
            self.argument(fields, definition, name, name, VariableUse::Shape, at)?
        else {
            return Ok(None);
        };
        let value = self.template(&input_value);
        let name = at.name().to_owned();
        let path = at.path();
        let expected = "String".into();
        Ok(Some(Operand {
            name,
            path,
            value,
            requirement: OperandRequirement::Value(Input::Text),
            expected,
        }))
    }

    // ---- connections

    pub(super) fn connection(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Connection<'m>, Error> {
        let mut rows = Rows {
            table,
            arguments: self.arguments(table, fields, definition, at)?,
            fields: Vec::new(),
        };
        rows.arguments.after = self.cursor(fields, definition, "after", at)?;
        rows.arguments.before = self.cursor(fields, definition, "before", at)?;
        let first = self.count(fields, "first", at)?;
        let last = self.count(fields, "last", at)?;
        rows.arguments.backwards = match (&first, &last) {
            (Some(_), Some(_)) => {
                return Err(at.error(Cause::Together {
                    one: "'first'",
                    other: "'last'",
                }));
            }
            (_, last) => last.is_some(),
        };
        rows.arguments.limit = first.or(last);
        let parts = self.page(table, fields, at, &mut rows.fields)?;
        // The rows of a page depend on the order, so it is total even if no cursor is selected.
        self.total_order(&mut rows, at)?;
        Ok(Connection { rows, parts })
    }

    /// Resolves the parts of a page, and adds the fields that they are made from to the fields of
    /// the rows.
    fn page(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
        rows: &mut Vec<Field<'m>>,
    ) -> Result<Vec<(String, PageKind)>, Error> {
        let object = Object::Connection(table);
        let parts = self.selected(object, fields, Page::Constant, |fields| {
            let (definition, at) = self.definition(object, fields, at)?;
            Ok(match definition.meaning {
                Meaning::Edges => Page::Rows(FieldKind::Same(self.edge(table, fields, &at)?)),
                Meaning::Nodes => Page::Rows(FieldKind::Same(self.fields(table, fields, &at)?)),
                Meaning::PageInfo => Page::Info(self.page_info(fields, &at)?),
                _ => Page::Total,
            })
        })?;
        let mut add = |kind| {
            rows.push(Field {
                key: String::new(),
                kind,
            });
            rows.len() - 1
        };
        let part = |(key, page)| {
            let kind = match page {
                Page::Constant(text) => PageKind::Constant(text),
                Page::Total => PageKind::Total,
                Page::Rows(kind) => PageKind::Rows(add(kind)),
                Page::Info(info) => {
                    let placed = info
                        .iter()
                        .any(|(_, kind)| matches!(kind, InfoKind::Start | InfoKind::End));
                    PageKind::Info(placed.then(|| add(FieldKind::Cursor(Vec::new()))), info)
                }
            };
            (key, kind)
        };
        Ok(parts.into_iter().map(part).collect())
    }

    fn edge(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<Field<'m>>, Error> {
        let object = Object::Edge(table);
        let kinds = self.selected(object, fields, FieldKind::Constant, |fields| {
            let (definition, at) = self.definition(object, fields, at)?;
            Ok(match definition.meaning {
                Meaning::Cursor => FieldKind::Cursor(Vec::new()),
                _ => FieldKind::Same(self.fields(table, fields, &at)?),
            })
        })?;
        Ok(kinds
            .into_iter()
            .map(|(key, kind)| Field { key, kind })
            .collect())
    }

    fn page_info(
        &self,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<(String, InfoKind)>, Error> {
        let object = Object::PageInfo;
        self.selected(object, fields, InfoKind::Constant, |fields| {
            let (definition, at) = self.definition(object, fields, at)?;
            match definition.meaning {
                Meaning::Info(Info::HasNext) => Ok(InfoKind::HasNext),
                Meaning::Info(Info::HasPrevious) => Ok(InfoKind::HasPrevious),
                Meaning::Info(Info::Start) => Ok(InfoKind::Start),
                Meaning::Info(Info::End) => Ok(InfoKind::End),
                _ => Err(unknown(&at, &self.schema.name(TypeKey::Object(object)))),
            }
        })
    }
}

/// A part of a page, before the rows have a field for it.
#[allow(clippy::large_enum_variant)] // It lives for a moment.
enum Page<'m> {
    Constant(String),
    Rows(FieldKind<'m>),
    Total,
    Info(Vec<(String, InfoKind)>),
}

/// Whether a cursor can contain a position in this order.
fn is_placed(by: &OrderBy<'_>) -> bool {
    match by {
        OrderBy::Value(Term::Column(_)) | OrderBy::Count(_) => true,
        OrderBy::Related(_, by) => is_placed(by),
        _ => false,
    }
}

/// Whether a row's cursor is selected.
fn selects_cursor(fields: &[Field<'_>]) -> bool {
    fields.iter().any(|field| match &field.kind {
        FieldKind::Cursor(_) => true,
        FieldKind::Same(fields) => selects_cursor(fields),
        _ => false,
    })
}

fn locate_cursors<'m>(fields: &mut [Field<'m>], order: &[Order<'m>]) {
    for field in fields {
        match &mut field.kind {
            FieldKind::Cursor(by) => *by = order.to_vec(),
            FieldKind::Same(fields) => locate_cursors(fields, order),
            _ => {}
        }
    }
}
