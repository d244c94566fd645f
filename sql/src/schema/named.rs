//! The names of types, in both directions: the name of a type key, and the type key of a name.
//! Names of types that only mutations use are in [`super::written`].

use super::*;
use crate::model::DefaultExposure;

/// Makes the key of a helper type for a table.
type Helper = fn(TableId) -> TypeKey;

/// The suffixes of helper types' names.
const HELPERS: [(&str, Helper); 23] = [
    ("_aggregate_fields", |t| {
        TypeKey::Object(Object::AggregateFields(t))
    }),
    ("_aggregate_bool_exp", |t| {
        TypeKey::Input(InputObject::AggregateBoolExp(t))
    }),
    ("_group", |t| TypeKey::Object(Object::Group(t))),
    ("_group_key", |t| TypeKey::Object(Object::GroupKey(t))),
    ("_group_having", |t| {
        TypeKey::Input(InputObject::GroupHaving(t))
    }),
    ("_group_order_by", |t| {
        TypeKey::Input(InputObject::GroupOrderBy(t))
    }),
    ("_group_key_order_by", |t| {
        TypeKey::Input(InputObject::GroupKeyOrderBy(t))
    }),
    ("_bucket", |t| TypeKey::Input(InputObject::Buckets(t))),
    ("_aggregate_order_by", |t| {
        TypeKey::Input(InputObject::AggregateOrderBy(t))
    }),
    ("_aggregate", |t| TypeKey::Object(Object::Aggregate(t))),
    ("_connection", |t| TypeKey::Object(Object::Connection(t))),
    ("_edge", |t| TypeKey::Object(Object::Edge(t))),
    ("_array_bool_exp", |t| {
        TypeKey::Input(InputObject::ArrayBoolExp(t))
    }),
    ("_bool_exp", |t| TypeKey::Input(InputObject::BoolExp(t))),
    ("_order_by", |t| TypeKey::Input(InputObject::OrderBy(t))),
    ("_count_column", |t| TypeKey::Enum(Enum::CountColumn(t))),
    ("_path_order_by", |t| {
        TypeKey::Input(InputObject::PathOrder(t))
    }),
    ("_fts_order_by", |t| {
        TypeKey::Input(InputObject::SearchOrder(t))
    }),
    ("_path_column", |t| TypeKey::Enum(Enum::JsonColumn(t))),
    ("_fts_column", |t| TypeKey::Enum(Enum::SearchColumn(t))),
    ("_select_column", |t| TypeKey::Enum(Enum::SelectColumn(t))),
    ("_stream_cursor_input", |t| {
        TypeKey::Input(InputObject::StreamCursor(t))
    }),
    ("_stream_cursor_value_input", |t| {
        TypeKey::Input(InputObject::StreamCursorValue(t))
    }),
];

impl<'a> Schema<'a> {
    /// The name of a type.
    pub fn name(&self, named: TypeKey) -> String {
        let helper = |table, suffix: &str| {
            self.model
                .exposed(table)
                .map(|e| e.helper(suffix))
                .unwrap_or_default()
        };
        match named {
            TypeKey::Object(Object::Query) => "query_root".into(),
            TypeKey::Object(Object::Mutation) => "mutation_root".into(),
            TypeKey::Object(Object::Subscription) => "subscription_root".into(),
            TypeKey::Object(Object::Response(table)) => helper(table, "mutation_response"),
            TypeKey::Enum(Enum::Constraint(table)) => helper(table, "constraint"),
            TypeKey::Enum(Enum::UpdateColumn(table)) => helper(table, "update_column"),
            TypeKey::Object(Object::Row(table)) => self
                .model
                .exposed(table)
                .map(|exposed| exposed.type_name.clone())
                .unwrap_or_default(),
            TypeKey::Object(Object::Aggregate(table)) => helper(table, "aggregate"),
            TypeKey::Object(Object::Connection(table)) => helper(table, "connection"),
            TypeKey::Object(Object::Edge(table)) => helper(table, "edge"),
            TypeKey::Object(Object::PageInfo) => "PageInfo".into(),
            TypeKey::Object(Object::AggregateFields(table)) => helper(table, "aggregate_fields"),
            TypeKey::Object(Object::FunctionFields(table, f)) => {
                helper(table, &format!("{}_fields", f.name()))
            }
            TypeKey::Input(InputObject::BoolExp(table)) => helper(table, "bool_exp"),
            TypeKey::Input(InputObject::ArrayBoolExp(table)) => helper(table, "array_bool_exp"),
            TypeKey::Input(InputObject::OrderBy(table)) => helper(table, "order_by"),
            TypeKey::Input(InputObject::AggregateOrderBy(table)) => {
                helper(table, "aggregate_order_by")
            }
            TypeKey::Input(InputObject::FunctionOrderBy(table, f)) => {
                helper(table, &format!("{}_order_by", f.name()))
            }
            TypeKey::Object(Object::Group(table)) => helper(table, "group"),
            TypeKey::Object(Object::GroupKey(table)) => helper(table, "group_key"),
            TypeKey::Input(InputObject::GroupHaving(table)) => helper(table, "group_having"),
            TypeKey::Input(InputObject::GroupOrderBy(table)) => helper(table, "group_order_by"),
            TypeKey::Input(InputObject::GroupKeyOrderBy(table)) => {
                helper(table, "group_key_order_by")
            }
            TypeKey::Input(InputObject::Buckets(table)) => helper(table, "bucket"),
            TypeKey::Enum(Enum::Bucket(spelling)) => spelling.type_name("date_bucket"),
            TypeKey::Input(InputObject::AggregateBoolExp(table)) => {
                helper(table, "aggregate_bool_exp")
            }
            TypeKey::Input(InputObject::Measured(table, measure)) => {
                helper(table, &format!("aggregate_bool_exp_{}", measure.name()))
            }
            TypeKey::Input(InputObject::MeasuredPair(table, function)) => helper(
                table,
                &format!("aggregate_bool_exp_{}_arguments", function.name()),
            ),
            TypeKey::Enum(Enum::MeasureColumn(table, measure)) => {
                self.measure_column_name(table, measure)
            }
            TypeKey::Input(InputObject::Comparison(comparison)) => self.comparison_name(comparison),
            TypeKey::Enum(Enum::CountMode(spelling)) => spelling.type_name("count_mode"),
            TypeKey::Input(InputObject::Cast(comparison, _)) => {
                let scalar = self.scalar(comparison.r#type);
                comparison
                    .spelling
                    .type_name(&format!("{}_cast_exp", scalar.name))
            }
            TypeKey::Input(InputObject::Path(comparison)) => {
                comparison.spelling.type_name("jsonb_path_exp")
            }
            TypeKey::Input(InputObject::Search(comparison)) => {
                comparison.spelling.type_name("fts_exp")
            }
            TypeKey::Input(InputObject::PathOrder(table)) => helper(table, "path_order_by"),
            TypeKey::Input(InputObject::SearchOrder(table)) => helper(table, "fts_order_by"),
            TypeKey::Enum(Enum::JsonColumn(table)) => helper(table, "path_column"),
            TypeKey::Enum(Enum::SearchColumn(table)) => helper(table, "fts_column"),
            TypeKey::Enum(Enum::PathType) => "jsonb_path_type".into(),
            TypeKey::Enum(Enum::SearchMode) => "fts_mode".into(),
            TypeKey::Input(InputObject::Operand(comparison, object)) => {
                comparison.spelling.type_name(object.name)
            }
            TypeKey::Input(InputObject::Arguments(call)) => self
                .model
                .callable(call)
                .map(|callable| callable.args.clone())
                .unwrap_or_default(),
            TypeKey::Enum(Enum::Direction(spelling)) => spelling.type_name("order_by"),
            TypeKey::Enum(Enum::SelectColumn(table)) => helper(table, "select_column"),
            TypeKey::Input(InputObject::StreamCursor(table)) => {
                helper(table, "stream_cursor_input")
            }
            TypeKey::Input(InputObject::StreamCursorValue(table)) => {
                helper(table, "stream_cursor_value_input")
            }
            TypeKey::Enum(Enum::CursorOrdering(spelling)) => spelling.type_name("cursor_ordering"),
            TypeKey::Enum(Enum::CountColumn(table)) => helper(table, "count_column"),
            TypeKey::Enum(Enum::Values(table)) => helper(table, "enum"),
            TypeKey::Object(Object::Action(_))
            | TypeKey::Input(InputObject::Action(_))
            | TypeKey::Enum(Enum::Action(_))
            | TypeKey::ActionScalar(_) => self.action_type_name(named),
            TypeKey::Object(Object::Meta(meta)) => meta.name().into(),
            TypeKey::Enum(Enum::TypeKind) => "__TypeKind".into(),
            TypeKey::Enum(Enum::DirectiveLocation) => "__DirectiveLocation".into(),
            TypeKey::BuiltIn(built_in) => built_in.name().into(),
            TypeKey::Scalar(oid) => self.scalar(oid).name.clone(),
            TypeKey::Input(input) => self.input_name(input).unwrap_or_default(),
        }
    }

    /// `String_comparison_exp`, or `String_plain_comparison_exp` without patterns if the collation
    /// does not support them.
    fn comparison_name(&self, comparison: Comparison) -> String {
        if let Some(of) = comparison.of {
            let name = self.name(TypeKey::Enum(Enum::Values(of)));
            return comparison
                .spelling
                .type_name(&format!("{name}_comparison_exp"));
        }
        let scalar = self.scalar(comparison.r#type);
        let plain = if scalar.family == Family::Text && !comparison.deterministic {
            "_plain"
        } else {
            ""
        };
        comparison
            .spelling
            .type_name(&format!("{}{plain}_comparison_exp", scalar.name))
    }

    /// A type in GraphQL notation: `[users!]!`.
    pub fn written(&self, r#type: TypeRef) -> String {
        let name = match self.list_element(r#type.named) {
            Some(element) => format!("[{}!]", self.name(element)),
            None => self.name(r#type.named),
        };
        let inner = match (r#type.list, r#type.sparse) {
            (true, false) => format!("[{name}!]"),
            (true, true) => format!("[{name}]"),
            (false, _) => name,
        };
        if r#type.required { inner + "!" } else { inner }
    }

    /// The type of the items, if a type is an array that GraphQL shows as a list.
    pub fn list_element(&self, named: TypeKey) -> Option<TypeKey> {
        let TypeKey::Scalar(oid) = named else {
            return None;
        };
        self.model.list_element(oid).map(TypeKey::Scalar)
    }

    /// The type with that name, unless the role cannot use it.
    pub fn named(&self, name: &str) -> Option<TypeKey> {
        match name {
            "query_root" => return Some(TypeKey::Object(Object::Query)),
            "mutation_root" => {
                return self
                    .has_mutations()
                    .then_some(TypeKey::Object(Object::Mutation));
            }
            "subscription_root" => {
                return self
                    .has_subscriptions()
                    .then_some(TypeKey::Object(Object::Subscription));
            }
            "PageInfo"
                if self
                    .readable()
                    .any(|(exposed, _)| self.has_connection(exposed.table)) =>
            {
                return Some(TypeKey::Object(Object::PageInfo));
            }
            _ => {}
        }
        if let Some((built_in, _)) = BuiltIn::ALL.iter().find(|(_, n)| *n == name) {
            return Some(TypeKey::BuiltIn(*built_in));
        }
        if name.starts_with("__") {
            return meta::named(name);
        }
        self.access.known_types().find(name, || self.search(name))
    }

    pub(super) fn search(&self, name: &str) -> Option<TypeKey> {
        self.direction(name)
            .or_else(|| self.count_mode(name))
            .or_else(|| self.cursor_ordering(name))
            .or_else(|| self.row_type(name))
            .or_else(|| self.helper(name))
            .or_else(|| self.mutation_named(name))
            .or_else(|| self.measure_type(name))
            .or_else(|| self.bucket_type(name))
            .or_else(|| self.column_type(name))
            .or_else(|| self.sum_named(name))
            .or_else(|| self.call_named(name))
            .or_else(|| self.element_named(name))
            .or_else(|| self.action_named(name))
    }

    /// `order_by`, if a readable table spells it so.
    fn direction(&self, name: &str) -> Option<TypeKey> {
        let spelling = Spelling::ALL
            .into_iter()
            .find(|spelling| spelling.type_name("order_by") == name)?;
        let spelled = self
            .readable()
            .any(|(exposed, _)| exposed.spelling() == spelling);
        spelled.then_some(TypeKey::Enum(Enum::Direction(spelling)))
    }

    /// `count_mode`, if a table whose rows may be counted spells it so.
    fn count_mode(&self, name: &str) -> Option<TypeKey> {
        let spelling = Spelling::ALL
            .into_iter()
            .find(|spelling| spelling.type_name("count_mode") == name)?;
        let counted = |select: &Select| {
            select
                .aggregates
                .as_ref()
                .is_some_and(|aggregates| aggregates.count)
        };
        let spelled = self
            .readable()
            .any(|(exposed, select)| exposed.spelling() == spelling && counted(select));
        let offered = self.model.offer() == DefaultExposure::Everything;
        (offered && spelled).then_some(TypeKey::Enum(Enum::CountMode(spelling)))
    }

    fn row_type(&self, name: &str) -> Option<TypeKey> {
        let mut readable = self.readable();
        let (exposed, _) = readable
            .find(|(exposed, _)| exposed.type_name == name && self.has_fields(exposed.table))?;
        Some(TypeKey::Object(Object::Row(exposed.table)))
    }

    fn helper(&self, name: &str) -> Option<TypeKey> {
        let endings = self
            .readable()
            .filter_map(|(exposed, _)| Some((exposed.table, exposed.suffix(name)?)));
        let mut helpers = endings.filter_map(|(table, ending)| helper(table, &ending));
        helpers.find(|named| self.is_reachable(*named))
    }

    fn is_reachable(&self, named: TypeKey) -> bool {
        let select = |table| self.access.select(table);
        match named {
            TypeKey::Object(Object::Aggregate(table)) => self.has_aggregate(table),
            TypeKey::Input(InputObject::AggregateBoolExp(table)) => {
                !self.measures(table).is_empty()
            }
            TypeKey::Object(Object::Group(table)) => self.has_group(table),
            TypeKey::Object(Object::GroupKey(table)) => {
                self.has_group(table) && self.has_rows(table)
            }
            TypeKey::Input(InputObject::GroupHaving(table)) => {
                self.has_group(table) && !self.measures(table).is_empty()
            }
            TypeKey::Input(InputObject::GroupOrderBy(table)) => {
                self.has_group(table) && !self.group_order(table).is_empty()
            }
            TypeKey::Input(InputObject::GroupKeyOrderBy(table)) => {
                self.has_group(table) && !self.group_key_order(table).is_empty()
            }
            TypeKey::Input(InputObject::Buckets(table)) => {
                self.has_group(table) && !self.buckets(table).is_empty()
            }
            TypeKey::Object(Object::AggregateFields(table)) => self.has_aggregate_fields(table),
            TypeKey::Enum(Enum::CountColumn(table)) => {
                self.counted(table) == Some(Enum::CountColumn(table))
            }
            TypeKey::Input(InputObject::AggregateOrderBy(table)) => self.has_measures(table),
            TypeKey::Object(Object::FunctionFields(table, function)) => {
                select(table).is_some_and(|select| select.aggregates.is_some())
                    && !self.function_columns(table, function).is_empty()
            }
            TypeKey::Input(InputObject::FunctionOrderBy(table, function)) => {
                !self.function_columns(table, function).is_empty()
            }
            TypeKey::Object(Object::Connection(table) | Object::Edge(table)) => {
                self.has_connection(table)
            }
            TypeKey::Enum(Enum::SelectColumn(table)) => self.has_rows(table),
            TypeKey::Input(InputObject::PathOrder(table))
            | TypeKey::Enum(Enum::JsonColumn(table)) => !self.json_columns(table).is_empty(),
            TypeKey::Input(InputObject::SearchOrder(table))
            | TypeKey::Enum(Enum::SearchColumn(table)) => !self.search_columns(table).is_empty(),
            TypeKey::Input(InputObject::OrderBy(table)) => self.has_order(table),
            TypeKey::Input(
                InputObject::StreamCursor(table) | InputObject::StreamCursorValue(table),
            ) => self.has_stream(table),
            _ => true,
        }
    }

    /// The comparison inputs of the readable columns and the computed values.
    fn comparisons(&self) -> impl Iterator<Item = Comparison> {
        let columns = self.readable().flat_map(|(exposed, select)| {
            select
                .columns
                .iter()
                .map(|column| self.comparison(exposed.table, column))
        });
        columns.chain(self.computed_comparisons())
    }

    /// The scalar, or the comparison type, of a readable column. Stops at the first match.
    fn column_type(&self, name: &str) -> Option<TypeKey> {
        let columns = self.comparisons();
        let named = |oid| self.catalog.type_of(oid).map(graphql_name);
        let mut found = columns.filter_map(|comparison| {
            let values = comparison.of.map(|of| TypeKey::Enum(Enum::Values(of)));
            let scalar = values.map_or_else(
                || named(comparison.r#type),
                |values| Some(self.name(values)),
            )?;
            if scalar == name {
                return Some(values.unwrap_or(TypeKey::Scalar(comparison.r#type)));
            }
            let begins = name.starts_with(&comparison.spelling.type_name(&scalar));
            let compares = begins && self.comparison_name(comparison) == name;
            compares.then_some(TypeKey::Input(InputObject::Comparison(comparison)))
        });
        let found = found.next().or_else(|| self.written_scalar(name));
        found
            .or_else(|| self.operand_named(name))
            .or_else(|| self.measure_operand(name))
    }

    /// The scalar of sums, which no column need have.
    fn sum_named(&self, name: &str) -> Option<TypeKey> {
        let mut sums = self
            .readable()
            .filter(|(_, select)| select.aggregates.is_some())
            .flat_map(|(exposed, _)| {
                let columns = self
                    .function_columns(exposed.table, Function::Sum)
                    .into_iter();
                columns.map(|(column, _)| {
                    self.model
                        .sum_type(self.model.table(exposed.table).column(column).r#type)
                })
            });
        sums.find(|oid| self.scalar(*oid).name == name)
            .map(TypeKey::Scalar)
    }

    /// The type of the items of an array that GraphQL shows as a list.
    fn element_named(&self, name: &str) -> Option<TypeKey> {
        let named = self
            .catalog
            .types
            .iter()
            .filter(|of| graphql_name(of) == name);
        let elements: Vec<Oid> = named.map(|of| of.oid).collect();
        if elements.is_empty() {
            return None;
        }
        let element = |oid| {
            self.model
                .list_element(oid)
                .filter(|element| elements.contains(element))
        };
        let read = || {
            self.comparisons()
                .find_map(|comparison| element(comparison.r#type))
        };
        let written = || {
            self.written_columns()
                .find_map(|(table, column)| element(self.model.table(table).column(column).r#type))
        };
        let called = || {
            self.call_types().find_map(|named| match named {
                TypeKey::Scalar(oid) => element(oid),
                _ => None,
            })
        };
        read().or_else(written).or_else(called).map(TypeKey::Scalar)
    }

    /// A type that a comparison input refers to: the scalar of an operand, an operand that is an
    /// object, or conditions on the column cast to another type.
    fn operand_named(&self, name: &str) -> Option<TypeKey> {
        let columns = self.comparisons();
        let mut next: Vec<_> = columns.map(InputObject::Comparison).collect();
        let mut seen = std::collections::HashSet::new();
        while let Some(input) = next.pop().filter(|_| seen.len() < OPERAND_TYPES) {
            if !seen.insert(input) {
                continue;
            }
            for field in self.input_fields(input) {
                match field.r#type.named {
                    named if self.name(named) == name => return Some(named),
                    TypeKey::Input(inner) => next.push(inner),
                    _ => {}
                }
            }
        }
        None
    }
}

/// A limit on the types visited, larger than any real database needs.
const OPERAND_TYPES: usize = 10_000;

/// The helper type of a table by the suffix of its name.
fn helper(table: TableId, ending: &str) -> Option<TypeKey> {
    let plain = HELPERS
        .iter()
        .find(|(suffix, _)| suffix.strip_prefix('_') == Some(ending));
    let functions = || {
        Function::selected().find_map(|(function, word)| match ending.strip_prefix(word)? {
            "_fields" => Some(TypeKey::Object(Object::FunctionFields(table, function))),
            "_order_by" => Some(TypeKey::Input(InputObject::FunctionOrderBy(
                table, function,
            ))),
            _ => None,
        })
    };
    plain.map(|(_, make)| make(table)).or_else(functions)
}
