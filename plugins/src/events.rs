//! The events plugin: event triggers and schedules. Triggers in the database write events to
//! `postern.event_queue` in the transaction that changes a row; schedules and SQL functions add
//! others. Gateways deliver them to webhooks and SQL functions, at least once, in order for each
//! ordering key.
//!
//! ```text
//! [event.…] ─▶ file ─▶ compile ─▶ install: triggers ─▶ postern.event_queue ─▶ worker ─▶ delivery ─▶ webhook
//! [cron.…]                  └───▶ schedule ─────────────────┘                     └─▶ record       function
//! ```

mod backoff;
mod compile;
mod definition;
mod delivery;
mod delivery_log;
mod diagnostic;
mod facts;
mod file;
mod idle;
mod install;
mod metrics;
mod payload;
mod queue;
mod recurrence;
mod registry;
mod schedule;
mod settings;
mod store;
mod trigger;
mod upkeep;
mod worker;

use std::sync::Arc;

use permissions::{Diagnostic, SourceFile};
use pg::Database;
use prometheus::core::Collector;
use tokio::sync::watch;
use tokio::time::{Duration, Instant};
use tokio_postgres::Client;

use crate::accounts::{MAIL_TRIGGER, MailWorker};
use crate::webhooks;
use compile::Parsed;
use facts::Facts;
use gateway::config::Config;
use gateway::config::masked_file::{hide, masked};
use gateway::config::text_file::read_file;
use gateway::http::App;
use gateway::migrations;
use gateway::plugin::{
    Activation, BackgroundTask, CheckFuture, Migration, Plugin, PluginCount, PluginError,
    PluginReport, PrepareFuture, Shutdown,
};
use install::{Attempt, WhenBlocked};
use metrics::EventMetrics;
use settings::EventSettings;
use trigger::{Target, Triggers};
use worker::Version;

use diagnostic::Fault;
pub use install::Installation;
pub use store::{EventFilter, EventStore};

/// The plugin.
#[derive(Debug)]
pub struct Events {
    current: watch::Sender<Option<Arc<Version>>>,
    metrics: EventMetrics,
}

/// The keys of the tables of event triggers and schedules.
const SECTIONS: &[&str] = &["events", "event", "cron"];

/// The versions of the queue.
const MIGRATIONS: &[Migration] = &[
    Migration::OfSchema {
        version: 3,
        sql: include_str!("events/migrations/event_queue.sql"),
    },
    Migration::OfSchema {
        version: 7,
        sql: include_str!("events/migrations/event_lease.sql"),
    },
    Migration::OfSchema {
        version: 8,
        sql: include_str!("events/migrations/event_idle.sql"),
    },
    Migration::OfSchema {
        version: 10,
        sql: include_str!("events/migrations/event_triggers.sql"),
    },
];

/// The plugin's name in messages.
const NAME: &str = "events";

/// The version of the schema `postern` that has the queue with leases of its own.
const MIN_SCHEMA_VERSION: usize = 7;

/// How long the plugin waits for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long `postern migrate` tries to lock tables that others hold.
const INSTALL_TIMEOUT: Duration = Duration::from_secs(60);

impl Default for Events {
    fn default() -> Events {
        Events {
            current: watch::Sender::new(None),
            metrics: EventMetrics::default(),
        }
    }
}

impl Plugin for Events {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sections(&self) -> &'static [&'static str] {
        SECTIONS
    }

    fn migrations(&self) -> &'static [Migration] {
        MIGRATIONS
    }

    fn metrics(&self) -> Vec<Box<dyn Collector>> {
        self.metrics.collectors()
    }

    fn reads_session(&self, config: &Config) -> bool {
        is_declared(config)
    }

    fn check<'a>(&'a self, config: &'a Config, database: &'a Database) -> CheckFuture<'a> {
        Box::pin(check(config, database))
    }

    fn prepare<'a>(&'a self, config: &'a Config, database: &'a Database) -> PrepareFuture<'a> {
        Box::pin(async move {
            let next = match Declarations::read(config)? {
                Some(declared) => Some(Arc::new(version(config, declared, database).await?)),
                None => None,
            };
            let current = self.current.clone();
            let triggers = next.iter().flat_map(|next| next.triggers.by_name.keys());
            triggers.for_each(|name| self.metrics.declare(name));
            Ok(Activation::new(move || drop(current.send_replace(next))))
        })
    }

    fn start(self: Arc<Self>, _: Arc<App>, shutdown: Shutdown) -> Option<BackgroundTask> {
        Some(Box::pin(async move {
            let versions = || self.current.subscribe();
            let metrics = &self.metrics;
            let mut stopped = shutdown.clone();
            let beside = async {
                tokio::select! {
                    () = schedule::run(versions()) => {}
                    () = upkeep::run(versions(), metrics) => {}
                    () = install::run(versions()) => {}
                    () = stopped.requested() => {}
                }
            };
            tokio::join!(worker::run(versions(), metrics, shutdown), beside);
        }))
    }
}

/// What the settings file declares.
struct Declarations {
    settings: EventSettings,
    /// The triggers of inbound webhooks.
    of_webhooks: Vec<String>,
    /// What sends the mails of accounts.
    mail_worker: Option<MailWorker>,
}

impl Declarations {
    /// Reads them; none if the file declares no events.
    fn read(config: &Config) -> Result<Option<Declarations>, PluginError> {
        let of_webhooks = webhooks::triggers(config);
        // Without the key that signs tokens there is a check of the settings alone.
        let mail_worker = match config.jwt_secret {
            Some(_) => MailWorker::read(config)?,
            None => None,
        };
        if !is_declared(config) && of_webhooks.is_empty() && mail_worker.is_none() {
            return Ok(None);
        }
        Ok(Some(Declarations {
            settings: EventSettings::read(&config.sections)?,
            of_webhooks,
            mail_worker,
        }))
    }
}

/// Whether the settings file declares events.
fn is_declared(config: &Config) -> bool {
    SECTIONS
        .iter()
        .any(|section| config.sections.contains(section))
}

/// Reads and checks the triggers, and installs them if the settings say so.
async fn version(
    config: &Config,
    declared: Declarations,
    database: &Database,
) -> Result<Version, PluginError> {
    let client = client(database).await?;
    let (triggers, problems) = read(config, &declared, &client).await?;
    let settings = declared.settings;
    if !problems.is_empty() {
        return Err(PluginError::Faults(render(&problems)));
    }
    let version = migrations::version(&client)
        .await
        .map_err(|error| not_ready(&error))?;
    if version < MIN_SCHEMA_VERSION {
        let cause =
            "the schema `postern` is not there, or an older one; run `postern migrate`".into();
        return Err(PluginError::NotReady {
            plugin: NAME,
            cause,
        });
    }
    let mut is_blocked = false;
    if settings.install {
        let attempt = install::install(&client, &triggers.captures, WhenBlocked::Stop).await;
        let Attempt {
            installation: Installation { installed, removed },
            blocked,
        } = attempt.map_err(|error| {
            let cause = format!(
                "the triggers cannot be installed: {}; run `postern migrate` as the owner of the \
                 tables",
                migrations::message(&error)
            );
            PluginError::NotReady {
                plugin: NAME,
                cause,
            }
        })?;
        if installed + removed > 0 {
            tracing::info!(installed, removed, "event triggers in the database");
        }
        is_blocked = !blocked.is_empty();
    } else {
        let current = install::is_current(&client, &triggers.captures).await;
        if !current.map_err(|error| not_ready(&error))? {
            let cause =
                "the triggers in the database are not those of the files; run `postern migrate`"
                    .into();
            return Err(PluginError::NotReady {
                plugin: NAME,
                cause,
            });
        }
    }
    let has_registry = version >= registry::MIN_SCHEMA_VERSION;
    if has_registry && let Err(error) = registry::register(&client, &triggers).await {
        tracing::warn!(cause = %migrations::message(&error), "the names of triggers cannot be \
             written");
    }
    Ok(Version {
        settings,
        triggers,
        database: database.clone(),
        has_registry,
        is_blocked,
    })
}

/// Checks the configured triggers against the database and the environment.
async fn check(config: &Config, database: &Database) -> Result<PluginReport, PluginError> {
    let count = |triggers| PluginCount {
        key: "triggers",
        name: "event triggers and schedules",
        count: triggers,
    };
    let Some(declared) = Declarations::read(config)? else {
        return Ok(PluginReport {
            count: Some(count(0)),
            ..PluginReport::default()
        });
    };
    let client = client(database).await?;
    let (triggers, problems) = read(config, &declared, &client).await?;
    // A check may run where variables of the environment are not set.
    let is_missing =
        |problem: &&Diagnostic<Fault>| matches!(problem.fault(), Fault::Environment { .. });
    let (missing, problems): (Vec<_>, Vec<_>) = problems.iter().partition(is_missing);
    let silent = install::without_trigger(&client, &triggers.captures)
        .await
        .map_err(|error| not_ready(&error))?;
    let note = |table: &trigger::TableName| {
        format!(
            "rows of {} raise no events, although it inherits from the table of an event \
             trigger: its owner runs \
             `postern migrate --config …`, or a gateway that connects as its owner starts or \
             reloads",
            table.quoted()
        )
    };
    Ok(PluginReport {
        problems: problems.into_iter().map(Diagnostic::to_text).collect(),
        notes: missing.into_iter().map(Diagnostic::to_text).collect(),
        plain_notes: silent.iter().map(note).collect(),
        count: Some(count(
            triggers.by_name.len()
                - declared.of_webhooks.len()
                - usize::from(declared.mail_worker.is_some()),
        )),
    })
}

/// Installs the configured triggers in the database, whatever `install` says.
pub async fn install_triggers(
    config: &Config,
    database: &Database,
) -> Result<Option<Installation>, PluginError> {
    let Some(declared) = Declarations::read(config)? else {
        return Ok(None);
    };
    let client = client(database).await?;
    let (triggers, problems) = read(config, &declared, &client).await?;
    // The triggers in the database do not need the environment of the gateway.
    let problems: Vec<_> = problems
        .into_iter()
        .filter(|problem| !matches!(problem.fault(), Fault::Environment { .. }))
        .collect();
    if !problems.is_empty() {
        return Err(PluginError::Faults(render(&problems)));
    }
    let deadline = Instant::now() + INSTALL_TIMEOUT;
    let attempt = install::install_until(&client, &triggers.captures, deadline).await;
    let Attempt {
        installation,
        blocked,
    } = attempt.map_err(|error| not_ready(&error))?;
    if !blocked.is_empty() {
        let blocked: Vec<String> = blocked.iter().map(ToString::to_string).collect();
        let cause = format!(
            "not all triggers could be installed: {}; run `postern migrate` again",
            blocked.join("; ")
        );
        return Err(PluginError::NotReady {
            plugin: NAME,
            cause,
        });
    }
    registry::register(&client, &triggers)
        .await
        .map_err(|error| not_ready(&error))?;
    Ok(Some(installation))
}

/// The names of the triggers that the files declare, without those of inbound webhooks; `None` if
/// they declare no events, or have faults.
pub fn declared_names(config: &Config) -> Option<Vec<String>> {
    let declared = Declarations::read(config).ok()??;
    let (parsed, problems) = parse(config, &declared.settings).ok()?;
    let names = |entries: &file::Entries| {
        let events = entries.events.iter().map(|event| event.name.value.clone());
        events
            .chain(entries.crons.iter().map(|cron| cron.name.value.clone()))
            .collect::<Vec<_>>()
    };
    problems.is_empty().then(|| {
        parsed
            .iter()
            .flat_map(|parsed| names(&parsed.entries))
            .collect()
    })
}

/// Draws faults on the lines of their files.
fn render(problems: &[Diagnostic<Fault>]) -> String {
    problems
        .iter()
        .map(|problem| problem.render(false))
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// The triggers of the settings file and of the files that it names, and all their faults.
async fn read(
    config: &Config,
    declared: &Declarations,
    client: &Client,
) -> Result<(Triggers, Vec<Diagnostic<Fault>>), PluginError> {
    let Declarations {
        settings,
        of_webhooks,
        mail_worker,
    } = declared;
    let (parsed, mut problems) = parse(config, settings)?;
    let (tables, functions) = compile::names(&parsed);
    let facts = Facts::read(client, &tables, &functions)
        .await
        .map_err(|error| not_ready(&error))?;
    let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let (mut triggers, faults) =
        compile::compile(&parsed, &facts, &environment, settings.concurrency);
    problems.extend(faults);
    // The deliveries of other services wait in the same queue for the functions that process them.
    let of_webhooks = of_webhooks
        .iter()
        .map(|name| compile::function_trigger(name, webhooks::PROCESS, settings.concurrency));
    triggers
        .by_name
        .extend(of_webhooks.map(|trigger| (trigger.name.clone(), Arc::new(trigger))));
    if let Some(worker) = mail_worker {
        let target = Target::Mail(worker.clone());
        let trigger = compile::own_trigger(MAIL_TRIGGER, target, settings.concurrency);
        triggers
            .by_name
            .insert(trigger.name.clone(), Arc::new(trigger));
    }
    let order: Vec<_> = parsed
        .iter()
        .map(|parsed| parsed.file.name.clone())
        .collect();
    problems.sort_by_key(|problem| {
        let span = problem.span();
        (
            order.iter().position(|name| *name == span.file().name),
            span.span().start,
        )
    });
    Ok((triggers, problems))
}

/// Reads the settings file and the files that it names, with the faults of their form.
fn parse(
    config: &Config,
    settings: &EventSettings,
) -> Result<(Vec<Parsed>, Vec<Diagnostic<Fault>>), PluginError> {
    let mut files = vec![(config.sections.source(), true)];
    for path in &settings.files {
        let text = read_file(path).map_err(|error| {
            let message = format!("`files`: cannot read {}: {error}", path.display());
            config.sections.fault(NAME, message)
        })?;
        files.push((
            SourceFile::new(path.to_string_lossy().into_owned(), text),
            false,
        ));
    }
    let mut parsed = vec![];
    let mut problems = vec![];
    for (file, has_others) in files {
        let (entries, faults) = file::read(&file, has_others);
        // The lines that are drawn may contain secrets.
        let file = masked(&file, &[]);
        problems.extend(faults.iter().map(|fault| hide(fault, &file)));
        parsed.push(Parsed { file, entries });
    }
    Ok((parsed, problems))
}

async fn client(database: &Database) -> Result<deadpool_postgres::Object, PluginError> {
    let client = database
        .admin_client(Instant::now() + CONNECT_TIMEOUT)
        .await;
    client.map_err(|fault| PluginError::NotReady {
        plugin: NAME,
        cause: fault.to_string(),
    })
}

fn not_ready(error: &tokio_postgres::Error) -> PluginError {
    PluginError::NotReady {
        plugin: NAME,
        cause: migrations::message(error),
    }
}
