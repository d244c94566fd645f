//! What the process is told by signals: to end, or to read its files and the database again.

use std::fs::{self, File};
use std::future;
use std::io;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that count. They are caught from the moment this is made; several of a kind that nobody has asked for yet
/// are one.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    terminal: Terminal,
    /// A reload was wished while only the end was waited for.
    reload: bool,
}

/// What a signal wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalAction {
    /// The process shall end; this is the signal's name.
    End(&'static str),
    /// What can change while it runs shall be read again: `SIGHUP`.
    Reload,
}

/// The terminal that the process was started in. Who closes it wants the process to end, and the signal is the one that
/// wishes a reload. It ends only what was not told to outlive its terminal (`nohup`), and has not outlived it already
/// (`disown`): then nobody but somebody who wants a reload sends it.
#[derive(Debug)]
struct Terminal {
    /// How often it may still be found gone before it is given up; never again when there is none.
    left: u8,
}

/// How often the terminal is looked for, and how many times it is missed before it is given up. Looks are counted, not
/// seconds: a process that is stopped outlives nothing meanwhile.
const LOOK: Duration = Duration::from_secs(1);
const LOOKS: u8 = 3;

impl Signals {
    /// Catches signals from now on.
    pub fn install() -> io::Result<Signals> {
        // Asked first: whoever catches a signal no longer ignores it.
        let terminal = Terminal::new(ignores_hangup(), has_terminal());
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            terminal,
            reload: false,
        })
    }

    /// What is wished next.
    pub async fn next(&mut self) -> SignalAction {
        match std::mem::take(&mut self.reload) {
            true => SignalAction::Reload,
            false => self.recv().await,
        }
    }

    /// The name of the signal that ends the process, once it comes. A wish to reload waits meanwhile.
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

    /// Whether a signal that comes now is that of its end.
    fn is_closed(&self, is_there: bool) -> bool {
        self.left > 0 && !is_there
    }

    /// When it has to be looked for again.
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

/// Whether the process has a terminal; one that was closed is none any more.
fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}

/// Whether whoever started the process has it ignore `SIGHUP`. Where the system does not tell, it is not.
fn ignores_hangup() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| says_ignored(&status))
}

/// `SigIgn: 0000000000001001`: a bit for each signal, the last for the first of them, which `SIGHUP` is.
fn says_ignored(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_ends_what_runs_in_it_until_that_has_outlived_it() {
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
    fn without_a_terminal_or_under_nohup_nothing_ends() {
        assert!(!Terminal::new(false, false).is_closed(false));
        assert!(!Terminal::new(true, true).is_closed(false));
    }

    #[test]
    fn ignored_signals_are_read_from_their_bits() {
        let status = |mask: &str| format!("Name:\tpostern\nSigBlk:\t0000000000000001\nSigIgn:\t{mask}\nSigCgt:\t1\n");
        assert!(says_ignored(&status("0000000000001001")));
        assert!(!says_ignored(&status("0000000000001000")));
        assert!(!says_ignored("") && !says_ignored(&status("x")));
    }
}
