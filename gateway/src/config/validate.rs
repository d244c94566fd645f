//! Validates settings. Invalid values are faults, which prevent the start or, on a reload, keep the
//! running version; valid but questionable values are notes for the log. All are reported together.
//! Checks that need keys, files or the database are made where these are available.

use std::net::{IpAddr, SocketAddr};

use http::uri::Authority;
use sql::encode::cursor::MAX_KEYS as MAX_CURSOR_SECRETS;

use super::access::MetricsAccess;
use super::address::listens_locally;
use super::{Config, ConfigError, Kind, SETTINGS, Secrets, Setting, Settings};
use crate::telemetry::traces::CollectorSettings;

/// The faults and notes about settings.
#[derive(Debug, Default)]
pub struct SettingsReport {
    /// Values that cannot work.
    pub faults: Vec<ConfigError>,
    /// Values that work but may be mistakes.
    pub notes: Vec<String>,
}

/// Validates settings. Plugins have claimed their tables before ([`Settings::claim`]).
pub fn validate(settings: &Settings, config: &Config) -> SettingsReport {
    let mut report = SettingsReport {
        faults: vec![],
        notes: settings.notes().to_vec(),
    };
    let mut fault = |setting: &Setting, message: String| {
        report.faults.push(ConfigError::Unsound {
            origin: settings.origin(setting),
            message,
        });
    };
    numbers(settings, &mut fault);
    if !is_address(&config.listen) {
        fault(
            &SETTINGS.listen,
            "has to be an address and a port, like `127.0.0.1:8080`".into(),
        );
    }
    if crate::telemetry::log::filter(&config.log_level).is_none() {
        fault(
            &SETTINGS.log_level,
            format!("has to be {}", crate::telemetry::log::EXPECTED),
        );
    }
    for origin in &config.cors_origins {
        if let Some(message) = origin_fault(origin) {
            fault(&SETTINGS.cors_origins, format!("has `{origin}`, {message}"));
        }
    }
    for (setting, secret) in [
        (&SETTINGS.admin_secret, &config.admin_secret),
        (&SETTINGS.metrics_secret, &config.metrics_secret),
    ] {
        if any_secret(secret.as_ref(), |secret| {
            secret.chars().any(char::is_control)
        }) {
            fault(
                setting,
                "has control characters, which no header can hold".into(),
            );
        }
    }
    if any_secret(config.metrics_secret.as_ref(), |secret| !secret.is_ascii()) {
        fault(
            &SETTINGS.metrics_secret,
            "has to be ASCII: it is sent as a bearer token".into(),
        );
    }
    if let Some(secrets) = &config.cursor_secret
        && secrets.iter().count() > MAX_CURSOR_SECRETS
    {
        fault(
            &SETTINGS.cursor_secret,
            format!("may have at most {MAX_CURSOR_SECRETS} secrets"),
        );
    }
    if config.insecure && !listens_locally(&config.listen) {
        fault(
            &SETTINGS.insecure,
            "makes every caller admin, so `--listen` has to be a loopback address".into(),
        );
    }
    for host in &config.allowed_hosts {
        if !is_host(host) {
            fault(
                &SETTINGS.allowed_hosts,
                format!("has `{host}`, which has to be a host without scheme, port and path"),
            );
        }
    }
    if config.dev && !listens_locally(&config.listen) {
        fault(
            &SETTINGS.dev,
            "shows clients the SQL, so `--listen` has to be a loopback address".into(),
        );
    }
    if let Some(endpoint) = &config.otlp_endpoint {
        let headers = config.otlp_headers.as_ref().map(|headers| headers.reveal());
        let resource = config.resource();
        if let Err(message) = CollectorSettings::read(endpoint.reveal(), headers, resource) {
            fault(&SETTINGS.otlp_endpoint, message.into());
        }
    }
    // The text as given: an empty prefix is that of every header.
    let prefix = settings
        .text(&SETTINGS.header_prefix)
        .unwrap_or(config.header_prefix());
    if let Some(first) = shared_prefix(prefix) {
        fault(
            &SETTINGS.header_prefix,
            format!("is also the prefix of other headers, such as `{first}`"),
        );
    }
    report.faults.extend(settings.unclaimed_tables());
    notes(settings, config, &mut report.notes);
    report
}

fn numbers(settings: &Settings, fault: &mut impl FnMut(&Setting, String)) {
    for setting in SETTINGS.iter() {
        let Kind::Number { min, max } = setting.kind else {
            continue;
        };
        // Defaults are in range.
        let Some(number) = settings
            .text(setting)
            .and_then(|text| text.parse::<usize>().ok())
        else {
            continue;
        };
        if !(min..=max).contains(&number) {
            fault(setting, format!("has to be from {min} to {max}"));
        }
    }
}

/// Whether this is `host:port`; the host may be a name.
fn is_address(text: &str) -> bool {
    text.parse::<SocketAddr>().is_ok()
        || text.rsplit_once(':').is_some_and(|(host, port)| {
            !host.is_empty() && !host.contains([':', '/', ' ']) && port.parse::<u16>().is_ok()
        })
}

/// Why no browser sends this origin; `None` if one may.
/// <https://html.spec.whatwg.org/multipage/browsers.html#ascii-serialisation-of-an-origin>
fn origin_fault(origin: &str) -> Option<String> {
    if origin == "*" {
        return None;
    }
    let origin = origin.trim_end_matches('/');
    if origin == "null" {
        return Some("which every sandboxed page and every local file has".into());
    }
    let Some((scheme, host)) = origin.split_once("://") else {
        return Some("which has no scheme; an origin is like `https://app.example.com`".into());
    };
    // The wildcard stands for one or more labels in front of a domain of at least two.
    let host = match host.strip_prefix("*.") {
        Some(domain) if domain.contains('.') && !domain.contains('*') => &format!("x.{domain}"),
        _ if host.contains('*') => {
            return Some(
                "where `*` may only stand for the subdomains of a domain, as in \
                         `https://*.example.com`"
                    .into(),
            );
        }
        _ => host,
    };
    if host.is_empty() || host.contains(['/', '?', '#', '@', ' ']) {
        return Some(
            "which is more than scheme, host and port; an origin is like `https://app.example.com`"
                .into(),
        );
    }
    // For other schemes, such as those of browser extensions, the host is not normalized.
    if !matches!(
        scheme.to_ascii_lowercase().as_str(),
        "http" | "https" | "ws" | "wss" | "ftp"
    ) {
        return None;
    }
    let is_wildcard = origin.contains("://*.");
    let origin = format!("{scheme}://{host}");
    match origin
        .parse::<reqwest::Url>()
        .map(|url| url.origin().ascii_serialization())
    {
        Ok(sent) if sent == origin => None,
        Ok(sent) if is_wildcard => Some(format!(
            "which browsers send as `{}`",
            sent.replacen("://x.", "://*.", 1)
        )),
        Ok(sent) => Some(format!("which browsers send as `{sent}`")),
        Err(_) => Some("which is no origin".into()),
    }
}

/// A well-known header that begins with the prefix, although it is not a session header.
fn shared_prefix(prefix: &str) -> Option<&'static str> {
    const HEADERS: [&str; 8] = [
        "x-request-id",
        "x-forwarded-for",
        "content-type",
        "accept-encoding",
        "if-none-match",
        "mcp-session-id",
        "access-control-request-method",
        "sec-fetch-site",
    ];
    HEADERS
        .into_iter()
        .find(|header| header.starts_with(&prefix.to_ascii_lowercase()))
}

fn notes(settings: &Settings, config: &Config, notes: &mut Vec<String>) {
    let mut note = |setting: &Setting, message: &str| {
        notes.push(format!("{} {message}", settings.origin(setting)));
    };
    let is_local = listens_locally(&config.listen);
    match (config.metrics_access(), config.metrics_open) {
        (MetricsAccess::Secret(_), true) => note(
            &SETTINGS.metrics_open,
            "has no effect with a metrics secret",
        ),
        (MetricsAccess::Open, _) if !is_local => {
            note(
                &SETTINGS.metrics_open,
                "lets every machine that can connect read `/metrics`",
            );
        }
        (MetricsAccess::Loopback, _) if !is_local => {
            notes.push(
                "without `--metrics-secret`, only the gateway's own machine can read `/metrics`"
                    .into(),
            );
        }
        _ => {}
    }
    let mut note = |setting: &Setting, message: &str| {
        notes.push(format!("{} {message}", settings.origin(setting)));
    };
    for (setting, secrets) in [
        (&SETTINGS.admin_secret, &config.admin_secret),
        (&SETTINGS.cursor_secret, &config.cursor_secret),
    ] {
        if any_secret(secrets.as_ref(), |secret| secret.len() < 16) {
            note(setting, "has fewer than 16 characters, and may be guessed");
        }
    }
    if config.cors_origins.len() > 1 && config.cors_origins.iter().any(|origin| origin == "*") {
        note(
            &SETTINGS.cors_origins,
            "has `*` and further origins, which have no effect",
        );
    }
    if config.unauthorized_role.is_some() && config.auth_hook.is_some() {
        note(
            &SETTINGS.unauthorized_role,
            "has no effect with `--auth-hook`, which authenticates every request",
        );
    }
    if config.unauthorized_role.is_some() && config.insecure {
        note(
            &SETTINGS.unauthorized_role,
            "has no effect with `--insecure`, which makes every caller admin",
        );
    }
    if settings.is_given(&SETTINGS.auth_hook_mode) && config.auth_hook.is_none() {
        note(
            &SETTINGS.auth_hook_mode,
            "has no effect without `--auth-hook`",
        );
    }
    if config.signing_key.is_some() && config.sections.line("token_exchange").is_none() {
        note(
            &SETTINGS.signing_key,
            "has no effect without `[token_exchange]`",
        );
    }
    if config
        .auth_hook
        .as_ref()
        .is_some_and(|url| is_remote_http(url.reveal()))
    {
        note(
            &SETTINGS.auth_hook,
            "uses plain http: the headers of requests can be read on the way",
        );
    }
    let everyone = |network: &String| {
        network
            .parse::<ipnet::IpNet>()
            .is_ok_and(|network| network.prefix_len() == 0)
    };
    if config.trusted_proxies.iter().any(everyone) {
        note(
            &SETTINGS.trusted_proxies,
            "trusts every address: each client can choose the address that it is counted by",
        );
    }
    if config
        .trust_traceparent
        .iter()
        .any(|caller| caller == "*" || everyone(caller))
    {
        note(
            &SETTINGS.trust_traceparent,
            "trusts every client: each can choose the ids of traces and have its requests traced",
        );
    }
    let traced = [
        &SETTINGS.otlp_headers,
        &SETTINGS.trace_ratio,
        &SETTINGS.sql_comments,
    ];
    for setting in traced
        .into_iter()
        .filter(|setting| config.otlp_endpoint.is_none() && settings.is_given(setting))
    {
        note(setting, "has no effect without `--otlp-endpoint`");
    }
    if config.header_timeout > config.idle_timeout {
        note(
            &SETTINGS.header_timeout,
            "is longer than `--idle-timeout`, which closes the connection first",
        );
    }
}

/// Whether this is a host alone, as `Host` has it.
fn is_host(text: &str) -> bool {
    let is_of_hosts = |letter: char| letter.is_ascii_alphanumeric() || "-._:[]".contains(letter);
    let authority = text.parse::<Authority>();
    text.chars().all(is_of_hosts)
        && !text.ends_with('.')
        && authority.is_ok_and(|authority| authority.host() == text)
}

/// Whether a URL is http to another machine.
fn is_remote_http(url: &str) -> bool {
    let Ok(url) = url.parse::<reqwest::Url>() else {
        return false;
    };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_local = host == "localhost"
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    url.scheme() == "http" && !is_local
}

/// Whether one of the secrets is such a text.
fn any_secret(secrets: Option<&Secrets>, is_such: impl Fn(&str) -> bool) -> bool {
    secrets
        .into_iter()
        .flat_map(Secrets::iter)
        .any(|secret| is_such(secret.reveal()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::HostCheck;

    fn report_of(pairs: &[(&str, &str)]) -> SettingsReport {
        let mut settings = Settings::default();
        pairs
            .iter()
            .for_each(|(name, text)| settings.set(name, text).unwrap());
        validate(&settings, &Config::new(&settings))
    }

    fn config_of(pairs: &[(&str, &str)]) -> Config {
        let mut settings = Settings::default();
        pairs
            .iter()
            .for_each(|(name, text)| settings.set(name, text).unwrap());
        Config::new(&settings)
    }

    fn faults(pairs: &[(&str, &str)]) -> Vec<String> {
        report_of(pairs)
            .faults
            .iter()
            .map(ConfigError::to_string)
            .collect()
    }

    #[test]
    fn defaults_have_no_faults_and_no_notes() {
        let SettingsReport { faults, notes } = report_of(&[]);
        assert!(
            faults.is_empty() && notes.is_empty(),
            "{faults:?} {notes:?}"
        );
    }

    #[test]
    fn numbers_out_of_range_are_faults() {
        assert_eq!(
            faults(&[("pool-size", "0")]),
            ["--pool-size has to be from 1 to 10000"]
        );
        for setting in SETTINGS.iter() {
            let Kind::Number { min, max } = setting.kind else {
                continue;
            };
            let are_faults =
                |number: usize| !faults(&[(setting.name, &number.to_string())]).is_empty();
            assert!(!are_faults(min) && !are_faults(max), "{}", setting.name);
            assert!(min == 0 || are_faults(min - 1), "{}", setting.name);
            assert!(
                are_faults(max + 1) && are_faults(usize::MAX),
                "{}",
                setting.name
            );
        }
        let all = [
            ("pool-size", "0"),
            ("body-limit", "0"),
            ("log-level", "verbose"),
            ("listen", "8080"),
        ];
        assert_eq!(faults(&all).len(), 4);
    }

    #[test]
    fn origins_that_no_browser_sends_are_faults() {
        let fault = |origin: &str| faults(&[("cors-origins", origin)]).pop();
        for sound in [
            "*",
            "https://a.example",
            "https://a.example/",
            "http://localhost:3000",
            "http://[::1]:8080",
            "chrome-extension://abcdef",
            "capacitor://localhost",
            "https://a.example,https://b.example",
            "https://*.example.com",
            "https://*.a.example.com:8443/",
        ] {
            assert_eq!(fault(sound), None, "{sound}");
        }
        for (wrong, reason) in [
            ("a.example", "no scheme"),
            ("https://a.example/app", "more than scheme"),
            ("https://u@a.example", "more than scheme"),
            ("https://*.example", "subdomains of a domain"),
            ("https://*", "subdomains of a domain"),
            ("https://a.*.example.com", "subdomains of a domain"),
            ("https://*.*.example.com", "subdomains of a domain"),
            ("https://*a.example.com", "subdomains of a domain"),
            ("https://*.Example.com", "as `https://*.example.com`"),
            ("https://A.example", "as `https://a.example`"),
            ("https://a.example:443", "as `https://a.example`"),
            (
                "https://b\u{fc}cher.example",
                "as `https://xn--bcher-kva.example`",
            ),
            ("null", "sandboxed"),
            ("https://", "no scheme"),
        ] {
            let fault = fault(wrong).unwrap_or_default();
            assert!(
                fault.starts_with("--cors-origins has") && fault.contains(reason),
                "{wrong}: {fault}"
            );
        }
    }

    #[test]
    fn insecure_needs_loopback() {
        for listen in ["127.0.0.1:0", "localhost:80", "[::1]:80", "127.9.9.9:80"] {
            assert_eq!(
                faults(&[("insecure", "true"), ("listen", listen)]),
                Vec::<String>::new(),
                "{listen}"
            );
        }
        for listen in ["0.0.0.0:80", "[::]:80", "192.168.1.1:80", "gateway.test:80"] {
            let messages = faults(&[("insecure", "true"), ("listen", listen)]);
            assert!(
                matches!(&messages[..], [one] if one.starts_with("--insecure ")),
                "{listen}: {messages:?}"
            );
        }
    }

    #[test]
    fn allowed_hosts_have_no_scheme_port_or_path() {
        assert_eq!(
            faults(&[("allowed-hosts", "gateway.test,Build-1,host.docker.internal")]),
            Vec::<String>::new()
        );
        for wrong in [
            "https://a.example",
            "a.example:80",
            "a.example/x",
            "me@a.example",
            "a.example.",
            "*",
        ] {
            let messages = faults(&[("allowed-hosts", wrong)]);
            assert!(
                matches!(&messages[..], [one] if one.starts_with("--allowed-hosts has")),
                "{wrong}: {messages:?}"
            );
        }
    }

    #[test]
    fn callers_without_credentials_name_allowed_hosts_on_private_addresses() {
        let check = |pairs: &[(&str, &str)]| config_of(pairs).host_check();
        for listen in [
            "127.0.0.1:80",
            "localhost:80",
            "[::1]:80",
            "10.1.2.3:80",
            "192.168.0.1:80",
            "[fd00::1]:80",
        ] {
            let listen = ("listen", listen);
            assert_eq!(
                check(&[listen]),
                HostCheck::SessionsWithoutCredentials,
                "{listen:?}"
            );
            assert_eq!(
                check(&[listen, ("trusted-proxies", "127.0.0.1")]),
                HostCheck::None,
                "{listen:?}"
            );
        }
        for listen in ["0.0.0.0:80", "[::]:80", "192.0.2.1:80", "gateway.test:80"] {
            assert_eq!(check(&[("listen", listen)]), HostCheck::None, "{listen}");
        }
        let proxies = ("trusted-proxies", "127.0.0.1");
        assert_eq!(check(&[("insecure", "true"), proxies]), HostCheck::Requests);
        assert_eq!(
            check(&[("dev", "true"), proxies]),
            HostCheck::RequestsWithoutCredentials
        );
    }

    #[test]
    fn development_needs_loopback_and_traces_an_address() {
        assert_eq!(faults(&[("dev", "true")]), Vec::<String>::new());
        let everywhere = faults(&[("dev", "true"), ("listen", "0.0.0.0:8080")]);
        assert!(
            matches!(&everywhere[..], [one] if one.starts_with("--dev ")),
            "{everywhere:?}"
        );
        assert_eq!(
            faults(&[("otlp-endpoint", "http://localhost:4318")]),
            Vec::<String>::new()
        );
        assert_eq!(faults(&[("otlp-endpoint", "localhost:4318")]).len(), 1);
        assert_eq!(
            faults(&[
                ("otlp-endpoint", "http://localhost:4318"),
                ("otlp-headers", "x")
            ])
            .len(),
            1
        );
        assert!(
            report_of(&[("sql-comments", "true")])
                .notes
                .join("")
                .contains("no effect")
        );
    }

    #[test]
    fn invalid_texts_are_faults() {
        let unsound = [
            ("log-level", "verbose"),
            ("log-level", "gateway"),
            ("listen", "localhost"),
            ("listen", "localhost:99999"),
            ("listen", "http://localhost:80"),
            ("admin-secret", "a\u{0}b"),
            ("metrics-secret", "gehe\u{ed}m"),
            ("header-prefix", "X-"),
            ("header-prefix", "Content-"),
        ];
        for (name, text) in unsound {
            let messages = faults(&[(name, text)]);
            assert!(
                matches!(&messages[..], [one] if one.starts_with(&format!("--{name} "))),
                "{name} {text}: {messages:?}"
            );
        }
        for (name, text) in [
            ("log-level", "info,hyper=debug"),
            ("listen", "[::]:0"),
            ("listen", "db.internal:80"),
        ] {
            assert!(faults(&[(name, text)]).is_empty(), "{name} {text}");
        }
    }

    #[test]
    fn questionable_settings_are_notes() {
        let notes = |pairs: &[(&str, &str)]| report_of(pairs).notes.join("\n");
        let everywhere = ("listen", "0.0.0.0:80");
        assert!(notes(&[everywhere]).contains("own machine can"));
        assert!(notes(&[everywhere, ("metrics-open", "true")]).contains("every machine"));
        assert_eq!(notes(&[everywhere, ("metrics-secret", "x")]), "");
        assert!(notes(&[("admin-secret", "sesame")]).contains("may be guessed"));
        assert!(notes(&[("trusted-proxies", "10.0.0.0/8,::/0")]).contains("every address"));
        assert!(notes(&[("trust-traceparent", "proxies,*")]).contains("every client"));
        assert!(!notes(&[("trust-traceparent", "proxies,10.0.0.0/8")]).contains("every client"));
        assert!(notes(&[("auth-hook", "http://hook.example/")]).contains("plain http"));
        assert_eq!(notes(&[("auth-hook", "http://[::1]:80/")]), "");
        assert!(notes(&[("auth-hook-mode", "GET")]).contains("no effect"));
        assert!(notes(&[("insecure", "true"), ("unauthorized-role", "a")]).contains("no effect"));
    }
}
