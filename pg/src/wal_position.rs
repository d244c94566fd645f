//! Positions in the write-ahead log, as Postgres writes them: `16/B374D848`.
//! <https://www.postgresql.org/docs/current/datatype-pg-lsn.html>

use std::fmt;
use std::str::FromStr;

/// A position in the write-ahead log. A replica that has replayed it shows everything that was
/// committed before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct WalPosition(u64);

/// A text that is not a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a position in the write-ahead log, such as `16/B374D848`")]
pub struct WalPositionError;

impl WalPosition {
    /// The position as a number of bytes.
    pub fn bytes(self) -> u64 {
        self.0
    }
}

impl From<u64> for WalPosition {
    fn from(bytes: u64) -> WalPosition {
        WalPosition(bytes)
    }
}

impl FromStr for WalPosition {
    type Err = WalPositionError;

    fn from_str(text: &str) -> Result<WalPosition, WalPositionError> {
        let half = |text: &str| {
            if text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                u32::from_str_radix(text, 16).map_err(|_| WalPositionError)
            } else {
                Err(WalPositionError)
            }
        };
        let (high, low) = text.split_once('/').ok_or(WalPositionError)?;
        Ok(WalPosition(
            u64::from(half(high)?) << 32 | u64::from(half(low)?),
        ))
    }
}

impl fmt::Display for WalPosition {
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
            assert_eq!(text.parse::<WalPosition>().unwrap().to_string(), text);
        }
        assert!("0/2".parse::<WalPosition>().unwrap() < "1/1".parse().unwrap());
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
            assert_eq!(text.parse::<WalPosition>(), Err(WalPositionError), "{text}");
        }
    }
}
