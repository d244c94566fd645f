//! Parses `--log-level`. A plain level applies only to the gateway's own crates. Libraries log what
//! clients send (headers, statement parameters, messages), so they are silent unless the filter
//! names them.

/// The crates to which a plain level applies.
const OWN: [&str; 4] = ["gateway", "sql", "permissions", "import"];

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The valid values, for error messages.
pub const EXPECTED: &str =
    "`error`, `warn`, `info`, `debug`, `trace` or `off`, or a filter such as `info,hyper=debug`";

/// The directives for `EnvFilter`; `None` if the setting is malformed. A word that is not a level
/// is malformed: `EnvFilter` alone would interpret it as the name of a library and disable
/// everything else.
pub fn filter(setting: &str) -> Option<String> {
    let mut directives = vec!["off".to_owned()];
    for directive in setting
        .split(',')
        .map(|directive| directive.trim().to_ascii_lowercase())
    {
        match directive.rsplit_once('=') {
            None if LEVELS.contains(&directive.as_str()) => {
                directives.extend(OWN.map(|own| format!("{own}={directive}")));
            }
            Some((target, level)) if is_target(target) && LEVELS.contains(&level) => {
                directives.push(directive);
            }
            _ => return None,
        }
    }
    Some(directives.join(","))
}

/// Whether this is a module path such as `hyper::proto`. Spans and fields in brackets are not
/// supported, because the gateway creates no spans.
fn is_target(target: &str) -> bool {
    !target.is_empty()
        && target
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_:-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_level_applies_to_the_gateways_crates() {
        let own = "off,gateway=debug,sql=debug,permissions=debug,import=debug";
        assert_eq!(filter("debug").as_deref(), Some(own));
        assert_eq!(
            filter("DEBUG, hyper=trace"),
            Some(format!("{own},hyper=trace"))
        );
        assert_eq!(
            filter("gateway::http=debug").as_deref(),
            Some("off,gateway::http=debug")
        );
        for bad in [
            "",
            "verbose",
            "info,",
            "hyper",
            "hyper=loud",
            "=info",
            "[span]=info",
            "info;debug",
            "3",
        ] {
            assert_eq!(filter(bad), None, "{bad}");
        }
    }
}
