//! Converts query collections, REST endpoints and allow lists: each document becomes a file, and
//! `rest-map.toml` and `allow-list.toml` refer to the files.

use std::collections::HashMap;
use std::fmt::Write;

use async_graphql_parser::parse_query;
use async_graphql_parser::types::DocumentOperations;
use serde_json::Value;
use sql::graphql::document::Limits;

use crate::json_object::JsonObject;
use crate::report::Report;
use crate::session::Session;
use crate::toml_writer::{TomlValue, comment, string};

/// Files, each with its path and text.
pub(crate) type Files = Vec<(String, String)>;

/// The documents of all collections.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    files: Files,
    /// Index into `files` by collection and query name.
    paths: HashMap<(String, String), usize>,
    /// The collections in order, each with the names of its queries.
    collections: Vec<(String, Vec<String>)>,
}

impl Documents {
    /// Reads the collections.
    pub(crate) fn read(collections: &[Value], report: &mut Report) -> Documents {
        let mut documents = Documents::default();
        for collection in collections {
            let Some(mut node) = JsonObject::new(collection, "query collection", report) else {
                continue;
            };
            let name = node.text("name").unwrap_or_default().to_owned();
            node.get("comment");
            let queries = node
                .get("definition")
                .map_or(&Value::Null, |definition| &definition["queries"]);
            node.finish(report);
            let mut names = vec![];
            for query in queries.as_array().into_iter().flatten() {
                let (Some(query_name), Some(text)) =
                    (query["name"].as_str(), query["query"].as_str())
                else {
                    report.refused(
                        format!("query collection {name}"),
                        "a query has no name or no text",
                    );
                    continue;
                };
                documents.add(&name, query_name, text);
                names.push(query_name.to_owned());
            }
            report.carried(format!("query collection {name}"));
            documents.collections.push((name, names));
        }
        documents
    }

    fn add(&mut self, collection: &str, name: &str, text: &str) {
        let safe = |c: char| {
            if c.is_ascii_alphanumeric() || "-_".contains(c) {
                c
            } else {
                '_'
            }
        };
        let stem: String = name.chars().map(safe).collect();
        let numbered = (2..).map(|number| format!("queries/{stem}_{number}.graphql"));
        let paths = std::iter::once(format!("queries/{stem}.graphql")).chain(numbered);
        let text = text.trim_end().to_owned() + "\n";
        // Some file systems do not distinguish names by case.
        let same = |file: &(String, String), path: &str| file.0.eq_ignore_ascii_case(path);
        for path in paths {
            match self.files.iter().position(|file| same(file, &path)) {
                Some(index) if self.files.get(index).is_some_and(|file| file.1 == text) => {
                    self.paths
                        .insert((collection.to_owned(), name.to_owned()), index);
                    return;
                }
                Some(_) => {}
                None => {
                    self.paths
                        .insert((collection.to_owned(), name.to_owned()), self.files.len());
                    self.files.push((path, text));
                    return;
                }
            }
        }
    }

    fn find(&self, collection: &str, name: &str) -> Option<&(String, String)> {
        self.files
            .get(*self.paths.get(&(collection.to_owned(), name.to_owned()))?)
    }

    /// Writes `rest-map.toml`; `None` without endpoints.
    pub(crate) fn rest_map(&self, endpoints: &[Value], report: &mut Report) -> Option<String> {
        let mut text = String::new();
        for endpoint in endpoints {
            let Some(mut node) = JsonObject::new(endpoint, "REST endpoint", report) else {
                continue;
            };
            let name = node.text("name").unwrap_or_default().to_owned();
            let construct = format!("REST endpoint {name}");
            match self.endpoint(&mut node) {
                Ok(endpoint) => {
                    let _ = write!(text, "\n[[endpoint]]\n{endpoint}");
                    report.carried(construct);
                }
                Err(why) => report.refused(construct, why),
            }
            node.finish(report);
        }
        (!text.is_empty()).then(|| {
            format!(
                "# REST endpoints, under /api/rest/. Documents are relative to this file.\n{text}"
            )
        })
    }

    fn endpoint(&self, node: &mut JsonObject<'_>) -> Result<String, String> {
        let url = node.text("url").ok_or("it has no `url`")?;
        let methods: Vec<String> = node
            .list("methods")
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        let query = node
            .get("definition")
            .map_or(&Value::Null, |definition| &definition["query"]);
        let part = |key: &str| query[key].as_str().unwrap_or_default();
        let collection = part("collection_name");
        let name = part("query_name");
        let found = self.find(collection, name);
        let (path, document) = found
            .ok_or_else(|| format!("there is no query `{name}` in collection `{collection}`"))?;
        let mut text = format!("path = {}\n", string(url.trim_start_matches('/')));
        if let Some(operation) = only_operation(document) {
            let _ = writeln!(text, "operation = {}", string(&operation));
        }
        let _ = writeln!(
            text,
            "methods = {}",
            TomlValue::texts(&methods).line(&Session::default())
        );
        let _ = writeln!(text, "document = {}", string(path));
        if let Some(summary) = node.text("comment").filter(|summary| !summary.is_empty()) {
            let _ = writeln!(text, "summary = {}", string(summary));
        }
        Ok(text)
    }

    /// Writes `allow-list.toml`; `None` without an allow list.
    pub(crate) fn allow_list(&self, entries: &[Value], report: &mut Report) -> Option<String> {
        let mut text = String::new();
        for entry in entries {
            let Some(mut node) = JsonObject::new(entry, "allow list", report) else {
                continue;
            };
            let name = node.text("collection").unwrap_or_default();
            let scope = node.get("scope").unwrap_or(&Value::Null);
            node.finish(report);
            let Some((_, queries)) = self.collections.iter().find(|(known, _)| known == name)
            else {
                report.refused(
                    format!("allow list, collection {name}"),
                    "there is no such collection",
                );
                continue;
            };
            let _ = writeln!(text, "\n[[collection]]\nname = {}", string(name));
            if scope["global"].as_bool() == Some(false) {
                let roles: Vec<String> = scope["roles"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect();
                let _ = writeln!(
                    text,
                    "roles = {}",
                    TomlValue::texts(&roles).line(&Session::default())
                );
            }
            text.push_str("documents = [\n");
            for (path, document) in queries.iter().filter_map(|query| self.find(name, query)) {
                if is_listable(document) {
                    let _ = writeln!(text, "  {},", string(path));
                } else {
                    report.refused(
                        format!("allow list, {path}"),
                        "it is not an executable document",
                    );
                }
            }
            text.push_str("]\n");
            report.carried(format!("allow list, collection {name}"));
        }
        if !text.is_empty() {
            let how =
                "it is enforced; Hasura does so only where HASURA_GRAPHQL_ENABLE_ALLOWLIST is set";
            report.approximated("allow list", how);
        }
        let head = comment("Documents that callers may send; without `roles` every role may.");
        (!text.is_empty()).then(|| format!("{head}{text}"))
    }

    /// Returns the documents as files.
    pub(crate) fn into_files(self) -> Files {
        self.files
    }
}

/// Whether an allow list can contain the document: it is valid GraphQL, and every fragment is used.
fn is_listable(document: &str) -> bool {
    sql::graphql::document::parse(document, &Limits::default())
        .is_ok_and(|document| document.normal_forms().is_some())
}

/// The name of the only operation of a document.
fn only_operation(document: &str) -> Option<String> {
    match parse_query(document).ok()?.operations {
        DocumentOperations::Multiple(operations) if operations.len() == 1 => {
            operations.keys().next().map(|name| name.to_string())
        }
        _ => None,
    }
}
