//! Decides whether an error's message may be logged: it may if a routine in Postgres' source code reported it whose
//! message consists of names and constants only. Other messages repeat values, and functions of the database raise any
//! text with any code. Routines are named as in field `R` of an error message.
//! <https://www.postgresql.org/docs/current/protocol-error-fields.html>

/// The parts of an error that may be logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageOrigin {
    /// The message, which contains no values.
    Plain,
    /// The constraint, table and column, which the server itself names.
    Named,
    /// Neither.
    Unknown,
}

/// Routines whose message contains names from the statement's text or the server's settings, and no values. Routines
/// that read a name from a value are not listed: `'…'::regclass` reports from `RangeVarGetRelidExtended`.
const PLAIN: &[&str] = &[
    // Parse analysis: relations, columns, functions, operators, types.
    "parserOpenTable",
    "errorMissingColumn",
    "ParseFuncOrColumn",
    "op_error",
    "transformAssignedExpr",
    "select_common_type",
    "aclcheck_error",
    // Prepared statements, read-only servers, terminated connections, servers that are starting or full.
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
    "AllocSetAlloc",
    "MemoryContextAllocationFailure",
];

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
const RAISED: &[&str] = &["exec_stmt_raise", "exec_stmt_assert", "PLy_elog_impl", "PLy_elog", "plperl_call_perl_func"];

/// The parts of an error that may be logged. `is_nested`: the error was raised inside a function, whose statements and
/// names may be built from values.
pub(super) fn of(sqlstate: &str, routine: &str, is_nested: bool) -> MessageOrigin {
    // A pooler between gateway and server reports no routine; its messages about connections contain no values.
    let is_from_pooler =
        routine.is_empty() && ["08", "28", "3D", "53", "57"].iter().any(|class| sqlstate.starts_with(class));
    match is_nested {
        _ if NAMED.contains(&routine) => MessageOrigin::Named,
        false if is_from_pooler || PLAIN.contains(&routine) => MessageOrigin::Plain,
        // The message is a constant, whichever statement was interrupted.
        true if routine == "ProcessInterrupts" => MessageOrigin::Plain,
        _ => MessageOrigin::Unknown,
    }
}

/// Whether a function of the database raised the error itself.
pub(super) fn is_raised(routine: &str) -> bool {
    RAISED.contains(&routine)
}
