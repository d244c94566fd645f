//! What can be wrong with the settings of issuers.

/// An error in `--jwt-secret`. Keys are not repeated.
#[derive(Debug, thiserror::Error)]
pub enum JwtConfigError {
    /// Invalid JSON, or JSON with wrong members.
    #[error(
        "the JWT secret cannot be read: line {line}, column {column}: {message}; it is a JSON \
             object like {{\"type\":\"HS256\",\"key\":\"…\"}}, not the key alone"
    )]
    Json {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// A short description.
        message: String,
    },
    /// An empty list.
    #[error("the JWT secret is an empty list")]
    Empty,
    /// An unknown `type`. The value is not repeated, because it may be a key written there by
    /// mistake, and the message is logged.
    #[error(
        "the `type` of the JWT secret is none there is; it can be HS256, HS384, HS512, \
             RS256, RS384, RS512, PS256, PS384, PS512, \
             ES256, ES384 or EdDSA"
    )]
    Algorithm,
    /// Neither `key` nor `jwk_url`.
    #[error("the JWT secret has no `key`")]
    NoKey,
    /// No `type`.
    #[error("the JWT secret has no `type`")]
    NoType,
    /// A `jwk_url` that is not an http or https URL.
    #[error("the `jwk_url` of the JWT secret is not an http or https URL")]
    KeyUrl,
    /// Both a `key` and a `jwk_url`.
    #[error("the JWT secret has both a `key` and a `jwk_url`")]
    TwoKeys,
    /// Both a `kid` and a `jwk_url`: published keys have their own ids.
    #[error("the JWT secret has both a `kid` and a `jwk_url`, whose keys have their own")]
    KeyId,
    /// Two keys of which one would have no effect.
    #[error("the JWT secret has both a `{0}` and a `{1}`, which {2}")]
    Together(&'static str, &'static str, &'static str),
    /// A key that does not match its type.
    #[error("the key of the JWT secret is not {0}")]
    Key(&'static str),
    /// An invalid path of a claim.
    #[error("the JWT secret has for `{0}` a path that is not like `$.a.b[0]`")]
    Path(String),
    /// A shared key that is shorter than its hash.
    /// <https://www.rfc-editor.org/rfc/rfc7518#section-3.2>
    #[error(
        "the key of the JWT secret is shorter than the {0} bytes that its `type` needs (RFC \
             7518, section 3.2)"
    )]
    Short(usize),
    /// A mapping with two spellings of one claim.
    #[error("the `claims_map` of the JWT secret has `{0}` twice, in two spellings")]
    MappedTwice(String),
    /// A mapping without one of the roles.
    #[error("the `claims_map` of the JWT secret has no `{0}`")]
    Unmapped(String),
}
