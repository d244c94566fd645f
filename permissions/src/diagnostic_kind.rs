//! The trait that the list of faults of each kind of file has.

use std::fmt::Display;

/// The faults of a kind of file. `Display` gives the message.
pub trait DiagnosticKind: Display {
    /// The machine-readable code of the fault: `unknown-column`.
    fn code(&self) -> &'static str;
}
