//! The signals that end the process or reload the gateway.

use std::fs::{self, File};
use std::future;
use std::io;
use std::time::Duration;

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

/// The terminal in which the process was started. Closing it sends `SIGHUP`, which also requests a reload. It ends the
/// process only if the process does not ignore the signal (`nohup`) and has not outlived the terminal already
/// (`disown`): otherwise `SIGHUP` can only mean a reload.
#[derive(Debug)]
struct Terminal {
    /// How many more times the terminal may be missing before it counts as outlived; zero if there is none.
    left: u8,
}

/// How often the terminal is checked, and how many times it may be missing before it counts as outlived. Checks are
/// counted instead of seconds, because a stopped process makes none.
const LOOK: Duration = Duration::from_secs(1);
const LOOKS: u8 = 3;

impl Signals {
    /// Installs the signal handlers.
    pub fn install() -> io::Result<Signals> {
        // Read first: installing a handler ends ignoring the signal.
        let terminal = Terminal::new(ignores_hangup(), has_terminal());
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
        match std::mem::take(&mut self.reload) {
            true => SignalAction::Reload,
            false => self.recv().await,
        }
    }

    /// Waits for a signal that ends the process and returns its name. A request to reload is kept for
    /// [`Signals::next`].
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
                _ = self.terminate.recv() => return SignalAction::End("SIGTERM"),
                _ = self.interrupt.recv() => return SignalAction::End("SIGINT"),
                _ = self.hangup.recv() => match self.terminal.is_closed(has_terminal()) {
                    true => return SignalAction::End("SIGHUP"),
                    false => return SignalAction::Reload,
                },
                () = self.terminal.look_due() => self.terminal.probe(has_terminal()),
            }
        }
    }
}

impl Terminal {
    fn new(ignores_hangup: bool, is_there: bool) -> Terminal {
        Terminal { left: if is_there && !ignores_hangup { LOOKS } else { 0 } }
    }

    /// Whether a `SIGHUP` now means that the terminal was closed.
    fn is_closed(&self, is_there: bool) -> bool {
        self.left > 0 && !is_there
    }

    /// Waits until the next check; forever if there is no terminal.
    async fn look_due(&self) {
        match self.left {
            0 => future::pending().await,
            _ => tokio::time::sleep(LOOK).await,
        }
    }

    fn probe(&mut self, is_there: bool) {
        self.left = match is_there {
            true => LOOKS,
            false => self.left.saturating_sub(1),
        };
    }
}

/// Whether the process has a terminal that is open.
fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}

/// Whether the process was started with `SIGHUP` ignored; no if the system does not report it.
fn ignores_hangup() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| says_ignored(&status))
}

/// `SigIgn: 0000000000001001`: one bit for each signal, the lowest for signal 1, which is `SIGHUP`.
fn says_ignored(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sighup_ends_until_the_terminal_is_outlived() {
        let mut terminal = Terminal::new(false, true);
        assert!(!terminal.is_closed(true) && terminal.is_closed(false));
        for _ in 1..LOOKS {
            terminal.probe(false);
            assert!(terminal.is_closed(false), "its end may still be on its way");
        }
        terminal.probe(true);
        assert!(terminal.is_closed(false), "it was there a moment ago");
        for _ in 0..LOOKS {
            terminal.probe(false);
        }
        assert!(!terminal.is_closed(false), "it has been gone for a while");
    }

    #[test]
    fn sighup_does_not_end_without_terminal_or_under_nohup() {
        assert!(!Terminal::new(false, false).is_closed(false));
        assert!(!Terminal::new(true, true).is_closed(false));
    }

    #[test]
    fn ignored_sighup_is_read_from_status() {
        let status = |mask: &str| format!("Name:\tpostern\nSigBlk:\t0000000000000001\nSigIgn:\t{mask}\nSigCgt:\t1\n");
        assert!(says_ignored(&status("0000000000001001")));
        assert!(!says_ignored(&status("0000000000001000")));
        assert!(!says_ignored("") && !says_ignored(&status("x")));
    }
}
