//! The tables of the settings file that the gateway itself reads, in one list for the start,
//! reloads and `postern check`. Tables of plugins are read when these are prepared.

use permissions::Permissions;

use super::start_error::{StartError, StartErrors};
use crate::auth::check_roles;
use crate::auth::client_address::TrustedProxies;
use crate::auth::trace_context::TraceparentTrust;
use crate::config::Config;
use crate::execute::read_cache::ReadCache;
use crate::execute::{RaisedErrors, ReplicaRules};
use crate::limits::LimitsConfig;
use crate::rate_limit::RateLimiter;

/// What the tables say, and the settings that are lists with a form of their own.
#[derive(Debug)]
pub struct SettingsTables {
    /// `[bounds]`.
    pub limits: LimitsConfig,
    /// `[[rates]]`.
    pub rate_limiter: RateLimiter,
    /// `trusted_proxies`.
    pub proxies: TrustedProxies,
    /// `trust_traceparent`.
    pub traceparent_trust: TraceparentTrust,
    /// `[errors]`.
    pub raised_errors: RaisedErrors,
    /// `[cache]`.
    pub reads: ReadCache,
    /// `[replicas]`.
    pub replica_rules: ReplicaRules,
}

impl SettingsTables {
    /// Reads them; none if one has an error.
    pub fn read(config: &Config, errors: &mut StartErrors) -> Option<SettingsTables> {
        let limits = errors.collect(LimitsConfig::read(config));
        let rate_limiter = errors.collect(RateLimiter::new(config));
        let proxies = errors.collect(TrustedProxies::new(&config.trusted_proxies));
        let traceparent_trust = errors.collect(TraceparentTrust::new(&config.trust_traceparent));
        let raised_errors = errors.collect(RaisedErrors::read(&config.sections));
        let reads = errors.collect(ReadCache::read(&config.sections));
        let replica_rules = errors.collect(ReplicaRules::read(&config.sections));
        Some(SettingsTables {
            limits: limits?,
            rate_limiter: rate_limiter?,
            proxies: proxies?,
            traceparent_trust: traceparent_trust?,
            raised_errors: raised_errors?,
            reads: reads?,
            replica_rules: replica_rules?,
        })
    }

    /// Checks that the permission file has the roles that the settings name.
    pub fn check_roles(
        &self,
        config: &Config,
        permissions: &Permissions,
        has_file: bool,
    ) -> Result<(), StartError> {
        let exists = |role: &str| permissions.role(role).is_some();
        check_roles(config, permissions, has_file)?;
        self.rate_limiter.check_roles(config, exists)?;
        self.limits.check(config, exists)?;
        if has_file {
            self.replica_rules.check_roles(&config.sections, exists)?;
        }
        Ok(())
    }
}
