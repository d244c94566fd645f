//! The signals that end the process or reload the gateway.

use std::fs::{self, File};
use std::future;
use std::io;
use std::time::{Duration, Instant};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Receives signals from its creation on. Several pending signals of a kind count as one.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    terminal: Terminal,
    /// A reload was requested while only the end was awaited.
    reload: bool,
}

/// What a signal requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalAction {
    /// End the process; with the signal's name.
    End(&'static str),
    /// Reload settings, files and catalog: `SIGHUP`.
    Reload,
}

/// The terminal in which the process was started. Closing it sends `SIGHUP`, which also requests a
/// reload. It ends the process only if the process does not ignore the signal (`nohup`) and has not
/// outlived the terminal already (`disown`): otherwise `SIGHUP` can only mean a reload.
#[derive(Debug)]
enum Terminal {
    /// No terminal, or one that does not matter: `SIGHUP` always reloads.
    None,
    /// An open terminal, registered with the runtime; `None` where the system cannot watch
    /// terminals (macOS).
    Open(Option<AsyncFd<File>>),
    /// A terminal that was closed at this time.
    Closed(Instant),
}

/// The signal by which supervisors end a process.
pub(super) const SIGTERM: &str = "SIGTERM";

/// How long after the end of its terminal a `SIGHUP` still belongs to it.
const HANGUP_GRACE: Duration = Duration::from_secs(3);

impl Signals {
    /// Installs the signal handlers.
    pub fn install() -> io::Result<Signals> {
        // Read first: installing a handler ends ignoring the signal.
        let terminal = Terminal::new(ignores_hangup());
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            terminal,
            reload: false,
        })
    }

    /// Waits for the next request.
    pub async fn next(&mut self) -> SignalAction {
        if std::mem::take(&mut self.reload) {
            SignalAction::Reload
        } else {
            self.recv().await
        }
    }

    /// Waits for a signal that ends the process and returns its name. A request to reload is kept
    /// for [`Signals::next`].
    pub async fn shutdown_requested(&mut self) -> &'static str {
        loop {
            match self.recv().await {
                SignalAction::End(name) => return name,
                SignalAction::Reload => self.reload = true,
            }
        }
    }

    async fn recv(&mut self) -> SignalAction {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return SignalAction::End(SIGTERM),
                _ = self.interrupt.recv() => return SignalAction::End("SIGINT"),
                _ = self.hangup.recv() => if self.terminal.was_just_closed() { return SignalAction::End("SIGHUP") } else { return SignalAction::Reload },
                () = self.terminal.closed() => self.terminal = Terminal::Closed(Instant::now()),
            }
        }
    }
}

impl Terminal {
    fn new(ignores_hangup: bool) -> Terminal {
        match open() {
            Ok(terminal) if !ignores_hangup => Terminal::Open(watch(terminal).ok()),
            _ => Terminal::None,
        }
    }

    /// Whether a `SIGHUP` now means that the terminal was closed.
    fn was_just_closed(&self) -> bool {
        match self {
            Terminal::None => false,
            // The signal may be received before the terminal's error.
            Terminal::Open(_) => open().is_err(),
            Terminal::Closed(at) => at.elapsed() < HANGUP_GRACE,
        }
    }

    /// Waits until an open terminal is closed; forever without one.
    async fn closed(&self) {
        match self {
            Terminal::Open(Some(terminal)) => drop(terminal.ready(Interest::ERROR).await),
            _ => future::pending().await,
        }
    }
}

/// Registers a terminal with the runtime. When it is closed it has an error; input makes it
/// readable, which is not waited for.
#[allow(
    deprecated,
    reason = "its successor is unsafe, because a type may return changing descriptors; a `File` \
              does not"
)]
fn watch(terminal: File) -> io::Result<AsyncFd<File>> {
    AsyncFd::with_interest(terminal, Interest::ERROR)
}

/// Opens the process's terminal, which fails if it has none or it is closed.
fn open() -> io::Result<File> {
    File::open("/dev/tty")
}

/// Whether the process was started with `SIGHUP` ignored; no if the system does not report it.
fn ignores_hangup() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| says_ignored(&status))
}

/// `SigIgn: 0000000000001001`: one bit for each signal, the lowest for signal 1, which is `SIGHUP`.
fn says_ignored(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sighup_ends_until_the_terminal_is_outlived() {
        let ago = |time: Duration| Terminal::Closed(Instant::now().checked_sub(time).unwrap());
        assert!(
            ago(Duration::ZERO).was_just_closed(),
            "its signal may still be on its way"
        );
        assert!(ago(HANGUP_GRACE / 2).was_just_closed());
        assert!(
            !ago(HANGUP_GRACE).was_just_closed(),
            "it has been gone for a while"
        );
        assert_eq!(Terminal::Open(None).was_just_closed(), open().is_err());
    }

    #[test]
    fn sighup_does_not_end_without_terminal_or_under_nohup() {
        assert!(!Terminal::None.was_just_closed());
        assert!(!Terminal::new(true).was_just_closed());
    }

    #[test]
    fn ignored_sighup_is_read_from_status() {
        let status = |mask: &str| {
            format!("Name:\tpostern\nSigBlk:\t0000000000000001\nSigIgn:\t{mask}\nSigCgt:\t1\n")
        };
        assert!(says_ignored(&status("0000000000001001")));
        assert!(!says_ignored(&status("0000000000001000")));
        assert!(!says_ignored("") && !says_ignored(&status("x")));
    }
}
