//! `postern demo`: runs the demo's privacy service on a Postgres cluster of its own. Line 1 of
//! standard output has its URL and secrets as JSON for programs; standard error has a summary for
//! people.

use std::net::{IpAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;

use super::{Failure, print, print_error, slowly};
use ::demo::{Demo, environment, summary};
use gateway::config::{self, SETTINGS, Setting};
use gateway::server::signals::Signals;
use gateway::server::{Gateway, GatewayHandle, StartError};

/// Settings of `serve` that the command also takes.
const OWN_SETTINGS: [&Setting; 3] = [
    &SETTINGS.log_format,
    &SETTINGS.log_level,
    &SETTINGS.server_timing,
];

/// The default address to listen on.
const LISTEN: &str = "127.0.0.1:8080";

pub(super) fn command() -> Command {
    let option =
        |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    Command::new("demo")
        .about("Run the demo, a privacy service, with its own Postgres cluster")
        .arg(option("listen", "ADDR").help(
            "Address and port to listen on; default: \
                                            127.0.0.1:8080, or a free port if that one is in use",
        ))
        .arg(option("data-dir", "DIR").help(
            "Directory that keeps the data from one start to the \
                                             next",
        ))
        .arg(option("env-file", "PATH").help(
            "File to which line 1 of the output is also \
                                              written, as POSTERN_DEMO_… lines",
        ))
        .arg(Arg::new("tls").long("tls").action(ArgAction::SetTrue).help(
            "Serve HTTPS, with a self-signed certificate that is new at each start, and \
                     take webhooks by HTTPS alone",
        ))
        .args(config::args(&OWN_SETTINGS))
        .after_help("Example:\n  postern demo --env-file demo.env")
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    // Signals are handled from here on, so that Ctrl-C works while the database starts.
    let mut signals = Signals::install().map_err(StartError::Signal)?;
    let (demo, running) = tokio::select! {
        started = start(&matches) => started?,
        _ = signals.shutdown_requested() => return Ok(ExitCode::SUCCESS),
    };
    show(&matches, &demo, &running)?;
    running.until_ended(&mut signals).await;
    Ok(ExitCode::SUCCESS)
}

async fn start(matches: &ArgMatches) -> Result<(Demo, GatewayHandle), Failure> {
    let text = |name| matches.get_one::<String>(name).map(String::as_str);
    let demo = slowly(
        "starting Postgres and loading the sample data",
        Demo::start(text("data-dir").map(PathBuf::from)),
    );
    let mut demo = demo.await?;
    if matches.get_flag("tls") {
        demo.enable_tls(text("listen").and_then(host))?;
    }
    let listen = address(text("listen"));
    let scheme = if matches.get_flag("tls") {
        "https"
    } else {
        "http"
    };
    let url = format!("{scheme}://{listen}");
    demo.publish_url(&url).await?;
    let mut settings = demo.settings(&url)?;
    for setting in OWN_SETTINGS {
        if let Some(value) = text(setting.name) {
            settings.set(setting.name, value)?;
        }
    }
    super::serve::start_log(settings.config())?;
    let permissions = demo.permissions();
    let builder = Gateway::builder()
        .plugins(super::all_plugins())
        .settings(settings)
        .listen(&listen)
        .permissions_text(&permissions.name, &permissions.text);
    let running = builder
        .rest_map(demo.rest_map())
        .actions(demo.actions())
        .start()
        .await?;
    Ok((demo, running))
}

/// The address to listen on, with a port that is free at this moment: the settings name the
/// address before the gateway listens. One that cannot be used is reported when it does.
fn address(wanted: Option<&str>) -> String {
    let wanted = wanted.unwrap_or(LISTEN);
    let free = |address: &str| TcpListener::bind(address)?.local_addr();
    let found = match free(wanted) {
        Err(_) if wanted == LISTEN => free("127.0.0.1:0"),
        Ok(found) if wanted.ends_with(":0") => Ok(found),
        _ => return wanted.to_owned(),
    };
    found.map_or_else(|_| wanted.to_owned(), |found| found.to_string())
}

/// The host of an address to listen on, unless it stands for all of them.
fn host(listen: &str) -> Option<&str> {
    let (host, _) = listen.rsplit_once(':')?;
    let host = host.trim_matches(['[', ']']);
    let is_any = |address: IpAddr| address.is_unspecified();
    (!host.is_empty() && !host.parse().is_ok_and(is_any)).then_some(host)
}

fn show(matches: &ArgMatches, demo: &Demo, running: &GatewayHandle) -> Result<(), Failure> {
    let facts = demo.facts(&running.url());
    if let Some(path) = matches.get_one::<String>("env-file").map(PathBuf::from) {
        let unwritable = |cause| Failure::Unwritable {
            path: path.clone(),
            cause,
        };
        std::fs::write(&path, environment(&facts)).map_err(unwritable)?;
    }
    print(&Value::Object(facts).to_string())?;
    print_error(&summary(demo, &running.url()));
    Ok(())
}
