//! Codes and messages for errors of the database, composed from SQLSTATE and names, never from the
//! server's own text, which may contain values of other users.

use pg::{DatabaseError, PostgresError};

use super::{ErrorSpec, catalogue};
use crate::limits::LimitExceeded;

/// The message if the memory budget has no room for the request.
pub(super) const NO_ROOM: &str = "the gateway has no room for the request at the moment";

pub(super) fn database_entry(fault: &DatabaseError) -> ErrorSpec {
    match fault {
        DatabaseError::Timeout(_) => catalogue::TIME_LIMIT,
        DatabaseError::RowTooLong(_) => catalogue::ANSWER_LIMIT,
        DatabaseError::Unavailable(_)
        | DatabaseError::SchemaChanged(_)
        | DatabaseError::Queue(_)
        | DatabaseError::OutOfMemory(_) => catalogue::UNAVAILABLE,
        DatabaseError::Protocol(_) | DatabaseError::Unreadable(_) => catalogue::UNEXPECTED,
        DatabaseError::Refused(refusal) => refusal_entry(refusal),
    }
}

fn refusal_entry(refusal: &PostgresError) -> ErrorSpec {
    match refusal.sqlstate.as_str() {
        // A function that raises a violation sets the message and keeps its code.
        state if refusal.shown.is_some() && !state.starts_with("23") => catalogue::DATA_EXCEPTION,
        // Policies of row-level security that cannot be evaluated: they refer to each other, or
        // read a setting that is not set.
        "42P17" => catalogue::PERMISSION_ERROR,
        "42704" if is_of_setting(refusal) => catalogue::PERMISSION_ERROR,
        "XX000" if refusal.is_of_value => catalogue::DATA_EXCEPTION,
        _ if refusal.is_of_value => catalogue::CONSTRAINT_VIOLATION,
        "22P02" | "22P03" | "22007" | "22008" => catalogue::CONSTRAINT_VIOLATION,
        // 21000: several rows where native SQL expects one: from a subquery used as a value, or as
        // the source of a MERGE.
        state if state.starts_with("22") || state == "21000" => catalogue::DATA_EXCEPTION,
        state if state.starts_with("23") || state == "44000" => catalogue::CONSTRAINT_VIOLATION,
        // An operation that a type does not support for a value: removing elements from an array of
        // arrays, NaN as money.
        "0A000" => catalogue::NOT_SUPPORTED,
        // Missing privileges of the gateway's own database user, or Postgres' row-level security.
        "42501" => catalogue::PERMISSION_ERROR,
        // Deadlocks and serialization failures, and a lock that is not available within the
        // server's `lock_timeout`.
        state if state.starts_with("40") || state == "55P03" => catalogue::CONFLICT,
        // Limits of Postgres itself, such as too many columns or too deep an expression.
        state if state.starts_with("54") => catalogue::DOCUMENT_LIMIT,
        _ if is_of_foreign_server(refusal) => catalogue::UNAVAILABLE,
        // Raised by a function or trigger. Its message is only for people with access to the
        // database.
        _ if refusal.is_raised() => catalogue::DATA_EXCEPTION,
        _ => catalogue::UNEXPECTED,
    }
}

/// Whether `current_setting` has found no such setting. Postgres 13 and 14 report it in the second
/// routine.
fn is_of_setting(refusal: &PostgresError) -> bool {
    matches!(&*refusal.routine, "find_option" | "GetConfigOptionByName")
}

/// Whether `postgres_fdw` cannot connect to a server that the statement reads. Errors of such a
/// server that has answered come from another routine, with any SQLSTATE.
fn is_of_foreign_server(refusal: &PostgresError) -> bool {
    refusal.sqlstate == "08001" && &*refusal.routine == "connect_pg_server"
}

/// The entry for an error of a mutation.
pub(super) fn writing_entry(refusal: &PostgresError) -> ErrorSpec {
    match refusal.sqlstate.as_str() {
        _ if refusal.shown.is_some() => refusal_entry(refusal),
        // `ON CONFLICT`: one row twice, or a constraint that no longer exists.
        "21000" if refusal.message.contains("ON CONFLICT") => catalogue::CONSTRAINT_VIOLATION,
        "42P10" => catalogue::CONSTRAINT_VIOLATION,
        // A read-only standby server, which may be promoted again.
        "25006" if refusal.is_read_only() => catalogue::UNAVAILABLE,
        "55000" if !refusal.is_raised() => catalogue::NOT_SUPPORTED,
        _ => refusal_entry(refusal),
    }
}

pub(super) fn database_message(fault: &DatabaseError) -> String {
    match fault {
        DatabaseError::Timeout(limit) => LimitExceeded::Time(*limit).to_string(),
        DatabaseError::RowTooLong(limit) => LimitExceeded::Answer(*limit).to_string(),
        DatabaseError::Unavailable(_) => "the database is not available".into(),
        DatabaseError::SchemaChanged(_) => "the database is being changed".into(),
        DatabaseError::Unreadable(_) => {
            "the mutation was committed, but its answer cannot be written".into()
        }
        DatabaseError::Queue(_) => "too many requests wait for the database".into(),
        DatabaseError::OutOfMemory(_) => NO_ROOM.into(),
        DatabaseError::Protocol(_) => "internal error".into(),
        DatabaseError::Refused(refusal) => refusal_message(refusal),
    }
}

/// The message of a refused statement, with the column whose value is refused, if it is known.
fn refusal_message(refusal: &PostgresError) -> String {
    let message = unnamed_message(refusal);
    match &refusal.value {
        Some(value) if refusal.shown.is_none() => format!("{message}, in '{}'", value.name),
        _ => message,
    }
}

fn unnamed_message(refusal: &PostgresError) -> String {
    match refusal.sqlstate.as_str() {
        _ if refusal.shown.is_some() => refusal.message.clone(),
        "42P17" => "policies of the database refer to each other without end".into(),
        "42704" if is_of_setting(refusal) => "a setting that the database reads is not set".into(),
        "XX000" if refusal.is_of_value => "a value cannot be computed with".into(),
        _ if refusal.is_of_value => "a value has the wrong form for its type".into(),
        state if state.starts_with("23") => violation_message(refusal),
        "44000" => {
            "Check constraint violation. the row violates the check option of the view".into()
        }
        state if state.starts_with("40") || state == "55P03" => {
            "the request was in conflict with another one".into()
        }
        "0A000" => "the database does not support this for such a value".into(),
        "42501" => "the database does not allow this".into(),
        "22012" => "division by zero".into(),
        "22003" => "a number is out of range".into(),
        "22001" => "a value is too long for its type".into(),
        "21000" => "there is more than one row where one is wanted".into(),
        "22025" => "a pattern ends with an escape character".into(),
        "2201B" => "a regular expression is invalid".into(),
        "22P02" | "22P03" => "a value has the wrong form for its type".into(),
        "22007" | "22008" => "a date or time is malformed or out of range".into(),
        state if state.starts_with("22") && refusal.parameter.is_some() => {
            "a value has the wrong form for its type".into()
        }
        state if state.starts_with("22") => "a value cannot be computed with".into(),
        state if state.starts_with("54") => {
            "the request asks for more than one statement of Postgres can hold".into()
        }
        _ if is_of_foreign_server(refusal) => {
            "a server that the database reads from is not available".into()
        }
        _ if refusal.is_raised() => {
            "a function or trigger of the database refuses the request".into()
        }
        _ => "internal error".into(),
    }
}

pub(super) fn writing_message(refusal: &PostgresError) -> String {
    match (refusal.sqlstate.as_str(), writing_entry(refusal)) {
        _ if refusal.shown.is_some() => refusal_message(refusal),
        (_, catalogue::UNEXPECTED) => "internal error".into(),
        ("21000", catalogue::CONSTRAINT_VIOLATION) => {
            "an upsert cannot update the same row twice".into()
        }
        ("42P10", _) => "there is no unique or exclusion constraint on target column(s)".into(),
        ("42501", _) => "the database does not allow this change".into(),
        ("25006", catalogue::UNAVAILABLE) => "the database takes no changes at the moment".into(),
        ("55000", catalogue::NOT_SUPPORTED) => "the database does not support this change".into(),
        _ => refusal_message(refusal),
    }
}

/// The message of a constraint violation: with the names of constraint, table and column if the
/// caller's role may know them all, otherwise without names. A violation raised by a trigger may
/// have no names.
fn violation_message(refusal: &PostgresError) -> String {
    let unnamed = PostgresError::default();
    let PostgresError {
        constraint,
        table,
        column,
        referenced,
        ..
    } = if refusal.is_known { refusal } else { &unnamed };
    match (refusal.sqlstate.as_str(), constraint, table, column) {
        ("23505", Some(constraint), ..) => {
            format!(
                "Uniqueness violation. duplicate key value violates unique constraint \
                     '{constraint}'"
            )
        }
        ("23503", Some(constraint), Some(table), _) => match referenced {
            Some(referenced) => format!(
                "Foreign key violation. update or delete on table \
                                         '{referenced}' violates foreign key constraint \
                                         '{constraint}' on table '{table}'"
            ),
            None => format!(
                "Foreign key violation. insert or update on table '{table}' violates \
                             foreign key constraint \
                             '{constraint}'"
            ),
        },
        ("23001", Some(constraint), ..) => {
            format!(
                "Foreign key violation. update or delete violates foreign key constraint \
                     '{constraint}'"
            )
        }
        ("23502", _, Some(table), Some(column)) => {
            format!(
                "Not-NULL violation. null value in column '{column}' of relation '{table}' \
                     violates not-null constraint"
            )
        }
        ("23P01", Some(constraint), ..) => {
            format!(
                "Exclusion violation. conflicting key value violates exclusion constraint \
                     '{constraint}'"
            )
        }
        ("23514", Some(constraint), Some(table), _) => {
            format!(
                "Check constraint violation. new row for relation '{table}' violates check \
                     constraint '{constraint}'"
            )
        }
        // A domain's constraint has no table.
        ("23514", Some(constraint), None, _) => {
            format!("Check constraint violation. a value violates check constraint '{constraint}'")
        }
        (state, ..) => match state {
            "23505" => "Uniqueness violation. duplicate key value violates a unique constraint",
            "23503" | "23001" => "Foreign key violation. a foreign key constraint is violated",
            "23502" => "Not-NULL violation. null value violates a not-null constraint",
            "23P01" => {
                "Exclusion violation. conflicting key value violates an exclusion constraint"
            }
            "23514" => "Check constraint violation. a check constraint is violated",
            _ => "a constraint is violated",
        }
        .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Error;
    use super::*;
    use crate::config::dialect::Profile;

    fn refusal(sqlstate: &str) -> PostgresError {
        PostgresError {
            sqlstate: sqlstate.into(),
            message: "ON CONFLICT, in the server's own words: secret".into(),
            constraint: Some("users_email_key".into()),
            table: Some("users".into()),
            column: Some("email".into()),
            is_known: true,
            ..PostgresError::default()
        }
    }

    /// The code and message, after checking that the server's own text is not part of them.
    fn code_and_message(error: &Error, profile: Profile) -> (String, String) {
        let envelope = error.to_graphql("1", profile);
        assert!(!envelope.to_string().contains("secret"), "{envelope}");
        let error = &envelope["errors"][0];
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        (text(&error["extensions"]["code"]), text(&error["message"]))
    }

    #[test]
    fn sqlstate_decides_code_and_message() {
        let expected = [
            (
                "23505",
                "constraint-violation",
                "Uniqueness violation. duplicate key value violates unique constraint \
                 'users_email_key'",
            ),
            (
                "23503",
                "constraint-violation",
                "Foreign key violation. insert or update on table 'users' violates foreign key \
                 constraint \
                 'users_email_key'",
            ),
            (
                "23502",
                "constraint-violation",
                "Not-NULL violation. null value in column 'email' of relation 'users' violates \
                 not-null constraint",
            ),
            (
                "23514",
                "constraint-violation",
                "Check constraint violation. new row for relation 'users' violates check \
                 constraint \
                 'users_email_key'",
            ),
            ("22012", "data-exception", "division by zero"),
            (
                "P0001",
                "data-exception",
                "a function or trigger of the database refuses the request",
            ),
            (
                "54011",
                "limit-exceeded",
                "the request asks for more than one statement of Postgres can hold",
            ),
            (
                "22P02",
                "constraint-violation",
                "a value has the wrong form for its type",
            ),
            (
                "40P01",
                "conflict",
                "the request was in conflict with another one",
            ),
            (
                "42501",
                "permission-error",
                "the database does not allow this",
            ),
            (
                "42P17",
                "permission-error",
                "policies of the database refer to each other without end",
            ),
            (
                "0A000",
                "not-supported",
                "the database does not support this for such a value",
            ),
            (
                "21000",
                "data-exception",
                "there is more than one row where one is wanted",
            ),
            ("XX000", "unexpected", "internal error (request 1)"),
        ];
        for (sqlstate, code, message) in expected {
            let error = Error::Database(DatabaseError::Refused(refusal(sqlstate)));
            assert_eq!(
                code_and_message(&error, Profile::Gateway),
                (code.into(), message.into()),
                "{sqlstate}"
            );
            let cause = error.cause().unwrap();
            assert!(cause.contains(sqlstate));
            assert!(!cause.contains("secret"), "{cause}");
        }
    }

    #[test]
    fn mutations_have_further_codes() {
        let expected = [
            ("42501", "permission-error", 403),
            ("21000", "constraint-violation", 400),
            ("42P10", "constraint-violation", 400),
            ("25006", "unavailable", 503),
            ("55000", "not-supported", 400),
            ("44000", "constraint-violation", 400),
            ("23505", "constraint-violation", 400),
            ("XX000", "unexpected", 500),
        ];
        for (sqlstate, code, status) in expected {
            let routine = if sqlstate == "25006" {
                "PreventCommandIfReadOnly"
            } else {
                ""
            };
            let refusal = PostgresError {
                routine: routine.into(),
                ..refusal(sqlstate)
            };
            let error = Error::NotWritten {
                refusal,
                path: "$.x".into(),
            };
            assert_eq!(
                (error.spec().code, error.spec().strict),
                (code, status),
                "{sqlstate}"
            );
            code_and_message(&error, Profile::Gateway);
            assert_eq!(
                error.to_graphql("1", Profile::Gateway)["errors"][0]["extensions"]["path"],
                "$.x"
            );
        }
    }

    #[test]
    fn hasura_profile_has_other_codes_and_paths() {
        let expected = [
            ("23505", "constraint-violation"),
            ("23514", "permission-error"),
            ("44000", "permission-error"),
            ("42P10", "constraint-error"),
            ("22012", "data-exception"),
            ("P0001", "unexpected"),
        ];
        for (sqlstate, code) in expected {
            let path = "$.selectionSet.insert_users.args.objects[1].posts.data".to_owned();
            let error = Error::NotWritten {
                refusal: refusal(sqlstate),
                path,
            };
            assert_eq!(
                code_and_message(&error, Profile::Hasura).0,
                code,
                "{sqlstate}"
            );
            let graphql = error.to_graphql("1", Profile::Hasura);
            assert_eq!(
                graphql["errors"][0]["extensions"]["path"],
                "$.selectionSet.insert_users.args.objects"
            );
        }
        let path = "$.selectionSet.update_users.args._set".to_owned();
        let error = Error::NotWritten {
            refusal: refusal("23505"),
            path,
        };
        assert_eq!(
            error.to_graphql("1", Profile::Hasura)["errors"][0]["extensions"]["path"],
            "$"
        );
        assert_eq!(
            code_and_message(&error, Profile::Hasura).1,
            "Uniqueness violation. duplicate key value violates unique constraint \
             \"users_email_key\""
        );
    }

    #[test]
    fn raised_error_is_a_data_exception_unless_its_code_says_more() {
        let raised = |sqlstate: &str| PostgresError {
            routine: "exec_stmt_raise".into(),
            ..refusal(sqlstate)
        };
        let other = |sqlstate: &str| PostgresError {
            routine: "plv8_call".into(),
            ..refusal(sqlstate)
        };
        let cases = [
            raised("QT001"),
            raised("PT403"),
            raised("57014"),
            raised("08006"),
            raised("25006"),
            raised("55000"),
            raised("XX000"),
            other("QT001"),
            other("AP001"),
        ];
        for refusal in cases {
            let message = "a function or trigger of the database refuses the request";
            let written = Error::NotWritten {
                refusal: refusal.clone(),
                path: "$".into(),
            };
            for error in [
                Error::Database(DatabaseError::Refused(refusal.clone())),
                written,
            ] {
                let expected = ("data-exception".into(), message.into());
                assert_eq!(
                    code_and_message(&error, Profile::Gateway),
                    expected,
                    "{refusal}"
                );
                assert_eq!(
                    code_and_message(&error, Profile::Hasura).0,
                    "unexpected",
                    "{refusal}"
                );
            }
        }
        let kept = Error::Database(DatabaseError::Refused(raised("23514")));
        assert_eq!(
            code_and_message(&kept, Profile::Gateway).0,
            "constraint-violation"
        );
    }

    #[test]
    fn unknown_names_are_not_shown() {
        let expected = [
            (
                "23505",
                "Uniqueness violation. duplicate key value violates a unique constraint",
            ),
            (
                "23503",
                "Foreign key violation. a foreign key constraint is violated",
            ),
            (
                "23001",
                "Foreign key violation. a foreign key constraint is violated",
            ),
            (
                "23502",
                "Not-NULL violation. null value violates a not-null constraint",
            ),
            (
                "23P01",
                "Exclusion violation. conflicting key value violates an exclusion constraint",
            ),
            (
                "23514",
                "Check constraint violation. a check constraint is violated",
            ),
            ("23999", "a constraint is violated"),
        ];
        for (sqlstate, message) in expected {
            let hidden = PostgresError {
                is_known: false,
                referenced: Some("teams".into()),
                ..refusal(sqlstate)
            };
            let error = Error::NotWritten {
                refusal: hidden.clone(),
                path: "$".into(),
            };
            assert_eq!(code_and_message(&error, Profile::Gateway).1, message);
            assert_eq!(code_and_message(&error, Profile::Hasura).1, message);
            assert_eq!(
                code_and_message(
                    &Error::Database(DatabaseError::Refused(hidden)),
                    Profile::Gateway
                )
                .1,
                message
            );
        }
    }

    #[test]
    fn foreign_key_message_names_the_written_table() {
        let restricted = PostgresError {
            referenced: Some("teams".into()),
            ..refusal("23503")
        };
        assert_eq!(
            refusal_message(&restricted),
            "Foreign key violation. update or delete on table 'teams' violates foreign key \
             constraint \
             'users_email_key' on table 'users'"
        );
        let raised = PostgresError {
            constraint: None,
            table: None,
            ..refusal("23503")
        };
        assert_eq!(
            refusal_message(&raised),
            "Foreign key violation. a foreign key constraint is violated"
        );
    }
}
