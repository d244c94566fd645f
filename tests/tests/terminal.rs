//! Tests `SIGHUP` and the terminal in which `postern serve` was started: closing it ends the
//! process, unless the process runs under `nohup` or has already outlived the terminal; then the
//! signal reloads. `script` of util-linux provides the terminals.

#![cfg(target_os = "linux")]
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tests::{TestDatabase, binary};

const PATIENCE: Duration = Duration::from_secs(20);

/// A terminal with a shell that starts a gateway. Dropping it ends all of them.
struct Terminal {
    folder: TempDir,
    script: Child,
    _database: TestDatabase,
}

impl Terminal {
    /// Starts a shell with this script; `SERVE` stands for the gateway, whose log goes to a file.
    async fn new(shell: &str) -> Terminal {
        let database = tests::create("terminal", &[]).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let pid = folder.path().join("pid");
        let serve = format!(
            "'{}' serve --listen 127.0.0.1:0 --admin-secret s --database-url '{}' >{} 2>&1",
            binary::path().display(),
            database.url(),
            log.display()
        );
        let started = format!("echo $! >{}", pid.display());
        let ready = format!("grep -q ' ready ' {}", log.display());
        let shell = shell
            .replace("SERVE", &serve)
            .replace("STARTED", &started)
            .replace("READY", &ready);
        let shell = shell.replace("SELF", &format!("echo $$ >{}", pid.display()));
        let path = folder.path().join("run.sh");
        std::fs::write(&path, shell).unwrap();
        let mut command = Command::new("script");
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("POSTERN_"))
        {
            command.env_remove(name);
        }
        command
            .args(["-q", "-c", &format!("sh {}", path.display()), "/dev/null"])
            .env("NO_COLOR", "1");
        let script = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Terminal {
            folder,
            script,
            _database: database,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    fn pid(&self) -> Option<String> {
        Some(
            std::fs::read_to_string(self.path("pid"))
                .ok()?
                .trim()
                .to_owned(),
        )
        .filter(|pid| !pid.is_empty())
    }

    async fn until(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds(&self.log()) {
            assert!(Instant::now() < end, "still not {what}: {}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until the shell has ended, and the terminal with it.
    async fn closed(&mut self) {
        let end = Instant::now() + PATIENCE;
        while self.script.try_wait().unwrap().is_none() {
            assert!(
                Instant::now() < end,
                "the shell does not end: {}",
                self.log()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Sends `SIGHUP`, and waits until the number of reloads exceeds `before`.
    async fn reloads(&self, before: usize) {
        signal(
            "HUP",
            &self.pid().expect("the shell has not printed its number"),
        );
        self.until("reloaded", |log| {
            log.matches(" reloaded ").count() > before || log.contains("stopping")
        })
        .await;
        assert!(!self.log().contains("stopping"), "{}", self.log());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.script.kill();
        let _ = self.script.wait();
        if let Some(pid) = self.pid() {
            signal("KILL", &pid);
        }
    }
}

fn signal(name: &str, pid: &str) {
    let _ = Command::new("kill")
        .args([&format!("-{name}"), pid])
        .stderr(Stdio::null())
        .status();
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_the_terminal_stops_the_gateway() {
    let mut terminal = Terminal::new("SELF\nexec SERVE").await;
    terminal.until("ready", |log| log.contains(" ready ")).await;
    terminal.script.kill().unwrap();
    terminal.closed().await;
    terminal
        .until("stopped", |log| {
            log.contains("stopping signal=\"SIGHUP\"") && log.contains("stopped")
        })
        .await;
}

/// The shell and its terminal have ended, without a signal to the gateway.
#[tokio::test(flavor = "multi_thread")]
async fn gateway_that_outlived_its_terminal_reloads() {
    let shell = "set -m\nSERVE </dev/null &\nSTARTED\nuntil READY; do sleep 0.1; done";
    let mut terminal = Terminal::new(shell).await;
    terminal.closed().await;
    // The time is what is tested: the gateway takes a `SIGHUP` for the end of its terminal for up
    // to three seconds after that, and nothing but the clock says when they are over.
    tokio::time::sleep(Duration::from_secs(5)).await;
    terminal.reloads(0).await;
    terminal.reloads(1).await;
}

/// The gateway is in the shell's process group, so it receives the terminal's signal.
#[tokio::test(flavor = "multi_thread")]
async fn gateway_under_nohup_outlives_the_terminal() {
    let shell = "nohup SERVE &\nSTARTED\nuntil READY; do sleep 0.1; done";
    let mut terminal = Terminal::new(shell).await;
    terminal.closed().await;
    terminal
        .until("the end of the terminal is noticed", |log| {
            log.contains(" reloaded ") || log.contains("stopping")
        })
        .await;
    terminal.reloads(1).await;
}
