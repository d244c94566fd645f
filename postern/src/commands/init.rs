//! `postern init`: writes a first permission file from the database's catalog.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use permissions::{
    DatabaseRights, Defaults, FileCounts, POLICIES_QUERY, ParsedFile, PolicyDraft, SourceFile,
};
use pg::Database;
use sql::postgres::catalog::Catalog;
use tokio::time::Instant;

use super::{Failure, configured, connect, print, print_error, slowly};
use gateway::config::{self, SETTINGS};
use gateway::execute::prepared_rules::PreparedRules;
use gateway::execute::schema_version;
use gateway::execute::schema_version::LoadError;

pub(super) fn command() -> Command {
    Command::new("init")
        .about(
            "Write a first permission file, with the tables and relations of the database and \
                no grants",
        )
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("FILE")
                .help("Write to this file, which must not exist yet"),
        )
        .arg(
            Arg::new("schema")
                .long("schema")
                .value_name("SCHEMA")
                .action(ArgAction::Append)
                .help("List the tables of this schema only; may be repeated"),
        )
        .arg(
            Arg::new("from")
                .long("from")
                .value_name("SOURCE")
                .value_parser(["rls"])
                .help(
                    "Write the roles, settings and privileges of the database, and leave rows \
                       to its policies (rls); comments list what a person has to decide",
                ),
        )
        .args(config::args(&[&SETTINGS.config, &SETTINGS.database_url]))
        .after_help(
            "Examples:\n  postern init --database-url postgres://localhost/shop > \
                     permissions.toml\n  \
                     postern init --from rls --database-url postgres://localhost/shop --out \
                     permissions.toml",
        )
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let path = matches.get_one::<String>("out").map(PathBuf::from);
    if let Some(path) = path.as_ref().filter(|path| path.exists()) {
        return Err(Failure::InitExists(path.clone()));
    }
    let database = connect(&configured(&matches)?).await?;
    let catalog = slowly("reading the catalog", schema_version::catalog(&database)).await?;
    let schemas: Vec<String> = matches
        .get_many::<String>("schema")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let has_tables = |schema: &&String| catalog.tables.iter().any(|table| table.schema == **schema);
    if let Some(unknown) = schemas.iter().find(|schema| !has_tables(schema)) {
        return Err(Failure::NoSchema(unknown.clone()));
    }
    let text = match matches.get_one::<String>("from") {
        None => permissions::init(&catalog, &schemas),
        Some(_) => {
            slowly(
                "reading the policies",
                from_policies(&database, catalog, &schemas),
            )
            .await?
        }
    };
    match &path {
        None => print(&text)?,
        Some(path) => {
            let unwritable = |cause| Failure::Unwritable {
                path: path.clone(),
                cause,
            };
            let mut file = std::fs::File::create_new(path).map_err(unwritable)?;
            file.write_all(text.as_bytes()).map_err(unwritable)?;
            print_error(&format!("wrote {}: {}", path.display(), contents(&text)));
        }
    }
    let path = path.map_or_else(
        || "permissions.toml".to_owned(),
        |path| path.display().to_string(),
    );
    let is_from_policies = matches.get_one::<String>("from").is_some();
    if !is_from_policies {
        note_policies(&database).await?;
    }
    let has_grants = file_counts(&text).grants > 0;
    let next = match (is_from_policies, has_grants) {
        (false, _) => {
            "grant something (remove the `#` before a `[table.….role.user]` and its `select`)"
        }
        (true, true) => "read the comments, which name what a person has to decide",
        (true, false) => "grant something to a role of the database, and write this file again",
    };
    print_error(&format!(
        "next: {next}, then\n  \
                          postern serve --permissions {path} --admin-secret \"…\" --jwt-secret \
                          '{{\"type\":\"HS256\",\"key\":\"…\"}}'"
    ));
    Ok(ExitCode::SUCCESS)
}

fn file_counts(text: &str) -> FileCounts {
    ParsedFile::read(SourceFile::new("permissions.toml", text)).counts()
}

/// What a file has, in words.
fn contents(text: &str) -> String {
    let FileCounts {
        tables,
        roles,
        grants,
    } = file_counts(text);
    let counted = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let tables = counted(tables, "table");
    match grants {
        0 => format!("{tables}, nothing granted yet"),
        _ => format!(
            "{tables}, {}, {}",
            counted(roles, "role"),
            counted(grants, "grant")
        ),
    }
}

/// Says that `--from rls` reads policies, if there are any.
async fn note_policies(database: &Database) -> Result<(), Failure> {
    const QUERY: &str = "SELECT CASE WHEN count(*) = 0 THEN '' ELSE format('%s policies of %s \
                         tables', count(*), count(DISTINCT p.polrelid)) END \
                         FROM pg_catalog.pg_policy p";
    let found = database
        .query_text(QUERY, Instant::now() + STATEMENT_TIMEOUT)
        .await?;
    if !found.is_empty() {
        print_error(&format!(
            "note: the database has {found}; `postern init --from rls` writes a file that leaves \
             rows to them"
        ));
    }
    Ok(())
}

/// The file with the grants of the database, checked as `postern check` does. Grants that have
/// faults become comments. That the database user is not a member of a role yet is no fault of the
/// file: the file has the statement, and it is printed.
async fn from_policies(
    database: &Database,
    catalog: Catalog,
    schemas: &[String],
) -> Result<String, Failure> {
    let query = async |text: &str| {
        database
            .query_text(text, Instant::now() + STATEMENT_TIMEOUT)
            .await
            .map_err(LoadError::from)
    };
    let unreadable = |error: serde_json::Error| Failure::Policies(error.to_string());
    let mut rights = DatabaseRights::parse(&query(POLICIES_QUERY).await?).map_err(unreadable)?;
    rights
        .leave_alone(&query(&rights.defaults_query()).await?)
        .map_err(unreadable)?;
    let mut draft = PolicyDraft::new(&catalog, schemas, rights);
    let catalog = Arc::new(catalog);
    let prepared = PreparedRules::default();
    loop {
        let text = draft.text();
        let file = ParsedFile::read(SourceFile::new("permissions.toml", text.as_str()));
        match schema_version::compile_checked(
            database,
            Some(file),
            catalog.clone(),
            Defaults::default(),
            &prepared,
        )
        .await
        {
            Ok(_) => return Ok(text),
            Err(LoadError::Permissions { problems, .. }) if draft.reject(&problems) => {}
            Err(LoadError::Permissions { problems, file }) => {
                let missing: Vec<&str> = problems
                    .iter()
                    .filter_map(PolicyDraft::missing_membership)
                    .collect();
                if missing.len() < problems.len() {
                    return Err(LoadError::Permissions { problems, file }.into());
                }
                print_error(&format!(
                    "note: before this file can be served, the database needs\n  {}",
                    missing.join("\n  ")
                ));
                return Ok(text);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The time limit of the statement that reads the policies.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(60);
