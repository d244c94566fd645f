//! Runs the `postern` binary as a child process of a test, and reads its output and exit code.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The environment variable that contains the path of the binary.
pub const BINARY: &str = "POSTERN_BIN";

/// The path of the binary: the value of [`BINARY`], or the file beside the test executables. Cargo
/// builds that file with the tests of the whole workspace; `cargo test --package tests` alone does
/// not rebuild it.
pub fn path() -> PathBuf {
    if let Some(path) = std::env::var_os(BINARY) {
        return path.into();
    }
    let test = std::env::current_exe().unwrap_or_default();
    let folder = test
        .parent()
        .and_then(|deps| deps.parent())
        .map(PathBuf::from)
        .unwrap_or_default();
    folder.join("postern")
}

/// Creates a command for the binary with all of the binary's settings removed from its environment.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(path());
    let settings = std::env::vars_os().map(|(name, _)| name);
    let is_setting = |name: &str| {
        name.starts_with("POSTERN_") || name.starts_with("PG") || name == "DATABASE_URL"
    };
    for name in settings.filter(|name| is_setting(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command.args(arguments).env("NO_COLOR", "1");
    command
}

/// Runs the binary with these arguments until it exits.
pub fn run(arguments: &[&str]) -> std::io::Result<Finished> {
    command(arguments)
        .stdin(Stdio::null())
        .output()
        .map(Finished::from)
}

/// The output of a command that has exited.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl From<Output> for Finished {
    fn from(output: Output) -> Finished {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Finished {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

/// A running command. Dropping it kills the process.
#[derive(Debug)]
pub struct Running {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

impl Running {
    /// Starts a command.
    pub fn start(mut command: Command) -> std::io::Result<Running> {
        let streams = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = streams.spawn()?;
        let out = lines(child.stdout.take());
        let err = lines(child.stderr.take());
        Ok(Running { child, out, err })
    }

    /// The next line of its standard output, if one arrives within `patience`.
    pub fn line(&self, patience: Duration) -> Option<String> {
        self.out.recv_timeout(patience).ok()
    }

    /// The next line of its standard error that contains `text`, if one arrives within `patience`.
    pub fn wait_for_line(&self, text: &str, patience: Duration) -> Option<String> {
        let end = Instant::now() + patience;
        loop {
            let line = self
                .err
                .recv_timeout(end.saturating_duration_since(Instant::now()))
                .ok()?;
            if line.contains(text) {
                return Some(line);
            }
        }
    }

    /// Its process ID.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends the signal `name` to it: `TERM`, `INT`, `KILL`.
    pub fn signal(&self, name: &str) -> std::io::Result<ExitStatus> {
        Command::new("kill")
            .arg(format!("-{name}"))
            .arg(self.id().to_string())
            .status()
    }

    /// Waits up to `patience` for it to exit and returns its exit code; `None` if it still runs or
    /// if a signal ended it.
    pub fn wait(&mut self, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
        let end = Instant::now() + patience;
        loop {
            match self.child.try_wait()? {
                None if Instant::now() < end => std::thread::sleep(Duration::from_millis(20)),
                ended => return Ok(ended),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the lines of a stream on a separate thread, so that the child never blocks on a full pipe.
fn lines(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    if let Some(stream) = stream {
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
    }
    receiver
}
