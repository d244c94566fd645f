//! Encodes parameters and decodes rows with the client library `tokio-postgres`, as the gateway's
//! own connections do: parameters as text, the columns of a row as raw bytes.

use bytes::{BufMut, BytesMut};
use tokio_postgres::Row;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type};

type Opaque = Box<dyn std::error::Error + Sync + Send>;

/// The columns of a row in order, as [`sql::encode`] reads them.
#[derive(Debug)]
pub struct RowColumns<'a> {
    row: &'a Row,
    next: usize,
}

/// A parameter in text format; the statement determines its type. Encoding it cannot fail.
#[derive(Debug)]
pub struct Text<'a>(pub Option<&'a str>);

impl<'a> RowColumns<'a> {
    /// The columns of this row.
    pub fn new(row: &'a Row) -> RowColumns<'a> {
        RowColumns { row, next: 0 }
    }
}

impl<'a> sql::encode::Columns<'a> for RowColumns<'a> {
    fn next(&mut self) -> Result<Option<&'a [u8]>, sql::encode::Error> {
        let column = self.row.try_get::<_, Option<Raw<'a>>>(self.next);
        self.next += 1;
        column
            .map(|raw| raw.map(|Raw(bytes)| bytes))
            .map_err(|_| sql::encode::Error::FewColumns)
    }
}

/// The bytes of a value of any type.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Raw<'a>, Opaque> {
        Ok(Raw(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl ToSql for Text<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Opaque> {
        match self.0 {
            Some(text) => {
                out.put_slice(text.as_bytes());
                Ok(IsNull::No)
            }
            None => Ok(IsNull::Yes),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    tokio_postgres::types::to_sql_checked!();
}
