//! Tests the private cluster: it requires its password, keeps a data directory that was given, and
//! stops when its owner ends.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cluster::{Cluster, Error, Options};
use tests::database::connect;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn is_open(port: u16) -> bool {
    TcpStream::connect(("127.0.0.1", port)).is_ok()
}

fn eventually(condition: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(15) {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[tokio::test]
async fn loopback_address_requires_the_password() -> Outcome {
    let start = Instant::now();
    let mut cluster = Cluster::start(Options::default())?;
    eprintln!("started in {:?}", start.elapsed());
    let url = cluster.url("postgres");
    let row = connect(&url)
        .await?
        .query_one("SELECT current_user::text, version()", &[])
        .await?;
    assert_eq!(row.get::<_, &str>(0), "postern");

    let wrong = format!(
        "postgres://postern:wrong@127.0.0.1:{}/postgres",
        cluster.port()
    );
    assert!(connect(&wrong).await.is_err());
    assert!(cluster.bin("pg_ctl").is_file());

    let port = cluster.port();
    let folder = cluster.socket_dir().to_owned();
    assert!(folder.join(format!(".s.PGSQL.{port}")).exists());
    assert_eq!(
        folder.metadata()?.permissions().mode() & 0o777,
        0o700,
        "the socket is for its owner"
    );
    cluster.stop();
    assert!(!is_open(port));
    assert!(!folder.exists());
    Ok(())
}

#[tokio::test]
async fn given_data_directory_is_kept_and_reused() -> Outcome {
    let parent = tempfile::Builder::new()
        .permissions(std::fs::Permissions::from_mode(0o755))
        .tempdir()?;
    let data_dir = Some(parent.path().join("kept"));
    let options = Options {
        data_dir,
        settings: vec![("wal_level".into(), "logical".into())],
    };
    {
        let cluster = Cluster::start(options.clone())?;
        connect(&cluster.url("postgres"))
            .await?
            .batch_execute("CREATE TABLE kept AS SELECT 42 AS answer")
            .await?;
    }
    let cluster = Cluster::start(options.clone())?;
    let client = connect(&cluster.url("postgres")).await?;
    assert_eq!(
        client
            .query_one("SELECT answer FROM kept", &[])
            .await?
            .get::<_, i32>(0),
        42
    );
    assert_eq!(
        client
            .query_one("SHOW wal_level", &[])
            .await?
            .get::<_, &str>(0),
        "logical"
    );
    assert_eq!(
        client.query_one("SHOW fsync", &[]).await?.get::<_, &str>(0),
        "on"
    );

    // The lock file of the first server prevents a second one on the same data.
    let second = Cluster::start(options).map(drop);
    assert!(
        matches!(&second, Err(Error::Failed { log }) if log.contains("lock file")),
        "{second:?}"
    );
    Ok(())
}

#[test]
fn folder_with_other_files_is_refused() -> Outcome {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("diary"), "")?;
    let result = Cluster::start(Options {
        data_dir: Some(folder.path().to_owned()),
        ..Options::default()
    })
    .map(drop);
    assert!(matches!(result, Err(Error::NotOurs(_))), "{result:?}");
    Ok(())
}

#[test]
fn unknown_setting_is_reported() -> Outcome {
    let settings = vec![("no_such_setting".into(), "1".into())];
    let result = Cluster::start(Options {
        settings,
        ..Options::default()
    })
    .map(drop);
    assert!(
        matches!(&result, Err(Error::Failed { log }) if log.contains("no_such_setting")),
        "{result:?}"
    );
    Ok(())
}

#[test]
fn cluster_stops_when_its_owner_is_killed() -> Outcome {
    let script = format!("echo ${}; exec sleep 3", tests::database::CLUSTER);
    let mut owner = Command::new(env!("CARGO_BIN_EXE_with-cluster"));
    let mut owner = owner
        .args(["sh", "-c", &script])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut url = String::new();
    BufReader::new(owner.stdout.take().ok_or("no output")?).read_line(&mut url)?;
    let port = url
        .trim()
        .rsplit([':', '/'])
        .nth(1)
        .ok_or("no port")?
        .parse()?;
    assert!(is_open(port));

    owner.kill()?;
    owner.wait()?;
    assert!(
        eventually(|| !is_open(port)),
        "the server outlives its owner"
    );
    Ok(())
}

#[tokio::test]
async fn every_test_has_its_own_database() -> Outcome {
    let scripts = ["CREATE TABLE t (id int); INSERT INTO t VALUES (1)"];
    let (one, other) = tokio::try_join!(
        tests::create("one", &scripts),
        tests::create("other", &scripts)
    )?;
    one.connect().await?.batch_execute("DELETE FROM t").await?;
    let count = other
        .connect()
        .await?
        .query_one("SELECT count(*) FROM t", &[])
        .await?;
    assert_eq!(count.get::<_, i64>(0), 1);

    let name = one.name().to_owned();
    let other_url = other.url().to_owned();
    drop(one);
    let databases = connect(&other_url)
        .await?
        .query("SELECT FROM pg_database WHERE datname = $1", &[&name])
        .await?;
    assert!(databases.is_empty());
    Ok(())
}
