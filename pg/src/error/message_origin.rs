//! Decides whether an error's message may be logged: it may if a routine in Postgres' source code
//! reported it whose message consists of names and constants only. Other messages repeat values,
//! and functions of the database raise any text with any code. Routines are named as in field `R`
//! of an error message. <https://www.postgresql.org/docs/current/protocol-error-fields.html>

/// The parts of an error that may be logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageOrigin {
    /// The message, which contains no values.
    Plain,
    /// The constraint, table and column, which the server itself names.
    Named,
    /// Neither.
    Unknown,
}

/// Routines whose message contains names from the statement's text or the server's settings, and no
/// values. Routines that read a name from a value are not listed: `'…'::regclass` reports from
/// `RangeVarGetRelidExtended`.
const PLAIN: &[&str] = &[
    // Parse analysis: relations, columns, functions, operators, types.
    "parserOpenTable",
    "errorMissingColumn",
    "ParseFuncOrColumn",
    "op_error",
    "transformAssignedExpr",
    "select_common_type",
    "aclcheck_error",
    // Prepared statements, read-only servers, terminated connections, servers that are starting or
    // full.
    "RevalidateCachedQuery",
    "FetchPreparedStatement",
    "PreventCommandIfReadOnly",
    "ProcessInterrupts",
    "ProcessStartupPacket",
    "CheckMyDatabase",
    "InitPostgres",
    "InitProcess",
    "InitializeSessionUserId",
    "ClientAuthentication",
    "auth_failed",
    "DeadLockReport",
    "check_stack_depth",
    "exec_bind_message",
    "mdextend",
    CONNECT_FOREIGN_SERVER,
    "AllocSetAlloc",
    // Foreign servers that cannot be reached, by their names.
    "connect_pg_server",
    "MemoryContextAllocationFailure",
];

/// The routine of `postgres_fdw` that cannot connect to a foreign server. The message names the
/// server, and the detail has the reason, host and port.
pub(crate) const CONNECT_FOREIGN_SERVER: &str = "connect_pg_server";

/// Routines that name the constraint, table and column that a row violates.
const NAMED: &[&str] = &[
    "_bt_check_unique",
    "check_exclusion_or_unique_constraint",
    "ri_ReportViolation",
    "ExecConstraints",
    "ReportNotNullViolationError",
    "ExecPartitionCheckEmitError",
    "ExecWithCheckOptions",
    "ExecEvalConstraintNotNull",
    "ExecEvalConstraintCheck",
    "domain_check_input",
];

/// Routines of procedural languages that raise the errors of functions.
const RAISED: &[&str] = &[
    "exec_stmt_raise",
    "exec_stmt_assert",
    "PLy_elog_impl",
    "PLy_elog",
    "plperl_call_perl_func",
    "throw_tcl_error",
    "pltcl_elog",
];

/// The classes of Postgres' own SQLSTATEs, apart from that of PL/pgSQL (`P0`). Errors of these
/// classes may come from the server itself, whose messages contain values, names and SQL.
/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
const OWN_CLASSES: [&str; 43] = [
    "00", "01", "02", "03", "08", "09", "0A", "0B", "0F", "0L", "0P", "0Z", "10", "20", "21", "22",
    "23", "24", "25", "26", "27", "28", "2B", "2D", "2F", "34", "38", "39", "3B", "3D", "3F", "40",
    "42", "44", "53", "54", "55", "57", "58", "72", "F0", "HV", "XX",
];

/// The source files of the server (`src/backend`), of PL/pgSQL and of the foreign data wrappers
/// that come with Postgres, as field `F` of an error message names them: one name a line, sorted.
const SERVER_SOURCES: &str = include_str!("server_sources.txt");

/// The source files with the input functions of types whose values are names of objects:
/// `regclass`, `regrole`, `aclitem`.
const NAME_SOURCES: [&[u8]; 6] = [
    b"regproc.c",
    b"namespace.c",
    b"parse_type.c",
    b"acl.c",
    b"varlena.c",
    b"dbcommands.c",
];

/// The parts of an error that may be logged. `is_nested`: the error was raised inside a function,
/// whose statements and names may be built from values.
pub(crate) fn message_origin(sqlstate: &str, routine: &str, is_nested: bool) -> MessageOrigin {
    // A pooler before the server reports no routine; its messages about connections
    // contain no values.
    let is_from_pooler = routine.is_empty()
        && ["08", "28", "3D", "53", "57"]
            .iter()
            .any(|class| sqlstate.starts_with(class));
    match is_nested {
        _ if NAMED.contains(&routine) => MessageOrigin::Named,
        false if is_from_pooler || PLAIN.contains(&routine) => MessageOrigin::Plain,
        // The message is a constant, whichever statement was interrupted.
        true if routine == "ProcessInterrupts" => MessageOrigin::Plain,
        _ => MessageOrigin::Unknown,
    }
}

/// Whether a function of the database raised the error itself.
pub(crate) fn is_raised(routine: &str) -> bool {
    RAISED.contains(&routine)
}

/// Whether Postgres itself uses the class of this SQLSTATE. A code of another class is one that a
/// function chose.
pub(crate) fn is_of_server(sqlstate: &str) -> bool {
    sqlstate
        .get(..2)
        .is_some_and(|class| OWN_CLASSES.contains(&class))
}

/// Whether the error comes from the state of the pool's own connection, so that its SQLSTATE may
/// be read as that: the session ends with it, a pooler reports it (without a routine), or a
/// parallel worker of the session was terminated. A server that Postgres calls for the statement
/// (`postgres_fdw`, `dblink`) has its errors passed on with their SQLSTATEs, while the session
/// lives.
pub(crate) fn is_of_connection(is_fatal: bool, routine: &str) -> bool {
    is_fatal || matches!(routine, "" | "ProcessInterrupts")
}

/// Whether a statement was cancelled, if its SQLSTATE says so. PL/Python reports errors of its
/// statements as its own.
pub(crate) fn is_cancellation(routine: &str) -> bool {
    matches!(
        routine,
        "" | "ProcessInterrupts" | "PLy_elog_impl" | "PLy_elog"
    )
}

/// Whether an error without a position in a statement is about a value, although its SQLSTATE is
/// one of statements or of internal errors. Types whose values are names of objects report an
/// unknown or too long name like a statement's error, from the source files of their input
/// functions; text search and ltree report malformed text as a syntax error, which generated
/// statements do not have. `elog` in C reports an internal error: in an extension, such as PostGIS,
/// that is how functions refuse a value.
pub(crate) fn is_of_value(sqlstate: &str, file: &[u8]) -> bool {
    match sqlstate {
        "42704" | "42883" | "42P01" | "42725" | "3F000" => NAME_SOURCES.contains(&file),
        "42602" | "42601" | "42622" => !WRAPPERS.contains(&file),
        "XX000" => {
            !file.is_empty()
                && !SERVER_SOURCES
                    .lines()
                    .any(|source| source.as_bytes() == file)
        }
        _ => false,
    }
}

/// The source files that report errors of other servers with their SQLSTATEs.
const WRAPPERS: [&[u8]; 3] = [b"connection.c", b"postgres_fdw.c", b"dblink.c"];

/// Whether the routine reads messages of the protocol, so that a violation is one of this
/// crate's messages.
pub(crate) fn is_of_protocol(routine: &str) -> bool {
    matches!(
        routine,
        "exec_bind_message" | "exec_parse_message" | "HandleFunctionRequest" | "SocketBackend"
    ) || routine.starts_with("pq_")
}

/// Whether the routine refuses changes for the whole server or transaction. A pooler reports none.
pub(crate) fn is_of_read_only(routine: &str) -> bool {
    matches!(
        routine,
        "" | "PreventCommandIfReadOnly" | "PreventCommandDuringRecovery"
    )
}

/// Whether an error that arises while a parameter is read is about its value, although its SQLSTATE
/// is one of statements or of internal errors.
pub(crate) fn is_of_reading(sqlstate: &str) -> bool {
    sqlstate.starts_with("42") || matches!(sqlstate, "3F000" | "XX000")
}
