//! An authentication webhook (`--auth-hook`): a user's service that receives the headers of a
//! request and returns a session. The exchange is Hasura's, so that webhooks written for it work
//! unchanged. <https://hasura.io/docs/latest/auth/authentication/webhook/>

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use http::{HeaderMap, HeaderName, StatusCode, header};
use moka::sync::Cache;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use super::fetch::{Fetched, Fetcher};
use super::forwarded_headers::is_of_client;
use super::freshness::Freshness;
use super::policy_error::PolicyError;
use super::session::now;
use crate::auth::session::{ValueNames, Values, value_name};
use crate::config::Secret;
use crate::config::WebhookMethod;
use crate::error::Error;
use crate::request::json::Distinct;

/// An authentication webhook and its cache.
pub struct AuthWebhook {
    url: reqwest::Url,
    mode: WebhookMethod,
    prefix: String,
    fetcher: Fetcher,
    remembered: Cache<[u8; 32], (Instant, Arc<WebhookIdentity>)>,
    /// Limits the concurrent requests to the webhook.
    permits: Semaphore,
}

/// The session that a webhook returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WebhookIdentity {
    pub(super) role: Arc<str>,
    pub(super) values: Arc<Values>,
    /// When the session ends, in seconds since 1970.
    pub(super) expires: Option<u64>,
}

/// The maximum time for a response and its maximum size in bytes.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_RESPONSE_BYTES: usize = 1 << 20;

/// The maximum number of concurrent requests to the webhook. Further requests fail at once: a
/// webhook that hangs must not block all incoming requests.
const AT_ONCE: usize = 64;

/// The maximum bytes of cached responses, and the maximum time in the cache.
const MAX_CACHE_BYTES: u64 = 16 << 20;
const MAX_CACHE_TIME: Duration = Duration::from_secs(3600);

/// Headers of the connection, which a webhook with POST does not receive either.
const OF_THE_CONNECTION: [HeaderName; 5] = [
    header::CONTENT_LENGTH,
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TE,
];

impl AuthWebhook {
    /// A webhook at a URL. `prefix` is that of session values, in lower case.
    pub(super) fn new(
        url: &Secret,
        mode: WebhookMethod,
        prefix: &str,
    ) -> Result<AuthWebhook, PolicyError> {
        let url: reqwest::Url = url.reveal().parse().map_err(|_| PolicyError::HookUrl)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(PolicyError::HookUrl);
        }
        let weigh =
            |_: &[u8; 32], (_, admitted): &(Instant, Arc<WebhookIdentity>)| admitted.weight();
        let remembered = Cache::builder()
            .weigher(weigh)
            .max_capacity(MAX_CACHE_BYTES)
            .time_to_live(MAX_CACHE_TIME)
            .build();
        // Redirects are not followed, so that credentials never reach another server.
        let prefix = prefix.to_owned();
        let fetcher = Fetcher::new(0);
        let permits = Semaphore::new(AT_ONCE);
        Ok(AuthWebhook {
            url,
            mode,
            prefix,
            fetcher,
            remembered,
            permits,
        })
    }

    /// Whether the webhook receives the request, too.
    pub(super) fn wants_request(&self) -> bool {
        self.mode == WebhookMethod::Post
    }

    /// Authenticates a request by its headers and, with POST, its body.
    pub(super) async fn authenticate(
        &self,
        headers: &HeaderMap,
        request: Option<&Value>,
    ) -> Result<Arc<WebhookIdentity>, Error> {
        let body = self
            .wants_request()
            .then(|| json!({"headers": as_json(headers), "request": request}).to_string());
        let key = digest(headers, body.as_deref());
        if let Some((until, admitted)) = self.remembered.get(&key)
            && until > Instant::now()
            && admitted.expires.is_none_or(|end| end > now())
        {
            return Ok(admitted);
        }
        let send = |client: &reqwest::Client| match body {
            None => client.get(self.url.clone()).headers(forwarded(headers)),
            Some(body) => client
                .post(self.url.clone())
                .header(header::CONTENT_TYPE, "application/json")
                .body(body),
        };
        let busy = |_| Error::WebhookUnavailable(format!("{AT_ONCE} requests are waiting for it"));
        let _place = self.permits.try_acquire().map_err(busy)?;
        let fetched = self
            .fetcher
            .send(send, REQUEST_TIMEOUT, MAX_RESPONSE_BYTES)
            .await
            .map_err(|error| Error::WebhookUnavailable(error.to_string()))?;
        let now = SystemTime::now();
        let admitted = Arc::new(self.identity_from(&fetched, now)?);
        if let Freshness::For(time) = Freshness::from_headers(&fetched.headers, now) {
            self.remembered.insert(
                key,
                (Instant::now() + time.min(MAX_CACHE_TIME), admitted.clone()),
            );
        }
        Ok(admitted)
    }

    /// Reads the webhook's response.
    fn identity_from(&self, fetched: &Fetched, now: SystemTime) -> Result<WebhookIdentity, Error> {
        match fetched.status {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED => return Err(Error::WebhookRejected),
            status => {
                return Err(Error::UnusableAnswer(format!(
                    "the authentication hook answered with {status}"
                )));
            }
        }
        let malformed =
            |what: &str| Error::UnusableAnswer(format!("the authentication hook's answer {what}"));
        let said = serde_json::from_slice(&fetched.body);
        let Distinct(said) =
            said.map_err(|_| malformed("is not a JSON object that has each key once"))?;
        let mut values = Values::new();
        let mut names = ValueNames::new(&self.prefix);
        for (name, value) in &said {
            names
                .insert(name)
                .map_err(|name| malformed(&format!("has `{name}` twice, in two spellings")))?;
            let name = name.to_ascii_lowercase();
            let text = match value {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            };
            if let (Some(name), Some(text)) = (name.strip_prefix(&self.prefix), text) {
                values.insert(value_name(name), text);
            }
        }
        let role = values.remove("role").filter(|role| !role.is_empty());
        let role = role.ok_or_else(|| malformed(&format!("has no `{}role`", self.prefix)))?;
        let member = |wanted: &'static str| {
            said.iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
                .and_then(|(_, value)| value.as_str())
        };
        let expires = match Freshness::from_header(member, now) {
            // A time beyond the range of the clock counts as no expiry.
            Freshness::For(time) => {
                let end = now
                    .checked_add(time)
                    .and_then(|end| end.duration_since(SystemTime::UNIX_EPOCH).ok());
                end.map(|end| end.as_secs())
            }
            Freshness::No | Freshness::Unsaid => None,
        };
        Ok(WebhookIdentity {
            role: role.into(),
            values: Arc::new(values),
            expires,
        })
    }
}

impl WebhookIdentity {
    /// The approximate number of bytes in the cache.
    fn weight(&self) -> u32 {
        let values = self
            .values
            .iter()
            .map(|(name, text)| 100 + name.len() + text.len())
            .sum::<usize>();
        u32::try_from(200 + self.role.len() + values).unwrap_or(u32::MAX)
    }
}

fn forwarded(headers: &HeaderMap) -> HeaderMap {
    let mut forwarded = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers.iter().filter(|(name, _)| is_of_client(name)) {
        forwarded.append(name.clone(), value.clone());
    }
    forwarded
}

/// The headers by name. Repeated values are joined with commas, as in HTTP.
fn as_json(headers: &HeaderMap) -> Map<String, Value> {
    let names = headers
        .keys()
        .filter(|name| !OF_THE_CONNECTION.contains(name));
    names
        .map(|name| {
            let values = headers
                .get_all(name)
                .iter()
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            (
                name.as_str().to_owned(),
                values.collect::<Vec<_>>().join(", ").into(),
            )
        })
        .collect()
}

/// The cache key: a digest of everything that the webhook receives, so that a session is reused
/// only for equal requests.
fn digest(headers: &HeaderMap, body: Option<&str>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    let mut add = |part: &[u8]| {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    };
    match body {
        Some(body) => add(body.as_bytes()),
        None => {
            for (name, value) in headers.iter().filter(|(name, _)| is_of_client(name)) {
                add(name.as_str().as_bytes());
                add(value.as_bytes());
            }
        }
    }
    hasher.finalize().into()
}

impl std::fmt::Debug for AuthWebhook {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("AuthWebhook")
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook() -> AuthWebhook {
        AuthWebhook::new(
            &Secret::new("http://127.0.0.1:1/hook?secret"),
            WebhookMethod::Get,
            "x-gateway-",
        )
        .unwrap()
    }

    fn said(status: u16, body: &str) -> Result<WebhookIdentity, Error> {
        let status = StatusCode::from_u16(status).unwrap();
        let headers = HeaderMap::new();
        let fetched = Fetched {
            status,
            headers,
            body: body.as_bytes().to_vec(),
        };
        hook().identity_from(&fetched, SystemTime::UNIX_EPOCH + Duration::from_secs(1000))
    }

    #[test]
    fn an_answer_is_a_session() {
        let text = r#"{"X-Gateway-Role": "user", "x-gateway-User-Id": 7, "X-Gateway-Gone": null, "X-Other": "x",
            "Cache-Control": "max-age=60"}"#;
        let admitted = said(200, text).unwrap();
        assert_eq!((&*admitted.role, admitted.expires), ("user", Some(1060)));
        assert_eq!(
            *admitted.values,
            Values::from([("user_id".to_owned(), "7".to_owned())])
        );
        let admitted = said(
            200,
            r#"{"x-gateway-role": "user", "Expires": "Thu, 01 Jan 1970 00:20:00 GMT"}"#,
        )
        .unwrap();
        assert_eq!(admitted.expires, Some(1200));
        let ever = format!(
            r#"{{"x-gateway-role": "user", "Cache-Control": "max-age={}"}}"#,
            u64::MAX
        );
        assert_eq!(said(200, &ever).unwrap().expires, None);
    }

    #[test]
    fn what_is_no_session_lets_nobody_in() {
        assert!(matches!(said(401, ""), Err(Error::WebhookRejected)));
        for status in [201, 204, 302, 400, 403, 500] {
            assert!(
                matches!(
                    said(status, r#"{"x-gateway-role":"user"}"#),
                    Err(Error::UnusableAnswer(_))
                ),
                "{status}"
            );
        }
        for body in [
            "",
            "[]",
            "user",
            "{}",
            r#"{"x-gateway-role":"a","X-Gateway-Role":"a"}"#,
            r#"{"x-gateway-role":""}"#,
            r#"{"x-gateway-role":null}"#,
            r#"{"role":"a"}"#,
            r#"{"x-gateway-role":"a","x-gateway-user-id":"1","x-gateway-user_id":"1"}"#,
            r#"{"x-gateway-role":"a","x-gateway-role":"a"}"#,
        ] {
            assert!(
                matches!(said(200, body), Err(Error::UnusableAnswer(_))),
                "{body}"
            );
        }
    }

    #[test]
    fn headers_of_the_connection_stay() {
        let mut headers = HeaderMap::new();
        let own = [
            "authorization",
            "cookie",
            "x-gateway-role",
            "host",
            "content-length",
            "user-agent",
            "dnt",
        ];
        for name in own
            .into_iter()
            .chain(["if-none-match", "if-range", "range"])
        {
            headers.insert(HeaderName::from_static(name), "x".parse().unwrap());
        }
        headers.append("cookie", "y".parse().unwrap());
        let names: Vec<_> = forwarded(&headers)
            .keys()
            .map(|name| name.as_str().to_owned())
            .collect();
        assert_eq!(names, ["authorization", "cookie", "x-gateway-role"]);
        let sent = as_json(&headers);
        assert_eq!(
            (sent["cookie"].as_str(), sent.contains_key("content-length")),
            (Some("x, y"), false)
        );
        assert_eq!(digest(&headers, None), digest(&forwarded(&headers), None));
        assert!(!format!("{:?}", hook()).contains("secret"));
    }

    #[tokio::test]
    async fn a_hook_that_hangs_does_not_hold_everybody() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", silent.local_addr().unwrap());
        let hook = Arc::new(
            AuthWebhook::new(&Secret::new(url), WebhookMethod::Get, "x-gateway-").unwrap(),
        );
        let ask = |hook: Arc<AuthWebhook>| async move {
            hook.authenticate(&HeaderMap::new(), None).await
        };
        let mut waiting = tokio::task::JoinSet::new();
        (0..AT_ONCE).for_each(|_| drop(waiting.spawn(ask(hook.clone()))));
        while hook.permits.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(matches!(
            ask(hook.clone()).await,
            Err(Error::WebhookUnavailable(_))
        ));
        // Cancelled requests release their permits.
        waiting.shutdown().await;
        assert_eq!(hook.permits.available_permits(), AT_ONCE);
    }

    #[test]
    fn what_is_remembered_weighs_what_it_says() {
        let text = format!(
            r#"{{"x-gateway-role": "user", "x-gateway-list": "{}"}}"#,
            "x".repeat(5000)
        );
        assert!((5000..6000).contains(&said(200, &text).unwrap().weight()));
    }
}
