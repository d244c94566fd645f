//! The filter of `--log-level`, which a reload can change. A plain level applies only to the
//! gateway's own crates. Libraries log what clients send (headers, statement parameters, messages),
//! so they are silent unless the filter names them.
//!
//! `tracing` asks the filter once for each place that logs, and remembers the answer until the
//! filter changes: a line costs nothing for the filter's sake.

use std::sync::{PoisonError, RwLock};

use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::Context;

/// The filter of this process, as a layer of its subscriber.
#[derive(Clone, Copy, Debug)]
pub struct LogFilter;

/// What [`LogFilter`] lets through; nothing before it is set.
static TARGETS: RwLock<Option<Targets>> = RwLock::new(None);

impl LogFilter {
    fn lets_through(metadata: &Metadata<'_>) -> bool {
        let targets = TARGETS.read().unwrap_or_else(PoisonError::into_inner);
        let (target, level) = (metadata.target(), metadata.level());
        targets
            .as_ref()
            .is_some_and(|targets| targets.would_enable(target, level))
    }
}

impl<S: Subscriber> Layer<S> for LogFilter {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if LogFilter::lets_through(metadata) {
            Interest::always()
        } else {
            Interest::never()
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        LogFilter::lets_through(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        let targets = TARGETS.read().unwrap_or_else(PoisonError::into_inner);
        let levels = targets.iter().flat_map(|targets| targets.iter());
        Some(
            levels
                .map(|(_, level)| level)
                .max()
                .unwrap_or(LevelFilter::OFF),
        )
    }
}

/// Makes the log follow this setting from now on; false if it is malformed, and the log stays as it
/// is.
pub fn set_level(setting: &str) -> bool {
    let Some(targets) = filter(setting).and_then(|directives| directives.parse::<Targets>().ok())
    else {
        return false;
    };
    *TARGETS.write().unwrap_or_else(PoisonError::into_inner) = Some(targets);
    tracing::callsite::rebuild_interest_cache();
    true
}

/// The crates to which a plain level applies: all of the workspace that a gateway consists of.
const OWN: [&str; 8] = [
    "gateway",
    "plugins",
    "pg",
    "sql",
    "permissions",
    "import",
    "demo",
    "postern",
];

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The valid values, for error messages.
pub const EXPECTED: &str =
    "`error`, `warn`, `info`, `debug`, `trace` or `off`, or a filter such as `info,hyper=debug`";

/// The directives for [`Targets`]; `None` if the setting is malformed. A word that is not a level
/// is malformed: [`Targets`] alone would interpret it as the name of a library and disable
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
        let own = "off,gateway=debug,plugins=debug,pg=debug,sql=debug,permissions=debug,\
                   import=debug,demo=debug,postern=debug";
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
