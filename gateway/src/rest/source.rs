//! The text of a REST map, and where to read the documents that it refers to.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use permissions::SourceFile;

use crate::config;
use crate::config::text_file::{read_file, read_limited};

/// A map, with the source of its documents.
#[derive(Clone, Debug)]
pub struct Source {
    /// The map.
    pub file: SourceFile,
    documents: Documents,
    /// The documents that were read from files, by path. A version that is compiled once more has
    /// the same documents.
    read: Arc<Mutex<HashMap<String, SourceFile>>>,
}

/// Where the documents of a map are.
#[derive(Clone, Debug)]
pub enum Documents {
    /// In files; paths are relative to this folder.
    Folder(PathBuf),
    /// In memory, by path.
    Given(&'static [(&'static str, &'static str)]),
}

/// The largest document that is read, in bytes: more than any limit on documents allows.
const MAX_DOCUMENT_BYTES: u64 = 16 << 20;

impl Source {
    /// Creates a source from text; error messages show `name` as its file.
    pub fn new(name: &str, text: &str, documents: Documents) -> Source {
        Source {
            file: SourceFile::new(name, text),
            documents,
            read: Arc::default(),
        }
    }

    /// Reads a map's file. Its documents are read when it is compiled.
    pub fn read(path: &Path) -> io::Result<Source> {
        let text = read_file(path)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let source = Source::new(&path.to_string_lossy(), &text, Documents::Folder(folder));
        Ok(Source {
            file: source.file.with_variables(config::environment),
            ..source
        })
    }

    /// Reads a document by its path in the map.
    pub(super) fn document(&self, path: &str) -> io::Result<SourceFile> {
        match &self.documents {
            Documents::Folder(folder) => {
                let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(file) = read.get(path) {
                    return Ok(file.clone());
                }
                let file = folder.join(path);
                let file = SourceFile::new(
                    file.to_string_lossy().into_owned(),
                    read_limited(&file, MAX_DOCUMENT_BYTES)?,
                );
                read.insert(path.to_owned(), file.clone());
                Ok(file)
            }
            Documents::Given(given) => {
                let found = given.iter().find(|(known, _)| *known == path);
                found
                    .map(|(name, text)| SourceFile::new(*name, *text))
                    .ok_or_else(|| io::ErrorKind::NotFound.into())
            }
        }
    }
}
