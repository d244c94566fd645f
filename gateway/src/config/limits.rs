//! The limits of a gateway, which of them a role may have of its own, and the table `[bounds]` with
//! those as written. [`crate::limits`] checks the table and applies it for each role.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use sql::RequestLimit;
use sql::graphql::document;

use super::table::Config;

/// The limits of a gateway, or of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Requests in a batch.
    pub batch: usize,
    /// Bytes of an answer.
    pub response_bytes: usize,
    /// From the head of a request to the end of its statement, which waits for the client where the
    /// answer is long.
    pub time: Duration,
    /// Until the head of a request is complete.
    pub header_time: Duration,
    /// Between two pieces of a body.
    pub body_time: Duration,
    /// A connection without a request.
    pub idle_time: Duration,
    /// From the signal to end until no more connections are accepted.
    pub shutdown_delay: Duration,
    /// Waiting for running requests when the server stops.
    pub drain_time: Duration,
    /// Rows that the planner expects of a request, those of lists within rows among them.
    pub rows: usize,
    /// Work that the planner expects of a request, in its own units.
    pub cost: usize,
    /// Bytes a second that a client has to take of an answer that holds a connection.
    pub read_rate: usize,
    /// Connections of the pool that requests of one role may hold.
    pub connections: usize,
    /// Bytes of patterns and searches in the conditions of a request.
    pub patterns: usize,
    /// What a document may hold.
    pub document: document::Limits,
}

impl Limits {
    /// Bytes of a request's values, each counted as often as it is sent to Postgres: a multiple of
    /// what a body may hold, but no more than Postgres takes in one message.
    pub fn values(&self) -> usize {
        self.body
            .saturating_mul(4)
            .clamp(MIN_VALUE_BYTES, 512 << 20)
    }
}

/// The least that they may have, whatever the bodies.
const MIN_VALUE_BYTES: usize = 64 << 20;

impl Default for Limits {
    fn default() -> Limits {
        Config::default().limits()
    }
}

impl Config {
    /// The limits of requests.
    pub fn limits(&self) -> Limits {
        Limits {
            body: self.body_limit,
            batch: self.batch_limit,
            response_bytes: self.answer_limit,
            time: self.time_limit,
            header_time: self.header_timeout,
            body_time: self.body_timeout,
            idle_time: self.idle_timeout,
            shutdown_delay: self.shutdown_delay.0,
            drain_time: self.drain_timeout,
            rows: self.row_limit,
            cost: self.cost_limit,
            read_rate: self.read_rate,
            connections: self.connections_per_role(),
            patterns: 16 << 10,
            document: document::Limits {
                tokens: self.token_limit,
                nesting: self.nesting_limit,
                depth: self.depth_limit,
                fields: self.field_limit,
                aliases: self.alias_limit,
                roots: self.root_limit,
                nodes: self.node_limit,
                height: self.height_limit,
                ..document::Limits::default()
            },
        }
    }
}

/// Declares the limits that a role may have of its own: the kind, the key in the table with the
/// type written there, the field of [`Limits`], and whether the value may be 0.
macro_rules! limits_of_roles {
    ($($(#[$doc:meta])* $kind:ident, $key:ident: $written:ty => $($field:ident).+, at least $least:literal;)+) => {
        /// A kind of limit that a role may have of its own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum LimitKind {
            $($(#[$doc])* $kind,)+
        }

        /// The table `[bounds]`: limits of every role, or of one.
        #[derive(Clone, Debug, Default, Deserialize, PartialEq)]
        #[serde(deny_unknown_fields, default)]
        pub struct LimitsConfig {
            $(pub(crate) $key: Option<$written>,)+
            pub(crate) mode: Option<Mode>,
            pub(crate) measure: Option<Measure>,
            /// The tables of roles.
            pub(crate) role: BTreeMap<String, LimitsConfig>,
        }

        impl LimitKind {
            /// All kinds, in the order of their declaration.
            pub const ALL: [LimitKind; [$(LimitKind::$kind),+].len()] = [$(LimitKind::$kind),+];

            /// The name in the settings file, in metrics and in the log.
            pub fn name(self) -> &'static str {
                match self {
                    $(LimitKind::$kind => stringify!($key),)+
                }
            }

            /// Sets the limit to a value that no request exceeds.
            pub fn lift(self, limits: &mut Limits) {
                match self {
                    $(LimitKind::$kind => limits.$($field).+ = Limit::UNLIMITED,)+
                }
            }

            /// The limit on a size; none for a limit on time.
            pub fn size(self, limits: &Limits) -> Option<usize> {
                match self {
                    $(LimitKind::$kind => limits.$($field).+.size(),)+
                }
            }
        }

        impl LimitsConfig {
            /// The limits that the table sets.
            pub fn kinds(&self) -> impl Iterator<Item = LimitKind> {
                let set = [$((LimitKind::$kind, self.$key.is_some())),+];
                set.into_iter().filter(|(_, is_set)| *is_set).map(|(kind, _)| kind)
            }

            /// The first limit that is 0 where at least 1 makes sense.
            pub fn zero(&self) -> Option<LimitKind> {
                let zeros = [$((LimitKind::$kind, $least > 0 && self.$key == Some(<$written>::default()))),+];
                zeros.into_iter().find(|(_, is_zero)| *is_zero).map(|(kind, _)| kind)
            }

            /// Sets a limit to the value in the table, if it has one.
            pub fn apply(&self, kind: LimitKind, limits: &mut Limits) {
                match kind {
                    $(LimitKind::$kind => {
                        if let Some(written) = self.$key {
                            limits.$($field).+ = Limit::from_table(written);
                        }
                    })+
                }
            }
        }
    };
}

limits_of_roles! {
    /// Nesting of fields.
    Depth, depth: usize => document.depth, at least 1;
    /// Different fields.
    Height, height: usize => document.height, at least 1;
    /// Fields with subfields.
    Nodes, nodes: usize => document.nodes, at least 1;
    /// Aliases.
    Aliases, aliases: usize => document.aliases, at least 0;
    /// Root fields.
    Roots, roots: usize => document.roots, at least 1;
    /// Fields.
    Fields, fields: usize => document.fields, at least 1;
    /// Tokens of a document.
    Tokens, tokens: usize => document.tokens, at least 1;
    /// Requests in a batch.
    Batch, batch: usize => batch, at least 0;
    /// Bytes of a request body.
    Body, body: usize => body, at least 1;
    /// Bytes of a response.
    Answer, answer: usize => response_bytes, at least 1;
    /// Duration of a request.
    Time, time: f64 => time, at least 1;
    /// Rows that the planner expects.
    Rows, rows: usize => rows, at least 0;
    /// Total cost that the planner expects.
    Cost, cost: usize => cost, at least 0;
    /// Connections that requests of the role use at a time.
    Connections, connections: usize => connections, at least 1;
    /// Bytes of patterns.
    Patterns, patterns: usize => patterns, at least 0;
}

/// What happens to requests that exceed a limit.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// They are rejected.
    Enforce,
    /// They are counted.
    Measure,
}

/// Which limits of a table are report-only.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged, expecting = "`measure` has to be a list of bounds, or true")]
pub enum Measure {
    /// All limits, or none.
    All(bool),
    /// The limits with these names.
    Some(Vec<String>),
}

impl LimitKind {
    /// The kind with this name.
    pub fn named(name: &str) -> Option<LimitKind> {
        LimitKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind that sets a limit of the crate `sql`; none for a limit that is fixed.
    pub fn from_request_limit(limit: RequestLimit) -> Option<LimitKind> {
        match limit {
            RequestLimit::Depth => Some(LimitKind::Depth),
            RequestLimit::Height => Some(LimitKind::Height),
            RequestLimit::Nodes => Some(LimitKind::Nodes),
            RequestLimit::Aliases => Some(LimitKind::Aliases),
            RequestLimit::Roots => Some(LimitKind::Roots),
            RequestLimit::Fields => Some(LimitKind::Fields),
            RequestLimit::Tokens | RequestLimit::DocumentValues => Some(LimitKind::Tokens),
            RequestLimit::ListBytes => Some(LimitKind::Answer),
            RequestLimit::PatternBytes => Some(LimitKind::Patterns),
            // `execute/mutation.rs` reports it as the gateway's own limit on the response.
            RequestLimit::AnswerBytes
            | RequestLimit::Bytes
            | RequestLimit::Nesting
            | RequestLimit::Name
            | RequestLimit::FragmentNesting
            | RequestLimit::IntrospectionLists
            | RequestLimit::IntrospectionFields
            | RequestLimit::Conditions
            | RequestLimit::RelationConditions
            | RequestLimit::NestedRelationConditions
            | RequestLimit::RelationOrders
            | RequestLimit::NestedRelationOrders
            | RequestLimit::GroupOrders
            | RequestLimit::StreamCursors
            | RequestLimit::CursorOrders
            | RequestLimit::InsertLevels
            | RequestLimit::NestedInserts
            | RequestLimit::InsertColumnSets
            | RequestLimit::Updates
            | RequestLimit::UpdateFields
            | RequestLimit::NestedChanges
            | RequestLimit::Parameters
            | RequestLimit::ValueBytes
            | RequestLimit::ListRows => None,
        }
    }
}

/// The type of a limit: a number, or a time.
trait Limit {
    /// The type in the table.
    type Written;
    /// A limit that no request exceeds.
    const UNLIMITED: Self;

    fn from_table(written: Self::Written) -> Self;

    /// The limit on a size; none for a time.
    fn size(self) -> Option<usize>;
}

impl Limit for usize {
    type Written = usize;
    const UNLIMITED: usize = usize::MAX;

    fn from_table(written: usize) -> usize {
        written
    }

    fn size(self) -> Option<usize> {
        Some(self)
    }
}

impl Limit for Duration {
    /// Seconds.
    type Written = f64;
    const UNLIMITED: Duration = Duration::MAX;

    fn from_table(seconds: f64) -> Duration {
        // `LimitsConfig::read` has refused what is not a duration.
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    fn size(self) -> Option<usize> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_field_and_a_name() {
        for (index, kind) in LimitKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
            assert_eq!(LimitKind::named(kind.name()), Some(kind));
            let mut limits = Limits::default();
            kind.lift(&mut limits);
            assert_ne!(limits, Limits::default(), "{kind:?}");
        }
        assert_eq!(LimitKind::named("role"), None);
    }
}
