//! The builder of all HTTP clients of the gateway: for web services of actions and events, the
//! authentication webhook, published keys, language models and the collector of traces.

use reqwest::{Client, ClientBuilder};

/// The `User-Agent` of the gateway's requests. Some servers and firewalls refuse requests without
/// one.
const USER_AGENT: &str = concat!("postern/", env!("CARGO_PKG_VERSION"));

/// Begins a client.
pub fn builder() -> ClientBuilder {
    Client::builder().user_agent(USER_AGENT)
}
