//! The metrics of requests by the server of the database that answered them. There are few servers,
//! so a request finds the series of its own by comparing names, without a lock.

use std::sync::OnceLock;

use prometheus::{Histogram, HistogramVec, IntCounter, IntCounterVec};

use super::maker::Maker;
use super::routes::ALERTED_ERRORS;

/// Requests by server.
#[derive(Debug)]
pub struct RequestsByServer {
    /// By `server` and `code`.
    requests: IntCounterVec,
    durations: HistogramVec,
    /// The servers, in the order in which they became known.
    known: [OnceLock<ServerMetrics>; MAX_SERVERS],
}

/// The metrics of one server.
#[derive(Debug)]
struct ServerMetrics {
    server: Box<str>,
    succeeded: IntCounter,
    durations: Histogram,
}

/// How many servers have labels of their own; the addresses of a host name may change.
const MAX_SERVERS: usize = 32;

/// The label of all further ones.
const OTHER: &str = "other";

const BUCKETS: [f64; 6] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

impl RequestsByServer {
    pub(super) fn new(make: &Maker) -> RequestsByServer {
        RequestsByServer {
            requests: make.counters(
                "server_requests_total",
                "Requests that a server of the database has answered, if there are several",
                &["server", "code"],
            ),
            durations: make.histograms_with(
                "server_statement_duration_seconds",
                "Time of the statements of a request on a server, without the wait for a connection",
                &["server"],
                &BUCKETS,
            ),
            known: Default::default(),
        }
    }

    /// Makes the series of a server.
    pub fn add(&self, server: &str) {
        if self.of_server(server).is_some() {
            for (_, code) in ALERTED_ERRORS {
                self.requests.with_label_values(&[server, code]);
            }
        }
    }

    /// Counts a request that a server has answered, with the time of its statements.
    pub fn count(&self, server: &str, code: &str, seconds: f64) {
        let metrics = self.of_server(server);
        let label = metrics.map_or(OTHER, |metrics| &metrics.server);
        match metrics {
            Some(metrics) if code.is_empty() => metrics.succeeded.inc(),
            _ => self.requests.with_label_values(&[label, code]).inc(),
        }
        match metrics {
            Some(metrics) => metrics.durations.observe(seconds),
            None => self.durations.with_label_values(&[label]).observe(seconds),
        }
    }

    fn of_server(&self, server: &str) -> Option<&ServerMetrics> {
        self.known
            .iter()
            .map(|entry| {
                entry.get_or_init(|| ServerMetrics {
                    server: server.into(),
                    succeeded: self.requests.with_label_values(&[server, ""]),
                    durations: self.durations.with_label_values(&[server]),
                })
            })
            .find(|metrics| *metrics.server == *server)
    }
}

#[cfg(test)]
mod tests {
    use prometheus::Registry;

    use super::*;

    #[test]
    fn servers_beyond_the_limit_share_a_label() {
        let metrics = RequestsByServer::new(&Maker(Registry::new()));
        for number in 0..MAX_SERVERS + 2 {
            metrics.count(&format!("db{number}:5432"), "", 0.1);
        }
        metrics.count("db0:5432", "unavailable", 0.1);
        let count =
            |server: &str, code: &str| metrics.requests.with_label_values(&[server, code]).get();
        assert_eq!(
            (
                count("db0:5432", ""),
                count("db0:5432", "unavailable"),
                count(OTHER, "")
            ),
            (1, 1, 2)
        );
    }
}
