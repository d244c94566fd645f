//! The real binary, `postern`, as a child of a test.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The environment variable with the binary's path.
pub const BINARY: &str = "POSTERN_BIN";

/// The binary: what [`BINARY`] names, or the one that lies beside the tests. Cargo builds that along with the tests of the
/// workspace; `cargo test --package tests` alone does not make it anew.
pub fn path() -> PathBuf {
    if let Some(path) = std::env::var_os(BINARY) {
        return path.into();
    }
    let test = std::env::current_exe().unwrap_or_default();
    let folder = test.parent().and_then(|deps| deps.parent()).map(PathBuf::from).unwrap_or_default();
    folder.join("postern")
}

/// A command of the binary, without any of its settings from the environment.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(path());
    let settings = std::env::vars_os().map(|(name, _)| name);
    let is_setting = |name: &str| name.starts_with("POSTERN_") || name.starts_with("PG") || name == "DATABASE_URL";
    for name in settings.filter(|name| is_setting(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command.args(arguments).env("NO_COLOR", "1");
    command
}

/// Runs a command to its end.
pub fn run(arguments: &[&str]) -> std::io::Result<Finished> {
    command(arguments).stdin(Stdio::null()).output().map(Finished::from)
}

/// A command that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its exit code; none after a signal.
    pub code: Option<i32>,
    /// What it wrote for programs.
    pub out: String,
    /// What it wrote for people.
    pub err: String,
}

impl From<Output> for Finished {
    fn from(output: Output) -> Finished {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Finished { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A command that runs. Dropping it kills it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

impl Running {
    /// Starts a command.
    pub fn start(mut command: Command) -> std::io::Result<Running> {
        let streams = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.spawn()?;
        let out = lines(child.stdout.take());
        let err = lines(child.stderr.take());
        Ok(Running { child, out, err })
    }

    /// The next line of its standard output, if one comes in time.
    pub fn line(&self, patience: Duration) -> Option<String> {
        self.out.recv_timeout(patience).ok()
    }

    /// The next line of its standard error that holds `text`, if one comes in time.
    pub fn told(&self, text: &str, patience: Duration) -> Option<String> {
        let end = Instant::now() + patience;
        loop {
            let line = self.err.recv_timeout(end.saturating_duration_since(Instant::now())).ok()?;
            if line.contains(text) {
                return Some(line);
            }
        }
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal: `TERM`, `INT`, `KILL`.
    pub fn signal(&self, name: &str) -> std::io::Result<ExitStatus> {
        Command::new("kill").arg(format!("-{name}")).arg(self.id().to_string()).status()
    }

    /// Its exit code once it has ended, if it does so in time; none after a signal.
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

/// The lines of a stream as they come, read on a thread so that the child never waits for us.
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
