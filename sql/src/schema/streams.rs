//! Streaming subscriptions: the root field `t_stream` and the input types of its cursor. A stream
//! delivers the rows of a table in the order of a column, from a given value on.

use super::*;

impl<'a> Schema<'a> {
    /// Whether the role's schema has the root field, which is a stream.
    pub(super) fn stream_granted(&self, root: &Root) -> bool {
        root.kind == RootKind::Stream && self.has_stream(root.table)
    }

    /// Whether rows of the table can be streamed: they have a key, which decides between rows of
    /// equal cursors.
    pub(super) fn has_stream(&self, table: TableId) -> bool {
        let granted = self
            .access
            .read(table, Purpose::Root(RootKind::Stream))
            .is_some();
        let named = || {
            self.model
                .roots()
                .any(|root| root.kind == RootKind::Stream && root.table == table)
        };
        granted && named() && self.has_fields(table) && self.key_columns(table).is_some()
    }

    /// The root field.
    pub(super) fn stream(&self, root: &'a Root) -> FieldDefinition<'a> {
        let table = root.table;
        let spelling = self.spelling(root.table);
        let size = TypeRef::required(TypeKey::BuiltIn(BuiltIn::Int));
        let cursor = TypeRef {
            sparse: true,
            ..TypeRef::required_list(TypeKey::Input(InputObject::StreamCursor(table)))
        };
        let condition = TypeRef::nullable(TypeKey::Input(InputObject::BoolExp(table)));
        let arguments = vec![
            Argument {
                name: spelling.field("batch_size"),
                r#type: size,
            },
            Argument {
                name: "cursor",
                r#type: cursor,
            },
            Argument {
                name: "where",
                r#type: condition,
            },
        ];
        let rows = TypeRef::required_list(TypeKey::Object(Object::Row(table)));
        FieldDefinition {
            name: &root.name,
            r#type: rows,
            arguments,
            meaning: Meaning::Root(root),
        }
    }

    /// The fields of `t_stream_cursor_input`.
    pub(super) fn stream_cursor_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let spelling = self.spelling(table);
        let value = TypeRef::required(TypeKey::Input(InputObject::StreamCursorValue(table)));
        let ordering = TypeRef::nullable(TypeKey::Enum(Enum::CursorOrdering(spelling)));
        vec![
            InputField {
                name: spelling.field("initial_value"),
                r#type: value,
                meaning: InputMeaning::Part,
            },
            InputField {
                name: "ordering",
                r#type: ordering,
                meaning: InputMeaning::Part,
            },
        ]
    }

    /// The fields of `t_stream_cursor_value_input`: the columns that rows can be sorted by.
    pub(super) fn stream_value_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let order = InputObject::OrderBy(table);
        let sorted = self
            .columns(table)
            .into_iter()
            .filter(|(_, name)| self.input_field(order, name).is_some());
        let field = |(column, name)| {
            let r#type = TypeRef::nullable(self.column_named(table, column));
            InputField {
                name,
                r#type,
                meaning: InputMeaning::Column(column),
            }
        };
        sorted.map(field).collect()
    }

    /// `cursor_ordering`, if a table that can be streamed spells it so.
    pub(super) fn cursor_ordering(&self, name: &str) -> Option<TypeKey> {
        let spelling = Spelling::ALL
            .into_iter()
            .find(|spelling| spelling.type_name("cursor_ordering") == name)?;
        let mut readable = self.readable();
        let spelled = readable
            .any(|(exposed, _)| exposed.spelling() == spelling && self.has_stream(exposed.table));
        spelled.then_some(TypeKey::Enum(Enum::CursorOrdering(spelling)))
    }
}
