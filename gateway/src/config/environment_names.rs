//! Names of environment variables that look like settings and are none.

use super::error::ConfigError;
use super::table::SETTINGS;

/// Environment variables that are not settings: those of tests and benchmarks, and those that
/// `postern demo --env-file` writes.
const OTHER_VARIABLES: [&str; 3] = ["POSTERN_BIN", "POSTERN_BLESS", "POSTERN_TEST_CLUSTER"];
const DEMO: &str = "POSTERN_DEMO_";

/// Checks the names of environment variables: names similar to a setting's are faults, other
/// unknown names with the gateway's prefix are notes.
pub(super) fn check(names: impl Iterator<Item = String>) -> (Vec<ConfigError>, Vec<String>) {
    let mut faults = vec![];
    let mut notes = vec![];
    let known: Vec<String> = SETTINGS
        .iter()
        .flat_map(|setting| [Some(setting.variable()), setting.file_variable()])
        .flatten()
        .collect();
    for name in names.filter(|name| {
        name.starts_with(PREFIX) && !known.contains(name) && !belongs_to_other_programs(name)
    }) {
        let own = |name: &str| name.strip_prefix(PREFIX).unwrap_or(name).to_owned();
        let near = permissions::closest(&name, known.iter().map(String::as_str));
        match near.filter(|known| permissions::is_typo(&own(&name), &own(known))) {
            Some(known) => faults.push(ConfigError::UnknownVariable {
                suggestion: known.to_owned(),
                name,
            }),
            None => notes.push(format!(
                "the environment variable `{name}` is not a setting"
            )),
        }
    }
    (faults, notes)
}

/// The prefix of the gateway's variables.
const PREFIX: &str = "POSTERN_";

/// Whether a variable belongs to other programs: to the project's own, or to Kubernetes.
fn belongs_to_other_programs(name: &str) -> bool {
    OTHER_VARIABLES.contains(&name) || name.starts_with(DEMO) || is_of_kubernetes(name)
}

/// Whether Kubernetes sets the variable for a service whose name is `postern`, or begins with
/// `postern-`: `POSTERN_REDIS_SERVICE_HOST`, `POSTERN_REDIS_SERVICE_PORT_HTTP`,
/// `POSTERN_REDIS_PORT`, `POSTERN_REDIS_PORT_6379_TCP_ADDR`.
/// <https://kubernetes.io/docs/tutorials/services/connect-applications-service/#environment-variables>
fn is_of_kubernetes(name: &str) -> bool {
    let is_of_port = |rest: &str| {
        let (number, rest) = rest.split_once('_').unwrap_or((rest, ""));
        let is_number = !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit());
        is_number
            && ["TCP", "UDP", "SCTP"]
                .iter()
                .any(|protocol| rest.starts_with(protocol))
    };
    name.ends_with("_PORT")
        || name.ends_with("_SERVICE_HOST")
        || name.contains("_SERVICE_PORT_")
        || name
            .match_indices("_PORT_")
            .any(|(index, part)| is_of_port(name.get(index + part.len()..).unwrap_or("")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_variables_are_faults_or_notes() {
        let check = |name: &str| {
            let (faults, notes) = check([name.to_owned()].into_iter());
            (faults.first().map(ConfigError::to_string), notes.len())
        };
        for known in [
            "POSTERN_POOL_SIZE",
            "POSTERN_ADMIN_SECRET_FILE",
            "POSTERN_DEMO_URL",
            "POSTERN_BIN",
            "POSTERN_SERVICE_HOST",
            "POSTERN_PORT",
            "POSTERN_PORT_8080_TCP_ADDR",
            "PATH",
        ] {
            assert_eq!(check(known), (None, 0), "{known}");
        }
        let mistaken = "the environment variable `POSTERN_ADMIN_SECRTE` is not a setting; did \
                        you mean `POSTERN_ADMIN_SECRET`?";
        assert_eq!(check("POSTERN_ADMIN_SECRTE"), (Some(mistaken.into()), 0));
        assert_eq!(check("POSTERN_SOMETHING_ELSE_ALTOGETHER"), (None, 1));
    }

    #[test]
    fn short_variables_of_others_are_only_notes() {
        let names = "ENV TAG URL DB USER TEST DIR LOG DEBUG TEAM APP FOO XYZ TLS ROLE DATA NAME \
                     HOST VERSION IMAGE TOKEN \
                     SECRET X A MODE NODE HOME LIST POOL CONF DEB DEC PROXY ROOT DEPTH_ LIMIT \
                     SIZE PATHS";
        for name in names.split_whitespace() {
            let (faults, notes) = check([format!("POSTERN_{name}")].into_iter());
            let is_setting = SETTINGS
                .iter()
                .any(|setting| setting.variable() == format!("POSTERN_{name}"));
            assert_eq!(
                (faults.len(), notes.len()),
                (0, usize::from(!is_setting)),
                "{name}: {faults:?}"
            );
        }
    }

    #[test]
    fn every_letter_left_out_of_a_long_setting_is_found() {
        for setting in SETTINGS.iter().filter(|setting| setting.key.len() > 5) {
            let variable = setting.variable();
            let mistaken = format!(
                "{}{}",
                &variable[..variable.len() - 2],
                &variable[variable.len() - 1..]
            );
            let (faults, _) = check([mistaken.clone()].into_iter());
            assert_eq!(faults.len(), 1, "{mistaken}");
        }
    }

    #[test]
    fn variables_of_kubernetes_are_ignored() {
        for service in ["", "_REDIS", "_DB_MAIN", "_DEV"] {
            for rest in [
                "_SERVICE_HOST",
                "_SERVICE_PORT",
                "_SERVICE_PORT_HTTP",
                "_PORT",
                "_PORT_6379_TCP",
                "_PORT_6379_TCP_PROTO",
                "_PORT_6379_TCP_PORT",
                "_PORT_53_UDP_ADDR",
                "_PORT_9_SCTP",
            ] {
                let name = format!("POSTERN{service}{rest}");
                let (faults, notes) = check([name.clone()].into_iter());
                assert!(faults.is_empty() && notes.is_empty(), "{name}");
            }
        }
    }
}
