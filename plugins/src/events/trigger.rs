//! Event triggers and schedules, checked and ready for use.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;

use super::backoff::Backoff;
use super::file::{Missed, StatusAction};
use super::recurrence::Recurrence;
use crate::accounts::MailWorker;
use crate::outbound_webhook::Webhook;

/// All triggers of a version by name, and what the database captures for them.
#[derive(Debug, Default)]
pub(super) struct Triggers {
    pub(super) by_name: HashMap<Arc<str>, Arc<Trigger>>,
    pub(super) captures: Vec<Capture>,
    pub(super) schedules: Vec<Schedule>,
}

/// Where the events of one name go, and how.
#[derive(Debug)]
pub(super) struct Trigger {
    pub(super) name: Arc<str>,
    pub(super) table: Option<TableName>,
    pub(super) comment: Option<String>,
    /// Whether `postern.enqueue_event` adds events of it.
    pub(super) is_manual: bool,
    pub(super) target: Target,
    /// How many more attempts follow the first one.
    pub(super) retries: u32,
    pub(super) backoff: Backoff,
    /// The time limit of an attempt.
    pub(super) timeout: Duration,
    pub(super) statuses: StatusPolicy,
    /// How many events a gateway delivers at a time.
    pub(super) concurrency: usize,
}

/// A table in the database.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TableName {
    pub(super) schema: String,
    pub(super) name: String,
}

/// A target of events.
#[derive(Debug)]
pub(super) enum Target {
    /// A webhook, which is sent each event by `POST`.
    Webhook(Webhook),
    /// A SQL function, which is called with each event.
    Function(FunctionName),
    /// The mails of accounts.
    Mail(MailWorker),
}

/// A function with one parameter of type `json` or `jsonb`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FunctionName {
    pub(super) schema: String,
    pub(super) name: String,
    /// `json` or `jsonb`.
    pub(super) parameter: &'static str,
}

/// What statuses of a webhook's responses mean.
#[derive(Debug, Default)]
pub(super) struct StatusPolicy {
    pub(super) statuses: HashMap<u16, StatusAction>,
    /// By the first digit.
    pub(super) classes: HashMap<u16, StatusAction>,
}

/// An operation on a table that Postgres writes events for.
#[derive(Debug)]
pub(super) struct Capture {
    pub(super) trigger: Arc<str>,
    pub(super) table: TableName,
    pub(super) operation: CaptureOperation,
    /// The columns of the payload; `None` for all.
    pub(super) payload: Option<Vec<String>>,
    /// The columns of the ordering key; without any, events have no order.
    pub(super) order_by: Vec<String>,
    /// The numbers of the columns of the table that the file names.
    pub(super) numbers: Arc<ColumnNumbers>,
    /// Whether the table inherits from the one that the file names.
    pub(super) is_inherited: bool,
}

/// The numbers of a table's columns, which stay when columns are renamed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ColumnNumbers {
    /// The table's OID.
    pub(super) relation: u32,
    /// The numbers (`attnum`), by name.
    pub(super) columns: HashMap<String, i16>,
}

/// The operations on rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CaptureOperation {
    Insert,
    /// If one of these columns changes; `None` for all.
    Update(Option<Vec<String>>),
    Delete,
}

/// A cron schedule.
#[derive(Debug)]
pub(super) struct Schedule {
    pub(super) name: Arc<str>,
    pub(super) recurrence: Recurrence,
    /// The expression and the zone as text: another definition begins anew.
    pub(super) definition: String,
    pub(super) payload: serde_json::Value,
    pub(super) missed: Missed,
    /// How many missed runs are made up for at most.
    pub(super) missed_limit: usize,
    /// The age from which a missed run is left out.
    pub(super) tolerance: Duration,
}

impl StatusPolicy {
    /// What a status means. A status goes before its class. By default all 2xx are delivered, and
    /// 410 says that the receiver wants no more.
    pub(super) fn action(&self, status: StatusCode) -> StatusAction {
        let code = status.as_u16();
        let given = self
            .statuses
            .get(&code)
            .or_else(|| self.classes.get(&(code / 100)));
        given.copied().unwrap_or(match status {
            status if status.is_success() => StatusAction::Delivered,
            StatusCode::GONE => StatusAction::Dead,
            _ => StatusAction::Retry,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_goes_before_its_class() {
        let action =
            |policy: &StatusPolicy, code| policy.action(StatusCode::from_u16(code).unwrap());
        let policy = StatusPolicy::default();
        let defaults = [200, 204, 302, 404, 410, 429, 503].map(|code| action(&policy, code));
        use StatusAction::{Dead, Delivered, Retry};
        assert_eq!(
            defaults,
            [Delivered, Delivered, Retry, Retry, Dead, Retry, Retry]
        );
        let policy = StatusPolicy {
            statuses: [(409, Delivered), (429, Retry)].into(),
            classes: [(4, Dead)].into(),
        };
        let given = [200, 404, 409, 410, 429, 500].map(|code| action(&policy, code));
        assert_eq!(given, [Delivered, Dead, Delivered, Dead, Retry, Retry]);
    }
}
