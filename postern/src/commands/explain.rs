//! `postern explain`: prints the SQL and the parameters of a request, and for each table the row
//! rule with its file and line.

use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};
use pg::Parameters;
use serde_json::{Value, json};
use sql::model::access::SourceLocation;
use sql::statement::{BoundSettings, ScanReport, Statement, ValueBudget};
use sql::{Requirement, TranslationKind};
use tokio::time::Instant;

use super::{
    Failure, access, configured, connect, grant_actions, permission_defaults, print, read,
    session_values, slowly, variables,
};
use gateway::auth::session::{AuthKind, Session};
use gateway::config::{self, SETTINGS};
use gateway::execute::BoundQuery;
use gateway::execute::dependencies::{KeyColumn, TableRead, TouchingRows};
use gateway::execute::explain::{self, ExplainMode};
use gateway::execute::live_query::{LiveQuery, RunPolicy};
use gateway::execute::plan_cache::PlanCache;
use gateway::execute::prepared_rules::PreparedRules;
use gateway::execute::schema_version::SchemaVersion;
use gateway::execute::{self, AllowedOperations};
use gateway::limits::LimitsConfig;
use gateway::request::Request;
use gateway::server::{StartError, read_permissions};
use gateway::telemetry::metrics::Metrics;

pub(super) fn command() -> Command {
    Command::new("explain")
        .about("Show the SQL of a request, its parameters, and the row rules that apply to it")
        .arg(
            Arg::new("document")
                .value_name("FILE")
                .required(true)
                .help("GraphQL document, or - for standard input"),
        )
        .arg(role())
        .arg(session())
        .arg(
            Arg::new("variables")
                .long("variables")
                .value_name("JSON")
                .help("Variables, or @FILE"),
        )
        .arg(
            Arg::new("operation")
                .long("operation")
                .value_name("NAME")
                .help("Operation to use, if the document has several"),
        )
        .arg(
            Arg::new("require")
                .long("require")
                .value_name("TABLE=VARIABLE")
                .help(
                    "Row that must be visible, by table and key, as with `require` in the REST \
                       map",
                ),
        )
        .arg(
            Arg::new("analyze")
                .long("analyze")
                .action(ArgAction::SetTrue)
                .help("Run the request and show Postgres' plan; a mutation is rolled back"),
        )
        .arg(
            Arg::new("subscription")
                .long("subscription")
                .action(ArgAction::SetTrue)
                .help("Show how a subscription is run: its batch, and what makes it run again"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print one JSON object"),
        )
        .args(config::args(&[
            &SETTINGS.config,
            &SETTINGS.database_url,
            &SETTINGS.permissions,
            &SETTINGS.profile,
            &SETTINGS.header_prefix,
            &SETTINGS.stringify_numbers,
        ]))
        .after_help(
            "Example:\n  postern explain --database-url postgres://localhost/shop \
                     --permissions permissions.toml \\\n    \
                     --role user --session user_id=7 orders.graphql",
        )
}

/// The argument `--role`.
pub(super) fn role() -> Arg {
    Arg::new("role")
        .long("role")
        .value_name("R")
        .required(true)
        .help("Role of the request")
}

/// The argument `--session name=value`.
pub(super) fn session() -> Arg {
    let help = "Session value, `user_id=7`; the name may also be that of its header";
    Arg::new("session")
        .long("session")
        .value_name("K=V")
        .action(ArgAction::Append)
        .help(help)
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let config = configured(&matches)?;
    let role = matches
        .get_one::<String>("role")
        .cloned()
        .unwrap_or_default();
    let values = session_values(&matches, config.header_prefix())?;
    let session = Session::new(role, Arc::new(values), AuthKind::Trusted);
    let document = matches
        .get_one::<String>("document")
        .map(String::as_str)
        .unwrap_or("-");
    let request = Request {
        query: read(document)?,
        operation_name: matches.get_one::<String>("operation").cloned(),
        variables: variables(&matches)?.into(),
        ..Request::default()
    };
    let file = config
        .permissions
        .as_deref()
        .map(read_permissions)
        .transpose()?;
    let database = connect(&config).await?;
    let plans = PlanCache::new(1 << 20, config.translation());
    let prepared = PreparedRules::default();
    let schema = SchemaVersion::load(
        &database,
        file.as_ref(),
        plans,
        permission_defaults(&config),
        &prepared,
    );
    let schema = slowly("loading", schema).await?;
    access(&schema, session.role())?;
    grant_actions(&config, &schema, &database).await?;
    let request = Request {
        requirement: requirement(&matches, &schema)?,
        ..request
    };
    let table = LimitsConfig::read(&config).map_err(StartError::from)?;
    let limits = schema
        .bounds(&config, &table, &Metrics::default())
        .map_err(StartError::from)?;
    let role_limits = limits.for_role(session.role());
    let is_live = matches.get_flag("subscription");
    let operations = if is_live {
        AllowedOperations::Subscriptions
    } else {
        AllowedOperations::All
    };
    let plan = execute::plan(&schema, &session, &request, role_limits, operations)?;
    let parameters = execute::bind(
        &plan.translation,
        &plan.variables,
        &session,
        &mut ValueBudget::new(role_limits.enforced.values()),
    )?;
    let live = if is_live {
        let query = LiveQuery::new(plan.translation.clone(), role_limits.clone());
        let bound = BoundQuery::from_values(parameters.first().cloned().unwrap_or_default());
        Some(
            query
                .policy(
                    &database,
                    &bound,
                    Instant::now() + role_limits.enforced.time,
                )
                .await?,
        )
    } else {
        None
    };
    let json = matches.get_flag("json");
    let plans = if matches.get_flag("analyze") {
        let deadline = Instant::now() + role_limits.enforced.time;
        let analyzed = explain::postgres_plans(
            &database,
            &plan,
            &parameters,
            ExplainMode::Analyze,
            deadline,
        );
        slowly("running", analyzed).await?
    } else {
        vec![]
    };
    let statements = execute::statements(&plan.translation).zip(&parameters);
    let explained = statements
        .enumerate()
        .map(|(index, (statement, parameters))| Explained {
            statement,
            parameters,
            plan: plans.get(index).map(Vec::as_slice),
            live: live.as_ref(),
        });
    let explained: Vec<Explained<'_>> = explained.collect();
    print(&match (&plan.translation.kind, explained.as_slice()) {
        (TranslationKind::Mutation(_), all) if json => {
            json!({"statements": all.iter().map(Explained::json).collect::<Vec<_>>()}).to_string()
        }
        (_, [one]) if json => one.json().to_string(),
        (_, _) if json => json!({ "sql": null }).to_string(),
        (TranslationKind::Composite(_), _) => {
            "-- actions answer it, so it has no statement of its own".to_owned()
        }
        (_, []) => "-- no statement is needed".to_owned(),
        (_, all) => all
            .iter()
            .map(Explained::text)
            .collect::<Vec<_>>()
            .join("\n"),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The required row of `--require`.
fn requirement(
    matches: &ArgMatches,
    schema: &SchemaVersion,
) -> Result<Option<Arc<Requirement>>, Failure> {
    let Some(pair) = matches.get_one::<String>("require") else {
        return Ok(None);
    };
    let (table, variable) = pair
        .split_once('=')
        .ok_or_else(|| Failure::Pair(pair.clone()))?;
    let found = schema.catalog.find_written(table);
    let requirement = found.and_then(|table| Requirement::new(&schema.catalog, table, variable));
    match requirement {
        Some(requirement) => Ok(Some(Arc::new(requirement))),
        None => Err(Failure::NoKey(table.to_owned())),
    }
}

/// A statement, its parameters, and its plan if it was run.
struct Explained<'a> {
    statement: &'a Statement,
    parameters: &'a Parameters,
    plan: Option<&'a [String]>,
    /// How it is run for subscribers.
    live: Option<&'a RunPolicy>,
}

impl Explained<'_> {
    fn json(&self) -> Value {
        let mut object = explain::describe(self.statement, self.parameters, |file| file);
        if let Some(live) = self.live {
            object["subscription"] = json!({
                "batch": self.statement.batch, "sharing": live.sharing.to_string(), "reads_clock": live.dependencies.reads_clock,
                "tables": live.dependencies.tables.values().map(|table| &table.name).collect::<Vec<_>>(),
                "rows": live.dependencies.tables.values().map(touching).collect::<Vec<_>>(),
            });
        }
        if let Some(lines) = self.plan {
            object["plan"] = lines.join("\n").into();
        }
        object
    }

    fn text(&self) -> String {
        let (parameters, settings) = self.statement.divide(self.parameters);
        let mut out = String::new();
        if let Some(BoundSettings { text, parameters }) = settings {
            let _ = writeln!(
                out,
                "-- before it, in the same round trip and transaction:\n{text};"
            );
            values(&mut out, parameters);
        }
        let _ = writeln!(out, "{}", self.statement.text);
        values(&mut out, parameters);
        for ScanReport {
            alias,
            table: (schema, table),
            rule,
            values,
            form,
            required,
            path: _,
        } in &self.statement.scans
        {
            let _ = writeln!(
                out,
                "-- {alias} reads {schema}.{table} where {} ({})",
                rule.text,
                format_location(rule)
            );
            for (column, source) in values {
                let _ = writeln!(
                    out,
                    "-- {alias} shows {} in place of {column} ({})",
                    source.text,
                    format_location(source)
                );
            }
            if *required {
                let _ = writeln!(
                    out,
                    "-- {alias} has to have a row, else nothing is answered"
                );
            }
            if let Some(form) = form {
                let _ = writeln!(out, "-- {alias} is read {form}");
            }
        }
        if let Some(live) = self.live {
            let _ = writeln!(out, "-- {}", live.sharing);
            if let Some(batch) = &self.statement.batch {
                let _ = writeln!(out, "-- batch: {batch}");
            }
            for table in live.dependencies.tables.values() {
                let _ = writeln!(
                    out,
                    "-- runs again after writes to {}; {}",
                    table.name,
                    touching(table)
                );
            }
            if live.dependencies.reads_clock {
                out.push_str(
                    "-- runs again at each interval, because it reads the clock or \
                              calls a function that may\n",
                );
            }
        }
        for line in self.plan.into_iter().flatten() {
            let _ = writeln!(out, "-- {line}");
        }
        out
    }
}

/// Writes the values of parameters.
fn values(out: &mut String, parameters: &[Option<String>]) {
    for (index, value) in parameters.iter().enumerate() {
        let value = value
            .as_deref()
            .map_or("NULL".to_owned(), |value| format!("{value:?}"));
        let _ = writeln!(out, "-- ${} = {value}", index + 1);
    }
}

/// Which rows of a table touch a subscriber, as far as logical replication can tell.
fn touching(table: &TableRead) -> String {
    let scans = match &table.rows {
        TouchingRows::AllAsParent => {
            return "any row touches all subscribers: tables that inherit from it are read".into();
        }
        TouchingRows::All => {
            return "any row touches all subscribers: no column has to equal a parameter".into();
        }
        TouchingRows::AllByType => {
            return "any row touches all subscribers: columns that equal parameters are no \
                    integers, uuids, booleans or texts"
                .into();
        }
        TouchingRows::ByKey(scans) => scans,
    };
    let key = |key: &KeyColumn| format!("{} = ${}", key.column, key.position + 1);
    let rows: Vec<String> = scans
        .iter()
        .map(|keys| keys.iter().map(key).collect::<Vec<_>>().join(" and "))
        .collect();
    let mut text = format!("rows touch the subscribers with {}", rows.join(", or "));
    if scans
        .iter()
        .any(|keys| !keys.iter().any(|key| key.is_identity))
    {
        text.push_str(
            ", but updated and deleted ones all of them: no such column is in the replica identity",
        );
    }
    text
}

fn format_location(source: &SourceLocation) -> String {
    match source.line {
        0 => "no rule was written".to_owned(),
        line => format!("{}:{line}", source.file),
    }
}
