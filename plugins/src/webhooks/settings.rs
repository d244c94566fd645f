//! Reads the services from `[webhook.NAME]` in the settings file, and in the files that `webhooks`
//! lists. Reports every fault at once, at its place in the file; [`super::database_check`] judges
//! what needs the database.

use std::collections::BTreeSet;
use std::sync::Arc;

use http::header::{AUTHORIZATION, COOKIE, HeaderName, PROXY_AUTHORIZATION};
use permissions::{Diagnostic, SourceFile, Text, TomlFault, TomlValue, listed};
use toml::de::DeValue;

use super::delivery_id::DeliveryIdSource;
use super::fault::Fault;
use super::method_reader::{MethodReader, WrittenQuery, header_name, integer, parse_header, word};
use super::secret::{Environment, Fields, Reader};
use super::secret_method::SecretMethod;
use super::verification::{METHODS, Method, Needed, Verification};
use gateway::config::ConfigTables;
use gateway::config::masked_file::{hide, masked};

/// The table with the services, in the settings file and in the files that [`FILES`] lists.
const SERVICES: &str = "webhook";

/// The key with the paths of files with further services.
const FILES: &str = "webhooks";

/// The default limit of a body in bytes.
const BODY_LIMIT: u64 = 1 << 20;

/// The highest limit of a body in bytes. Postgres takes a message of at most 1 GiB, and text takes
/// more room than bytes.
const MAX_BODY_LIMIT: u64 = 256 << 20;

/// How many days the contents of deliveries are kept, if a service does not say, and at most.
const RETENTION_DAYS: u64 = 30;
const MAX_RETENTION_DAYS: u64 = 36_500;

/// A fault at its place.
pub(super) type Problem = Diagnostic<Fault>;

/// A service that sends webhooks.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) name: String,
    pub(super) verification: Verification,
    pub(super) delivery_id: DeliveryIdSource,
    /// The SQL function that processes deliveries.
    pub(super) function: Option<Text>,
    /// Whether the deliveries of a sender are processed one after the other.
    pub(super) in_order: bool,
    /// Whether requests that did not come by HTTPS are refused.
    pub(super) require_https: bool,
    /// The headers that are stored.
    pub(super) headers: Vec<HeaderName>,
    /// The limit of a body in bytes.
    pub(super) body_limit: usize,
    /// How many days the contents of deliveries are kept.
    pub(super) retention_days: u64,
    /// The queries of keys and secrets of senders, as written.
    pub(super) sender_queries: Vec<WrittenQuery>,
    /// The file that declares the service, its secrets masked.
    pub(super) file: SourceFile,
}

impl Service {
    /// The name under which the queue has the deliveries; `None` if nothing processes them.
    pub(super) fn trigger(&self) -> Option<String> {
        self.function
            .as_ref()
            .map(|_| format!("webhook:{}", self.name))
    }
}

/// Reads all services. `variable` returns environment variables.
pub(super) fn read(
    sections: &ConfigTables,
    variable: Environment<'_>,
) -> Result<Vec<Service>, Vec<Problem>> {
    let file = sections.source();
    let mut further = vec![];
    let (mut services, mut problems) =
        read_file(&file, variable, |fields| further = fields.list(FILES));
    for named in further {
        let path = sections.beside(&named.value);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let file = SourceFile::new(path.to_string_lossy().into_owned(), text);
                let (others, faults) = read_file(&file, variable, |fields| {
                    fields.finish("a file of webhooks");
                });
                services.extend(others);
                problems.extend(faults);
            }
            Err(cause) => {
                let fault = Fault::Unreadable {
                    path: path.display().to_string(),
                    reason: cause.to_string(),
                };
                problems.push(Diagnostic::new(
                    fault,
                    masked(&file, &METHODS).span_of(named.span),
                ));
            }
        }
    }
    let mut names = BTreeSet::new();
    for (service, span) in &services {
        if !names.insert(&service.name) {
            let fault = Fault::Twice {
                name: service.name.clone(),
            };
            problems.push(Diagnostic::new(fault, service.file.span_of(span.clone())));
        }
    }
    if problems.is_empty() {
        Ok(services.into_iter().map(|(service, _)| service).collect())
    } else {
        Err(problems)
    }
}

/// A service and the span of its name.
type Declared = (Service, std::ops::Range<usize>);

/// Reads the services of one file; `rest` reads what else is at its top.
fn read_file(
    file: &SourceFile,
    variable: Environment<'_>,
    rest: impl FnOnce(&mut Fields<'_, '_>),
) -> (Vec<Declared>, Vec<Problem>) {
    let shown = masked(file, &METHODS);
    let (services, problems) = Reader::read(file, |mut fields| {
        let services = fields.each(SERVICES, |reader, name, value| {
            let service = ServiceReader {
                name: &name.value,
                variable,
                file: &shown,
            }
            .read(reader, &name, value)?;
            Some((service, name.span))
        });
        rest(&mut fields);
        services
    });
    // The lines that are drawn may contain secrets.
    (
        services.unwrap_or_default(),
        problems
            .iter()
            .map(|problem| hide(problem, &shown))
            .collect(),
    )
}

/// Reads one service.
struct ServiceReader<'a> {
    name: &'a str,
    variable: Environment<'a>,
    file: &'a SourceFile,
}

impl ServiceReader<'_> {
    fn read(&self, reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Service> {
        let before = reader.faults();
        if !is_name(self.name) {
            let help =
                "a name has 1 to 63 letters, digits, `-`, `_` and `.`: it is a part of the path";
            reader.add_with(
                Fault::ServiceName {
                    name: self.name.to_owned(),
                },
                key.span.clone(),
                help,
            );
        }
        let mut fields = reader.table(key, "a table: `[webhook.NAME]`", value)?;
        let mut methods = MethodReader {
            service: self.name,
            variable: self.variable,
            sender_queries: vec![],
        };
        let (methods, sender_queries) = (methods.read(&mut fields), methods.sender_queries);
        let has_method = METHODS.iter().any(|method| fields.contains(method));
        let needed = fields.read("verify", |reader, key, value| {
            word(reader, key, value, &Needed::NAMES, "`all` or `any`")
        });
        let delivery_id = fields.read("delivery_id", delivery_id);
        let function = fields.text("function");
        let in_order = fields.boolean("in_order").unwrap_or(false);
        let require_https = fields.boolean("require_https").unwrap_or(false);
        let headers = fields.list("headers");
        let body_limit = fields.read("body_limit", |reader, key, value| {
            integer(
                reader,
                key,
                value,
                1,
                MAX_BODY_LIMIT,
                "a number of bytes from 1 to 268435456",
            )
        });
        let retention_days = fields.read("retention_days", |reader, key, value| {
            integer(
                reader,
                key,
                value,
                1,
                MAX_RETENTION_DAYS,
                "a number of days from 1 to 36500",
            )
        });
        fields.finish("a service");
        let headers = headers
            .into_iter()
            .filter_map(|name| stored_header(reader, name))
            .collect();
        if !has_method {
            let fault = Fault::NoMethod {
                service: self.name.to_owned(),
            };
            let help = format!("one of {} has to be there", listed(METHODS));
            reader.add_with(fault, key.span.clone(), help);
        }
        if reader.faults() > before {
            return None;
        }
        let delivery_id = delivery_id
            .unwrap_or_else(|| methods.first().map_or(DeliveryIdSource::Digest, usual_id));
        Some(Service {
            name: self.name.to_owned(),
            verification: Verification {
                methods,
                needed: needed.unwrap_or(Needed::All),
            },
            delivery_id,
            function,
            in_order,
            require_https,
            headers,
            body_limit: usize::try_from(body_limit.unwrap_or(BODY_LIMIT)).unwrap_or(usize::MAX),
            retention_days: retention_days.unwrap_or(RETENTION_DAYS),
            sender_queries,
            file: self.file.clone(),
        })
    }
}

/// Where the first method's senders write the id.
fn usual_id(method: &Method) -> DeliveryIdSource {
    match method.secret_method() {
        Some(SecretMethod::Github(_)) => {
            DeliveryIdSource::Header(HeaderName::from_static("x-github-delivery"))
        }
        Some(SecretMethod::Standard(standard)) => DeliveryIdSource::Header(standard.id.clone()),
        Some(SecretMethod::Stripe(_)) => DeliveryIdSource::Json(vec!["id".to_owned()]),
        Some(SecretMethod::Hmac(_) | SecretMethod::Jwe(_)) | None => DeliveryIdSource::Digest,
    }
}

fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=63).contains(&name.len()) && name.bytes().all(is_letter) && !name.starts_with('.')
}

/// `{ header = "…" }`, `{ json = "…" }` or `"digest"`.
fn delivery_id(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<DeliveryIdSource> {
    const EXPECTED: &str = "`{ header = \"…\" }`, `{ json = \"…\" }` or `\"digest\"`";
    if let DeValue::String(text) = value.get_ref() {
        return match &**text {
            "digest" => Some(DeliveryIdSource::Digest),
            _ => reader.wrong_type(key, EXPECTED, value),
        };
    }
    let mut fields = reader.table(key, EXPECTED, value)?;
    let header = fields.read("header", header_name);
    let json = fields.text("json");
    let has_both = fields.contains("header") && fields.contains("json");
    fields.finish("`delivery_id`");
    if has_both {
        reader.add(
            Fault::Together {
                one: "header",
                other: "json",
            },
            key.span.clone(),
        );
        return None;
    }
    let path = json.filter(|path| path.value.split('.').all(|name| !name.is_empty()));
    match (header, path) {
        (Some(header), _) => Some(DeliveryIdSource::Header(header)),
        (None, Some(path)) => Some(DeliveryIdSource::Json(
            path.value.split('.').map(str::to_owned).collect(),
        )),
        (None, None) => reader.wrong_type(key, EXPECTED, value),
    }
}

fn stored_header(reader: &mut Reader, text: Text) -> Option<HeaderName> {
    let written = text.value.clone();
    let span = text.span.clone();
    let name = parse_header(reader, text)?;
    if [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION].contains(&name) {
        reader.add(Fault::PrivateHeader { name: written }, span);
        return None;
    }
    Some(name)
}

impl From<TomlFault> for Fault {
    fn from(fault: TomlFault) -> Fault {
        match fault {
            TomlFault::Syntax(message) => Fault::Syntax { message },
            TomlFault::UnknownKey { key, within } => Fault::UnknownKey { key, within },
            TomlFault::WrongType { key, expected, .. } => Fault::WrongType { key, expected },
            TomlFault::UnsetVariable(name) => Fault::NoVariable { name },
        }
    }
}

/// The services of a gateway, which look them up by name.
#[derive(Debug)]
pub(super) struct Services(Vec<Arc<Service>>);

impl Services {
    pub(super) fn new(services: Vec<Service>) -> Services {
        Services(services.into_iter().map(Arc::new).collect())
    }

    /// All services.
    pub(super) fn all(&self) -> &[Arc<Service>] {
        &self.0
    }

    pub(super) fn find(&self, name: &str) -> Option<Arc<Service>> {
        self.0.iter().find(|service| service.name == name).cloned()
    }
}
