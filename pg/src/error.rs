//! Errors of the database connection and of statements, with the fields of Postgres' error
//! messages. What the callers of a server may see of them is its own decision.

pub(crate) mod message_origin;
pub(crate) mod transaction_error;

use std::num::NonZeroU16;
use std::time::Duration;

use tokio_postgres::error::{ErrorPosition, Severity, SqlState};

use message_origin::MessageOrigin;

use crate::memory::OutOfMemory;

/// Why the database did not return a result.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The statement exceeded its time limit, which is the value.
    #[error("cancelled after {} seconds", .0.as_secs_f64())]
    Timeout(Duration),
    /// The database cannot be reached, or the connection was lost.
    #[error("database away: {0}")]
    Unavailable(String),
    /// The request would wait too long for a connection, or the queue is full.
    #[error("{0}")]
    Queue(QueueError),
    /// The memory budget has no room for the parameters or a row.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// A row is longer than the maximum response size, in bytes.
    #[error("a row that is too long for an answer of {0} bytes")]
    RowTooLong(usize),
    /// Postgres rejects the statement.
    #[error("{0}")]
    Refused(PostgresError),
    /// The column types of a statement differ from those in the catalog.
    #[error("the database has changed: {0}")]
    SchemaChanged(String),
    /// The statements were committed, but their rows have types that differ from those in the
    /// catalog.
    #[error("committed, but the answer cannot be written: {0}")]
    Unreadable(String),
    /// The server violates the protocol or rejects a message of this crate.
    #[error("protocol: {0}")]
    Protocol(String),
}

/// Why a request gets no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// The queue has reached its maximum length.
    #[error("the queue for connections is full")]
    Full,
    /// The request has waited for the maximum time.
    #[error("no connection became free in {} seconds", .0.as_secs_f64())]
    Time(Duration),
}

/// The fields of an `ErrorResponse`. Its `Display` is for the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostgresError {
    /// The SQLSTATE code: five characters.
    pub sqlstate: String,
    /// The server's message. It may contain values, so it is not sent to clients, except where a
    /// function raises it and the settings allow that.
    pub message: String,
    /// The server's `DETAIL` and `HINT`, which may contain values, too. Boxed to keep errors small.
    pub further: Box<FurtherText>,
    /// The schema of the table or the domain, for class 23.
    pub schema: Option<Box<str>>,
    /// The domain whose constraint is violated, for class 23.
    pub domain: Option<Box<str>>,
    /// The constraint, for class 23.
    pub constraint: Option<String>,
    /// The table, for class 23.
    pub table: Option<String>,
    /// The column, for class 23.
    pub column: Option<String>,
    /// The table whose rows are still referenced, if a foreign key restricts their change.
    pub referenced: Option<Box<str>>,
    /// Whether a prepared statement is stale: parsing it again may succeed.
    pub is_stale: bool,
    /// The function in Postgres' source code that reports the error.
    pub routine: Box<str>,
    /// The position of the error in the statement, in characters.
    pub position: Option<u32>,
    /// Whether the error was raised inside a function or a statement of a function.
    pub is_nested: bool,
    /// Whether the session ends with it: severity `FATAL` or `PANIC`.
    pub is_fatal: bool,
    /// Whether the statement itself, and not a function that it calls, names an object that the
    /// database does not have, or combines types that do not match: the catalog that it was
    /// translated with is out of date.
    pub is_outdated: bool,
    /// Whether a value caused the error although its code is about statements or internal errors.
    pub is_of_value: bool,
    /// Whether the caller may know the names above. False until the owner of the pool sets it, so
    /// that no name is shown before.
    pub is_known: bool,
    /// The parameter that Postgres could not read, by its number in the statement, of which there
    /// are 65,535 at most.
    pub parameter: Option<NonZeroU16>,
    /// The value of the request that Postgres refuses, if the owner of the pool knows it.
    pub value: Option<Box<GivenValue>>,
    /// What callers may see beside the message, if the owner of the pool sets it.
    pub shown: Option<Box<FurtherText>>,
}

/// A value of a request, in the words of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenValue {
    /// What the caller calls it.
    pub name: String,
    /// Where it stands in the request.
    pub path: String,
}

/// The texts of an error beside its message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FurtherText {
    /// `DETAIL`.
    pub detail: Option<Box<str>>,
    /// `HINT`.
    pub hint: Option<Box<str>>,
}

impl std::fmt::Display for PostgresError {
    /// Writes no values to the log: the server's message appears only if it is known to contain
    /// none. Otherwise the text has the names, or the routine in Postgres' source code.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "SQLSTATE {}", self.sqlstate)?;
        match message_origin::message_origin(&self.sqlstate, &self.routine, self.is_nested) {
            MessageOrigin::Plain => {
                write!(formatter, ": {}", self.message)?;
                if &*self.routine == message_origin::CONNECT_FOREIGN_SERVER
                    && let Some(detail) = self.further.detail.as_deref()
                {
                    let reason = detail.lines().next().unwrap_or_default();
                    write!(formatter, ": {reason}")?;
                }
            }
            MessageOrigin::Named => {
                let names = [
                    ("constraint", &self.constraint),
                    ("table", &self.table),
                    ("column", &self.column),
                ];
                for (what, name) in names
                    .into_iter()
                    .filter_map(|(what, name)| Some((what, name.as_deref()?)))
                {
                    write!(formatter, ", {what} {name}")?;
                }
            }
            MessageOrigin::Unknown if self.routine.is_empty() => {}
            MessageOrigin::Unknown => write!(formatter, ", routine {}", self.routine)?,
        }
        match &self.position {
            Some(position) => write!(formatter, ", position {position}"),
            None => Ok(()),
        }
    }
}

/// The longest text of a field of an error that is kept, in bytes.
const LONGEST_FIELD: usize = 64 << 10;

impl PostgresError {
    /// Whether a function or a trigger of the database raises it: a procedural language reports it,
    /// or its SQLSTATE is none of Postgres' own.
    pub fn is_raised(&self) -> bool {
        message_origin::is_raised(&self.routine) || !message_origin::is_of_server(&self.sqlstate)
    }

    /// Whether its SQLSTATE is one that the server itself does not use.
    pub fn has_own_code(&self) -> bool {
        !message_origin::is_of_server(&self.sqlstate)
    }

    /// Whether the server refuses changes because it is a standby or its transactions are
    /// read-only.
    pub fn is_read_only(&self) -> bool {
        self.sqlstate == "25006" && message_origin::is_of_read_only(&self.routine)
    }

    /// The part of a value that the server repeats in its message: `invalid hexadecimal digit:
    /// "z"`. It is not for clients.
    pub fn quoted(&self) -> Option<&str> {
        let (_, rest) = self.message.split_once('"')?;
        rest.rsplit_once('"').map(|(quoted, _)| quoted)
    }

    /// The violated constraint, if Postgres itself names it. A function may report any text as a
    /// name.
    pub fn named_constraint(&self) -> Option<&str> {
        let origin = message_origin::message_origin(&self.sqlstate, &self.routine, self.is_nested);
        self.constraint
            .as_deref()
            .filter(|_| origin == MessageOrigin::Named)
    }

    /// Parses the fields of an `ErrorResponse`.
    pub(crate) fn read(body: &[u8]) -> PostgresError {
        let mut refusal = PostgresError::default();
        let mut file: &[u8] = b"";
        let mut has_position = false;
        let mut has_query = false;
        for field in body.split(|byte| *byte == 0) {
            let Some((kind, text)) = field.split_first() else {
                continue;
            };
            // Functions may raise texts of any length.
            let bytes = text.get(..LONGEST_FIELD).unwrap_or(text);
            let text = || String::from_utf8_lossy(bytes).into_owned();
            match kind {
                b'V' => refusal.is_fatal = matches!(bytes, b"FATAL" | b"PANIC"),
                b'R' => refusal.routine = text().into(),
                b'F' => file = bytes,
                b'P' => {
                    has_position = true;
                    refusal.position = text().parse().ok();
                }
                b'p' => has_position = true,
                b'q' => (has_position, has_query, refusal.is_nested) = (true, true, true),
                b'W' => {
                    refusal.is_nested = true;
                    refusal.parameter = bound_parameter(&text());
                }
                b'C' => refusal.sqlstate = text(),
                b'M' => refusal.message = text(),
                b'D' => refusal.further.detail = Some(text().into()),
                b'H' => refusal.further.hint = Some(text().into()),
                b's' => refusal.schema = Some(text().into()),
                b'd' => refusal.domain = Some(text().into()),
                b'n' => refusal.constraint = Some(text()),
                b't' => refusal.table = Some(text()),
                b'c' => refusal.column = Some(text()),
                _ => {}
            }
        }
        let referenced = refusal.referenced_table();
        let is_stale = is_stale(&refusal.sqlstate, refusal.routine.as_bytes());
        // Generated statements have no syntax errors: the position of one is in a value, such as
        // the name of a type.
        let is_of_statement = has_position && (has_query || refusal.sqlstate != "42601");
        let is_of_value = !is_of_statement
            && !refusal.is_raised()
            && (message_origin::is_of_value(&refusal.sqlstate, file)
                || refusal.parameter.is_some() && message_origin::is_of_reading(&refusal.sqlstate));
        let is_outdated = !refusal.is_nested && is_outdated(&refusal.sqlstate, has_position);
        PostgresError {
            referenced,
            is_stale,
            is_outdated,
            is_of_value,
            ..refusal
        }
        .reported()
    }

    /// Logs the server's message if a filter enables it: `--log-level info,values=debug`.
    fn reported(self) -> PostgresError {
        tracing::debug!(target: "values", sqlstate = self.sqlstate, message = self.message, "the \
             database refuses");
        self
    }

    /// The table that a foreign key restricts. The error fields name only the table that the key
    /// belongs to; only the message shows that another table was written: `update or delete on
    /// table "a" violates foreign key constraint "c" on table "b"`.
    fn referenced_table(&self) -> Option<Box<str>> {
        let constraint = self.constraint.as_ref()?;
        let table = self.table.as_ref()?;
        let end =
            format!("\" violates foreign key constraint \"{constraint}\" on table \"{table}\"");
        self.message
            .strip_prefix("update or delete on table \"")?
            .strip_suffix(&end)
            .map(Into::into)
    }
}

/// The number of the parameter that the server was reading, by the context of the error. Servers
/// with messages in other languages do not tell it.
fn bound_parameter(context: &str) -> Option<NonZeroU16> {
    let digits = context
        .lines()
        .last()?
        .strip_prefix("unnamed portal parameter $")?;
    digits
        .split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// Whether a prepared statement is stale: a table has changed (`cached plan must not change result
/// type`), or the statement was deallocated. Both codes have other uses, and functions may raise
/// them, so the reporting routine is checked as well. A pooler between the server and the client
/// reports no routine.
fn is_stale(sqlstate: &str, routine: &[u8]) -> bool {
    matches!(
        (sqlstate, routine),
        ("0A000", b"RevalidateCachedQuery") | ("26000", b"FetchPreparedStatement" | b"")
    )
}

/// Whether this code means that the catalog used for the translation is out of date: a missing
/// schema, table, column, function, operator or type, or types that do not match. Without a
/// position in the statement, the first ones are about a value, or about something that a function
/// looks for while it runs.
fn is_outdated(sqlstate: &str, has_position: bool) -> bool {
    match sqlstate {
        "3F000" | "42P01" | "42883" | "42704" | "42725" => has_position,
        "42703" | "42804" | "42846" | "42P18" => true,
        _ => false,
    }
}

impl DatabaseError {
    /// Whether the catalog that the statement was translated with is known to be out of date.
    pub fn is_outdated(&self) -> bool {
        match self {
            DatabaseError::SchemaChanged(_) => true,
            DatabaseError::Refused(refusal) => refusal.is_outdated,
            _ => false,
        }
    }

    /// Converts an error of tokio-postgres; `limit` is the time limit of the statement.
    pub fn from_driver(error: &tokio_postgres::Error, limit: Duration) -> DatabaseError {
        let Some(db_error) = error.as_db_error() else {
            return DatabaseError::from_connection_error(error);
        };
        let refusal = PostgresError {
            sqlstate: db_error.code().code().into(),
            message: db_error.message().into(),
            further: Box::new(FurtherText {
                detail: db_error.detail().map(Into::into),
                hint: db_error.hint().map(Into::into),
            }),
            schema: db_error.schema().map(Into::into),
            domain: db_error.datatype().map(Into::into),
            constraint: db_error.constraint().map(str::to_owned),
            table: db_error.table().map(str::to_owned),
            column: db_error.column().map(str::to_owned),
            routine: db_error.routine().unwrap_or_default().into(),
            position: match db_error.position() {
                Some(ErrorPosition::Original(position)) => Some(*position),
                _ => None,
            },
            is_fatal: matches!(
                db_error.parsed_severity(),
                Some(Severity::Fatal | Severity::Panic)
            ),
            is_nested: db_error.where_().is_some()
                || matches!(db_error.position(), Some(ErrorPosition::Internal { .. })),
            ..PostgresError::default()
        };
        DatabaseError::refused(
            PostgresError {
                referenced: refusal.referenced_table(),
                ..refusal
            }
            .reported(),
            limit,
        )
    }

    /// Classifies an error by its SQLSTATE, which says something about the pool's own connection
    /// only if the error comes from it. Functions of the database may raise any code, and servers
    /// that Postgres calls have their own.
    pub(crate) fn refused(refusal: PostgresError, limit: Duration) -> DatabaseError {
        match refusal.sqlstate.as_str() {
            code if code == SqlState::QUERY_CANCELED.code()
                && message_origin::is_cancellation(&refusal.routine) =>
            {
                DatabaseError::Timeout(limit)
            }
            // PgBouncer's code for all its errors, a lost server among them. Errors of Postgres
            // name a routine.
            "08P01" if refusal.routine.is_empty() => DatabaseError::Unavailable(refusal.message),
            // `protocol_violation`: this crate sent an invalid or unexpected message.
            "08P01" if refusal.is_fatal || message_origin::is_of_protocol(&refusal.routine) => {
                DatabaseError::Protocol(refusal.to_string())
            }
            _ if !message_origin::is_of_connection(refusal.is_fatal, &refusal.routine) => {
                DatabaseError::Refused(refusal)
            }
            "57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "53300" => {
                DatabaseError::Unavailable(refusal.to_string())
            }
            code if code.starts_with("08") => DatabaseError::Unavailable(refusal.to_string()),
            _ => DatabaseError::Refused(refusal),
        }
    }

    fn from_connection_error(error: &tokio_postgres::Error) -> DatabaseError {
        use std::error::Error as _;
        let lost = error
            .source()
            .is_some_and(|source| source.is::<std::io::Error>());
        if lost || error.is_closed() {
            DatabaseError::Unavailable(full_text(error))
        } else {
            DatabaseError::Protocol(full_text(error))
        }
    }
}

/// An error with its source: `error connecting to server: Connection refused (os error 111)`.
fn full_text(error: &tokio_postgres::Error) -> String {
    use std::error::Error as _;
    match error.source() {
        Some(source) if !error.to_string().contains(&source.to_string()) => {
            format!("{error}: {source}")
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_is_logged_only_if_it_contains_no_value() {
        let logged = |body: &[u8]| PostgresError::read(body).to_string();
        let table = logged(b"C42P01\0Mrelation \"t\" does not exist\0P15\0RparserOpenTable\0\0");
        assert_eq!(
            table,
            "SQLSTATE 42P01: relation \"t\" does not exist, position 15"
        );
        let shard = b"C08001\0Mcould not connect to server \"us\"\0Rconnect_pg_server\0\0";
        assert_eq!(
            logged(shard),
            "SQLSTATE 08001: could not connect to server \"us\""
        );
        let unique = b"C23505\0Mduplicate key\0DKey (email)=(secret)\0nusers_key\0tusers\0R_bt_check_unique\0\0";
        assert_eq!(
            logged(unique),
            "SQLSTATE 23505, constraint users_key, table users"
        );
        for secret in [
            &b"C42601\0Msyntax error in tsquery: \"secret\"\0Rgettoken_tsvector\0\0"[..],
            b"C42601\0Msyntax error at or near \"secret\"\0P8\0Rscanner_yyerror\0\0",
            b"CP0001\0Msecret\0Rexec_stmt_raise\0\0",
            // A function may choose any code and names, and may make Postgres report any text.
            b"C42P01\0Msecret\0Rexec_stmt_raise\0\0",
            b"C23505\0Msecret\0nsecret\0tsecret\0csecret\0Rexec_stmt_raise\0\0",
            b"C57P01\0Msecret\0Rexec_stmt_raise\0\0",
            b"C42P01\0Mrelation \"secret\" does not exist\0WPL/pgSQL function f()\0RparserOpenTable\0\0",
            b"C42P01\0Mrelation \"secret\" does not exist\0RRangeVarGetRelidExtended\0\0",
            b"C22P02\0Minvalid input syntax for type integer: \"secret\"\0Rpg_strtoint32_safe\0\0",
            b"CXX000\0Msecret\0Rsomewhere\0\0",
            b"C08006\0Msecret\0Rsomewhere\0\0",
            b"CP0001\0Msecret\0\0",
        ] {
            assert!(!logged(secret).contains("secret"), "{}", logged(secret));
            let fault = DatabaseError::refused(PostgresError::read(secret), Duration::ZERO);
            assert!(!fault.to_string().contains("secret"), "{fault}");
        }
        let raised = PostgresError::read(b"C57P01\0Mx\0Rexec_stmt_raise\0\0");
        assert!(matches!(
            DatabaseError::refused(raised, Duration::ZERO),
            DatabaseError::Refused(_)
        ));
        let ended =
            b"C57P01\0Mterminating connection due to administrator command\0RProcessInterrupts\0\0";
        let ended = DatabaseError::refused(PostgresError::read(ended), Duration::ZERO);
        assert!(
            matches!(&ended, DatabaseError::Unavailable(text) if text.ends_with("due to \
                 administrator command"))
        );
    }

    /// The SQLSTATEs that say something about a connection, or about the cancellation of a
    /// statement.
    const OF_CONNECTIONS: [&str; 15] = [
        "08000", "08001", "08003", "08004", "08006", "08007", "08P01", "53300", "57014", "57P01",
        "57P02", "57P03", "57P05", "25P03", "08501",
    ];

    fn refused(severity: &str, sqlstate: &str, routine: &str) -> DatabaseError {
        let body = format!("SX\0V{severity}\0C{sqlstate}\0Mx\0R{routine}\0\0");
        DatabaseError::refused(PostgresError::read(body.as_bytes()), Duration::ZERO)
    }

    #[test]
    fn code_of_another_server_says_nothing_about_the_connection() {
        let wrappers = [
            "connect_pg_server",
            "pgfdw_report_error",
            "pgfdw_get_result",
            "dblink_res_error",
            "dblink_get_conn",
            "tdsImportSqlServerSchema",
            "mysql_error_print",
            "oracleError_d",
            "exec_stmt_raise",
        ];
        for (sqlstate, routine) in OF_CONNECTIONS
            .iter()
            .flat_map(|code| wrappers.map(|routine| (*code, routine)))
        {
            let fault = refused("ERROR", sqlstate, routine);
            assert!(
                matches!(fault, DatabaseError::Refused(_)),
                "{sqlstate} of {routine}: {fault:?}"
            );
        }
    }

    #[test]
    fn code_of_an_ended_session_or_a_pooler_is_the_state_of_the_connection() {
        for sqlstate in OF_CONNECTIONS
            .into_iter()
            .filter(|code| !matches!(*code, "08P01" | "57014"))
        {
            for (severity, routine) in [
                ("FATAL", "InitPostgres"),
                ("PANIC", "quickdie"),
                ("ERROR", "ProcessInterrupts"),
                ("ERROR", ""),
            ] {
                let fault = refused(severity, sqlstate, routine);
                assert!(
                    matches!(fault, DatabaseError::Unavailable(_)),
                    "{sqlstate} of {routine}: {fault:?}"
                );
            }
        }
        assert!(matches!(
            refused("ERROR", "08P01", ""),
            DatabaseError::Unavailable(_)
        ));
        assert!(matches!(
            refused("FATAL", "08P01", "SocketBackend"),
            DatabaseError::Protocol(_)
        ));
        assert!(matches!(
            refused("ERROR", "08P01", "exec_bind_message"),
            DatabaseError::Protocol(_)
        ));
        assert!(matches!(
            refused("ERROR", "57014", "ProcessInterrupts"),
            DatabaseError::Timeout(_)
        ));
    }

    #[test]
    fn error_without_position_is_of_a_value() {
        let read = |body: &[u8]| PostgresError::read(body).is_of_value;
        assert!(read(
            b"C42704\0Mrole \"x\" does not exist\0Facl.c\0Rget_role_oid\0\0"
        ));
        assert!(read(
            b"C42P01\0Mrelation \"x\" does not exist\0Fnamespace.c\0RRangeVarGetRelidExtended\0\0"
        ));
        assert!(read(b"C42622\0Midentifier too long\0Facl.c\0Rgetid\0\0"));
        assert!(read(
            b"C42601\0Msyntax error at or near \"1\"\0P1\0Fscan.l\0Rscanner_yyerror\0\0"
        ));
        assert!(!read(
            b"C42601\0Msyntax error at or near \"1\"\0p1\0q1\0Fscan.l\0Rscanner_yyerror\0\0"
        ));
        assert!(!read(
            b"C42601\0Mx\0WPL/pgSQL function f()\0Fpl_exec.c\0Rexec_stmt_raise\0\0"
        ));
        assert!(read(
            b"CXX000\0MUnexpected end of string\0Fhstore_io.c\0Rparse_hstore\0\0"
        ));
        assert!(read(
            b"CXX000\0Mbad semver value 'zz'\0Fsemver.c\0Rparse_semver\0\0"
        ));
        assert!(!read(
            b"C42P01\0Mrelation \"x\" does not exist\0P15\0Fparse_relation.c\0RparserOpenTable\0\0"
        ));
        assert!(!read(
            b"C42P01\0Mrelation \"x\" does not exist\0p15\0qSELECT * FROM x\0Fparse_relation.c\0\0"
        ));
        assert!(!read(b"C42P01\0Mrelation \"x\" does not exist\0WSELECT\0Fconnection.c\0Rpgfdw_report_error\0\0"));
        assert!(!read(b"C42883\0Mcould not identify a hash function for type x\0Frangetypes.c\0Rhash_range\0\0"));
        for file in ["syscache.c", "heapam.c", "pl_exec.c", "connection.c"] {
            assert!(
                !read(format!("CXX000\0Mcache lookup failed\0F{file}\0RX\0\0").as_bytes()),
                "{file}"
            );
        }
    }

    #[test]
    fn parameter_that_cannot_be_read_is_known_by_its_number() {
        let read = |body: &[u8]| PostgresError::read(body);
        let bytes = read(
            b"C22023\0Minvalid hexadecimal digit: \"z\"\0Wunnamed portal parameter $12 = '...'\0Fencode.c\0Rget_hex\0\0",
        );
        assert_eq!(
            (bytes.parameter, bytes.quoted()),
            (NonZeroU16::new(12), Some("z"))
        );
        assert_eq!(
            read(b"C22P02\0Mx\0Wunnamed portal parameter $2\0\0").parameter,
            NonZeroU16::new(2)
        );
        for context in [
            "remote SQL command: SELECT $1",
            "SQL function \"f\" statement 1",
            "Parameter $1",
        ] {
            assert_eq!(
                read(format!("C22P02\0Mx\0W{context}\0\0").as_bytes()).parameter,
                None,
                "{context}"
            );
        }
        assert!(read(b"C42P01\0Mx\0Wunnamed portal parameter $1\0Fother.c\0\0").is_of_value);
    }

    #[test]
    fn statement_is_stale_only_by_the_servers_own_routine() {
        let read = |body: &[u8]| PostgresError::read(body).is_stale;
        assert!(read(
            b"SERROR\0C0A000\0Mcached plan must not change result type\0RRevalidateCachedQuery\0\0"
        ));
        assert!(read(
            b"C26000\0Mprepared statement \"1\" does not exist\0RFetchPreparedStatement\0\0"
        ));
        assert!(read(b"C26000\0Mno such statement\0\0"));
        assert!(!read(
            b"C0A000\0Mcached plan must not change result type\0Rexec_stmt_raise\0\0"
        ));
        let outdated = |body: &[u8]| PostgresError::read(body).is_outdated;
        assert!(outdated(
            b"SERROR\0C42703\0Mcolumn _0.a does not exist\0P8\0RerrorMissingColumn\0\0"
        ));
        assert!(!outdated(
            b"C42703\0Mcolumn a does not exist\0WPL/pgSQL function f() line 3 at SQL statement\0\0"
        ));
        assert!(!outdated(b"C22012\0Mdivision by zero\0\0"));
        assert!(!outdated(
            b"C42883\0Mcould not identify a hash function for type x\0Rhash_range\0\0"
        ));
        assert!(!read(b"C0A000\0Mnot supported\0\0") && !read(b"C26000\0Rexec_stmt_raise\0\0"));
    }
}
