//! `postern import hasura --verify`: sends recorded requests to the running Hasura and to a gateway
//! with the imported files, and shows where the answers differ.

use std::path::Path;

use clap::ArgMatches;
use gateway::Gateway;
use gateway::config::{SETTINGS, Settings};
use gateway::server::StartError;
use http::Method;
use serde_json::{Map, Value, json};
use sql::graphql::document::{self, Limits, OperationKind};

use super::{Failure, print, read};

/// A recorded request: one line of the file.
#[derive(Debug)]
struct Recorded {
    /// The line, from 1.
    line: usize,
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Value>,
}

/// The answer of one server.
#[derive(Debug, PartialEq)]
struct ServerResponse {
    status: u16,
    body: Value,
}

/// What became of a request.
#[derive(Debug)]
enum Outcome {
    Same,
    /// It writes, and both servers have the same database.
    Skipped,
    /// The first place where the answers differ, with both values.
    Differs {
        location: String,
        hasura: Value,
        postern: Value,
    },
    /// One of the servers did not answer.
    Failed(String),
}

/// How long a server may take to answer.
const RESPONSE_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(60);

/// The longest value that is shown.
const MAX_SHOWN_CHARACTERS: usize = 200;

/// Sends the requests of a file to both servers; returns whether all answers are the same. `out`
/// has the imported files.
pub(super) async fn verify(
    matches: &ArgMatches,
    requests: &str,
    against: &str,
    out: &Path,
) -> Result<bool, Failure> {
    let requests = parse(&read(requests)?).map_err(Failure::Recorded)?;
    let running = Gateway::builder()
        .plugins(super::all_plugins())
        .settings(settings(matches, out)?)
        .start()
        .await?;
    let client = reqwest::Client::builder()
        .timeout(RESPONSE_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none());
    let client = client
        .build()
        .map_err(|error| Failure::Recorded(error.to_string()))?;
    let against = against.trim_end_matches('/');
    let writes = matches.get_flag("mutations");
    let mut outcomes = vec![];
    for request in &requests {
        let outcome = if writes || !request.writes() {
            compare(&client, request, against, &running.url()).await
        } else {
            Outcome::Skipped
        };
        outcomes.push((request, outcome));
    }
    running.shutdown().await;
    report(&outcomes, matches.get_flag("json"))?;
    Ok(outcomes
        .iter()
        .all(|(_, outcome)| matches!(outcome, Outcome::Same | Outcome::Skipped)))
}

/// The imported settings without their tables, so that neither event triggers nor schedules run on
/// a database that Hasura serves, and the database and the secrets of the command line.
fn settings(matches: &ArgMatches, out: &Path) -> Result<Settings, StartError> {
    let path = out.join("gateway.toml").display().to_string();
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let keys = text
        .find("\n[")
        .and_then(|end| text.get(..end))
        .unwrap_or(&text);
    let mut settings = Settings::from_text(&path, keys)?;
    for setting in [
        &SETTINGS.database_url,
        &SETTINGS.admin_secret,
        &SETTINGS.jwt_secret,
    ] {
        let flag = matches
            .try_get_one::<String>(setting.name)
            .ok()
            .flatten()
            .cloned();
        let variable = || {
            std::env::var(format!(
                "POSTERN_{}",
                setting.name.replace('-', "_").to_uppercase()
            ))
            .ok()
        };
        if let Some(value) = flag.or_else(variable) {
            settings.set(setting.name, &value)?;
        }
    }
    settings.set("listen", "127.0.0.1:0")?;
    Ok(settings)
}

/// Reads the lines: `{"path": "/v1/graphql", "method": "POST", "headers": {…}, "body": {…}}`, or
/// the body of a GraphQL request alone, with `headers` beside it or without.
fn parse(text: &str) -> Result<Vec<Recorded>, String> {
    let lines = text
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(line, number)| {
            recorded(line, number).map_err(|cause| format!("line {number}: {cause}"))
        })
        .collect()
}

fn recorded(line: &str, number: usize) -> Result<Recorded, String> {
    let mut members: Map<String, Value> =
        serde_json::from_str(line).map_err(|error| error.to_string())?;
    let headers = match members.remove("headers") {
        Some(Value::Object(headers)) => headers
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_str()?.to_owned())))
            .filter(|(name, _)| !is_of_connection(name))
            .collect(),
        None | Some(Value::Null) => vec![],
        Some(_) => return Err("`headers` is no object".into()),
    };
    let bare = members.contains_key("query");
    let text = |name: &str| {
        members
            .get(name)
            .filter(|_| !bare)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let method = text("method");
    let path = text("path");
    let body = if bare {
        Some(Value::Object(members))
    } else {
        members.remove("body")
    };
    let method = method.unwrap_or_else(|| if body.is_some() { "POST" } else { "GET" }.to_owned());
    Ok(Recorded {
        line: number,
        method: method
            .parse()
            .map_err(|_| format!("`{method}` is no method"))?,
        path: path.unwrap_or_else(|| "/v1/graphql".to_owned()),
        headers,
        body,
    })
}

/// Headers of the recorded connection, which belong to no other.
fn is_of_connection(name: &str) -> bool {
    [
        "host",
        "content-length",
        "connection",
        "transfer-encoding",
        "accept-encoding",
        "content-type",
    ]
    .iter()
    .any(|known| name.eq_ignore_ascii_case(known))
}

impl Recorded {
    /// Whether it may change something: a mutation, a batch, or anything but a query.
    fn writes(&self) -> bool {
        let Some(body) = &self.body else {
            return self.method != Method::GET;
        };
        let Some(query) = body["query"].as_str() else {
            return true;
        };
        let parsed = document::parse(query, &Limits::default());
        let kind = parsed.and_then(|document| document.kind(body["operationName"].as_str()));
        // What is not valid writes nothing, and its error is worth comparing.
        kind.is_ok_and(|kind| kind != OperationKind::Query)
    }

    async fn send(&self, client: &reqwest::Client, server: &str) -> Result<ServerResponse, String> {
        let url = format!("{server}{}", self.path);
        let request = client.request(self.method.clone(), url);
        let request = self.headers.iter().fold(request, |request, (name, value)| {
            request.header(name, value)
        });
        let request = match &self.body {
            Some(body) => request.json(body),
            None => request,
        };
        let response = request
            .send()
            .await
            .map_err(|error| error.without_url().to_string())?;
        let status = response.status().as_u16();
        let text = response
            .text()
            .await
            .map_err(|error| error.without_url().to_string())?;
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Ok(ServerResponse { status, body })
    }
}

async fn compare(
    client: &reqwest::Client,
    request: &Recorded,
    hasura: &str,
    postern: &str,
) -> Outcome {
    let (one, other) = tokio::join!(request.send(client, hasura), request.send(client, postern));
    let (one, other) = match (one, other) {
        (Ok(one), Ok(other)) => (one, other),
        (Err(cause), _) => return Outcome::Failed(format!("Hasura: {cause}")),
        (_, Err(cause)) => return Outcome::Failed(format!("Postern: {cause}")),
    };
    if one.status != other.status {
        let hasura = one.status.into();
        let postern = other.status.into();
        return Outcome::Differs {
            location: "the status".into(),
            hasura,
            postern,
        };
    }
    match difference(&one.body, &other.body, "$") {
        Some((location, hasura, postern)) => Outcome::Differs {
            location,
            hasura,
            postern,
        },
        None => Outcome::Same,
    }
}

/// The first place where two values differ. The order of an object's members does not count.
fn difference(one: &Value, other: &Value, location: &str) -> Option<(String, Value, Value)> {
    match (one, other) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let keys = ours
                .keys()
                .chain(theirs.keys().filter(|key| !ours.contains_key(*key)));
            keys.into_iter()
                .find_map(|key| match (ours.get(key), theirs.get(key)) {
                    (Some(one), Some(other)) => {
                        difference(one, other, &format!("{location}.{key}"))
                    }
                    (one, other) => {
                        let shown = |value: Option<&Value>| {
                            value.cloned().unwrap_or_else(|| json!("(absent)"))
                        };
                        Some((format!("{location}.{key}"), shown(one), shown(other)))
                    }
                })
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            let mut items = ours.iter().zip(theirs).enumerate();
            items.find_map(|(i, (one, other))| difference(one, other, &format!("{location}[{i}]")))
        }
        _ if one == other => None,
        _ => Some((location.to_owned(), one.clone(), other.clone())),
    }
}

fn report(outcomes: &[(&Recorded, Outcome)], as_json: bool) -> Result<(), Failure> {
    let count =
        |is: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, outcome)| is(outcome)).count();
    let same = count(|outcome| matches!(outcome, Outcome::Same));
    let skipped = count(|outcome| matches!(outcome, Outcome::Skipped));
    if as_json {
        let differing = outcomes.iter().filter_map(|(request, outcome)| match outcome {
            Outcome::Same | Outcome::Skipped => None,
            Outcome::Differs { location, hasura, postern } => {
                Some(json!({"line": request.line, "path": request.path, "place": location, "hasura": hasura, "postern": postern}))
            }
            Outcome::Failed(cause) => Some(json!({"line": request.line, "path": request.path, "error": cause})),
        });
        let differing: Vec<Value> = differing.collect();
        return print(
            &json!({"requests": outcomes.len(), "same": same, "skipped": skipped, "different": differing}).to_string(),
        );
    }
    let mut text = String::new();
    for (request, outcome) in outcomes {
        match outcome {
            Outcome::Same | Outcome::Skipped => {}
            Outcome::Differs {
                location: source_location,
                hasura,
                postern,
            } => {
                let hasura = short(hasura);
                let postern = short(postern);
                text.push_str(&format!(
                    "line {}, {}: {source_location}\n  Hasura:  {hasura}\n  Postern: {postern}\n",
                    request.line, request.path
                ));
            }
            Outcome::Failed(cause) => text.push_str(&format!(
                "line {}, {}: {cause}\n",
                request.line, request.path
            )),
        }
    }
    text.push_str(&format!(
        "{same} of {} requests are answered the same",
        outcomes.len()
    ));
    if skipped > 0 {
        text.push_str(&format!(
            "; {skipped} that may write were not sent (--mutations sends them)"
        ));
    }
    print(&text)
}

/// A value on one line.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_requests_with_or_without_an_envelope() {
        let text = "{\"query\": \"{ a }\", \"headers\": {\"X-Hasura-Role\": \"user\", \"Host\": \
                    \"h\"}}\n\n\
                    {\"path\": \"/api/rest/a\", \"headers\": {}}\n{\"query\": \"mutation { a \
                    }\"}\n";
        let requests = parse(text).unwrap();
        let shown: Vec<_> = requests
            .iter()
            .map(|one| (one.line, one.method.as_str(), one.path.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                (1, "POST", "/v1/graphql"),
                (3, "GET", "/api/rest/a"),
                (4, "POST", "/v1/graphql")
            ]
        );
        assert_eq!(
            requests[0].headers,
            [("X-Hasura-Role".to_owned(), "user".to_owned())]
        );
        assert_eq!(
            requests.iter().map(Recorded::writes).collect::<Vec<_>>(),
            [false, false, true]
        );
        assert!(parse("{\"a\":").unwrap_err().starts_with("line 1: "));
    }

    #[test]
    fn first_difference_is_named() {
        let found =
            |one: Value, other: Value| difference(&one, &other, "$").map(|(location, ..)| location);
        assert_eq!(
            found(
                json!({"a": [1, {"b": 2}], "c": 3}),
                json!({"c": 3, "a": [1, {"b": 2}]})
            ),
            None
        );
        assert_eq!(
            found(json!({"a": [1, {"b": 2}]}), json!({"a": [1, {"b": 3}]})),
            Some("$.a[1].b".into())
        );
        assert_eq!(
            found(json!({"a": [1]}), json!({"a": []})),
            Some("$.a".into())
        );
        assert_eq!(found(json!({}), json!({"a": null})), Some("$.a".into()));
    }
}
