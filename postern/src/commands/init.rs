//! `postern init`: writes a first permission file from the database's catalog.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{Failure, configured, connect, print, print_error, slowly};
use gateway::config::{self, SETTINGS};
use gateway::execute::engine;

pub(super) fn command() -> Command {
    Command::new("init")
        .about("Write a first permission file, with the tables and relations of the database and no grants")
        .arg(Arg::new("out").long("out").value_name("FILE").help("Write to this file, which must not exist yet"))
        .arg(
            Arg::new("schema")
                .long("schema")
                .value_name("SCHEMA")
                .action(ArgAction::Append)
                .help("List the tables of this schema only; may be repeated"),
        )
        .args(config::args(&[&SETTINGS.config, &SETTINGS.database_url]))
        .after_help("Example:\n  postern init --database-url postgres://localhost/shop > permissions.toml")
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let database = connect(&configured(&matches)?).await?;
    let catalog = slowly("reading the catalog", engine::catalog(&database)).await?;
    let schemas: Vec<String> = matches.get_many::<String>("schema").into_iter().flatten().cloned().collect();
    let has_tables = |schema: &&String| catalog.tables.iter().any(|table| table.schema == **schema);
    if let Some(unknown) = schemas.iter().find(|schema| !has_tables(schema)) {
        return Err(Failure::NoSchema(unknown.clone()));
    }
    let text = permissions::init(&catalog, &schemas);
    let path = matches.get_one::<String>("out").map(PathBuf::from);
    match &path {
        None => print(&text)?,
        Some(path) => {
            let unwritable = |cause| Failure::Unwritable { path: path.clone(), cause };
            let mut file = std::fs::File::create_new(path).map_err(unwritable)?;
            file.write_all(text.as_bytes()).map_err(unwritable)?;
            print_error(&format!("wrote {}: {} tables", path.display(), text.matches("\n[table.").count()));
        }
    }
    let path = path.map_or_else(|| "permissions.toml".to_owned(), |path| path.display().to_string());
    print_error(&format!(
        "next: grant something (remove the `#` before a `[table.….role.user]` and its `select`), then\n  \
         postern serve --permissions {path} --admin-secret \"…\" --jwt-secret '{{\"type\":\"HS256\",\"key\":\"…\"}}'"
    ));
    Ok(ExitCode::SUCCESS)
}
