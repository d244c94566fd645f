//! An answer over HTTP, as tests look at it: status, headers, text, and what section 5 of the contract says of an error.

use reqwest::header::HeaderMap;
use serde_json::Value;

/// An answer, read to its end.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub text: String,
}

impl Reply {
    /// Sends a request and reads the answer.
    pub async fn of(request: reqwest::RequestBuilder) -> reqwest::Result<Reply> {
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok(Reply { status, headers, text: response.text().await? })
    }

    /// A header, or nothing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The body as JSON; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// The `data` of an answer without errors; null otherwise.
    pub fn data(&self) -> Value {
        match self.json() {
            Value::Object(mut members) if !members.contains_key("errors") => members.remove("data").unwrap_or_default(),
            _ => Value::Null,
        }
    }

    /// Status, code and message of an error; the code is empty in the envelope of REST.
    pub fn error(&self) -> (u16, String, String) {
        let json = self.json();
        let (code, message) = match json.get("errors").and_then(|errors| errors.get(0)) {
            Some(error) => (text(&error["extensions"]["code"]), text(&error["message"])),
            None => (String::new(), text(&json["message"])),
        };
        (self.status, code, message)
    }

    /// Whether it is an error in GraphQL's envelope as every one of them has to be: one error or more, each with code and
    /// message, and no `data`.
    pub fn is_sound_error(&self) -> bool {
        let json = self.json();
        let errors = json["errors"].as_array().cloned().unwrap_or_default();
        let sound = |error: &Value| error["message"].is_string() && error["extensions"]["code"].is_string();
        !errors.is_empty() && errors.iter().all(sound) && json.get("data").is_none()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
