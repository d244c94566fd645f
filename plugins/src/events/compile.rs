//! Checks event triggers and schedules against the database and the environment, and makes them
//! ready for use. Reports all faults together.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use chrono_tz::Tz;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use permissions::{Diagnostic, SourceFile, Text, did_you_mean};

use super::backoff::Backoff;
use super::diagnostic::Fault;
use super::facts::{Facts, QualifiedName, TableFacts, qualified};
use super::file::{
    Columns, CronEntry, DeliveryEntry, Entries, EventEntry, Missed, Operation, TargetEntry,
    ValueEntry,
};
use super::recurrence;
use super::recurrence::Recurrence;
use super::trigger::{
    Capture, CaptureOperation, FunctionName, Schedule, StatusPolicy, TableName, Target, Trigger,
    Triggers,
};
use crate::outbound_webhook::{SigningSecret, Webhook};
use gateway::transform::Transform;

/// The longest name, as in Hasura: names of functions and triggers in Postgres contain it.
const LONGEST_NAME: usize = 42;

/// The defaults of `retry_conf`.
const DEFAULT_RETRIES: u32 = 8;
const DEFAULT_INTERVAL_SECONDS: u64 = 10;
const MAX_INTERVAL: u64 = 3600;
const DEFAULT_TIMEOUT_SECONDS: u64 = 60;

/// The default age in seconds from which a missed run of a schedule is left out: Hasura's.
const DEFAULT_TOLERANCE_SECONDS: u64 = 6 * 3600;

/// How many missed runs are made up for by default.
const MISSED_LIMIT: usize = 100;

/// How many calls of a function a gateway makes at a time by default.
const FUNCTION_CALLS: usize = 4;

/// Headers that the gateway sets itself.
const OWN_HEADERS: [&str; 6] = [
    "content-length",
    "host",
    "transfer-encoding",
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
];

/// Looks up a variable of the environment.
pub(super) type Environment<'e> = &'e dyn Fn(&str) -> Option<String>;

/// A file with what it contains.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) file: SourceFile,
    pub(super) entries: Entries,
}

/// The tables that the files name, and the functions.
pub(super) fn names(parsed: &[Parsed]) -> (Vec<QualifiedName>, Vec<QualifiedName>) {
    let mut tables = vec![];
    let mut functions = vec![];
    for Entries { events, crons } in parsed.iter().map(|parsed| &parsed.entries) {
        tables.extend(
            events
                .iter()
                .filter_map(|event| Some(qualified(&event.table.as_ref()?.value))),
        );
        let deliveries = events
            .iter()
            .map(|event| &event.delivery)
            .chain(crons.iter().map(|cron| &cron.delivery));
        functions.extend(deliveries.filter_map(|delivery| match &delivery.target {
            Some(TargetEntry::Function(function)) => Some(qualified(&function.value)),
            _ => None,
        }));
    }
    (tables, functions)
}

/// A trigger that calls a function, which takes `json`, with its events, under the default policy.
pub(super) fn function_trigger(
    name: &str,
    (schema, function): (&str, &str),
    concurrency: usize,
) -> Trigger {
    let function = FunctionName {
        schema: schema.to_owned(),
        name: function.to_owned(),
        parameter: "json",
    };
    let concurrency = concurrency.min(FUNCTION_CALLS);
    own_trigger(name, Target::Function(function), concurrency)
}

/// A trigger of Postern's own, which no file declares.
pub(super) fn own_trigger(name: &str, target: Target, concurrency: usize) -> Trigger {
    Trigger {
        name: name.into(),
        table: None,
        comment: None,
        is_manual: false,
        target,
        retries: DEFAULT_RETRIES,
        backoff: Backoff {
            interval: Duration::from_secs(DEFAULT_INTERVAL_SECONDS),
            max_interval: Duration::from_secs(MAX_INTERVAL),
        },
        timeout: Duration::from_secs(DEFAULT_TIMEOUT_SECONDS),
        statuses: StatusPolicy::default(),
        concurrency,
    }
}

/// Checks the triggers of all files. `concurrency` is the default of triggers. What has faults is
/// left out.
pub(super) fn compile(
    parsed: &[Parsed],
    facts: &Facts,
    environment: Environment<'_>,
    concurrency: usize,
) -> (Triggers, Vec<Diagnostic<Fault>>) {
    let mut triggers = Triggers::default();
    let mut problems = vec![];
    let mut names = HashSet::new();
    for Parsed { file, entries } in parsed {
        let mut compiler = Compiler {
            file,
            facts,
            environment,
            concurrency,
            problems: &mut problems,
        };
        for event in &entries.events {
            compiler.name(&event.name, &mut names);
            compiler.event(event, &mut triggers);
        }
        for cron in &entries.crons {
            compiler.name(&cron.name, &mut names);
            compiler.cron(cron, &mut triggers);
        }
    }
    (triggers, problems)
}

/// What an event trigger and a schedule have of their own.
struct Kind {
    table: Option<TableName>,
    comment: Option<String>,
    /// Whether SQL may enqueue events.
    is_manual: bool,
}

struct Compiler<'c> {
    file: &'c SourceFile,
    facts: &'c Facts,
    environment: Environment<'c>,
    concurrency: usize,
    problems: &'c mut Vec<Diagnostic<Fault>>,
}

impl Compiler<'_> {
    fn add(&mut self, fault: Fault, span: &Range<usize>) {
        self.problems
            .push(Diagnostic::new(fault, self.file.span_of(span.clone())));
    }

    fn add_with(&mut self, fault: Fault, span: &Range<usize>, help: Option<String>) {
        let problem = Diagnostic::new(fault, self.file.span_of(span.clone()));
        self.problems.push(match help {
            Some(help) => problem.help(help),
            None => problem,
        });
    }

    fn name(&mut self, name: &Text, names: &mut HashSet<String>) {
        let is_letter =
            |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        let is_name =
            (1..=LONGEST_NAME).contains(&name.value.len()) && name.value.chars().all(is_letter);
        if !is_name {
            let help = format!("names have up to {LONGEST_NAME} letters, digits, `_` and `-`");
            self.add_with(
                Fault::Name {
                    name: name.value.clone(),
                },
                &name.span,
                Some(help),
            );
        }
        if !names.insert(name.value.clone()) {
            self.add(
                Fault::SameName {
                    name: name.value.clone(),
                },
                &name.span,
            );
        }
    }

    fn event(&mut self, event: &EventEntry, triggers: &mut Triggers) {
        let EventEntry {
            name,
            insert,
            update,
            delete,
            manual,
            ..
        } = event;
        let has_operations = insert.is_some() || update.is_some() || delete.is_some();
        if !has_operations && !manual {
            self.add(
                Fault::NothingFires {
                    name: name.value.clone(),
                },
                &name.span,
            );
        }
        if has_operations && event.table.is_none() {
            self.add(
                Fault::NoTable {
                    name: name.value.clone(),
                },
                &name.span,
            );
        }
        let table = event
            .table
            .as_ref()
            .and_then(|text| Some((text, self.table(text)?)));
        if let Some((text, facts)) = &table {
            self.captures(event, text, facts, triggers);
        }
        let table = table.map(|(text, _)| table_name(&text.value));
        let kind = Kind {
            table,
            comment: None,
            is_manual: *manual,
        };
        self.trigger(name, &event.delivery, kind, triggers);
    }

    fn table(&mut self, text: &Text) -> Option<TableFacts> {
        let facts = self.facts.tables.get(&qualified(&text.value)).cloned();
        match facts {
            None => {
                let help = (!text.value.contains('.'))
                    .then(|| "a table outside `public` has its schema before it".into());
                self.add_with(
                    Fault::UnknownTable {
                        table: text.value.clone(),
                    },
                    &text.span,
                    help,
                );
                None
            }
            Some(facts) if !facts.is_table => {
                self.add(
                    Fault::NotTable {
                        table: text.value.clone(),
                    },
                    &text.span,
                );
                None
            }
            facts => facts,
        }
    }

    fn captures(
        &mut self,
        event: &EventEntry,
        table: &Text,
        facts: &TableFacts,
        triggers: &mut Triggers,
    ) {
        let order_by = match &event.order_by {
            Some(columns) => self.columns(columns, table, facts),
            None => facts.key.clone(),
        };
        // For insert and delete, `columns` are those of the payload; for update, those whose change
        // fires.
        let of_row = |operation: &Operation| operation.payload.is_none();
        for (operation, given) in [
            (CaptureOperation::Insert, &event.insert),
            (CaptureOperation::Update(None), &event.update),
            (CaptureOperation::Delete, &event.delete),
        ] {
            let Some(given) = given else { continue };
            let columns = self.selected(&given.columns, table, facts);
            let payload = given
                .payload
                .as_ref()
                .and_then(|payload| self.selected(payload, table, facts));
            let (operation, payload) = match operation {
                CaptureOperation::Update(_) => (CaptureOperation::Update(columns), payload),
                operation => (operation, if of_row(given) { columns } else { payload }),
            };
            triggers.captures.push(Capture {
                trigger: event.name.value.as_str().into(),
                table: table_name(&table.value),
                operation,
                payload,
                order_by: order_by.clone(),
                numbers: facts.numbers.clone(),
                is_inherited: false,
            });
        }
    }

    fn selected(
        &mut self,
        columns: &Columns,
        table: &Text,
        facts: &TableFacts,
    ) -> Option<Vec<String>> {
        match columns {
            Columns::All => None,
            Columns::Named(names) => Some(self.columns(names, table, facts)),
        }
    }

    fn columns(&mut self, names: &[Text], table: &Text, facts: &TableFacts) -> Vec<String> {
        for name in names
            .iter()
            .filter(|name| !facts.columns.contains(&name.value))
        {
            let help = did_you_mean(&name.value, facts.columns.iter().map(String::as_str));
            let fault = Fault::UnknownColumn {
                column: name.value.clone(),
                table: table.value.clone(),
            };
            self.add_with(fault, &name.span, help);
        }
        names.iter().map(|name| name.value.clone()).collect()
    }

    fn cron(&mut self, cron: &CronEntry, triggers: &mut Triggers) {
        let zone = cron.timezone.as_ref().map_or(Some(Tz::UTC), |text| {
            let zone = text.value.parse::<Tz>().ok();
            if zone.is_none() {
                let help =
                    "names are those of the IANA database, such as `Europe/Berlin`".to_owned();
                self.add_with(
                    Fault::TimeZone {
                        zone: text.value.clone(),
                    },
                    &text.span,
                    Some(help),
                );
            }
            zone
        });
        let Some(expression) = &cron.schedule else {
            return self.add(
                Fault::Missing {
                    key: "schedule",
                    name: cron.name.value.clone(),
                },
                &cron.name.span,
            );
        };
        let parsed = match recurrence::parse(&expression.value) {
            Ok(parsed) => Some(parsed),
            Err(reason) => {
                self.add(
                    Fault::Cron {
                        expression: expression.value.clone(),
                        reason,
                    },
                    &expression.span,
                );
                None
            }
        };
        if let (Some(parsed), Some(zone)) = (parsed, zone) {
            let schedule = Schedule {
                name: cron.name.value.as_str().into(),
                recurrence: Recurrence::new(parsed, zone),
                definition: format!("{} {}", expression.value, zone.name()),
                payload: cron.payload.clone(),
                missed: cron.missed.unwrap_or(Missed::Once),
                missed_limit: cron
                    .missed_limit
                    .and_then(|limit| limit.try_into().ok())
                    .unwrap_or(MISSED_LIMIT),
                tolerance: Duration::from_secs(cron.tolerance.unwrap_or(DEFAULT_TOLERANCE_SECONDS)),
            };
            if schedule.recurrence.next(Utc::now()).is_none() {
                let reason = "it never comes true".to_owned();
                self.add(
                    Fault::Cron {
                        expression: expression.value.clone(),
                        reason,
                    },
                    &expression.span,
                );
            }
            triggers.schedules.push(schedule);
        }
        let kind = Kind {
            table: None,
            comment: cron.comment.clone(),
            is_manual: true,
        };
        self.trigger(&cron.name, &cron.delivery, kind, triggers);
    }

    fn trigger(
        &mut self,
        name: &Text,
        delivery: &DeliveryEntry,
        Kind {
            table,
            comment,
            is_manual,
        }: Kind,
        triggers: &mut Triggers,
    ) {
        let target = match &delivery.target {
            None => {
                self.add(
                    Fault::NoTarget {
                        name: name.value.clone(),
                    },
                    &name.span,
                );
                None
            }
            Some(TargetEntry::Function(function)) => {
                self.only_webhook(delivery);
                self.function(function)
            }
            Some(TargetEntry::Webhook(text)) => {
                self.webhook(name, &text.value, &text.span, delivery, false)
            }
            Some(TargetEntry::WebhookFromEnv(variable)) => {
                let url = self.variable(&variable.value, &variable.span);
                url.and_then(|url| self.webhook(name, &url, &variable.span, delivery, true))
            }
        };
        let statuses = self.statuses(delivery);
        let Some(target) = target else { return };
        let name: Arc<str> = name.value.as_str().into();
        let seconds = |given: Option<u64>, default| Duration::from_secs(given.unwrap_or(default));
        let backoff = Backoff {
            interval: seconds(delivery.interval, DEFAULT_INTERVAL_SECONDS),
            max_interval: seconds(delivery.max_interval, MAX_INTERVAL),
        };
        // Each call of a function takes a connection of the pool, which requests need too.
        let concurrency = match &target {
            Target::Webhook(_) => self.concurrency,
            Target::Function(_) | Target::Mail(_) => self.concurrency.min(FUNCTION_CALLS),
        };
        let trigger = Trigger {
            name: name.clone(),
            table,
            comment,
            is_manual,
            target,
            retries: delivery
                .retries
                .and_then(|retries| retries.try_into().ok())
                .unwrap_or(DEFAULT_RETRIES),
            backoff,
            timeout: seconds(delivery.timeout, DEFAULT_TIMEOUT_SECONDS),
            statuses,
            concurrency: delivery
                .concurrency
                .and_then(|most| most.try_into().ok())
                .unwrap_or(concurrency),
        };
        triggers.by_name.insert(name, Arc::new(trigger));
    }

    /// Reports what only webhooks have.
    fn only_webhook(&mut self, delivery: &DeliveryEntry) {
        let keys = [
            (
                "headers",
                delivery.headers.first().map(|(name, _)| name.span.clone()),
            ),
            ("secrets", delivery.secrets.first().map(ValueEntry::span)),
            (
                "request_transform",
                delivery.transform.as_ref().map(|(_, span)| span.clone()),
            ),
            (
                "statuses",
                delivery
                    .statuses
                    .first()
                    .map(|(status, _)| status.span.clone()),
            ),
        ];
        for (key, span) in keys {
            if let Some(span) = span {
                self.add(Fault::OnlyWebhook { key }, &span);
            }
        }
    }

    fn function(&mut self, text: &Text) -> Option<Target> {
        let (schema, name) = qualified(&text.value);
        let Some(facts) = self.facts.functions.get(&(schema.clone(), name.clone())) else {
            self.add(
                Fault::UnknownFunction {
                    function: text.value.clone(),
                },
                &text.span,
            );
            return None;
        };
        let Some(parameter) = facts.parameter else {
            self.add(
                Fault::Parameters {
                    function: text.value.clone(),
                },
                &text.span,
            );
            return None;
        };
        Some(Target::Function(FunctionName {
            schema,
            name,
            parameter,
        }))
    }

    /// `is_secret`: the address comes from the environment and is not shown. Faults of secrets and
    /// headers are drawn at the trigger's name, because their own lines contain values that may be
    /// secret.
    fn webhook(
        &mut self,
        name: &Text,
        text: &str,
        span: &Range<usize>,
        entry: &DeliveryEntry,
        is_secret: bool,
    ) -> Option<Target> {
        let url = self.address(text, span, is_secret);
        let headers = self.headers(name, entry);
        let mut secrets = vec![];
        for secret in &entry.secrets {
            let Some(text) = self.value(secret) else {
                continue;
            };
            match SigningSecret::parse(&text) {
                Some(secret) => secrets.push(secret),
                None => self.add(Fault::Secret {}, &name.span),
            }
        }
        let transform = match &entry.transform {
            None => None,
            Some((written, _)) => {
                let transform = Transform::compile(written, &mut |reason, span| {
                    self.add(Fault::Template { reason }, &span);
                });
                Some(Box::new(transform?))
            }
        };
        Some(Target::Webhook(Webhook {
            url: url?,
            headers,
            secrets,
            transform,
        }))
    }

    /// An address, in which `{{NAME}}` stands for a variable of the environment.
    fn address(
        &mut self,
        text: &str,
        span: &Range<usize>,
        is_secret: bool,
    ) -> Option<reqwest::Url> {
        let mut address = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (variable, after) = after.split_once("}}").unwrap_or((after, ""));
            address.push_str(before);
            address.push_str(&self.variable(variable.trim(), span)?);
            rest = after;
        }
        address.push_str(rest);
        let reason = match reqwest::Url::parse(&address) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                return Some(url);
            }
            Ok(_) => "it begins with neither `http://` nor `https://`".to_owned(),
            Err(_) if is_secret => "the variable has something else".to_owned(),
            Err(error) => error.to_string(),
        };
        self.add(Fault::Url { reason }, span);
        None
    }

    fn headers(&mut self, trigger: &Text, entry: &DeliveryEntry) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        for (name, value) in &entry.headers {
            if OWN_HEADERS.contains(&name.value.to_ascii_lowercase().as_str()) {
                self.add(
                    Fault::OwnHeader {
                        name: name.value.clone(),
                    },
                    &name.span,
                );
                continue;
            }
            let Some(text) = self.value(value) else {
                continue;
            };
            match (
                name.value.parse::<HeaderName>(),
                HeaderValue::from_str(&text),
            ) {
                (Ok(name), Ok(value)) => drop(headers.insert(name, value)),
                _ => self.add(
                    Fault::Header {
                        name: name.value.clone(),
                    },
                    &trigger.span,
                ),
            }
        }
        headers
    }

    fn statuses(&mut self, entry: &DeliveryEntry) -> StatusPolicy {
        let mut policy = StatusPolicy::default();
        for (text, action) in &entry.statuses {
            let code = text
                .value
                .parse::<u16>()
                .ok()
                .filter(|code| (100..=599).contains(code));
            let class = text
                .value
                .strip_suffix("xx")
                .and_then(|class| class.parse::<u16>().ok());
            match (code, class.filter(|class| (1..=5).contains(class))) {
                (Some(code), _) => drop(policy.statuses.insert(code, *action)),
                (None, Some(class)) => drop(policy.classes.insert(class, *action)),
                (None, None) => self.add(
                    Fault::Status {
                        status: text.value.clone(),
                    },
                    &text.span,
                ),
            }
        }
        policy
    }

    fn value(&mut self, value: &ValueEntry) -> Option<String> {
        match value {
            ValueEntry::Literal(text) => Some(text.value.clone()),
            ValueEntry::FromEnv(variable) => self.variable(&variable.value, &variable.span),
        }
    }

    fn variable(&mut self, name: &str, span: &Range<usize>) -> Option<String> {
        let value = (self.environment)(name);
        if value.is_none() {
            self.add(
                Fault::Environment {
                    variable: name.to_owned(),
                },
                span,
            );
        }
        value
    }
}

fn table_name(text: &str) -> TableName {
    let (schema, name) = qualified(text);
    TableName { schema, name }
}
