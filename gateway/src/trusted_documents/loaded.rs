//! Loads the files that the table `[operations]` names: persisted documents and allow lists. Every
//! document must parse; all errors are reported together.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};
use sql::graphql::document;
use sql::graphql::document::{Limits, Normal};

use super::config::{SECTION, Table};
use super::file::{Collection, File};
use crate::config::text_file::read_file;
use crate::config::{Config, ConfigError};

/// All loaded documents.
#[derive(Debug, Default)]
pub(super) struct LoadedDocuments {
    /// The persisted documents.
    pub(super) persisted: Vec<PersistedDocument>,
    /// The documents of allow lists.
    pub(super) listed: Vec<AllowedDocument>,
}

/// A persisted document.
#[derive(Debug)]
pub(super) struct PersistedDocument {
    /// The file, and the position in it.
    pub(super) origin: String,
    /// Its ids, besides its hash.
    pub(super) ids: Vec<String>,
    /// The document's text.
    pub(super) text: String,
    forms: Vec<Normal>,
}

/// A document on an allow list.
#[derive(Debug)]
pub(super) struct AllowedDocument {
    /// The file, and the position in it.
    pub(super) origin: String,
    /// The roles that may run it; all roles if absent.
    pub(super) roles: Option<Vec<String>>,
    /// The document's text.
    pub(super) text: String,
    /// The normal forms of its operations.
    pub(super) forms: Vec<Normal>,
}

/// A manifest in the format of `@apollo/generate-persisted-query-manifest`.
#[derive(Deserialize)]
struct Manifest {
    format: String,
    version: u64,
    operations: Vec<ManifestOperation>,
}

#[derive(Deserialize)]
struct ManifestOperation {
    id: String,
    name: Option<String>,
    body: String,
}

/// The format's name in the manifest.
const APOLLO: &str = "apollo-persisted-query-manifest";

/// How deep folders are searched.
const MAX_FOLDER_DEPTH: usize = 16;

/// Reads files and collects errors.
struct Reader<'a> {
    limits: &'a Limits,
    faults: Vec<String>,
}

impl LoadedDocuments {
    /// The names of all operations.
    pub(super) fn operation_names(&self) -> BTreeSet<String> {
        let persisted = self.persisted.iter().map(|document| &document.forms);
        let listed = self.listed.iter().map(|document| &document.forms);
        let forms = persisted.chain(listed).flatten();
        forms.filter_map(|form| form.name.clone()).collect()
    }

    /// Loads the files that the table names.
    pub(super) fn read(table: &Table, config: &Config) -> Result<LoadedDocuments, ConfigError> {
        let sections = &config.sections;
        let mut reader = Reader {
            limits: &config.limits().document,
            faults: vec![],
        };
        let persisted = table
            .persisted
            .as_ref()
            .map(|path| reader.persisted(&sections.beside(path)));
        let mut written = LoadedDocuments {
            persisted: persisted.unwrap_or_default(),
            listed: vec![],
        };
        for path in table.allow_list.all() {
            let listed = reader.allow_list(&sections.beside(path), &written.persisted);
            written.listed.extend(listed);
        }
        match reader.faults.as_slice() {
            [] => Ok(written),
            faults => Err(sections.fault(SECTION, faults.join("\n"))),
        }
    }
}

impl Reader<'_> {
    /// Loads persisted documents from a folder or a manifest.
    fn persisted(&mut self, path: &Path) -> Vec<PersistedDocument> {
        let documents = if path.is_dir() {
            self.folder(path)
        } else {
            self.manifest(path)
        };
        let mut known: HashMap<&str, &PersistedDocument> = HashMap::new();
        for document in &documents {
            for id in &document.ids {
                match known.insert(id, document) {
                    Some(other) if other.text != document.text => {
                        self.faults.push(format!(
                            "`{id}` stands for {} and for {}",
                            other.origin, document.origin
                        ));
                    }
                    _ => {}
                }
            }
        }
        documents
    }

    /// Loads the documents of a folder. Their ids are their paths without the extension, and the
    /// name of their operation if there is just one.
    fn folder(&mut self, folder: &Path) -> Vec<PersistedDocument> {
        let mut documents = vec![];
        for path in self.files(folder) {
            let (origin, Some(text)) = (path.display().to_string(), self.text(&path)) else {
                continue;
            };
            let Some(forms) = self.forms(&origin, &text) else {
                continue;
            };
            let name = path
                .strip_prefix(folder)
                .unwrap_or(&path)
                .with_extension("");
            let mut ids = vec![name.to_string_lossy().replace('\\', "/")];
            if let [
                Normal {
                    name: Some(name), ..
                },
            ] = forms.as_slice()
            {
                ids.push(name.clone());
            }
            documents.push(PersistedDocument {
                origin,
                ids,
                text,
                forms,
            });
        }
        documents
    }

    /// Loads the documents of a manifest with its ids and names.
    fn manifest(&mut self, path: &Path) -> Vec<PersistedDocument> {
        let Some(text) = self.text(path) else {
            return vec![];
        };
        let operations = match read_manifest(&text) {
            Ok(operations) => operations,
            Err(fault) => {
                self.faults.push(format!("{}: {fault}", path.display()));
                return vec![];
            }
        };
        let mut documents = vec![];
        for ManifestOperation { id, name, body } in operations {
            let origin = format!("{}: `{}`", path.display(), name.as_ref().unwrap_or(&id));
            let Some(forms) = self.forms(&origin, &body) else {
                continue;
            };
            let ids = std::iter::once(id).chain(name).collect();
            documents.push(PersistedDocument {
                origin,
                ids,
                text: body,
                forms,
            });
        }
        documents
    }

    fn allow_list(&mut self, path: &Path, persisted: &[PersistedDocument]) -> Vec<AllowedDocument> {
        let file = match File::read(path) {
            Ok(file) => file,
            Err(error) => {
                self.faults.push(error.to_string());
                return vec![];
            }
        };
        let mut listed = vec![];
        for (index, collection) in file.collection.into_iter().enumerate() {
            let Collection {
                name,
                roles,
                documents,
                queries,
                persisted: with_persisted,
            } = collection;
            let name = name.unwrap_or_else(|| format!("collection {}", index + 1));
            let inline = queries.into_iter().enumerate();
            let inline = inline.map(|(index, text)| {
                (
                    format!("{}: {name}, query {}", path.display(), index + 1),
                    text,
                )
            });
            let mut texts: Vec<(String, String)> = inline.collect();
            for document in documents {
                let document = path.parent().unwrap_or(Path::new("")).join(document);
                let files = if document.is_dir() {
                    self.files(&document)
                } else {
                    vec![document]
                };
                texts.extend(
                    files
                        .into_iter()
                        .filter_map(|file| Some((file.display().to_string(), self.text(&file)?))),
                );
            }
            for (origin, text) in texts {
                let Some(forms) = self.forms(&origin, &text) else {
                    continue;
                };
                listed.push(AllowedDocument {
                    origin,
                    roles: roles.clone(),
                    text,
                    forms,
                });
            }
            for document in persisted.iter().filter(|_| with_persisted) {
                let PersistedDocument {
                    origin,
                    text,
                    forms,
                    ..
                } = document;
                let origin = origin.clone();
                let text = text.clone();
                let forms = forms.clone();
                listed.push(AllowedDocument {
                    origin,
                    roles: roles.clone(),
                    text,
                    forms,
                });
            }
        }
        listed
    }

    /// The normal forms of a document's operations.
    fn forms(&mut self, origin: &str, text: &str) -> Option<Vec<Normal>> {
        let forms = match document::parse(text, self.limits) {
            Ok(document) => document.normal_forms(),
            Err(error) => {
                self.faults.push(format!("{origin}: {error}"));
                return None;
            }
        };
        if forms.is_none() {
            self.faults.push(format!(
                "{origin}: it has a fragment that no operation uses"
            ));
        }
        forms
    }

    fn text(&mut self, path: &Path) -> Option<String> {
        match read_file(path) {
            Ok(text) => Some(text),
            Err(cause) => {
                self.faults
                    .push(format!("cannot read {}: {cause}", path.display()));
                None
            }
        }
    }

    /// The documents in a folder and its subfolders, ordered by path.
    fn files(&mut self, folder: &Path) -> Vec<PathBuf> {
        let mut files = vec![];
        if let Err(cause) = collect(folder, MAX_FOLDER_DEPTH, &mut files) {
            self.faults
                .push(format!("cannot read {}: {cause}", folder.display()));
        }
        files.sort();
        files
    }
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && depth > 0 {
            collect(&path, depth - 1, files)?;
        } else if path
            .extension()
            .is_some_and(|ending| ending == "graphql" || ending == "gql")
        {
            files.push(path);
        }
    }
    Ok(())
}

/// Parses a manifest: in Apollo's format, or an object of documents by id, as Relay's compiler
/// writes it.
fn read_manifest(text: &str) -> Result<Vec<ManifestOperation>, String> {
    let members: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    if members.contains_key("operations") {
        let manifest: Manifest = serde_json::from_str(text).map_err(|error| error.to_string())?;
        return match (manifest.format.as_str(), manifest.version) {
            (APOLLO, 1) => Ok(manifest.operations),
            _ => Err(format!(
                "the manifest is neither `{APOLLO}`, version 1, nor an object of documents"
            )),
        };
    }
    let operation = |(id, body): (String, Value)| match body {
        Value::String(body) => Ok(ManifestOperation {
            id,
            name: None,
            body,
        }),
        _ => Err(format!("`{id}` is not a text")),
    };
    members.into_iter().map(operation).collect()
}
