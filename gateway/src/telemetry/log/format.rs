//! How a line of the log looks: as text for people, or as JSON for programs.

use std::fmt::{self, Debug, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// How a line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// `2026-01-01T00:00:00.000000Z  INFO answered status=200`
    Text,
    /// `{"timestamp":"…","level":"INFO","message":"answered","status":200}`
    Json,
}

/// The field that holds what is said, beside those that have names of their own.
const MESSAGE: &str = "message";

impl<S, N> FormatEvent<S, N> for LogFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, scope: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut line = String::with_capacity(320);
        let level = event.metadata().level().as_str();
        match self {
            LogFormat::Text => {
                stamp(SystemTime::now(), &mut line);
                for _ in level.len()..6 {
                    line.push(' ');
                }
                line.push_str(level);
                line.push(' ');
                for span in scope.event_scope().into_iter().flat_map(|spans| spans.from_root()) {
                    line.push_str(span.name());
                    line.push_str(": ");
                }
                let mut fields = TextFields { line: &mut line, first: true };
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

/// `message name="text" name=1`
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
        let _ = write!(self.line, "{value}");
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.name(field);
        write_milliseconds(value, self.line);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.name(field);
        match is_plain(value) {
            true => {
                self.line.push('"');
                self.line.push_str(value);
                self.line.push('"');
            }
            false => drop(write!(self.line, "{value:?}")),
        }
    }

    /// What is shown may hold what a client sent: escape sequences for terminals among it. Messages are our own, and a
    /// fault drawn on a file has several lines.
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.name(field);
        let start = self.line.len();
        let _ = write!(self.line, "{value:?}");
        let shown = self.line.get(start..).unwrap_or_default();
        let stays = |character| character == '\n' && field.name() == MESSAGE;
        if shown.chars().any(|character| character.is_control() && !stays(character)) {
            let escape = |character| if stays(character) { character } else { visible(character) };
            let escaped: String = shown.chars().map(escape).collect();
            self.line.truncate(start);
            self.line.push_str(&escaped);
        }
    }
}

/// Control characters are shown as a sign of their own.
fn visible(character: char) -> char {
    if character.is_control() { char::REPLACEMENT_CHARACTER } else { character }
}

/// `,"name":"text","name":1`
struct JsonFields<'a>(&'a mut String);

impl JsonFields<'_> {
    fn name(&mut self, field: &Field) {
        let name = field.name();
        self.0.push_str(",\"");
        self.0.push_str(name.strip_prefix("r#").unwrap_or(name));
        self.0.push_str("\":");
    }

    fn text(&mut self, text: &str) {
        match is_plain(text) {
            true => {
                self.0.push('"');
                self.0.push_str(text);
                self.0.push('"');
            }
            false => drop(write!(self.0, "{}", serde_json::Value::from(text))),
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
        let _ = write!(self.0, "{value}");
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.name(field);
        let _ = write!(self.0, "{value}");
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.name(field);
        match value.is_finite() {
            true => drop(write!(self.0, "{value}")),
            false => self.0.push_str("null"),
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.name(field);
        self.0.push_str(if value { "true" } else { "false" });
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.name(field);
        self.text(&format!("{value:?}"));
    }
}

/// Whether a text stands for itself between quotes.
fn is_plain(text: &str) -> bool {
    // Without an early end, this compiles to a few instructions for many bytes.
    text.bytes().fold(true, |all, byte| all & matches!(byte, b' '..=b'~') & (byte != b'"') & (byte != b'\\'))
}

/// `2026-01-01T00:00:00.000000Z`
fn stamp(time: SystemTime, line: &mut String) {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = date(since.as_secs() / 86_400);
    let second = since.as_secs() % 86_400;
    let micros = since.subsec_micros().into();
    let parts =
        [(year, 4), (month, 2), (day, 2), (second / 3600, 2), (second / 60 % 60, 2), (second % 60, 2), (micros, 6)];
    let mut text = *b"0000-00-00T00:00:00.000000Z";
    let mut places = &mut text[..];
    for (number, digits) in parts {
        let (own, rest) = places.split_at_mut(digits);
        write_digits(number, own);
        // Behind the sign that follows.
        places = rest.get_mut(1..).unwrap_or_default();
    }
    line.push_str(std::str::from_utf8(&text).unwrap_or_default());
}

/// Writes the last digits of a number.
fn write_digits(mut number: u64, places: &mut [u8]) {
    for place in places.iter_mut().rev() {
        *place = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Writes a number of milliseconds as `{:?}` does, in a tenth of the time where it has no more than three decimals.
fn write_milliseconds(value: f64, line: &mut String) {
    let micros = (value * 1000.0).round();
    // Below this bound, three decimals are the shortest text that reads as the same number.
    if !(0.0..1e12).contains(&micros) || micros / 1000.0 != value {
        let _ = write!(line, "{value:?}");
        return;
    }
    let (whole, rest) = (micros as u64 / 1000, micros as u64 % 1000);
    let mut decimals = *b"000";
    write_digits(rest, &mut decimals);
    let decimals = std::str::from_utf8(&decimals).unwrap_or_default().trim_end_matches('0');
    let _ = write!(line, "{whole}");
    line.push('.');
    line.push_str(if decimals.is_empty() { "0" } else { decimals });
}

/// Year, month and day, that many days after 1970 began. <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>
fn date(days: u64) -> (u64, u64, u64) {
    // Years begin in March here, so that a leap day is the last of one.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::telemetry::log::{LogWriter, Thread};

    /// The line of an event, without its time.
    fn line(form: LogFormat, event: impl FnOnce()) -> String {
        let lines = LogWriter(Arc::default());
        lines.locked().thread = Thread::Busy;
        let subscriber = tracing_subscriber::fmt().event_format(form).with_writer(lines.clone()).finish();
        tracing::subscriber::with_default(subscriber, event);
        String::from_utf8(lines.locked().bytes.clone()).unwrap()
    }

    #[test]
    fn milliseconds_are_written_as_debug_writes_them() {
        for value in [0.0, 0.001, 0.25, 1.0, 12.5, 1234.567, 999_999_999.999, 1e12, 0.1234, 1e-7, -2.5, f64::NAN, 1e300]
        {
            let mut line = String::new();
            write_milliseconds(value, &mut line);
            assert_eq!(line, format!("{value:?}"));
        }
    }

    #[test]
    fn a_line_of_text_tells_names_and_values() {
        let told = line(LogFormat::Text, || {
            let (absent, role) = (None::<&str>, Some("a \"b\"\n"));
            tracing::info!(id = "x", status = 200_u16, ms = 0.25, absent, role, method = %"GET\u{1b}\n", "answered");
        });
        let (_, rest) = told.split_once('Z').unwrap();
        let expected =
            "  INFO answered id=\"x\" status=200 ms=0.25 role=\"a \\\"b\\\"\\n\" method=GET\u{fffd}\u{fffd}\n";
        assert_eq!(rest, expected);
    }

    #[test]
    fn a_drawing_keeps_its_lines() {
        let drawn = "table `x`\n  |\u{1b}";
        let told = line(LogFormat::Text, || tracing::error!("not reloaded: {drawn}"));
        assert!(told.ends_with(" ERROR not reloaded: table `x`\n  |\u{fffd}\n"), "{told}");
    }

    #[test]
    fn a_line_of_json_is_an_object() {
        let told = line(LogFormat::Json, || {
            tracing::warn!(id = "a\"\u{7}", status = 200_u16, less = -1, ms = 0.25, ok = true, error = %"é", "told");
        });
        let mut value: serde_json::Value = serde_json::from_str(&told).unwrap();
        let time = value.as_object_mut().unwrap().remove("timestamp").unwrap();
        assert_eq!(time.as_str().unwrap().len(), 27);
        let expected = serde_json::json!({
            "level": "WARN", "message": "told", "id": "a\"\u{7}", "status": 200, "less": -1, "ms": 0.25, "ok": true,
            "error": "é"
        });
        assert_eq!(value, expected);
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        let at = |seconds: u64, micros: u64| {
            let mut line = String::new();
            stamp(UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_micros(micros), &mut line);
            line
        };
        assert_eq!(at(0, 0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(at(951_868_799, 1), "2000-02-29T23:59:59.000001Z");
        assert_eq!(at(951_868_800, 999_999), "2000-03-01T00:00:00.999999Z");
        assert_eq!(at(4_107_542_399, 0), "2100-02-28T23:59:59.000000Z");
        assert_eq!(at(1_798_761_600, 0), "2027-01-01T00:00:00.000000Z");
    }
}
