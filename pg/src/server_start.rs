//! When servers were started. A replica that was started again is another server until it was
//! compared with the primary: its files may have been replaced, or it may have been promoted and
//! have returned.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// When a server was started, in seconds of Unix time. A server whose files were replaced has
/// another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ServerStart(pub(crate) f64);

/// The start of the server that was last found to follow the primary.
#[derive(Clone, Debug, Default)]
pub(crate) struct ComparedStart(Arc<AtomicU64>);

impl ComparedStart {
    /// Whether the server with this start was compared.
    pub(crate) fn is(&self, start: ServerStart) -> bool {
        self.0.load(Ordering::Acquire) == start.0.to_bits()
    }

    /// Notes that the server with this start was compared.
    pub(crate) fn set(&self, start: ServerStart) {
        self.0.store(start.0.to_bits(), Ordering::Release);
    }
}
