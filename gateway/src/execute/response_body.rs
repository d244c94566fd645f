//! The bytes of an answer: whole, or, when they are many, on their way while the statement still runs.

use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use sql::encode::shape::{Answer as Form, Shape};
use sql::encode::{self, LevelAssembler};
use sql::{Translation, TranslationKind};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::Instant;

use crate::database::Rows;
use crate::error::Error;
use crate::limits::memory;
use crate::limits::memory::{MemoryBudget, OutOfMemory, Reservation};
use crate::limits::{LimitExceeded, LimitKind, RoleLimits};

/// `{"data":…}`.
#[derive(Debug)]
pub enum Payload {
    /// All of it; the statement has ended well.
    Whole(Bytes),
    /// Its beginning, and the rest as it comes. An error in between has to cut the transport off.
    Parts(Bytes, BodyStream),
}

/// What of an answer is still to come. Whoever sends it on counts what it is over: of an answer that is put together after all, that is
/// done as of any other.
#[derive(Debug)]
pub struct BodyStream {
    parts: Receiver<Result<Bytes, Error>>,
    /// Bytes that have come, the beginning included.
    length: usize,
    bounds: Arc<RoleLimits>,
    deadline: Instant,
}

/// So much is held until the statement has ended, so that a failure can still be told.
const HELD: usize = 1 << 20;

/// So much is sent at a time after that.
const PART: usize = 64 << 10;

/// How many parts wait for a slow client before the statement does, as far as there is room in memory; one more is kept for bad
/// news. So the connection is free again before the client has taken an answer of up to 16 MiB.
const WAITING: usize = 256;

/// So many parts may wait where there is no room for more.
const FEW: usize = 4;

/// How long a client may take nothing, or less than it has to, before the statement that waits for it is ended.
const GRACE: Duration = Duration::from_secs(5);

/// Rows that wait for those that they belong to may take up so many times the answer's limit: short ones take up more than
/// they are long.
const TIMES: usize = 4;

impl Payload {
    /// All of it.
    pub async fn collect(self, memory: MemoryBudget) -> Result<Bytes, Error> {
        match self {
            Payload::Whole(bytes) => Ok(bytes),
            Payload::Parts(head, mut rest) => {
                let (mut memory, mut bytes) = (memory.empty_reservation(), head.to_vec());
                drop(head);
                while let Some(part) = rest.parts.recv().await {
                    bytes.extend_from_slice(&part?);
                    memory.grow_to(bytes.capacity())?;
                }
                Ok(memory.hold(bytes))
            }
        }
    }
}

impl BodyStream {
    /// The next part, for a client; none after the last.
    pub fn poll_next(&mut self, waker: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        let part = ready!(self.parts.poll_recv(waker));
        match &part {
            Some(Ok(part)) => self.length += part.len(),
            Some(Err(error)) => error.limit().into_iter().for_each(|limit| self.bounds.count_enforced(limit)),
            None => {
                self.bounds.observe(LimitKind::Answer, self.length);
                // How long it may take was counted from the beginning of the request.
                let BodyStream { bounds, deadline, .. } = self;
                bounds.observe_time(|| bounds.enforced.time.saturating_sub(*deadline - Instant::now()));
            }
        }
        Poll::Ready(part)
    }
}

/// A part is sent once it is full, so a row or two go beyond.
const ROOM: usize = PART + PART / 8;

/// How a client keeps up whose statement waits for it.
struct Pace {
    /// Bytes a second that it has to take.
    rate: usize,
    /// When it is too slow.
    due: Instant,
}

impl Pace {
    fn new(rate: usize) -> Pace {
        Pace { rate: rate.max(1), due: Instant::now() + GRACE }
    }

    /// The statement did not have to wait.
    fn rest(&mut self) {
        self.due = Instant::now() + GRACE;
    }

    /// The client has taken so many bytes.
    fn took(&mut self, bytes: usize) {
        let worth = Duration::from_secs_f64(bytes as f64 / self.rate as f64);
        self.due = (self.due + worth).min(Instant::now() + GRACE);
    }

    /// Waits for the client to take something; says whether it is there.
    async fn wait<T, E>(&self, taken: impl Future<Output = Result<T, E>>) -> Result<bool, Error> {
        match tokio::time::timeout_at(self.due, taken).await {
            Ok(taken) => Ok(taken.is_ok()),
            Err(_) => Err(LimitExceeded::ReadRate(self.rate).into()),
        }
    }
}

/// Writes rows as they come.
pub(super) struct ResponseWriter {
    translation: Arc<Translation>,
    rows: Box<Rows>,
    out: Vec<u8>,
    written: usize,
    /// The rows of inner lists, where these come as levels.
    gathering: Option<LevelAssembler>,
    /// Bytes that have left.
    sent: usize,
    bounds: Arc<RoleLimits>,
    /// What `out` and the rows of inner lists are held in.
    memory: Reservation,
}

impl ResponseWriter {
    pub(super) fn new(
        translation: Arc<Translation>,
        mut rows: Box<Rows>,
        bounds: Arc<RoleLimits>,
        memory: Reservation,
    ) -> ResponseWriter {
        rows.limit_response_bytes(bounds.enforced.answer);
        let mut out = Vec::with_capacity(1024);
        let mut gathering = None;
        if let TranslationKind::Statement(statement) = &translation.answer {
            open(&statement.shape, &mut out);
            if let Form::Levels(levels) = &statement.shape.answer {
                gathering = Some(LevelAssembler::new(levels));
            }
        }
        ResponseWriter { translation, rows, out, written: 0, gathering, sent: 0, bounds, memory }
    }

    /// The answer of an operation that needs no database.
    pub(super) fn constant(translation: &Translation) -> Result<Payload, Error> {
        let mut out = Vec::new();
        if let TranslationKind::Constant(shape) = &translation.answer {
            open(shape, &mut out);
            if let Form::Row(fields) = &shape.answer {
                encode::fields(fields, &mut NoColumns, &mut out)?;
            }
            close(shape, 0, &mut out);
        }
        Ok(Payload::Whole(out.into()))
    }

    /// Writes all rows; `in_parts` says whether a long answer may leave before its end.
    pub(super) async fn write(mut self, in_parts: bool) -> Result<Payload, Error> {
        while self.rows().await? {
            self.cover()?;
            if in_parts && self.out.len() > HELD {
                let (sender, receiver) = mpsc::channel(WAITING + 1);
                let head = self.take()?;
                let (bounds, deadline) = (self.bounds.clone(), self.rows.deadline());
                let rest = BodyStream { parts: receiver, length: head.len(), bounds, deadline };
                tokio::spawn(self.write_parts(sender));
                return Ok(Payload::Parts(head, rest));
            }
        }
        self.end()?;
        Ok(Payload::Whole(self.memory.hold(self.out)))
    }

    /// Sends the rest, for as long as the statement may take: a client that is slow to read holds its connection once as much
    /// waits for it as may. When nobody listens any more, or it is late, or slower than it may be, the rows are dropped, which
    /// cancels the statement.
    async fn write_parts(self, sender: Sender<Result<Bytes, Error>>) {
        // How it ends is said even where all parts still wait to be taken, so that they are not taken for the whole.
        let Ok(last) = sender.clone().reserve_owned().await else { return };
        let (deadline, limit) = (self.rows.deadline(), self.bounds.enforced.time);
        match tokio::time::timeout_at(deadline, self.send_parts(&sender)).await {
            Ok(Some(part)) => drop(last.send(part)),
            Ok(None) => {}
            Err(_) => drop(last.send(Err(LimitExceeded::Time(limit).into()))),
        }
    }

    /// Sends all parts but the last, which it gives; none where nobody listens any more.
    async fn send_parts(mut self, sender: &Sender<Result<Bytes, Error>>) -> Option<Result<Bytes, Error>> {
        let mut pace = Pace::new(self.bounds.enforced.read_rate);
        loop {
            let more = tokio::select! {
                more = self.rows() => more,
                () = sender.closed() => return None,
            };
            let passed = match more.and_then(|more| self.cover().map(|()| more)) {
                Ok(true) if self.out.len() < PART => continue,
                Ok(true) => self.pass_on(sender, &mut pace).await,
                Ok(false) => return Some(self.end().map(|()| self.memory.hold(self.out))),
                Err(error) => Err(error),
            };
            match passed {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Hands the part on that has been written, once there is room for another; says whether somebody takes it. While the client
    /// is waited for, it has to keep up.
    async fn pass_on(&mut self, sender: &Sender<Result<Bytes, Error>>, pace: &mut Pace) -> Result<bool, Error> {
        let mut has_waited = false;
        let part = loop {
            // One place is kept for the last part.
            let waiting = sender.max_capacity() - 1 - sender.capacity();
            match self.take() {
                Ok(part) => break part,
                Err(_) if waiting < FEW => break self.force(),
                Err(_) => {
                    has_waited = true;
                    if !pace.wait(sender.reserve_many(sender.capacity() + 1)).await? {
                        return Ok(false);
                    }
                    pace.took(PART);
                }
            }
        };
        match sender.try_send(Ok(part)) {
            Ok(()) if has_waited => {}
            Ok(()) => pace.rest(),
            Err(TrySendError::Closed(_)) => return Ok(false),
            Err(TrySendError::Full(part)) => {
                if !pace.wait(sender.reserve()).await? {
                    return Ok(false);
                }
                pace.took(PART);
                return Ok(sender.send(part).await.is_ok());
            }
        }
        Ok(true)
    }

    /// What has been written since the last part.
    fn take(&mut self) -> Result<Bytes, OutOfMemory> {
        let next = self.memory.budget().reserve(ROOM)?;
        Ok(self.replace(next))
    }

    /// The same, whether there is room for the next or not.
    fn force(&mut self) -> Bytes {
        let mut next = self.memory.budget().empty_reservation();
        next.grow_to_unchecked(ROOM);
        self.replace(next)
    }

    fn replace(&mut self, next: Reservation) -> Bytes {
        self.sent += self.out.len();
        let out = std::mem::replace(&mut self.out, Vec::with_capacity(ROOM));
        std::mem::replace(&mut self.memory, next).hold(out)
    }

    /// Has room for what is held.
    fn cover(&mut self) -> Result<(), Error> {
        let gathered = self.gathering.as_ref().map_or(0, LevelAssembler::memory_bytes);
        Ok(memory::reserve_if_large(&mut self.memory, self.out.capacity() + gathered)?)
    }

    /// Writes the next rows, if there are any: as many as have come, and make a part at most.
    async fn rows(&mut self) -> Result<bool, Error> {
        let Some(mut columns) = self.rows.next().await? else { return Ok(false) };
        let TranslationKind::Statement(statement) = &self.translation.answer else { return Ok(false) };
        let enough = self.out.len() + PART;
        loop {
            let mut kept = 0;
            match &statement.shape.answer {
                Form::Rows { row: node, .. } => {
                    if self.written > 0 {
                        self.out.push(b',');
                    }
                    encode::row(node, &mut columns, &mut self.out)?;
                }
                Form::One { row: node, .. } => encode::row(node, &mut columns, &mut self.out)?,
                Form::Levels(levels) => {
                    let gathering = self.gathering.get_or_insert_with(|| LevelAssembler::new(levels));
                    gathering.take(levels, &mut columns, &mut self.out)?;
                    kept = gathering.min_response_bytes().max(gathering.memory_bytes() / TIMES);
                    self.written = gathering.roots();
                }
                Form::Row(fields) => encode::fields(fields, &mut columns, &mut self.out)?,
                Form::Part(_) => {}
            }
            if self.gathering.is_none() {
                self.written += 1;
            }
            let limit = self.bounds.enforced.answer;
            if (self.sent + self.out.len()).max(kept) > limit {
                return Err(LimitExceeded::Answer(limit).into());
            }
            if self.out.len() >= enough {
                return Ok(true);
            }
            let Some(next) = self.rows.next_buffered() else { return Ok(true) };
            columns = next;
        }
    }

    fn end(&mut self) -> Result<(), Error> {
        let TranslationKind::Statement(statement) = &self.translation.answer else { return Ok(()) };
        let fits = match &statement.shape.answer {
            Form::Rows { .. } => true,
            Form::Levels(levels) => levels.allows(self.written),
            Form::One { .. } => self.written <= 1,
            Form::Row(_) | Form::Part(_) => self.written == 1,
        };
        if !fits {
            return Err(Error::Internal(format!("{} rows where the shape has one", self.written)));
        }
        close(&statement.shape, self.written, &mut self.out);
        Ok(())
    }
}

fn open(shape: &Shape, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"data\":");
    match &shape.answer {
        Form::Rows { key, .. } => {
            out.push(b'{');
            out.extend_from_slice(key.as_str().as_bytes());
            out.push(b'[');
        }
        Form::One { key, .. } => {
            out.push(b'{');
            out.extend_from_slice(key.as_str().as_bytes());
        }
        Form::Levels(levels) => levels.open(out),
        Form::Row(_) | Form::Part(_) => {}
    }
}

fn close(shape: &Shape, written: usize, out: &mut Vec<u8>) {
    let end: &[u8] = match &shape.answer {
        Form::Rows { .. } => b"]}}",
        Form::Levels(levels) => {
            levels.close(written, out);
            b"}"
        }
        Form::One { .. } if written == 0 => b"null}}",
        Form::One { .. } => b"}}",
        Form::Row(_) | Form::Part(_) => b"}",
    };
    out.extend_from_slice(end);
}

/// The columns of a shape that consumes none.
struct NoColumns;

impl encode::Columns<'static> for NoColumns {
    fn next(&mut self) -> Result<Option<&'static [u8]>, encode::Error> {
        Err(encode::Error::FewColumns)
    }
}
