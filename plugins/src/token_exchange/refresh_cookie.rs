//! Refresh tokens in a cookie that scripts cannot read, for applications in a browser. A request
//! asks for it by `"cookie": true`; then the response has no refresh token, and the browser sends
//! the cookie by itself to the paths that take one. `SameSite=Strict` keeps it from pages of other
//! sites, and the origin of the request has to be one of the settings.

use http::header::HeaderValue;
use http::{HeaderMap, Uri};
use serde_json::Value;

use gateway::error::Error;
use gateway::http::cors::Cors;

use super::cookies::cookie_values;
use super::request_body::RequestBody;

/// The name of the cookie. With its prefix browsers take it by HTTPS alone, or from this machine.
const NAME: &str = "__Secure-postern-refresh";

/// The paths that get the cookie: all below it.
const PATH: &str = "/v1";

/// Whether a request asks for a cookie.
pub(crate) fn is_wanted(body: &RequestBody) -> Result<bool, Error> {
    body.switch("cookie")
}

/// Takes the refresh token of a session out of a response, into a cookie that lasts as long;
/// `None` if the response has no session.
pub(crate) fn take_out(response: &mut Value, seconds: u64) -> Option<HeaderValue> {
    let session = match response.get_mut("session") {
        Some(session) => session,
        None => response,
    };
    let token = session.as_object_mut()?.remove("refreshToken")?;
    cookie(token.as_str()?, seconds)
}

/// The cookie that removes the one before.
pub(super) fn removal() -> Option<HeaderValue> {
    cookie("", 0)
}

/// The refresh token in the cookie of a request, if the page that sends it may use it.
pub(super) fn read<'h>(headers: &'h HeaderMap, uri: &Uri, cors: &Cors) -> Option<&'h str> {
    if !cors.allows_cookies(headers, uri) {
        return None;
    }
    cookie_values(headers, NAME).find(|value| !value.is_empty())
}

fn cookie(token: &str, seconds: u64) -> Option<HeaderValue> {
    let text = format!(
        "{NAME}={token}; Path={PATH}; Max-Age={seconds}; HttpOnly; Secure; SameSite=Strict"
    );
    HeaderValue::try_from(text).ok()
}
