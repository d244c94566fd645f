//! The GraphQL schema of a role, answered name by name from catalog and access: nothing is built ahead.
//!
//! [`crate::resolve`] asks it what a name means; [`crate::introspection`] walks it to show it. So what is shown and
//! what is accepted are one thing. A name that the role may not use is simply not there.

use crate::access::{Access, Select};
use crate::catalog::{Catalog, ColumnId, Oid, TableId};
use crate::model::{
    CallId, Callable, Computed, Exposed, Member, Model, Relation, RelationKind, Returns, Root, Routine,
};
use crate::names::{Convention, RootKind, Spelling};
use crate::operators::{self, Operator};
use crate::selection::Modifier;
use crate::types::{Family, Input, Scalar, graphql_name, is_json};

mod values;
mod objects;
mod connection;
mod calls;
mod inputs;
mod operands;
mod aggregates;
mod path;
mod search;
mod measures;
mod groups;
mod mutation;
mod writable;
mod changes;
mod written;
mod named;
mod meta;

pub use crate::aggregates::{Function, Measure};
pub use groups::Bucket;
pub use meta::Meta;
pub use values::{BuiltIn, CountMode, Direction, Info, Quantifier};

/// The only field of a `query_root` without any other, because an object type without fields is no type.
const NO_QUERIES: &str = "no_queries_available";

/// The schema of one role.
#[derive(Clone, Copy)]
pub struct Schema<'a> {
    access: &'a Access,
    model: &'a Model,
    catalog: &'a Catalog,
}

/// A type by what it stands for; [`Schema::name`] has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// An object type.
    Object(Object),
    /// An input object type.
    Input(InputObject),
    /// An enum.
    Enum(Enum),
    /// A scalar of GraphQL itself.
    BuiltIn(BuiltIn),
    /// The scalar of a Postgres type.
    Scalar(Oid),
}

/// Object types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// `query_root`
    Query,
    /// `mutation_root`
    Mutation,
    /// `t_mutation_response`
    Response(TableId),
    /// A row of a table: `DataSubject`.
    Row(TableId),
    /// `t_aggregate`
    Aggregate(TableId),
    /// `t_aggregate_fields`
    AggregateFields(TableId),
    /// `t_sum_fields` and so on.
    FunctionFields(TableId, Function),
    /// `t_connection`
    Connection(TableId),
    /// `t_edge`
    Edge(TableId),
    /// `PageInfo`
    PageInfo,
    /// `t_group`
    Group(TableId),
    /// `t_group_key`
    GroupKey(TableId),
    /// A type of introspection.
    Meta(Meta),
}

/// Input object types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputObject {
    /// `t_bool_exp`
    BoolExp(TableId),
    /// `t_array_bool_exp`: that of a relation to rows, with the explicit forms beside it.
    ArrayBoolExp(TableId),
    /// `t_order_by`
    OrderBy(TableId),
    /// `t_aggregate_order_by`
    AggregateOrderBy(TableId),
    /// `t_sum_order_by` and so on.
    FunctionOrderBy(TableId, Function),
    /// `t_aggregate_bool_exp`
    AggregateBoolExp(TableId),
    /// `t_aggregate_bool_exp_count` and so on.
    Measured(TableId, Measure),
    /// `t_aggregate_bool_exp_corr_arguments` and so on.
    MeasuredPair(TableId, Function),
    /// `t_group_having`
    GroupHaving(TableId),
    /// `t_group_order_by`
    GroupOrderBy(TableId),
    /// `t_group_key_order_by`
    GroupKeyOrderBy(TableId),
    /// `t_bucket`
    Buckets(TableId),
    /// `f_args`
    Arguments(CallId),
    /// `uuid_comparison_exp`
    Comparison(Comparison),
    /// `jsonb_cast_exp`: conditions on the column as other types.
    Cast(Comparison, &'static Operator),
    /// `jsonb_path_exp`: conditions on what lies inside JSON.
    Path(Comparison),
    /// `fts_exp`: a search in texts.
    Search(Comparison),
    /// `t_path_order_by`
    PathOrder(TableId),
    /// `t_fts_order_by`
    SearchOrder(TableId),
    /// The object that an operator takes.
    Operand(Comparison, &'static operators::Object),
    /// `t_insert_input`
    Insert(TableId),
    /// The same under the name that the alias at this place of [`Model::roots`] gives it.
    InsertAs(TableId, u32),
    /// `t_obj_rel_insert_input`
    ObjectInsert(TableId),
    /// `t_arr_rel_insert_input`
    ArrayInsert(TableId),
    /// `t_on_conflict`
    OnConflict(TableId),
    /// `t_set_input` and so on.
    Assign(TableId, Modifier),
    /// `t_pk_columns_input`
    KeyColumns(TableId),
    /// `t_updates`
    Updates(TableId),
    /// `t_if_match_input`
    Match(TableId),
    /// `t_related_input`
    Related(TableId),
    /// `t_related_r_input`: what becomes of the rows that the relation at this place leads to.
    RelatedChange(TableId, u32),
    /// `t_related_where_input`
    RelatedWhere(TableId),
    /// `t_change_input`: what becomes of a related row.
    RowChange(TableId),
}

impl InputObject {
    /// Whether whatever fits this type fits the other, so that a variable of the one may stand for the other: clients of
    /// Hasura write `t_bool_exp` where a relation to rows takes `t_array_bool_exp`. Rows to insert are the same whatever
    /// an alias calls their type.
    pub fn is_part_of(self, other: InputObject) -> bool {
        let inserted = |input| match input {
            InputObject::Insert(table) | InputObject::InsertAs(table, _) => Some(table),
            _ => None,
        };
        let row = inserted(self).filter(|table| inserted(other) == Some(*table));
        matches!((self, other), (InputObject::BoolExp(here), InputObject::ArrayBoolExp(there)) if here == there)
            || row.is_some()
    }
}

/// What a column can be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// The column's type.
    pub r#type: Oid,
    /// Whether equal means the same bytes under the column's collation, so that patterns are offered.
    pub deterministic: bool,
    /// How its operators are spelled: as the table of the column has it.
    pub spelling: Spelling,
    /// What the column's declaration says beside the type.
    pub modifier: Option<i32>,
    /// The enum table whose values the column holds, if it does.
    pub of: Option<TableId>,
}

/// Enums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Enum {
    /// `order_by`, as the table of what is sorted spells it.
    Direction(Spelling),
    /// `count_mode`
    CountMode(Spelling),
    /// `t_select_column`
    SelectColumn(TableId),
    /// `t_count_column`: the columns whose values may be counted, where those are not all.
    CountColumn(TableId),
    /// `t_enum`: the rows of an enum table.
    Values(TableId),
    /// `t_path_column`: the columns that paths lead into.
    JsonColumn(TableId),
    /// `t_fts_column`: the columns that can be searched.
    SearchColumn(TableId),
    /// `jsonb_path_type`
    PathType,
    /// `fts_mode`
    SearchMode,
    /// `t_select_column_t_aggregate_bool_exp_bool_and_arguments_columns` and so on.
    MeasureColumn(TableId, Measure),
    /// `bucket`
    Bucket(Spelling),
    /// `t_constraint`: the keys that rows may conflict in.
    Constraint(TableId),
    /// `t_update_column`: the columns that may be updated.
    UpdateColumn(TableId),
    /// `__TypeKind`
    TypeKind,
    /// `__DirectiveLocation`
    DirectiveLocation,
}

/// A type in its place: named, perhaps a list, perhaps without nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeRef {
    /// The named type.
    pub named: Named,
    /// Whether it is a list.
    pub list: bool,
    /// Whether null is excluded.
    pub required: bool,
    /// Whether items of the list may be null.
    pub sparse: bool,
}

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

impl TypeRef {
    /// The type, null included.
    pub fn nullable(named: Named) -> TypeRef {
        TypeRef { named, list: false, required: false, sparse: false }
    }

    /// The type without null.
    pub fn required(named: Named) -> TypeRef {
        TypeRef { named, list: false, required: true, sparse: false }
    }

    /// A list, null included.
    pub fn list(named: Named) -> TypeRef {
        TypeRef { named, list: true, required: false, sparse: false }
    }

    /// A list that is never null.
    pub fn required_list(named: Named) -> TypeRef {
        TypeRef { named, list: true, required: true, sparse: false }
    }
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
    Measure(Measure),
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
    Assign(Modifier),
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

/// A member of a row, unless it is a relation that the role cannot follow from any row.
fn reached<'a>(select: &Select, member: Member<'a>) -> Option<Member<'a>> {
    match member {
        Member::Relation(relation) | Member::Aggregate(relation) | Member::Connection(relation) => {
            select.reaches(&relation.name).then_some(member)
        }
        Member::Computed(computed) | Member::ComputedAggregate(computed) => {
            select.reaches(&computed.name).then_some(member)
        }
        Member::Column(_) => Some(member),
    }
}

impl<'a> Schema<'a> {
    /// The schema of a role.
    pub fn new(access: &'a Access) -> Schema<'a> {
        let model = access.model();
        Schema { access, model, catalog: model.catalog() }
    }

    /// The role's access.
    pub fn access(&self) -> &'a Access {
        self.access
    }

    /// The names of the database.
    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// The scalar of a type.
    pub fn scalar(&self, oid: Oid) -> Scalar {
        Scalar::of(self.catalog, oid)
    }

    /// The scalar of a column; that of an enum table takes the table's values alone.
    pub fn column_scalar(&self, table: TableId, column: ColumnId) -> Scalar {
        let scalar = self.scalar(self.model.table(table).column(column).r#type);
        let Some(of) = self.model.enum_of(table, column) else { return scalar };
        let name = self.name(Named::Enum(Enum::Values(of)));
        Scalar { name, input: self.enum_input(of), extreme: None, ..scalar }
    }

    /// What fits the enum of an enum table.
    pub fn enum_input(&self, table: TableId) -> Input {
        let values: Vec<String> = self.values(Enum::Values(table)).into_iter().map(str::to_owned).collect();
        Input::Enum(values.into())
    }

    /// The tables whose rows the role may read, with their names; results of functions are read like them.
    pub fn readable(&self) -> impl Iterator<Item = (&'a Exposed, &'a Select)> {
        let access = self.access;
        self.model
            .tables()
            .chain(self.model.results())
            .filter_map(move |exposed| Some((exposed, access.select(exposed.table)?)))
    }

    /// The tables that the role may read or write.
    pub fn tables(&self) -> impl Iterator<Item = &'a Exposed> {
        let schema = *self;
        let all = self.model.tables().chain(self.model.results());
        all.filter(move |exposed| schema.access.select(exposed.table).is_some() || schema.is_writable(exposed.table))
    }

    fn open(&self, table: TableId) -> Option<(&'a Exposed, &'a Select)> {
        Some((self.model.exposed(table)?, self.access.select(table)?))
    }

    /// The granted columns that have a name.
    pub fn columns(&self, table: TableId) -> Vec<(ColumnId, &'a str)> {
        let Some((exposed, select)) = self.open(table) else { return Vec::new() };
        select.columns.iter().filter_map(|column| Some((column, exposed.column_name(column)?))).collect()
    }

    fn column(&self, table: TableId, name: &str) -> Option<ColumnId> {
        let (exposed, select) = self.open(table)?;
        exposed.column(name).filter(|column| select.columns.contains(*column))
    }

    /// Whether rows of the table can be shown: some column is granted.
    fn has_rows(&self, table: TableId) -> bool {
        let open = self.open(table);
        open.is_some_and(|(exposed, select)| select.columns.iter().any(|column| exposed.column_name(column).is_some()))
    }

    /// Whether the row type has anything to select: a column, or a computed value that is listed.
    fn has_fields(&self, table: TableId) -> bool {
        let computed = || self.open(table).map(|(exposed, select)| (exposed.computed.iter(), select));
        let listed = |computed: &Computed, select: &Select| {
            computed.callable.table().is_none() && select.computed.contains(&computed.name)
        };
        self.has_rows(table) || computed().is_some_and(|(mut all, select)| all.any(|computed| listed(computed, select)))
    }

    fn convention(&self, table: TableId) -> Convention {
        self.model.exposed(table).map_or(Convention::Snake, |exposed| exposed.convention)
    }

    /// How fixed words are spelled where a table is read.
    pub fn spelling(&self, table: TableId) -> Spelling {
        self.convention(table).spelling()
    }

    /// What a column can be compared with.
    pub fn comparison(&self, table: TableId, column: ColumnId) -> Comparison {
        let entry = self.model.table(table).column(column);
        Comparison {
            r#type: entry.r#type,
            deterministic: entry.deterministic,
            spelling: self.spelling(table),
            modifier: entry.modifier,
            of: self.model.enum_of(table, column),
        }
    }

    /// The type that a column's values have: that of its enum table, or its scalar.
    pub fn column_named(&self, table: TableId, column: ColumnId) -> Named {
        match self.model.enum_of(table, column) {
            Some(of) => Named::Enum(Enum::Values(of)),
            None => Named::Scalar(self.model.table(table).column(column).r#type),
        }
    }

    /// Whether a root field is there for the role.
    fn root_granted(&self, root: &Root) -> bool {
        let Some((_, select)) = self.open(root.table) else { return false };
        if select.roots.as_ref().is_some_and(|roots| !roots.contains(&root.kind)) {
            return false;
        }
        match root.kind {
            RootKind::List => self.has_fields(root.table),
            RootKind::One => self.has_fields(root.table) && self.key_columns(root.table).is_some(),
            RootKind::Connection => self.has_fields(root.table) && self.key_columns(root.table).is_some(),
            RootKind::Aggregate | RootKind::Group => self.has_aggregate(root.table),
            // Streams are no queries, and what writes is a mutation.
            _ => false,
        }
    }

    /// The primary key's columns with their names, when the role may read all of them as they are stored, in every row.
    pub fn key_columns(&self, table: TableId) -> Option<Vec<(ColumnId, &'a str)>> {
        let (exposed, select) = self.open(table)?;
        let entry = self.model.table(table);
        let columns = entry.primary_key()?.columns.iter().map(|name| {
            let column = entry.find(name).filter(|column| select.columns.contains(*column))?;
            // A mask may make several rows look alike, and null is no key.
            let column = Some(column).filter(|column| !select.values.contains_key(column))?;
            Some((column, exposed.column_name(column)?))
        });
        columns.collect()
    }
}
