//! `postern serve`: runs the gateway over an existing database.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use tracing_subscriber::EnvFilter;

use super::Failure;
use gateway::config::{Config, ConfigError, SETTINGS, Setting, Settings};
use gateway::server::Gateway;
use gateway::telemetry::log::{LogFormat, LogWriter};

pub(super) fn command() -> Command {
    Command::new("serve")
        .about("Run the gateway over an existing database")
        .args(SETTINGS.iter().map(Setting::arg))
        .after_help(
            "Flags override environment variables, which override the file of \
                     --config.\n\n\
                     Example:\n  postern serve --database-url postgres://localhost/shop \
                     --permissions permissions.toml \\\n    \
                     --jwt-secret '{\"type\":\"HS256\",\"key\":\"…\"}'",
        )
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let settings = Settings::from_arguments(&matches)?;
    start_log(settings.config())?;
    Gateway::builder()
        .plugins(super::all_plugins())
        .settings_from(move || Settings::from_arguments(&matches))
        .serve()
        .await?;
    Ok(ExitCode::SUCCESS)
}

/// Starts logging to standard error.
pub(super) fn start_log(config: &Config) -> Result<(), Failure> {
    let filter = gateway::telemetry::log::filter(&config.log_level)
        .and_then(|filter| EnvFilter::try_new(filter).ok())
        .ok_or_else(|| ConfigError::Value {
            origin: "--log-level".into(),
            expected: gateway::telemetry::log::EXPECTED.into(),
        })?;
    gateway::telemetry::log::catch_panics();
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(LogWriter::for_process());
    // If the process has a logger already, that one is used.
    let _ = match config.log_format {
        LogFormat::Json => log.event_format(LogFormat::Json).try_init(),
        LogFormat::Text if super::coloured() => log.with_target(false).try_init(),
        LogFormat::Text => log
            .with_ansi(false)
            .event_format(LogFormat::Text)
            .try_init(),
    };
    Ok(())
}
