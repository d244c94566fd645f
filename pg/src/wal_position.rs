//! Positions in the write-ahead log: within a timeline, as Postgres writes them (`16/B374D848`),
//! and with the timeline (`2-16/B374D848`), since a failover begins a new one at an earlier
//! position.
//! <https://www.postgresql.org/docs/current/datatype-pg-lsn.html>

use std::fmt;
use std::str::FromStr;

/// A position in the write-ahead log of a timeline. A replica on this timeline that has replayed it
/// shows everything that was committed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WalPosition {
    /// The timeline.
    pub timeline: u32,
    pub(crate) lsn: Lsn,
}

/// A position within a timeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lsn(u64);

/// A text that is not a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a position in the write-ahead log, such as `2-16/B374D848`")]
pub struct WalPositionError;

impl Lsn {
    /// The position as a number of bytes.
    pub(crate) fn bytes(self) -> u64 {
        self.0
    }
}

impl From<u64> for Lsn {
    fn from(bytes: u64) -> Lsn {
        Lsn(bytes)
    }
}

impl WalPosition {
    /// Reads the name of a file of the log, which begins with its timeline, and a position.
    pub(crate) fn from_file_and_lsn(text: &str) -> Option<WalPosition> {
        let (file, lsn) = text.split_once(' ')?;
        let timeline = u32::from_str_radix(file.get(..8)?, 16).ok()?;
        let lsn = lsn.parse().ok()?;
        Some(WalPosition { timeline, lsn })
    }
}

impl FromStr for WalPosition {
    type Err = WalPositionError;

    fn from_str(text: &str) -> Result<WalPosition, WalPositionError> {
        let (timeline, lsn) = text.split_once('-').ok_or(WalPositionError)?;
        if !timeline.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(WalPositionError);
        }
        let timeline = timeline.parse().map_err(|_| WalPositionError)?;
        let lsn = lsn.parse()?;
        Ok(WalPosition { timeline, lsn })
    }
}

impl fmt::Display for WalPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.timeline, self.lsn)
    }
}

impl FromStr for Lsn {
    type Err = WalPositionError;

    fn from_str(text: &str) -> Result<Lsn, WalPositionError> {
        let half = |text: &str| {
            if text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                u32::from_str_radix(text, 16).map_err(|_| WalPositionError)
            } else {
                Err(WalPositionError)
            }
        };
        let (high, low) = text.split_once('/').ok_or(WalPositionError)?;
        Ok(Lsn(u64::from(half(high)?) << 32 | u64::from(half(low)?)))
    }
}

impl fmt::Display for Lsn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:X}/{:X}", self.0 >> 32, self.0 & 0xffff_ffff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_and_written_as_postgres_does() {
        for text in ["0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF"] {
            assert_eq!(text.parse::<Lsn>().unwrap().to_string(), text);
        }
        assert!("0/2".parse::<Lsn>().unwrap() < "1/1".parse().unwrap());
        for text in [
            "",
            "1",
            "/",
            "1/",
            "+1/1",
            "1/1/1",
            "1/x",
            "100000000/0",
            "1/ 1",
        ] {
            assert_eq!(text.parse::<Lsn>(), Err(WalPositionError), "{text}");
        }
    }

    #[test]
    fn positions_of_a_later_timeline_are_greater() {
        let position = |text: &str| text.parse::<WalPosition>();
        let later = position("2-0/5").unwrap();
        assert_eq!(later.to_string(), "2-0/5");
        assert!(later > position("1-FF/0").unwrap());
        let read = WalPosition::from_file_and_lsn("0000001A0000000200000003 2/3000148");
        assert_eq!(read, position("26-2/3000148").ok());
        for text in [
            "",
            "0/5",
            "-0/5",
            "2-",
            "+2-0/5",
            "2-0",
            "4294967296-0/5",
            "2-0/5-1",
        ] {
            assert_eq!(position(text), Err(WalPositionError), "{text}");
        }
    }
}
