//! A gateway that keeps what was sent to it.

use std::ops::Deref;
use std::sync::Mutex;

use gateway::server::GatewayHandle;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::send;

use crate::accounts::page::{Form, SERVER_URL, parameter};
use crate::accounts::service::Service;

/// The provider that paths with a parameter name.
pub(super) const PROVIDER: &str = "company";

/// A request and its response.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// The members of the body, or the parameters of the query.
    pub(super) values: Value,
    pub(super) reply: Reply,
}

/// A gateway, and what was sent to it. Every request shall get a response of the given status.
pub(super) struct Recorder {
    service: Service,
    exchanges: Mutex<Vec<Exchange>>,
}

impl Deref for Recorder {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

impl Recorder {
    /// Starts a gateway with changed settings.
    pub(super) async fn with(changes: &str) -> Recorder {
        // Boxed because its future is large.
        Recorder::new(Box::pin(Service::with(changes)).await)
    }

    /// Records what is sent to a gateway.
    pub(super) fn new(service: Service) -> Recorder {
        Recorder {
            service,
            exchanges: Mutex::default(),
        }
    }

    /// Sends a request, which is described by these values, and keeps it.
    pub(super) async fn record(
        &self,
        request: RequestBuilder,
        (method, path): (Method, &'static str),
        values: Value,
        status: u16,
    ) -> Reply {
        let reply = send(request).await;
        assert_eq!(
            reply.status, status,
            "{method} {path} {values}: {}",
            reply.text
        );
        let mut values = values;
        if path.contains("{provider}") {
            values["provider"] = PROVIDER.into();
        }
        let exchange = Exchange {
            method,
            path,
            values,
            reply: reply.clone(),
        };
        self.exchanges.lock().unwrap().push(exchange);
        reply
    }

    /// Sends a POST.
    pub(super) async fn post(&self, path: &'static str, body: Value, status: u16) -> Reply {
        let request = self.request(Method::POST, &url(path)).json(&body);
        self.record(request, (Method::POST, path), body, status)
            .await
    }

    /// Sends a POST with a bearer token.
    pub(super) async fn post_as(
        &self,
        token: &str,
        path: &'static str,
        body: Value,
        status: u16,
    ) -> Reply {
        let request = self.request(Method::POST, &url(path)).bearer_auth(token);
        let request = request.json(&body);
        self.record(request, (Method::POST, path), body, status)
            .await
    }

    /// Sends a request with a bearer token and without a body.
    pub(super) async fn call_as(
        &self,
        token: &str,
        method: Method,
        path: &'static str,
        status: u16,
    ) -> Reply {
        let request = self.request(method.clone(), &url(path)).bearer_auth(token);
        self.record(request, (method, path), json!({}), status)
            .await
    }

    /// Sends a GET with a bearer token.
    pub(super) async fn get_as(&self, token: &str, path: &'static str, status: u16) -> Reply {
        self.call_as(token, Method::GET, path, status).await
    }

    /// Sends a POST with a bearer token to another gateway over the same database.
    pub(super) async fn post_at(
        &self,
        gateway: &GatewayHandle,
        token: &str,
        path: &'static str,
        body: Value,
        status: u16,
    ) -> Reply {
        let request = self.client.post(format!("{}{path}", gateway.url()));
        let request = request.bearer_auth(token).json(&body);
        self.record(request, (Method::POST, path), body, status)
            .await
    }

    /// Opens a link in a mail, and returns the form of its page.
    pub(super) async fn open_form(&self, link: &str) -> Form {
        let names = ["ticket", "type", "redirectTo"];
        let found = names.map(|name| (name, parameter(link, name)));
        let found = found.into_iter();
        let values = found.filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
        let request = self.service.get(link.strip_prefix(SERVER_URL).unwrap());
        let operation = (Method::GET, "/v1/verify");
        let values = Value::Object(values.collect());
        let page = self.record(request, operation, values, 200).await;
        Form::read(&page.text)
    }

    /// Presses the button of a form.
    pub(super) async fn press_button(&self, form: &Form, status: u16) -> Reply {
        let fields = form.fields.iter().cloned();
        let values = fields.map(|(name, value)| (name, value.into()));
        let values = Value::Object(values.collect());
        let request = self.request(Method::POST, "/v1/verify");
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let request = request.body(form.body());
        self.record(request, (Method::POST, "/v1/verify"), values, status)
            .await
    }

    /// Opens a link in a mail, and presses the button of its page; returns where that leads.
    pub(super) async fn follow(&self, link: &str) -> String {
        let form = self.open_form(link).await;
        let reply = self.press_button(&form, 302).await;
        reply.header("location").to_owned()
    }

    /// What was sent.
    pub(super) fn finish(self) -> Vec<Exchange> {
        self.exchanges.into_inner().unwrap()
    }
}

/// The path of a request.
fn url(path: &str) -> String {
    path.replace("{provider}", PROVIDER)
}
