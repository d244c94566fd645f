//! Reads and compiles single parts of a version, for a start, a reload, a check and other commands.

use std::path::Path;
use std::sync::Arc;

use permissions::SourceFile;
use pg::memory::MemoryBudget;
use pg::{ConnectionLimits, Database, GroupSettings, NoObserver, QueueSettings};

use super::start_error::StartError;
use crate::actions::{self, Handlers, NativeHandlers};
use crate::config::text_file::read_file;
use crate::config::{self, Config};
use crate::limits::LimitsByRole;
use crate::rest;

/// The database settings of a configuration. A server sets [`pg::Settings::observer`] beside them.
pub fn database_settings(
    config: &Config,
    memory: MemoryBudget,
) -> Result<pg::Settings, StartError> {
    let url = config
        .database_url
        .as_ref()
        .map(|url| url.reveal().to_owned());
    // libpq's environment variables supply what a connection string leaves out, so they may supply
    // everything.
    let url = url
        .or_else(|| pg::is_in_environment().then(String::new))
        .ok_or(StartError::NoDatabase)?;
    Ok(pg::Settings {
        url,
        pooler: config.pooler,
        only_host: None,
        direct_url: config
            .direct_url
            .as_ref()
            .map(|url| url.reveal().to_owned()),
        application_name: config.resource().application_name(),
        pool_size: config.pool_size,
        statements: config.statement_cache,
        connections: ConnectionLimits {
            idle: config.pool_idle_timeout.0,
            age: config.pool_max_age.0,
        },
        time_limit: config.time_limit,
        queue: QueueSettings {
            client_limit: config.connections_per_client().max(1),
            length: config.queue_limit,
            time: config.queue_timeout,
        },
        read_groups: GroupSettings {
            connections: config.group_connections(config.read_group_connections),
        },
        memory,
        observer: Arc::new(NoObserver),
    })
}

/// Reads a permission file.
pub fn read_permissions(path: &Path) -> Result<SourceFile, StartError> {
    let unreadable = |cause| StartError::Unreadable {
        path: path.into(),
        cause,
    };
    let text = read_file(path).map_err(unreadable)?;
    Ok(SourceFile::new(path.to_string_lossy().into_owned(), text)
        .with_variables(config::environment))
}

/// Compiles a REST map for the roles of these permissions and their limits; without a source the
/// map is empty.
pub async fn compile_rest_map(
    source: Option<&rest::Source>,
    permissions: &permissions::Permissions,
    database: &Database,
    limits: &LimitsByRole,
    config: &Config,
) -> Result<rest::Map, StartError> {
    let compiled = compile_fitting_rest_map(source, permissions, database, limits, config).await?;
    match (source, compiled) {
        (Some(source), (_, problems)) if !problems.is_empty() => Err(StartError::RestMap {
            problems,
            file: source.file.clone(),
        }),
        (_, (map, _)) => Ok(map),
    }
}

/// [`compile_rest_map`] without the endpoints that have faults. Returns the faults, too.
pub(super) async fn compile_fitting_rest_map(
    source: Option<&rest::Source>,
    permissions: &permissions::Permissions,
    database: &Database,
    limits: &LimitsByRole,
    config: &Config,
) -> Result<(rest::Map, Vec<rest::Problem>), StartError> {
    let Some(source) = source else {
        return Ok((rest::Map::default(), vec![]));
    };
    let document_limits = &config.limits().document;
    let compiled = rest::compile(
        source,
        permissions,
        database,
        limits,
        document_limits,
        config.translation(),
    )
    .await;
    compiled.map_err(|error| StartError::Load(error.into()))
}

/// Compiles the actions and grants them to their roles; without a source there are none. Returns
/// the handlers of those without faults, and the faults.
pub async fn compile_actions(
    source: Option<&actions::Source>,
    permissions: &permissions::Permissions,
    database: &Database,
    native: &NativeHandlers,
    config: &Config,
) -> Result<(Handlers, Vec<actions::Problem>), StartError> {
    let Some(source) = source else {
        return Ok((Handlers::default(), vec![]));
    };
    let prefix = config.header_prefix().to_lowercase();
    let log_settings = actions::log_settings(config)?;
    let compiled = actions::compile(source, permissions, database, native, &prefix).await;
    let (handlers, problems) = compiled.map_err(|error| StartError::Load(error.into()))?;
    Ok((handlers.with_log(log_settings), problems))
}

/// Reads a REST map.
pub fn read_rest_map(path: &Path) -> Result<rest::Source, StartError> {
    rest::Source::read(path).map_err(|cause| StartError::Unreadable {
        path: path.into(),
        cause,
    })
}
