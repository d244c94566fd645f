//! Whose manners the gateway has: its own, or Hasura's. What follows from that is asked here; the words of errors are in
//! [`crate::error`].

use permissions::Defaults;
use sql::model::DefaultExposure;
use sql::model::names::Convention;
use sql::resolve::Coercion;

/// Whose manners the gateway has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Its own.
    #[default]
    Gateway,
    /// Those of Hasura 2, for clients that were written for it.
    Hasura,
}

impl Profile {
    /// Every profile's name.
    pub const NAMES: &'static [&'static str] = &["gateway", "hasura"];

    /// The profile of that name; there is no other than those of [`Profile::NAMES`].
    pub fn named(name: &str) -> Profile {
        match name {
            "hasura" => Profile::Hasura,
            _ => Profile::Gateway,
        }
    }

    /// How headers and claims of the session begin, unless a setting says so.
    pub fn header_prefix(self) -> &'static str {
        match self {
            Profile::Gateway => "X-Gateway-",
            Profile::Hasura => "X-Hasura-",
        }
    }

    /// Where a token has its claims, unless the JWT secret says so.
    pub fn claims_namespace(self) -> &'static str {
        match self {
            Profile::Gateway => "gateway",
            Profile::Hasura => "https://hasura.io/jwt/claims",
        }
    }

    /// What holds where the permission file does not say.
    pub fn defaults(self) -> Defaults {
        match self {
            Profile::Gateway => Defaults::default(),
            Profile::Hasura => Defaults { convention: Convention::Snake, offer: DefaultExposure::AsHasura },
        }
    }

    /// How the values of a request are held against their types.
    pub fn coercion(self) -> Coercion {
        match self {
            Profile::Gateway => Coercion::Strict,
            Profile::Hasura => Coercion::Loose,
        }
    }

    /// Whether a token can make its holder admin.
    pub fn trusts_admin_tokens(self) -> bool {
        self == Profile::Hasura
    }
}
