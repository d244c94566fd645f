//! Users as the configured query returns them, and their form in claims and in responses.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use gateway::auth::claims::Claims;
use gateway::auth::session::{ValueNames, Values, value_name};

/// A user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct User {
    /// The id as text.
    pub(crate) id: String,
    default_role: Arc<str>,
    roles: Vec<Arc<str>>,
    /// The row that the query returned.
    row: Map<String, Value>,
}

/// Session values that the `claims` column cannot set.
const OWN: [&str; 5] = ["role", "default_role", "allowed_roles", "user_id", ELEVATED];

/// The session value of a person who has just shown a factor again: the user's id.
pub(super) const ELEVATED: &str = "auth_elevated";

impl User {
    /// Reads a row. `None` for null, or for a row without id or roles.
    pub(crate) fn read(row: Value) -> Option<User> {
        let Value::Object(row) = row else { return None };
        let text = |name: &str| row.get(name).and_then(plain);
        let id = text("id")?;
        let default_role = text("default_role")?;
        let roles = row
            .get("allowed_roles")?
            .as_array()?
            .iter()
            .filter_map(Value::as_str);
        let mut roles: Vec<Arc<str>> = roles.map(Arc::from).collect();
        if !roles.iter().any(|role| **role == *default_role) {
            roles.insert(0, default_role.as_str().into());
        }
        Some(User {
            id,
            default_role: default_role.into(),
            roles,
            row,
        })
    }

    /// Restricts the user to these roles, the first of which becomes the default; `None` if none is
    /// left.
    pub(super) fn within(mut self, roles: Option<&[String]>) -> Option<User> {
        let Some(roles) = roles else {
            return Some(self);
        };
        let mut kept: Vec<Arc<str>> = Vec::new();
        for role in roles {
            let own = self.roles.iter().find(|own| ***own == **role);
            kept.extend(own.filter(|own| !kept.contains(own)).cloned());
        }
        self.roles = kept;
        self.default_role = self.roles.first()?.clone();
        Some(self)
    }

    /// A text of the row that the query returned; `None` if it is missing or empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let text = self.row.get(name).and_then(Value::as_str);
        text.filter(|text| !text.is_empty())
    }

    /// The default role.
    pub(super) fn default_role(&self) -> &str {
        &self.default_role
    }

    /// The roles, the default first.
    pub(super) fn roles(&self) -> Vec<String> {
        let others = self.roles.iter().filter(|role| **role != self.default_role);
        std::iter::once(&self.default_role)
            .chain(others)
            .map(|role| role.to_string())
            .collect()
    }

    /// The claims of the user's access tokens. The error is the name of a claim that the row has in
    /// two spellings.
    pub(super) fn claims(&self, prefix: &str, is_elevated: bool) -> Result<Claims, String> {
        let mut values = Values::new();
        let prefix = value_name(prefix);
        let mut names = ValueNames::new("");
        for (name, value) in self
            .row
            .get("claims")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let name = value_name(name);
            let name = name.strip_prefix(&prefix).unwrap_or(&name);
            names.insert(name)?;
            if let Some(text) = value_text(value)
                && !OWN.contains(&name)
            {
                values.insert(name.to_owned(), text);
            }
        }
        values.insert("user_id".into(), self.id.clone());
        if is_elevated {
            values.insert(ELEVATED.into(), self.id.clone());
        }
        Ok(Claims {
            default_role: self.default_role.clone(),
            allowed_roles: self.roles.clone(),
            values: values.into(),
        })
    }

    /// The user in the JSON format of hasura-auth. Columns that the query lacks get the values of
    /// an account without them.
    pub(super) fn to_json(&self) -> Value {
        let or = |name: &str, otherwise: Value| match self.row.get(name) {
            None | Some(Value::Null) => otherwise,
            Some(value) => value.clone(),
        };
        json!({
            "id": self.id,
            "email": or("email", Value::Null),
            "displayName": or("display_name", or("email", "".into())),
            "avatarUrl": or("avatar_url", "".into()),
            "locale": or("locale", "en".into()),
            "createdAt": or("created_at", Value::Null),
            "isAnonymous": or("is_anonymous", false.into()),
            "emailVerified": or("email_verified", false.into()),
            "phoneNumber": or("phone_number", Value::Null),
            "phoneNumberVerified": or("phone_number_verified", false.into()),
            "defaultRole": &*self.default_role,
            "roles": self.roles.iter().map(|role| &**role).collect::<Vec<&str>>(),
            "metadata": or("metadata", json!({})),
            "activeMfaType": or("active_mfa_type", Value::Null),
        })
    }
}

/// An id or a role: text, or a number.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The text of a session value; lists and objects are JSON.
fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(claims: &Value) -> User {
        let row = json!({"id": 7, "email": "a@b", "default_role": "user", "allowed_roles": ["user", "me"], "claims": claims});
        User::read(row).unwrap()
    }

    #[test]
    fn claims_are_session_values_and_set_no_role() {
        let claims = json!({
            "x-gateway-team-ids": [1, 2], "subject-id": "s", "none": null, "x-gateway-default-role": "admin",
            "allowed_roles": ["admin"], "user_id": "8", "X-Gateway-Role": "admin", "auth-elevated": "7"});
        let claims = user(&claims).claims("X-Gateway-", false).unwrap();
        assert_eq!(
            (&*claims.default_role, claims.allowed_roles.len()),
            ("user", 2)
        );
        let expected = [("subject_id", "s"), ("team_ids", "[1,2]"), ("user_id", "7")];
        assert_eq!(
            *claims.values,
            expected
                .map(|(name, text)| (name.to_owned(), text.to_owned()))
                .into()
        );
    }

    #[test]
    fn claim_in_two_spellings_is_an_error() {
        for (first, second) in [
            ("team-id", "team_id"),
            ("Team-Id", "team-id"),
            ("x-gateway-team-id", "team_id"),
        ] {
            let twice = user(&json!({first: 1, second: 1})).claims("X-Gateway-", false);
            assert_eq!(twice.unwrap_err(), "team_id", "{first} {second}");
        }
    }

    #[test]
    fn roles_can_only_be_restricted() {
        let roles = |roles: &[&str]| {
            roles
                .iter()
                .map(|role| (*role).to_owned())
                .collect::<Vec<String>>()
        };
        let narrow = user(&json!({}))
            .within(Some(&roles(&["me", "admin", "me"])))
            .unwrap();
        assert_eq!(
            (
                narrow.to_json()["defaultRole"].clone(),
                narrow.to_json()["roles"].clone()
            ),
            (json!("me"), json!(["me"]))
        );
        assert_eq!(user(&json!({})).within(Some(&roles(&["admin"]))), None);
        assert_eq!(
            user(&json!({})).within(None).unwrap().to_json()["roles"],
            json!(["user", "me"])
        );
    }

    #[test]
    fn row_without_id_or_role_is_no_user() {
        assert_eq!(
            User::read(json!({"id": "a", "default_role": null, "allowed_roles": ["a"]})),
            None
        );
        assert_eq!(
            User::read(json!({"id": null, "default_role": "a", "allowed_roles": ["a"]})),
            None
        );
        assert_eq!(User::read(Value::Null), None);
    }
}
