//! Encodes the values of a request as parameters in Postgres' binary format.

use std::error::Error;

use bytes::BytesMut;
use postgres_protocol::types::uuid_to_sql;
use serde::Deserialize;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

/// The row that `insert_one` inserts.
#[derive(Debug, Deserialize)]
pub(crate) struct Note {
    pub(crate) subject_id: Key,
    pub(crate) title: String,
    pub(crate) body: String,
}

/// A uuid as a parameter.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "&str")]
pub(crate) struct Key(Uuid);

impl TryFrom<&str> for Key {
    type Error = uuid::Error;

    fn try_from(text: &str) -> Result<Key, uuid::Error> {
        text.parse().map(Key)
    }
}

impl ToSql for Key {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        uuid_to_sql(*self.0.as_bytes(), out);
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::UUID
    }

    to_sql_checked!();
}

/// A timestamp as a parameter: microseconds since 2000-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment(i64);

impl Moment {
    /// Parses `2024-02-29T12:00:00Z`, the only format that the benchmarks send.
    pub(crate) fn parse(text: &str) -> Option<Moment> {
        let shape = text.len() == 20 && text.get(10..11) == Some("T") && text.ends_with('Z');
        let number =
            |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok().filter(|_| shape);
        let days = days(number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let seconds = number(11, 13)? * 3_600 + number(14, 16)? * 60 + number(17, 19)?;
        Some(Moment((days * 86_400 + seconds) * 1_000_000))
    }
}

/// Days since 2000-01-01, by counting years from March:
/// <https://howardhinnant.github.io/date_algorithms.html>
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 730_425
}

impl ToSql for Moment {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&self.0.to_be_bytes());
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::TIMESTAMPTZ
    }

    to_sql_checked!();
}

/// JSON as Postgres wrote it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'r>(pub(crate) &'r [u8]);

impl<'r> FromSql<'r> for Json<'r> {
    fn from_sql(_: &Type, raw: &'r [u8]) -> Result<Json<'r>, Box<dyn Error + Sync + Send>> {
        Ok(Json(raw))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::JSON
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_parsed() {
        assert_eq!(Moment::parse("2000-01-01T00:00:00Z"), Some(Moment(0)));
        assert_eq!(
            Moment::parse("2000-03-01T00:00:01Z"),
            Some(Moment((60 * 86_400 + 1) * 1_000_000))
        );
        assert_eq!(
            Moment::parse("2024-02-29T12:00:00Z"),
            Some(Moment(762_523_200_000_000))
        );
        assert_eq!(Moment::parse("2024-02-29 12:00:00"), None);
    }
}
