//! Encodes the rows of a statement into the response body: buffered, or streamed while the
//! statement still runs if it is long.

use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use pg::memory::{self, MemoryBudget, OutOfMemory, Reservation};
use pg::{RowColumns, Rows};
use sql::encode::shape::{ResponseShape as Form, Shape};
use sql::encode::{self, LevelAssembler};
use sql::{Translation, TranslationKind};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::Instant;

use super::database_query::{EncodedColumns, binary_factor};
use crate::error::Error;
use crate::limits::{LimitExceeded, LimitKind, RoleLimits};

/// `{"data":…}`.
#[derive(Debug)]
pub enum Payload {
    /// The whole body; the statement has ended without an error.
    Whole(Bytes),
    /// The beginning of the body, and a stream of the rest. On an error in the stream the transport
    /// has to close the connection.
    Parts(Bytes, BodyStream),
}

/// The rest of a streamed body. [`BodyStream::poll_next`] counts the limits that a client's
/// response exceeds; a body that is collected instead counts like a buffered one.
#[derive(Debug)]
pub struct BodyStream {
    parts: Receiver<Result<Bytes, Error>>,
    /// Bytes received so far, including the beginning.
    length: usize,
    limits: Arc<RoleLimits>,
    deadline: Instant,
    /// The budget of the caller.
    memory: MemoryBudget,
}

/// Bytes to buffer before the body is streamed, so that an early error can still become the
/// response.
pub(super) const STREAM_THRESHOLD: usize = 1 << 20;

/// The bytes of each further part.
const PART_BYTES: usize = 64 << 10;

/// Rows of more bytes are measured before they are encoded, so that memory for their JSON is
/// reserved beforehand.
pub(super) const LONG_ROW: usize = 256 << 10;

/// How many parts wait for a slow client before the statement has to wait, if memory allows; one
/// more place is for the final error. So the connection is free again before the client has read a
/// response of up to 16 MiB.
const MAX_WAITING_PARTS: usize = 256;

/// How many parts may wait when no more memory can be reserved.
const MIN_WAITING_PARTS: usize = 4;

/// How long a client may read nothing, or less than the minimum rate, before the statement that
/// waits for it is cancelled.
const STALLED_CLIENT_TIMEOUT: Duration = Duration::from_secs(5);

/// The rows of nested lists that wait for their parent rows may take up this many times the
/// response limit: short rows need more memory than their length.
const MEMORY_FACTOR: usize = 4;

impl Payload {
    /// Collects the whole body.
    pub async fn collect(self) -> Result<Bytes, Error> {
        match self {
            Payload::Whole(bytes) => Ok(bytes),
            Payload::Parts(head, mut rest) => {
                let mut memory = rest.memory.empty_reservation();
                memory.grow_to(head.len())?;
                let mut bytes = head.to_vec();
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
    /// The parts after a beginning of this many bytes.
    pub(super) fn new(
        parts: Receiver<Result<Bytes, Error>>,
        length: usize,
        limits: Arc<RoleLimits>,
        deadline: Instant,
        memory: MemoryBudget,
    ) -> BodyStream {
        BodyStream {
            parts,
            length,
            limits,
            deadline,
            memory,
        }
    }

    /// The next part for a client; none after the last.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        let part = ready!(self.parts.poll_recv(cx));
        match &part {
            Some(Ok(part)) => self.length += part.len(),
            Some(Err(error)) => self.limits.count_enforced(error.limit()),
            None => {
                self.limits.observe(LimitKind::Answer, self.length);
                // The deadline counts from the beginning of the request.
                let BodyStream {
                    limits, deadline, ..
                } = self;
                limits.observe_time(|| {
                    limits
                        .enforced
                        .time
                        .saturating_sub(*deadline - Instant::now())
                });
            }
        }
        Poll::Ready(part)
    }
}

/// The capacity of a part, in bytes. A part is sent once it is full, so it may be longer than
/// [`PART_BYTES`] by a row or two.
const PART_CAPACITY: usize = PART_BYTES + PART_BYTES / 8;

/// Checks that a client reads fast enough while a statement waits for it.
pub(super) struct Pace {
    /// The minimum rate in bytes per second.
    rate: usize,
    /// When the client becomes too slow.
    due: Instant,
}

impl Pace {
    pub(super) fn new(rate: usize) -> Pace {
        Pace {
            rate: rate.max(1),
            due: Instant::now() + STALLED_CLIENT_TIMEOUT,
        }
    }

    /// Resets the time: the statement did not have to wait.
    pub(super) fn rest(&mut self) {
        self.due = Instant::now() + STALLED_CLIENT_TIMEOUT;
    }

    /// Records that the client has read this many bytes.
    pub(super) fn took(&mut self, bytes: usize) {
        let worth = Duration::from_secs_f64(bytes as f64 / self.rate as f64);
        self.due = (self.due + worth).min(Instant::now() + STALLED_CLIENT_TIMEOUT);
    }

    /// Waits for the client to read; returns whether it is still connected.
    pub(super) async fn wait<T, E>(
        &self,
        taken: impl Future<Output = Result<T, E>>,
    ) -> Result<bool, Error> {
        match tokio::time::timeout_at(self.due, taken).await {
            Ok(taken) => Ok(taken.is_ok()),
            Err(_) => Err(LimitExceeded::ReadRate(self.rate).into()),
        }
    }
}

/// Encodes rows as they arrive.
pub(super) struct ResponseWriter {
    translation: Arc<Translation>,
    rows: Box<Rows>,
    out: Vec<u8>,
    written: usize,
    /// The rows that were read.
    read: usize,
    /// Assembles nested lists, if the statement returns them as levels.
    gathering: Option<LevelAssembler>,
    /// Bytes passed on so far.
    sent: usize,
    limits: Arc<RoleLimits>,
    /// Reserves memory for `out` and the rows of nested lists.
    memory: Reservation,
}

impl ResponseWriter {
    pub(super) fn new(
        translation: Arc<Translation>,
        mut rows: Box<Rows>,
        limits: Arc<RoleLimits>,
        memory: Reservation,
    ) -> ResponseWriter {
        let mut out = Vec::with_capacity(translation.length.capacity());
        let mut gathering = None;
        if let TranslationKind::Statement(statement) = &translation.kind {
            rows.limit_response_bytes(
                limits.enforced.response_bytes,
                binary_factor(&statement.shape),
            );
            open(&statement.shape, &mut out);
            if let Form::Levels(levels) = &statement.shape.response {
                gathering = Some(LevelAssembler::new(levels));
            }
        }
        ResponseWriter {
            translation,
            rows,
            out,
            written: 0,
            read: 0,
            gathering,
            sent: 0,
            limits,
            memory,
        }
    }

    /// Encodes the response of an operation that needs no database.
    pub(super) fn constant(translation: &Translation) -> Result<Payload, Error> {
        let mut out = Vec::new();
        if let TranslationKind::Constant(shape) = &translation.kind {
            open(shape, &mut out);
            if let Form::Row(fields) = &shape.response {
                encode::fields(fields, &mut NoColumns, &mut out)?;
            }
            close(shape, 0, &mut out);
        }
        Ok(Payload::Whole(out.into()))
    }

    /// Encodes all rows and returns their number so far; with `in_parts` a long response is
    /// streamed.
    pub(super) async fn write(mut self, in_parts: bool) -> Result<(Payload, usize), Error> {
        while self.rows().await? {
            self.make_usual_room();
            self.cover()?;
            if in_parts && self.out.len() > STREAM_THRESHOLD {
                self.translation.length.record(self.out.len());
                let (sender, receiver) = mpsc::channel(MAX_WAITING_PARTS + 1);
                let head = self.take()?;
                let limits = self.limits.clone();
                let deadline = self.rows.deadline();
                let rest =
                    BodyStream::new(receiver, head.len(), limits, deadline, self.memory.budget());
                let read = self.read;
                tokio::spawn(self.write_parts(sender));
                return Ok((Payload::Parts(head, rest), read));
            }
        }
        self.end()?;
        self.translation.length.record(self.out.len());
        Ok((Payload::Whole(self.memory.hold(self.out)), self.read))
    }

    /// Sends the rest until the statement's deadline. A slow client holds a connection only once
    /// the queue of parts is full. If the client disconnects, reads too slowly or the deadline
    /// passes, the rows are dropped, which cancels the statement.
    async fn write_parts(self, sender: Sender<Result<Bytes, Error>>) {
        // Reserves a place for the final result, so that an error arrives even if the queue is
        // full; otherwise a partial body could look complete.
        let Ok(last) = sender.clone().reserve_owned().await else {
            return;
        };
        let deadline = self.rows.deadline();
        let limit = self.limits.enforced.time;
        match tokio::time::timeout_at(deadline, self.send_parts(&sender)).await {
            Ok(Some(part)) => drop(last.send(part)),
            Ok(None) => {}
            Err(_) => drop(last.send(Err(LimitExceeded::Time(limit).into()))),
        }
    }

    /// Sends all parts but the last, and returns that one; returns none if the client has
    /// disconnected.
    async fn send_parts(
        mut self,
        sender: &Sender<Result<Bytes, Error>>,
    ) -> Option<Result<Bytes, Error>> {
        let mut pace = Pace::new(self.limits.enforced.read_rate);
        loop {
            let more = tokio::select! {
                more = self.rows() => more,
                () = sender.closed() => return None,
            };
            let passed = match more.and_then(|more| self.cover().map(|()| more)) {
                Ok(true) if self.out.len() < PART_BYTES => continue,
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

    /// Sends the current part once memory or a place in the queue is available; returns whether the
    /// client is still connected. While the statement waits, the client has to keep up.
    async fn pass_on(
        &mut self,
        sender: &Sender<Result<Bytes, Error>>,
        pace: &mut Pace,
    ) -> Result<bool, Error> {
        let mut has_waited = false;
        let part = loop {
            // One place is reserved for the last part.
            let waiting = sender.max_capacity() - 1 - sender.capacity();
            match self.take() {
                Ok(part) => break part,
                Err(_) if waiting < MIN_WAITING_PARTS => break self.force(),
                Err(_) => {
                    has_waited = true;
                    if !pace
                        .wait(sender.reserve_many(sender.capacity() + 1))
                        .await?
                    {
                        return Ok(false);
                    }
                    pace.took(PART_BYTES);
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
                pace.took(PART_BYTES);
                return Ok(sender.send(part).await.is_ok());
            }
        }
        Ok(true)
    }

    /// Takes the bytes written since the last part.
    fn take(&mut self) -> Result<Bytes, OutOfMemory> {
        let next = self.memory.budget().reserve(PART_CAPACITY)?;
        Ok(self.replace(next))
    }

    /// Takes the bytes written since the last part, even if there is no memory for the next one.
    fn force(&mut self) -> Bytes {
        let mut next = self.memory.budget().empty_reservation();
        next.grow_to_unchecked(PART_CAPACITY);
        self.replace(next)
    }

    fn replace(&mut self, next: Reservation) -> Bytes {
        self.sent += self.out.len();
        let out = std::mem::replace(&mut self.out, Vec::with_capacity(PART_CAPACITY));
        std::mem::replace(&mut self.memory, next).hold(out)
    }

    /// Gives the beginning of a long response the room that the last one needed. Doubled again and
    /// again, a megabyte would be copied once more in all.
    fn make_usual_room(&mut self) {
        if self.out.len() > PART_BYTES {
            let usual = self
                .translation
                .length
                .usual()
                .min(STREAM_THRESHOLD + 2 * PART_BYTES);
            self.out.reserve_exact(usual.saturating_sub(self.out.len()));
        }
    }

    /// Doubles the room of a buffered response while less than a part is free, once memory for it
    /// is reserved. A vector that grows by itself would be reserved too late.
    fn make_room(&mut self) -> Result<(), Error> {
        let length = self.out.len();
        let remaining = self.out.capacity();
        if length <= PART_BYTES || remaining - length >= PART_BYTES {
            return Ok(());
        }
        let gathered = self
            .gathering
            .as_ref()
            .map_or(0, LevelAssembler::memory_bytes);
        self.memory.grow_to(2 * remaining + gathered)?;
        self.out.reserve_exact(2 * remaining - length);
        Ok(())
    }

    /// Reserves memory for the buffered bytes.
    fn cover(&mut self) -> Result<(), Error> {
        let gathered = self
            .gathering
            .as_ref()
            .map_or(0, LevelAssembler::memory_bytes);
        Ok(memory::reserve_if_large(
            &mut self.memory,
            self.out.capacity() + gathered,
        )?)
    }

    /// Encodes the next rows, if there are any: those that have arrived, up to one part.
    async fn rows(&mut self) -> Result<bool, Error> {
        self.make_room()?;
        let Some(mut columns) = self.rows.next().await? else {
            return Ok(false);
        };
        let TranslationKind::Statement(statement) = &self.translation.kind else {
            return Ok(false);
        };
        let enough = self.out.len() + PART_BYTES;
        loop {
            let ResponseWriter {
                written,
                gathering,
                out,
                memory,
                sent,
                ..
            } = self;
            self.read += 1;
            if columns.byte_length() > LONG_ROW {
                let kept = gathering.as_ref().map_or(0, LevelAssembler::memory_bytes);
                reserve_row(
                    &statement.shape,
                    columns,
                    out,
                    *sent,
                    self.limits.enforced.response_bytes,
                    kept,
                    memory,
                )?;
            }
            let kept = encode_row(&statement.shape, columns, written, gathering, out)?;
            let limit = self.limits.enforced.response_bytes;
            if (self.sent + self.out.len()).max(kept) > limit {
                return Err(LimitExceeded::Answer(limit).into());
            }
            if self.out.len() >= enough {
                return Ok(true);
            }
            let Some(next) = self.rows.next_buffered() else {
                return Ok(true);
            };
            columns = next;
        }
    }

    fn end(&mut self) -> Result<(), Error> {
        let TranslationKind::Statement(statement) = &self.translation.kind else {
            return Ok(());
        };
        end(&statement.shape, self.written, &mut self.out)
    }
}

/// Reserves memory for a long row before it is encoded.
///
/// Errors: the response would be longer than `limit` bytes, or there is no memory for it.
fn reserve_row(
    shape: &Shape,
    columns: RowColumns<'_>,
    out: &mut Vec<u8>,
    sent: usize,
    limit: usize,
    kept: usize,
    memory: &mut Reservation,
) -> Result<(), Error> {
    let binary = columns.byte_length();
    let mut columns = EncodedColumns(columns);
    let length = match &shape.response {
        Form::Rows { row, .. } | Form::One { row, .. } => encode::row_length(row, &mut columns)?,
        Form::Row(fields) => encode::fields_length(fields, &mut columns)?,
        Form::Levels(_) | Form::Part(_) => 0,
    };
    if sent + out.len() + length > limit {
        return Err(LimitExceeded::Answer(limit).into());
    }
    // What is not known beforehand is about as long as in its binary form.
    let more = length.max(binary);
    memory.grow_to(out.capacity().max(out.len() + more) + kept)?;
    out.reserve_exact(more);
    Ok(())
}

/// Encodes a row. Returns the bytes that rows waiting for their parents will take up at least.
#[inline]
fn encode_row(
    shape: &Shape,
    columns: RowColumns<'_>,
    written: &mut usize,
    gathering: &mut Option<LevelAssembler>,
    out: &mut Vec<u8>,
) -> Result<usize, Error> {
    let mut columns = EncodedColumns(columns);
    match &shape.response {
        Form::Rows { row: node, .. } => {
            if *written > 0 {
                out.push(b',');
            }
            encode::row(node, &mut columns, out)?;
        }
        Form::One { row: node, .. } => encode::row(node, &mut columns, out)?,
        Form::Levels(levels) => {
            let gathering = gathering.get_or_insert_with(|| LevelAssembler::new(levels));
            gathering.take(levels, &mut columns, out)?;
            *written = gathering.roots();
            return Ok(gathering
                .min_response_bytes()
                .max(gathering.memory_bytes() / MEMORY_FACTOR));
        }
        Form::Row(fields) => encode::fields(fields, &mut columns, out)?,
        Form::Part(_) => {}
    }
    *written += 1;
    Ok(0)
}

/// Checks the number of rows and writes what follows them.
fn end(shape: &Shape, written: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    let fits = match &shape.response {
        Form::Rows { .. } => true,
        Form::Levels(levels) => levels.allows(written),
        Form::One { .. } => written <= 1,
        Form::Row(_) | Form::Part(_) => written == 1,
    };
    if !fits {
        return Err(Error::Internal(format!(
            "{written} rows where the shape has one"
        )));
    }
    close(shape, written, out);
    Ok(())
}

/// Encodes the response of these rows, which are all rows of one execution.
///
/// Errors: a row does not fit the shape, or the response is longer than `limit` bytes.
pub(super) fn encode_rows<'a>(
    shape: &Shape,
    rows: impl Iterator<Item = RowColumns<'a>>,
    limit: usize,
    memory: &mut Reservation,
) -> Result<Vec<u8>, Error> {
    let mut out = Vec::with_capacity(256);
    let mut written = 0;
    let mut gathering = None;
    open(shape, &mut out);
    if let Form::Levels(levels) = &shape.response {
        gathering = Some(LevelAssembler::new(levels));
    }
    for columns in rows {
        if columns.byte_length() > LONG_ROW {
            let kept = gathering.as_ref().map_or(0, LevelAssembler::memory_bytes);
            reserve_row(shape, columns, &mut out, 0, limit, kept, memory)?;
        }
        let kept = encode_row(shape, columns, &mut written, &mut gathering, &mut out)?;
        if out.len().max(kept) > limit {
            return Err(LimitExceeded::Answer(limit).into());
        }
        memory::reserve_if_large(memory, out.capacity())?;
    }
    end(shape, written, &mut out)?;
    Ok(out)
}

fn open(shape: &Shape, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"data\":");
    match &shape.response {
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
    let end: &[u8] = match &shape.response {
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
