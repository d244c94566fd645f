//! The spans of a traced request: one for the request, and one for each stage of its execution,
//! with OpenTelemetry's semantic conventions. They hold no values, as the log.
//! <https://opentelemetry.io/docs/specs/semconv/http/http-spans/>,
//! <https://opentelemetry.io/docs/specs/semconv/database/database-spans/>

use std::time::Duration;

use http::{StatusCode, Version};
use sql::TranslationKind;

use super::exchange::HttpExchange;
use crate::execute;
use crate::telemetry::execution_record::{ExecutionRecord, Stage};
use crate::telemetry::statement_text::without_literals;
use crate::telemetry::traces::{AttributeValue, ExchangeTrace, Span, SpanKind, new_span_id};

/// What the log has found out about the exchange.
pub(super) struct ExchangeFacts<'f> {
    /// The method, or `other`.
    pub(super) method: &'static str,
    /// The path of the route.
    pub(super) path: &'f str,
    pub(super) status: StatusCode,
}

/// The SQL of the statements that ran, without literals; none if it was not kept.
pub(super) fn statements(record: &ExecutionRecord) -> Option<String> {
    let texts = execute::statements(record.translation()?)
        .map(|statement| without_literals(&statement.text));
    Some(texts.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty())
}

/// The spans of an exchange that has been answered.
pub(super) fn spans(
    trace: &ExchangeTrace,
    exchange: &HttpExchange,
    facts: &ExchangeFacts<'_>,
) -> Vec<Span> {
    let entry = &exchange.log_entry;
    let own = trace.context.span_id;
    let mut attributes: Vec<(&'static str, AttributeValue)> = vec![
        ("http.request.method", facts.method.into()),
        ("http.route", facts.path.to_owned().into()),
        (
            "http.response.status_code",
            u64::from(facts.status.as_u16()).into(),
        ),
        (
            "network.protocol.version",
            protocol_version(exchange.connection.version).into(),
        ),
        ("postern.request_id", exchange.id.clone().into()),
    ];
    let mut text = |name: &'static str, value: Option<String>| {
        attributes.extend(value.map(|value| (name, value.into())));
    };
    text("graphql.operation.name", entry.operation.clone());
    text(
        "graphql.operation.type",
        kind(&entry.record).map(str::to_owned),
    );
    text("postern.role", entry.role.as_deref().map(str::to_owned));
    text(
        "postern.document.hash",
        entry
            .record
            .document()
            .map(|hash| String::from_utf8_lossy(&hash.digits()).into_owned()),
    );
    text("postern.reason", entry.error.reason.text.clone());
    text("error.type", entry.error.code.map(str::to_owned));
    // A request that the gateway refuses for its content has not failed.
    let is_error = facts.status.is_server_error();
    let server = Span {
        id: own,
        parent: trace.parent,
        name: format!("{} {}", facts.method, facts.path).into(),
        kind: SpanKind::Server,
        start: trace.started,
        length: exchange.started.elapsed(),
        attributes,
        is_error,
    };
    let mut spans = vec![server];
    spans.extend(stage(trace, &entry.record, Stage::Plan, "plan"));
    spans.extend(stage(trace, &entry.record, Stage::Bind, "bind"));
    spans.extend(stage(
        trace,
        &entry.record,
        Stage::Wait,
        "wait for connection",
    ));
    spans.extend(query(trace, exchange));
    spans
}

fn stage(
    trace: &ExchangeTrace,
    record: &ExecutionRecord,
    stage: Stage,
    name: &'static str,
) -> Option<Span> {
    let (start, length) = record.stage(stage)?;
    Some(Span {
        id: new_span_id(),
        parent: Some(trace.context.span_id),
        name: name.into(),
        kind: SpanKind::Internal,
        start: trace.started + start,
        length,
        attributes: vec![],
        is_error: false,
    })
}

/// The span of the statements: from when the request has a connection until their rows are encoded.
/// Without statements, as for a cached answer, it is the span of the look-up.
fn query(trace: &ExchangeTrace, exchange: &HttpExchange) -> Option<Span> {
    let entry = &exchange.log_entry;
    let (start, length) = entry.record.stage(Stage::Run)?;
    let waited = entry
        .record
        .stage(Stage::Wait)
        .map_or(Duration::ZERO, |(_, length)| length);
    let mut attributes: Vec<(&'static str, AttributeValue)> =
        vec![("db.system.name", "postgresql".into())];
    attributes.extend(statements(&entry.record).map(|sql| ("db.query.text", sql.into())));
    attributes.extend(
        entry
            .record
            .server()
            .map(|server| ("server.address", server.to_owned().into())),
    );
    attributes.extend(
        entry
            .record
            .rows()
            .map(|rows| ("db.response.returned_rows", rows.into())),
    );
    let sqlstate = entry.error.reason.sqlstate.clone();
    let is_error = sqlstate.is_some();
    attributes.extend(sqlstate.map(|sqlstate| ("db.response.status_code", sqlstate.into())));
    Some(Span {
        id: trace.query,
        parent: Some(trace.context.span_id),
        name: "postgresql".into(),
        kind: SpanKind::Client,
        start: trace.started + start + waited,
        length: length.saturating_sub(waited),
        attributes,
        is_error,
    })
}

/// The type of the operation, as far as its statements tell.
fn kind(record: &ExecutionRecord) -> Option<&'static str> {
    match record.translation()?.kind {
        TranslationKind::Mutation(_) => Some("mutation"),
        TranslationKind::Statement(_) | TranslationKind::Constant(_) => Some("query"),
        TranslationKind::Composite(_) => None,
    }
}

fn protocol_version(version: Version) -> &'static str {
    match version {
        Version::HTTP_10 => "1.0",
        Version::HTTP_2 => "2",
        _ => "1.1",
    }
}
