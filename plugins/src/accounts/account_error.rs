//! The errors of accounts, with the codes and statuses of hasura-auth, which its clients read.
//! <https://github.com/nhost/hasura-auth/blob/main/docs/openapi.yaml>

use gateway::error::ErrorSpec;
use gateway::error::{Error, PluginFault, catalogue};

/// Why a person cannot do what they ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccountError {
    /// The address and the password are not those of a user.
    EmailPassword,
    /// The address was not proved yet.
    UnverifiedUser,
    /// The query of users finds the user no more.
    DisabledUser,
    /// A code that is unknown, wrong, used or expired.
    Code,
    /// A ticket that is unknown, used or expired.
    Ticket,
    /// Nobody may sign up, or not with this address.
    SignupDisabled,
    /// The settings turn the method off.
    DisabledEndpoint,
    /// The address belongs to a user.
    EmailInUse,
    /// A password below the least number of characters.
    PasswordTooShort,
    /// A password that is known from a leak.
    PasswordLeaked,
    /// A role that the settings do not let clients name.
    RoleNotAllowed,
    /// A default role that is not among the roles of the request.
    DefaultRole,
    /// A language without mails.
    LocaleNotAllowed,
    /// An address of a page that the settings do not list.
    RedirectNotAllowed,
    /// A request whose member is malformed; the text says which.
    Invalid(&'static str),
    /// A token that was not issued to a person who signed in.
    NoSession,
    /// A code of an authenticator app or a recovery code that is wrong or used.
    Totp,
    /// The user has no second factor any more.
    DisabledTotp,
    /// No secret of an authenticator app is there.
    NoTotpSecret,
    /// An authenticator app is the second factor already.
    TotpActive,
    /// A kind of second factor that does not exist.
    MfaType,
    /// Recovery codes without a second factor.
    NoSecondFactor,
    /// The user has no such security key.
    NoSecurityKey,
    /// A user with twenty security keys.
    TooManyKeys,
    /// The last way to sign in.
    LastWayIn,
    /// A credential of a passkey or a security key that is not right.
    Credential,
    /// A response of a provider that belongs to no request of this browser.
    State,
    /// A provider that cannot be asked, or that says no.
    ProviderError,
    /// A code that the provider does not exchange.
    CodeExchange,
    /// A provider that does not say who the person is.
    ProfileFetch,
    /// An identity at a provider that another user has linked.
    IdentityLinked,
    /// The user has not linked that provider.
    NoIdentity,
    /// The user has an address.
    NotAnonymous,
    /// A factor has to be shown again first.
    ElevationRequired,
    /// More hashes are wanted than the gateway computes.
    Busy,
    /// Passwords, codes or factors were tried too often for an address or a user.
    TooManyTries,
}

impl AccountError {
    /// The code of hasura-auth.
    pub(super) fn code(self) -> &'static str {
        self.parts().1
    }

    /// The message for clients.
    pub(super) fn message(self) -> &'static str {
        self.parts().2
    }

    fn parts(self) -> (ErrorSpec, &'static str, &'static str) {
        use catalogue::{
            BAD_REQUEST, FORBIDDEN, RATE_LIMITED, STREAM_IN_USE, UNAUTHENTICATED, UNAVAILABLE,
        };
        match self {
            AccountError::EmailPassword => (
                UNAUTHENTICATED,
                "invalid-email-password",
                "Incorrect email or password",
            ),
            AccountError::UnverifiedUser => (
                UNAUTHENTICATED,
                "unverified-user",
                "The email address is not verified",
            ),
            AccountError::DisabledUser => {
                (UNAUTHENTICATED, "disabled-user", "The user is disabled")
            }
            AccountError::Code => (UNAUTHENTICATED, "invalid-otp", "Invalid or expired code"),
            AccountError::Ticket => (
                UNAUTHENTICATED,
                "invalid-ticket",
                "Invalid or expired ticket",
            ),
            AccountError::SignupDisabled => {
                (FORBIDDEN, "signup-disabled", "Sign-up is not allowed")
            }
            AccountError::DisabledEndpoint => (
                STREAM_IN_USE,
                "disabled-endpoint",
                "This way to sign in is turned off",
            ),
            AccountError::EmailInUse => (
                STREAM_IN_USE,
                "email-already-in-use",
                "The email address is already in use",
            ),
            AccountError::PasswordTooShort => (
                BAD_REQUEST,
                "password-too-short",
                "The password is too short",
            ),
            AccountError::PasswordLeaked => (
                BAD_REQUEST,
                "password-in-hibp-database",
                "The password is known from a leak; choose another one",
            ),
            AccountError::RoleNotAllowed => {
                (BAD_REQUEST, "role-not-allowed", "The role is not allowed")
            }
            AccountError::DefaultRole => (
                BAD_REQUEST,
                "default-role-must-be-in-allowed-roles",
                "The default role has to be among the allowed roles",
            ),
            AccountError::LocaleNotAllowed => (
                BAD_REQUEST,
                "locale-not-allowed",
                "The locale is not supported",
            ),
            AccountError::RedirectNotAllowed => (
                BAD_REQUEST,
                "redirectTo-not-allowed",
                "The address in redirectTo is not allowed",
            ),
            AccountError::Invalid(message) => (BAD_REQUEST, "invalid-request", message),
            AccountError::NoSession => (
                FORBIDDEN,
                "invalid-request",
                "The token is not one of a person who signed in, or the session has ended",
            ),
            AccountError::Totp => (UNAUTHENTICATED, "invalid-totp", "Invalid or used code"),
            AccountError::DisabledTotp => (
                UNAUTHENTICATED,
                "disabled-mfa-totp",
                "The user has no second factor",
            ),
            AccountError::NoTotpSecret => (
                BAD_REQUEST,
                "no-totp-secret",
                "The user has no authenticator app; ask for a secret first",
            ),
            AccountError::TotpActive => (
                BAD_REQUEST,
                "totp-already-active",
                "An authenticator app is the second factor already; turn it off first",
            ),
            AccountError::MfaType => (
                BAD_REQUEST,
                "mfa-type-not-found",
                "`activeMfaType` has to be \"totp\", \"webauthn\" or \"\"",
            ),
            AccountError::NoSecondFactor => (
                BAD_REQUEST,
                "no-second-factor",
                "Recovery codes need a second factor",
            ),
            AccountError::NoSecurityKey => (
                BAD_REQUEST,
                "no-security-key",
                "The user has no such security key",
            ),
            AccountError::TooManyKeys => (
                BAD_REQUEST,
                "too-many-security-keys",
                "A user has twenty security keys at most; remove one of them",
            ),
            AccountError::LastWayIn => (
                STREAM_IN_USE,
                "last-way-in",
                "The last way to sign in stays; add another one first",
            ),
            AccountError::Credential => (
                UNAUTHENTICATED,
                "invalid-webauthn-credential",
                "The security key or its signature is not right",
            ),
            AccountError::State => (
                BAD_REQUEST,
                "invalid-state",
                "The sign-in was not begun in this browser, or takes too long; begin again",
            ),
            AccountError::ProviderError => (
                BAD_REQUEST,
                "oauth-provider-error",
                "The provider does not sign you in",
            ),
            // The clients know it by this spelling.
            AccountError::CodeExchange => (
                BAD_REQUEST,
                "oauth-token-echange-failed",
                "The provider does not exchange the code",
            ),
            AccountError::ProfileFetch => (
                BAD_REQUEST,
                "oauth-profile-fetch-failed",
                "The provider does not say who you are, or not your address",
            ),
            AccountError::IdentityLinked => (
                BAD_REQUEST,
                "provider-account-already-linked",
                "Another user has linked this account of the provider",
            ),
            AccountError::NoIdentity => (
                BAD_REQUEST,
                "provider-account-not-found",
                "The user has not linked that provider",
            ),
            AccountError::NotAnonymous => (
                BAD_REQUEST,
                "user-not-anonymous",
                "The user has an address already",
            ),
            AccountError::ElevationRequired => (
                FORBIDDEN,
                "elevation-required",
                "Show a factor again first: `/v1/elevate`",
            ),
            AccountError::TooManyTries => (
                RATE_LIMITED,
                "too-many-requests",
                "Too many tries; try again in an hour",
            ),
            AccountError::Busy => (
                UNAVAILABLE,
                "internal-server-error",
                "Too many sign-ins at once; try again",
            ),
        }
    }
}

impl From<AccountError> for Error {
    fn from(error: AccountError) -> Error {
        let (spec, code, message) = error.parts();
        let fault = PluginFault::new(spec, message, message).with_account_code(code);
        if error == AccountError::TooManyTries {
            return fault.with_retry_after(3600).into();
        }
        fault.into()
    }
}
