//! Records which parts of a request's variables decided the text of a statement, and builds the
//! cache key from them. Translation records every read here; the gateway's plan cache looks
//! statements up by the key.
//!
//! A variable that stands for structure (a `where`, an `order_by`, the condition of a directive)
//! decides the text; a scalar becomes a parameter. Translation is deterministic in what it reads,
//! so two requests for one document whose recorded variables agree have the same statement, and the
//! cache is sound without an analysis of the document. If a later request makes translation read
//! more variables, the older plans of the document are no longer found.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;

use foldhash::fast::RandomState;
use serde_json::{Map, Value as Json};

use super::{OperandLength, VariablePath, Variables};

/// The variables that decided the text of a statement, and how much of each.
///
/// Translation is deterministic in what it reads, so two requests of one document with equal
/// [`VariableFingerprint::key`] have the same statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariableFingerprint {
    /// Variables whose whole value decides: orders, enums, limits, conditions of directives.
    whole: BTreeSet<String>,
    /// Variables whose presence decides.
    presence: BTreeSet<String>,
    /// Variables for which it decides whether they are small numbers.
    few: BTreeSet<String>,
    /// Variables for which it decides whether they are short operands.
    lengths: BTreeSet<(String, OperandLength)>,
    /// Variables whose shape decides: keys, nulls, Booleans, and the length classes of texts,
    /// numbers and lists, but not their contents. The notes record where more or less decides.
    shape: BTreeMap<String, Notes>,
    /// The number of notes.
    size: usize,
}

/// What decides at a path, other than the shape of the value. All items of a list share their
/// notes.
///
/// A variable has one type, and values of one type are read alike wherever they are used. So a
/// value that one use does not read is not read by another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Notes {
    whole: bool,
    opaque: bool,
    closed: bool,
    rows: bool,
    keys: BTreeMap<String, Notes>,
}

/// The notes that a path can have.
#[derive(Clone, Copy)]
enum Note {
    /// The whole value decides.
    Whole,
    /// Nothing of the value decides.
    Opaque,
    /// The keys of an object decide; their values only where they have notes.
    Closed,
    /// The distinct shapes of a list's items decide, in the order of their first occurrence. If
    /// such lists are nested in another such list, all of them at one path count together.
    Rows,
    /// The shape of the value decides.
    Shape,
}

/// The most notes. With more, the keys of requests hardly ever match.
const MAX_NOTES: usize = 10_000;

impl VariableFingerprint {
    /// Records that a variable's whole value was read.
    pub fn depends_on_value(&mut self, name: &str) {
        self.whole.insert(name.to_owned());
    }

    /// Records that the whole value at a path was read.
    pub fn read_whole_at(&mut self, path: &VariablePath) {
        if path.steps.is_empty() || !self.note(&path.name, path.keys(), Note::Whole) {
            self.depends_on_value(&path.name);
        }
    }

    /// Records that a variable's shape was read.
    pub fn depends_on_shape(&mut self, name: &str) {
        if !self.shape.contains_key(name) {
            self.shape.insert(name.to_owned(), Notes::default());
        }
    }

    /// Records that a variable's presence was read.
    pub fn read_presence(&mut self, name: &str) {
        self.presence.insert(name.to_owned());
    }

    /// Records that it was read whether a variable is an integer of at most [`FEW`](super::FEW).
    pub fn depends_on_smallness(&mut self, name: &str) {
        self.few.insert(name.to_owned());
    }

    /// Records that the length class of an operand was read. For a path inside a variable the shape
    /// contains it.
    pub fn read_length(&mut self, path: &VariablePath, length: OperandLength) {
        if path.steps.is_empty() {
            self.lengths.insert((path.name.clone(), length));
        } else {
            self.depends_on_shape(&path.name);
        }
    }

    /// Records that nothing of the value at a path was read: it is a parameter, null or not.
    pub fn ignore(&mut self, path: &VariablePath) {
        self.note(&path.name, path.keys(), Note::Opaque);
    }

    /// Records that the keys of an object were read, and values only under the keys `but`: all
    /// others are parameters, null or not.
    pub fn read_keys<'n>(&mut self, path: &VariablePath, but: impl IntoIterator<Item = &'n str>) {
        self.note(&path.name, path.keys(), Note::Closed);
        for key in but {
            self.note(&path.name, path.keys().chain([key]), Note::Shape);
        }
    }

    /// Records that the value at a path is a list of rows, or one row, whose distinct shapes were
    /// read but not their number. Inside another such list, all lists at the path count as one.
    pub fn read_rows(&mut self, path: &VariablePath) {
        self.note(&path.name, path.keys(), Note::Rows);
    }

    /// Adds the reads of another translation of the document. Returns whether any was new.
    pub fn merge(&mut self, other: &VariableFingerprint) -> bool {
        let before = self.sizes();
        self.whole.extend(other.whole.iter().cloned());
        self.presence.extend(other.presence.iter().cloned());
        self.few.extend(other.few.iter().cloned());
        self.lengths.extend(other.lengths.iter().cloned());
        for (name, notes) in &other.shape {
            self.depends_on_shape(name);
            self.join_notes(name, notes, &mut Vec::new());
        }
        before != self.sizes()
    }

    fn sizes(&self) -> [usize; 6] {
        [
            self.whole.len(),
            self.presence.len(),
            self.few.len(),
            self.lengths.len(),
            self.shape.len(),
            self.size,
        ]
    }

    /// Builds the cache key of these variables: everything in them that decides the statement.
    pub fn key(&self, variables: &Variables) -> String {
        let mut key = String::new();
        for name in &self.whole {
            let value = variables.get(name).map_or("-".into(), Json::to_string);
            let _ = write!(key, "{name}={value};");
        }
        for name in &self.presence {
            let _ = write!(
                key,
                "{name}{};",
                if variables.is_absent(name) { '-' } else { '+' }
            );
        }
        for name in &self.few {
            let _ = write!(
                key,
                "{name}{};",
                if variables.is_small_count(name) {
                    '<'
                } else {
                    '>'
                }
            );
        }
        for (name, length) in &self.lengths {
            let holds = variables.get(name).is_none_or(|value| length.holds(value));
            let _ = write!(key, "{name}{};", if holds { '<' } else { '>' });
        }
        for (name, notes) in &self.shape {
            let _ = write!(key, "{name}~");
            match variables.get(name) {
                Some(value) => notes.write(value, &mut key),
                None => key.push('-'),
            }
            key.push(';');
        }
        key
    }

    /// Adds a note. Returns false if there is no room for it. Only a note that shortens the key may
    /// be dropped.
    fn note<'n>(&mut self, name: &str, keys: impl Iterator<Item = &'n str>, note: Note) -> bool {
        self.depends_on_shape(name);
        let Some(mut notes) = self.shape.get_mut(name) else {
            return false;
        };
        for key in keys {
            if !notes.keys.contains_key(key) {
                if self.size >= MAX_NOTES {
                    return false;
                }
                self.size += 1;
                notes.keys.insert(key.to_owned(), Notes::default());
            }
            let Some(next) = notes.keys.get_mut(key) else {
                return false;
            };
            notes = next;
        }
        let flag = match note {
            Note::Whole => &mut notes.whole,
            Note::Opaque => &mut notes.opaque,
            Note::Closed => &mut notes.closed,
            Note::Rows => &mut notes.rows,
            Note::Shape => return true,
        };
        self.size += usize::from(!*flag);
        *flag = true;
        true
    }

    fn join_notes<'n>(&mut self, name: &str, notes: &'n Notes, way: &mut Vec<&'n str>) {
        let flags = [
            (notes.whole, Note::Whole),
            (notes.opaque, Note::Opaque),
            (notes.closed, Note::Closed),
            (notes.rows, Note::Rows),
            (true, Note::Shape),
        ];
        for (_, note) in flags.into_iter().filter(|(set, _)| *set) {
            if !self.note(name, way.iter().copied(), note) && matches!(note, Note::Whole) {
                self.depends_on_value(name);
            }
        }
        for (key, inner) in &notes.keys {
            way.push(key);
            self.join_notes(name, inner, way);
            way.pop();
        }
    }
}

impl Notes {
    fn is_plain(&self) -> bool {
        !(self.whole || self.opaque || self.closed || self.rows) && self.keys.is_empty()
    }

    /// Whether nothing of the value decides. A note about something inside it takes precedence.
    fn is_left(&self) -> bool {
        self.opaque && !self.whole && self.keys.is_empty()
    }

    fn write(&self, value: &Json, out: &mut String) {
        match value {
            _ if self.is_plain() => shape(value, out),
            value if self.whole => {
                let _ = write!(out, "={value}");
            }
            _ if self.is_left() => out.push('*'),
            value if self.rows && !value.is_null() => self.rows(&[value], out),
            Json::Array(items) if !items.is_empty() && items.iter().all(is_plain) => {
                list(value, out);
            }
            Json::Array(items) => {
                out.push('[');
                items.iter().for_each(|item| {
                    self.write(item, out);
                    out.push(',');
                });
                out.push(']');
            }
            Json::Object(fields) => self.object(fields, out),
            value => shape(value, out),
        }
    }

    fn object(&self, fields: &Map<String, Json>, out: &mut String) {
        out.push('{');
        for (key, value) in fields {
            quoted(key, out);
            out.push(':');
            pattern(key, value, out);
            match self.keys.get(key) {
                Some(notes) => notes.write(value, out),
                None if self.closed => out.push('*'),
                None => shape(value, out),
            }
        }
        out.push('}');
    }

    /// Writes `<`, the distinct shapes of the rows, then for each key whose values are rows too `|`
    /// and the shapes of all of them, then `>`.
    fn rows(&self, lists: &[&Json], out: &mut String) {
        let mut rows = Rows {
            notes: self,
            forms: Vec::new(),
            seen: HashSet::default(),
            inner: Vec::new(),
        };
        out.push('<');
        for list in lists {
            match list {
                Json::Array(items) => items.iter().for_each(|row| rows.row(row, out)),
                single => rows.row(single, out),
            }
        }
        for (key, notes, lists) in rows.inner {
            out.push('|');
            quoted(key, out);
            notes.rows(&lists, out);
        }
        out.push('>');
    }
}

/// The keys of a row; for a key whose value is rows too, its index in [`Rows::inner`], and whether
/// the value is not null.
type Form<'a> = Vec<(&'a str, Option<(usize, bool)>)>;

/// Writes the shapes of the rows at one path.
struct Rows<'a> {
    notes: &'a Notes,
    /// Shapes that have been written and can be compared without building their text.
    forms: Vec<Form<'a>>,
    seen: HashSet<String, RandomState>,
    /// For each key whose values are rows too, the lists collected for it.
    inner: Vec<(&'a str, &'a Notes, Vec<&'a Json>)>,
}

/// The most forms to compare a row with before its shape is built as text.
const MAX_COMPARED_FORMS: usize = 8;

impl<'a> Rows<'a> {
    fn row(&mut self, row: &'a Json, out: &mut String) {
        let Json::Object(fields) = row else {
            return self.add(|_, text| shape(row, text), out);
        };
        let known = self.forms.iter().find(|form| fits(form, fields));
        if let Some(form) = known {
            for ((_, inner), value) in form.iter().zip(fields.values()) {
                if let Some((index, true)) = inner
                    && let Some((_, _, lists)) = self.inner.get_mut(*index)
                {
                    lists.push(value);
                }
            }
            return;
        }
        self.add(|rows, text| rows.object(fields, text), out);
    }

    fn add(&mut self, write: impl FnOnce(&mut Self, &mut String), out: &mut String) {
        let mut text = String::new();
        write(self, &mut text);
        if !self.seen.contains(&text) {
            out.push_str(&text);
            out.push(',');
            self.seen.insert(text);
        }
    }

    fn object(&mut self, fields: &'a Map<String, Json>, out: &mut String) {
        let mut form = Some(Vec::with_capacity(fields.len()));
        out.push('{');
        for (key, value) in fields {
            quoted(key, out);
            let index = match self.notes.keys.get(key) {
                Some(notes) if notes.rows && !notes.whole => {
                    out.push(if value.is_null() { 'n' } else { '+' });
                    Some((self.gather(key, notes, value), !value.is_null()))
                }
                Some(notes) if notes.is_left() => None,
                None if self.notes.closed => None,
                notes => {
                    out.push(':');
                    pattern(key, value, out);
                    match notes {
                        Some(notes) => notes.write(value, out),
                        None => shape(value, out),
                    }
                    form = None;
                    None
                }
            };
            if let Some(form) = &mut form {
                form.push((key.as_str(), index));
            }
        }
        out.push('}');
        self.forms
            .extend(form.filter(|_| self.forms.len() < MAX_COMPARED_FORMS));
    }

    fn gather(&mut self, key: &'a str, notes: &'a Notes, value: &'a Json) -> usize {
        let index = self
            .inner
            .iter()
            .position(|(known, ..)| *known == key)
            .unwrap_or(self.inner.len());
        if index == self.inner.len() {
            self.inner.push((key, notes, Vec::new()));
        }
        if let Some((_, _, lists)) = self.inner.get_mut(index).filter(|_| !value.is_null()) {
            lists.push(value);
        }
        index
    }
}

/// Whether a row has a form: the same keys in the same order, and the nested rows null or not null
/// alike.
fn fits(form: &[(&str, Option<(usize, bool)>)], fields: &Map<String, Json>) -> bool {
    form.len() == fields.len()
        && form
            .iter()
            .zip(fields)
            .all(|((known, inner), (key, value))| {
                *known == key.as_str() && inner.is_none_or(|(_, given)| given != value.is_null())
            })
}

/// Writes keys, nulls and Booleans, and for each text or number a mark with its length class. A
/// list of texts and numbers is one parameter, so it gets one mark.
fn shape(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push('n'),
        Json::Bool(value) => out.push(if *value { 't' } else { 'f' }),
        Json::Number(_) | Json::String(_) => out.push(if OperandLength::Short.holds(value) {
            '*'
        } else {
            '+'
        }),
        Json::Array(items) if !items.is_empty() && items.iter().all(is_plain) => list(value, out),
        Json::Array(items) => {
            out.push('[');
            items.iter().for_each(|item| {
                shape(item, out);
                out.push(',');
            });
            out.push(']');
        }
        Json::Object(fields) => Notes::default().object(fields, out),
    }
}

/// Writes the mark of a list of texts and numbers.
fn list(value: &Json, out: &mut String) {
    out.push_str(match value {
        value if OperandLength::Texts.holds(value) => "[*]",
        value if OperandLength::List.holds(value) => "[**]",
        _ => "[+]",
    });
}

/// Marks the value of a `_like` key that is not a prefix pattern.
fn pattern(key: &str, value: &Json, out: &mut String) {
    if key == "_like" && !OperandLength::Prefix.holds(value) {
        out.push('%');
    }
}

fn quoted(key: &str, out: &mut String) {
    if key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        out.push('"');
        out.push_str(key);
        out.push('"');
    } else {
        out.push_str(&Json::from(key).to_string());
    }
}

fn is_plain(value: &Json) -> bool {
    matches!(value, Json::Number(_) | Json::String(_))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::graphql::variables::Step;

    fn key(fingerprint: &VariableFingerprint, value: Json) -> String {
        let Json::Object(values) = value else {
            return String::new();
        };
        fingerprint.key(&values.into())
    }

    fn variable_path(name: &str, keys: &[&str]) -> VariablePath {
        let steps = keys
            .iter()
            .map(|key| Step::Key((*key).to_owned()))
            .collect();
        VariablePath {
            name: name.to_owned(),
            steps,
        }
    }

    /// Rows with nested rows of a relationship.
    fn rows() -> VariableFingerprint {
        let mut fingerprint = VariableFingerprint::default();
        fingerprint.read_rows(&variable_path("r", &[]));
        fingerprint.read_keys(&variable_path("r", &[]), ["lines"]);
        fingerprint.read_rows(&variable_path("r", &["lines"]));
        fingerprint.read_rows(&variable_path("r", &["lines", "data"]));
        fingerprint.read_keys(&variable_path("r", &["lines", "data"]), []);
        fingerprint
    }

    #[test]
    fn shape_key_contains_keys_and_nulls_but_not_values() {
        let mut fingerprint = VariableFingerprint::default();
        fingerprint.depends_on_shape("where");
        let one = key(&fingerprint, json!({"where": {"id": {"_eq": 1}}}));
        assert_eq!(one, key(&fingerprint, json!({"where": {"id": {"_eq": 2}}})));
        assert_ne!(one, key(&fingerprint, json!({"where": {"id": {"_gt": 1}}})));
        assert_ne!(
            one,
            key(&fingerprint, json!({"where": {"id": {"_eq": null}}}))
        );
        assert_ne!(one, key(&fingerprint, json!({})));
        let list = key(&fingerprint, json!({"where": {"id": {"_in": [1]}}}));
        assert_eq!(
            list,
            key(&fingerprint, json!({"where": {"id": {"_in": [1, 2, 3]}}}))
        );
        let is_null =
            |value: bool| key(&fingerprint, json!({"where": {"id": {"_is_null": value}}}));
        assert_ne!(is_null(true), is_null(false));
    }

    #[test]
    fn whole_values_are_distinguished() {
        let mut fingerprint = VariableFingerprint::default();
        fingerprint.depends_on_value("order");
        assert_ne!(
            key(&fingerprint, json!({"order": {"id": "asc"}})),
            key(&fingerprint, json!({"order": {"id": "desc"}}))
        );
        fingerprint = VariableFingerprint::default();
        fingerprint.read_whole_at(&variable_path("u", &["mode"]));
        let of = |mode: &str, value: i32| {
            key(&fingerprint, json!({"u": [{"mode": mode, "value": value}]}))
        };
        assert!(of("a", 1) == of("a", 2) && of("a", 1) != of("b", 1));
    }

    #[test]
    fn keys_with_quotes_are_escaped() {
        let mut fingerprint = VariableFingerprint::default();
        fingerprint.depends_on_shape("w");
        assert_ne!(
            key(&fingerprint, json!({"w": {"a\":{\"b": 1}})),
            key(&fingerprint, json!({"w": {"a": {"b": 1}}}))
        );
    }

    #[test]
    fn presence_ignores_the_value() {
        let mut fingerprint = VariableFingerprint::default();
        fingerprint.read_presence("n");
        assert_eq!(
            key(&fingerprint, json!({"n": null})),
            key(&fingerprint, json!({"n": [true]}))
        );
        assert_ne!(
            key(&fingerprint, json!({"n": null})),
            key(&fingerprint, json!({}))
        );
    }

    #[test]
    fn ignored_values_do_not_change_the_key() {
        let mut fingerprint = VariableFingerprint::default();
        fingerprint.read_keys(&variable_path("u", &["_set"]), []);
        fingerprint.ignore(&variable_path("u", &["_append", "data"]));
        let one = key(
            &fingerprint,
            json!({"u": {"_set": {"a": 1, "b": null}, "_append": {"data": {"x": []}}}}),
        );
        assert_eq!(
            one,
            key(
                &fingerprint,
                json!({"u": {"_set": {"a": null, "b": [{}]}, "_append": {"data": true}}})
            )
        );
        assert_ne!(
            one,
            key(
                &fingerprint,
                json!({"u": {"_set": {"a": 1}, "_append": {"data": 1}}})
            )
        );
        fingerprint.read_whole_at(&variable_path("u", &["_append", "data", "x"]));
        let outweighed = |value: i32| {
            key(
                &fingerprint,
                json!({"u": {"_append": {"data": {"x": value}}}}),
            )
        };
        assert_ne!(outweighed(1), outweighed(2));
    }

    #[test]
    fn rows_are_keyed_by_their_distinct_shapes() {
        let of = |value: Json| key(&rows(), json!({ "r": value }));
        let one = of(json!([{"a": 1}, {"a": null, "b": {"x": true}}]));
        assert_eq!(
            one,
            of(json!([{"a": {}}, {"a": 2}, {"a": 3, "b": 1}, {"a": 1}]))
        );
        assert_ne!(one, of(json!([{"a": null, "b": 1}, {"a": 1}])));
        assert_ne!(one, of(json!([{"a": 1}])));
        assert_eq!(of(json!([{"a": 1}])), of(json!({"a": 1})));
        let kinds = [
            json!([]),
            json!(null),
            json!([null]),
            json!([{}]),
            json!(1),
            json!([[{}]]),
        ];
        let distinct: HashSet<String> = kinds.into_iter().map(of).collect();
        assert_eq!(distinct.len(), 6);
    }

    #[test]
    fn nested_rows_count_as_one_list() {
        let of = |value: Json| key(&rows(), json!({ "r": value }));
        let lines = |data: Json| json!({ "lines": { "data": data } });
        let one = of(json!([
            lines(json!([{"x": 1}, {"y": 1}])),
            lines(json!([]))
        ]));
        assert_eq!(
            one,
            of(json!([
                lines(json!({"x": 1})),
                lines(json!([])),
                lines(json!([{"x": 2}, {"y": null}]))
            ]))
        );
        assert_ne!(one, of(json!([lines(json!([{"y": 1}, {"x": 1}]))])));
        assert_ne!(
            one,
            of(json!([lines(json!([{"x": 1}])), {"lines": null}, lines(json!([{"y": 1}]))]))
        );
        assert_ne!(
            of(json!([lines(json!([]))])),
            of(json!([lines(json!(null))]))
        );
    }

    #[test]
    fn merge_adds_the_reads_of_another_translation() {
        let mut one = rows();
        let other = rows();
        assert!(!one.merge(&other));
        let mut more = VariableFingerprint::default();
        more.read_rows(&variable_path("r", &["lines", "data", "tags"]));
        more.read_presence("p");
        assert!(one.merge(&more) && !one.merge(&more) && !one.merge(&rows()));
        let of = |tag: Json| {
            key(
                &one,
                json!({"r": [{"lines": {"data": [{"tags": [{"id": tag}]}]}}]}),
            )
        };
        assert_eq!(of(json!(1)), of(json!("a")));
    }

    #[test]
    fn key_contains_length_classes() {
        let mut fingerprint = VariableFingerprint::default();
        fingerprint.depends_on_shape("w");
        fingerprint.read_length(&variable_path("p", &[]), OperandLength::Prefix);
        fingerprint.read_length(&variable_path("ids", &[]), OperandLength::List);
        let long = "x".repeat(1_000);
        let text = |operator: &str, value: &str| {
            key(&fingerprint, json!({"w": [{"name": {operator: value}}]}))
        };
        assert_eq!(text("_eq", "a"), text("_eq", "b%c"));
        assert_ne!(text("_eq", "a"), text("_eq", &long));
        assert_eq!(text("_like", "a%"), text("_like", "bc"));
        assert_ne!(text("_like", "a%"), text("_like", "%a"));
        assert_ne!(text("_like", "a%"), text("_like", &long));
        let list = |count: usize| key(&fingerprint, json!({"w": {"id": {"_in": vec![1; count]}}}));
        assert!(
            list(1) == list(8) && list(8) != list(9) && list(9) == list(64) && list(64) != list(65)
        );
        let ids = |count: usize| key(&fingerprint, json!({"ids": vec![1; count]}));
        assert!(ids(1) == ids(64) && ids(64) != ids(65));
        let prefix = |value: &str| key(&fingerprint, json!({"p": value}));
        assert!(prefix("a") == prefix("b%") && prefix("a") != prefix("%b"));
    }

    #[test]
    fn number_of_notes_is_limited() {
        let mut fingerprint = VariableFingerprint::default();
        for i in 0..2 * MAX_NOTES {
            fingerprint.ignore(&variable_path("r", &[&i.to_string()]));
        }
        assert!(fingerprint.size <= MAX_NOTES + 1);
        fingerprint.read_whole_at(&variable_path("r", &["other"]));
        assert!(fingerprint.whole.contains("r"));
    }
}
