//! The GraphQL schema of a role, answered name by name from catalog and access: nothing is built ahead.
//!
//! [`crate::resolve`] asks it what a name means; [`crate::introspection`] walks it to show it. So what is shown and
//! what is accepted are one thing. A name that the role may not use is simply not there.

use crate::access::{Access, Select};
use crate::catalog::{Catalog, ColumnId, Oid, TableId};
use crate::model::{Exposed, Member, Model, Relation, RelationKind, Root};
use crate::names::{Convention, RootKind};
use crate::operators::{OPERATORS, Operator};
use crate::types::{Family, Scalar, graphql_name};

mod meta;

pub use meta::Meta;

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
    /// A row of a table: `DataSubject`.
    Row(TableId),
    /// `t_aggregate`
    Aggregate(TableId),
    /// `t_aggregate_fields`
    AggregateFields(TableId),
    /// `t_sum_fields` and so on.
    FunctionFields(TableId, Function),
    /// A type of introspection.
    Meta(Meta),
}

/// Input object types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputObject {
    /// `t_bool_exp`
    BoolExp(TableId),
    /// `t_order_by`
    OrderBy(TableId),
    /// `t_aggregate_order_by`
    AggregateOrderBy(TableId),
    /// `t_sum_order_by` and so on.
    FunctionOrderBy(TableId, Function),
    /// `uuid_comparison_exp`; patterns only where `patterns` says so.
    Comparison(Comparison),
}

/// What a column can be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// The column's type.
    pub r#type: Oid,
    /// Whether equal means the same bytes under the column's collation, so that patterns are offered.
    pub deterministic: bool,
}

/// Enums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Enum {
    /// `order_by`
    Direction,
    /// `t_select_column`
    SelectColumn(TableId),
    /// `__TypeKind`
    TypeKind,
    /// `__DirectiveLocation`
    DirectiveLocation,
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

/// Aggregate functions over a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Function {
    /// `avg`
    Avg,
    /// `max`
    Max,
    /// `min`
    Min,
    /// `stddev`
    Stddev,
    /// `stddev_pop`
    StddevPop,
    /// `stddev_samp`
    StddevSamp,
    /// `sum`
    Sum,
    /// `var_pop`
    VarPop,
    /// `var_samp`
    VarSamp,
    /// `variance`
    Variance,
}

/// The six orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `asc`: nulls last.
    Asc,
    /// `asc_nulls_first`
    AscNullsFirst,
    /// `asc_nulls_last`
    AscNullsLast,
    /// `desc`: nulls first.
    Desc,
    /// `desc_nulls_first`
    DescNullsFirst,
    /// `desc_nulls_last`
    DescNullsLast,
}

/// A type in its place: named, perhaps a list, perhaps without nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeRef {
    /// The named type.
    pub named: Named,
    /// Whether it is a list; its items are then never null.
    pub list: bool,
    /// Whether null is excluded.
    pub required: bool,
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
    /// `aggregate` of an aggregate.
    AggregateFields,
    /// `nodes` of an aggregate.
    Nodes,
    /// `count`
    Count,
    /// An aggregate function's columns.
    Function(Function),
    /// This text.
    Constant(&'static str),
    /// Something of introspection.
    Introspection,
}

impl Function {
    /// Every function, with its name, in the order of the schema.
    pub const ALL: [(Function, &'static str); 10] = [
        (Function::Avg, "avg"),
        (Function::Max, "max"),
        (Function::Min, "min"),
        (Function::Stddev, "stddev"),
        (Function::StddevPop, "stddev_pop"),
        (Function::StddevSamp, "stddev_samp"),
        (Function::Sum, "sum"),
        (Function::VarPop, "var_pop"),
        (Function::VarSamp, "var_samp"),
        (Function::Variance, "variance"),
    ];

    /// Its name in GraphQL and in Postgres.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(function, _)| *function == self).map_or("", |(_, name)| name)
    }

    /// Whether it finds one of the values, rather than computing a new one.
    pub fn is_extreme(self) -> bool {
        matches!(self, Function::Min | Function::Max)
    }

    fn takes(self, scalar: &Scalar) -> bool {
        if self.is_extreme() { scalar.extreme.is_some() } else { scalar.numeric }
    }
}

impl Direction {
    /// Every order, with its name.
    pub const ALL: [(Direction, &'static str); 6] = [
        (Direction::Asc, "asc"),
        (Direction::AscNullsFirst, "asc_nulls_first"),
        (Direction::AscNullsLast, "asc_nulls_last"),
        (Direction::Desc, "desc"),
        (Direction::DescNullsFirst, "desc_nulls_first"),
        (Direction::DescNullsLast, "desc_nulls_last"),
    ];

    /// The order of that name.
    pub fn find(name: &str) -> Option<Direction> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(direction, _)| *direction)
    }
}

impl BuiltIn {
    /// Every one, with its name.
    pub const ALL: [(BuiltIn, &'static str); 5] = [
        (BuiltIn::Int, "Int"),
        (BuiltIn::Float, "Float"),
        (BuiltIn::String, "String"),
        (BuiltIn::Boolean, "Boolean"),
        (BuiltIn::Id, "ID"),
    ];
}

impl TypeRef {
    /// The type, null included.
    pub fn nullable(named: Named) -> TypeRef {
        TypeRef { named, list: false, required: false }
    }

    /// The type without null.
    pub fn required(named: Named) -> TypeRef {
        TypeRef { named, list: false, required: true }
    }

    /// A list, null included.
    pub fn list(named: Named) -> TypeRef {
        TypeRef { named, list: true, required: false }
    }

    /// A list that is never null.
    pub fn required_list(named: Named) -> TypeRef {
        TypeRef { named, list: true, required: true }
    }
}

/// The endings of helper types' names and what they stand for, longest first where one ends another.
const HELPERS: [(&str, fn(TableId) -> Named); 6] = [
    ("_aggregate_fields", |t| Named::Object(Object::AggregateFields(t))),
    ("_aggregate_order_by", |t| Named::Input(InputObject::AggregateOrderBy(t))),
    ("_aggregate", |t| Named::Object(Object::Aggregate(t))),
    ("_bool_exp", |t| Named::Input(InputObject::BoolExp(t))),
    ("_order_by", |t| Named::Input(InputObject::OrderBy(t))),
    ("_select_column", |t| Named::Enum(Enum::SelectColumn(t))),
];

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

    /// The scalar of a column.
    pub fn column_scalar(&self, table: TableId, column: ColumnId) -> Scalar {
        self.scalar(self.model.table(table).column(column).r#type)
    }

    /// The tables whose rows the role may read, with their names.
    pub fn readable(&self) -> impl Iterator<Item = (&'a Exposed, &'a Select)> {
        let access = self.access;
        self.model.tables().filter_map(move |exposed| Some((exposed, access.select(exposed.table)?)))
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
        !self.columns(table).is_empty()
    }

    fn convention(&self, table: TableId) -> Convention {
        self.model.exposed(table).map_or(Convention::Snake, |exposed| exposed.convention)
    }

    /// Whether a root field is there for the role.
    fn root_granted(&self, root: &Root) -> bool {
        let Some((_, select)) = self.open(root.table) else { return false };
        match root.kind {
            RootKind::List => self.has_rows(root.table),
            RootKind::One => self.has_rows(root.table) && self.key_columns(root.table).is_some(),
            RootKind::Aggregate => select.aggregates,
            _ => false,
        }
    }

    /// The primary key's columns with their names, when the role may read all of them.
    pub fn key_columns(&self, table: TableId) -> Option<Vec<(ColumnId, &'a str)>> {
        let (exposed, select) = self.open(table)?;
        let entry = self.model.table(table);
        let columns = entry.primary_key()?.columns.iter().map(|name| {
            let column = entry.find(name).filter(|column| select.columns.contains(*column))?;
            Some((column, exposed.column_name(column)?))
        });
        columns.collect()
    }

    // ---- fields of objects

    /// The field of that name, unless it is hidden or not there.
    pub fn field(&self, object: Object, name: &str) -> Option<FieldDefinition<'a>> {
        match object {
            Object::Query => match self.model.root(name).filter(|root| self.root_granted(root)) {
                Some(root) => Some(self.root(root)),
                None if name == NO_QUERIES => self.no_queries(),
                None => meta::root(name),
            },
            Object::Row(table) => self.member(table, self.model.exposed(table)?.member(name)?),
            Object::Aggregate(_) | Object::AggregateFields(_) | Object::FunctionFields(..) | Object::Meta(_) => {
                self.fields(object).into_iter().find(|field| field.name == name)
            }
        }
    }

    /// All fields of an object type, in the order in which they are shown.
    pub fn fields(&self, object: Object) -> Vec<FieldDefinition<'a>> {
        match object {
            Object::Query => {
                let granted = self.model.roots().filter(|root| self.root_granted(root));
                granted.map(|root| self.root(root)).chain(self.no_queries()).collect()
            }
            Object::Meta(meta) => meta.fields(),
            Object::Row(table) => self.members(table),
            Object::Aggregate(table) => self.aggregate(table),
            Object::AggregateFields(table) => self.aggregate_fields(table),
            Object::FunctionFields(table, function) => self.function_fields(table, function),
        }
    }

    /// What stands in `query_root` of a role that may read nothing.
    fn no_queries(&self) -> Option<FieldDefinition<'a>> {
        let nothing = !self.model.roots().any(|root| self.root_granted(root));
        nothing.then(|| FieldDefinition {
            name: NO_QUERIES,
            r#type: TypeRef::required(Named::BuiltIn(BuiltIn::String)),
            arguments: Vec::new(),
            meaning: Meaning::Constant("there are no queries available to this role"),
        })
    }

    fn root(&self, root: &'a Root) -> FieldDefinition<'a> {
        let row = Named::Object(Object::Row(root.table));
        let (r#type, arguments) = match root.kind {
            RootKind::One => (TypeRef::nullable(row), self.key_arguments(root.table)),
            RootKind::Aggregate => {
                let aggregate = Named::Object(Object::Aggregate(root.table));
                (TypeRef::required(aggregate), self.row_arguments(root.table))
            }
            _ => (TypeRef::required_list(row), self.row_arguments(root.table)),
        };
        FieldDefinition { name: &root.name, r#type, arguments, meaning: Meaning::Root(root) }
    }

    fn key_arguments(&self, table: TableId) -> Vec<Argument<'a>> {
        let columns = self.key_columns(table).unwrap_or_default().into_iter();
        let argument = |(column, name)| {
            let r#type = Named::Scalar(self.model.table(table).column(column).r#type);
            Argument { name, r#type: TypeRef::required(r#type) }
        };
        columns.map(argument).collect()
    }

    /// `where`, `order_by` and so on; in camel case the compound ones have a second spelling.
    fn row_arguments(&self, table: TableId) -> Vec<Argument<'a>> {
        let camel = self.convention(table) == Convention::Camel;
        let columns = TypeRef::list(Named::Enum(Enum::SelectColumn(table)));
        let order = TypeRef::list(Named::Input(InputObject::OrderBy(table)));
        let int = TypeRef::nullable(Named::BuiltIn(BuiltIn::Int));
        let condition = TypeRef::nullable(Named::Input(InputObject::BoolExp(table)));
        let with_rows = self.has_rows(table);
        let all = [
            ("distinct_on", columns, with_rows),
            ("distinctOn", columns, with_rows && camel),
            ("limit", int, true),
            ("offset", int, true),
            ("order_by", order, self.has_order(table)),
            ("orderBy", order, self.has_order(table) && camel),
            ("where", condition, true),
        ];
        let offered = all.into_iter().filter(|(_, _, offered)| *offered);
        offered.map(|(name, r#type, _)| Argument { name, r#type }).collect()
    }

    fn members(&self, table: TableId) -> Vec<FieldDefinition<'a>> {
        let Some(exposed) = self.model.exposed(table) else { return Vec::new() };
        let columns = self.columns(table).into_iter().map(|(column, _)| Member::Column(column));
        let relations = exposed.relations.iter().flat_map(|relation| {
            let aggregate = relation.aggregate.is_some().then_some(Member::Aggregate(relation));
            std::iter::once(Member::Relation(relation)).chain(aggregate)
        });
        columns.chain(relations).filter_map(|member| self.member(table, member)).collect()
    }

    fn member(&self, table: TableId, member: Member<'a>) -> Option<FieldDefinition<'a>> {
        let (exposed, select) = self.open(table)?;
        match member {
            Member::Column(column) => {
                let entry = self.model.table(table).column(column);
                let name = exposed.column_name(column).filter(|_| select.columns.contains(column))?;
                let named = Named::Scalar(entry.r#type);
                let r#type = TypeRef { named, list: false, required: !entry.nullable };
                Some(FieldDefinition { name, r#type, arguments: Vec::new(), meaning: Meaning::Column(column) })
            }
            Member::Relation(relation) => self.has_rows(relation.to).then(|| self.relation(relation)),
            Member::Aggregate(relation) => {
                let name = relation.aggregate.as_deref()?;
                self.open(relation.to).filter(|(_, select)| select.aggregates)?;
                let r#type = TypeRef::required(Named::Object(Object::Aggregate(relation.to)));
                let arguments = self.row_arguments(relation.to);
                Some(FieldDefinition { name, r#type, arguments, meaning: Meaning::Aggregate(relation) })
            }
        }
    }

    fn relation(&self, relation: &'a Relation) -> FieldDefinition<'a> {
        let named = Named::Object(Object::Row(relation.to));
        let name = relation.name.as_str();
        match relation.kind {
            RelationKind::Object { always, .. } => {
                let seen = self.access.select(relation.to).is_some_and(|select| select.rows.is_everything());
                let r#type = TypeRef { named, list: false, required: always && seen };
                FieldDefinition { name, r#type, arguments: Vec::new(), meaning: Meaning::Object(relation) }
            }
            RelationKind::Array => {
                let arguments = self.row_arguments(relation.to);
                let r#type = TypeRef::required_list(named);
                FieldDefinition { name, r#type, arguments, meaning: Meaning::Array(relation) }
            }
        }
    }

    fn aggregate(&self, table: TableId) -> Vec<FieldDefinition<'a>> {
        let plain = |name, r#type, meaning| FieldDefinition { name, r#type, arguments: Vec::new(), meaning };
        let aggregate = TypeRef::nullable(Named::Object(Object::AggregateFields(table)));
        let nodes = TypeRef::required_list(Named::Object(Object::Row(table)));
        let mut fields = vec![plain("aggregate", aggregate, Meaning::AggregateFields)];
        if self.has_rows(table) {
            fields.push(plain("nodes", nodes, Meaning::Nodes));
        }
        fields
    }

    fn aggregate_fields(&self, table: TableId) -> Vec<FieldDefinition<'a>> {
        let mut arguments = Vec::new();
        if self.has_rows(table) {
            let columns = TypeRef::list(Named::Enum(Enum::SelectColumn(table)));
            arguments.push(Argument { name: "columns", r#type: columns });
            arguments.push(Argument { name: "distinct", r#type: TypeRef::nullable(Named::BuiltIn(BuiltIn::Boolean)) });
        }
        let int = TypeRef::required(Named::BuiltIn(BuiltIn::Int));
        let count = FieldDefinition { name: "count", r#type: int, arguments, meaning: Meaning::Count };
        let functions = self.functions(table).into_iter().map(|(function, name)| FieldDefinition {
            name,
            r#type: TypeRef::nullable(Named::Object(Object::FunctionFields(table, function))),
            arguments: Vec::new(),
            meaning: Meaning::Function(function),
        });
        std::iter::once(count).chain(functions).collect()
    }

    /// The functions that apply to some column of the table.
    fn functions(&self, table: TableId) -> Vec<(Function, &'static str)> {
        let all = Function::ALL.into_iter();
        all.filter(|(function, _)| !self.function_columns(table, *function).is_empty()).collect()
    }

    fn function_columns(&self, table: TableId, function: Function) -> Vec<(ColumnId, &'a str)> {
        let columns = self.columns(table).into_iter();
        columns.filter(|(column, _)| function.takes(&self.column_scalar(table, *column))).collect()
    }

    fn function_fields(&self, table: TableId, function: Function) -> Vec<FieldDefinition<'a>> {
        let columns = self.function_columns(table, function).into_iter();
        let field = |(column, name)| {
            let own = Named::Scalar(self.model.table(table).column(column).r#type);
            let named = match function {
                Function::Min | Function::Max | Function::Sum => own,
                _ => Named::BuiltIn(BuiltIn::Float),
            };
            let r#type = TypeRef::nullable(named);
            FieldDefinition { name, r#type, arguments: Vec::new(), meaning: Meaning::Column(column) }
        };
        columns.map(field).collect()
    }

    // ---- fields of input objects

    /// The type of an input object's field, unless it is hidden or not there.
    pub fn input_field(&self, input: InputObject, name: &str) -> Option<InputField<'a>> {
        match input {
            InputObject::BoolExp(table) => match connective(table, name) {
                Some(field) => Some(field),
                None => self.condition(table, self.model.exposed(table)?.member(name)?),
            },
            InputObject::OrderBy(table) => self.order(table, self.model.exposed(table)?.member(name)?),
            InputObject::Comparison(comparison) => {
                let family = self.scalar(comparison.r#type).family;
                let operator = Operator::find(name, family, comparison.deterministic)?;
                Some(operand(comparison, operator))
            }
            _ => self.input_fields(input).into_iter().find(|field| field.name == name),
        }
    }

    /// All fields of an input object type, in the order in which they are shown.
    pub fn input_fields(&self, input: InputObject) -> Vec<InputField<'a>> {
        match input {
            InputObject::BoolExp(table) => {
                let connectives = ["_and", "_not", "_or"].into_iter().filter_map(|name| connective(table, name));
                let members = self.members_for_input(table);
                connectives.chain(members.filter_map(|member| self.condition(table, member))).collect()
            }
            InputObject::OrderBy(table) => {
                self.members_for_input(table).filter_map(|member| self.order(table, member)).collect()
            }
            InputObject::AggregateOrderBy(table) => self.aggregate_order(table),
            InputObject::FunctionOrderBy(table, function) => {
                let columns = self.function_columns(table, function).into_iter();
                columns.map(|(column, name)| direction(name, InputMeaning::Column(column))).collect()
            }
            InputObject::Comparison(comparison) => {
                let family = self.scalar(comparison.r#type).family;
                let offered = OPERATORS.iter().filter(|o| o.is_offered(family, comparison.deterministic));
                offered.map(|operator| operand(comparison, operator)).collect()
            }
        }
    }

    fn members_for_input(&self, table: TableId) -> impl Iterator<Item = Member<'a>> {
        let relations = self.model.exposed(table).map(|exposed| exposed.relations.iter()).into_iter().flatten();
        let relations = relations.flat_map(|relation| {
            let aggregate = relation.aggregate.is_some().then_some(Member::Aggregate(relation));
            std::iter::once(Member::Relation(relation)).chain(aggregate)
        });
        self.columns(table).into_iter().map(|(column, _)| Member::Column(column)).chain(relations)
    }

    fn condition(&self, table: TableId, member: Member<'a>) -> Option<InputField<'a>> {
        let (exposed, select) = self.open(table)?;
        match member {
            Member::Column(column) => {
                let entry = self.model.table(table).column(column);
                let name = exposed.column_name(column).filter(|_| select.columns.contains(column))?;
                let comparison = Comparison { r#type: entry.r#type, deterministic: entry.deterministic };
                let named = Named::Input(InputObject::Comparison(comparison));
                Some(InputField { name, r#type: TypeRef::nullable(named), meaning: InputMeaning::Column(column) })
            }
            Member::Relation(relation) => {
                self.open(relation.to)?;
                let named = Named::Input(InputObject::BoolExp(relation.to));
                let meaning = InputMeaning::Relation(relation);
                Some(InputField { name: &relation.name, r#type: TypeRef::nullable(named), meaning })
            }
            Member::Aggregate(_) => None,
        }
    }

    fn order(&self, table: TableId, member: Member<'a>) -> Option<InputField<'a>> {
        let (exposed, select) = self.open(table)?;
        match member {
            Member::Column(column) => {
                let name = exposed.column_name(column).filter(|_| select.columns.contains(column))?;
                let sortable = self.column_scalar(table, column).family != Family::Opaque;
                sortable.then(|| direction(name, InputMeaning::Column(column)))
            }
            Member::Relation(relation) if relation.kind != RelationKind::Array => {
                self.has_order(relation.to).then(|| {
                    let named = Named::Input(InputObject::OrderBy(relation.to));
                    let meaning = InputMeaning::Relation(relation);
                    InputField { name: &relation.name, r#type: TypeRef::nullable(named), meaning }
                })
            }
            Member::Relation(_) => None,
            Member::Aggregate(relation) => {
                self.open(relation.to)?;
                let named = Named::Input(InputObject::AggregateOrderBy(relation.to));
                let meaning = InputMeaning::Aggregate(relation);
                Some(InputField { name: relation.aggregate.as_deref()?, r#type: TypeRef::nullable(named), meaning })
            }
        }
    }

    /// Whether there is anything to order rows of the table by. Looks no further than its own columns and the
    /// counts of its relations, so that it ends where relations go round.
    fn has_order(&self, table: TableId) -> bool {
        let sortable = |(column, _)| self.column_scalar(table, column).family != Family::Opaque;
        self.columns(table).into_iter().any(sortable)
    }

    fn aggregate_order(&self, table: TableId) -> Vec<InputField<'a>> {
        let functions = self.functions(table).into_iter().map(|(function, name)| InputField {
            name,
            r#type: TypeRef::nullable(Named::Input(InputObject::FunctionOrderBy(table, function))),
            meaning: InputMeaning::Function(function),
        });
        std::iter::once(direction("count", InputMeaning::Count)).chain(functions).collect()
    }

    /// The values of an enum.
    pub fn values(&self, named: Enum) -> Vec<&'a str> {
        match named {
            Enum::Direction => Direction::ALL.iter().map(|(_, name)| *name).collect(),
            Enum::SelectColumn(table) => self.columns(table).into_iter().map(|(_, name)| name).collect(),
            Enum::TypeKind => meta::TYPE_KINDS.to_vec(),
            Enum::DirectiveLocation => meta::DIRECTIVE_LOCATIONS.to_vec(),
        }
    }

    /// The column that a value of `t_select_column` means.
    pub fn select_column(&self, table: TableId, name: &str) -> Option<ColumnId> {
        self.column(table, name)
    }

    // ---- names of types

    /// The name of a type.
    pub fn name(&self, named: Named) -> String {
        let helper = |table, suffix: &str| self.model.exposed(table).map(|e| e.helper(suffix)).unwrap_or_default();
        match named {
            Named::Object(Object::Query) => "query_root".into(),
            Named::Object(Object::Row(table)) => {
                self.model.exposed(table).map(|exposed| exposed.type_name.clone()).unwrap_or_default()
            }
            Named::Object(Object::Aggregate(table)) => helper(table, "aggregate"),
            Named::Object(Object::AggregateFields(table)) => helper(table, "aggregate_fields"),
            Named::Object(Object::FunctionFields(table, f)) => helper(table, &format!("{}_fields", f.name())),
            Named::Input(InputObject::BoolExp(table)) => helper(table, "bool_exp"),
            Named::Input(InputObject::OrderBy(table)) => helper(table, "order_by"),
            Named::Input(InputObject::AggregateOrderBy(table)) => helper(table, "aggregate_order_by"),
            Named::Input(InputObject::FunctionOrderBy(table, f)) => helper(table, &format!("{}_order_by", f.name())),
            Named::Input(InputObject::Comparison(comparison)) => self.comparison_name(comparison),
            Named::Enum(Enum::Direction) => "order_by".into(),
            Named::Enum(Enum::SelectColumn(table)) => helper(table, "select_column"),
            Named::Object(Object::Meta(meta)) => meta.name().into(),
            Named::Enum(Enum::TypeKind) => "__TypeKind".into(),
            Named::Enum(Enum::DirectiveLocation) => "__DirectiveLocation".into(),
            Named::BuiltIn(built_in) => {
                BuiltIn::ALL.iter().find(|(b, _)| *b == built_in).map_or("", |(_, name)| name).into()
            }
            Named::Scalar(oid) => self.scalar(oid).name,
        }
    }

    /// `String_comparison_exp`; without patterns, where the collation forbids them, `String_plain_comparison_exp`.
    fn comparison_name(&self, comparison: Comparison) -> String {
        let scalar = self.scalar(comparison.r#type);
        let plain = if scalar.family == Family::Text && !comparison.deterministic { "_plain" } else { "" };
        format!("{}{plain}_comparison_exp", scalar.name)
    }

    /// A type as GraphQL writes it: `[users!]!`.
    pub fn written(&self, r#type: TypeRef) -> String {
        let name = self.name(r#type.named);
        let inner = if r#type.list { format!("[{name}!]") } else { name };
        if r#type.required { inner + "!" } else { inner }
    }

    /// The type of that name, unless the role cannot reach it.
    pub fn named(&self, name: &str) -> Option<Named> {
        match name {
            "query_root" => return Some(Named::Object(Object::Query)),
            "order_by" => return Some(Named::Enum(Enum::Direction)),
            _ => {}
        }
        if let Some((built_in, _)) = BuiltIn::ALL.iter().find(|(_, n)| *n == name) {
            return Some(Named::BuiltIn(*built_in));
        }
        if name.starts_with("__") {
            return meta::named(name);
        }
        self.row_type(name).or_else(|| self.helper(name)).or_else(|| self.column_type(name))
    }

    fn row_type(&self, name: &str) -> Option<Named> {
        let mut readable = self.readable();
        let (exposed, _) = readable.find(|(exposed, _)| exposed.type_name == name && self.has_rows(exposed.table))?;
        Some(Named::Object(Object::Row(exposed.table)))
    }

    fn helper(&self, name: &str) -> Option<Named> {
        let table = |base: &str| self.readable().find(|(exposed, _)| exposed.name == base).map(|(e, _)| e.table);
        let plain = HELPERS.iter().filter_map(|(suffix, make)| Some(make(table(name.strip_suffix(suffix)?)?)));
        let functions = Function::ALL.iter().flat_map(|(function, f)| {
            let make = |suffix: &str| table(name.strip_suffix(suffix)?.strip_suffix(f)?.strip_suffix('_')?);
            let fields = make("_fields").map(|t| Named::Object(Object::FunctionFields(t, *function)));
            let order = make("_order_by").map(|t| Named::Input(InputObject::FunctionOrderBy(t, *function)));
            [fields, order].into_iter().flatten()
        });
        plain.chain(functions).find(|named| self.is_reachable(*named))
    }

    fn is_reachable(&self, named: Named) -> bool {
        let select = |table| self.access.select(table);
        match named {
            Named::Object(Object::Aggregate(table) | Object::AggregateFields(table)) => {
                select(table).is_some_and(|select| select.aggregates)
            }
            Named::Object(Object::FunctionFields(table, function)) => {
                select(table).is_some_and(|select| select.aggregates)
                    && !self.function_columns(table, function).is_empty()
            }
            Named::Input(InputObject::FunctionOrderBy(table, function)) => {
                !self.function_columns(table, function).is_empty()
            }
            Named::Enum(Enum::SelectColumn(table)) => self.has_rows(table),
            Named::Input(InputObject::OrderBy(table)) => self.has_order(table),
            _ => true,
        }
    }

    /// The scalar, or the comparison type, of some column that the role may read. Ends at the first that fits.
    fn column_type(&self, name: &str) -> Option<Named> {
        let mut entries = self.readable().flat_map(|(exposed, select)| {
            let table = self.model.table(exposed.table);
            select.columns.iter().map(|column| table.column(column))
        });
        let named = |oid| self.catalog.type_of(oid).map(graphql_name);
        let Some(compared) = name.strip_suffix("_comparison_exp") else {
            return entries.find(|entry| named(entry.r#type).as_deref() == Some(name)).map(|e| Named::Scalar(e.r#type));
        };
        let scalar = compared.strip_suffix("_plain").unwrap_or(compared);
        entries.filter(|entry| named(entry.r#type).is_some_and(|found| found == scalar || found == compared)).find_map(
            |entry| {
                let comparison = Comparison { r#type: entry.r#type, deterministic: entry.deterministic };
                (self.comparison_name(comparison) == name).then_some(Named::Input(InputObject::Comparison(comparison)))
            },
        )
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
}

fn connective<'a>(table: TableId, name: &str) -> Option<InputField<'a>> {
    let condition = Named::Input(InputObject::BoolExp(table));
    let (name, r#type, meaning) = match name {
        "_and" => ("_and", TypeRef::list(condition), InputMeaning::And),
        "_or" => ("_or", TypeRef::list(condition), InputMeaning::Or),
        "_not" => ("_not", TypeRef::nullable(condition), InputMeaning::Not),
        _ => return None,
    };
    Some(InputField { name, r#type, meaning })
}

fn operand<'a>(comparison: Comparison, operator: &'static Operator) -> InputField<'a> {
    let scalar = Named::Scalar(comparison.r#type);
    let r#type = match operator.form {
        crate::operators::Form::IsNull => TypeRef::nullable(Named::BuiltIn(BuiltIn::Boolean)),
        _ if operator.takes_list() => TypeRef::list(scalar),
        _ => TypeRef::nullable(scalar),
    };
    InputField { name: operator.name, r#type, meaning: InputMeaning::Operator(operator) }
}

fn direction<'a>(name: &'a str, meaning: InputMeaning<'a>) -> InputField<'a> {
    InputField { name, r#type: TypeRef::nullable(Named::Enum(Enum::Direction)), meaning }
}
