//! Reads and checks the table `[bounds]` of the settings file, which limits the requests of all
//! roles and of single roles.

use std::time::Duration;

use super::{LimitKind, Limits, LimitsConfig};
use crate::config::limits::{Measure, Mode};
use crate::config::{Config, ConfigError};

/// The name of the table.
const NAME: &str = "bounds";

impl LimitsConfig {
    /// Reads the table and checks everything that needs no permission file.
    pub fn read(config: &Config) -> Result<LimitsConfig, ConfigError> {
        let table: LimitsConfig = config.sections.read(NAME)?.unwrap_or_default();
        let fault = |message: String| Err(config.sections.fault(NAME, message));
        if let Some(message) = table.fault(&config.limits(), "") {
            return fault(message);
        }
        for (role, own) in &table.role {
            let location = format!("role.{role}.");
            let within = (!own.role.is_empty()).then(|| format!("`{location}role` is not a bound"));
            if let Some(message) = within.or_else(|| own.fault(&config.limits(), &location)) {
                return fault(message);
            }
        }
        Ok(table)
    }

    /// Checks that the permission file names the table's roles: the limits of an unknown role would
    /// apply to no request.
    pub fn check(
        &self,
        config: &Config,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<(), ConfigError> {
        match self.role.keys().find(|role| !is_known(role)) {
            Some(role) => Err(config
                .sections
                .fault(NAME, format!("the permission file has no role `{role}`"))),
            None => Ok(()),
        }
    }

    /// The longest time limit of any role, where `time` is the default.
    pub fn longest(&self, time: Duration) -> Duration {
        let tables = self.role.values().chain([self]);
        let of = |table: &LimitsConfig| {
            let mut limits = Limits {
                time,
                ..Limits::default()
            };
            table.apply(LimitKind::Time, &mut limits);
            limits.time
        };
        tables.map(of).fold(time, Duration::max)
    }

    fn fault(&self, limits: &Limits, location: &str) -> Option<String> {
        if let Some(Measure::Some(names)) = &self.measure
            && let Some(name) = names.iter().find(|name| LimitKind::named(name).is_none())
        {
            return Some(format!(
                "`{location}measure` names `{name}`, which is not a bound"
            ));
        }
        if self.mode.is_some() && self.measure.is_some() {
            return Some(format!(
                "`{location}mode` is for all bounds and `{location}measure` for \
                                 some; only one can be given"
            ));
        }
        if self.time.is_some_and(|time| !(time > 0.0 && time < 1e7)) {
            return Some(format!(
                "`{location}time` has to be a positive number of seconds"
            ));
        }
        if let Some(kind) = self.zero() {
            return Some(format!("`{location}{}` has to be at least 1", kind.name()));
        }
        if self.depth.is_some_and(|depth| depth > MAX_NESTING) {
            return Some(format!(
                "`{location}depth` cannot be more than {MAX_NESTING}"
            ));
        }
        let tokens = limits.document.tokens;
        // A document is split into tokens before its role's limits apply.
        let beyond = self.tokens.is_some_and(|own| own > tokens);
        beyond.then(|| {
            format!("`{location}tokens` cannot be more than the {tokens} of `token_limit`")
        })
    }

    /// What happens to requests that exceed this limit; none if the table sets no mode.
    pub(super) fn mode(&self, bound: LimitKind) -> Option<Mode> {
        let measured = match (&self.measure, self.mode) {
            (Some(Measure::Some(names)), _) => names.iter().any(|name| name == bound.name()),
            (Some(Measure::All(all)), _) => *all,
            (None, mode) => return mode,
        };
        Some(if measured {
            Mode::Measure
        } else {
            Mode::Enforce
        })
    }
}

/// Documents are processed recursively, so their nesting has a fixed limit.
const MAX_NESTING: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;

    fn read(text: &str) -> Result<LimitsConfig, String> {
        let config = Config::new(&Settings::from_text("gateway.toml", text).unwrap());
        LimitsConfig::read(&config).map_err(|error| error.to_string())
    }

    #[test]
    fn faults_name_line_or_key() {
        let faults = [
            (
                "[bounds]\ndeep = 3\n",
                "gateway.toml: line 2: unknown field `deep`",
            ),
            (
                "[bounds]\ndepth = -3\n",
                "gateway.toml: line 2: invalid value: integer `-3`",
            ),
            (
                "[bounds.role.a]\n\nmode = \"off\"\n",
                "gateway.toml: line 3: unknown variant `off`",
            ),
            (
                "[bounds]\nmeasure = [\"deep\"]\n",
                "gateway.toml: `bounds`: `measure` names `deep`, which is not a bound",
            ),
            (
                "[bounds]\nmeasure = 3\n",
                "gateway.toml: line 2: `measure` has to be a list of bounds, or true",
            ),
            (
                "[bounds]\nroots = 0\n",
                "gateway.toml: `bounds`: `roots` has to be at least 1",
            ),
            (
                "[bounds.role.a]\ndepth = 129\n",
                "gateway.toml: `bounds`: `role.a.depth` cannot be more than 128",
            ),
            (
                "[bounds]\ntime = 0\n",
                "gateway.toml: `bounds`: `time` has to be a positive number of seconds",
            ),
            (
                "[bounds.role.a]\ntokens = 20001\n",
                "gateway.toml: `bounds`: `role.a.tokens` cannot be more than the 20000 of \
                 `token_limit`",
            ),
            (
                "[bounds.role.a.role.b]\n",
                "gateway.toml: `bounds`: `role.a.role` is not a bound",
            ),
            (
                "[bounds.role.a]\nmode = \"measure\"\nmeasure = true\n",
                "gateway.toml: `bounds`: `role.a.mode` is for all bounds and `role.a.measure` \
                 for some; only one can be given",
            ),
        ];
        for (text, message) in faults {
            let fault = read(text).unwrap_err();
            assert!(fault.starts_with(message), "{fault}");
        }
    }

    #[test]
    fn every_limit_can_be_set() {
        let text: String = LimitKind::ALL
            .iter()
            .map(|bound| format!("{} = 1\n", bound.name()))
            .collect();
        let table = read(&format!("[bounds]\n{text}")).unwrap();
        assert_eq!(table.kinds().collect::<Vec<_>>(), LimitKind::ALL);
        assert_eq!(
            table.longest(Duration::from_secs(30)),
            Duration::from_secs(30)
        );
        let table = read("[bounds.role.a]\ntime = 40.5\n").unwrap();
        assert_eq!(
            table.longest(Duration::from_secs(30)),
            Duration::from_millis(40_500)
        );
    }
}
