use std::collections::{BTreeSet, HashSet};

use chrono::NaiveDateTime;

use super::*;

/// What times that the clocks skip or repeat mean for a schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// Each instant with a matching time.
    RealTime,
    /// Each instant with a matching time, and the end of a gap with one.
    RealTimeAndGap,
    /// Each matching time once.
    Once,
}

use Rule::{Once, RealTime, RealTimeAndGap};

/// Schedules of all kinds. The seconds are few, so that the oracle may look at whole minutes.
const SCHEDULES: [(&str, Rule); 24] = [
    ("0 * * * *", RealTime),
    ("30 * * * *", RealTime),
    ("*/30 * * * *", RealTime),
    ("*/10 * * * *", RealTime),
    ("* * * * *", RealTime),
    ("0 */15 * * * *", RealTime),
    ("20,50 0-23 * * *", RealTime),
    ("@hourly", RealTime),
    ("*/10 * * * 0", RealTime),
    ("*/30 1-3 * * *", RealTimeAndGap),
    ("*/7 0,1,2,3 * * *", RealTimeAndGap),
    ("0,30 1-3 * * *", Once),
    ("0,30 2 * * *", Once),
    ("*/15 2 * * *", Once),
    ("15 2,3 * * *", Once),
    ("0 1-4 * * *", Once),
    ("0 */2 * * *", Once),
    ("30 2 * * *", Once),
    ("0 2 * * *", Once),
    ("0 0 * * *", Once),
    ("0 30 23 * * *", Once),
    ("15 1 * * 0", Once),
    ("0 3 L * *", Once),
    ("45 0-3 * 3,10 *", Once),
];

fn recurrence(expression: &str, zone: Tz) -> Recurrence {
    Recurrence::new(CronParser::new().parse(expression).unwrap(), zone)
}

fn local(zone: Tz, time: DateTime<Utc>) -> NaiveDateTime {
    time.with_timezone(&zone).naive_local()
}

/// The changes of a zone's clocks in two years, each with the seconds before and after.
fn changes(zone: Tz) -> Vec<(DateTime<Utc>, i64, i64)> {
    let ahead = |time: DateTime<Utc>| (local(zone, time) - time.naive_utc()).num_seconds();
    let mut time: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
    let end: DateTime<Utc> = "2028-01-01T00:00:00Z".parse().unwrap();
    let mut found = vec![];
    while time < end {
        let next = time + TimeDelta::hours(6);
        if ahead(time) != ahead(next) {
            let minutes = (1..=360).map(|minute| time + TimeDelta::minutes(minute));
            let change = minutes
                .into_iter()
                .find(|at| ahead(*at) != ahead(time))
                .unwrap();
            found.push((change, ahead(time), ahead(change)));
        }
        time = next;
    }
    found
}

/// The runs from one time up to another, minute by minute: the times of the wall clock are matched
/// in UTC, and looked up in the zone.
fn expected(
    expression: &str,
    rule: Rule,
    zone: Tz,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> BTreeSet<DateTime<Utc>> {
    let cron = CronParser::new().parse(expression).unwrap();
    let matches = |time: NaiveDateTime| cron.is_time_matching(&time.and_utc()).unwrap();
    let minutes = (0..(until - from).num_minutes()).map(|minute| from + TimeDelta::minutes(minute));
    let mut runs = BTreeSet::new();
    let mut before = local(zone, from - TimeDelta::minutes(1));
    let mut latest = before;
    for minute in minutes {
        let time = local(zone, minute);
        let skipped =
            (1..(time - before).num_minutes()).map(|skipped| before + TimeDelta::minutes(skipped));
        let is_new = time > latest;
        if matches(time) && (is_new || rule != Once)
            || rule != RealTime && skipped.into_iter().any(matches)
        {
            runs.insert(minute);
        }
        before = time;
        latest = latest.max(time);
    }
    runs
}

#[test]
fn no_run_is_lost_or_doubled_where_clocks_change() {
    let mut seen = HashSet::new();
    let mut walked = 0;
    for zone in chrono_tz::TZ_VARIANTS {
        let changes = changes(zone);
        // Zones with equal changes have equal runs.
        if !seen.insert(changes.clone()) {
            continue;
        }
        let sample = "2026-06-30T12:00:00Z".parse().unwrap();
        for change in changes.iter().map(|(change, ..)| *change).chain([sample]) {
            let from = change - TimeDelta::hours(26);
            let until = change + TimeDelta::hours(26);
            for (expression, rule) in SCHEDULES {
                let recurrence = recurrence(expression, zone);
                let runs =
                    std::iter::successors(recurrence.next(from - TimeDelta::seconds(1)), |run| {
                        recurrence.next(*run)
                    });
                let runs: BTreeSet<_> = runs.take_while(|run| *run < until).collect();
                assert_eq!(
                    runs,
                    expected(expression, rule, zone, from, until),
                    "{expression} in {zone} at {change}"
                );
                walked += 1;
            }
        }
    }
    assert!(walked > 1000, "{walked}");
}

/// Also from within a gap or a repeated hour, where a gateway starts or catches up.
#[test]
fn next_run_does_not_depend_on_where_it_is_looked_for() {
    for zone in [
        Tz::Europe__Berlin,
        Tz::America__New_York,
        Tz::Australia__Lord_Howe,
        Tz::Africa__Cairo,
    ] {
        for (change, ..) in changes(zone) {
            for (expression, _) in SCHEDULES {
                let recurrence = recurrence(expression, zone);
                let mut next = recurrence.next(change - TimeDelta::hours(3)).unwrap();
                for minute in -180..=180 {
                    let from = change + TimeDelta::minutes(minute);
                    if next <= from {
                        next = recurrence.next(next).unwrap();
                    }
                    assert_eq!(
                        recurrence.next(from),
                        Some(next),
                        "{expression} in {zone} after {from}"
                    );
                }
            }
        }
    }
}

#[test]
fn schedules_of_every_hour_run_as_often_as_in_utc() {
    for (zone, day) in [
        (Tz::Europe__Berlin, "2026-10-24T12:00:00Z"),
        (Tz::Europe__Berlin, "2026-03-28T12:00:00Z"),
        (Tz::Australia__Lord_Howe, "2026-04-04T06:00:00Z"),
        (Tz::Australia__Lord_Howe, "2026-10-03T06:00:00Z"),
        (Tz::America__Havana, "2026-11-01T00:00:00Z"),
    ] {
        let from: DateTime<Utc> = day.parse().unwrap();
        for (expression, runs) in [
            ("0 * * * *", 24),
            ("*/30 * * * *", 48),
            ("*/10 * * * *", 144),
            ("* * * * *", 1440),
        ] {
            // A clock that changes by half an hour moves full hours.
            if expression == "0 * * * *" && zone == Tz::Australia__Lord_Howe {
                continue;
            }
            let recurrence = recurrence(expression, zone);
            let all = std::iter::successors(recurrence.next(from), |run| recurrence.next(*run));
            let count = all
                .take_while(|run| *run <= from + TimeDelta::hours(24))
                .count();
            assert_eq!(count, runs, "{expression} in {zone} on {day}");
        }
    }
}

#[test]
fn seconds_follow_the_clock() {
    let from: DateTime<Utc> = "2026-10-25T00:30:09Z".parse().unwrap();
    let runs = |expression| {
        let recurrence = recurrence(expression, Tz::Europe__Berlin);
        let all = std::iter::successors(recurrence.next(from), |run| recurrence.next(*run));
        all.take_while(|run| *run < from + TimeDelta::minutes(60))
            .count()
    };
    assert_eq!([runs("*/10 * * * * *"), runs("*/20 30 2 * * *")], [360, 2]);
    let gap = recurrence("*/20 30 2 * * *", Tz::Europe__Berlin)
        .next("2026-03-28T12:00:00Z".parse().unwrap());
    assert_eq!(gap, Some("2026-03-29T01:00:00Z".parse().unwrap()));
}

#[test]
fn numbers_that_do_not_fit_their_field_are_faults() {
    for (expression, part) in [
        (
            "*/61 * * * *",
            "the step of `*/61` is larger than the field of the minutes",
        ),
        (
            "*/90 * * * * *",
            "`*/90` is larger than the field of the seconds",
        ),
        (
            "0 0,3/25 * * *",
            "`3/25` is larger than the field of the hours",
        ),
        ("0 0 */32 * *", "the days"),
        ("0 0 1 */13 *", "the months"),
        ("0 0 * * */9", "the days of the week"),
        (
            "0 22-2 * * *",
            "the range `22-2` of the hours goes backwards: write `22-23,0-2`",
        ),
        ("50-10/5 * * * *", "write `50-59,0-10`"),
    ] {
        assert!(
            fault_of_fields(expression).is_some_and(|fault| fault.contains(part)),
            "{expression}"
        );
    }
    for fine in [
        "*/60 * * * *",
        "*/5 */24 * * *",
        "0 2-22 * * 1-5",
        "@daily",
        "0 0 L * FRI#2",
        "1 2 3",
    ] {
        assert_eq!(fault_of_fields(fine), None, "{fine}");
    }
}

#[test]
fn refused_expressions_name_the_field_and_how_to_write_it() {
    for (expression, parts) in [
        ("0 22-2 * * *", &["`22-2`", "hours", "`22-23,0-2`"][..]),
        (
            "0 9 * * FRI-MON",
            &["`FRI-MON`", "days of the week", "`5-7,0-1`"],
        ),
        ("0 9 1 nov-feb *", &["`nov-feb`", "months", "`11-12,1-2`"]),
        ("61 * * * *", &["`61`", "minutes", "0 to 59"]),
        ("0 24 * * *", &["`24`", "hours", "0 to 23"]),
        ("0 0 0 * *", &["`0`", "days", "1 to 31"]),
        ("0 0 * 13 *", &["`13`", "months", "1 to 12"]),
        ("0 0 * * 8", &["`8`", "days of the week", "0 to 7"]),
        ("0 0 * * MOON", &["`MOON`", "days of the week"]),
        ("60 0 0 * * *", &["`60`", "seconds", "0 to 59"]),
        ("0 1,2,25 * * *", &["`25`", "hours"]),
        ("*/0 * * * *", &["`*/0`", "minutes"]),
        ("*/61 * * * *", &["`*/61`", "minutes"]),
        ("a * * * *", &["`a`", "minutes"]),
        ("- * * * *", &["`-`", "minutes"]),
        ("0 -1 * * *", &["`-1`", "hours"]),
        ("* * * *", &["4 fields", "minutes, hours"]),
        ("0 0 0 * * * 2030", &["7 fields", "seconds first"]),
        ("", &["0 fields"]),
    ] {
        let fault = parse(expression).map(drop).unwrap_err();
        for part in parts {
            assert!(fault.contains(part), "{expression}: {fault}");
        }
        assert!(
            !fault.contains("Component error") && !fault.ends_with('.'),
            "{expression}: {fault}"
        );
    }
    for fine in [
        "* * * * *",
        "0 22-23,0-2 * * *",
        "30 0 9 * JAN-MAR MON-FRI",
        "@daily",
        "0 0 L * FRI#2",
        "0 9 * * 5-7,0-1",
    ] {
        assert!(parse(fine).is_ok(), "{fine}");
    }
}
