//! Chooses from where subscriptions learn of changes: the best source that the database permits, or
//! the one that is set.

use pg::{Database, DatabaseError};
use serde::Deserialize;
use tokio::time::Instant;

use crate::config::SubscriptionSource;

/// The name of the publication that `postern migrate --replication` makes.
pub(super) const PUBLICATION: &str = "postern";

/// The source that is used, and why no better one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenSource {
    /// The source; never [`SubscriptionSource::Auto`].
    pub source: SubscriptionSource,
    /// What is missing for each better source, or for the source to begin.
    pub missing: Vec<String>,
}

/// What is missing for logical replication.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MissingForReplication {
    /// What has to be set up.
    lasting: Vec<String>,
    /// What may be free in a moment.
    momentary: Vec<String>,
}

/// Why the source that is set cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SourceError {
    /// The database does not permit it.
    #[error("`subscription_source` is `{name}`, which this database does not permit: {missing}")]
    Impossible {
        /// The source.
        name: &'static str,
        /// What is missing.
        missing: String,
    },
    /// The database cannot be asked.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// What the database permits.
#[derive(Clone, Debug, Default, Deserialize)]
struct Facts {
    wal_level: String,
    role: String,
    may_replicate: bool,
    is_standby: bool,
    slots: Places,
    senders: Places,
    publication: Option<Publication>,
    has_triggers: bool,
}

/// How the gateway reaches the server.
#[derive(Clone, Copy, Debug)]
struct Reach {
    /// Whether all connections are to one server.
    is_single_server: bool,
    /// Whether connections can have a session of their own.
    has_sessions: bool,
    /// Whether connections can bypass poolers.
    is_direct: bool,
}

impl Reach {
    fn from_database(database: &Database) -> Reach {
        Reach {
            is_single_server: database.is_single_server(),
            has_sessions: database.has_sessions(),
            is_direct: database.is_direct(),
        }
    }
}

/// How many replication slots or WAL senders the server has.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Places {
    most: i64,
    used: i64,
}

#[derive(Clone, Debug, Deserialize)]
struct Publication {
    has_all_changes: bool,
    is_via_root: bool,
    is_narrowed: bool,
}

/// The [`Facts`]. Amazon RDS has a role in place of the attribute REPLICATION. Columns that older
/// versions of Postgres do not have are read as JSON.
const FACTS: &str = "SELECT json_build_object(\
                     'wal_level', current_setting('wal_level'), 'role', current_user, \
                     'may_replicate', (SELECT rolsuper OR rolreplication FROM \
                     pg_catalog.pg_roles WHERE rolname = current_user) \
                     OR EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = \
                     'rds_replication' AND pg_has_role(current_user, oid, 'MEMBER')), \
                     'is_standby', pg_catalog.pg_is_in_recovery(), \
                     'slots', json_build_object('most', \
                     current_setting('max_replication_slots')::int, 'used', (SELECT count(*) \
                     FROM pg_catalog.pg_replication_slots)), \
                     'senders', json_build_object('most', \
                     current_setting('max_wal_senders')::int, 'used', (SELECT count(*) FROM \
                     pg_catalog.pg_stat_replication)), \
                     'publication', (SELECT json_build_object('has_all_changes', pubinsert AND \
                     pubupdate AND pubdelete AND pubtruncate, \
                     'is_via_root', coalesce((to_jsonb(p) ->> 'pubviaroot')::bool, false), \
                     'is_narrowed', EXISTS (SELECT FROM pg_catalog.pg_publication_rel r WHERE \
                     r.prpubid = p.oid \
                     AND (to_jsonb(r) ->> 'prqual' IS NOT NULL OR to_jsonb(r) ->> 'prattrs' IS \
                     NOT NULL))) \
                     FROM pg_catalog.pg_publication p WHERE pubname = $1), \
                     'has_triggers', EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgname = \
                     'postern_notify_write' AND tgenabled <> 'D')\
                     )::text";

/// The SQLSTATE with which Postgres refuses a slot if `max_replication_slots` are in use.
const CONFIGURATION_LIMIT_EXCEEDED: &str = "53400";

/// Why a source cannot be used through a pooler.
const NOT_DIRECT: &str = "the database is behind a pooler, and no `direct_url` is set";

/// Chooses the source for a database.
///
/// Errors: the source that is set is impossible, or the database does not answer.
pub async fn choose(
    database: &Database,
    setting: SubscriptionSource,
    deadline: Instant,
) -> Result<ChosenSource, SourceError> {
    if setting == SubscriptionSource::Snapshot {
        return Ok(ChosenSource {
            source: setting,
            missing: Vec::new(),
        });
    }
    Facts::read(database, deadline)
        .await?
        .choose(setting, Reach::from_database(database))
}

/// What is missing for logical replication; nothing if it can be used.
pub(super) async fn missing_for_replication(
    database: &Database,
    deadline: Instant,
) -> Result<MissingForReplication, DatabaseError> {
    Ok(Facts::read(database, deadline)
        .await?
        .missing_for_replication(Reach::from_database(database)))
}

/// What is missing if the server refused to create a slot because it has none left, in the words of
/// [`choose`].
pub(super) fn missing_slot(fault: &DatabaseError) -> Option<String> {
    match fault {
        DatabaseError::Refused(refusal) if refusal.sqlstate == CONFIGURATION_LIMIT_EXCEEDED => {
            Some(all_in_use("max_replication_slots"))
        }
        _ => None,
    }
}

/// What is wrong with the publication of a running replication.
pub(super) async fn missing_for_publication(
    database: &Database,
    deadline: Instant,
) -> Result<Option<String>, DatabaseError> {
    Ok(Facts::read(database, deadline)
        .await?
        .missing_for_publication())
}

/// What is missing if a server has no replication slot or WAL sender left.
fn all_in_use(name: &str) -> String {
    format!("all `{name}` are in use")
}

impl MissingForReplication {
    fn is_empty(&self) -> bool {
        self.lasting.is_empty() && self.momentary.is_empty()
    }

    /// Whether everything is set up, so that replication begins by itself.
    pub(super) fn is_momentary(&self) -> bool {
        self.lasting.is_empty()
    }

    pub(super) fn all(self) -> Vec<String> {
        self.lasting.into_iter().chain(self.momentary).collect()
    }
}

impl ChosenSource {
    /// The source and what is missing for a better one, as a line of the log.
    pub fn describe(&self) -> String {
        let how = match self.source {
            SubscriptionSource::Replication => "by logical replication",
            SubscriptionSource::Triggers => {
                "by triggers, and by comparing snapshots at each interval"
            }
            SubscriptionSource::Snapshot | SubscriptionSource::Auto => {
                "by comparing snapshots at each interval"
            }
        };
        match self.missing.as_slice() {
            [] => format!("subscriptions learn of changes {how}"),
            missing => format!(
                "subscriptions learn of changes {how}; {}",
                missing.join("; ")
            ),
        }
    }
}

impl Facts {
    async fn read(database: &Database, deadline: Instant) -> Result<Facts, DatabaseError> {
        let facts = database
            .query_scalar(FACTS, &[Some(PUBLICATION.to_owned())], deadline)
            .await?;
        serde_json::from_str(&facts).map_err(|error| DatabaseError::Protocol(error.to_string()))
    }

    fn choose(
        &self,
        setting: SubscriptionSource,
        reach: Reach,
    ) -> Result<ChosenSource, SourceError> {
        let for_replication = self.missing_for_replication(reach);
        let for_triggers = match reach.has_sessions {
            _ if !self.has_triggers => {
                Some("there are no triggers (`postern migrate --notify-writes` makes them)".into())
            }
            false => Some(NOT_DIRECT.to_owned()),
            true => None,
        };
        let chosen = |source, missing| Ok(ChosenSource { source, missing });
        let impossible = |name, missing| Err(SourceError::Impossible { name, missing });
        match setting {
            SubscriptionSource::Replication if !for_replication.lasting.is_empty() => {
                impossible("replication", for_replication.all().join(", "))
            }
            SubscriptionSource::Replication if for_replication.momentary.is_empty() => {
                chosen(setting, Vec::new())
            }
            SubscriptionSource::Replication => {
                let missing = for_replication.momentary.join(", ");
                chosen(
                    setting,
                    vec![format!(
                        "it begins when it can, and snapshots are compared until then: {missing}"
                    )],
                )
            }
            SubscriptionSource::Triggers => match for_triggers {
                None => chosen(setting, Vec::new()),
                Some(missing) => impossible("triggers", missing),
            },
            SubscriptionSource::Snapshot => chosen(setting, Vec::new()),
            SubscriptionSource::Auto if for_replication.is_empty() => {
                chosen(SubscriptionSource::Replication, Vec::new())
            }
            SubscriptionSource::Auto => {
                let missing = format!(
                    "for logical replication: {}",
                    for_replication.all().join(", ")
                );
                match for_triggers {
                    None => chosen(SubscriptionSource::Triggers, vec![missing]),
                    Some(triggers) => chosen(
                        SubscriptionSource::Snapshot,
                        vec![missing, format!("for triggers: {triggers}")],
                    ),
                }
            }
        }
    }

    fn missing_for_replication(&self, reach: Reach) -> MissingForReplication {
        let mut missing = MissingForReplication::default();
        let mut require = |is_there: bool, text: String| {
            if !is_there {
                missing.lasting.push(text);
            }
        };
        require(
            self.wal_level == "logical",
            format!("`wal_level` is `{}`, not `logical`", self.wal_level),
        );
        require(
            self.may_replicate,
            format!("the role `{}` has no attribute REPLICATION", self.role),
        );
        require(!self.is_standby, "the server is a standby".into());
        let several =
            "the database URL names several servers without `target_session_attrs=read-write`";
        require(reach.is_single_server, several.into());
        require(reach.is_direct, NOT_DIRECT.into());
        for (places, name) in [
            (self.slots, "max_replication_slots"),
            (self.senders, "max_wal_senders"),
        ] {
            require(places.most > 0, format!("`{name}` is 0"));
            if 0 < places.most && places.most <= places.used {
                missing.momentary.push(all_in_use(name));
            }
        }
        missing.lasting.extend(self.missing_for_publication());
        missing
    }

    fn missing_for_publication(&self) -> Option<String> {
        let of = |what: &str| Some(format!("the publication `{PUBLICATION}` {what}"));
        match &self.publication {
            None => Some(format!(
                "there is no publication `{PUBLICATION}` (`postern migrate --replication` makes it)"
            )),
            Some(publication) if !publication.has_all_changes => of("leaves out kinds of changes"),
            Some(publication) if publication.is_via_root => of("has `publish_via_partition_root`"),
            Some(publication) if publication.is_narrowed => of("has row filters or column lists"),
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slots of which none is free.
    const IN_USE: Places = Places { most: 2, used: 2 };

    fn facts() -> Facts {
        let publication = Publication {
            has_all_changes: true,
            is_via_root: false,
            is_narrowed: false,
        };
        Facts {
            wal_level: "logical".into(),
            role: "app".into(),
            may_replicate: true,
            slots: Places { most: 1, used: 0 },
            senders: Places { most: 1, used: 0 },
            publication: Some(publication),
            ..Facts::default()
        }
    }

    const DIRECT: Reach = Reach {
        is_single_server: true,
        has_sessions: true,
        is_direct: true,
    };

    #[test]
    fn pooler_permits_only_snapshots() {
        let reach = Reach {
            has_sessions: false,
            is_direct: false,
            ..DIRECT
        };
        let chosen = Facts {
            has_triggers: true,
            ..facts()
        }
        .choose(SubscriptionSource::Auto, reach)
        .unwrap();
        assert_eq!(chosen.source, SubscriptionSource::Snapshot);
        assert_eq!(
            chosen
                .missing
                .iter()
                .filter(|missing| missing.contains(NOT_DIRECT))
                .count(),
            2
        );
        let in_session_mode = Reach {
            is_direct: false,
            ..DIRECT
        };
        let chosen = Facts {
            has_triggers: true,
            ..facts()
        }
        .choose(SubscriptionSource::Auto, in_session_mode)
        .unwrap();
        assert_eq!(chosen.source, SubscriptionSource::Triggers);
    }

    #[test]
    fn best_source_that_the_database_permits_is_chosen() {
        let auto = |facts: &Facts| facts.choose(SubscriptionSource::Auto, DIRECT).unwrap();
        assert_eq!(
            auto(&facts()).describe(),
            "subscriptions learn of changes by logical replication"
        );
        let mut lacking = Facts {
            wal_level: "replica".into(),
            publication: None,
            slots: IN_USE,
            ..facts()
        };
        assert_eq!(
            auto(&lacking).describe(),
            "subscriptions learn of changes by comparing snapshots at each interval; for logical \
             replication: `wal_level` is \
             `replica`, not `logical`, there is no publication `postern` (`postern migrate \
             --replication` makes it), all \
             `max_replication_slots` are in use; for triggers: there are no triggers (`postern \
             migrate --notify-writes` makes them)"
        );
        lacking.has_triggers = true;
        assert_eq!(auto(&lacking).source, SubscriptionSource::Triggers);
        assert_eq!(auto(&lacking).missing.len(), 1);
    }

    #[test]
    fn source_that_is_set_and_impossible_is_an_error() {
        let refused = |facts: Facts, setting, is_single_server| {
            facts
                .choose(
                    setting,
                    Reach {
                        is_single_server,
                        ..DIRECT
                    },
                )
                .unwrap_err()
                .to_string()
        };
        let replication = SubscriptionSource::Replication;
        assert_eq!(
            refused(
                Facts {
                    may_replicate: false,
                    ..facts()
                },
                replication,
                true
            ),
            "`subscription_source` is `replication`, which this database does not permit: the \
             role `app` has no attribute \
             REPLICATION"
        );
        assert!(refused(facts(), replication, false).contains("several servers"));
        let without = Facts {
            senders: Places { most: 0, used: 0 },
            slots: IN_USE,
            ..facts()
        };
        let refused_at_once = refused(without, replication, true);
        assert!(
            refused_at_once
                .ends_with(": `max_wal_senders` is 0, all `max_replication_slots` are in use"),
            "{refused_at_once}"
        );
        assert!(refused(facts(), SubscriptionSource::Triggers, true).contains("--notify-writes"));
        assert!(facts().choose(SubscriptionSource::Snapshot, DIRECT).is_ok());
    }

    #[test]
    fn replication_that_is_set_begins_later_if_all_slots_are_in_use() {
        let facts = Facts {
            slots: IN_USE,
            ..facts()
        };
        let chosen = facts
            .choose(SubscriptionSource::Replication, DIRECT)
            .unwrap();
        assert_eq!(
            chosen.describe(),
            "subscriptions learn of changes by logical replication; it begins when it can, and \
             snapshots are compared until \
             then: all `max_replication_slots` are in use"
        );
        assert_eq!(
            facts
                .choose(SubscriptionSource::Auto, DIRECT)
                .unwrap()
                .source,
            SubscriptionSource::Snapshot
        );
    }
}
