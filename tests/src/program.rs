//! Runs programs of others: scripts of Node with libraries from npm, compilers, linters. Their exit
//! status and what they write to standard error come before their output, so that a program that
//! fails is not taken for one without a result.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// Enough time for a script on a loaded machine.
pub const SCRIPT_TIMEOUT: Duration = Duration::from_secs(60);

/// The path of HAProxy, if it is installed.
pub fn haproxy() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let found = folders
        .map(|folder| folder.join("haproxy"))
        .find(|program| program.is_file());
    if found.is_none() {
        eprintln!("skipped: there is no `haproxy`; `scripts/setup.sh tests` installs it");
    }
    found
}

/// A command that runs a script of Node in a folder of `tests`: `node("sockets", "client.mjs")`.
///
/// Errors: the folder's npm packages are not installed.
pub fn node(folder: &str, script: &str) -> Result<Command, String> {
    let folder = folder_with_packages(folder)?;
    let mut command = Command::new("node");
    command.arg(folder.join(script)).kill_on_drop(true);
    Ok(command)
}

/// A folder of `tests` that has its npm packages.
///
/// Errors: they are not installed.
pub fn folder_with_packages(folder: &str) -> Result<PathBuf, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    if path.join("node_modules").is_dir() {
        Ok(path)
    } else {
        Err(format!(
            "npm's packages of tests/{folder} are missing; `scripts/setup.sh tests` installs them"
        ))
    }
}

/// Runs a program to its end with this standard input, and returns its status and its outputs.
///
/// Errors: it cannot be started, or takes longer than `timeout`.
pub async fn finish(
    command: &mut Command,
    input: &str,
    timeout: Duration,
) -> Result<Output, String> {
    let name = command
        .as_std()
        .get_program()
        .to_string_lossy()
        .into_owned();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command
        .spawn()
        .map_err(|error| format!("`{name}` cannot be started: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends without reading its input says why on standard error.
        let _ = stdin.write_all(input.as_bytes()).await;
    }
    let finished = tokio::time::timeout(timeout, child.wait_with_output()).await;
    let output = finished.map_err(|_| format!("`{name}` runs for longer than {timeout:?}"))?;
    output.map_err(|error| format!("`{name}`: {error}"))
}

/// Runs a program that has to succeed, and returns its standard output.
///
/// Errors: as [`finish`], or it ends with another status than 0; then with both of its outputs.
pub async fn run(command: &mut Command, input: &str, timeout: Duration) -> Result<String, String> {
    let Output {
        status,
        stdout,
        stderr,
    } = finish(command, input, timeout).await?;
    let stdout = String::from_utf8_lossy(&stdout).into_owned();
    if status.success() {
        Ok(stdout)
    } else {
        Err(format!(
            "{status}: {}{stdout}",
            String::from_utf8_lossy(&stderr)
        ))
    }
}

/// Runs a program that has to succeed and that writes one JSON value.
///
/// Errors: as [`run`], or the output is not JSON.
pub async fn run_json(command: &mut Command, input: &str) -> Result<Value, String> {
    let stdout = run(command, input, SCRIPT_TIMEOUT).await?;
    serde_json::from_str(&stdout).map_err(|error| format!("{error}: {stdout}"))
}
