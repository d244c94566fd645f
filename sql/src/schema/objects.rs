//! The fields of object types: roots, rows, relations and aggregates. Fields of mutations,
//! functions, groups and connections are in the files named after them.

use super::*;
use crate::model::DefaultExposure;

impl<'a> Schema<'a> {
    /// The field with that name, unless it does not exist or the role may not use it.
    pub fn field(&self, object: Object, name: &str) -> Option<FieldDefinition<'a>> {
        match object {
            Object::Query => match self.model.root(name).filter(|root| self.root_granted(root)) {
                Some(root) => Some(self.root(root)),
                None if self.model.routine(name).is_some() => self.routine_root(name),
                None if name == NO_QUERIES => self.no_queries(),
                None => meta::root(name).or_else(|| self.action_root(ActionKind::Query, name)),
            },
            Object::Mutation => self.mutation(name),
            Object::Subscription => match self.model.root(name) {
                Some(root) if root.kind == RootKind::Stream => {
                    self.stream_granted(root).then(|| self.stream(root))
                }
                Some(root) => self.root_granted(root).then(|| self.root(root)),
                None if self.model.routine(name).is_some() => self.routine_root(name),
                None => self.live_action_roots().find(|field| field.name == name),
            },
            Object::Row(table) => match self.model.exposed(table)?.member(name) {
                Some(member) => self.member(table, member),
                None => self.cursor(table).filter(|field| field.name == name),
            },
            Object::AggregateFields(table) if name == "count" => self.count(table),
            Object::AggregateFields(table) => {
                let spelling = self.spelling(table);
                let (function, word) =
                    Function::selected().find(|(_, word)| spelling.is_field(word, name))?;
                let applies = !self.function_columns(table, function).is_empty();
                applies.then(|| applied(table, function, spelling.field(word)))
            }
            Object::FunctionFields(table, function) => {
                let column = self.column(table, name)?;
                let name = self.model.exposed(table)?.column_name(column)?;
                let applies = self.applies(table, function, column);
                applies.then(|| self.function_field(table, function, column, name))
            }
            Object::Aggregate(_)
            | Object::Group(_)
            | Object::GroupKey(_)
            | Object::Connection(_)
            | Object::Edge(_)
            | Object::PageInfo
            | Object::Response(_)
            | Object::Action(_)
            | Object::Meta(_) => self
                .fields(object)
                .into_iter()
                .find(|field| field.name == name),
        }
    }

    /// All fields of an object type, in the order of introspection.
    pub fn fields(&self, object: Object) -> Vec<FieldDefinition<'a>> {
        match object {
            Object::Query => {
                let granted = self.model.roots().filter(|root| self.root_granted(root));
                let routines = self.routine_roots();
                let actions = self.action_roots(ActionKind::Query);
                granted
                    .map(|root| self.root(root))
                    .chain(routines)
                    .chain(actions)
                    .chain(self.no_queries())
                    .collect()
            }
            Object::Meta(meta) => meta.fields(),
            Object::Mutation => self.mutations(),
            Object::Subscription => {
                let granted = self.model.roots().filter(|root| self.root_granted(root));
                let streams = self.model.roots().filter(|root| self.stream_granted(root));
                let roots = granted
                    .map(|root| self.root(root))
                    .chain(self.routine_roots());
                roots
                    .chain(streams.map(|root| self.stream(root)))
                    .chain(self.live_action_roots())
                    .collect()
            }
            Object::Response(table) => self.response(table),
            Object::Action(object) => self.action_fields(object),
            Object::Row(table) => self.members(table),
            Object::Aggregate(table) => self.aggregate(table),
            Object::Group(table) => self.group_fields(table),
            Object::GroupKey(table) => self.group_key_fields(table),
            Object::Connection(table) => self.connection(table),
            Object::Edge(table) => self.edge(table),
            Object::PageInfo => connection::page_info(),
            Object::AggregateFields(table) => self.aggregate_fields(table),
            Object::FunctionFields(table, function) => self.function_fields(table, function),
        }
    }

    /// Whether the role has any subscription: it has those fields of `query_root` that read the
    /// database, and the outcomes of asynchronous actions.
    pub fn has_subscriptions(&self) -> bool {
        self.model.roots().any(|root| self.root_granted(root))
            || !self.routine_roots().is_empty()
            || self.live_action_roots().next().is_some()
    }

    /// The only field of `query_root` for a role that may read nothing.
    fn no_queries(&self) -> Option<FieldDefinition<'a>> {
        (!self.has_subscriptions() && !self.has_actions(ActionKind::Query)).then(|| {
            FieldDefinition {
                name: NO_QUERIES,
                r#type: TypeRef::required(TypeKey::BuiltIn(BuiltIn::String)),
                arguments: Vec::new(),
                meaning: Meaning::Constant("there are no queries available to this role"),
            }
        })
    }

    fn root(&self, root: &'a Root) -> FieldDefinition<'a> {
        let row = TypeKey::Object(Object::Row(root.table));
        let (r#type, arguments) = match root.kind {
            RootKind::One => (TypeRef::nullable(row), self.key_arguments(root.table)),
            RootKind::Group => {
                let group = TypeKey::Object(Object::Group(root.table));
                (
                    TypeRef::required_list(group),
                    self.group_arguments(root.table),
                )
            }
            RootKind::Aggregate => {
                let aggregate = TypeKey::Object(Object::Aggregate(root.table));
                (TypeRef::required(aggregate), self.row_arguments(root.table))
            }
            RootKind::Connection => {
                let page = TypeKey::Object(Object::Connection(root.table));
                (TypeRef::required(page), self.page_arguments(root.table))
            }
            _ => (TypeRef::required_list(row), self.list_arguments(root.table)),
        };
        FieldDefinition {
            name: &root.name,
            r#type,
            arguments,
            meaning: Meaning::Root(root),
        }
    }

    pub(super) fn key_arguments(&self, table: TableId) -> Vec<Argument<'a>> {
        let columns = self.key_columns(table).unwrap_or_default().into_iter();
        let argument = |(column, name)| {
            let r#type = self.column_named(table, column);
            Argument {
                name,
                r#type: TypeRef::required(r#type),
            }
        };
        columns.map(argument).collect()
    }

    /// The arguments `where`, `order_by` and so on. Under the camel convention, `distinct_on` and
    /// `order_by` have a second spelling.
    pub(super) fn row_arguments(&self, table: TableId) -> Vec<Argument<'a>> {
        let camel = self.convention(table) == Convention::Camel;
        let spelling = self.spelling(table);
        let columns = TypeRef::list(TypeKey::Enum(Enum::SelectColumn(table)));
        let order = TypeRef::list(TypeKey::Input(InputObject::OrderBy(table)));
        let int = TypeRef::nullable(TypeKey::BuiltIn(BuiltIn::Int));
        let condition = TypeRef::nullable(TypeKey::Input(InputObject::BoolExp(table)));
        let with_rows = self.has_rows(table);
        let orders = self.has_order(table);
        let all = [
            ("distinct_on", columns, with_rows),
            ("distinctOn", columns, with_rows && camel),
            ("limit", int, true),
            ("offset", int, true),
            ("order_by", order, orders),
            ("orderBy", order, orders && camel),
            ("where", condition, true),
        ];
        let offered = all.into_iter().filter(|(_, _, offered)| *offered);
        offered
            .map(|(name, r#type, _)| Argument {
                name: spelling.field(name),
                r#type,
            })
            .collect()
    }

    fn members(&self, table: TableId) -> Vec<FieldDefinition<'a>> {
        let Some(exposed) = self.model.exposed(table) else {
            return Vec::new();
        };
        let columns = self
            .columns(table)
            .into_iter()
            .map(|(column, _)| RowMember::Column(column));
        let relations = exposed.relations.iter().flat_map(|relation| {
            let aggregate = relation
                .aggregate
                .is_some()
                .then_some(RowMember::Aggregate(relation));
            std::iter::once(RowMember::Relation(relation)).chain(aggregate)
        });
        let members = columns
            .chain(relations)
            .filter_map(|member| self.member(table, member));
        let connections = exposed
            .relations
            .iter()
            .filter_map(|relation| self.member(table, RowMember::Connection(relation)));
        let computed = self
            .computed_members(table)
            .filter_map(|member| self.member(table, member));
        members
            .chain(computed)
            .chain(connections)
            .chain(self.cursor(table))
            .collect()
    }

    pub(super) fn member(
        &self,
        table: TableId,
        member: RowMember<'a>,
    ) -> Option<FieldDefinition<'a>> {
        let (exposed, select) = self.open(table)?;
        let member = reached(select, member)?;
        match member {
            RowMember::Column(column) => {
                let entry = self.model.table(table).column(column);
                let name = exposed
                    .column_name(column)
                    .filter(|_| select.columns.contains(column))?;
                let named = self.column_named(table, column);
                let arguments = self.path_argument(entry.r#type);
                // A path may lead to no value.
                let required =
                    !entry.nullable && !select.values.contains_key(&column) && arguments.is_empty();
                let r#type = TypeRef {
                    named,
                    list: false,
                    required,
                    sparse: false,
                };
                Some(FieldDefinition {
                    name,
                    r#type,
                    arguments,
                    meaning: Meaning::Column(column),
                })
            }
            RowMember::Relation(relation) => {
                let shown = self.has_fields(relation.to) && self.shows_rows(relation.to);
                shown.then(|| self.relation(select, relation))
            }
            RowMember::Connection(relation) => self.related_connection(relation),
            RowMember::Aggregate(relation) => {
                let name = relation.aggregate.as_deref()?;
                self.has_aggregate(relation.to).then_some(())?;
                let r#type = TypeRef::required(TypeKey::Object(Object::Aggregate(relation.to)));
                let arguments = self.row_arguments(relation.to);
                Some(FieldDefinition {
                    name,
                    r#type,
                    arguments,
                    meaning: Meaning::Aggregate(relation),
                })
            }
            RowMember::Computed(computed) => self.computed(table, computed),
            RowMember::ComputedAggregate(computed) => self.computed_aggregate(table, computed),
        }
    }

    /// The argument `path` of a JSON column, which extracts one value.
    pub(super) fn path_argument(&self, r#type: Oid) -> Vec<Argument<'a>> {
        let path = Argument {
            name: "path",
            r#type: TypeRef::nullable(TypeKey::BuiltIn(BuiltIn::String)),
        };
        // Called for every column of every document, so it does not construct the scalar.
        let is_json = self.catalog.base_type(r#type).is_some_and(is_json);
        if is_json { vec![path] } else { Vec::new() }
    }

    fn relation(&self, select: &Select, relation: &'a Relation) -> FieldDefinition<'a> {
        let named = TypeKey::Object(Object::Row(relation.to));
        let name = relation.name.as_str();
        match relation.kind {
            RelationKind::Object { always, .. } => {
                let target = self.access.read(relation.to, Purpose::Rows);
                let visible = target.is_some_and(|select| select.rows.is_everything());
                let visible = visible
                    && select.relation_rule(&relation.name).is_none()
                    && !self
                        .access
                        .has_policies(self.access.model().table(relation.to));
                let r#type = TypeRef {
                    named,
                    list: false,
                    required: always && visible,
                    sparse: false,
                };
                FieldDefinition {
                    name,
                    r#type,
                    arguments: Vec::new(),
                    meaning: Meaning::Object(relation),
                }
            }
            RelationKind::Array => {
                let arguments = self.list_arguments(relation.to);
                let r#type = TypeRef::required_list(named);
                FieldDefinition {
                    name,
                    r#type,
                    arguments,
                    meaning: Meaning::Array(relation),
                }
            }
        }
    }

    fn aggregate(&self, table: TableId) -> Vec<FieldDefinition<'a>> {
        let plain = |name, r#type, meaning| FieldDefinition {
            name,
            r#type,
            arguments: Vec::new(),
            meaning,
        };
        let aggregate = TypeRef::nullable(TypeKey::Object(Object::AggregateFields(table)));
        let nodes = TypeRef::required_list(TypeKey::Object(Object::Row(table)));
        let mut fields = Vec::new();
        if self.has_aggregate_fields(table) {
            fields.push(plain("aggregate", aggregate, Meaning::AggregateFields));
        }
        if self.has_nodes(table) {
            fields.push(plain("nodes", nodes, Meaning::Nodes));
        }
        fields
    }

    fn aggregate_fields(&self, table: TableId) -> Vec<FieldDefinition<'a>> {
        let spelling = self.spelling(table);
        let functions = self.functions(table).into_iter();
        let functions =
            functions.map(|(function, word)| applied(table, function, spelling.field(word)));
        self.count(table).into_iter().chain(functions).collect()
    }

    fn count(&self, table: TableId) -> Option<FieldDefinition<'a>> {
        let mut arguments = Vec::new();
        if let Some(columns) = self.counted(table) {
            let columns = TypeRef::list(TypeKey::Enum(columns));
            arguments.push(Argument {
                name: "columns",
                r#type: columns,
            });
            arguments.push(Argument {
                name: "distinct",
                r#type: TypeRef::nullable(TypeKey::BuiltIn(BuiltIn::Boolean)),
            });
        }
        if self.model.offer() == DefaultExposure::Everything {
            let mode = TypeKey::Enum(Enum::CountMode(self.spelling(table)));
            arguments.push(Argument {
                name: "mode",
                r#type: TypeRef::nullable(mode),
            });
        }
        let int = TypeRef::required(TypeKey::BuiltIn(BuiltIn::Int));
        let count = FieldDefinition {
            name: "count",
            r#type: int,
            arguments,
            meaning: Meaning::Count,
        };
        self.may_count(table).then_some(count)
    }

    fn function_fields(&self, table: TableId, function: Function) -> Vec<FieldDefinition<'a>> {
        let columns = self.function_columns(table, function).into_iter();
        columns
            .map(|(column, name)| self.function_field(table, function, column, name))
            .collect()
    }

    fn function_field(
        &self,
        table: TableId,
        function: Function,
        column: ColumnId,
        name: &'a str,
    ) -> FieldDefinition<'a> {
        let named = match function.result() {
            FunctionResult::Greatest | FunctionResult::Least => {
                TypeKey::Scalar(self.model.table(table).column(column).r#type)
            }
            FunctionResult::Sum => TypeKey::Scalar(
                self.model
                    .sum_type(self.model.table(table).column(column).r#type),
            ),
            FunctionResult::Statistic => TypeKey::BuiltIn(BuiltIn::Float),
            FunctionResult::Boolean => TypeKey::BuiltIn(BuiltIn::Boolean),
        };
        let r#type = TypeRef::nullable(named);
        FieldDefinition {
            name,
            r#type,
            arguments: Vec::new(),
            meaning: Meaning::Column(column),
        }
    }
}

/// The field of an aggregate function.
fn applied<'a>(table: TableId, function: Function, name: &'static str) -> FieldDefinition<'a> {
    FieldDefinition {
        name,
        r#type: TypeRef::nullable(TypeKey::Object(Object::FunctionFields(table, function))),
        arguments: Vec::new(),
        meaning: Meaning::Function(function),
    }
}
