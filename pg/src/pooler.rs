//! Connections through a pooler that may give each transaction another session of the server
//! (PgBouncer's `pool_mode = transaction`): settings are set in each transaction, and no statement
//! relies on what an earlier one has left in the session.
//!
//! ```text
//! a server, or a pooler in session mode                                            Bind a · Execute · Sync
//! a pooler that keeps statements        Bind s · Execute · Describe a ·            Bind a · Execute · Sync
//! a pooler that does not   Parse "" · Bind · Execute · Parse "" … · Describe "" ·  Bind "" · Execute · Sync
//! ```
//!
//! `s` sets the settings and returns no row. The pooler may prepare a statement anew on another
//! session, whose columns may differ after the table was altered, so each execution is described
//! and compared with its shape. <https://www.pgbouncer.org/config.html#max_prepared_statements>

pub(crate) mod mode;

use tokio::time::Instant;

use crate::deadline::RECONNECT_TIMEOUT;
use crate::error::DatabaseError;
use crate::protocol::row_columns::RowColumns;
use crate::protocol::{ALL_BINARY, WireProtocol, tag};

/// What is between the client and Postgres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerKind {
    /// Nothing: the server applies startup options.
    Direct,
    /// A pooler that gives each connection a session of its own.
    SessionPooler,
    /// A pooler that may give each transaction another session.
    TransactionPooler,
}

/// The state of a connection through a pooler in transaction mode.
#[derive(Debug)]
pub(crate) struct TransactionPooling {
    /// The statement that sets the settings of a transaction.
    settings: String,
    /// Whether the pooler keeps prepared statements for its clients.
    pub(crate) keeps_statements: bool,
    /// A comment behind each statement that is parsed. A pooler gives equal texts the same
    /// statement of the server, also after a table was altered: only another text is planned anew.
    pub(crate) mark: Box<str>,
    /// Whether the settings are encoded for the messages before the next `Sync`.
    has_begun: bool,
}

/// The name of the prepared statement that sets the settings. Those of requests are hexadecimal
/// numbers.
const SETTINGS: &str = "settings";

/// The statement that is prepared to find out whether the pooler keeps statements: then it has
/// another name on the server.
const PROBE: &str = "SELECT 'postern_probe'";
const PROBE_NAME: &str = "postern_probe";
const ASK_NAME: &str = "SELECT name FROM pg_catalog.pg_prepared_statements WHERE statement = \
                        'SELECT ''postern_probe'''";

/// Whether the pooler keeps prepared statements, so that they can be executed in every session. A
/// pooler that does it prepares them on the server under names of its own; another passes on the
/// client's name, or refuses it.
pub(crate) async fn keeps_statements(protocol: &mut WireProtocol) -> Result<bool, DatabaseError> {
    protocol.parse(PROBE_NAME, PROBE)?;
    protocol.parse("", ASK_NAME)?;
    protocol.execute("", &[], ALL_BINARY)?;
    protocol.close_statement(PROBE_NAME)?;
    protocol.sync();
    let mut names = Vec::new();
    let mut is_refused = false;
    loop {
        match protocol
            .next(Instant::now() + RECONNECT_TIMEOUT)
            .await
            .map_err(|stopped| stopped.fault(RECONNECT_TIMEOUT))?
        {
            tag::ROW => names.extend(RowColumns::new(protocol.body()).text()),
            tag::ERROR => is_refused = true,
            tag::READY => break,
            _ => {}
        }
    }
    Ok(!is_refused && !names.is_empty() && names.iter().all(|name| name != PROBE_NAME))
}

impl TransactionPooling {
    /// Prepares the settings, if the pooler keeps statements.
    pub(crate) async fn start(
        protocol: &mut WireProtocol,
        settings: String,
        keeps_statements: bool,
        mark: &str,
    ) -> Result<TransactionPooling, DatabaseError> {
        if keeps_statements {
            protocol.parse(SETTINGS, &settings)?;
            protocol.sync();
            let refused = protocol
                .ready(Instant::now() + RECONNECT_TIMEOUT)
                .await
                .map_err(|stopped| stopped.fault(RECONNECT_TIMEOUT))?;
            if let Some(refusal) = refused {
                return Err(DatabaseError::refused(refusal, RECONNECT_TIMEOUT));
            }
        }
        Ok(TransactionPooling {
            settings,
            keeps_statements,
            mark: mark.into(),
            has_begun: false,
        })
    }

    /// The statement that sets the settings.
    pub(crate) fn settings(&self) -> &str {
        &self.settings
    }

    /// Encodes the settings, unless they are encoded for this transaction already.
    pub(crate) fn begin(&mut self, protocol: &mut WireProtocol) -> Result<(), DatabaseError> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        if self.keeps_statements {
            return protocol.execute(SETTINGS, &[], ALL_BINARY);
        }
        protocol.parse("", &self.settings)?;
        protocol.execute("", &[], ALL_BINARY)
    }

    /// Notes that a `Sync` was encoded.
    pub(crate) fn end(&mut self) {
        self.has_begun = false;
    }
}
