//! The fields of `mutation_root`, and of `t_mutation_response`. The types of their arguments are in
//! [`super::inserts`], [`super::updates`] and [`super::related`].

use super::*;

impl<'a> Schema<'a> {
    /// Whether the role has any mutation.
    pub fn has_mutations(&self) -> bool {
        self.model.roots().any(|root| self.is_written_by(root))
            || self.mutating().next().is_some()
            || self.has_actions(ActionKind::Mutation)
    }

    pub(super) fn mutation(&self, name: &str) -> Option<FieldDefinition<'a>> {
        match self.model.root(name) {
            Some(root) => self.is_written_by(root).then(|| self.mutation_root(root)),
            None => self
                .mutating_root(name)
                .or_else(|| self.action_root(ActionKind::Mutation, name)),
        }
    }

    pub(super) fn mutations(&self) -> Vec<FieldDefinition<'a>> {
        let granted = self.model.roots().filter(|root| self.is_written_by(root));
        let actions = self.action_roots(ActionKind::Mutation);
        granted
            .map(|root| self.mutation_root(root))
            .chain(self.mutating())
            .chain(actions)
            .collect()
    }

    /// Whether the role has a root field that writes.
    pub(super) fn is_written_by(&self, root: &Root) -> bool {
        let table = root.table;
        let inserts = || {
            self.inserts(table)
                .is_some_and(|grant| grant.roots.contains(root.kind))
        };
        let updates = || {
            self.updates(table)
                .is_some_and(|grant| grant.roots.contains(root.kind))
                && self.is_changed(table)
        };
        let deletes = || {
            self.deletes(table)
                .is_some_and(|grant| grant.roots.contains(root.kind))
        };
        let returns = || self.returns(table);
        match root.kind {
            RootKind::Insert => inserts(),
            RootKind::InsertOne => inserts() && returns(),
            RootKind::Update | RootKind::UpdateMany => updates(),
            RootKind::UpdateOne => updates() && returns() && self.key_columns(table).is_some(),
            RootKind::Delete => deletes(),
            RootKind::DeleteOne => deletes() && returns() && self.key_columns(table).is_some(),
            RootKind::List
            | RootKind::One
            | RootKind::Aggregate
            | RootKind::Group
            | RootKind::Connection
            | RootKind::Stream => false,
        }
    }

    /// Whether mutations return the rows that they write.
    fn returns(&self, table: TableId) -> bool {
        self.has_fields(table) && self.shows_rows(table)
    }

    fn mutation_root(&self, root: &'a Root) -> FieldDefinition<'a> {
        let table = root.table;
        let row = TypeRef::nullable(TypeKey::Object(Object::Row(table)));
        let response = TypeRef::nullable(TypeKey::Object(Object::Response(table)));
        let (r#type, arguments) = match root.kind {
            RootKind::InsertOne => (row, self.insert_arguments(root)),
            RootKind::UpdateOne => {
                let key = TypeRef::required(TypeKey::Input(InputObject::KeyColumns(table)));
                (row, self.update_arguments(table, "pk_columns", key))
            }
            RootKind::DeleteOne => (row, self.key_arguments(table)),
            RootKind::Update => {
                let condition = TypeRef::required(TypeKey::Input(InputObject::BoolExp(table)));
                (response, self.update_arguments(table, "where", condition))
            }
            RootKind::UpdateMany => {
                let updates = TypeRef::required_list(TypeKey::Input(InputObject::Updates(table)));
                let responses = TypeRef {
                    list: true,
                    sparse: true,
                    ..response
                };
                (
                    responses,
                    vec![Argument {
                        name: "updates",
                        r#type: updates,
                    }],
                )
            }
            RootKind::Delete => {
                let condition = TypeRef::required(TypeKey::Input(InputObject::BoolExp(table)));
                (
                    response,
                    vec![Argument {
                        name: "where",
                        r#type: condition,
                    }],
                )
            }
            _ => (response, self.insert_arguments(root)),
        };
        FieldDefinition {
            name: &root.name,
            r#type,
            arguments,
            meaning: Meaning::Root(root),
        }
    }

    /// The arguments `object` or `objects`, and `on_conflict`, which has a second spelling under
    /// the camel convention.
    fn insert_arguments(&self, root: &'a Root) -> Vec<Argument<'a>> {
        let table = root.table;
        let named = match self.model.root_place(root).filter(|_| root.input.is_some()) {
            Some(index) => InputObject::InsertAs(table, index),
            None => InputObject::Insert(table),
        };
        let rows = match root.kind {
            RootKind::InsertOne => Argument {
                name: "object",
                r#type: TypeRef::required(TypeKey::Input(named)),
            },
            _ => Argument {
                name: "objects",
                r#type: TypeRef::required_list(TypeKey::Input(named)),
            },
        };
        let conflict = TypeRef::nullable(TypeKey::Input(InputObject::OnConflict(table)));
        let camel = self.convention(table) == Convention::Camel;
        let names = [
            (self.spelling(table).field("on_conflict"), true),
            ("onConflict", camel),
        ];
        let names = names
            .into_iter()
            .filter(|(_, offered)| *offered && self.has_conflicts(table));
        std::iter::once(rows)
            .chain(names.map(|(name, _)| Argument {
                name,
                r#type: conflict,
            }))
            .collect()
    }

    /// The arguments with the changes, and the argument `name` that selects the rows.
    fn update_arguments(
        &self,
        table: TableId,
        name: &'static str,
        rows: TypeRef,
    ) -> Vec<Argument<'a>> {
        let changes = self.change_fields(table).into_iter();
        let changes = changes.map(|field| Argument {
            name: field.name,
            r#type: field.r#type,
        });
        changes
            .chain([Argument {
                name: self.spelling(table).field(name),
                r#type: rows,
            }])
            .collect()
    }

    /// Whether a root field of the table returns a `t_mutation_response`.
    pub(super) fn responds(&self, table: TableId) -> bool {
        let row = [
            RootKind::InsertOne,
            RootKind::UpdateOne,
            RootKind::DeleteOne,
        ];
        let mut roots = self
            .model
            .roots()
            .filter(|root| root.table == table && !row.contains(&root.kind));
        roots.any(|root| self.is_written_by(root))
    }

    /// Whether the table has an `update_t_many` field.
    pub(super) fn updates_many(&self, table: TableId) -> bool {
        let mut roots = self
            .model
            .roots()
            .filter(|root| root.table == table && root.kind == RootKind::UpdateMany);
        roots.any(|root| self.is_written_by(root))
    }

    /// Whether the table has an `update_t_by_pk` field.
    pub(super) fn updates_by_key(&self, table: TableId) -> bool {
        let mut roots = self
            .model
            .roots()
            .filter(|root| root.table == table && root.kind == RootKind::UpdateOne);
        roots.any(|root| self.is_written_by(root))
    }

    /// The fields `affected_rows` and, if the role may read the rows, `returning`.
    pub(super) fn response(&self, table: TableId) -> Vec<FieldDefinition<'a>> {
        let plain = |name, r#type, meaning| FieldDefinition {
            name,
            r#type,
            arguments: Vec::new(),
            meaning,
        };
        let int = TypeRef::required(TypeKey::BuiltIn(BuiltIn::Int));
        let affected = plain(
            self.spelling(table).field("affected_rows"),
            int,
            Meaning::AffectedRows,
        );
        let rows = TypeRef::required_list(TypeKey::Object(Object::Row(table)));
        let returning = self
            .returns(table)
            .then(|| plain("returning", rows, Meaning::Returning));
        std::iter::once(affected).chain(returning).collect()
    }
}
