//! `postern token`: mints a JWT for development and tests.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::{Failure, check_token_roles, configured, explain, print, read, session_values};
use gateway::auth::claims::ClaimNames;
use gateway::auth::{TokenRequest, mint};
use gateway::config::{self, SETTINGS};

pub(super) fn command() -> Command {
    let role = Arg::new("role").long("role").value_name("R").required(true);
    let allowed = Arg::new("allowed-role")
        .long("allowed-role")
        .value_name("R")
        .action(ArgAction::Append);
    let expires = Arg::new("expires")
        .long("expires")
        .value_name("SECONDS")
        .default_value("3600");
    let key = Arg::new("private-key")
        .long("private-key")
        .value_name("FILE");
    Command::new("token")
        .about("Create a JWT and print it to standard output")
        .arg(role.help("Default role of the token"))
        .arg(allowed.help("Further role that the token allows"))
        .arg(explain::session())
        .arg(
            expires
                .value_parser(value_parser!(u64))
                .help("Lifetime of the token"),
        )
        .arg(key.help("Private key in PEM, if the JWT secret contains a public key"))
        .args(config::args(&[
            &SETTINGS.config,
            &SETTINGS.jwt_secret,
            &SETTINGS.profile,
            &SETTINGS.header_prefix,
        ]))
        .after_help(
            "Example:\n  postern token --jwt-secret '{\"type\":\"HS256\",\"key\":\"…\"}' \
                     --role user --session user_id=7",
        )
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let config = configured(&matches)?;
    let secret = config
        .jwt_secret
        .as_ref()
        .ok_or(Failure::NoJwtSecret)?
        .reveal();
    let pem = matches
        .get_one::<String>("private-key")
        .map(|path| read(path))
        .transpose()?;
    let grant = TokenRequest {
        role: matches
            .get_one::<String>("role")
            .map(String::as_str)
            .unwrap_or_default(),
        roles: matches
            .get_many::<String>("allowed-role")
            .into_iter()
            .flatten()
            .cloned()
            .collect(),
        values: session_values(&matches, config.header_prefix())?
            .into_iter()
            .collect(),
        seconds: matches.get_one::<u64>("expires").copied().unwrap_or(3600),
    };
    check_token_roles(
        &config,
        grant.roles.iter().map(String::as_str).chain([grant.role]),
    )?;
    let naming = ClaimNames {
        prefix: config.header_prefix(),
        namespace: config.profile.claims_namespace(),
    };
    print(&mint(secret, naming, pem.as_deref(), &grant)?)?;
    Ok(ExitCode::SUCCESS)
}
