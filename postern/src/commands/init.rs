//! `postern init`: writes a first permission file from the database's catalog.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use super::{Failure, configured, connect, print, print_error, slowly};
use gateway::config::{self, SETTINGS};
use gateway::execute::engine;

pub(super) fn command() -> Command {
    Command::new("init")
        .about("Write a first permission file, with the tables and relations of the database and no grants")
        .arg(Arg::new("out").long("out").value_name("FILE").help("Write to this file, which must not exist yet"))
        .args(config::args(&[&SETTINGS.config, &SETTINGS.database_url]))
        .after_help("Example:\n  postern init --database-url postgres://localhost/shop > permissions.toml")
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let database = connect(&configured(&matches)?).await?;
    let catalog = slowly("reading the catalog", engine::catalog(&database)).await?;
    let text = permissions::init(&catalog);
    match matches.get_one::<String>("out").map(PathBuf::from) {
        None => print(&text)?,
        Some(path) => {
            let unwritable = |cause| Failure::Unwritable { path: path.clone(), cause };
            let mut file = std::fs::File::create_new(&path).map_err(unwritable)?;
            file.write_all(text.as_bytes()).map_err(unwritable)?;
            print_error(&format!("wrote {}: {} tables", path.display(), catalog.tables.len()));
        }
    }
    Ok(ExitCode::SUCCESS)
}
