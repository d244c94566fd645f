//! The bounds of each role, ready to be held against requests: what is refused, what is only counted, and the counters.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use permissions::ADMIN;
use prometheus::IntCounterVec;
use sql::ExpectedWork;
use sql::graphql::document;
use sql::graphql::document::Document;

use super::config::{LimitsConfig, Mode};
use super::kind::{LimitKind, Value};
use super::share_key::share_key;
use super::{LimitExceeded, Limits};
use crate::telemetry::metrics::Metrics;

/// The bounds of all roles.
#[derive(Debug)]
pub struct LimitsByRole {
    by_name: HashMap<Arc<str>, Arc<RoleLimits>, foldhash::fast::RandomState>,
    /// Of roles that the permission file does not know.
    others: Arc<RoleLimits>,
}

/// The bounds of a role.
#[derive(Debug)]
pub struct RoleLimits {
    /// The role, for labels and the log; empty where the permission file does not know it, since callers can make such up.
    role: Arc<str>,
    role_key: NonZeroU64,
    /// What holds.
    pub enforced: Limits,
    /// What is only counted. Beyond all measure is what is not.
    reported: Option<Limits>,
    counter: IntCounterVec,
    /// When it was last told of each, in seconds since 1970.
    last_logged: [AtomicU64; LimitKind::ALL.len()],
}

/// So many seconds have to be between two lines of the log about one bound of one role.
const APART: u64 = 60;

impl LimitsByRole {
    /// The bounds that settings and table give to these roles.
    pub fn new<'a>(
        settings: &Limits,
        table: &LimitsConfig,
        known: impl Iterator<Item = &'a str>,
        metrics: &Metrics,
    ) -> LimitsByRole {
        let bounds = |role: &str| Arc::new(RoleLimits::new(role, settings, table, metrics));
        let by_name = known.map(|role| (role.into(), bounds(role))).collect();
        LimitsByRole { by_name, others: bounds("") }
    }

    /// Those of a role.
    pub fn for_role(&self, role: &str) -> &Arc<RoleLimits> {
        self.by_name.get(role).unwrap_or(&self.others)
    }

    /// The longest time that a request of any role may take.
    pub fn longest(&self) -> Duration {
        let named = self.by_name.values().map(|bounds| bounds.enforced.time).max().unwrap_or_default();
        named.max(self.others.enforced.time)
    }
}

impl RoleLimits {
    /// The bounds of a role: the settings, over them what the table says of every role, and over that what it says of this
    /// one. What is only measured leaves what holds below it. The admin has no part in what is said of every role.
    fn new(role: &str, settings: &Limits, table: &LimitsConfig, metrics: &Metrics) -> RoleLimits {
        let (mut holds, mut measured, mut is_measured) = (settings.clone(), unbounded(settings), false);
        let every = (role != ADMIN).then_some(table);
        let own = table.role.get(role);
        for layer in every.into_iter().chain(own) {
            for (bound, value) in layer.bounds() {
                let mode = layer.mode(bound).or_else(|| table.mode(bound)).unwrap_or(Mode::Enforce);
                is_measured |= mode == Mode::Measure;
                let (holding, measuring) = match mode {
                    Mode::Enforce => (Some(value), Value::none(bound)),
                    Mode::Measure => (None, value),
                };
                holding.into_iter().for_each(|value| bound.set(&mut holds, value));
                bound.set(&mut measured, measuring);
            }
        }
        let measured = is_measured.then_some(measured);
        let role_key = share_key(role);
        RoleLimits {
            role: role.into(),
            role_key,
            enforced: holds,
            reported: measured,
            counter: metrics.bounded.clone(),
            last_logged: Default::default(),
        }
    }

    /// A digest of the role's name. All roles that the permission file does not know have the same one.
    pub fn role_key(&self) -> NonZeroU64 {
        self.role_key
    }

    /// These limits and nothing else, for nobody in particular.
    pub fn of(limits: &Limits) -> RoleLimits {
        RoleLimits::new("", limits, &LimitsConfig::default(), &Metrics::default())
    }

    /// What a document that keeps within what holds is over of what is measured.
    pub fn exceeded(&self, text: &str, document: &Document) -> Box<[LimitKind]> {
        let Some(measured) = &self.reported else { return Box::default() };
        let limits = document::exceeded(text, document, &measured.document);
        LimitKind::ALL
            .into_iter()
            .filter(|bound| limits.iter().any(|limit| LimitKind::of_document(limit) == Some(*bound)))
            .collect()
    }

    /// Judges what the planner expects of a request: an error where that is over what holds, and it is counted where that is over
    /// what is measured.
    pub fn check_expected(&self, expected: ExpectedWork) -> Result<(), LimitExceeded> {
        let is_over = |expected: f64, limit: usize| expected > limit as f64;
        if is_over(expected.rows, self.enforced.rows) {
            return Err(LimitExceeded::Rows(self.enforced.rows));
        }
        if is_over(expected.cost, self.enforced.cost) {
            return Err(LimitExceeded::Cost(self.enforced.cost));
        }
        if let Some(measured) = &self.reported {
            for (bound, expected, limit) in
                [(LimitKind::Rows, expected.rows, measured.rows), (LimitKind::Cost, expected.cost, measured.cost)]
            {
                if is_over(expected, limit) {
                    self.count_report_only(bound);
                }
            }
        }
        Ok(())
    }

    /// Notes how large something is, for a bound that may be measured.
    pub fn observe(&self, bound: LimitKind, size: usize) {
        let Some(measured) = &self.reported else { return };
        let limit = match bound {
            LimitKind::Batch => measured.batch,
            LimitKind::Body => measured.body,
            LimitKind::Answer => measured.answer,
            LimitKind::Connections => measured.connections,
            LimitKind::Patterns => measured.patterns,
            _ => return,
        };
        if size > limit {
            self.count_report_only(bound);
        }
    }

    /// Notes how long a request took.
    pub fn observe_time(&self, time: impl FnOnce() -> Duration) {
        if self.reported.as_ref().is_some_and(|measured| time() > measured.time) {
            self.count_report_only(LimitKind::Time);
        }
    }

    /// Counts a request that is over a bound that is measured, and tells the log at times.
    pub fn count_report_only(&self, bound: LimitKind) {
        self.count(bound, "measure");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let Some(told) = self.last_logged.get(bound as usize) else { return };
        let last = told.load(Ordering::Relaxed);
        let is_due = now >= last.saturating_add(APART);
        // Of several at once one tells.
        if is_due && told.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            tracing::warn!(bound = bound.name(), role = &*self.role, "a request is over a bound that is measured");
        }
    }

    /// Counts a request that was refused because it exceeded a limit.
    pub fn count_enforced(&self, limit: LimitKind) {
        self.count(limit, "enforce");
    }

    fn count(&self, bound: LimitKind, mode: &str) {
        self.counter.with_label_values(&[bound.name(), &self.role, mode]).inc();
    }
}

/// Limits that nothing is over.
fn unbounded(settings: &Limits) -> Limits {
    let mut limits = settings.clone();
    LimitKind::ALL.into_iter().for_each(|bound| bound.set(&mut limits, Value::none(bound)));
    // These have no bound of a role, and have been looked at.
    limits.document.bytes = usize::MAX;
    limits.document.nesting = usize::MAX;
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(text: &str, role: &str) -> RoleLimits {
        let config = crate::config::Config::new(&crate::config::Settings::of_text("gateway.toml", text).unwrap());
        RoleLimits::new(role, &config.limits, &LimitsConfig::read(&config).unwrap(), &Metrics::default())
    }

    /// What holds of the depth, and what is measured of it.
    fn depth(text: &str, role: &str) -> (usize, Option<usize>) {
        let bounds = bounds(text, role);
        let measured = bounds.reported.map(|measured| measured.document.depth);
        (bounds.enforced.document.depth, measured.filter(|depth| *depth < usize::MAX))
    }

    #[test]
    fn a_role_is_stronger_than_every_role_than_the_settings() {
        let text = "depth_limit = 9\n[bounds]\ndepth = 7\n[bounds.role.a]\ndepth = 8\n[bounds.role.b]\nnodes = 1\n";
        assert_eq!(depth("depth_limit = 9\n", "a"), (9, None));
        assert_eq!(depth(text, "a"), (8, None));
        assert_eq!(depth(text, "b"), (7, None));
        assert_eq!(depth(text, ""), (7, None));
        assert_eq!(depth(text, ADMIN), (9, None));
        assert_eq!(depth("[bounds]\nnodes = 3\n[bounds.role.admin]\ndepth = 4\n", ADMIN), (4, None));
        assert_eq!(
            bounds("[bounds]\nnodes = 3\n[bounds.role.admin]\ndepth = 4\n", ADMIN).enforced.document.nodes,
            5000
        );
    }

    #[test]
    fn what_is_measured_leaves_what_holds_below() {
        assert_eq!(depth("[bounds]\ndepth = 7\nmode = \"measure\"\n", "a"), (20, Some(7)));
        assert_eq!(depth("[bounds]\ndepth = 7\nmeasure = [\"depth\"]\n", "a"), (20, Some(7)));
        assert_eq!(depth("[bounds]\ndepth = 7\nmeasure = [\"nodes\"]\n", "a"), (7, None));
        assert_eq!(depth("[bounds]\ndepth = 7\nmeasure = true\n", "a"), (20, Some(7)));
        let stricter = "[bounds]\ndepth = 7\n[bounds.role.a]\ndepth = 5\nmeasure = true\n";
        assert_eq!(depth(stricter, "a"), (7, Some(5)));
        // The mode of every role is that of a role that says nothing else.
        let inherited = "[bounds]\ndepth = 7\nmode = \"measure\"\n[bounds.role.a]\ndepth = 5\n";
        assert_eq!(depth(inherited, "a"), (20, Some(5)));
        assert_eq!(depth(&inherited.replace("role.a", "role.admin"), ADMIN), (20, Some(5)));
        let enforced = "[bounds]\ndepth = 7\nmode = \"measure\"\n[bounds.role.a]\ndepth = 5\nmode = \"enforce\"\n";
        assert_eq!(depth(enforced, "a"), (5, None));
    }

    #[test]
    fn sizes_are_counted_where_they_are_measured() {
        let bounds = bounds("[bounds]\nanswer = 10\nbody = 5\ntime = 0.5\nmeasure = [\"answer\", \"time\"]\n", "a");
        bounds.observe(LimitKind::Answer, 10);
        bounds.observe(LimitKind::Answer, 11);
        bounds.observe(LimitKind::Body, 11);
        bounds.observe_time(|| Duration::from_millis(499));
        bounds.observe_time(|| Duration::from_millis(501));
        let counted = |bound: &str| bounds.counter.with_label_values(&[bound, "a", "measure"]).get();
        assert_eq!((counted("answer"), counted("body"), counted("time")), (1, 0, 1));
    }
}
