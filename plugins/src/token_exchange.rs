//! The token exchange plugin: issues access tokens for personal access tokens and refresh tokens.
//! It implements the API of hasura-auth, so that its clients work unchanged; users are found by a
//! configured query. Without `[token_exchange]` in the settings file its paths respond with 404.
//!
//! The database function behind the mutation that creates a personal access token gets the role and
//! the session values of the request, so the token has that one role; a token for all roles of the
//! user would let the holder of a narrow session sign in with more. `POST /v1/pat` sees the
//! caller's token and gives the new one its roles.

mod access_token;
mod audit_event;
mod cookies;
mod exchange_error;
mod factor_policy;
pub(crate) mod refresh_cookie;
mod token_hash;
mod request_body;
mod sign_in_proof;
mod signer;
mod statements;
mod store;
mod config;
mod user;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::header::{CACHE_CONTROL, HeaderValue, SET_COOKIE, USER_AGENT};
use http::{Method, StatusCode};
use pg::{Database, deadline};
use serde_json::{Value, json};
use tokio::time::Instant;

use audit_event::EVENTS;
use exchange_error::ExchangeError;
use gateway::auth::claims::Claims;
use gateway::auth::jwt::VerifiedToken;
use gateway::config::Config;
use gateway::error::{Error, InvalidRequest, TokenError};
use gateway::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use gateway::http::state::HandlerState;
use gateway::http::{App, ErrorFormat, HttpExchange, media};
use gateway::limits::LimitExceeded;
use gateway::plugin::{
    BackgroundTask, CheckFuture, Migration, Plugin, PluginError, PluginReport, PrepareFuture,
    Prepared, Shutdown,
};
use store::{PersonalAccessToken, RefreshToken};

pub(crate) use access_token::{AccessToken, session_json};
pub(crate) use audit_event::Event;
pub(crate) use config::TokenExchangeConfig;
pub use config::user_query;
pub(crate) use cookies::cookie_values;
pub(crate) use factor_policy::SecondFactor;
pub(crate) use request_body::RequestBody;
pub(crate) use sign_in_proof::{SignInProof, session_id};
pub(crate) use store::{AuditContext, IssuedRefreshToken, array};
pub use store::{Expires, NewToken, Store};
pub(crate) use token_hash::hexadecimal;
pub use token_hash::{digest, personal};
pub(crate) use user::User;

/// The plugin.
#[derive(Debug, Default)]
pub struct TokenExchange {
    /// The current configuration; `None` if the exchange is disabled.
    exchange_config: Prepared<TokenExchangeConfig>,
    /// When expired tokens were last removed, in seconds since 1970.
    last_sweep: AtomicU64,
}

/// The action of a path.
#[derive(Clone, Copy, Debug)]
enum Action {
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

/// The paths with their methods, classes and actions.
const PATHS: [(&str, &[Method], RouteClass, Action); 7] = [
    (
        "/v1/signin/pat",
        POST,
        RouteClass::Authentication,
        Action::SignIn,
    ),
    (
        "/v1/token",
        POST,
        RouteClass::Authentication,
        Action::Refresh,
    ),
    (
        "/v1/token/verify",
        POST,
        RouteClass::Authentication,
        Action::Verify,
    ),
    (
        "/v1/signout",
        POST,
        RouteClass::Authentication,
        Action::SignOut,
    ),
    (
        "/v1/pat",
        POST,
        RouteClass::Authentication,
        Action::NewToken,
    ),
    ("/v1/user", GET, RouteClass::Requests, Action::User),
    (
        "/v1/.well-known/jwks.json",
        GET,
        RouteClass::Operations,
        Action::Keys,
    ),
];

/// The OpenAPI description of the paths.
const OPENAPI: &str = include_str!("token_exchange/openapi.json");

/// The versions of the tokens' tables.
const MIGRATIONS: &[Migration] = &[
    Migration::OfSchema {
        version: 1,
        sql: include_str!("token_exchange/migrations/tokens.sql"),
    },
    Migration::OfSchema {
        version: 2,
        sql: include_str!("token_exchange/migrations/token_count.sql"),
    },
    Migration::OfSchema {
        version: 12,
        sql: include_str!("token_exchange/migrations/token_messages.sql"),
    },
    Migration::OfSchema {
        version: 13,
        sql: include_str!("token_exchange/migrations/audience.sql"),
    },
    Migration::OfSchema {
        version: 17,
        sql: include_str!("token_exchange/migrations/sessions.sql"),
    },
];

/// The interval between two removals of expired tokens, in seconds.
const SWEEP_INTERVAL: u64 = 600;

/// The maximum number of statements per removal, each for up to a thousand tokens.
const MAX_SWEEPS: usize = 100;

/// The most characters of what a browser calls itself.
const MAX_USER_AGENT_LENGTH: usize = 300;

/// How long clients may cache the keys.
const KEYS_CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=300");

impl Plugin for TokenExchange {
    fn name(&self) -> &'static str {
        "token exchange"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let route = |(path, methods, route_class, action): (
            &'static str,
            &'static [Method],
            RouteClass,
            Action,
        )| {
            let handler = Handler::Plugin(Arc::new(PathHandler {
                exchange: self.clone(),
                action,
            }));
            Route {
                path,
                methods,
                error_format: ErrorFormat::TokenExchange,
                class: route_class,
                handler,
            }
        };
        PATHS.map(route).into()
    }

    fn openapi(&self) -> Vec<&'static str> {
        let exchange_config = self.exchange_config.get();
        exchange_config.map(|_| OPENAPI).into_iter().collect()
    }

    fn sections(&self) -> &'static [&'static str] {
        &["token_exchange"]
    }

    fn migrations(&self) -> &'static [Migration] {
        MIGRATIONS
    }

    /// The key that signs tokens is a secret, which a check may lack.
    fn check<'a>(&'a self, config: &'a Config, database: &'a Database) -> CheckFuture<'a> {
        Box::pin(async move {
            if config.jwt_secret.is_some() {
                self.prepare(config, database).await?;
            } else {
                config::check_form(config)?;
            }
            Ok(PluginReport::default())
        })
    }

    fn prepare<'a>(&'a self, config: &'a Config, database: &'a Database) -> PrepareFuture<'a> {
        Box::pin(async move {
            let exchange_config = TokenExchangeConfig::read(config)?;
            if let Some(exchange_config) = &exchange_config {
                let fault = |cause| PluginError::NotReady {
                    plugin: self.name(),
                    cause,
                };
                exchange_config
                    .check(config, database)
                    .await
                    .map_err(fault)?;
            }
            Ok(self.exchange_config.activation(exchange_config))
        })
    }

    fn start(self: Arc<Self>, app: Arc<App>, _: Shutdown) -> Option<BackgroundTask> {
        EVENTS
            .iter()
            .for_each(|event| app.metrics.declare_authentication(event));
        None
    }
}

/// Records that another plugin has signed a user in: in the audit table, if the database has it, in
/// the metrics and in the log. `audience` is for whom the session is.
pub async fn record_sign_in(
    exchange: &HttpExchange,
    user: &str,
    audience: &str,
    deadline: Instant,
) -> Result<(), Error> {
    let state = exchange.app.state();
    let store = Store {
        database: &state.execution.database,
        address: exchange.client().map(|address| address.to_string()),
        request: Some(&exchange.id),
        deadline,
    };
    store.audit_sign_in(user, audience).await?;
    let event = Event {
        event: "sign-in",
        reason: None,
        user: Some(user),
    };
    event.record(exchange);
    Ok(())
}

/// The handler of one path.
struct PathHandler {
    exchange: Arc<TokenExchange>,
    action: Action,
}

impl PluginHandler for PathHandler {
    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            // If the exchange is disabled, the request fails before its body is read.
            self.exchange.exchange_config()?;
            let deadline = Instant::from_std(exchange.started) + exchange.app.state().limits.time;
            let is_post = exchange.method == Method::POST;
            let body = if is_post {
                RequestBody::read(exchange).await?
            } else {
                RequestBody(Value::Null)
            };
            // The settings may have been reloaded while the body arrived; the state and the
            // configuration are read together here.
            let state = exchange.app.state();
            let exchange_config = self.exchange.exchange_config()?;
            let request = ExchangeRequest {
                exchange,
                state: &state,
                exchange_config: &exchange_config,
                body,
                deadline,
            };
            let wants_cookie = refresh_cookie::is_wanted(&request.body)?;
            let (mut response_body, cache_control) = match self.action {
                Action::SignIn => {
                    self.exchange.sweep(&state.execution.database, deadline);
                    (request.sign_in().await?, None)
                }
                Action::Refresh => (request.refresh().await?, None),
                Action::Verify => (request.verify().await?, None),
                Action::SignOut => (request.sign_out().await?, None),
                Action::NewToken => (request.new_token().await?, None),
                Action::User => (request.user().await?.to_json(), None),
                Action::Keys => (
                    json!(exchange_config.signer.keys()),
                    Some(KEYS_CACHE_CONTROL),
                ),
            };
            let cookie = request.cookie(self.action, wants_cookie, &mut response_body)?;
            let mut response = gateway::http::json(
                StatusCode::OK,
                media::JSON,
                gateway::http::object(&response_body),
            );
            if let Some(cookie) = cookie {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            let cache_control = cache_control.unwrap_or(HeaderValue::from_static("no-store"));
            response.headers_mut().insert(CACHE_CONTROL, cache_control);
            Ok(response)
        })
    }
}

impl TokenExchange {
    /// The current configuration; not found if the exchange is disabled.
    fn exchange_config(&self) -> Result<Arc<TokenExchangeConfig>, Error> {
        self.exchange_config.get().ok_or(Error::NotFound)
    }

    /// Removes expired tokens in the background, if the interval has passed.
    fn sweep(&self, database: &Database, deadline: Instant) {
        let now = jsonwebtoken::get_current_timestamp();
        let last = self.last_sweep.load(Ordering::Relaxed);
        let due = now.saturating_sub(last) >= SWEEP_INTERVAL;
        let mine = due
            && self
                .last_sweep
                .compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if !mine {
            return;
        }
        let database = database.clone();
        tokio::spawn(async move { TokenExchange::sweep_tokens(&database, deadline).await });
    }

    /// Removes expired tokens.
    pub(crate) async fn sweep_tokens(database: &Database, deadline: Instant) {
        for _ in 0..MAX_SWEEPS {
            match Store::sweep(database, deadline).await {
                Ok(1000..) => {}
                Ok(_) => return,
                Err(fault) => {
                    return tracing::warn!(cause = %fault, "could not delete expired refresh tokens");
                }
            }
        }
    }
}

/// A request to the exchange with its body.
struct ExchangeRequest<'a> {
    exchange: &'a HttpExchange,
    state: &'a HandlerState,
    exchange_config: &'a TokenExchangeConfig,
    body: RequestBody,
    deadline: Instant,
}

impl ExchangeRequest<'_> {
    /// `{"personalAccessToken": …}` returns `{"session": …}`.
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
                let user = store
                    .user(&self.exchange_config.find_user, &personal.user)
                    .await?;
                match user.and_then(|user| user.within(personal.roles.as_deref())) {
                    None => return self.not_signed_in("no-user", Some(&personal)).await,
                    Some(user) => (personal, user),
                }
            }
        };
        let access = AccessToken::sign(self.exchange_config, &user, personal.left, None)?;
        let Some(issued) = store
            .sign_in(
                &personal,
                &user,
                self.exchange_config.refresh,
                user_agent(self.exchange),
            )
            .await?
        else {
            // The token was revoked or expired after it was found.
            let now = store.personal(token).await?;
            return self
                .not_signed_in(
                    now.as_ref().map_or("unknown", PersonalAccessToken::fault),
                    Some(&personal),
                )
                .await;
        };
        self.audit(Event {
            event: "sign-in",
            reason: None,
            user: Some(&user.id),
        });
        Ok(json!({"session": session_json(&user, &access, &issued)}))
    }

    async fn not_signed_in(
        &self,
        reason: &'static str,
        personal: Option<&PersonalAccessToken>,
    ) -> Result<Value, Error> {
        let user = personal.map(|personal| personal.user.as_str());
        let token = personal.map(|personal| personal.id.as_str());
        self.store()
            .audit_failure(AuditContext {
                event: "sign-in",
                reason,
                user,
                token,
            })
            .await?;
        self.audit(Event {
            event: "sign-in",
            reason: Some(reason),
            user,
        });
        Err(ExchangeError::PersonalAccessToken.into())
    }

    /// `{"refreshToken": …}` returns a session. The user is looked up and the access token signed
    /// before the refresh token is rotated, so that an error there does not end the session.
    async fn refresh(&self) -> Result<Value, Error> {
        let token = match self.cookie_token()? {
            Some(token) => token,
            None => self.body.text("refreshToken")?,
        };
        let store = self.store();
        if let Some(found) = store.refreshable(token).await? {
            let user = store
                .user(&self.exchange_config.find_user, &found.user)
                .await?;
            if let Some(user) = user.and_then(|user| user.within(found.roles.as_deref())) {
                let access = AccessToken::sign(
                    self.exchange_config,
                    &user,
                    found.left,
                    found.sign_in.as_ref(),
                )?;
                if let Some(issued) = store.rotate(token, self.exchange_config.refresh).await? {
                    self.audit(Event {
                        event: "refresh",
                        reason: None,
                        user: Some(&user.id),
                    });
                    return Ok(session_json(&user, &access, &issued));
                }
            }
        }
        let reason = store
            .refuse_refresh(token, self.exchange_config.grace)
            .await?;
        let event = if reason == "reused" {
            "reuse"
        } else {
            "refresh"
        };
        self.audit(Event {
            event,
            reason: Some(&reason),
            user: None,
        });
        Err(ExchangeError::RefreshToken.into())
    }

    /// The refresh token in the cookie of a request that has none in its body.
    fn cookie_token(&self) -> Result<Option<&str>, Error> {
        if self.body.maybe("refreshToken")?.is_some() {
            return Ok(None);
        }
        let cors = &self.exchange.app.cors;
        let headers = &self.exchange.headers;
        Ok(refresh_cookie::read(headers, &self.exchange.uri, cors))
    }

    /// The cookie of a response: with the refresh token that it would have, if the request asks for
    /// that or came with the cookie; or the end of the cookie.
    fn cookie(
        &self,
        action: Action,
        is_wanted: bool,
        response_body: &mut Value,
    ) -> Result<Option<HeaderValue>, Error> {
        let has_cookie = self.cookie_token()?.is_some();
        Ok(match action {
            Action::SignOut if has_cookie => refresh_cookie::removal(),
            Action::SignIn | Action::Refresh if has_cookie || is_wanted => {
                refresh_cookie::take_out(response_body, self.exchange_config.refresh)
            }
            _ => None,
        })
    }

    /// `{"token": …}`, or the token of the `Authorization` header.
    async fn verify(&self) -> Result<Value, Error> {
        let verified = match self.body.maybe("token")? {
            None => self.verified_token().await?,
            Some(token) => {
                let mut headers = http::HeaderMap::new();
                let bearer = HeaderValue::from_str(&format!("Bearer {token}"));
                headers.insert(
                    http::header::AUTHORIZATION,
                    bearer.map_err(|_| TokenError::Token)?,
                );
                self.verify_headers(&headers).await?
            }
        };
        drop(verified);
        Ok("OK".into())
    }

    /// `{"refreshToken": …}` ends its session. `"all": true` ends all sessions of the user of the
    /// refresh token or bearer token, if the default role of that token is in `token_roles`: other
    /// roles may be shared between users.
    async fn sign_out(&self) -> Result<Value, Error> {
        let token = match self.cookie_token()? {
            Some(token) => Some(token),
            None => self.body.maybe("refreshToken")?,
        };
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
            self.audit(Event {
                event: "sign-out",
                reason: None,
                user: Some(&user.id),
            });
            return Ok("OK".into());
        }
        let token = token.ok_or(InvalidRequest::Member {
            name: "refreshToken",
            expected: "a string",
        })?;
        let known = store.sign_out(token).await?;
        self.audit(Event {
            event: "sign-out",
            reason: (!known).then_some("unknown"),
            user: None,
        });
        // Signing out twice is not an error.
        Ok("OK".into())
    }

    /// The user of the bearer token, with the roles of the token.
    async fn user(&self) -> Result<User, Error> {
        self.user_of(&*self.verified_token().await?).await
    }

    /// The user of the bearer token, if the token may manage the user's tokens: its default role is
    /// in `token_roles`, and the user still has that role.
    async fn manager(&self) -> Result<User, Error> {
        let verified = self.verified_token().await?;
        if !self.manages_tokens(&verified.claims.default_role) {
            return Err(Error::RoleNotAllowed);
        }
        self.check_manager(self.user_of(&verified).await?)
    }

    /// The user of a refresh token, under the same condition as in [`ExchangeRequest::manager`].
    async fn refreshing_manager(&self, found: &RefreshToken) -> Result<User, Error> {
        let user = self
            .store()
            .user(&self.exchange_config.find_user, &found.user)
            .await?;
        let user = user
            .and_then(|user| user.within(found.roles.as_deref()))
            .ok_or(Error::RoleNotAllowed)?;
        self.check_manager(user)
    }

    fn check_manager(&self, user: User) -> Result<User, Error> {
        if self.manages_tokens(user.default_role()) {
            Ok(user)
        } else {
            Err(Error::RoleNotAllowed)
        }
    }

    fn manages_tokens(&self, role: &str) -> bool {
        self.exchange_config
            .token_roles
            .iter()
            .any(|own| own == role)
    }

    async fn user_of(&self, verified: &VerifiedToken) -> Result<User, Error> {
        let user = self
            .store()
            .user(
                &self.exchange_config.find_user,
                user_id(verified, self.prefix())?,
            )
            .await?;
        let roles = roles(&verified.claims);
        user.and_then(|user| user.within(Some(&roles)))
            .ok_or(Error::RoleNotAllowed)
    }

    /// `{"expiresAt": …, "metadata": {"name": …}}` creates a personal access token for the roles of
    /// the bearer token.
    async fn new_token(&self) -> Result<Value, Error> {
        let user = self.manager().await?;
        let claims = &self.verified_token().await?.claims;
        let factors = &self.exchange_config.factors;
        if factors
            .lacks_elevation(&self.store(), claims, &user.id)
            .await?
        {
            return Err(ExchangeError::ElevationRequired.into());
        }
        // The access token of a session that was ended holds for a while, but makes no other one.
        if let Some(session) = session_id(&self.exchange.headers)
            && !self.store().holds(&session, &user.id).await?
        {
            return Err(Error::RoleNotAllowed);
        }
        let expires = Expires::At(self.body.text("expiresAt")?.to_owned());
        let name = self
            .body
            .0
            .get("metadata")
            .and_then(|metadata| metadata.get("name"))
            .and_then(Value::as_str);
        let name = name
            .filter(|name| (1..=200).contains(&name.chars().count()))
            .unwrap_or("personal access token");
        let new = NewToken {
            user: &user.id,
            name,
            roles: Some(user.roles()),
            expires,
        };
        let (id, token) = self.store().create_own_token(&new).await?;
        self.audit(Event {
            event: "token-created",
            reason: None,
            user: Some(&user.id),
        });
        Ok(json!({"id": id, "personalAccessToken": token}))
    }

    async fn verified_token(&self) -> Result<Arc<VerifiedToken>, Error> {
        self.verify_headers(&self.exchange.headers).await
    }

    /// Verifies the token in these headers. It may have to wait for the issuer's keys, within the
    /// request's time limit.
    async fn verify_headers(&self, headers: &http::HeaderMap) -> Result<Arc<VerifiedToken>, Error> {
        let late = || LimitExceeded::Time(self.exchange.app.state().limits.time);
        deadline::timeout_at(
            self.deadline,
            self.state.authenticator.verified_token(headers),
        )
        .await
        .ok_or_else(late)?
    }

    fn prefix(&self) -> &str {
        &self.state.authenticator.policy().header_prefix
    }

    fn store(&self) -> Store<'_> {
        let address = self.exchange.client().map(|address| address.to_string());
        let database = &self.state.execution.database;
        Store {
            database,
            address,
            request: Some(&self.exchange.id),
            deadline: self.deadline,
        }
    }

    fn audit(&self, event: Event<'_>) {
        event.record(self.exchange);
    }
}

/// What a browser or a program calls itself, cut.
pub(crate) fn user_agent(exchange: &HttpExchange) -> Option<String> {
    let text = exchange.headers.get(USER_AGENT)?.to_str().ok()?;
    Some(text.chars().take(MAX_USER_AGENT_LENGTH).collect())
}

/// The roles that a token may use. The default role comes first if it is allowed; otherwise it is
/// left out.
fn roles(claims: &Claims) -> Vec<String> {
    let (first, others): (Vec<_>, Vec<_>) = claims
        .allowed_roles
        .iter()
        .map(|role| role.to_string())
        .partition(|role| **role == *claims.default_role);
    first.into_iter().chain(others).collect()
}

/// The session value with the user's id.
fn user_id<'v>(verified: &'v VerifiedToken, prefix: &str) -> Result<&'v str, Error> {
    let missing = || TokenError::MissingClaim(format!("{prefix}user-id"));
    Ok(verified.claims.values.get("user_id").ok_or_else(missing)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_role_that_is_not_allowed_is_left_out() {
        let of = |default_role: &str, allowed: &[&str]| {
            let allowed_roles = allowed.iter().map(|role| Arc::from(*role)).collect();
            roles(&Claims {
                default_role: default_role.into(),
                allowed_roles,
                values: Arc::default(),
            })
        };
        assert_eq!(of("me", &["user", "me"]), ["me", "user"]);
        assert_eq!(of("admin", &["user", "me"]), ["user", "me"]);
        assert!(of("user", &[]).is_empty());
    }
}
