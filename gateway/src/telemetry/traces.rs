//! Traces for OpenTelemetry: which requests are traced, and the spans that are sent of them.
//! `context` reads and writes W3C trace contexts, `exporter` sends batches of spans to a collector,
//! `otlp` encodes them. A request that is not sampled costs a look at its header; without a
//! collector nothing is done.
//!
//! With `--sql-comments` the statements of traced requests end with a comment of operation, role,
//! route and trace, which Postgres' log, `pg_stat_activity` and `auto_explain` show. Such a
//! statement is parsed for one request and closed after it, so it takes no place in the cache of
//! prepared statements; its price is Postgres' parse and plan for each traced request.

mod context;
mod exporter;
mod otlp;
mod span;

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use http::HeaderMap;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use prometheus::IntCounterVec;
use tokio::sync::{mpsc, oneshot};

pub use context::{CallerTrace, TraceContext};
pub use exporter::CollectorSettings;
use exporter::{Exporter, Message};
pub use span::{AttributeValue, Span, SpanKind};

/// Decides which requests are traced, and passes their spans to the task that sends them.
#[derive(Debug)]
pub struct Tracer {
    /// A request that begins a trace is sampled if its random number is below this one.
    threshold: AtomicU64,
    messages: mpsc::Sender<Message>,
    spans: IntCounterVec,
    /// Whether statements of traced requests have a comment with the trace.
    has_comments: bool,
}

/// The place of a request in its trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeTrace {
    /// The context of the gateway's own span, which handlers of actions get.
    pub context: TraceContext,
    /// The span of the caller.
    pub parent: Option<u64>,
    /// The span of the statements.
    pub query: u64,
    /// When the request began.
    pub started: SystemTime,
}

/// All but the unreserved characters of URLs: no value ends its quotes or the comment.
const ENCODED_IN_COMMENTS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The spans that wait to be sent; further traces are dropped and counted.
const WAITING_TRACES: usize = 4096;

impl Tracer {
    /// Starts the task that sends traces. A `ratio` of the requests that begin a trace are sampled,
    /// from 0 to 1; those that continue one follow it. `spans` counts spans by `outcome`.
    pub fn start(
        settings: CollectorSettings,
        ratio: f64,
        has_comments: bool,
        spans: IntCounterVec,
    ) -> Tracer {
        let (messages, receiver) = mpsc::channel(WAITING_TRACES);
        tokio::spawn(Exporter::new(settings, spans.clone()).run(receiver));
        Tracer {
            threshold: AtomicU64::new(threshold(ratio)),
            messages,
            spans,
            has_comments,
        }
    }

    /// Samples another part of the requests from now on.
    pub fn set_ratio(&self, ratio: f64) {
        self.threshold.store(threshold(ratio), Ordering::Relaxed);
    }

    fn samples(&self) -> bool {
        rand::random::<u64>() < self.threshold.load(Ordering::Relaxed)
    }

    /// The trace of a request, if it is sampled. Its header `traceparent` then names the gateway's
    /// own span, so that whatever passes the headers on continues the trace.
    pub fn begin(
        &self,
        headers: &mut HeaderMap,
        caller: CallerTrace,
    ) -> Option<Box<ExchangeTrace>> {
        let is_sampled = match caller {
            CallerTrace::Followed(caller) => caller.is_sampled,
            // A client that asks for no trace gets none, trusted or not: that costs the gateway
            // nothing.
            CallerTrace::Untrusted { is_sampled: false } => false,
            CallerTrace::Absent | CallerTrace::Untrusted { is_sampled: true } => self.samples(),
        };
        if !is_sampled {
            return None;
        }
        let followed = match caller {
            CallerTrace::Followed(context) => Some(context),
            CallerTrace::Absent | CallerTrace::Untrusted { .. } => None,
        };
        let trace_id =
            followed.map_or_else(|| rand::random::<u128>().max(1), |caller| caller.trace_id);
        let context = TraceContext {
            trace_id,
            span_id: new_span_id(),
            is_sampled: true,
        };
        context.write_to(headers);
        let parent = followed.map(|caller| caller.span_id);
        Some(Box::new(ExchangeTrace {
            context,
            parent,
            query: new_span_id(),
            started: SystemTime::now(),
        }))
    }

    /// The comment for the statements of a request: `/*role='member',traceparent='00-…-…-01'*/`.
    /// The names are in the order of the alphabet and lie before `traceparent`; their values are
    /// percent-encoded. <https://google.github.io/sqlcommenter/spec/>
    pub fn comment(
        &self,
        trace: &ExchangeTrace,
        values: &[(&str, Option<&str>)],
    ) -> Option<Box<str>> {
        if !self.has_comments {
            return None;
        }
        let context = TraceContext {
            span_id: trace.query,
            ..trace.context
        };
        let mut comment = "/*".to_owned();
        for (name, value) in values {
            if let Some(value) = value {
                let value = utf8_percent_encode(value, ENCODED_IN_COMMENTS);
                // Writing to a text does not fail.
                let _ = write!(comment, "{name}='{value}',");
            }
        }
        let _ = write!(comment, "traceparent='{}'*/", context.text());
        Some(comment.into())
    }

    /// Sends the spans of a request, unless too many wait.
    pub fn send(&self, trace_id: u128, spans: Vec<Span>) {
        let count = spans.len() as u64;
        if self
            .messages
            .try_send(Message::Trace(trace_id, spans))
            .is_err()
        {
            self.spans.with_label_values(&["dropped"]).inc_by(count);
        }
    }

    /// Waits until all spans are sent, at most this long.
    pub async fn flush(&self, limit: Duration) {
        let (done, is_done) = oneshot::channel();
        let flushed = async {
            if self.messages.send(Message::Flush(done)).await.is_ok() {
                // The sender is dropped if the task has ended.
                let _ = is_done.await;
            }
        };
        let _ = tokio::time::timeout(limit, flushed).await;
    }
}

/// A new id of a span, which is never zero.
pub fn new_span_id() -> u64 {
    rand::random::<u64>().max(1)
}

/// The number below which the part `ratio` of all numbers lies.
fn threshold(ratio: f64) -> u64 {
    // A float that is too large becomes the largest number.
    if ratio >= 1.0 {
        u64::MAX
    } else {
        (ratio.max(0.0) * u64::MAX as f64) as u64
    }
}

impl From<u64> for AttributeValue {
    fn from(number: u64) -> AttributeValue {
        AttributeValue::Number(number)
    }
}

impl From<&'static str> for AttributeValue {
    fn from(text: &'static str) -> AttributeValue {
        AttributeValue::Text(text.into())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> AttributeValue {
        AttributeValue::Text(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_decides_between_none_and_all() {
        assert_eq!(
            (threshold(0.0), threshold(1.0), threshold(-1.0)),
            (0, u64::MAX, 0)
        );
        assert_eq!(threshold(0.5), 1 << 63);
    }
}
