//! A streaming replica of a cluster, made by `pg_basebackup`, and a forwarder in front of a server
//! that can be cut and point to another server.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use cluster::{Cluster, Options};
use tempfile::TempDir;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A running standby, stopped and removed when it is dropped.
#[derive(Debug)]
pub struct Standby {
    /// Its server; `None` while it is stopped.
    pub cluster: Option<Cluster>,
    folder: TempDir,
}

/// A cluster that replicas can follow.
pub fn primary(settings: &[(&str, &str)]) -> Result<Cluster, cluster::Error> {
    let usual = [
        ("wal_level", "logical"),
        ("max_wal_senders", "10"),
        ("hot_standby_feedback", "on"),
    ];
    let settings = usual
        .iter()
        .chain(settings)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Cluster::start(Options {
        settings: settings.collect(),
        ..Options::default()
    })
}

impl Standby {
    /// Makes a standby of a cluster and starts it. `None` if the installation has no
    /// `pg_basebackup`.
    ///
    /// Errors: the backup or the start fails.
    pub fn start(primary: &Cluster) -> io::Result<Option<Standby>> {
        let program = primary.bin("pg_basebackup");
        if !program.is_file() {
            return Ok(None);
        }
        let folder = tempfile::Builder::new()
            .prefix("postern-standby-")
            .tempdir()?;
        let data = folder.path().join("data");
        let url = primary.url("postgres");
        let mut command = Command::new(program);
        command.args([
            "--checkpoint=fast",
            "--wal-method=stream",
            "--write-recovery-conf",
            "--no-sync",
            "--dbname",
            &url,
        ]);
        let output = command
            .arg("--pgdata")
            .arg(&data)
            .stdin(Stdio::null())
            .output()?;
        if !output.status.success() {
            return Err(io::Error::other(
                String::from_utf8_lossy(&output.stderr).into_owned(),
            ));
        }
        let password = url.split(['@', ':']).nth(2).unwrap_or_default().to_owned();
        fs::write(folder.path().join("password"), password)?;
        own(folder.path(), primary.socket_dir())?;
        let mut standby = Standby {
            cluster: None,
            folder,
        };
        standby.start_again()?;
        Ok(Some(standby))
    }

    /// Starts it again, on another port.
    pub fn start_again(&mut self) -> io::Result<()> {
        let settings = [
            ("hot_standby_feedback", "on"),
            ("wal_receiver_status_interval", "100ms"),
        ];
        let settings = settings
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let options = Options {
            data_dir: Some(self.folder.path().to_owned()),
            settings,
        };
        self.cluster =
            Some(Cluster::start(options).map_err(|error| io::Error::other(error.to_string()))?);
        Ok(())
    }

    /// Stops it.
    pub fn stop(&mut self) {
        self.cluster = None;
    }

    /// Makes a server that was promoted a standby again, without taking it back to the primary's
    /// history. Starts it on another port.
    pub fn return_as_standby(&mut self) -> io::Result<()> {
        self.stop();
        let data = self.folder.path().join("data");
        fs::write(data.join("standby.signal"), "")?;
        own(&data.join("standby.signal"), &data)?;
        self.start_again()
    }

    /// Its port; 0 while it is stopped.
    pub fn port(&self) -> u16 {
        self.cluster.as_ref().map_or(0, Cluster::port)
    }
}

/// Gives a folder to the owner of another one.
fn own(folder: &Path, other: &Path) -> io::Result<()> {
    let own = folder.metadata()?;
    let owner = other.metadata()?;
    if own.uid() == owner.uid() {
        return Ok(());
    }
    let whom = format!("{}:{}", owner.uid(), owner.gid());
    if Command::new("chown")
        .args(["-R", &whom])
        .arg(folder)
        .status()?
        .success()
    {
        Ok(())
    } else {
        Err(io::Error::other("chown has failed"))
    }
}

/// The URL of a database on another port of this machine.
pub fn with_port(url: &str, port: u16) -> String {
    let (location, database) = url.rsplit_once('/').unwrap_or((url, ""));
    let server = location
        .rsplit_once(':')
        .map_or(location, |(server, _)| server);
    format!("{server}:{port}/{database}")
}

/// A forwarder with a port of its own.
#[derive(Debug)]
pub struct Forwarder {
    address: SocketAddr,
    target: Arc<AtomicU16>,
    cut: watch::Sender<u64>,
    task: JoinHandle<()>,
}

impl Forwarder {
    /// Listens, and forwards connections to a port of this machine.
    pub async fn start(target: u16) -> io::Result<Forwarder> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let target = Arc::new(AtomicU16::new(target));
        let (cut, cuts) = watch::channel(0);
        let towards = target.clone();
        let task = tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let port = towards.load(Ordering::Relaxed);
                let mut cuts = cuts.clone();
                cuts.mark_unchanged();
                tokio::spawn(async move {
                    let Ok(mut server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await
                    else {
                        return;
                    };
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut server) => {}
                        _ = cuts.changed() => {}
                    }
                });
            }
        });
        Ok(Forwarder {
            address,
            target,
            cut,
            task,
        })
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Ends all connections. New ones go to this port; to none if it is 0.
    pub fn point_to(&self, target: u16) {
        self.target.store(target, Ordering::Relaxed);
        self.cut.send_modify(|cuts| *cuts += 1);
    }
}

impl Drop for Forwarder {
    fn drop(&mut self) {
        self.task.abort();
    }
}
