//! The token exchange: personal access tokens and refresh tokens come in, access tokens go out. It speaks as hasura-auth does, so
//! that its clients work unchanged; who the users are is a query on the database. Without `[token_exchange]` in the settings file
//! its paths are not there.

mod audit_event;
mod token_hash;
mod signer;
mod statements;
mod store;
mod config;
mod user;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use http::header::{CACHE_CONTROL, HeaderValue};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::auth::claims::Claims;
use crate::auth::jwt::VerifiedToken;
use crate::config::Config;
use crate::database::Database;
use crate::database::deadline;
use crate::error::{Error, InvalidRequest, TokenError};
use crate::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use crate::http::state::HandlerState;
use crate::http::{ErrorFormat, HttpExchange, Server, media};
use crate::limits::LimitExceeded;
use crate::plugins::plugin::{Plugin, PluginError, PrepareFuture};
use crate::request::json;
use audit_event::Event;
use config::TokenExchangeConfig;
use store::{AuditContext, PersonalAccessToken, RefreshToken};
use user::User;

pub use config::user_query;
pub use store::{Expires, NewToken, Store};
pub use token_hash::{digest, personal};

/// The plugin.
#[derive(Debug, Default)]
pub struct TokenExchange {
    /// What holds just now; nothing where there is no exchange.
    terms: RwLock<Option<Arc<TokenExchangeConfig>>>,
    /// When what had ended was last removed, in seconds since 1970.
    swept: AtomicU64,
}

/// What is done at a path.
#[derive(Clone, Copy, Debug)]
enum Deed {
    SignIn,
    Refresh,
    Verify,
    SignOut,
    User,
    Keys,
    NewToken,
}

const GET: &[Method] = &[Method::GET];
const POST: &[Method] = &[Method::POST];

/// The paths.
const PATHS: [(&str, &[Method], RouteClass, Deed); 7] = [
    ("/v1/signin/pat", POST, RouteClass::Authentication, Deed::SignIn),
    ("/v1/token", POST, RouteClass::Authentication, Deed::Refresh),
    ("/v1/token/verify", POST, RouteClass::Authentication, Deed::Verify),
    ("/v1/signout", POST, RouteClass::Authentication, Deed::SignOut),
    ("/v1/pat", POST, RouteClass::Authentication, Deed::NewToken),
    ("/v1/user", GET, RouteClass::Requests, Deed::User),
    ("/v1/.well-known/jwks.json", GET, RouteClass::Operations, Deed::Keys),
];

/// What has ended is removed this often, in seconds.
const SWEEPING: u64 = 600;

/// So many times in a row at most, a thousand tokens each.
const SWEEPS: usize = 100;

/// How long others may keep the keys.
const KEYS_KEPT: HeaderValue = HeaderValue::from_static("public, max-age=300");

impl Plugin for TokenExchange {
    fn name(&self) -> &'static str {
        "token exchange"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let route = |(path, methods, place, deed): (&'static str, &'static [Method], RouteClass, Deed)| {
            let door = Handler::Plugin(Arc::new(At { exchange: self.clone(), deed }));
            Route { path, methods, face: ErrorFormat::Rest, place, door }
        };
        PATHS.map(route).into()
    }

    fn prepare<'a>(&'a self, config: &'a Config, database: &'a Database) -> PrepareFuture<'a> {
        Box::pin(async move {
            let terms = TokenExchangeConfig::read(config)?;
            if let Some(terms) = &terms {
                let fault = |cause| PluginError::NotReady { plugin: self.name(), cause };
                terms.check(config, database).await.map_err(fault)?;
            }
            *self.terms.write().unwrap_or_else(PoisonError::into_inner) = terms.map(Arc::new);
            Ok(())
        })
    }
}

/// A path of the exchange.
struct At {
    exchange: Arc<TokenExchange>,
    deed: Deed,
}

impl PluginHandler for At {
    fn respond<'a>(&'a self, server: &'a Server, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            // Where there is no exchange, no body is waited for.
            self.exchange.terms()?;
            let deadline = Instant::from_std(exchange.started) + server.limits.time;
            let body = match exchange.method == Method::POST {
                true => Body::read(server, exchange, deadline).await?,
                false => Body(Value::Null),
            };
            // A reload may have come while the body did: what is agreed on and what answers are taken together.
            let (answering, terms) = (server.answering(), self.exchange.terms()?);
            let asked = Asked { server, exchange, answering: &answering, terms: &terms, body, deadline };
            let (answer, kept) = match self.deed {
                Deed::SignIn => {
                    self.exchange.sweep(&answering.executor.database, deadline);
                    (asked.sign_in().await?, None)
                }
                Deed::Refresh => (asked.refresh().await?, None),
                Deed::Verify => (asked.verify().await?, None),
                Deed::SignOut => (asked.sign_out().await?, None),
                Deed::NewToken => (asked.new_token().await?, None),
                Deed::User => (asked.user().await?.to_json(), None),
                Deed::Keys => (json!(terms.signer.keys()), Some(KEYS_KEPT)),
            };
            let mut response = crate::http::json(StatusCode::OK, media::JSON, crate::http::object(&answer));
            let kept = kept.unwrap_or(HeaderValue::from_static("no-store"));
            response.headers_mut().insert(CACHE_CONTROL, kept);
            Ok(response)
        })
    }
}

impl TokenExchange {
    /// What holds just now. Without an exchange its paths are none.
    fn terms(&self) -> Result<Arc<TokenExchangeConfig>, Error> {
        let terms = self.terms.read().unwrap_or_else(PoisonError::into_inner).clone();
        terms.ok_or(Error::NotFound)
    }

    /// Removes what has ended, beside the request that came by, once in a while.
    fn sweep(&self, database: &Database, deadline: Instant) {
        let (now, last) = (jsonwebtoken::get_current_timestamp(), self.swept.load(Ordering::Relaxed));
        let due = now.saturating_sub(last) >= SWEEPING;
        let mine = due && self.swept.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if !mine {
            return;
        }
        let database = database.clone();
        tokio::spawn(async move {
            for _ in 0..SWEEPS {
                match Store::sweep(&database, deadline).await {
                    Ok(1000..) => {}
                    Ok(_) => return,
                    Err(fault) => {
                        return tracing::warn!(cause = %fault, "refresh tokens that have ended are not removed");
                    }
                }
            }
        });
    }
}

/// A request to the exchange, its body read.
struct Asked<'a> {
    server: &'a Server,
    exchange: &'a HttpExchange,
    answering: &'a HandlerState,
    terms: &'a TokenExchangeConfig,
    body: Body,
    deadline: Instant,
}

impl Asked<'_> {
    /// `{"personalAccessToken": …}` becomes `{"session": …}`.
    async fn sign_in(&self) -> Result<Value, Error> {
        let token = self.body.text("personalAccessToken")?;
        let store = self.store();
        let found = store.personal(token).await?;
        let (personal, user) = match found {
            None => return self.not_signed_in("unknown", None).await,
            Some(personal) if personal.state != "good" => {
                return self.not_signed_in(personal.fault(), Some(&personal)).await;
            }
            Some(personal) => {
                let user = store.user(&self.terms.find_user, &personal.user).await?;
                match user.and_then(|user| user.within(personal.roles.as_deref())) {
                    None => return self.not_signed_in("no-user", Some(&personal)).await,
                    Some(user) => (personal, user),
                }
            }
        };
        let access = self.access(&user, personal.left)?;
        let Some(issued) = store.sign_in(&personal, &user, self.terms.refresh).await? else {
            // Since it was found it was revoked, or its time was over.
            let now = store.personal(token).await?;
            return self
                .not_signed_in(now.as_ref().map_or("unknown", PersonalAccessToken::fault), Some(&personal))
                .await;
        };
        self.audit(Event { event: "sign-in", reason: None, user: Some(&user.id) });
        Ok(json!({"session": session(&user, &access, &issued)}))
    }

    async fn not_signed_in(
        &self,
        reason: &'static str,
        personal: Option<&PersonalAccessToken>,
    ) -> Result<Value, Error> {
        let user = personal.map(|personal| personal.user.as_str());
        let token = personal.map(|personal| personal.id.as_str());
        self.store().audit_failure(AuditContext { event: "sign-in", reason, user, token }).await?;
        self.audit(Event { event: "sign-in", reason: Some(reason), user });
        Err(Error::PersonalAccessToken)
    }

    /// `{"refreshToken": …}` becomes a session. The user is looked up and the token signed before the old refresh token is used
    /// up, so that a failure there costs nobody a session.
    async fn refresh(&self) -> Result<Value, Error> {
        let token = self.body.text("refreshToken")?;
        let store = self.store();
        if let Some(found) = store.refreshable(token).await? {
            let user = store.user(&self.terms.find_user, &found.user).await?;
            if let Some(user) = user.and_then(|user| user.within(found.roles.as_deref())) {
                let access = self.access(&user, found.left)?;
                if let Some(issued) = store.rotate(token, self.terms.refresh).await? {
                    self.audit(Event { event: "refresh", reason: None, user: Some(&user.id) });
                    return Ok(session(&user, &access, &issued));
                }
            }
        }
        let reason = store.refuse_refresh(token, self.terms.grace).await?;
        let event = if reason == "reused" { "reuse" } else { "refresh" };
        self.audit(Event { event, reason: Some(&reason), user: None });
        Err(Error::RefreshToken)
    }

    /// `{"token": …}`, or the token of the `Authorization` header.
    async fn verify(&self) -> Result<Value, Error> {
        let verified = match self.body.maybe("token")? {
            None => self.verified_token().await?,
            Some(token) => {
                let mut headers = http::HeaderMap::new();
                let bearer = HeaderValue::from_str(&format!("Bearer {token}"));
                headers.insert(http::header::AUTHORIZATION, bearer.map_err(|_| TokenError::Token)?);
                self.holder_of(&headers).await?
            }
        };
        drop(verified);
        Ok("OK".into())
    }

    /// `{"refreshToken": …}` ends its session. With `"all": true` it ends every session of the user that the refresh token or
    /// the bearer token belongs to, if the default role of that token is one of `token_roles`: other roles may be shared.
    async fn sign_out(&self) -> Result<Value, Error> {
        let token = self.body.maybe("refreshToken")?;
        let store = self.store();
        if self.body.switch("all")? {
            let found = match token {
                Some(token) => store.refreshable(token).await?,
                None => None,
            };
            let user = match found {
                Some(found) => self.refreshing_manager(&found).await?,
                None => self.manager().await?,
            };
            store.sign_out_everywhere(&user.id).await?;
            self.audit(Event { event: "sign-out", reason: None, user: Some(&user.id) });
            return Ok("OK".into());
        }
        let token = token.ok_or(InvalidRequest::Member { name: "refreshToken", expected: "a string" })?;
        let known = store.sign_out(token).await?;
        self.audit(Event { event: "sign-out", reason: (!known).then_some("unknown"), user: None });
        // Who is signed out already has what they wanted.
        Ok("OK".into())
    }

    /// The user that the bearer's token is about, as the token has the roles.
    async fn user(&self) -> Result<User, Error> {
        self.user_of(&*self.verified_token().await?).await
    }

    /// The user of a bearer token that may manage the user's tokens: its default role is one of `token_roles`, and the user
    /// still has that role.
    async fn manager(&self) -> Result<User, Error> {
        let holder = self.verified_token().await?;
        if !self.manages_tokens(&holder.claims.default_role) {
            return Err(Error::RoleNotAllowed);
        }
        self.managing(self.user_of(&holder).await?)
    }

    /// The user of a refresh token, under the condition that [`Asked::manager`] holds a bearer token to.
    async fn refreshing_manager(&self, found: &RefreshToken) -> Result<User, Error> {
        let user = self.store().user(&self.terms.find_user, &found.user).await?;
        let user = user.and_then(|user| user.within(found.roles.as_deref())).ok_or(Error::RoleNotAllowed)?;
        self.managing(user)
    }

    fn managing(&self, user: User) -> Result<User, Error> {
        if self.manages_tokens(user.default_role()) { Ok(user) } else { Err(Error::RoleNotAllowed) }
    }

    fn manages_tokens(&self, role: &str) -> bool {
        self.terms.token_roles.iter().any(|own| own == role)
    }

    async fn user_of(&self, holder: &VerifiedToken) -> Result<User, Error> {
        let user = self.store().user(&self.terms.find_user, user_id(holder, self.prefix())?).await?;
        let roles = roles(&holder.claims);
        user.and_then(|user| user.within(Some(&roles))).ok_or(Error::RoleNotAllowed)
    }

    /// `{"expiresAt": …, "metadata": {"name": …}}` becomes a personal access token for the roles of the bearer's token.
    async fn new_token(&self) -> Result<Value, Error> {
        let user = self.manager().await?;
        let expires = Expires::At(self.body.text("expiresAt")?.to_owned());
        let name = self.body.0.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str);
        let name = name.filter(|name| (1..=200).contains(&name.chars().count())).unwrap_or("personal access token");
        let new = NewToken { user: &user.id, name, roles: Some(user.roles()), expires };
        let (id, token) = self.store().create_own_token(&new).await?;
        self.audit(Event { event: "token-created", reason: None, user: Some(&user.id) });
        Ok(json!({"id": id, "personalAccessToken": token}))
    }

    async fn verified_token(&self) -> Result<Arc<VerifiedToken>, Error> {
        self.holder_of(&self.exchange.headers).await
    }

    /// Whose token stands in these headers. Keys may have to be fetched for it, and the request has no more time for that than
    /// for the rest.
    async fn holder_of(&self, headers: &http::HeaderMap) -> Result<Arc<VerifiedToken>, Error> {
        let late = || LimitExceeded::Time(self.server.limits.time);
        deadline::timeout_at(self.deadline, self.answering.doorman.verified_token(headers)).await.ok_or_else(late)?
    }

    /// An access token. It does not outlive the personal access token that it came of, which has so many seconds left.
    fn access(&self, user: &User, left: Option<u64>) -> Result<Access, Error> {
        let seconds = left.map_or(self.terms.access, |left| left.min(self.terms.access));
        Ok(Access { token: self.terms.signer.sign(user, seconds)?, seconds })
    }

    fn prefix(&self) -> &str {
        &self.answering.doorman.policy().header_prefix
    }

    fn store(&self) -> Store<'_> {
        let address = self.exchange.client().map(|address| address.to_string());
        let database = &self.answering.executor.database;
        Store { database, address, request: Some(&self.exchange.id), deadline: self.deadline }
    }

    fn audit(&self, event: Event<'_>) {
        event.record(self.server, self.exchange);
    }
}

/// An access token, and for how long it holds.
struct Access {
    token: String,
    seconds: u64,
}

fn session(user: &User, access: &Access, issued: &store::IssuedRefreshToken) -> Value {
    json!({
        "accessToken": access.token,
        "accessTokenExpiresIn": access.seconds,
        "refreshToken": issued.token,
        "refreshTokenId": issued.id,
        "user": user.to_json(),
    })
}

/// The roles that a token opens, the default first if it is one of them: being the default alone opens nothing.
fn roles(claims: &Claims) -> Vec<String> {
    let (first, others): (Vec<_>, Vec<_>) =
        claims.allowed_roles.iter().map(|role| role.to_string()).partition(|role| **role == *claims.default_role);
    first.into_iter().chain(others).collect()
}

/// The session value that says whose token it is.
fn user_id<'v>(verified: &'v VerifiedToken, prefix: &str) -> Result<&'v str, Error> {
    let missing = || TokenError::MissingClaim(format!("{prefix}user-id"));
    Ok(verified.claims.values.get("user_id").ok_or_else(missing)?)
}

/// The body of a request to the exchange.
struct Body(Value);

impl Body {
    async fn read(server: &Server, exchange: &mut HttpExchange, deadline: Instant) -> Result<Body, Error> {
        let read = exchange.body.read(&exchange.headers, &server.limits, &mut exchange.memory);
        let late = || LimitExceeded::BodyTime(server.limits.time);
        let bytes = deadline::timeout_at(deadline, read).await.ok_or_else(late)??;
        // Where the header says all, a body may be missing.
        if bytes.is_empty() {
            return Ok(Body(json!({})));
        }
        media::check_json(&exchange.headers)?;
        let malformed = |error: serde_json::Error| InvalidRequest::Json { line: error.line(), column: error.column() };
        match json::read(&bytes).map_err(malformed)? {
            object @ Value::Object(_) => Ok(Body(object)),
            _ => Err(InvalidRequest::NotAnObject.into()),
        }
    }

    fn maybe(&self, name: &'static str) -> Result<Option<&str>, Error> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(InvalidRequest::Member { name, expected: "a string" }.into()),
        }
    }

    fn text(&self, name: &'static str) -> Result<&str, Error> {
        self.maybe(name)?.ok_or_else(|| InvalidRequest::Member { name, expected: "a string" }.into())
    }

    fn switch(&self, name: &'static str) -> Result<bool, Error> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(switch)) => Ok(*switch),
            Some(_) => Err(InvalidRequest::Member { name, expected: "true or false" }.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_role_that_is_not_allowed_opens_nothing() {
        let of = |default_role: &str, allowed: &[&str]| {
            let allowed_roles = allowed.iter().map(|role| Arc::from(*role)).collect();
            roles(&Claims { default_role: default_role.into(), allowed_roles, values: Arc::default() })
        };
        assert_eq!(of("me", &["user", "me"]), ["me", "user"]);
        assert_eq!(of("admin", &["user", "me"]), ["user", "me"]);
        assert!(of("user", &[]).is_empty());
    }
}
