//! Starts and stops the peers that are servers.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use loadgen::PreparedRequest;

use super::{Bed, Error, Peer, exchange};
use crate::work::{PERMISSIONS, POLICIES, SECRET};

/// PostGraphile is up after two seconds, on a busy machine after ten.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Postern finishes its requests first, of which none are left here.
const TIME_TO_END: Duration = Duration::from_secs(10);

/// The paths of the programs.
#[derive(Clone, Debug)]
pub struct Programs {
    /// Postern's binary.
    pub postern: PathBuf,
    /// The server written by hand.
    pub handwritten: PathBuf,
    /// The root of the repository.
    pub root: PathBuf,
}

impl Programs {
    /// The binaries that `POSTERN_BIN` and `HANDWRITTEN_BIN` name, or those in the folder of this
    /// program.
    pub fn beside() -> Programs {
        let own = std::env::current_exe().unwrap_or_default();
        // Tests and benchmarks are one folder deeper.
        let folder = own.parent().map(|folder| {
            if folder.ends_with("deps") {
                folder.join("..")
            } else {
                folder.into()
            }
        });
        let folder = folder.unwrap_or_default();
        let program = |variable: &str, name: &str| {
            std::env::var_os(variable).map_or(folder.join(name), PathBuf::from)
        };
        Programs {
            postern: program("POSTERN_BIN", "postern"),
            handwritten: program("HANDWRITTEN_BIN", "handwritten"),
            root: crate::root(),
        }
    }

    /// Whether PostGraphile is installed: `npm ci` in `bench/postgraphile`.
    pub fn has_postgraphile(&self) -> bool {
        self.root
            .join("bench/postgraphile/node_modules/postgraphile")
            .is_dir()
    }

    fn command(&self, peer: Peer, url: &str, address: SocketAddr, pool: usize) -> Command {
        match peer {
            Peer::Postern => self.postern(PERMISSIONS, url, address, pool),
            Peer::Policies => self.postern(POLICIES, url, address, pool),
            Peer::HandWritten => self.handwritten(url, address, pool),
            Peer::PostGraphile => self.postgraphile(url, address, pool),
            // pgbench has no server, so the closest server stands in for it.
            Peer::Trusting | Peer::Pgbench => {
                let mut command = self.handwritten(url, address, pool);
                command.arg("--trusting");
                command
            }
        }
    }

    fn postern(&self, permissions: &str, url: &str, address: SocketAddr, pool: usize) -> Command {
        let mut command = Command::new(&self.postern);
        let settings = std::env::vars_os().map(|(name, _)| name);
        for name in settings.filter(|name| name.to_string_lossy().starts_with("POSTERN_")) {
            command.env_remove(name);
        }
        command.args([
            "serve",
            "--listen",
            &address.to_string(),
            "--database-url",
            url,
        ]);
        command
            .arg("--permissions")
            .arg(self.root.join(permissions));
        let pool = pool.to_string();
        // All load comes from one user, who may hold the whole pool here, as with the other peers.
        command.args([
            "--pool-size",
            &pool,
            "--pool-role-limit",
            &pool,
            "--pool-client-limit",
            &pool,
        ]);
        command.args([
            "--jwt-secret",
            &format!(r#"{{"type":"HS256","key":"{SECRET}"}}"#),
        ]);
        command
    }

    fn handwritten(&self, url: &str, address: SocketAddr, pool: usize) -> Command {
        let mut command = Command::new(&self.handwritten);
        command.args(["--listen", &address.to_string(), "--database-url", url]);
        command.args(["--pool-size", &pool.to_string(), "--jwt-key", SECRET]);
        command
    }

    /// PostGraphile requires a specific version of Node, which is installed beside it where npm
    /// provides one.
    fn postgraphile(&self, url: &str, address: SocketAddr, pool: usize) -> Command {
        let folder = self.root.join("bench/postgraphile");
        let own = ["linux-x64", "linux-arm64", "darwin-x64"].iter();
        let own = own.map(|platform| folder.join(format!("node_modules/node-{platform}/bin/node")));
        let node = own
            .into_iter()
            .find(|node| node.is_file())
            .unwrap_or_else(|| "node".into());
        let mut command = Command::new(node);
        command
            .current_dir(&folder)
            .env("NODE_ENV", "production")
            .env_remove("GRAPHILE_ENV");
        command.args(["server.js", url, &address.port().to_string(), SECRET]);
        command.arg(pool.to_string());
        command
    }
}

/// A running server. Dropping it ends it.
#[derive(Debug)]
pub struct Server {
    peer: Peer,
    address: SocketAddr,
    child: Child,
    log: File,
    ready_after: Duration,
}

impl Server {
    /// Starts a peer with so many connections over the data on a free port, and waits until it
    /// responds.
    pub fn start(peer: Peer, programs: &Programs, bed: &Bed, pool: usize) -> Result<Server, Error> {
        let address = free_address().map_err(Error::at("127.0.0.1"))?;
        let mut command = programs.command(peer, &bed.url(), address, pool);
        let log = tempfile::tempfile().map_err(Error::at("log"))?;
        let out = log.try_clone().map_err(Error::at("log"))?;
        let err = log.try_clone().map_err(Error::at("log"))?;
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        let start = Instant::now();
        let child = command.spawn().map_err(Error::at(command.get_program()))?;
        let mut server = Server {
            peer,
            address,
            child,
            log,
            ready_after: Duration::ZERO,
        };
        server.wait(start)?;
        server.ready_after = start.elapsed();
        Ok(server)
    }

    /// Which peer it is.
    pub fn peer(&self) -> Peer {
        self.peer
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process ID. None of the peers starts child processes.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The time from its start until its first response.
    pub fn ready_after(&self) -> Duration {
        self.ready_after
    }

    /// The end of its output.
    pub fn log(&mut self) -> String {
        let mut text = Vec::new();
        let _ = self
            .log
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.log.read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines
            .iter()
            .skip(lines.len().saturating_sub(8))
            .copied()
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn wait(&mut self, start: Instant) -> Result<(), Error> {
        let question = match self.peer {
            Peer::PostGraphile => "POST /graphql",
            _ => "GET /readyz",
        };
        let question =
            format!("{question} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
        let question = PreparedRequest {
            bytes: question.into(),
        };
        loop {
            // PostGraphile rejects such a request once it is up; before that, it does not listen.
            match exchange(self.address, &question) {
                Ok((200, _)) => return Ok(()),
                Ok(_) if self.peer == Peer::PostGraphile => return Ok(()),
                _ => {}
            }
            let ended = self
                .child
                .try_wait()
                .map_or(true, |status| status.is_some());
            if ended || start.elapsed() > START_TIMEOUT {
                return Err(Error::Silent {
                    peer: self.peer.name(),
                    log: self.log(),
                });
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Interrupts a process and waits until it has ended, because an instrumented program writes its
/// profile when it exits. Kills a process that takes longer than [`TIME_TO_END`].
pub fn end(child: &mut Child) {
    let sent = send_signal("INT", child);
    let since = Instant::now();
    while sent.is_ok() && since.elapsed() < TIME_TO_END && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Sends a signal, such as `HUP`, to a process.
///
/// Errors: the program `kill` cannot be run.
pub fn send_signal(name: &str, child: &Child) -> std::io::Result<()> {
    Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status()
        .map(drop)
}

fn free_address() -> std::io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
