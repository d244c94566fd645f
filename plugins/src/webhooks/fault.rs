//! The faults of declarations of webhooks: one variant for each cause, with its code and its
//! message.

permissions::faults! {
    /// The text is not TOML.
    Syntax { message: String } "syntax" "the file is not valid TOML: {message}";
    /// An unknown key.
    UnknownKey { key: String, within: &'static str } "unknown-key"
        "`{key}` is not a key of {within}";
    /// A value of the wrong type, or out of range.
    WrongType { key: String, expected: &'static str } "wrong-type" "`{key}` must be {expected}";
    /// A required key is absent.
    Missing { key: &'static str, within: String } "missing-key" "{within} has no `{key}`";
    /// A file that cannot be read.
    Unreadable { path: String, reason: String } "unreadable" "cannot read `{path}`: {reason}";
    /// Two services with one name.
    Twice { name: String } "duplicate" "there are two services `{name}`";
    /// A name that no path can contain.
    ServiceName { name: String } "name" "`{name}` is not a name of a service";
    /// A service without a method of verification.
    NoMethod { service: String } "no-verification" "nothing verifies the senders of `{service}`";
    /// A word other than the known ones.
    UnknownWord { word: String, what: &'static str } "unknown-word" "`{word}` is not {what}";
    /// A text that is not the name of a header.
    HeaderName { name: String } "header" "`{name}` is not the name of a header";
    /// A header whose value must not be stored.
    PrivateHeader { name: String } "private-header"
        "`{name}` proves who the sender is, and must not be stored";
    /// Two keys of which one is enough.
    Together { one: &'static str, other: &'static str } "contradiction"
        "`{one}` and `{other}` exclude each other";
    /// A method without a secret.
    NoSecret { method: &'static str } "missing-secret" "`{method}` has no secret";
    /// An environment variable that is not set.
    NoVariable { name: String } "missing-variable"
        "the environment variable `{name}` is not set, or empty";
    /// A secret that can be guessed.
    WeakSecret { reason: &'static str } "weak-secret" "the secret can be guessed: it has {reason}";
    /// A secret in another format than its method takes.
    SecretFormat { expected: &'static str } "secret-format" "the secret has to be {expected}";
    /// A text that is not the digest of a key.
    Digest { did: String } "digest"
        "the digest for `{did}` is not a SHA-256 digest in 64 hexadecimal digits";
    /// A function that the database does not have.
    UnknownFunction { function: String } "unknown-function"
        "function `{function}(postern.webhook_delivery)` is not in the database";
    /// A function that the gateway's user may not call.
    NoPrivilege { function: String } "no-privilege" "the database user may not call `{function}`";
    /// A query that Postgres rejects.
    Query { message: String } "query" "Postgres rejects the query: {message}";
    /// A query with other parameters or columns.
    QueryShape { reason: &'static str } "query" "the query has to have {reason}";
    /// A database without the gateway's tables.
    NotMigrated {} "not-migrated"
        "the schema `postern` is not in the database, or an older version";
}
