//! The error of a request that exceeds a rate limit, as the client reads it.

use std::time::Duration;

use http::HeaderValue;

/// The error of a request that exceeded a rate limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLimitExceeded {
    /// The rule's name.
    pub rule: String,
    /// How many requests the rule allows …
    pub rate: u32,
    /// … in this time.
    pub every: Duration,
    /// How many requests it allows at once.
    pub burst: u32,
    /// Whether the requests are so many together that they never fit.
    pub never: bool,
    /// How long to wait before trying again.
    pub wait: Duration,
}

impl RateLimitExceeded {
    /// The value of `Retry-After`; none if no time is long enough.
    pub fn retry_after(&self) -> Option<HeaderValue> {
        (!self.never).then(|| whole_seconds(self.wait).max(1).into())
    }
}

impl std::fmt::Display for RateLimitExceeded {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let RateLimitExceeded {
            rule, rate, burst, ..
        } = self;
        let every = seconds(self.every.as_secs_f64());
        write!(
            formatter,
            "too many requests: the limit '{rule}' is {rate} in {every}"
        )?;
        if self.never {
            write!(formatter, ", and {burst} at once; the batch is larger")
        } else {
            write!(
                formatter,
                "; try again in {}",
                seconds(whole_seconds(self.wait).max(1) as f64)
            )
        }
    }
}

fn seconds(number: f64) -> String {
    if number == 1.0 {
        "1 second".into()
    } else {
        format!("{number} seconds")
    }
}

/// The time in seconds, rounded up.
pub fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(wait: u64, never: bool) -> String {
        let every = Duration::from_secs(60);
        let wait = Duration::from_millis(wait);
        RateLimitExceeded {
            rule: "address".into(),
            rate: 100,
            every,
            burst: 200,
            never,
            wait,
        }
        .to_string()
    }

    #[test]
    fn message_names_the_limit_its_value_and_the_wait() {
        assert_eq!(
            refused(1001, false),
            "too many requests: the limit 'address' is 100 in 60 seconds; try again in 2 seconds"
        );
        assert!(refused(1, false).ends_with("try again in 1 second"));
        assert!(refused(1, true).ends_with("and 200 at once; the batch is larger"));
    }
}
