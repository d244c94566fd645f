//! The log of deliveries that fail: a line for each event that is given up, and one a minute for
//! each trigger whose events are tried again. No line has a payload or a text of the receiver.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::queue::{Ended, Outcome};

/// Which failures were logged lately.
#[derive(Debug, Default)]
pub(super) struct DeliveryLog(Mutex<HashMap<Arc<str>, Silence>>);

/// The time after a line about a trigger in which others are only counted.
#[derive(Debug)]
struct Silence {
    until: Instant,
    failures: u64,
}

/// The time between two lines about events of a trigger that are tried again.
const INTERVAL: Duration = Duration::from_secs(60);

impl DeliveryLog {
    /// Logs the end of an attempt, if it has failed.
    pub(super) fn record(&self, trigger: &Arc<str>, ended: &Ended) {
        let Ended {
            id,
            attempt,
            status,
            cause,
            ..
        } = ended;
        let cause = cause.as_deref();
        let event = id.as_str();
        match ended.outcome {
            Outcome::Delivered => {}
            Outcome::Dead => tracing::warn!(
                trigger = &**trigger,
                event,
                attempts = attempt,
                status,
                cause,
                "an event was given up"
            ),
            Outcome::Retry => {
                if let Some(failures) = self.failures_to_log(trigger, Instant::now()) {
                    tracing::warn!(
                        trigger = &**trigger,
                        event,
                        attempts = attempt,
                        status,
                        cause,
                        failures,
                        "events are not delivered and are tried again"
                    );
                }
            }
        }
    }

    /// The failures since the last line, this one included, if a line is due.
    fn failures_to_log(&self, trigger: &Arc<str>, now: Instant) -> Option<u64> {
        let mut silences = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let silence = silences.entry(trigger.clone()).or_insert(Silence {
            until: now,
            failures: 0,
        });
        silence.failures += 1;
        if now < silence.until {
            return None;
        }
        silence.until = now + INTERVAL;
        Some(std::mem::take(&mut silence.failures))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_failure_of_a_trigger_and_minute_is_logged() {
        let log = DeliveryLog::default();
        let now = Instant::now();
        let first: Arc<str> = "first".into();
        let due = |trigger: &Arc<str>, seconds| {
            log.failures_to_log(trigger, now + Duration::from_secs(seconds))
        };
        assert_eq!(due(&first, 0), Some(1));
        assert_eq!((due(&first, 1), due(&first, 59)), (None, None));
        assert_eq!(due(&"second".into(), 1), Some(1));
        assert_eq!(due(&first, 60), Some(3));
    }
}
