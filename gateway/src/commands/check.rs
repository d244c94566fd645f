//! `postern check`: settings and permission file against the database, every problem at once.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};
use permissions::{Permissions, Problem, SourceFile};
use serde_json::{Value, json};

use super::{Failure, coloured, configured, connect, print, slowly, tell};
use crate::app::{StartError, read_permissions};
use crate::auth::Policy;
use crate::config::{SETTINGS, Setting};
use crate::database::Database;
use crate::engine::{self, LoadError};
use crate::limits::Table;
use crate::profile::Profile;

pub(super) fn command() -> Command {
    Command::new("check")
        .about("Check settings and permission file against the database; exit 1 when there are problems")
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("One JSON object instead of drawings"))
        .args(SETTINGS.iter().map(Setting::arg))
        .after_help("Example:\n  postern check --database-url postgres://localhost/shop --permissions permissions.toml")
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let config = configured(&matches)?;
    // Secrets need not be there to check a file, but what is there has to be sound.
    if config.jwt_secret.is_some() {
        Policy::new(&config).map_err(StartError::from)?;
    }
    let bounds = Table::read(&config).map_err(StartError::from)?;
    let file = config.permissions.as_deref().map(read_permissions).transpose()?;
    let database = connect(&config).await?;
    let found = slowly("checking", find(&database, file.as_ref(), config.profile)).await?;
    if let Ok(permissions) = &found {
        bounds.check(&config, |role| permissions.role(role).is_some()).map_err(StartError::from)?;
    }
    let json = matches.get_flag("json");
    match (&found, &file) {
        (Ok(permissions), _) => {
            let (roles, rules) = (permissions.roles().count(), permissions.rules.len());
            let tables = permissions.model.tables().count();
            let notes: Vec<Value> = permissions.notes.iter().map(problem).collect();
            let found = json!({"ok": true, "tables": tables, "roles": roles, "problems": [], "notes": notes});
            match json {
                true => print(&found.to_string())?,
                false => {
                    let notes = permissions.notes.iter().map(|note| note.draw(coloured()));
                    let told = format!("no problems: {tables} tables, {roles} roles, {rules} rules");
                    tell(&notes.chain([told]).collect::<Vec<_>>().join("\n\n"));
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        (Err(problems), file) => {
            match (json, file) {
                (false, Some(file)) => tell(&permissions::draw(problems, file, coloured())),
                _ => {
                    let problems: Vec<Value> = problems.iter().map(problem).collect();
                    print(&json!({"ok": false, "problems": problems}).to_string())?;
                }
            }
            Ok(ExitCode::FAILURE)
        }
    }
}

async fn find(
    database: &Database,
    file: Option<&SourceFile>,
    profile: Profile,
) -> Result<Result<Permissions, Vec<Problem>>, Failure> {
    let catalog = Arc::new(engine::catalog_for(database, file).await?);
    match engine::checked(database, file, catalog, profile.defaults()).await {
        Ok(permissions) => Ok(Ok(permissions)),
        Err(LoadError::Permissions { problems, .. }) => Ok(Err(problems)),
        Err(error) => Err(error.into()),
    }
}

fn problem(problem: &Problem) -> Value {
    let place = problem.place();
    json!({
        "file": &*place.file().name, "line": place.line(), "column": place.column(),
        "code": problem.code(), "message": problem.message(), "help": problem.suggestion(),
    })
}
