//! Computes the keys and timestamps of the rows without a query: `bench/work/data.sql` computes
//! them with the same formulas.

use super::ROWS;

/// How much data there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// The number of subjects, from which all other numbers follow.
    pub subjects: u32,
}

impl Data {
    /// The data that is measured.
    pub const WHOLE: Data = Data { subjects: 200_000 };

    /// Enough to compare responses, loaded in about a second.
    pub const SMALL: Data = Data { subjects: 3_000 };

    /// The number of users, each with one to five controllers.
    pub const USERS: u32 = 3_000;

    /// The statements that insert the rows and collect statistics.
    pub fn script(self) -> String {
        format!("SET bench.subjects = {};\n{ROWS}", self.subjects)
    }

    /// The number of controllers.
    pub fn controllers(self) -> u32 {
        (self.subjects / 1_000).max(10)
    }

    /// The number of controllers, counted from the first, whose subjects have requests.
    pub fn busy_controllers(self) -> u32 {
        self.controllers() / 5
    }
}

/// The key of the `number`th controller, from 1.
pub(super) fn controller(number: u32) -> String {
    key(1, number)
}

/// The key of the `number`th user, from 1.
pub(super) fn user(number: u32) -> String {
    key(2, number)
}

/// The key of the `number`th subject, from 1.
pub(crate) fn subject(number: u32) -> String {
    key(3, number)
}

fn key(kind: u32, number: u32) -> String {
    let scattered = u64::from(number) * 2_654_435_761 % (1 << 32);
    format!("{scattered:08x}-{kind:04}-4000-8000-{number:012x}")
}

/// The approximate creation time of the `number`th subject, to the second: `2024-02-29T12:00:00Z`.
pub(super) fn moment(number: u32) -> String {
    let seconds = u64::from(number) * 1_234_567 / 10_000;
    let days = seconds / 86_400;
    let rest = seconds % 86_400;
    let (year, month, day) = date(days);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        rest / 3_600,
        rest / 60 % 60,
        rest % 60
    )
}

/// The day that comes `days` after 2024-01-01.
fn date(mut days: u64) -> (u64, u64, u64) {
    let mut year = 2024;
    while days >= days_in(year) {
        days -= days_in(year);
        year += 1;
    }
    let february = days_in(year) - 337;
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

fn days_in(year: u64) -> u64 {
    if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) {
        366
    } else {
        365
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_timestamps_match_the_script() {
        assert_eq!(subject(123_456), "00fdae40-0003-4000-8000-00000001e240");
        assert_eq!(controller(1), "9e3779b1-0001-4000-8000-000000000001");
        assert_eq!(moment(0), "2024-01-01T00:00:00Z");
        assert_eq!(moment(200_000), "2024-10-12T18:42:20Z");
        assert_eq!(date(59), (2024, 2, 29));
        assert_eq!(date(366 + 364), (2025, 12, 31));
    }
}
