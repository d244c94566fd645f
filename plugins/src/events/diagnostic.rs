//! The faults of event triggers and schedules: one variant for each cause, with its code and its
//! message.

permissions::faults! {
    /// The text is not TOML.
    Syntax { message: String } "syntax" "the file is not valid TOML: {message}";
    /// An unknown key.
    UnknownKey { key: String, within: &'static str } "unknown-key"
        "`{key}` is not a key of {within}";
    /// A value of the wrong type.
    WrongType { key: String, expected: &'static str } "wrong-type" "`{key}` must be {expected}";
    /// A name that a trigger cannot have.
    Name { name: String } "name" "`{name}` cannot be the name of a trigger";
    /// Two triggers with the same name.
    SameName { name: String } "duplicate"
        "`{name}` is the name of another event trigger or schedule, too";
    /// An event trigger that nothing fires.
    NothingFires { name: String } "missing-key"
        "nothing fires `{name}`: it has none of `insert`, `update`, `delete` and `manual`";
    /// Operations without a table.
    NoTable { name: String } "missing-key" "`{name}` has no `table`";
    /// A required key is absent.
    Missing { key: &'static str, name: String } "missing-key" "`{name}` has no `{key}`";
    /// No target.
    NoTarget { name: String } "missing-key"
        "`{name}` has no target: one of `webhook`, `webhook_from_env` and `function`";
    /// More than one target.
    Targets { one: &'static str, other: &'static str } "contradiction"
        "`{one}` and `{other}` exclude each other";
    /// A table that the database does not have.
    UnknownTable { table: String } "unknown-table" "table `{table}` is not in the database";
    /// A relation that has no row triggers.
    NotTable { table: String } "not-a-table" "`{table}` is a view: only tables have events";
    /// A column that is not in its table.
    UnknownColumn { column: String, table: String } "unknown-column"
        "column `{column}` is not in `{table}`";
    /// A function that the database does not have.
    UnknownFunction { function: String } "unknown-function"
        "function `{function}` is not in the database";
    /// A function with other parameters.
    Parameters { function: String } "parameters"
        "`{function}` cannot be called with one argument of type json or jsonb";
    /// An invalid URL.
    Url { reason: String } "url" "the webhook is not a valid URL: {reason}";
    /// A variable that is not in the environment.
    Environment { variable: String } "environment"
        "the environment variable `{variable}` is not set";
    /// An invalid header.
    Header { name: String } "header" "`{name}` is not a header with a valid value";
    /// A header that the gateway sets.
    OwnHeader { name: String } "header" "the header `{name}` is set by the gateway";
    /// A header without value, or with two.
    HeaderValue {} "header" "a header has a `name`, and either a `value` or `value_from_env`";
    /// A secret without value, or with two.
    SecretValue {} "secret" "a secret has either a `value` or `value_from_env`";
    /// A secret in another form.
    Secret {} "secret" "a secret is `whsec_` and from 24 to 64 bytes in base64";
    /// A template that is not understood.
    Template { reason: String } "template" "this template is not supported: {reason}";
    /// Secrets of a function.
    OnlyWebhook { key: &'static str } "only-webhook"
        "`{key}` is for webhooks, and the target is a function";
    /// A number that is out of range.
    Range { key: &'static str, least: u64, most: u64 } "range"
        "`{key}` must be a number from {least} to {most}";
    /// Two spellings of one key.
    TwoSpellings { key: &'static str, other: &'static str } "duplicate"
        "`{key}` and `{other}` are the same";
    /// An unknown status or class of statuses.
    Status { status: String } "status"
        "`{status}` is neither a status such as `404` nor a class such as `4xx`";
    /// A word other than the allowed ones.
    UnknownWord { word: String, what: &'static str } "unknown-word" "`{word}` is not {what}";
    /// An invalid cron expression.
    Cron { expression: String, reason: String } "cron"
        "`{expression}` is not a cron expression: {reason}";
    /// A time zone that is not in the IANA database.
    TimeZone { zone: String } "time-zone" "`{zone}` is not a time zone";
    /// A key that only updates have.
    OnlyUpdate { key: &'static str } "only-update" "`{key}` beside `columns` is for `update`";
}

impl From<permissions::TomlFault> for Fault {
    fn from(fault: permissions::TomlFault) -> Fault {
        match fault {
            permissions::TomlFault::Syntax(message) => Fault::Syntax { message },
            permissions::TomlFault::UnknownKey { key, within } => Fault::UnknownKey { key, within },
            permissions::TomlFault::WrongType { key, expected, .. } => {
                Fault::WrongType { key, expected }
            }
            permissions::TomlFault::UnsetVariable(variable) => Fault::Environment { variable },
        }
    }
}
