//! Streams the committed changes of a publication from a temporary replication slot. The slot ends
//! with the connection, so it holds back no WAL once the client is gone; everything that has
//! arrived is confirmed, since a client that starts again needs none of it. Reading the changes is
//! left to [`pgoutput`]. <https://www.postgresql.org/docs/15/protocol-replication.html>

pub mod pgoutput;

use std::time::{Duration, SystemTime};

use postgres_protocol::escape::escape_identifier;
use tokio::time::Instant;

use self::pgoutput::LogicalMessage;
use crate::deadline::RECONNECT_TIMEOUT;
use crate::error::{DatabaseError, PostgresError};
use crate::protocol::{ReceiveError, WireProtocol, tag};
use crate::sign_in::Canceller;

/// A running replication.
#[derive(Debug)]
pub struct ReplicationStream {
    protocol: WireProtocol,
    canceller: Canceller,
    slot: String,
    /// The position up to which everything has arrived, and the last one that was confirmed.
    received: u64,
    confirmed: u64,
    confirmed_at: Instant,
    /// Whether the server was asked for a sign of life.
    is_probed: bool,
}

/// The longest message that is read. A longer row ends the stream.
const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// How long the server may take to create a slot, unless the caller stops it earlier: it waits for
/// the transactions that are running.
const SLOT_CREATION_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// The time between two attempts to cancel the creation of a slot, and their number.
const CANCEL: (Duration, usize) = (Duration::from_millis(250), 20);

/// The time between two confirmations.
const CONFIRMATION_INTERVAL: Duration = Duration::from_secs(1);

/// After this silence the server is asked for a sign of life, and after another one the connection
/// counts as lost.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(5);

/// How many characters of its owner's name a slot has.
const MAX_OWNER_LENGTH: usize = 32;

/// The epoch of Postgres' clock, in seconds of Unix time.
const POSTGRES_EPOCH: Duration = Duration::from_secs(946_684_800);

impl ReplicationStream {
    /// The name of a slot that there is not yet: `postern_gateway_1_8080_…`. It begins with the
    /// name of its owner, as far as the names of slots permit.
    pub fn new_slot_name(owner: &str) -> String {
        let permitted = owner.chars().map(|character| match character {
            'a'..='z' | '0'..='9' => character,
            'A'..='Z' => character.to_ascii_lowercase(),
            _ => '_',
        });
        let owner: String = permitted.take(MAX_OWNER_LENGTH).collect();
        let number = uuid::Uuid::new_v4().simple().to_string();
        // Postgres cuts names to 63 bytes.
        let number = number.get(..16).unwrap_or_default();
        match owner.as_str() {
            "" => format!("postern_{number}"),
            owner => format!("postern_{owner}_{number}"),
        }
    }

    /// Creates a slot and starts the stream. Every transaction that commits after this has returned
    /// is in it. If `stop` ends before there is a slot, the creation is cancelled.
    pub(crate) async fn start<E: From<DatabaseError>>(
        mut protocol: WireProtocol,
        canceller: Canceller,
        publication: &str,
        slot: &str,
        stop: impl Future<Output = E>,
    ) -> Result<ReplicationStream, E> {
        protocol.set_length_limit(MAX_MESSAGE_BYTES);
        let create =
            format!("CREATE_REPLICATION_SLOT {slot} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT");
        protocol.simple_query(&create)?;
        let deadline = Instant::now() + SLOT_CREATION_TIMEOUT;
        let created = tokio::select! {
            created = protocol.ready(deadline) => created.map_err(|stopped| stopped.fault(SLOT_CREATION_TIMEOUT)),
            error = stop => {
                cancel(&mut protocol, &canceller).await;
                return Err(error);
            }
        };
        match created? {
            Some(refusal) => Err(DatabaseError::refused(refusal, SLOT_CREATION_TIMEOUT).into()),
            None => Ok(ReplicationStream::begin(protocol, canceller, publication, slot).await?),
        }
    }

    /// Starts the stream of a slot.
    async fn begin(
        mut protocol: WireProtocol,
        canceller: Canceller,
        publication: &str,
        slot: &str,
    ) -> Result<ReplicationStream, DatabaseError> {
        let names = escape_identifier(publication).replace('\'', "''");
        protocol.simple_query(&format!(
            "START_REPLICATION SLOT {slot} LOGICAL 0/0 (proto_version \
                                        '1', publication_names '{names}')"
        ))?;
        loop {
            match protocol
                .next(Instant::now() + RECONNECT_TIMEOUT)
                .await
                .map_err(|stopped| stopped.fault(RECONNECT_TIMEOUT))?
            {
                tag::COPY_BOTH => break,
                tag::ERROR => {
                    return Err(DatabaseError::refused(
                        PostgresError::read(protocol.body()),
                        RECONNECT_TIMEOUT,
                    ));
                }
                _ => {}
            }
        }
        let slot = slot.to_owned();
        let received = 0;
        let confirmed = 0;
        let is_probed = false;
        Ok(ReplicationStream {
            protocol,
            canceller,
            slot,
            received,
            confirmed,
            confirmed_at: Instant::now(),
            is_probed,
        })
    }

    /// The name of the slot.
    pub fn slot(&self) -> &str {
        &self.slot
    }

    /// The next message. Answers the server's questions for a sign of life. A caller that stops
    /// waiting loses nothing.
    ///
    /// Errors: the connection is lost, or the server has ended the stream.
    pub async fn next(&mut self) -> Result<LogicalMessage<'_>, DatabaseError> {
        loop {
            let is_due = self.received > self.confirmed
                && self.confirmed_at.elapsed() >= CONFIRMATION_INTERVAL;
            if is_due {
                self.confirm(false)?;
            }
            if self.canceller.is_superseded() {
                let cause = "another host is the primary";
                return Err(DatabaseError::Unavailable(cause.into()));
            }
            match self.protocol.next(Instant::now() + SILENCE_TIMEOUT).await {
                Ok(letter) => {
                    self.is_probed = false;
                    if self.handle(letter)? {
                        break;
                    }
                }
                Err(ReceiveError::Late) if !self.is_probed => {
                    self.confirm(true)?;
                    self.is_probed = true;
                }
                Err(stopped) => return Err(stopped.fault(SILENCE_TIMEOUT)),
            }
        }
        self.message()
    }

    /// The next message if it has already arrived.
    pub fn next_buffered(&mut self) -> Result<Option<LogicalMessage<'_>>, DatabaseError> {
        while let Some(letter) = self.protocol.next_buffered() {
            if self.handle(letter)? {
                return self.message().map(Some);
            }
        }
        Ok(None)
    }

    /// Handles what the connection has read. Returns whether it is a message of the plugin.
    fn handle(&mut self, letter: u8) -> Result<bool, DatabaseError> {
        let malformed = || DatabaseError::Protocol("a malformed message of replication".into());
        match letter {
            tag::COPY_DATA => {}
            tag::ERROR => {
                return Err(DatabaseError::refused(
                    PostgresError::read(self.protocol.body()),
                    SILENCE_TIMEOUT,
                ));
            }
            _ => {
                return Err(DatabaseError::Unavailable(
                    "the server has ended the replication".into(),
                ));
            }
        }
        let Some((kind, rest)) = self.protocol.body().split_first() else {
            return Err(malformed());
        };
        // Both kinds have a position and the server's clock; before the position, data has that of
        // its beginning.
        match kind {
            b'w' => {
                let header = rest.split_first_chunk::<24>().ok_or_else(malformed)?.0;
                let position = header[8..16].try_into().map_err(|_| malformed())?;
                self.received = self.received.max(u64::from_be_bytes(position));
                Ok(true)
            }
            b'k' => {
                let (position, rest) = rest.split_first_chunk().ok_or_else(malformed)?;
                let is_asked = rest.last() == Some(&1);
                self.received = self.received.max(u64::from_be_bytes(*position));
                if is_asked {
                    self.confirm(false)?;
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// The message of the plugin that was read last.
    fn message(&self) -> Result<LogicalMessage<'_>, DatabaseError> {
        // The kind, two positions and the server's clock.
        let bytes = self.protocol.body().get(25..).unwrap_or_default();
        LogicalMessage::read(bytes)
            .map_err(|malformed| DatabaseError::Protocol(malformed.to_string()))
    }

    /// Confirms everything that has arrived.
    fn confirm(&mut self, wants_reply: bool) -> Result<(), DatabaseError> {
        let position = self.received.to_be_bytes();
        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH + POSTGRES_EPOCH)
            .unwrap_or_default();
        let clock = u64::try_from(since.as_micros())
            .unwrap_or_default()
            .to_be_bytes();
        self.protocol.copy_data(
            &[
                &b"r"[..],
                &position,
                &position,
                &position,
                &clock,
                &[u8::from(wants_reply)],
            ]
            .concat(),
        )?;
        self.confirmed = self.received;
        self.confirmed_at = Instant::now();
        Ok(())
    }
}

/// Cancels the command that runs, which the server would not end because its client is gone.
async fn cancel(protocol: &mut WireProtocol, canceller: &Canceller) {
    for _ in 0..CANCEL.1 {
        // A server that has not read the command yet takes no notice.
        if tokio::time::timeout(RECONNECT_TIMEOUT, canceller.cancel())
            .await
            .is_err()
        {
            return;
        }
        if !matches!(
            protocol.ready(Instant::now() + CANCEL.0).await,
            Err(ReceiveError::Late)
        ) {
            return;
        }
    }
}
