//! Imports a metadata document: reads its top-level keys, passes each to its module, and collects
//! the files and the report.

use std::sync::Arc;

use permissions::{Diagnostic, Fault, SourceFile};
use serde_json::{Map, Value};
use sql::model::names::Convention;
use sql::postgres::catalog::Catalog;

use crate::endpoints::{Documents, Files};
use crate::file::File;
use crate::functions::{self, FunctionPermissions};
use crate::grants::{self, Grants};
use crate::inherit::{self, Inherited};
use crate::json_object::{JsonObject, says_something};
use crate::relations;
use crate::report::Report;
use crate::session::Session;
use crate::settings;
use crate::source::{self, Source, SourceError};
use crate::tables::Tables;
use crate::{passthrough, triggers};

/// The result of an import.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The files by path, `permissions.toml` first.
    pub files: Vec<(String, String)>,
    /// The outcome for each construct of the metadata.
    pub report: Report,
}

/// Import options that the metadata does not contain.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The name of the source to import; the first Postgres source if `None`.
    pub source: Option<String>,
    /// Which roles may call query functions.
    pub function_permissions: FunctionPermissions,
}

/// The database connection in the metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A URL, which may contain a password.
    Url(String),
    /// The name of an environment variable with the URL.
    Variable(String),
}

/// Returns the database connection of the imported source, if the metadata has it.
///
/// Errors: as [`import`].
pub fn location(source: &Source, options: &Options) -> Result<Option<Location>, SourceError> {
    let mut report = Report::default();
    let document = source::read(source, &mut report)?;
    let sources = JsonObject::from_map(&document, "metadata").list("sources");
    let database = select_source(sources, options.source.as_deref(), &mut report)?;
    let url = database
        .get("configuration")
        .map(|configuration| &configuration["connection_info"]["database_url"]);
    Ok(url.and_then(|url| match url {
        Value::String(url) => Some(Location::Url(url.clone())),
        url => url["from_env"]
            .as_str()
            .map(|name| Location::Variable(name.to_owned())),
    }))
}

/// Imports metadata for the database of this catalog.
///
/// Errors: the metadata cannot be read, or has no such source. Constructs that cannot be imported
/// are in the report.
pub fn import(
    source: &Source,
    catalog: &Arc<Catalog>,
    options: &Options,
) -> Result<Imported, SourceError> {
    let mut report = Report::default();
    let document = source::read(source, &mut report)?;
    let mut node = JsonObject::from_map(&document, "metadata");
    node.get("version");
    let database = select_source(node.list("sources"), options.source.as_deref(), &mut report)?;
    let inputs = PermissionInputs::read(
        &mut node,
        database,
        catalog,
        options.function_permissions,
        &mut report,
    );
    let documents = Documents::read(node.list("query_collections"), &mut report);
    let rest_map = documents.rest_map(node.list("rest_endpoints"), &mut report);
    let allow_list = documents.allow_list(node.list("allowlist"), &mut report);
    let mut settings = settings::write(
        database,
        node.get("api_limits"),
        rest_map.is_some(),
        &mut report,
    );
    if allow_list.is_some() {
        settings.push_str(settings::OPERATIONS);
    }
    let types = node.get("custom_types").unwrap_or(&Value::Null);
    let actions = passthrough::actions(node.list("actions"), types, &mut report);
    if !actions.is_empty() {
        settings.push_str(settings::ACTIONS);
    }
    let triggers = triggers::files(&inputs.tables, node.list("cron_triggers"), &mut report);
    settings.extend(triggers::settings(&triggers));
    refuse(&mut node, &mut report);
    node.finish(&mut report);
    let permissions = inputs.permissions(catalog, &mut report);
    let named = |name: &str, text: Option<String>| text.map(|text| (name.to_owned(), text));
    let mut files: Files = vec![
        ("permissions.toml".to_owned(), permissions),
        ("gateway.toml".to_owned(), settings),
    ];
    files.extend(named("rest-map.toml", rest_map));
    files.extend(named("allow-list.toml", allow_list));
    files.extend(actions);
    files.extend(triggers);
    files.extend(documents.into_files());
    Ok(Imported { files, report })
}

/// Selects the source to import: the one of that name, or the first on Postgres. All others are
/// reported as refused.
fn select_source<'v>(
    sources: &'v [Value],
    name: Option<&str>,
    report: &mut Report,
) -> Result<&'v Map<String, Value>, SourceError> {
    let is_postgres = |source: &&Value| {
        matches!(
            source["kind"].as_str(),
            None | Some("postgres" | "pg" | "citus" | "alloy")
        )
    };
    let named = |source: &&Value| {
        name.is_none_or(|name| source["name"].as_str().unwrap_or("default") == name)
    };
    let missing = || SourceError::NoSource {
        name: name.unwrap_or("default").to_owned(),
    };
    let first = sources
        .iter()
        .filter(is_postgres)
        .find(named)
        .ok_or_else(missing)?;
    for other in sources
        .iter()
        .filter(|source| !std::ptr::eq(*source, first))
    {
        let name = other["name"].as_str().unwrap_or("?");
        let kind = other["kind"].as_str().unwrap_or("postgres");
        let why = if kind == "postgres" {
            "Postern serves one database"
        } else {
            "Postern serves Postgres alone"
        };
        report.refused(format!("source {name} ({kind})"), why);
    }
    first
        .as_object()
        .ok_or(SourceError::Foreign("a source is not an object"))
}

/// The parts of the metadata that the permission file is written from.
struct PermissionInputs<'v> {
    tables: Tables<'v>,
    grants: Vec<Grants>,
    functions: Vec<functions::Function>,
    inherited: Vec<Inherited>,
    silent: Vec<&'v str>,
    convention: &'static str,
}

impl<'v> PermissionInputs<'v> {
    fn read(
        node: &mut JsonObject<'v>,
        database: &'v Map<String, Value>,
        catalog: &Catalog,
        function_permissions: FunctionPermissions,
        report: &mut Report,
    ) -> PermissionInputs<'v> {
        let name = database
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or("default");
        let mut source = JsonObject::from_map(database, format!("source {name}"));
        source.get("name");
        source.get("kind");
        if let Some(configuration) = source.object("configuration") {
            let mut configuration =
                JsonObject::from_map(configuration, format!("source {name}, configuration"));
            configuration.get("connection_info");
            configuration.finish(report);
        }
        let convention = convention(source.object("customization"), name, report);
        let tables = Tables::read(catalog, source.list("tables"), report);
        let grants: Vec<Grants> = tables
            .tracked
            .iter()
            .map(|table| grants::read(catalog, &tables, table, report))
            .collect();
        let functions = functions::read(
            catalog,
            &tables,
            source.list("functions"),
            function_permissions,
            report,
        );
        source.finish(report);
        let inherited = inherit::read(node.list("inherited_roles"), report);
        inherit::tell(&inherited, &tables, &grants, report);
        let silent = silent(node, report);
        PermissionInputs {
            tables,
            grants,
            functions,
            inherited,
            silent,
            convention,
        }
    }

    /// Writes the permission file, compiles it, and reports its errors as refused.
    fn permissions(&self, catalog: &Arc<Catalog>, report: &mut Report) -> String {
        let file = File {
            catalog,
            convention: self.convention,
            tables: &self.tables,
            inherited: &self.inherited,
            silent: &self.silent,
            grants: &self.grants,
            functions: &self.functions,
        };
        let relations = relations::needed(catalog, &self.tables, |relations| {
            file.without_grants(relations)
        });
        let mut session = Session::default();
        for grant in self
            .grants
            .iter()
            .flat_map(|grants| grants.values().flatten())
        {
            grant
                .item
                .iter()
                .for_each(|item| item.declare(&mut session));
        }
        session.settle(catalog);
        let text = file.text(&relations, &session);
        let source = SourceFile::new("permissions.toml", text.as_str());
        let problems =
            permissions::compile_partial(&source, catalog.clone(), Convention::Snake).problems;
        for problem in problems.iter().filter(|problem| !waits_for_values(problem)) {
            report.refused(
                format!("permissions.toml, line {}", problem.span().line()),
                problem.message(),
            );
        }
        text
    }
}

/// Whether the diagnostic says only that the values of an enum table are unknown. The gateway reads
/// them at startup.
fn waits_for_values(problem: &Diagnostic) -> bool {
    matches!(problem.fault(), Fault::EnumTable { reason, .. } if reason.starts_with("its values \
         are not known"))
}

/// Reads the naming convention of a source. Other customization is reported as refused.
fn convention(
    fields: Option<&Map<String, Value>>,
    source: &str,
    report: &mut Report,
) -> &'static str {
    let Some(fields) = fields else { return "snake" };
    let mut node = JsonObject::from_map(fields, format!("source {source}, customization"));
    let convention = match node.text("naming_convention") {
        Some("graphql-default") => "graphql-default",
        _ => "snake",
    };
    for key in ["root_fields", "type_names"] {
        if node.get(key).is_some_and(says_something) {
            let why = "names are set for each table; use `name`, `root` or `type`";
            report.refused(format!("source {source}, customization of `{key}`"), why);
        }
    }
    node.finish(report);
    convention
}

/// Reads the roles for which introspection is disabled.
fn silent<'v>(node: &mut JsonObject<'v>, report: &mut Report) -> Vec<&'v str> {
    let Some(options) = node.object("graphql_schema_introspection") else {
        return Vec::new();
    };
    let mut options = JsonObject::from_map(options, "`graphql_schema_introspection`");
    let roles: Vec<&str> = options
        .list("disabled_for_roles")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    options.finish(report);
    let (admin, silent): (Vec<_>, Vec<_>) = roles.into_iter().partition(|role| *role == "admin");
    for _ in admin {
        report.refused(
            "introspection of role admin",
            "the admin secret gives access to everything",
        );
    }
    for role in &silent {
        report.carried(format!("role {role}, introspection switched off"));
    }
    silent
}

/// Reports features that Postern does not have as refused, each by its name.
fn refuse(node: &mut JsonObject<'_>, report: &mut Report) {
    for schema in node.list("remote_schemas") {
        let name = schema["name"].as_str().unwrap_or("?");
        report.refused(
            format!("remote schema {name}"),
            "Postern serves a database, not other GraphQL servers",
        );
    }
    let others = [
        (
            "network",
            "certificates of webhooks are verified with those of the system",
        ),
        ("metrics_config", "metrics are at /metrics"),
        (
            "opentelemetry",
            "tracing is set up by settings, not by metadata",
        ),
        ("backend_configs", "Postern serves Postgres alone"),
    ];
    for (key, why) in others {
        if node.get(key).is_some_and(says_something) {
            report.refused(format!("`{key}`"), why);
        }
    }
}
