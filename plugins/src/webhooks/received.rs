//! A webhook as it was received, before anything in it is believed. The methods of verification
//! read it.

use http::HeaderMap;
use http::header::HeaderName;

use super::refusal::Refusal;

/// Headers, query parameters and raw body of a request, and the time at which it arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received<'a> {
    pub(super) headers: &'a HeaderMap,
    pub(super) parameters: &'a [(String, String)],
    pub(super) body: &'a [u8],
    /// In seconds since 1970.
    pub(super) now: u64,
}

impl<'a> Received<'a> {
    /// The value of a header that has to be there once.
    pub(super) fn header(&self, name: &HeaderName) -> Result<&'a str, Refusal> {
        let mut values = self.headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (None, _) => Err(Refusal::MissingHeader),
            (Some(_), Some(_)) => Err(Refusal::RepeatedHeader),
            (Some(value), None) => value.to_str().map_err(|_| Refusal::MalformedSignature),
        }
    }

    /// The value of a query parameter that has to be there once.
    pub(super) fn parameter(&self, name: &str) -> Result<&'a str, Refusal> {
        let mut values = self.parameters.iter().filter(|(known, _)| known == name);
        match (values.next(), values.next()) {
            (None, _) => Err(Refusal::MissingParameter),
            (Some(_), Some(_)) => Err(Refusal::RepeatedParameter),
            (Some((_, value)), None) => Ok(value),
        }
    }

    /// Checks a time in seconds since 1970 against the tolerance in seconds, in both directions.
    pub(super) fn check_time(&self, time: &str, tolerance: u64) -> Result<(), Refusal> {
        let is_number = !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit());
        let time: u64 = time
            .parse()
            .ok()
            .filter(|_| is_number)
            .ok_or(Refusal::MalformedTime)?;
        match time.abs_diff(self.now) <= tolerance {
            true => Ok(()),
            false if time < self.now => Err(Refusal::Old),
            false => Err(Refusal::Future),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerance_is_inclusive_in_both_directions() {
        let headers = HeaderMap::new();
        let received = Received {
            headers: &headers,
            parameters: &[],
            body: b"",
            now: 1000,
        };
        assert_eq!(received.check_time("700", 300), Ok(()));
        assert_eq!(received.check_time("1300", 300), Ok(()));
        assert_eq!(received.check_time("699", 300), Err(Refusal::Old));
        assert_eq!(received.check_time("1301", 300), Err(Refusal::Future));
        for malformed in [
            "",
            "+1000",
            "-1",
            " 1000",
            "1e3",
            "1000.0",
            "99999999999999999999",
        ] {
            assert_eq!(
                received.check_time(malformed, 300),
                Err(Refusal::MalformedTime),
                "{malformed}"
            );
        }
    }

    #[test]
    fn headers_and_parameters_are_there_once() {
        let mut headers = HeaderMap::new();
        headers.append("x-a", "1".parse().unwrap());
        headers.append("x-b", "1".parse().unwrap());
        headers.append("x-b", "1".parse().unwrap());
        let parameters = [
            ("a".to_owned(), "1".to_owned()),
            ("b".to_owned(), "1".to_owned()),
            ("b".to_owned(), "1".to_owned()),
        ];
        let received = Received {
            headers: &headers,
            parameters: &parameters,
            body: b"",
            now: 0,
        };
        let header = |name| received.header(&HeaderName::from_static(name));
        assert_eq!(
            (header("x-a"), header("x-b"), header("x-c")),
            (
                Ok("1"),
                Err(Refusal::RepeatedHeader),
                Err(Refusal::MissingHeader)
            )
        );
        let parameter = |name| received.parameter(name);
        assert_eq!(
            (parameter("a"), parameter("b")),
            (Ok("1"), Err(Refusal::RepeatedParameter))
        );
        assert_eq!(parameter("c"), Err(Refusal::MissingParameter));
    }
}
