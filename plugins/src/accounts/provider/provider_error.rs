//! Why a person cannot sign in with another provider. The texts are for the log, and have nothing
//! that a person or a provider has sent.

/// Why a person cannot sign in with another provider.
#[derive(Debug, thiserror::Error)]
pub(in crate::accounts) enum ProviderError {
    /// The response does not belong to a request of this browser at this provider.
    #[error("the response belongs to no request")]
    State,
    /// The provider cannot be asked.
    #[error("the provider cannot be asked: {0}")]
    Provider(String),
    /// The provider does not exchange the code.
    #[error("the code is not exchanged: {0}")]
    Exchange(String),
    /// The provider does not say who the person is, or the gateway does not believe it.
    #[error("the profile cannot be read: {0}")]
    Profile(String),
}
