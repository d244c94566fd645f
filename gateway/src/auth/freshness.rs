//! How long a response of another server may be cached, from `Cache-Control` and `Expires`.
//! <https://www.rfc-editor.org/rfc/rfc9111#section-4.2>

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a response may be cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freshness {
    /// For this time from now.
    For(Duration),
    /// Not at all.
    No,
    /// The response does not specify it.
    Unsaid,
}

impl Freshness {
    /// Reads the headers, or JSON members with their names. `Expires` counts if `Cache-Control`
    /// sets no lifetime.
    pub(super) fn from_header<'a>(
        header: impl Fn(&'static str) -> Option<&'a str>,
        now: SystemTime,
    ) -> Freshness {
        match header("cache-control").map_or(Freshness::Unsaid, cache_control) {
            Freshness::For(time) => {
                let age = header("age")
                    .and_then(|age| age.trim().parse().ok())
                    .map_or(Duration::ZERO, Duration::from_secs);
                positive(time.saturating_sub(age))
            }
            Freshness::No => Freshness::No,
            // An invalid date, such as `0`, counts as past.
            Freshness::Unsaid => header("expires").map_or(Freshness::Unsaid, |text| {
                positive(
                    date(text)
                        .and_then(|end| end.duration_since(now).ok())
                        .unwrap_or_default(),
                )
            }),
        }
    }

    /// Like [`Freshness::from_header`], for headers.
    pub(super) fn from_headers(headers: &http::HeaderMap, now: SystemTime) -> Freshness {
        Freshness::from_header(
            |name| headers.get(name).and_then(|value| value.to_str().ok()),
            now,
        )
    }
}

fn positive(time: Duration) -> Freshness {
    if time.is_zero() {
        Freshness::No
    } else {
        Freshness::For(time)
    }
}

/// `max-age=60, must-revalidate`: `no-cache` and `no-store` take precedence over an age.
fn cache_control(text: &str) -> Freshness {
    let mut lifetime = Freshness::Unsaid;
    for directive in text.split(',') {
        let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
        let seconds = || value.trim().trim_matches('"').parse::<u64>().ok();
        match (name.trim().to_ascii_lowercase().as_str(), lifetime) {
            ("no-cache" | "no-store", _) => return Freshness::No,
            ("must-revalidate", Freshness::Unsaid) => lifetime = Freshness::No,
            // The cache is shared by all requests, so `s-maxage` applies.
            ("s-maxage", _) => {
                lifetime =
                    seconds().map_or(Freshness::No, |age| positive(Duration::from_secs(age)));
            }
            ("max-age", _) if !text.to_ascii_lowercase().contains("s-maxage") => {
                lifetime =
                    seconds().map_or(Freshness::No, |age| positive(Duration::from_secs(age)));
            }
            _ => {}
        }
    }
    lifetime
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, the only format still in use.
fn date(text: &str) -> Option<SystemTime> {
    let (_, rest) = text.trim().strip_suffix(" GMT")?.split_once(", ")?;
    let mut words = rest.split(' ');
    let day = words.next()?;
    let month = words.next()?;
    let year = words.next()?;
    let time = words.next()?;
    let day: u64 = day.parse().ok()?;
    let year: u64 = year.parse().ok()?;
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let mut parts = time.split(':').map(|part| part.parse::<u64>().ok());
    let hour = parts.next()??;
    let minute = parts.next()??;
    let second = parts.next()??;
    let sound = (1..=31).contains(&day)
        && (1970..10_000).contains(&year)
        && hour < 24
        && minute < 60
        && second <= 60;
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    sound
        .then(|| UNIX_EPOCH + Duration::from_secs(seconds))
        .filter(|_| words.next().is_none())
}

/// Days from 1970 to a later date.
/// <https://howardhinnant.github.io/date_algorithms.html#days_from_civil>
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year / 400;
    let year_of_era = year % 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lifetime(pairs: &[(&str, &'static str)]) -> Freshness {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        Freshness::from_header(
            |name| {
                pairs
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, text)| *text)
            },
            now,
        )
    }

    fn secs(seconds: u64) -> Freshness {
        Freshness::For(Duration::from_secs(seconds))
    }

    #[test]
    fn cache_control_sets_the_lifetime() {
        let parsed = |text: &'static str| lifetime(&[("cache-control", text)]);
        assert_eq!(parsed("public, max-age=60"), secs(60));
        assert_eq!(parsed("Max-Age=\"60\", Must-Revalidate"), secs(60));
        assert_eq!(parsed("must-revalidate, max-age=60"), secs(60));
        assert_eq!(parsed("max-age=60, s-maxage=10"), secs(10));
        assert_eq!(parsed("s-maxage=10, max-age=60"), secs(10));
        for none in [
            "no-store",
            "no-cache, max-age=60",
            "max-age=60, no-store",
            "max-age=0",
            "must-revalidate",
            "max-age=x",
        ] {
            assert_eq!(parsed(none), Freshness::No, "{none}");
        }
        assert_eq!(parsed("public"), Freshness::Unsaid);
        assert_eq!(
            lifetime(&[("cache-control", "max-age=60"), ("age", "45")]),
            secs(15)
        );
        assert_eq!(
            lifetime(&[("cache-control", "max-age=60"), ("age", "60")]),
            Freshness::No
        );
    }

    #[test]
    fn expires_counts_without_cache_control() {
        let expires = |text: &'static str| lifetime(&[("expires", text)]);
        assert_eq!(expires("Sun, 06 Nov 1994 08:49:47 GMT"), secs(10));
        assert_eq!(expires("Sun, 06 Nov 1994 08:49:37 GMT"), Freshness::No);
        for past in [
            "0",
            "",
            "Sun, 06 Nov 1994",
            "Sun, 06 Nov 1994 08:49:99 GMT",
            "Thu, 01 Jan 1970 00:00:00 GMT",
        ] {
            assert_eq!(expires(past), Freshness::No, "{past}");
        }
        let both = [
            ("expires", "Sun, 06 Nov 1994 08:49:47 GMT"),
            ("cache-control", "max-age=5"),
        ];
        assert_eq!(lifetime(&both), secs(5));
        assert_eq!(lifetime(&[]), Freshness::Unsaid);
    }

    #[test]
    fn dates_are_parsed() {
        let since = |text| {
            date(text)
                .unwrap()
                .duration_since(UNIX_EPOCH)
                .unwrap()
                .as_secs()
        };
        assert_eq!(since("Thu, 01 Jan 1970 00:00:01 GMT"), 1);
        assert_eq!(since("Sun, 06 Nov 1994 08:49:37 GMT"), 784_111_777);
        assert_eq!(since("Thu, 29 Feb 2024 12:00:00 GMT"), 1_709_208_000);
        assert_eq!(since("Tue, 31 Dec 2999 23:59:59 GMT"), 32_503_679_999);
    }
}
