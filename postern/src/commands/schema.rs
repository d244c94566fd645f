//! `postern schema`: prints a role's GraphQL schema as SDL, or with `--names` the GraphQL names of
//! tables, columns and types.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::json;
use sql::introspection::reference::Reference;

use super::{
    Failure, access, configured, connect, explain, grant_actions, permission_defaults, print,
    slowly,
};
use gateway::config::{self, SETTINGS};
use gateway::execute::plan_cache::PlanCache;
use gateway::execute::prepared_rules::PreparedRules;
use gateway::execute::schema_version::SchemaVersion;
use gateway::server::read_permissions;

pub(super) fn command() -> Command {
    Command::new("schema")
        .about("Print the GraphQL schema of a role, or a list of the names in it")
        .arg(explain::role().required(false).default_value("admin"))
        .arg(flag(
            "names",
            "Print the names of tables, columns, relations, root fields and types instead",
        ))
        .arg(flag("json", "Print the names as JSON").requires("names"))
        .args(config::args(&[
            &SETTINGS.config,
            &SETTINGS.database_url,
            &SETTINGS.permissions,
            &SETTINGS.profile,
        ]))
        .after_help(
            "Example:\n  postern schema --database-url postgres://localhost/shop \
                     --permissions permissions.toml --role user\n  \
                     postern schema --database-url postgres://localhost/shop --permissions \
                     permissions.toml --names",
        )
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let config = configured(&matches)?;
    let role = matches
        .get_one::<String>("role")
        .cloned()
        .unwrap_or_default();
    let file = config
        .permissions
        .as_deref()
        .map(read_permissions)
        .transpose()?;
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
    let access = access(&schema, &role)?;
    print(
        &match (matches.get_flag("names"), matches.get_flag("json")) {
            (false, _) => sql::introspection::sdl(&access),
            (true, false) => Reference::new(&access).page(),
            (true, true) => json!(Reference::new(&access)).to_string(),
        },
    )?;
    Ok(ExitCode::SUCCESS)
}
