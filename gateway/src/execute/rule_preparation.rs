//! Prepares the rules of a permission file in Postgres, which checks their types. It begins while
//! the file is still being compiled: the compiler passes each check to a [`RuleQueue`], whose
//! batches [`prepare`] sends as they become full.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use permissions::{Diagnostic, Permissions, RefusedRule, RuleCheck, RuleError};
use pg::{Database, DatabaseError};
use sql::postgres::catalog::{Catalog, Oid};
use tokio::sync::OnceCell;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::{Duration, Instant};
use tokio_postgres::Client;
use tokio_postgres::error::{ErrorPosition, SqlState};
use tokio_postgres::types::{Kind, Type};

use crate::execute::prepared_rules::RuleDigests;

/// How many connections prepare rules, how many rules one statement combines, and how many such
/// statements each connection has in flight.
const CONNECTION_COUNT: usize = 3;
const RULES_PER_STATEMENT: usize = 50;
const IN_FLIGHT: usize = 4;

/// The time limit of each statement, and of each wait for a connection.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The statements of rules with these parameter types. Only such statements can be combined into
/// one.
#[derive(Debug)]
pub(super) struct Batch {
    parameters: Vec<Oid>,
    statements: Vec<Arc<str>>,
}

/// The types of a statement's parameters, and its SQL.
type RuleStatement = (Vec<Oid>, Arc<str>);

/// Statements that Postgres has refused, each with the error.
pub(super) type RefusedRules = BTreeMap<RuleStatement, tokio_postgres::Error>;

/// Combines rules into batches: equal ones once, and none that Postgres accepted for the running
/// version.
pub(super) struct RuleQueue<'c> {
    digests: RuleDigests<'c>,
    accepted: Arc<HashSet<u64>>,
    /// The digests of the rules so far, and the statements of those without one.
    known: HashSet<u64>,
    unknown: HashSet<RuleStatement>,
    /// The batches that are not full yet, by parameter types.
    open: HashMap<Vec<Oid>, Vec<Arc<str>>>,
    full: UnboundedSender<Batch>,
}

impl<'c> RuleQueue<'c> {
    /// A queue whose batches are sent to `full`. `accepted` contains the digests of rules that are
    /// not prepared again.
    pub(super) fn new(
        catalog: &'c Catalog,
        accepted: Arc<HashSet<u64>>,
        full: UnboundedSender<Batch>,
    ) -> Self {
        let digests = RuleDigests::new(catalog);
        RuleQueue {
            digests,
            accepted,
            known: HashSet::new(),
            unknown: HashSet::new(),
            open: HashMap::new(),
            full,
        }
    }

    /// Adds a rule, unless an equal one was added before.
    pub(super) fn add(&mut self, rule: &RuleCheck) {
        let digest = self.digests.rule_digest(rule);
        let is_new = match digest {
            Some(digest) => self.known.insert(digest),
            None => self
                .unknown
                .insert((rule.parameters.clone(), rule.sql.clone())),
        };
        if !is_new || digest.is_some_and(|digest| self.accepted.contains(&digest)) {
            return;
        }
        let statements = match self.open.get_mut(&rule.parameters) {
            Some(statements) => statements,
            None => self.open.entry(rule.parameters.clone()).or_default(),
        };
        statements.push(rule.sql.clone());
        if statements.len() == RULES_PER_STATEMENT {
            send(
                &self.full,
                rule.parameters.clone(),
                std::mem::take(statements),
            );
        }
    }

    /// Sends what is left, after which the receiver ends. Returns the digests of the rules.
    pub(super) fn finish(self) -> HashSet<u64> {
        for (parameters, statements) in self
            .open
            .into_iter()
            .filter(|(_, statements)| !statements.is_empty())
        {
            send(&self.full, parameters, statements);
        }
        self.known
    }
}

fn send(full: &UnboundedSender<Batch>, parameters: Vec<Oid>, statements: Vec<Arc<str>>) {
    // The receiver is gone if preparing has failed, which the load reports.
    let _ = full.send(Batch {
        parameters,
        statements,
    });
}

/// Prepares batches until there are no more. Returns the statements that Postgres refuses.
pub(super) async fn prepare(
    database: &Database,
    mut batches: UnboundedReceiver<Batch>,
) -> Result<RefusedRules, DatabaseError> {
    let lanes = [const { OnceCell::const_new() }; CONNECTION_COUNT];
    let lanes: &[OnceCell<_>; CONNECTION_COUNT] = &lanes;
    let received = stream::poll_fn(|context| batches.poll_recv(context)).enumerate();
    let prepared = received.map(async |(index, batch)| {
        let open = async || database.admin_client(Instant::now() + TIME_LIMIT).await;
        let client = lanes[index % CONNECTION_COUNT]
            .get_or_try_init(open)
            .await?;
        prepare_batch(client, batch)
            .await
            .map_err(|error| DatabaseError::from_driver(&error, TIME_LIMIT))
    });
    let refused: Vec<RefusedRules> = prepared
        .buffer_unordered(CONNECTION_COUNT * IN_FLIGHT)
        .try_collect()
        .await?;
    Ok(refused.into_iter().flatten().collect())
}

/// Prepares one statement for all rules: `SELECT WHERE EXISTS (…) OR EXISTS (…)`. If Postgres
/// rejects it, prepares each rule alone to find those with errors.
async fn prepare_batch(
    client: &Client,
    batch: Batch,
) -> Result<RefusedRules, tokio_postgres::Error> {
    let Batch {
        parameters,
        statements,
    } = batch;
    let together = format!("SELECT WHERE EXISTS ({})", statements.join(") OR EXISTS ("));
    let mut refused = RefusedRules::new();
    match client.prepare(&together).await {
        Ok(_) => return Ok(refused),
        Err(error) if error.as_db_error().is_none() => return Err(error),
        Err(_) => {}
    }
    for statement in statements {
        match client.prepare(&statement).await {
            Ok(_) => {}
            Err(error) if error.as_db_error().is_some() => {
                drop(refused.insert((parameters.clone(), statement), error));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(refused)
}

/// How many refused rules are prepared again, to find the types that their session values need.
const MAX_TYPES: usize = 1000;

/// The diagnostics of the rules whose statements were refused.
pub(super) async fn diagnostics(
    database: &Database,
    permissions: &Permissions,
    refused: &RefusedRules,
) -> Result<Vec<Diagnostic>, DatabaseError> {
    if refused.is_empty() {
        return Ok(vec![]);
    }
    let client = database.admin_client(Instant::now() + TIME_LIMIT).await?;
    let mut rules = vec![];
    for rule in &permissions.rules {
        let statement = (rule.parameters.clone(), rule.sql.clone());
        let Some(error) = refused.get(&statement).and_then(rule_error) else {
            continue;
        };
        let needed_types = if rules.len() < MAX_TYPES {
            needed_types(&client, rule)
                .await
                .map_err(|error| DatabaseError::from_driver(&error, TIME_LIMIT))?
        } else {
            vec![]
        };
        rules.push(RefusedRule {
            rule,
            error,
            needed_types,
        });
    }
    Ok(permissions.refused(&rules))
}

/// The session values that make a refused rule acceptable if Postgres chooses their types, each
/// with that type: one of them, or else all that need another type.
async fn needed_types(
    client: &Client,
    rule: &RuleCheck,
) -> Result<Vec<(String, String)>, tokio_postgres::Error> {
    let names = rule.session_values();
    for (index, name) in names.iter().enumerate() {
        let types = inferred_types(client, &rule.without_casts(|other| other == index)).await?;
        if let Some(found) = types.and_then(|types| types.get(index).cloned()) {
            return Ok(vec![(name.clone(), type_name(&found))]);
        }
    }
    if names.len() < 2 {
        return Ok(vec![]);
    }
    let types = inferred_types(client, &rule.without_casts(|_| true)).await?;
    let types = types.unwrap_or_default();
    let others = names.iter().zip(&types).zip(&rule.parameters);
    let others = others.filter(|((_, found), declared)| found.oid() != **declared);
    Ok(others
        .map(|((name, found), _)| (name.clone(), type_name(found)))
        .collect())
}

/// The types of the parameters of a statement, if Postgres accepts it.
async fn inferred_types(
    client: &Client,
    sql: &str,
) -> Result<Option<Vec<Type>>, tokio_postgres::Error> {
    match client.prepare(sql).await {
        Ok(statement) => Ok(Some(statement.params().to_vec())),
        Err(error) if error.as_db_error().is_none() => Err(error),
        Err(_) => Ok(None),
    }
}

/// The name as the permission file has it: `uuid[]`.
fn type_name(found: &Type) -> String {
    match found.kind() {
        Kind::Array(element) => format!("{}[]", element.name()),
        _ => found.name().to_owned(),
    }
}

/// Postgres' error, for the author of the permission file.
fn rule_error(error: &tokio_postgres::Error) -> Option<RuleError> {
    let db_error = error.as_db_error()?;
    let position = match db_error.position() {
        Some(ErrorPosition::Original(position)) => Some(*position),
        _ => None,
    };
    let hint = db_error
        .hint()
        .filter(|_| *db_error.code() != SqlState::UNDEFINED_FUNCTION);
    Some(RuleError {
        message: db_error.message().to_owned(),
        position,
        hint: hint.map(str::to_owned),
    })
}
