//! Starts PgBouncer in front of a server: the program on the path, and a second one of another
//! version where `scripts/pgbouncer.sh` has installed it.

use std::fs;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A running PgBouncer, stopped when it is dropped.
#[derive(Debug)]
pub struct PgBouncer {
    child: Child,
    port: u16,
    folder: TempDir,
}

/// How long PgBouncer may take to listen.
const PATIENCE: Duration = Duration::from_secs(10);

/// The programs, each with its version as `(1, 24)`. Those that keep prepared statements have
/// version 1.21 or newer.
pub fn programs() -> Vec<(PathBuf, (u32, u32))> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let on_path = folders
        .map(|folder| folder.join("pgbouncer"))
        .find(|program| program.is_file());
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("pgbouncer/installed/pgbouncer");
    let mut found: Vec<(PathBuf, (u32, u32))> = vec![];
    for program in on_path
        .into_iter()
        .chain(installed.is_file().then_some(installed))
    {
        if let Some(version) = version(&program)
            && found.iter().all(|(_, other)| *other != version)
        {
            found.push((program, version));
        }
    }
    found
}

/// `PgBouncer 1.18.0` in the first line.
fn version(program: &Path) -> Option<(u32, u32)> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text
        .strip_prefix("PgBouncer ")?
        .split(['.', '\n'])
        .map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

impl PgBouncer {
    /// Starts a program in front of the server of `url`. `settings` are lines of its section
    /// `[pgbouncer]`.
    ///
    /// Errors: the program cannot be started, or does not listen in time.
    pub fn start(program: &Path, url: &str, settings: &str) -> io::Result<PgBouncer> {
        let folder = tempfile::Builder::new()
            .prefix("pgbouncer-")
            .permissions(fs::Permissions::from_mode(0o755))
            .tempdir()?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let (user, password, server) = parts(url).ok_or(io::ErrorKind::InvalidInput)?;
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::File::create(&path)?.write_all(text.as_bytes())?;
            Ok::<_, io::Error>(path)
        };
        let users = file("users", &format!("\"{user}\" \"{password}\"\n"))?;
        let configuration = file(
            "pgbouncer.ini",
            &format!(
                "[databases]\n* = host=127.0.0.1 port={server} user={user} \
                 password={password}\n[pgbouncer]\n\
                 listen_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = trust\nauth_file = \
                 {}\nunix_socket_dir =\n\
                 {settings}\n",
                users.display()
            ),
        )?;
        let mut command = Command::new(program);
        if folder
            .path()
            .metadata()
            .is_ok_and(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata) == 0)
        {
            command.args(["--user", "nobody"]);
        }
        let log = fs::File::create(folder.path().join("log"))?;
        command
            .arg(configuration)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        let bouncer = PgBouncer {
            child: command.spawn()?,
            port,
            folder,
        };
        let end = Instant::now() + PATIENCE;
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if Instant::now() > end {
                return Err(io::ErrorKind::TimedOut.into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(bouncer)
    }

    /// The URL of the same database through PgBouncer.
    pub fn url(&self, direct: &str) -> String {
        match parts(direct) {
            Some((_, _, port)) => {
                direct.replacen(&format!(":{port}/"), &format!(":{}/", self.port), 1)
            }
            None => direct.to_owned(),
        }
    }

    /// Its log.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

/// User, password and port of `postgres://user:password@127.0.0.1:port/database`.
fn parts(url: &str) -> Option<(&str, &str, &str)> {
    let (sign_in, location) = url.split_once("://")?.1.split_once('@')?;
    let (user, password) = sign_in.split_once(':')?;
    Some((
        user,
        password,
        location.split_once('/')?.0.rsplit_once(':')?.1,
    ))
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        assert_eq!(
            parts("postgres://u:p@127.0.0.1:5000/d?x=:1"),
            Some(("u", "p", "5000"))
        );
    }
}
