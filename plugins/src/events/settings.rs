//! `[events]` in the settings file: which files declare triggers, and how this gateway delivers.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use gateway::config::{ConfigError, ConfigTables};

/// The table's name.
const SECTION: &str = "events";

/// The settings of deliveries.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct EventSettings {
    /// Files of event triggers and schedules, relative to the settings file.
    pub(super) files: Vec<PathBuf>,
    /// Whether this gateway delivers events; those of others may.
    pub(super) deliver: bool,
    /// Whether the gateway installs its triggers in the database when it starts and reloads.
    pub(super) install: bool,
    /// How many events of a trigger the gateway delivers at a time, if the trigger does not say.
    pub(super) concurrency: usize,
    /// How many events of a trigger one statement claims.
    pub(super) batch: usize,
    /// How often the gateway looks for events that no notification announced.
    poll_seconds: u64,
    /// How long after the time limit of an attempt another gateway takes over an event that was not
    /// recorded.
    lease_seconds: u64,
    /// How long delivered events and the log of invocations are kept.
    retention_days: u64,
}

/// A number of the settings: its key, its value, and the greatest one.
type Number = (&'static str, fn(&EventSettings) -> u64, u64);

/// The numbers; each is at least 1.
const NUMBERS: [Number; 5] = [
    ("concurrency", |settings| settings.concurrency as u64, 1000),
    ("batch", |settings| settings.batch as u64, 10_000),
    ("poll_seconds", |settings| settings.poll_seconds, 3600),
    ("lease_seconds", |settings| settings.lease_seconds, 86_400),
    ("retention_days", |settings| settings.retention_days, 36_500),
];

impl Default for EventSettings {
    fn default() -> EventSettings {
        EventSettings {
            files: vec![],
            deliver: true,
            install: true,
            concurrency: 100,
            batch: 200,
            poll_seconds: 10,
            lease_seconds: 30,
            retention_days: 7,
        }
    }
}

impl EventSettings {
    /// Reads the settings; the defaults without the table.
    pub(super) fn read(sections: &ConfigTables) -> Result<EventSettings, ConfigError> {
        let mut settings = sections.read::<EventSettings>(SECTION)?.unwrap_or_default();
        for (name, number, most) in NUMBERS {
            if !(1..=most).contains(&number(&settings)) {
                return Err(sections.fault(SECTION, format!("`{name}` has to be from 1 to {most}")));
            }
        }
        settings
            .files
            .iter_mut()
            .for_each(|file| *file = sections.beside(&file));
        Ok(settings)
    }

    pub(super) fn poll(&self) -> Duration {
        Duration::from_secs(self.poll_seconds)
    }

    pub(super) fn lease(&self) -> Duration {
        Duration::from_secs(self.lease_seconds)
    }

    pub(super) fn retention(&self) -> Duration {
        Duration::from_secs(self.retention_days.saturating_mul(86_400))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_has_the_default_and_the_range_of_each_number() {
        let page =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/events.md"))
                .unwrap();
        let settings = EventSettings::default();
        for (name, number, most) in NUMBERS {
            let row = format!("| `{name}` | {} | 1 to {most} |", number(&settings));
            assert!(page.contains(&row), "{row}");
        }
    }
}
