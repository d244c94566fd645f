//! The security schemes of an OpenAPI description: the ways to authenticate that the settings
//! enable. [`crate::auth`] checks them.

use serde_json::{Map, Value, json};

use crate::auth::AuthPolicy;
use crate::auth::jwt::TokenLocation;
use crate::auth::session::ADMIN;

/// The ways to authenticate.
#[derive(Clone, Debug)]
pub struct Security {
    /// The prefix of session headers in canonical case: `X-Gateway-`.
    prefix: String,
    /// The schemes of tokens, or of the authentication webhook.
    tokens: Vec<Scheme>,
    /// Whether there is an admin secret.
    secret: bool,
    /// How requests without credentials are treated.
    anonymous: Anonymous,
    /// Whether a token needs a role header beside it.
    names_role: bool,
    /// Whether an authentication webhook decides the role.
    hook: bool,
    /// Whether a token may contain the role `admin`.
    admin_tokens: bool,
}

/// A security scheme.
#[derive(Clone, Debug)]
struct Scheme {
    name: String,
    definition: Value,
    /// Whether it can be sent as `Authorization: Bearer`, which a page of another origin cannot add
    /// without a preflight.
    bearer: bool,
}

/// How requests without credentials are treated.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Anonymous {
    /// They are rejected.
    Refused,
    /// They run as this role.
    Role(String),
    /// They run as any role that they name.
    AnyRole,
}

const SECRET: &str = "adminSecret";

impl Security {
    /// The ways that a policy enables.
    pub fn from_policy(policy: &AuthPolicy) -> Security {
        let tokens = match &policy.hook {
            Some(_) => vec![hook()],
            None => tokens(policy.issuers.iter().map(|issuer| &issuer.header)),
        };
        let anonymous = match &policy.unauthorized_role {
            // The webhook is called for every request.
            _ if policy.hook.is_some() => Anonymous::Refused,
            _ if policy.insecure => Anonymous::AnyRole,
            Some(role) => Anonymous::Role(role.clone()),
            None => Anonymous::Refused,
        };
        Security {
            prefix: header_prefix(&policy.header_prefix),
            tokens,
            secret: policy.admin_secret.is_some(),
            anonymous,
            names_role: policy.require_role_header,
            hook: policy.hook.is_some(),
            admin_tokens: policy.admin_tokens,
        }
    }

    /// The usual ways if no settings are known: a bearer token and the admin secret. The rest
    /// follows from the policy.
    pub fn usual(policy: &AuthPolicy) -> Security {
        Security {
            tokens: tokens([&TokenLocation::Authorization]),
            secret: true,
            ..Security::from_policy(policy)
        }
    }

    /// The name of a session header, such as `X-Gateway-Role`.
    pub(super) fn header(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// The schemes that a role uses, by name.
    pub(super) fn schemes(&self, role: &str, backend: bool) -> Map<String, Value> {
        let ways = self.ways(role, backend);
        let is_used = |name: &String| {
            ways.as_array()
                .is_some_and(|ways| ways.iter().any(|way| way.get(name).is_some()))
        };
        let tokens = self
            .tokens
            .iter()
            .map(|scheme| (scheme.name.clone(), scheme.definition.clone()));
        let secret = json!({
            "type": "apiKey",
            "in": "header",
            "name": self.header("Admin-Secret"),
            "description": "Gives access to everything, as any role. For back ends.",
        });
        tokens
            .chain([(SECRET.to_owned(), secret)])
            .filter(|(name, _)| is_used(name))
            .collect()
    }

    /// The alternative ways for a role.
    pub(super) fn ways(&self, role: &str, backend: bool) -> Value {
        let mut ways = self.shown(role, backend, |_| true);
        let open = match &self.anonymous {
            Anonymous::Refused => false,
            Anonymous::Role(known) => known == role && !backend,
            Anonymous::AnyRole => true,
        };
        if open {
            ways.push(json!({}));
        }
        // An empty list would mean that no authentication is needed.
        if ways.is_empty() {
            ways.push(secret());
        }
        ways.into()
    }

    /// The alternative ways for an endpoint that writes by GET: credentials that browsers add by
    /// themselves do not suffice. `None` if no way is left.
    pub(super) fn ways_to_write_by_get(&self, role: &str, backend: bool) -> Option<Value> {
        let ways = self.shown(role, backend, |scheme| scheme.bearer);
        (!ways.is_empty()).then(|| ways.into())
    }

    fn shown(&self, role: &str, backend: bool, fits: impl Fn(&Scheme) -> bool) -> Vec<Value> {
        let tokens = self.tokens_of(role, backend).filter(|scheme| fits(scheme));
        let mut ways: Vec<Value> = tokens.map(|scheme| json!({&scheme.name: []})).collect();
        // In insecure mode any secret is accepted.
        if self.secret || self.anonymous == Anonymous::AnyRole {
            ways.push(secret());
        }
        ways
    }

    /// The token schemes for a role: tokens do not open backend permissions.
    fn tokens_of(&self, role: &str, backend: bool) -> impl Iterator<Item = &Scheme> {
        let may_be = !backend && (role != ADMIN || self.admin_tokens);
        self.tokens.iter().filter(move |_| may_be)
    }

    /// The request header that selects the role.
    pub(super) fn role_header(&self, role: &str) -> Value {
        let open = self.anonymous == Anonymous::Role(role.to_owned());
        json!({
            "name": self.header("Role"),
            "in": "header",
            "description": if self.hook { "The role of the request. The authentication webhook decides whether the \
            caller may have it." } else { "The role of the request: one that the token allows, or any with the \
            admin secret." },
            "required": self.names_role && !self.hook && role != ADMIN && !open,
            "schema": {"type": "string", "const": role},
        })
    }
}

fn secret() -> Value {
    json!({SECRET: []})
}

/// The schemes of the tokens' locations, each once.
fn tokens<'p>(places: impl IntoIterator<Item = &'p TokenLocation>) -> Vec<Scheme> {
    let mut seen: Vec<&TokenLocation> = vec![];
    let mut schemes: Vec<Scheme> = vec![];
    for location in places {
        if seen.contains(&location) {
            continue;
        }
        seen.push(location);
        let alike = seen
            .iter()
            .filter(|other| std::mem::discriminant(**other) == std::mem::discriminant(location));
        let number = Some(alike.count())
            .filter(|count| *count > 1)
            .map(|count| count.to_string())
            .unwrap_or_default();
        let (kind, definition) = match location {
            TokenLocation::Authorization => (
                "token",
                json!({"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}),
            ),
            TokenLocation::Cookie { name } => (
                "tokenCookie",
                json!({"type": "apiKey", "in": "cookie", "name": name, "description": "A JWT in \
                     a cookie."}),
            ),
            TokenLocation::CustomHeader { name } => (
                "tokenHeader",
                json!({"type": "apiKey", "in": "header", "name": name, "description": "A JWT in \
                     a custom header."}),
            ),
        };
        let bearer = *location == TokenLocation::Authorization;
        schemes.push(Scheme {
            name: format!("{kind}{number}"),
            definition,
            bearer,
        });
    }
    schemes
}

/// The scheme of the authentication webhook. It gets all headers, so which of them it uses is not
/// known.
fn hook() -> Scheme {
    let definition = json!({
        "type": "http",
        "scheme": "bearer",
        "description": "A webhook authenticates the request by its headers; most webhooks use \
                        this one.",
    });
    Scheme {
        name: "hook".into(),
        definition,
        bearer: true,
    }
}

/// A header prefix in canonical case: `X-Gateway-`.
fn header_prefix(prefix: &str) -> String {
    let words = prefix.split('-').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first
            .into_iter()
            .chain(letters.map(|letter| letter.to_ascii_lowercase()))
            .collect::<String>()
    });
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::KeySets;
    use crate::config::{Config, Settings};

    fn security(settings: &[(&str, &str)]) -> Security {
        let mut given = Settings::default();
        for (name, value) in settings {
            given.set(name, value).unwrap();
        }
        Security::from_policy(&AuthPolicy::new(&Config::new(&given), &KeySets::default()).unwrap())
    }

    const SECRET_SETTING: (&str, &str) = ("admin-secret", "open sesame");
    const BEARER: (&str, &str) = (
        "jwt-secret",
        r#"{"type":"HS256","key":"a key of thirty-two bytes, or more"}"#,
    );
    const SEVERAL: (&str, &str) = (
        "jwt-secret",
        r#"[{"type":"HS256","key":"a key of thirty-two bytes, or more","header":{"type":"Cookie","name":"session"}},
            {"type":"HS256","key":"a key of thirty-two bytes, or more","header":{"type":"CustomHeader","name":"X-Token"}},
            {"type":"HS256","key":"a key of thirty-two bytes, or more","header":{"type":"Cookie","name":"session"}},
            {"type":"HS256","key":"a key of thirty-two bytes, or more","header":{"type":"Cookie","name":"other"}}]"#,
    );

    #[test]
    fn header_prefix_has_canonical_case() {
        assert_eq!(header_prefix("x-gateway-"), "X-Gateway-");
        assert_eq!(header_prefix("X-Hasura-"), "X-Hasura-");
    }

    #[test]
    fn token_scheme_follows_its_location() {
        let security = security(&[SEVERAL, SECRET_SETTING]);
        let schemes = security.schemes("user", false);
        let location = |name: &str| {
            json!([
                schemes[name]["type"],
                schemes[name]["in"],
                schemes[name]["name"]
            ])
        };
        assert_eq!(
            location("tokenCookie"),
            json!(["apiKey", "cookie", "session"])
        );
        assert_eq!(
            location("tokenCookie2"),
            json!(["apiKey", "cookie", "other"])
        );
        assert_eq!(
            location("tokenHeader"),
            json!(["apiKey", "header", "X-Token"])
        );
        assert_eq!(
            location("adminSecret"),
            json!(["apiKey", "header", "X-Gateway-Admin-Secret"])
        );
        assert_eq!(schemes.len(), 4, "a place is listed once");
        let ways = json!([{"tokenCookie": []}, {"tokenHeader": []}, {"tokenCookie2": []}, {"adminSecret": []}]);
        assert_eq!(security.ways("user", false), ways);
        // Browsers send cookies with requests of any page, and only one of several token headers
        // counts.
        assert_eq!(
            security.ways_to_write_by_get("user", false),
            Some(json!([{"adminSecret": []}]))
        );
    }

    #[test]
    fn writing_by_get_needs_explicit_credentials() {
        let anonymous = ("unauthorized-role", "anonymous");
        let shown = security(&[BEARER, anonymous]);
        assert_eq!(shown.ways("anonymous", false), json!([{"token": []}, {}]));
        assert_eq!(shown.ways("user", false), json!([{"token": []}]));
        assert_eq!(
            shown.schemes("user", false).keys().collect::<Vec<_>>(),
            ["token"]
        );
        assert_eq!(
            shown.ways_to_write_by_get("anonymous", false),
            Some(json!([{"token": []}]))
        );
        assert_eq!(
            security(&[SEVERAL, anonymous]).ways_to_write_by_get("anonymous", false),
            None
        );
    }

    #[test]
    fn admin_and_backend_roles_need_the_admin_secret() {
        let both = security(&[BEARER, SECRET_SETTING]);
        assert_eq!(both.ways("admin", false), json!([{"adminSecret": []}]));
        assert_eq!(both.ways("user", true), json!([{"adminSecret": []}]));
        assert_eq!(
            both.schemes("admin", false).keys().collect::<Vec<_>>(),
            ["adminSecret"]
        );
        let hasura = security(&[("profile", "hasura"), BEARER, SECRET_SETTING]);
        assert_eq!(
            hasura.ways("admin", false),
            json!([{"token": []}, {"adminSecret": []}])
        );
        assert_eq!(
            hasura.schemes("admin", false)["adminSecret"]["name"],
            "X-Hasura-Admin-Secret"
        );
        // An empty list would mean that no authentication is needed.
        assert_eq!(
            security(&[BEARER]).ways("admin", false),
            json!([{"adminSecret": []}])
        );
    }

    #[test]
    fn webhook_replaces_anonymous_role_and_role_header() {
        let hook = [
            ("auth-hook", "http://localhost/who"),
            ("unauthorized-role", "anonymous"),
            SECRET_SETTING,
        ];
        let hook = security(&[hook[0], hook[1], hook[2], ("require-role-header", "true")]);
        assert_eq!(
            hook.ways("anonymous", false),
            json!([{"hook": []}, {"adminSecret": []}])
        );
        assert_eq!(hook.role_header("user")["required"], false);
    }

    #[test]
    fn insecure_mode_needs_no_credentials() {
        let open = security(&[("insecure", "true")]);
        assert_eq!(open.ways("user", false), json!([{"adminSecret": []}, {}]));
        assert_eq!(
            open.ways_to_write_by_get("admin", false),
            Some(json!([{"adminSecret": []}]))
        );
    }

    #[test]
    fn role_header_is_required_by_setting() {
        let strict = security(&[
            BEARER,
            ("require-role-header", "true"),
            ("unauthorized-role", "anonymous"),
        ]);
        let required = |role: &str| strict.role_header(role)["required"].clone();
        assert_eq!(
            [required("user"), required("anonymous"), required("admin")],
            [true, false, false]
        );
        assert_eq!(security(&[BEARER]).role_header("user")["required"], false);
    }
}
