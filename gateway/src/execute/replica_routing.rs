//! Decides which queries read from replicas. Mutations, subscriptions, batches and operations on
//! WebSockets always use the primary.

use std::collections::HashSet;
use std::time::Duration;

use pg::replicas::Replicas;
use pg::{DatabaseError, WalPosition};
use serde::Deserialize;

use crate::config::{ConfigError, ConfigTables};

/// Replicas, and which queries read from them.
#[derive(Debug)]
pub struct ReplicaRouting {
    /// The replicas.
    pub replicas: Replicas,
    rules: ReplicaRules,
}

/// `[replicas]` of the settings file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplicaRules {
    /// The roles whose queries read from replicas; all if there is no list.
    roles: Option<HashSet<String>>,
    /// The operations that read from replicas; all if there is no list.
    operations: Option<HashSet<String>>,
    /// The most seconds by which a replica may be behind.
    #[serde(default = "max_lag")]
    max_lag: f64,
}

/// From where a query reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadSource {
    /// The primary.
    #[default]
    Primary,
    /// A replica, if there is one that has replayed this position.
    Replica(Option<WalPosition>),
}

const SECTION: &str = "replicas";

fn max_lag() -> f64 {
    10.0
}

impl Default for ReplicaRules {
    fn default() -> ReplicaRules {
        ReplicaRules {
            roles: None,
            operations: None,
            max_lag: max_lag(),
        }
    }
}

impl ReplicaRules {
    /// Reads `[replicas]`.
    pub fn read(sections: &ConfigTables) -> Result<ReplicaRules, ConfigError> {
        let rules = sections.read::<ReplicaRules>(SECTION)?.unwrap_or_default();
        match Duration::try_from_secs_f64(rules.max_lag) {
            Ok(lag) if !lag.is_zero() && rules.max_lag <= 86_400.0 => Ok(rules),
            _ => Err(sections.fault(
                SECTION,
                "`max_lag` has to be a number of seconds, at most a day",
            )),
        }
    }

    /// The first role that does not exist.
    pub fn check_roles(
        &self,
        sections: &ConfigTables,
        exists: impl Fn(&str) -> bool,
    ) -> Result<(), ConfigError> {
        let mut unknown: Vec<_> = self
            .roles
            .iter()
            .flatten()
            .filter(|role| !exists(role))
            .collect();
        unknown.sort();
        match unknown.first() {
            Some(role) => {
                Err(sections.fault(SECTION, format!("the permission file has no role `{role}`")))
            }
            None => Ok(()),
        }
    }

    /// The most time by which a replica may be behind.
    pub fn max_lag(&self) -> Duration {
        Duration::try_from_secs_f64(self.max_lag).unwrap_or_default()
    }

    fn allow(&self, role: &str, operation: Option<&str>) -> bool {
        self.roles.as_ref().is_none_or(|roles| roles.contains(role))
            && self
                .operations
                .as_ref()
                .is_none_or(|known| operation.is_some_and(|name| known.contains(name)))
    }
}

impl ReplicaRouting {
    /// Replicas with these rules.
    pub fn new(replicas: Replicas, rules: ReplicaRules) -> ReplicaRouting {
        ReplicaRouting { replicas, rules }
    }

    /// From where an operation of this role may read, if its transport allows `source`.
    pub(super) fn route(
        &self,
        source: ReadSource,
        role: &str,
        operation: Option<&str>,
    ) -> ReadSource {
        if self.rules.allow(role, operation) {
            source
        } else {
            ReadSource::Primary
        }
    }
}

/// Whether the primary may be able to answer what a replica has failed to: not if a value caused
/// the error, which would cause it there as well, nor if a function or a server that Postgres calls
/// refuses the request.
pub(super) fn is_of_replica(fault: &DatabaseError) -> bool {
    match fault {
        DatabaseError::Unavailable(_)
        | DatabaseError::Protocol(_)
        | DatabaseError::SchemaChanged(_) => true,
        DatabaseError::Refused(refusal) => {
            let class = refusal.sqlstate.get(..2).unwrap_or_default();
            let is_passed_on = matches!(class, "08" | "57" | "HV") || refusal.is_raised();
            !is_passed_on && !refusal.is_of_value && !matches!(class, "22" | "23" | "53" | "54")
        }
        DatabaseError::Timeout(_)
        | DatabaseError::Queue(_)
        | DatabaseError::OutOfMemory(_)
        | DatabaseError::RowTooLong(_)
        | DatabaseError::Unreadable(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use pg::PostgresError;

    fn rules(text: &str) -> Result<ReplicaRules, ConfigError> {
        ReplicaRules::read(&ConfigTables::parse(Path::new("gateway.toml"), text))
    }

    #[test]
    fn lists_limit_roles_and_operations() {
        let all = rules("").unwrap();
        assert!(all.allow("user", None) && all.max_lag() == Duration::from_secs(10));
        let some =
            rules("[replicas]\nroles = [\"report\"]\noperations = [\"Sales\"]\nmax_lag = 0.5")
                .unwrap();
        let allowed = [
            ("report", Some("Sales")),
            ("report", Some("Stock")),
            ("report", None),
            ("user", Some("Sales")),
        ];
        assert_eq!(
            allowed.map(|(role, operation)| some.allow(role, operation)),
            [true, false, false, false]
        );
        let sections = ConfigTables::parse(Path::new("gateway.toml"), "[replicas]");
        assert!(some.check_roles(&sections, |_| true).is_ok());
        assert!(
            some.check_roles(&sections, |_| false)
                .unwrap_err()
                .to_string()
                .contains("`report`")
        );
        for wrong in ["max_lag = 0", "max_lag = -1", "max_lag = 1e9", "lag = 1"] {
            assert!(rules(&format!("[replicas]\n{wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn primary_does_not_repeat_what_a_value_has_caused() {
        let refused = |sqlstate: &str| {
            DatabaseError::Refused(PostgresError {
                sqlstate: sqlstate.into(),
                ..PostgresError::default()
            })
        };
        // A conflict with recovery, a write, a column that the replica does not have yet.
        assert!(
            ["40001", "25006", "42703"]
                .iter()
                .all(|code| is_of_replica(&refused(code)))
        );
        assert!(
            !is_of_replica(&refused("22012"))
                && !is_of_replica(&DatabaseError::Timeout(Duration::ZERO))
        );
        assert!(
            !["P0001", "QT001", "08001", "57014"]
                .iter()
                .any(|code| is_of_replica(&refused(code)))
        );
        assert!(is_of_replica(&DatabaseError::Unavailable("gone".into())));
    }
}
