//! `[errors]` in the settings file: which errors that functions and triggers of the database raise
//! on purpose reach clients with their own text. By default none do, because the text may contain
//! any value that the function reads.

use pg::{FurtherText, PostgresError};
use serde::Deserialize;

use crate::config::{ConfigError, ConfigTables};
use crate::error::Error;

/// Which raised errors clients see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaisedErrors {
    /// Their SQLSTATEs; none by default.
    codes: Vec<String>,
    detail: bool,
    hint: bool,
}

/// `[errors]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorsTable {
    #[serde(default)]
    raise: Raise,
    #[serde(default)]
    codes: Vec<String>,
    #[serde(default)]
    detail: bool,
    #[serde(default)]
    hint: bool,
}

/// What clients see of a raised error.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Raise {
    /// A fixed text.
    #[default]
    Hidden,
    /// The message.
    Message,
}

/// The SQLSTATE of `RAISE EXCEPTION` without another one.
const RAISE_EXCEPTION: &str = "P0001";

/// The routine of PL/pgSQL's `RAISE` in Postgres' source code.
const RAISE_ROUTINE: &str = "exec_stmt_raise";

impl RaisedErrors {
    /// Reads `[errors]` from the settings file.
    pub fn read(sections: &ConfigTables) -> Result<RaisedErrors, ConfigError> {
        let Some(ErrorsTable {
            raise,
            codes,
            detail,
            hint,
        }) = sections.read::<ErrorsTable>("errors")?
        else {
            return Ok(RaisedErrors::default());
        };
        let is_code = |code: &&String| {
            code.len() == 5
                && code
                    .bytes()
                    .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        };
        if let Some(wrong) = codes.iter().find(|code| !is_code(code)) {
            let message =
                format!("`codes` has `{wrong}`: a SQLSTATE has five capital letters and digits");
            return Err(sections.fault("errors", message));
        }
        if raise == Raise::Hidden {
            let idle = [
                ("codes", !codes.is_empty()),
                ("detail", detail),
                ("hint", hint),
            ];
            return match idle.iter().find(|(_, is_given)| *is_given) {
                Some((key, _)) => {
                    Err(sections.fault("errors", format!("`{key}` needs `raise = \"message\"`")))
                }
                None => Ok(RaisedErrors::default()),
            };
        }
        let codes = codes
            .into_iter()
            .chain([RAISE_EXCEPTION.to_owned()])
            .collect();
        Ok(RaisedErrors {
            codes,
            detail,
            hint,
        })
    }

    /// Marks an error whose text the client may see.
    pub fn show(&self, mut error: Error) -> Error {
        if let Some(refusal) = error.refusal_mut().filter(|refusal| self.shows(refusal)) {
            let text =
                |is_wanted: bool, text: &Option<Box<str>>| text.clone().filter(|_| is_wanted);
            let shown = FurtherText {
                detail: text(self.detail, &refusal.further.detail),
                hint: text(self.hint, &refusal.further.hint),
            };
            refusal.shown = Some(Box::new(shown));
        }
        error
    }

    /// A code that the server itself uses counts only if PL/pgSQL's `RAISE` has raised it: else
    /// naming `23505` would show the server's messages, with the values of rows.
    fn shows(&self, refusal: &PostgresError) -> bool {
        let is_raised = &*refusal.routine == RAISE_ROUTINE || refusal.has_own_code();
        is_raised && self.codes.contains(&refusal.sqlstate)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::dialect::Profile;
    use pg::DatabaseError;

    fn read(text: &str) -> Result<RaisedErrors, String> {
        let text = format!("[errors]\n{text}");
        RaisedErrors::read(&ConfigTables::parse(Path::new("gateway.toml"), &text))
            .map_err(|error| error.to_string())
    }

    fn raised(sqlstate: &str, routine: &str) -> Error {
        Error::Database(DatabaseError::Refused(PostgresError {
            sqlstate: sqlstate.into(),
            message: "order 7 is closed".into(),
            further: Box::new(FurtherText {
                detail: Some("since Monday".into()),
                hint: Some("open it".into()),
            }),
            routine: routine.into(),
            ..PostgresError::default()
        }))
    }

    #[test]
    fn raised_errors_are_hidden_by_default() {
        for error in [
            raised("P0001", RAISE_ROUTINE),
            raised("AP001", RAISE_ROUTINE),
        ] {
            let hidden = RaisedErrors::default()
                .show(error)
                .to_graphql("1", Profile::Gateway)
                .to_string();
            assert!(
                !hidden.contains("order 7") && !hidden.contains("Monday"),
                "{hidden}"
            );
        }
    }

    #[test]
    fn named_codes_are_shown_with_what_the_file_wants() {
        let shown = |settings: &str, error| {
            read(settings)
                .unwrap()
                .show(error)
                .to_graphql("1", Profile::Gateway)
        };
        let response = shown("raise = \"message\"", raised("P0001", RAISE_ROUTINE));
        let expected = serde_json::json!({"errors": [{
            "message": "order 7 is closed", "extensions": {"code": "data-exception", "path": "$"}
        }]});
        assert_eq!(response, expected);
        let all = "raise = \"message\"\ncodes = [\"AP001\", \"23514\"]\ndetail = true\nhint = true";
        let response_value = shown(all, raised("AP001", ""));
        let extensions = serde_json::json!(
            {"code": "data-exception", "path": "$", "sqlstate": "AP001", "detail": "since Monday", "hint": "open \
                 it"}
        );
        assert_eq!(response_value["errors"][0]["extensions"], extensions);
        let violation = shown(all, raised("23514", RAISE_ROUTINE));
        assert_eq!(violation["errors"][0]["message"], "order 7 is closed");
        assert_eq!(
            violation["errors"][0]["extensions"]["code"],
            "constraint-violation"
        );
        let rest = read(all)
            .unwrap()
            .show(raised("P0001", RAISE_ROUTINE))
            .to_rest("1", Profile::Gateway);
        assert_eq!(rest["message"], "order 7 is closed");
        assert_eq!(
            (rest["detail"].as_str(), rest["hint"].as_str()),
            (Some("since Monday"), Some("open it"))
        );
        let hasura = read(all)
            .unwrap()
            .show(raised("P0001", RAISE_ROUTINE))
            .to_graphql("1", Profile::Hasura);
        assert_eq!(hasura["errors"][0]["message"], "order 7 is closed");
    }

    #[test]
    fn messages_of_the_server_itself_stay_hidden() {
        let all = read("raise = \"message\"\ncodes = [\"23505\", \"23514\", \"XX000\"]").unwrap();
        for sqlstate in ["23505", "23514", "XX000", "22012", "42501"] {
            let hidden = all
                .show(raised(sqlstate, "ExecConstraints"))
                .to_graphql("1", Profile::Gateway)
                .to_string();
            assert!(!hidden.contains("order 7"), "{hidden}");
        }
    }

    #[test]
    fn wrong_settings_are_faults() {
        assert!(
            read("raise = \"message\"\ncodes = [\"p1\"]")
                .unwrap_err()
                .contains("SQLSTATE")
        );
        assert!(read("detail = true").unwrap_err().contains("needs `raise"));
        assert!(read("raise = \"all\"").is_err() && read("other = 1").is_err());
    }
}
