//! What a token says of its holder: default role, allowed roles and session values, wherever the issuer puts them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::Unverified;
use crate::profile::Profile;
use crate::session::{Values, value_name};

/// What a token says of its holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// The role without a role header.
    pub default_role: Arc<str>,
    /// The roles that may be picked.
    pub allowed_roles: Vec<Arc<str>>,
    /// The session values.
    pub values: Arc<Values>,
}

/// Where an issuer puts its claims.
#[derive(Debug)]
pub struct Form {
    prefix: String,
    place: Place,
}

/// How claims are called where the secret does not say.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    /// How they begin: `x-gateway-`.
    pub prefix: &'a str,
    /// The object that holds them.
    pub namespace: &'a str,
}

impl Default for Naming<'_> {
    fn default() -> Self {
        let profile = Profile::default();
        Naming { prefix: profile.header_prefix(), namespace: profile.claims_namespace() }
    }
}

#[derive(Debug)]
enum Place {
    /// In one object of the token.
    Namespace { name: String, format: Format },
    /// Each somewhere else.
    Map(BTreeMap<String, Source>),
}

/// How the object of claims is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// As an object.
    #[default]
    Json,
    /// As a string that holds the object.
    StringifiedJson,
}

/// A member of `claims_map` as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Mapping {
    /// From somewhere in the token.
    Path {
        /// `$.user.id`.
        path: String,
        /// What holds where the token has nothing there.
        default: Option<Value>,
    },
    /// Always this.
    Literal(Value),
}

#[derive(Debug)]
enum Source {
    Path(Vec<Step>, Option<Value>),
    Literal(Value),
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Item(usize),
}

const DEFAULT_ROLE: &str = "default-role";
const ALLOWED_ROLES: &str = "allowed-roles";

impl Form {
    /// The form of an issuer's claims. The error is a mapped claim whose path cannot be read.
    pub fn new(
        prefix: &str,
        namespace: String,
        format: Format,
        map: Option<BTreeMap<String, Mapping>>,
    ) -> Result<Form, String> {
        let prefix = prefix.to_ascii_lowercase();
        let place = match map {
            Some(map) => {
                Place::Map(map.into_iter().map(|(name, mapping)| source(name, mapping)).collect::<Result<_, _>>()?)
            }
            None => Place::Namespace { name: namespace, format },
        };
        Ok(Form { prefix, place })
    }

    /// Reads a verified token.
    pub fn read(&self, token: &Map<String, Value>) -> Result<Claims, Unverified> {
        let found = match &self.place {
            Place::Namespace { name, format } => namespace(token, name, *format)?,
            Place::Map(map) => {
                let found = map.iter().filter_map(|(name, source)| Some((name.clone(), source.find(token)?)));
                found.collect()
            }
        };
        let mut members = BTreeMap::new();
        for (name, value) in found {
            if let Some(name) = name.to_ascii_lowercase().strip_prefix(&self.prefix) {
                members.insert(name.to_owned(), value);
            }
        }
        let default_role = self.default_role(members.remove(DEFAULT_ROLE))?;
        let allowed_roles = self.allowed_roles(members.remove(ALLOWED_ROLES))?;
        members.remove("role");
        let values = members.into_iter().filter_map(|(name, value)| Some((value_name(&name), text(value)?)));
        Ok(Claims { default_role, allowed_roles, values: Arc::new(values.collect()) })
    }

    /// The payload of a token that says so. Mapped claims are written under their own names.
    pub fn write(&self, claims: &Claims) -> Map<String, Value> {
        let mut members = Map::new();
        let name = |name: &str| format!("{}{name}", self.prefix);
        members.insert(name(DEFAULT_ROLE), Value::from(&*claims.default_role));
        members.insert(name(ALLOWED_ROLES), claims.allowed_roles.iter().map(|role| Value::from(&**role)).collect());
        for (value, text) in claims.values.iter() {
            members.insert(name(&value.replace('_', "-")), Value::from(text.as_str()));
        }
        match &self.place {
            Place::Namespace { name, format: Format::Json } => Map::from_iter([(name.clone(), members.into())]),
            Place::Namespace { name, format: Format::StringifiedJson } => {
                Map::from_iter([(name.clone(), Value::Object(members).to_string().into())])
            }
            Place::Map(_) => members,
        }
    }

    fn default_role(&self, value: Option<Value>) -> Result<Arc<str>, Unverified> {
        match value {
            Some(Value::String(role)) if !role.is_empty() => Ok(role.into()),
            None | Some(Value::Null) => Err(self.missing(DEFAULT_ROLE)),
            Some(_) => Err(self.malformed(DEFAULT_ROLE, "a role")),
        }
    }

    fn allowed_roles(&self, value: Option<Value>) -> Result<Vec<Arc<str>>, Unverified> {
        let roles = match value {
            Some(Value::Array(roles)) => roles,
            None | Some(Value::Null) => return Err(self.missing(ALLOWED_ROLES)),
            Some(_) => return Err(self.malformed(ALLOWED_ROLES, "a list of roles")),
        };
        let roles: Option<Vec<Arc<str>>> = roles.iter().map(|role| role.as_str().map(Arc::from)).collect();
        roles.filter(|roles| !roles.is_empty()).ok_or_else(|| self.malformed(ALLOWED_ROLES, "a list of roles"))
    }

    fn missing(&self, name: &str) -> Unverified {
        Unverified::MissingClaim(format!("{}{name}", self.prefix))
    }

    fn malformed(&self, name: &str, expected: &'static str) -> Unverified {
        Unverified::Claim { name: format!("{}{name}", self.prefix), expected }
    }
}

fn namespace(token: &Map<String, Value>, name: &str, format: Format) -> Result<Map<String, Value>, Unverified> {
    let malformed = |expected| Unverified::Claim { name: name.to_owned(), expected };
    match (format, token.get(name)) {
        (_, None) => Err(Unverified::MissingClaim(name.to_owned())),
        (Format::Json, Some(Value::Object(claims))) => Ok(claims.clone()),
        (Format::Json, Some(_)) => Err(malformed("an object")),
        (Format::StringifiedJson, Some(Value::String(text))) => {
            serde_json::from_str(text).map_err(|_| malformed("a string that holds a JSON object"))
        }
        (Format::StringifiedJson, Some(_)) => Err(malformed("a string that holds a JSON object")),
    }
}

/// The text of a session value: a list or an object as JSON, as `sql` reads it.
fn text(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

fn source(name: String, mapping: Mapping) -> Result<(String, Source), String> {
    let source = match mapping {
        Mapping::Literal(value) => Source::Literal(value),
        Mapping::Path { path, default } => Source::Path(steps(&path).ok_or_else(|| name.clone())?, default),
    };
    Ok((name, source))
}

impl Source {
    fn find(&self, token: &Map<String, Value>) -> Option<Value> {
        let (steps, default) = match self {
            Source::Literal(value) => return Some(value.clone()),
            Source::Path(steps, default) => (steps, default),
        };
        let (first, rest) = steps.split_first()?;
        let start = match first {
            Step::Key(key) => token.get(key),
            Step::Item(_) => None,
        };
        let found = rest.iter().try_fold(start, |value, step| {
            Some(match step {
                Step::Key(key) => value?.get(key),
                Step::Item(place) => value?.get(place),
            })
        });
        let found = found.flatten();
        found.filter(|value| !value.is_null()).or(default.as_ref()).cloned()
    }
}

/// The steps of `$.a['b c'][0]`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('[') {
            Some(inside) => {
                let (inside, after) = inside.split_once(']')?;
                let quoted = inside.strip_prefix(['\'', '"']).and_then(|text| text.strip_suffix(['\'', '"']));
                let step = match quoted {
                    Some(key) => Step::Key(key.to_owned()),
                    None => Step::Item(inside.parse().ok()?),
                };
                (step, after)
            }
            None => {
                let name = rest.strip_prefix('.')?;
                let end = name.find(['.', '[']).unwrap_or(name.len());
                let (name, after) = name.split_at(end);
                (Step::Key(Some(name).filter(|name| !name.is_empty())?.to_owned()), after)
            }
        };
        steps.push(step);
        rest = after;
    }
    Some(steps).filter(|steps| !steps.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(form: &Form, token: &Value) -> Result<Claims, Unverified> {
        form.read(token.as_object().unwrap())
    }

    fn plain() -> Form {
        Form::new("X-Gateway-", "gateway".into(), Format::Json, None).unwrap()
    }

    #[test]
    fn claims_become_roles_and_values() {
        let token = json!({"sub": "s", "gateway": {
            "x-gateway-default-role": "user", "X-Gateway-Allowed-Roles": ["user", "me"], "x-gateway-User-Id": 7,
            "x-gateway-ids": ["a", "b"], "x-gateway-none": null, "x-other": "no", "x-gateway-role": "admin"}});
        let claims = read(&plain(), &token).unwrap();
        assert_eq!(&*claims.default_role, "user");
        assert_eq!(claims.allowed_roles, ["user".into(), "me".into()]);
        let values = [("ids", r#"["a","b"]"#), ("user_id", "7")];
        assert_eq!(*claims.values, values.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
    }

    #[test]
    fn both_role_claims_are_needed() {
        let role = "x-gateway-default-role";
        let roles = "x-gateway-allowed-roles";
        let refused = [
            (json!({}), "the claim 'gateway' is missing"),
            (json!({"gateway": "x"}), "the claim 'gateway' has to be an object"),
            (json!({"gateway": {roles: ["a"]}}), "the claim 'x-gateway-default-role' is missing"),
            (json!({"gateway": {role: "a"}}), "the claim 'x-gateway-allowed-roles' is missing"),
            (
                json!({"gateway": {role: "a", roles: "a"}}),
                "the claim 'x-gateway-allowed-roles' has to be a list of roles",
            ),
            (
                json!({"gateway": {role: "a", roles: [1]}}),
                "the claim 'x-gateway-allowed-roles' has to be a list of roles",
            ),
            (json!({"gateway": {role: 1, roles: ["a"]}}), "the claim 'x-gateway-default-role' has to be a role"),
        ];
        for (token, message) in refused {
            assert_eq!(read(&plain(), &token).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn claims_may_stand_elsewhere() {
        let map = serde_json::from_value(json!({
            "x-gateway-default-role": {"path": "$.realm.roles[0]", "default": "none"},
            "x-gateway-allowed-roles": ["user", "none"],
            "x-gateway-user-id": {"path": "$['the id']"},
            "x-gateway-gone": {"path": "$.a.b.c"},
        }));
        let form = Form::new("x-gateway-", "gateway".into(), Format::Json, Some(map.unwrap())).unwrap();
        let claims = read(&form, &json!({"realm": {"roles": ["user"]}, "the id": "7"})).unwrap();
        assert_eq!((&*claims.default_role, claims.values["user_id"].as_str()), ("user", "7"));
        assert_eq!(claims.values.len(), 1);
        let claims = read(&form, &json!({"realm": {}})).unwrap();
        assert_eq!(&*claims.default_role, "none");
    }

    #[test]
    fn a_string_may_hold_the_claims() {
        let form = Form::new("x-gateway-", "c".into(), Format::StringifiedJson, None).unwrap();
        let inside = r#"{"x-gateway-default-role":"a","x-gateway-allowed-roles":["a"]}"#;
        assert_eq!(&*read(&form, &json!({"c": inside})).unwrap().default_role, "a");
        assert!(read(&form, &json!({"c": "{"})).is_err());
    }

    #[test]
    fn what_is_written_can_be_read() {
        let values = Arc::new(Values::from([("user_id".to_owned(), "7".to_owned())]));
        let claims = Claims { default_role: "a".into(), allowed_roles: vec!["a".into()], values };
        assert_eq!(plain().read(&plain().write(&claims)).unwrap(), claims);
    }

    #[test]
    fn paths_are_read() {
        assert_eq!(steps("$.a[0]").unwrap(), [Step::Key("a".into()), Step::Item(0)]);
        for bad in ["", "a", "$", "$.", "$[x]", "$a", "$.a[0"] {
            assert!(steps(bad).is_none(), "{bad}");
        }
    }
}
