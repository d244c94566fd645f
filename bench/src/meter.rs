//! Measures CPU time and memory of processes, from Linux's `/proc`. On other systems the figures
//! are absent.

use std::collections::HashMap;
use std::fs;
use std::ops::{Add, Sub};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// A process and its descendants, including those that it starts later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processes {
    root: u32,
}

/// CPU time, in the system's clock ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticks(u64);

/// Memory, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The resident set size.
    pub resident: u64,
    /// The peak of the resident set size.
    pub peak: u64,
}

impl Processes {
    /// The process with this ID and its descendants.
    pub fn under(root: u32) -> Processes {
        Processes { root }
    }

    /// The CPU time that they have used so far, including that of processes that have ended.
    pub fn ticks(self) -> Option<Ticks> {
        let all = all();
        // The CPU time of a process that has ended is part of its parent's time for children.
        let ticks = self
            .tree(&all)
            .filter_map(|id| all.get(&id))
            .map(|seen| seen.ticks);
        all.contains_key(&self.root).then(|| Ticks(ticks.sum()))
    }

    /// The sum of their memory. Shared pages count once for each process.
    pub fn memory(self) -> Option<Memory> {
        let all = all();
        let found: Vec<Memory> = self.tree(&all).filter_map(memory).collect();
        let sum = |of: fn(&Memory) -> u64| found.iter().map(of).sum();
        (!found.is_empty()).then(|| Memory {
            resident: sum(|seen| seen.resident),
            peak: sum(|seen| seen.peak),
        })
    }

    fn tree(self, all: &HashMap<u32, Seen>) -> impl Iterator<Item = u32> {
        let mut tree = vec![self.root];
        let mut next = 0;
        while let Some(parent) = tree.get(next).copied() {
            tree.extend(
                all.iter()
                    .filter(|(_, seen)| seen.parent == parent)
                    .map(|(id, _)| *id),
            );
            next += 1;
        }
        tree.into_iter()
    }
}

impl Ticks {
    /// The CPU time of this process alone.
    pub fn own() -> Option<Ticks> {
        let (own, _) = times(&fs::read_to_string("/proc/self/stat").ok()?)?;
        Some(Ticks(own))
    }

    /// Converts the ticks to a duration.
    pub fn time(self) -> Duration {
        static A_SECOND: OnceLock<u64> = OnceLock::new();
        let a_second = A_SECOND.get_or_init(|| {
            let output = Command::new("getconf").arg("CLK_TCK").output().ok();
            output
                .and_then(|output| String::from_utf8_lossy(&output.stdout).trim().parse().ok())
                .unwrap_or(100)
        });
        Duration::from_secs_f64(self.0 as f64 / *a_second as f64)
    }
}

impl Sub for Ticks {
    type Output = Ticks;

    fn sub(self, before: Ticks) -> Ticks {
        Ticks(self.0.saturating_sub(before.0))
    }
}

impl Add for Ticks {
    type Output = Ticks;

    fn add(self, more: Ticks) -> Ticks {
        Ticks(self.0 + more.0)
    }
}

/// A process, as parsed from its `stat` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    parent: u32,
    ticks: u64,
}

/// Every process of the system.
fn all() -> HashMap<u32, Seen> {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = folders.filter_map(|folder| folder.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| {
        Some((
            id,
            seen(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)?,
        ))
    })
    .collect()
}

/// Parses `stat`: the name, which may contain any character, is in parentheses.
/// <https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>
fn seen(stat: &str) -> Option<Seen> {
    let parent = fields(stat)?.nth(1)?.parse().ok()?;
    let (own, children) = times(stat)?;
    Some(Seen {
        parent,
        ticks: own + children,
    })
}

/// A process's own time and that of its ended children, each the sum of user and system time.
fn times(stat: &str) -> Option<(u64, u64)> {
    let mut times = fields(stat)?.skip(11).map(str::parse::<u64>);
    let mut next = || times.next()?.ok();
    Some((next()? + next()?, next()? + next()?))
}

/// The fields after the name.
fn fields(stat: &str) -> Option<impl Iterator<Item = &str>> {
    Some(stat.rsplit_once(')')?.1.split_ascii_whitespace())
}

fn memory(id: u32) -> Option<Memory> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = |name: &str| {
        let kilobytes = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(
            kilobytes
                .trim()
                .strip_suffix("kB")?
                .trim()
                .parse::<u64>()
                .ok()?
                * 1024,
        )
    };
    Some(Memory {
        resident: line("VmRSS:")?,
        peak: line("VmHWM:")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_lines_are_parsed_whatever_the_process_name() {
        let line = "7 (a) b (c)) S 3 7 7 0 -1 4194304 100 0 0 0 20 30 4 5 20 0 1 0 100 200 300";
        assert_eq!(
            seen(line),
            Some(Seen {
                parent: 3,
                ticks: 59
            })
        );
        assert_eq!(seen("7 (a"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn time_and_memory_of_a_child_are_counted() -> Result<(), Box<dyn std::error::Error>> {
        let own = Processes::under(std::process::id());
        let before = own.ticks().ok_or("no time")?;
        let spin = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        Command::new("sh").args(["-c", spin]).status()?;
        assert!((own.ticks().ok_or("no time")? - before).time() > Duration::from_millis(20));
        let memory = own.memory().ok_or("no memory")?;
        assert!(
            memory.resident > 1 << 20 && memory.peak >= memory.resident,
            "{memory:?}"
        );
        assert_eq!(Processes::under(u32::MAX).ticks(), None);
        Ok(())
    }
}
