//! Whether the text of an error may stand in the log: it may if a place in Postgres' source reported it whose message is made
//! of names and constants alone. Messages elsewhere repeat values, and functions of the database raise any text under any
//! code. Places are named as in the field `R` of an error message.
//! <https://www.postgresql.org/docs/current/protocol-error-fields.html>

/// What of an error may be logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageOrigin {
    /// The message: it holds no values.
    Plain,
    /// The constraint, table and column: the server itself names them.
    Named,
    /// Neither.
    Unknown,
}

/// Places whose message holds names of the statement's own text, or of the server's settings, and no values. Not among them are
/// those that read a name from a value: `'…'::regclass` reports from `RangeVarGetRelidExtended`.
const PLAIN: &[&str] = &[
    // Parse analysis: relations, columns, functions, operators, types.
    "parserOpenTable",
    "errorMissingColumn",
    "ParseFuncOrColumn",
    "op_error",
    "transformAssignedExpr",
    "select_common_type",
    "aclcheck_error",
    // Prepared statements, servers that only read, connections that end, servers that start or are full.
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

/// Places that name the constraint, table and column that a row violates.
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

/// Places where procedural languages raise what a function wants raised.
const RAISED: &[&str] = &["exec_stmt_raise", "exec_stmt_assert", "PLy_elog_impl", "PLy_elog", "plperl_call_perl_func"];

/// What of an error may be logged. `is_nested` says that it comes from within a function: what that has made a statement of, or
/// given as a name, may be a value.
pub(super) fn of(sqlstate: &str, routine: &str, is_nested: bool) -> MessageOrigin {
    // A pooler between gateway and server says nothing of its source; what it reports of connections holds no values.
    let is_poolers =
        routine.is_empty() && ["08", "28", "3D", "53", "57"].iter().any(|class| sqlstate.starts_with(class));
    match is_nested {
        _ if NAMED.contains(&routine) => MessageOrigin::Named,
        false if is_poolers || PLAIN.contains(&routine) => MessageOrigin::Plain,
        // The message is a constant, whatever was interrupted.
        true if routine == "ProcessInterrupts" => MessageOrigin::Plain,
        _ => MessageOrigin::Unknown,
    }
}

/// Whether a function of the database raised the error itself.
pub(super) fn is_raised(routine: &str) -> bool {
    RAISED.contains(&routine)
}
