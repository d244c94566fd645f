//! Reads the memory, open files and processor time of the process from Linux' `/proc`.

use std::fs;

/// The resource usage of the process; zero where it cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Usage {
    /// Bytes of memory.
    pub(super) memory: u64,
    /// Open files and sockets.
    pub(super) files: u64,
    /// The most files and sockets that it may open.
    pub(super) max_files: u64,
    /// Processor time in seconds.
    pub(super) cpu: f64,
}

/// Clock ticks per second in `/proc`, equal on every machine.
const TICKS_PER_SECOND: f64 = 100.0;

/// Reads the current usage.
pub(super) fn usage() -> Usage {
    let read = |name: &str| fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
    let files = fs::read_dir("/proc/self/fd").map_or(0, |folder| folder.count() as u64);
    Usage {
        memory: memory(&read("status")),
        files,
        max_files: max_files(),
        cpu: cpu(&read("stat")),
    }
}

/// As of the process' limits; the largest number if it has none.
fn max_files() -> u64 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    limit.current.unwrap_or(u64::MAX)
}

/// `VmRSS:     1234 kB`
fn memory(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// Sums the 14th and 15th field. The second field is a name in parentheses, which may contain any
/// characters. <https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>
fn cpu(stat: &str) -> f64 {
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks = after
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|word| word.parse::<u64>().ok());
    ticks.sum::<u64>() as f64 / TICKS_PER_SECOND
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_read_from_proc() {
        assert_eq!(
            memory("Name:\tpostern\nVmRSS:\t   1234 kB\nThreads:\t3\n"),
            1234 * 1024
        );
        let stat = "4711 (a b) c) S 1 4711 4711 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 8 0 1000";
        assert_eq!(cpu(stat), 3.0);
        assert_eq!((memory(""), cpu("")), (0, 0.0));
    }
}
