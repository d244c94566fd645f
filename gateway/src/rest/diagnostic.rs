//! Everything that can be wrong with a REST map: one variant a cause, its code and its words.

permissions::faults! {
    /// The text is not TOML.
    Syntax { message: String } "syntax" "the file is not valid TOML: {message}";
    /// A key that means nothing here.
    UnknownKey { key: String, within: &'static str } "unknown-key" "`{key}` is not a key of {within}";
    /// A value of the wrong type.
    WrongType { key: String, expected: &'static str } "wrong-type" "`{key}` must be {expected}";
    /// A required key is absent.
    Missing { key: &'static str } "missing-key" "the endpoint has no `{key}`";
    /// No document, or more than one.
    Documents {} "missing-key" "an endpoint has one of `document`, `query` and `sql`";
    /// A word that is not among the allowed ones.
    UnknownMethod { word: String } "unknown-word" "`{word}` is not a method that an endpoint can have";
    /// A list that names something twice.
    Twice { name: String } "duplicate" "`{name}` is named twice";
    /// A path that is none.
    Path { path: String, reason: &'static str } "path" "`{path}` is not a path: {reason}";
    /// A path that is the gateway's own.
    Reserved { path: String } "path" "`{path}` is a path of the gateway's own";
    /// Two endpoints that answer the same.
    Taken { path: String, method: String } "duplicate" "another endpoint answers {method} at `{path}`";
    /// A path of another endpoint, with other names.
    Renamed { path: String, other: String } "path" "`{path}` leads where `{other}` does, so its parameters have to be called the same";
    /// A document that cannot be read.
    Unreadable { path: String, reason: String } "unreadable" "cannot read `{path}`: {reason}";
    /// An operation that its document has not.
    NoOperation { operation: String } "unknown-operation" "the document has no operation `{operation}`";
    /// Several operations, of which none is picked.
    WhichOperation {} "missing-key" "the document has several operations, and `operation` picks none";
    /// A document that is no GraphQL, or breaks a bound.
    Document { message: String } "document" "{message}";
    /// A subscription.
    Subscription {} "subscription" "a subscription cannot be an endpoint";
    /// A document that fits no role's schema.
    NoRole { message: String } "no-role" "the document is valid for no role: {message}";
    /// A document that does not fit the schema of a role that is named.
    NotForRole { role: String, message: String } "not-for-role" "the document is not valid for role `{role}`: {message}";
    /// A role that there is not.
    UnknownRole { role: String } "unknown-role" "there is no role `{role}`";
    /// A parameter of the path that the operation does not declare.
    NoVariable { name: String } "unknown-variable" "the operation declares no variable `{name}`";
    /// A parameter that the statement does not have.
    NoParameter { name: String } "unknown-parameter" "the statement has no parameter `{name}`";
    /// A root field that is not the only one.
    NotSingle { field: String } "single" "`{field}` is not the only root field of the operation";
    /// A field that the answers of statements do not have.
    NotRows { field: String } "single" "a statement answers with `rows`, not with `{field}`";
    /// A value that `Cache-Control` cannot have.
    CacheControl { reason: String } "cache-control" "`cache_control`: {reason}";
    /// Answers of a mutation.
    KeptWriting { key: &'static str } "cache-writing" "`{key}` is for endpoints that read, and this one writes";
    /// Answers of a query that calls a volatile function.
    KeptVolatile {} "cache-volatile" "`cache_seconds`: the endpoint calls a volatile function, of which each call matters";
    /// A table that the database has not.
    UnknownTable { table: String } "unknown-table" "table `{table}` is not in the database";
    /// A table whose key is not one column.
    Key { table: String } "no-key" "table `{table}` has no primary key of one column";
    /// What no parameter can be called.
    NoName { name: String } "name" "`{name}` is no name for a parameter";
    /// A variable that is no key of the table.
    NoKeyOf { name: String, found: String, table: String, expected: String } "wrong-type" "`{name}` is a `{found}`, and the key of `{table}` a `{expected}`";
    /// A key for statements, beside a document.
    OnlySql { key: &'static str } "only-sql" "`{key}` is for `sql`, and the endpoint has a document";
    /// A statement that is not what one can be.
    Statement { message: String } "statement" "{message}";
    /// A statement that calls what may read anything.
    Calls { what: String } "statement" "{what} is not known to be Postgres' own and to read nothing";
    /// A statement of which Postgres does not say what it calls.
    Opaque { message: String } "postgres" "Postgres does not say what the statement calls: {message}";
    /// A statement that Postgres does not take.
    Refused { message: String } "postgres" "Postgres refuses the statement: {message}";
    /// A statement that a role which is named cannot ask.
    StatementNotForRole { role: String, message: String } "not-for-role" "role `{role}` cannot ask the statement: {message}";
    /// A parameter that is of another type for another role.
    ParameterType { name: String, role: String, found: String, expected: String } "parameter-type" "parameter `{name}` is a `{found}` for role `{role}`, and a `{expected}` for others";
    /// What no operation can be called.
    OperationName { name: String } "name" "`{name}` is no name for an operation";
    /// A column that nobody has named.
    Unnamed {} "unnamed-column" "a column of the statement has no name";
    /// A query without columns.
    NoColumns {} "no-columns" "the statement returns no columns";
    /// A statement of which nothing is unchecked.
    NothingUnchecked {} "needless" "nothing of the statement needs `unchecked`";
    /// A statement that nothing limits, for anybody.
    UncheckedRoles {} "missing-key" "an unchecked statement needs `roles`: nothing else says who may ask it";
}
