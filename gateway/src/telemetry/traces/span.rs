//! Spans as they are sent to a collector.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

/// A finished span.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Its id.
    pub id: u64,
    /// The span that it is a part of.
    pub parent: Option<u64>,
    /// Its name: of low cardinality.
    pub name: Cow<'static, str>,
    /// Its kind.
    pub kind: SpanKind,
    /// When it began.
    pub start: SystemTime,
    /// How long it took.
    pub length: Duration,
    /// Its attributes, with the names of OpenTelemetry's semantic conventions where there are any.
    pub attributes: Vec<(&'static str, AttributeValue)>,
    /// Whether it failed, by the rules for its kind.
    pub is_error: bool,
}

/// The kind of a span, by its number in OTLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// Work of the gateway itself.
    Internal = 1,
    /// The answer to a request.
    Server = 2,
    /// A request to another server.
    Client = 3,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    /// A text.
    Text(Cow<'static, str>),
    /// A whole number.
    Number(u64),
}
