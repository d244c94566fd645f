//! `postern catalog`: saves the database's catalog as JSON, for commands that run without the
//! database.

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::{Failure, configured, connect, print, slowly};
use gateway::config::{self, SETTINGS};
use gateway::execute::schema_version;
use gateway::server::read_permissions;

pub(super) fn command() -> Command {
    Command::new("catalog")
        .about("Print the database's catalog as JSON, for `postern translate`")
        .args(config::args(&[
            &SETTINGS.config,
            &SETTINGS.database_url,
            &SETTINGS.permissions,
        ]))
        .after_help(
            "With --permissions, the values of the file's enum tables are included.\n\n\
             Example:\n  postern catalog --database-url postgres://localhost/shop > catalog.json",
        )
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let config = configured(&matches)?;
    let file = config
        .permissions
        .as_deref()
        .map(read_permissions)
        .transpose()?;
    let database = connect(&config).await?;
    let (catalog, _) = slowly(
        "reading the catalog",
        schema_version::read_catalog(&database, file.as_ref()),
    )
    .await?;
    print(&catalog.encode().map_err(schema_version::LoadError::from)?)?;
    Ok(ExitCode::SUCCESS)
}
