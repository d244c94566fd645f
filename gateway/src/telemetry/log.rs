//! The log writer: a thread writes lines to standard error, so that no request waits for it. `format` renders a line;
//! the lines come from `tracing` events in other modules.

mod filter;
mod format;
mod panics;

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

pub use filter::{EXPECTED, filter};
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
    /// Signals that there is room again, or that all bytes are written.
    written: Condvar,
}

#[derive(Debug, Default)]
struct Buffer {
    bytes: Vec<u8>,
    thread: Thread,
    /// The number of threads that wait for the writer thread.
    waiting: usize,
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
const PAUSE: Duration = Duration::from_millis(5);

/// The maximum number of buffered bytes. Beyond it, threads that log have to wait.
const MAX_BYTES: usize = 1 << 20;

/// The writer of this process, created on first use.
static LINES: OnceLock<LogWriter> = OnceLock::new();

/// Waits until all log lines of this process are written.
pub fn flush() {
    if let Some(lines) = LINES.get() {
        lines.flush();
    }
}

impl LogWriter {
    /// The writer of this process. The first call starts the thread.
    pub fn of_process() -> LogWriter {
        LINES.get_or_init(LogWriter::start).clone()
    }

    fn start() -> LogWriter {
        let lines = LogWriter(Arc::default());
        let writer = lines.clone();
        let started = std::thread::Builder::new().name("log".into()).spawn(move || writer.run_thread());
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
        while buffer.bytes.len() > MAX_BYTES {
            buffer = self.wait(buffer);
        }
        buffer.bytes.extend_from_slice(line);
        if buffer.thread == Thread::Idle {
            buffer.thread = Thread::Busy;
            drop(buffer);
            self.0.has_bytes.notify_one();
        }
        Ok(())
    }

    fn flush(&self) {
        let mut buffer = self.locked();
        while buffer.thread == Thread::Busy {
            buffer = self.wait(buffer);
        }
    }

    fn wait<'a>(&self, mut buffer: MutexGuard<'a, Buffer>) -> MutexGuard<'a, Buffer> {
        buffer.waiting += 1;
        let mut buffer = self.0.written.wait(buffer).unwrap_or_else(PoisonError::into_inner);
        buffer.waiting -= 1;
        buffer
    }

    /// The loop of the writer thread, which never ends.
    fn run_thread(&self) {
        let mut bytes = Vec::new();
        let mut buffer = self.locked();
        loop {
            if buffer.waiting > 0 {
                self.0.written.notify_all();
            }
            if buffer.bytes.is_empty() {
                buffer.thread = Thread::Idle;
                buffer = self.0.has_bytes.wait(buffer).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            buffer.thread = Thread::Busy;
            std::mem::swap(&mut bytes, &mut buffer.bytes);
            drop(buffer);
            // An error cannot be reported if standard error itself fails.
            let _ = io::stderr().write_all(&bytes);
            bytes.clear();
            std::thread::sleep(PAUSE);
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
        lines.flush();
        assert!(lines.locked().bytes.is_empty());
        assert!(lines.locked().thread != Thread::Busy);
    }
}
