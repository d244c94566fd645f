//! The fields of object types and of input objects, and what they mean in the model.
//! [`crate::resolve`] matches on the meaning, and [`crate::introspection`] lists names and types.

use super::*;
use crate::model::action::{Action, ActionRelation};

/// A field of an object type.
#[derive(Clone, Debug)]
pub struct FieldDefinition<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub r#type: TypeRef,
    /// Its arguments.
    pub arguments: Vec<Argument<'a>>,
    /// The meaning of the field.
    pub meaning: Meaning<'a>,
}

/// An argument of a field.
#[derive(Clone, Debug)]
pub struct Argument<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub r#type: TypeRef,
}

/// The meaning of an object type's field.
#[derive(Clone, Copy, Debug)]
pub enum Meaning<'a> {
    /// A root field.
    Root(&'a Root),
    /// A column of the row.
    Column(ColumnId),
    /// A relation to one row.
    Object(&'a Relation),
    /// A relation to rows.
    Array(&'a Relation),
    /// The aggregate of a relation to rows.
    Aggregate(&'a Relation),
    /// A function.
    Routine(&'a Routine),
    /// The aggregate of a function that returns rows.
    RoutineAggregate(&'a Routine),
    /// A computed field.
    Computed(&'a Computed),
    /// The aggregate of a computed field that returns rows.
    ComputedAggregate(&'a Computed),
    /// `aggregate` of an aggregate or a group.
    AggregateFields,
    /// `key` of a group.
    GroupKey,
    /// `nodes` of an aggregate or a connection.
    Nodes,
    /// `_cursor` of a row, `cursor` of an edge.
    Cursor,
    /// A connection over a relation to rows.
    Connection(&'a Relation),
    /// `edges` of a connection.
    Edges,
    /// `node` of an edge.
    Node,
    /// `totalCount` of a connection.
    Total,
    /// `pageInfo` of a connection.
    PageInfo,
    /// A field of `PageInfo`.
    Info(Info),
    /// `count`
    Count,
    /// An aggregate function; its fields are the columns.
    Function(Function),
    /// A constant text.
    Constant(&'static str),
    /// `affected_rows`
    AffectedRows,
    /// `returning`
    Returning,
    /// An action, with its index.
    Action(u32, &'a Action),
    /// A field of an object type that actions declare.
    ActionField,
    /// A relation from such an object to a table.
    ActionRelation(&'a ActionRelation),
    /// A field of the introspection types.
    Introspection,
}

/// A field of an input object.
#[derive(Clone, Debug)]
pub struct InputField<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub r#type: TypeRef,
    /// The meaning of the field.
    pub meaning: InputMeaning<'a>,
}

/// The meaning of an input object's field.
#[derive(Clone, Copy, Debug)]
pub enum InputMeaning<'a> {
    /// `_and`
    And,
    /// `_or`
    Or,
    /// `_not`
    Not,
    /// The aggregate that a condition on aggregates compares.
    Measure(ConditionAggregate),
    /// `arguments` of a condition on an aggregate.
    Arguments,
    /// `distinct` of a condition on an aggregate.
    Distinct,
    /// `filter` of a condition on an aggregate.
    Filter,
    /// `predicate` of a condition on an aggregate.
    Predicate,
    /// `X`: the first column of an aggregate with two.
    First,
    /// `Y`: the second column of an aggregate with two.
    Second,
    /// `key` of an order of groups.
    GroupKey,
    /// `_some`, `_every` or `_none` of a relation to rows.
    Quantifier(Quantifier),
    /// A column.
    Column(ColumnId),
    /// A relation.
    Relation(&'a Relation),
    /// The aggregate of a relation to rows.
    Aggregate(&'a Relation),
    /// `count`
    Count,
    /// An aggregate function; its fields are the columns.
    Function(Function),
    /// An operator of a comparison.
    Operator(&'static Operator),
    /// Conditions on the column cast to another type.
    Cast(Comparison),
    /// A field that the input object's resolver reads by name.
    Part,
    /// `_path`: an order by a value inside JSON.
    PathOrder,
    /// `_fts`: an order by the rank of a full-text search.
    SearchOrder,
    /// A field of an operand that is an object.
    Operand(&'static operators::ObjectField),
    /// A function argument, by its position.
    Argument(usize),
    /// A computed field.
    Computed(&'a Computed),
    /// The aggregate of a computed field that returns rows.
    ComputedAggregate(&'a Computed),
    /// `data` of a nested insert.
    Data,
    /// `on_conflict`
    OnConflict,
    /// `constraint` of `on_conflict`.
    Constraint,
    /// `update_columns` of `on_conflict`.
    UpdateColumns,
    /// `where` of a write.
    Where,
    /// `_set` and so on.
    Assign(UpdateOperator),
    /// `if_match`
    Match,
    /// `_related`
    Related,
    /// `insert` of related rows.
    RelatedInsert,
    /// `update` of related rows.
    RelatedUpdate,
    /// `delete` of related rows.
    RelatedDelete,
    /// `link` of related rows.
    Link,
    /// `unlink` of related rows.
    Unlink,
    /// A placeholder in a type that would otherwise be empty.
    Nothing,
}

impl InputField<'_> {
    /// The default value in GraphQL notation. Only fields of non-null type have a default.
    pub fn default(&self) -> Option<&'static str> {
        matches!(self.meaning, InputMeaning::UpdateColumns).then_some("[]")
    }
}
