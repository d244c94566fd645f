//! Reads the default role, the allowed roles and the session values from the claims of a token, at
//! the location that the issuer's settings define. Tokens are verified in [`super::jwt`].

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::jwt_config_error::JwtConfigError;
use crate::auth::session::{ValueNames, Values, value_name};
use crate::config::dialect::Profile;
use crate::error::TokenError;
use crate::request::json::Distinct;

/// The authorization claims of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// The role of requests without a role header.
    pub default_role: Arc<str>,
    /// The roles that the role header may select.
    pub allowed_roles: Vec<Arc<str>>,
    /// The session values.
    pub values: Arc<Values>,
}

/// Where an issuer's tokens contain their claims.
#[derive(Debug)]
pub struct ClaimsLocation {
    prefix: String,
    location: ClaimsPosition,
}

/// The default names of claims.
#[derive(Clone, Copy, Debug)]
pub struct ClaimNames<'a> {
    /// The prefix: `x-gateway-`.
    pub prefix: &'a str,
    /// The member of the token that contains the claims.
    pub namespace: &'a str,
}

impl Default for ClaimNames<'_> {
    fn default() -> Self {
        let profile = Profile::default();
        ClaimNames {
            prefix: profile.header_prefix(),
            namespace: profile.claims_namespace(),
        }
    }
}

#[derive(Debug)]
enum ClaimsPosition {
    /// In one object of the token, which may be the token itself.
    Namespace {
        path: Vec<Step>,
        name: String,
        format: Format,
    },
    /// Each claim at its own path.
    Map(BTreeMap<String, Source>),
}

/// How the object of claims is encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// As an object.
    #[default]
    Json,
    /// As a string that contains the object as JSON.
    StringifiedJson,
}

/// A member of `claims_map` as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Mapping {
    /// Read from a path in the token.
    Path {
        /// The path, such as `$.user.id`.
        path: String,
        /// The value if the token has none at the path.
        default: Option<Value>,
    },
    /// A constant.
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

impl ClaimsLocation {
    /// Claims in one object, a member of the token.
    pub fn new(prefix: &str, namespace: &str, format: Format) -> ClaimsLocation {
        let path = vec![Step::Key(namespace.to_owned())];
        let name = namespace.to_owned();
        ClaimsLocation {
            prefix: prefix.to_ascii_lowercase(),
            location: ClaimsPosition::Namespace { path, name, format },
        }
    }

    /// Claims in one object at a path, `$.a.b`; `$` is the token itself.
    pub fn at_path(
        prefix: &str,
        path: &str,
        format: Format,
    ) -> Result<ClaimsLocation, JwtConfigError> {
        let steps =
            steps(path).ok_or_else(|| JwtConfigError::Path("claims_namespace_path".into()))?;
        let location = ClaimsPosition::Namespace {
            path: steps,
            name: path.to_owned(),
            format,
        };
        Ok(ClaimsLocation {
            prefix: prefix.to_ascii_lowercase(),
            location,
        })
    }

    /// Claims that each have their own path. Both roles must be mapped.
    pub fn mapped(
        prefix: &str,
        map: BTreeMap<String, Mapping>,
    ) -> Result<ClaimsLocation, JwtConfigError> {
        let prefix = prefix.to_ascii_lowercase();
        for role in [DEFAULT_ROLE, ALLOWED_ROLES].map(|name| format!("{prefix}{name}")) {
            if !map.keys().any(|name| name.eq_ignore_ascii_case(&role)) {
                return Err(JwtConfigError::Unmapped(role));
            }
        }
        let mut names = ValueNames::new(&prefix);
        for name in map.keys() {
            names.insert(name).map_err(JwtConfigError::MappedTwice)?;
        }
        let map = map
            .into_iter()
            .map(|(name, mapping)| source(name, mapping))
            .collect::<Result<_, _>>()?;
        Ok(ClaimsLocation {
            prefix,
            location: ClaimsPosition::Map(map),
        })
    }

    /// Reads the claims of a verified token.
    pub fn read(&self, token: &Map<String, Value>) -> Result<Claims, TokenError> {
        let found = match &self.location {
            ClaimsPosition::Namespace { path, name, format } => {
                namespace(token, path, name, *format)?
            }
            ClaimsPosition::Map(map) => {
                let found = map
                    .iter()
                    .filter_map(|(name, source)| Some((name.clone(), source.find(token)?)));
                found.collect()
            }
        };
        let mut members = BTreeMap::new();
        let mut names = ValueNames::new(&self.prefix);
        for (name, value) in found {
            names.insert(&name).map_err(TokenError::TwoSpellings)?;
            if let Some(name) = name.to_ascii_lowercase().strip_prefix(&self.prefix) {
                members.insert(name.to_owned(), value);
            }
        }
        let default_role = self.default_role(members.remove(DEFAULT_ROLE))?;
        let allowed_roles = self.allowed_roles(members.remove(ALLOWED_ROLES))?;
        members.remove("role");
        let values = members
            .into_iter()
            .filter_map(|(name, value)| Some((value_name(&name), text(value)?)));
        Ok(Claims {
            default_role,
            allowed_roles,
            values: Arc::new(values.collect()),
        })
    }

    /// The payload of a token with these claims. Claims mapped to constants are not written.
    pub fn write(&self, claims: &Claims) -> Map<String, Value> {
        let mut members = Map::new();
        let name = |name: &str| format!("{}{name}", self.prefix);
        members.insert(name(DEFAULT_ROLE), Value::from(&*claims.default_role));
        members.insert(
            name(ALLOWED_ROLES),
            claims
                .allowed_roles
                .iter()
                .map(|role| Value::from(&**role))
                .collect(),
        );
        for (value, text) in claims.values.iter() {
            members.insert(name(&value.replace('_', "-")), Value::from(text.as_str()));
        }
        let mut token = Value::Object(Map::new());
        match &self.location {
            ClaimsPosition::Namespace {
                path,
                format: Format::Json,
                ..
            } => insert_at(&mut token, path, members.into()),
            ClaimsPosition::Namespace {
                path,
                format: Format::StringifiedJson,
                ..
            } => {
                insert_at(&mut token, path, Value::Object(members).to_string().into());
            }
            ClaimsPosition::Map(map) => {
                for (name, source) in map {
                    let value = members
                        .iter()
                        .find(|(known, _)| known.eq_ignore_ascii_case(name));
                    if let (Source::Path(path, _), Some((_, value))) = (source, value) {
                        insert_at(&mut token, path, value.clone());
                    }
                }
            }
        }
        match token {
            Value::Object(token) => token,
            _ => Map::new(),
        }
    }

    fn default_role(&self, value: Option<Value>) -> Result<Arc<str>, TokenError> {
        match value {
            Some(Value::String(role)) if !role.is_empty() => Ok(role.into()),
            None | Some(Value::Null) => Err(self.missing(DEFAULT_ROLE)),
            Some(_) => Err(self.malformed(DEFAULT_ROLE, "a role")),
        }
    }

    fn allowed_roles(&self, value: Option<Value>) -> Result<Vec<Arc<str>>, TokenError> {
        let roles = match value {
            Some(Value::Array(roles)) => roles,
            None | Some(Value::Null) => return Err(self.missing(ALLOWED_ROLES)),
            Some(_) => return Err(self.malformed(ALLOWED_ROLES, "a list of roles")),
        };
        let roles: Option<Vec<Arc<str>>> = roles
            .iter()
            .map(|role| role.as_str().map(Arc::from))
            .collect();
        roles
            .filter(|roles| !roles.is_empty())
            .ok_or_else(|| self.malformed(ALLOWED_ROLES, "a list of roles"))
    }

    fn missing(&self, name: &str) -> TokenError {
        TokenError::MissingClaim(format!("{}{name}", self.prefix))
    }

    fn malformed(&self, name: &str, expected: &'static str) -> TokenError {
        TokenError::Claim {
            name: format!("{}{name}", self.prefix),
            expected,
        }
    }
}

fn namespace(
    token: &Map<String, Value>,
    path: &[Step],
    name: &str,
    format: Format,
) -> Result<Map<String, Value>, TokenError> {
    let malformed = |expected| TokenError::Claim {
        name: name.to_owned(),
        expected,
    };
    if path.is_empty() && format == Format::Json {
        return Ok(token.clone());
    }
    match (format, find(token, path)) {
        (_, None) => Err(TokenError::MissingClaim(name.to_owned())),
        (Format::Json, Some(Value::Object(claims))) => Ok(claims.clone()),
        (Format::Json, Some(_)) => Err(malformed("an object")),
        (Format::StringifiedJson, Some(Value::String(text))) => {
            let claims = serde_json::from_str(text)
                .map_err(|_| malformed("a string that holds a JSON object"));
            claims.map(|Distinct(claims)| claims)
        }
        (Format::StringifiedJson, Some(_)) => Err(malformed("a string that holds a JSON object")),
    }
}

/// The value at a path of a token.
fn find<'t>(token: &'t Map<String, Value>, path: &[Step]) -> Option<&'t Value> {
    let (first, rest) = path.split_first()?;
    let start = match first {
        Step::Key(key) => token.get(key)?,
        Step::Item(_) => return None,
    };
    rest.iter().try_fold(start, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Item(index) => value.get(index),
    })
}

/// Sets the value at a path and creates missing parents.
fn insert_at(token: &mut Value, path: &[Step], value: Value) {
    let mut target = token;
    for step in path {
        target = match step {
            Step::Key(key) => {
                if !target.is_object() {
                    *target = Value::Object(Map::new());
                }
                &mut target[key.as_str()]
            }
            Step::Item(number) => {
                let mut items = target.as_array().cloned().unwrap_or_default();
                items.resize((number + 1).max(items.len()), Value::Null);
                *target = Value::Array(items);
                &mut target[*number]
            }
        };
    }
    match (target, value) {
        (Value::Object(members), Value::Object(more)) => members.extend(more),
        (target_value, value) => *target_value = value,
    }
}

/// The text of a session value. Lists and objects are JSON, which `sql` parses.
fn text(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

fn source(name: String, mapping: Mapping) -> Result<(String, Source), JwtConfigError> {
    let source = match mapping {
        Mapping::Literal(value) => Source::Literal(value),
        Mapping::Path { path, default } => {
            let steps = steps(&path).filter(|steps| !steps.is_empty());
            Source::Path(
                steps.ok_or_else(|| JwtConfigError::Path(name.clone()))?,
                default,
            )
        }
    };
    Ok((name, source))
}

impl Source {
    fn find(&self, token: &Map<String, Value>) -> Option<Value> {
        match self {
            Source::Literal(value) => Some(value.clone()),
            Source::Path(path, default) => find(token, path)
                .filter(|value| !value.is_null())
                .or(default.as_ref())
                .cloned(),
        }
    }
}

/// The maximum index of a list in a path.
const MAX_LIST_INDEX: usize = 1000;

/// Parses the steps of a path such as `$.a['b c'][0]`; empty for `$`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.trim().strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = if let Some(inside) = rest.strip_prefix('[') {
            match inside.chars().next()? {
                quote @ ('\'' | '"') => {
                    let (name, after) = inside.get(1..)?.split_once(&format!("{quote}]"))?;
                    (Step::Key(name.to_owned()), after)
                }
                _ => {
                    let (number, after) = inside.split_once(']')?;
                    (
                        Step::Item(
                            number
                                .parse()
                                .ok()
                                .filter(|number| *number < MAX_LIST_INDEX)?,
                        ),
                        after,
                    )
                }
            }
        } else {
            let name = rest.strip_prefix('.')?;
            let (name, after) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
            (
                Step::Key(Some(name).filter(|name| !name.is_empty())?.to_owned()),
                after,
            )
        };
        steps.push(step);
        rest = after;
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(location: &ClaimsLocation, token: &Value) -> Result<Claims, TokenError> {
        location.read(token.as_object().unwrap())
    }

    fn plain() -> ClaimsLocation {
        ClaimsLocation::new("X-Gateway-", "gateway", Format::Json)
    }

    #[test]
    fn claims_become_roles_and_values() {
        let token = json!({"sub": "s", "gateway": {
            "x-gateway-default-role": "user", "X-Gateway-Allowed-Roles": ["user", "me"], "x-gateway-User-Id": 7,
            "x-gateway-ids": ["a", "b"], "x-gateway-none": null, "x-other": "no", "x-gateway-role": "admin"}});
        let claims = read(&plain(), &token).unwrap();
        assert_eq!(&*claims.default_role, "user");
        assert_eq!(claims.allowed_roles, ["user", "me"].map(Arc::<str>::from));
        let values = [("ids", r#"["a","b"]"#), ("user_id", "7")];
        assert_eq!(
            *claims.values,
            values
                .map(|(name, text)| (name.to_owned(), text.to_owned()))
                .into()
        );
    }

    #[test]
    fn both_role_claims_are_needed() {
        let role = "x-gateway-default-role";
        let roles = "x-gateway-allowed-roles";
        let refused = [
            (json!({}), "the claim 'gateway' is missing"),
            (
                json!({"gateway": "x"}),
                "the claim 'gateway' has to be an object",
            ),
            (
                json!({"gateway": {roles: ["a"]}}),
                "the claim 'x-gateway-default-role' is missing",
            ),
            (
                json!({"gateway": {role: "a"}}),
                "the claim 'x-gateway-allowed-roles' is missing",
            ),
            (
                json!({"gateway": {role: "a", roles: "a"}}),
                "the claim 'x-gateway-allowed-roles' has to be a list of roles",
            ),
            (
                json!({"gateway": {role: "a", roles: [1]}}),
                "the claim 'x-gateway-allowed-roles' has to be a list of roles",
            ),
            (
                json!({"gateway": {role: 1, roles: ["a"]}}),
                "the claim 'x-gateway-default-role' has to be a role",
            ),
        ];
        for (token, message) in refused {
            assert_eq!(read(&plain(), &token).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn claims_may_have_paths_of_their_own() {
        let map = serde_json::from_value(json!({
            "x-gateway-default-role": {"path": "$.realm.roles[0]", "default": "none"},
            "x-gateway-allowed-roles": ["user", "none"],
            "x-gateway-user-id": {"path": "$['the id']"},
            "x-gateway-gone": {"path": "$.a.b.c"},
        }));
        let location = ClaimsLocation::mapped("x-gateway-", map.unwrap()).unwrap();
        let claims = read(
            &location,
            &json!({"realm": {"roles": ["user"]}, "the id": "7"}),
        )
        .unwrap();
        assert_eq!(
            (&*claims.default_role, claims.values["user_id"].as_str()),
            ("user", "7")
        );
        assert_eq!(claims.values.len(), 1);
        let claims = read(&location, &json!({"realm": {}})).unwrap();
        assert_eq!(&*claims.default_role, "none");
    }

    #[test]
    fn claims_may_be_a_json_string() {
        let location = ClaimsLocation::new("x-gateway-", "c", Format::StringifiedJson);
        let inside = r#"{"x-gateway-default-role":"a","x-gateway-allowed-roles":["a"]}"#;
        assert_eq!(
            &*read(&location, &json!({"c": inside})).unwrap().default_role,
            "a"
        );
        assert!(read(&location, &json!({"c": "{"})).is_err());
    }

    #[test]
    fn claims_object_may_be_at_any_path() {
        let at = |path: &str| ClaimsLocation::at_path("x-gateway-", path, Format::Json).unwrap();
        let inside = json!({"x-gateway-default-role": "a", "x-gateway-allowed-roles": ["a"]});
        assert!(read(&at("$"), &inside).is_ok());
        let token = json!({"app": {"https://x.y/claims": [inside]}});
        assert!(read(&at("$.app['https://x.y/claims'][0]"), &token).is_ok());
        let missing = read(&at("$.app.claims"), &token).unwrap_err();
        assert_eq!(missing.to_string(), "the claim '$.app.claims' is missing");
        let list = read(&at("$.app['https://x.y/claims']"), &token).unwrap_err();
        assert_eq!(
            list.to_string(),
            "the claim '$.app['https://x.y/claims']' has to be an object"
        );
        assert!(ClaimsLocation::at_path("x-gateway-", "app", Format::Json).is_err());
    }

    #[test]
    fn claims_map_needs_both_roles() {
        let map = |value: Value| {
            ClaimsLocation::mapped("x-gateway-", serde_json::from_value(value).unwrap())
        };
        let one = map(json!({"X-Gateway-Default-Role": "a"}))
            .unwrap_err()
            .to_string();
        assert_eq!(
            one,
            "the `claims_map` of the JWT secret has no `x-gateway-allowed-roles`"
        );
        let roles = json!({"X-Gateway-Default-Role": "a", "x-gateway-allowed-roles": ["a"], "x-gateway-id": {"path": "id"}});
        assert!(
            map(roles)
                .unwrap_err()
                .to_string()
                .contains("`x-gateway-id`")
        );
    }

    #[test]
    fn written_claims_can_be_read() {
        let values = Arc::new(Values::from([("user_id".to_owned(), "7".to_owned())]));
        let claims = Claims {
            default_role: "a".into(),
            allowed_roles: vec!["a".into(), "b".into()],
            values,
        };
        let map = serde_json::from_value(json!({
            "x-gateway-default-role": {"path": "$.app.role"},
            "x-gateway-allowed-roles": {"path": "$.app.lists[1]"},
            "X-Gateway-User-Id": {"path": "$.sub"},
        }));
        let locations = [
            plain(),
            ClaimsLocation::new("x-gateway-", "c", Format::StringifiedJson),
            ClaimsLocation::at_path("x-gateway-", "$", Format::Json).unwrap(),
            ClaimsLocation::at_path("x-gateway-", "$.a.b[2].c", Format::Json).unwrap(),
            ClaimsLocation::mapped("x-gateway-", map.unwrap()).unwrap(),
        ];
        for location in locations {
            assert_eq!(
                location.read(&location.write(&claims)).unwrap(),
                claims,
                "{location:?}"
            );
        }
    }

    #[test]
    fn claim_in_two_spellings_is_rejected() {
        let roles = json!({"x-gateway-default-role": "a", "x-gateway-allowed-roles": ["a"]});
        let spellings = [
            ("x-gateway-user-id", "X-Gateway-User-Id"),
            ("x-gateway-user-id", "x-gateway-user_id"),
            ("x-gateway-user_id", "X-GATEWAY-USER-ID"),
            ("x-gateway-default-role", "X-Gateway-Default-Role"),
            ("x-gateway-allowed-roles", "x-gateway-allowed_roles"),
        ];
        for (first, second) in spellings {
            // Equal values are rejected as well, and null beside a value.
            for (one, other) in [
                (json!("1"), json!("2")),
                (json!("1"), json!("1")),
                (json!(null), json!("1")),
            ] {
                let mut members = roles.clone();
                members[first] = members.get(first).cloned().unwrap_or(one);
                members[second] = other;
                let refusal = read(&plain(), &json!({"gateway": members}))
                    .unwrap_err()
                    .to_string();
                assert!(
                    refusal.ends_with("is given twice, in two spellings"),
                    "{first} {second}: {refusal}"
                );
                let text = ClaimsLocation::new("x-gateway-", "c", Format::StringifiedJson);
                assert!(read(&text, &json!({"c": members.to_string()})).is_err());
            }
            let map: BTreeMap<String, Mapping> = serde_json::from_value(json!({
                "x-gateway-default-role": "a", "x-gateway-allowed-roles": ["a"],
                first: {"path": "$.a"}, second: {"path": "$.b"},
            }))
            .unwrap();
            assert!(
                ClaimsLocation::mapped("x-gateway-", map)
                    .unwrap_err()
                    .to_string()
                    .contains("twice"),
                "{first} {second}"
            );
        }
        // Members with other prefixes are not session values.
        let mut members = roles;
        members["x-other-id"] = 1.into();
        members["X-Other-Id"] = 2.into();
        assert!(read(&plain(), &json!({"gateway": members})).is_ok());
        let twice = ClaimsLocation::new("x-gateway-", "c", Format::StringifiedJson);
        let text = r#"{"x-gateway-default-role":"a","x-gateway-allowed-roles":["a"],"x-gateway-id":1,"x-gateway-id":2}"#;
        assert!(read(&twice, &json!({"c": text})).is_err());
    }

    #[test]
    fn paths_are_read() {
        assert_eq!(
            steps("$.a[0]").unwrap(),
            [Step::Key("a".into()), Step::Item(0)]
        );
        assert_eq!(
            steps("$['a.b]c'].d").unwrap(),
            [Step::Key("a.b]c".into()), Step::Key("d".into())]
        );
        assert_eq!(steps("$").unwrap(), []);
        for bad in [
            "",
            "a",
            "$.",
            "$[x]",
            "$a",
            "$.a[0",
            "$['a]",
            "$[99999999999]",
            "$[5000000]",
        ] {
            assert!(steps(bad).is_none(), "{bad}");
        }
    }
}
