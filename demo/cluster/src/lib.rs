//! Runs a private Postgres cluster from the locally installed programs, on the loopback address and
//! a Unix socket. The cluster is stopped when the process that started it ends; the caller loads
//! the data.
//!
//! `supervise.sh` runs the server and waits on a pipe from its owner: however the owner ends, the
//! kernel closes the pipe. Postgres refuses to run as root, so an owner that is root gives the
//! cluster to `postgres` or `nobody`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use uuid::Uuid;

use self::owner::{RunAsUser, temporary_parent};

mod binaries;
mod error;
mod npm;
mod owner;

pub use self::binaries::find_binaries;
pub use self::error::Error;
use self::error::TIME_LIMIT;

/// A shell script that starts the server, waits until its standard input is closed, stops the
/// server and cleans up.
const SUPERVISE: &str = include_str!("supervise.sh");

/// The settings of every cluster. Those not listed, such as `jit`, keep Postgres' defaults. The
/// default search path is `"$user", public`; here the user is `postern`, so that it would put new
/// tables into the gateway's schema.
const SETTINGS: [&str; 5] = [
    "listen_addresses=127.0.0.1",
    "max_connections=200",
    "shared_buffers=128MB",
    "search_path=public",
    "logging_collector=off",
];

/// The settings of a temporary cluster: a crash of the machine may corrupt it.
const SHORT_LIVED: [&str; 3] = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
];

/// How many ports are tried if another process takes the chosen one.
const MAX_PORT_ATTEMPTS: usize = 5;

/// The options of a cluster.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder of its files, kept from one start to the next; without it they are temporary.
    pub data_dir: Option<PathBuf>,
    /// Further settings of the server, which override the usual ones: `("wal_level", "logical")`.
    pub settings: Vec<(String, String)>,
}

/// A running cluster. It is stopped and its temporary files are removed when it is dropped, and
/// also when this process ends in any other way, even by SIGKILL.
#[derive(Debug)]
pub struct Cluster {
    binaries: PathBuf,
    folder: PathBuf,
    port: u16,
    password: String,
    /// A shell that stops the server when its standard input is closed, whose only writer is this
    /// process.
    supervisor: Child,
}

impl Cluster {
    /// Creates a cluster, or starts the one in `data_dir`, and waits until it accepts connections.
    /// Blocks for about a second.
    // Callers do not need the options afterwards.
    #[allow(clippy::needless_pass_by_value)]
    pub fn start(options: Options) -> Result<Cluster, Error> {
        let binaries = find_binaries()?;
        let mut retries = 1..MAX_PORT_ATTEMPTS;
        loop {
            match Files::make(options.data_dir.as_deref())?.launch(&binaries, &options) {
                Err(Error::Failed { log })
                    if log.contains("could not bind") && retries.next().is_some() => {}
                result => return result,
            }
        }
    }

    /// The URL of a database of this cluster on the loopback address, with the superuser's name and
    /// password.
    pub fn url(&self, database: &str) -> String {
        format!(
            "postgres://postern:{}@127.0.0.1:{}/{}",
            self.password,
            self.port,
            percent_encode(database)
        )
    }

    /// The port on the loopback address, which is also part of the socket's name.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of the socket. The socket needs no password, and only the server's user can
    /// access it.
    pub fn socket_dir(&self) -> &Path {
        &self.folder
    }

    /// The path of a program of the same installation, such as `psql` or `pg_dump`.
    pub fn bin(&self, program: &str) -> PathBuf {
        self.binaries.join(program)
    }

    /// Stops the server, waits for its end and removes temporary files.
    pub fn stop(&mut self) {
        drop(self.supervisor.stdin.take());
        // If waiting for the supervisor fails, there is nothing else to do.
        let _ = self.supervisor.wait();
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The paths of a cluster's files.
struct Files {
    owner: RunAsUser,
    /// The folder of the socket, the log and the server's exit status.
    folder: TempDir,
    /// The folder of `data` and `password`; without it they are in `folder`.
    kept: Option<PathBuf>,
    password: String,
}

impl Files {
    fn make(data_dir: Option<&Path>) -> Result<Files, Error> {
        let parent = temporary_parent();
        // The socket in this folder needs no password.
        let closed = fs::Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new()
            .prefix("postern-")
            .permissions(closed)
            .tempdir_in(&parent);
        let folder = folder.map_err(Error::at(&parent))?;
        let owner =
            RunAsUser::choose(&folder.path().metadata().map_err(Error::at(folder.path()))?)?;
        owner.own(folder.path())?;
        let kept = data_dir
            .map(|data_dir| kept_folder(data_dir, owner))
            .transpose()?;
        let password = password(
            &kept.as_deref().unwrap_or(folder.path()).join("password"),
            owner,
        )?;
        Ok(Files {
            owner,
            folder,
            kept,
            password,
        })
    }

    fn home(&self) -> &Path {
        self.kept.as_deref().unwrap_or(self.folder.path())
    }

    fn launch(mut self, binaries: &Path, options: &Options) -> Result<Cluster, Error> {
        let port = free_port().map_err(Error::at(self.folder.path()))?;
        let binaries = self.readable(binaries)?;
        let supervisor = self
            .supervisor(&binaries, port, options)
            .spawn()
            .map_err(Error::at(Path::new("/bin/sh")))?;
        // From here on the supervisor removes the folder.
        self.folder.disable_cleanup(true);
        let folder = self.folder.path().to_owned();
        let cluster = Cluster {
            binaries,
            folder,
            port,
            password: self.password.clone(),
            supervisor,
        };
        self.wait()?;
        Ok(cluster)
    }

    /// The programs in a folder that the server's user can enter. Root's own folders, in which its
    /// npm keeps packages, are closed to others: the programs are copied, with what is beside them.
    fn readable(&self, binaries: &Path) -> Result<PathBuf, Error> {
        let (RunAsUser::Other { .. }, Some(installation)) = (self.owner, binaries.parent()) else {
            return Ok(binaries.to_owned());
        };
        if binaries.ancestors().all(owner::open_to_all) {
            return Ok(binaries.to_owned());
        }
        let copy = self.folder.path().join("postgres");
        let copied = Command::new("cp")
            .arg("-R")
            .args([installation, &copy])
            .status()
            .map_err(Error::at(Path::new("cp")))?;
        if copied.success() {
            Ok(copy.join("bin"))
        } else {
            Err(Error::Unreadable(installation.to_owned()))
        }
    }

    fn supervisor(&self, binaries: &Path, port: u16, options: &Options) -> Command {
        // A server with persistent data shuts down cleanly; a temporary one just ends.
        let signal = if self.kept.is_some() { "INT" } else { "QUIT" };
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", SUPERVISE, "postern-cluster"])
            .arg(binaries);
        command.args([self.home(), self.folder.path()]).arg(signal);
        command
            .args(["-p", &port.to_string(), "-k"])
            .arg(self.folder.path());
        command.args(
            self.settings(options)
                .iter()
                .flat_map(|setting| ["-c", setting]),
        );
        // It gets a process group of its own, so that Ctrl-C, or a signal to a test's group, does
        // not reach it.
        command
            .process_group(0)
            .current_dir("/")
            .env("LC_ALL", "C")
            .env_remove("PGDATA");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.owner.run(&mut command);
        command
    }

    fn settings(&self, options: &Options) -> Vec<String> {
        let short_lived = if self.kept.is_none() {
            &SHORT_LIVED[..]
        } else {
            &[]
        };
        let usual = SETTINGS
            .iter()
            .chain(short_lived)
            .map(|&setting| setting.to_owned());
        usual
            .chain(
                options
                    .settings
                    .iter()
                    .map(|(name, value)| format!("{name}={value}")),
            )
            .collect()
    }

    fn wait(&self) -> Result<(), Error> {
        let start = Instant::now();
        while !self.is_ready() {
            if self.folder.path().join("exit").exists() {
                return Err(Error::Failed { log: self.log() });
            }
            if start.elapsed() > TIME_LIMIT {
                return Err(Error::Slow { log: self.log() });
            }
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Whether the server accepts connections, on a standby queries alone: it writes its state to
    /// the eighth line of `postmaster.pid`. The fifth line has the socket's folder, which
    /// distinguishes this server's file from one left by an earlier server.
    /// <https://www.postgresql.org/docs/15/storage-file-layout.html>
    fn is_ready(&self) -> bool {
        let text = fs::read_to_string(self.home().join("data/postmaster.pid")).unwrap_or_default();
        let mut lines = text.lines();
        lines
            .nth(4)
            .is_some_and(|socket| Path::new(socket) == self.folder.path())
            && lines
                .nth(2)
                .is_some_and(|state| matches!(state.trim(), "ready" | "standby"))
    }

    fn log(&self) -> String {
        let log = fs::read(self.folder.path().join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines
            .iter()
            .skip(lines.len().saturating_sub(8))
            .copied()
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// Prepares the data folder: it must be new, empty or an existing cluster of Postern's.
fn kept_folder(home: &Path, owner: RunAsUser) -> Result<PathBuf, Error> {
    fs::create_dir_all(home).map_err(Error::at(home))?;
    let home = home.canonicalize().map_err(Error::at(home))?;
    let is_empty = fs::read_dir(&home)
        .map_err(Error::at(&home))?
        .next()
        .is_none();
    if is_empty {
        owner.own(&home)?;
    } else if !home.join("password").is_file() {
        return Err(Error::NotOurs(home));
    }
    Ok(home)
}

/// Reads the superuser's password from the file, or creates both.
fn password(file: &Path, owner: RunAsUser) -> Result<String, Error> {
    if file.exists() {
        return fs::read_to_string(file).map_err(Error::at(file));
    }
    let password = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    let opened = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file);
    opened
        .and_then(|mut opened| opened.write_all(password.as_bytes()))
        .map_err(Error::at(file))?;
    owner.own(file)?;
    Ok(password)
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}

fn percent_encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|b| {
            if plain(b) {
                char::from(b).to_string()
            } else {
                format!("%{b:02X}")
            }
        })
        .collect()
}
