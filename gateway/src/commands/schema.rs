//! `postern schema`: what a role is shown, as SDL.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, Command};

use super::{Failure, configured, connect, explain, print, slowly};
use crate::app::read_permissions;
use crate::config;
use crate::engine::Engine;
use crate::error::Error;
use crate::plan_cache::PlanCache;
use crate::session::{Caller, Session};

pub(super) fn command() -> Command {
    Command::new("schema")
        .about("Print the GraphQL schema of a role")
        .arg(explain::role())
        .args(config::args(&["config", "database-url", "permissions"]))
        .after_help(
            "Example:\n  postern schema --database-url postgres://localhost/shop --permissions permissions.toml --role user",
        )
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let config = configured(&matches)?;
    let role = matches.get_one::<String>("role").cloned().unwrap_or_default();
    let session = Session::new(role, Arc::default(), Caller::Trusted);
    let file = config.permissions.as_deref().map(read_permissions).transpose()?;
    let database = connect(&config).await?;
    let plans = PlanCache::new(0, config.limits.document.clone(), false);
    let engine = slowly("loading", Engine::load(&database, file.as_ref(), plans)).await?;
    let shown = sql::introspection::build(&engine.access(&session)).map_err(Error::from)?;
    print(&shown.sdl())?;
    Ok(ExitCode::SUCCESS)
}
