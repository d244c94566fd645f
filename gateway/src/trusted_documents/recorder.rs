//! Records operations that are on no allow list, in a file that can serve as one. A background task
//! writes it shortly after a new operation, and replaces the whole file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::file::{Collection, File};
use crate::config::ConfigError;

/// The recorded operations and their file.
#[derive(Debug)]
pub(super) struct OperationRecorder {
    path: PathBuf,
    state: Mutex<State>,
    /// Locked while the file is written.
    writing: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    /// The normal forms of operations, by role.
    operations: BTreeMap<String, BTreeSet<String>>,
    bytes: usize,
    /// Whether some operations are not in the file yet.
    is_new: bool,
    /// Whether a task is scheduled to write them.
    is_awaited: bool,
    is_full: bool,
}

/// The most bytes of recorded operations, since clients can send any number of different ones.
const MAX_RECORDED_BYTES: usize = 4 << 20;

/// How long writing waits for further operations.
const WRITE_DELAY: Duration = Duration::from_millis(500);

const HEAD: &str = "\
# Operations that were asked and are on no allow list, written by the gateway: name this file under `allow_list`, or move what
# may be asked to a file that is named there. What is taken out here is learned again when it is asked after a reload.

";

impl OperationRecorder {
    /// Opens the recorder of a file and reads its operations. A missing file is created with the
    /// first operation. A reload shares the recorder of the running version if the file is the
    /// same.
    pub(super) fn open(
        path: &Path,
        running: Option<&Arc<OperationRecorder>>,
    ) -> Result<Arc<OperationRecorder>, ConfigError> {
        let shared = running.filter(|learned| learned.path == path).cloned();
        let learned = shared.unwrap_or_else(|| {
            Arc::new(OperationRecorder {
                path: path.to_owned(),
                state: Mutex::default(),
                writing: Mutex::default(),
            })
        });
        learned.write();
        let file = if path.exists() {
            File::read(path)?
        } else {
            File::default()
        };
        *learned.state() = State::new(file);
        Ok(learned)
    }

    /// Records an operation that a role has run.
    pub(super) fn learn(self: &Arc<OperationRecorder>, role: &str, operation: &str) {
        let mut state = self.state();
        if !state.add(role, operation) {
            return;
        }
        let runtime = tokio::runtime::Handle::try_current()
            .ok()
            .filter(|_| !state.is_awaited);
        if let Some(runtime) = runtime {
            state.is_awaited = true;
            let learned = self.clone();
            runtime.spawn(async move {
                tokio::time::sleep(WRITE_DELAY).await;
                // A panic in it has been logged.
                let _ = tokio::task::spawn_blocking(move || learned.write()).await;
            });
        }
    }

    /// Writes new operations to the file.
    fn write(&self) {
        let _guard = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let file = {
            let mut state = self.state();
            state.is_awaited = false;
            if !std::mem::take(&mut state.is_new) {
                return;
            }
            state.file()
        };
        if let Err(cause) = replace(&self.path, &file) {
            tracing::error!(path = %self.path.display(), %cause, "cannot write the recorded \
                 operations");
            self.state().is_new = true;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes operations that are not in the file yet when the gateway ends.
impl Drop for OperationRecorder {
    fn drop(&mut self) {
        self.write();
    }
}

impl State {
    fn new(file: File) -> State {
        let mut state = State::default();
        for Collection { roles, queries, .. } in file.collection {
            for role in roles.iter().flatten() {
                for query in &queries {
                    state.add(role, query);
                }
            }
        }
        State {
            is_new: false,
            ..state
        }
    }

    /// Adds an operation; returns whether it is new and there was room.
    fn add(&mut self, role: &str, operation: &str) -> bool {
        let known = self
            .operations
            .get(role)
            .is_some_and(|known| known.contains(operation));
        if known || self.is_full {
            return false;
        }
        let bytes = self.bytes + role.len() + operation.len();
        if bytes > MAX_RECORDED_BYTES {
            self.is_full = true;
            tracing::warn!(
                bytes = MAX_RECORDED_BYTES,
                "no more operations are recorded: the file is full"
            );
            return false;
        }
        self.bytes = bytes;
        self.is_new = true;
        self.operations
            .entry(role.to_owned())
            .or_default()
            .insert(operation.to_owned());
        true
    }

    fn file(&self) -> File {
        let collections = self.operations.iter().map(|(role, operations)| Collection {
            name: Some(format!("asked by {role}")),
            roles: Some(vec![role.clone()]),
            queries: operations.iter().cloned().collect(),
            ..Collection::default()
        });
        File {
            collection: collections.collect(),
        }
    }
}

/// Replaces the file atomically, so that a reader sees the old or the new one as a whole.
fn replace(path: &Path, file: &File) -> std::io::Result<()> {
    let text = toml::to_string_pretty(file).map_err(std::io::Error::other)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    std::fs::write(&beside, HEAD.to_owned() + &text)?;
    std::fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_operations_are_written_once_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned.toml");
        let learned = OperationRecorder::open(&path, None).unwrap();
        assert!(!path.exists());
        let odd = "query {\n  a(x: \"'''\\\\ \\u0001 é\")\n}\n";
        for (role, text) in [
            ("user", "{ a }"),
            ("user", "{ a }"),
            ("other", "{ a }"),
            ("user", odd),
        ] {
            learned.learn(role, text);
        }
        drop(learned);
        let file = File::read(&path).unwrap();
        let found: Vec<(String, Vec<String>)> = file
            .collection
            .into_iter()
            .map(|c| (c.roles.unwrap().join(","), c.queries))
            .collect();
        assert_eq!(
            found,
            [
                ("other".into(), vec!["{ a }".into()]),
                ("user".into(), vec![odd.to_owned(), "{ a }".into()])
            ]
        );
        let again = OperationRecorder::open(&path, None).unwrap();
        again.learn("user", odd);
        assert!(!again.state().is_new, "it was known");
        // An operation removed from the file is recorded again after a reload.
        std::fs::remove_file(&path).unwrap();
        let reloaded = OperationRecorder::open(&path, Some(&again)).unwrap();
        assert!(Arc::ptr_eq(&again, &reloaded));
        reloaded.learn("user", odd);
        assert!(reloaded.state().is_new);
    }

    #[test]
    fn recorded_bytes_are_limited() {
        let mut state = State::default();
        let added = (0..10_000)
            .filter(|n| state.add("user", &format!("{{ a{n} {} }}", "b".repeat(1_000))))
            .count();
        assert!((3_000..4_200).contains(&added), "{added}");
        assert!(!state.add("user", "{ small }"), "it is full");
    }

    #[test]
    fn invalid_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned.toml");
        std::fs::write(&path, "[[collection]]\nname = 3\n").unwrap();
        let message = OperationRecorder::open(&path, None)
            .unwrap_err()
            .to_string();
        assert!(message.contains("learned.toml: line 2: "), "{message}");
    }
}
