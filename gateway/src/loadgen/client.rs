//! A client: a connection that is kept, and one request on its way at most.

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::answer::Answer;
use super::arrival::Schedule;
use super::{LoadError, LoadReport, PreparedRequest};

/// So much is read at once.
const BUFFER: usize = 64 * 1024;

/// A client that was refused a connection waits so long before it asks again.
const PAUSE: Duration = Duration::from_millis(50);

/// A client.
#[derive(Debug)]
pub(super) struct Client {
    address: SocketAddr,
    /// The connection; none once it broke, until the next request.
    stream: Option<TcpStream>,
    buffer: Box<[u8]>,
    answer: Answer,
}

impl Client {
    /// Connects.
    pub(super) async fn connect(address: SocketAddr) -> Result<Client, LoadError> {
        let stream = connect(address).await.map_err(|cause| LoadError::Connect { address, cause })?;
        Ok(Client { address, stream: Some(stream), buffer: vec![0; BUFFER].into(), answer: Answer::default() })
    }

    /// Sends what is due until the run is over. A broken connection costs one request, and is then made anew; where the server
    /// takes none, that costs a request and a pause, each time.
    pub(super) async fn work(
        mut self,
        calls: Arc<[PreparedRequest]>,
        schedule: Schedule,
        seen: Rc<RefCell<LoadReport>>,
    ) {
        while let Some(turn) = schedule.next().await {
            let place = usize::try_from(turn.number).unwrap_or_default() % calls.len();
            let Some(call) = calls.get(place) else { break };
            let outcome = self.exchange(&call.bytes).await;
            let now = Instant::now();
            seen.borrow_mut().served += 1;
            if schedule.counts(turn, now) {
                let (mut seen, latency) = (seen.borrow_mut(), now - turn.due);
                match &outcome {
                    Ok(()) => seen.record_answer(&self.answer, latency),
                    Err(broken) => seen.record_failure(&broken.to_string(), latency),
                }
                seen.record_end(schedule.counted_from());
            }
            match outcome {
                Ok(()) if self.answer.closes() => self.stream = connect(self.address).await.ok(),
                Ok(()) => {}
                Err(broken) => {
                    self.stream = None;
                    if matches!(broken, Broken::Refused(_)) {
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        }
    }

    /// Sends one call, and says what is wrong with its answer.
    pub(super) async fn ask(mut self, call: &PreparedRequest) -> Result<Option<String>, LoadError> {
        Ok(match self.exchange(&call.bytes).await {
            Ok(()) => self.answer.is_error().then(|| self.answer.describe_failure()),
            Err(broken) => Some(broken.to_string()),
        })
    }

    /// Sends a request and reads its answer, over a new connection where there is none.
    async fn exchange(&mut self, call: &[u8]) -> Result<(), Broken> {
        self.answer.reset();
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => none.insert(connect(self.address).await.map_err(Broken::Refused)?),
        };
        stream.write_all(call).await?;
        // What stands at the front of the buffer and is not yet used.
        let mut held = 0;
        while !self.answer.is_done() {
            let room = self.buffer.get_mut(held..).unwrap_or_default();
            if room.is_empty() {
                return Err(malformed().into());
            }
            let read = stream.read(room).await?;
            if read == 0 && !self.answer.ends_here() {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            held += read;
            let used = self.answer.take(self.buffer.get(..held).unwrap_or_default()).map_err(|_| malformed())?;
            self.buffer.copy_within(used..held, 0);
            held -= used;
        }
        // Nothing was asked for that could still come.
        if held > 0 { Err(malformed().into()) } else { Ok(()) }
    }
}

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
enum Broken {
    /// The server takes no connection.
    #[error("cannot connect: {0}")]
    Refused(io::Error),
    /// It was lost, or what came is no answer.
    #[error("the connection broke: {0}")]
    Lost(#[from] io::Error),
}

async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    // A request is one packet; where that cannot be set, it is slower and still right.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP/1.1")
}
