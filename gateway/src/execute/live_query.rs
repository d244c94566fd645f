//! A query that is run again and again for many subscribers. [`LiveQuery::from_translation`] plans
//! a subscription and binds its parameters; [`LiveQuery::run`] runs one statement for many lists of
//! parameters and passes on the rows of each. When it is run, and who gets the result, is left to
//! [`crate::subscriptions`].

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use pg::memory::{self, MemoryBudget, Reservation};
use pg::sharing::ShareKey;
use pg::{Database, DatabaseError, Parameters, QueueError, Requester, RowColumns};
use sql::encode::cursor::Ordering;
use sql::statement::{Estimate, Parameter};
use sql::{Translation, TranslationKind};
use tokio::time::Instant;

use super::bound_query::{BoundQuery, names_clock};
use super::database_query::{
    BINARY_TO_JSON, TranslationColumns, batch_query, binary_factor, query, transaction_settings,
};
use super::dependencies;
use super::dependencies::Dependencies;
use super::execution::Execution;
use super::execution_state::ExecutionState;
use super::request_context::RequestContext;
use super::response_body::{LONG_ROW, Payload, ResponseWriter, encode_rows};
use super::scan_keys::{BEFORE_PARAMETERS, with_high_parameters};
use super::statements::query_error;
use super::valid_request::ValidRequest;
use crate::auth::session::Session;
use crate::error::Error;
use crate::limits::{LimitExceeded, RoleLimits};

/// A planned subscription without the parameters of its subscribers.
#[derive(Clone, Debug)]
pub struct LiveQuery {
    translation: Arc<Translation>,
    limits: Arc<RoleLimits>,
}

/// How a live query has to be run, as the planner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPolicy {
    /// What the result depends on.
    pub dependencies: Dependencies,
    /// How many subscribers one statement serves.
    pub sharing: Sharing,
}

impl std::fmt::Display for Sharing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Sharing::One => {
                "one statement serves all subscribers, because it has no parameters \
                             that differ"
            }
            Sharing::Batch => "subscribers with different parameters share a statement, the batch",
            Sharing::AloneForEstimate => {
                "each list of parameters has a statement of its own, \
                                          because it contains an estimate of the planner"
            }
            Sharing::AloneForSettings => {
                "each list of parameters has a statement of its own, \
                                          because `[settings]` hold for reads"
            }
            Sharing::AloneForFailure => {
                "each list of parameters has a statement of its own, \
                                         because Postgres refuses the batch"
            }
            Sharing::AloneForCost => {
                "each list of parameters has a statement of its own, \
                                      because the planner expects the batch to cost more"
            }
        })
    }
}

/// How many subscribers one statement of a live query serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// All of them, because the query has no parameters.
    One,
    /// Many: their parameters are rows of one statement.
    Batch,
    /// One list of parameters, because the query contains an estimate of the planner.
    AloneForEstimate,
    /// One list of parameters, because the settings of a transaction hold for one subscriber.
    AloneForSettings,
    /// One list of parameters, because Postgres refuses the batch.
    AloneForFailure,
    /// One list of parameters, because the planner expects more work for each row of a batch than
    /// for the query alone.
    AloneForCost,
}

/// The rows of one list of parameters.
#[derive(Debug)]
pub struct ResultRows<'b> {
    left: u16,
    /// The rows, each preceded by its length.
    bytes: &'b [u8],
}

/// The rows of the list of parameters that is being read.
#[derive(Default)]
struct RowBuffer {
    left: u16,
    bytes: Vec<u8>,
}

/// A digest of a result, or of a shape. Equal digests stand for equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultDigest(u64);

/// The hasher of results. Its seed is random, so a client cannot choose results of equal digests.
static HASHER: LazyLock<foldhash::quality::RandomState> =
    LazyLock::new(foldhash::quality::RandomState::default);

/// How long a statement of live queries waits for a connection before it is tried again later.
const QUEUE_TIME: Duration = Duration::from_secs(20);

/// A batch may cost this many times as much per row as the query alone.
const BATCH_COST: f64 = 2.0;

/// The cost per row below which a batch is never split, in the planner's units.
const CHEAP_ROW_COST: f64 = 50.0;

/// The rows that the planner assumes for an array of unknown length.
const ASSUMED_ROWS: f64 = 10.0;

impl RunPolicy {
    /// The policy of a query of which nothing is known.
    fn careful() -> RunPolicy {
        RunPolicy {
            dependencies: Dependencies::unknown(),
            sharing: Sharing::AloneForFailure,
        }
    }
}

impl LiveQuery {
    /// Plans a subscription, checks its expected work against the limits of the role, and binds its
    /// parameters.
    pub async fn from_translation(
        state: &ExecutionState,
        session: &Session,
        request: ValidRequest<'_>,
        deadline: Instant,
    ) -> Result<(LiveQuery, BoundQuery), Error> {
        let context = RequestContext::new(state, session, deadline);
        let (plan, _) = request.plan(state, session)?;
        let execution = Execution::new(context, &plan.translation, &plan.variables);
        execution.check_expected_work().await?;
        let bound = execution.bind_live()?;
        let query = LiveQuery::new(plan.translation.clone(), context.limits.clone());
        Ok((query, bound))
    }

    /// The live query of a translation.
    pub fn new(translation: Arc<Translation>, limits: Arc<RoleLimits>) -> LiveQuery {
        LiveQuery {
            translation,
            limits,
        }
    }

    /// The translation. Subscribers with the same one share their statements.
    pub fn translation(&self) -> &Arc<Translation> {
        &self.translation
    }

    /// The limits of the role.
    pub fn limits(&self) -> &RoleLimits {
        &self.limits
    }

    /// The result of a query that reads nothing from the database.
    pub fn constant(&self) -> Option<Result<Bytes, Error>> {
        match self.translation.kind {
            TranslationKind::Constant(_) => {
                Some(match ResponseWriter::constant(&self.translation) {
                    Ok(Payload::Whole(bytes)) => Ok(bytes),
                    Ok(Payload::Parts(..)) => Err(Error::Internal("a constant in parts".into())),
                    Err(error) => Err(error),
                })
            }
            TranslationKind::Statement(_)
            | TranslationKind::Mutation(_)
            | TranslationKind::Composite(_) => None,
        }
    }

    /// Asks the planner how the query has to be run. The settings are those of one subscriber,
    /// because policies of row-level security may fail to be planned without values.
    pub async fn policy(
        &self,
        database: &Database,
        bound: &BoundQuery,
        deadline: Instant,
    ) -> Result<RunPolicy, Error> {
        let Some(statement) = self.translation.kind.statement() else {
            let dependencies = Dependencies {
                tables: BTreeMap::new(),
                reads_clock: false,
            };
            return Ok(RunPolicy {
                dependencies,
                sharing: Sharing::One,
            });
        };
        let requester = self.requester();
        let places = statement.parameters.len();
        let (_, settings) = statement.divide(&bound.values);
        let settings = settings.map(transaction_settings);
        let alone = match database
            .explain(&requester, settings, &statement.text, places, deadline)
            .await
        {
            // Postgres refuses to plan it, so nothing is known; the error is that of its runs.
            Err(DatabaseError::Refused(_)) => return Ok(RunPolicy::careful()),
            alone => alone?,
        };
        let together = match &statement.batch {
            Some(batch) if settings.is_none() => {
                match database
                    .explain(&requester, None, batch, places, deadline)
                    .await
                {
                    Err(DatabaseError::Refused(_)) => None,
                    together => Some(together?),
                }
            }
            Some(_) | None => None,
        };
        // In the plan of the batch no partition is left out, since its parameters are not known
        // before it runs.
        let plan = together.as_ref().unwrap_or(&alone);
        let text = with_high_parameters(&statement.text);
        let explained = (BEFORE_PARAMETERS, places);
        let scans = match database
            .explain_scans(&requester, settings, &text, explained, deadline)
            .await
        {
            Err(DatabaseError::Refused(_)) => None,
            scans => Some(scans?),
        };
        let dependencies = match scans {
            Some(scans) => {
                dependencies::collect_dependencies(database, plan, &scans, deadline).await?
            }
            None => None,
        };
        let mut dependencies = dependencies.unwrap_or_else(Dependencies::unknown);
        let constant = |parameter: &Parameter| matches!(parameter, Parameter::Constant(literal) if names_clock(&literal.text));
        dependencies.reads_clock |= statement.parameters.iter().any(constant);
        let sharing = match together {
            _ if settings.is_some() => Sharing::AloneForSettings,
            None if statement.batch.is_some() => Sharing::AloneForFailure,
            Some(together) => {
                let cost = |plan: &str| super::estimate::read(plan).work.cost;
                let alone = cost(&alone);
                let together = cost(&together);
                let each = together / ASSUMED_ROWS;
                if each > alone * BATCH_COST && each > CHEAP_ROW_COST {
                    Sharing::AloneForCost
                } else {
                    Sharing::Batch
                }
            }
            None if statement.parameters.iter().any(Parameter::varies) => Sharing::AloneForEstimate,
            None => Sharing::One,
        };
        Ok(RunPolicy {
            dependencies,
            sharing,
        })
    }

    /// Runs the query for these lists of parameters in one statement and passes the rows of each to
    /// `deliver`, with its number. Several lists need [`Sharing::Batch`], or have to be of one
    /// caller.
    pub async fn run(
        &self,
        state: &ExecutionState,
        lists: &[&BoundQuery],
        limit: Duration,
        deliver: impl Fn(usize, ResultRows<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some(statement) = self.translation.kind.statement() else {
            return Ok(());
        };
        let estimated = match lists {
            [] => return Ok(()),
            [only] => Some(self.estimated(state, only, Instant::now() + limit).await?),
            _ => None,
        };
        // The time in the queue does not count, so that a busy database does not end live queries.
        let connection = match state
            .database
            .acquire(&self.requester(), Instant::now() + QUEUE_TIME)
            .await
        {
            Err(DatabaseError::Timeout(_)) => {
                return Err(DatabaseError::Queue(QueueError::Time(QUEUE_TIME)).into());
            }
            connection => connection?,
        };
        let deadline = Instant::now() + limit;
        let mut memory = state.memory.empty_reservation();
        memory::reserve_if_large(&mut memory, lists.iter().map(|list| list.bytes()).sum())?;
        let is_batch = lists.len() > 1;
        let mut rows = match estimated {
            Some(only) => *connection.query_checked(
                query(statement, &only),
                || TranslationColumns::of_statement(&self.translation),
                deadline,
            )?,
            None => {
                // The lists have the same settings: they are of one caller.
                let settings = statement
                    .settings
                    .iter()
                    .flat_map(|settings| &settings.parameters)
                    .map(|_| false);
                let varies = statement
                    .parameters
                    .iter()
                    .map(Parameter::varies)
                    .chain(settings);
                let batch = statement.batch.as_deref().ok_or_else(|| {
                    Error::Internal("the statement has no form for a batch".into())
                })?;
                *connection.query_checked(
                    batch_query(statement, batch, &arrays(lists, varies)),
                    || TranslationColumns::of_batch(&self.translation),
                    deadline,
                )?
            }
        };
        rows.limit_response_bytes(
            self.limits.enforced.response_bytes,
            binary_factor(&statement.shape),
        );
        let most = self
            .limits
            .enforced
            .response_bytes
            .saturating_mul(BINARY_TO_JSON);
        let mut delivery = Delivery::new(lists.len(), self.is_stream());
        let mut buffer = RowBuffer::default();
        loop {
            let next = rows
                .next()
                .await
                .map_err(|fault| query_error(statement, fault))?;
            let Some(mut columns) = next else { break };
            loop {
                let (number, is_present) = if is_batch {
                    batch_row(&mut columns)?
                } else {
                    (0, true)
                };
                if let Some(complete) = delivery.advance(number)? {
                    deliver(complete, buffer.rows())?;
                    buffer.bytes.clear();
                }
                if is_present {
                    buffer.reserve_for(&columns, &mut memory)?;
                    buffer.push(&columns);
                }
                if buffer.bytes.len() > most {
                    return Err(LimitExceeded::Answer(self.limits.enforced.response_bytes).into());
                }
                match rows.next_buffered() {
                    Some(next) => columns = next,
                    None => break,
                }
            }
            buffer.reserve(&mut memory)?;
        }
        match delivery.end(is_batch)? {
            Some(last) => deliver(last, buffer.rows()),
            None => Ok(()),
        }
    }

    /// Whether lists of parameters of several subscribers may share a statement, as far as that is
    /// known without the planner.
    pub fn may_share(&self) -> bool {
        let statement = self.translation.kind.statement();
        statement.is_some_and(|statement| statement.batch.is_some() && statement.settings.is_none())
    }

    /// Whether the query is a stream.
    pub fn is_stream(&self) -> bool {
        !self.positions().is_empty()
    }

    /// Of a stream, the indexes of the parameters that contain its position.
    pub fn positions(&self) -> &[usize] {
        self.translation
            .kind
            .statement()
            .map_or(&[], |statement| &statement.positions)
    }

    /// Of a stream, the order in which its position has a meaning.
    pub fn ordering(&self) -> Option<Ordering> {
        let statement = self.translation.kind.statement()?;
        match statement.parameters.get(*statement.positions.first()?)? {
            Parameter::Position { ordering, .. } => Some(*ordering),
            _ => None,
        }
    }

    /// The values of a list of parameters with the estimates of the planner.
    async fn estimated(
        &self,
        state: &ExecutionState,
        list: &BoundQuery,
        deadline: Instant,
    ) -> Result<Parameters, Error> {
        let mut values = list.values.clone();
        let Some(statement) = self.translation.kind.statement() else {
            return Ok(values);
        };
        let estimates = &statement.estimates;
        let (_, settings) = statement.divide(&list.values);
        let settings = settings.map(transaction_settings);
        for (estimate, arguments) in estimates.iter().zip(&list.estimates) {
            let database = &state.database;
            let response = database
                .query_scalar_for(
                    &self.requester(),
                    settings,
                    &estimate.text,
                    arguments,
                    deadline,
                )
                .await?;
            if let Some(value) = values.get_mut(estimate.index) {
                *value = Estimate::read(&response);
            }
        }
        Ok(values)
    }

    /// The digest of the shape, which a reload may change while the rows stay the same.
    pub fn shape_digest(&self) -> ResultDigest {
        let shape = self
            .translation
            .kind
            .statement()
            .map(|statement| format!("{:?}", statement.shape));
        ResultDigest(HASHER.hash_one(shape))
    }

    /// The response of a result. It reserves its memory until the last subscriber's client has
    /// taken it.
    pub fn encode(&self, memory: MemoryBudget, rows: &ResultRows<'_>) -> Result<Bytes, Error> {
        let Some(statement) = self.translation.kind.statement() else {
            return Ok(Bytes::new());
        };
        let mut memory = memory.empty_reservation();
        let mut response = encode_rows(
            &statement.shape,
            rows.iter(),
            self.limits.enforced.response_bytes,
            &mut memory,
        )?;
        response.shrink_to_fit();
        memory.grow_to(response.len())?;
        Ok(memory.hold(response))
    }

    /// The statements of many users count against the share of their role alone.
    fn requester(&self) -> Requester {
        let key = ShareKey {
            role: Some(self.limits.role_key()),
            ..ShareKey::default()
        };
        Requester::new(key, self.limits.enforced.connections)
    }
}

impl RowBuffer {
    fn push(&mut self, columns: &RowColumns<'_>) {
        let (left, bytes) = columns.rest();
        self.left = left;
        self.bytes
            .extend_from_slice(&(bytes.len() as u64).to_be_bytes());
        self.bytes.extend_from_slice(bytes);
    }

    /// Reserves memory for a long row before it is copied.
    fn reserve_for(
        &mut self,
        columns: &RowColumns<'_>,
        memory: &mut Reservation,
    ) -> Result<(), Error> {
        let more = columns.byte_length() + size_of::<u64>();
        if more > LONG_ROW {
            memory.grow_to(self.bytes.capacity().max(self.bytes.len() + more))?;
            self.bytes.reserve_exact(more);
        }
        Ok(())
    }

    fn rows(&self) -> ResultRows<'_> {
        // Without a row it is the number of another list's.
        let left = if self.bytes.is_empty() { 0 } else { self.left };
        ResultRows {
            left,
            bytes: &self.bytes,
        }
    }

    fn reserve(&self, memory: &mut Reservation) -> Result<(), Error> {
        Ok(memory::reserve_if_large(memory, self.bytes.capacity())?)
    }
}

/// Which list of parameters the rows of a statement belong to.
struct Delivery {
    lists: usize,
    is_stream: bool,
    current: Option<usize>,
}

impl Delivery {
    fn new(lists: usize, is_stream: bool) -> Delivery {
        Delivery {
            lists,
            is_stream,
            current: None,
        }
    }

    /// Takes the number of a row's list. Returns the list before it, whose rows are complete. Lists
    /// come in order; only those of streams may have no row.
    fn advance(&mut self, number: usize) -> Result<Option<usize>, Error> {
        let least = self.current.map_or(0, |current| current + 1);
        match self.current {
            Some(current) if current == number => Ok(None),
            before
                if number < self.lists && (number == least || self.is_stream && number > least) =>
            {
                self.current = Some(number);
                Ok(before)
            }
            _ => Err(Error::Internal(
                "the rows of a batch are not in order".into(),
            )),
        }
    }

    /// The list whose rows were the last ones. A statement for one list may have no rows.
    fn end(self, is_batch: bool) -> Result<Option<usize>, Error> {
        match self.current {
            None if !is_batch => Ok(Some(0)),
            last if self.is_stream || last == self.lists.checked_sub(1) => Ok(last),
            _ => Err(Error::Internal(
                "a batch has fewer rows than parameters".into(),
            )),
        }
    }
}

impl<'b> ResultRows<'b> {
    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The texts of the last `count` columns of the last row.
    pub fn last_columns(&self, count: usize) -> Option<Vec<Option<String>>> {
        let mut columns = self.iter().last()?;
        for _ in 0..usize::from(self.left).checked_sub(count)? {
            columns.next_column().ok()?;
        }
        Some((0..count).map(|_| columns.text()).collect())
    }

    /// The digest of a result with a shape of this digest.
    pub fn digest(&self, shape: ResultDigest) -> ResultDigest {
        let mut hasher = HASHER.build_hasher();
        hasher.write_u64(shape.0);
        hasher.write_u16(self.left);
        hasher.write(self.bytes);
        ResultDigest(hasher.finish())
    }

    fn iter(&self) -> impl Iterator<Item = RowColumns<'b>> + use<'b> {
        let left = self.left;
        let mut bytes = self.bytes;
        std::iter::from_fn(move || {
            let (length, rest) = bytes.split_first_chunk()?;
            let length = usize::try_from(u64::from_be_bytes(*length)).ok()?;
            let (row, rest) = rest.split_at_checked(length)?;
            bytes = rest;
            Some(RowColumns::from_rest(left, row))
        })
    }
}

/// The leading columns of a batch's row: the number of its list of parameters, from 0, and whether
/// the query has a row.
fn batch_row(columns: &mut RowColumns<'_>) -> Result<(usize, bool), Error> {
    let malformed = || Error::Internal("a row of a batch without its number".into());
    let number = columns
        .next_column()
        .map_err(|_| malformed())?
        .and_then(|bytes| bytes.try_into().ok());
    let number = number.and_then(|bytes| {
        usize::try_from(i64::from_be_bytes(bytes))
            .ok()?
            .checked_sub(1)
    });
    let is_present = columns.next_column().map_err(|_| malformed())?.is_some();
    Ok((number.ok_or_else(malformed)?, is_present))
}

/// The parameters of a batch: an array of the values of all lists for each parameter that varies,
/// and the value of the first list for any other.
fn arrays(lists: &[&BoundQuery], varies: impl Iterator<Item = bool>) -> Parameters {
    let value = |index: usize| {
        lists
            .first()
            .and_then(|list| list.values.get(index))
            .cloned()
            .flatten()
    };
    let array = |position: usize| {
        let mut text = String::from("{");
        for (number, list) in lists.iter().enumerate() {
            if number > 0 {
                text.push(',');
            }
            match list.values.get(position).and_then(Option::as_deref) {
                None => text.push_str("NULL"),
                Some(value) => {
                    text.push('"');
                    for part in value.split_inclusive(['"', '\\']) {
                        match part.as_bytes().last() {
                            Some(last @ (b'"' | b'\\')) => {
                                text.push_str(&part[..part.len() - 1]);
                                text.push('\\');
                                text.push(char::from(*last));
                            }
                            _ => text.push_str(part),
                        }
                    }
                    text.push('"');
                }
            }
        }
        text.push('}');
        Some(text)
    };
    varies
        .enumerate()
        .map(|(column_index, varies)| {
            if varies {
                array(column_index)
            } else {
                value(column_index)
            }
        })
        .collect()
}

#[cfg(test)]
impl ResultDigest {
    /// A digest of any number.
    pub(crate) fn from_number(number: u64) -> ResultDigest {
        ResultDigest(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn array_quotes_values_and_writes_null() {
        let bound = |values| BoundQuery::new(values, Vec::new());
        let one = bound(vec![Some("a\"b\\".into()), Some("t".into())]);
        let two = bound(vec![None, Some("t".into())]);
        let bound = arrays(&[&one, &two], [true, false].into_iter());
        assert_eq!(
            bound,
            [Some(r#"{"a\"b\\",NULL}"#.to_owned()), Some("t".to_owned())]
        );
    }

    #[test]
    fn lists_come_in_order_and_only_streams_have_gaps() {
        let mut delivery = Delivery::new(3, false);
        assert_eq!(delivery.advance(0).ok(), Some(None));
        assert_eq!(delivery.advance(0).ok(), Some(None));
        assert_eq!(delivery.advance(1).ok(), Some(Some(0)));
        assert!(delivery.advance(0).is_err() && delivery.advance(3).is_err());
        assert!(delivery.end(true).is_err());
        let mut delivery = Delivery::new(3, true);
        assert_eq!(delivery.advance(2).ok(), Some(None));
        assert_eq!(delivery.end(true).ok(), Some(Some(2)));
        assert_eq!(Delivery::new(3, true).end(true).ok(), Some(None));
        assert_eq!(Delivery::new(1, false).end(false).ok(), Some(Some(0)));
    }

    #[test]
    fn last_columns_are_the_position_of_a_stream() {
        let mut buffer = RowBuffer::default();
        for id in [b'1', b'2'] {
            buffer.push(&RowColumns::new(&[
                0, 3, 0, 0, 0, 1, b'x', 0, 0, 0, 1, id, 255, 255, 255, 255,
            ]));
        }
        assert_eq!(
            buffer.rows().last_columns(2),
            Some(vec![Some("2".to_owned()), None])
        );
        assert_eq!(buffer.rows().last_columns(4), None);
    }

    #[test]
    fn empty_results_are_equal_whatever_came_before_them() {
        let shape = ResultDigest::from_number(1);
        let mut buffer = RowBuffer::default();
        let alone = buffer.rows().digest(shape);
        buffer.push(&RowColumns::new(&[0, 1, 0, 0, 0, 1, b'x']));
        assert_ne!(buffer.rows().digest(shape), alone);
        buffer.bytes.clear();
        assert_eq!(buffer.rows().digest(shape), alone);
    }

    #[test]
    fn buffered_rows_are_read_again() {
        let mut buffer = RowBuffer::default();
        let row = [0, 1, 0, 0, 0, 2, b'h', b'i'];
        buffer.push(&RowColumns::new(&row));
        buffer.push(&RowColumns::new(&[0, 1, 255, 255, 255, 255]));
        let texts: Vec<_> = buffer
            .rows()
            .iter()
            .map(|mut columns| columns.text())
            .collect();
        assert_eq!(texts, [Some("hi".to_owned()), None]);
    }
}
