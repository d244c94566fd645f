//! Work on a role's schema that grows with its tables: introspection, the schema definition
//! language, OpenAPI descriptions, MCP tools and the console's diagram.
//!
//! The work is done in slices of about a millisecond. Before each slice its memory is reserved, and
//! callers take turns, so that a small request waits for a slice of a large one and not for its
//! end. The work is a part of the request's future, and ends with it when the client disconnects.

use std::time::Duration;

use pg::memory::{MemoryBudget, Reservation};
use pg::sharing::{ShareKey, SharedSlots, SlotSharing};
use tokio::time::Instant;

use crate::error::Error;
use crate::limits::LimitExceeded;

/// The work of one request.
#[derive(Debug)]
pub struct SchemaWork {
    slots: SharedSlots,
    caller: ShareKey,
    deadline: Instant,
    time_limit: Duration,
    memory: Reservation,
}

/// The bytes that a slice writes.
pub const SLICE_BYTES: usize = 64 << 10;

/// The slots of all callers: half of the processor's cores, so that the other half is left to
/// requests for rows.
pub fn slots() -> SharedSlots {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // A slot is held for one slice, so turns are enough and nobody needs a share.
    SharedSlots::new(SlotSharing {
        slots: (cores / 2).max(1),
        client_limit: usize::MAX,
        waiting: usize::MAX,
    })
}

impl SchemaWork {
    /// Work in the turns of this caller until the deadline, which `time_limit` has set.
    pub fn new(
        slots: SharedSlots,
        caller: ShareKey,
        deadline: Instant,
        time_limit: Duration,
        memory: MemoryBudget,
    ) -> SchemaWork {
        SchemaWork {
            slots,
            caller,
            deadline,
            time_limit,
            memory: memory.empty_reservation(),
        }
    }

    /// Work of a command, for which there are no other callers and no limits.
    pub fn unlimited() -> SchemaWork {
        let time_limit = Duration::from_secs(3600);
        let deadline = Instant::now() + time_limit;
        SchemaWork::new(
            slots(),
            ShareKey::default(),
            deadline,
            time_limit,
            MemoryBudget::default(),
        )
    }

    /// The budget of the caller.
    pub(super) fn budget(&self) -> MemoryBudget {
        self.memory.budget()
    }

    /// Reserves memory up to this many bytes in all.
    ///
    /// Errors: [`LimitExceeded::Memory`] if so many bytes never fit.
    pub fn reserve(&mut self, bytes: usize) -> Result<(), Error> {
        Ok(self.memory.grow_to(bytes)?)
    }

    /// Reserves this many more bytes.
    pub fn reserve_more(&mut self, bytes: usize) -> Result<(), Error> {
        self.reserve(self.memory.bytes() + bytes)
    }

    /// Gives back what is reserved beyond this many bytes.
    pub fn shrink_to(&mut self, bytes: usize) {
        self.memory.shrink_to(bytes);
    }

    /// Does a slice of the work when it is the caller's turn.
    pub async fn slice<T>(&self, work: impl FnOnce() -> T) -> Result<T, Error> {
        let late = |_| Error::from(LimitExceeded::Time(self.time_limit));
        let slot = self
            .slots
            .acquire(self.caller, usize::MAX, self.deadline)
            .await
            .map_err(late)?;
        let done = work();
        drop(slot);
        tokio::task::yield_now().await;
        Ok(done)
    }

    /// Ends the work; its reservation covers the response.
    pub fn into_reservation(self) -> Reservation {
        self.memory
    }

    /// When the request times out, and its time limit.
    pub(super) fn deadline(&self) -> (Instant, Duration) {
        (self.deadline, self.time_limit)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Arc;

    use pg::NoObserver;
    use pg::sharing::share_key;

    use super::*;

    fn work(slots: &SharedSlots, role: &str, memory: MemoryBudget) -> SchemaWork {
        let caller = ShareKey {
            role: Some(share_key(role)),
            ..ShareKey::default()
        };
        let time = Duration::from_secs(60);
        SchemaWork::new(slots.clone(), caller, Instant::now() + time, time, memory)
    }

    #[tokio::test]
    async fn small_work_does_not_wait_for_the_end_of_large_work() {
        let slots = SharedSlots::new(SlotSharing {
            slots: 1,
            client_limit: usize::MAX,
            waiting: usize::MAX,
        });
        let done = RefCell::new(vec![]);
        let run = async |role: &'static str, slices: usize| {
            let work = work(&slots, role, MemoryBudget::default());
            for _ in 0..slices {
                work.slice(|| done.borrow_mut().push(role)).await.unwrap();
            }
        };
        tokio::join!(run("large", 50), run("large", 50), run("small", 2));
        let last = done
            .borrow()
            .iter()
            .rposition(|role| *role == "small")
            .unwrap();
        assert!(last < 10, "{:?}", done.borrow());
    }

    #[tokio::test]
    async fn memory_that_never_fits_is_a_limit_and_used_memory_is_not() {
        let budget = MemoryBudget::new(16 << 20, Arc::new(NoObserver));
        let mut first = work(&slots(), "first", budget);
        let mut second = work(&slots(), "second", budget);
        assert!(
            matches!(first.reserve(20 << 20), Err(Error::Limit(LimitExceeded::Memory(limit))) if limit == 16 << 20)
        );
        first.reserve(10 << 20).unwrap();
        assert!(matches!(
            second.reserve(10 << 20),
            Err(Error::OutOfMemory(_))
        ));
        drop(first);
        second.reserve(10 << 20).unwrap();
        second.reserve_more(1 << 20).unwrap();
        assert_eq!(budget.used(), 11 << 20);
        second.shrink_to(1 << 20);
        assert_eq!(budget.used(), 1 << 20);
        drop(second);
        assert_eq!(budget.used(), 0);
    }
}
