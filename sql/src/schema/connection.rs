//! Cursors and pages: the cursor field of a row, the cursor arguments, and Relay's connections.
//! <https://relay.dev/graphql/connections.htm>

use super::*;
use crate::model::DefaultExposure;

const STRING: TypeKey = TypeKey::BuiltIn(BuiltIn::String);
const BOOLEAN: TypeKey = TypeKey::BuiltIn(BuiltIn::Boolean);
const INT: TypeKey = TypeKey::BuiltIn(BuiltIn::Int);

impl<'a> Schema<'a> {
    /// Whether the table is exposed as a connection.
    pub(super) fn has_connection(&self, table: TableId) -> bool {
        self.model
            .exposed(table)
            .is_some_and(|exposed| exposed.connection)
            && self.has_fields(table)
            && self.key_columns(table).is_some()
    }

    /// `_cursor`, if the table has a key, which makes every order of the rows total.
    pub(super) fn cursor(&self, table: TableId) -> Option<FieldDefinition<'a>> {
        self.cursor_support(table)?;
        let taken = self.model.exposed(table)?.member(CURSOR).is_some();
        (!taken).then(|| plain(CURSOR, TypeRef::required(STRING), Meaning::Cursor))
    }

    /// Returns `Some` if lists of the table have cursors.
    fn cursor_support(&self, table: TableId) -> Option<()> {
        let offered = self.model.offer() == DefaultExposure::Everything
            || self.model.exposed(table)?.connection;
        self.key_columns(table).filter(|_| offered).map(drop)
    }

    /// The arguments of a list: those of rows, and `after` and `before`.
    pub(super) fn list_arguments(&self, table: TableId) -> Vec<Argument<'a>> {
        let mut arguments = self.row_arguments(table);
        if self.cursor_support(table).is_some() {
            let cursor = |name| Argument {
                name,
                r#type: TypeRef::nullable(STRING),
            };
            arguments.extend(["after", "before"].map(cursor));
            arguments.sort_by_key(|argument| argument.name);
        }
        arguments
    }

    /// The arguments of a connection.
    pub(super) fn page_arguments(&self, table: TableId) -> Vec<Argument<'a>> {
        let new = [
            ("after", STRING),
            ("before", STRING),
            ("first", INT),
            ("last", INT),
        ];
        let new = new.map(|(name, named)| Argument {
            name,
            r#type: TypeRef::nullable(named),
        });
        let kept =
            |argument: &Argument<'a>| matches!(argument.name, "order_by" | "orderBy" | "where");
        new.into_iter()
            .chain(self.row_arguments(table).into_iter().filter(kept))
            .collect()
    }

    pub(super) fn related_connection(&self, relation: &'a Relation) -> Option<FieldDefinition<'a>> {
        let name = relation.connection.as_deref()?;
        let shown = self.has_connection(relation.to) && self.shows_rows(relation.to);
        shown.then(|| FieldDefinition {
            name,
            r#type: TypeRef::required(TypeKey::Object(Object::Connection(relation.to))),
            arguments: self.page_arguments(relation.to),
            meaning: Meaning::Connection(relation),
        })
    }

    /// The fields of a connection. `totalCount` is an aggregate and requires the grant to
    /// aggregate.
    pub(super) fn connection(&self, table: TableId) -> Vec<FieldDefinition<'a>> {
        let edge = TypeKey::Object(Object::Edge(table));
        let row = TypeKey::Object(Object::Row(table));
        let mut fields = vec![
            plain("edges", TypeRef::required_list(edge), Meaning::Edges),
            plain("nodes", TypeRef::required_list(row), Meaning::Nodes),
            plain(
                "pageInfo",
                TypeRef::required(TypeKey::Object(Object::PageInfo)),
                Meaning::PageInfo,
            ),
        ];
        let aggregates = self
            .access
            .select(table)
            .and_then(|select| select.aggregates.as_ref());
        if aggregates.is_some_and(|aggregates| aggregates.count && aggregates.min_group <= 1) {
            fields.push(plain("totalCount", TypeRef::required(INT), Meaning::Total));
        }
        fields
    }

    pub(super) fn edge(&self, table: TableId) -> Vec<FieldDefinition<'a>> {
        let row = TypeKey::Object(Object::Row(table));
        vec![
            plain("cursor", TypeRef::required(STRING), Meaning::Cursor),
            plain("node", TypeRef::required(row), Meaning::Node),
        ]
    }
}

/// The name of a row's cursor field.
const CURSOR: &str = "_cursor";

pub(super) fn page_info<'a>() -> Vec<FieldDefinition<'a>> {
    vec![
        plain(
            "endCursor",
            TypeRef::nullable(STRING),
            Meaning::Info(Info::End),
        ),
        plain(
            "hasNextPage",
            TypeRef::required(BOOLEAN),
            Meaning::Info(Info::HasNext),
        ),
        plain(
            "hasPreviousPage",
            TypeRef::required(BOOLEAN),
            Meaning::Info(Info::HasPrevious),
        ),
        plain(
            "startCursor",
            TypeRef::nullable(STRING),
            Meaning::Info(Info::Start),
        ),
    ]
}

fn plain<'a>(name: &'a str, r#type: TypeRef, meaning: Meaning<'a>) -> FieldDefinition<'a> {
    FieldDefinition {
        name,
        r#type,
        arguments: Vec::new(),
        meaning,
    }
}
