//! `POST /v1/widgets/session`: opens a session for the widgets of a controller. `{"controllerId"}`
//! opens one without a person, for what everybody may read; `"visitor"`, a secret that stays in the
//! browser, adds a pseudonymous visitor, of which the database learns only the digest;
//! `"identity"`, signed by the site, adds the person that the site knows, and is recorded as an
//! authentication: a visitor proves nothing about who it is. Both statements may learn whether the
//! browser sends Global Privacy Control.

use http::header::{HOST, HeaderName, HeaderValue, ORIGIN};
use pg::{Completion, DatabaseError, Parameters, RowColumns};
use serde_json::{Map, Value, json};
use tokio::time::Instant;
use uuid::Uuid;

use super::config::{Statement, WidgetsConfig};
use super::identity;
use super::widget_error::WidgetError;
use gateway::auth::session::value_name;
use gateway::error::{Error, InvalidRequest};
use gateway::http::allowed_hosts::AllowedHosts;
use gateway::http::{App, HttpExchange, media};
use gateway::request::json;
use plugins::token_exchange;

/// The header of the Global Privacy Control signal. <https://www.w3.org/TR/gpc/>
const GLOBAL_PRIVACY_CONTROL: HeaderName = HeaderName::from_static("sec-gpc");

/// The length of a visitor's secret: 256 random bits as base64url.
const SECRET_LENGTH: usize = 43;

/// Opens a session and returns its token.
pub(super) async fn open(
    config: &WidgetsConfig,
    exchange: &mut HttpExchange,
) -> Result<Value, Error> {
    let app = exchange.app.clone();
    let deadline = Instant::from_std(exchange.started) + app.state().limits.time;
    let bytes = exchange.read_body(&app.state().limits).await?;
    media::check_json(&exchange.headers)?;
    let request = SessionRequest::read(&bytes)?;
    let controller = request.controller;
    check_origin(config, &app.state().hosts, controller, exchange)?;
    let caller = Caller::verify(config, request)?;
    let mut values = vec![("data_controller_id".to_owned(), controller.to_string())];
    if let Some((statement, name)) = caller.lookup() {
        let mut parameters = vec![Some(controller.to_string()), Some(name.to_owned())];
        if statement.takes_signal {
            parameters.push(Some(has_signal(exchange).to_string()));
        }
        match run(&app, &statement.sql, parameters, deadline).await? {
            Value::Object(row) if row.values().any(|value| !value.is_null()) => {
                values.extend(session_values(row));
            }
            _ => return Err(config.invalid_identity(controller, "no such person").into()),
        }
    }
    let subject = values
        .iter()
        .find(|(name, _)| name == "data_subject_id")
        .map(|(_, id)| id.clone());
    if let Caller::Person { name, .. } = &caller {
        let person = subject.as_deref().unwrap_or(name);
        token_exchange::record_sign_in(exchange, person, &controller.to_string(), deadline).await?;
    }
    let role = match caller {
        Caller::Person { .. } => &config.identity_role,
        Caller::Reader | Caller::Visitor { .. } => &config.role,
    };
    let token = config.sign(role, values).map_err(Error::Internal)?;
    Ok(json!({
        "accessToken": token,
        "accessTokenExpiresIn": config.session_seconds,
        "role": role,
        "roleHeader": config.role_header,
        "dataSubjectId": subject,
    }))
}

/// The body of a request for a session.
struct SessionRequest {
    controller: Uuid,
    /// The identity that a site has signed.
    identity: Option<String>,
    /// The secret in a visitor's browser.
    visitor: Option<String>,
}

impl SessionRequest {
    fn read(bytes: &[u8]) -> Result<SessionRequest, Error> {
        let body = json::read(bytes).map_err(|error| InvalidRequest::Json {
            line: error.line(),
            column: error.column(),
        })?;
        let text = |name: &'static str| match body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(InvalidRequest::Member {
                name,
                expected: "a string",
            }),
        };
        let controller = text("controllerId")?.and_then(|id| Uuid::parse_str(&id).ok());
        Ok(SessionRequest {
            controller: controller.ok_or(InvalidRequest::Member {
                name: "controllerId",
                expected: "a uuid",
            })?,
            identity: text("identity")?,
            visitor: text("visitor")?,
        })
    }
}

/// Who asks for a session.
enum Caller<'a> {
    /// No person: reads what is public.
    Reader,
    /// A pseudonymous visitor.
    Visitor {
        statement: &'a Statement,
        digest: String,
    },
    /// The person whom a site has identified.
    Person {
        statement: &'a Statement,
        /// The site's name of the person.
        name: String,
    },
}

impl<'a> Caller<'a> {
    /// Verifies the identity, if there is one, or else the form of the visitor's secret.
    fn verify(config: &'a WidgetsConfig, request: SessionRequest) -> Result<Caller<'a>, Error> {
        let controller = request.controller;
        let invalid = |cause| config.invalid_identity(controller, cause);
        match (request.identity, request.visitor) {
            (Some(token), _) => {
                let key = config.identity_key(controller);
                let (Some(key), Some(statement)) = (key, &config.identity) else {
                    return Err(invalid("the controller has no `identity_key`").into());
                };
                let name = identity::verify(&token, controller, key).map_err(invalid)?;
                Ok(Caller::Person { statement, name })
            }
            (None, Some(secret)) => {
                let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
                let statement = config.visitor.as_ref();
                let statement =
                    statement.ok_or_else(|| invalid("there is no statement `visitor`"))?;
                if secret.len() != SECRET_LENGTH || !secret.bytes().all(is_allowed) {
                    let malformed = InvalidRequest::Member {
                        name: "visitor",
                        expected: "43 characters of base64url",
                    };
                    return Err(malformed.into());
                }
                let digest = token_exchange::digest(&secret);
                Ok(Caller::Visitor { statement, digest })
            }
            (None, None) => Ok(Caller::Reader),
        }
    }

    /// The statement that finds the person, and what it looks for.
    fn lookup(&self) -> Option<(&Statement, &str)> {
        match self {
            Caller::Reader => None,
            Caller::Visitor { statement, digest } => Some((statement, digest)),
            Caller::Person { statement, name } => Some((statement, name)),
        }
    }
}

/// Whether the browser sends Global Privacy Control.
fn has_signal(exchange: &HttpExchange) -> bool {
    let signal = exchange.headers.get(GLOBAL_PRIVACY_CONTROL);
    signal.is_some_and(|value| value.as_bytes() == b"1")
}

/// The columns of a row as session values.
fn session_values(row: Map<String, Value>) -> impl Iterator<Item = (String, String)> {
    row.into_iter().filter_map(|(name, value)| {
        let text = match value {
            Value::Null => return None,
            Value::String(text) => text,
            other => other.to_string(),
        };
        Some((value_name(&name), text))
    })
}

/// Checks the origin of the page. A page of the gateway's own host may always embed widgets;
/// programs other than browsers send no origin, or any that they like.
fn check_origin(
    config: &WidgetsConfig,
    hosts: &AllowedHosts,
    controller: Uuid,
    exchange: &HttpExchange,
) -> Result<(), WidgetError> {
    let Some(origin) = exchange.headers.get(ORIGIN) else {
        return Ok(());
    };
    let host = exchange
        .headers
        .get(HOST)
        .and_then(|host| host.to_str().ok());
    let is_own = |origin: &HeaderValue| {
        let host = host.or_else(|| exchange.uri.authority().map(http::uri::Authority::as_str));
        let bare = origin
            .to_str()
            .ok()
            .and_then(|origin| origin.split_once("://"))
            .map(|(_, host)| host);
        bare.is_some() && bare == host && hosts.trusts_own_pages(&exchange.headers, &exchange.uri)
    };
    if is_own(origin) || config.allows(controller, origin) {
        Ok(())
    } else {
        Err(WidgetError::Origin)
    }
}

/// Runs a statement, which may write, and returns its JSON.
async fn run(
    app: &App,
    statement: &str,
    parameters: Parameters,
    deadline: Instant,
) -> Result<Value, Error> {
    let database = app.state().execution.database.clone();
    let mut retry = database.retry(deadline);
    let parameters = [parameters];
    let rows = loop {
        match database
            .write(&[statement], &parameters, Completion::Commit, deadline)
            .await
        {
            Ok(rows) => break rows,
            Err(failed) if retry.should_retry_write(&failed).await => {}
            Err(failed) => match failed.fault {
                // The name in an identity is no value of the column's type.
                DatabaseError::Refused(refusal) if refusal.sqlstate.starts_with("22") => {
                    return Ok(Value::Null);
                }
                fault => return Err(fault.into()),
            },
        }
    };
    let text = rows
        .last()
        .and_then(|rows| rows.first())
        .and_then(|row| RowColumns::new(row).text());
    let text =
        text.ok_or_else(|| Error::Internal("a statement of `[widgets]` gave no row".into()))?;
    serde_json::from_str(&text).map_err(|error| Error::Internal(error.to_string()))
}
