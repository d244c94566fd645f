//! The demo's data, loaded once for all tests. Copying a stopped cluster takes a tenth of the time.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::binary::{self, Running};

/// The environment variable with a folder that all tests share, set by `with-cluster`.
pub const SHARED_FOLDER: &str = "POSTERN_TEST_FOLDER";

/// A URL for a demo's settings where no test follows a link of a mail.
pub const URL: &str = "http://localhost:8080";

/// Generous, because other tests may load the machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Makes a copy of the loaded data, for `postern demo --data-dir`. Without `with-cluster` there is
/// none, and each demo loads its own.
pub fn copy() -> io::Result<Option<TempDir>> {
    let Some(shared) = std::env::var_os(SHARED_FOLDER).map(PathBuf::from) else {
        return Ok(None);
    };
    copy_of(&loaded(&shared)?, &shared).map(Some)
}

/// The folder of the data, which the first caller fills.
fn loaded(shared: &Path) -> io::Result<PathBuf> {
    let folder = shared.join("demo");
    let lock = File::create(shared.join("demo.lock"))?;
    lock.lock()?;
    if !folder.exists() {
        let loading = shared.join("demo.loading");
        let data_dir = loading.to_string_lossy();
        let arguments = ["demo", "--listen", "127.0.0.1:0", "--data-dir", &data_dir];
        let mut demo = Running::start(binary::command(&arguments))?;
        if demo.line(PATIENCE).is_none() {
            return Err(io::Error::other("it was not loaded"));
        }
        demo.signal("TERM")?;
        demo.wait(PATIENCE)?;
        fs::rename(loading, &folder)?;
    }
    Ok(folder)
}

fn copy_of(folder: &Path, shared: &Path) -> io::Result<TempDir> {
    let copy = tempfile::Builder::new()
        .prefix("demo-")
        .tempdir_in(shared)?;
    // With the owner: Postgres does not run as root.
    let status = Command::new("cp")
        .arg("-a")
        .arg(folder.join("."))
        .arg(copy.path())
        .status()?;
    status
        .success()
        .then_some(copy)
        .ok_or_else(|| io::Error::other("`cp` failed"))
}
