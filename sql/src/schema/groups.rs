//! The types and arguments of `t_group`: groups of rows, with their keys, `having` and order. The
//! aggregates of a group are those of [`super::aggregates`].

use super::inputs::{connective, direction};
use super::*;

impl<'a> Schema<'a> {
    /// Whether rows of the table may be grouped.
    pub(super) fn has_group(&self, table: TableId) -> bool {
        self.model.roots().any(|root| {
            root.table == table && root.kind == RootKind::Group && self.root_granted(root)
        })
    }

    /// The arguments `by`, `bucket`, `having` and so on. Under the camel convention `order_by` has
    /// a second spelling.
    pub(super) fn group_arguments(&self, table: TableId) -> Vec<Argument<'a>> {
        let camel = self.convention(table) == Convention::Camel;
        let spelling = self.spelling(table);
        let int = TypeRef::nullable(TypeKey::BuiltIn(BuiltIn::Int));
        let input = |input| TypeRef::nullable(TypeKey::Input(input));
        let order = TypeRef::list(TypeKey::Input(InputObject::GroupOrderBy(table)));
        let orders = !self.group_order(table).is_empty();
        let all = [
            (
                "bucket",
                input(InputObject::Buckets(table)),
                !self.buckets(table).is_empty(),
            ),
            (
                "by",
                TypeRef::list(TypeKey::Enum(Enum::SelectColumn(table))),
                self.has_rows(table),
            ),
            (
                "having",
                input(InputObject::GroupHaving(table)),
                !self.measures(table).is_empty(),
            ),
            ("limit", int, true),
            ("offset", int, true),
            ("order_by", order, orders),
            ("orderBy", order, orders && camel),
            ("where", input(InputObject::BoolExp(table)), true),
        ];
        let offered = all.into_iter().filter(|(_, _, offered)| *offered);
        offered
            .map(|(name, r#type, _)| Argument {
                name: spelling.field(name),
                r#type,
            })
            .collect()
    }

    /// The fields `key` and `aggregate`.
    pub(super) fn group_fields(&self, table: TableId) -> Vec<FieldDefinition<'a>> {
        let field = |name, object, meaning| FieldDefinition {
            name,
            r#type: TypeRef::required(TypeKey::Object(object)),
            arguments: Vec::new(),
            meaning,
        };
        let key = self
            .has_rows(table)
            .then(|| field("key", Object::GroupKey(table), Meaning::GroupKey));
        let aggregate = self.has_aggregate_fields(table);
        let aggregate = aggregate.then(|| {
            field(
                "aggregate",
                Object::AggregateFields(table),
                Meaning::AggregateFields,
            )
        });
        key.into_iter().chain(aggregate).collect()
    }

    /// The fields of a group's key: the columns, as in a row.
    pub(super) fn group_key_fields(&self, table: TableId) -> Vec<FieldDefinition<'a>> {
        let columns = self.columns(table).into_iter();
        let fields =
            columns.filter_map(|(column, _)| self.member(table, RowMember::Column(column)));
        fields
            .map(|field| FieldDefinition {
                arguments: Vec::new(),
                ..field
            })
            .collect()
    }

    /// The fields of `t_group_having`: conditions on aggregates, and the connectives.
    pub(super) fn having_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let having = InputObject::GroupHaving(table);
        let connectives = ["_and", "_not", "_or"]
            .into_iter()
            .filter_map(|name| connective(having, name));
        connectives.chain(self.measure_fields(table)).collect()
    }

    /// The fields of `t_group_order_by`: the key, the number of rows, and functions over columns.
    pub(super) fn group_order(&self, table: TableId) -> Vec<InputField<'a>> {
        let key = InputField {
            name: "key",
            r#type: TypeRef::nullable(TypeKey::Input(InputObject::GroupKeyOrderBy(table))),
            meaning: InputMeaning::GroupKey,
        };
        let key = (!self.group_key_order(table).is_empty()).then_some(key);
        key.into_iter().chain(self.aggregate_order(table)).collect()
    }

    pub(super) fn group_key_order(&self, table: TableId) -> Vec<InputField<'a>> {
        let mut columns = self.columns(table);
        columns.retain(|(column, _)| self.column_scalar(table, *column).family != Family::Opaque);
        let spelling = self.spelling(table);
        columns
            .into_iter()
            .map(|(column, name)| direction(spelling, name, InputMeaning::Column(column)))
            .collect()
    }

    /// The fields of `t_bucket`: the columns that contain dates or timestamps.
    pub(super) fn buckets(&self, table: TableId) -> Vec<InputField<'a>> {
        let mut columns = self.columns(table);
        columns.retain(|(column, _)| self.is_moment(table, *column));
        let bucket = TypeRef::nullable(TypeKey::Enum(Enum::Bucket(self.spelling(table))));
        let field = |(column, name)| InputField {
            name,
            r#type: bucket,
            meaning: InputMeaning::Column(column),
        };
        columns.into_iter().map(field).collect()
    }

    fn is_moment(&self, table: TableId, column: ColumnId) -> bool {
        matches!(
            self.column_scalar(table, column).sql.as_str(),
            "date" | "timestamp" | "timestamptz"
        )
    }

    /// The bucket enum with that name, if a table that may be grouped spells it so.
    pub(super) fn bucket_type(&self, name: &str) -> Option<TypeKey> {
        let spelling = Spelling::ALL
            .into_iter()
            .find(|spelling| spelling.type_name("date_bucket") == name)?;
        let offered = |table| self.has_group(table) && !self.buckets(table).is_empty();
        let mut tables = self.readable().map(|(exposed, _)| exposed);
        let found = tables.any(|exposed| exposed.spelling() == spelling && offered(exposed.table));
        found.then_some(TypeKey::Enum(Enum::Bucket(spelling)))
    }
}
