//! How the authentication webhook is called.

/// How the hook is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WebhookMethod {
    /// With the headers of the request.
    #[default]
    Get,
    /// With a JSON object that holds headers and request.
    Post,
}
