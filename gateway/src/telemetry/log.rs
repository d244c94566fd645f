//! The log: how lines get to standard error without a request waiting for that. How a line looks is in `form`; what is said
//! in them is left to those who say it.

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

/// Lines on their way to standard error: they gather, and a thread of its own writes what has gathered.
#[derive(Clone, Debug)]
pub struct LogWriter(Arc<Gathering>);

#[derive(Debug, Default)]
struct Gathering {
    gathered: Mutex<Gathered>,
    /// There is something to write.
    come: Condvar,
    /// There is room again, or all is written.
    gone: Condvar,
}

#[derive(Debug, Default)]
struct Gathered {
    bytes: Vec<u8>,
    thread: Thread,
    /// How many wait for the thread.
    waiting: usize,
}

/// What the thread is doing.
#[derive(Debug, Default, PartialEq, Eq)]
enum Thread {
    /// Waiting for something to write.
    Idle,
    /// Writing, or letting lines gather.
    #[default]
    Busy,
    /// It could not be started: each line is written by whoever has it.
    Absent,
}

/// Lines gather for so long; the first after a pause is written at once.
const PAUSE: Duration = Duration::from_millis(5);

/// More than that does not gather: whoever logs waits, as without a thread.
const MOST: usize = 1 << 20;

/// The lines of this process, once there are any.
static LINES: OnceLock<LogWriter> = OnceLock::new();

/// Waits until all lines of this process are written.
pub fn flush() {
    if let Some(lines) = LINES.get() {
        lines.flush();
    }
}

impl LogWriter {
    /// Those of this process. The first call starts the thread.
    pub fn of_process() -> LogWriter {
        LINES.get_or_init(LogWriter::start).clone()
    }

    fn start() -> LogWriter {
        let lines = LogWriter(Arc::default());
        let written = lines.clone();
        let started = std::thread::Builder::new().name("log".into()).spawn(move || written.write_on());
        if started.is_err() {
            lines.locked().thread = Thread::Absent;
        }
        lines
    }

    fn locked(&self) -> MutexGuard<'_, Gathered> {
        self.0.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, line: &[u8]) -> io::Result<()> {
        let mut gathered = self.locked();
        if gathered.thread == Thread::Absent {
            return io::stderr().write_all(line);
        }
        while gathered.bytes.len() > MOST {
            gathered = self.wait(gathered);
        }
        gathered.bytes.extend_from_slice(line);
        if gathered.thread == Thread::Idle {
            gathered.thread = Thread::Busy;
            drop(gathered);
            self.0.come.notify_one();
        }
        Ok(())
    }

    fn flush(&self) {
        let mut gathered = self.locked();
        while gathered.thread == Thread::Busy {
            gathered = self.wait(gathered);
        }
    }

    fn wait<'a>(&self, mut gathered: MutexGuard<'a, Gathered>) -> MutexGuard<'a, Gathered> {
        gathered.waiting += 1;
        let mut gathered = self.0.gone.wait(gathered).unwrap_or_else(PoisonError::into_inner);
        gathered.waiting -= 1;
        gathered
    }

    /// What the thread does, for as long as the process lives.
    fn write_on(&self) {
        let mut bytes = Vec::new();
        let mut gathered = self.locked();
        loop {
            if gathered.waiting > 0 {
                self.0.gone.notify_all();
            }
            if gathered.bytes.is_empty() {
                gathered.thread = Thread::Idle;
                gathered = self.0.come.wait(gathered).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            gathered.thread = Thread::Busy;
            std::mem::swap(&mut bytes, &mut gathered.bytes);
            drop(gathered);
            // When standard error is gone there is nobody left to tell.
            let _ = io::stderr().write_all(&bytes);
            bytes.clear();
            std::thread::sleep(PAUSE);
            gathered = self.locked();
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
    fn what_has_gathered_is_written_when_asked() {
        let lines = LogWriter::start();
        for _ in 0..100 {
            lines.add(b"").unwrap();
        }
        lines.flush();
        assert!(lines.locked().bytes.is_empty());
        assert!(lines.locked().thread != Thread::Busy);
    }
}
