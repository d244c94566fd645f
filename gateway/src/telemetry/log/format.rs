//! Renders log lines as text for people or as JSON for programs.

use std::fmt::{self, Debug, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// `2026-01-01T00:00:00.000000Z  INFO answered status=200`
    Text,
    /// `{"timestamp":"…","level":"INFO","message":"answered","status":200}`
    Json,
}

/// The field with the event's message.
const MESSAGE: &str = "message";

impl<S, N> FormatEvent<S, N> for LogFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        scope: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::with_capacity(512);
        let level = event.metadata().level().as_str();
        match self {
            LogFormat::Text => {
                stamp(SystemTime::now(), &mut line);
                for _ in level.len()..6 {
                    line.push(' ');
                }
                line.push_str(level);
                line.push(' ');
                for span in scope
                    .event_scope()
                    .into_iter()
                    .flat_map(|spans| spans.from_root())
                {
                    line.push_str(span.name());
                    line.push_str(": ");
                }
                let mut fields = TextFields {
                    line: &mut line,
                    first: true,
                };
                event.record(&mut fields);
            }
            LogFormat::Json => {
                line.push_str("{\"timestamp\":\"");
                stamp(SystemTime::now(), &mut line);
                line.push_str("\",\"level\":\"");
                line.push_str(level);
                line.push('"');
                event.record(&mut JsonFields(&mut line));
                line.push('}');
            }
        }
        line.push('\n');
        writer.write_str(&line)
    }
}

/// Appends `message name="text" name=1`.
struct TextFields<'a> {
    line: &'a mut String,
    first: bool,
}

impl TextFields<'_> {
    fn name(&mut self, field: &Field) {
        if !std::mem::take(&mut self.first) {
            self.line.push(' ');
        }
        let name = field.name();
        if name != MESSAGE {
            self.line.push_str(name.strip_prefix("r#").unwrap_or(name));
            self.line.push('=');
        }
    }
}

impl Visit for TextFields<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.name(field);
        write_number(value, self.line);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.name(field);
        write_milliseconds(value, self.line);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.name(field);
        if is_plain(value) {
            self.line.push('"');
            self.line.push_str(value);
            self.line.push('"');
        } else {
            let _ = write!(self.line, "{value:?}");
        }
    }

    /// The text may contain input of clients, such as terminal escape sequences. Messages keep
    /// their line breaks: the gateway writes them, and a diagnostic drawn on a file spans several
    /// lines.
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.name(field);
        let start = self.line.len();
        let _ = write!(self.line, "{value:?}");
        let shown = self.line.get(start..).unwrap_or_default();
        let is_kept = |character| character == '\n' && field.name() == MESSAGE;
        if shown
            .chars()
            .any(|character| character.is_control() && !is_kept(character))
        {
            let escape = |character| {
                if is_kept(character) {
                    character
                } else {
                    visible(character)
                }
            };
            let escaped: String = shown.chars().map(escape).collect();
            self.line.truncate(start);
            self.line.push_str(&escaped);
        }
    }
}

/// Replaces control characters with a visible character.
fn visible(character: char) -> char {
    if character.is_control() {
        char::REPLACEMENT_CHARACTER
    } else {
        character
    }
}

/// Appends `,"name":"text","name":1`.
struct JsonFields<'a>(&'a mut String);

impl JsonFields<'_> {
    fn name(&mut self, field: &Field) {
        let name = field.name();
        self.0.push_str(",\"");
        self.0.push_str(name.strip_prefix("r#").unwrap_or(name));
        self.0.push_str("\":");
    }

    fn text(&mut self, text: &str) {
        if is_plain(text) {
            self.0.push('"');
            self.0.push_str(text);
            self.0.push('"');
        } else {
            let _ = write!(self.0, "{}", serde_json::Value::from(text));
        }
    }
}

impl Visit for JsonFields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.name(field);
        self.text(value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.name(field);
        write_number(value, self.0);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.name(field);
        let _ = write!(self.0, "{value}");
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.name(field);
        if value.is_finite() {
            write_milliseconds(value, self.0);
        } else {
            self.0.push_str("null");
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.name(field);
        self.0.push_str(if value { "true" } else { "false" });
    }

    /// A message of several lines, such as a diagnostic drawn on a file, is a field of its own
    /// beside its first line: collectors group lines by their message.
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.name(field);
        let text = format!("{value:?}");
        match text.split_once('\n') {
            Some((first, _)) if field.name() == MESSAGE => {
                self.text(first.trim_end());
                self.0.push_str(",\"detail\":");
                self.text(&text);
            }
            _ => self.text(&text),
        }
    }
}

/// Whether a text needs no escapes between quotes.
fn is_plain(text: &str) -> bool {
    // A fold without an early exit compiles to a few vector instructions.
    text.bytes().fold(true, |all, byte| {
        all & matches!(byte, b' '..=b'~') & (byte != b'"') & (byte != b'\\')
    })
}

/// Appends `2026-01-01T00:00:00.000000Z`.
fn stamp(time: SystemTime, line: &mut String) {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = date(since.as_secs() / 86_400);
    let second = since.as_secs() % 86_400;
    let micros = since.subsec_micros().into();
    let parts = [
        (year, 4),
        (month, 2),
        (day, 2),
        (second / 3600, 2),
        (second / 60 % 60, 2),
        (second % 60, 2),
        (micros, 6),
    ];
    let mut text = *b"0000-00-00T00:00:00.000000Z";
    let mut places = &mut text[..];
    for (number, digits) in parts {
        let (own, rest) = places.split_at_mut(digits);
        write_digits(number, own);
        // Skips the separator.
        places = rest.get_mut(1..).unwrap_or_default();
    }
    push_ascii(Some(&text), line);
}

/// Writes the last digits of a number.
fn write_digits(mut number: u64, places: &mut [u8]) {
    for index in places.iter_mut().rev() {
        *index = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Appends a number, faster than by the formatter.
fn write_number(mut number: u64, line: &mut String) {
    let mut digits = [b'0'; 20];
    let mut start = digits.len();
    for (index, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + (number % 10) as u8;
        start = index;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    push_ascii(digits.get(start..), line);
}

fn push_ascii(text: Option<&[u8]>, line: &mut String) {
    line.push_str(std::str::from_utf8(text.unwrap_or_default()).unwrap_or_default());
}

/// Writes milliseconds like `{:?}`, ten times faster for numbers with up to three decimals.
fn write_milliseconds(value: f64, line: &mut String) {
    let micros = (value * 1000.0).round();
    // Below this limit, three decimals are the shortest text that parses to the same number.
    if !(0.0..1e12).contains(&micros) || micros / 1000.0 != value {
        let _ = write!(line, "{value:?}");
        return;
    }
    let whole = micros as u64 / 1000;
    let rest = micros as u64 % 1000;
    write_number(whole, line);
    line.push('.');
    let mut decimals = *b"000";
    write_digits(rest, &mut decimals);
    let length = match rest {
        _ if rest.is_multiple_of(100) => 1,
        _ if rest.is_multiple_of(10) => 2,
        _ => 3,
    };
    push_ascii(decimals.get(..length), line);
}

/// Year, month and day of the day this many days after 1970-01-01.
/// <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>
fn date(days: u64) -> (u64, u64, u64) {
    // Years begin in March here, so that a leap day is the last day of a year.
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::telemetry::log::{LogWriter, Thread};

    /// The log line of an event, including its time.
    fn line(form: LogFormat, event: impl FnOnce()) -> String {
        let lines = LogWriter(Arc::default());
        lines.locked().thread = Thread::Busy;
        let subscriber = tracing_subscriber::fmt()
            .event_format(form)
            .with_writer(lines.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, event);
        String::from_utf8(lines.locked().bytes.clone()).unwrap()
    }

    #[test]
    fn milliseconds_are_written_as_debug_writes_them() {
        for value in [
            0.0,
            0.001,
            0.25,
            1.0,
            12.5,
            1234.567,
            999_999_999.999,
            1e12,
            0.1234,
            1e-7,
            -2.5,
            f64::NAN,
            1e300,
        ] {
            let mut line = String::new();
            write_milliseconds(value, &mut line);
            assert_eq!(line, format!("{value:?}"));
        }
    }

    #[test]
    fn text_line_has_names_and_values() {
        let logged = line(LogFormat::Text, || {
            let absent = None::<&str>;
            let role = Some("a \"b\"\n");
            tracing::info!(id = "x", status = 200_u16, ms = 0.25, absent, role, method = %"GET\u{1b}\n", "answered");
        });
        let (_, rest) = logged.split_once('Z').unwrap();
        let expected = "  INFO answered id=\"x\" status=200 ms=0.25 role=\"a \\\"b\\\"\\n\" \
                        method=GET\u{fffd}\u{fffd}\n";
        assert_eq!(rest, expected);
    }

    #[test]
    fn multi_line_message_keeps_its_line_breaks() {
        let drawn = "table `x`\n  |\u{1b}";
        let logged = line(LogFormat::Text, || tracing::error!("not reloaded: {drawn}"));
        assert!(
            logged.ends_with(" ERROR not reloaded: table `x`\n  |\u{fffd}\n"),
            "{logged}"
        );
    }

    #[test]
    fn json_message_is_one_line() {
        let drawn = "table `x`\n  |";
        let logged = line(LogFormat::Json, || tracing::error!("not reloaded: {drawn}"));
        let value: serde_json::Value = serde_json::from_str(&logged).unwrap();
        assert_eq!(value["message"], "not reloaded: table `x`");
        assert_eq!(value["detail"], format!("not reloaded: {drawn}"));
    }

    #[test]
    fn json_line_is_an_object() {
        let logged = line(LogFormat::Json, || {
            tracing::warn!(id = "a\"\u{7}", status = 200_u16, less = -1, ms = 0.25, ok = true, error = %"é", "stated");
        });
        let mut value: serde_json::Value = serde_json::from_str(&logged).unwrap();
        let time = value.as_object_mut().unwrap().remove("timestamp").unwrap();
        assert_eq!(time.as_str().unwrap().len(), 27);
        let expected = serde_json::json!({
            "level": "WARN", "message": "stated", "id": "a\"\u{7}", "status": 200, "less": -1, "ms": 0.25, "ok": true,
            "error": "é"
        });
        assert_eq!(value, expected);
    }

    #[test]
    fn timestamps_are_calendar_dates() {
        let at = |seconds: u64, micros: u64| {
            let mut line = String::new();
            stamp(
                UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_micros(micros),
                &mut line,
            );
            line
        };
        assert_eq!(at(0, 0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(at(951_868_799, 1), "2000-02-29T23:59:59.000001Z");
        assert_eq!(at(951_868_800, 999_999), "2000-03-01T00:00:00.999999Z");
        assert_eq!(at(4_107_542_399, 0), "2100-02-28T23:59:59.000000Z");
        assert_eq!(at(1_798_761_600, 0), "2027-01-01T00:00:00.000000Z");
    }
}
