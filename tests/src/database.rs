//! Creates databases for tests. Each test gets its own, cloned from a template that is created once
//! per list of scripts; all of them are in one cluster, which [`CLUSTER`] names or this process
//! starts. Short tests that roll back what they write take turns with a few databases instead:
//! cloning one takes longer than such a test.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use cluster::{Cluster, Options};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, NoTls};

use crate::server_features::ServerFeatures;

/// The environment variable with the URL of the database `postgres` of a running cluster, set by
/// `with-cluster`.
pub const CLUSTER: &str = "POSTERN_TEST_CLUSTER";

/// The options of the cluster. Logical replication costs nothing unless a test uses it; those that
/// do may run at once.
pub fn cluster_options() -> Options {
    let settings = [
        ("wal_level", "logical"),
        ("max_wal_senders", "60"),
        ("max_replication_slots", "60"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Options {
        settings: settings.into(),
        ..Options::default()
    }
}

/// A database used by one test, dropped with this value.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
    url: String,
}

/// A database that tests use one after another, lent to one of them. It is free again when this
/// value is dropped or the process ends.
#[derive(Debug)]
pub struct ReusedDatabase {
    url: String,
    /// The session that holds the lock on the database.
    _lock: Client,
}

/// Why a test database could not be created.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The cluster could not be started.
    #[error("no cluster for the tests: {0}")]
    Cluster(&'static cluster::Error),
    /// Postgres returned an error, perhaps from a script.
    #[error("{doing}: {}", database_message(source))]
    Database {
        /// What was being done.
        doing: &'static str,
        /// The error of Postgres.
        source: tokio_postgres::Error,
    },
}

impl Error {
    fn doing(doing: &'static str) -> impl FnOnce(tokio_postgres::Error) -> Error {
        move |source| Error::Database { doing, source }
    }
}

/// Creates a new database, in which the scripts were run in this order. Its name begins with
/// `name_hint`. Objects that scripts create outside the database, such as roles, are visible to
/// every test.
pub async fn create(name_hint: &str, sql_scripts: &[&str]) -> Result<TestDatabase, Error> {
    let admin = connect(admin_url()?).await?;
    let template = template(&admin, sql_scripts).await?;
    let name = new_name(name_hint);
    clone(&admin, &name, &template).await?;
    let url = url_of(&name)?;
    Ok(TestDatabase { name, url })
}

/// Returns a database in which the scripts were run and that no other test uses: the first one that
/// is not locked. Its user has to roll back all changes.
pub async fn reuse(sql_scripts: &[&str]) -> Result<ReusedDatabase, Error> {
    let admin = connect(admin_url()?).await?;
    let template = template(&admin, sql_scripts).await?;
    let mut number = 0;
    loop {
        let name = format!("{}_{number}", template.replacen("template", "reused", 1));
        let lock = admin
            .query_one(
                "SELECT pg_try_advisory_lock(hashtextextended($1, 0))",
                &[&name],
            )
            .await;
        if !lock
            .map_err(Error::doing("lock a database"))?
            .get::<_, bool>(0)
        {
            number += 1;
            continue;
        }
        let found = admin
            .query_opt("SELECT FROM pg_database WHERE datname = $1", &[&name])
            .await;
        if found
            .map_err(Error::doing("look for a database"))?
            .is_none()
        {
            clone(&admin, &name, &template).await?;
        }
        return Ok(ReusedDatabase {
            url: url_of(&name)?,
            _lock: admin,
        });
    }
}

/// Connects to a database and drives the connection in a background task.
pub async fn connect(url: &str) -> Result<Client, Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls)
        .await
        .map_err(Error::doing("connect"))?;
    tokio::spawn(connection);
    Ok(client)
}

impl TestDatabase {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its URL, with the superuser's name and password.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Opens a new connection to it.
    pub async fn connect(&self) -> Result<Client, Error> {
        connect(&self.url).await
    }
}

impl ReusedDatabase {
    /// Its URL, with the superuser's name and password.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// How long a test waits for its database to be dropped.
const PATIENCE: Duration = Duration::from_secs(2);

impl Drop for TestDatabase {
    /// Drops the database on a separate thread, since a test's runtime cannot be blocked on here.
    /// The wait is short: it blocks the test's runtime, so a connection that is still
    /// authenticating on that runtime makes no progress, and Postgres does not drop the database
    /// before it has. A database that cannot be dropped stays until the cluster ends.
    fn drop(&mut self) {
        let statement = format!(
            "DROP DATABASE IF EXISTS {} WITH (FORCE)",
            quoted(&self.name)
        );
        let (done, ended) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .ok()?;
            runtime.block_on(async {
                connect(admin_url().ok()?)
                    .await
                    .ok()?
                    .batch_execute(&statement)
                    .await
                    .ok()
            })?;
            done.send(()).ok()
        });
        let _ = ended.recv_timeout(PATIENCE);
    }
}

/// Returns the template database in which only these scripts were run. The first caller creates it.
async fn template(admin: &Client, scripts: &[&str]) -> Result<String, Error> {
    let mut hasher = DefaultHasher::new();
    scripts.hash(&mut hasher);
    let hash = hasher.finish();
    let name = format!("template_{hash:016x}");
    // Released explicitly below; after an error the connection is closed, which releases it too.
    let lock = hash as i64;
    admin
        .execute("SELECT pg_advisory_lock($1)", &[&lock])
        .await
        .map_err(Error::doing("wait for the template"))?;
    let found = admin
        .query_opt("SELECT FROM pg_database WHERE datname = $1", &[&name])
        .await;
    if found
        .map_err(Error::doing("look for the template"))?
        .is_none()
    {
        make_template(admin, &name, scripts).await?;
    }
    admin
        .execute("SELECT pg_advisory_unlock($1)", &[&lock])
        .await
        .map_err(Error::doing("release the template"))?;
    Ok(name)
}

/// Creates the template under another name first, so that a database with the template's name is
/// always complete.
async fn make_template(admin: &Client, name: &str, scripts: &[&str]) -> Result<(), Error> {
    let unfinished = format!("unfinished_{name}");
    for statement in [
        format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)"),
        format!("CREATE DATABASE {unfinished}"),
    ] {
        admin
            .batch_execute(&statement)
            .await
            .map_err(Error::doing("make the template"))?;
    }
    let features = ServerFeatures::of(admin)
        .await
        .map_err(Error::doing("ask for the server's features"))?;
    let scripts: Vec<String> = scripts
        .iter()
        .map(|script| features.adapt(script))
        .collect();
    run(&url_of(&unfinished)?, &scripts).await?;
    retry(
        admin,
        &format!("ALTER DATABASE {unfinished} RENAME TO {name}"),
    )
    .await
}

/// Runs the scripts and waits until the server has closed the connection; only the end of the
/// connection's task proves that.
async fn run(url: &str, scripts: &[String]) -> Result<(), Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls)
        .await
        .map_err(Error::doing("connect"))?;
    let connection = tokio::spawn(connection);
    for script in scripts {
        client
            .batch_execute(script)
            .await
            .map_err(Error::doing("run a script"))?;
    }
    drop(client);
    let _ = connection.await;
    Ok(())
}

async fn clone(admin: &Client, name: &str, template: &str) -> Result<(), Error> {
    retry(
        admin,
        &format!("CREATE DATABASE {} TEMPLATE {template}", quoted(name)),
    )
    .await
}

/// Runs a statement that requires that no other session is connected; a backend that is exiting, or
/// autovacuum, may still be for a moment.
async fn retry(admin: &Client, statement: &str) -> Result<(), Error> {
    for _ in 0..100 {
        match admin.batch_execute(statement).await {
            Err(error) if error.code() == Some(&SqlState::OBJECT_IN_USE) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            result => return result.map_err(Error::doing("clone the template")),
        }
    }
    admin
        .batch_execute(statement)
        .await
        .map_err(Error::doing("clone the template"))
}

/// A name that is unique among all processes that share the cluster, and fits into the 63 bytes of
/// an identifier.
fn new_name(hint: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let hint: String = hint
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(30)
        .collect();
    format!("{hint}_{}_{number}", std::process::id())
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn url_of(database: &str) -> Result<String, Error> {
    let admin = admin_url()?;
    let server = admin.strip_suffix("/postgres").unwrap_or(admin);
    Ok(format!("{server}/{database}"))
}

/// The URL of the cluster's first database; starts a cluster for this process if [`CLUSTER`] is not
/// set.
fn admin_url() -> Result<&'static str, Error> {
    static URL: OnceLock<Result<String, cluster::Error>> = OnceLock::new();
    static OWN: OnceLock<Cluster> = OnceLock::new();
    let url = URL.get_or_init(|| match std::env::var(CLUSTER) {
        Ok(url) => Ok(url),
        // A static is never dropped; the cluster ends when the process does.
        Err(_) => {
            Cluster::start(cluster_options()).map(|own| OWN.get_or_init(|| own).url("postgres"))
        }
    });
    url.as_deref().map_err(Error::Cluster)
}

fn database_message(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(database) => format!(
            "{} {}",
            database.message(),
            database.detail().unwrap_or_default()
        ),
        None => error.to_string(),
    }
}
