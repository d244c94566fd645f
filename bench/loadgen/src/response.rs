//! A minimal parser of HTTP/1.1 responses: finds where they end and whether they are errors. Bodies
//! pass through a buffer of fixed size; only the first bytes and the last two are kept.

use std::time::Duration;

/// The number of bytes of a body that are kept for error messages.
const MAX_KEPT_BODY_BYTES: usize = 512;

/// The maximum length of a response head.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// The state of parsing a response.
#[derive(Debug, Default)]
pub(super) struct Response {
    status: u16,
    length: u64,
    closes: bool,
    timing: Option<Timing>,
    kept: Vec<u8>,
    tail: [u8; 2],
    part: Part,
}

/// The times that the gateway reports in `Server-Timing`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// The number of responses with the header.
    pub all_responses: u64,
    /// The time to find or build the plan.
    pub plan: Duration,
    /// The time to bind the parameters.
    pub bind: Duration,
    /// The time to acquire a connection, wait for Postgres, and encode the rows as they arrive.
    pub run: Duration,
}

/// The part of the response that is parsed next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Head,
    Rest(u64),
    Size,
    Chunk(u64),
    /// The end of line after a chunk.
    ChunkEnd,
    /// The trailer after the last chunk.
    Trailer,
    UntilClosed,
    Done,
}

/// The bytes are not an HTTP/1.1 response.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed;

impl Response {
    /// Resets the state for the next response.
    pub(super) fn reset(&mut self) {
        self.kept.clear();
        *self = Response {
            kept: std::mem::take(&mut self.kept),
            ..Response::default()
        };
    }

    /// Parses more bytes; returns how many were consumed. The caller passes the rest again in front
    /// of the next bytes.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        let mut used = 0;
        while self.part != Part::Done {
            let rest = bytes.get(used..).unwrap_or_default();
            match self.step(rest)? {
                0 => break,
                step => used += step,
            }
        }
        Ok(used)
    }

    /// Whether the response is complete.
    pub(super) fn is_done(&self) -> bool {
        self.part == Part::Done
    }

    /// Records that the server has closed the connection; returns whether this completes the
    /// response.
    pub(super) fn ends_here(&mut self) -> bool {
        if self.part == Part::UntilClosed {
            self.part = Part::Done;
        }
        self.is_done()
    }

    /// Whether the server closes the connection after the response.
    pub(super) fn closes(&self) -> bool {
        self.closes
    }

    /// The length of the body in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The times in `Server-Timing`.
    pub(super) fn timing(&self) -> Option<Timing> {
        self.timing
    }

    /// Whether it is an error: a status other than 200, `errors` at the start, `data` that is null,
    /// or a member after `data`.
    pub(super) fn is_error(&self) -> bool {
        if self.status != 200 {
            return true;
        }
        let opening = |expected: &[u8]| {
            let mut seen = self.kept.iter().filter(|byte| !byte.is_ascii_whitespace());
            expected.iter().all(|byte| seen.next() == Some(byte))
        };
        if opening(br#"{"data":{"#) {
            self.tail != *b"}}"
        } else {
            opening(br#"{"errors":"#) || opening(br#"[{"errors":"#) || opening(br#"{"data":null"#)
        }
    }

    /// The status and the start of the body.
    pub(super) fn describe_failure(&self) -> String {
        format!(
            "{} {}",
            self.status,
            String::from_utf8_lossy(&self.kept).trim_end()
        )
    }

    fn step(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        match self.part {
            Part::Head => self.head(bytes),
            Part::Rest(left) => {
                let taken = self.body(bytes, left);
                let left = left - taken as u64;
                self.part = if left == 0 {
                    Part::Done
                } else {
                    Part::Rest(left)
                };
                Ok(taken)
            }
            Part::Chunk(left) => {
                let taken = self.body(bytes, left);
                let left = left - taken as u64;
                self.part = if left == 0 {
                    Part::ChunkEnd
                } else {
                    Part::Chunk(left)
                };
                Ok(taken)
            }
            Part::UntilClosed => Ok(self.body(bytes, u64::MAX)),
            Part::Size | Part::ChunkEnd | Part::Trailer => self.line(bytes),
            Part::Done => Ok(0),
        }
    }

    fn line(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
            return if bytes.len() > MAX_HEAD_BYTES {
                Err(Malformed)
            } else {
                Ok(0)
            };
        };
        let line = bytes.get(..end).unwrap_or_default().trim_ascii();
        self.part = match (self.part, line) {
            (Part::Size, line) => match size(line)? {
                0 => Part::Trailer,
                size => Part::Chunk(size),
            },
            (Part::ChunkEnd, b"") => Part::Size,
            (Part::Trailer, b"") => Part::Done,
            (Part::Trailer, _) => Part::Trailer,
            _ => return Err(Malformed),
        };
        Ok(end + 1)
    }

    fn body(&mut self, bytes: &[u8], left: u64) -> usize {
        let bytes = bytes
            .get(..usize::try_from(left).unwrap_or(usize::MAX))
            .unwrap_or(bytes);
        self.length += bytes.len() as u64;
        let remaining = MAX_KEPT_BODY_BYTES
            .saturating_sub(self.kept.len())
            .min(bytes.len());
        self.kept
            .extend_from_slice(bytes.get(..remaining).unwrap_or_default());
        let last = bytes
            .get(bytes.len().saturating_sub(16)..)
            .unwrap_or_default()
            .iter();
        for byte in last.filter(|byte| !byte.is_ascii_whitespace()) {
            self.tail = [self.tail[1], *byte];
        }
        bytes.len()
    }

    fn head(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            return if bytes.len() > MAX_HEAD_BYTES {
                Err(Malformed)
            } else {
                Ok(0)
            };
        };
        let mut lines = bytes
            .get(..end)
            .unwrap_or_default()
            .split(|byte| *byte == b'\n');
        let status = lines.next().ok_or(Malformed)?;
        let (version, status) = status.split_at_checked(8).ok_or(Malformed)?;
        let status = status
            .get(1..4)
            .and_then(|code| std::str::from_utf8(code).ok())
            .ok_or(Malformed)?;
        self.status = status.parse().map_err(|_| Malformed)?;
        self.closes = version == b"HTTP/1.0";
        self.part = Part::UntilClosed;
        for line in lines {
            let colon = line
                .iter()
                .position(|byte| *byte == b':')
                .ok_or(Malformed)?;
            self.header(
                line.get(..colon).unwrap_or_default(),
                line.get(colon + 1..).unwrap_or_default(),
            )?;
        }
        match (self.status, self.part) {
            (100..200, _) => self.part = Part::Head,
            (204 | 304, _) | (_, Part::Rest(0)) => self.part = Part::Done,
            (_, Part::UntilClosed) => self.closes = true,
            _ => {}
        }
        Ok(end + 4)
    }

    fn header(&mut self, name: &[u8], value: &[u8]) -> Result<(), Malformed> {
        let value = value.trim_ascii();
        match name.len() {
            14 if name.eq_ignore_ascii_case(b"content-length") => {
                let length = std::str::from_utf8(value)
                    .ok()
                    .and_then(|text| text.parse().ok());
                self.part = Part::Rest(length.ok_or(Malformed)?);
            }
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => self.part = Part::Size,
            10 if name.eq_ignore_ascii_case(b"connection") => {
                self.closes |= value.eq_ignore_ascii_case(b"close");
            }
            13 if name.eq_ignore_ascii_case(b"server-timing") => {
                // Proxies may add headers of their own.
                self.timing = Timing::read(value).or(self.timing);
            }
            _ => {}
        }
        Ok(())
    }
}

impl Timing {
    /// Adds the times of other responses.
    pub fn add(&mut self, other: Timing) {
        self.all_responses += other.all_responses;
        self.plan += other.plan;
        self.bind += other.bind;
        self.run += other.run;
    }

    /// Parses `plan;dur=0.012, bind;dur=0.003, run;dur=0.4`, possibly among other metrics; `None`
    /// for headers of other servers.
    fn read(value: &[u8]) -> Option<Timing> {
        let text = std::str::from_utf8(value).ok()?;
        let stage = |name: &str| text.split(',').find_map(|metric| duration(metric, name));
        Some(Timing {
            all_responses: 1,
            plan: stage("plan")?,
            bind: stage("bind")?,
            run: stage("run")?,
        })
    }
}

/// The duration of a metric with this name, in milliseconds: `plan;desc="known";dur=0.012`.
fn duration(metric: &str, name: &str) -> Option<Duration> {
    let mut parameters = metric.split(';').map(str::trim);
    parameters.next().filter(|known| *known == name)?;
    let millis = parameters
        .find_map(|parameter| parameter.strip_prefix("dur="))?
        .trim_matches('"');
    Duration::try_from_secs_f64(millis.parse::<f64>().ok()? / 1000.0).ok()
}

/// The size of a chunk. Extensions after a semicolon are ignored.
fn size(line: &[u8]) -> Result<u64, Malformed> {
    let digits = line
        .split(|byte| *byte == b';')
        .next()
        .unwrap_or_default()
        .trim_ascii();
    let digits = std::str::from_utf8(digits).map_err(|_| Malformed)?;
    u64::from_str_radix(digits, 16).map_err(|_| Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses bytes that arrive in pieces of this size, as from a connection's buffer.
    fn read(bytes: &[u8], piece: usize) -> Result<(Response, usize), Malformed> {
        let mut response = Response::default();
        let mut buffer = vec![];
        let mut used = 0;
        for piece in bytes.chunks(piece) {
            buffer.extend_from_slice(piece);
            let taken = response.take(&buffer)?;
            buffer.drain(..taken);
            used += taken;
        }
        Ok((response, used))
    }

    #[test]
    fn response_end_follows_its_head() {
        let sized =
            b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\nX: y\r\n\r\n{\"data\":{}}HTTP/1.1 200"
                .as_slice();
        let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8;x=y\r\n{\"data\":\r\n3\r\n{}}\r\n0\r\nA: b\r\n\r\nHTTP/1.1 200".as_slice();
        for (bytes, rest) in [(sized, 12), (chunked, 12)] {
            for piece in [1, 2, 7, 1000] {
                let (response, used) = read(bytes, piece).unwrap();
                assert!(response.is_done() && !response.is_error() && !response.closes());
                assert_eq!((response.length(), used), (11, bytes.len() - rest));
                assert_eq!(response.kept, b"{\"data\":{}}");
            }
        }
    }

    #[test]
    fn errors_are_found_at_the_start_or_the_end() {
        let is_error = |status: u16, body: &str| {
            let bytes = format!(
                "HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            read(bytes.as_bytes(), 3).unwrap().0.is_error()
        };
        assert!(!is_error(200, r#"{"data":{"errors":[{"errors":1}]}}"#));
        assert!(!is_error(200, "{ \"data\" : {\"a\": []} }\n"));
        assert!(is_error(200, r#"{"errors":[{"message":"m"}]}"#));
        assert!(is_error(
            200,
            r#"{"data":{"a":null},"errors":[{"message":"m"}]}"#
        ));
        assert!(is_error(200, r#"{"data":null}"#));
        assert!(is_error(503, r#"{"data":{}}"#));
        assert!(!is_error(200, "ok"));
    }

    #[test]
    fn server_timing_is_parsed() {
        let bytes = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nServer-Timing: plan;dur=0.012, bind;dur=0.003, run;dur=1.5\r\n\r\nok";
        let timing = read(bytes, 1000).unwrap().0.timing().unwrap();
        assert_eq!(timing.run, Duration::from_micros(1500));
        assert_eq!(
            (timing.all_responses, timing.plan, timing.bind),
            (1, Duration::from_micros(12), Duration::from_micros(3))
        );
        assert_eq!(Timing::read(b"db;dur=3"), None);
        assert_eq!(Timing::read(b"missed"), None);
    }

    #[test]
    fn server_timing_is_parsed_beside_other_metrics() {
        let own = "Server-Timing: cache;desc=HIT, plan;desc=\"known\";dur=1, bind; dur=\"2\" \
                   ,run;dur=3, total;dur=9";
        let other = "Server-Timing: cdn-cache; desc=MISS, edge;dur=4";
        let unreadable = "Server-Timing: plan;dur=soon";
        for headers in [[own, other, unreadable], [unreadable, other, own]] {
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n{}\r\n\r\nok",
                headers.join("\r\n")
            );
            let timing = read(head.as_bytes(), 1000)
                .unwrap()
                .0
                .timing()
                .expect("the stages are lost");
            assert_eq!(
                [timing.plan, timing.bind, timing.run],
                [1, 2, 3].map(Duration::from_millis)
            );
        }
    }

    #[test]
    fn malformed_responses_are_rejected() {
        let malformed = |bytes: &[u8]| read(bytes, 1000).err() == Some(Malformed);
        assert!(malformed(b"HTTP/1.1 two\r\n\r\n"));
        assert!(malformed(b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n"));
        assert!(malformed(
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"
        ));
        let (mut open, _) = read(b"HTTP/1.1 200 OK\r\n\r\n{\"data\":{}}", 5).unwrap();
        assert!(!open.is_done() && open.closes() && open.ends_here());
    }
}
