//! Who this gateway is, for log, metrics, traces and the database: the attributes of its resource
//! in OpenTelemetry's words.
//! <https://opentelemetry.io/docs/specs/semconv/resource/>

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;

/// The attribute that tells the instances of a service apart.
const INSTANCE: &str = "service.instance.id";

const SERVICE: &str = "service.name";

/// The attributes of a gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    attributes: BTreeMap<String, String>,
    /// Whether the instance was given a name.
    is_named: bool,
}

/// The names that the settings give to a gateway.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResourceNames<'n> {
    /// The name of the service.
    pub service: Option<&'n str>,
    /// The name of the gateway among those of the service.
    pub instance: Option<&'n str>,
    /// The address that it listens on.
    pub listen: &'n str,
}

impl Resource {
    /// The resource of these names and of the variables that OpenTelemetry's programs share. Names
    /// that were given come first, then `OTEL_SERVICE_NAME`, then `OTEL_RESOURCE_ATTRIBUTES`.
    /// Without a name the instance is called by its host and port.
    pub fn new(names: ResourceNames<'_>, variable: impl Fn(&str) -> Option<String>) -> Resource {
        let given = variable("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
        let mut attributes = read_attributes(&given);
        let from_variable = || variable("OTEL_SERVICE_NAME").filter(|name| !name.is_empty());
        let service = names.service.map(str::to_owned).or_else(from_variable);
        if let Some(service) = service {
            attributes.insert(SERVICE.into(), service);
        }
        attributes
            .entry(SERVICE.into())
            .or_insert_with(|| "postern".into());
        if let Some(instance) = names.instance {
            attributes.insert(INSTANCE.into(), instance.to_owned());
        }
        let is_named = attributes.contains_key(INSTANCE);
        attributes
            .entry(INSTANCE.into())
            .or_insert_with(|| instance_of(names.listen, variable("HOSTNAME")));
        attributes.insert("service.version".into(), env!("CARGO_PKG_VERSION").into());
        Resource {
            attributes,
            is_named,
        }
    }

    /// The name of this gateway among those of the service.
    pub fn instance(&self) -> &str {
        self.attributes.get(INSTANCE).map_or("", String::as_str)
    }

    /// All attributes.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes
            .iter()
            .map(|(name, value)| (&**name, &**value))
    }

    /// The name in Postgres' `pg_stat_activity` and log, `postern gateway-1`, if the gateway was
    /// given one. Postgres cuts it to 63 bytes and replaces what is not ASCII.
    pub fn application_name(&self) -> Option<String> {
        let permitted = format!("postern {}", self.instance())
            .chars()
            .filter(|character| matches!(character, ' '..='~'))
            .take(63)
            .collect();
        self.is_named.then_some(permitted)
    }
}

/// `key=value,key=value` with percent-encoded values. A malformed text counts as none.
/// <https://opentelemetry.io/docs/specs/otel/resource/sdk/#specifying-resource-information-via-an-environment-variable>
fn read_attributes(text: &str) -> BTreeMap<String, String> {
    let pairs = text
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty());
    let read = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        Some((name.trim().to_owned(), value.into_owned()))
    };
    pairs.map(read).collect::<Option<_>>().unwrap_or_default()
}

/// The host, and the port of `listen`.
fn instance_of(listen: &str, host: Option<String>) -> String {
    let from_kernel = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let host = from_kernel().or(host).unwrap_or_default();
    let host = host.trim();
    let host = if host.is_empty() { "localhost" } else { host };
    match listen.rsplit_once(':').map(|(_, port)| port) {
        // Any free port: the process tells gateways of one host apart.
        Some("0") | None => format!("{host}:pid-{}", std::process::id()),
        Some(port) => format!("{host}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(names: ResourceNames<'_>, variables: &[(&str, &str)]) -> Resource {
        Resource::new(names, |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn settings_come_before_the_variables_of_opentelemetry() {
        let variables = [
            ("OTEL_SERVICE_NAME", "shop"),
            (
                "OTEL_RESOURCE_ATTRIBUTES",
                "service.name=x,service.instance.id=pod%2D1,deployment.environment.name=live",
            ),
        ];
        let from_variables = resource(ResourceNames::default(), &variables);
        assert_eq!(from_variables.instance(), "pod-1");
        let attributes: Vec<_> = from_variables.attributes().collect();
        assert!(attributes.contains(&("service.name", "shop")));
        assert!(attributes.contains(&("deployment.environment.name", "live")));
        let names = ResourceNames {
            service: Some("api"),
            instance: Some("gateway-1"),
            listen: "",
        };
        let from_settings = resource(names, &variables);
        assert_eq!(from_settings.instance(), "gateway-1");
        let mut attributes = from_settings.attributes();
        assert!(attributes.any(|pair| pair == ("service.name", "api")));
    }

    #[test]
    fn instance_without_a_name_is_called_by_host_and_port() {
        let listening = ResourceNames {
            listen: "0.0.0.0:8080",
            ..ResourceNames::default()
        };
        let unnamed = resource(listening, &[("OTEL_RESOURCE_ATTRIBUTES", "no pair")]);
        assert!(unnamed.instance().ends_with(":8080"), "{unnamed:?}");
        let mut attributes = unnamed.attributes();
        assert!(attributes.any(|pair| pair == ("service.name", "postern")));
        assert_eq!(unnamed.application_name(), None);
        let long = format!("ü{}", "x".repeat(80));
        let named = ResourceNames {
            instance: Some(&long),
            ..listening
        };
        let expected = format!("postern {}", "x".repeat(55));
        assert_eq!(resource(named, &[]).application_name(), Some(expected));
    }
}
