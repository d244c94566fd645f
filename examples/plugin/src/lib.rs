//! A plugin that counts visits. `POST /visit` counts one in memory, `GET /visit` returns the number
//! in the database, and background work writes what was counted to the plugin's own table.
//!
//! ```toml
//! [visits]
//! write_seconds = 5
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use gateway::config::Config;
use gateway::error::Error;
use gateway::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use gateway::http::{App, ErrorFormat, HttpExchange, json};
use gateway::plugin::{Activation, BackgroundTask, Migration, Plugin, PrepareFuture, Shutdown};
use http::{Method, StatusCode};
use pg::{Completion, Database, DatabaseError};
use serde::Deserialize;
use tokio::time::Instant;

/// The plugin.
#[derive(Debug, Default)]
pub struct Visits {
    /// Visits that are not in the database yet.
    counted: AtomicI64,
    /// The seconds between two writes.
    interval: Arc<AtomicU64>,
}

/// `[visits]` in the settings file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VisitSettings {
    write_seconds: u64,
}

const METHODS: &[Method] = &[Method::GET, Method::POST];

/// The table, as version 1.
const TABLE: Migration = Migration::OfPlugin {
    sql: "CREATE TABLE postern.visits (total int8 NOT NULL); INSERT INTO postern.visits VALUES (0)",
};

/// The time limit of a statement.
const TIME: Duration = Duration::from_secs(5);

impl Plugin for Visits {
    fn name(&self) -> &'static str {
        "visits"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let error_format = ErrorFormat::Rest;
        let class = RouteClass::Requests;
        vec![Route {
            path: "/visit",
            methods: METHODS,
            error_format,
            class,
            handler: Handler::Plugin(self),
        }]
    }

    fn sections(&self) -> &'static [&'static str] {
        &["visits"]
    }

    fn migrations(&self) -> &'static [Migration] {
        &[TABLE]
    }

    fn prepare<'a>(&'a self, config: &'a Config, _: &'a Database) -> PrepareFuture<'a> {
        Box::pin(async move {
            let settings = config.sections.read::<VisitSettings>("visits")?;
            let seconds = settings.map_or(60, |settings| settings.write_seconds);
            if seconds == 0 {
                return Err(config
                    .sections
                    .fault("visits", "`write_seconds` has to be at least 1")
                    .into());
            }
            let interval = self.interval.clone();
            Ok(Activation::new(move || {
                interval.store(seconds, Ordering::Relaxed);
            }))
        })
    }

    fn start(self: Arc<Self>, app: Arc<App>, mut shutdown: Shutdown) -> Option<BackgroundTask> {
        Some(Box::pin(async move {
            while !shutdown.is_requested() {
                let pause = Duration::from_secs(self.interval.load(Ordering::Relaxed));
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    // What was counted is written before the gateway ends.
                    () = shutdown.requested() => {}
                }
                if let Err(fault) = self.write(&app).await {
                    tracing::warn!(cause = %fault, "cannot write the visits");
                }
            }
        }))
    }
}

impl Visits {
    async fn write(&self, app: &App) -> Result<(), DatabaseError> {
        let counted = self.counted.swap(0, Ordering::Relaxed);
        if counted == 0 {
            return Ok(());
        }
        let database = app.state().execution.database.clone();
        let statement = "UPDATE postern.visits SET total = total + $1::int8";
        let parameters = [vec![Some(counted.to_string())]];
        let written = database
            .write(
                &[statement],
                &parameters,
                Completion::Commit,
                Instant::now() + TIME,
            )
            .await;
        written.map(drop).map_err(|failed| {
            self.counted.fetch_add(counted, Ordering::Relaxed);
            failed.fault
        })
    }
}

impl PluginHandler for Visits {
    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            if exchange.method == Method::POST {
                self.counted.fetch_add(1, Ordering::Relaxed);
                return Ok(json(
                    StatusCode::OK,
                    "application/json",
                    b"{\"counted\":true}".to_vec(),
                ));
            }
            let database = exchange.app.state().execution.database.clone();
            let statement = "SELECT json_build_object('visits', total)::text FROM postern.visits";
            let total = database
                .query_text(statement, Instant::now() + TIME)
                .await
                .map_err(Error::Database)?;
            Ok(json(StatusCode::OK, "application/json", total.into_bytes()))
        })
    }
}
