//! All errors of a REST map: one variant for each cause, with its code and its message.

/// An error in a map or one of its documents, with its position.
pub type Problem = permissions::Diagnostic<Fault>;

permissions::faults! {
    /// The text is not TOML.
    Syntax { message: String } "syntax" "the file is not valid TOML: {message}";
    /// An unknown key.
    UnknownKey { key: String, within: &'static str } "unknown-key"
        "`{key}` is not a key of {within}";
    /// An environment variable that is not set.
    UnsetVariable { name: String } "unset-variable" "the environment variable `{name}` is not set";
    /// A value of the wrong type.
    WrongType { key: String, expected: &'static str } "wrong-type" "`{key}` must be {expected}";
    /// A required key is absent.
    Missing { key: &'static str } "missing-key" "the endpoint has no `{key}`";
    /// No document, or more than one.
    Documents {} "missing-key" "an endpoint has one of `document`, `query` and `sql`";
    /// A method that an endpoint cannot have.
    UnknownMethod { word: String } "unknown-word"
        "`{word}` is not a method that an endpoint can have";
    /// A list that names something twice.
    Twice { name: String } "duplicate" "`{name}` is named twice";
    /// An invalid path.
    Path { path: String, reason: &'static str } "path" "`{path}` is not a path: {reason}";
    /// A path that the gateway itself serves.
    Reserved { path: String } "path" "`{path}` is reserved for the gateway";
    /// Two endpoints with the same path and method.
    Taken { path: String, method: String } "duplicate"
        "another endpoint serves {method} at `{path}`";
    /// A path that matches the same requests as another endpoint's, with other parameter names.
    Renamed { path: String, other: String } "path"
        "`{path}` matches the same requests as `{other}`, so its parameters must have the same \
         names";
    /// A document that cannot be read.
    Unreadable { path: String, reason: String } "unreadable" "cannot read `{path}`: {reason}";
    /// An operation that the document does not have.
    NoOperation { operation: String } "unknown-operation"
        "the document has no operation `{operation}`";
    /// Several operations, of which none is selected.
    WhichOperation {} "missing-key"
        "the document has several operations, and `operation` selects none";
    /// A document that is not valid GraphQL, or exceeds a limit.
    Document { message: String } "document" "{message}";
    /// A subscription.
    Subscription {} "subscription" "a subscription cannot be an endpoint";
    /// A document that is valid for no role.
    NoRole { message: String } "no-role" "the document is valid for no role: {message}";
    /// A document that is not valid for a role that the endpoint names.
    NotForRole { role: String, message: String } "not-for-role"
        "the document is not valid for role `{role}`: {message}";
    /// A role that does not exist.
    UnknownRole { role: String } "unknown-role" "there is no role `{role}`";
    /// A path parameter that the operation does not declare.
    NoVariable { name: String } "unknown-variable" "the operation declares no variable `{name}`";
    /// A parameter that the statement does not have.
    NoParameter { name: String } "unknown-parameter" "the statement has no parameter `{name}`";
    /// A `single` field that is not the only root field.
    NotSingle { field: String } "single" "`{field}` is not the only root field of the operation";
    /// A `single` field that the response of a statement does not have.
    NotRows { field: String } "single" "the response of a statement has `rows`, not `{field}`";
    /// An invalid value of `Cache-Control`.
    CacheControl { reason: String } "cache-control" "`cache_control`: {reason}";
    /// A cache setting on an endpoint that writes.
    KeptWriting { key: &'static str } "cache-writing"
        "`{key}` is for endpoints that read, and this one writes";
    /// Caching of a query that calls a volatile function.
    KeptVolatile {} "cache-volatile"
        "`cache_seconds`: the endpoint calls a volatile function, whose result may differ with \
         each call";
    /// A table that the database does not have.
    UnknownTable { table: String } "unknown-table" "table `{table}` is not in the database";
    /// A table without a primary key of one column.
    Key { table: String } "no-key" "table `{table}` has no primary key of one column";
    /// An invalid parameter name.
    NoName { name: String } "name" "`{name}` is not a valid parameter name";
    /// A variable whose type is not that of the table's key.
    NoKeyOf { name: String, found: String, table: String, expected: String } "wrong-type"
        "`{name}` is a `{found}`, and the key of `{table}` a `{expected}`";
    /// A key for statements on an endpoint with a GraphQL document.
    OnlySql { key: &'static str } "only-sql"
        "`{key}` is for `sql`, and the endpoint has a document";
    /// A statement that the SQL checker rejects.
    Statement { message: String } "statement" "{message}";
    /// A statement that calls a function which may read anything.
    Calls { what: String } "statement"
        "{what} is not known to be Postgres' own and to read nothing";
    /// A statement whose called functions Postgres could not determine.
    Opaque { message: String } "postgres"
        "Postgres does not say what the statement calls: {message}";
    /// A statement that Postgres rejects.
    Refused { message: String } "postgres" "Postgres rejects the statement: {message}";
    /// A statement that a role which the endpoint names cannot run.
    StatementNotForRole { role: String, message: String } "not-for-role"
        "role `{role}` cannot run the statement: {message}";
    /// A parameter whose type differs between roles.
    ParameterType { name: String, role: String, found: String, expected: String } "parameter-type"
        "parameter `{name}` is a `{found}` for role `{role}`, and a `{expected}` for others";
    /// An invalid operation name.
    OperationName { name: String } "name" "`{name}` is not a valid operation name";
    /// A column without a name.
    Unnamed {} "unnamed-column" "a column of the statement has no name";
    /// A query without columns.
    NoColumns {} "no-columns" "the statement returns no columns";
    /// `unchecked` on a statement that does not need it.
    NothingUnchecked {} "needless" "nothing of the statement needs `unchecked`";
    /// An unchecked statement that names no roles.
    UncheckedRoles {} "missing-key"
        "an unchecked statement needs `roles`: nothing else limits who may run it";
}
