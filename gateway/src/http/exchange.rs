//! One HTTP request, from its head to its response.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::header::{HeaderName, UPGRADE};
use http::{HeaderMap, Method, Request, Uri, Version};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use pg::deadline;
use pg::memory::{MAX_COVERED_BYTES, OutOfMemory, RequestMemory, Reservation};
use pg::sharing::ShareKey;

use super::access_log::AccessLogEntry;
use super::app::App;
use super::body::Body;
use super::request_id::request_id;
use crate::error::Error;
use crate::execute::{ExecutionState, ReadSource};
use crate::limits::{LimitExceeded, Limits, values};
use crate::rate_limit::RateLimitContext;
use crate::telemetry::traces::ExchangeTrace;

/// One HTTP request, from its head to its response.
#[derive(Debug)]
pub struct HttpExchange {
    /// What all requests share.
    pub app: Arc<App>,
    /// The request id, sent in the response and written to the log.
    pub id: String,
    /// The method.
    pub method: Method,
    /// The path and the query string, still percent-encoded.
    pub uri: Uri,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, which has not been read yet.
    pub body: Body,
    /// The connection that the request arrived on.
    pub connection: ConnectionInfo,
    /// When the request's head was read.
    pub started: Instant,
    /// The client's address, if a trusted proxy reports one other than the connection's peer.
    pub client: Option<IpAddr>,
    /// The rate limits that apply to the request; none if there are none.
    pub rate_limit: Option<RateLimitContext>,
    /// What the access log will record.
    pub log_entry: AccessLogEntry,
    /// The memory reserved for the body and the values parsed from it.
    pub memory: Reservation,
    /// The memory that the request has reserved until its response is sent, or why none could be
    /// reserved.
    pub request_memory: Result<RequestMemory, OutOfMemory>,
    /// The connection once it speaks another protocol, if the request asks for one.
    pub upgrade: Option<OnUpgrade>,
    /// The trace that the request belongs to, if it is sampled.
    pub trace: Option<Box<ExchangeTrace>>,
    /// Whether there is a response. An exchange that is dropped before was abandoned by its client.
    pub(super) is_answered: bool,
}

/// What is recorded of the connection.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionInfo {
    /// The address of the connection's other end.
    pub peer: Option<SocketAddr>,
    /// Whether the connection has TLS.
    pub has_tls: bool,
    /// The HTTP version.
    pub version: Version,
}

/// The header with which a mutation's response names the position of its changes in the write-ahead
/// log, and a query the position from which on it has to read.
pub(super) const READ_AFTER: HeaderName = HeaderName::from_static("read-after");

impl HttpExchange {
    /// Begins the exchange of a request whose head has just been read.
    pub(super) fn new(
        app: Arc<App>,
        mut request: Request<Incoming>,
        peer: Option<SocketAddr>,
        has_tls: bool,
    ) -> HttpExchange {
        let upgrade = request
            .headers()
            .contains_key(UPGRADE)
            .then(|| hyper::upgrade::on(&mut request));
        let (head, body) = request.into_parts();
        let started = Instant::now();
        app.metrics.in_flight.inc();
        HttpExchange {
            id: request_id(&head.headers),
            method: head.method,
            uri: head.uri,
            headers: head.headers,
            body: Body::new(body),
            connection: ConnectionInfo {
                peer,
                has_tls,
                version: head.version,
            },
            started,
            client: None,
            rate_limit: None,
            log_entry: AccessLogEntry::new(started),
            memory: app.memory.empty_reservation(),
            request_memory: RequestMemory::reserve(app.memory),
            upgrade,
            trace: None,
            is_answered: false,
            app,
        }
    }

    /// Names operation, role and route, whose path is that of the REST map, in a comment of the
    /// statements, if the request is traced and its statements have comments.
    pub(super) fn add_comment(&mut self, route: &str) {
        let HttpExchange {
            app,
            log_entry,
            trace,
            ..
        } = self;
        if let (Some(trace), Some(tracer)) = (trace, &app.tracer) {
            log_entry.record.comment = tracer.comment(
                trace,
                &[
                    ("operation", log_entry.operation.as_deref()),
                    ("role", log_entry.role.as_deref()),
                    ("route", Some(route)),
                ],
            );
        }
    }

    /// Counts the memory of the request for this caller from now on. If the caller has no share
    /// left, the memory is released: the request will be refused, but the rest of its body may
    /// still be awaited.
    pub fn count_for(&mut self, caller: ShareKey) -> Result<(), OutOfMemory> {
        if let Ok(memory) = &self.request_memory {
            memory.count_for(caller).inspect_err(|_| memory.release())?;
        }
        self.memory.count_for(caller)
    }

    /// Releases the memory of the request before its end.
    pub(super) fn release_memory(&self) {
        if let Ok(memory) = &self.request_memory {
            memory.release();
        }
    }

    /// Reads the whole body within limits, the time of the request included, and reserves memory
    /// for it and for the values parsed from it.
    pub async fn read_body(&mut self, limits: &Limits) -> Result<Bytes, Error> {
        let read = self.body.read(&self.headers, limits, &mut self.memory);
        let deadline = tokio::time::Instant::from_std(self.started) + limits.time;
        deadline::timeout_at(deadline, read)
            .await
            .ok_or(LimitExceeded::BodyTime(limits.time))?
    }

    /// Reserves the memory that the values parsed from a body take up, in addition to what reading
    /// the body reserved.
    pub fn reserve_values(&mut self, body: &[u8]) -> Result<(), Error> {
        let bytes = body.len() + values::values_of(body);
        if bytes > MAX_COVERED_BYTES {
            self.memory.grow_by(bytes)?;
        }
        Ok(())
    }

    /// Reserves the memory that the values parsed from the query string take up.
    pub fn reserve_query(&mut self) -> Result<(), Error> {
        let bytes = values::values_of_form(self.query().as_bytes());
        if bytes > MAX_COVERED_BYTES {
            self.memory.grow_by(bytes)?;
        }
        Ok(())
    }

    /// The path, still percent-encoded.
    pub fn path(&self) -> &str {
        self.uri.path()
    }

    /// The client's address: the one a trusted proxy reports, or else the connection's peer.
    pub fn client(&self) -> Option<IpAddr> {
        self.client
            .or(self.connection.peer.map(|peer| peer.ip().to_canonical()))
    }

    /// Whether the client sent the request by HTTPS: the connection has TLS, or a trusted proxy
    /// says that its own has.
    pub fn is_https(&self) -> bool {
        let proxies = &self.app.state().proxies;
        self.connection.has_tls || proxies.report_https(self.connection.peer, &self.headers)
    }

    /// The query string without its question mark; empty if there is none.
    pub fn query(&self) -> &str {
        self.uri.query().unwrap_or_default()
    }

    /// From where the request may read: a replica that has replayed the position that it names.
    /// Without replicas, and for a position that cannot be read, the primary.
    pub(super) fn read_source(&self, execution: &ExecutionState) -> ReadSource {
        if execution.replicas.is_none() {
            return ReadSource::Primary;
        }
        let mut positions = self.headers.get_all(READ_AFTER).iter();
        match (positions.next(), positions.next()) {
            (None, _) => ReadSource::Replica(None),
            (Some(position), None) => match position
                .to_str()
                .ok()
                .and_then(|text| text.trim().parse().ok())
            {
                Some(position) => ReadSource::Replica(Some(position)),
                None => ReadSource::Primary,
            },
            (Some(_), Some(_)) => ReadSource::Primary,
        }
    }
}

impl Drop for HttpExchange {
    fn drop(&mut self) {
        self.app.metrics.in_flight.dec();
        if !self.is_answered {
            self.app.metrics.abandoned.inc();
        }
    }
}
