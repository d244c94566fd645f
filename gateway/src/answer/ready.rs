//! What is translated, run for one caller: its parameters bound, what the planner is asked first, and the bytes of the rows.
//! Where it comes from is left to others: a document, or SQL that somebody has named.

use std::sync::Arc;

use bytes::Bytes;
use sql::statement::{Estimate, Mutation, Room, VALUES};
use sql::variables::Variables;
use sql::{Answered, Cause, Expected, Translation};
use tokio::time::Instant;

use super::estimate;
use super::payload::Writer;
use super::shared::{Lead, Read, Reuse, Turn};
use super::{Answering, Door, Payload, Stages, bind, mutation, refused, statements};
use crate::database::{Ending, Failed, Fault, Lease, Parameters, Requester};
use crate::error::Error;
use crate::limits::{Bound, Bounds, Exceeded};
use crate::memory::{COVERED, MemoryBudget, Reservation};
use crate::session::{Caller, Session};

/// A translation, with everything that it is run with.
#[derive(Clone, Copy)]
pub(super) struct Ready<'r> {
    pub(super) parts: &'r Answering,
    pub(super) session: &'r Session,
    pub(super) translation: &'r Arc<Translation>,
    pub(super) variables: &'r Variables,
    /// Those of the caller's role.
    pub(super) bounds: &'r Arc<Bounds>,
    pub(super) door: Door,
    pub(super) deadline: Instant,
}

/// The parameters of a translation.
pub(super) struct Values {
    /// Of each statement; none where they are too large to be held while the request waits.
    bound: Option<Vec<Parameters>>,
    /// What they are held in.
    memory: Reservation,
}

/// So much room values are given, more each time that it is not enough: how much they need shows only when they are made. What
/// fits into the first is small.
const STEPS: [usize; 6] = [COVERED, 256 << 10, 1 << 20, 4 << 20, 16 << 20, usize::MAX];

impl Ready<'_> {
    /// Whether it would write, and is to be undone.
    pub(super) fn is_rehearsal(&self) -> bool {
        matches!(self.translation.answer, Answered::Mutation(_)) && self.session.dry_run()
    }

    /// Holds what the planner expects of the statements against the bounds of the role. The planner is asked when a translation is
    /// run for the first time, and not for statements that read few rows whatever their parameters. What it says does not depend
    /// on the parameters of that request: the next one may have others.
    pub(super) async fn judge(&self) -> Result<(), Error> {
        let expected = match self.translation.expected.get() {
            Some(expected) => *expected,
            None => {
                let expected = self.expected().await?;
                *self.translation.expected.get_or_init(|| expected)
            }
        };
        Ok(self.bounds.expect(expected)?)
    }

    async fn expected(&self) -> Result<Expected, Error> {
        let (mut expected, requester) = (Expected::default(), self.requester());
        for statement in statements(self.translation).filter(|statement| !statement.is_small) {
            let mut retry = self.parts.database.retry(self.deadline);
            let asked = loop {
                // It is rare, and large beside the rest.
                let (database, places) = (&self.parts.database, statement.parameters.len());
                let asked = database.explain(&requester, &statement.text, places, self.deadline);
                match Box::pin(asked).await {
                    Ok(answer) => break estimate::read(&answer),
                    Err(fault) if retry.again(&fault).await => {}
                    // What it is refused for, it will be refused for again when it is run.
                    Err(Fault::Refused(refusal)) if !refusal.is_outdated => break Expected::default(),
                    Err(fault) => return Err(fault.into()),
                }
            };
            expected.rows += asked.rows;
            expected.cost += asked.cost;
        }
        Ok(expected)
    }

    /// The parameters of its statements, as far as they need little room; else they are bound once there is a connection.
    pub(super) async fn values(&self, stages: &mut Stages) -> Result<Values, Error> {
        let began = Instant::now();
        let mut memory = self.parts.memory.nothing();
        let has_questions = statements(self.translation).any(|statement| !statement.estimates.is_empty());
        let step = if has_questions { STEPS.len() } else { 1 };
        let bound = self.bind(&STEPS[..step], &mut memory)?;
        stages.bind = began.elapsed();
        let Some((mut parameters, room)) = bound else { return Ok(Values { bound: None, memory }) };
        self.bounds.note(Bound::Patterns, room.patterns());
        if has_questions {
            let asked = Instant::now();
            self.estimate(room, &mut parameters).await?;
            stages.run = asked.elapsed();
        }
        Ok(Values { bound: Some(parameters), memory })
    }

    /// Binds the parameters within as much room as they need, of these steps; none where they need more. What goes beyond the
    /// first step is reserved before it is made.
    fn bind(&self, steps: &[usize], memory: &mut Reservation) -> Result<Option<(Vec<Parameters>, Room)>, Error> {
        let holds = &self.bounds.holds;
        let most = holds.values();
        for step in steps {
            let bytes = (*step).min(most);
            if bytes > STEPS[0] {
                memory.cover(bytes)?;
            }
            let mut room = Room::new(bytes).with_patterns(holds.patterns);
            match bind(self.translation, self.variables, self.session, &mut room) {
                Err(Error::Query(sql::Error { cause: Cause::Limit { limit: VALUES, .. }, .. })) if bytes < most => {}
                bound => {
                    let parameters = bound?;
                    memory.shrink(room.used());
                    return Ok(Some((parameters, room.widened(most))));
                }
            }
        }
        Ok(None)
    }

    /// Binds parameters that were too large to wait for a connection.
    fn bind_large(&self, memory: &mut Reservation) -> Result<Vec<Parameters>, Error> {
        match self.bind(&STEPS[1..], memory)? {
            Some((parameters, _)) => Ok(parameters),
            None => Err(Error::Internal("values beyond every step".into())),
        }
    }

    /// Asks the planner for the counts that it is to estimate, and puts its answers among the parameters.
    async fn estimate(&self, room: Room, parameters: &mut [Parameters]) -> Result<(), Error> {
        let Ready { parts, deadline, .. } = *self;
        let requester = self.requester();
        for (statement, parameters) in statements(self.translation).zip(parameters) {
            for question in &statement.estimates {
                // What one question needs is free again for the next.
                let mut room = room;
                let given = question.bind(self.variables, self.session, &mut room)?;
                let mut retry = parts.database.retry(deadline);
                let answer = loop {
                    match parts.database.value_for(&requester, &question.text, &given, deadline).await {
                        Ok(answer) => break answer,
                        Err(fault) if retry.again(&fault).await => {}
                        Err(fault) => return Err(fault.into()),
                    }
                };
                if let Some(parameter) = parameters.get_mut(question.place) {
                    *parameter = Estimate::read(&answer);
                }
            }
        }
        Ok(())
    }

    /// For whom connections are taken. Whoever has the admin secret may speak for many from one address.
    fn requester(&self) -> Requester {
        let Ready { session, bounds, .. } = *self;
        let address = session.client().filter(|_| session.caller() != Caller::Trusted);
        Requester::new(bounds.role_digest(), bounds.holds.connections, session.user(), address)
    }

    /// A connection, once it is the caller's turn.
    pub(super) async fn lease(&self, requester: &Requester) -> Result<Lease, Fault> {
        let lease = self.parts.database.lease(requester, self.deadline).await?;
        self.bounds.note(Bound::Connections, lease.of_role());
        Ok(lease)
    }

    /// Runs it with these values. What settings say of its name may be reused, and what the door says.
    pub(super) async fn run(&self, mut values: Values, name: Option<&str>, reuse: Reuse) -> Result<Payload, Error> {
        let payload = match &self.translation.answer {
            Answered::Mutation(mutation) => {
                let changed = self.change(mutation, &values).await;
                if let Err(Error::Database(Fault::Unreadable(_))) = changed {
                    self.parts.renewal.wish();
                }
                Payload::Whole(changed?)
            }
            _ => {
                let reuse = self.parts.shared.reuse(|| name, reuse);
                let read = if reuse.is_none() { None } else { self.read(&mut values)? };
                match read {
                    // It is rare, and large beside the rest.
                    Some(read) => Box::pin(self.share(read, reuse)).await?,
                    None => self.execute(&values).await?,
                }
            }
        };
        if let Payload::Whole(bytes) = &payload {
            self.bounds.note(Bound::Answer, bytes.len());
        }
        Ok(payload)
    }

    /// Runs the steps of a mutation; those that were undone for the sake of others are tried again.
    async fn change(&self, mutation: &Mutation, values: &Values) -> Result<Bytes, Error> {
        let ending = if self.is_rehearsal() { Ending::Undo } else { Ending::Commit };
        let mut answer = mutation::Answer::new(mutation, ending, self.bounds.holds.answer, self.parts.memory);
        if mutation.steps.is_empty() {
            return answer.empty();
        }
        let texts: Vec<&str> = mutation.steps.iter().map(|step| step.statement.text.as_str()).collect();
        let shapes: Vec<_> = mutation.steps.iter().map(|step| &step.statement.shape).collect();
        let (requester, mut retry) = (self.requester(), self.parts.database.retry(self.deadline));
        loop {
            let attempt = async {
                let lease = self.lease(&requester).await.map_err(Failed::before)?;
                let (large, _memory);
                let parameters = match &values.bound {
                    Some(parameters) => parameters,
                    None => {
                        let mut memory = self.parts.memory.nothing();
                        match self.bind_large(&mut memory) {
                            Ok(parameters) => large = parameters,
                            Err(error) => return Ok(Err(error)),
                        }
                        _memory = memory;
                        &large
                    }
                };
                lease.write(&texts, &shapes, parameters, ending, answer.memory(), self.deadline).await.map(Ok)
            };
            match attempt.await {
                Ok(rows) => return answer.written(&rows?),
                Err(failed) if retry.again_writing(&failed).await => {}
                Err(failed) => return Err(mutation::told(mutation, failed)),
            }
        }
    }

    /// The read that it is, if others may be answered with its answer. What tells reads apart has to be bound first.
    fn read(&self, values: &mut Values) -> Result<Option<Arc<Read>>, Error> {
        if values.bound.is_none() {
            values.bound = Some(self.bind_large(&mut values.memory)?);
        }
        Ok(values.bound.as_mut().and_then(|parameters| Read::of(self.translation, parameters)))
    }

    /// Answers with the rows of a statement of its own.
    pub(super) async fn execute(&self, values: &Values) -> Result<Payload, Error> {
        let bound = values.bound.as_ref();
        self.ask(bound.map(|bound| bound.first().map(Vec::as_slice).unwrap_or_default()), || ()).await
    }

    /// Answers a read with what others were answered, or are about to be; else by a statement, whose answer others may have.
    async fn share(&self, read: Arc<Read>, reuse: Reuse) -> Result<Payload, Error> {
        match self.parts.shared.turn(read.clone(), reuse, self.deadline).await {
            Turn::Answered(bytes) => Ok(Payload::Whole(bytes)),
            Turn::Late => Err(Exceeded::Time(self.bounds.holds.time).into()),
            Turn::Alone => self.ask(Some(read.parameters()), || ()).await,
            Turn::Ask(lead) => {
                let answered = self.ask(Some(read.parameters()), || lead.leaves()).await;
                hand_on(lead, answered, self.parts.memory).await
            }
        }
    }

    /// Runs the statement and writes its rows. A read whose connection was lost is tried again, as long as none of the answer
    /// is on its way. `leaves` is told just before it is sent, each time that it is. Parameters that are not there are bound
    /// once there is a connection, and let go of when they are on their way.
    async fn ask(&self, parameters: Option<&[Option<String>]>, leaves: impl Fn()) -> Result<Payload, Error> {
        let Answered::Statement(statement) = &self.translation.answer else {
            return Writer::constant(self.translation);
        };
        let (requester, mut retry) = (self.requester(), self.parts.database.retry(self.deadline));
        loop {
            let attempt = async {
                let lease = self.lease(&requester).await?;
                let rows = match parameters {
                    Some(parameters) => {
                        leaves();
                        lease.query_shaped(self.translation, parameters, self.deadline)?
                    }
                    None => {
                        let mut memory = self.parts.memory.nothing();
                        let bound = self.bind_large(&mut memory)?;
                        leaves();
                        let parameters = bound.first().map(Vec::as_slice).unwrap_or_default();
                        lease.query_shaped(self.translation, parameters, self.deadline)?
                    }
                };
                let memory = self.parts.memory.nothing();
                let writer = Writer::new(self.translation.clone(), rows, self.bounds.clone(), memory);
                writer.write(self.door != Door::Whole).await
            };
            match attempt.await {
                Err(Error::Database(fault)) => {
                    if !retry.again(&fault).await {
                        return Err(refused(statement, fault));
                    }
                }
                outcome => return outcome,
            }
        }
    }
}

/// Hands an answer on to those who wait for it. One that is on its way already is put together where somebody does.
async fn hand_on(lead: Lead<'_>, answered: Result<Payload, Error>, memory: MemoryBudget) -> Result<Payload, Error> {
    let answered = match (answered, lead.is_awaited()) {
        (Ok(payload @ Payload::Parts(..)), true) => payload.collect(memory).await.map(Payload::Whole),
        (answered, _) => answered,
    };
    match &answered {
        Ok(Payload::Whole(bytes)) => lead.answered(bytes),
        _ => lead.failed(),
    }
    answered
}
