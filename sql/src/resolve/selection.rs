//! The selection: the operation with every name resolved to the model's terms. [`crate::resolve`]
//! makes it from the document, and [`crate::plan`] turns it into a plan; it contains no SQL.

use crate::postgres::catalog::{Catalog, ColumnId, TableId};
use crate::statement::Parameter;

mod action;
mod read;
mod write;

pub use action::{
    ActionCall, ActionFieldKind, ActionOutput, ActionOutputKind, ActionResponseField, RelatedRows,
};
pub use read::{
    Aggregate, AggregateCondition, AggregateField, Arguments, BoundOperand, Calculation,
    CalculationKind, Call, Connection, Count, Field, FieldKind, Filter, GroupBy, GroupField,
    Groups, Having, InfoKind, Order, OrderAggregate, OrderBy, PageKind, PartKind, Rows, Search,
    Term,
};
pub use write::{
    Assignment, Batch, Change, Delete, Expected, Insert, Nested, OnConflict, Outcome,
    RelatedChange, RelatedKind, ResponseField, ResponseKind, Update, Write,
};

/// The root fields of an operation, in the order of the selection.
#[derive(Debug)]
pub struct Selection<'m> {
    /// The root fields, one for each response key.
    pub roots: Vec<Root<'m>>,
    /// The row that must be visible before any root field is executed.
    pub required: Option<Required>,
}

/// A row that must be visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Required {
    /// The table of the row.
    pub table: TableId,
    /// The only column of the table's primary key.
    pub column: ColumnId,
    /// The key's value.
    pub key: BoundOperand,
}

impl Required {
    /// Requires the row of a table whose key is a parameter.
    pub(crate) fn new(
        catalog: &Catalog,
        table: TableId,
        column: ColumnId,
        parameter: Parameter,
    ) -> Required {
        let r#type = catalog.table(table).column(column).r#type;
        let key = BoundOperand {
            field: "",
            parameter: Some(parameter),
            r#type,
            list: false,
            short: true,
        };
        Required { table, column, key }
    }
}

/// A root field.
#[derive(Debug)]
pub struct Root<'m> {
    /// Its response key.
    pub key: String,
    /// The selection of the field.
    pub selection: RootSelection<'m>,
}

/// The selection of a root field.
#[derive(Debug)]
pub enum RootSelection<'m> {
    /// A list of rows.
    List(Rows<'m>),
    /// A stream: the rows after a position.
    Stream(Rows<'m>),
    /// The row with this primary key.
    One(Rows<'m>),
    /// An aggregate.
    Aggregate(Aggregate<'m>),
    /// Groups of rows.
    Groups(Groups<'m>),
    /// A connection.
    Connection(Connection<'m>),
    /// A function that returns a value or a list of values.
    Value(Call),
    /// A function that returns a row or a list of rows.
    Called(Call, Rows<'m>),
    /// An aggregate over the rows that a function returns.
    CalledAggregate(Call, Aggregate<'m>),
    /// A mutation field that writes rows.
    Write(Box<Write<'m>>),
    /// An action, which a handler answers.
    Action(Box<ActionCall<Rows<'m>>>),
    /// A constant: `__typename`.
    Constant(String),
    /// A field that [`crate::introspection`] answers.
    Introspection,
}
