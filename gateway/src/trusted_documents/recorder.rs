//! Operations that were asked and are on no list, gathered in a file that can be one. It is written beside requests: what is new
//! waits a moment for more, and the file is replaced as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::file::{Collection, File};
use crate::config::ConfigError;

/// What was learned, and the file of it.
#[derive(Debug)]
pub(super) struct OperationRecorder {
    path: PathBuf,
    state: Mutex<State>,
    /// Held while the file is written.
    writing: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    /// By role, in their normal forms.
    operations: BTreeMap<String, BTreeSet<String>>,
    bytes: usize,
    /// Whether something is not in the file yet.
    is_new: bool,
    /// Whether somebody will write it.
    is_awaited: bool,
    is_full: bool,
}

/// The most bytes of operations. Whoever learns from callers that send what they like does not learn for ever.
const MOST: usize = 4 << 20;

/// So long what is new waits for more.
const PAUSE: Duration = Duration::from_millis(500);

const HEAD: &str = "\
# Operations that were asked and are on no allow list, written by the gateway: name this file under `allow_list`, or move what
# may be asked to a file that is named there. What is taken out here is learned again when it is asked after a reload.

";

impl OperationRecorder {
    /// Goes on with what the file has; one that is not there is made when there is something to write. Another version of the
    /// gateway with the same file shares it.
    pub(super) fn open(
        path: &Path,
        running: Option<&Arc<OperationRecorder>>,
    ) -> Result<Arc<OperationRecorder>, ConfigError> {
        let same = running.filter(|learned| learned.path == path).cloned();
        let learned = same.unwrap_or_else(|| {
            Arc::new(OperationRecorder { path: path.to_owned(), state: Mutex::default(), writing: Mutex::default() })
        });
        learned.write();
        let file = match path.exists() {
            true => File::read(path)?,
            false => File::default(),
        };
        *learned.state() = State::of(file);
        Ok(learned)
    }

    /// Learns an operation that a role has asked.
    pub(super) fn learn(self: &Arc<OperationRecorder>, role: &str, operation: &str) {
        let mut state = self.state();
        if !state.add(role, operation) {
            return;
        }
        let runtime = tokio::runtime::Handle::try_current().ok().filter(|_| !state.is_awaited);
        if let Some(runtime) = runtime {
            state.is_awaited = true;
            let learned = self.clone();
            runtime.spawn(async move {
                tokio::time::sleep(PAUSE).await;
                // A panic in it has been told.
                let _ = tokio::task::spawn_blocking(move || learned.write()).await;
            });
        }
    }

    /// Writes what is new.
    fn write(&self) {
        let _turn = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let file = {
            let mut state = self.state();
            state.is_awaited = false;
            if !std::mem::take(&mut state.is_new) {
                return;
            }
            state.file()
        };
        if let Err(cause) = replace(&self.path, &file) {
            tracing::error!(path = %self.path.display(), %cause, "cannot write what was learned");
            self.state().is_new = true;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was learned last is not lost when the gateway ends.
impl Drop for OperationRecorder {
    fn drop(&mut self) {
        self.write();
    }
}

impl State {
    fn of(file: File) -> State {
        let mut state = State::default();
        for Collection { roles, queries, .. } in file.collection {
            for role in roles.iter().flatten() {
                for query in &queries {
                    state.add(role, query);
                }
            }
        }
        State { is_new: false, ..state }
    }

    /// Whether it is new, and there is room.
    fn add(&mut self, role: &str, operation: &str) -> bool {
        let known = self.operations.get(role).is_some_and(|known| known.contains(operation));
        if known || self.is_full {
            return false;
        }
        let bytes = self.bytes + role.len() + operation.len();
        if bytes > MOST {
            self.is_full = true;
            tracing::warn!(bytes = MOST, "no more operations are learned: the file is full");
            return false;
        }
        self.bytes = bytes;
        self.is_new = true;
        self.operations.entry(role.to_owned()).or_default().insert(operation.to_owned());
        true
    }

    fn file(&self) -> File {
        let collections = self.operations.iter().map(|(role, operations)| Collection {
            name: Some(format!("asked by {role}")),
            roles: Some(vec![role.clone()]),
            queries: operations.iter().cloned().collect(),
            ..Collection::default()
        });
        File { collection: collections.collect() }
    }
}

/// Puts the new file in the place of the old one: whoever reads it finds one of them whole.
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
    fn what_is_learned_is_written_once_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned.toml");
        let learned = OperationRecorder::open(&path, None).unwrap();
        assert!(!path.exists());
        let odd = "query {\n  a(x: \"'''\\\\ \\u0001 é\")\n}\n";
        for (role, text) in [("user", "{ a }"), ("user", "{ a }"), ("other", "{ a }"), ("user", odd)] {
            learned.learn(role, text);
        }
        drop(learned);
        let file = File::read(&path).unwrap();
        let found: Vec<(String, Vec<String>)> =
            file.collection.into_iter().map(|c| (c.roles.unwrap().join(","), c.queries)).collect();
        assert_eq!(
            found,
            [("other".into(), vec!["{ a }".into()]), ("user".into(), vec![odd.to_owned(), "{ a }".into()])]
        );
        let again = OperationRecorder::open(&path, None).unwrap();
        again.learn("user", odd);
        assert!(!again.state().is_new, "it was known");
        // What is taken out is learned again, by the same value, once the file has been read again.
        std::fs::remove_file(&path).unwrap();
        let reloaded = OperationRecorder::open(&path, Some(&again)).unwrap();
        assert!(Arc::ptr_eq(&again, &reloaded));
        reloaded.learn("user", odd);
        assert!(reloaded.state().is_new);
    }

    #[test]
    fn what_is_learned_has_a_bound() {
        let mut state = State::default();
        let added = (0..10_000).filter(|n| state.add("user", &format!("{{ a{n} {} }}", "b".repeat(1_000)))).count();
        assert!((3_000..4_200).contains(&added), "{added}");
        assert!(!state.add("user", "{ small }"), "it is full");
    }

    #[test]
    fn a_broken_file_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned.toml");
        std::fs::write(&path, "[[collection]]\nname = 3\n").unwrap();
        let told = OperationRecorder::open(&path, None).unwrap_err().to_string();
        assert!(told.contains("learned.toml: line 2: "), "{told}");
    }
}
