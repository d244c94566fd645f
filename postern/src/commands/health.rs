//! `postern health`: asks the gateway on this machine whether it lives, for containers and
//! supervisors that have no other HTTP client.

use std::net::IpAddr;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use gateway::config::{self, SETTINGS};

use super::{Failure, configured, print_error};

/// How long the gateway has to answer.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) fn command() -> Command {
    Command::new("health")
        .about("Ask the gateway on this machine whether it lives; exits with 1 if it does not")
        .arg(
            Arg::new("ready")
                .long("ready")
                .action(ArgAction::SetTrue)
                .help("Ask whether it is ready: whether its database can be reached"),
        )
        .args(config::args(&[
            &SETTINGS.config,
            &SETTINGS.listen,
            &SETTINGS.tls_cert,
        ]))
        .after_help("Example:\n  postern health --listen 127.0.0.1:8080 --ready")
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let config = configured(&matches)?;
    let scheme = if config.tls_cert.is_some() {
        "https"
    } else {
        "http"
    };
    let path = if matches.get_flag("ready") {
        "/readyz"
    } else {
        "/healthz"
    };
    let url = format!("{scheme}://{}{path}", reachable(&config.listen));
    let unhealthy = |cause: &dyn std::error::Error| {
        Failure::Unhealthy(format!("{url} does not answer: {cause}"))
    };
    // The certificate is that of a public name, and the address is the machine's own: nothing
    // secret is sent.
    let client = reqwest::Client::builder()
        .danger_accept_invalid_certs(true)
        .no_proxy()
        .timeout(RESPONSE_TIMEOUT)
        .build();
    let client = client.map_err(|error| unhealthy(&error))?;
    let response = client
        .get(&url)
        .send()
        .await
        .map_err(|error| unhealthy(&error))?;
    let status = response.status();
    if !status.is_success() {
        return Err(Failure::Unhealthy(format!(
            "{url} answers {}",
            status.as_u16()
        )));
    }
    print_error(&format!("{url} answers {}", status.as_u16()));
    Ok(ExitCode::SUCCESS)
}

/// The address to connect to: an unspecified address to listen on means every one of the machine.
fn reachable(listen: &str) -> String {
    let Some((host, port)) = listen.rsplit_once(':') else {
        return listen.to_owned();
    };
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) if address.is_unspecified() => format!("127.0.0.1:{port}"),
        Ok(IpAddr::V6(address)) if address.is_unspecified() => format!("[::1]:{port}"),
        _ => listen.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unspecified_addresses_are_reached_by_loopback() {
        let pairs = [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:1", "[::1]:1"),
            ("10.0.0.1:1", "10.0.0.1:1"),
            ("localhost:80", "localhost:80"),
        ];
        for (listen, address) in pairs {
            assert_eq!(reachable(listen), address);
        }
    }
}
