//! A client of the load generator: a keep-alive connection with at most one request in flight.

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::arrival::Schedule;
use super::error::LoadError;
use super::report::LoadReport;
use super::request::PreparedRequest;
use super::response::Response;

/// The size of the read buffer in bytes.
const READ_BUFFER_BYTES: usize = 64 * 1024;

/// The pause after a refused connection.
const CONNECT_RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// A client.
#[derive(Debug)]
pub(super) struct Client {
    address: SocketAddr,
    /// The connection; `None` from when it breaks until the next request.
    stream: Option<TcpStream>,
    buffer: Box<[u8]>,
    response: Response,
}

impl Client {
    /// Opens the connection.
    pub(super) async fn connect(address: SocketAddr) -> Result<Client, LoadError> {
        let stream = connect(address)
            .await
            .map_err(|cause| LoadError::Connect { address, cause })?;
        Ok(Client {
            address,
            stream: Some(stream),
            buffer: vec![0; READ_BUFFER_BYTES].into(),
            response: Response::default(),
        })
    }

    /// Sends the requests of the schedule until the run is over. A broken connection fails one
    /// request and is then reopened; each refused connection fails one request and is followed by a
    /// pause.
    pub(super) async fn work(
        mut self,
        calls: Arc<[PreparedRequest]>,
        schedule: Schedule,
        seen: Rc<RefCell<LoadReport>>,
    ) {
        while let Some(scheduled) = schedule.next().await {
            let index = usize::try_from(scheduled.number).unwrap_or_default() % calls.len();
            let Some(call) = calls.get(index) else { break };
            let outcome = self.exchange(&call.bytes).await;
            let now = Instant::now();
            seen.borrow_mut().served += 1;
            if schedule.counts(scheduled, now) {
                let mut seen = seen.borrow_mut();
                let latency = now - scheduled.due;
                match &outcome {
                    Ok(()) => seen.record_response(&self.response, latency),
                    Err(broken) => seen.record_failure(&broken.to_string(), latency),
                }
                seen.record_end(schedule.counted_from());
            }
            match outcome {
                Ok(()) if self.response.closes() => self.stream = connect(self.address).await.ok(),
                Ok(()) => {}
                Err(broken) => {
                    self.stream = None;
                    if matches!(broken, Broken::Refused(_)) {
                        tokio::time::sleep(CONNECT_RETRY_INTERVAL).await;
                    }
                }
            }
        }
    }

    /// Sends one request and returns what is wrong with its response.
    pub(super) async fn ask(mut self, call: &PreparedRequest) -> Result<Option<String>, LoadError> {
        Ok(match self.exchange(&call.bytes).await {
            Ok(()) => self
                .response
                .is_error()
                .then(|| self.response.describe_failure()),
            Err(broken) => Some(broken.to_string()),
        })
    }

    /// Sends a request and reads its response, over a new connection if there is none.
    async fn exchange(&mut self, call: &[u8]) -> Result<(), Broken> {
        self.response.reset();
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => none.insert(connect(self.address).await.map_err(Broken::Refused)?),
        };
        stream.write_all(call).await?;
        // The number of unconsumed bytes at the front of the buffer.
        let mut filled = 0;
        while !self.response.is_done() {
            let room = self.buffer.get_mut(filled..).unwrap_or_default();
            if room.is_empty() {
                return Err(malformed().into());
            }
            let read = stream.read(room).await?;
            if read == 0 && !self.response.ends_here() {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            filled += read;
            let used = self
                .response
                .take(self.buffer.get(..filled).unwrap_or_default())
                .map_err(|_| malformed())?;
            self.buffer.copy_within(used..filled, 0);
            filled -= used;
        }
        // No response is outstanding, so further bytes are an error.
        if filled > 0 {
            Err(malformed().into())
        } else {
            Ok(())
        }
    }
}

/// Why a request has no response.
#[derive(Debug, thiserror::Error)]
enum Broken {
    /// The server accepts no connection.
    #[error("cannot connect: {0}")]
    Refused(io::Error),
    /// The connection was lost, or the response is malformed.
    #[error("the connection broke: {0}")]
    Lost(#[from] io::Error),
}

async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    // A request fits into one packet; without the option it is slower but still correct.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP/1.1")
}
