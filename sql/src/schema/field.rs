//! The fields of object types and of input objects, and what they stand for.

use super::*;

/// A field of an object type.
#[derive(Clone, Debug)]
pub struct FieldDefinition<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub r#type: TypeRef,
    /// Its arguments.
    pub arguments: Vec<Argument<'a>>,
    /// What it stands for.
    pub meaning: Meaning<'a>,
}

/// An argument of a field, or a field of an input object.
#[derive(Clone, Debug)]
pub struct Argument<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub r#type: TypeRef,
}

/// What a field stands for.
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
    /// An aggregate function's columns.
    Function(Function),
    /// This text.
    Constant(&'static str),
    /// `affected_rows`
    AffectedRows,
    /// `returning`
    Returning,
    /// Something of introspection.
    Introspection,
}

/// A field of an input object.
#[derive(Clone, Debug)]
pub struct InputField<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub r#type: TypeRef,
    /// What it stands for.
    pub meaning: InputMeaning<'a>,
}

/// What a field of an input object stands for.
#[derive(Clone, Copy, Debug)]
pub enum InputMeaning<'a> {
    /// `_and`
    And,
    /// `_or`
    Or,
    /// `_not`
    Not,
    /// What a condition on aggregates compares.
    Measure(ConditionAggregate),
    /// `arguments` of one.
    Arguments,
    /// `distinct` of one.
    Distinct,
    /// `filter` of one.
    Filter,
    /// `predicate` of one.
    Predicate,
    /// `X`
    First,
    /// `Y`
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
    /// An aggregate function's columns.
    Function(Function),
    /// An operator of a comparison.
    Operator(&'static Operator),
    /// Conditions on the column as another type.
    Cast(Comparison),
    /// Something that the object's meaning is made of.
    Part,
    /// An order by what lies inside JSON.
    PathOrder,
    /// An order by how well a search is answered.
    SearchOrder,
    /// A field of the object that an operator takes.
    Operand(&'static operators::ObjectField),
    /// The argument of a function at this place.
    Argument(usize),
    /// A computed field.
    Computed(&'a Computed),
    /// The aggregate of a computed field that returns rows.
    ComputedAggregate(&'a Computed),
    /// `data` of rows that are inserted along with others.
    Data,
    /// `on_conflict`
    OnConflict,
    /// `constraint` of it.
    Constraint,
    /// `update_columns` of it.
    UpdateColumns,
    /// `where` of what is written.
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
    /// Nothing: it stands where a type would be empty.
    Nothing,
}

impl InputField<'_> {
    /// The value that stands for the field when it is not given, as GraphQL writes it. Only fields whose type excludes null
    /// have one here.
    pub fn default(&self) -> Option<&'static str> {
        matches!(self.meaning, InputMeaning::UpdateColumns).then_some("[]")
    }
}
