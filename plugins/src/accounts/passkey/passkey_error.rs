//! Why a ceremony of WebAuthn failed. The texts are for the log and have nothing that a client has
//! sent; a client gets one error for all of them.

/// Why the response of an authenticator was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::accounts) enum PasskeyError {
    /// A member of the credential is missing, too long, or not as the JSON form of WebAuthn has it.
    #[error("`{0}` of the credential is missing, too long or malformed")]
    Member(&'static str),
    /// The challenge was made for the other ceremony.
    #[error("the challenge belongs to the other ceremony")]
    Ceremony,
    /// `clientDataJSON` is no JSON object with a challenge.
    #[error("the client data cannot be read")]
    ClientData,
    /// The client data has the type of another ceremony.
    #[error("the client data has the type of another ceremony")]
    Type,
    /// The authenticator responded to another challenge.
    #[error("the response belongs to another challenge")]
    Challenge,
    /// The page has an origin that the settings do not name.
    #[error("the page's origin is not one of the settings")]
    Origin,
    /// The page was in a frame of another origin.
    #[error("the page was in a frame of another origin")]
    CrossOrigin,
    /// The attestation object is malformed.
    #[error("the attestation object cannot be read")]
    AttestationObject,
    /// The authenticator data are malformed.
    #[error("the authenticator data cannot be read")]
    AuthenticatorData,
    /// The authenticator signed for another domain.
    #[error("the response is for another domain than `rp_id`")]
    RelyingPartyId,
    /// The user has not touched the authenticator.
    #[error("the user was not present")]
    UserNotPresent,
    /// The key is backed up though it cannot be.
    #[error("the key is backed up without being eligible for it")]
    Backup,
    /// The key was eligible for backup when it was registered and is not any more.
    #[error("the key is no longer eligible for backup")]
    BackupEligibility,
    /// The algorithm is none of those that were offered.
    #[error("the key has an algorithm that was not offered")]
    Algorithm,
    /// The public key is malformed or not on its curve.
    #[error("the public key cannot be read")]
    PublicKey,
    /// The credential id is not the one of the authenticator data, or of the stored key, or not
    /// among those that were asked for.
    #[error("the credential id is another one")]
    CredentialId,
    /// The signature does not belong to the key and the signed data.
    #[error("the signature is wrong")]
    Signature,
    /// The counter has not risen: the key may have been copied.
    #[error("the signature counter has not risen")]
    Counter,
}
