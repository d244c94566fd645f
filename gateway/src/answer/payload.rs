//! The bytes of an answer: whole, or, when they are many, on their way while the statement still runs.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use sql::encode::{self, Gathering};
use sql::shape::{Answer as Form, Shape};
use sql::{Answered, Translation};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::Instant;

use crate::database::Rows;
use crate::error::Error;
use crate::limits::{Bound, Bounds, Exceeded};

/// `{"data":…}`.
#[derive(Debug)]
pub enum Payload {
    /// All of it; the statement has ended well.
    Whole(Bytes),
    /// Its beginning, and the rest as it comes. An error in between has to cut the transport off.
    Parts(Vec<u8>, Rest),
}

/// What of an answer is still to come. Whoever sends it on counts what it is over: of an answer that is put together after all, that is
/// done as of any other.
#[derive(Debug)]
pub struct Rest {
    parts: Receiver<Result<Bytes, Error>>,
    /// Bytes that have come, the beginning included.
    length: usize,
    bounds: Arc<Bounds>,
    deadline: Instant,
}

/// So much is held until the statement has ended, so that a failure can still be told.
const HELD: usize = 1 << 20;

/// So much is sent at a time after that.
const PART: usize = 64 << 10;

/// How many parts wait for a slow client before the statement does; room for one more is kept for bad news.
const WAITING: usize = 4;

/// Rows that wait for those that they belong to may take up so many times the answer's limit: short ones take up more than
/// they are long.
const TIMES: usize = 4;

impl Payload {
    /// All of it.
    pub async fn collect(self) -> Result<Bytes, Error> {
        match self {
            Payload::Whole(bytes) => Ok(bytes),
            Payload::Parts(mut bytes, mut rest) => {
                while let Some(part) = rest.parts.recv().await {
                    bytes.extend_from_slice(&part?);
                }
                Ok(bytes.into())
            }
        }
    }
}

impl Rest {
    /// The next part, for a client; none after the last.
    pub fn poll_next(&mut self, waker: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        let part = ready!(self.parts.poll_recv(waker));
        match &part {
            Some(Ok(part)) => self.length += part.len(),
            Some(Err(error)) => self.bounds.refused(error),
            None => {
                self.bounds.note(Bound::Answer, self.length);
                // How long it may take was counted from the beginning of the request.
                let Rest { bounds, deadline, .. } = self;
                bounds.note_time(|| bounds.holds.time.saturating_sub(*deadline - Instant::now()));
            }
        }
        Poll::Ready(part)
    }
}

/// Writes rows as they come.
pub(super) struct Writer {
    translation: Arc<Translation>,
    rows: Rows,
    out: Vec<u8>,
    written: usize,
    /// The rows of inner lists, where these come as levels.
    gathering: Option<Gathering>,
    /// Bytes that have left.
    sent: usize,
    bounds: Arc<Bounds>,
}

impl Writer {
    pub(super) fn new(translation: Arc<Translation>, mut rows: Rows, bounds: Arc<Bounds>) -> Writer {
        rows.make_at_most(bounds.holds.answer);
        let mut out = Vec::with_capacity(1024);
        let mut gathering = None;
        if let Answered::Statement(statement) = &translation.answer {
            open(&statement.shape, &mut out);
            if let Form::Levels(levels) = &statement.shape.answer {
                gathering = Some(Gathering::new(levels));
            }
        }
        Writer { translation, rows, out, written: 0, gathering, sent: 0, bounds }
    }

    /// The answer of an operation that needs no database.
    pub(super) fn constant(translation: &Translation) -> Result<Payload, Error> {
        let mut out = Vec::new();
        if let Answered::Constant(shape) = &translation.answer {
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
            if in_parts && self.out.len() > HELD {
                let (sender, receiver) = mpsc::channel(WAITING + 1);
                let head = self.take();
                let (bounds, deadline) = (self.bounds.clone(), self.rows.deadline());
                let rest = Rest { parts: receiver, length: head.len(), bounds, deadline };
                tokio::spawn(self.write_parts(sender));
                return Ok(Payload::Parts(head, rest));
            }
        }
        self.end()?;
        Ok(Payload::Whole(self.out.into()))
    }

    /// Sends the rest, for as long as the statement may take: a client that is slow to read holds its connection. When
    /// nobody listens any more, or it is late, the rows are dropped, which cancels the statement.
    async fn write_parts(self, sender: Sender<Result<Bytes, Error>>) {
        // That it is late is said even where all parts still wait to be taken, so that they are not taken for the whole.
        let Ok(last) = sender.clone().reserve_owned().await else { return };
        let (deadline, limit) = (self.rows.deadline(), self.bounds.holds.time);
        if tokio::time::timeout_at(deadline, self.send_parts(&sender)).await.is_err() {
            drop(last.send(Err(Exceeded::Time(limit).into())));
        }
    }

    async fn send_parts(mut self, sender: &Sender<Result<Bytes, Error>>) {
        loop {
            let more = tokio::select! {
                more = self.rows() => more,
                () = sender.closed() => return,
            };
            let goes_on = matches!(more, Ok(true));
            let part = match more {
                Ok(true) if self.out.len() < PART => continue,
                Ok(true) => Ok(self.take()),
                Ok(false) => self.end().map(|()| std::mem::take(&mut self.out)),
                Err(error) => Err(error),
            };
            if sender.send(part.map(Bytes::from)).await.is_err() || !goes_on {
                return;
            }
        }
    }

    /// What has been written since the last part.
    fn take(&mut self) -> Vec<u8> {
        self.sent += self.out.len();
        // A part is sent once it is full, so a row or two go beyond.
        std::mem::replace(&mut self.out, Vec::with_capacity(PART + PART / 8))
    }

    /// Writes the next rows, if there are any: as many as have come, and make a part at most.
    async fn rows(&mut self) -> Result<bool, Error> {
        let Some(mut columns) = self.rows.next().await? else { return Ok(false) };
        let Answered::Statement(statement) = &self.translation.answer else { return Ok(false) };
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
                    let gathering = self.gathering.get_or_insert_with(|| Gathering::new(levels));
                    gathering.take(levels, &mut columns, &mut self.out)?;
                    kept = gathering.kept().max(gathering.held() / TIMES);
                    self.written = gathering.roots();
                }
                Form::Row(fields) => encode::fields(fields, &mut columns, &mut self.out)?,
                Form::Part(_) => {}
            }
            if self.gathering.is_none() {
                self.written += 1;
            }
            let limit = self.bounds.holds.answer;
            if (self.sent + self.out.len()).max(kept) > limit {
                return Err(Exceeded::Answer(limit).into());
            }
            if self.out.len() >= enough {
                return Ok(true);
            }
            let Some(next) = self.rows.held() else { return Ok(true) };
            columns = next;
        }
    }

    fn end(&mut self) -> Result<(), Error> {
        let Answered::Statement(statement) = &self.translation.answer else { return Ok(()) };
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
