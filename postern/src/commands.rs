//! The commands of `postern` and its `main`. Each command has a file with its flags and its code;
//! the helpers that they share are here.

mod accounts;
mod bench;
mod catalog;
mod check;
mod completions;
mod demo;
mod events;
mod explain;
mod health;
mod import;
mod init;
mod man;
mod openapi;
mod migrate;
mod pat;
mod schema;
mod serve;
mod token;
mod translate;
mod verify;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgMatches, Command};
use permissions::Defaults;
use pg::memory::MemoryBudget;
use pg::{ConnectError, Database, DatabaseError};
use sql::model::access::Access;

use gateway::actions::{self, NativeHandlers};
use gateway::auth::session::{ADMIN, value_name};
use gateway::config::{Config, ConfigError, Settings};
use gateway::error::Error;
use gateway::execute::schema_version::{LoadError, SchemaVersion};
use gateway::plugin::{self, Plugin};
use gateway::server::{StartError, compile_actions};

/// A command.
struct Entry {
    /// Builds its flags and its help.
    command: fn() -> Command,
    /// Runs it. The exit code is 0 on success and 1 if it found problems.
    run: fn(ArgMatches) -> Running,
}

type Running = Pin<Box<dyn Future<Output = Result<ExitCode, Failure>>>>;

/// Every command, in the order of `--help`.
const COMMANDS: &[Entry] = &[
    Entry {
        command: serve::command,
        run: |matches| Box::pin(serve::run(matches)),
    },
    Entry {
        command: demo::command,
        run: |matches| Box::pin(demo::run(matches)),
    },
    Entry {
        command: init::command,
        run: |matches| Box::pin(init::run(matches)),
    },
    Entry {
        command: check::command,
        run: |matches| Box::pin(check::run(matches)),
    },
    Entry {
        command: explain::command,
        run: |matches| Box::pin(explain::run(matches)),
    },
    Entry {
        command: translate::command,
        run: |matches| Box::pin(translate::run(matches)),
    },
    Entry {
        command: schema::command,
        run: |matches| Box::pin(schema::run(matches)),
    },
    Entry {
        command: openapi::command,
        run: |matches| Box::pin(openapi::run(matches)),
    },
    Entry {
        command: catalog::command,
        run: |matches| Box::pin(catalog::run(matches)),
    },
    Entry {
        command: import::command,
        run: |matches| Box::pin(import::run(matches)),
    },
    Entry {
        command: token::command,
        run: |matches| Box::pin(token::run(matches)),
    },
    Entry {
        command: pat::command,
        run: |matches| Box::pin(pat::run(matches)),
    },
    Entry {
        command: accounts::command,
        run: |matches| Box::pin(accounts::run(matches)),
    },
    Entry {
        command: events::command,
        run: |matches| Box::pin(events::run(matches)),
    },
    Entry {
        command: migrate::command,
        run: |matches| Box::pin(migrate::run(matches)),
    },
    Entry {
        command: bench::command,
        run: |matches| Box::pin(bench::run(matches)),
    },
    Entry {
        command: health::command,
        run: |matches| Box::pin(health::run(matches)),
    },
    Entry {
        command: completions::command,
        run: |matches| Box::pin(completions::run(matches)),
    },
    Entry {
        command: man::command,
        run: |matches| Box::pin(man::run(matches)),
    },
];

/// The stack of a worker thread in bytes: enough for the deepest documents that settings allow,
/// which overflow the default of 2 MiB. Unused pages take up no memory.
const WORKER_STACK_BYTES: usize = 16 << 20;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: io::Error },
    #[error("the policies of the database cannot be read: {0}")]
    Policies(String),
    #[error("the recorded requests: {0}")]
    Recorded(String),
    #[error("cannot write {}: {cause}", path.display())]
    Unwritable { path: PathBuf, cause: io::Error },
    #[error("{}: {cause}", path.display())]
    SavedCatalog {
        path: PathBuf,
        cause: sql::postgres::catalog::DecodeError,
    },
    #[error("{}: {cause}", path.display())]
    Metadata {
        path: PathBuf,
        cause: ::import::SourceError,
    },
    #[error("{} is there already; `--force` writes over it", .0.display())]
    Exists(PathBuf),
    #[error(
        "{} is there already and stays as it is; `--out` takes another name, and without `--out` \
         the new file is printed: postern init … | diff {} -",
        .0.display(),
        .0.display()
    )]
    InitExists(PathBuf),
    #[error("`{0}` is not like `name=value`")]
    Pair(String),
    #[error("`--session` gives `{0}` twice, in two spellings or in one")]
    PairTwice(String),
    #[error(
        "a token cannot open the role `admin`: the admin secret alone gives it, unless the \
             profile is `hasura`"
    )]
    AdminToken,
    #[error("there is no table `{0}` with a primary key of one column")]
    NoKey(String),
    #[error("{0}")]
    Unhealthy(String),
    #[error("there is no role `{role}`; {help}")]
    NoRole { role: String, help: String },
    #[error("the database has no tables in the schema `{0}`")]
    NoSchema(String),
    #[error("the variables are not a JSON object")]
    Variables,
    #[error("the variables are neither a JSON object nor an array of some")]
    ListedVariables,
    #[error("a header cannot hold `{0}`")]
    Header(String),
    #[error("cannot find {host}: {cause}")]
    Host { host: String, cause: io::Error },
    #[error(transparent)]
    Load(#[from] loadgen::LoadError),
    #[error("{}", .0.message())]
    Request(Error),
    #[error("{0}")]
    Database(#[from] DatabaseError),
    #[error("no JWT secret is set; set `--jwt-secret`")]
    NoJwtSecret,
    #[error(transparent)]
    JwtSecret(#[from] gateway::auth::jwt_config_error::JwtConfigError),
    #[error("the database is not changed: {0}")]
    Migration(String),
    #[error("{0}")]
    Token(&'static str),
    #[error("the settings have no `[accounts]`")]
    NoAccounts,
    #[error("there is no user `{0}` with a role")]
    NoUser(String),
    #[error(transparent)]
    Import(#[from] plugins::accounts::ImportError),
    #[error("there is no event trigger or schedule `{0}`")]
    NoTrigger(String),
    #[error("there is no event `{0}`")]
    NoEvent(uuid::Uuid),
    #[error("the event `{0}` does not exist, or is being delivered")]
    NotReplayed(uuid::Uuid),
    #[error("give the id of an event, or `--dead` with `--trigger`")]
    NothingToReplay,
    #[error("`{0}` is not a time like `30d`, `12h` or `90s`")]
    Age(String),
    #[error("pending events are not removed without `--yes`, or `yes` at a terminal")]
    NotConfirmed,
    #[error(transparent)]
    Demo(#[from] ::demo::DemoError),
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        Failure::Start(error.into())
    }
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Failure {
        Failure::Start(error.into())
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        Failure::Start(error.into())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Request(error)
    }
}

/// How long the end of a command waits for its threads.
const RUNTIME_TIMEOUT: Duration = Duration::from_secs(2);

/// Parses the command line and runs the command.
pub(crate) fn main() -> ExitCode {
    let matches = command().get_matches();
    let Some((name, matches)) = matches.subcommand() else {
        return ExitCode::from(2);
    };
    let Some(entry) = COMMANDS
        .iter()
        .find(|entry| (entry.command)().get_name() == name)
    else {
        return ExitCode::from(2);
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(WORKER_STACK_BYTES)
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return fail(&Failure::Output(error)),
    };
    let outcome = runtime.block_on((entry.run)(matches.clone()));
    // A thread that waits for a file or a name server does not hold up the end for longer.
    runtime.shutdown_timeout(RUNTIME_TIMEOUT);
    if !gateway::telemetry::log::flush() {
        // Nobody reads standard error, so a message would wait as the log does.
        return outcome.unwrap_or(ExitCode::FAILURE);
    }
    match outcome {
        Ok(code) => code,
        // The reader of standard output closed it, such as `head`.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => fail(&failure),
    }
}

fn command() -> Command {
    Command::new("postern")
        .about("A GraphQL and REST gateway for an existing Postgres database")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(COMMANDS.iter().map(|entry| (entry.command)()))
}

/// An error of a start, with the lines of files that have faults.
fn drawn(error: &StartError) -> String {
    match error {
        StartError::Load(LoadError::Permissions { problems, file }) => {
            permissions::render(problems, file, coloured())
        }
        StartError::RestMap { problems, file } => permissions::render(problems, file, coloured()),
        StartError::Several(errors) => errors.iter().map(drawn).collect::<Vec<_>>().join("\n"),
        other => format!("error: {other}{}", hint_to_wait(other)),
    }
}

/// What helps if nothing listens at the database's address yet.
fn hint_to_wait(error: &StartError) -> &'static str {
    let is_away = matches!(
        error,
        StartError::Connect(ConnectError::Refused { .. })
            | StartError::Load(LoadError::Database(DatabaseError::Unavailable(_)))
    );
    if is_away && error.to_string().contains("Connection refused") {
        "\n  help: is the database running? `postern serve --wait-for-database 60` waits for it"
    } else {
        ""
    }
}

/// Prints an error to standard error and returns its exit code. Errors of the permission file and
/// the REST map are shown with their lines.
fn fail(failure: &Failure) -> ExitCode {
    print_error(&described(failure));
    exit_code(failure)
}

fn described(failure: &Failure) -> String {
    match failure {
        Failure::Start(error) => drawn(error),
        other => format!("error: {other}"),
    }
}

fn exit_code(failure: &Failure) -> ExitCode {
    match failure {
        Failure::Pair(_)
        | Failure::PairTwice(_)
        | Failure::AdminToken
        | Failure::NothingToReplay
        | Failure::NotConfirmed
        | Failure::Age(_) => ExitCode::from(2),
        _ => ExitCode::FAILURE,
    }
}

/// The permissions of a role, which the permission file must contain.
fn access(schema: &SchemaVersion, role: &str) -> Result<Arc<Access>, Failure> {
    schema.permissions.role(role).cloned().ok_or_else(|| {
        let roles = schema.permissions.roles().map(|access| access.role());
        let roles: Vec<&str> = roles.collect();
        let help = permissions::did_you_mean(role, roles.iter().copied())
            .unwrap_or_else(|| format!("the roles are {}", permissions::listed(roles)));
        Failure::NoRole {
            role: role.to_owned(),
            help,
        }
    })
}

/// Writes a line to standard error. A failure is ignored, since there is nowhere to report it.
fn print_error(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes to standard output, with a line end.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

fn coloured() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Awaits `work`, and prints `what` to standard error if it takes longer than a second.
async fn slowly<T>(what: &str, work: impl Future<Output = T>) -> T {
    tokio::pin!(work);
    match tokio::time::timeout(Duration::from_secs(1), &mut work).await {
        Ok(done) => done,
        Err(_) => {
            print_error(&format!("{what} …"));
            work.await
        }
    }
}

/// The plugins of the gateway and of the demo.
fn all_plugins() -> Vec<Arc<dyn Plugin>> {
    plugins::all()
        .into_iter()
        .chain(::demo::plugins())
        .collect()
}

/// The defaults of the permission file under these settings.
fn permission_defaults(config: &Config) -> Defaults {
    plugin::permission_defaults(config, &all_plugins())
}

/// The configuration of a command.
fn configured(matches: &ArgMatches) -> Result<Config, Failure> {
    let mut settings = Settings::from_arguments(matches)?;
    all_plugins()
        .iter()
        .for_each(|plugin| settings.claim(plugin.sections()));
    ConfigError::from_faults(settings.unclaimed_tables())?;
    Ok(Config::new(&settings))
}

/// Connects to the configured database.
/// Grants the actions that the settings name to their roles.
async fn grant_actions(
    config: &Config,
    schema: &SchemaVersion,
    database: &Database,
) -> Result<(), Failure> {
    let source = actions::Source::from_config(config).map_err(StartError::from)?;
    let native = NativeHandlers::default();
    compile_actions(
        source.as_ref(),
        &schema.permissions,
        database,
        &native,
        config,
    )
    .await?;
    Ok(())
}

async fn connect(config: &Config) -> Result<Database, Failure> {
    let settings = gateway::server::database_settings(config, MemoryBudget::default())?;
    let database = slowly("connecting to the database", Database::connect(&settings)).await?;
    database
        .warnings()
        .iter()
        .for_each(|warning| print_error(&format!("warning: {warning}")));
    Ok(database)
}

/// The pairs of `--session name=value`; names may be written like headers.
fn session_values(
    matches: &ArgMatches,
    prefix: &str,
) -> Result<gateway::auth::session::Values, Failure> {
    let mut values = gateway::auth::session::Values::new();
    for pair in matches.get_many::<String>("session").into_iter().flatten() {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| Failure::Pair(pair.clone()))?;
        let name = name.to_ascii_lowercase();
        let name = value_name(
            name.strip_prefix(&prefix.to_ascii_lowercase())
                .unwrap_or(&name),
        );
        if values.insert(name.clone(), value.to_owned()).is_some() {
            return Err(Failure::PairTwice(name));
        }
    }
    Ok(values)
}

/// Rejects roles that a token cannot contain: `admin`, unless the profile allows it in tokens.
fn check_token_roles<'r>(
    config: &Config,
    roles: impl IntoIterator<Item = &'r str>,
) -> Result<(), Failure> {
    let trusted = config.profile.trusts_admin_tokens();
    if roles.into_iter().any(|role| role == ADMIN && !trusted) {
        Err(Failure::AdminToken)
    } else {
        Ok(())
    }
}

/// Reads a file, or standard input for `-`.
fn read(path: &str) -> Result<String, Failure> {
    let unreadable = |cause| Failure::Unreadable {
        path: path.into(),
        cause,
    };
    match path {
        "-" => io::read_to_string(io::stdin()).map_err(unreadable),
        path => std::fs::read_to_string(path).map_err(unreadable),
    }
}

/// The JSON object of `--variables`, or of the file after its `@`.
fn variables(matches: &ArgMatches) -> Result<serde_json::Map<String, serde_json::Value>, Failure> {
    let Some(text) = matches.get_one::<String>("variables") else {
        return Ok(serde_json::Map::new());
    };
    let text = match text.strip_prefix('@') {
        Some(path) => read(path)?,
        None => text.clone(),
    };
    serde_json::from_str(&text).map_err(|_| Failure::Variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_an_example() {
        command().debug_assert();
        for entry in COMMANDS {
            check_example("postern", (entry.command)());
        }
    }

    /// Fails unless the help of a command and of each of its subcommands has an example of that
    /// very command.
    fn check_example(before: &str, mut command: Command) {
        let name = format!("{before} {}", command.get_name());
        let help = command.render_long_help().to_string();
        let examples = help.split("Example").nth(1).unwrap_or_default();
        assert!(examples.contains(&name), "{name}: {help}");
        let subcommands = command
            .get_subcommands()
            .filter(|subcommand| subcommand.get_name() != "help");
        subcommands.for_each(|subcommand| check_example(&name, subcommand.clone()));
    }

    #[test]
    fn every_option_of_a_command_stands_in_a_page() {
        let pages = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs")).unwrap();
        let pages =
            pages.map(|page| std::fs::read_to_string(page.unwrap().path()).unwrap_or_default());
        let pages = pages.collect::<Vec<_>>().join("\n");
        let mut commands: Vec<Command> = COMMANDS.iter().map(|entry| (entry.command)()).collect();
        let mut missing = vec![];
        while let Some(command) = commands.pop() {
            commands.extend(command.get_subcommands().cloned());
            let options = command
                .get_arguments()
                .filter_map(|argument| argument.get_long());
            let is_missing = |option: &&str| !pages.contains(&format!("--{option}"));
            missing.extend(
                options
                    .filter(is_missing)
                    .map(|option| format!("{} --{option}", command.get_name())),
            );
        }
        assert_eq!(missing, Vec::<String>::new());
    }

    #[test]
    fn session_values_may_be_named_like_headers() {
        let command = Command::new("x").arg(explain::session());
        let matches = command.get_matches_from([
            "x",
            "--session",
            "X-Gateway-User-Id=7",
            "--session",
            "b=c=d",
        ]);
        let values = session_values(&matches, "X-Gateway-").unwrap();
        assert_eq!(
            values,
            [("b", "c=d"), ("user_id", "7")]
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
                .into()
        );
        let matches =
            Command::new("x")
                .arg(explain::session())
                .get_matches_from(["x", "--session", "b"]);
        assert!(session_values(&matches, "X-Gateway-").is_err());
        for (first, second) in [
            ("user-id=1", "User_Id=2"),
            ("user_id=1", "X-Gateway-User-Id=1"),
            ("a=1", "a=1"),
        ] {
            let command = Command::new("x").arg(explain::session());
            let matches = command.get_matches_from(["x", "--session", first, "--session", second]);
            assert!(
                matches!(
                    session_values(&matches, "X-Gateway-"),
                    Err(Failure::PairTwice(_))
                ),
                "{first} {second}"
            );
        }
    }
}
