//! A map's text, and where the documents are that it names.

use std::io;
use std::path::{Path, PathBuf};

use permissions::SourceFile;

/// A map, and where its documents are.
#[derive(Clone, Debug)]
pub struct Source {
    /// The map.
    pub file: SourceFile,
    documents: Documents,
}

/// Where documents are.
#[derive(Clone, Debug)]
pub enum Documents {
    /// In files, relative to this folder.
    Folder(PathBuf),
    /// Given by their paths.
    Given(&'static [(&'static str, &'static str)]),
}

/// The largest document that is read: more than any limit on documents admits.
const LARGEST: u64 = 16 << 20;

impl Source {
    /// A map that stands in no file; `name` stands for it in messages.
    pub fn new(name: &str, text: &str, documents: Documents) -> Source {
        Source { file: SourceFile::new(name, text), documents }
    }

    /// Reads a map. Its documents are read when it is compiled.
    pub fn read(path: &Path) -> io::Result<Source> {
        let text = std::fs::read_to_string(path)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Source::new(&path.to_string_lossy(), &text, Documents::Folder(folder)))
    }

    /// A document by the path that the map has for it.
    pub(super) fn document(&self, path: &str) -> io::Result<SourceFile> {
        match &self.documents {
            Documents::Folder(folder) => {
                let file = folder.join(path);
                if std::fs::metadata(&file)?.len() > LARGEST {
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
                Ok(SourceFile::new(file.to_string_lossy().into_owned(), std::fs::read_to_string(&file)?))
            }
            Documents::Given(given) => {
                let found = given.iter().find(|(known, _)| *known == path);
                found.map(|(name, text)| SourceFile::new(*name, *text)).ok_or_else(|| io::ErrorKind::NotFound.into())
            }
        }
    }
}
