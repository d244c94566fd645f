//! The claims of a caller as PostgREST passes them to Postgres, for settings with the value
//! `"token"`: the payload of its verified token, or the object that an admin gives beside its
//! secret. They are kept as text, serialized once.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::request::json::Distinct;

/// The claims that `"token"` in `[settings]` means for a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SessionClaims {
    /// The role and the session values: the caller has no token whose claims could be passed on.
    #[default]
    SessionValues,
    /// Those of a token, or of an admin's header.
    Given(ClaimsSet),
    /// The caller has a token, but no setting read its claims when it was verified.
    NotKept,
}

/// A JSON object without its member `role`, which each request has of its own:
/// `,"sub":"7","teams":[1]}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimsSet(Arc<str>);

/// The member with the role that statements run as. PostgREST replaces the token's own, too, so
/// that policies cannot read a role that the request does not have.
const ROLE: &str = "role";

/// The claims that tell a token from the one before it (RFC 7519). A renewed token has others.
const OF_ONE_TOKEN: [&str; 4] = ["exp", "iat", "nbf", "jti"];

impl SessionClaims {
    /// Whether two sessions may be of one caller: their claims differ at most in those of the token
    /// itself.
    pub(super) fn is_same_caller(&self, other: &SessionClaims) -> bool {
        match (self, other) {
            (SessionClaims::Given(claims), SessionClaims::Given(others)) => {
                claims == others || claims.lasting() == others.lasting()
            }
            (claims, others) => claims == others,
        }
    }
}

impl ClaimsSet {
    /// Reads a JSON object in which no key is repeated; `None` for anything else. Numbers keep
    /// their digits.
    pub fn parse(json: &[u8]) -> Option<ClaimsSet> {
        let Distinct(members) = serde_json::from_slice(json).ok()?;
        Some(ClaimsSet::new(members))
    }

    fn new(mut members: Map<String, Value>) -> ClaimsSet {
        members.shift_remove(ROLE);
        let text = if members.is_empty() {
            "}".to_owned()
        } else {
            Value::Object(members).to_string()
        };
        ClaimsSet(text.replacen('{', ",", 1).into())
    }

    /// The claims as a JSON object, with this role.
    pub fn json(&self, role: &str) -> String {
        let role = Value::from(role);
        format!("{{\"{ROLE}\":{role}{}", self.0)
    }

    /// The claims that stay when the token is renewed.
    fn lasting(&self) -> Option<Map<String, Value>> {
        let Distinct(mut members) = serde_json::from_str(&self.json("")).ok()?;
        OF_ONE_TOKEN
            .iter()
            .for_each(|name| drop(members.shift_remove(*name)));
        Some(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(json: &str) -> SessionClaims {
        SessionClaims::Given(ClaimsSet::parse(json.as_bytes()).unwrap())
    }

    #[test]
    fn claims_are_passed_on_as_they_are_but_for_the_role() {
        for (given, passed) in [
            ("{}", r#"{"role":"web\"user"}"#),
            (r#"{"role":"admin"}"#, r#"{"role":"web\"user"}"#),
            (
                r#"{"sub":"{7","role":["x"],"n":12345678901234567890.10,"a":{"role":"in","teams":["{",null]},"é":-0.0}"#,
                r#"{"role":"web\"user","sub":"{7","n":12345678901234567890.10,"a":{"role":"in","teams":["{",null]},"é":-0.0}"#,
            ),
        ] {
            assert_eq!(
                ClaimsSet::parse(given.as_bytes())
                    .unwrap()
                    .json("web\"user"),
                passed
            );
        }
    }

    #[test]
    fn only_objects_without_repeated_keys_are_claims() {
        for wrong in [
            "",
            "7",
            "[]",
            "null",
            "{",
            r#"{"a":1}x"#,
            r#"{"a":1,"a":1}"#,
            r#"{"a":{"b":1,"b":2}}"#,
        ] {
            assert_eq!(ClaimsSet::parse(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn renewed_token_is_of_the_same_caller_unless_other_claims_differ() {
        let old = given(r#"{"sub":"7","exp":1,"iat":1,"nbf":1,"jti":"a","teams":[1,2]}"#);
        assert!(old.is_same_caller(&given(
            r#"{"teams":[1,2],"exp":2,"iat":2,"jti":"b","sub":"7","role":"x"}"#
        )));
        for other in [
            r#"{"sub":"7","teams":[1]}"#,
            r#"{"sub":"8","teams":[1,2]}"#,
            r#"{"sub":"7"}"#,
        ] {
            assert!(!old.is_same_caller(&given(other)), "{other}");
        }
        assert!(!old.is_same_caller(&SessionClaims::NotKept));
        assert!(SessionClaims::SessionValues.is_same_caller(&SessionClaims::SessionValues));
    }
}
