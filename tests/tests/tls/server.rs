//! A Postgres cluster whose certificates tests install and remove while it runs.

use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cluster::{Cluster, Options};
use pg::{Database, Settings};
use tests::certificates::{Authority, Pair, Wanted};
use tokio_postgres::{Client, NoTls};

pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// The name in valid certificates. It does not exist in DNS: connection strings give `hostaddr`
/// beside it.
pub(super) const HOST: &str = "db.example";

/// A cluster, and the authority that signs its certificates.
pub(super) struct Server {
    pub(super) cluster: Cluster,
    pub(super) authority: Authority,
    pub(super) folder: tempfile::TempDir,
    client: Client,
}

/// The rules of `pg_hba.conf`. The superuser may connect by TCP in any way, so that tests can query
/// which way was used.
const HBA: &str = "\
local   all all                       trust
hostssl all certified  127.0.0.1/32   cert
hostssl all doubly     127.0.0.1/32   scram-sha-256 clientcert=verify-full
hostssl all encrypted  127.0.0.1/32   scram-sha-256
hostnossl all plain    127.0.0.1/32   scram-sha-256
host    all trusted    127.0.0.1/32   trust
host    all postern    127.0.0.1/32   scram-sha-256
";

impl Server {
    /// Starts a cluster without TLS.
    pub(super) async fn start() -> Server {
        let cluster = Cluster::start(Options::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new(folder.path(), "authority").unwrap();
        let (client, connection) = tokio_postgres::connect(&cluster.url("postgres"), NoTls)
            .await
            .unwrap();
        tokio::spawn(connection);
        let users = "CREATE ROLE certified LOGIN SUPERUSER; CREATE ROLE doubly LOGIN PASSWORD 'p';
            CREATE ROLE encrypted LOGIN SUPERUSER PASSWORD 'p'; CREATE ROLE plain LOGIN PASSWORD 'p';
            CREATE ROLE trusted LOGIN";
        client.batch_execute(users).await.unwrap();
        std::fs::write(cluster.socket_dir().join("data/pg_hba.conf"), HBA).unwrap();
        let server = Server {
            cluster,
            authority,
            folder,
            client,
        };
        server.reload().await;
        server
    }

    /// Starts a cluster with a valid certificate.
    pub(super) async fn good() -> Server {
        let server = Server::start().await;
        server
            .show(Wanted {
                names: &[HOST],
                ..Wanted::default()
            })
            .await;
        server
    }

    /// Installs a certificate signed by the authority.
    pub(super) async fn show(&self, wanted: Wanted<'_>) {
        self.show_pair(&self.authority.sign("server", wanted).unwrap())
            .await;
    }

    /// Installs this certificate.
    pub(super) async fn show_pair(&self, pair: &Pair) {
        let certificate = self.own(&pair.certificate);
        let key = self.own(&pair.key);
        let authority = self.own(self.authority.file());
        for (name, path) in [
            ("ssl_cert_file", certificate),
            ("ssl_key_file", key),
            ("ssl_ca_file", authority),
        ] {
            let statement = format!("ALTER SYSTEM SET {name} = '{}'", path.display());
            self.client.batch_execute(&statement).await.unwrap();
        }
        self.client
            .batch_execute("ALTER SYSTEM SET ssl = on")
            .await
            .unwrap();
        self.reload().await;
    }

    /// Runs statements as the superuser.
    pub(super) async fn run(&self, statements: &str) {
        self.client.batch_execute(statements).await.unwrap();
    }

    /// A copy of a file that belongs to the server's user, since Postgres reads no keys of other
    /// users.
    fn own(&self, file: &Path) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let home = self.cluster.socket_dir().join("data");
        let copy = home.join(file.file_name().unwrap());
        std::fs::copy(file, &copy).unwrap();
        std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o600)).unwrap();
        let owner = home.metadata().unwrap();
        chown(&copy, Some(owner.uid()), Some(owner.gid())).unwrap();
        copy
    }

    /// Reloads the server's settings, and waits until new connections use them.
    async fn reload(&self) {
        let before: String = self
            .client
            .query_one("SELECT clock_timestamp()::text", &[])
            .await
            .unwrap()
            .get(0);
        self.client
            .batch_execute("SELECT pg_reload_conf()")
            .await
            .unwrap();
        let socket = format!(
            "host={} port={} user=postern dbname=postgres",
            self.cluster.socket_dir().display(),
            self.cluster.port()
        );
        let end = Instant::now() + PATIENCE;
        loop {
            let (client, connection) = tokio_postgres::connect(&socket, NoTls).await.unwrap();
            tokio::spawn(connection);
            let row = client
                .query_one(
                    "SELECT pg_conf_load_time() > $1::text::timestamptz",
                    &[&before],
                )
                .await
                .unwrap();
            if row.get(0) {
                return;
            }
            assert!(Instant::now() < end, "the server does not reload");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// A connection string to the server by the name of its valid certificate.
    pub(super) fn conninfo(&self, rest: &str) -> String {
        format!(
            "host={HOST} hostaddr=127.0.0.1 port={} dbname=postgres {rest}",
            self.cluster.port()
        )
    }

    /// A connection string for the superuser, with its password.
    pub(super) fn admin(&self, rest: &str) -> String {
        let url = self.cluster.url("postgres");
        let password = url.split(['@', ':']).nth(2).unwrap();
        self.conninfo(&format!("user=postern password={password} {rest}"))
    }

    /// `sslrootcert=` and the authority's file.
    pub(super) fn root(&self) -> String {
        format!("sslrootcert={}", self.authority.file().display())
    }
}

/// A pool of one connection.
pub(super) async fn connect(conninfo: &str) -> Result<Database, String> {
    let time_limit = Duration::from_secs(30);
    let settings = Settings {
        url: conninfo.to_owned(),
        pool_size: 1,
        statements: 4,
        time_limit,
        ..Settings::default()
    };
    Database::connect(&settings)
        .await
        .map_err(|error| error.to_string())
}

/// The value that a statement returns.
pub(super) async fn ask(database: &Database, statement: &str) -> String {
    database
        .query_text(statement, tokio::time::Instant::now() + PATIENCE)
        .await
        .unwrap()
}

/// Whether the server reports TLS for the pool's connection. Fails unless it reports the same for
/// the admin connection.
pub(super) async fn is_encrypted(database: &Database) -> bool {
    const ENCRYPTED: &str = "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let pooled = ask(database, ENCRYPTED).await;
    let client = database
        .admin_client(tokio::time::Instant::now() + PATIENCE)
        .await
        .unwrap();
    let aside: String = client.query_one(ENCRYPTED, &[]).await.unwrap().get(0);
    assert_eq!(pooled, aside, "both kinds of connections are made alike");
    pooled == "true"
}
