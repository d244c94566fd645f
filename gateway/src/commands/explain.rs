//! `postern explain`: what a request becomes, and which rule of which line touched which table.

use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};
use sql::Answered;
use sql::access::Source;
use sql::statement::{Reading, Statement};
use tokio::time::Instant;

use super::{Failure, configured, connect, print, read, session_values, slowly, variables};
use crate::answer::{self, Door};
use crate::app::read_permissions;
use crate::config;
use crate::database::Database;
use crate::engine::Engine;
use crate::plan_cache::PlanCache;
use crate::request::Request;
use crate::session::{Caller, Session};

pub(super) fn command() -> Command {
    Command::new("explain")
        .about("Show the SQL of a request, its parameters, and the rules that hold in it")
        .arg(Arg::new("document").value_name("FILE").required(true).help("The GraphQL document, or - for standard input"))
        .arg(role())
        .arg(session())
        .arg(Arg::new("variables").long("variables").value_name("JSON").help("The variables, or @FILE"))
        .arg(Arg::new("operation").long("operation").value_name("NAME").help("Which operation of several"))
        .arg(Arg::new("analyze").long("analyze").action(ArgAction::SetTrue).help("Run it, and add Postgres' plan"))
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("One JSON object"))
        .args(config::args(&["config", "database-url", "permissions", "profile", "header-prefix", "stringify-numbers"]))
        .after_help(
            "Example:\n  postern explain --database-url postgres://localhost/shop --permissions permissions.toml \\\n    \
             --role user --session user_id=7 orders.graphql",
        )
}

/// `--role`.
pub(super) fn role() -> Arg {
    Arg::new("role").long("role").value_name("R").required(true).help("The role that asks")
}

/// `--session name=value`.
pub(super) fn session() -> Arg {
    let help = "A session value: user_id=7, or as the header has it";
    Arg::new("session").long("session").value_name("K=V").action(ArgAction::Append).help(help)
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let config = configured(&matches)?;
    let role = matches.get_one::<String>("role").cloned().unwrap_or_default();
    let values = session_values(&matches, &config.header_prefix)?;
    let session = Session::new(role, Arc::new(values), Caller::Trusted);
    let document = matches.get_one::<String>("document").map(String::as_str).unwrap_or("-");
    let request = Request {
        query: read(document)?,
        operation_name: matches.get_one::<String>("operation").cloned(),
        variables: variables(&matches)?,
        ..Request::default()
    };
    let file = config.permissions.as_deref().map(read_permissions).transpose()?;
    let database = connect(&config).await?;
    let plans = PlanCache::new(1 << 20, config.limits.document.clone(), config.translation());
    let engine = Engine::load(&database, file.as_ref(), plans, config.profile.defaults());
    let engine = slowly("loading", engine).await?;
    let plan = answer::plan(&engine, &session, &request, Door::Open)?;
    let parameters = answer::bind(&plan, &session)?;
    let Answered::Statement(statement) = &plan.translation.answer else {
        print(if matches.get_flag("json") { r#"{"sql":null}"# } else { "-- no statement is needed" })?;
        return Ok(ExitCode::SUCCESS);
    };
    let analyzed = match matches.get_flag("analyze") {
        true => Some(slowly("running", analyze(&database, statement, &parameters, config.limits.time)).await?),
        false => None,
    };
    print(&match matches.get_flag("json") {
        true => as_json(statement, &parameters, analyzed.as_deref()).to_string(),
        false => as_text(statement, &parameters, analyzed.as_deref()),
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn analyze(
    database: &Database,
    statement: &Statement,
    parameters: &[Option<String>],
    limit: std::time::Duration,
) -> Result<Vec<String>, Failure> {
    let text = format!("EXPLAIN (ANALYZE, BUFFERS) {}", statement.text);
    let mut rows = database.query(&text, parameters, Instant::now() + limit).await?;
    let mut lines = Vec::new();
    while let Some(row) = rows.next().await? {
        lines.extend(row.try_get::<_, String>(0).ok());
    }
    Ok(lines)
}

fn as_json(statement: &Statement, parameters: &[Option<String>], analyzed: Option<&[String]>) -> Value {
    let reads: Vec<Value> = statement.reads.iter().map(reading).collect();
    let mut told = json!({"sql": statement.text, "parameters": parameters, "reads": reads});
    if let Some(lines) = analyzed {
        told["plan"] = lines.join("\n").into();
    }
    told
}

fn reading(reading: &Reading) -> Value {
    let Reading { alias, table: (schema, table), rule, values } = reading;
    let value = |(column, source): &(String, Source)| json!({"column": column, "value": &*source.text, "file": &*source.file, "line": source.line});
    json!({"alias": alias, "table": format!("{schema}.{table}"), "values": values.iter().map(value).collect::<Vec<_>>(),
        "rule": &*rule.text, "file": &*rule.file, "line": rule.line})
}

fn as_text(statement: &Statement, parameters: &[Option<String>], analyzed: Option<&[String]>) -> String {
    let mut out = format!("{}\n", statement.text);
    for (place, value) in parameters.iter().enumerate() {
        let value = value.as_deref().map_or("NULL".to_owned(), |value| format!("{value:?}"));
        let _ = writeln!(out, "-- ${} = {value}", place + 1);
    }
    for Reading { alias, table: (schema, table), rule, values } in &statement.reads {
        let _ = writeln!(out, "-- {alias} reads {schema}.{table} where {} ({})", rule.text, place(rule));
        for (column, source) in values {
            let _ = writeln!(out, "-- {alias} shows {} in place of {column} ({})", source.text, place(source));
        }
    }
    for line in analyzed.into_iter().flatten() {
        let _ = writeln!(out, "-- {line}");
    }
    out
}

fn place(source: &Source) -> String {
    match source.line {
        0 => "no rule was written".to_owned(),
        line => format!("{}:{line}", source.file),
    }
}
