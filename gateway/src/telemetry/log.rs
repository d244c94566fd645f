//! The log writer: a thread writes lines to standard error, so that no request waits for it. While
//! the reader of standard error does not read, lines beyond the buffer are dropped and counted.
//! `format` renders a line; the lines come from `tracing` events in other modules.
//!
//! Lines are collected for 5 ms, up to 1 MiB; the first line after a pause is written at once. So a
//! request makes no system call for its line, and a container runtime that does not read for a
//! minute is no outage of the API. The end of the process waits two seconds for what is left.

mod filter;
mod format;
mod panics;

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

pub use filter::{EXPECTED, LogFilter, filter, set_level};
pub use format::LogFormat;
pub use panics::{catch_panics, panic_text};

/// Buffers log lines, which a thread of its own writes to standard error.
#[derive(Clone, Debug)]
pub struct LogWriter(Arc<SharedBuffer>);

#[derive(Debug, Default)]
struct SharedBuffer {
    buffer: Mutex<Buffer>,
    /// Signals that there are bytes to write.
    has_bytes: Condvar,
    /// Signals that all bytes are written.
    written: Condvar,
}

#[derive(Debug, Default)]
struct Buffer {
    bytes: Vec<u8>,
    thread: Thread,
    /// The number of lines that were dropped since the last report of them.
    lost: u64,
}

/// The state of the writer thread.
#[derive(Debug, Default, PartialEq, Eq)]
enum Thread {
    /// Waiting for bytes to write.
    Idle,
    /// Writing, or pausing so that more lines are buffered.
    #[default]
    Busy,
    /// The thread could not be started: each line is written by the thread that logs it.
    Absent,
}

/// The pause between two writes. The first line after an idle time is written at once.
const WRITE_INTERVAL: Duration = Duration::from_millis(5);

/// The maximum number of buffered bytes. Lines beyond it are dropped.
const MAX_BYTES: usize = 1 << 20;

/// How long the end of the process waits for the reader of standard error.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// The writer of this process, created on first use.
static LINES: OnceLock<LogWriter> = OnceLock::new();

/// The number of lines that this process has dropped.
static LOST_LINES: AtomicU64 = AtomicU64::new(0);

/// Waits until all log lines of this process are written, two seconds at most. Returns whether they
/// are.
pub fn flush() -> bool {
    LINES.get().is_none_or(|lines| lines.flush(FLUSH_TIMEOUT))
}

/// The number of log lines that this process has dropped, because the reader of standard error did
/// not read.
pub fn lost_lines() -> u64 {
    LOST_LINES.load(Ordering::Relaxed)
}

impl LogWriter {
    /// The writer of this process. The first call starts the thread.
    pub fn for_process() -> LogWriter {
        LINES.get_or_init(LogWriter::start).clone()
    }

    fn start() -> LogWriter {
        let lines = LogWriter(Arc::default());
        let writer = lines.clone();
        let started = std::thread::Builder::new()
            .name("log".into())
            .spawn(move || writer.run_thread());
        if started.is_err() {
            lines.locked().thread = Thread::Absent;
        }
        lines
    }

    fn locked(&self) -> MutexGuard<'_, Buffer> {
        self.0.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, line: &[u8]) -> io::Result<()> {
        let mut buffer = self.locked();
        if buffer.thread == Thread::Absent {
            return io::stderr().write_all(line);
        }
        if buffer.bytes.len() + line.len() > MAX_BYTES {
            buffer.lost += 1;
            LOST_LINES.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        buffer.bytes.extend_from_slice(line);
        if buffer.thread == Thread::Idle {
            buffer.thread = Thread::Busy;
            drop(buffer);
            self.0.has_bytes.notify_one();
        }
        Ok(())
    }

    /// Waits until all lines are written, or for this time. Returns whether they are.
    fn flush(&self, limit: Duration) -> bool {
        let is_busy = |buffer: &mut Buffer| buffer.thread == Thread::Busy;
        let waited = self
            .0
            .written
            .wait_timeout_while(self.locked(), limit, is_busy);
        let (buffer, _) = waited.unwrap_or_else(PoisonError::into_inner);
        buffer.thread != Thread::Busy
    }

    /// The loop of the writer thread, which never ends.
    fn run_thread(&self) {
        let mut bytes = Vec::new();
        let mut buffer = self.locked();
        loop {
            if buffer.bytes.is_empty() {
                buffer.thread = Thread::Idle;
                self.0.written.notify_all();
                buffer = self
                    .0
                    .has_bytes
                    .wait(buffer)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            buffer.thread = Thread::Busy;
            std::mem::swap(&mut bytes, &mut buffer.bytes);
            let lost = std::mem::take(&mut buffer.lost);
            drop(buffer);
            if lost > 0 {
                // It goes into the buffer that was emptied just now, after the lines that were
                // kept.
                tracing::warn!(
                    lines = lost,
                    "log lines were lost, because standard error was not read"
                );
            }
            // An error cannot be reported if standard error itself fails.
            let _ = io::stderr().write_all(&bytes);
            bytes.clear();
            std::thread::sleep(WRITE_INTERVAL);
            buffer = self.locked();
        }
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = &'a LogWriter;

    fn make_writer(&'a self) -> &'a LogWriter {
        self
    }
}

impl Write for &LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.add(line).map(|()| line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flush_writes_all_buffered_lines() {
        let lines = LogWriter::start();
        // Blanks, since empty lines would leave the buffer empty without being written.
        for _ in 0..100 {
            lines.add(b" ").unwrap();
        }
        assert!(lines.flush(FLUSH_TIMEOUT));
        assert!(lines.locked().bytes.is_empty());
        assert!(lines.locked().thread != Thread::Busy);
    }

    #[test]
    fn lines_beyond_the_buffer_are_dropped_and_counted() {
        // No thread writes, as while nobody reads standard error.
        let lines = LogWriter(Arc::default());
        let line = vec![b' '; MAX_BYTES / 4];
        let before = lost_lines();
        for _ in 0..10 {
            lines.add(&line).unwrap();
        }
        let (bytes, lost) = {
            let buffer = lines.locked();
            (buffer.bytes.len(), buffer.lost)
        };
        assert_eq!((bytes, lost), (MAX_BYTES, 6));
        assert!(lost_lines() >= before + 6);
        assert!(!lines.flush(Duration::from_millis(10)));
    }
}
