//! The end-to-end run. All peers stand ready over one database and are driven in turns, one work and one number of clients
//! after the other, so that what else the machine does meets all of them alike. Figures are medians over the rounds.

use std::time::Duration;

use gateway::loadgen::{self, ArrivalRate, LoadOptions, LoadReport, PreparedRequest};

use crate::meter::{Memory, Processes, Ticks};
use crate::peers::{self, Bed, Peer, Programs, Server, compare, pgbench};
use crate::work::{self, Data, Tokens, Work};

/// What is run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The works.
    pub works: Vec<&'static Work>,
    /// The peers.
    pub peers: Vec<Peer>,
    /// The numbers of clients, each with the next request when the last is answered.
    pub clients: Vec<usize>,
    /// The constant rate, as a share of what the slower one of Postern and the hand-written server reaches.
    pub rate: Option<f64>,
    /// How long each peer is driven at a time.
    pub time: Duration,
    /// And before that, so that connections and caches are those of a server that is in use.
    pub warm_up: Duration,
    /// How often all of them are.
    pub rounds: usize,
    /// How much data there is.
    pub data: Data,
    /// What requests are drawn from.
    pub seed: u64,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was measured, by work and pace.
    pub groups: Vec<Group>,
    /// The servers as processes.
    pub servers: Vec<Stay>,
    /// Peers that were left out, and why.
    pub absent: Vec<(Peer, String)>,
}

/// One work at one pace.
#[derive(Clone, Debug)]
pub struct Group {
    /// What was asked.
    pub work: &'static Work,
    /// How many clients asked.
    pub clients: usize,
    /// So many requests a second were due, when not as fast as answers came.
    pub rate: Option<f64>,
    /// What each peer did, a slice for each round.
    pub peers: Vec<(Peer, Vec<Slice>)>,
}

/// A peer, driven once.
#[derive(Clone, Debug)]
pub struct Slice {
    /// What its clients saw.
    pub measured: LoadReport,
    /// CPU time of its process, for each request; none of pgbench, and none where that is not known.
    pub server: Option<Duration>,
    /// CPU time of all of Postgres' processes, for each request.
    pub postgres: Option<Duration>,
    /// CPU time of this process, for each request: what the load takes away from the others. None of pgbench.
    pub load: Option<Duration>,
}

/// A server's life as a process.
#[derive(Clone, Copy, Debug)]
pub struct Stay {
    /// Which one.
    pub peer: Peer,
    /// From its start until it answered.
    pub ready_after: Duration,
    /// Its memory when it had answered for the first time.
    pub at_start: Option<Memory>,
    /// And at the end.
    pub at_end: Option<Memory>,
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Of the peers.
    #[error(transparent)]
    Peer(#[from] peers::Error),
    /// Of the load.
    #[error("'{peer}': {cause}")]
    Load {
        /// Who should have answered.
        peer: &'static str,
        /// Why nothing was measured.
        cause: loadgen::LoadError,
    },
    /// The load's runtime was refused.
    #[error("cannot start: {0}")]
    Start(#[from] std::io::Error),
}

/// At a constant rate there are so many clients: more than are ever waiting, unless a peer is too slow for the rate.
pub const AT_A_RATE: usize = 64;

/// What sends a work's requests to a peer.
type Sends<'a> = dyn Fn(&LoadOptions) -> Result<LoadReport, Error> + 'a;

/// What drives a peer with one work, and the processes whose time is told for it.
pub struct Driven<'a> {
    /// Which one.
    pub peer: Peer,
    /// Its process; none of pgbench.
    pub process: Option<Processes>,
    /// Postgres' processes.
    pub postgres: Option<Processes>,
    /// Sends its requests.
    pub drive: Box<Sends<'a>>,
}

/// Runs all of it. What is going on is said with `tell`.
pub fn run(plan: &Plan, programs: &Programs, tell: &dyn Fn(&str)) -> Result<(Outcome, String), Error> {
    tell("starting Postgres and making the data …");
    let bed = Bed::start(plan.data)?;
    let mut outcome = Outcome::default();
    let servers = start(plan, programs, &bed, &mut outcome, tell)?;
    let tokens = Tokens::new().map_err(peers::Error::from)?;
    tell("comparing the answers …");
    compare::all_alike(&servers.iter().collect::<Vec<_>>(), &bed, &tokens, plan.seed)?;
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
            outcome.absent.push((peer, "it is not installed (`npm ci` in bench/postgraphile)".to_owned()));
            continue;
        }
        match Server::start(peer, programs, bed) {
            Ok(server) => {
                let at_start = Processes::under(server.pid()).memory();
                outcome.servers.push(Stay { peer, ready_after: server.ready_after(), at_start, at_end: None });
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

/// The peers that can be asked for a work, in the order of the plan.
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
            driven.push(Driven { peer, process: None, postgres, drive: Box::new(drive) });
        } else if let Some(server) = servers.iter().find(|server| server.peer() == peer) {
            let calls = work::calls(work, peer, bed.data(), tokens, plan.seed)?;
            let process = Some(Processes::under(server.pid()));
            let drive = move |drive: &LoadOptions| drive_server(server, &calls, drive);
            driven.push(Driven { peer, process, postgres, drive: Box::new(drive) });
        }
    }
    Ok(driven)
}

fn drive_server(server: &Server, calls: &[PreparedRequest], drive: &LoadOptions) -> Result<LoadReport, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let measured = runtime.block_on(loadgen::drive(server.address(), calls, drive));
    measured.map_err(|cause| Error::Load { peer: server.peer().name(), cause })
}

/// Measures one work: every number of clients, then the constant rate that follows from what was reached.
pub fn measure(
    plan: &Plan,
    work: &'static Work,
    driven: &[Driven<'_>],
    tell: &dyn Fn(&str),
) -> Result<Vec<Group>, Error> {
    // Every connection prepares its statements, and Postgres plans them anew for their first five uses.
    let prelude = LoadOptions {
        clients: peers::POOL * 2,
        arrival_rate: ArrivalRate::Closed,
        warm_up: plan.warm_up,
        time: plan.warm_up,
    };
    for driven in driven {
        (driven.drive)(&prelude)?;
    }
    let mut groups: Vec<Group> = vec![];
    for &clients in &plan.clients {
        groups.push(group(plan, work, (clients, ArrivalRate::Closed), driven, tell)?);
    }
    if let Some(rate) = plan.rate.and_then(|share| Some(share * reached(&groups)?)) {
        groups.push(group(plan, work, (AT_A_RATE, ArrivalRate::Rate(rate)), driven, tell)?);
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
    let mut group = Group { work, clients, rate: pace.rate(), peers };
    let drive = LoadOptions { clients, arrival_rate: pace, warm_up: plan.warm_up, time: plan.time };
    for round in 0..plan.rounds {
        // Another one begins each time, so that none always comes behind the same.
        for turn in 0..driven.len() {
            let place = (round + turn) % driven.len();
            let (Some(driven), Some((_, slices))) = (driven.get(place), group.peers.get_mut(place)) else { continue };
            slices.push(driven.slice(&drive)?);
        }
    }
    tell(&group.told());
    Ok(group)
}

/// What the slower one of Postern and the hand-written server reached with 16 clients, or with the most of those that
/// were tried.
fn reached(groups: &[Group]) -> Option<f64> {
    let group = groups.iter().find(|group| group.clients == 16).or(groups.last())?;
    let ours = [Peer::Postern, Peer::HandWritten].into_iter();
    let slowest = ours.filter_map(|peer| group.throughput(peer)).reduce(f64::min);
    slowest.filter(|rate| *rate > 0.0)
}

impl Driven<'_> {
    fn slice(&self, drive: &LoadOptions) -> Result<Slice, Error> {
        let ticks = || {
            let own = self.process.and_then(|_| Ticks::own());
            [self.process.and_then(Processes::ticks), self.postgres.and_then(Processes::ticks), own]
        };
        let before = ticks();
        let measured = (self.drive)(drive)?;
        let after = ticks();
        let served = measured.served.max(measured.requests).max(1) as f64;
        let [server, postgres, load] = std::array::from_fn(|place| {
            let (before, after) = (before.get(place).copied()??, after.get(place).copied()??);
            Some((after - before).time().div_f64(served))
        });
        Ok(Slice { measured, server, postgres, load })
    }
}

impl Group {
    /// The slices of a peer.
    pub fn slices(&self, peer: Peer) -> &[Slice] {
        self.peers.iter().find(|(known, _)| *known == peer).map(|(_, slices)| slices.as_slice()).unwrap_or_default()
    }

    /// The median of a figure of a peer, over the rounds in which it is known.
    pub fn median(&self, peer: Peer, figure: impl Fn(&Slice) -> Option<f64>) -> Option<f64> {
        median(self.slices(peer).iter().filter_map(figure).collect())
    }

    /// Answers a second.
    pub fn throughput(&self, peer: Peer) -> Option<f64> {
        self.median(peer, |slice| Some(slice.measured.throughput()))
    }

    /// The throughput of one peer in those of another, round by round: the least, the median and the greatest.
    pub fn ratio(&self, peer: Peer, to: Peer) -> Option<[f64; 3]> {
        let pairs = self.slices(peer).iter().zip(self.slices(to));
        let ratio = |(one, other): (&Slice, &Slice)| {
            let (one, other) = (one.measured.throughput(), other.measured.throughput());
            (other > 0.0).then(|| one / other)
        };
        let ratios: Vec<f64> = pairs.filter_map(ratio).collect();
        let (least, greatest) = (ratios.iter().copied().reduce(f64::min)?, ratios.iter().copied().reduce(f64::max)?);
        Some([least, median(ratios)?, greatest])
    }

    fn told(&self) -> String {
        let pace = self.rate.map_or(format!("{} clients", self.clients), |rate| format!("{rate:.0} a second"));
        let peers = self
            .peers
            .iter()
            .map(|(peer, _)| format!("{} {:.0}/s", peer.name(), self.throughput(*peer).unwrap_or_default()));
        format!("{}, {pace}: {}", self.work.name, peers.collect::<Vec<_>>().join(", "))
    }
}

fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let (low, high) = (figures.get(figures.len().checked_sub(1)? / 2)?, figures.get(figures.len() / 2)?);
    Some((low + high) / 2.0)
}

fn version(bed: &Bed) -> Result<String, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let asked = runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&bed.url(), tokio_postgres::NoTls).await?;
        tokio::spawn(connection);
        client.query_one("SHOW server_version", &[]).await?.try_get::<_, String>(0)
    });
    asked.map_err(|source| peers::Error::Database { doing: "ask for the version", source }.into())
}
