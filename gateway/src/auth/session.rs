//! Who a request runs as: a role and the values its rules may use. How that is found out is left to [`crate::auth`].

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::num::NonZeroU64;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::limits::share_key;

pub use permissions::ADMIN;

/// A caller, once it is known who that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    role: Arc<str>,
    values: Arc<Values>,
    caller: AuthKind,
    backend_only: bool,
    dry_run: bool,
    expires: Option<u64>,
    /// None for [`PREFIX`].
    prefix: Option<Arc<str>>,
    client: Option<IpAddr>,
}

/// The prefix of headers unless the settings have another.
const PREFIX: &str = "x-gateway-";

/// Session values by name: lower case, underscores, without the header's prefix (`user_id`).
#[derive(Clone, Debug, Default)]
pub struct Values {
    by_name: BTreeMap<String, String>,
    digest: OnceLock<NonZeroU64>,
}

impl Values {
    /// No values.
    pub fn new() -> Values {
        Values::default()
    }

    /// Sets a value; returns the one that had the name.
    pub fn insert(&mut self, name: String, value: String) -> Option<String> {
        self.digest.take();
        self.by_name.insert(name, value)
    }

    /// Removes a value and returns it.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        self.digest.take();
        self.by_name.remove(name)
    }

    /// A number that is the same for equal values and, in all likelihood, for no others; none where there are no values. It is
    /// computed once: verified tokens are cached together with their values.
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
        Values { by_name: values.into_iter().collect(), digest: OnceLock::new() }
    }
}

impl<const N: usize> From<[(String, String); N]> for Values {
    fn from(values: [(String, String); N]) -> Values {
        values.into_iter().collect()
    }
}

/// By what right a caller got in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthKind {
    /// With the admin secret, or because the server was started with `--insecure`.
    Trusted,
    /// With a token.
    Token,
    /// With nothing, as the role for those.
    Unauthorized,
}

impl Session {
    /// A session of that role and caller.
    pub fn new(role: impl Into<Arc<str>>, values: Arc<Values>, caller: AuthKind) -> Session {
        let (backend_only, dry_run) = (false, false);
        Session { role: role.into(), values, caller, backend_only, dry_run, expires: None, prefix: None, client: None }
    }

    /// The session of the admin, without values.
    pub fn admin() -> Session {
        Session::new(ADMIN, Arc::default(), AuthKind::Trusted)
    }

    /// The same session, that ends at this time (seconds since 1970).
    pub fn until(self, expires: Option<u64>) -> Session {
        Session { expires, ..self }
    }

    /// The same session, to which mutations for back ends are open.
    pub fn with_backend_only(self, backend_only: bool) -> Session {
        Session { backend_only, ..self }
    }

    /// The same session, whose mutations are to be undone.
    pub fn with_dry_run(self, dry_run: bool) -> Session {
        Session { dry_run, ..self }
    }

    /// The same session where headers have that prefix, in lower case.
    pub fn with_prefix(self, prefix: Arc<str>) -> Session {
        Session { prefix: Some(prefix), ..self }
    }

    /// Sets the client's address.
    pub fn set_client(&mut self, client: Option<IpAddr>) {
        self.client = client;
    }

    /// The client's address.
    pub fn client(&self) -> Option<IpAddr> {
        self.client
    }

    /// The user, as a digest of the session values; none where there are none.
    pub fn user(&self) -> Option<NonZeroU64> {
        self.values.digest()
    }

    /// The role.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// The role, to be kept.
    pub fn shared_role(&self) -> Arc<str> {
        self.role.clone()
    }

    /// Whether the role is the admin's.
    pub fn is_admin(&self) -> bool {
        &*self.role == ADMIN
    }

    /// A session value; `role` is one of them.
    pub fn value(&self, name: &str) -> Option<&str> {
        match name {
            "role" => Some(&self.role),
            _ => self.values.get(name).map(String::as_str),
        }
    }

    /// All session values, the role aside.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// By what right the caller got in.
    pub fn caller(&self) -> AuthKind {
        self.caller
    }

    /// Whether mutations that are for back ends only are open.
    pub fn backend_only(&self) -> bool {
        self.backend_only
    }

    /// Whether mutations are to be undone.
    pub fn dry_run(&self) -> bool {
        self.dry_run
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

    /// The allowed roles are no value of the request: the role is.
    fn json(&self) -> String {
        let prefix = self.prefix.as_deref().unwrap_or(PREFIX);
        let name = |name: &str| format!("{prefix}{}", name.replace('_', "-"));
        let values = self.values.iter().map(|(key, value)| (name(key), value.as_str()));
        let all: BTreeMap<String, &str> = values.chain([(name("role"), self.role())]).collect();
        serde_json::json!(all).to_string()
    }
}

/// Names of headers or claims that give session values, of which no two may be spellings of one.
#[derive(Debug)]
pub struct Names<'a> {
    prefix: &'a str,
    folded: BTreeSet<String>,
}

impl<'a> Names<'a> {
    /// No names yet; those without this prefix, in lower case, give no session values.
    pub fn new(prefix: &'a str) -> Names<'a> {
        Names { prefix, folded: BTreeSet::new() }
    }

    /// Adds a name. The error is the name of the header or claim that another spelling has given before.
    pub fn insert(&mut self, name: &str) -> Result<(), String> {
        let name = name.to_ascii_lowercase();
        match name.strip_prefix(self.prefix) {
            Some(rest) if !self.folded.insert(value_name(rest)) => Err(name),
            _ => Ok(()),
        }
    }
}

/// The name under which a session value is kept: `User-Id` becomes `user_id`.
pub fn value_name(header: &str) -> String {
    header.to_ascii_lowercase().replace('-', "_")
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
    fn a_session_as_json_has_the_names_of_headers() {
        use sql::statement::SessionValues as _;
        let values = Values::from([("user_id".to_owned(), "7\"".to_owned())]);
        let session = Session::new("user", Arc::new(values), AuthKind::Token);
        assert_eq!(session.json(), r#"{"x-gateway-role":"user","x-gateway-user-id":"7\""}"#);
        let session = session.with_prefix("x-hasura-".into());
        assert_eq!(session.json(), r#"{"x-hasura-role":"user","x-hasura-user-id":"7\""}"#);
    }

    #[test]
    fn names_are_folded() {
        assert_eq!(value_name("User-ID"), "user_id");
    }
}
