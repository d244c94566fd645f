//! The report of an import: the outcome for each construct of the metadata, as text and as JSON.

use std::fmt::Write;

use serde::Serialize;

/// The outcomes of all constructs, in the order in which they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    entries: Vec<Entry>,
}

/// The outcome of one construct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The construct's place in the metadata: `table articles, role user, select`.
    pub construct: String,
    /// Its outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The outcome of a construct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It was imported with its exact meaning.
    Carried,
    /// It was imported with a slightly different meaning.
    Approximated {
        /// The difference.
        how: String,
    },
    /// It was not imported.
    Refused {
        /// The reason.
        why: String,
    },
}

impl Report {
    /// Returns all entries.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether no construct was refused.
    pub fn is_complete(&self) -> bool {
        !self
            .entries
            .iter()
            .any(|entry| matches!(entry.outcome, Outcome::Refused { .. }))
    }

    /// Writes the report as text, grouped by outcome, the most severe first.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let detail = |outcome: &Outcome| match outcome {
            Outcome::Refused { why } => Some(format!(": {why}")),
            Outcome::Approximated { how } => Some(format!(": {how}")),
            Outcome::Carried => Some(String::new()),
        };
        for (title, kind) in [("refused", 2), ("approximated", 1), ("carried over", 0)] {
            let of_kind: Vec<&Entry> = self
                .entries
                .iter()
                .filter(|entry| entry.outcome.kind() == kind)
                .collect();
            if of_kind.is_empty() {
                continue;
            }
            let _ = writeln!(text, "{title} ({}):", of_kind.len());
            for entry in of_kind {
                let _ = writeln!(
                    text,
                    "  {}{}",
                    entry.construct,
                    detail(&entry.outcome).unwrap_or_default()
                );
            }
        }
        text
    }

    /// Writes the report as a JSON document, with counts by outcome.
    pub fn json(&self) -> String {
        let count = |kind| {
            self.entries
                .iter()
                .filter(|entry| entry.outcome.kind() == kind)
                .count()
        };
        let counts = serde_json::json!({
            "carried": count(0), "approximated": count(1), "refused": count(2),
        });
        serde_json::json!({ "counts": counts, "constructs": self.entries }).to_string()
    }

    pub(crate) fn carried(&mut self, construct: impl Into<String>) {
        self.add(construct, Outcome::Carried);
    }

    pub(crate) fn approximated(&mut self, construct: impl Into<String>, how: impl Into<String>) {
        self.add(construct, Outcome::Approximated { how: how.into() });
    }

    pub(crate) fn refused(&mut self, construct: impl Into<String>, why: impl Into<String>) {
        self.add(construct, Outcome::Refused { why: why.into() });
    }

    fn add(&mut self, construct: impl Into<String>, outcome: Outcome) {
        self.entries.push(Entry {
            construct: construct.into(),
            outcome,
        });
    }
}

impl Outcome {
    /// The severity of the outcome, 0 to 2.
    fn kind(&self) -> u8 {
        match self {
            Outcome::Carried => 0,
            Outcome::Approximated { .. } => 1,
            Outcome::Refused { .. } => 2,
        }
    }
}
