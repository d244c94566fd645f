//! Encodes spans as OTLP in JSON, the body of `POST /v1/traces`.
//! <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::span::{AttributeValue, Span};
use crate::telemetry::resource::Resource;

/// The status code of a failed span.
const STATUS_ERROR: u8 = 2;

/// The body of a request with these spans, each with its trace.
pub(super) fn request(resource: &Resource, spans: &[(u128, Span)]) -> Value {
    let sdk = [
        ("telemetry.sdk.language", "rust"),
        ("telemetry.sdk.name", "postern"),
    ];
    let resource: Vec<Value> = resource
        .attributes()
        .chain(sdk)
        .map(|(name, value)| json!({"key": name, "value": {"stringValue": value}}))
        .collect();
    let spans: Vec<Value> = spans
        .iter()
        .map(|(trace_id, span)| encode(*trace_id, span))
        .collect();
    let scope = json!({"name": "postern", "version": env!("CARGO_PKG_VERSION")});
    json!({"resourceSpans": [{
        "resource": {"attributes": resource},
        "scopeSpans": [{"scope": scope, "spans": spans}],
    }]})
}

fn encode(trace_id: u128, span: &Span) -> Value {
    let attributes: Vec<Value> = span
        .attributes
        .iter()
        .map(|(name, value)| attribute(name, value))
        .collect();
    let mut encoded = json!({
        "traceId": format!("{trace_id:032x}"),
        "spanId": format!("{:016x}", span.id),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": nanos(span.start),
        "endTimeUnixNano": nanos(span.start + span.length),
        "attributes": attributes,
        "status": if span.is_error { json!({"code": STATUS_ERROR}) } else { json!({}) },
    });
    if let Some(parent) = span.parent {
        encoded["parentSpanId"] = format!("{parent:016x}").into();
    }
    encoded
}

/// Numbers of 64 bits are strings in this format.
fn attribute(name: &str, value: &AttributeValue) -> Value {
    let value = match value {
        AttributeValue::Text(text) => json!({"stringValue": text}),
        AttributeValue::Number(number) => json!({"intValue": number.to_string()}),
    };
    json!({"key": name, "value": value})
}

fn nanos(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_nanos()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::super::span::SpanKind;
    use super::*;
    use crate::telemetry::resource::ResourceNames;

    #[test]
    fn span_is_encoded_as_the_specification_says() {
        let span = Span {
            id: 2,
            parent: Some(1),
            name: "GET /x".into(),
            kind: SpanKind::Server,
            start: UNIX_EPOCH + Duration::from_secs(1),
            length: Duration::from_nanos(5),
            attributes: vec![
                ("http.route", "/x".into()),
                ("http.response.status_code", 500.into()),
            ],
            is_error: true,
        };
        let resource = Resource::new(ResourceNames::default(), |_| None);
        let encoded =
            &request(&resource, &[(3, span)])["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        let expected = json!({
            "traceId": "00000000000000000000000000000003",
            "spanId": "0000000000000002",
            "name": "GET /x",
            "kind": 2,
            "startTimeUnixNano": "1000000000",
            "endTimeUnixNano": "1000000005",
            "attributes": [
                {"key": "http.route", "value": {"stringValue": "/x"}},
                {"key": "http.response.status_code", "value": {"intValue": "500"}},
            ],
            "status": {"code": 2},
            "parentSpanId": "0000000000000001",
        });
        assert_eq!(encoded, &expected);
    }
}
