//! `postern catalog`: the database's description, for work without it.

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::{Failure, configured, connect, print, slowly};
use crate::config;
use crate::engine;

pub(super) fn command() -> Command {
    Command::new("catalog")
        .about("Write what Postgres says of its tables, as JSON, for `postern translate`")
        .args(config::args(&["config", "database-url"]))
        .after_help("Example:\n  postern catalog --database-url postgres://localhost/shop > catalog.json")
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let database = connect(&configured(&matches)?).await?;
    let catalog = slowly("reading the catalog", engine::catalog(&database)).await?;
    print(&catalog.encode().map_err(engine::LoadError::from)?)?;
    Ok(ExitCode::SUCCESS)
}
