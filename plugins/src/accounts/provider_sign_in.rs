//! Signing in by another provider: the way there, the way back, and whose account a person gets.
//!
//! A person is known by the provider's issuer and their subject there. An address links somebody to
//! an account only if the provider has verified it, and then as a link in a mail does: what was
//! there before the address was proved goes. Explicit linking needs a session.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gateway::error::Error;
use gateway::http::Response;
use gateway::http::route::parameter;
use http::HeaderValue;
use http::header::SET_COOKIE;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::account_error::AccountError;
use super::account_request::AccountRequest;
use super::address;
use super::config::Method;
use super::form;
use super::identity_statements;
use super::link::{Return, redirect};
use super::link_page::PageContent;
use super::mail_queue::{MailPurpose, QueuedMail};
use super::next_step::{Delivery, FirstFactor, HandoverState, NextStep};
use super::provider::{Binding, Profile, Provider, ProviderError, ProviderTokens, pkce_challenge};
use super::signed_in::SignedIn;
use super::statements;
use super::store::{AccountStore, Credential, SignUp, SignedUp, Step, to_text};
use super::ways_in::WayIn;
use crate::token_exchange::{RequestBody, User, array, cookie_values, digest, hexadecimal};

/// The prefix of the cookie that binds a sign-in to its browser. Browsers take it from this host
/// alone. <https://www.rfc-editor.org/rfc/rfc6265.html>
const COOKIE_PREFIX: &str = "__Host-postern-";

/// How long a sign-in at a provider may take, in seconds.
const ATTEMPT_SECONDS: u32 = 600;

/// The longest state of an application.
const MAX_STATE_LENGTH: usize = 1000;

/// The type that a page of an application reads.
const KIND: &str = "signinProvider";

/// A sign-in at a provider, as the database keeps it until the person comes back.
#[derive(Serialize, Deserialize)]
struct Attempt {
    provider: String,
    redirect_to: String,
    display_name: Option<String>,
    locale: Option<String>,
    metadata: Value,
    /// What the application gets back.
    state: Option<String>,
    /// The challenge, if the session is handed over by a code.
    code_challenge: Option<String>,
    /// The session that links the provider, if that is what the person wants.
    session: Option<String>,
}

/// A sign-in that was begun, taken out of the database.
#[derive(Deserialize)]
struct TakenAttempt {
    /// The user who links the provider.
    user: Option<String>,
    attempt: Attempt,
}

/// The parameters of the provider's response.
#[derive(Default)]
struct ProviderResponse {
    code: Option<String>,
    state: String,
    iss: Option<String>,
    error: Option<String>,
    error_description: Option<String>,
}

impl ProviderResponse {
    fn read(form: &str) -> ProviderResponse {
        let mut response = ProviderResponse::default();
        for (name, value) in form::pairs(form) {
            match name.as_str() {
                "code" => response.code = Some(value),
                "state" => response.state = value,
                "iss" => response.iss = Some(value),
                "error" => response.error = Some(value),
                "error_description" => response.error_description = Some(value),
                _ => {}
            }
        }
        response
    }
}

impl AccountRequest<'_> {
    /// Leads to a provider, to sign in or up there. `query` is the query string.
    pub(super) async fn begin_at_provider(&self, query: &str) -> Result<Response, Error> {
        let provider = self.provider()?;
        let attempt = self.attempt(provider, query)?;
        let back = self.back(&attempt);
        match self.begin(provider, attempt, None).await? {
            Ok((url, cookie)) => {
                let mut response = redirect(&url)?;
                response.headers_mut().insert(SET_COOKIE, cookie);
                Ok(response)
            }
            Err(cause) => back.fail(self.provider_failed(provider, &cause).await?),
        }
    }

    /// `{"redirectTo": …, "state": …}` returns the address at which the person of the session links
    /// a provider.
    pub(super) async fn begin_to_link(&self) -> Result<(Value, HeaderValue), Error> {
        let provider = self.provider()?;
        let SignedIn { user, session, .. } = self.elevated().await?;
        let redirect_to = self.redirect_to(self.body.maybe("redirectTo")?)?;
        let attempt = Attempt {
            provider: provider.name.clone(),
            redirect_to: redirect_to.unwrap_or_else(|| self.accounts.client_url.clone()),
            display_name: None,
            locale: None,
            metadata: json!({}),
            state: self.body.maybe("state")?.map(str::to_owned),
            code_challenge: None,
            session: Some(session),
        };
        check_state(attempt.state.as_deref())?;
        match self.begin(provider, attempt, Some(&user.id)).await? {
            Ok((url, cookie)) => Ok((json!({"url": url.as_str()}), cookie)),
            Err(cause) => Err(self.provider_failed(provider, &cause).await?.into()),
        }
    }

    /// Ends a sign-in, when the provider has sent the person back. `form` is the query string or
    /// the form.
    pub(super) async fn back_from_provider(&self, form: &str) -> Result<Response, Error> {
        let provider = self.provider()?;
        let response = ProviderResponse::read(form);
        let Some(TakenAttempt { user, attempt }) =
            self.take_attempt(provider, &response.state).await?
        else {
            let _ = self.failed("sign-in", None, AccountError::State).await;
            return self.back_to_client().fail(AccountError::State);
        };
        let back = self.back(&attempt);
        if let Some(error) = &response.error {
            let _ = self
                .failed("sign-in", None, AccountError::ProviderError)
                .await;
            let description = response.error_description.as_deref().unwrap_or_default();
            return back.with(&[
                ("error", AccountError::ProviderError.code()),
                ("errorDescription", AccountError::ProviderError.message()),
                ("provider_error", error),
                ("provider_error_description", description),
            ]);
        }
        let binding = self.binding(provider, &response.state);
        let (profile, tokens) = match profile(provider, &response, &binding).await {
            Ok(known) => known,
            Err(cause) => return back.fail(self.provider_failed(provider, &cause).await?),
        };
        let outcome = match &user {
            Some(user) => {
                let linked = self
                    .link_profile(provider, &profile, &tokens, user, &attempt)
                    .await;
                linked.map(|()| None)
            }
            None => self
                .sign_in_by_profile(provider, &profile, &tokens, &attempt, back.delivery())
                .await
                .map(Some),
        };
        match outcome {
            Ok(None) => back.with(&[("type", "linkProvider")]),
            Ok(Some(NextStep::SecondFactor(asked))) => {
                Ok(self.page(&asked.ticket, &back, PageContent::Code, "../../../verify"))
            }
            Ok(Some(next)) => back.succeed(&next, KIND),
            Err(Error::Plugin(fault)) => {
                let code = fault.account_code.unwrap_or_default();
                back.with(&[("error", code), ("errorDescription", &fault.message)])
            }
            Err(error) => Err(error),
        }
    }

    /// `{"code": …, "codeVerifier": …}` returns the session that a code stands for.
    pub(super) async fn exchange_code(&self) -> Result<Value, Error> {
        let code = self.body.text("code")?;
        let verifier = self.body.text("codeVerifier")?;
        let store = self.store();
        let taken: Option<HandoverState> = store
            .write_json(identity_statements::TAKE_HANDOVER, vec![Some(digest(code))])
            .await?;
        let challenge = pkce_challenge(verifier);
        let is_same = |state: &HandoverState| {
            bool::from(state.challenge.as_bytes().ct_eq(challenge.as_bytes()))
        };
        let Some(state) = taken.filter(is_same) else {
            return Err(self.failed("sign-in", None, AccountError::Ticket).await);
        };
        let Some(user) = store.user(&state.user).await? else {
            let user = Some(state.user.as_str());
            return Err(self
                .failed("sign-in", user, AccountError::DisabledUser)
                .await);
        };
        let account = store.account(Some(&user.id)).await?;
        self.open(&user, &account, state.shown, None).await
    }

    /// Returns the providers that the user has linked.
    pub(super) async fn list_identities(&self) -> Result<Value, Error> {
        let user = self.signed_in().await?.user;
        let parameters = vec![Some(user.id)];
        let store = self.store();
        store
            .tokens
            .read(identity_statements::LIST_IDENTITIES, parameters)
            .await
    }

    /// `{"id": …}` unlinks a provider. The last way to sign in stays.
    pub(super) async fn unlink_identity(&self) -> Result<Value, Error> {
        let providers = self.accounts.providers.iter();
        let providers: Vec<String> = providers.map(|provider| provider.name.clone()).collect();
        self.remove_way_in(WayIn {
            statement: identity_statements::UNLINK_IDENTITY,
            more: &[Some(array(&providers))],
            event: "identity-unlinked",
            missing: AccountError::NoIdentity,
            has_other_kind: |account, request| {
                request.accounts.offers(Method::Passkey) && account.has_keys
            },
        })
        .await
    }

    /// Returns the tokens of the provider, which the last sign-in has left, once.
    pub(super) async fn provider_tokens(&self) -> Result<Value, Error> {
        let provider = self.provider()?;
        let user = self.signed_in().await?.user;
        let parameters = vec![Some(user.id.clone()), Some(provider.name.clone())];
        let sealed: Option<String> = self
            .store()
            .write_json(identity_statements::TAKE_TOKENS, parameters)
            .await?;
        let missing = AccountError::Invalid("the provider's tokens are not kept, or were taken");
        let sealed = sealed.ok_or(missing)?;
        let sealed = data_encoding::HEXLOWER.decode(sealed.as_bytes());
        let opened = sealed
            .ok()
            .and_then(|sealed| self.accounts.seal.open(&sealed, &user.id));
        let opened = opened.ok_or(missing)?;
        serde_json::from_slice(&opened.plain).map_err(|_| missing.into())
    }

    /// `{"refreshToken": …}` has the provider exchange a refresh token of its own.
    pub(super) async fn refresh_provider_tokens(&self) -> Result<Value, Error> {
        let provider = self.provider()?;
        self.signed_in().await?;
        let token = self.body.text("refreshToken")?;
        match provider.refresh(token).await {
            Ok(tokens) => Ok(tokens.to_json(jsonwebtoken::get_current_timestamp())),
            Err(cause) => Err(self.provider_failed(provider, &cause).await?.into()),
        }
    }

    /// The provider that the path names.
    fn provider(&self) -> Result<&Provider, AccountError> {
        let name = parameter(self.path, self.exchange.path()).unwrap_or_default();
        let mut providers = self.accounts.providers.iter();
        let provider = providers.find(|provider| provider.name == name);
        provider.ok_or(AccountError::DisabledEndpoint)
    }

    /// What a query asks for, with the options of a sign-up.
    fn attempt(&self, provider: &Provider, query: &str) -> Result<Attempt, Error> {
        let mut options = Map::new();
        let mut state = None;
        let mut code_challenge = None;
        for (name, value) in form::pairs(query) {
            let json = || serde_json::from_str::<Value>(&value).ok();
            match name.as_str() {
                "connect" => {
                    let message = "`connect` puts a token into an address; use `POST /v1/link/provider/{provider}`";
                    return Err(AccountError::Invalid(message).into());
                }
                "allowedRoles" => {
                    let roles = json().filter(Value::is_array);
                    let listed = || value.split(',').map(str::trim).collect();
                    options.insert(name, roles.unwrap_or_else(listed));
                }
                "metadata" => {
                    let invalid = AccountError::Invalid("`metadata` has to be an object");
                    options.insert(name, json().ok_or(invalid)?);
                }
                "defaultRole" | "displayName" | "locale" | "redirectTo" => {
                    options.insert(name, value.into());
                }
                "state" => state = Some(value),
                "codeChallenge" => code_challenge = Some(value),
                _ => {}
            }
        }
        check_state(state.as_deref())?;
        let is_challenge = |text: &String| {
            URL_SAFE_NO_PAD
                .decode(text)
                .is_ok_and(|sha| sha.len() == 32)
        };
        if !code_challenge.as_ref().is_none_or(is_challenge) {
            let message = "`codeChallenge` has to be a SHA-256 in base64url";
            return Err(AccountError::Invalid(message).into());
        }
        let options = self.options_of(&RequestBody(options.into()))?;
        let client_url = || self.accounts.client_url.clone();
        Ok(Attempt {
            provider: provider.name.clone(),
            redirect_to: options.redirect_to.unwrap_or_else(client_url),
            display_name: options.display_name,
            locale: options.locale,
            metadata: options.metadata,
            state,
            code_challenge,
            session: None,
        })
    }

    /// Keeps an attempt; returns the address at the provider, and the cookie of the browser.
    async fn begin(
        &self,
        provider: &Provider,
        attempt: Attempt,
        user: Option<&str>,
    ) -> Result<Result<(Url, HeaderValue), ProviderError>, Error> {
        let state = random_text();
        let binding = self.binding(provider, &state);
        let url = match provider.authorization_url(&binding).await {
            Ok(url) => url,
            Err(cause) => return Ok(Err(cause)),
        };
        // A browser with several attempts keeps its cookie, so that each of them can end.
        let browser = self
            .browser(provider)
            .map_or_else(random_text, str::to_owned);
        let parameters = vec![
            Some(Uuid::new_v4().to_string()),
            Some(digest(&state)),
            Some(digest(&browser)),
            user.map(str::to_owned),
            Some(to_text(&attempt)?),
        ];
        self.store()
            .tokens
            .write(identity_statements::BEGIN, parameters)
            .await?;
        // A form that the provider's page sends comes from another site.
        let same_site = if provider.has_form_post() {
            "None"
        } else {
            "Lax"
        };
        let cookie = format!(
            "{COOKIE_PREFIX}{}={browser}; Path=/; Max-Age={ATTEMPT_SECONDS}; HttpOnly; Secure; SameSite={same_site}",
            provider.name
        );
        let cookie = HeaderValue::try_from(cookie)
            .map_err(|_| Error::Internal("a cookie is no header".into()))?;
        Ok(Ok((url, cookie)))
    }

    /// Takes an attempt of this browser at this provider.
    async fn take_attempt(
        &self,
        provider: &Provider,
        state: &str,
    ) -> Result<Option<TakenAttempt>, Error> {
        let browser = self.browser(provider).unwrap_or_default();
        let parameters = [digest(state), digest(browser), provider.name.clone()];
        self.store()
            .write_json(identity_statements::TAKE, parameters.map(Some).into())
            .await
    }

    /// The cookie of the browser.
    fn browser(&self, provider: &Provider) -> Option<&str> {
        let name = format!("{COOKIE_PREFIX}{}", provider.name);
        cookie_values(&self.exchange.headers, &name).find(|value| value.len() == 43)
    }

    fn binding<'s>(&self, provider: &Provider, state: &'s str) -> Binding<'s> {
        let store = self.store();
        let server_url = &self.accounts.server_url;
        Binding {
            state,
            nonce: store.keyed_digest(&["nonce ", state]),
            verifier: store.keyed_digest(&["verifier ", state]),
            callback: format!("{server_url}/v1/signin/provider/{}/callback", provider.name),
        }
    }

    /// The page that an attempt leads back to, if the settings still list it.
    fn back(&self, attempt: &Attempt) -> Return {
        let page = self.accounts.page(&attempt.redirect_to);
        Return {
            target: page.unwrap_or_else(|| self.accounts.client_page()),
            state: attempt.state.clone(),
            code_challenge: attempt.code_challenge.clone(),
        }
    }

    fn back_to_client(&self) -> Return {
        Return {
            target: self.accounts.client_page(),
            state: None,
            code_challenge: None,
        }
    }

    /// The error of a provider, which the audit and the log have as well.
    async fn provider_failed(
        &self,
        provider: &Provider,
        cause: &ProviderError,
    ) -> Result<AccountError, Error> {
        let request_id = self.exchange.id.as_str();
        tracing::warn!(request_id, provider = provider.name, %cause, "no sign-in by a provider");
        let error = match cause {
            ProviderError::State => AccountError::State,
            ProviderError::Provider(_) => AccountError::ProviderError,
            ProviderError::Exchange(_) => AccountError::CodeExchange,
            ProviderError::Profile(_) => AccountError::ProfileFetch,
        };
        match self.failed("sign-in", None, error).await {
            Error::Plugin(_) => Ok(error),
            error => Err(error),
        }
    }

    /// Signs a person in whom a provider knows.
    async fn sign_in_by_profile(
        &self,
        provider: &Provider,
        profile: &Profile,
        tokens: &ProviderTokens,
        attempt: &Attempt,
        delivery: Delivery<'_>,
    ) -> Result<NextStep, Error> {
        let store = self.store();
        // Of two requests of one person at once the second finds what the first has made.
        for _ in 0..3 {
            let known = store.identity(provider, profile).await?;
            let user = match &known {
                Some(id) => self.enabled_user(id).await?,
                None => match self.user_by_address(provider, profile, attempt).await? {
                    Some(user) => user,
                    None => continue,
                },
            };
            let account = store.account(Some(&user.id)).await?;
            let shown = FirstFactor::provider(provider.method());
            let exchange = &self.accounts.exchange;
            let next = NextStep::after(shown, &user, &account, exchange, delivery)?;
            let mut steps = vec![];
            match (&known, &next) {
                (Some(_), _) => steps.push(self.using_identity(provider, profile, tokens, &user)?),
                // The address alone changes nothing of an account with a second factor.
                (None, NextStep::SecondFactor(_)) => {}
                (None, _) => {
                    let proved = [
                        Some(user.id.clone()),
                        profile.email.clone(),
                        Some("true".into()),
                    ];
                    steps.extend([
                        store.locking(&user.id),
                        (statements::VERIFY_EMAIL, store.tokens.with_origin(&proved)),
                        self.linking(provider, profile, tokens, &user.id)?,
                    ]);
                }
            }
            steps.push(store.next_step(&user.id, None, &next)?);
            match store.transact_with(&steps, AccountError::State).await {
                Ok(Some(_)) => {
                    if !matches!(next, NextStep::SecondFactor(_)) {
                        self.succeeded("sign-in", Some(&user.id));
                    }
                    return Ok(next);
                }
                Ok(None) | Err(Error::Plugin(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Err(self.failed("sign-in", None, AccountError::State).await)
    }

    /// The user with the address that the provider has verified, who is created if there is none.
    /// `None` if another request was faster.
    async fn user_by_address(
        &self,
        provider: &Provider,
        profile: &Profile,
        attempt: &Attempt,
    ) -> Result<Option<User>, Error> {
        let email = profile.email.as_deref().map(address::check);
        let Some(Ok(email)) = email else {
            return Err(self
                .failed("sign-in", None, AccountError::ProfileFetch)
                .await);
        };
        let store = self.store();
        if !(profile.has_verified_email && provider.trusts_email) {
            // Whoever has the address, the person proves it by a link first.
            if self.accounts.offers(Method::Link) {
                let mail = QueuedMail {
                    locale: attempt.locale.clone(),
                    display_name: attempt.display_name.clone(),
                    metadata: Some(attempt.metadata.clone()),
                    redirect_to: Some(attempt.redirect_to.clone()),
                    ..QueuedMail::new(MailPurpose::Link, email)
                };
                store.enqueue(&mail).await?;
            }
            return Err(self
                .failed("sign-in", None, AccountError::UnverifiedUser)
                .await);
        }
        let id = match store.id_of(email).await? {
            Some(id) => id,
            None => {
                self.require_sign_up().await?;
                let locale = attempt.locale.as_deref().or(profile.locale.as_deref());
                let name = attempt.display_name.as_deref();
                let name = name.or(profile.display_name.as_deref()).unwrap_or(email);
                let name: String = name
                    .chars()
                    .filter(|one| !one.is_control())
                    .take(32)
                    .collect();
                let method = provider.method();
                let sign_up = SignUp {
                    email: Some(email),
                    display_name: &name,
                    locale: self.accounts.locale(locale),
                    metadata: &attempt.metadata,
                    method: &method,
                    credential: Credential::None,
                    mail: None,
                };
                match store.sign_up(&sign_up).await? {
                    SignedUp::User(id) => {
                        self.succeeded("sign-up", Some(&id));
                        id
                    }
                    SignedUp::Taken => return Ok(None),
                    SignedUp::Refused => {
                        return Err(self
                            .failed("sign-up", None, AccountError::SignupDisabled)
                            .await);
                    }
                }
            }
        };
        self.enabled_user(&id).await.map(Some)
    }

    async fn enabled_user(&self, id: &str) -> Result<User, Error> {
        match self.store().user(id).await? {
            Some(user) => Ok(user),
            None => Err(self
                .failed("sign-in", Some(id), AccountError::DisabledUser)
                .await),
        }
    }

    /// Links a provider to the user of a session that still holds.
    async fn link_profile(
        &self,
        provider: &Provider,
        profile: &Profile,
        tokens: &ProviderTokens,
        user_id: &str,
        attempt: &Attempt,
    ) -> Result<(), Error> {
        let store = self.store();
        let user = self.enabled_user(user_id).await?;
        let session = attempt.session.clone().unwrap_or_default();
        let linked = store.identity(provider, profile).await?;
        let mut steps = vec![store.locking(user_id), store.requiring(&session, user_id)];
        match linked {
            Some(id) if id == user_id => {
                steps.push(self.using_identity(provider, profile, tokens, &user)?);
            }
            Some(_) => return Err(self.linked_by_another(user_id).await),
            None => {
                steps.push(self.linking(provider, profile, tokens, user_id)?);
                if user.text("email").is_some() {
                    let notice = QueuedMail::notice(MailPurpose::FactorChanged, &user);
                    let parameters = store.tokens.with_origin(&[Some(notice.to_json()?)]);
                    steps.push((statements::ENQUEUE_MAIL, parameters));
                }
            }
        }
        let gone = match store.transact_with(&steps, AccountError::NoSession).await {
            Ok(_) => {
                self.succeeded("identity-linked", Some(user_id));
                return Ok(());
            }
            Err(gone) => gone,
        };
        // Another user may have linked it meanwhile.
        match store.identity(provider, profile).await? {
            Some(id) if id != user_id => Err(self.linked_by_another(user_id).await),
            _ => Err(gone),
        }
    }

    async fn linked_by_another(&self, user_id: &str) -> Error {
        let error = AccountError::IdentityLinked;
        self.failed("identity-linked", Some(user_id), error).await
    }

    fn using_identity(
        &self,
        provider: &Provider,
        profile: &Profile,
        tokens: &ProviderTokens,
        user: &User,
    ) -> Result<Step<'static>, Error> {
        let parameters = [
            Some(provider.issuer().to_owned()),
            Some(profile.subject.clone()),
            Some(user.id.clone()),
            profile.email.clone(),
            self.sealed(provider, tokens, &user.id)?,
        ];
        let store = self.store();
        Ok((
            identity_statements::USE_IDENTITY,
            store.tokens.with_origin(&parameters),
        ))
    }

    fn linking(
        &self,
        provider: &Provider,
        profile: &Profile,
        tokens: &ProviderTokens,
        user_id: &str,
    ) -> Result<Step<'static>, Error> {
        let parameters = [
            Some(provider.issuer().to_owned()),
            Some(profile.subject.clone()),
            Some(user_id.to_owned()),
            Some(provider.name.clone()),
            profile.email.clone(),
            self.sealed(provider, tokens, user_id)?,
            Some(provider.method()),
        ];
        let store = self.store();
        Ok((
            identity_statements::LINK_IDENTITY,
            store.tokens.with_origin(&parameters),
        ))
    }

    /// The provider's tokens, sealed for the user, if the settings keep them.
    fn sealed(
        &self,
        provider: &Provider,
        tokens: &ProviderTokens,
        user_id: &str,
    ) -> Result<Option<String>, Error> {
        if !provider.keeps_tokens {
            return Ok(None);
        }
        let text = tokens
            .to_json(jsonwebtoken::get_current_timestamp())
            .to_string();
        let sealed = self.accounts.seal.seal(text.as_bytes(), user_id)?;
        Ok(Some(hexadecimal(&sealed)))
    }
}

impl AccountStore<'_> {
    /// The user whom a provider knows as this person.
    async fn identity(
        &self,
        provider: &Provider,
        profile: &Profile,
    ) -> Result<Option<String>, Error> {
        let parameters = [provider.issuer(), &profile.subject];
        let parameters = parameters.map(|text| Some(text.to_owned()));
        self.tokens
            .read(identity_statements::FIND_IDENTITY, parameters.into())
            .await
    }
}

/// What the provider knows of the person who comes with a response.
async fn profile(
    provider: &Provider,
    response: &ProviderResponse,
    binding: &Binding<'_>,
) -> Result<(Profile, ProviderTokens), ProviderError> {
    provider.check_issuer(response.iss.as_deref()).await?;
    let missing = || ProviderError::Exchange("there is no code".into());
    let code = response.code.as_deref().ok_or_else(missing)?;
    provider.profile(code, binding).await
}

fn check_state(state: Option<&str>) -> Result<(), AccountError> {
    if state.is_some_and(|state| state.len() > MAX_STATE_LENGTH) {
        return Err(AccountError::Invalid(
            "`state` has to have at most 1000 bytes",
        ));
    }
    Ok(())
}

/// 256 random bits as 43 characters.
fn random_text() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}
