//! A Postgres client for servers that answer many callers: a pool whose connections the callers
//! share by turns, statements that are prepared once and cancelled when their caller is gone, rows
//! in Postgres' binary form, replicas, notifications and logical replication.
//!
//! [`Database`] is the first type to read. The modules are listed from top to bottom and each uses
//! only those below it.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use pg::{Database, Settings};
//! use tokio::time::Instant;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings {
//!     url: "postgres://user@localhost:5432/name".into(),
//!     pool_size: 8,
//!     statements: 100,
//!     time_limit: Duration::from_secs(10),
//!     ..Settings::default()
//! };
//! let database = Database::connect(&settings).await?;
//! let deadline = Instant::now() + Duration::from_secs(10);
//! let now = database.query_text("SELECT now()::text", deadline).await?;
//! # Ok(())
//! # }
//! ```

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod replicas;
mod primary_watch;
mod server_start;
mod server_state;
mod listener;
mod transaction;
mod database;
mod pool;
pub mod replication;
mod connection;
mod sign_in;
mod pooler;
mod protocol;
pub mod tls;
mod conninfo;
mod socket;
mod retry;
mod error;
mod query;
pub mod memory;
mod observer;
mod memory_limit;
pub mod sharing;
pub mod deadline;
mod wal_position;

pub use connection::age::ConnectionLimits;
pub use connection::rows::Rows;
pub use connection::{ExplainedStatement, PooledConnection};
pub use conninfo::error::ConninfoError;
pub use conninfo::is_in_environment;
pub use database::{Database, Settings};
pub use error::transaction_error::{FailurePoint, TransactionError};
pub use error::{DatabaseError, FurtherText, GivenValue, PostgresError, QueueError};
pub use listener::{Listener, ListenerEvent};
pub use observer::{NoObserver, Observer};
pub use pool::PoolState;
pub use pool::group_schedule::GroupSettings;
pub use pool::grouped_reads::GroupedRead;
pub use pool::queue::{QueueSettings, Requester};
pub use pooler::mode::PoolerMode;
pub use protocol::row_columns::{RowColumns, RowError};
pub use query::{ExpectedColumns, Parameters, Query, Row, TransactionSettings};
pub use retry::Retry;
pub use sign_in::connect_error::ConnectError;
pub use transaction::{Completion, TransactionSteps};
pub use wal_position::WalPosition;
