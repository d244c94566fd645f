//! Why a mail was not sent, and whether another attempt makes sense.

/// The error of a mail. The texts are for operators: the log and the console show them, so they
/// contain no mail address, no link, no code and no secret.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MailError {
    /// Another attempt may succeed.
    #[error("{0}")]
    Retry(String),
    /// No attempt can succeed.
    #[error("{0}")]
    Permanent(String),
}
