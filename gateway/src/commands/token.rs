//! `postern token`: mints a JWT for development and tests.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::{Failure, check_token_roles, configured, explain, print, read, session_values};
use crate::auth::claims::ClaimNames;
use crate::auth::{TokenRequest, mint};
use crate::config;

pub(super) fn command() -> Command {
    let role = Arg::new("role").long("role").value_name("R").required(true);
    let allowed = Arg::new("allowed-role").long("allowed-role").value_name("R").action(ArgAction::Append);
    let expires = Arg::new("expires").long("expires").value_name("SECONDS").default_value("3600");
    let key = Arg::new("private-key").long("private-key").value_name("FILE");
    Command::new("token")
        .about("Mint a token; standard output holds the token and nothing else")
        .arg(role.help("Its default role"))
        .arg(allowed.help("Another role it may pick"))
        .arg(explain::session())
        .arg(expires.value_parser(value_parser!(u64)).help("How long it holds"))
        .arg(key.help("The private key in PEM, where the JWT secret holds a public one"))
        .args(config::args(&["config", "jwt-secret", "profile", "header-prefix"]))
        .after_help(
            "Example:\n  postern token --jwt-secret '{\"type\":\"HS256\",\"key\":\"…\"}' --role user --session user_id=7",
        )
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let config = configured(&matches)?;
    let secret = config.jwt_secret.as_ref().ok_or(Failure::NoJwtSecret)?.reveal();
    let pem = matches.get_one::<String>("private-key").map(|path| read(path)).transpose()?;
    let grant = TokenRequest {
        role: matches.get_one::<String>("role").map(String::as_str).unwrap_or_default(),
        roles: matches.get_many::<String>("allowed-role").into_iter().flatten().cloned().collect(),
        values: session_values(&matches, &config.header_prefix)?.into_iter().collect(),
        seconds: matches.get_one::<u64>("expires").copied().unwrap_or(3600),
    };
    check_token_roles(&config, grant.roles.iter().map(String::as_str).chain([grant.role]))?;
    let naming = ClaimNames { prefix: &config.header_prefix, namespace: config.profile.claims_namespace() };
    print(&mint(secret, naming, pem.as_deref(), &grant)?)?;
    Ok(ExitCode::SUCCESS)
}
