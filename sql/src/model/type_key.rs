//! Keys of the types of a schema: each type by what it stands for. Their names are in [`crate::schema`].

use super::CallId;
use super::aggregates::{ConditionAggregate, Function};
use super::names::Spelling;
use super::operators::{self, Operator};
use super::update_operators::UpdateOperator;
use crate::postgres::catalog::{Oid, TableId};

/// A type by what it stands for; [`crate::schema::Schema::name`] has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeKey {
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
    Measured(TableId, ConditionAggregate),
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
    Assign(TableId, UpdateOperator),
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
    MeasureColumn(TableId, ConditionAggregate),
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
    pub named: TypeKey,
    /// Whether it is a list.
    pub list: bool,
    /// Whether null is excluded.
    pub required: bool,
    /// Whether items of the list may be null.
    pub sparse: bool,
}

impl TypeRef {
    /// The type, null included.
    pub fn nullable(named: TypeKey) -> TypeRef {
        TypeRef { named, list: false, required: false, sparse: false }
    }

    /// The type without null.
    pub fn required(named: TypeKey) -> TypeRef {
        TypeRef { named, list: false, required: true, sparse: false }
    }

    /// A list, null included.
    pub fn list(named: TypeKey) -> TypeRef {
        TypeRef { named, list: true, required: false, sparse: false }
    }

    /// A list that is never null.
    pub fn required_list(named: TypeKey) -> TypeRef {
        TypeRef { named, list: true, required: true, sparse: false }
    }
}

/// Scalars that GraphQL defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuiltIn {
    /// `Int`
    Int,
    /// `Float`
    Float,
    /// `String`
    String,
    /// `Boolean`
    Boolean,
    /// `ID`, which no field of ours has, but a variable may be declared with.
    Id,
}

/// Object types of introspection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meta {
    /// `__Schema`
    Schema,
    /// `__Type`
    Type,
    /// `__Field`
    Field,
    /// `__InputValue`
    InputValue,
    /// `__EnumValue`
    EnumValue,
    /// `__Directive`
    Directive,
}
