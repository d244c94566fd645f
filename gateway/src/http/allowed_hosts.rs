//! Checks the host that a request names, where the gateway asks for no credentials. A web page can
//! make a name of its own resolve to the gateway's address (DNS rebinding); the browser then sends
//! the page's requests to the gateway with that name in `Host`. Only `localhost`, its subdomains
//! and addresses are names that no attacker can own.

use std::net::IpAddr;

use http::header::HOST;
use http::uri::Authority;
use http::{HeaderMap, Uri};

use crate::auth::Authenticator;
use crate::auth::session::{AuthKind, Session};
use crate::config::HostCheck;
use crate::error::Error;

/// The hosts that requests without credentials may name.
#[derive(Debug)]
pub struct AllowedHosts {
    check: HostCheck,
    listed: Vec<String>,
}

impl AllowedHosts {
    /// Allows the hosts of the setting `allowed_hosts` beside `localhost` and addresses.
    pub fn new(check: HostCheck, listed: &[String]) -> AllowedHosts {
        AllowedHosts {
            check,
            listed: listed
                .iter()
                .map(|host| host.to_ascii_lowercase())
                .collect(),
        }
    }

    /// Whether a host without its port is allowed. `localhost.` with the dot of the root is
    /// `localhost`.
    pub fn contains(&self, host: &str) -> bool {
        let address = host.trim_start_matches('[').trim_end_matches(']');
        if address.parse::<IpAddr>().is_ok() {
            return true;
        }
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        host == "localhost" || host.ends_with(".localhost") || self.listed.contains(&host)
    }

    /// Whether all hosts that a request names are allowed: `Host`, and the authority of HTTP/2 or
    /// of an absolute URL. Every browser names one, so a request without any comes from another
    /// program.
    pub fn contains_all(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        let is_allowed = |authority: &Authority| {
            !authority.as_str().contains('@') && self.contains(authority.host())
        };
        let mut named = headers.get_all(HOST).iter();
        named.all(|host| {
            Authority::try_from(host.as_bytes()).is_ok_and(|authority| is_allowed(&authority))
        }) && uri.authority().is_none_or(is_allowed)
    }

    /// Refuses a request before its handler runs.
    pub fn check_request(
        &self,
        authenticator: &Authenticator,
        headers: &HeaderMap,
        uri: &Uri,
    ) -> Result<(), Error> {
        let is_checked = match self.check {
            HostCheck::Requests => true,
            HostCheck::RequestsWithoutCredentials => !authenticator.may_have_credentials(headers),
            HostCheck::SessionsWithoutCredentials | HostCheck::None => false,
        };
        if is_checked && !self.contains_all(headers, uri) {
            Err(Error::HostNotAllowed)
        } else {
            Ok(())
        }
    }

    /// Refuses the role of callers without credentials to a request that names another host.
    /// `is_allowed` is the result of [`AllowedHosts::contains_all`].
    pub fn check_session(
        &self,
        session: &Session,
        is_allowed: impl FnOnce() -> bool,
    ) -> Result<(), Error> {
        let is_checked =
            session.caller() == AuthKind::Unauthorized && self.check != HostCheck::None;
        if is_checked && !is_allowed() {
            Err(Error::HostNotAllowed)
        } else {
            Ok(())
        }
    }

    /// Whether a page of the host that it sends its request to counts as one of the gateway's own
    /// pages.
    pub fn trusts_own_pages(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        self.check == HostCheck::None || self.contains_all(headers, uri)
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn allows(hosts: &[&'static str], uri: &'static str) -> bool {
        let allowed = AllowedHosts::new(HostCheck::Requests, &["Gateway.test".to_owned()]);
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(HOST, HeaderValue::from_static(host));
        }
        allowed.contains_all(&headers, &Uri::from_static(uri))
    }

    #[test]
    fn localhost_addresses_and_listed_hosts_are_allowed() {
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "localhost.:80",
            "app.localhost:1",
            "127.0.0.1:8080",
            "192.0.2.1",
            "[::1]:8080",
            "[2001:db8::1]",
            "gateway.test",
            "GATEWAY.TEST:8443",
        ] {
            assert!(allows(&[host], "/"), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "evil-localhost",
            "127.0.0.1.evil.example",
            "a.gateway.test",
            "localhost@evil.example",
            "evil.example@localhost",
            "127.0.0.1:80:80",
            "localhost, evil.example",
            "",
        ] {
            assert!(!allows(&[host], "/"), "{host}");
        }
    }

    #[test]
    fn every_host_that_a_request_names_counts() {
        assert!(allows(&[], "/") && allows(&["localhost"], "http://localhost/"));
        assert!(!allows(&["localhost", "evil.example"], "/"));
        assert!(!allows(&["localhost"], "http://evil.example/"));
        assert!(!allows(&["evil.example"], "http://localhost/"));
        assert!(!allows(&[], "http://evil.example/"));
    }
}
