//! When a cron schedule runs, in a time zone whose clocks change.
//!
//! The crate croner finds times of the wall clock, as if the zone had no changes. This file finds
//! the instants that have these times:
//!
//! | | clocks go forward: the times of the gap | clocks go back: the times that come twice |
//! |---|---|---|
//! | every hour (`* * * * *`, `*/10 * * * *`) | do not run | run twice, so that the runs follow real time |
//! | every few minutes of several hours (`*/30 1-3 * * *`) | run once, at the end of the gap | run twice |
//! | all others | run once, at the end of the gap | run once, at the first |

use chrono::{DateTime, LocalResult, Offset, TimeDelta, TimeZone, Timelike, Utc};
use chrono_tz::Tz;
use croner::Cron;
use croner::errors::CronError;
use croner::parser::{CronParser, Seconds, Year};

/// A cron expression in a time zone.
#[derive(Debug)]
pub(super) struct Recurrence {
    cron: Cron,
    zone: Tz,
    /// Whether the expression has every hour.
    is_hourly: bool,
    /// Whether times that come twice run twice.
    is_repeated: bool,
}

/// How far apart changes of a zone's clocks are at least.
const MIN_OFFSET_CHANGE_INTERVAL: TimeDelta = TimeDelta::hours(12);

impl Recurrence {
    pub(super) fn new(cron: Cron, zone: Tz) -> Recurrence {
        let hours = (0..24)
            .filter(|hour| cron.pattern.hour_match(*hour).unwrap_or(false))
            .count();
        let is_hourly = hours == 24;
        let is_repeated = is_hourly || cron.pattern.minutes.from_wildcard && hours > 1;
        Recurrence {
            cron,
            zone,
            is_hourly,
            is_repeated,
        }
    }

    /// The first run after a time; `None` if there is none.
    pub(super) fn next(&self, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let mut from = after.with_nanosecond(0)?;
        let mut time = self.match_after(from + self.offset(from), false)?;
        loop {
            let offset = self.offset(from);
            let run = time - offset;
            let Some(change) = self.change(from, run) else {
                if self.is_repeated || self.is_first(run, time) {
                    return Some(run);
                }
                time = self.match_after(time, false)?;
                continue;
            };
            // No time before the change matches. The clock goes from `change + offset` to
            // `resumed`.
            let resumed = change + self.offset(change);
            if time < resumed && !self.is_hourly {
                return Some(change);
            }
            from = change;
            time = self.match_after(resumed, true)?;
        }
    }

    /// The first time of the wall clock that the expression matches. It is written in UTC, which
    /// has no changes.
    fn match_after(&self, time: DateTime<Utc>, inclusive: bool) -> Option<DateTime<Utc>> {
        self.cron.find_next_occurrence(&time, inclusive).ok()
    }

    /// How far the wall clock is ahead of UTC.
    fn offset(&self, time: DateTime<Utc>) -> TimeDelta {
        let offset = self.zone.offset_from_utc_datetime(&time.naive_utc()).fix();
        TimeDelta::seconds(offset.local_minus_utc().into())
    }

    /// Whether an instant is the first one with its time of the wall clock.
    fn is_first(&self, run: DateTime<Utc>, time: DateTime<Utc>) -> bool {
        match self.zone.from_local_datetime(&time.naive_utc()) {
            LocalResult::Ambiguous(first, _) => first == run,
            LocalResult::Single(_) | LocalResult::None => true,
        }
    }

    /// The first instant of another offset after `from`, up to `until`.
    fn change(&self, from: DateTime<Utc>, until: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let before = self.offset(from);
        let mut low = from;
        let mut high = from;
        while self.offset(high) == before {
            if high >= until {
                return None;
            }
            low = high;
            high = (high + MIN_OFFSET_CHANGE_INTERVAL).min(until);
        }
        while high - low > TimeDelta::seconds(1) {
            let middle = low + TimeDelta::seconds((high - low).num_seconds() / 2);
            *(if self.offset(middle) == before {
                &mut low
            } else {
                &mut high
            }) = middle;
        }
        Some(high)
    }
}

/// The fields of an expression with seconds, and their least and greatest numbers.
const FIELDS: [(&str, u16, u16); 6] = [
    ("seconds", 0, 59),
    ("minutes", 0, 59),
    ("hours", 0, 23),
    ("days", 1, 31),
    ("months", 1, 12),
    ("days of the week", 0, 7),
];

/// The names that numbers of months and of days of the week have; the first is 1, or 0.
const MONTHS: [&str; 12] = [
    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
];
const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// Parses an expression of five fields, or of six with seconds.
///
/// Errors: what is wrong with which field, and how to write it.
pub(super) fn parse(expression: &str) -> Result<Cron, String> {
    if let Some(fault) = fault_of_fields(expression) {
        return Err(fault);
    }
    let parser = CronParser::builder()
        .seconds(Seconds::Optional)
        .year(Year::Disallowed)
        .build();
    parser
        .parse(expression)
        .map_err(|error| fault_of_parser(&parser, expression, &error))
}

/// What is wrong with an expression that the crate refuses. Its messages name no field, so each
/// part is parsed alone.
fn fault_of_parser(parser: &CronParser, expression: &str, error: &CronError) -> String {
    let written: Vec<&str> = expression.split_whitespace().collect();
    let Some(known) = fields_of(&written) else {
        let count = written.len();
        return if expression.trim_start().starts_with('@') {
            format!("{error}").trim_end_matches('.').to_owned()
        } else {
            format!(
                "it has {count} fields: write the five fields minutes, hours, days, months \
                     and days of the week, or six \
                     with the seconds first"
            )
        };
    };
    let is_refused = |index: usize, part: &str| {
        let fields = (0..known.len()).map(|field| if field == index { part } else { "*" });
        parser.parse(&fields.collect::<Vec<_>>().join(" ")).is_err()
    };
    for (position, ((field, least, greatest), text)) in known.iter().zip(&written).enumerate() {
        if let Some(part) = text.split(',').find(|part| is_refused(position, part)) {
            return format!(
                "`{part}` is not one of the {field}: write numbers from {least} to \
                            {greatest}, as in `{least}`, \
                            `{least}-{greatest}`, `{least},{greatest}`, `*` or `*/2`"
            );
        }
    }
    format!("{error}").trim_end_matches('.').to_owned()
}

/// The fields of an expression that is written in so many parts.
fn fields_of(written: &[&str]) -> Option<&'static [(&'static str, u16, u16)]> {
    if written.len() < FIELDS.len() - 1 {
        return None;
    }
    FIELDS.get(FIELDS.len().checked_sub(written.len())?..)
}

/// What is wrong with the numbers of an expression, where the crate has no message or an unclear
/// one: a step that never ends within its field, and a range that goes backwards.
fn fault_of_fields(expression: &str) -> Option<String> {
    let written: Vec<&str> = expression.split_whitespace().collect();
    fields_of(&written)?
        .iter()
        .zip(written)
        .find_map(|((field, least, greatest), text)| {
            text.split(',').find_map(|part| {
                let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| {
                    (range, step.parse::<u16>().ok())
                });
                if step.is_some_and(|step| step > greatest - least + 1) {
                    return Some(format!(
                        "the step of `{part}` is larger than the field of the {field}"
                    ));
                }
                let (first, last) = range.split_once('-')?;
                let first = number_of(field, first)?;
                let last = number_of(field, last)?;
                let is_backwards = last < first && first <= *greatest;
                is_backwards.then(|| {
                    format!(
                        "the range `{range}` of the {field} goes backwards: \
                                              write `{first}-{greatest},{least}-{last}`"
                    )
                })
            })
        })
}

/// The number that a number or a name of a field stands for.
fn number_of(field: &str, text: &str) -> Option<u16> {
    let named = |names: &[&str], first: usize| {
        let index = names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(text))?;
        u16::try_from(index + first).ok()
    };
    text.parse().ok().or_else(|| match field {
        "months" => named(&MONTHS, 1),
        "days of the week" => named(&DAYS, 0),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
