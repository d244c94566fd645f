//! Who may ask, as OpenAPI tells it: the ways in that the settings open. Which of them holds is for [`crate::auth`] to say.

use serde_json::{Map, Value, json};

use crate::auth::AuthPolicy;
use crate::auth::jwt::TokenLocation;
use crate::auth::session::ADMIN;

/// The ways in.
#[derive(Clone, Debug)]
pub struct Security {
    /// How headers of the session begin, as people write it: `X-Gateway-`.
    prefix: String,
    /// What says who is asking: tokens, or what a hook is shown.
    tokens: Vec<Scheme>,
    /// Whether there is a secret that opens everything.
    secret: bool,
    /// Who comes in with nothing.
    nobody: Nobody,
    /// Whether a token alone picks no role.
    names_role: bool,
    /// Whether the role is for the hook to say.
    hook: bool,
    /// Whether a token can make its holder admin.
    admin_tokens: bool,
}

/// Something that is shown.
#[derive(Clone, Debug)]
struct Scheme {
    name: String,
    told: Value,
    /// Whether it can stand in `Authorization: Bearer`, which no page of anybody's can add.
    bearer: bool,
}

/// As whom callers come in that show nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Nobody {
    /// They do not.
    Refused,
    /// As this role.
    Role(String),
    /// As whoever they say.
    Anybody,
}

const SECRET: &str = "adminSecret";

impl Security {
    /// The ways that a policy opens.
    pub fn of(policy: &AuthPolicy) -> Security {
        let tokens = match &policy.hook {
            Some(_) => vec![hook()],
            None => tokens(policy.issuers.iter().map(|issuer| &issuer.header)),
        };
        let nobody = match &policy.unauthorized_role {
            // A hook is asked about everybody.
            _ if policy.hook.is_some() => Nobody::Refused,
            _ if policy.insecure => Nobody::Anybody,
            Some(role) => Nobody::Role(role.clone()),
            None => Nobody::Refused,
        };
        Security {
            prefix: header_prefix(&policy.header_prefix),
            tokens,
            secret: policy.admin_secret.is_some(),
            nobody,
            names_role: policy.require_role_header,
            hook: policy.hook.is_some(),
            admin_tokens: policy.admin_tokens,
        }
    }

    /// The usual ways, where the settings tell of none: a token and the secret. The policy says the rest.
    pub fn usual(policy: &AuthPolicy) -> Security {
        Security { tokens: tokens([&TokenLocation::Authorization]), secret: true, ..Security::of(policy) }
    }

    /// A header of the session: `X-Gateway-Role`.
    pub(super) fn header(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// What there is to show, by name.
    pub(super) fn schemes(&self, role: &str, backend: bool) -> Map<String, Value> {
        let ways = self.ways(role, backend);
        let is_used =
            |name: &String| ways.as_array().is_some_and(|ways| ways.iter().any(|way| way.get(name).is_some()));
        let tokens = self.tokens.iter().map(|scheme| (scheme.name.clone(), scheme.told.clone()));
        let secret = json!({
            "type": "apiKey",
            "in": "header",
            "name": self.header("Admin-Secret"),
            "description": "Opens everything, as any role. For back ends.",
        });
        tokens.chain([(SECRET.to_owned(), secret)]).filter(|(name, _)| is_used(name)).collect()
    }

    /// The ways in for a role, of which each is enough.
    pub(super) fn ways(&self, role: &str, backend: bool) -> Value {
        let mut ways = self.shown(role, backend, |_| true);
        let open = match &self.nobody {
            Nobody::Refused => false,
            Nobody::Role(known) => known == role && !backend,
            Nobody::Anybody => true,
        };
        if open {
            ways.push(json!({}));
        }
        // None at all would say that nothing has to be shown.
        if ways.is_empty() {
            ways.push(secret());
        }
        ways.into()
    }

    /// The same where something is written by GET: what a browser adds by itself is not enough. None where nothing is left.
    pub(super) fn ways_to_write_by_get(&self, role: &str, backend: bool) -> Option<Value> {
        let ways = self.shown(role, backend, |scheme| scheme.bearer);
        (!ways.is_empty()).then(|| ways.into())
    }

    fn shown(&self, role: &str, backend: bool, fits: impl Fn(&Scheme) -> bool) -> Vec<Value> {
        let tokens = self.tokens_of(role, backend).filter(|scheme| fits(scheme));
        let mut ways: Vec<Value> = tokens.map(|scheme| json!({&scheme.name: []})).collect();
        // Where everybody comes in, any secret does.
        if self.secret || self.nobody == Nobody::Anybody {
            ways.push(secret());
        }
        ways
    }

    /// What tokens there are for a role: what is for back ends is not for tokens.
    fn tokens_of(&self, role: &str, backend: bool) -> impl Iterator<Item = &Scheme> {
        let may_be = !backend && (role != ADMIN || self.admin_tokens);
        self.tokens.iter().filter(move |_| may_be)
    }

    /// The parameter that picks the role.
    pub(super) fn role_header(&self, role: &str) -> Value {
        let open = self.nobody == Nobody::Role(role.to_owned());
        json!({
            "name": self.header("Role"),
            "in": "header",
            "description": match self.hook {
                true => "The role to ask as. Whether it may be that one is for the service to say that knows who is asking.",
                false => "The role to ask as: one of those that the token allows, or any beside the admin secret.",
            },
            "required": self.names_role && !self.hook && role != ADMIN && !open,
            "schema": {"type": "string", "const": role},
        })
    }
}

fn secret() -> Value {
    json!({SECRET: []})
}

/// The places where tokens stand, each once.
fn tokens<'p>(places: impl IntoIterator<Item = &'p TokenLocation>) -> Vec<Scheme> {
    let mut known: Vec<&TokenLocation> = vec![];
    let mut schemes: Vec<Scheme> = vec![];
    for place in places {
        if known.contains(&place) {
            continue;
        }
        known.push(place);
        let alike = known.iter().filter(|other| std::mem::discriminant(**other) == std::mem::discriminant(place));
        let number = Some(alike.count()).filter(|count| *count > 1).map(|count| count.to_string()).unwrap_or_default();
        let (kind, told) = match place {
            TokenLocation::Authorization => {
                ("token", json!({"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}))
            }
            TokenLocation::Cookie { name } => (
                "tokenCookie",
                json!({"type": "apiKey", "in": "cookie", "name": name, "description": "A JWT in a cookie."}),
            ),
            TokenLocation::CustomHeader { name } => (
                "tokenHeader",
                json!({"type": "apiKey", "in": "header", "name": name, "description": "A JWT in a header of its own."}),
            ),
        };
        let bearer = *place == TokenLocation::Authorization;
        schemes.push(Scheme { name: format!("{kind}{number}"), told, bearer });
    }
    schemes
}

/// What a hook is shown is all headers; which of them it looks at it alone knows.
fn hook() -> Scheme {
    let told = json!({
        "type": "http",
        "scheme": "bearer",
        "description": "A service says who is asking, and is shown all headers of the request. Most such services look at this one.",
    });
    Scheme { name: "hook".into(), told, bearer: true }
}

/// A prefix of headers as people write it: `X-Gateway-`.
fn header_prefix(prefix: &str) -> String {
    let words = prefix.split('-').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters.map(|letter| letter.to_ascii_lowercase())).collect::<String>()
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
        Security::of(&AuthPolicy::new(&Config::new(&given), &KeySets::default()).unwrap())
    }

    const SECRET_SETTING: (&str, &str) = ("admin-secret", "open sesame");
    const BEARER: (&str, &str) = ("jwt-secret", r#"{"type":"HS256","key":"a key of thirty-two bytes, or more"}"#);
    const SEVERAL: (&str, &str) = (
        "jwt-secret",
        r#"[{"type":"HS256","key":"a key of thirty-two bytes, or more","header":{"type":"Cookie","name":"session"}},
            {"type":"HS256","key":"a key of thirty-two bytes, or more","header":{"type":"CustomHeader","name":"X-Token"}},
            {"type":"HS256","key":"a key of thirty-two bytes, or more","header":{"type":"Cookie","name":"session"}},
            {"type":"HS256","key":"a key of thirty-two bytes, or more","header":{"type":"Cookie","name":"other"}}]"#,
    );

    #[test]
    fn headers_are_written_as_people_write_them() {
        assert_eq!(header_prefix("x-gateway-"), "X-Gateway-");
        assert_eq!(header_prefix("X-Hasura-"), "X-Hasura-");
    }

    #[test]
    fn a_token_stands_where_its_issuer_has_it() {
        let security = security(&[SEVERAL, SECRET_SETTING]);
        let schemes = security.schemes("user", false);
        let place = |name: &str| json!([schemes[name]["type"], schemes[name]["in"], schemes[name]["name"]]);
        assert_eq!(place("tokenCookie"), json!(["apiKey", "cookie", "session"]));
        assert_eq!(place("tokenCookie2"), json!(["apiKey", "cookie", "other"]));
        assert_eq!(place("tokenHeader"), json!(["apiKey", "header", "X-Token"]));
        assert_eq!(place("adminSecret"), json!(["apiKey", "header", "X-Gateway-Admin-Secret"]));
        assert_eq!(schemes.len(), 4, "a place is told of once");
        let ways = json!([{"tokenCookie": []}, {"tokenHeader": []}, {"tokenCookie2": []}, {"adminSecret": []}]);
        assert_eq!(security.ways("user", false), ways);
        // A cookie goes along with requests of any page's, and of headers only one counts.
        assert_eq!(security.ways_to_write_by_get("user", false), Some(json!([{"adminSecret": []}])));
    }

    #[test]
    fn who_writes_by_get_shows_something_or_cannot() {
        let anonymous = ("unauthorized-role", "anonymous");
        let shown = security(&[BEARER, anonymous]);
        assert_eq!(shown.ways("anonymous", false), json!([{"token": []}, {}]));
        assert_eq!(shown.ways("user", false), json!([{"token": []}]));
        assert_eq!(shown.schemes("user", false).keys().collect::<Vec<_>>(), ["token"]);
        assert_eq!(shown.ways_to_write_by_get("anonymous", false), Some(json!([{"token": []}])));
        assert_eq!(security(&[SEVERAL, anonymous]).ways_to_write_by_get("anonymous", false), None);
    }

    #[test]
    fn the_admin_and_back_ends_come_by_the_secret() {
        let both = security(&[BEARER, SECRET_SETTING]);
        assert_eq!(both.ways("admin", false), json!([{"adminSecret": []}]));
        assert_eq!(both.ways("user", true), json!([{"adminSecret": []}]));
        assert_eq!(both.schemes("admin", false).keys().collect::<Vec<_>>(), ["adminSecret"]);
        let hasura = security(&[("profile", "hasura"), BEARER, SECRET_SETTING]);
        assert_eq!(hasura.ways("admin", false), json!([{"token": []}, {"adminSecret": []}]));
        assert_eq!(hasura.schemes("admin", false)["adminSecret"]["name"], "X-Hasura-Admin-Secret");
        // An empty list would say that nobody has to show anything.
        assert_eq!(security(&[BEARER]).ways("admin", false), json!([{"adminSecret": []}]));
    }

    #[test]
    fn a_hook_is_asked_about_everybody() {
        let hook = [("auth-hook", "http://localhost/who"), ("unauthorized-role", "anonymous"), SECRET_SETTING];
        let hook = security(&[hook[0], hook[1], hook[2], ("require-role-header", "true")]);
        assert_eq!(hook.ways("anonymous", false), json!([{"hook": []}, {"adminSecret": []}]));
        assert_eq!(hook.role_header("user")["required"], false);
    }

    #[test]
    fn without_a_secret_everybody_may_say_who_they_are() {
        let open = security(&[("insecure", "true")]);
        assert_eq!(open.ways("user", false), json!([{"adminSecret": []}, {}]));
        assert_eq!(open.ways_to_write_by_get("admin", false), Some(json!([{"adminSecret": []}])));
    }

    #[test]
    fn a_role_is_named_where_a_token_alone_picks_none() {
        let strict = security(&[BEARER, ("require-role-header", "true"), ("unauthorized-role", "anonymous")]);
        let required = |role: &str| strict.role_header(role)["required"].clone();
        assert_eq!([required("user"), required("anonymous"), required("admin")], [true, false, false]);
        assert_eq!(security(&[BEARER]).role_header("user")["required"], false);
    }
}
