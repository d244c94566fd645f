//! `POST /v1/widgets/session`: opens a session for the widgets of a controller. `{"controllerId"}`
//! opens one without a person, for what everybody may read; `"visitor"`, a secret that stays in the
//! browser, adds a pseudonymous visitor, of which the database learns only the digest;
//! `"identity"`, signed by the site, adds the person that the site knows.

use http::header::{HOST, HeaderValue, ORIGIN};
use pg::{Completion, DatabaseError, Parameters, RowColumns};
use serde_json::{Value, json};
use tokio::time::Instant;
use uuid::Uuid;

use super::config::{WidgetsConfig, as_json};
use super::identity;
use super::widget_error::WidgetError;
use gateway::auth::session::value_name;
use gateway::error::{Error, InvalidRequest};
use gateway::http::allowed_hosts::AllowedHosts;
use gateway::http::{App, HttpExchange, media};
use gateway::plugins::token_exchange;
use gateway::request::json;

/// The length of a visitor's secret: 256 random bits as base64url.
const SECRET_LENGTH: usize = 43;

/// Opens a session and returns its token.
pub(super) async fn open(
    config: &WidgetsConfig,
    exchange: &mut HttpExchange,
) -> Result<Value, Error> {
    let app = exchange.app.clone();
    let deadline = Instant::from_std(exchange.started) + app.limits.time;
    let bytes = exchange.read_body(&app.limits).await?;
    media::check_json(&exchange.headers)?;
    let malformed = |error: serde_json::Error| InvalidRequest::Json {
        line: error.line(),
        column: error.column(),
    };
    let body = json::read(&bytes).map_err(malformed)?;
    let text = |name: &'static str| match body.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(InvalidRequest::Member {
            name,
            expected: "a string",
        }),
    };
    let no_uuid = InvalidRequest::Member {
        name: "controllerId",
        expected: "a uuid",
    };
    let controller = text("controllerId")?
        .and_then(|id| Uuid::parse_str(id).ok())
        .ok_or(no_uuid)?;
    check_origin(config, &app.state().hosts, controller, exchange)?;
    let (role, found) = match (text("identity")?, text("visitor")?) {
        (Some(token), _) => {
            let (Some(key), Some(statement)) = (config.identity_key(controller), &config.identity)
            else {
                return Err(WidgetError::Identity("the controller has no `identity_key`").into());
            };
            let person = identity::verify(token, controller, key)?;
            (&config.identity_role, Some((statement, person)))
        }
        (None, Some(secret)) => {
            let statement = config
                .visitor
                .as_ref()
                .ok_or(WidgetError::Identity("there is no statement `visitor`"))?;
            if secret.len() != SECRET_LENGTH
                || !secret
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
            {
                return Err(InvalidRequest::Member {
                    name: "visitor",
                    expected: "43 characters of base64url",
                }
                .into());
            }
            (
                &config.role,
                Some((statement, token_exchange::digest(secret))),
            )
        }
        (None, None) => (&config.role, None),
    };
    let mut values = vec![("data_controller_id".to_owned(), controller.to_string())];
    if let Some((statement, name)) = found {
        let row = run(
            &app,
            &as_json(statement),
            vec![Some(controller.to_string()), Some(name)],
            deadline,
        )
        .await?;
        let row = match row {
            Value::Object(row) if row.values().any(|value| !value.is_null()) => row,
            _ => return Err(WidgetError::Identity("no such person").into()),
        };
        for (name, value) in row {
            let text = match value {
                Value::Null => continue,
                Value::String(text) => text,
                other => other.to_string(),
            };
            values.push((value_name(&name), text));
        }
    }
    let subject = values
        .iter()
        .find(|(name, _)| name == "data_subject_id")
        .map(|(_, id)| id.clone());
    let token = config.sign(role, values).map_err(Error::Internal)?;
    Ok(json!({
        "accessToken": token,
        "accessTokenExpiresIn": config.session_seconds,
        "role": role,
        "roleHeader": config.role_header,
        "dataSubjectId": subject,
    }))
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
