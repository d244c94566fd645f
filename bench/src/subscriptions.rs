//! Measures live queries beside plain polling: CPU and statements of idle subscribers, the time
//! from a commit until subscribers have the result, subscriptions by key beside updates of other
//! rows, and memory. The rows are those of [`crate::work`], with a controller of its own for each
//! set of parameters.

mod clients;
mod report;
mod rows;

use std::collections::HashMap;
use std::fs;
use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};

use loadgen::{ArrivalRate, Histogram, LoadOptions, PreparedRequest};
use serde_json::{Map, Value, json};

use crate::Failure;
use crate::meter::{Processes, Ticks};
use crate::peers::{self, Bed, Peer, Programs, Server, exchange};
use crate::program::Program;
use crate::work::{Data, Tokens};
use clients::{Arrival, Clients, Query};
use rows::{Sets, Writer};

/// The parameters of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The number of subscribers.
    pub subscribers: usize,
    /// The number of distinct sets of parameters.
    pub parameters: usize,
    /// The number of WebSockets.
    pub sockets: usize,
    /// How long each load is measured.
    pub time: Duration,
    /// How many changes that touch a thousand subscribers are made.
    pub rounds: usize,
    /// The requests a second at which polling is measured, at most one for each subscriber.
    pub polls: usize,
    /// What makes the gateway look for new results.
    pub wakes: Vec<WakeSource>,
    /// What is measured.
    pub workloads: Vec<Workload>,
    /// How long changes are made with the last of the sources.
    pub long: Duration,
    /// Of [`Workload::Key`], how many other rows are updated in a second.
    pub updates: usize,
    /// Of [`Workload::Sockets`], the number of sockets, each with one subscriber.
    pub lone_sockets: usize,
    /// Of [`Workload::Operations`], the number of subscribers.
    pub operations: usize,
    /// How much other data there is.
    pub data: Data,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Subscribers who share sets of parameters: idle, with a change that touches 1,000 of them,
    /// and with 100 changes a second that touch ten each; beside requests that poll.
    Shared,
    /// As many subscribers with a key of their own, while other rows are updated.
    Key,
    /// Memory with a socket for each subscriber.
    Sockets,
    /// Memory with many subscribers on each socket.
    Operations,
}

impl Workload {
    /// All of them.
    pub const ALL: [Workload; 4] = [
        Workload::Shared,
        Workload::Key,
        Workload::Sockets,
        Workload::Operations,
    ];

    /// Its name in options.
    pub fn name(self) -> &'static str {
        match self {
            Workload::Shared => "shared",
            Workload::Key => "key",
            Workload::Sockets => "sockets",
            Workload::Operations => "operations",
        }
    }
}

/// What makes the gateway run subscriptions again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeSource {
    /// Each interval, whether or not a transaction has written: plain polling of each cohort.
    Polling,
    /// The comparison of snapshots at each interval.
    Interval,
    /// The triggers of `postern migrate --notify-writes` as well.
    Notify,
    /// Logical replication, with the whole old rows.
    Replication,
}

/// The results of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The changes without subscribers and the polling, by description.
    pub others: Vec<(String, Load)>,
    /// The live queries of [`Workload::Shared`].
    pub live: Vec<Live>,
    /// Those of [`Workload::Key`].
    pub keys: Vec<Keys>,
    /// Memory of the other workloads.
    pub memory: Vec<MemoryOf>,
}

/// The measurements of subscriptions by key with one source of wake-ups.
#[derive(Debug)]
pub struct Keys {
    /// The source.
    pub wake: WakeSource,
    /// While other rows are updated.
    pub others: Load,
    /// A change of one subscriber's row after that, several times.
    pub own: Rounds,
}

/// The memory of idle subscribers.
#[derive(Clone, Copy, Debug)]
pub struct MemoryOf {
    /// What was opened.
    pub workload: Workload,
    /// The numbers of sockets and of subscribers.
    pub opened: [usize; 2],
    /// Memory of the gateway before and with the subscribers, in bytes.
    pub bytes: Option<[u64; 2]>,
    /// The time until all subscribers had their first result.
    pub ready_after: Duration,
}

impl MemoryOf {
    /// Bytes for each subscriber.
    pub fn each(&self) -> Option<f64> {
        self.bytes
            .map(|[before, with]| (with as f64 - before as f64) / self.opened[1] as f64)
    }
}

/// The measurements of live queries with one source of wake-ups.
#[derive(Debug)]
pub struct Live {
    /// The source.
    pub wake: WakeSource,
    /// Memory with the subscribers.
    pub memory: MemoryOf,
    /// Without changes.
    pub idle: Load,
    /// The changes that touch a thousand subscribers each.
    pub thousand: Rounds,
    /// A hundred changes a second that touch ten subscribers each.
    pub changing: Load,
}

/// The changes that touch many subscribers.
#[derive(Debug, Default)]
pub struct Rounds {
    /// How many subscribers each change touches.
    pub touched: usize,
    /// Times from a commit until the last subscriber had the result.
    pub last: Histogram,
    /// Times from a commit until a subscriber had the result.
    pub each: Histogram,
}

/// The measurements during one load.
#[derive(Clone, Debug, Default)]
pub struct Load {
    /// CPU time per second: the gateway's, that of all of Postgres' processes, and that of this
    /// program.
    pub cpu: [Option<f64>; 3],
    /// Statements for subscribers per second, then reads of the snapshot.
    pub statements: Option<[f64; 2]>,
    /// How long it lasted.
    pub seconds: Duration,
    /// Changes made per second.
    pub changes: f64,
    /// Times from a change until a subscriber had the result, or for polls from when a request was
    /// due.
    pub latencies: Option<Histogram>,
    /// Subscribers that lacked the last change at the end, and failed polls.
    pub missing: u64,
    /// The gateway's memory at equal times of the load, in bytes.
    pub memory: Vec<u64>,
    /// By how much CPU must be multiplied to be that of all subscribers.
    pub scale: f64,
    /// The part of the CPU that does not depend on the number of subscribers: that of the changes.
    pub fixed: [f64; 3],
}

impl Load {
    /// Growth of the gateway's memory in bytes, after the first tenth of the load, when buffers are
    /// as large as they become.
    pub fn growth(&self) -> Option<i64> {
        let settled = self.memory.get(self.memory.len() / 10)?;
        Some(*self.memory.last()? as i64 - *settled as i64)
    }

    /// CPU time per second with all subscribers.
    pub fn scaled(&self) -> [Option<f64>; 3] {
        let mut cpu = self.cpu;
        for (share, fixed) in cpu.iter_mut().zip(self.fixed) {
            *share = share.map(|share| (share - fixed).max(0.0) * self.scale + fixed);
        }
        cpu
    }
}

/// How many subscribers a change touches: of the single changes, and of those at a rate.
const TOUCHED: [usize; 2] = [1_000, 10];

/// The time between two changes at a rate.
const CHANGE_INTERVAL: Duration = Duration::from_millis(10);

/// How often memory is read during a load.
const MEMORY_SAMPLES: u32 = 20;

/// How many changes of own rows are made after the load of [`Workload::Key`].
const OWN_CHANGES: usize = 20;

/// How long to wait for results that are outstanding.
const RESULT_TIMEOUT: Duration = Duration::from_secs(10);

/// How many connections poll.
const POLLER_COUNT: usize = 64;

/// File descriptors of the gateway and of this program that are not sockets of subscribers.
const RESERVED_DESCRIPTORS: usize = 200;

impl Program for Plan {
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "subscriptions"
    }

    /// Errors: a program does not start, a socket or an operation fails, or results do not arrive.
    fn run(&self, programs: &Programs, tell: &dyn Fn(&str)) -> Result<(Outcome, String), Failure> {
        tell("starting Postgres and making the data …");
        let bed = Bed::start(self.data)?;
        let version = crate::run::version(&bed)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        let sets = Sets {
            subscribers: self.subscribers,
            parameters: self.parameters,
        };
        let tokens = Tokens::new()?;
        let mut run = Run {
            plan: self,
            programs,
            bed: &bed,
            tokens,
            sets,
            change: 1,
            tell,
        };
        let outcome = runtime.block_on(run.all())?;
        Ok((outcome, version))
    }

    fn tables(&self, outcome: &Outcome, machine: &Map<String, Value>) -> String {
        report::tables(self, outcome, machine)
    }

    fn json(&self, outcome: &Outcome, machine: &Map<String, Value>) -> Value {
        report::json(self, outcome, machine)
    }
}

/// How many WebSockets the limit of open files allows.
pub fn allowed_sockets() -> Option<usize> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))?;
    Some(
        line.split_ascii_whitespace()
            .next()?
            .parse::<usize>()
            .ok()?
            .saturating_sub(RESERVED_DESCRIPTORS),
    )
}

struct Run<'a> {
    plan: &'a Plan,
    programs: &'a Programs,
    bed: &'a Bed,
    tokens: Tokens,
    sets: Sets,
    /// The number of the next change.
    change: u64,
    tell: &'a dyn Fn(&str),
}

impl Run<'_> {
    async fn all(&mut self) -> Result<Outcome, Failure> {
        let plan = self.plan;
        let mut outcome = Outcome::default();
        let has = |workload: Workload| plan.workloads.contains(&workload);
        let sets = if has(Workload::Key) {
            plan.subscribers
        } else {
            plan.parameters
        };
        let writer = Writer::connect(&self.bed.url(), sets).await?;
        if has(Workload::Shared) {
            self.compare(&writer, &mut outcome).await?;
        }
        for wake in &plan.wakes {
            self.prepare(*wake, &writer).await?;
            if has(Workload::Shared) {
                outcome.live.push(self.live(*wake, &writer).await?);
            }
            if has(Workload::Key) {
                outcome.keys.push(self.keys(*wake, &writer).await?);
            }
        }
        for (workload, sockets, subscribers) in [
            (Workload::Sockets, plan.lone_sockets, plan.lone_sockets),
            (Workload::Operations, plan.sockets, plan.operations),
        ] {
            if has(workload) {
                (self.tell)(&format!(
                    "memory of {subscribers} subscribers on {sockets} sockets …"
                ));
                let sets = Sets {
                    subscribers,
                    parameters: plan.parameters.min(subscribers),
                };
                let (server, before) = self.start().await?;
                let (_clients, ready_after) = self
                    .subscribe(&server, WakeSource::Interval, Query::Page, sets, sockets)
                    .await?;
                let bytes = before
                    .zip(resident(&server))
                    .map(|(before, with)| [before, with]);
                outcome.memory.push(MemoryOf {
                    workload,
                    opened: [sockets, subscribers],
                    bytes,
                    ready_after,
                });
            }
        }
        Ok(outcome)
    }

    /// Makes a source possible. Gateways that are started later use the best one that is.
    async fn prepare(&self, wake: WakeSource, writer: &Writer) -> Result<(), Failure> {
        match wake {
            WakeSource::Polling | WakeSource::Interval => {}
            WakeSource::Notify => self.migrate("--notify-writes")?,
            WakeSource::Replication => {
                writer.keep_old_rows().await?;
                self.migrate("--replication")?;
            }
        }
        Ok(())
    }

    /// Starts a gateway. Returns its memory, too.
    async fn start(&self) -> Result<(Server, Option<u64>), Failure> {
        let server = Server::start(Peer::Postern, self.programs, self.bed, peers::POOL_SIZE)?;
        // Polls make the pool's connections and the caches, which are not memory of subscribers.
        let options = LoadOptions {
            clients: peers::POOL_SIZE,
            arrival_rate: ArrivalRate::Closed,
            warm_up: Duration::from_millis(100),
            time: Duration::from_millis(500),
        };
        loadgen::drive(server.address(), &self.polls()?, &options).await?;
        let before = resident(&server);
        Ok((server, before))
    }

    /// Opens the sockets with their subscribers. Returns the time until all had their first result,
    /// too.
    async fn subscribe(
        &self,
        server: &Server,
        wake: WakeSource,
        query: Query,
        sets: Sets,
        sockets: usize,
    ) -> Result<(Clients, Duration), Failure> {
        (self.tell)(&format!("{}: opening {sockets} sockets …", wake.name()));
        let role = if wake == WakeSource::Polling {
            "polled"
        } else {
            "reader"
        };
        let start = Instant::now();
        let token = self.tokens.role_token(role)?;
        let clients = Clients::start(server.address(), &token, query, sets, sockets).await?;
        let ready_after = start.elapsed();
        // Two intervals: the results of the last write before the subscribers came are out then.
        tokio::time::sleep(Duration::from_secs(2)).await;
        Ok((clients, ready_after))
    }

    /// Measures the changes alone, then polling without and with them.
    async fn compare(&mut self, writer: &Writer, outcome: &mut Outcome) -> Result<(), Failure> {
        let server = Server::start(Peer::Postern, self.programs, self.bed, peers::POOL_SIZE)?;
        (self.tell)("changes without subscribers …");
        let meter = Meter::start(&server, self.bed)?;
        let sent = self.changes(writer, self.plan.time).await?;
        let load = Load {
            changes: sent.len() as f64 / meter.seconds(),
            ..meter.stop()?
        };
        let of_changes = load.cpu.map(Option::unwrap_or_default);
        outcome
            .others
            .push(("no subscribers, 100 changes a second".to_owned(), load));
        let rate = self.plan.polls.min(self.plan.subscribers);
        let calls = self.polls()?;
        let options = LoadOptions {
            clients: POLLER_COUNT,
            arrival_rate: ArrivalRate::Rate(rate as f64),
            // The first tenth of a second is not in the latencies, but its CPU is.
            warm_up: Duration::from_millis(100),
            time: self.plan.time,
        };
        for changing in [false, true] {
            (self.tell)(&format!(
                "{rate} polls a second{} …",
                if changing { " and changes" } else { "" }
            ));
            // Connections and plans are warm before.
            loadgen::drive(
                server.address(),
                &calls,
                &LoadOptions {
                    time: Duration::from_secs(1),
                    ..options
                },
            )
            .await?;
            let meter = Meter::start(&server, self.bed)?;
            let polls = loadgen::drive(server.address(), &calls, &options);
            let (polls, sent) = if changing {
                let (polls, sent) = tokio::join!(polls, self.changes(writer, self.plan.time));
                (polls?, sent?.len())
            } else {
                (polls.await?, 0)
            };
            let changes = sent as f64 / meter.seconds();
            let scale = self.plan.subscribers as f64 / rate as f64;
            let missing = polls.errors + polls.unsent;
            let fixed = if changing { of_changes } else { [0.0; 3] };
            let load = Load {
                changes,
                scale,
                fixed,
                missing,
                latencies: Some(polls.latencies),
                ..meter.stop()?
            };
            let of = if changing {
                "100 changes a second"
            } else {
                "no changes"
            };
            outcome
                .others
                .push((format!("requests that poll once a second, {of}"), load));
        }
        Ok(())
    }

    /// Measures live queries with a gateway of their own.
    async fn live(&mut self, wake: WakeSource, writer: &Writer) -> Result<Live, Failure> {
        let (server, before) = self.start().await?;
        let sets = self.sets;
        let sockets = self.plan.sockets;
        let name = wake.name();
        let (mut clients, ready_after) = self
            .subscribe(&server, wake, Query::Page, sets, sockets)
            .await?;
        let bytes = before
            .zip(resident(&server))
            .map(|(before, with)| [before, with]);
        let opened = [sockets, sets.subscribers];
        let memory = MemoryOf {
            workload: Workload::Shared,
            opened,
            bytes,
            ready_after,
        };
        (self.tell)(&format!("{name}: idle …"));
        let meter = Meter::start(&server, self.bed)?;
        tokio::time::sleep(self.plan.time).await;
        let idle = meter.stop()?;
        clients.take()?;
        (self.tell)(&format!(
            "{name}: {} changes that touch 1,000 subscribers …",
            self.plan.rounds
        ));
        let thousand = self
            .rounds(&mut clients, writer, TOUCHED[0], self.plan.rounds)
            .await?;
        let time = if self.plan.wakes.last() == Some(&wake) {
            self.plan.long
        } else {
            self.plan.time
        };
        (self.tell)(&format!(
            "{name}: 100 changes a second for {} s …",
            time.as_secs_f64()
        ));
        let first = self.change;
        let meter = Meter::start(&server, self.bed)?;
        let (sent, memory_over_time) =
            tokio::join!(self.changes(writer, time), samples(&server, time));
        let sent = sent?;
        let changes = sent.len() as f64 / meter.seconds();
        let load = meter.stop()?;
        tokio::time::sleep(RESULT_TIMEOUT.min(self.plan.time)).await;
        let (latencies, missing) = self.delivered(first, &sent, &clients.take()?);
        let changing = Load {
            changes,
            missing,
            latencies: Some(latencies),
            memory: memory_over_time,
            seconds: time,
            ..load
        };
        Ok(Live {
            wake,
            memory,
            idle,
            thousand,
            changing,
        })
    }

    /// Measures subscriptions by key with a gateway of their own.
    async fn keys(&mut self, wake: WakeSource, writer: &Writer) -> Result<Keys, Failure> {
        let (server, _) = self.start().await?;
        let sets = Sets {
            subscribers: self.plan.subscribers,
            parameters: self.plan.subscribers,
        };
        let (mut clients, _) = self
            .subscribe(&server, wake, Query::Key, sets, self.plan.sockets)
            .await?;
        (self.tell)(&format!(
            "{}: by key, {} updates a second of other rows …",
            wake.name(),
            self.plan.updates
        ));
        let meter = Meter::start(&server, self.bed)?;
        let updated = rows::update_others(
            &self.bed.url(),
            self.plan.data,
            self.plan.updates,
            self.plan.time,
        )
        .await?;
        let changes = updated as f64 / meter.seconds();
        let others = Load {
            changes,
            ..meter.stop()?
        };
        clients.take()?;
        let known = std::mem::replace(&mut self.sets, sets);
        let own = self
            .rounds(&mut clients, writer, 1, OWN_CHANGES.min(self.plan.rounds))
            .await;
        self.sets = known;
        Ok(Keys {
            wake,
            others,
            own: own?,
        })
    }

    /// Makes changes that touch so many subscribers, each when all subscribers have the one before.
    async fn rounds(
        &mut self,
        clients: &mut Clients,
        writer: &Writer,
        subscribers: usize,
        count: usize,
    ) -> Result<Rounds, Failure> {
        let mut rounds = Rounds::default();
        for round in 0..count {
            // So that changes fall on different moments between two intervals.
            tokio::time::sleep(Duration::from_millis(100 + round as u64 * 370 % 1_000)).await;
            let touched = self.sets.touched(self.change, subscribers);
            rounds.touched = self.sets.count(&touched);
            let sent = writer.change(self.change, &touched).await?;
            let mut waiting = rounds.touched;
            let all = async {
                while waiting > 0 {
                    let arrival = clients.next().await?;
                    if arrival.change == self.change {
                        waiting -= 1;
                        let latency = arrival.at.saturating_duration_since(sent);
                        rounds.each.record(latency);
                        if waiting == 0 {
                            rounds.last.record(latency);
                        }
                    }
                }
                Ok::<_, Failure>(())
            };
            match tokio::time::timeout(RESULT_TIMEOUT, all).await {
                Ok(outcome) => outcome?,
                Err(_) => {
                    return Err(
                        format!("{waiting} subscribers never got change {}", self.change).into(),
                    );
                }
            }
            self.change += 1;
        }
        Ok(rounds)
    }

    /// Makes a hundred changes a second. Returns the times of their commits.
    async fn changes(&mut self, writer: &Writer, time: Duration) -> Result<Vec<Instant>, Failure> {
        let mut ticks = tokio::time::interval(CHANGE_INTERVAL);
        let end = Instant::now() + time;
        let mut sent = vec![];
        while Instant::now() < end {
            ticks.tick().await;
            sent.push(
                writer
                    .change(self.change, &self.sets.touched(self.change, TOUCHED[1]))
                    .await?,
            );
            self.change += 1;
        }
        Ok(sent)
    }

    /// The times from these changes to these arrivals, and how many subscribers lack the last
    /// change of their set.
    fn delivered(&self, first: u64, sent: &[Instant], arrivals: &[Arrival]) -> (Histogram, u64) {
        let mut latencies = Histogram::default();
        let mut newest: HashMap<usize, u64> = HashMap::new();
        for arrival in arrivals {
            let number = arrival
                .change
                .checked_sub(first)
                .and_then(|number| usize::try_from(number).ok());
            if let Some(sent) = number.and_then(|number| sent.get(number)) {
                latencies.record(arrival.at.saturating_duration_since(*sent));
            }
            let known = newest.entry(arrival.subscriber).or_default();
            *known = (*known).max(arrival.change);
        }
        let changes = (first..).take(sent.len());
        let last: HashMap<usize, u64> = changes
            .flat_map(|change| {
                self.sets
                    .touched(change, TOUCHED[1])
                    .into_iter()
                    .map(move |set| (set, change))
            })
            .collect();
        let lacks = |subscriber: &usize| {
            last.get(&self.sets.set_of(*subscriber))
                .is_some_and(|change| newest.get(subscriber) != Some(change))
        };
        (
            latencies,
            (0..self.sets.subscribers).filter(lacks).count() as u64,
        )
    }

    /// The requests of polling, one for each set of parameters.
    fn polls(&self) -> Result<Vec<PreparedRequest>, Failure> {
        let headers = [(
            "Authorization".to_owned(),
            format!("Bearer {}", self.tokens.role_token("reader")?),
        )];
        let document = format!("query{}", Query::Page.selection());
        let call = |set| {
            let body = json!({"query": document, "variables": Query::Page.variables(set)});
            PreparedRequest::post(
                "localhost",
                "/v1/graphql",
                &headers,
                body.to_string().as_bytes(),
            )
        };
        Ok((0..self.sets.parameters).map(call).collect())
    }

    /// Runs `postern migrate`. The gateways that are started later use the best source that it has
    /// prepared.
    fn migrate(&self, flag: &str) -> Result<(), Failure> {
        let mut command = Command::new(&self.programs.postern);
        let variables = std::env::vars_os().map(|(name, _)| name);
        for name in variables.filter(|name| name.to_string_lossy().starts_with("POSTERN_")) {
            command.env_remove(name);
        }
        let output = command
            .args(["migrate", flag, "--database-url", &self.bed.url()])
            .output()?;
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
        }
    }
}

/// The memory of the gateway.
fn resident(server: &Server) -> Option<u64> {
    Some(Processes::under(server.pid()).memory()?.resident)
}

/// The memory of the gateway at equal times.
async fn samples(server: &Server, time: Duration) -> Vec<u64> {
    let mut ticks = tokio::time::interval(time / MEMORY_SAMPLES);
    let mut samples = vec![];
    for _ in 0..=MEMORY_SAMPLES {
        ticks.tick().await;
        samples.extend(resident(server));
    }
    samples
}

/// Readings at the start of a load.
struct Meter {
    start: Instant,
    address: SocketAddr,
    processes: [Processes; 2],
    ticks: [Option<Ticks>; 3],
    statements: Option<[f64; 2]>,
}

impl Meter {
    fn start(server: &Server, bed: &Bed) -> Result<Meter, Failure> {
        let processes = [
            Processes::under(server.pid()),
            Processes::under(bed.postmaster()?),
        ];
        let address = server.address();
        let statements = statements(server.address())?;
        Ok(Meter {
            start: Instant::now(),
            address,
            processes,
            ticks: ticks(processes),
            statements,
        })
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// The load since the start, without latencies.
    fn stop(self) -> Result<Load, Failure> {
        let seconds = self.seconds();
        let after = ticks(self.processes);
        let mut cpu = [None; 3];
        for ((share, before), after) in cpu.iter_mut().zip(self.ticks).zip(after) {
            *share = before
                .zip(after)
                .map(|(before, after)| (after - before).time().as_secs_f64() / seconds);
        }
        let statements = self.statements.zip(statements(self.address)?);
        let statements = statements.map(|([run, looks], after)| {
            [(after[0] - run) / seconds, (after[1] - looks) / seconds]
        });
        Ok(Load {
            cpu,
            statements,
            scale: 1.0,
            seconds: Duration::from_secs_f64(seconds),
            ..Load::default()
        })
    }
}

fn ticks([gateway, postgres]: [Processes; 2]) -> [Option<Ticks>; 3] {
    [gateway.ticks(), postgres.ticks(), Ticks::own()]
}

/// The counters of statements for subscribers and of reads of the snapshot.
fn statements(address: SocketAddr) -> Result<Option<[f64; 2]>, Failure> {
    let call = PreparedRequest {
        bytes: "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".into(),
    };
    let (_, body) = exchange(address, &call)?;
    Ok(counters(&String::from_utf8_lossy(&body)))
}

fn counters(metrics: &str) -> Option<[f64; 2]> {
    let value = |line: &str| line.rsplit_once(' ')?.1.parse::<f64>().ok();
    let lines = |name: &'static str| metrics.lines().filter(move |line| line.starts_with(name));
    let run = lines("postern_subscription_statements_total").find_map(value)?;
    let looks = lines("postern_subscription_changes_total");
    let looks = looks.filter(|line| !line.contains("notified") && !line.contains("replicated"));
    Some([run, looks.filter_map(value).sum()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_of_changes_is_not_multiplied() {
        let load = Load {
            cpu: [Some(0.5), Some(0.25), None],
            scale: 4.0,
            fixed: [0.25, 0.0, 0.0],
            ..Load::default()
        };
        assert_eq!(load.scaled(), [Some(1.25), Some(1.0), None]);
    }

    #[test]
    fn counters_are_read_from_the_metrics() {
        let metrics = "# HELP postern_subscription_statements_total \
                       x\npostern_subscription_statements_total 12\n\
                       postern_subscription_changes_total{outcome=\"written\"} 3\n\
                       postern_subscription_changes_total{outcome=\"notified\"} 9\n\
                       postern_subscription_changes_total{outcome=\"unchanged\"} 4\n";
        assert_eq!(counters(metrics), Some([12.0, 7.0]));
        assert_eq!(counters(""), None);
    }
}
