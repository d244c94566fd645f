//! An HTTP response as tests read it: status, headers, text, and its error in the format of section
//! 5 of the contract.

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

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

/// The first error of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyError {
    /// The status of the response.
    pub status: u16,
    /// `extensions.code`
    pub code: String,
    /// Its message.
    pub message: String,
}

impl ReplyError {
    /// An error to compare with.
    pub fn new(status: u16, code: &str, message: impl Into<String>) -> ReplyError {
        ReplyError {
            status,
            code: code.to_owned(),
            message: message.into(),
        }
    }
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

    /// Its first error; the code is empty in the REST error format.
    pub fn error(&self) -> ReplyError {
        let json = self.json();
        let (code, message) = match json.get("errors").and_then(|errors| errors.get(0)) {
            Some(error) => (text(&error["extensions"]["code"]), text(&error["message"])),
            None => (String::new(), text(&json["message"])),
        };
        ReplyError {
            status: self.status,
            code,
            message,
        }
    }

    /// Fails unless it is this GraphQL error.
    #[track_caller]
    pub fn assert_error(&self, status: u16, code: &str, message: &str) {
        let expected = ReplyError::new(status, code, message);
        assert_eq!(self.error(), expected, "{}", self.text);
        assert!(self.is_sound_error(), "{}", self.text);
    }

    /// Fails unless it is this error in the envelope of REST and webhooks.
    #[track_caller]
    pub fn assert_envelope(&self, status: u16, message: &str) {
        let envelope = json!({"status": "error", "message": message, "data": null});
        self.assert_json_error(status, &envelope);
    }

    /// Fails unless it is this error in the envelope of the token exchange, which also has the code
    /// that hasura-auth's clients read.
    #[track_caller]
    pub fn assert_coded_envelope(&self, status: u16, code: &str, message: &str) {
        let envelope = json!({"status": "error", "error": code, "message": message, "data": null});
        self.assert_json_error(status, &envelope);
    }

    #[track_caller]
    fn assert_json_error(&self, status: u16, body: &Value) {
        assert_eq!((self.status, &self.json()), (status, body), "{}", self.text);
        let media_type = self.header("content-type");
        assert_eq!(media_type, "application/json; charset=utf-8");
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
