//! All faults of the files that declare actions: one variant for each cause, with its code and its
//! message.

use permissions::TomlFault;

/// A fault of one of the files, with its position.
pub type Problem = permissions::Diagnostic<Fault>;

permissions::faults! {
    /// The text is not TOML.
    Syntax { message: String } "syntax" "the file is not valid TOML: {message}";
    /// An unknown key.
    UnknownKey { key: String, within: &'static str } "unknown-key"
        "`{key}` is not a key of {within}";
    /// A value of the wrong type.
    WrongType { key: String, expected: &'static str } "wrong-type" "`{key}` must be {expected}";
    /// The text is not a GraphQL document of types.
    Graphql { message: String } "syntax" "the file is not a GraphQL document of types: {message}";
    /// A type or field that actions cannot have.
    Unsupported { what: String } "not-supported" "{what} cannot be declared here";
    /// A name that is not valid in GraphQL.
    NotAName { name: String } "not-a-name" "`{name}` is not a valid GraphQL name";
    /// A type without fields or values.
    Empty { name: String } "empty-type" "`{name}` has no fields";
    /// Two items with one name.
    Twice { name: String } "duplicate" "`{name}` is declared twice";
    /// A name that a table, a function or the gateway uses.
    Clash { name: String, what: &'static str } "name-clash"
        "`{name}` is already the name of {what}";
    /// A type that is declared nowhere.
    UnknownType { name: String } "unknown-type"
        "type `{name}` is neither declared here nor a type of the database";
    /// An output type where an input type is expected, or the other way round.
    WrongKind { name: String, expected: &'static str } "wrong-kind"
        "`{name}` cannot be used here: {expected}";
    /// An action that one of the files does not have.
    Undefined { action: String, file: String } "undefined-action"
        "action `{action}` is not in {file}";
    /// An action under the other root type than `as` says.
    WrongRoot { action: String, found: &'static str } "wrong-root"
        "action `{action}` is declared as a {found}";
    /// An asynchronous query.
    AsynchronousQuery { action: String } "asynchronous-query"
        "action `{action}` is a query, and only mutations can be asynchronous";
    /// More than one handler, or none.
    Handlers { action: String } "handler" "action `{action}` needs one of `handler` and `function`";
    /// A URL that cannot be called.
    Url { reason: String } "url" "this is not a URL that can be called: {reason}";
    /// An environment variable that is not set.
    Environment { name: String } "environment" "environment variable `{name}` is not set";
    /// A header that cannot be sent.
    Header { name: String } "header" "`{name}` is not a header that can be sent";
    /// A header of clients that no handler gets.
    NotForwarded { name: String } "header"
        "`{name}` is not forwarded: it describes the client's connection, or the gateway writes it";
    /// A template that is not understood.
    Template { reason: String } "template" "this template is not supported: {reason}";
    /// Retries of an action that writes.
    Retries {} "retries"
        "only queries are retried: a handler may have done its work before it failed";
    /// A key that needs another kind of handler.
    OnlyWeb { key: &'static str } "only-web" "`{key}` is for actions with a `handler`";
    /// A language model beside another handler than a function.
    OnlyFunction { key: &'static str } "only-function" "`{key}` is for actions with a `function`";
    /// A language model without a key that it needs.
    Model { key: &'static str } "missing-key" "`model` has no `{key}`";
    /// An argument that the action does not have, or that is no text.
    Question { argument: String } "unknown-argument"
        "the action has no argument `{argument}` of the type String";
    /// A field that the action's output does not have, or one of another type.
    ModelField { field: String, expected: &'static str } "unknown-field"
        "the action's output has no field `{field}` that is {expected}";
    /// A role that the permission file does not name.
    UnknownRole { role: String } "unknown-role" "role `{role}` is not in the permission file";
    /// A function that the database does not have.
    UnknownFunction { function: String } "unknown-function"
        "function `{function}` is not in the database";
    /// A name of several functions.
    AmbiguousFunction { function: String, count: usize } "ambiguous-function"
        "there are {count} functions `{function}`";
    /// A function that cannot answer the action.
    Signature { function: String, reason: String } "signature"
        "function `{function}` cannot answer this action: {reason}";
    /// A relation of a type that is no object type.
    UnknownObject { name: String } "unknown-type"
        "`{name}` is not an object type of this file's actions";
    /// A relation to a table that the database does not have.
    UnknownTable { table: String } "unknown-table"
        "table `{table}` is not in the database, or is not exposed";
    /// A relation over a column that the table does not have.
    UnknownColumn { column: String, table: String } "unknown-column"
        "column `{column}` is not in `{table}`";
    /// A relation over a field that the type does not have.
    UnknownField { field: String, name: String } "unknown-field" "`{name}` has no field `{field}`";
    /// A relation whose fields and columns have different types.
    KeyTypes { field: String, found: String, column: String, expected: String } "key-types"
        "field `{field}` is a {found}, and column `{column}` a {expected}";
    /// A relation without keys.
    NoKeys { relation: String } "missing-key"
        "relation `{relation}` has no `on`, so nothing joins it";
    /// Asynchronous actions over a database without the table for them.
    NotMigrated {} "not-migrated"
        "asynchronous actions need the table `postern.action_log`, which `postern migrate` creates";
}

impl From<TomlFault> for Fault {
    fn from(fault: TomlFault) -> Fault {
        match fault {
            TomlFault::Syntax(message) => Fault::Syntax { message },
            TomlFault::UnknownKey { key, within } => Fault::UnknownKey { key, within },
            TomlFault::WrongType { key, expected, .. } => Fault::WrongType { key, expected },
            TomlFault::UnsetVariable(name) => Fault::Environment { name },
        }
    }
}
