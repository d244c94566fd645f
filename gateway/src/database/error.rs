//! Why the database gives no answer, as it tells it. What clients are told of that is left to [`crate::error`].

use std::time::Duration;

use sql::schema::Violation;
use tokio_postgres::error::{ErrorPosition, SqlState};

use super::message_origin::{self, MessageOrigin};

use super::QueueError;
use crate::limits::memory::OutOfMemory;

/// Why the database gives no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The time for it, which is the value, is over.
    #[error("cancelled after {} seconds", .0.as_secs_f64())]
    Late(Duration),
    /// It cannot be reached, or the connection was lost.
    #[error("database away: {0}")]
    Unavailable(String),
    /// The request has to wait for too long for a connection, or behind too many others.
    #[error("{0}")]
    Crowded(QueueError),
    /// There is no room in memory for its parameters or a row.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// A row is longer than any that an answer of so many bytes is made of.
    #[error("a row that is too long for an answer of {0} bytes")]
    Long(usize),
    /// It refuses the statement.
    #[error("{0}")]
    Refused(PostgresError),
    /// The columns of a statement are not of the types that they had when the catalog was read.
    #[error("the database has changed: {0}")]
    Changed(String),
    /// The rows of what was committed are of types that they did not have when the catalog was read.
    #[error("committed, but the answer cannot be written: {0}")]
    Unreadable(String),
    /// It and the gateway do not understand each other.
    #[error("protocol: {0}")]
    Protocol(String),
}

/// An error of a statement, as Postgres tells it. Shown, it is for the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostgresError {
    /// Five letters.
    pub sqlstate: String,
    /// The server's own text; may hold values, so never for clients.
    pub message: String,
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
    /// The table whose rows are still pointed to, where a foreign key keeps them.
    pub referenced: Option<String>,
    /// Whether a prepared statement no longer fits: parsed anew it may do.
    pub is_stale: bool,
    /// The function of Postgres' source that reports the error.
    pub routine: String,
    /// Where in the statement the error is, in characters.
    pub position: Option<u32>,
    /// Whether the error comes from within a function or a statement of one.
    pub is_nested: bool,
    /// Whether the statement itself, and not what it calls, names what the database does not have, or combines types that
    /// do not fit: the catalog that it was translated by is out of date.
    pub is_outdated: bool,
    /// Whether a value is at fault, though the code speaks of the statement: see [`is_of_value`].
    pub is_of_value: bool,
    /// Whether the caller's role knows the names above. Nobody is shown one before that is found.
    pub is_known: bool,
}

impl std::fmt::Display for PostgresError {
    /// The log holds no values, so it has the server's text only where that is known to hold none. Else it has names, and what
    /// leads to the place in Postgres' source.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "SQLSTATE {}", self.sqlstate)?;
        match message_origin::of(&self.sqlstate, &self.routine, self.is_nested) {
            MessageOrigin::Plain => write!(formatter, ": {}", self.message)?,
            MessageOrigin::Named => {
                let names = [("constraint", &self.constraint), ("table", &self.table), ("column", &self.column)];
                for (what, name) in names.into_iter().filter_map(|(what, name)| Some((what, name.as_deref()?))) {
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

impl PostgresError {
    /// The names that a violation of a constraint has.
    pub fn violation(&self) -> Violation<'_> {
        Violation {
            schema: self.schema.as_deref(),
            table: self.table.as_deref(),
            column: self.column.as_deref(),
            constraint: self.constraint.as_deref(),
            domain: self.domain.as_deref(),
            referenced: self.referenced.as_deref(),
        }
    }

    /// Reads the fields of an error message.
    pub(super) fn read(body: &[u8]) -> PostgresError {
        let mut refusal = PostgresError::default();
        let mut file: &[u8] = b"";
        let mut has_place = false;
        for field in body.split(|byte| *byte == 0) {
            let Some((kind, text)) = field.split_first() else { continue };
            let bytes = text;
            let text = || String::from_utf8_lossy(bytes).into_owned();
            match kind {
                b'R' => refusal.routine = text(),
                b'F' => file = bytes,
                b'P' => {
                    has_place = true;
                    refusal.position = text().parse().ok();
                }
                b'p' => has_place = true,
                b'q' => (has_place, refusal.is_nested) = (true, true),
                b'W' => refusal.is_nested = true,
                b'C' => refusal.sqlstate = text(),
                b'M' => refusal.message = text(),
                b's' => refusal.schema = Some(text().into()),
                b'd' => refusal.domain = Some(text().into()),
                b'n' => refusal.constraint = Some(text()),
                b't' => refusal.table = Some(text()),
                b'c' => refusal.column = Some(text()),
                _ => {}
            }
        }
        let (referenced, is_stale) = (refusal.kept_in(), is_stale(&refusal.sqlstate, refusal.routine.as_bytes()));
        let is_of_value = !has_place && is_of_value(&refusal.sqlstate, file);
        // A value does not have the catalog read again.
        let is_outdated = !refusal.is_nested && !is_of_value && is_outdated(&refusal.sqlstate);
        PostgresError { referenced, is_stale, is_outdated, is_of_value, ..refusal }.reported()
    }

    /// Writes the server's text to the log, where a filter asks for it: `--log-level info,values=debug`.
    fn reported(self) -> PostgresError {
        tracing::debug!(target: "values", sqlstate = self.sqlstate, message = self.message, "the database refuses");
        self
    }

    /// A foreign key names the table that it belongs to, and only the message tells whether it was another one that was
    /// written: `update or delete on table "a" violates foreign key constraint "c" on table "b"`.
    fn kept_in(&self) -> Option<String> {
        let (constraint, table) = (self.constraint.as_ref()?, self.table.as_ref()?);
        let end = format!("\" violates foreign key constraint \"{constraint}\" on table \"{table}\"");
        self.message.strip_prefix("update or delete on table \"")?.strip_suffix(&end).map(str::to_owned)
    }
}

/// A changed table (`cached plan must not change result type`), or a statement that somebody deallocated. Both codes have
/// other uses, and functions may raise them; so it is asked where in the server it was found. What stands between the server
/// and the gateway, a pooler, does not say.
fn is_stale(sqlstate: &str, routine: &[u8]) -> bool {
    matches!((sqlstate, routine), ("0A000", b"RevalidateCachedQuery") | ("26000", b"FetchPreparedStatement" | b""))
}

/// Whether a statement refused for this was translated by a catalog that is out of date: a schema, table, column, function,
/// operator or type that there is not, types that do not fit.
fn is_outdated(sqlstate: &str) -> bool {
    matches!(sqlstate, "3F000" | "42P01" | "42703" | "42883" | "42704" | "42804" | "42846" | "42P18" | "42725")
}

/// Whether an error without a place in a statement is about a value. Types whose values are names of what the database holds
/// (`regclass`, `regrole`) say that there is no such thing, with the code that a statement would get; hstore and PostGIS call a
/// malformed value an internal error, which is told by the source file that it comes from.
fn is_of_value(sqlstate: &str, file: &[u8]) -> bool {
    const FILES: [&[u8]; 6] = [b"hstore_io.c", b"lwgeom_", b"geography_", b"gserialized_", b"rtpg_", b"rtpostgis.c"];
    match sqlstate {
        "42704" | "42883" | "42P01" | "42602" | "42601" | "42725" | "3F000" => true,
        "XX000" => FILES.iter().any(|begin| file.starts_with(begin)),
        _ => false,
    }
}

impl DatabaseError {
    /// Whether the catalog that the statement was translated by is out of date, as far as that shows.
    pub fn is_outdated(&self) -> bool {
        match self {
            DatabaseError::Changed(_) => true,
            DatabaseError::Refused(refusal) => refusal.is_outdated,
            _ => false,
        }
    }

    /// What an error of tokio-postgres means; `limit` is the time a statement may take.
    pub fn of(error: &tokio_postgres::Error, limit: Duration) -> DatabaseError {
        let Some(told) = error.as_db_error() else { return DatabaseError::without_word(error) };
        let refusal = PostgresError {
            sqlstate: told.code().code().into(),
            message: told.message().into(),
            schema: told.schema().map(Into::into),
            domain: told.datatype().map(Into::into),
            constraint: told.constraint().map(str::to_owned),
            table: told.table().map(str::to_owned),
            column: told.column().map(str::to_owned),
            routine: told.routine().unwrap_or_default().into(),
            position: match told.position() {
                Some(ErrorPosition::Original(position)) => Some(*position),
                _ => None,
            },
            is_nested: told.where_().is_some() || matches!(told.position(), Some(ErrorPosition::Internal { .. })),
            ..PostgresError::default()
        };
        DatabaseError::refused(PostgresError { referenced: refusal.kept_in(), ..refusal }.reported(), limit)
    }

    /// What it means that a statement is refused.
    pub(super) fn refused(refusal: PostgresError, limit: Duration) -> DatabaseError {
        match refusal.sqlstate.as_str() {
            code if code == SqlState::QUERY_CANCELED.code() => DatabaseError::Late(limit),
            // A function of the database may raise any code, and the database is there all the same.
            _ if message_origin::is_raised(&refusal.routine) => DatabaseError::Refused(refusal),
            // The gateway has said something that is no message, or not now.
            "08P01" => DatabaseError::Protocol(refusal.to_string()),
            "57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "53300" => {
                DatabaseError::Unavailable(refusal.to_string())
            }
            code if code.starts_with("08") => DatabaseError::Unavailable(refusal.to_string()),
            _ => DatabaseError::Refused(refusal),
        }
    }

    fn without_word(error: &tokio_postgres::Error) -> DatabaseError {
        use std::error::Error as _;
        let lost = error.source().is_some_and(|source| source.is::<std::io::Error>());
        match lost || error.is_closed() {
            true => DatabaseError::Unavailable(full_text(error)),
            false => DatabaseError::Protocol(full_text(error)),
        }
    }
}

/// An error with its sources: `error connecting to server: Connection refused (os error 111)`.
fn full_text(error: &tokio_postgres::Error) -> String {
    use std::error::Error as _;
    match error.source() {
        Some(source) if !error.to_string().contains(&source.to_string()) => format!("{error}: {source}"),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_logged_only_where_it_is_known_to_hold_no_value() {
        let told = |body: &[u8]| PostgresError::read(body).to_string();
        let table = told(b"C42P01\0Mrelation \"t\" does not exist\0P15\0RparserOpenTable\0\0");
        assert_eq!(table, "SQLSTATE 42P01: relation \"t\" does not exist, position 15");
        let unique = b"C23505\0Mduplicate key\0DKey (email)=(secret)\0nusers_key\0tusers\0R_bt_check_unique\0\0";
        assert_eq!(told(unique), "SQLSTATE 23505, constraint users_key, table users");
        for secret in [
            &b"C42601\0Msyntax error in tsquery: \"secret\"\0Rgettoken_tsvector\0\0"[..],
            b"C42601\0Msyntax error at or near \"secret\"\0P8\0Rscanner_yyerror\0\0",
            b"CP0001\0Msecret\0Rexec_stmt_raise\0\0",
            // Whatever code and names a function chooses, and whatever it has Postgres say.
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
            assert!(!told(secret).contains("secret"), "{}", told(secret));
            let fault = DatabaseError::refused(PostgresError::read(secret), Duration::ZERO);
            assert!(!fault.to_string().contains("secret"), "{fault}");
        }
        let raised = PostgresError::read(b"C57P01\0Mx\0Rexec_stmt_raise\0\0");
        assert!(matches!(DatabaseError::refused(raised, Duration::ZERO), DatabaseError::Refused(_)));
        let ended = b"C57P01\0Mterminating connection due to administrator command\0RProcessInterrupts\0\0";
        let ended = DatabaseError::refused(PostgresError::read(ended), Duration::ZERO);
        assert!(matches!(&ended, DatabaseError::Unavailable(text) if text.ends_with("due to administrator command")));
    }

    #[test]
    fn a_value_is_at_fault_where_no_place_in_a_statement_is() {
        let read = |body: &[u8]| PostgresError::read(body).is_of_value;
        assert!(read(b"C42704\0Mrole \"x\" does not exist\0Facl.c\0Rget_role_oid\0\0"));
        assert!(read(b"CXX000\0MUnexpected end of string\0Fhstore_io.c\0Rparse_hstore\0\0"));
        assert!(!read(b"C42P01\0Mrelation \"x\" does not exist\0P15\0Fparse_relation.c\0RparserOpenTable\0\0"));
        assert!(!read(b"C42P01\0Mrelation \"x\" does not exist\0p15\0qSELECT * FROM x\0Fparse_relation.c\0\0"));
        assert!(!read(b"CXX000\0Mcache lookup failed\0Fsyscache.c\0RSearchSysCache\0\0"));
    }

    #[test]
    fn a_statement_is_stale_only_where_the_server_says_so_itself() {
        let read = |body: &[u8]| PostgresError::read(body).is_stale;
        assert!(read(b"SERROR\0C0A000\0Mcached plan must not change result type\0RRevalidateCachedQuery\0\0"));
        assert!(read(b"C26000\0Mprepared statement \"1\" does not exist\0RFetchPreparedStatement\0\0"));
        assert!(read(b"C26000\0Mno such statement\0\0"));
        assert!(!read(b"C0A000\0Mcached plan must not change result type\0Rexec_stmt_raise\0\0"));
        let outdated = |body: &[u8]| PostgresError::read(body).is_outdated;
        assert!(outdated(b"SERROR\0C42703\0Mcolumn _0.a does not exist\0P8\0RerrorMissingColumn\0\0"));
        assert!(!outdated(b"C42703\0Mcolumn a does not exist\0WPL/pgSQL function f() line 3 at SQL statement\0\0"));
        assert!(!outdated(b"C22012\0Mdivision by zero\0\0"));
        assert!(!read(b"C0A000\0Mnot supported\0\0") && !read(b"C26000\0Rexec_stmt_raise\0\0"));
    }
}
