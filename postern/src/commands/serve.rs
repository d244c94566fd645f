//! `postern serve`: runs the gateway over an existing database.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry};

use super::Failure;
use gateway::config::{Config, ConfigError, SETTINGS, Setting, Settings};
use gateway::server::Gateway;
use gateway::telemetry::log::{self, LogFilter, LogFormat, LogWriter};

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
    let format = log_format(&matches);
    match serve(matches).await {
        Err(failure) if format == LogFormat::Json => Ok(log_failure(&failure)),
        served => served,
    }
}

async fn serve(matches: ArgMatches) -> Result<ExitCode, Failure> {
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
    if !log::set_level(&config.log_level) {
        return Err(Failure::from(ConfigError::Value {
            origin: "--log-level".into(),
            expected: log::EXPECTED.into(),
        }));
    }
    log::catch_panics();
    start_log_as(config.log_format);
    Ok(())
}

/// If the process has a logger already, that one is used.
fn start_log_as(format: LogFormat) {
    let lines = fmt::layer().with_writer(LogWriter::for_process());
    let log = registry().with(LogFilter);
    let _ = match format {
        LogFormat::Json => log.with(lines.event_format(LogFormat::Json)).try_init(),
        LogFormat::Text if super::coloured() => log.with(lines.with_target(false)).try_init(),
        LogFormat::Text => log
            .with(lines.with_ansi(false).event_format(LogFormat::Text))
            .try_init(),
    };
}

/// The format of the log, also if other settings are wrong: of the flag, the variable or the
/// settings file.
fn log_format(matches: &ArgMatches) -> LogFormat {
    let setting = &SETTINGS.log_format;
    let given = |name: &str| matches.get_one::<String>(name).cloned();
    let variable = |name: &str| std::env::var(name).ok();
    let from_file = || {
        let config = &SETTINGS.config;
        let path = given(config.name).or_else(|| variable(&config.variable()))?;
        let text = std::fs::read_to_string(path).ok()?;
        // The file may be no TOML; other tables may have a key of this name.
        let lines = text
            .lines()
            .take_while(|line| !line.trim_start().starts_with('['));
        let pairs = lines.filter_map(|line| line.split_once('='));
        let value = pairs
            .filter(|(key, _)| key.trim() == setting.key)
            .map(|(_, value)| value.split('#').next().unwrap_or_default());
        value
            .last()
            .map(|value| value.trim().trim_matches(['"', '\'']).to_owned())
    };
    let text = given(setting.name)
        .or_else(|| variable(&setting.variable()))
        .or_else(from_file);
    match text.as_deref() {
        Some("json") => LogFormat::Json,
        _ => LogFormat::Text,
    }
}

/// Logs why the gateway does not start or has ended, for programs that read the log.
fn log_failure(failure: &Failure) -> ExitCode {
    log::set_level("info");
    start_log_as(LogFormat::Json);
    tracing::error!("not started: {}", super::described(failure));
    super::exit_code(failure)
}
