//! What the process is told by signals: to end, or to read its files and the database again.

use std::fs::File;
use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that count. They are caught from the moment this is made; several of a kind that nobody has asked for yet
/// are one.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    /// Whether there was a terminal that can be closed.
    terminal: bool,
}

/// What a signal wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The process shall end; this is the signal's name.
    End(&'static str),
    /// What can change while it runs shall be read again: `SIGHUP`.
    Reload,
}

impl Signals {
    /// Catches signals from now on.
    pub fn catch() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            terminal: has_terminal(),
        })
    }

    /// What is wished next.
    pub async fn next(&mut self) -> Wish {
        tokio::select! {
            name = ended(&mut self.terminate, &mut self.interrupt) => Wish::End(name),
            // Who closes the terminal that a program runs in wants it to end: the signal is the same.
            _ = self.hangup.recv() => match self.terminal && !has_terminal() {
                true => Wish::End("SIGHUP"),
                false => Wish::Reload,
            },
        }
    }

    /// The name of the signal that ends the process, once it comes. Wishes to reload wait meanwhile.
    pub async fn ended(&mut self) -> &'static str {
        ended(&mut self.terminate, &mut self.interrupt).await
    }
}

async fn ended(terminate: &mut Signal, interrupt: &mut Signal) -> &'static str {
    tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    }
}

/// Whether the process has a terminal; one that was closed is none any more.
fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}
