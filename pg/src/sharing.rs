//! The shares and turns by which callers use a limited thing: keys that callers are counted by,
//! what each holds, and the lines in which they wait.

mod share_key;
mod shared_slots;
mod shares;
mod turns;

pub use share_key::{ShareKey, address_key, share_key};
pub use shared_slots::{SharedSlots, Slot, SlotError, SlotSharing};
pub use shares::Shares;
pub use turns::Turns;
