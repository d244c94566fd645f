//! The schedule of requests. At a fixed rate a separate thread sleeps from one to the next, because
//! the runtime's timers have a resolution of one millisecond; idle clients take the due requests in
//! order.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use super::report::LoadReport;

/// The options of a run.
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions {
    /// The number of connections, each with at most one request in flight.
    pub clients: usize,
    /// When requests are sent.
    pub arrival_rate: ArrivalRate,
    /// The time before measuring begins.
    pub warm_up: Duration,
    /// The time of the measurement.
    pub time: Duration,
}

/// How long after the end clients may still take requests that were due before it.
const DRAIN_TIME: Duration = Duration::from_millis(50);

/// When requests are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrivalRate {
    /// Closed loop: each client sends its next request when it has received the response to the
    /// last.
    Closed,
    /// Open loop: this many requests per second over all clients, evenly spaced. Latencies count
    /// from the scheduled time.
    Rate(f64),
}

impl ArrivalRate {
    /// The rate per second, if it is fixed.
    pub fn rate(self) -> Option<f64> {
        match self {
            ArrivalRate::Closed => None,
            ArrivalRate::Rate(rate) => Some(rate),
        }
    }

    pub(super) fn is_sound(self) -> bool {
        self.rate()
            .is_none_or(|rate| rate.is_finite() && rate > 0.0 && rate <= 1e7)
    }
}

/// The requests of a run, in order. Shared by its clients.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    pace: ArrivalRate,
    /// One permit for each request that is due and not yet taken; closed after the last one.
    due: Arc<Semaphore>,
    taken: Rc<Cell<u64>>,
    start: Instant,
    counted_from: Instant,
    end: Instant,
}

/// A request to send.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScheduledRequest {
    /// Its position in the run, from 0.
    pub(super) number: u64,
    /// The time from which its latency counts.
    pub(super) due: Instant,
}

impl Schedule {
    /// Starts a run now.
    pub(super) fn start(drive: &LoadOptions) -> std::io::Result<Schedule> {
        let start = Instant::now();
        let counted_from = start + drive.warm_up;
        let end = counted_from + drive.time;
        let due = Arc::new(Semaphore::new(0));
        let schedule = Schedule {
            pace: drive.arrival_rate,
            due,
            taken: Rc::default(),
            start,
            counted_from,
            end,
        };
        if let ArrivalRate::Rate(rate) = drive.arrival_rate {
            let due = schedule.due.clone();
            let arrivals = schedule.arrivals(rate);
            let release = move || {
                release(&due, arrivals, |number| start + at(number, rate));
                std::thread::sleep((end + DRAIN_TIME).saturating_duration_since(Instant::now()));
                due.close();
            };
            std::thread::Builder::new()
                .name("pace".into())
                .spawn(release)?;
        }
        Ok(schedule)
    }

    /// Waits until a request is due; `None` when the run is over.
    pub(super) async fn next(&self) -> Option<ScheduledRequest> {
        let due = match self.pace {
            ArrivalRate::Closed => Instant::now(),
            ArrivalRate::Rate(rate) => {
                self.due.acquire().await.ok()?.forget();
                self.start + at(self.taken.get(), rate)
            }
        };
        if self.pace == ArrivalRate::Closed && due >= self.end {
            return None;
        }
        let number = self.taken.get();
        self.taken.set(number + 1);
        Some(ScheduledRequest { number, due })
    }

    /// Whether a response that arrives now is counted: in a closed loop if it arrives within the
    /// measured time, at a fixed rate if its request was due in it.
    pub(super) fn counts(&self, scheduled: ScheduledRequest, now: Instant) -> bool {
        match self.pace {
            ArrivalRate::Closed => now >= self.counted_from && now <= self.end,
            ArrivalRate::Rate(_) => scheduled.due >= self.counted_from,
        }
    }

    /// When the measurement begins.
    pub(super) fn counted_from(&self) -> Instant {
        self.counted_from
    }

    /// When the last request is sent.
    pub(super) fn end(&self) -> Instant {
        self.end
    }

    /// Counts the requests that were due and never sent.
    pub(super) fn unsent(&self, seen: &mut LoadReport) {
        let ArrivalRate::Rate(rate) = self.pace else {
            return;
        };
        for number in self.taken.get()..self.arrivals(rate) {
            let due = self.start + at(number, rate);
            if due >= self.counted_from {
                seen.unsent += 1;
                seen.latencies
                    .record(self.end.saturating_duration_since(due));
            }
        }
    }

    fn arrivals(&self, rate: f64) -> u64 {
        ((self.end - self.start).as_secs_f64() * rate) as u64
    }
}

/// How long after the start a request is due.
fn at(number: u64, rate: f64) -> Duration {
    Duration::from_secs_f64(number as f64 / rate)
}

/// Releases requests when they are due, several at once if necessary. Ends early when no clients
/// are left.
fn release(due: &Arc<Semaphore>, arrivals: u64, at: impl Fn(u64) -> Instant) {
    // Linux may wake sleeping threads up to 50 µs late to combine wake-ups; without this file the
    // default remains.
    let _ = std::fs::write("/proc/thread-self/timerslack_ns", "1000");
    let mut released = 0;
    while released < arrivals && Arc::strong_count(due) > 1 {
        let now = Instant::now();
        let mut more = 0;
        while released < arrivals && at(released) <= now {
            released += 1;
            more += 1;
        }
        due.add_permits(more);
        if released < arrivals {
            std::thread::sleep(at(released).saturating_duration_since(Instant::now()));
        }
    }
}
