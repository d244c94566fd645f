//! On what a run was made. What the system does not tell stays out.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

/// The facts of this machine, and of what was measured on it; `load` is what it was doing before.
pub fn facts(root: &Path, postgres: &str, load: Option<f64>) -> Map<String, Value> {
    let facts = [
        ("cpu", processor().map(Value::from)),
        ("cores", std::thread::available_parallelism().ok().map(|cores| json!(cores.get()))),
        ("memory_mib", memory().map(Value::from)),
        ("kernel", said("uname", &["-srm"], root).map(Value::from)),
        ("load_before", load.map(Value::from)),
        ("postgres", Some(postgres.into())),
        ("rustc", said("rustc", &["--version"], root).map(Value::from)),
        ("node", said("node", &["--version"], root).map(Value::from)),
        ("commit", commit(root).map(Value::from)),
        ("date", said("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"], root).map(Value::from)),
    ];
    facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?))).collect()
}

/// The load average over the last minute.
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

fn processor() -> Option<String> {
    let linux = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    linux.or_else(|| said("sysctl", &["-n", "machdep.cpu.brand_string"], Path::new("/")))
}

fn memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(kilobytes.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? / 1024)
}

/// The commit, and whether files differ from it.
fn commit(root: &Path) -> Option<String> {
    let commit = said("git", &["rev-parse", "--short=12", "HEAD"], root)?;
    let changed = Command::new("git").args(["diff", "--quiet", "HEAD"]).current_dir(root).status();
    Some(if changed.is_ok_and(|status| status.success()) { commit } else { format!("{commit}, with changes") })
}

/// What a program writes, on one line.
fn said(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_says_where_it_was_made() {
        let facts = facts(Path::new(env!("CARGO_MANIFEST_DIR")), "15.1", load());
        assert_eq!(facts.get("postgres"), Some(&json!("15.1")));
        assert!(facts.contains_key("cores") && facts.contains_key("kernel") && facts.contains_key("date"), "{facts:?}");
    }
}
