//! The keys of a schema's types, which identify a type without its name. [`crate::schema`] maps
//! keys to names and back.

use super::CallId;
use super::aggregates::{ConditionAggregate, Function};
use super::named_enum::named_enum;
use super::names::Spelling;
use super::operators::{self, Operator};
use super::update_operators::UpdateOperator;
use crate::postgres::catalog::{Oid, TableId};

/// The key of a type; [`crate::schema::Schema::name`] returns its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeKey {
    /// An object type.
    Object(Object),
    /// An input object type.
    Input(InputObject),
    /// An enum.
    Enum(Enum),
    /// A built-in scalar of GraphQL.
    BuiltIn(BuiltIn),
    /// The scalar of a Postgres type.
    Scalar(Oid),
    /// A scalar that actions declare, by its index.
    ActionScalar(u32),
}

/// Object types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// `query_root`
    Query,
    /// `mutation_root`
    Mutation,
    /// `subscription_root`
    Subscription,
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
    /// An object type that actions declare, by its index.
    Action(u32),
    /// An introspection type.
    Meta(Meta),
}

/// Input object types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputObject {
    /// `t_bool_exp`
    BoolExp(TableId),
    /// `t_array_bool_exp`: `t_bool_exp` with `_some`, `_every` and `_none`, for relations to many
    /// rows.
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
    /// `jsonb_cast_exp`: conditions on the column cast to other types.
    Cast(Comparison, &'static Operator),
    /// `jsonb_path_exp`: conditions on a value inside JSON.
    Path(Comparison),
    /// `fts_exp`: a full-text search.
    Search(Comparison),
    /// `t_path_order_by`
    PathOrder(TableId),
    /// `t_fts_order_by`
    SearchOrder(TableId),
    /// The operand of an operator that takes an object.
    Operand(Comparison, &'static operators::Object),
    /// `t_stream_cursor_input`
    StreamCursor(TableId),
    /// `t_stream_cursor_value_input`
    StreamCursorValue(TableId),
    /// `t_insert_input`
    Insert(TableId),
    /// `t_insert_input` under the name given by the alias at this index of [`super::Model::roots`].
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
    /// `t_related_r_input`: the changes of the rows of the relation with this index.
    RelatedChange(TableId, u32),
    /// `t_related_where_input`
    RelatedWhere(TableId),
    /// `t_change_input`: the change of a related row.
    RowChange(TableId),
    /// An input object type that actions declare, by its index.
    Action(u32),
}

impl InputObject {
    /// Whether every value of this type is a value of the other, so that a variable of this type
    /// may be used where the other is expected. Clients of Hasura use `t_bool_exp` where a relation
    /// to many rows takes `t_array_bool_exp`. Insert rows are equal under every alias of their
    /// type.
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

/// The comparison input of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// The column's type.
    pub r#type: Oid,
    /// Whether the column's collation is deterministic, so that equality is that of bytes and
    /// patterns are offered.
    pub deterministic: bool,
    /// The spelling of the operators, that of the column's table.
    pub spelling: Spelling,
    /// The type modifier of the column's declaration.
    pub modifier: Option<i32>,
    /// The enum table that the column references, if it does.
    pub of: Option<TableId>,
}

/// Enum types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Enum {
    /// `order_by`, in the spelling of the sorted table.
    Direction(Spelling),
    /// `count_mode`
    CountMode(Spelling),
    /// `cursor_ordering`: the order of a stream.
    CursorOrdering(Spelling),
    /// `t_select_column`
    SelectColumn(TableId),
    /// `t_count_column`: the columns whose values may be counted, if not all may.
    CountColumn(TableId),
    /// `t_enum`: the rows of an enum table.
    Values(TableId),
    /// `t_path_column`: the JSON columns.
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
    /// `t_constraint`: the keys that `on_conflict` can name.
    Constraint(TableId),
    /// `t_update_column`: the columns that may be updated.
    UpdateColumn(TableId),
    /// An enum that actions declare, by its index.
    Action(u32),
    /// `__TypeKind`
    TypeKind,
    /// `__DirectiveLocation`
    DirectiveLocation,
}

/// A reference to a type: a named type, possibly a list, possibly non-null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeRef {
    /// The named type.
    pub named: TypeKey,
    /// Whether it is a list.
    pub list: bool,
    /// Whether it is non-null.
    pub required: bool,
    /// Whether the items of the list may be null.
    pub sparse: bool,
}

impl TypeRef {
    /// The nullable type.
    pub fn nullable(named: TypeKey) -> TypeRef {
        TypeRef {
            named,
            list: false,
            required: false,
            sparse: false,
        }
    }

    /// The non-null type.
    pub fn required(named: TypeKey) -> TypeRef {
        TypeRef {
            named,
            list: false,
            required: true,
            sparse: false,
        }
    }

    /// A nullable list of non-null items.
    pub fn list(named: TypeKey) -> TypeRef {
        TypeRef {
            named,
            list: true,
            required: false,
            sparse: false,
        }
    }

    /// A non-null list of non-null items.
    pub fn required_list(named: TypeKey) -> TypeRef {
        TypeRef {
            named,
            list: true,
            required: true,
            sparse: false,
        }
    }
}

named_enum! {
    /// The scalars that GraphQL defines.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum BuiltIn by name {
        /// `Int`
        Int = "Int",
        /// `Float`
        Float = "Float",
        /// `String`
        String = "String",
        /// `Boolean`
        Boolean = "Boolean",
        /// `ID`: only fields and arguments of actions have this type, but any variable may be
        /// declared with it.
        Id = "ID",
    }
}

named_enum! {
    /// The object types of introspection.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Meta by name {
        /// `__Schema`
        Schema = "__Schema",
        /// `__Type`
        Type = "__Type",
        /// `__Field`
        Field = "__Field",
        /// `__InputValue`
        InputValue = "__InputValue",
        /// `__EnumValue`
        EnumValue = "__EnumValue",
        /// `__Directive`
        Directive = "__Directive",
    }
}
