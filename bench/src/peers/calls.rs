//! Builds the HTTP request for a work in each peer's format.

use loadgen::PreparedRequest;
use serde_json::{Map, Value, json};

use super::Peer;
use crate::work::{Asked, Tokens, Work};

/// HTTP/1.1 requires a host; no peer checks its value.
const HOST: &str = "localhost";

impl Peer {
    /// The request for a work with these values; `None` for pgbench, which is not a server.
    pub fn call(
        self,
        work: &Work,
        asked: &Asked,
        tokens: &Tokens,
    ) -> Result<Option<PreparedRequest>, super::Error> {
        let token = tokens.user_token(asked.user)?;
        let headers = [("Authorization".to_owned(), format!("Bearer {token}"))];
        Ok(match self {
            Peer::Postern | Peer::Policies => Some(graphql(
                "/v1/graphql",
                &headers,
                work.document,
                &variables(work, asked, false),
            )),
            Peer::PostGraphile => Some(graphql(
                "/graphql",
                &headers,
                work.postgraphile,
                &variables(work, asked, true),
            )),
            Peer::HandWritten => Some(plain(work, asked, &headers, false)),
            Peer::Trusting => Some(plain(work, asked, &[], true)),
            Peer::Pgbench => None,
        })
    }
}

fn graphql(
    path: &str,
    headers: &[(String, String)],
    document: &str,
    variables: &Value,
) -> PreparedRequest {
    let body = json!({"query": document, "variables": variables}).to_string();
    PreparedRequest::post(HOST, path, headers, body.as_bytes())
}

/// The user comes from the token, not from a variable; the values of a new row are one object.
fn variables(work: &Work, asked: &Asked, camel: bool) -> Value {
    let named = asked.values.iter().filter(|(name, _)| *name != "user");
    let spelled = |name: &str| {
        if camel && name == "subject_id" {
            "subjectId".to_owned()
        } else {
            name.to_owned()
        }
    };
    let values: Map<String, Value> = named
        .map(|(name, value)| (spelled(name), value.clone().into()))
        .collect();
    if work.writes() {
        json!({"note": values})
    } else {
        values.into()
    }
}

/// For the server written by hand: a path for each work, values in the query string, those of a new
/// row as JSON.
fn plain(
    work: &Work,
    asked: &Asked,
    headers: &[(String, String)],
    with_user: bool,
) -> PreparedRequest {
    if work.writes() {
        let body = variables(work, asked, false)
            .get("note")
            .map(Value::to_string)
            .unwrap_or_default();
        return PreparedRequest::post(HOST, &format!("/{}", work.name), headers, body.as_bytes());
    }
    let named = asked
        .values
        .iter()
        .filter(|(name, _)| with_user || *name != "user");
    let query: Vec<String> = named
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let headers: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let target = format!(
        "/{}{}{}",
        work.name,
        if query.is_empty() { "" } else { "?" },
        query.join("&")
    );
    PreparedRequest {
        bytes: format!("GET {target} HTTP/1.1\r\nHost: {HOST}\r\n{headers}\r\n").into(),
    }
}
