//! `postern check`: checks settings, permission file, actions, REST map, event triggers and
//! webhooks against the database, and reports all problems together.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use permissions::{Diagnostic, DiagnosticKind, FaultText};
use serde_json::{Value, json};

use super::{Failure, all_plugins, coloured, print, print_error, slowly};
use gateway::config::{SETTINGS, Setting, Settings};
use gateway::plugin::PluginCount;
use gateway::server::check::{self, CheckCounts, CheckReport, CheckedFile};
use gateway::server::file_watch::FileWatch;
use gateway::subscriptions::refused_updates::RefusedUpdates;

pub(super) fn command() -> Command {
    Command::new("check")
        .about(
            "Check settings, permission file, REST map and event triggers against the \
                database; exits with 1 if there are problems",
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print one JSON object"),
        )
        .args(SETTINGS.iter().map(Setting::arg))
        .after_help(
            "Example:\n  postern check --database-url postgres://localhost/shop \
                     --permissions permissions.toml \\\n    \
                     --rest-map rest-map.toml",
        )
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let watches = Settings::from_arguments(&matches)?.config().watch;
    if !watches {
        return check(&matches).await;
    }
    loop {
        // The files are those of settings that can be read; while they cannot be read, it is the
        // file alone that changes.
        let watch =
            Settings::from_arguments(&matches).map(|settings| FileWatch::new(settings.config()));
        if let Err(failure) = check(&matches).await {
            print_error(&failure.to_string());
        }
        match watch {
            Ok(watch) => watch.changed().await,
            Err(_) => tokio::time::sleep(RETRY_INTERVAL).await,
        }
        print_error("── a file has changed");
    }
}

/// How long to wait before settings that cannot be read are read again.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);

async fn check(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let report = slowly(
        "checking",
        check::check(Settings::from_arguments(matches)?, all_plugins()),
    )
    .await;
    report
        .warnings
        .iter()
        .for_each(|warning| print_error(&format!("warning: {warning}")));
    match (report.is_ok(), matches.get_flag("json")) {
        (true, true) => print(&summary(&report).to_string())?,
        (true, false) => print_error(&notes(&report)),
        (false, true) => print(&json!({"ok": false, "problems": problems(&report)}).to_string())?,
        (false, false) => print_error(&drawn_problems(&report)),
    }
    Ok(if report.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn summary(report: &CheckReport) -> Value {
    let CheckCounts {
        tables,
        roles,
        endpoints,
        actions,
        ..
    } = report.counts;
    let notes = report
        .notes
        .iter()
        .map(problem)
        .chain(plugin_notes(report).map(problem));
    let notes: Vec<Value> = notes
        .chain(
            report
                .plain_notes
                .iter()
                .map(|note| json!({"message": note})),
        )
        .collect();
    let mut summary = json!({
        "ok": true, "tables": tables, "roles": roles, "endpoints": endpoints, "actions": actions,
    });
    for count in plugin_counts(report) {
        summary[count.key] = count.count.into();
    }
    summary["problems"] = json!([]);
    summary["notes"] = notes.into();
    summary
}

fn plugin_counts(report: &CheckReport) -> impl Iterator<Item = PluginCount> {
    report.plugins.iter().filter_map(|plugin| plugin.count)
}

fn plugin_notes(report: &CheckReport) -> impl Iterator<Item = &Diagnostic<FaultText>> {
    report.plugins.iter().flat_map(|plugin| &plugin.notes)
}

fn plugin_problems(report: &CheckReport) -> impl Iterator<Item = &Diagnostic<FaultText>> {
    report.plugins.iter().flat_map(|plugin| &plugin.problems)
}

/// What might surprise, and a line with what there is.
fn notes(report: &CheckReport) -> String {
    let CheckCounts {
        tables,
        roles,
        rules,
        endpoints,
        actions,
    } = report.counts;
    let mut summary = format!("no problems: {tables} tables, {roles} roles, {rules} rules");
    if report.rest_map.file.is_some() {
        summary.push_str(&format!(", {endpoints} endpoints"));
    }
    if report.actions.file.is_some() {
        summary.push_str(&format!(", {actions} actions"));
    }
    for count in plugin_counts(report).filter(|count| count.count > 0) {
        summary.push_str(&format!(", {} {}", count.count, count.name));
    }
    let notes = report.notes.iter().map(|note| note.render(coloured()));
    let of_plugins = plugin_notes(report).map(|note| format!("note: {}", note.message()));
    let plain = report
        .plain_notes
        .iter()
        .map(|note| format!("note: {note}"));
    notes
        .chain(of_plugins)
        .chain(plain)
        .chain([summary])
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn problems(report: &CheckReport) -> Vec<Value> {
    let errors = report
        .errors
        .iter()
        .map(|error| json!({"message": error.to_string()}));
    let refused = report.refused_updates.iter();
    let refused =
        refused.map(|refused| json!({"code": "refused-updates", "message": describe(refused), "help": refused.remedy}));
    errors
        .chain(report.permissions.problems.iter().map(problem))
        .chain(report.actions.problems.iter().map(problem))
        .chain(report.rest_map.problems.iter().map(problem))
        .chain(plugin_problems(report).map(problem))
        .chain(refused)
        .collect()
}

fn drawn_problems(report: &CheckReport) -> String {
    let errors = report.errors.iter().map(|error| format!("error: {error}"));
    let files = [
        drawn(&report.permissions),
        drawn(&report.actions),
        drawn(&report.rest_map),
    ];
    let of_plugins = plugin_problems(report).map(|problem| problem.render(coloured()));
    let refused = report.refused_updates.iter();
    let refused =
        refused.map(|refused| format!("error: {}: {}", describe(refused), refused.remedy));
    let drawn = errors
        .chain(files)
        .chain(of_plugins)
        .chain(refused)
        .filter(|drawn| !drawn.is_empty());
    drawn.collect::<Vec<_>>().join("\n\n")
}

fn drawn<F: DiagnosticKind>(checked: &CheckedFile<Diagnostic<F>>) -> String {
    let file = checked.file.as_ref();
    file.map(|file| permissions::render(&checked.problems, file, coloured()))
        .unwrap_or_default()
}

/// What Postgres refuses, and how that ends.
fn describe(refused: &RefusedUpdates) -> String {
    format!(
        "Postgres refuses every update and delete of `{}`, because the publication `postern` \
         contains the table and it has no \
         replica identity; this statement ends it",
        refused.table
    )
}

fn problem<F: DiagnosticKind>(problem: &Diagnostic<F>) -> Value {
    let location = problem.span();
    json!({
        "file": &*location.file().name, "line": location.line(), "column": location.column(),
        "code": problem.code(), "message": problem.message(), "help": problem.suggestion(),
    })
}
