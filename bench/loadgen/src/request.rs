//! Requests encoded before the run.

use std::fmt::Write;

use bytes::Bytes;

/// A complete HTTP/1.1 request, head and body, ready to send on a keep-alive connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedRequest {
    /// The encoded request.
    pub bytes: Bytes,
}

impl PreparedRequest {
    /// A `POST` with a JSON body. The headers are sent unchanged; `Host`, `Content-Type` and
    /// `Content-Length` are added.
    pub fn post(
        host: &str,
        path: &str,
        headers: &[(String, String)],
        body: &[u8],
    ) -> PreparedRequest {
        let mut head =
            format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n");
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ = write!(head, "Content-Length: {}\r\n\r\n", body.len());
        PreparedRequest {
            bytes: [head.as_bytes(), body].concat().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn post_encodes_a_complete_request() {
        let call = PreparedRequest::post("h:1", "/p", &[("A".into(), "b".into())], b"{}");
        let expected = "POST /p HTTP/1.1\r\nHost: h:1\r\nContent-Type: application/json\r\nA: \
                        b\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(call.bytes, expected);
    }
}
