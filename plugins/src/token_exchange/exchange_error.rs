//! The errors of token exchange. Sign-in and refresh record their failures as audit events of their
//! own.

use gateway::error::{Error, PluginFault, catalogue};

/// Why a token is not exchanged or created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExchangeError {
    /// An invalid personal access token.
    PersonalAccessToken,
    /// A refresh token that is unknown, used, revoked or expired.
    RefreshToken,
    /// A new personal access token for a user who has a hundred.
    TooManyTokens,
    /// A person who has a second factor has not shown it again.
    ElevationRequired,
}

impl From<ExchangeError> for Error {
    fn from(error: ExchangeError) -> Error {
        let fault = match error {
            ExchangeError::PersonalAccessToken => PluginFault::new(
                catalogue::UNAUTHENTICATED,
                "Invalid personal access token",
                "personal access token",
            )
            .with_account_code("invalid-pat"),
            ExchangeError::RefreshToken => PluginFault::new(
                catalogue::UNAUTHENTICATED,
                "Invalid or expired refresh token",
                "refresh token",
            )
            .with_account_code("invalid-refresh-token"),
            ExchangeError::TooManyTokens => {
                let message = "a user has a hundred tokens that hold at most; revoke one of them";
                PluginFault::new(catalogue::BAD_REQUEST, message, message)
            }
            ExchangeError::ElevationRequired => {
                let message = "show a factor again first: `/v1/elevate`";
                PluginFault::new(catalogue::FORBIDDEN, message, message)
                    .with_account_code("elevation-required")
            }
        };
        fault.into()
    }
}
