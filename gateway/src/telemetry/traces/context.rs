//! The context of a trace as requests carry it: the header `traceparent`.
//! <https://www.w3.org/TR/trace-context/>

use http::header::{HeaderMap, HeaderName, HeaderValue};

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// A span, and whether its trace is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace; never zero.
    pub trace_id: u128,
    /// The span; never zero.
    pub span_id: u64,
    /// Whether the trace is recorded.
    pub is_sampled: bool,
}

/// What the headers of a request say of the trace that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerTrace {
    /// Nothing.
    Absent,
    /// A trace to continue.
    Followed(TraceContext),
    /// A trace of a client that may not choose its id.
    Untrusted {
        /// Whether that trace is recorded.
        is_sampled: bool,
    },
}

impl CallerTrace {
    /// Reads the context. If the caller is not trusted, the headers lose it, so that nothing passes
    /// it on. A malformed or repeated header counts as none.
    pub fn take(
        headers: &mut HeaderMap,
        is_trusted: impl FnOnce(&HeaderMap) -> bool,
    ) -> CallerTrace {
        if !headers.contains_key(TRACEPARENT) && !headers.contains_key(TRACESTATE) {
            return CallerTrace::Absent;
        }
        let given = TraceContext::from_headers(headers);
        if is_trusted(headers) {
            return given.map_or(CallerTrace::Absent, CallerTrace::Followed);
        }
        headers.remove(TRACEPARENT);
        headers.remove(TRACESTATE);
        given.map_or(CallerTrace::Absent, |given| CallerTrace::Untrusted {
            is_sampled: given.is_sampled,
        })
    }
}

impl TraceContext {
    /// The context in the headers of a request. A malformed or repeated header counts as none.
    fn from_headers(headers: &HeaderMap) -> Option<TraceContext> {
        let mut given = headers.get_all(TRACEPARENT).iter();
        let (Some(value), None) = (given.next(), given.next()) else {
            return None;
        };
        TraceContext::parse(value.to_str().ok()?)
    }

    /// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. Later versions may append further
    /// parts.
    fn parse(text: &str) -> Option<TraceContext> {
        let mut parts = text.trim().split('-');
        let mut part = |length: usize| {
            let part = parts.next()?;
            let is_hex = part
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            (part.len() == length && is_hex).then_some(part)
        };
        let version = part(2)?;
        let trace = part(32)?;
        let span = part(16)?;
        let flags = part(2)?;
        let has_more = parts.next().is_some();
        if version == "ff" || (version == "00" && has_more) {
            return None;
        }
        let trace_id = u128::from_str_radix(trace, 16).ok().filter(|id| *id != 0)?;
        let span_id = u64::from_str_radix(span, 16).ok().filter(|id| *id != 0)?;
        let is_sampled = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
        Some(TraceContext {
            trace_id,
            span_id,
            is_sampled,
        })
    }

    /// Replaces the context of these headers. `tracestate` belongs to the caller's trace, which
    /// goes on.
    pub(super) fn write_to(self, headers: &mut HeaderMap) {
        if !headers.contains_key(TRACEPARENT) {
            headers.remove(TRACESTATE);
        }
        if let Ok(value) = HeaderValue::try_from(self.text()) {
            headers.insert(TRACEPARENT, value);
        }
    }

    /// The value of the header.
    pub fn text(self) -> String {
        let TraceContext {
            trace_id,
            span_id,
            is_sampled,
        } = self;
        format!(
            "00-{trace_id:032x}-{span_id:016x}-{:02x}",
            u8::from(is_sampled)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_is_read_and_written() {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let context = TraceContext::parse(text).unwrap();
        assert_eq!(
            (context.span_id, context.is_sampled),
            (0x00f0_67aa_0ba9_02b7, true)
        );
        assert_eq!(context.text(), text);
        let mut headers = HeaderMap::new();
        context.write_to(&mut headers);
        assert_eq!(TraceContext::from_headers(&headers), Some(context));
        headers.append("traceparent", HeaderValue::from_static("x"));
        assert_eq!(TraceContext::from_headers(&headers), None);
    }

    #[test]
    fn context_of_an_untrusted_caller_is_removed() {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let given = || {
            let pairs = [
                (TRACEPARENT, HeaderValue::from_static(text)),
                (TRACESTATE, HeaderValue::from_static("a=1")),
            ];
            HeaderMap::from_iter(pairs)
        };
        let mut headers = given();
        let followed = CallerTrace::take(&mut headers, |_| true);
        assert_eq!(
            (followed, headers),
            (
                CallerTrace::Followed(TraceContext::parse(text).unwrap()),
                given()
            )
        );
        let mut headers = given();
        assert_eq!(
            CallerTrace::take(&mut headers, |_| false),
            CallerTrace::Untrusted { is_sampled: true }
        );
        assert!(headers.is_empty(), "{headers:?}");
        let mut headers = given();
        headers.append(TRACEPARENT, HeaderValue::from_static(text));
        assert_eq!(
            CallerTrace::take(&mut headers, |_| false),
            CallerTrace::Absent
        );
        assert!(headers.is_empty(), "{headers:?}");
    }

    #[test]
    fn malformed_headers_count_as_none() {
        for text in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
        ] {
            assert_eq!(TraceContext::parse(text), None, "{text}");
        }
        let later = "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-x";
        assert_eq!(
            TraceContext::parse(later).map(|context| context.is_sampled),
            Some(false)
        );
    }
}
