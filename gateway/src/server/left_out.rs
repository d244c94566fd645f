//! What a reload that the gateway starts itself leaves out, because it does not fit the database
//! any more: one line in the log for each thing, and a gauge. At other reloads, and at the start,
//! such a thing is an error.

use permissions::{Diagnostic, DiagnosticKind};

use crate::execute::schema_version::Misfits;
use crate::plugin::{Activation, PluginError};
use crate::telemetry::metrics::Metrics;

/// The parts of a version that may have things left out: the values of the gauge's label.
const PARTS: [&str; 4] = ["permissions", "actions", "rest_map", "plugins"];

/// What is left out of a version.
#[derive(Debug)]
pub(super) struct LeftOutParts {
    misfits: Misfits,
    /// The part of each thing, and its error.
    things: Vec<(&'static str, String)>,
}

impl LeftOutParts {
    pub(super) fn new(misfits: Misfits) -> LeftOutParts {
        LeftOutParts {
            misfits,
            things: vec![],
        }
    }

    pub(super) fn misfits(&self) -> Misfits {
        self.misfits
    }

    /// The activation of a plugin. One that is not ready stays as it was.
    pub(super) fn plugin(
        &mut self,
        name: &str,
        prepared: Result<Activation, PluginError>,
    ) -> Result<Option<Activation>, PluginError> {
        match prepared {
            Ok(activation) => Ok(Some(activation)),
            Err(error) if self.misfits == Misfits::LeaveOut => {
                self.things
                    .push(("plugins", format!("{name} stays as it was: {error}")));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Leaves out the things that have these problems.
    pub(super) fn add<F: DiagnosticKind>(
        &mut self,
        part: &'static str,
        problems: &[Diagnostic<F>],
    ) {
        self.things.extend(problems.iter().map(|problem| {
            let location = problem.span();
            (
                part,
                format!(
                    "{}:{}: {}",
                    location.file().name,
                    location.line(),
                    problem.message()
                ),
            )
        }));
    }

    /// Logs each thing, and sets the gauges.
    pub(super) fn report(&self, metrics: &Metrics) {
        for (part, error) in &self.things {
            tracing::error!(part, "left out, because the database has changed: {error}");
        }
        for part in PARTS {
            let count = self.things.iter().filter(|(of, _)| *of == part).count();
            metrics
                .left_out
                .with_label_values(&[part])
                .set(i64::try_from(count).unwrap_or(i64::MAX));
        }
    }
}
