//! `postern check`: checks settings, permission file, actions, REST map, event triggers and webhooks against the
//! database, and reports all problems together.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use permissions::{Defaults, Diagnostic, DiagnosticKind, Permissions, SourceFile};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Failure, coloured, connect, print, print_error, slowly};
use gateway::actions::{self, NativeHandlers};
use gateway::auth::{AuthPolicy, KeySets, PolicyError};
use gateway::config::{self, Config, ConfigError, SETTINGS, Setting, Settings, SettingsReport};
use gateway::database::Database;
use gateway::execute::engine;
use gateway::execute::engine::LoadError;
use gateway::execute::prepared_rules::PreparedRules;
use gateway::limits::LimitsByRole;
use gateway::plugins::plugin::Plugin;
use gateway::plugins::token_exchange::TokenExchange;
use gateway::plugins::widgets::Widgets;
use gateway::plugins::{self, events, token_exchange, webhooks, widgets};
use gateway::rest::{self, CompileError};
use gateway::server::file_watch::FileWatch;
use gateway::server::settings_tables::SettingsTables;
use gateway::server::{StartError, compile_actions, read_permissions, read_rest_map};
use gateway::subscriptions::refused_updates::{RefusedUpdates, refused_updates};
use gateway::subscriptions::source;
use gateway::telemetry::metrics::Metrics;
use gateway::tls::server::ServerCertificate;
use gateway::trusted_documents;

pub(super) fn command() -> Command {
    Command::new("check")
        .about("Check settings, permission file, REST map and event triggers against the database; exits with 1 if there are problems")
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print one JSON object"))
        .args(SETTINGS.iter().map(Setting::arg))
        .after_help(
            "Example:\n  postern check --database-url postgres://localhost/shop --permissions permissions.toml \\\n    \
             --rest-map rest-map.toml",
        )
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let watches = Settings::of_command(&matches)?.config().watch;
    if !watches {
        return check(&matches).await;
    }
    loop {
        // The files are those of settings that can be read; while they cannot be read, it is the file alone that
        // changes.
        let watch = Settings::of_command(&matches).map(|settings| FileWatch::new(settings.config()));
        if let Err(failure) = check(&matches).await {
            print_error(&failure.to_string());
        }
        match watch {
            Ok(watch) => watch.changed().await,
            Err(_) => tokio::time::sleep(UNREADABLE_PAUSE).await,
        }
        print_error("── a file has changed");
    }
}

/// How long to wait before settings that cannot be read are read again.
const UNREADABLE_PAUSE: std::time::Duration = std::time::Duration::from_secs(2);

async fn check(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let mut settings = Settings::of_command(matches)?;
    plugins::all().iter().for_each(|plugin| settings.claim(plugin.sections()));
    let config = Config::new(&settings);
    let SettingsReport { faults, notes: settings_notes } = config::validate(&settings, &config);
    ConfigError::of(faults)?;
    // Secrets may be absent for a check, but those that are set must be valid.
    match AuthPolicy::new(&config, &KeySets::default()) {
        Err(PolicyError::Open) => {}
        policy => drop(policy.map_err(StartError::from)?),
    }
    let tables = SettingsTables::read(&config)?;
    let bounds = &tables.bounds;
    let identity =
        ServerCertificate::read(config.tls_cert.as_deref(), config.tls_key.as_deref()).map_err(StartError::from)?;
    identity
        .iter()
        .flat_map(|identity| &identity.warnings)
        .for_each(|warning| print_error(&format!("warning: {warning}")));
    let file = config.permissions.as_deref().map(read_permissions).transpose()?;
    let map = config.rest_map.as_deref().map(read_rest_map).transpose()?;
    let database = connect(&config).await?;
    if config.jwt_secret.is_some() {
        TokenExchange::default().prepare(&config, &database).await.map_err(StartError::from)?;
        Widgets::default().prepare(&config, &database).await.map_err(StartError::from)?;
    } else {
        token_exchange::check_form(&config).map_err(StartError::from)?;
        widgets::check_form(&config).map_err(StartError::from)?;
    }
    let deadline = Instant::now() + config.time_limit;
    source::choose(&database, config.subscription_source, deadline).await.map_err(StartError::from)?;
    let refused = refused_updates(&database, deadline).await.map_err(LoadError::from)?;
    let found = slowly("checking", find(&database, file.as_ref(), config.permission_defaults())).await?;
    if let Ok(permissions) = &found {
        tables.check_roles(&config, permissions, file.is_some())?;
    }
    let source = actions::Source::of_settings(&config).map_err(StartError::from)?;
    let declared = match (&source, &found) {
        (Some(source), Ok(permissions)) => {
            let native = NativeHandlers::default();
            match compile_actions(Some(source), permissions, &database, &native, &config).await? {
                (handlers, problems) if problems.is_empty() => Ok(handlers.declared().actions.len()),
                (_, problems) => Err(problems),
            }
        }
        _ => Ok(0),
    };
    let endpoints = match (&map, &found) {
        (Some(map), Ok(permissions)) => {
            let known = permissions.roles().map(|access| access.role());
            let bounds = LimitsByRole::new(&config.limits(), bounds, known, &Metrics::default());
            let (limits, options) = (&config.limits().document, config.translation());
            let compiled = rest::compile(map, permissions, &database, &bounds, limits, options);
            match slowly("checking the map", compiled).await {
                Ok(map) => Ok(map),
                Err(CompileError::Problems(problems)) => Err(problems),
                Err(CompileError::Database(fault)) => return Err(LoadError::from(fault).into()),
            }
        }
        // Without valid permissions there are no roles, so only the map's syntax is checked.
        (Some(map), Err(_)) => rest::check_form(map).map(|()| rest::Map::default()),
        (None, _) => Ok(rest::Map::default()),
    };
    let events = events::check(&config, &database).await.map_err(StartError::from)?;
    let of_webhooks = webhooks::check(&config, &database).await.map_err(StartError::from)?;
    let json = matches.get_flag("json");
    if events.problems.is_empty()
        && of_webhooks.is_empty()
        && refused.is_empty()
        && let (Ok(permissions), Ok(endpoints), Ok(actions)) = (&found, &endpoints, &declared)
    {
        let (roles, rules) = (permissions.roles().count(), permissions.rules.len());
        let tables = permissions.model.tables().count();
        let known = permissions.roles().map(|access| access.role());
        let bounds = LimitsByRole::new(&config.limits(), bounds, known, &Metrics::default());
        let mut plain = events.notes;
        plain.extend(trusted_documents::notes(&config, permissions).map_err(StartError::from)?);
        plain.extend(rest::notes(endpoints, &bounds));
        plain.extend(settings_notes);
        let notes = permissions.notes.iter().map(problem).chain(events.missing.iter().map(problem));
        let notes: Vec<Value> = notes.chain(plain.iter().map(|note| json!({"message": note}))).collect();
        let summary = json!({
            "ok": true, "tables": tables, "roles": roles, "endpoints": endpoints.len(), "actions": actions,
            "triggers": events.triggers, "problems": [], "notes": notes,
        });
        match json {
            true => print(&summary.to_string())?,
            false => {
                let notes = permissions.notes.iter().map(|note| note.render(coloured()));
                let missing = events.missing.iter().map(|missing| format!("note: {}", missing.message()));
                let notes = notes.chain(missing).chain(plain.iter().map(|note| format!("note: {note}")));
                let mut summary = format!("no problems: {tables} tables, {roles} roles, {rules} rules");
                if map.is_some() {
                    summary.push_str(&format!(", {} endpoints", endpoints.len()));
                }
                if source.is_some() {
                    summary.push_str(&format!(", {actions} actions"));
                }
                if events.triggers > 0 {
                    summary.push_str(&format!(", {} event triggers and schedules", events.triggers));
                }
                print_error(&notes.chain([summary]).collect::<Vec<_>>().join("\n\n"));
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let (of_file, of_map) = (found.err().unwrap_or_default(), endpoints.err().unwrap_or_default());
    let of_actions = declared.err().unwrap_or_default();
    match json {
        true => {
            let problems = of_file.iter().map(problem).chain(of_actions.iter().map(problem));
            let problems = problems.chain(of_map.iter().map(problem)).chain(events.problems.iter().map(problem));
            let problems = problems.chain(of_webhooks.iter().map(problem));
            let problems: Vec<Value> = problems
                .chain(refused.iter().map(
                    |refused| json!({"code": "refused-updates", "message": describe(refused), "help": refused.remedy}),
                ))
                .collect();
            print(&json!({"ok": false, "problems": problems}).to_string())?;
        }
        false => {
            let of_file = file.map(|file| permissions::render(&of_file, &file, coloured()));
            let of_map = map.map(|map| permissions::render(&of_map, &map.file, coloured()));
            let of_actions = source.map(|source| permissions::render(&of_actions, &source.definitions, coloured()));
            let of_events = [events::render(&events.problems, coloured())];
            let of_webhooks = of_webhooks.iter().map(|problem| problem.render(coloured()));
            let refused = refused.iter().map(|refused| format!("error: {}: {}", describe(refused), refused.remedy));
            let drawn = of_file.into_iter().chain(of_actions).chain(of_map).chain(of_events).chain(of_webhooks);
            let drawn = drawn.chain(refused);
            let drawn = drawn.filter(|drawn| !drawn.is_empty());
            print_error(&drawn.collect::<Vec<_>>().join("\n\n"));
        }
    }
    Ok(ExitCode::FAILURE)
}

/// What Postgres refuses, and how that ends.
fn describe(refused: &RefusedUpdates) -> String {
    format!(
        "Postgres refuses every update and delete of `{}`, because the publication `postern` contains the table and it has no \
         replica identity; this statement ends it",
        refused.table
    )
}

async fn find(
    database: &Database,
    file: Option<&SourceFile>,
    defaults: Defaults,
) -> Result<Result<Permissions, Vec<Diagnostic>>, Failure> {
    let (catalog, file) = engine::read_catalog(database, file).await?;
    match engine::compile_checked(database, file, catalog.into(), defaults, &PreparedRules::default()).await {
        Ok(mut permissions) => {
            let states = permissions.states.iter().filter(|check| !check.is_fault);
            let notes = engine::check_state(database, states).await.map_err(LoadError::from)?;
            permissions.notes.extend(notes);
            permissions::sort(&mut permissions.notes);
            Ok(Ok(permissions))
        }
        Err(LoadError::Permissions { problems, .. }) => Ok(Err(problems)),
        Err(error) => Err(error.into()),
    }
}

fn problem<F: DiagnosticKind>(problem: &Diagnostic<F>) -> Value {
    let place = problem.place();
    json!({
        "file": &*place.file().name, "line": place.line(), "column": place.column(),
        "code": problem.code(), "message": problem.message(), "help": problem.suggestion(),
    })
}
