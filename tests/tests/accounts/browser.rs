//! A browser, as far as a sign-in with another provider needs one: it keeps cookies, follows
//! redirects, and fills in the page of the provider.

use std::collections::BTreeMap;
use std::sync::Mutex;

use gateway::server::GatewayHandle;
use reqwest::{Method, Url};
use serde_json::Value;
use tests::reply::Reply;
use tests::service::send;

use super::page::{Form, SERVER_URL};
use super::service::Service;

/// A browser with its cookies.
pub(super) struct Browser {
    client: reqwest::Client,
    /// Where the gateway is reached whose public address is `SERVER_URL`.
    gateway: String,
    /// Values of cookies by origin and name.
    cookies: Mutex<BTreeMap<(String, String), String>>,
}

/// The request with which a provider sends the browser back.
#[derive(Clone, Debug)]
pub(super) struct Callback {
    /// Its URL without the query.
    pub(super) url: String,
    /// The parameters, in the query or in a form.
    pub(super) parameters: Vec<(String, String)>,
    /// Whether it is a POST.
    pub(super) is_form: bool,
}

impl Callback {
    fn from_url(url: &Url) -> Callback {
        let mut bare = url.clone();
        bare.set_query(None);
        let parameters = url.query_pairs();
        Callback {
            url: bare.into(),
            parameters: parameters
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
            is_form: false,
        }
    }

    /// The value of a parameter.
    #[track_caller]
    pub(super) fn parameter(&self, name: &str) -> &str {
        let found = self.parameters.iter().find(|(key, _)| key == name);
        let (_, value) = found.unwrap_or_else(|| panic!("no `{name}` in {self:?}"));
        value
    }

    /// The request with another value of a parameter.
    pub(super) fn with(&self, name: &str, value: &str) -> Callback {
        let mut changed = self.without(name);
        changed.parameters.push((name.to_owned(), value.to_owned()));
        changed
    }

    /// The request without a parameter.
    pub(super) fn without(&self, name: &str) -> Callback {
        let mut changed = self.clone();
        changed.parameters.retain(|(key, _)| key != name);
        changed
    }
}

impl Browser {
    /// A browser without cookies.
    pub(super) fn new(service: &Service) -> Browser {
        Browser::at(service, &service.gateway)
    }

    /// A browser without cookies that reaches another gateway of the service.
    pub(super) fn at(service: &Service, gateway: &GatewayHandle) -> Browser {
        Browser::with_client(service.client.clone(), gateway.url())
    }

    /// A browser without cookies that sends requests by a client, which follows no redirects, to
    /// the gateway at a URL.
    pub(super) fn with_client(client: reqwest::Client, gateway: String) -> Browser {
        Browser {
            client,
            gateway,
            cookies: Mutex::default(),
        }
    }

    /// The same browser, which reaches another gateway from now on.
    pub(super) fn moved_to(self, gateway: &GatewayHandle) -> Browser {
        Browser {
            gateway: gateway.url(),
            ..self
        }
    }

    /// The value of a cookie of the gateway.
    pub(super) fn cookie(&self, name: &str) -> Option<String> {
        let key = (SERVER_URL.to_owned(), name.to_owned());
        self.cookies.lock().unwrap().get(&key).cloned()
    }

    /// Changes a cookie of the gateway; an empty value removes it.
    pub(super) fn set_cookie(&self, name: &str, value: &str) {
        self.keep_cookie(SERVER_URL, name, value);
    }

    /// Keeps the cookie that a response of the gateway to another client sets: an application has
    /// sent the request from this browser.
    pub(super) fn take_cookies(&self, reply: &Reply) {
        self.keep_cookies(SERVER_URL, reply);
    }

    /// Opens a URL.
    pub(super) async fn get(&self, url: &str) -> Reply {
        self.send(Method::GET, url, None).await
    }

    /// Opens a path of the gateway with parameters.
    pub(super) async fn open(&self, path: &str, parameters: &[(&str, &str)]) -> Reply {
        let url = format!("{SERVER_URL}{path}");
        let mut url = Url::parse(&url).unwrap();
        if !parameters.is_empty() {
            url.query_pairs_mut().extend_pairs(parameters);
        }
        self.get(url.as_str()).await
    }

    /// Presses the button of a form.
    pub(super) async fn press(&self, form: &Form) -> Reply {
        self.send(Method::POST, &form.action, Some(form.body()))
            .await
    }

    /// The response to the start of a sign-in.
    pub(super) async fn start(&self, provider: &str, parameters: &[(&str, &str)]) -> Reply {
        let path = format!("/v1/signin/provider/{provider}");
        self.open(&path, parameters).await
    }

    /// Starts a sign-in, and returns the address at the provider.
    pub(super) async fn begin(&self, provider: &str, parameters: &[(&str, &str)]) -> String {
        let reply = self.start(provider, parameters).await;
        assert_eq!(reply.status, 302, "{}", reply.text);
        reply.header("location").to_owned()
    }

    /// Signs in at the provider with what its page takes, and returns with what it leads back with.
    pub(super) async fn consent(&self, authorization_url: &str, login: &Value) -> Callback {
        let mut url = Url::parse(authorization_url).unwrap();
        let mut reply = self.get(url.as_str()).await;
        // Some providers take six steps.
        for _ in 0..10 {
            if matches!(reply.status, 302 | 303) {
                url = url.join(reply.header("location")).unwrap();
                if url.as_str().starts_with(SERVER_URL) {
                    return Callback::from_url(&url);
                }
                reply = self.get(url.as_str()).await;
                continue;
            }
            // Some say an error by the status of the page, too, whose form says it to the gateway.
            assert!(matches!(reply.status, 200 | 400), "{url}: {}", reply.text);
            let form = Form::read_at(url.as_str(), &reply.text);
            if form.action.starts_with(SERVER_URL) {
                return Callback {
                    url: form.action,
                    parameters: form.fields,
                    is_form: true,
                };
            }
            reply = self.press(&form.with("login", &typed(login))).await;
        }
        panic!("{authorization_url} leads back never");
    }

    /// Starts a sign-in, signs in at the provider, and returns with what it leads back with.
    pub(super) async fn come_back(
        &self,
        provider: &str,
        parameters: &[(&str, &str)],
        login: &Value,
    ) -> Callback {
        let authorization_url = self.begin(provider, parameters).await;
        self.consent(&authorization_url, login).await
    }

    /// The response to what the provider leads back with.
    pub(super) async fn finish(&self, callback: &Callback) -> Reply {
        if callback.is_form {
            let form = Form {
                action: callback.url.clone(),
                fields: callback.parameters.clone(),
            };
            return self.press(&form).await;
        }
        let url = Url::parse_with_params(&callback.url, &callback.parameters).unwrap();
        self.get(url.as_str()).await
    }

    /// Where the gateway leads after what the provider leads back with.
    pub(super) async fn land(&self, callback: &Callback) -> String {
        let reply = self.finish(callback).await;
        assert_eq!(reply.status, 302, "{callback:?}: {}", reply.text);
        assert_eq!(reply.header("cache-control"), "no-store");
        reply.header("location").to_owned()
    }

    /// Signs in with a provider, and returns where that leads.
    pub(super) async fn sign_in(&self, provider: &str, login: &Value) -> String {
        let callback = self.come_back(provider, &[], login).await;
        self.land(&callback).await
    }

    async fn send(&self, method: Method, url: &str, form: Option<String>) -> Reply {
        let origin = Url::parse(url).unwrap().origin().ascii_serialization();
        let address = match url.strip_prefix(SERVER_URL) {
            Some(path) => format!("{}{path}", self.gateway),
            None => url.to_owned(),
        };
        let mut request = self.client.request(method, address);
        let cookies = self.cookie_header(&origin);
        if !cookies.is_empty() {
            request = request.header("cookie", cookies);
        }
        if let Some(body) = form {
            request = request
                .header("content-type", "application/x-www-form-urlencoded")
                .body(body);
        }
        let reply = send(request).await;
        self.keep_cookies(&origin, &reply);
        reply
    }

    fn cookie_header(&self, origin: &str) -> String {
        let cookies = self.cookies.lock().unwrap();
        let own = cookies.iter().filter(|((of, _), _)| of == origin);
        let pairs: Vec<String> = own
            .map(|((_, name), value)| format!("{name}={value}"))
            .collect();
        pairs.join("; ")
    }

    fn keep_cookies(&self, origin: &str, reply: &Reply) {
        for cookie in set_cookies(reply) {
            let pair = cookie.split(';').next().unwrap_or_default();
            let (name, value) = pair.split_once('=').unwrap();
            let is_over = cookie.to_ascii_lowercase().contains("max-age=0");
            self.keep_cookie(origin, name, if is_over { "" } else { value });
        }
    }

    fn keep_cookie(&self, origin: &str, name: &str, value: &str) {
        let mut cookies = self.cookies.lock().unwrap();
        let key = (origin.to_owned(), name.to_owned());
        if value.is_empty() {
            cookies.remove(&key);
        } else {
            cookies.insert(key, value.to_owned());
        }
    }
}

/// The cookies that a response sets.
pub(super) fn set_cookies(reply: &Reply) -> Vec<&str> {
    let headers = reply.headers.get_all("set-cookie");
    headers
        .iter()
        .map(|value| value.to_str().unwrap())
        .collect()
}

/// What is typed into the page: a text as it is, and the claims of a user as JSON.
fn typed(login: &Value) -> String {
    match login {
        Value::String(text) => text.clone(),
        claims => claims.to_string(),
    }
}
