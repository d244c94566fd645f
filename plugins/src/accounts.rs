//! The accounts plugin: people sign in by a password, a link or a code, and get a session of the
//! token exchange. It implements the API of hasura-auth, so that its clients work unchanged. Users
//! stay in the owner's tables, reached by the owner's statements; secrets are in the schema
//! `postern`. Without `[accounts]` in the settings file its paths respond with 404.
//!
//! ```text
//! request ─▶ account_request ─▶ sign_in, credentials, link ─▶ store ─▶ postern.*, the owner's tables
//!                                                              └─▶ postern.event_queue ─▶ mail_worker ─▶ mail
//! ```

mod account;
mod account_error;
mod account_request;
mod address;
mod anonymous;
mod config;
mod credentials;
mod elevate;
mod factor_reset;
mod factor_statements;
mod form;
mod identity_statements;
mod import;
mod link;
mod link_page;
mod mail;
mod mail_queue;
mod mail_worker;
mod next_step;
mod passkey;
mod password;
mod provider;
mod provider_sign_in;
mod purpose;
mod recovery_code;
mod redirect;
mod seal;
mod second_factor;
mod security_keys;
mod sessions;
mod shown_factor;
mod sign_in;
mod signed_in;
mod statements;
mod store;
mod totp;
mod ways_in;

use std::sync::Arc;
use std::time::Duration;

use gateway::config::Config;
use gateway::error::Error;
use gateway::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use gateway::http::{App, ErrorFormat, HttpExchange, Response, media};
use gateway::plugin::{
    BackgroundTask, CheckFuture, Migration, Plugin, PluginError, PluginReport, PrepareFuture,
    Prepared, Shutdown,
};
use http::header::{CACHE_CONTROL, HeaderValue, SET_COOKIE};
use http::{Method as HttpMethod, StatusCode};
use pg::{Completion, Database, DatabaseError, RowColumns};
use serde_json::Value;
use tokio::time::Instant;

use crate::token_exchange::{RequestBody, TokenExchange, refresh_cookie};
use account_request::AccountRequest;
use config::{AccountsConfig, Method};
pub use factor_reset::{FactorReset, is_configured, reset_factors};
pub use import::{Import, ImportError, ImportReport, SourceKind};
pub(crate) use mail::MailError;
pub(crate) use mail_worker::MailWorker;
use password::Hasher;
pub use password::hash as password_hash;
pub(crate) use statements::MAIL_TRIGGER;

/// The plugin.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    /// The current settings; `None` without accounts.
    accounts: Prepared<AccountsConfig>,
    hasher: Hasher,
}

/// The action of a path.
#[derive(Clone, Copy, Debug)]
enum Action {
    SignUp,
    SignIn,
    SendLink,
    SendCode,
    SignInByCode,
    SendVerification,
    ChangeEmail,
    SendReset,
    ChangePassword,
    Link,
    SignInByTotp,
    GenerateTotp,
    SetSecondFactor,
    CreateRecoveryCodes,
    ElevationMethods,
    ElevateByTotp,
    SendElevationCode,
    ElevateByMail,
    SignUpByKey,
    VerifySignUpByKey,
    SignInByKey,
    VerifySignInByKey,
    SecondFactorByKey,
    VerifySecondFactorByKey,
    AddKey,
    VerifyAddedKey,
    ListKeys,
    RemoveKey,
    ElevateByKey,
    VerifyElevationByKey,
    BeginAtProvider,
    BackFromProvider,
    BeginToLink,
    ListIdentities,
    UnlinkIdentity,
    ProviderTokens,
    RefreshProviderTokens,
    ExchangeCode,
    SignInAnonymously,
    Deanonymize,
    ListSessions,
    EndSessions,
    Health,
}

const GET: &[HttpMethod] = &[HttpMethod::GET];
const POST: &[HttpMethod] = &[HttpMethod::POST];
const GET_AND_POST: &[HttpMethod] = &[HttpMethod::GET, HttpMethod::POST];

/// The paths with their methods and actions, those of hasura-auth below `/v1`.
const PATHS: [(&str, &[HttpMethod], Action); 46] = [
    ("/v1/signup/email-password", POST, Action::SignUp),
    ("/v1/signin/email-password", POST, Action::SignIn),
    ("/v1/signin/passwordless/email", POST, Action::SendLink),
    ("/v1/signin/otp/email", POST, Action::SendCode),
    ("/v1/signin/otp/email/verify", POST, Action::SignInByCode),
    (
        "/v1/user/email/send-verification-email",
        POST,
        Action::SendVerification,
    ),
    ("/v1/user/email/change", POST, Action::ChangeEmail),
    ("/v1/user/password/reset", POST, Action::SendReset),
    ("/v1/user/password", POST, Action::ChangePassword),
    ("/v1/verify", GET_AND_POST, Action::Link),
    ("/v1/signin/mfa/totp", POST, Action::SignInByTotp),
    ("/v1/mfa/totp/generate", GET, Action::GenerateTotp),
    ("/v1/user/mfa", POST, Action::SetSecondFactor),
    (
        "/v1/user/mfa/recovery-codes",
        POST,
        Action::CreateRecoveryCodes,
    ),
    ("/v1/elevate", GET, Action::ElevationMethods),
    ("/v1/elevate/totp", POST, Action::ElevateByTotp),
    ("/v1/elevate/otp/email", POST, Action::SendElevationCode),
    ("/v1/elevate/otp/email/verify", POST, Action::ElevateByMail),
    ("/v1/signup/webauthn", POST, Action::SignUpByKey),
    (
        "/v1/signup/webauthn/verify",
        POST,
        Action::VerifySignUpByKey,
    ),
    ("/v1/signin/webauthn", POST, Action::SignInByKey),
    (
        "/v1/signin/webauthn/verify",
        POST,
        Action::VerifySignInByKey,
    ),
    ("/v1/signin/mfa/webauthn", POST, Action::SecondFactorByKey),
    (
        "/v1/signin/mfa/webauthn/verify",
        POST,
        Action::VerifySecondFactorByKey,
    ),
    ("/v1/user/webauthn/add", POST, Action::AddKey),
    ("/v1/user/webauthn/verify", POST, Action::VerifyAddedKey),
    ("/v1/user/webauthn", GET, Action::ListKeys),
    ("/v1/user/webauthn/remove", POST, Action::RemoveKey),
    ("/v1/elevate/webauthn", POST, Action::ElevateByKey),
    (
        "/v1/elevate/webauthn/verify",
        POST,
        Action::VerifyElevationByKey,
    ),
    ("/v1/signup/passwordless/email", POST, Action::SendLink),
    ("/v1/signup/otp/email", POST, Action::SendCode),
    (
        "/v1/signin/provider/{provider}",
        GET,
        Action::BeginAtProvider,
    ),
    (
        "/v1/signup/provider/{provider}",
        GET,
        Action::BeginAtProvider,
    ),
    (
        "/v1/signin/provider/{provider}/callback",
        GET_AND_POST,
        Action::BackFromProvider,
    ),
    (
        "/v1/signin/provider/{provider}/callback/tokens",
        GET,
        Action::ProviderTokens,
    ),
    (
        "/v1/token/provider/{provider}",
        POST,
        Action::RefreshProviderTokens,
    ),
    ("/v1/link/provider/{provider}", POST, Action::BeginToLink),
    ("/v1/user/providers", GET, Action::ListIdentities),
    ("/v1/user/providers/unlink", POST, Action::UnlinkIdentity),
    ("/v1/token/exchange", POST, Action::ExchangeCode),
    ("/v1/signin/anonymous", POST, Action::SignInAnonymously),
    ("/v1/user/deanonymize", POST, Action::Deanonymize),
    ("/v1/user/sessions", GET, Action::ListSessions),
    ("/v1/user/sessions/end", POST, Action::EndSessions),
    ("/v1/healthz", GET, Action::Health),
];

/// The OpenAPI description of the paths.
const OPENAPI: [&str; 3] = [
    include_str!("accounts/openapi.json"),
    include_str!("accounts/openapi_providers.json"),
    include_str!("accounts/openapi_second_factors.json"),
];

/// The versions of the tables of accounts.
const MIGRATIONS: &[Migration] = &[
    Migration::OfSchema {
        version: 14,
        sql: include_str!("accounts/migrations/accounts.sql"),
    },
    Migration::OfSchema {
        version: 15,
        sql: include_str!("accounts/migrations/second_factors.sql"),
    },
    Migration::OfSchema {
        version: 16,
        sql: include_str!("accounts/migrations/identities.sql"),
    },
];

/// The names of the events in the metrics, beside those of the token exchange.
const EVENTS: [&str; 8] = [
    "sign-up",
    "password-changed",
    "factor-added",
    "factor-removed",
    "recovery-codes-created",
    "elevated",
    "identity-linked",
    "identity-unlinked",
];

/// The interval between two removals of expired tickets.
const SWEEP_INTERVAL: Duration = Duration::from_secs(600);

/// The maximum number of statements per removal, each for up to a thousand rows.
const MAX_SWEEPS: usize = 100;

/// The time limit of a removal.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(20);

impl Plugin for Accounts {
    fn name(&self) -> &'static str {
        "accounts"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let route = |(path, methods, action): (&'static str, &'static [HttpMethod], Action)| {
            let handler = Handler::Plugin(Arc::new(PathHandler {
                plugin: self.clone(),
                path,
                action,
            }));
            Route {
                path,
                methods,
                error_format: ErrorFormat::Accounts,
                class: RouteClass::Authentication,
                handler,
            }
        };
        PATHS.map(route).into()
    }

    fn openapi(&self) -> Vec<&'static str> {
        let accounts = self.accounts.get();
        accounts.map_or_else(Vec::new, |_| OPENAPI.into())
    }

    fn sections(&self) -> &'static [&'static str] {
        &[config::SECTION]
    }

    fn migrations(&self) -> &'static [Migration] {
        MIGRATIONS
    }

    /// The keys are secrets, which a check may lack.
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
            let accounts = AccountsConfig::read(config)?;
            if let Some(accounts) = &accounts {
                let fault = |cause| PluginError::NotReady {
                    plugin: self.name(),
                    cause,
                };
                accounts.check(database).await.map_err(fault)?;
            }
            Ok(self.accounts.activation(accounts))
        })
    }

    fn start(self: Arc<Self>, app: Arc<App>, mut shutdown: Shutdown) -> Option<BackgroundTask> {
        EVENTS
            .iter()
            .for_each(|event| app.metrics.declare_authentication(event));
        Some(Box::pin(async move {
            loop {
                tokio::select! {
                    () = shutdown.requested() => return,
                    () = tokio::time::sleep(SWEEP_INTERVAL) => {}
                }
                if self.accounts.get().is_some() {
                    sweep(&app.state().execution.database).await;
                }
            }
        }))
    }
}

/// Removes tickets, tries and refresh tokens that nobody can use any more.
async fn sweep(database: &Database) {
    let deadline = Instant::now() + SWEEP_TIMEOUT;
    TokenExchange::sweep_tokens(database, deadline).await;
    for _ in 0..MAX_SWEEPS {
        match sweep_once(database, deadline).await {
            Ok(1000..) => {}
            Ok(_) => return,
            Err(fault) => {
                return tracing::warn!(cause = %fault, "could not delete expired tickets");
            }
        }
    }
}

/// Removes up to a thousand tickets and tries; returns how many of the more numerous ones.
async fn sweep_once(database: &Database, deadline: Instant) -> Result<usize, DatabaseError> {
    let swept = database
        .write(
            &[statements::SWEEP],
            &[vec![]],
            Completion::Commit,
            deadline,
        )
        .await;
    let rows = swept.map_err(|failed| failed.fault)?;
    let count = rows.last().and_then(|rows| rows.first());
    let count = count.and_then(|row| RowColumns::new(row).text());
    let count = count.and_then(|count| count.parse().ok());
    count.ok_or_else(|| DatabaseError::Protocol("no number of deleted tickets".into()))
}

/// The handler of one path.
struct PathHandler {
    plugin: Arc<Accounts>,
    path: &'static str,
    action: Action,
}

impl PluginHandler for PathHandler {
    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            // Without accounts the request fails before its body is read.
            self.accounts()?;
            let deadline = Instant::from_std(exchange.started) + exchange.app.state().limits.time;
            let mut form = exchange.query().to_owned();
            let has_form = matches!(self.action, Action::Link | Action::BackFromProvider);
            let body = if !has_form {
                RequestBody::read(exchange).await?
            } else {
                if exchange.method == HttpMethod::POST {
                    let app = exchange.app.clone();
                    let bytes = exchange.read_body(&app.state().limits).await?;
                    form = String::from_utf8_lossy(&bytes).into_owned();
                }
                RequestBody(Value::Null)
            };
            let wants_cookie = refresh_cookie::is_wanted(&body)?;
            // The settings may have been reloaded while the body arrived.
            let state = exchange.app.state();
            let accounts = self.accounts()?;
            let request = AccountRequest {
                exchange,
                state: &state,
                accounts: &accounts,
                hasher: &self.plugin.hasher,
                path: self.path,
                body,
                deadline,
            };
            let mut value = match self.action {
                Action::SignUp => request.sign_up().await?,
                Action::SignIn => request.sign_in().await?,
                Action::SendLink => request.send_link_or_code(Method::Link).await?,
                Action::SendCode => request.send_link_or_code(Method::Code).await?,
                Action::SignInByCode => request.sign_in_by_code().await?,
                Action::SendVerification => request.send_verification().await?,
                Action::ChangeEmail => request.change_email().await?,
                Action::SendReset => request.send_reset().await?,
                Action::ChangePassword => request.change_password().await?,
                Action::SignInByTotp => request.sign_in_by_totp().await?,
                Action::GenerateTotp => request.generate_totp().await?,
                Action::SetSecondFactor => request.set_second_factor().await?,
                Action::CreateRecoveryCodes => request.create_recovery_codes().await?,
                Action::ElevationMethods => request.elevation_methods().await?,
                Action::ElevateByTotp => request.elevate_by_totp().await?,
                Action::SendElevationCode => request.send_elevation_code().await?,
                Action::ElevateByMail => request.elevate_by_mail().await?,
                Action::SignUpByKey => request.sign_up_by_key().await?,
                Action::VerifySignUpByKey => request.verify_sign_up_by_key().await?,
                Action::SignInByKey => request.sign_in_by_key().await?,
                Action::VerifySignInByKey => request.verify_sign_in_by_key().await?,
                Action::SecondFactorByKey => request.second_factor_by_key().await?,
                Action::VerifySecondFactorByKey => request.verify_second_factor_by_key().await?,
                Action::AddKey => request.add_key().await?,
                Action::VerifyAddedKey => request.verify_added_key().await?,
                Action::ListKeys => request.list_keys().await?,
                Action::RemoveKey => request.remove_key().await?,
                Action::ElevateByKey => request.elevate_by_key().await?,
                Action::VerifyElevationByKey => request.verify_elevation_by_key().await?,
                Action::BeginAtProvider => return request.begin_at_provider(&form).await,
                Action::BackFromProvider => return request.back_from_provider(&form).await,
                Action::BeginToLink => {
                    let (value, cookie) = request.begin_to_link().await?;
                    let mut response = response(&value);
                    response.headers_mut().insert(SET_COOKIE, cookie);
                    return Ok(response);
                }
                Action::ListIdentities => request.list_identities().await?,
                Action::UnlinkIdentity => request.unlink_identity().await?,
                Action::ProviderTokens => request.provider_tokens().await?,
                Action::RefreshProviderTokens => request.refresh_provider_tokens().await?,
                Action::ExchangeCode => request.exchange_code().await?,
                Action::SignInAnonymously => request.sign_in_anonymously().await?,
                Action::Deanonymize => request.deanonymize().await?,
                Action::ListSessions => request.list_sessions().await?,
                Action::EndSessions => request.end_sessions().await?,
                Action::Health => "OK".into(),
                Action::Link => return request.link(&form).await,
            };
            let seconds = accounts.exchange.refresh;
            let cookie = wants_cookie.then(|| refresh_cookie::take_out(&mut value, seconds));
            let mut response = response(&value);
            if let Some(cookie) = cookie.flatten() {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            Ok(response)
        })
    }
}

impl PathHandler {
    /// The current settings; not found without accounts.
    fn accounts(&self) -> Result<Arc<AccountsConfig>, Error> {
        self.plugin.accounts.get().ok_or(Error::NotFound)
    }
}

fn response(value: &Value) -> Response {
    let value = gateway::http::object(value);
    let mut response = gateway::http::json(StatusCode::OK, media::JSON, value);
    let no_store = HeaderValue::from_static("no-store");
    response.headers_mut().insert(CACHE_CONTROL, no_store);
    response
}
