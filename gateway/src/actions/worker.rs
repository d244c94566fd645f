//! The worker of asynchronous actions: claims calls from the log, begins each, calls its handler,
//! and stores the answer. Each gateway has one. A call that a killed gateway has claimed and not
//! begun is claimed by another; one that it has begun is never begun again, since its handler may
//! have been called.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pg::memory::MemoryBudget;
use pg::{Database, Requester};
use serde_json::{Value, json};
use sql::model::access::Access;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::context::ActionContext;
use super::handler::{Handler, Handlers};
use super::log::{ActionLog, BegunCall, CLAIM_LEASE, CLAIMS, CallOutcome, ClaimedCall};
use crate::auth::claims_set::{ClaimsSet, SessionClaims};
use crate::auth::session::{AuthKind, Session, Values, value_name};
use crate::config::dialect::Profile;

/// What the worker needs of the running version.
#[derive(Clone, Debug)]
pub struct Work {
    /// The handlers.
    pub handlers: Arc<Handlers>,
    /// The database.
    pub database: Database,
    /// The memory budget.
    pub memory: MemoryBudget,
    /// The prefix of session headers, in lower case.
    pub prefix: Arc<str>,
    /// The form of errors.
    pub profile: Profile,
}

/// Returns the access of a session's role.
pub type AccessOf = Arc<dyn Fn(&Session) -> Arc<Access> + Send + Sync>;

/// How often the log is read while there is nothing to do.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How often old calls are removed.
const REMOVE_INTERVAL: Duration = Duration::from_secs(60);

/// How many calls one gateway processes at once.
const AT_ONCE: usize = 16;

/// How many of them are of one caller or of one action at most.
const MAX_CALLS_PER_CALLER: usize = 12;

/// How long the log may take to answer.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Processes calls until `stopped` is ready, and then waits for those that run, at most for
/// `drain`. `current` returns the running version, or none if it has no asynchronous actions.
pub async fn run(
    current: impl Fn() -> Option<(Work, AccessOf)>,
    stopped: impl Future<Output = ()>,
    drain: Duration,
) {
    let mut running = JoinSet::new();
    let open = OpenCalls::default();
    let mut stopped = std::pin::pin!(stopped);
    let mut removed = None;
    loop {
        let mut claimed = 0;
        let free = AT_ONCE - running.len();
        let version = current();
        if free > 0
            && let Some((work, access)) = &version
        {
            let calls = claim(work, &open, free).await;
            claimed = calls.len();
            for call in calls {
                let work = work.clone();
                let access = access.clone();
                let open = open.clone();
                open.add(&call);
                running.spawn(async move {
                    let id = call.id.clone();
                    run_call(&work, &access, call).await;
                    open.remove(&id);
                });
            }
        }
        if let Some((work, _)) = &version
            && removed.is_none_or(|at: Instant| at.elapsed() > REMOVE_INTERVAL)
        {
            removed = Some(Instant::now());
            if let Err(error) =
                ActionLog::remove(&work.database, work.handlers.retention, TIME_LIMIT).await
            {
                tracing::warn!(cause = %error, "old calls of actions cannot be removed");
            }
        }
        // A replaced version is not kept while there is nothing to do.
        drop(version);
        // A call that ends makes room for others, or for its caller or action if they had their
        // share; a log that had fewer calls than there was room is read again later.
        let is_empty = claimed < free && running.len() < MAX_CALLS_PER_CALLER;
        tokio::select! {
            () = &mut stopped => break,
            () = tokio::time::sleep(POLL_INTERVAL) => while running.try_join_next().is_some() {},
            Some(_) = running.join_next(), if !is_empty => {}
        }
    }
    let ended = async { while running.join_next().await.is_some() {} };
    if tokio::time::timeout(drain, ended).await.is_ok() {
        return;
    }
    running.shutdown().await;
    let ids = open.calls().keys().cloned().collect::<Vec<_>>();
    let version = current();
    tracing::warn!(
        calls = ids.len(),
        "stopped before all asynchronous actions had ended; what became of them is unknown"
    );
    if let Some((work, _)) = version
        && let Err(error) = ActionLog::stop(&work.database, &ids, Instant::now() + TIME_LIMIT).await
    {
        tracing::warn!(cause = %error, "the claims of calls of actions cannot be ended; they end \
                                        by themselves");
    }
}

/// The calls that run, by their ids.
#[derive(Clone, Debug, Default)]
struct OpenCalls(Arc<Mutex<HashMap<String, ClaimedCall>>>);

impl OpenCalls {
    fn add(&self, call: &ClaimedCall) {
        self.calls().insert(call.id.clone(), call.clone());
    }

    fn remove(&self, id: &str) {
        self.calls().remove(id);
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<String, ClaimedCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Claims some calls. After an error the log is read again, as after an empty one.
async fn claim(work: &Work, open: &OpenCalls, most: usize) -> Vec<ClaimedCall> {
    let running: Vec<ClaimedCall> = open.calls().values().cloned().collect();
    let mut by_action: BTreeMap<&str, usize> = work
        .handlers
        .asynchronous
        .keys()
        .map(|name| (&**name, 0))
        .collect();
    let mut by_caller = BTreeMap::new();
    for call in &running {
        by_action
            .entry(&call.action)
            .and_modify(|count| *count += 1);
        if let Some(caller) = &call.caller {
            *by_caller.entry(caller.as_str()).or_default() += 1;
        }
    }
    let deadline = Instant::now() + TIME_LIMIT;
    match ActionLog::claim(
        &work.database,
        &by_action,
        &by_caller,
        most,
        MAX_CALLS_PER_CALLER,
        deadline,
    )
    .await
    {
        Ok(calls) => calls,
        Err(error) => {
            tracing::warn!(cause = %error, "the log of actions cannot be read");
            vec![]
        }
    }
}

/// What is written to the log about a claimed call.
enum CallEnd {
    /// Its handler was not called, and may be.
    NotBegun,
    Ended(CallOutcome),
}

/// Begins a claimed call, calls its handler once, and stores what became of it.
async fn run_call(work: &Work, access: &AccessOf, claimed: ClaimedCall) {
    let ClaimedCall { id, action, .. } = &claimed;
    let Some(handler) = work.handlers.asynchronous.get(action) else {
        return;
    };
    let begun = ActionLog::begin(&work.database, id, Instant::now() + TIME_LIMIT).await;
    // The answer is stored before the claim ends, from when on the outcome counts as unknown.
    let deadline = Instant::now() + CLAIM_LEASE - TIME_LIMIT;
    let end = match begun {
        Ok(None) => return,
        Ok(Some(Ok(call))) => {
            CallEnd::Ended(call_handler(work, access, &claimed, handler, call, deadline).await)
        }
        Ok(Some(Err(unreadable))) => CallEnd::Ended(Err(unreadable)),
        Err(error) => {
            tracing::warn!(action, id, cause = %error, "a call of an action is not begun");
            CallEnd::NotBegun
        }
    };
    store(&work.database, id, &end).await;
}

/// Stores the end of a call. The database may be away for a while, so this is repeated, at most for
/// the time of a claim.
async fn store(database: &Database, id: &str, end: &CallEnd) {
    let until = Instant::now() + CLAIM_LEASE;
    let mut pause = POLL_INTERVAL;
    loop {
        let deadline = Instant::now() + TIME_LIMIT;
        let stored = match end {
            CallEnd::NotBegun => ActionLog::release(database, id, deadline).await,
            CallEnd::Ended(outcome) => ActionLog::finish(database, id, outcome, deadline).await,
        };
        let Err(error) = stored else { return };
        if Instant::now() + pause >= until {
            tracing::error!(id, cause = %error, "what became of a call of an action is not stored");
            return;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(TIME_LIMIT);
    }
}

async fn call_handler(
    work: &Work,
    access: &AccessOf,
    claimed: &ClaimedCall,
    handler: &Handler,
    call: BegunCall,
    deadline: Instant,
) -> CallOutcome {
    let ClaimedCall { id, action, .. } = claimed;
    let session = session(&call.session, &work.prefix);
    let access = access(&session);
    let context = ActionContext {
        name: action,
        id: Some(id),
        is_mutation: true,
        path: "$",
        session: &session,
        access: &access,
        query: &call.query,
        headers: None,
        dry_run: false,
        database: &work.database,
        requester: &Requester::default(),
        memory: work.memory,
        deadline,
    };
    handler.call(&context, call.input).await.map_err(|error| {
        if let Some(cause) = error.cause() {
            tracing::error!(action, id, cause, "an asynchronous action failed");
        }
        let response = error.to_graphql(id, work.profile);
        response
            .pointer("/errors/0")
            .cloned()
            .unwrap_or_else(|| json!({}))
    })
}

/// The session of a stored call.
fn session(stored: &serde_json::Map<String, Value>, prefix: &Arc<str>) -> Session {
    let values = stored.iter().filter_map(|(name, value)| {
        Some((
            value_name(name.strip_prefix(&**prefix)?),
            value.as_str()?.to_owned(),
        ))
    });
    let mut values: BTreeMap<String, String> = values.collect();
    let role = values.remove("role").unwrap_or_default();
    let claims = stored
        .get(CLAIMS)
        .and_then(|claims| ClaimsSet::parse(claims.to_string().as_bytes()));
    let session = Session::new(
        role,
        Arc::new(values.into_iter().collect::<Values>()),
        AuthKind::Token,
    );
    let session = session.with_claims(claims.map(SessionClaims::Given).unwrap_or_default());
    session.with_prefix(prefix.clone())
}
