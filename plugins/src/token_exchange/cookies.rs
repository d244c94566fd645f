//! The cookies of a request. <https://www.rfc-editor.org/rfc/rfc6265.html#section-5.4>

use http::HeaderMap;
use http::header::COOKIE;

/// The values of the cookies with a name, of which a request may have several.
pub(crate) fn cookie_values<'h>(
    headers: &'h HeaderMap,
    name: &str,
) -> impl Iterator<Item = &'h str> {
    let headers = headers.get_all(COOKIE).iter();
    let cookies = headers
        .filter_map(|header| header.to_str().ok())
        .flat_map(|header| header.split(';'));
    cookies.filter_map(move |cookie| {
        let (found, value) = cookie.trim().split_once('=')?;
        (found == name).then_some(value)
    })
}
