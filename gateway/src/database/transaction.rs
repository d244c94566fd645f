//! Statements that write: one alone, or several as one transaction, all on their way before the first is answered. What
//! they say is left to `sql`, and what a failure means to [`crate::answer`].
//!
//! ```text
//! BEGIN · step · step · COMMIT                          one round trip, once all are prepared
//! BEGIN — step · SET CONSTRAINTS ALL IMMEDIATE · ROLLBACK     a rehearsal
//! step                                                  alone it needs no BEGIN
//! ```

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::TryStreamExt;
use futures_util::future::{BoxFuture, MaybeDone, maybe_done};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_postgres::{Client, Row, Statement};

use super::connection::SETTLING;
use super::{Database, Fault, Lease, Text, is_stale};

/// The parameters of a statement in text format.
pub type Parameters = Vec<Option<String>>;

/// How statements that write end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// What they did stays.
    Commit,
    /// They are undone, once it is clear that they could have stayed.
    Undo,
}

/// Why nothing was written, or why that is not known.
#[derive(Debug)]
pub struct Failed {
    /// What happened.
    pub fault: Fault,
    /// When it happened.
    pub when: When,
}

/// At which point statements that write have failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Nothing had been sent.
    Before,
    /// The transaction did not begin, though what belongs into it was sent.
    Begin,
    /// The step of that number failed, all before it were undone.
    Step(usize),
    /// The end of the transaction failed.
    End,
    /// The outcome was not waited for.
    Late,
}

/// What a transaction has: the rows of each step, or where it failed.
type Outcome = Result<Vec<Vec<Row>>, (usize, tokio_postgres::Error)>;

/// A statement that is on its way or has ended.
type Running<'c> = Pin<Box<MaybeDone<BoxFuture<'c, Result<Vec<Row>, tokio_postgres::Error>>>>>;

const BEGIN: &str = "BEGIN";

impl Ending {
    fn texts(self) -> &'static [&'static str] {
        match self {
            Ending::Commit => &["COMMIT"],
            // What is deferred to the end would else never be looked at.
            Ending::Undo => &["SET CONSTRAINTS ALL IMMEDIATE", "ROLLBACK"],
        }
    }
}

impl Failed {
    fn before(fault: Fault) -> Failed {
        Failed { fault, when: When::Before }
    }

    /// Whether the database holds none of what was to be written, and can be asked for it again.
    pub fn is_undone(&self) -> bool {
        match self.when {
            When::Before => true,
            When::Step(_) | When::End => matches!(self.fault, Fault::Refused(_)),
            When::Begin | When::Late => false,
        }
    }
}

impl Database {
    /// Runs statements that write, as one transaction; their parameters stand in the same order. Gives the rows of each.
    ///
    /// Dropped or late, they are cancelled and undone, unless they have come to their end by then.
    pub async fn write(
        &self,
        texts: &[&str],
        parameters: &Arc<Vec<Parameters>>,
        ending: Ending,
        deadline: Instant,
    ) -> Result<Vec<Vec<Row>>, Failed> {
        let late = || Fault::Late(self.limit());
        let mut lease = self.lease(deadline).await.map_err(Failed::before)?;
        let is_alone = texts.len() == 1 && ending == Ending::Commit;
        let prepared = async {
            match is_alone {
                true => prepare(&mut lease, texts.iter().copied(), parameters).await,
                false => {
                    let texts = std::iter::once(BEGIN).chain(texts.iter().copied());
                    prepare(&mut lease, texts.chain(ending.texts().iter().copied()), parameters).await
                }
            }
        };
        let prepared = tokio::time::timeout_at(deadline, prepared).await;
        let statements = prepared.map_err(|_| Failed::before(late()))??;
        if lease.client().is_ok_and(Client::is_closed) {
            return Err(Failed::before(Fault::Unavailable("the connection was lost".into())));
        }
        let batch = Batch { statements, parameters: parameters.clone(), ending };
        match is_alone {
            true => batch.alone(lease, deadline).await,
            false => {
                // A task of its own: whatever becomes of the request, nothing of it is left half done.
                let (caller, outcome) = oneshot::channel();
                tokio::spawn(batch.together(lease, caller));
                match tokio::time::timeout_at(deadline, outcome).await {
                    Ok(Ok(outcome)) => outcome,
                    Ok(Err(_)) => {
                        Err(Failed { fault: Fault::Protocol("a transaction was lost".into()), when: When::Late })
                    }
                    Err(_) => Err(Failed { fault: late(), when: When::Late }),
                }
            }
        }
    }
}

/// Prepares all statements before the first is sent: one that is not prepared sends its values after `COMMIT`.
async fn prepare(
    lease: &mut Lease,
    texts: impl Iterator<Item = &str>,
    parameters: &[Parameters],
) -> Result<Vec<Statement>, Failed> {
    let mut statements = Vec::new();
    for text in texts {
        statements.push(lease.prepare(text).await.map_err(Failed::before)?);
    }
    // What cannot be encoded is not sent, and what stands around it is.
    let own = statements.iter().skip(usize::from(statements.len() > parameters.len()));
    match own.zip(parameters).all(|(statement, parameters)| fits(statement, parameters)) {
        true => Ok(statements),
        false => Err(Failed::before(Fault::Protocol("parameters that do not fit their statement".into()))),
    }
}

/// The most bytes of a statement's parameters; Postgres' own limit is a little higher.
const BYTES: usize = 1 << 29;

fn fits(statement: &Statement, parameters: &Parameters) -> bool {
    let bytes = |value: &Option<String>| value.as_ref().map_or(0, String::len);
    statement.params().len() == parameters.len() && parameters.iter().map(bytes).sum::<usize>() < BYTES
}

/// Statements that are ready to leave.
struct Batch {
    statements: Vec<Statement>,
    parameters: Arc<Vec<Parameters>>,
    ending: Ending,
}

impl Batch {
    /// Runs the only statement; it is a transaction by itself.
    async fn alone(self, mut lease: Lease, deadline: Instant) -> Result<Vec<Vec<Row>>, Failed> {
        lease.set_busy(true);
        let ran = async {
            let (Some(statement), Some(parameters)) = (self.statements.first(), self.parameters.first()) else {
                return Ok(Ok(vec![]));
            };
            Ok::<_, Fault>(run(lease.client()?, statement, parameters).await)
        };
        let Ok(ran) = tokio::time::timeout_at(deadline, ran).await else {
            return Err(Failed { fault: Fault::Late(lease.limit()), when: When::Late });
        };
        lease.set_busy(false);
        let rows = ran.map_err(Failed::before)?;
        let outcome = rows.map(|rows| vec![rows]).map_err(|error| self.failed(&mut lease, 0, &error));
        // The next who writes must not be the one to notice that it is lost.
        if matches!(&outcome, Err(Failed { fault: Fault::Unavailable(_), .. })) {
            lease.close();
        }
        outcome
    }

    /// Runs the statements as one transaction and tells the caller. A caller who is gone has it cancelled, but not before
    /// it has begun: a cancel request that meets `BEGIN` would have what follows run outside of any transaction.
    async fn together(self, mut lease: Lease, mut caller: oneshot::Sender<Result<Vec<Vec<Row>>, Failed>>) {
        lease.set_busy(true);
        let Ok(client) = lease.client() else { return };
        let mut running: Vec<Running<'_>> = self.all(client);
        let Some((begin, rest)) = running.split_first_mut() else { return };
        let began = async {
            match self.ending {
                Ending::Commit => send(std::iter::once(&mut *begin).chain(rest.iter_mut())).await,
                // A rehearsal must not happen for real, whoever cancels what: it has time to wait.
                Ending::Undo => {}
            }
            ended(begin).await
        };
        let began = tokio::select! {
            began = began => Some(began),
            () = async { caller.closed().await; tokio::time::sleep(SETTLING).await; } => None,
        };
        let Some(began) = began else {
            drop(running);
            return lease.close();
        };
        let finished = async {
            match (began, self.ending) {
                (Err(error), Ending::Undo) => (Err((0, error)), false),
                (began, _) => {
                    send(rest.iter_mut()).await;
                    finish(began, rest).await
                }
            }
        };
        let finished = tokio::select! {
            finished = finished => Some(finished),
            () = caller.closed() => None,
        };
        drop(running);
        let Some((outcome, is_clean)) = finished else { return };
        if is_clean {
            lease.set_busy(false);
        }
        let outcome = outcome.map_err(|(place, error)| self.failed(&mut lease, place, &error));
        drop(lease);
        // Nobody may listen any more.
        let _ = caller.send(outcome.map(|rows| rows.into_iter().take(self.parameters.len()).collect()));
    }

    /// All statements, none of them sent yet.
    fn all<'c>(&'c self, client: &'c Client) -> Vec<Running<'c>> {
        let own = |place: usize| place.checked_sub(1).and_then(|place| self.parameters.get(place));
        let all = self.statements.iter().enumerate();
        all.map(|(place, statement)| {
            let parameters = own(place).map_or(&[][..], Vec::as_slice);
            let future: BoxFuture<'c, _> = Box::pin(run(client, statement, parameters));
            Box::pin(maybe_done(future))
        })
        .collect()
    }

    fn failed(&self, lease: &mut Lease, place: usize, error: &tokio_postgres::Error) -> Failed {
        let fault = Fault::of(error, lease.limit());
        if matches!(&fault, Fault::Refused(refusal) if is_stale(&refusal.sqlstate)) {
            lease.forget_all();
        }
        let is_alone = self.statements.len() == 1;
        let when = match place {
            0 if !is_alone => When::Begin,
            place if place <= self.parameters.len() => When::Step(place - usize::from(!is_alone)),
            _ => When::End,
        };
        Failed { fault, when }
    }
}

/// Sends a statement when it is first polled, and gives its rows.
async fn run(
    client: &Client,
    statement: &Statement,
    parameters: &[Option<String>],
) -> Result<Vec<Row>, tokio_postgres::Error> {
    let values = parameters.iter().map(|value| Text(value.as_deref()));
    client.query_raw(statement, values).await?.try_collect().await
}

/// Polls each once, in order: then all are on their way.
async fn send<'r, 'c: 'r>(running: impl Iterator<Item = &'r mut Running<'c>>) {
    let mut running: Vec<_> = running.collect();
    std::future::poll_fn(|task| {
        for one in &mut running {
            let _ = one.as_mut().poll(task);
        }
        Poll::Ready(())
    })
    .await;
}

async fn ended(running: &mut Running<'_>) -> Result<Vec<Row>, tokio_postgres::Error> {
    running.as_mut().await;
    running.as_mut().take_output().unwrap_or_else(|| Ok(vec![]))
}

/// Waits for all in order; the first that failed is the answer, and those behind it fail for its sake. Says too whether the
/// transaction has ended, for only then may the connection be used again.
async fn finish(began: Result<Vec<Row>, tokio_postgres::Error>, rest: &mut [Running<'_>]) -> (Outcome, bool) {
    let mut is_clean = false;
    let mut outcome = began.map(|_| Vec::new()).map_err(|error| (0, error));
    for (place, running) in (1..).zip(rest) {
        let ended = ended(running).await;
        is_clean = ended.is_ok();
        match (&mut outcome, ended) {
            (Ok(rows), Ok(own)) => rows.push(own),
            (Ok(_), Err(error)) => outcome = Err((place, error)),
            (Err(_), _) => {}
        }
    }
    (outcome, is_clean)
}
