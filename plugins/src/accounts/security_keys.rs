//! Passkeys and security keys: people sign up and in with them, add and remove them, and show them
//! as a second factor. Each takes two requests, with a challenge between them that is stored, and
//! that is used once however many gateways there are. The ceremonies are in [`super::passkey`].

use gateway::error::Error;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::account_error::AccountError;
use super::account_request::AccountRequest;
use super::config::Method;
use super::elevate::ElevationProof;
use super::factor_statements;
use super::mail_queue::MailPurpose;
use super::next_step::FirstFactor;
use super::passkey::{self, Assertion, Challenge, Descriptor, RelyingParty, SecurityKey};
use super::provider::Provider;
use super::purpose::Purpose;
use super::shown_factor::ShownFactor;
use super::signed_in::SignedIn;
use super::store::{AccountStore, Credential, Ticket, to_text};
use super::ways_in::WayIn;
use crate::token_exchange::hexadecimal;

/// The most keys of a user.
const MAX_KEYS: usize = 20;

/// The most characters of a key's name.
pub(super) const MAX_NICKNAME_LENGTH: usize = 64;

/// What a challenge is for. Another use refuses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "use")]
enum ChallengeUse {
    /// To sign up; the handle that the key is made with.
    SignUp { handle: String },
    /// To sign in.
    SignIn,
    /// To add a key in a session.
    Add { session: String },
    /// To elevate a session.
    Elevate { session: String },
    /// To show a second factor for a ticket.
    Factor { ticket: String },
}

/// A challenge in the database.
#[derive(Serialize, Deserialize)]
struct StoredChallenge {
    #[serde(flatten)]
    purpose: ChallengeUse,
    challenge: Value,
}

/// A challenge that was taken out of the database.
#[derive(Deserialize)]
struct TakenChallenge {
    /// The address of a sign-up.
    email: Option<String>,
    state: StoredChallenge,
}

/// A key in the database.
#[derive(Debug, Deserialize)]
struct StoredKey {
    id: String,
    user: String,
    credential_id: String,
    public_key: String,
    sign_count: i64,
    transports: Vec<String>,
    aaguid: String,
    backup_eligible: bool,
    backed_up: bool,
    nickname: Option<String>,
    created_at: Option<String>,
    last_used_at: Option<String>,
    /// The user as the key knows it, if the key was looked for by its credential.
    handle: Option<String>,
}

/// A signature that was verified, with the key's user.
struct SignedChallenge {
    user: String,
    assertion: Assertion,
    factor: ShownFactor,
}

impl AccountRequest<'_> {
    /// `{"email": …, "options": …}` returns the options to make a passkey, whoever has the address.
    pub(super) async fn sign_up_by_key(&self) -> Result<Value, Error> {
        self.require(Method::Passkey)?;
        let email = self.email("email")?;
        let options = self.options()?;
        self.require_sign_up().await?;
        let handle = Uuid::new_v4();
        let name = options.display_name.as_deref().unwrap_or(email);
        let relying_party = self.relying_party()?;
        let (options, challenge) = relying_party.creation_options(handle, email, name, &[]);
        let purpose = ChallengeUse::SignUp {
            handle: handle.to_string(),
        };
        self.keep(purpose, &challenge, None, Some(email)).await?;
        Ok(options)
    }

    /// `{"credential": …, "options": …, "nickname": …}` creates a user with a passkey.
    pub(super) async fn verify_sign_up_by_key(&self) -> Result<Value, Error> {
        self.require(Method::Passkey)?;
        let options = self.options()?;
        let nickname = self.nickname()?;
        self.require_sign_up().await?;
        let credential = self.credential()?;
        let taken = self.take("sign-up", credential).await?;
        let (email, handle) = match (taken.email, taken.state.purpose) {
            (Some(email), ChallengeUse::SignUp { handle }) => (email, handle),
            _ => return Err(self.not_right("sign-up", None).await),
        };
        let handle = Uuid::parse_str(&handle)
            .map_err(|_| Error::Internal("the handle of a challenge is no uuid".into()))?;
        let registration = self.registration(&taken.state.challenge, credential);
        let is_new = self.store().key(credential).await?.is_none();
        let Some(registration) = registration?.filter(|_| is_new) else {
            return Err(self.not_right("sign-up", None).await);
        };
        let key = key_json(Uuid::new_v4(), &registration.key, nickname);
        let first = FirstFactor::passkey(registration.is_user_verified);
        let credential = Credential::Passkey(handle, &key);
        self.sign_up_as(&email, options, credential, first).await
    }

    /// `{"email": …}` returns the options to sign in with a key of the user; without address, with
    /// any passkey. An address without keys gets made-up ones, and each time the same.
    pub(super) async fn sign_in_by_key(&self) -> Result<Value, Error> {
        self.require(Method::Passkey)?;
        let mut keys = vec![];
        if self.body.maybe("email")?.is_some() {
            let email = self.email("email")?;
            let store = self.store();
            let id = store.id_of(email).await?.unwrap_or_default();
            let account = store.account(Some(&id)).await?;
            let found = store.keys(&id).await?;
            let is_told = !self.accounts.verify || account.has_verified(email);
            keys = descriptors(&found);
            if keys.is_empty() || !is_told {
                keys = vec![store.made_up_key(email)];
            }
        }
        self.request(ChallengeUse::SignIn, &keys, None).await
    }

    /// `{"credential": …}` returns a session for the signature of a key.
    pub(super) async fn verify_sign_in_by_key(&self) -> Result<Value, Error> {
        self.require(Method::Passkey)?;
        let signed = self.signed("sign-in", ChallengeUse::SignIn).await?;
        let store = self.store();
        let id = Some(signed.user.as_str());
        let Some(user) = store.user(&signed.user).await? else {
            return Err(self.failed("sign-in", id, AccountError::DisabledUser).await);
        };
        let account = store.account(id).await?;
        if self.accounts.verify && !account.has_verified(user.text("email").unwrap_or_default()) {
            return Err(self
                .failed("sign-in", id, AccountError::UnverifiedUser)
                .await);
        }
        let first = FirstFactor::passkey(signed.assertion.is_user_verified);
        self.open(&user, &account, first, Some(&signed.factor))
            .await
    }

    /// Returns the options to add a key.
    pub(super) async fn add_key(&self) -> Result<Value, Error> {
        let relying_party = self.relying_party()?;
        let signed_in = self.elevated().await?;
        let user = &signed_in.user;
        let store = self.store();
        let account = store.account(Some(&user.id)).await?;
        let handle = account.handle.as_deref().map(Uuid::parse_str);
        let Some(Ok(handle)) = handle else {
            return Err(Error::Internal("an account has no handle".into()));
        };
        let keys = store.keys(&user.id).await?;
        let existing = descriptors(&keys);
        let email = signed_in.email();
        let name = user.text("display_name").unwrap_or(email);
        let (options, challenge) = relying_party.creation_options(handle, email, name, &existing);
        let purpose = ChallengeUse::Add {
            session: signed_in.session.clone(),
        };
        self.keep(purpose, &challenge, Some(&user.id), None).await?;
        Ok(options)
    }

    /// `{"credential": …, "nickname": …}` adds a key, and returns its id and name.
    pub(super) async fn verify_added_key(&self) -> Result<Value, Error> {
        self.relying_party()?;
        let signed_in = self.elevated().await?;
        let SignedIn { user, session, .. } = &signed_in;
        let nickname = self.nickname()?;
        let credential = self.credential()?;
        let taken = self.take("factor-added", credential).await?;
        let purpose = ChallengeUse::Add {
            session: session.clone(),
        };
        let registration = if taken.state.purpose == purpose {
            self.registration(&taken.state.challenge, credential)?
        } else {
            None
        };
        let Some(registration) = registration else {
            return Err(self.not_right("factor-added", Some(&user.id)).await);
        };
        let id = Uuid::new_v4();
        let parameters = [
            user.id.clone(),
            key_json(id, &registration.key, nickname),
            MAX_KEYS.to_string(),
            session.clone(),
            signed_in.notice(MailPurpose::FactorChanged).to_json()?,
        ];
        let statement = factor_statements::ADD_KEY;
        let gone = AccountError::Credential;
        let added = self
            .store()
            .transact_in_session(&user.id, session, statement, &parameters.map(Some), gone)
            .await?;
        added.ok_or(AccountError::TooManyKeys)?;
        self.succeeded("factor-added", Some(&user.id));
        Ok(json!({"id": id.to_string(), "nickname": nickname}))
    }

    /// Returns the keys of the user.
    pub(super) async fn list_keys(&self) -> Result<Value, Error> {
        self.relying_party()?;
        let signed_in = self.signed_in().await?;
        let keys = self.store().keys(&signed_in.user.id).await?;
        let describe = |key: &StoredKey| {
            json!({
                "id": key.id,
                "nickname": key.nickname,
                "createdAt": key.created_at,
                "lastUsedAt": key.last_used_at,
                "backedUp": key.backed_up,
            })
        };
        Ok(keys.iter().map(describe).collect())
    }

    /// `{"id": …}` removes a key. The last way to sign in stays.
    pub(super) async fn remove_key(&self) -> Result<Value, Error> {
        self.relying_party()?;
        self.remove_way_in(WayIn {
            statement: factor_statements::REMOVE_KEY,
            more: &[],
            event: "factor-removed",
            missing: AccountError::NoSecurityKey,
            has_other_kind: |account, request| {
                let providers = &request.accounts.providers;
                let issuers = &account.issuers;
                let is_linked =
                    |provider: &Provider| issuers.iter().any(|i| i == provider.issuer());
                providers.iter().any(is_linked)
            },
        })
        .await
    }

    /// Returns the options to elevate the session with a key.
    pub(super) async fn elevate_by_key(&self) -> Result<Value, Error> {
        let signed_in = self.signed_in().await?;
        let keys = self.store().keys(&signed_in.user.id).await?;
        if keys.is_empty() {
            return Err(AccountError::NoSecurityKey.into());
        }
        let purpose = ChallengeUse::Elevate {
            session: signed_in.session.clone(),
        };
        self.request(purpose, &descriptors(&keys), Some(&signed_in.user.id))
            .await
    }

    /// `{"credential": …}` elevates the session by the signature of a key.
    pub(super) async fn verify_elevation_by_key(&self) -> Result<Value, Error> {
        let signed_in = self.signed_in().await?;
        let purpose = ChallengeUse::Elevate {
            session: signed_in.session.clone(),
        };
        let signed = self.signed("elevated", purpose).await?;
        if signed.user != signed_in.user.id {
            return Err(self.not_right("elevated", Some(&signed_in.user.id)).await);
        }
        self.elevate(&signed_in, ElevationProof::Factor(signed.factor))
            .await
    }

    /// `{"ticket": …}` returns the options to show a key after the first factor.
    pub(super) async fn second_factor_by_key(&self) -> Result<Value, Error> {
        let store = self.store();
        let ticket = store.ticket(self.body.text("ticket")?).await?;
        let is_offered =
            |ticket: &Ticket| ticket.purpose == Purpose::Factor && !ticket.is_after_key();
        let Some(ticket) = ticket.filter(is_offered) else {
            return Err(self.failed("sign-in", None, AccountError::Ticket).await);
        };
        let keys = store.keys(&ticket.user).await?;
        if keys.is_empty() {
            return Err(AccountError::NoSecurityKey.into());
        }
        let purpose = ChallengeUse::Factor {
            ticket: ticket.id.clone(),
        };
        self.request(purpose, &descriptors(&keys), Some(&ticket.user))
            .await
    }

    /// `{"ticket": …, "credential": …}` returns a session for the signature of a key after the
    /// first factor.
    pub(super) async fn verify_second_factor_by_key(&self) -> Result<Value, Error> {
        let ticket = self.factor_ticket(self.body.text("ticket")?).await?;
        let purpose = ChallengeUse::Factor {
            ticket: ticket.id.clone(),
        };
        let signed = self.signed("sign-in", purpose).await?;
        // The same key twice would be one factor.
        if signed.user != ticket.user || ticket.is_after_key() {
            return Err(self.not_right("sign-in", Some(&ticket.user)).await);
        }
        self.sign_in_by_factor(&ticket, signed.factor).await
    }

    /// The options to sign a challenge with one of the keys, or with any if there are none.
    async fn request(
        &self,
        purpose: ChallengeUse,
        keys: &[Descriptor],
        user: Option<&str>,
    ) -> Result<Value, Error> {
        let (options, challenge) = self.relying_party()?.request_options(keys);
        self.keep(purpose, &challenge, user, None).await?;
        Ok(options)
    }

    /// Takes the challenge of the credential in the body, and verifies its signature with the
    /// stored key. `event` is what a failure is in the audit.
    async fn signed(
        &self,
        event: &'static str,
        purpose: ChallengeUse,
    ) -> Result<SignedChallenge, Error> {
        let relying_party = self.relying_party()?;
        let credential = self.credential()?;
        let taken = self.take(event, credential).await?;
        let store = self.store();
        let found = store.key(credential).await?;
        let Some(found) = found.filter(|_| taken.state.purpose == purpose) else {
            return Err(self.not_right(event, None).await);
        };
        let user = Some(found.user.as_str());
        let key = found.key();
        let handle = found.handle.as_deref().map(Uuid::parse_str);
        let challenge = Challenge::from_state(&taken.state.challenge);
        let (Some(key), Some(Ok(handle)), Some(challenge)) = (key, handle, challenge) else {
            return Err(Error::Internal("a stored key cannot be read".into()));
        };
        // Section 7.2, step 6: without a list of keys, the key itself says whose it is.
        let is_users = match passkey::has_handle(credential, handle) {
            Some(is_same) => is_same || has_user_id(credential, &found.user),
            None => challenge.names_keys(),
        };
        let verified = relying_party.verify_assertion(&challenge, credential, &key);
        let assertion = match verified {
            Ok(assertion) if is_users => assertion,
            Ok(_) => return Err(self.not_right(event, user).await),
            Err(cause) => {
                tracing::info!(request_id = self.exchange.id, %cause, "security key refused");
                return Err(self.not_right(event, user).await);
            }
        };
        let factor = ShownFactor::Key {
            id: found.id.clone(),
            former_count: found.sign_count,
            count: assertion.sign_count.into(),
            is_backed_up: assertion.is_backed_up,
            is_backup_eligible: assertion.is_backup_eligible,
        };
        Ok(SignedChallenge {
            user: found.user,
            assertion,
            factor,
        })
    }

    /// The key that an authenticator has made; `None` if its response is not right.
    fn registration(
        &self,
        challenge: &Value,
        credential: &Value,
    ) -> Result<Option<passkey::Registration>, Error> {
        let challenge = Challenge::from_state(challenge)
            .ok_or_else(|| Error::Internal("a stored challenge cannot be read".into()))?;
        let verified = self
            .relying_party()?
            .verify_creation(&challenge, credential);
        Ok(verified
            .inspect_err(|cause| {
                tracing::info!(request_id = self.exchange.id, %cause, "security key refused");
            })
            .ok())
    }

    async fn keep(
        &self,
        purpose: ChallengeUse,
        challenge: &Challenge,
        user: Option<&str>,
        email: Option<&str>,
    ) -> Result<(), Error> {
        let stored = StoredChallenge {
            purpose,
            challenge: challenge.state(),
        };
        let state = to_text(&stored)?;
        let parameters = vec![
            Some(Uuid::new_v4().to_string()),
            user.map(str::to_owned),
            email.map(str::to_owned),
            Some(challenge_digest(challenge.bytes())),
            Some(state),
        ];
        self.store()
            .tokens
            .write(factor_statements::CREATE_CHALLENGE, parameters)
            .await
            .map(drop)
    }

    /// Takes the challenge that a credential responds to. Whatever comes of the credential, no
    /// other request gets it.
    async fn take(&self, event: &'static str, credential: &Value) -> Result<TakenChallenge, Error> {
        let taken: Option<TakenChallenge> = match passkey::challenge_of(credential) {
            None => None,
            Some(bytes) => {
                let parameters = vec![Some(challenge_digest(&bytes))];
                self.store()
                    .write_json(factor_statements::TAKE_CHALLENGE, parameters)
                    .await?
            }
        };
        match taken {
            Some(taken) => Ok(taken),
            None => Err(self.not_right(event, None).await),
        }
    }

    async fn not_right(&self, event: &'static str, user: Option<&str>) -> Error {
        self.failed(event, user, AccountError::Credential).await
    }

    fn relying_party(&self) -> Result<&RelyingParty, AccountError> {
        let relying_party = self.accounts.relying_party.as_ref();
        relying_party.ok_or(AccountError::DisabledEndpoint)
    }

    fn credential(&self) -> Result<&Value, AccountError> {
        let credential = self.body.0.get("credential");
        credential
            .filter(|credential| credential["response"].is_object())
            .ok_or(AccountError::Invalid(
                "`credential` has to be an object with a `response`",
            ))
    }

    /// The name of a key. The former client sends it among the options.
    fn nickname(&self) -> Result<Option<&str>, Error> {
        let of_options = || {
            let options = self.body.0.get("options")?;
            options.get("nickname")?.as_str()
        };
        let nickname = self.body.maybe("nickname")?.or_else(of_options);
        let is_wrong = |name: &&str| {
            name.chars().count() > MAX_NICKNAME_LENGTH || name.chars().any(char::is_control)
        };
        if nickname.as_ref().is_some_and(is_wrong) {
            let message = "`nickname` has to have at most 64 characters, and no control characters";
            return Err(AccountError::Invalid(message).into());
        }
        Ok(nickname.filter(|name| !name.is_empty()))
    }
}

impl AccountStore<'_> {
    async fn keys(&self, user: &str) -> Result<Vec<StoredKey>, Error> {
        let parameters = vec![Some(user.to_owned())];
        self.tokens
            .read(factor_statements::FIND_KEYS, parameters)
            .await
    }

    async fn key(&self, credential: &Value) -> Result<Option<StoredKey>, Error> {
        let Some(id) = passkey::credential_id_of(credential) else {
            return Ok(None);
        };
        let parameters = vec![Some(hexadecimal(&id))];
        self.tokens
            .read(factor_statements::FIND_KEY, parameters)
            .await
    }

    /// A key for an address that has none, each time the same. Real ones have these lengths as
    /// well, and others.
    fn made_up_key(&self, email: &str) -> Descriptor {
        let email = email.to_ascii_lowercase();
        let digest = self.keyed_digest(&["made-up key ", &email]);
        let mut bytes = bytes_of(&digest).unwrap_or_default();
        let (length, transports) = match bytes.last().map_or(0, |byte| byte % 3) {
            0 => (16, vec!["hybrid", "internal"]),
            1 => (20, vec!["hybrid", "internal"]),
            _ => (32, vec!["internal"]),
        };
        bytes.truncate(length);
        Descriptor {
            credential_id: bytes,
            transports: transports.into_iter().map(str::to_owned).collect(),
        }
    }
}

impl StoredKey {
    fn key(&self) -> Option<SecurityKey> {
        Some(SecurityKey {
            credential_id: bytes_of(&self.credential_id)?,
            public_key: bytes_of(&self.public_key)?,
            sign_count: self.sign_count.try_into().ok()?,
            transports: self.transports.clone(),
            aaguid: Uuid::parse_str(&self.aaguid).ok()?,
            is_backup_eligible: self.backup_eligible,
            is_backed_up: self.backed_up,
        })
    }

    fn descriptor(&self) -> Option<Descriptor> {
        Some(self.key()?.descriptor())
    }
}

fn descriptors(keys: &[StoredKey]) -> Vec<Descriptor> {
    keys.iter().filter_map(StoredKey::descriptor).collect()
}

/// The bytes of hexadecimal digits.
fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    data_encoding::HEXLOWER.decode(digits.as_bytes()).ok()
}

/// Whether the user handle of a credential is the user's id. hasura-auth and GoTrue give it to
/// their keys, and a key that was taken over from them keeps it.
fn has_user_id(credential: &Value, user: &str) -> bool {
    let id = Uuid::try_parse(user).ok();
    id.is_some_and(|id| passkey::has_handle(credential, id) == Some(true))
}

fn challenge_digest(bytes: &[u8]) -> String {
    crate::token_exchange::digest(&hexadecimal(bytes))
}

/// A new key as `postern.add_security_key` takes it.
fn key_json(id: Uuid, key: &SecurityKey, nickname: Option<&str>) -> String {
    let value = json!({
        "id": id.to_string(),
        "credential_id": hexadecimal(&key.credential_id),
        "public_key": hexadecimal(&key.public_key),
        "sign_count": key.sign_count,
        "transports": key.transports,
        "aaguid": key.aaguid.to_string(),
        "backup_eligible": key.is_backup_eligible,
        "backed_up": key.is_backed_up,
        "nickname": nickname,
    });
    value.to_string()
}
