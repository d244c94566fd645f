//! What is measured while a request is executed: the time of each stage, rows, the document's hash
//! and the statements. Log, traces and metrics read it, whether the request succeeds or fails.
//! Measuring allocates nothing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use sql::Translation;

/// A stage of the execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Looking up or making the plan, with the validation of a new document.
    Plan,
    /// Making the parameters.
    Bind,
    /// Waiting for a connection to the database. A part of [`Stage::Run`].
    Wait,
    /// Running the statements and encoding their rows. The rest of a streamed response is not
    /// counted.
    Run,
}

/// What is measured while a request is executed.
#[derive(Debug)]
pub struct ExecutionRecord {
    /// When the request began: the stages count from here.
    began: Instant,
    stages: [StageTime; 4],
    /// The rows that statements have returned, plus one; zero if that is not known.
    rows: AtomicU64,
    /// Zero if no document is known.
    document: AtomicU64,
    /// The server that has answered, if there are several.
    server: OnceLock<Arc<str>>,
    /// The statements, kept only for debug logs, for traces and in development.
    translation: OnceLock<Arc<Translation>>,
    /// Whether the statements are kept.
    pub keeps_statements: bool,
    /// A comment for the statements. They are then not prepared for later requests.
    pub comment: Option<Box<str>>,
}

/// The time of a stage, in nanoseconds.
#[derive(Debug, Default)]
struct StageTime {
    /// From the beginning of the request.
    start: AtomicU64,
    length: AtomicU64,
}

/// Records the time of a stage when it is dropped, so that failed and cancelled stages are
/// recorded, too.
#[derive(Debug)]
pub struct StageTimer<'r> {
    time: &'r StageTime,
    began: Instant,
    started: Instant,
}

/// The first eight bytes of the SHA-256 of a document's text. Its digits are the beginning of the
/// hash that persisted queries use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentHash(u64);

/// The digits of a [`DocumentHash`].
pub type HashDigits = [u8; 16];

impl ExecutionRecord {
    /// A record of a request that began at this time.
    pub fn new(began: Instant) -> ExecutionRecord {
        ExecutionRecord {
            began,
            stages: Default::default(),
            rows: AtomicU64::new(0),
            document: AtomicU64::new(0),
            server: OnceLock::new(),
            translation: OnceLock::new(),
            keeps_statements: false,
            comment: None,
        }
    }

    /// Starts a stage. A stage that runs again adds to its time.
    pub fn start(&self, stage: Stage) -> StageTimer<'_> {
        StageTimer {
            time: self.time(stage),
            began: self.began,
            started: Instant::now(),
        }
    }

    fn time(&self, stage: Stage) -> &StageTime {
        let [plan, bind, wait, run] = &self.stages;
        match stage {
            Stage::Plan => plan,
            Stage::Bind => bind,
            Stage::Wait => wait,
            Stage::Run => run,
        }
    }

    /// When a stage started, from the beginning of the request, and how long it took; none if it
    /// did not run.
    pub fn stage(&self, stage: Stage) -> Option<(Duration, Duration)> {
        let StageTime { start, length } = self.time(stage);
        let read = |nanos: &AtomicU64| Duration::from_nanos(nanos.load(Ordering::Relaxed));
        Some((read(start), read(length))).filter(|(_, length)| !length.is_zero())
    }

    /// The time of a stage in milliseconds, to the microsecond.
    pub fn milliseconds(&self, stage: Stage) -> Option<f64> {
        self.stage(stage)
            .map(|(_, length)| length.as_micros() as f64 / 1000.0)
    }

    /// Adds rows that a statement has returned.
    pub fn add_rows(&self, rows: usize) {
        let known = self.rows.load(Ordering::Relaxed).max(1);
        self.rows
            .store(known.saturating_add(rows as u64), Ordering::Relaxed);
    }

    /// The rows that statements have returned. Those of a response that is sent in parts are not
    /// known.
    pub fn rows(&self) -> Option<u64> {
        self.rows.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Records the document.
    pub fn set_document(&self, hash: DocumentHash) {
        self.document.store(hash.0, Ordering::Relaxed);
    }

    /// The document.
    pub fn document(&self) -> Option<DocumentHash> {
        Some(DocumentHash(self.document.load(Ordering::Relaxed))).filter(|hash| hash.0 != 0)
    }

    /// Records the server that answers. A batch keeps that of its first request.
    pub fn set_server(&self, server: &Arc<str>) {
        let _ = self.server.set(server.clone());
    }

    /// The host and port of the server that has answered, if there are several.
    pub fn server(&self) -> Option<&str> {
        self.server.get().map(|server| &**server)
    }

    /// Records the statements, if they are kept.
    pub fn set_translation(&self, translation: &Arc<Translation>) {
        if self.keeps_statements {
            // A batch keeps the statements of its first request.
            let _ = self.translation.set(translation.clone());
        }
    }

    /// The statements, if they are kept.
    pub fn translation(&self) -> Option<&Arc<Translation>> {
        self.translation.get()
    }
}

impl Drop for StageTimer<'_> {
    fn drop(&mut self) {
        let start = self.started.saturating_duration_since(self.began);
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let known = self.time.length.load(Ordering::Relaxed);
        if known == 0 {
            self.time.start.store(nanos(start), Ordering::Relaxed);
        }
        // A stage that took less than a tick has run all the same.
        let length = nanos(self.started.elapsed()).max(1);
        self.time
            .length
            .store(known.saturating_add(length), Ordering::Relaxed);
    }
}

impl DocumentHash {
    /// Hashes the text of a document.
    pub fn hash(text: &str) -> DocumentHash {
        let digest = Sha256::digest(text);
        DocumentHash(
            digest
                .iter()
                .take(8)
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
        )
    }

    /// The sixteen hexadecimal digits.
    pub fn digits(self) -> HashDigits {
        let mut digits = [b'0'; 16];
        for (index, digit) in digits.iter_mut().enumerate() {
            let value = (self.0 >> (60 - 4 * index)) & 0xf;
            *digit = b"0123456789abcdef"[value as usize];
        }
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_begins_like_that_of_persisted_queries() {
        // printf '{__typename}' | sha256sum
        let digits = DocumentHash::hash("{__typename}").digits();
        assert_eq!(std::str::from_utf8(&digits), Ok("ecf4edb46db40b51"));
    }

    #[test]
    fn stages_and_rows_add_up() {
        let record = ExecutionRecord::new(Instant::now());
        assert_eq!((record.stage(Stage::Run), record.rows()), (None, None));
        drop(record.start(Stage::Run));
        let (start, once) = record.stage(Stage::Run).unwrap();
        drop(record.start(Stage::Run));
        let (again, twice) = record.stage(Stage::Run).unwrap();
        assert!(again == start && twice > once, "{once:?} {twice:?}");
        record.add_rows(0);
        assert_eq!(record.rows(), Some(0));
        record.add_rows(3);
        assert_eq!(record.rows(), Some(3));
    }
}
