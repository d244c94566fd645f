//! Finds the programs of Postgres. Their version is not checked.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::Error;
use super::npm::NPM_PACKAGE;

/// Folders in which package managers install Postgres, with a subfolder for each version.
const PACKAGES: [(&str, &str); 5] = [
    ("/usr/lib/postgresql", "bin"),
    ("/opt/homebrew/opt", "bin"),
    ("/usr/local/opt", "bin"),
    ("/usr", "bin"),
    ("/Applications/Postgres.app/Contents/Versions", "bin"),
];

/// The folder that contains `postgres` and `initdb`: from `PATH`, otherwise from `pg_config`,
/// otherwise the newest in the usual folders of Debian, Homebrew, Red Hat and Postgres.app,
/// otherwise those of the npm package [`NPM_PACKAGE`] beside this program's own npm package.
pub fn find_binaries() -> Result<PathBuf, Error> {
    on_path()
        .or_else(from_pg_config)
        .or_else(from_packages)
        .or_else(|| from_npm(&std::env::current_exe().ok()?))
        .ok_or(Error::NoBinaries)
}

/// The programs of [`NPM_PACKAGE`] in a folder `node_modules` that contains the program.
fn from_npm(program: &Path) -> Option<PathBuf> {
    let program = program.canonicalize().ok()?;
    let modules = program
        .ancestors()
        .filter(|folder| folder.file_name() == Some(OsStr::new("node_modules")));
    let package = modules
        .map(|modules| modules.join(NPM_PACKAGE).join("native"))
        .find(|package| complete(&package.join("bin")).is_some())?;
    link_libraries(&package.join("lib"));
    complete(&package.join("bin"))
}

/// Links `libpq.so.5` to `libpq.so.5.18` and so on. An archive of npm has no links: a script of the
/// package makes them, which clients of npm may skip. A folder that cannot be written stays as it
/// is; if a link is missing, Postgres' own message names the library.
fn link_libraries(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let Some((name, version)) = file.to_str().and_then(|file| file.split_once(".so.")) else {
            continue;
        };
        if let Some((major, _)) = version.split_once('.') {
            let link = folder.join(format!("{name}.so.{major}"));
            let _ = std::os::unix::fs::symlink(&file, link);
        }
    }
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).find_map(|folder| complete(&folder))
}

fn from_pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    let folder = String::from_utf8(output.stdout).ok()?;
    complete(Path::new(folder.trim()))
}

fn from_packages() -> Option<PathBuf> {
    PACKAGES
        .iter()
        .find_map(|(parent, below)| newest(Path::new(parent), below))
}

fn newest(parent: &Path, below: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(parent).ok()?.flatten();
    let versions = entries.filter_map(|entry| {
        Some((
            version(entry.file_name().to_str()?)?,
            entry.path().join(below),
        ))
    });
    let found = versions.filter_map(|(version, folder)| Some((version, complete(&folder)?)));
    found
        .max_by_key(|(version, _)| *version)
        .map(|(_, folder)| folder)
}

/// The version in a folder's name: `15`, `postgresql@17`, `pgsql-16`; 0 for `postgresql` alone.
fn version(name: &str) -> Option<u32> {
    let digits = name
        .trim_start_matches("postgresql")
        .trim_start_matches("pgsql")
        .trim_start_matches(['@', '-']);
    if digits.is_empty() && name.starts_with("postgresql") {
        return Some(0);
    }
    digits.split('.').next()?.parse().ok()
}

/// The folder if it contains both programs. If they are links, their target's folder, which
/// contains the other programs too.
fn complete(folder: &Path) -> Option<PathBuf> {
    let both = |folder: &Path| folder.join("postgres").is_file() && folder.join("initdb").is_file();
    if !both(folder) {
        return None;
    }
    let target = folder
        .join("postgres")
        .canonicalize()
        .ok()?
        .parent()?
        .to_owned();
    Some(if both(&target) {
        target
    } else {
        folder.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_folder_names() {
        let names = [
            "15",
            "9.6",
            "postgresql@17",
            "postgresql",
            "pgsql-16",
            "libpq",
            "openssl@3",
            "bin",
        ];
        let versions: Vec<_> = names.iter().map(|name| version(name)).collect();
        assert_eq!(
            versions,
            [
                Some(15),
                Some(9),
                Some(17),
                Some(0),
                Some(16),
                None,
                None,
                None
            ]
        );
    }

    #[test]
    fn programs_of_npm_are_found_beside_the_package_of_postern_and_linked()
    -> Result<(), Box<dyn std::error::Error>> {
        let modules = tempfile::tempdir()?.path().join("node_modules");
        let native = modules.join(NPM_PACKAGE).join("native");
        let own = modules.join("@postern/linux-x64/bin/postern");
        for file in [
            own.clone(),
            native.join("bin/postgres"),
            native.join("bin/initdb"),
            native.join("lib/libicuuc.so.60.2"),
            native.join("lib/libz.so.1"),
        ] {
            fs::create_dir_all(file.parent().ok_or("no folder")?)?;
            fs::write(file, "")?;
        }
        let found = from_npm(&own).ok_or("nothing found")?;
        assert_eq!(found, native.canonicalize()?.join("bin"));
        let link = fs::read_link(native.join("lib/libicuuc.so.60"))?;
        assert_eq!(link, Path::new("libicuuc.so.60.2"));
        assert_eq!(from_npm(&found.join("postgres")), Some(found));
        fs::remove_dir_all(native)?;
        assert_eq!(from_npm(&own), None);
        Ok(())
    }

    #[test]
    fn newest_complete_folder_is_chosen() -> Result<(), Box<dyn std::error::Error>> {
        let parent = tempfile::tempdir()?;
        for (version, programs) in [
            ("9", &["postgres", "initdb"][..]),
            ("15", &["postgres", "initdb"]),
            ("16", &["postgres"]),
        ] {
            let bin = parent.path().join(version).join("bin");
            fs::create_dir_all(&bin)?;
            programs
                .iter()
                .try_for_each(|program| fs::write(bin.join(program), ""))?;
        }
        let found = newest(parent.path(), "bin").ok_or("nothing found")?;
        assert_eq!(found, parent.path().canonicalize()?.join("15/bin"));
        Ok(())
    }
}
