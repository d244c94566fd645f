//! Watches which host of a database accepts writes, beside the requests. After a failover whose
//! former primary was not stopped, two hosts do; the one on the latest timeline is the primary, and
//! connections to the other one are given up. Compares the clocks of both sides as well.
//!
//! ```text
//! db1   timeline 1, accepts writes   superseded: gets no connections
//! db2   timeline 2, accepts writes   the primary
//! db3   in recovery
//! ```

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::join_all;
use tokio::time::Instant;

use crate::database::{Database, Settings};
use crate::observer::Observer;
use crate::server_state::ServerState;

/// What watches the hosts of a database.
struct PrimaryWatch {
    hosts: Vec<WatchedHost>,
    /// Its servers learn which host to prefer.
    database: Database,
    observer: Arc<dyn Observer>,
    /// The cluster and its latest timeline on which a host has accepted writes.
    latest: Option<(u64, u32)>,
    /// The hosts that accepted writes at the last look, the primary first.
    candidates: Option<Vec<usize>>,
    has_clock_warning: bool,
}

struct WatchedHost {
    name: Arc<str>,
    settings: Settings,
    /// Its pool of one connection, once it could be reached; of a single host that of requests.
    database: Option<Database>,
}

/// The state of a host, and by how many seconds the clock of this machine is ahead of its own.
struct Look {
    state: ServerState,
    clock_offset: f64,
}

/// The time between two looks at several hosts.
const INTERVAL: Duration = Duration::from_secs(5);

/// The time between two looks at a single host: there is no other one to take.
const SINGLE_HOST_INTERVAL: Duration = Duration::from_secs(30);

/// The seconds by which the clocks may differ without a warning.
const MAX_CLOCK_OFFSET: f64 = 2.0;

impl Database {
    /// Begins to watch which of the hosts accepts writes, until the last clone is dropped. If there
    /// are several, all have been asked once when this returns.
    pub async fn watch_primary(self, settings: &Settings) -> Database {
        let mut watch = PrimaryWatch::new(settings, self.clone());
        let has_several = watch.hosts.len() > 1;
        if has_several {
            watch.look().await;
        }
        let task = tokio::spawn(async move {
            if has_several {
                tokio::time::sleep(INTERVAL).await;
            }
            watch.run().await;
        });
        self.with_watch(task.abort_handle())
    }
}

impl PrimaryWatch {
    fn new(settings: &Settings, database: Database) -> PrimaryWatch {
        let url = settings.direct_url.as_ref().unwrap_or(&settings.url);
        // The last one bypasses a pooler.
        let names = database.servers.last();
        let names = names.map(|server| server.host_names().to_vec());
        let host = |(index, name): (usize, Arc<str>)| WatchedHost {
            name,
            settings: Settings {
                url: url.clone(),
                only_host: Some(index),
                direct_url: None,
                pool_size: 1,
                ..settings.clone()
            },
            database: None,
        };
        let mut hosts: Vec<_> = names.into_iter().flatten().enumerate().map(host).collect();
        if let [single] = hosts.as_mut_slice() {
            single.database = Some(database.clone());
        }
        PrimaryWatch {
            hosts,
            database,
            observer: settings.observer.clone(),
            latest: None,
            candidates: None,
            has_clock_warning: false,
        }
    }

    /// Looks regularly.
    async fn run(mut self) {
        let interval = if self.hosts.len() == 1 {
            SINGLE_HOST_INTERVAL
        } else {
            INTERVAL
        };
        loop {
            self.look().await;
            tokio::time::sleep(interval).await;
        }
    }

    /// Looks at all hosts once.
    async fn look(&mut self) {
        let looks = join_all(self.hosts.iter_mut().map(WatchedHost::look)).await;
        // A pool without a free connection says nothing about its host.
        if looks.iter().all(Option::is_none) && self.hosts.len() == 1 {
            return;
        }
        self.judge(&looks);
    }

    fn judge(&mut self, looks: &[Option<Look>]) {
        let writing: Vec<(usize, &Look)> = looks
            .iter()
            .enumerate()
            .filter_map(|(index, look)| Some((index, look.as_ref()?)))
            .filter(|(_, look)| !look.state.is_replica)
            .collect();
        self.latest = latest(self.latest, &writing.iter().map(|(_, look)| &look.state));
        let is_current =
            |look: &Look| Some((look.state.system, look.state.timeline)) == self.latest;
        let preferred = self
            .database
            .servers
            .iter()
            .find_map(|server| server.preferred_host());
        let is_preferred =
            |(index, look): &&(usize, &Look)| is_current(look) && Some(*index) == preferred;
        let primary = writing
            .iter()
            .find(is_preferred)
            .or_else(|| writing.iter().find(|(_, look)| is_current(look)))
            .copied();
        for server in &self.database.servers {
            for (index, look) in looks.iter().enumerate() {
                let is_superseded = match look {
                    Some(look) if look.state.is_replica => false,
                    Some(_) => primary.is_none_or(|(primary, _)| primary != index),
                    None => continue,
                };
                server.set_superseded(index, is_superseded);
            }
            if let Some((index, _)) = primary {
                server.prefer_host(index);
            }
        }
        self.observer.primary_candidates(writing.len());
        if let Some((_, look)) = primary {
            self.compare_clocks(look.clock_offset);
        }
        let mut candidates: Vec<usize> = primary.iter().map(|(index, _)| *index).collect();
        let others = writing.iter().map(|(index, _)| *index);
        candidates.extend(others.filter(|index| primary.is_none_or(|(found, _)| found != *index)));
        if self.candidates.as_ref() != Some(&candidates) {
            self.report(primary.map(|(index, _)| index), &writing);
            // Requests take no connection to a superseded host; others must not find one either.
            self.database.close_idle_admin();
            self.candidates = Some(candidates);
        }
    }

    /// Logs a change of the hosts that accept writes.
    fn report(&self, primary: Option<usize>, writing: &[(usize, &Look)]) {
        let name = |index: usize| self.hosts.get(index).map_or("", |host| &*host.name);
        self.observer.primary_changed(primary.map(name));
        let was = self
            .candidates
            .as_ref()
            .map(|candidates| candidates.first());
        match (primary.map(name), was) {
            (Some(host), Some(was)) if was.copied() != primary => {
                tracing::info!(host, "another host is the primary now");
            }
            (None, _) if self.hosts.len() > 1 => {
                tracing::warn!("no host of the database accepts writes as the primary");
            }
            _ => {}
        }
        if writing.len() > 1 {
            let hosts: Vec<String> = writing
                .iter()
                .map(|(index, look)| format!("{} (timeline {})", name(*index), look.state.timeline))
                .collect();
            tracing::error!(
                hosts = hosts.join(", "),
                used = primary.map(name),
                "several hosts of the database accept writes; stop all but the primary"
            );
        }
    }

    fn compare_clocks(&mut self, offset: f64) {
        self.observer.clock_offset(offset);
        let is_large = offset.abs() > MAX_CLOCK_OFFSET;
        if is_large && !self.has_clock_warning {
            tracing::warn!(
                seconds = offset,
                "the clock of this machine and that of the database differ; tokens may be taken \
                 for expired"
            );
        } else if !is_large && self.has_clock_warning {
            tracing::info!("the clocks of this machine and of the database agree again");
        }
        self.has_clock_warning = is_large;
    }
}

impl WatchedHost {
    /// `None` if the host cannot be asked.
    async fn look(&mut self) -> Option<Look> {
        let database = match &self.database {
            Some(database) => database,
            None => {
                // Boxed, because connecting to several hosts looks at each of them.
                let connecting = Box::pin(Database::connect_without_checks(&self.settings));
                let connected = tokio::time::timeout(INTERVAL, connecting).await;
                &*self.database.insert(connected.ok()?.ok()?)
            }
        };
        let began = Instant::now();
        let state = ServerState::ask(database).await.ok()?;
        // The server reads its clock in the middle of the time that asking takes.
        let now = SystemTime::now() - began.elapsed() / 2;
        let now = now.duration_since(UNIX_EPOCH).ok()?.as_secs_f64();
        let clock_offset = now - state.clock;
        Some(Look {
            state,
            clock_offset,
        })
    }
}

/// The latest timeline on which a server of the cluster has accepted writes. Where no server of a
/// known cluster is left, another one has taken its place.
fn latest<'s>(
    known: Option<(u64, u32)>,
    writing: &(impl Iterator<Item = &'s ServerState> + Clone),
) -> Option<(u64, u32)> {
    let timeline = |system: u64| {
        let of_system = writing.clone().filter(|state| state.system == system);
        of_system.map(|state| state.timeline).max()
    };
    match known {
        Some((system, known)) if timeline(system).is_some() => {
            timeline(system).map(|timeline| (system, timeline.max(known)))
        }
        _ => match writing.clone().max_by_key(|state| state.timeline) {
            Some(state) => Some((state.system, state.timeline)),
            None => known,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server_start::ServerStart;
    use crate::server_state::Checkpoint;

    fn writing(system: u64, timeline: u32) -> ServerState {
        let position = "0/1".parse().unwrap();
        ServerState {
            is_replica: false,
            system,
            timeline,
            position,
            checkpoint: Checkpoint {
                position,
                time: 1.0,
                timeline,
            },
            started: ServerStart(1.0),
            clock: 1.0,
            received_timeline: None,
            age: None,
        }
    }

    #[test]
    fn former_primary_is_none_even_while_the_new_one_is_away() {
        let both = [writing(7, 1), writing(7, 2)];
        let known = latest(None, &both.iter());
        assert_eq!(known, Some((7, 2)));
        assert_eq!(latest(known, &both[..1].iter()), Some((7, 2)));
        assert_eq!(latest(known, &[].iter()), Some((7, 2)));
        // Another cluster at these hosts.
        assert_eq!(latest(known, &[writing(8, 1)].iter()), Some((8, 1)));
    }
}
