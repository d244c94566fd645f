//! A private cluster with one database that contains the data of the works.

use std::fs;
use std::path::PathBuf;

use cluster::{Cluster, Options};
use tokio_postgres::NoTls;

use super::Error;
use crate::work::{Data, SCHEMA};

/// The row rule of the role `user` as row-level security, the way PostGraphile's users write it.
const POLICIES: &str = include_str!("../../postgraphile/policies.sql");

/// The name of the database.
const DATABASE: &str = "work";

/// The settings of Postgres with which commits are durable. Private clusters switch them off.
pub const DURABLE: [(&str, &str); 3] = [
    ("fsync", "on"),
    ("synchronous_commit", "on"),
    ("full_page_writes", "on"),
];

/// A running cluster with the data. Dropping it ends the cluster.
#[derive(Debug)]
pub struct Bed {
    cluster: Cluster,
    data: Data,
}

impl Bed {
    /// Starts a cluster whose commits do not wait for the disk, and loads the data: a second for a
    /// small one, up to half a minute for the whole.
    pub fn start(data: Data) -> Result<Bed, Error> {
        Bed::start_with(data, &[])
    }

    /// Like [`Bed::start`], with further settings of Postgres.
    pub fn start_with(data: Data, settings: &[(&str, &str)]) -> Result<Bed, Error> {
        // Subscriptions may follow logical replication.
        let settings = [("wal_level", "logical")].iter().chain(settings);
        let settings = settings
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let bed = Bed {
            cluster: Cluster::start(Options {
                settings,
                ..Options::default()
            })?,
            data,
        };
        let statements = |url: String, scripts: Vec<String>| {
            // On a separate thread, because the caller may already be on an async runtime.
            let load = std::thread::spawn(move || run(&url, &scripts));
            load.join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        statements(
            bed.cluster.url("postgres"),
            vec![format!("CREATE DATABASE {DATABASE}")],
        )?;
        let scripts = [
            SCHEMA.to_owned(),
            data.script(),
            POLICIES.to_owned(),
            "VACUUM ANALYZE".to_owned(),
        ];
        statements(bed.url(), scripts.into())?;
        // Otherwise the checkpoint would run during the first measurement.
        statements(bed.url(), vec!["CHECKPOINT".to_owned()])?;
        Ok(bed)
    }

    /// How much data there is.
    pub fn data(&self) -> Data {
        self.data
    }

    /// The URL of the database, through the loopback address, with its owner's name and password.
    pub fn url(&self) -> String {
        self.cluster.url(DATABASE)
    }

    /// The process ID of the postmaster, the parent of all other processes of the cluster.
    pub fn postmaster(&self) -> Result<u32, Error> {
        let file = self.cluster.socket_dir().join("data/postmaster.pid");
        let text = fs::read_to_string(&file).map_err(Error::at(&file))?;
        let id = text.lines().next().unwrap_or_default().trim().parse();
        id.map_err(|_| Error::at(&file)(std::io::ErrorKind::InvalidData.into()))
    }

    /// Removes the rows that the works have inserted, and updates the statistics.
    pub fn tidy(&self) -> Result<(), Error> {
        let url = self.url();
        let scripts = [
            "DELETE FROM notes WHERE id > 100".to_owned(),
            "VACUUM ANALYZE".to_owned(),
        ];
        let tidy = std::thread::spawn(move || run(&url, &scripts));
        tidy.join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.cluster.bin(name)
    }
}

fn run(url: &str, scripts: &[String]) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::at("runtime"))?;
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls)
            .await
            .map_err(Error::doing("connect"))?;
        tokio::spawn(connection);
        for script in scripts {
            client
                .batch_execute(script)
                .await
                .map_err(Error::doing("make the data"))?;
        }
        Ok(())
    })
}
