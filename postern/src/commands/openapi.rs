//! `postern openapi`: prints the OpenAPI description of the REST endpoints that a role may call.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use super::{
    Failure, access, configured, connect, explain, grant_actions, permission_defaults, print,
    slowly,
};
use gateway::auth::{AuthPolicy, KeySets, PolicyError};
use gateway::config::{self, Config, SETTINGS};
use gateway::execute::SchemaWork;
use gateway::execute::plan_cache::PlanCache;
use gateway::execute::prepared_rules::PreparedRules;
use gateway::execute::schema_version::SchemaVersion;
use gateway::limits::LimitsConfig;
use gateway::rest::openapi;
use gateway::rest::openapi::{ApiInfo, Security};
use gateway::server::{StartError, compile_rest_map, read_permissions, read_rest_map};
use gateway::telemetry::metrics::Metrics;

pub(super) fn command() -> Command {
    Command::new("openapi")
        .about("Print the OpenAPI description of the REST map's endpoints that a role may use")
        .arg(explain::role().required(false).default_value("admin"))
        .arg(
            Arg::new("server")
                .long("server")
                .value_name("URL")
                .default_value("/")
                .help("URL of the gateway"),
        )
        .args(config::args(&[
            &SETTINGS.config,
            &SETTINGS.database_url,
            &SETTINGS.permissions,
            &SETTINGS.rest_map,
            &SETTINGS.profile,
            &SETTINGS.header_prefix,
            &SETTINGS.require_role_header,
            &SETTINGS.unauthorized_role,
            &SETTINGS.admin_secret,
            &SETTINGS.jwt_secret,
            &SETTINGS.auth_hook,
            &SETTINGS.insecure,
            &SETTINGS.stringify_numbers,
        ]))
        .after_help(
            "Example:\n  postern openapi --database-url postgres://localhost/shop \
                     --permissions permissions.toml \\\n    \
                     --rest-map rest-map.toml --role user",
        )
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let config = configured(&matches)?;
    let text = |name: &str| matches.get_one::<String>(name).cloned().unwrap_or_default();
    let file = config
        .permissions
        .as_deref()
        .map(read_permissions)
        .transpose()?;
    let source = config.rest_map.as_deref().map(read_rest_map).transpose()?;
    let database = connect(&config).await?;
    let plans = PlanCache::new(0, config.translation());
    let prepared = PreparedRules::default();
    let schema = SchemaVersion::load(
        &database,
        file.as_ref(),
        plans,
        permission_defaults(&config),
        &prepared,
    );
    let schema = slowly("loading", schema).await?;
    grant_actions(&config, &schema, &database).await?;
    let table = LimitsConfig::read(&config).map_err(StartError::from)?;
    let limits = schema
        .bounds(&config, &table, &Metrics::default())
        .map_err(StartError::from)?;
    let map = compile_rest_map(
        source.as_ref(),
        &schema.permissions,
        &database,
        &limits,
        &config,
    )
    .await?;
    let about = ApiInfo {
        server: text("server"),
        security: security(&config)?,
        options: config.translation(),
        profile: config.profile,
    };
    let access = access(&schema, &text("role"))?;
    let described = openapi::describe(&map, &access, &about, &mut SchemaWork::unlimited()).await?;
    print(&format!("{described:#}"))?;
    Ok(ExitCode::SUCCESS)
}

/// The ways to authenticate that the settings enable. Often only the server has the secrets, so
/// without any the usual ways are described.
fn security(config: &Config) -> Result<Security, StartError> {
    match AuthPolicy::new(config, &KeySets::default()) {
        Ok(policy) => Ok(Security::from_policy(&policy)),
        Err(PolicyError::Open) => Ok(Security::usual(&AuthPolicy {
            header_prefix: config.header_prefix().to_ascii_lowercase(),
            unauthorized_role: config.unauthorized_role.clone(),
            require_role_header: config.require_role_header,
            ..AuthPolicy::default()
        })),
        Err(error) => Err(error.into()),
    }
}
