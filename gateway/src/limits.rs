//! The limits of requests and the error of exceeding one, with the limits of each role. Each limit
//! is applied where the limited input is read: bodies in [`crate::http`], documents in `sql`, time
//! in [`crate::execute`]. The memory budget and the shares and turns of callers are those of `pg`.

mod role_limits;
mod config;
mod rate_limit_exceeded;
pub(crate) mod values;

use std::time::Duration;

pub use crate::config::limits::{LimitKind, Limits, LimitsConfig};
pub use rate_limit_exceeded::{RateLimitExceeded, whole_seconds};
pub use role_limits::{LimitsByRole, RoleLimits};

/// A limit that was exceeded, with its value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitExceeded {
    /// [`Limits::body`].
    #[error("the body is larger than the limit of {0} bytes")]
    Body(usize),
    /// The factor by which a compressed body may inflate; [`Limits::body`] applies as well.
    #[error("the body inflates to more than the limit of {0} times its length")]
    Inflation(usize),
    /// The length of the request line and headers.
    #[error("the head of the request is larger than the limit of {0} bytes")]
    Head(usize),
    /// The number of headers.
    #[error("the request has more headers than the limit of {0}")]
    Headers(usize),
    /// [`Limits::batch`].
    #[error("the batch holds more requests than the limit of {0}")]
    Batch(usize),
    /// [`Limits::answer`].
    #[error("the answer is larger than the limit of {0} bytes")]
    Answer(usize),
    /// The memory that one request may have, as part of the memory of all requests.
    #[error(
        "the request needs more memory than one request may have; all of them together have \
             {0} bytes"
    )]
    Memory(usize),
    /// [`Limits::rows`].
    #[error(
        "the request asks for more rows than the limit of {limit}, as far as the database can \
         tell beforehand{}{}",
        most_rows(list.as_deref()),
        statistics(*lacks_statistics)
    )]
    Rows {
        /// The limit.
        limit: usize,
        /// The response keys to the list with the most rows.
        list: Option<String>,
        /// Whether a table that was read has no statistics.
        lacks_statistics: bool,
    },
    /// [`Limits::cost`].
    #[error(
        "the request costs more than the limit of {limit}, as far as the database can tell \
         beforehand{}",
        statistics(*lacks_statistics)
    )]
    Cost {
        /// The limit.
        limit: usize,
        /// Whether a table that was read has no statistics.
        lacks_statistics: bool,
    },
    /// [`Limits::time`].
    #[error("the request took longer than the limit of {} seconds", .0.as_secs_f64())]
    Time(Duration),
    /// [`Limits::read_rate`].
    #[error("the answer was taken more slowly than the limit of {0} bytes a second")]
    ReadRate(usize),
    /// The limit of operations that run on one WebSocket or event stream.
    #[error("the connection runs more operations than the limit of {0}")]
    Operations(usize),
    /// The limit of WebSockets and event streams of one client address.
    #[error("this address has more WebSockets and event streams open than the limit of {0}")]
    Sockets(usize),
    /// The limit of calls of asynchronous actions that wait for one caller.
    #[error("more calls of asynchronous actions wait than the limit of {0}")]
    Calls(usize),
    /// [`Limits::body_time`], or [`Limits::time`] for the whole body.
    #[error("the body did not arrive within the limit of {} seconds", .0.as_secs_f64())]
    BodyTime(Duration),
}

impl LimitExceeded {
    /// The kind of the limit, if a role may have it of its own.
    pub fn kind(&self) -> Option<LimitKind> {
        match self {
            LimitExceeded::Body(_) => Some(LimitKind::Body),
            LimitExceeded::Batch(_) => Some(LimitKind::Batch),
            LimitExceeded::Answer(_) => Some(LimitKind::Answer),
            LimitExceeded::Rows { .. } => Some(LimitKind::Rows),
            LimitExceeded::Cost { .. } => Some(LimitKind::Cost),
            LimitExceeded::Time(_) => Some(LimitKind::Time),
            LimitExceeded::Inflation(_)
            | LimitExceeded::Head(_)
            | LimitExceeded::Headers(_)
            | LimitExceeded::Memory(_)
            | LimitExceeded::ReadRate(_)
            | LimitExceeded::Operations(_)
            | LimitExceeded::Sockets(_)
            | LimitExceeded::Calls(_)
            | LimitExceeded::BodyTime(_) => None,
        }
    }
}

/// `: most of them in "parent.child"`. The keys are the client's own.
fn most_rows(list: Option<&str>) -> String {
    list.map(|list| format!(": most of them in \"{list}\""))
        .unwrap_or_default()
}

/// What helps where the planner has no statistics. It names no table: the role may not know which
/// ones are read.
fn statistics(are_missing: bool) -> &'static str {
    if are_missing {
        "; it has no statistics of a table yet, run ANALYZE"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_limit_and_its_value() {
        assert_eq!(
            LimitExceeded::Body(10).to_string(),
            "the body is larger than the limit of 10 bytes"
        );
        let rows = LimitExceeded::Rows {
            limit: 5,
            list: Some("parent.child".into()),
            lacks_statistics: true,
        };
        assert_eq!(
            rows.to_string(),
            "the request asks for more rows than the limit of 5, as far as the database can tell \
             beforehand: most of them \
             in \"parent.child\"; it has no statistics of a table yet, run ANALYZE"
        );
        let time = LimitExceeded::Time(Duration::from_millis(1500));
        assert_eq!(
            time.to_string(),
            "the request took longer than the limit of 1.5 seconds"
        );
    }
}
