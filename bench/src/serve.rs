//! Runs `postern serve` as a child process, and reads its memory as the kernel reports it.

use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Instant;

use crate::Failure;
use crate::meter::{Memory, Processes};
use crate::peers::{Programs, end, send_signal};

/// A gateway that is ready. Dropping it ends it.
#[derive(Debug)]
pub struct Serve {
    child: Child,
    log: Lines<BufReader<ChildStderr>>,
    /// The address that it listens on.
    pub address: String,
    /// Milliseconds from the start of the process until it was ready.
    pub ready: f64,
}

/// The admin secret.
pub const SECRET: &str = "bench";

/// The binary, if it has been built: `target/release/postern`, or the value of `POSTERN_BIN`.
pub fn binary() -> Option<PathBuf> {
    Some(Programs::beside().postern).filter(|path| path.exists())
}

impl Serve {
    /// Starts the gateway on a free port with these further options, and waits until its log says
    /// that it is ready.
    ///
    /// Errors: there is no binary, or the gateway ends before it is ready.
    pub fn start(
        url: &str,
        permissions: Option<&Path>,
        settings: &[&str],
    ) -> Result<Serve, Failure> {
        let began = Instant::now();
        let mut command = Command::new(binary().ok_or("there is no target/release/postern")?);
        command.args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--admin-secret",
            SECRET,
            "--database-url",
            url,
        ]);
        if let Some(path) = permissions {
            command.arg("--permissions").arg(path);
        }
        let mut child = command.args(settings).stderr(Stdio::piped()).spawn()?;
        let log = BufReader::new(child.stderr.take().ok_or("no log")?).lines();
        let mut serve = Serve {
            child,
            log,
            address: String::new(),
            ready: 0.0,
        };
        let line = serve.next_line_with(" ready ")?;
        serve.ready = began.elapsed().as_secs_f64() * 1000.0;
        serve.address = value(&line, "address").ok_or("no address in the log")?;
        Ok(serve)
    }

    /// The next line of the log that contains this text.
    fn next_line_with(&mut self, text: &str) -> Result<String, Failure> {
        for line in self.log.by_ref() {
            let line = line?;
            if line.contains(text) {
                return Ok(line);
            }
        }
        Err(format!("the log ended before it said {text:?}").into())
    }

    /// Reloads it and returns how many milliseconds that took.
    pub fn reload(&mut self) -> Result<f64, Failure> {
        send_signal("HUP", &self.child)?;
        let line = self.next_line_with("reloaded ")?;
        Ok(value(&line, "ms").ok_or("no time in the log")?.parse()?)
    }

    /// Its current memory and its peak so far, in MiB.
    pub fn memory(&self) -> Result<(f64, f64), Failure> {
        let Memory { resident, peak } = Processes::under(self.child.id())
            .memory()
            .ok_or("nothing is known of it")?;
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        Ok((mib(resident), mib(peak)))
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Extracts a value of a log line: `85.1` of `… ms=85.1 …`.
fn value(line: &str, key: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!(" {key}="))?;
    rest.split_whitespace().next().map(str::to_owned)
}
