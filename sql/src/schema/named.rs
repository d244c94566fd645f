//! The names of types, both ways.

use super::*;

/// What a helper type of a table is.
type Helper = fn(TableId) -> Named;

/// The endings of helper types' names and what they stand for, longest first where one ends another.
const HELPERS: [(&str, Helper); 6] = [
    ("_aggregate_fields", |t| Named::Object(Object::AggregateFields(t))),
    ("_aggregate_order_by", |t| Named::Input(InputObject::AggregateOrderBy(t))),
    ("_aggregate", |t| Named::Object(Object::Aggregate(t))),
    ("_bool_exp", |t| Named::Input(InputObject::BoolExp(t))),
    ("_order_by", |t| Named::Input(InputObject::OrderBy(t))),
    ("_select_column", |t| Named::Enum(Enum::SelectColumn(t))),
];

impl<'a> Schema<'a> {
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
                select(table).is_some_and(|select| select.aggregates.is_some())
            }
            Named::Object(Object::FunctionFields(table, function)) => {
                select(table).is_some_and(|select| select.aggregates.is_some())
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
