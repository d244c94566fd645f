//! Chooses the user who owns a cluster's files and runs its processes: Postgres refuses to run as
//! root.

use std::fs::Metadata;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::Error;

/// The user that a cluster runs as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunAsUser {
    /// The user of this process.
    Myself,
    /// Another user, because this process is root.
    Other { uid: u32, gid: u32 },
}

impl RunAsUser {
    /// Chooses the user, given the metadata of a folder that this process has just created.
    pub(super) fn choose(own_folder: &Metadata) -> Result<RunAsUser, Error> {
        if own_folder.uid() != 0 {
            return Ok(RunAsUser::Myself);
        }
        ["postgres", "nobody"]
            .iter()
            .find_map(|name| named(name))
            .ok_or(Error::NoUser)
    }

    /// Changes the owner of a file or folder to this user.
    pub(super) fn own(self, path: &Path) -> Result<(), Error> {
        match self {
            RunAsUser::Myself => Ok(()),
            RunAsUser::Other { uid, gid } => {
                chown(path, Some(uid), Some(gid)).map_err(Error::at(path))
            }
        }
    }

    /// Runs a command as this user. The standard library drops supplementary groups.
    pub(super) fn run(self, command: &mut Command) {
        if let RunAsUser::Other { uid, gid } = self {
            command.uid(uid).gid(gid);
        }
    }
}

fn named(name: &str) -> Option<RunAsUser> {
    Some(RunAsUser::Other {
        uid: id("-u", name)?,
        gid: id("-g", name)?,
    })
}

fn id(option: &str, name: &str) -> Option<u32> {
    let output = Command::new("id").args([option, name]).output().ok()?;
    String::from_utf8(output.stdout)
        .ok()?
        .trim()
        .parse()
        .ok()
        .filter(|&id| id != 0)
}

/// A folder for temporary files that every user can enter and whose path is short enough for a
/// socket.
pub(super) fn temporary_parent() -> PathBuf {
    let preferred = std::env::temp_dir();
    // A socket's path has at most 107 bytes (macOS 103): this one, `/postern-XXXXXX` and
    // `/.s.PGSQL.65535.lock`.
    let short = preferred.as_os_str().len() <= 60;
    if short && preferred.ancestors().all(open_to_all) {
        preferred
    } else {
        PathBuf::from("/tmp")
    }
}

/// Whether every user can enter a folder.
pub(super) fn open_to_all(folder: &Path) -> bool {
    folder
        .metadata()
        .is_ok_and(|metadata| metadata.permissions().mode() & 0o001 != 0)
}
