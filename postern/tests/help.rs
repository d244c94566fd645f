//! The help of the binary. Cargo builds a package's binary with its tests if it has one of this
//! kind, so that the tests of the workspace run the binary of this source.

#![allow(missing_docs, clippy::unwrap_used)]

use std::process::Command;

#[test]
fn help_of_the_binary_lists_demo_and_bench() {
    let output = Command::new(env!("CARGO_BIN_EXE_postern"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    for command in ["serve", "demo", "bench"] {
        assert!(
            help.lines()
                .any(|line| line.trim_start().starts_with(command)),
            "{help}"
        );
    }
}
