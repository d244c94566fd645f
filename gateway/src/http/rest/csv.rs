//! Writes the rows of a REST response as CSV, for clients that prefer `text/csv`: the one list of
//! the response, with a line of names first. It reads the JSON that was written of the rows,
//! because few clients ask for it. <https://www.rfc-editor.org/rfc/rfc4180>

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::Number;
use serde_json::value::RawValue;

/// The name by which clients ask for it.
pub(super) const MEDIA: &str = "text/csv";

/// A row: its values as JSON, by their names.
type Row<'r> = IndexMap<String, &'r RawValue>;

/// The rows of a response: a list of objects, or an object whose only member is one.
pub(super) fn rows(response: &[u8]) -> Option<Vec<Row<'_>>> {
    list(response)
}

/// The number of items in such a list.
pub(super) fn count(response: &[u8]) -> Option<u64> {
    list::<&RawValue>(response).map(|items| items.len() as u64)
}

fn list<'r, T: serde::Deserialize<'r>>(response: &'r [u8]) -> Option<Vec<T>> {
    if response.first() == Some(&b'[') {
        return serde_json::from_slice(response).ok();
    }
    let members: IndexMap<String, Vec<T>> = serde_json::from_slice(response).ok()?;
    let mut lists = members.into_values();
    lists.next().filter(|_| lists.next().is_none())
}

/// Writes rows as CSV.
#[derive(Clone, Copy, Debug)]
pub(super) struct CsvWriter {
    /// Whether texts that a spreadsheet would take for formulas get an apostrophe.
    escapes_formulas: bool,
}

/// The first characters of texts that spreadsheets take for formulas, by
/// <https://owasp.org/www-community/attacks/CSV_Injection>.
const FORMULAS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

impl CsvWriter {
    /// A writer that escapes formulas or not.
    pub(super) fn new(escapes_formulas: bool) -> CsvWriter {
        CsvWriter { escapes_formulas }
    }

    /// The rows as CSV. Without rows the names are not known either.
    pub(super) fn write(self, rows: &[Row<'_>]) -> String {
        let mut out = String::new();
        let Some(first) = rows.first() else {
            return out;
        };
        let names: Vec<&String> = first.keys().collect();
        CsvWriter::line(
            names.iter().map(|name| self.text(name.as_str().into())),
            &mut out,
        );
        for row in rows {
            CsvWriter::line(
                names
                    .iter()
                    .map(|name| row.get(*name).map_or("".into(), |value| self.cell(value))),
                &mut out,
            );
        }
        out
    }

    /// A text without its quotes, nothing for null, and everything else as JSON.
    fn cell(self, value: &RawValue) -> Cow<'_, str> {
        match value.get() {
            "null" => "".into(),
            text if text.starts_with('"') => self.text(
                serde_json::from_str::<String>(text)
                    .unwrap_or_default()
                    .into(),
            ),
            other => other.into(),
        }
    }

    /// A text, with an apostrophe before a formula. A text of a number is none, as large numbers
    /// may be sent so.
    fn text(self, text: Cow<'_, str>) -> Cow<'_, str> {
        let is_number = || text.starts_with('-') && serde_json::from_str::<Number>(&text).is_ok();
        if self.escapes_formulas && text.starts_with(FORMULAS) && !is_number() {
            format!("'{text}").into()
        } else {
            text
        }
    }

    fn line<'c>(cells: impl Iterator<Item = Cow<'c, str>>, out: &mut String) {
        for (index, cell) in cells.enumerate() {
            if index > 0 {
                out.push(',');
            }
            if cell.contains([',', '"', '\r', '\n']) || cell.trim() != cell {
                out.push('"');
                out.push_str(&cell.replace('"', "\"\""));
                out.push('"');
            } else {
                out.push_str(&cell);
            }
        }
        out.push_str("\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(response: &str) -> Option<String> {
        rows(response.as_bytes()).map(|rows| CsvWriter::new(false).write(&rows))
    }

    #[test]
    fn formulas_are_escaped_and_numbers_are_not() {
        let escaped = |value: &str| {
            let response = format!(r#"[{{"a":{value}}}]"#);
            CsvWriter::new(true)
                .write(&rows(response.as_bytes()).unwrap())
                .split_once("\r\n")
                .unwrap()
                .1
                .to_owned()
        };
        for start in FORMULAS {
            let value = serde_json::Value::from(format!("{start}SUM(1,2)")).to_string();
            assert_eq!(escaped(&value), format!("\"'{start}SUM(1,2)\"\r\n"));
        }
        let link = r#"=HYPERLINK(""http://evil"",""x"")"#;
        assert_eq!(
            escaped(r#""=HYPERLINK(\"http://evil\",\"x\")""#),
            format!("\"'{link}\"\r\n")
        );
        assert_eq!(escaped(r#""-2+3""#), "'-2+3\r\n");
        assert_eq!(escaped(r#""+49 30 1""#), "'+49 30 1\r\n");
        for number in ["-5", "-1.50", "12345678901234567890", "-1e30"] {
            assert_eq!(escaped(number), format!("{number}\r\n"));
            assert_eq!(escaped(&format!("\"{number}\"")), format!("{number}\r\n"));
        }
        for text in ["plain", "a=b", "", "'=1"] {
            assert_eq!(escaped(&format!("\"{text}\"")), format!("{text}\r\n"));
        }
        assert_eq!(csv(r#"[{"a":"=1"}]"#).as_deref(), Some("a\r\n=1\r\n"));
    }

    #[test]
    fn values_are_quoted_where_they_have_to_be() {
        let response = r#"{"orders":[{"id":12345678901234567890,"note":"a \"b\",\nc","tags":["x","y"],"at":null},
            {"id":2,"note":" é","tags":[],"at":"2026-01-01"}]}"#;
        let expected = "id,note,tags,at\r\n12345678901234567890,\"a \
                        \"\"b\"\",\nc\",\"[\"\"x\"\",\"\"y\"\"]\",\r\n\
                        2,\" é\",[],2026-01-01\r\n";
        assert_eq!(csv(response).as_deref(), Some(expected));
    }

    #[test]
    fn only_one_list_can_be_csv() {
        assert_eq!(csv(r#"[{"a":1}]"#).as_deref(), Some("a\r\n1\r\n"));
        assert_eq!(csv(r#"{"a":[]}"#).as_deref(), Some(""));
        for response in [
            r#"{"a":[],"b":[]}"#,
            r#"{"a":{"b":1}}"#,
            "null",
            "{}",
            r#"{"a":[1]}"#,
        ] {
            assert_eq!(csv(response), None, "{response}");
        }
    }
}
