//! What the settings of accounts say about factors, as far as tokens depend on it.
//!
//! Before a person changes what they sign in with, they show a factor once more. The access token
//! that they get for it is elevated: it has the claim `<prefix>auth-elevated` with the user's id,
//! which row rules can read as well.

use gateway::auth::claims::Claims;
use gateway::config::{ConfigError, ConfigTables};
use gateway::error::Error;
use serde::Deserialize;

use super::statements;
use super::store::Store;
use super::user::ELEVATED;

/// The table of accounts in the settings file.
const SECTION: &str = "accounts";

/// The settings of factors.
#[derive(Clone, Debug)]
pub(crate) struct FactorPolicy {
    /// When elevation is required.
    pub(crate) elevation: Elevation,
    /// Whether people may have a second factor.
    pub(crate) second_factor: SecondFactor,
    /// The only role of those who need a second factor and have none yet.
    pub(super) enroll_role: Option<String>,
}

/// When elevation is required.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Elevation {
    /// Never.
    Disabled,
    /// Of those who have a second factor or a security key.
    #[default]
    Recommended,
    /// Of everybody.
    Required,
}

/// Whether people may have a second factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SecondFactor {
    /// Nobody may set one up. Those who have one are still asked for it.
    Off,
    /// Everybody may.
    #[default]
    Optional,
    /// Everybody has to.
    Required,
}

/// The part of `[accounts]` that is read here.
#[derive(Deserialize)]
struct RawConfig {
    #[serde(default)]
    elevation: Elevation,
    #[serde(default)]
    second_factor: SecondFactor,
    enroll_role: Option<String>,
}

impl FactorPolicy {
    /// Reads the settings. Without accounts there are no factors.
    pub(super) fn read(sections: &ConfigTables) -> Result<FactorPolicy, ConfigError> {
        let Some(raw) = sections.read::<RawConfig>(SECTION)? else {
            return Ok(FactorPolicy {
                elevation: Elevation::Disabled,
                second_factor: SecondFactor::Off,
                enroll_role: None,
            });
        };
        let is_required = raw.second_factor == SecondFactor::Required;
        if is_required != raw.enroll_role.is_some() {
            let message = "`second_factor = \"required\"` and `enroll_role`, the role of those \
                           who have none yet, need each other";
            return Err(sections.fault(SECTION, message));
        }
        Ok(FactorPolicy {
            elevation: raw.elevation,
            second_factor: raw.second_factor,
            enroll_role: raw.enroll_role,
        })
    }

    /// Whether these claims of a verified token lack the elevation that the user needs.
    pub(crate) async fn lacks_elevation(
        &self,
        store: &Store<'_>,
        claims: &Claims,
        user_id: &str,
    ) -> Result<bool, Error> {
        let is_elevated = claims.values.get(ELEVATED).is_some_and(|id| id == user_id);
        match self.elevation {
            Elevation::Disabled => Ok(false),
            _ if is_elevated => Ok(false),
            Elevation::Required => Ok(true),
            Elevation::Recommended => {
                let parameters = vec![Some(user_id.to_owned())];
                store.read(statements::HAS_FACTOR, parameters).await
            }
        }
    }
}
