//! The end-to-end run. All peers run over one database and are driven in turns, one work and one
//! number of clients after the other, so that other load on the machine affects all of them
//! equally. Figures are medians over the rounds.

use std::time::Duration;

use loadgen::{ArrivalRate, LoadOptions, LoadReport, PreparedRequest};

use crate::meter::{Memory, Processes, Ticks};
use crate::peers::{self, Bed, DURABLE, Peer, Programs, Server, compare, pgbench};
use crate::work::{self, Data, Tokens, Work};

/// The parameters of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The works.
    pub works: Vec<&'static Work>,
    /// The peers.
    pub peers: Vec<Peer>,
    /// The numbers of clients, each of which sends its next request when the last is answered.
    pub clients: Vec<usize>,
    /// The constant rate, as a share of the throughput of the slower one of Postern and the
    /// hand-written server.
    pub rate: Option<f64>,
    /// How long each peer is driven at a time.
    pub time: Duration,
    /// How long each peer is driven before that, so that connections and caches are warm.
    pub warm_up: Duration,
    /// How often every peer is driven.
    pub rounds: usize,
    /// The connections to the database of each peer.
    pub pool: usize,
    /// How many further clients read long lists during the measurement.
    pub reports: usize,
    /// How many lists these clients together request per second; `None` if each requests its next
    /// list when the last has arrived.
    pub report_rate: Option<f64>,
    /// Whether commits wait for the disk.
    pub durable: bool,
    /// How much data there is.
    pub data: Data,
    /// The seed of the requests' values.
    pub seed: u64,
}

/// The results of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The measurements, by work and pace.
    pub groups: Vec<Group>,
    /// The servers as processes.
    pub servers: Vec<Stay>,
    /// Peers that were left out, and why.
    pub absent: Vec<(Peer, String)>,
}

/// One work at one pace.
#[derive(Clone, Debug)]
pub struct Group {
    /// The work.
    pub work: &'static Work,
    /// The number of clients.
    pub clients: usize,
    /// The constant rate in requests per second; `None` if each client sent its next request when
    /// the last was answered.
    pub rate: Option<f64>,
    /// The slices of each peer, one for each round.
    pub peers: Vec<(Peer, Vec<Slice>)>,
}

/// One measurement of one peer.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The measurement of the clients.
    pub measured: LoadReport,
    /// CPU time of its process per request; `None` for pgbench and where it is unknown.
    pub server: Option<Duration>,
    /// CPU time of all of Postgres' processes per request.
    pub postgres: Option<Duration>,
    /// CPU time of this process per request: what generating the load takes from the peers. `None`
    /// for pgbench.
    pub load: Option<Duration>,
}

/// A server as a process.
#[derive(Clone, Copy, Debug)]
pub struct Stay {
    /// Which peer.
    pub peer: Peer,
    /// The time from its start until its first response.
    pub ready_after: Duration,
    /// Its memory after its first response.
    pub at_start: Option<Memory>,
    /// Its memory at the end of the run.
    pub at_end: Option<Memory>,
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An error of a peer.
    #[error(transparent)]
    Peer(#[from] peers::Error),
    /// An error of the load generator.
    #[error("'{peer}': {cause}")]
    Load {
        /// The peer that was driven.
        peer: &'static str,
        /// Why nothing was measured.
        cause: loadgen::LoadError,
    },
    /// The load generator's runtime could not be started.
    #[error("cannot start: {0}")]
    Start(#[from] std::io::Error),
}

/// The number of clients at a constant rate: more than are ever waiting, unless a peer is too slow
/// for the rate.
pub const AT_A_RATE: usize = 64;

/// Sends a work's requests to a peer.
type Sends<'a> = dyn Fn(&LoadOptions) -> Result<LoadReport, Error> + 'a;

/// A peer with one work, and the processes whose CPU time is measured.
pub struct Driven<'a> {
    /// Which peer.
    pub peer: Peer,
    /// Its process; `None` for pgbench.
    pub process: Option<Processes>,
    /// Postgres' processes.
    pub postgres: Option<Processes>,
    /// Sends its requests.
    pub drive: Box<Sends<'a>>,
}

/// Runs all of the plan. Progress is reported through `tell`.
pub fn run(
    plan: &Plan,
    programs: &Programs,
    tell: &dyn Fn(&str),
) -> Result<(Outcome, String), Error> {
    tell("starting Postgres and making the data …");
    let bed = Bed::start_with(plan.data, if plan.durable { &DURABLE } else { &[] })?;
    let mut outcome = Outcome::default();
    let servers = start(plan, programs, &bed, &mut outcome, tell)?;
    let tokens = Tokens::new().map_err(peers::Error::from)?;
    tell("comparing the answers …");
    compare::all_alike(
        &servers.iter().collect::<Vec<_>>(),
        &bed,
        &tokens,
        plan.seed,
    )?;
    for &work in &plan.works {
        let driven = driven(plan, work, &servers, &bed, &tokens)?;
        outcome.groups.extend(measure(plan, work, &driven, tell)?);
        if work.writes() {
            bed.tidy()?;
        }
    }
    for (stay, server) in outcome.servers.iter_mut().zip(&servers) {
        stay.at_end = Processes::under(server.pid()).memory();
    }
    Ok((outcome, version(&bed)?))
}

/// Starts the servers. PostGraphile may be missing, the others may not.
fn start(
    plan: &Plan,
    programs: &Programs,
    bed: &Bed,
    outcome: &mut Outcome,
    tell: &dyn Fn(&str),
) -> Result<Vec<Server>, Error> {
    let mut servers = vec![];
    for &peer in plan.peers.iter().filter(|peer| **peer != Peer::Pgbench) {
        if peer == Peer::PostGraphile && !programs.has_postgraphile() {
            outcome.absent.push((
                peer,
                "it is not installed (`npm ci` in bench/postgraphile)".to_owned(),
            ));
            continue;
        }
        match Server::start(peer, programs, bed, plan.pool) {
            Ok(server) => {
                let at_start = Processes::under(server.pid()).memory();
                outcome.servers.push(Stay {
                    peer,
                    ready_after: server.ready_after(),
                    at_start,
                    at_end: None,
                });
                servers.push(server);
            }
            Err(error) if peer == Peer::PostGraphile => {
                tell(&format!("going on without PostGraphile: {error}"));
                outcome.absent.push((peer, error.to_string()));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(servers)
}

/// The peers that can run a work, in the order of the plan.
fn driven<'a>(
    plan: &'a Plan,
    work: &'static Work,
    servers: &'a [Server],
    bed: &'a Bed,
    tokens: &Tokens,
) -> Result<Vec<Driven<'a>>, Error> {
    let postgres = Some(Processes::under(bed.postmaster()?));
    let mut driven = vec![];
    for &peer in &plan.peers {
        if peer == Peer::Pgbench {
            let drive = move |drive: &LoadOptions| Ok(pgbench::drive(bed, work, plan.seed, drive)?);
            driven.push(Driven {
                peer,
                process: None,
                postgres,
                drive: Box::new(drive),
            });
        } else if let Some(server) = servers.iter().find(|server| server.peer() == peer) {
            let calls = work::calls(work, peer, bed.data(), tokens, plan.seed)?;
            let process = Some(Processes::under(server.pid()));
            let reports = match plan.reports {
                0 => vec![],
                _ => work::calls(work::report(), peer, bed.data(), tokens, plan.seed)?,
            };
            let arrival_rate = plan
                .report_rate
                .map_or(ArrivalRate::Closed, ArrivalRate::Rate);
            let drive = move |drive: &LoadOptions| {
                let beside = LoadOptions {
                    clients: plan.reports,
                    arrival_rate,
                    ..*drive
                };
                drive_server(server, &calls, (&reports, &beside), drive)
            };
            driven.push(Driven {
                peer,
                process,
                postgres,
                drive: Box::new(drive),
            });
        }
    }
    Ok(driven)
}

/// Sends the requests, and beside them those of the reports, which are not part of what is
/// measured.
fn drive_server(
    server: &Server,
    calls: &[PreparedRequest],
    (reports, beside): (&[PreparedRequest], &LoadOptions),
    drive: &LoadOptions,
) -> Result<LoadReport, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let measured = runtime.block_on(async {
        match beside.clients {
            0 => loadgen::drive(server.address(), calls, drive).await,
            _ => {
                let reading = loadgen::drive(server.address(), reports, beside);
                let (measured, read) =
                    tokio::join!(loadgen::drive(server.address(), calls, drive), reading);
                read.and(measured)
            }
        }
    });
    measured.map_err(|cause| Error::Load {
        peer: server.peer().name(),
        cause,
    })
}

/// Measures one work: every number of clients, then the constant rate that follows from the
/// throughput.
pub fn measure(
    plan: &Plan,
    work: &'static Work,
    driven: &[Driven<'_>],
    tell: &dyn Fn(&str),
) -> Result<Vec<Group>, Error> {
    // Every connection prepares its statements, and Postgres plans them anew for their first five
    // executions.
    let prelude = LoadOptions {
        clients: plan.pool * 2,
        arrival_rate: ArrivalRate::Closed,
        warm_up: plan.warm_up,
        time: plan.warm_up,
    };
    for driven in driven {
        (driven.drive)(&prelude)?;
    }
    let mut groups: Vec<Group> = vec![];
    for &clients in &plan.clients {
        groups.push(group(
            plan,
            work,
            (clients, ArrivalRate::Closed),
            driven,
            tell,
        )?);
    }
    if let Some(rate) = plan.rate.and_then(|share| Some(share * reached(&groups)?)) {
        groups.push(group(
            plan,
            work,
            (AT_A_RATE, ArrivalRate::Rate(rate)),
            driven,
            tell,
        )?);
    }
    Ok(groups)
}

fn group(
    plan: &Plan,
    work: &'static Work,
    (clients, pace): (usize, ArrivalRate),
    driven: &[Driven<'_>],
    tell: &dyn Fn(&str),
) -> Result<Group, Error> {
    let peers = driven.iter().map(|driven| (driven.peer, vec![])).collect();
    let mut group = Group {
        work,
        clients,
        rate: pace.rate(),
        peers,
    };
    let drive = LoadOptions {
        clients,
        arrival_rate: pace,
        warm_up: plan.warm_up,
        time: plan.time,
    };
    for round in 0..plan.rounds {
        // Each round begins with another peer, so that no peer always follows the same one.
        for turn in 0..driven.len() {
            let index = (round + turn) % driven.len();
            let (Some(driven), Some((_, slices))) = (driven.get(index), group.peers.get_mut(index))
            else {
                continue;
            };
            slices.push(driven.slice(&drive)?);
        }
    }
    tell(&group.progress_line());
    Ok(group)
}

/// The throughput of the slower one of Postern and the hand-written server with 16 clients, or with
/// the largest number that was run.
fn reached(groups: &[Group]) -> Option<f64> {
    let group = groups
        .iter()
        .find(|group| group.clients == 16)
        .or(groups.last())?;
    let ours = [Peer::Postern, Peer::HandWritten].into_iter();
    let slowest = ours
        .filter_map(|peer| group.throughput(peer))
        .reduce(f64::min);
    slowest.filter(|rate| *rate > 0.0)
}

impl Driven<'_> {
    fn slice(&self, drive: &LoadOptions) -> Result<Slice, Error> {
        let ticks = || {
            let own = self.process.and_then(|_| Ticks::own());
            [
                self.process.and_then(Processes::ticks),
                self.postgres.and_then(Processes::ticks),
                own,
            ]
        };
        let before = ticks();
        let measured = (self.drive)(drive)?;
        let after = ticks();
        let served = measured.served.max(measured.requests).max(1) as f64;
        let [server, postgres, load] = std::array::from_fn(|index| {
            let before = before.get(index).copied()??;
            let after = after.get(index).copied()??;
            Some((after - before).time().div_f64(served))
        });
        Ok(Slice {
            measured,
            server,
            postgres,
            load,
        })
    }
}

impl Group {
    /// The slices of a peer.
    pub fn slices(&self, peer: Peer) -> &[Slice] {
        self.peers
            .iter()
            .find(|(known, _)| *known == peer)
            .map(|(_, slices)| slices.as_slice())
            .unwrap_or_default()
    }

    /// The median of a peer's figure, over the rounds in which it is known.
    pub fn median(&self, peer: Peer, figure: impl Fn(&Slice) -> Option<f64>) -> Option<f64> {
        median(self.slices(peer).iter().filter_map(figure).collect())
    }

    /// Responses per second.
    pub fn throughput(&self, peer: Peer) -> Option<f64> {
        self.median(peer, |slice| Some(slice.measured.throughput()))
    }

    /// The throughput of one peer relative to that of another, round by round: the minimum, the
    /// median and the maximum.
    pub fn ratio(&self, peer: Peer, to: Peer) -> Option<[f64; 3]> {
        let pairs = self.slices(peer).iter().zip(self.slices(to));
        let ratio = |(one, other): (&Slice, &Slice)| {
            let one = one.measured.throughput();
            let other = other.measured.throughput();
            (other > 0.0).then(|| one / other)
        };
        let ratios: Vec<f64> = pairs.filter_map(ratio).collect();
        let least = ratios.iter().copied().reduce(f64::min)?;
        let greatest = ratios.iter().copied().reduce(f64::max)?;
        Some([least, median(ratios)?, greatest])
    }

    fn progress_line(&self) -> String {
        let pace = self
            .rate
            .map_or(format!("{} clients", self.clients), |rate| {
                format!("{rate:.0} a second")
            });
        let peers = self.peers.iter().map(|(peer, _)| {
            format!(
                "{} {:.0}/s",
                peer.name(),
                self.throughput(*peer).unwrap_or_default()
            )
        });
        format!(
            "{}, {pace}: {}",
            self.work.name,
            peers.collect::<Vec<_>>().join(", ")
        )
    }
}

pub(crate) fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let low = figures.get(figures.len().checked_sub(1)? / 2)?;
    let high = figures.get(figures.len() / 2)?;
    Some((low + high) / 2.0)
}

pub(crate) fn version(bed: &Bed) -> Result<String, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let asked = runtime.block_on(async {
        let (client, connection) =
            tokio_postgres::connect(&bed.url(), tokio_postgres::NoTls).await?;
        tokio::spawn(connection);
        client
            .query_one("SHOW server_version", &[])
            .await?
            .try_get::<_, String>(0)
    });
    asked.map_err(|source| {
        peers::Error::Database {
            doing: "ask for the version",
            source,
        }
        .into()
    })
}
