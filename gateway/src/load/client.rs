//! A client: a connection that is kept, and one request on its way at most.

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::answer::Answer;
use super::pace::Schedule;
use super::{Call, LoadError, Measured};

/// So much is read at once.
const BUFFER: usize = 64 * 1024;

/// A connection.
#[derive(Debug)]
pub(super) struct Client {
    address: SocketAddr,
    stream: TcpStream,
    buffer: Box<[u8]>,
    answer: Answer,
}

impl Client {
    /// Connects.
    pub(super) async fn connect(address: SocketAddr) -> Result<Client, LoadError> {
        let stream = connect(address).await?;
        Ok(Client { address, stream, buffer: vec![0; BUFFER].into(), answer: Answer::default() })
    }

    /// Sends what is due until the run is over. A broken connection costs one request; it is then made anew.
    pub(super) async fn work(
        mut self,
        calls: Arc<[Call]>,
        schedule: Schedule,
        seen: Rc<RefCell<Measured>>,
    ) -> Result<(), LoadError> {
        while let Some(turn) = schedule.turn().await {
            let place = usize::try_from(turn.number).unwrap_or_default() % calls.len();
            let Some(call) = calls.get(place) else { break };
            let outcome = self.exchange(&call.bytes).await;
            let now = Instant::now();
            seen.borrow_mut().served += 1;
            if schedule.counts(turn, now) {
                let (mut seen, latency) = (seen.borrow_mut(), now - turn.due);
                match &outcome {
                    Ok(()) => seen.answered(&self.answer, latency),
                    Err(cause) => seen.failed(&broke(cause), latency),
                }
                seen.ended(schedule.counted_from());
            }
            if outcome.is_err() || self.answer.closes() {
                self.stream = connect(self.address).await?;
            }
        }
        Ok(())
    }

    /// Sends one call, and says what is wrong with its answer.
    pub(super) async fn ask(mut self, call: &Call) -> Result<Option<String>, LoadError> {
        Ok(match self.exchange(&call.bytes).await {
            Ok(()) => self.answer.is_error().then(|| self.answer.told()),
            Err(cause) => Some(broke(&cause)),
        })
    }

    async fn exchange(&mut self, call: &[u8]) -> io::Result<()> {
        self.answer.reset();
        self.stream.write_all(call).await?;
        // What stands at the front of the buffer and is not yet used.
        let mut held = 0;
        while !self.answer.is_done() {
            let room = self.buffer.get_mut(held..).unwrap_or_default();
            if room.is_empty() {
                return Err(malformed());
            }
            let read = self.stream.read(room).await?;
            if read == 0 && !self.answer.ends_here() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            held += read;
            let used = self.answer.take(self.buffer.get(..held).unwrap_or_default()).map_err(|_| malformed())?;
            self.buffer.copy_within(used..held, 0);
            held -= used;
        }
        // Nothing was asked for that could still come.
        if held > 0 { Err(malformed()) } else { Ok(()) }
    }
}

async fn connect(address: SocketAddr) -> Result<TcpStream, LoadError> {
    let stream = TcpStream::connect(address).await.map_err(|cause| LoadError::Connect { address, cause })?;
    // A request is one packet; where that cannot be set, it is slower and still right.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

fn broke(cause: &io::Error) -> String {
    format!("the connection broke: {cause}")
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP/1.1")
}
