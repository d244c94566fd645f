//! The demo: a privacy service on a temporary Postgres cluster, which `postern demo` serves and
//! tests use. It holds the service's files, sample data and tokens; the crate `cluster` starts
//! Postgres.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod certificate;
mod dashboard;
mod team;
mod webhooks;
mod widgets;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use certificate::Certificate;
pub use certificate::CertificateError;
use cluster::Cluster;
use dashboard::Dashboard;
use permissions::SourceFile;
use serde_json::{Map, Value, json};
use tokio_postgres::NoTls;

use gateway::actions;
use gateway::auth::claims::ClaimNames;
use gateway::auth::{TokenRequest, mint};
use gateway::config::{ConfigError, Secret, Settings};
use gateway::migrations;
use gateway::plugin::Plugin;
use gateway::rest::{Documents, Source};
use plugins::token_exchange;
use team::Team;
pub use team::TeamError;
use webhooks::WebhookSecrets;
use widgets::Widgets;

const SCHEMA: &str = include_str!("../schema.sql");
const DATA_MAP: &str = include_str!("../data_map.sql");
const DEADLINES: &str = include_str!("../deadlines.sql");
const MESSAGES: &str = include_str!("../messages.sql");
const ACTIVITIES: &str = include_str!("../activities.sql");
const TEAM: &str = include_str!("../team.sql");
const RETENTION: &str = include_str!("../retention.sql");
const CHECKS: &str = include_str!("../checks.sql");
const WORKFLOW: &str = include_str!("../workflow.sql");
const CONTACTS: &str = include_str!("../contacts.sql");
const EXPORT: &str = include_str!("../export.sql");
const ERASURE: &str = include_str!("../erasure.sql");
const FUNCTIONS: &str = include_str!("../actions.sql");
const INVITATIONS: &str = include_str!("../invitations.sql");
const TERMS: &str = include_str!("../answers/terms.sql");
const READING: &str = include_str!("../answers/reading.sql");
const PASSAGES: &str = include_str!("../answers/passages.sql");
const ANSWERS: &str = include_str!("../answers.sql");
const WIDGETS_SCHEMA: &str = include_str!("../widgets.sql");
const DATA: &str = include_str!("../data.sql");

/// The service's tables, functions and data, in the order in which they are loaded.
pub const SCRIPTS: [&str; 20] = [
    SCHEMA,
    DATA_MAP,
    ACTIVITIES,
    TEAM,
    DEADLINES,
    MESSAGES,
    WORKFLOW,
    RETENTION,
    CONTACTS,
    EXPORT,
    ERASURE,
    FUNCTIONS,
    INVITATIONS,
    TERMS,
    READING,
    PASSAGES,
    ANSWERS,
    DATA,
    WIDGETS_SCHEMA,
    CHECKS,
];

/// What processes webhooks. It needs the gateway's own tables.
pub const INTEGRATIONS: &str = include_str!("../integrations.sql");
const PERMISSIONS: &str = include_str!("../permissions.toml");
const SETTINGS: &str = include_str!("../gateway.toml");
const ACTIONS: &str = include_str!("../actions.toml");
const ACTION_TYPES: &str = include_str!("../actions.graphql");
const REST_MAP: &str = include_str!("../rest-map.toml");

/// The documents with their paths in the REST map.
macro_rules! documents {
    ($($name:literal)*) => {
        &[$((concat!("demo/queries/", $name, ".graphql"), include_str!(concat!("../queries/", $name, ".graphql")))),*]
    };
}

const DOCUMENTS: &[(&str, &str)] = documents! {
    "AnswerFAQ" "GetDataControllerDetails" "GetDataControllerFAQs" "GetDataControllerPurposeDataItems"
    "GetDataControllerPurposeTemplateLinks" "GetDataControllerPurposes" "GetDataControllerUsers"
    "GetDataProcessingActivityFields" "GetDataSubjectDataMapping" "GetDataSubjectsCountByController"
    "GetDataSubjectsRightsRequests" "GetNotificationMessagesByDataSubject" "GetPrivacyNotices"
    "GetPurposeBusinessTemplates" "GetPurposeOperationalTemplates" "InsertDataSubjectsRightsRequest"
    "UpdateNotificationIsRead"
};

/// The language model of the environment, as the declarations of actions name one.
const MODEL: &str = r#"
[action.answerFAQ.model]
url_from_env = "POSTERN_DEMO_MODEL_URL"
name = "${POSTERN_DEMO_MODEL}"
question = "question"
passages = "sources"
answer = "answer"
generated = "generated"
"#;

/// Other providers that people sign in with, by the variable with the client's id. The variable
/// with its secret ends in `SECRET` in place of `ID`.
const PROVIDERS: [(&str, &str); 2] = [
    (
        "POSTERN_DEMO_GOOGLE_CLIENT_ID",
        "[accounts.provider.google]\nissuer = \"https://accounts.google.com\"\n",
    ),
    (
        "POSTERN_DEMO_GITHUB_CLIENT_ID",
        "[accounts.provider.github]\nkind = \"github\"\n",
    ),
];

/// The plugins of the demo.
pub fn plugins() -> Vec<Arc<dyn Plugin>> {
    vec![Arc::new(Widgets::default()), Arc::new(Dashboard::default())]
}

/// The database's name.
const DATABASE: &str = "privacy";

/// Rows of the sample data, by their keys in line 1 of the output.
const ROWS: [(&str, &str); 6] = [
    ("user_id", "510d46b8-da91-4480-b034-697c827e7a6d"),
    ("data_controller_id", "22b15ffe-a936-420d-b21b-297d1782b9f2"),
    ("data_subject_id", "45f3ed8d-b848-4953-b66d-d9210bf5ca24"),
    ("purpose_id", "3fa13411-c24c-4fd1-b271-0078fb7775ed"),
    (
        "other_data_controller_id",
        "c7956cb2-a001-4eb6-b189-1fa63e473002",
    ),
    (
        "other_data_subject_id",
        "e46cb09f-1091-4185-b3f2-9aa6f01ca38d",
    ),
];

/// The account of widgets on web sites, as the demo's settings name it.
const WIDGETS: &str = "6c0b5b50-2f7e-4d1c-9d0c-0f3f6a1b7e55";

/// The name of the demo's personal access tokens; each start creates new ones.
const TOKENS: &str = "demo";

/// A personal access token, by its key in line 1 of the output.
#[derive(Debug)]
struct PersonalToken {
    key: &'static str,
    user: &'static str,
    /// The role that the token opens; if it opens all of the user's roles, the default one.
    role: &'static str,
    all: bool,
    token: Secret,
}

/// A running cluster with the service's data. Dropping it stops the cluster.
#[derive(Debug)]
pub struct Demo {
    cluster: Cluster,
    admin_secret: String,
    jwt_secret: String,
    tokens: [PersonalToken; 4],
    webhooks: WebhookSecrets,
    team: Team,
    /// Signs the identities of the customers of the sites with widgets.
    identity_key: String,
    /// The folder that keeps the data; `None` if the data is temporary.
    data_dir: Option<PathBuf>,
    /// The certificate of the gateway's own port; `None` if it serves plain HTTP.
    certificate: Option<Certificate>,
}

/// Why the demo could not start.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The cluster did not start.
    #[error(transparent)]
    Cluster(#[from] cluster::Error),
    /// The data could not be loaded.
    #[error("the demo's data cannot be loaded: {}", database_message(.0))]
    Load(#[from] tokio_postgres::Error),
    /// The installed Postgres lacks types that the demo's tables have.
    #[error(
        "the demo needs Postgres {OLDEST_POSTGRES} or newer, and {} has version {version}; put the \
         programs of a newer one first on PATH",
        folder.display()
    )]
    OldPostgres {
        /// The folder of its programs.
        folder: PathBuf,
        /// Its version.
        version: String,
    },
    /// The kept data has other tables than this version loads.
    #[error(
        "the data in {} is of another version of the demo: delete the folder, or name another one",
        .0.display()
    )]
    OtherVersion(PathBuf),
    /// The team cannot sign in.
    #[error(transparent)]
    Team(#[from] TeamError),
    /// There is no certificate.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The thread that starts the cluster panicked or was cancelled.
    #[error("the cluster could not be started")]
    Interrupted,
}

/// The oldest version of Postgres that has multiranges.
const OLDEST_POSTGRES: u32 = 14;

/// What the database says; the client's own text for its errors is "db error".
fn database_message(error: &tokio_postgres::Error) -> String {
    error
        .as_db_error()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

impl Demo {
    /// Starts a cluster and loads the data, unless `data_dir` contains it from an earlier start.
    /// The sample data ends now.
    pub async fn start(data_dir: Option<PathBuf>) -> Result<Demo, DemoError> {
        Demo::start_until(data_dir, None).await
    }

    /// As `start`, with sample data that ends at a moment, such as `2025-06-30T17:00:00Z`, so that
    /// it has the same rows each time.
    pub async fn start_until(
        data_dir: Option<PathBuf>,
        end: Option<&str>,
    ) -> Result<Demo, DemoError> {
        let options = cluster::Options {
            data_dir: data_dir.clone(),
            ..cluster::Options::default()
        };
        let started = tokio::task::spawn_blocking(|| Cluster::start(options)).await;
        let cluster = started.map_err(|_| DemoError::Interrupted)??;
        let key = || {
            format!(
                "{}{}",
                uuid::Uuid::new_v4().simple(),
                uuid::Uuid::new_v4().simple()
            )
        };
        let jwt_secret = json!({"type": "HS256", "key": key()}).to_string();
        let token = |(key, user, role, all)| PersonalToken {
            key,
            user,
            role,
            all,
            token: Secret::new(token_exchange::personal()),
        };
        let tokens = [
            ("pat", row("user_id"), "user", true),
            ("pat_me", row("user_id"), "me", false),
            (
                "pat_data_subject",
                row("data_subject_id"),
                "dataSubject",
                true,
            ),
            ("pat_anonymous", WIDGETS, "anonymous", true),
        ];
        let webhooks = WebhookSecrets::generate();
        let tokens = tokens.map(token);
        load(&cluster, data_dir.as_deref(), end).await?;
        let team = open(&cluster, &tokens, &webhooks).await?;
        Ok(Demo {
            cluster,
            admin_secret: key(),
            jwt_secret,
            tokens,
            webhooks,
            team,
            identity_key: key(),
            data_dir,
            certificate: None,
        })
    }

    /// The database's URL.
    pub fn database_url(&self) -> String {
        self.cluster.url(DATABASE)
    }

    /// The permission file.
    pub fn permissions(&self) -> SourceFile {
        SourceFile::new("demo/permissions.toml", PERMISSIONS)
    }

    /// The declarations of actions. The variables `POSTERN_DEMO_MODEL_URL` and `POSTERN_DEMO_MODEL`
    /// name a language model that words answers to questions.
    pub fn actions(&self) -> actions::Source {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let model = match is_set("POSTERN_DEMO_MODEL_URL") {
            true if is_set("POSTERN_DEMO_MODEL_KEY") => {
                format!("{MODEL}key_from_env = \"POSTERN_DEMO_MODEL_KEY\"\n")
            }
            true => MODEL.to_owned(),
            false => String::new(),
        };
        actions::Source {
            definitions: SourceFile::new("demo/actions.toml", format!("{ACTIONS}{model}")),
            types: SourceFile::new("demo/actions.graphql", ACTION_TYPES),
        }
    }

    /// The REST map.
    pub fn rest_map(&self) -> Source {
        Source::new("rest-map.toml", REST_MAP, Documents::Given(DOCUMENTS))
    }

    /// Makes a certificate for this machine's names and one more, with which the gateway serves
    /// HTTPS. Its files are in the folder of the data.
    pub fn enable_tls(&mut self, name: Option<&str>) -> Result<(), DemoError> {
        let folder = self.data_dir.as_deref();
        let folder = folder.unwrap_or_else(|| self.cluster.socket_dir());
        self.certificate = Some(Certificate::write(folder, name)?);
        Ok(())
    }

    /// The demo's settings file for a gateway with a URL, with the secrets of this start.
    pub fn settings_text(&self, url: &str) -> String {
        let server_url = browser_url(url);
        let (domain, origin) = passkey_domain(&server_url);
        SETTINGS
            .replace("${WIDGETS_IDENTITY_KEY}", &self.identity_key)
            .replace("${ACCOUNTS_KEY}", &self.team.accounts_key)
            .replace("${SERVER_URL}", &server_url)
            .replace("${PASSKEY_DOMAIN}", &domain)
            .replace("${PASSKEY_ORIGIN}", &origin)
            + &providers(&|name| std::env::var(name).ok())
    }

    /// The demo's settings for a gateway with a URL, with its database and secrets.
    pub fn settings(&self, url: &str) -> Result<Settings, ConfigError> {
        self.settings_of(&self.settings_text(url))
    }

    /// The demo's settings from a changed settings file, with its database and secrets.
    pub fn settings_of(&self, settings: &str) -> Result<Settings, ConfigError> {
        let declarations = self.webhooks.declarations(self.certificate.is_some());
        let text = format!("{settings}\n{declarations}");
        let mut settings = Settings::from_text("demo/gateway.toml", &text)?;
        // Overrides libpq's environment variables: the cluster has no certificate and listens only
        // on this machine.
        settings.set(
            "database-url",
            &format!(
                "{}?sslmode=disable&channel_binding=disable",
                self.database_url()
            ),
        )?;
        settings.set("admin-secret", &self.admin_secret)?;
        settings.set("jwt-secret", &self.jwt_secret)?;
        if let Some(certificate) = &self.certificate {
            settings.set("tls-cert", &certificate.file.to_string_lossy())?;
            settings.set("tls-key", &certificate.key_file.to_string_lossy())?;
        }
        Ok(settings)
    }

    /// Writes where the dashboard of a gateway with a URL is, for links in mails.
    pub async fn publish_url(&self, url: &str) -> Result<(), DemoError> {
        let dashboard = team::dashboard(&browser_url(url));
        let statement = "UPDATE service_settings SET dashboard_url = $1";
        let client = client(&self.cluster, DATABASE).await?;
        client.execute(statement, &[&dashboard]).await?;
        Ok(())
    }

    /// The key that signs the identities of the customers of the sites with widgets.
    pub fn identity_key(&self) -> &str {
        &self.identity_key
    }

    /// Line 1 of the output: the service's URL, its secrets, ids of sample rows, what the team
    /// signs in with, and how to send webhooks.
    pub fn facts(&self, url: &str) -> Map<String, Value> {
        let facts = [
            ("url", url.to_owned()),
            ("admin_secret", self.admin_secret.clone()),
            ("jwt_secret", self.jwt_secret.clone()),
            ("database_url", self.database_url()),
        ];
        let tokens = self
            .tokens
            .iter()
            .map(|token| (token.key, token.token.reveal().to_owned()));
        let facts = facts
            .into_iter()
            .chain(tokens)
            .map(|(key, value)| (key.to_owned(), Value::from(value)));
        let webhooks = Value::Object(self.webhooks.facts(url, row("data_controller_id")));
        let rows = ROWS.map(|(key, id)| (key.to_owned(), id.into()));
        let certificate = self.certificate.iter().flat_map(|certificate| {
            let file = certificate.file.to_string_lossy();
            [
                ("certificate".to_owned(), file.into()),
                (
                    "certificate_fingerprint".to_owned(),
                    certificate.fingerprint.as_str().into(),
                ),
            ]
        });
        facts
            .chain(certificate)
            .chain(rows)
            .chain(self.team.facts(&browser_url(url)))
            .chain([("webhooks".to_owned(), webhooks)])
            .collect()
    }

    /// The beginning of a command that sends a request: `curl -s`, with the certificate to trust.
    fn curl(&self) -> String {
        match &self.certificate {
            None => "curl -s".to_owned(),
            Some(certificate) => format!("curl -s --cacert '{}'", certificate.file.display()),
        }
    }

    /// A token for a role, with the session values that its rules read.
    pub fn token(&self, role: &str) -> Option<String> {
        let values = match role {
            "dataSubject" => vec![("data_subject_id", row("data_subject_id"))],
            "anonymous" => vec![],
            _ => vec![("user_id", row("user_id"))],
        };
        let values = values
            .into_iter()
            .map(|(name, id)| (name.to_owned(), id.to_owned()));
        let grant = TokenRequest {
            role,
            roles: vec![],
            values: values.collect(),
            seconds: TOKEN_SECONDS,
        };
        mint(&self.jwt_secret, ClaimNames::default(), None, &grant).ok()
    }
}

/// Loads the data into a database of another name and renames it at the end, so that a partly
/// loaded one is never used.
async fn load(
    cluster: &Cluster,
    data_dir: Option<&Path>,
    end: Option<&str>,
) -> Result<(), DemoError> {
    let postgres = client(cluster, "postgres").await?;
    check_server(cluster, &postgres).await?;
    let exists = postgres
        .query_opt("SELECT 1 FROM pg_database WHERE datname = $1", &[&DATABASE])
        .await?;
    if exists.is_some() {
        return check_version(&postgres, data_dir).await;
    }
    postgres
        .batch_execute("DROP DATABASE IF EXISTS privacy_loading")
        .await?;
    postgres
        .batch_execute("CREATE DATABASE privacy_loading")
        .await?;
    let loading = client(cluster, "privacy_loading").await?;
    let statement = "SELECT set_config('demo.end', coalesce($1, ''), false)";
    loading.execute(statement, &[&end]).await?;
    for script in SCRIPTS {
        loading.batch_execute(script).await?;
    }
    // The comment stays with the database when it is renamed.
    let comment = format!("COMMENT ON DATABASE privacy_loading IS '{}'", version());
    loading.batch_execute(&comment).await?;
    drop(loading);
    rename(&postgres).await
}

/// Checks that the server has the types of the demo's tables.
async fn check_server(
    cluster: &Cluster,
    postgres: &tokio_postgres::Client,
) -> Result<(), DemoError> {
    let version: String = postgres.query_one("SHOW server_version", &[]).await?.get(0);
    let major = version.split(['.', ' ']).next().unwrap_or_default();
    if major
        .parse()
        .is_ok_and(|major: u32| major < OLDEST_POSTGRES)
    {
        let folder = cluster.bin("");
        return Err(DemoError::OldPostgres { folder, version });
    }
    Ok(())
}

/// Checks that the kept data was loaded by the scripts of this version. Tables of another one
/// would fail later, at the first request that needs what they lack.
async fn check_version(
    postgres: &tokio_postgres::Client,
    data_dir: Option<&Path>,
) -> Result<(), DemoError> {
    let kept = "SELECT shobj_description(d.oid, 'pg_database') FROM pg_database d WHERE \
                d.datname = $1";
    let kept: Option<String> = postgres.query_one(kept, &[&DATABASE]).await?.get(0);
    match data_dir {
        Some(folder) if kept != Some(version()) => Err(DemoError::OtherVersion(folder.to_owned())),
        _ => Ok(()),
    }
}

/// Migrates the gateway's schema, revokes tokens and keys of earlier starts and stores those of
/// this one, and what the team signs in with.
async fn open(
    cluster: &Cluster,
    tokens: &[PersonalToken],
    webhooks: &WebhookSecrets,
) -> Result<Team, DemoError> {
    let client = client(cluster, DATABASE).await?;
    migrations::migrate(&client, &plugins::migrations()).await?;
    client
        .execute(
            "UPDATE postern.personal_access_token SET revoked_at = now() WHERE name = $1 AND \
             revoked_at IS NULL",
            &[&TOKENS],
        )
        .await?;
    let statement = "WITH made AS (
           INSERT INTO postern.personal_access_token (id, user_id, name, roles, digest)
           VALUES (gen_random_uuid(), $1, $2, $3, decode($4, 'hex')) RETURNING id, user_id
         )
         INSERT INTO postern.authentication_event (event, outcome, user_id, token_id)
         SELECT 'token-created', 'success', m.user_id, m.id FROM made m";
    for PersonalToken {
        user,
        role,
        all,
        token,
        ..
    } in tokens
    {
        let roles = (!all).then(|| vec![*role]);
        let digest = token_exchange::digest(token.reveal());
        client
            .execute(statement, &[user, &TOKENS, &roles, &digest])
            .await?;
    }
    // Its functions take rows of the gateway's own tables.
    client.batch_execute(INTEGRATIONS).await?;
    // Those that Administrators have made stay.
    client
        .execute("DELETE FROM integrations.keys WHERE name IS NULL", &[])
        .await?;
    let statement = "INSERT INTO integrations.keys (did, service, digest, secret) VALUES ($1, $2, \
                     decode($3, 'hex'), $4)";
    for (service, digest, secret) in webhooks.keys() {
        client
            .execute(
                statement,
                &[&webhooks::CONTROLLER_DID, &service, &digest, &secret],
            )
            .await?;
    }
    Ok(Team::open(&client, row("data_controller_id"), row("user_id")).await?)
}

async fn client(cluster: &Cluster, database: &str) -> Result<tokio_postgres::Client, DemoError> {
    let (client, connection) = tokio_postgres::connect(&cluster.url(database), NoTls).await?;
    // The connection task ends with its client, which reports its errors.
    tokio::spawn(async move { connection.await.ok() });
    Ok(client)
}

/// The settings of the providers whose clients the environment names.
fn providers(variable: &dyn Fn(&str) -> Option<String>) -> String {
    let settings = PROVIDERS.iter().filter_map(|(id, settings)| {
        variable(id).filter(|value| !value.is_empty())?;
        let secret = id.replace("CLIENT_ID", "CLIENT_SECRET");
        Some(format!(
            "\n{settings}client_id = \"${{{id}}}\"\nclient_secret = \"${{{secret}}}\"\n"
        ))
    });
    settings.collect()
}

/// The URL with which a browser opens the service: passkeys need a domain, and cookies over plain
/// HTTP a host that browsers trust.
fn browser_url(url: &str) -> String {
    ["127.0.0.1", "[::1]", "0.0.0.0", "[::]"]
        .into_iter()
        .find_map(|host| {
            let (scheme, port) = url.split_once(&format!("://{host}:"))?;
            Some(format!("{scheme}://localhost:{port}"))
        })
        .unwrap_or_else(|| url.to_owned())
}

/// The domain and the origin of passkeys. An address that is no domain has none, so that only a
/// browser on the same machine makes passkeys.
fn passkey_domain(server_url: &str) -> (String, String) {
    let (scheme, rest) = server_url.split_once("://").unwrap_or_default();
    let (host, port) = rest.rsplit_once(':').unwrap_or((rest, "443"));
    let is_domain = host.starts_with(|first: char| first.is_ascii_alphabetic());
    if is_domain && (scheme == "https" || host == "localhost") {
        (host.to_owned(), server_url.to_owned())
    } else {
        ("localhost".to_owned(), format!("http://localhost:{port}"))
    }
}

/// The lifetime of a token in the summary, in seconds.
const TOKEN_SECONDS: u64 = 12 * 3600;

/// Renames the database. Retries because the server may take a moment to notice that a connection
/// was closed.
async fn rename(postgres: &tokio_postgres::Client) -> Result<(), DemoError> {
    let mut tries = 0..50;
    loop {
        match postgres
            .batch_execute("ALTER DATABASE privacy_loading RENAME TO privacy")
            .await
        {
            Err(error)
                if error.code().is_some_and(|code| code.code() == "55006")
                    && tries.next().is_some() =>
            {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
            result => return Ok(result?),
        }
    }
}

/// Names the tables and data that this version loads.
fn version() -> String {
    format!("postern demo {}", token_exchange::digest(&SCRIPTS.concat()))
}

fn row(key: &str) -> &'static str {
    ROWS.iter()
        .find(|(name, _)| *name == key)
        .map_or("", |(_, id)| id)
}

/// The facts as an environment file: `POSTERN_DEMO_URL=…`. Values other than strings are written as
/// JSON.
pub fn environment(facts: &Map<String, Value>) -> String {
    let mut lines = String::new();
    for (key, value) in facts {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let _ = writeln!(lines, "POSTERN_DEMO_{}={text}", key.to_uppercase());
    }
    lines
}

/// The summary for people: the URL, and commands to copy.
pub fn summary(demo: &Demo, url: &str) -> String {
    let curl = demo.curl();
    let mut text = format!(
        "\nThe privacy service is at {url}/v1/graphql\n\
         The console, with the admin secret below  {url}/console\n\
         A shop with its widgets  {url}/widgets/demo (German), {url}/widgets/demo?lang=en \
         (English), {url}/widgets/demo?lang=nl (Dutch)\n\n\
         psql        {}\nadmin       X-Gateway-Admin-Secret: {}\n\n",
        demo.database_url(),
        demo.admin_secret
    );
    text.push_str(&demo.team.summary(&browser_url(url)));
    if let Some(certificate) = &demo.certificate {
        let _ = write!(
            text,
            "certificate {}\n            SHA-256 {}\n\n",
            certificate.file.display(),
            certificate.fingerprint
        );
    }
    let queries = [
        (
            "user",
            "the controllers Mara Lindemann is a member of",
            "{ dataControllers(order_by: {title: asc}) { id title industry } }",
        ),
        (
            "dataSubject",
            "what is known about Lena Fischer",
            "{ dataSubjects { did dataController { title } dataProcessingActivities(order_by: \
             {triggeredAt: desc}, limit: 3) { triggeredAt type { label } source { label } } } }",
        ),
        (
            "anonymous",
            "the public face of a controller",
            "{ dataControllers(limit: 3, order_by: {title: asc}) { title description purposes { \
             title legalBasis } } }",
        ),
    ];
    for (role, about, query) in queries {
        let token = demo.token(role).unwrap_or_default();
        let body = json!({ "query": query });
        let _ = write!(
            text,
            "# role {role}: {about}\n{curl} {url}/v1/graphql -H 'Content-Type: \
                              application/json' -H 'X-Gateway-Role: {role}' \\\n  \
                              -H 'Authorization: Bearer {token}' \\\n  -d '{body}'\n\n"
        );
    }
    let token = demo.token("user").unwrap_or_default();
    let _ = write!(
        text,
        "# role user: what it may ask by the Model Context Protocol\n{curl} \
                          {url}/mcp -H 'Content-Type: application/json' \
                          -H 'X-Gateway-Role: user' \\\n  -H 'Authorization: Bearer {token}' \
                          \\\n  \
                          -d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}}'\n\n"
    );
    for PersonalToken { role, token, .. } in demo.tokens.iter().take(1) {
        let body = json!({"personalAccessToken": token.reveal()});
        let _ = write!(
            text,
            "# a personal access token becomes a session, for the role \
                              {role}\n{curl} {url}/v1/signin/pat \\\n  \
                              -H 'Content-Type: application/json' -d '{body}'\n\n"
        );
    }
    text.push_str(&demo.webhooks.command(url, &curl));
    text.push_str("Ctrl-C stops the gateway and its database.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_file_has_one_line_per_fact() {
        let facts = json!({"url": "http://x", "webhooks": {"a": 1}});
        let Value::Object(facts) = facts else {
            unreachable!()
        };
        assert_eq!(
            environment(&facts),
            "POSTERN_DEMO_URL=http://x\nPOSTERN_DEMO_WEBHOOKS={\"a\":1}\n"
        );
    }

    #[test]
    fn provider_is_offered_if_the_environment_has_its_client() {
        let none = providers(&|_| None);
        let github = |name: &str| name.contains("GITHUB").then(|| "x".to_owned());
        let found = providers(&github);
        assert_eq!(
            (none.as_str(), found.matches("[accounts.provider.").count()),
            ("", 1)
        );
        assert!(
            found.contains("client_secret = \"${POSTERN_DEMO_GITHUB_CLIENT_SECRET}\""),
            "{found}"
        );
    }

    #[test]
    fn version_is_a_comment_without_quotes() {
        assert!(version().starts_with("postern demo ") && !version().contains('\''));
    }

    #[test]
    fn sample_rows_are_in_the_data() {
        assert!(ROWS.iter().all(|(_, id)| DATA.contains(id)));
    }
}
