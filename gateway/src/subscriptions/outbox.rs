//! The queue of results between operations and the connection that sends them: a WebSocket or an
//! event stream. A result of a live query that has not been sent is replaced by a later one, so a
//! slow client delays no other and keeps at most one result per operation in memory. Writing to the
//! connection is left to [`crate::http`].

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use prometheus::IntGauge;
use tokio::sync::Notify;

use crate::error::Error;

/// The number of an operation on its connection. The transport assigns it and knows the client's id
/// of it.
pub type OperationNumber = u64;

/// The sending end of a connection's queue. Clones send to the same connection.
#[derive(Clone, Debug)]
pub struct Outbox(Arc<OutboxState>);

/// The receiving end, held by the task that writes to the connection.
#[derive(Debug)]
pub struct OutboxReader(Arc<OutboxState>);

/// Sends the results of one operation.
#[derive(Clone, Debug)]
pub struct ResultSender {
    outbox: Outbox,
    operation: OperationNumber,
}

/// What an operation sends to its client.
#[derive(Debug)]
pub enum OperationEvent {
    /// A result, `{"data":…}`.
    Next(Bytes),
    /// The error that ended the operation.
    Error(Arc<Error>),
    /// The operation has ended.
    Complete,
}

#[derive(Debug)]
struct OutboxState {
    state: Mutex<State>,
    /// Wakes the reader.
    filled: Notify,
    /// The bytes of unsent results of all connections.
    queued_bytes: IntGauge,
}

#[derive(Debug, Default)]
struct State {
    /// The operations with unsent events, in the order in which they get their turn.
    turns: VecDeque<OperationNumber>,
    pending: HashMap<OperationNumber, Pending>,
    /// Bytes of unsent results.
    bytes: usize,
    /// Whether the reader is gone.
    is_closed: bool,
}

#[derive(Debug, Default)]
struct Pending {
    result: Option<Bytes>,
    end: Option<Option<Arc<Error>>>,
}

/// Creates the queue of one connection. `queued_bytes` counts the bytes of unsent results.
pub fn outbox(queued_bytes: IntGauge) -> (Outbox, OutboxReader) {
    let inner = Arc::new(OutboxState {
        state: Mutex::default(),
        filled: Notify::new(),
        queued_bytes,
    });
    (Outbox(inner.clone()), OutboxReader(inner))
}

impl OutboxState {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outbox {
    /// The sender of an operation's results.
    pub fn sender(&self, operation: OperationNumber) -> ResultSender {
        ResultSender {
            outbox: self.clone(),
            operation,
        }
    }

    /// Drops the unsent events of an operation that its client has ended.
    pub fn forget(&self, operation: OperationNumber) {
        let mut state = self.0.state();
        if let Some(pending) = state.pending.remove(&operation) {
            let bytes = pending.result.as_ref().map_or(0, Bytes::len);
            state.bytes -= bytes;
            self.0.queued_bytes.sub(bytes as i64);
            state.turns.retain(|waiting| *waiting != operation);
        }
    }

    /// The bytes of results that wait to be sent.
    pub fn queued_bytes(&self) -> usize {
        self.0.state().bytes
    }
}

impl ResultSender {
    /// Queues a result in place of an unsent one of this operation. Returns false if the connection
    /// has ended.
    pub fn send_latest(&self, result: Bytes) -> bool {
        self.update(|pending, bytes| {
            *bytes += result.len();
            let replaced = pending.result.replace(result);
            *bytes -= replaced.map_or(0, |replaced| replaced.len());
        })
    }

    /// Ends the operation: with an error, or as complete.
    pub fn end(&self, error: Option<Arc<Error>>) {
        self.update(|pending, _| {
            pending.end.get_or_insert(error);
        });
    }

    /// Whether the connection has taken every result of the operation.
    pub fn is_free(&self) -> bool {
        self.outbox
            .0
            .state()
            .pending
            .get(&self.operation)
            .is_none_or(|pending| pending.result.is_none())
    }

    fn update(&self, change: impl FnOnce(&mut Pending, &mut usize)) -> bool {
        let mut guard = self.outbox.0.state();
        let state = &mut *guard;
        if state.is_closed {
            return false;
        }
        let pending = state.pending.entry(self.operation).or_insert_with(|| {
            state.turns.push_back(self.operation);
            Pending::default()
        });
        let before = state.bytes;
        change(pending, &mut state.bytes);
        self.outbox
            .0
            .queued_bytes
            .add(state.bytes as i64 - before as i64);
        drop(guard);
        self.outbox.0.filled.notify_one();
        true
    }
}

impl OutboxReader {
    /// Waits for the next event. Operations take turns.
    pub async fn next(&mut self) -> (OperationNumber, OperationEvent) {
        loop {
            if let Some(event) = self.try_next() {
                return event;
            }
            self.0.filled.notified().await;
        }
    }

    fn try_next(&mut self) -> Option<(OperationNumber, OperationEvent)> {
        let mut guard = self.0.state();
        let state = &mut *guard;
        let operation = state.turns.pop_front()?;
        let mut pending = state.pending.remove(&operation)?;
        let event = match (pending.result.take(), pending.end.take()) {
            (Some(result), end) => {
                state.bytes -= result.len();
                self.0.queued_bytes.sub(result.len() as i64);
                if end.is_some() {
                    state
                        .pending
                        .insert(operation, Pending { result: None, end });
                    state.turns.push_back(operation);
                }
                OperationEvent::Next(result)
            }
            (None, Some(Some(error))) => OperationEvent::Error(error),
            (None, _) => OperationEvent::Complete,
        };
        Some((operation, event))
    }
}

impl Drop for OutboxReader {
    fn drop(&mut self) {
        let mut state = self.0.state();
        self.0.queued_bytes.sub(state.bytes as i64);
        *state = State {
            is_closed: true,
            ..State::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gauge() -> IntGauge {
        IntGauge::new("queued", "Queued bytes").unwrap()
    }

    fn text(event: Option<(OperationNumber, OperationEvent)>) -> Option<(OperationNumber, String)> {
        event.map(|(operation, event)| match event {
            OperationEvent::Next(bytes) => (operation, String::from_utf8(bytes.to_vec()).unwrap()),
            OperationEvent::Error(error) => (operation, error.message()),
            OperationEvent::Complete => (operation, "complete".into()),
        })
    }

    #[test]
    fn unsent_result_is_replaced_and_operations_take_turns() {
        let (outbox, mut reader) = outbox(gauge());
        let one = outbox.sender(1);
        let two = outbox.sender(2);
        assert!(
            one.send_latest("a".into())
                && two.send_latest("bb".into())
                && one.send_latest("ccc".into())
        );
        assert_eq!(outbox.queued_bytes(), 5);
        assert_eq!(text(reader.try_next()), Some((1, "ccc".into())));
        assert_eq!(text(reader.try_next()), Some((2, "bb".into())));
        assert_eq!(text(reader.try_next()), None);
        assert_eq!(outbox.queued_bytes(), 0);
    }

    #[test]
    fn end_follows_the_last_result() {
        let (outbox, mut reader) = outbox(gauge());
        let one = outbox.sender(1);
        one.send_latest("a".into());
        one.end(None);
        assert_eq!(text(reader.try_next()), Some((1, "a".into())));
        assert_eq!(text(reader.try_next()), Some((1, "complete".into())));
        assert_eq!(text(reader.try_next()), None);
    }

    #[test]
    fn forgotten_operation_sends_nothing() {
        let (outbox, mut reader) = outbox(gauge());
        outbox.sender(1).send_latest("a".into());
        outbox.forget(1);
        assert_eq!((text(reader.try_next()), outbox.queued_bytes()), (None, 0));
    }

    #[tokio::test]
    async fn sender_is_free_once_its_result_is_taken() {
        let (outbox, mut reader) = outbox(gauge());
        let one = outbox.sender(1);
        assert!(one.is_free() && one.send_latest("a".into()));
        assert!(!one.is_free() && outbox.sender(2).is_free());
        assert_eq!(text(Some(reader.next().await)), Some((1, "a".into())));
        assert!(one.is_free());
        drop(reader);
        assert!(!one.send_latest("b".into()));
    }
}
