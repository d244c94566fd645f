//! `postern man`: writes the manual pages, one for each command.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use clap_mangen::Man;

use super::{Failure, print, print_error};

pub(super) fn command() -> Command {
    Command::new("man")
        .about("Write the manual pages, one for each command")
        .arg(Arg::new("out").long("out").value_name("DIR").help(
            "Write all pages to this directory; without it, the page of `postern` goes \
                       to standard output",
        ))
        .after_help("Example:\n  postern man --out /usr/local/share/man/man1")
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    match matches.get_one::<String>("out").map(PathBuf::from) {
        None => {
            let mut page = vec![];
            Man::new(super::command()).render(&mut page)?;
            print(&String::from_utf8_lossy(&page))?;
        }
        Some(path) => {
            let unwritable = |cause| Failure::Unwritable {
                path: path.clone(),
                cause,
            };
            std::fs::create_dir_all(&path).map_err(unwritable)?;
            clap_mangen::generate_to(super::command(), &path).map_err(unwritable)?;
            print_error(&format!("wrote the pages to {}", path.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}
