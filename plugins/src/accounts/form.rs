//! Forms, in a query string or in a body.

use reqwest::Url;

/// The names and values of a form.
pub(super) fn pairs(form: &str) -> Vec<(String, String)> {
    let url = Url::parse(&format!("http://form/?{form}"));
    let pairs = url.iter().flat_map(Url::query_pairs);
    pairs
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect()
}
