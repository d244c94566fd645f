//! The HTTP method of the authentication webhook.

/// The HTTP method of the webhook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WebhookMethod {
    /// GET with the headers of the request.
    #[default]
    Get,
    /// POST with a JSON object that contains the headers and the request.
    Post,
}
