//! Notices changes of the files that the gateway reads, for `--watch`: the settings file, the
//! permission file, the REST map, and every file that one of them names. Their times and lengths
//! are compared twice a second, which works on every file system, also where editors replace files
//! and containers mount them.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::reload::Reloader;
use crate::config::Config;
use crate::config::text_file::read_file;

/// How often the files are looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The most files that are watched, and the longest text that may be the name of one.
const MAX_WATCHED_FILES: usize = 10_000;
const MAX_PATH_LENGTH: usize = 1_000;

/// The files and their states.
#[derive(Debug)]
pub struct FileWatch(BTreeMap<PathBuf, Option<FileState>>);

/// A changed file differs in this: its time, its length or its inode, which is another where an
/// editor has put a new file in the place of the old one. None if it cannot be read.
type FileState = (SystemTime, u64, u64);

/// The extensions of files that are watched from the moment when another file names them, before
/// they exist.
const EXPECTED: [&str; 3] = ["graphql", "sql", "toml"];

impl FileWatch {
    /// The files of these settings, with their states now.
    pub fn new(config: &Config) -> FileWatch {
        let roots = [
            config.sections.file(),
            config.permissions.as_deref(),
            config.rest_map.as_deref(),
        ];
        let mut files = BTreeMap::new();
        roots
            .into_iter()
            .flatten()
            .for_each(|root| add(root, &mut files));
        FileWatch(files)
    }

    /// Waits until a file has changed, and has not changed again for a moment.
    pub async fn changed(&self) {
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            if self.has_changed() {
                break;
            }
        }
        let states = || self.0.keys().map(|path| state(path)).collect::<Vec<_>>();
        let mut before = states();
        loop {
            tokio::time::sleep(POLL_INTERVAL / 4).await;
            let now = states();
            if now == before {
                return;
            }
            before = now;
        }
    }

    /// Takes the states of another watch for the files that both have, so that what has changed
    /// since counts as changed.
    fn since(mut self, other: FileWatch) -> FileWatch {
        for (path, before) in other.0 {
            if let Some(state) = self.0.get_mut(&path) {
                *state = before;
            }
        }
        self
    }

    fn has_changed(&self) -> bool {
        self.0.iter().any(|(path, before)| state(path) != *before)
    }
}

/// Reloads whenever a file changes. The states are those of before the files were read.
pub(super) async fn run(reloader: &Reloader, mut watch: FileWatch) {
    loop {
        watch.changed().await;
        // The files that are named now, and not those of `watch`: a map that is whole again names
        // files which were not watched while it had a fault, and which may change during the
        // reload.
        let before = FileWatch::new(&reloader.config().await);
        match reloader.reload().await {
            Ok(reloaded) => reloaded.log(),
            Err(error) => tracing::error!("not reloaded, the running version stays: {error}"),
        }
        watch = FileWatch::new(&reloader.config().await).since(before);
    }
}

/// Adds a file, and those that it names if it is TOML.
fn add(path: &Path, files: &mut BTreeMap<PathBuf, Option<FileState>>) {
    if files.len() >= MAX_WATCHED_FILES || files.insert(path.to_owned(), state(path)).is_some() {
        return;
    }
    let is_toml = path
        .extension()
        .is_some_and(|extension| extension == "toml");
    // What is no regular file may have no end; the reload reports it.
    let text = if is_toml && path.is_file() {
        read_file(path).ok()
    } else {
        None
    };
    let Some(table) = text.and_then(|text| text.parse::<toml::Table>().ok()) else {
        return;
    };
    let mut names = vec![];
    table.values().for_each(|value| texts(value, &mut names));
    let folder = path.parent().unwrap_or(Path::new(""));
    for name in names {
        let named = folder.join(name);
        let is_expected = named
            .extension()
            .is_some_and(|extension| EXPECTED.iter().any(|known| extension == *known));
        if !files.contains_key(&named) && (is_expected || named.is_file()) {
            add(&named, files);
        }
    }
}

/// The texts of a TOML value that may be names of files.
fn texts(value: &toml::Value, names: &mut Vec<String>) {
    match value {
        toml::Value::String(text)
            if !text.is_empty() && text.len() <= MAX_PATH_LENGTH && !text.contains('\n') =>
        {
            names.push(text.clone());
        }
        toml::Value::Array(items) => items.iter().for_each(|item| texts(item, names)),
        toml::Value::Table(members) => members.values().for_each(|member| texts(member, names)),
        _ => {}
    }
}

fn state(path: &Path) -> Option<FileState> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn named_files_are_watched_and_noticed() {
        let folder =
            std::env::temp_dir().join(format!("postern_file_watch_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write("q.graphql", "{ a }");
        write(
            "map.toml",
            "[[endpoint]]\npath = \"a\"\ndocument = \"q.graphql\"\n[[endpoint]]\npath = \
             \"b\"\ndocument = \"later.graphql\"\n",
        );
        let watch = || {
            let mut files = BTreeMap::new();
            add(&folder.join("map.toml"), &mut files);
            FileWatch(files)
        };
        let files = watch();
        assert_eq!(files.0.len(), 3);
        assert!(!files.has_changed());
        write("q.graphql", "{ a b }");
        assert!(files.has_changed());
        files.changed().await;
        let files = watch();
        write("later.graphql", "{ b }");
        assert!(files.has_changed());
        // A file of equal length and time, put in the place of another as editors do.
        let files = watch();
        write("new", "{ c b }");
        let modified = std::fs::metadata(folder.join("q.graphql"))
            .unwrap()
            .modified()
            .unwrap();
        std::fs::File::options()
            .write(true)
            .open(folder.join("new"))
            .unwrap()
            .set_modified(modified)
            .unwrap();
        std::fs::rename(folder.join("new"), folder.join("q.graphql")).unwrap();
        assert!(files.has_changed());
        let watch = watch();
        std::fs::remove_file(folder.join("map.toml")).unwrap();
        assert!(watch.has_changed());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
