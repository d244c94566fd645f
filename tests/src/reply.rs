//! An HTTP response as tests read it: status, headers, text, and its error in the format of section
//! 5 of the contract.

use reqwest::header::HeaderMap;
use serde_json::Value;

/// A response, read completely.
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
    /// Sends a request and reads the response.
    pub async fn of(request: reqwest::RequestBuilder) -> reqwest::Result<Reply> {
        let response = request.send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        Ok(Reply {
            status,
            headers,
            text: response.text().await?,
        })
    }

    /// The value of a header, or an empty string.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The body as JSON; null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// The `data` of a response without errors; null otherwise.
    pub fn data(&self) -> Value {
        match self.json() {
            Value::Object(mut members) if !members.contains_key("errors") => {
                members.remove("data").unwrap_or_default()
            }
            _ => Value::Null,
        }
    }

    /// Status, code and message of an error; the code is empty in the REST error format.
    pub fn error(&self) -> (u16, String, String) {
        let json = self.json();
        let (code, message) = match json.get("errors").and_then(|errors| errors.get(0)) {
            Some(error) => (text(&error["extensions"]["code"]), text(&error["message"])),
            None => (String::new(), text(&json["message"])),
        };
        (self.status, code, message)
    }

    /// Whether it is a well-formed GraphQL error response: one error or more, each with code and
    /// message, and no `data`.
    pub fn is_sound_error(&self) -> bool {
        let json = self.json();
        let errors = json["errors"].as_array().cloned().unwrap_or_default();
        let sound =
            |error: &Value| error["message"].is_string() && error["extensions"]["code"].is_string();
        !errors.is_empty() && errors.iter().all(sound) && json.get("data").is_none()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
