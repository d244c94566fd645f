//! The limits of each role: those that are enforced, those that are report-only, and the counters
//! of both.
//!
//! A document is parsed within the enforced limits the first time it arrives, and compared with the
//! report-only ones; its cache entry lists those that it exceeds, so a known document costs one
//! look at an empty list. *height* counts merged fields; merging runs only if the number of all
//! fields exceeds the limit, within a bound of its own. `statement_timeout` of the pool is the
//! longest time of any role; the gateway ends the requests of roles with less.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use permissions::ADMIN;
use pg::sharing::share_key;
use prometheus::IntCounterVec;
use sql::ExpectedWork;
use sql::graphql::document;
use sql::graphql::document::Document;

use super::{LimitExceeded, LimitKind, Limits, LimitsConfig};
use crate::config::limits::Mode;
use crate::telemetry::metrics::{Metrics, RoleMetrics};

/// The limits of all roles.
#[derive(Debug)]
pub struct LimitsByRole {
    by_name: HashMap<Arc<str>, Arc<RoleLimits>, foldhash::fast::RandomState>,
    /// The limits of roles that the permission file does not name.
    others: Arc<RoleLimits>,
}

/// The limits of a role.
#[derive(Debug)]
pub struct RoleLimits {
    /// The role, for labels and the log. Empty for roles that the permission file does not name,
    /// since callers can invent such names.
    role: Arc<str>,
    role_key: NonZeroU64,
    /// The enforced limits.
    pub enforced: Limits,
    /// The report-only limits. Kinds that are not report-only have a value that is never exceeded.
    reported: Option<Limits>,
    counter: IntCounterVec,
    metrics: Arc<RoleMetrics>,
    /// When each kind was last logged, in seconds since 1970.
    last_logged: [AtomicU64; LimitKind::ALL.len()],
}

/// The least seconds between two log lines about one limit of one role.
const LOG_INTERVAL: u64 = 60;

impl LimitsByRole {
    /// The limits of these roles from the settings and the table.
    pub fn new<'a>(
        settings: &Limits,
        table: &LimitsConfig,
        known: impl Iterator<Item = &'a str>,
        metrics: &Metrics,
    ) -> LimitsByRole {
        let limits = |role: &str| Arc::new(RoleLimits::new(role, settings, table, metrics));
        let by_name = known.map(|role| (role.into(), limits(role))).collect();
        LimitsByRole {
            by_name,
            others: limits(""),
        }
    }

    /// The limits of a role.
    pub fn for_role(&self, role: &str) -> &Arc<RoleLimits> {
        self.by_name.get(role).unwrap_or(&self.others)
    }

    /// The longest time that a request of any role may take.
    pub fn longest(&self) -> Duration {
        self.by_name
            .values()
            .map(|limits| limits.enforced.time)
            .fold(self.others.enforced.time, Duration::max)
    }
}

impl RoleLimits {
    /// The limits of a role: the table's values for this role override those for every role, and
    /// both override the settings. A report-only value leaves the enforced value below it. Values
    /// for every role do not apply to the admin.
    fn new(role: &str, settings: &Limits, table: &LimitsConfig, metrics: &Metrics) -> RoleLimits {
        let mut enforced = settings.clone();
        let mut reported = unbounded(settings);
        let mut is_reported = false;
        let every = (role != ADMIN).then_some(table);
        let own = table.role.get(role);
        for layer in every.into_iter().chain(own) {
            for kind in layer.kinds() {
                match layer
                    .mode(kind)
                    .or_else(|| table.mode(kind))
                    .unwrap_or(Mode::Enforce)
                {
                    Mode::Enforce => {
                        layer.apply(kind, &mut enforced);
                        kind.lift(&mut reported);
                    }
                    Mode::Measure => {
                        layer.apply(kind, &mut reported);
                        is_reported = true;
                    }
                }
            }
        }
        let reported = is_reported.then_some(reported);
        let role_key = share_key(role);
        metrics
            .bounded
            .with_label_values(&[LimitKind::Time.name(), role, "enforce"]);
        RoleLimits {
            role: role.into(),
            role_key,
            enforced,
            reported,
            counter: metrics.bounded.clone(),
            metrics: Arc::new(metrics.roles.of_role(role)),
            last_logged: Default::default(),
        }
    }

    /// A digest of the role's name. All roles that the permission file does not name share one.
    pub fn role_key(&self) -> NonZeroU64 {
        self.role_key
    }

    /// The metrics of the role's requests.
    pub fn metrics(&self) -> &Arc<RoleMetrics> {
        &self.metrics
    }

    /// The report-only limits, if the role has any.
    pub fn reported(&self) -> Option<&Limits> {
        self.reported.as_ref()
    }

    /// Exactly these limits, for no particular role.
    pub fn from_limits(limits: &Limits) -> RoleLimits {
        RoleLimits::new("", limits, &LimitsConfig::default(), &Metrics::default())
    }

    /// The report-only limits that a document within the enforced limits exceeds.
    pub fn exceeded(&self, text: &str, document: &Document) -> Box<[LimitKind]> {
        let Some(measured) = &self.reported else {
            return Box::default();
        };
        let limits = document::exceeded(text, document, &measured.document);
        LimitKind::ALL
            .into_iter()
            .filter(|bound| {
                limits
                    .iter()
                    .any(|limit| LimitKind::from_request_limit(*limit) == Some(*bound))
            })
            .collect()
    }

    /// Compares the planner's estimate with the limits: an error if it exceeds an enforced limit;
    /// counted if it exceeds a report-only one.
    pub fn check_expected(&self, expected: ExpectedWork) -> Result<(), LimitExceeded> {
        self.check_within(expected)?;
        if let Some(measured) = &self.reported {
            exceeded_by(expected, measured)
                .into_iter()
                .for_each(|kind| self.count_report_only(kind));
        }
        Ok(())
    }

    /// Compares the planner's estimate with the enforced limits, and counts nothing.
    pub fn check_within(&self, expected: ExpectedWork) -> Result<(), LimitExceeded> {
        let Limits { rows, cost, .. } = self.enforced;
        match exceeded_by(expected, &self.enforced).first() {
            Some(LimitKind::Rows) => Err(LimitExceeded::Rows {
                limit: rows,
                list: None,
                lacks_statistics: false,
            }),
            Some(_) => Err(LimitExceeded::Cost {
                limit: cost,
                lacks_statistics: false,
            }),
            None => Ok(()),
        }
    }

    /// Whether the planner's estimate exceeds no limit, neither an enforced nor a report-only one.
    pub fn is_within(&self, expected: ExpectedWork) -> bool {
        let limits = [Some(&self.enforced), self.reported.as_ref()];
        limits
            .into_iter()
            .flatten()
            .all(|limits| exceeded_by(expected, limits).is_empty())
    }

    /// Counts a size that exceeds a report-only limit.
    pub fn observe(&self, bound: LimitKind, size: usize) {
        let Some(measured) = &self.reported else {
            return;
        };
        if bound.size(measured).is_some_and(|limit| size > limit) {
            self.count_report_only(bound);
        }
    }

    /// Counts a duration that exceeds the report-only time limit.
    pub fn observe_time(&self, time: impl FnOnce() -> Duration) {
        if self
            .reported
            .as_ref()
            .is_some_and(|measured| time() > measured.time)
        {
            self.count_report_only(LimitKind::Time);
        }
    }

    /// Counts a request that exceeded a report-only limit, and logs it at intervals.
    pub fn count_report_only(&self, bound: LimitKind) {
        self.count(bound, "measure");
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        let Some(last_logged) = self.last_logged.get(bound as usize) else {
            return;
        };
        let last = last_logged.load(Ordering::Relaxed);
        let is_due = now >= last.saturating_add(LOG_INTERVAL);
        // Of several simultaneous requests only one logs.
        if is_due
            && last_logged
                .compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        {
            tracing::warn!(
                bound = bound.name(),
                role = &*self.role,
                "a request exceeds a limit that is only measured"
            );
        }
    }

    /// Counts a failed request if it exceeded a limit: the one that its error names.
    pub fn count_enforced(&self, limit: Option<LimitKind>) {
        if let Some(limit) = limit {
            self.count(limit, "enforce");
        }
    }

    fn count(&self, bound: LimitKind, mode: &str) {
        self.counter
            .with_label_values(&[bound.name(), &self.role, mode])
            .inc();
    }
}

/// The limits that the planner's estimate exceeds.
fn exceeded_by(expected: ExpectedWork, limits: &Limits) -> Vec<LimitKind> {
    let compared = [
        (LimitKind::Rows, expected.rows, limits.rows),
        (LimitKind::Cost, expected.cost, limits.cost),
    ];
    compared
        .into_iter()
        .filter(|(_, expected, limit)| *expected > *limit as f64)
        .map(|(kind, ..)| kind)
        .collect()
}

/// Limits that no request exceeds.
fn unbounded(settings: &Limits) -> Limits {
    let mut limits = settings.clone();
    LimitKind::ALL
        .into_iter()
        .for_each(|kind| kind.lift(&mut limits));
    // No role has limits of these, and they were checked before.
    limits.document.bytes = usize::MAX;
    limits.document.nesting = usize::MAX;
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(text: &str, role: &str) -> RoleLimits {
        let config = crate::config::Config::new(
            &crate::config::Settings::from_text("gateway.toml", text).unwrap(),
        );
        RoleLimits::new(
            role,
            &config.limits(),
            &LimitsConfig::read(&config).unwrap(),
            &Metrics::default(),
        )
    }

    /// The enforced depth and the report-only depth.
    fn depth(text: &str, role: &str) -> (usize, Option<usize>) {
        let limits = bounds(text, role);
        let measured = limits.reported.map(|measured| measured.document.depth);
        (
            limits.enforced.document.depth,
            measured.filter(|depth| *depth < usize::MAX),
        )
    }

    #[test]
    fn limits_of_a_role_override_those_of_every_role_and_the_settings() {
        let text = "depth_limit = 9\n[bounds]\ndepth = 7\n[bounds.role.a]\ndepth = \
                    8\n[bounds.role.b]\nnodes = 1\n";
        assert_eq!(depth("depth_limit = 9\n", "a"), (9, None));
        assert_eq!(depth(text, "a"), (8, None));
        assert_eq!(depth(text, "b"), (7, None));
        assert_eq!(depth(text, ""), (7, None));
        assert_eq!(depth(text, ADMIN), (9, None));
        assert_eq!(
            depth(
                "[bounds]\nnodes = 3\n[bounds.role.admin]\ndepth = 4\n",
                ADMIN
            ),
            (4, None)
        );
        assert_eq!(
            bounds(
                "[bounds]\nnodes = 3\n[bounds.role.admin]\ndepth = 4\n",
                ADMIN
            )
            .enforced
            .document
            .nodes,
            5000
        );
    }

    #[test]
    fn report_only_limit_keeps_the_enforced_one_below() {
        assert_eq!(
            depth("[bounds]\ndepth = 7\nmode = \"measure\"\n", "a"),
            (20, Some(7))
        );
        assert_eq!(
            depth("[bounds]\ndepth = 7\nmeasure = [\"depth\"]\n", "a"),
            (20, Some(7))
        );
        assert_eq!(
            depth("[bounds]\ndepth = 7\nmeasure = [\"nodes\"]\n", "a"),
            (7, None)
        );
        assert_eq!(
            depth("[bounds]\ndepth = 7\nmeasure = true\n", "a"),
            (20, Some(7))
        );
        let stricter = "[bounds]\ndepth = 7\n[bounds.role.a]\ndepth = 5\nmeasure = true\n";
        assert_eq!(depth(stricter, "a"), (7, Some(5)));
        // The mode of every role is that of a role that says nothing else.
        let inherited = "[bounds]\ndepth = 7\nmode = \"measure\"\n[bounds.role.a]\ndepth = 5\n";
        assert_eq!(depth(inherited, "a"), (20, Some(5)));
        assert_eq!(
            depth(&inherited.replace("role.a", "role.admin"), ADMIN),
            (20, Some(5))
        );
        let enforced = "[bounds]\ndepth = 7\nmode = \"measure\"\n[bounds.role.a]\ndepth = \
                        5\nmode = \"enforce\"\n";
        assert_eq!(depth(enforced, "a"), (5, None));
    }

    #[test]
    fn sizes_over_report_only_limits_are_counted() {
        let limits = bounds(
            "[bounds]\nanswer = 10\nbody = 5\ntime = 0.5\nmeasure = [\"answer\", \"time\"]\n",
            "a",
        );
        limits.observe(LimitKind::Answer, 10);
        limits.observe(LimitKind::Answer, 11);
        limits.observe(LimitKind::Body, 11);
        limits.observe_time(|| Duration::from_millis(499));
        limits.observe_time(|| Duration::from_millis(501));
        let counted = |bound: &str| {
            limits
                .counter
                .with_label_values(&[bound, "a", "measure"])
                .get()
        };
        assert_eq!(
            (counted("answer"), counted("body"), counted("time")),
            (1, 0, 1)
        );
    }
}
