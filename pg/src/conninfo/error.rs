//! Errors in the connection parameters.

/// An error in the connection parameters. Values are never repeated, since any may be part of a
/// password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConninfoError {
    /// The text is neither a URI nor keywords.
    #[error(
        "the database URL cannot be read; it looks like `postgres://user@host:5432/name`, or \
             `host=… user=… dbname=…`"
    )]
    Form,
    /// The URL of an API or a page.
    #[error(
        "the database URL cannot be read: it is the address of a web site; the database's own \
             begins with `postgres://` (providers call it the connection string)"
    )]
    Web,
    /// An `@` that does not end the user name and password.
    #[error(
        "the database URL cannot be read: an `@` stands before the host alone; elsewhere, in \
             passwords too, `@` is \
             written `%40`, and `/` is written `%2F`"
    )]
    At,
    /// A `%` without two hexadecimal digits, or encoding invalid UTF-8 or a null character.
    #[error(
        "the database URL cannot be read: a `%` is followed by two hexadecimal digits, which \
             encode UTF-8; a `%` itself \
             is written `%25`"
    )]
    Percent,
    /// A parameter without a value.
    #[error("the database URL cannot be read: parameters are written `?name=value&name=value`")]
    Query,
    /// An IPv6 address without brackets.
    #[error("the database URL cannot be read: an IPv6 address is written `[::1]:5432`")]
    Host,
    /// Malformed keywords.
    #[error(
        "the database URL cannot be read: keywords are written `name=value`, and a value \
             with spaces or quotes \
             `'in quotes'`, with `\\` before `'` and `\\`"
    )]
    Keywords,
    /// A parameter that does not exist. Its name is part of the string, so it is not repeated, only
    /// a similar one suggested.
    #[error(
        "a parameter of the database URL does not exist{}",
        suggestion.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
    )]
    Unknown {
        /// A known parameter with a similar name.
        suggestion: Option<&'static str>,
    },
    /// An unsupported parameter that must not be ignored.
    #[error(
        "`{0}` is not supported, and ignoring it would open another connection than the \
             requested one"
    )]
    Unsupported(&'static str),
    /// An invalid value.
    #[error("`{origin}` has to be {expected}")]
    Value {
        /// The parameter, or its environment variable.
        origin: &'static str,
        /// The valid values.
        expected: &'static str,
    },
    /// Lists of different lengths.
    #[error("`{0}` names {1} values for {2} hosts")]
    Count(&'static str, usize, usize),
    /// `sslmode=verify-full` without a host name to verify.
    #[error("sslmode=verify-full needs a host name; `hostaddr` alone is none")]
    NoName,
    /// Direct negotiation with a mode that allows unencrypted connections.
    #[error("sslnegotiation=direct needs sslmode=require, verify-ca or verify-full")]
    WeakDirect,
    /// The system's authorities without host name verification: they issue certificates for every
    /// host.
    #[error(
        "sslrootcert=system needs sslmode=verify-full: the system's authorities sign for every host"
    )]
    WeakSystem,
    /// The operating system reports no user name.
    #[error("no database user is set, and the name of the operating system's user is not known")]
    NoUser,
}

impl ConninfoError {
    /// The error for text without `=`: not a connection string at all, or keywords that are not
    /// quoted.
    pub(super) fn for_keywords(has_some: bool) -> ConninfoError {
        if has_some {
            ConninfoError::Keywords
        } else {
            ConninfoError::Form
        }
    }
}
