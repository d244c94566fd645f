//! What is translated, run for one caller: its parameters bound, what the planner is asked first, and the bytes of the rows.
//! Where it comes from is left to others: a document, or SQL that somebody has named.

use std::sync::Arc;

use sql::statement::{Estimate, Room};
use sql::variables::Variables;
use sql::{Answered, Expected, Translation};
use tokio::time::Instant;

use super::estimate;
use super::payload::Writer;
use super::shared::{Lead, Read, Reuse, Turn};
use super::{Answering, Door, Payload, Stages, bind, mutation, refused, statements};
use crate::database::{Ending, Fault, Parameters};
use crate::error::Error;
use crate::limits::{Bound, Bounds, Exceeded};
use crate::session::Session;

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
        let mut expected = Expected::default();
        for statement in statements(self.translation).filter(|statement| !statement.is_small) {
            let mut retry = self.parts.database.retry(self.deadline);
            let asked = loop {
                // It is rare, and large beside the rest.
                let asked = self.parts.database.explain(&statement.text, statement.parameters.len(), self.deadline);
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

    /// The parameters of its statements, in order.
    pub(super) async fn parameters(&self, stages: &mut Stages) -> Result<Vec<Parameters>, Error> {
        let bound = Instant::now();
        let mut room = Room::new(self.bounds.holds.values());
        let mut parameters = bind(self.translation, self.variables, self.session, &mut room)?;
        stages.bind = bound.elapsed();
        let asked = Instant::now();
        self.estimate(room, &mut parameters).await?;
        stages.run = asked.elapsed();
        Ok(parameters)
    }

    /// Asks the planner for the counts that it is to estimate, and puts its answers among the parameters.
    async fn estimate(&self, room: Room, parameters: &mut [Parameters]) -> Result<(), Error> {
        let Ready { parts, deadline, .. } = *self;
        for (statement, parameters) in statements(self.translation).zip(parameters) {
            for question in &statement.estimates {
                // What one question needs is free again for the next.
                let mut room = room;
                let given = question.bind(self.variables, self.session, &mut room)?;
                let mut retry = parts.database.retry(deadline);
                let answer = loop {
                    match parts.database.value(&question.text, &given, deadline).await {
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

    /// Runs it with these parameters. What settings say of its name may be reused, and what the door says.
    pub(super) async fn run(
        &self,
        mut parameters: Vec<Parameters>,
        name: Option<&str>,
        reuse: Reuse,
    ) -> Result<Payload, Error> {
        let payload = match &self.translation.answer {
            Answered::Mutation(steps) => {
                let ending = if self.is_rehearsal() { Ending::Undo } else { Ending::Commit };
                let (database, limit) = (&self.parts.database, self.bounds.holds.answer);
                let ran = mutation::run(database, steps, &parameters, ending, limit, self.deadline).await;
                if let Err(Error::Database(Fault::Unreadable(_))) = ran {
                    self.parts.renewal.wish();
                }
                Payload::Whole(ran?.into())
            }
            _ => {
                let reuse = self.parts.shared.reuse(|| name, reuse);
                match (!reuse.is_none()).then(|| Read::of(self.translation, &mut parameters)).flatten() {
                    // It is rare, and large beside the rest.
                    Some(read) => Box::pin(self.share(read, reuse)).await?,
                    None => self.execute(&parameters).await?,
                }
            }
        };
        if let Payload::Whole(bytes) = &payload {
            self.bounds.note(Bound::Answer, bytes.len());
        }
        Ok(payload)
    }

    /// Answers with the rows of a statement of its own.
    pub(super) async fn execute(&self, parameters: &[Parameters]) -> Result<Payload, Error> {
        self.ask(parameters.first().map(Vec::as_slice).unwrap_or_default(), || ()).await
    }

    /// Answers a read with what others were answered, or are about to be; else by a statement, whose answer others may have.
    async fn share(&self, read: Arc<Read>, reuse: Reuse) -> Result<Payload, Error> {
        match self.parts.shared.turn(read.clone(), reuse, self.deadline).await {
            Turn::Answered(bytes) => Ok(Payload::Whole(bytes)),
            Turn::Late => Err(Exceeded::Time(self.bounds.holds.time).into()),
            Turn::Alone => self.ask(read.parameters(), || ()).await,
            Turn::Ask(lead) => {
                let answered = self.ask(read.parameters(), || lead.leaves()).await;
                hand_on(lead, answered).await
            }
        }
    }

    /// Runs the statement and writes its rows. A read whose connection was lost is tried again, as long as none of the answer
    /// is on its way. `leaves` is told just before it is sent, each time that it is.
    async fn ask(&self, parameters: &[Option<String>], leaves: impl Fn()) -> Result<Payload, Error> {
        let Answered::Statement(statement) = &self.translation.answer else {
            return Writer::constant(self.translation);
        };
        let database = &self.parts.database;
        let mut retry = database.retry(self.deadline);
        loop {
            let attempt = async {
                let rows = database.query_shaped(self.translation, parameters, &leaves, self.deadline).await?;
                let writer = Writer::new(self.translation.clone(), rows, self.bounds.clone());
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
async fn hand_on(lead: Lead<'_>, answered: Result<Payload, Error>) -> Result<Payload, Error> {
    let answered = match (answered, lead.is_awaited()) {
        (Ok(payload @ Payload::Parts(..)), true) => payload.collect().await.map(Payload::Whole),
        (answered, _) => answered,
    };
    match &answered {
        Ok(Payload::Whole(bytes)) => lead.answered(bytes),
        _ => lead.failed(),
    }
    answered
}
