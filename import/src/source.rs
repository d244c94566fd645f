//! Reads metadata, an export or a folder of the Hasura CLI, into one document of version 3.
//! [`crate::metadata`] interprets the document.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::report::Report;
use crate::{sdl, yaml};

/// Metadata in one of its forms.
#[derive(Clone, Debug)]
pub enum Source {
    /// The text of one file, JSON or YAML.
    Document(String),
    /// The files of a folder, by their paths with `/` as the separator.
    Folder(BTreeMap<String, String>),
}

/// Why metadata cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// A file is neither JSON nor YAML.
    #[error("{file}: {message}")]
    Syntax {
        /// The file; `metadata` for a document alone.
        file: String,
        /// The parser's message.
        message: String,
    },
    /// A file includes another that does not exist.
    #[error("{file}: there is no `{path}` to include")]
    Missing {
        /// The including file.
        file: String,
        /// The missing file.
        path: String,
    },
    /// Files include each other.
    #[error("{file}: it includes itself")]
    Circle {
        /// The file.
        file: String,
    },
    /// The metadata has no Postgres source of that name.
    #[error("there is no source on Postgres that is called `{name}`")]
    NoSource {
        /// The name.
        name: String,
    },
    /// The input is not metadata.
    #[error("this is not metadata: {0}")]
    Foreign(&'static str),
}

/// The files of a folder, each with its key in the document.
const FILES: [(&str, &str); 16] = [
    ("version.yaml", "version"),
    ("databases/databases.yaml", "sources"),
    ("tables.yaml", "tables"),
    ("functions.yaml", "functions"),
    ("actions.yaml", "actions"),
    ("allow_list.yaml", "allowlist"),
    ("api_limits.yaml", "api_limits"),
    ("backend_configs.yaml", "backend_configs"),
    ("cron_triggers.yaml", "cron_triggers"),
    (
        "graphql_schema_introspection.yaml",
        "graphql_schema_introspection",
    ),
    ("inherited_roles.yaml", "inherited_roles"),
    ("metrics_config.yaml", "metrics_config"),
    ("network.yaml", "network"),
    ("opentelemetry.yaml", "opentelemetry"),
    ("query_collections.yaml", "query_collections"),
    ("remote_schemas.yaml", "remote_schemas"),
];

const REST: (&str, &str) = ("rest_endpoints.yaml", "rest_endpoints");

/// The types of actions, in GraphQL.
const ACTION_TYPES: &str = "actions.graphql";

/// Reads metadata into a document of version 3.
pub(crate) fn read(
    source: &Source,
    report: &mut Report,
) -> Result<Map<String, Value>, SourceError> {
    let value = match source {
        Source::Document(text) => document(text)?,
        Source::Folder(files) => folder(files, report)?,
    };
    let Value::Object(mut metadata) = value else {
        return Err(SourceError::Foreign("it is not an object"));
    };
    lift_tables(&mut metadata);
    match metadata.get("sources") {
        Some(Value::Array(_)) => Ok(metadata),
        _ => Err(SourceError::Foreign(
            "it has neither `sources` nor `tables`",
        )),
    }
}

/// Converts version 2, which has one database, whose tables are at the top level.
fn lift_tables(metadata: &mut Map<String, Value>) {
    if metadata.contains_key("sources") || !metadata.contains_key("tables") {
        return;
    }
    let tables = metadata.shift_remove("tables").unwrap_or_default();
    let functions = metadata
        .shift_remove("functions")
        .unwrap_or_else(|| json!([]));
    let source = json!([{ "name": "default", "kind": "postgres", "tables": tables, "functions": functions }]);
    metadata.insert("sources".to_owned(), source);
}

fn document(text: &str) -> Result<Value, SourceError> {
    let syntax = |message: String| SourceError::Syntax {
        file: "metadata".to_owned(),
        message,
    };
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) if text.trim_start().starts_with(['{', '[']) => {
            return Err(syntax(error.to_string()));
        }
        Err(_) => yaml::read(text).map_err(syntax)?,
    };
    Ok(unwrapped(value))
}

/// Removes the envelope of the metadata API: `{"resource_version": 7, "metadata": {…}}`.
fn unwrapped(mut value: Value) -> Value {
    for key in ["args", "metadata"] {
        if let Some(inner @ Value::Object(_)) = value.get_mut(key) {
            value = inner.take();
        }
    }
    value
}

fn folder(files: &BTreeMap<String, String>, report: &mut Report) -> Result<Value, SourceError> {
    let Some(root) = root(files) else {
        return Err(SourceError::Foreign(
            "there is neither `databases/databases.yaml` nor `tables.yaml`",
        ));
    };
    let mut reading = FolderReader {
        files,
        open: vec![],
        read: BTreeSet::new(),
    };
    let mut metadata = Map::new();
    for (file, key) in FILES.iter().chain([&REST]) {
        let path = format!("{root}{file}");
        if files.contains_key(&path) {
            let value = reading.file(&path)?;
            metadata.insert((*key).to_owned(), value);
        }
    }
    // These two files contain an object with the key inside.
    for key in ["version", "actions"] {
        if let Some(Value::Object(inner)) = metadata.get(key).cloned() {
            metadata.shift_remove(key);
            metadata.extend(inner);
        }
    }
    let types = format!("{root}{ACTION_TYPES}");
    if let Some(text) = files.get(&types) {
        reading.read.insert(types.clone());
        sdl::merge(&mut metadata, text).map_err(|message| SourceError::Syntax {
            file: types,
            message,
        })?;
    }
    for path in files
        .keys()
        .filter(|path| path.starts_with(&root) && !reading.read.contains(*path))
    {
        report.refused(
            format!("file {path}"),
            "no other file includes it, and it is not a file of Hasura's metadata",
        );
    }
    Ok(Value::Object(metadata))
}

/// Finds the folder with the metadata. In a project of the CLI it is a subfolder.
fn root(files: &BTreeMap<String, String>) -> Option<String> {
    let ends = ["databases/databases.yaml", "tables.yaml"];
    let roots = ends.iter().flat_map(|end| {
        files
            .keys()
            .filter_map(move |path| path.strip_suffix(end))
            .filter(|root| root.is_empty() || root.ends_with('/'))
    });
    roots.map(str::to_owned).min_by_key(String::len)
}

struct FolderReader<'f> {
    files: &'f BTreeMap<String, String>,
    open: Vec<String>,
    read: BTreeSet<String>,
}

impl FolderReader<'_> {
    fn file(&mut self, path: &str) -> Result<Value, SourceError> {
        if self.open.iter().any(|open| open == path) {
            return Err(SourceError::Circle {
                file: path.to_owned(),
            });
        }
        let Some(text) = self.files.get(path) else {
            let file = self.open.last().cloned().unwrap_or_default();
            return Err(SourceError::Missing {
                file,
                path: path.to_owned(),
            });
        };
        let syntax = |message| SourceError::Syntax {
            file: path.to_owned(),
            message,
        };
        let mut value = yaml::read(text).map_err(syntax)?;
        self.read.insert(path.to_owned());
        self.open.push(path.to_owned());
        self.include(
            &mut value,
            path.rsplit_once('/').map_or("", |(folder, _)| folder),
        )?;
        self.open.pop();
        Ok(value)
    }

    /// Replaces each `!include` by the file's contents. Paths are relative to the including file.
    fn include(&mut self, value: &mut Value, folder: &str) -> Result<(), SourceError> {
        match value {
            Value::String(text) => {
                if let Some(path) = text.strip_prefix("!include ") {
                    *value = self.file(&joined(folder, path.trim()))?;
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.include(item, folder)?;
                }
            }
            Value::Object(fields) => {
                for (_, field) in fields.iter_mut() {
                    self.include(field, folder)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> Source {
        Source::Folder(
            files
                .iter()
                .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
                .collect(),
        )
    }

    #[test]
    fn envelopes_and_old_versions_are_read() {
        let texts = [
            r#"{"version": 3, "sources": []}"#,
            r#"{"resource_version": 7, "metadata": {"version": 3, "sources": []}}"#,
            r#"{"type": "replace_metadata", "args": {"metadata": {"version": 3, "sources": []}}}"#,
            "version: 3\nsources: []",
        ];
        for text in texts {
            let read = read(&Source::Document(text.to_owned()), &mut Report::default()).unwrap();
            assert_eq!(
                Value::Object(read),
                json!({"version": 3, "sources": []}),
                "{text}"
            );
        }
        let old = read(
            &Source::Document(r#"{"version": 2, "tables": [1]}"#.to_owned()),
            &mut Report::default(),
        )
        .unwrap();
        assert_eq!(old["sources"][0]["tables"], json!([1]));
    }

    #[test]
    fn folder_is_assembled_from_its_files() {
        let files = [
            ("metadata/version.yaml", "version: 3"),
            (
                "metadata/databases/databases.yaml",
                "- name: default\n  tables: \"!include default/tables/tables.yaml\"",
            ),
            (
                "metadata/databases/default/tables/tables.yaml",
                "- !include public_a.yaml\n- table: b",
            ),
            (
                "metadata/databases/default/tables/public_a.yaml",
                "table: a",
            ),
            ("metadata/old.yaml", "x: 1"),
            ("config.yaml", "version: 3"),
        ];
        let mut report = Report::default();
        let read = read(&folder(&files), &mut report).unwrap();
        assert_eq!(read["version"], json!(3));
        assert_eq!(
            read["sources"][0]["tables"],
            json!([{"table": "a"}, {"table": "b"}])
        );
        assert_eq!(report.entries().len(), 1, "{report:?}");
    }

    #[test]
    fn missing_files_are_errors() {
        let fault = |files: &[(&str, &str)]| {
            read(&folder(files), &mut Report::default())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            fault(&[("tables.yaml", "!include x.yaml")]),
            "tables.yaml: there is no `x.yaml` to include"
        );
        assert_eq!(
            fault(&[("tables.yaml", "!include tables.yaml")]),
            "tables.yaml: it includes itself"
        );
        assert!(fault(&[("a.yaml", "")]).starts_with("this is not metadata"));
    }
}
