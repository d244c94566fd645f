//! `postern import`: converts another server's files to Postern's. Hasura's metadata is supported.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use ::import::{FunctionPermissions, Imported, Location, Options, Source};
use clap::{Arg, ArgAction, ArgMatches, Command};
use sql::postgres::catalog::Catalog;

use super::verify::verify;
use super::{Failure, configured, connect, print, print_error, read, slowly};
use gateway::config::{self, SETTINGS, Secret};
use gateway::execute::schema_version;

const EXAMPLES: &str = "\
Examples:
  postern import hasura --metadata metadata.json --out postern --database-url postgres://localhost/shop
  postern import hasura --metadata hasura/metadata --out postern --catalog catalog.json --json
  postern import hasura --metadata metadata.json --out postern --force --verify requests.jsonl --against http://hasura:8080";

/// The exit code for wrong usage.
const USAGE_EXIT_CODE: u8 = 2;

pub(super) fn command() -> Command {
    Command::new("import")
        .about("Import Hasura's metadata: permissions, REST endpoints, documents, settings")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(hasura())
        .after_help("Example:\n  postern import hasura --metadata metadata.json --out postern")
}

fn hasura() -> Command {
    let metadata = Arg::new("metadata")
        .long("metadata")
        .value_name("FILE|DIR")
        .required(true);
    let out = Arg::new("out").long("out").value_name("DIR").required(true);
    let catalog = Arg::new("catalog").long("catalog").value_name("FILE");
    let source = Arg::new("source").long("source").value_name("NAME");
    let explicit = Arg::new("explicit")
        .long("explicit-function-permissions")
        .action(ArgAction::SetTrue);
    Command::new("hasura")
        .about(
            "Write permissions.toml, rest-map.toml, queries/, gateway.toml and more from \
                exported metadata",
        )
        .long_about(
            "Write permissions.toml, rest-map.toml, queries/, gateway.toml and more from \
                     exported metadata, or from the \
                     folder of Hasura's CLI. Types of columns and foreign keys come from the \
                     database, or from a saved catalog. \
                     A report lists what was converted, approximated or refused; the exit code \
                     is 1 if something was refused.",
        )
        .arg(metadata.help("Exported metadata as JSON, or the folder of Hasura's CLI"))
        .arg(out.help("Directory to write to; it is created if it does not exist"))
        .arg(catalog.help("Output of `postern catalog`, in place of a database"))
        .arg(source.help("Source to import; default: the first one on Postgres"))
        .arg(explicit.help(
            "Grant functions only to the roles that the metadata names (Hasura \
                            without function permission inference)",
        ))
        .arg(
            Arg::new("verify")
                .long("verify")
                .value_name("REQUESTS")
                .requires("against")
                .help(
                    "After the import, send the recorded requests of this file (one JSON \
                       object per line) to Hasura and to the imported files, and show the \
                       differences",
                ),
        )
        .arg(
            Arg::new("against")
                .long("against")
                .value_name("URL")
                .requires("verify")
                .help("Hasura to verify against, http://host:8080"),
        )
        .arg(
            Arg::new("mutations")
                .long("mutations")
                .action(ArgAction::SetTrue)
                .requires("verify")
                .help("Send recorded mutations, too: both servers write to their databases"),
        )
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Overwrite existing files"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print the report as one JSON document"),
        )
        .args(config::args(&[
            &SETTINGS.config,
            &SETTINGS.database_url,
            &SETTINGS.admin_secret,
            &SETTINGS.jwt_secret,
        ]))
        .after_help(EXAMPLES)
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let Some(("hasura", matches)) = matches.subcommand() else {
        return Ok(ExitCode::from(USAGE_EXIT_CODE));
    };
    let path = |name: &str| matches.get_one::<String>(name).map(PathBuf::from);
    let (Some(metadata), Some(out)) = (path("metadata"), path("out")) else {
        return Ok(ExitCode::from(USAGE_EXIT_CODE));
    };
    let source = source(&metadata)?;
    let options = options(matches);
    let fault = |cause| Failure::Metadata {
        path: metadata.clone(),
        cause,
    };
    let named = ::import::location(&source, &options).map_err(fault)?;
    let Some(catalog) = catalog(matches, named).await? else {
        print_error(
            "error: types and foreign keys come from the database: set `--database-url`, \
                     or `--catalog` with what \
                     `postern catalog` wrote",
        );
        return Ok(ExitCode::from(USAGE_EXIT_CODE));
    };
    let imported = ::import::import(&source, &Arc::new(catalog), &options).map_err(fault)?;
    write(&imported, &out, matches.get_flag("force"))?;
    print(&if matches.get_flag("json") {
        imported.report.json()
    } else {
        imported.report.text()
    })?;
    print_error(&format!(
        "wrote {} files to {}; `postern check` holds them against the database",
        imported.files.len(),
        out.display()
    ));
    let text = |name: &str| matches.get_one::<String>(name);
    let is_verified = match (text("verify"), text("against")) {
        (Some(requests), Some(against)) => verify(matches, requests, against, &out).await?,
        _ => true,
    };
    Ok(if is_verified && imported.report.is_complete() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn options(matches: &ArgMatches) -> Options {
    let function_permissions = if matches.get_flag("explicit") {
        FunctionPermissions::Explicit
    } else {
        FunctionPermissions::Inferred
    };
    Options {
        source: matches.get_one::<String>("source").cloned(),
        function_permissions,
    }
}

/// The saved catalog, or that of a database: the configured one, otherwise the one that the
/// metadata names.
async fn catalog(
    matches: &ArgMatches,
    named: Option<Location>,
) -> Result<Option<Catalog>, Failure> {
    if let Some(path) = matches.get_one::<String>("catalog") {
        let broken = |cause| Failure::SavedCatalog {
            path: path.into(),
            cause,
        };
        return Catalog::decode(&read(path)?).map(Some).map_err(broken);
    }
    let mut config = configured(matches)?;
    if config.database_url.is_none() {
        let url = match named {
            Some(Location::Url(url)) => Some(url),
            Some(Location::Variable(name)) => std::env::var(name).ok(),
            None => None,
        };
        let Some(url) = url else { return Ok(None) };
        print_error("no database is set; types are read from the one that the metadata names");
        config.database_url = Some(Secret::new(url));
    }
    let database = connect(&config).await?;
    Ok(Some(
        slowly("reading the catalog", schema_version::catalog(&database)).await?,
    ))
}

fn source(path: &Path) -> Result<Source, Failure> {
    if !path.is_dir() {
        return Ok(Source::Document(read(&path.to_string_lossy())?));
    }
    let mut files = BTreeMap::new();
    collect(path, "", &mut files)?;
    Ok(Source::Folder(files))
}

/// The YAML and GraphQL files of a folder and its subfolders, by path.
fn collect(
    folder: &Path,
    prefix: &str,
    files: &mut BTreeMap<String, String>,
) -> Result<(), Failure> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |cause| Failure::Unreadable { path, cause }
    };
    for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
        let path = entry.map_err(unreadable(folder))?.path();
        let Some(name) = path
            .file_name()
            .and_then(|name| name.to_str())
            .filter(|name| !name.starts_with('.'))
        else {
            continue;
        };
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else if [".yaml", ".yml", ".graphql"]
            .iter()
            .any(|ending| name.ends_with(ending))
        {
            files.insert(name, fs::read_to_string(&path).map_err(unreadable(&path))?);
        }
    }
    Ok(())
}

/// Writes all files; writes none if one of them exists already, unless `force` is set.
fn write(imported: &Imported, out: &Path, force: bool) -> Result<(), Failure> {
    let existing = imported
        .files
        .iter()
        .map(|(name, _)| out.join(name))
        .find(|path| path.exists());
    if let Some(path) = existing.filter(|_| !force) {
        return Err(Failure::Exists(path));
    }
    for (name, text) in &imported.files {
        let path = out.join(name);
        let unwritable = |cause| Failure::Unwritable {
            path: path.clone(),
            cause,
        };
        fs::create_dir_all(path.parent().unwrap_or(out)).map_err(unwritable)?;
        fs::write(&path, text).map_err(unwritable)?;
    }
    Ok(())
}
