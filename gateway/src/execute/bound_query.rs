//! The parameters with which a live query runs for one subscriber.

use pg::Parameters;

/// The parameters of one subscriber.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BoundQuery {
    /// The values of the statement's parameters.
    pub(super) values: Parameters,
    /// The parameters of each estimate that is fetched from the planner before the statement runs.
    pub(super) estimates: Vec<Parameters>,
    /// Whether a value may stand for the time at which it is read, such as `now` for a timestamp.
    reads_clock: bool,
}

impl BoundQuery {
    /// The parameters of the same stream at another position.
    pub fn at(&self, positions: &[usize], position: Vec<Option<String>>) -> BoundQuery {
        let mut moved = self.clone();
        for (index, value) in positions.iter().zip(position) {
            if let Some(parameter) = moved.values.get_mut(*index) {
                *parameter = value;
            }
        }
        moved
    }

    /// The position of a stream.
    pub fn position(&self, positions: &[usize]) -> Vec<Option<String>> {
        positions
            .iter()
            .map(|index| self.values.get(*index).cloned().flatten())
            .collect()
    }

    /// Parameters with those of the planner's estimates.
    pub(super) fn new(values: Parameters, estimates: Vec<Parameters>) -> BoundQuery {
        let reads_clock = values.iter().flatten().any(|value| names_clock(value));
        BoundQuery {
            values,
            estimates,
            reads_clock,
        }
    }

    /// Parameters of a query without estimates.
    pub fn from_values(values: Parameters) -> BoundQuery {
        BoundQuery::new(values, Vec::new())
    }

    /// The value of a parameter; none if it is null.
    pub fn value(&self, index: usize) -> Option<&str> {
        self.values.get(index)?.as_deref()
    }

    /// Whether a value may stand for the time at which it is read.
    pub fn reads_clock(&self) -> bool {
        self.reads_clock
    }

    /// The bytes of the values.
    pub fn bytes(&self) -> usize {
        self.values
            .iter()
            .chain(self.estimates.iter().flatten())
            .flatten()
            .map(String::len)
            .sum()
    }
}

/// Whether Postgres may read the text as a time relative to the current one: `now`, `today`,
/// `tomorrow 12:00`.
/// <https://www.postgresql.org/docs/15/datatype-datetime.html#DATATYPE-DATETIME-SPECIAL-VALUES>
pub(super) fn names_clock(text: &str) -> bool {
    const WORDS: [&str; 4] = ["now", "today", "tomorrow", "yesterday"];
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
    text.len() <= 64 && words.any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}
