//! The server: HTTP doors, who is asking, limits, the pool, and the way of a request through them.
//!
//! [`answer`] is the first file to read: it names the stages of a request in order. The rest from the top floor down:
//! [`commands`] and [`app`], [`router`] and [`http`], [`answer`], [`engine`], [`auth`], [`limits`], and what stands below.

pub mod cluster;
pub mod config;
pub mod database;
pub mod error;
pub mod limits;
pub mod request;
pub mod session;
#[doc(hidden)]
pub mod stub;
