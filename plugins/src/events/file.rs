//! Parses the tables `[event.NAME]` and `[cron.NAME]`: every key and its position, without looking
//! anything up. The keys are Hasura's where Hasura has them, so that `postern import hasura` can
//! carry triggers over.

use std::ops::Range;

use permissions::{Diagnostic, SourceFile, Text, TomlFields, TomlReader, TomlValue, listed};
use serde_json::Value;
use toml::de::DeValue;

use super::diagnostic::Fault;
use gateway::transform::{self, RequestTransform};

type Reader = TomlReader<Fault>;
type Fields<'r, 't> = TomlFields<'r, 't, Fault>;

/// The event triggers and schedules of a file, as written.
#[derive(Debug, Default)]
pub(super) struct Entries {
    pub(super) events: Vec<EventEntry>,
    pub(super) crons: Vec<CronEntry>,
}

/// `[event.NAME]`
#[derive(Debug)]
pub(super) struct EventEntry {
    pub(super) name: Text,
    pub(super) table: Option<Text>,
    pub(super) insert: Option<Operation>,
    pub(super) update: Option<Operation>,
    pub(super) delete: Option<Operation>,
    pub(super) manual: bool,
    /// The columns of the ordering key; `None` for the primary key.
    pub(super) order_by: Option<Vec<Text>>,
    pub(super) delivery: DeliveryEntry,
}

/// `[cron.NAME]`
#[derive(Debug)]
pub(super) struct CronEntry {
    pub(super) name: Text,
    pub(super) schedule: Option<Text>,
    pub(super) timezone: Option<Text>,
    pub(super) payload: Value,
    pub(super) missed: Option<Missed>,
    pub(super) missed_limit: Option<u64>,
    /// The age in seconds from which a missed run is left out.
    pub(super) tolerance: Option<u64>,
    pub(super) comment: Option<String>,
    pub(super) delivery: DeliveryEntry,
}

/// What becomes of runs that were due while no gateway ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missed {
    /// They are left out.
    Skip,
    /// The last one is made up for.
    Once,
    /// All are made up for, the latest ones up to a limit.
    All,
}

/// `{ columns = "*" }`, `{ columns = ["a"], payload = ["b"] }` or `true`.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) columns: Columns,
    pub(super) payload: Option<Columns>,
}

/// Some columns of a table.
#[derive(Debug)]
pub(super) enum Columns {
    /// `"*"`
    All,
    /// A list of names.
    Named(Vec<Text>),
}

/// Where events go, and how.
#[derive(Debug)]
pub(super) struct DeliveryEntry {
    pub(super) target: Option<TargetEntry>,
    pub(super) headers: Vec<(Text, ValueEntry)>,
    pub(super) secrets: Vec<ValueEntry>,
    pub(super) retries: Option<u64>,
    pub(super) interval: Option<u64>,
    pub(super) max_interval: Option<u64>,
    pub(super) timeout: Option<u64>,
    pub(super) statuses: Vec<(Text, StatusAction)>,
    pub(super) concurrency: Option<u64>,
    /// How the request differs from the usual one, and where it is written.
    pub(super) transform: Option<(RequestTransform, Range<usize>)>,
}

/// The target of a trigger.
#[derive(Debug)]
pub(super) enum TargetEntry {
    /// A URL with `{{VARIABLE}}`s.
    Webhook(Text),
    /// A variable that has a URL.
    WebhookFromEnv(Text),
    /// A SQL function.
    Function(Text),
}

/// A value in the file, or in the environment.
#[derive(Debug)]
pub(super) enum ValueEntry {
    Literal(Text),
    FromEnv(Text),
}

/// What a status of a webhook's response means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatusAction {
    Delivered,
    Retry,
    Dead,
}

/// The longest time in seconds that a key may give: 30 days.
const MAX_SECONDS: u64 = 30 * 86_400;

/// Parses the tables of a file. A file of events alone has no other tables; in the settings file
/// there are others.
pub(super) fn read(file: &SourceFile, has_others: bool) -> (Entries, Vec<Diagnostic<Fault>>) {
    let (entries, faults) = Reader::read(file, |mut fields| {
        let events = fields.each("event", event);
        let crons = fields.each("cron", cron);
        if !has_others {
            fields.finish("a file of events");
        }
        Entries { events, crons }
    });
    (entries.unwrap_or_default(), faults)
}

fn event(reader: &mut Reader, name: Text, value: &TomlValue<'_>) -> Option<EventEntry> {
    let mut fields = reader.table(&name, "a table", value)?;
    let table = fields.text("table");
    let insert = fields
        .read("insert", |reader, key, value| {
            operation(reader, key, value, false)
        })
        .flatten();
    let update = fields
        .read("update", |reader, key, value| {
            operation(reader, key, value, true)
        })
        .flatten();
    let delete = fields
        .read("delete", |reader, key, value| {
            operation(reader, key, value, false)
        })
        .flatten();
    let manual = fields.boolean("manual").unwrap_or(false);
    let order_by = fields.read("order_by", TomlReader::list);
    fields.text("comment");
    let (delivery, _) = delivery(&mut fields);
    fields.finish("an event trigger");
    Some(EventEntry {
        name,
        table,
        insert,
        update,
        delete,
        manual,
        order_by,
        delivery,
    })
}

fn cron(reader: &mut Reader, name: Text, value: &TomlValue<'_>) -> Option<CronEntry> {
    let mut fields = reader.table(&name, "a table", value)?;
    let schedule = fields.text("schedule");
    let timezone = fields.text("timezone");
    let payload = fields
        .read("payload", |_, _, value| Some(json(value.get_ref())))
        .unwrap_or(Value::Null);
    let missed = fields.read("missed", |reader, key, value| {
        let words = [
            ("skip", Missed::Skip),
            ("once", Missed::Once),
            ("all", Missed::All),
        ];
        word(reader, key, value, &words, "a policy for missed runs")
    });
    let missed_limit = number(&mut fields, "missed_limit", 1, 1000);
    let comment = fields.text("comment").map(|text| text.value);
    let (delivery, tolerance) = delivery(&mut fields);
    fields.finish("a schedule");
    Some(CronEntry {
        name,
        schedule,
        timezone,
        payload,
        missed,
        missed_limit,
        tolerance,
        comment,
        delivery,
    })
}

/// `false` is as if the key was not there.
#[expect(
    clippy::option_option,
    reason = "the outer one says whether the value can be read"
)]
fn operation(
    reader: &mut Reader,
    key: &Text,
    value: &TomlValue<'_>,
    is_update: bool,
) -> Option<Option<Operation>> {
    if let DeValue::Boolean(is_on) = value.get_ref() {
        return Some(is_on.then_some(Operation {
            columns: Columns::All,
            payload: None,
        }));
    }
    let mut fields = reader.table(key, "true, false or a table: `{ columns = … }`", value)?;
    let given = fields.read("columns", columns);
    let payload = fields.read("payload", columns);
    if !is_update && given.is_some() && payload.is_some() {
        let span = key.span.clone();
        fields.reader().add_with(
            Fault::OnlyUpdate { key: "payload" },
            span,
            "`columns` are those of the payload",
        );
    }
    fields.finish("an operation");
    Some(Some(Operation {
        columns: given.unwrap_or(Columns::All),
        payload,
    }))
}

fn columns(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Columns> {
    match value.get_ref() {
        DeValue::String(text) if text == "*" => Some(Columns::All),
        DeValue::Array(_) => reader.list(key, value).map(Columns::Named),
        _ => reader.wrong_type(key, "\"*\" or a list of columns", value),
    }
}

/// The keys that event triggers and schedules share, and the tolerance, which only schedules have.
fn delivery(fields: &mut Fields<'_, '_>) -> (DeliveryEntry, Option<u64>) {
    let targets = [
        ("webhook", fields.text("webhook").map(TargetEntry::Webhook)),
        (
            "webhook_from_env",
            fields
                .text("webhook_from_env")
                .map(TargetEntry::WebhookFromEnv),
        ),
        (
            "function",
            fields.text("function").map(TargetEntry::Function),
        ),
    ];
    let mut given = targets
        .into_iter()
        .filter_map(|(key, target)| Some((key, target?)));
    let target = given.next();
    if let (Some((one, _)), Some((other, second))) = (&target, given.next()) {
        let one = *one;
        let span = second.text().span.clone();
        fields.reader().add_with(
            Fault::Targets { one, other },
            span,
            "a trigger has one target",
        );
    }
    let headers = fields.read_all("headers", headers);
    let secrets = fields.read_all("secrets", secrets);
    let concurrency = number(fields, "concurrency", 1, 1000);
    let transform = fields.read("request_transform", |reader, key, value| {
        Some((
            transform::read_request(reader, key, value)?,
            key.span.clone(),
        ))
    });
    let statuses = fields.each("statuses", |reader, key, value| {
        let words = [
            ("delivered", StatusAction::Delivered),
            ("retry", StatusAction::Retry),
            ("dead", StatusAction::Dead),
        ];
        word(reader, &key, value, &words, "what a status can mean").map(|action| (key, action))
    });
    let retry = fields.read("retry_conf", |reader, key, value| {
        let mut fields = reader.table(key, "a table", value)?;
        let retries = number(&mut fields, "num_retries", 0, 1000);
        let interval = either(&mut fields, "interval_sec", "retry_interval_seconds", 0);
        let max_interval = number(&mut fields, "max_interval_sec", 1, MAX_SECONDS);
        let timeout = either(&mut fields, "timeout_sec", "timeout_seconds", 1);
        let tolerance = number(&mut fields, "tolerance_seconds", 0, MAX_SECONDS);
        fields.finish("`retry_conf`");
        Some((retries, interval, max_interval, timeout, tolerance))
    });
    let (retries, interval, max_interval, timeout, tolerance) = retry.unwrap_or_default();
    let target = target.map(|(_, target)| target);
    let delivery = DeliveryEntry {
        target,
        headers,
        secrets,
        retries,
        interval,
        max_interval,
        timeout,
        statuses,
        concurrency,
        transform,
    };
    (delivery, tolerance)
}

/// A number of seconds under the key that event triggers have, or that of schedules.
fn either(
    fields: &mut Fields<'_, '_>,
    key: &'static str,
    other: &'static str,
    least: u64,
) -> Option<u64> {
    let one = number(fields, key, least, MAX_SECONDS);
    let two = number(fields, other, least, MAX_SECONDS);
    if let (Some(_), Some(_), Some(text)) = (one, two, fields.take(other)) {
        fields
            .reader()
            .add(Fault::TwoSpellings { key, other }, text.span);
    }
    one.or(two)
}

fn headers(
    reader: &mut Reader,
    key: &Text,
    value: &TomlValue<'_>,
) -> Option<Vec<(Text, ValueEntry)>> {
    let DeValue::Array(items) = value.get_ref() else {
        return reader.wrong_type(key, "a list of headers", value);
    };
    let mut headers = vec![];
    for item in items {
        let Some(mut fields) = reader.table(key, "a list of headers", item) else {
            continue;
        };
        let name = fields.text("name");
        let value = (fields.text("value"), fields.text("value_from_env"));
        fields.finish("a header");
        match (name, value) {
            (Some(name), (Some(text), None)) => headers.push((name, ValueEntry::Literal(text))),
            (Some(name), (None, Some(variable))) => {
                headers.push((name, ValueEntry::FromEnv(variable)));
            }
            _ => reader.add(Fault::HeaderValue {}, item.span()),
        }
    }
    Some(headers)
}

fn secrets(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Vec<ValueEntry>> {
    let DeValue::Array(items) = value.get_ref() else {
        return reader.wrong_type(key, "a list of secrets", value);
    };
    let mut secrets = vec![];
    for item in items {
        let Some(mut fields) = reader.table(key, "a list of secrets", item) else {
            continue;
        };
        let value = (fields.text("value"), fields.text("value_from_env"));
        fields.finish("a secret");
        match value {
            (Some(text), None) => secrets.push(ValueEntry::Literal(text)),
            (None, Some(variable)) => secrets.push(ValueEntry::FromEnv(variable)),
            _ => reader.add(Fault::SecretValue {}, item.span()),
        }
    }
    Some(secrets)
}

fn number(fields: &mut Fields<'_, '_>, key: &'static str, least: u64, most: u64) -> Option<u64> {
    fields.read(key, |reader, name, value| {
        let DeValue::Integer(number) = value.get_ref() else {
            return reader.wrong_type(name, "a whole number", value);
        };
        let number = u64::from_str_radix(number.as_str(), number.radix()).ok();
        let in_range = number.filter(|number| (least..=most).contains(number));
        if in_range.is_none() {
            reader.add(Fault::Range { key, least, most }, value.span());
        }
        in_range
    })
}

fn word<T: Copy>(
    reader: &mut Reader,
    key: &Text,
    value: &TomlValue<'_>,
    words: &[(&str, T)],
    what: &'static str,
) -> Option<T> {
    let text = reader.text(key, value)?;
    let found = words.iter().find(|(word, _)| *word == text.value);
    if found.is_none() {
        let help = format!(
            "it is one of {}",
            listed(words.iter().map(|(word, _)| *word))
        );
        reader.add_with(
            Fault::UnknownWord {
                word: text.value,
                what,
            },
            text.span,
            help,
        );
    }
    found.map(|(_, meaning)| *meaning)
}

/// A value of TOML as JSON. Dates become strings, and numbers that JSON does not have become null.
fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => text.to_string().into(),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Null, Value::from)
        }
        DeValue::Float(number) => number
            .as_str()
            .parse::<f64>()
            .map_or(Value::Null, Value::from),
        DeValue::Boolean(boolean) => (*boolean).into(),
        DeValue::Datetime(time) => time.to_string().into(),
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(table) => {
            let mut pairs: Vec<_> = table.iter().collect();
            pairs.sort_by_key(|(key, _)| key.span().start);
            let pairs = pairs
                .into_iter()
                .map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref())));
            Value::Object(pairs.collect())
        }
    }
}

impl TargetEntry {
    /// The text of the target, whatever it is.
    pub(super) fn text(&self) -> &Text {
        match self {
            TargetEntry::Webhook(text)
            | TargetEntry::WebhookFromEnv(text)
            | TargetEntry::Function(text) => text,
        }
    }
}

impl ValueEntry {
    /// The span of the value, or of the variable's name.
    pub(super) fn span(&self) -> Range<usize> {
        match self {
            ValueEntry::Literal(text) | ValueEntry::FromEnv(text) => text.span.clone(),
        }
    }
}
