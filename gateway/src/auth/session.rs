//! The session of a request: its role and the session values that row rules use. [`crate::auth`]
//! creates it from the headers.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::num::NonZeroU64;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use super::claims_set::SessionClaims;
use super::trace_context::TraceContext;

pub use permissions::ADMIN;
use pg::sharing::{ShareKey, address_key, share_key};

/// An authenticated caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    role: Arc<str>,
    values: Arc<Values>,
    claims: SessionClaims,
    caller: AuthKind,
    backend_only: bool,
    dry_run: bool,
    expires: Option<u64>,
    /// `None` for [`PREFIX`].
    prefix: Option<Arc<str>>,
    client: Option<IpAddr>,
    trace: Option<Arc<TraceContext>>,
}

/// The default prefix of session headers.
const PREFIX: &str = "x-gateway-";

/// Session values by name: lower case, underscores, without the header's prefix (`user_id`).
#[derive(Clone, Debug, Default)]
pub struct Values {
    by_name: BTreeMap<String, String>,
    digest: OnceLock<NonZeroU64>,
}

impl Values {
    /// Creates an empty set.
    pub fn new() -> Values {
        Values::default()
    }

    /// Sets a value and returns the previous one.
    pub fn insert(&mut self, name: String, value: String) -> Option<String> {
        self.digest.take();
        self.by_name.insert(name, value)
    }

    /// Removes a value and returns it.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        self.digest.take();
        self.by_name.remove(name)
    }

    /// A hash of the values, or `None` if there are none. Different values are unlikely to collide.
    /// It is computed once, because verified tokens are cached together with their values.
    pub fn digest(&self) -> Option<NonZeroU64> {
        (!self.by_name.is_empty()).then(|| *self.digest.get_or_init(|| share_key(&self.by_name)))
    }
}

impl Deref for Values {
    type Target = BTreeMap<String, String>;

    fn deref(&self) -> &BTreeMap<String, String> {
        &self.by_name
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Values) -> bool {
        self.by_name == other.by_name
    }
}

impl Eq for Values {}

impl IntoIterator for Values {
    type Item = (String, String);
    type IntoIter = std::collections::btree_map::IntoIter<String, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.by_name.into_iter()
    }
}

impl FromIterator<(String, String)> for Values {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(values: I) -> Values {
        Values {
            by_name: values.into_iter().collect(),
            digest: OnceLock::new(),
        }
    }
}

impl<const N: usize> From<[(String, String); N]> for Values {
    fn from(values: [(String, String); N]) -> Values {
        values.into_iter().collect()
    }
}

/// How a caller was authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthKind {
    /// By the admin secret, or because the server was started with `--insecure`.
    Trusted,
    /// By a token or the webhook.
    Token,
    /// Without credentials, with the role for such requests.
    Unauthorized,
}

impl Session {
    /// A session with this role.
    pub fn new(role: impl Into<Arc<str>>, values: Arc<Values>, caller: AuthKind) -> Session {
        let backend_only = false;
        let dry_run = false;
        Session {
            role: role.into(),
            values,
            claims: SessionClaims::default(),
            caller,
            backend_only,
            dry_run,
            expires: None,
            prefix: None,
            client: None,
            trace: None,
        }
    }

    /// A session with the role `admin` and without values.
    pub fn admin() -> Session {
        Session::new(ADMIN, Arc::default(), AuthKind::Trusted)
    }

    /// Sets the time at which the session ends, in seconds since 1970.
    pub fn until(self, expires: Option<u64>) -> Session {
        Session { expires, ..self }
    }

    /// Sets the claims for settings that take them from the token.
    pub fn with_claims(self, claims: SessionClaims) -> Session {
        Session { claims, ..self }
    }

    /// Sets whether `backend_only` mutations are allowed.
    pub fn with_backend_only(self, backend_only: bool) -> Session {
        Session {
            backend_only,
            ..self
        }
    }

    /// Sets whether mutations are rolled back.
    pub fn with_dry_run(self, dry_run: bool) -> Session {
        Session { dry_run, ..self }
    }

    /// Sets the prefix of session headers, in lower case.
    pub fn with_prefix(self, prefix: Arc<str>) -> Session {
        Session {
            prefix: Some(prefix),
            ..self
        }
    }

    /// Sets the client's address.
    pub fn set_client(&mut self, client: Option<IpAddr>) {
        self.client = client;
    }

    /// Sets the trace that the request belongs to.
    pub(crate) fn set_trace(&mut self, trace: Option<TraceContext>) {
        self.trace = trace.map(Arc::new);
    }

    /// The trace that the request belongs to.
    pub(crate) fn trace(&self) -> Option<&TraceContext> {
        self.trace.as_deref()
    }

    /// The client's address.
    pub fn client(&self) -> Option<IpAddr> {
        self.client
    }

    /// What the caller is counted by where a limited thing is shared, with this key of its role. A
    /// caller with the admin secret may serve many users from one address, so its address does not
    /// count.
    pub fn share_key(&self, role: NonZeroU64) -> ShareKey {
        let address = self
            .client
            .filter(|_| self.caller != AuthKind::Trusted)
            .and_then(address_key);
        ShareKey {
            role: Some(role),
            user: self.user(),
            address,
        }
    }

    /// The user, identified by a digest of the session values; `None` without values.
    pub fn user(&self) -> Option<NonZeroU64> {
        self.values.digest()
    }

    /// The role.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// The role as a shared pointer.
    pub fn shared_role(&self) -> Arc<str> {
        self.role.clone()
    }

    /// Whether the role is `admin`.
    pub fn is_admin(&self) -> bool {
        &*self.role == ADMIN
    }

    /// A session value by name. `role` is one of them.
    pub fn value(&self, name: &str) -> Option<&str> {
        match name {
            "role" => Some(&self.role),
            _ => self.values.get(name).map(String::as_str),
        }
    }

    /// All session values except the role.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// How the caller was authenticated.
    pub fn caller(&self) -> AuthKind {
        self.caller
    }

    /// Whether `backend_only` mutations are allowed.
    pub fn backend_only(&self) -> bool {
        self.backend_only
    }

    /// Whether mutations are rolled back.
    pub fn dry_run(&self) -> bool {
        self.dry_run
    }

    /// The claims for settings that take them from the token.
    pub fn session_claims(&self) -> &SessionClaims {
        &self.claims
    }

    /// Whether another session is of the same caller: with the same role, session values and
    /// claims, authenticated alike.
    pub fn is_same_caller(&self, other: &Session) -> bool {
        let rights = |session: &Session| (session.caller, session.backend_only, session.dry_run);
        self.role == other.role
            && self.values == other.values
            && rights(self) == rights(other)
            && self.claims.is_same_caller(&other.claims)
    }

    /// A digest of the role, the session values and how the caller was authenticated, equal for
    /// [the same caller](Session::is_same_caller) in every process.
    pub fn fingerprint(&self) -> String {
        let rights = (self.caller as u8, self.backend_only, self.dry_run);
        let text = serde_json::json!([*self.role, rights, self.values.by_name]).to_string();
        format!("{:x}", Sha256::digest(text))
    }

    /// When the session ends, in seconds since 1970.
    pub fn expires(&self) -> Option<u64> {
        self.expires
    }
}

impl sql::statement::SessionValues for Session {
    fn value(&self, name: &str) -> Option<&str> {
        Session::value(self, name)
    }

    /// Contains the role but not the allowed roles, which are not session values.
    fn json(&self) -> String {
        let prefix = self.prefix.as_deref().unwrap_or(PREFIX);
        let name = |name: &str| format!("{prefix}{}", name.replace('_', "-"));
        let values = self
            .values
            .iter()
            .map(|(key, value)| (name(key), value.as_str()));
        let all: BTreeMap<String, &str> = values.chain([(name("role"), self.role())]).collect();
        serde_json::json!(all).to_string()
    }

    fn trace_context(&self) -> Option<String> {
        self.trace().map(TraceContext::json)
    }

    fn claims(&self) -> String {
        self.values_as_claims(self.role())
    }

    fn token_claims(&self, database_role: Option<&str>) -> Option<String> {
        let role = database_role.unwrap_or(&self.role);
        match &self.claims {
            SessionClaims::SessionValues => Some(self.values_as_claims(role)),
            SessionClaims::Given(claims) => Some(claims.json(role)),
            SessionClaims::NotKept => None,
        }
    }
}

impl Session {
    fn values_as_claims(&self, role: &str) -> String {
        let values = self
            .values
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()));
        let all: BTreeMap<&str, &str> = values.chain([("role", role)]).collect();
        serde_json::json!(all).to_string()
    }
}

/// Collects names of headers or claims with session values and rejects two spellings of one name.
#[derive(Debug)]
pub struct ValueNames<'a> {
    prefix: &'a str,
    folded: BTreeSet<String>,
}

impl<'a> ValueNames<'a> {
    /// Creates an empty set. Names without `prefix`, in lower case, are not session values.
    pub fn new(prefix: &'a str) -> ValueNames<'a> {
        ValueNames {
            prefix,
            folded: BTreeSet::new(),
        }
    }

    /// Adds a name. The error is the name if another spelling of it was added before.
    pub fn insert(&mut self, name: &str) -> Result<(), String> {
        let name = name.to_ascii_lowercase();
        match name.strip_prefix(self.prefix) {
            Some(rest) if !self.folded.insert(value_name(rest)) => Err(name),
            _ => Ok(()),
        }
    }
}

/// The name of a session value: `User-Id` becomes `user_id`.
pub fn value_name(header: &str) -> String {
    header.to_ascii_lowercase().replace('-', "_")
}

/// The current time in seconds since 1970, by which sessions expire.
pub(super) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_is_a_session_value() {
        let values = Values::from([("user_id".to_owned(), "7".to_owned())]);
        let session = Session::new("user", Arc::new(values), AuthKind::Token);
        assert_eq!(session.value("role"), Some("user"));
        assert_eq!(session.value("user_id"), Some("7"));
        assert_eq!(session.value("other"), None);
        assert!(!session.is_admin());
    }

    #[test]
    fn json_has_the_names_of_headers() {
        use sql::statement::SessionValues as _;
        let values = Values::from([("user_id".to_owned(), "7\"".to_owned())]);
        let session = Session::new("user", Arc::new(values), AuthKind::Token);
        assert_eq!(
            session.json(),
            r#"{"x-gateway-role":"user","x-gateway-user-id":"7\""}"#
        );
        let session = session.with_prefix("x-hasura-".into());
        assert_eq!(
            session.json(),
            r#"{"x-hasura-role":"user","x-hasura-user-id":"7\""}"#
        );
    }

    #[test]
    fn claims_have_the_names_of_session_values() {
        use sql::statement::SessionValues as _;
        let values = Values::from([
            ("role".to_owned(), "admin".to_owned()),
            ("sub".to_owned(), "7\"".to_owned()),
        ]);
        let session = Session::new("user", Arc::new(values), AuthKind::Token);
        assert_eq!(session.claims(), r#"{"role":"user","sub":"7\""}"#);
    }

    #[test]
    fn value_names_are_lower_case_with_underscores() {
        assert_eq!(value_name("User-ID"), "user_id");
    }
}
