//! The limits that this crate enforces.

/// A limit on documents, their variables or the statements made of them. Messages print its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum RequestLimit {
    /// Bytes of a document's text.
    #[error("bytes of a document")]
    Bytes,
    /// Tokens of a document.
    #[error("tokens of a document")]
    Tokens,
    /// Values in arguments, fragments expanded.
    #[error("values of a document")]
    DocumentValues,
    /// Open brackets of a document.
    #[error("nesting of a document")]
    Nesting,
    /// Bytes of a name.
    #[error("bytes of a name")]
    Name,
    /// Nested fragment spreads.
    #[error("fragments inside each other")]
    FragmentNesting,
    /// Nested fields, fragments expanded.
    #[error("depth of a document")]
    Depth,
    /// Fields, fragments expanded.
    #[error("fields of a document")]
    Fields,
    /// Aliases of an operation, fragments expanded.
    #[error("aliases of a document")]
    Aliases,
    /// Root fields of an operation, fragments expanded.
    #[error("root fields of a document")]
    Roots,
    /// Fields of an operation with a selection set, fragments expanded.
    #[error("nodes of a document")]
    Nodes,
    /// Distinct fields of an operation.
    #[error("height of a document")]
    Height,
    /// Nested lists in an introspection query.
    #[error("lists inside each other in introspection")]
    IntrospectionLists,
    /// Fields in the response to an introspection query.
    #[error("fields in an answer to introspection")]
    IntrospectionFields,
    /// Conditions.
    #[error("conditions of a request")]
    Conditions,
    /// Conditions on related rows.
    #[error("conditions on relations of a request")]
    RelationConditions,
    /// Nested conditions on related rows.
    #[error("conditions on relations inside each other")]
    NestedRelationConditions,
    /// Keys of `order_by` that are values of related rows.
    #[error("order_by over relations")]
    RelationOrders,
    /// Relations that one key of `order_by` goes through.
    #[error("order_by over relations inside each other")]
    NestedRelationOrders,
    /// Columns of a stream's cursor.
    #[error("columns of a cursor")]
    StreamCursors,
    /// Keys of an order with cursors.
    #[error("keys of an order with cursors")]
    CursorOrders,
    /// Keys by which groups are ordered.
    #[error("keys of an order of groups")]
    GroupOrders,
    /// Levels of inserted rows.
    #[error("levels of inserted rows")]
    InsertLevels,
    /// Nested inserts.
    #[error("inserts inside each other")]
    NestedInserts,
    /// Different sets of columns among inserted rows.
    #[error("sets of columns among the rows of an insert")]
    InsertColumnSets,
    /// Updates.
    #[error("updates of a request")]
    Updates,
    /// Fields in the responses to all updates.
    #[error("fields that all updates of a request answer")]
    UpdateFields,
    /// Nested changes of related rows.
    #[error("changes of related rows inside each other")]
    NestedChanges,
    /// Parameters of a statement.
    #[error("values of a request")]
    Parameters,
    /// Bytes of parameters.
    #[error("bytes of a request's values")]
    ValueBytes,
    /// Bytes of patterns.
    #[error("bytes of a request's patterns")]
    PatternBytes,
    /// Bytes of a mutation's response, counted by Postgres.
    #[error("bytes of the answer")]
    AnswerBytes,
    /// Bytes of the lists in one row, counted by Postgres.
    #[error("bytes of the lists in a row")]
    ListBytes,
    /// Rows of a list whose rows have lists themselves.
    #[error("rows of a list with lists in them")]
    ListRows,
}
