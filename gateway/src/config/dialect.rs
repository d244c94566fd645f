//! The compatibility profile: the gateway's own behaviour, or Hasura's. Each difference that a
//! profile makes is a method here; the wording of errors is in [`crate::error`].

use permissions::Defaults;
use sql::model::DefaultExposure;
use sql::model::names::Convention;
use sql::resolve::Coercion;

/// The compatibility profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// The gateway's own behaviour.
    #[default]
    Gateway,
    /// The behaviour of Hasura 2, for clients that were written for it.
    Hasura,
}

impl Profile {
    /// The default prefix of session headers and claims.
    pub fn header_prefix(self) -> &'static str {
        match self {
            Profile::Gateway => "X-Gateway-",
            Profile::Hasura => "X-Hasura-",
        }
    }

    /// The default namespace of a token's claims.
    pub fn claims_namespace(self) -> &'static str {
        match self {
            Profile::Gateway => "gateway",
            Profile::Hasura => "https://hasura.io/jwt/claims",
        }
    }

    /// The defaults of the permission file.
    pub fn defaults(self) -> Defaults {
        match self {
            Profile::Gateway => Defaults::default(),
            Profile::Hasura => Defaults {
                convention: Convention::Snake,
                offer: DefaultExposure::AsHasura,
                ..Defaults::default()
            },
        }
    }

    /// How strictly the values of a request are coerced to their types.
    pub fn coercion(self) -> Coercion {
        match self {
            Profile::Gateway => Coercion::Strict,
            Profile::Hasura => Coercion::Loose,
        }
    }

    /// Whether a token may grant the role `admin`.
    pub fn trusts_admin_tokens(self) -> bool {
        self == Profile::Hasura
    }
}
