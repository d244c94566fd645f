//! Describes the machine that a run was made on. Facts that the system does not provide are left
//! out.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

/// The facts about this machine and the software measured on it; `load` is the load average before
/// the run.
pub fn facts(root: &Path, postgres: &str, load: Option<f64>) -> Map<String, Value> {
    let facts = [
        ("cpu", processor().map(Value::from)),
        (
            "cores",
            std::thread::available_parallelism()
                .ok()
                .map(|cores| json!(cores.get())),
        ),
        ("memory_mib", memory().map(Value::from)),
        (
            "kernel",
            output_line("uname", &["-srm"], root).map(Value::from),
        ),
        ("load_before", load.map(Value::from)),
        ("postgres", Some(postgres.into())),
        (
            "rustc",
            output_line("rustc", &["--version"], root).map(Value::from),
        ),
        (
            "node",
            output_line("node", &["--version"], root).map(Value::from),
        ),
        ("commit", commit(root).map(Value::from)),
        (
            "date",
            output_line("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"], root).map(Value::from),
        ),
    ];
    facts
        .into_iter()
        .filter_map(|(name, fact)| Some((name.to_owned(), fact?)))
        .collect()
}

/// The load average over the last minute.
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg")
        .ok()?
        .split(' ')
        .next()?
        .parse()
        .ok()
}

fn processor() -> Option<String> {
    let linux = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    linux.or_else(|| {
        output_line(
            "sysctl",
            &["-n", "machdep.cpu.brand_string"],
            Path::new("/"),
        )
    })
}

fn memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(
        kilobytes
            .trim()
            .strip_suffix("kB")?
            .trim()
            .parse::<u64>()
            .ok()?
            / 1024,
    )
}

/// The commit, and whether the working tree differs from it.
fn commit(root: &Path) -> Option<String> {
    let commit = output_line("git", &["rev-parse", "--short=12", "HEAD"], root)?;
    let changed = Command::new("git")
        .args(["diff", "--quiet", "HEAD"])
        .current_dir(root)
        .status();
    Some(if changed.is_ok_and(|status| status.success()) {
        commit
    } else {
        format!("{commit}, with changes")
    })
}

/// The output of a program, on one line.
fn output_line(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_contain_cores_kernel_and_date() {
        let facts = facts(Path::new(env!("CARGO_MANIFEST_DIR")), "15.1", load());
        assert_eq!(facts.get("postgres"), Some(&json!("15.1")));
        assert!(
            facts.contains_key("cores")
                && facts.contains_key("kernel")
                && facts.contains_key("date"),
            "{facts:?}"
        );
    }
}
