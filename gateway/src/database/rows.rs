//! The rows of a running statement as they arrive, and their columns as raw bytes.

use std::pin::Pin;

use bytes::{BufMut, BytesMut};
use futures_util::StreamExt;
use tokio::time::Instant;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type};
use tokio_postgres::{Row, RowStream};

use super::{Fault, Lease, is_stale};

type Opaque = Box<dyn std::error::Error + Sync + Send>;

/// A statement that runs. Dropping it before its end cancels it.
pub struct Rows {
    stream: Pin<Box<RowStream>>,
    lease: Lease,
    deadline: Instant,
}

/// The columns of a row in order, as [`sql::encode`] reads them.
#[derive(Debug)]
pub struct RowColumns<'a> {
    row: &'a Row,
    next: usize,
}

impl Rows {
    pub(super) async fn open(
        mut lease: Lease,
        statement: &str,
        parameters: &[Option<String>],
        deadline: Instant,
    ) -> Result<Rows, Fault> {
        let started = tokio::time::timeout_at(deadline, start(&mut lease, statement, parameters)).await;
        match started {
            Ok(Ok(stream)) => Ok(Rows { stream: Box::pin(stream), lease, deadline }),
            Ok(Err(fault)) => {
                lease.set_busy(false);
                if matches!(&fault, Fault::Refused(refusal) if is_stale(&refusal.sqlstate)) {
                    lease.forget(statement);
                }
                Err(fault)
            }
            Err(_) => Err(Fault::Late(lease.limit())),
        }
    }

    /// The next row, or none when the statement has ended well.
    pub async fn next(&mut self) -> Result<Option<Row>, Fault> {
        let Ok(next) = tokio::time::timeout_at(self.deadline, self.stream.next()).await else {
            return Err(Fault::Late(self.lease.limit()));
        };
        if !matches!(next, Some(Ok(_))) {
            self.lease.set_busy(false);
        }
        next.transpose().map_err(|error| Fault::of(&error, self.lease.limit()))
    }
}

impl std::fmt::Debug for Rows {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Rows").field("lease", &self.lease).finish_non_exhaustive()
    }
}

async fn start(lease: &mut Lease, statement: &str, parameters: &[Option<String>]) -> Result<RowStream, Fault> {
    let prepared = lease.prepare(statement).await?;
    lease.set_busy(true);
    let limit = lease.limit();
    let values = parameters.iter().map(|value| Text(value.as_deref()));
    lease.client()?.query_raw(&prepared, values).await.map_err(|error| Fault::of(&error, limit))
}

impl<'a> RowColumns<'a> {
    /// The columns of that row.
    pub fn new(row: &'a Row) -> RowColumns<'a> {
        RowColumns { row, next: 0 }
    }
}

impl<'a> sql::encode::Columns<'a> for RowColumns<'a> {
    fn next(&mut self) -> Result<Option<&'a [u8]>, sql::encode::Error> {
        let column = self.row.try_get::<_, Option<Raw<'a>>>(self.next);
        self.next += 1;
        column.map(|raw| raw.map(|Raw(bytes)| bytes)).map_err(|_| sql::encode::Error::FewColumns)
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

/// A parameter in text format, of whatever type the statement says. Its encoding cannot fail.
#[derive(Debug)]
pub struct Text<'a>(pub Option<&'a str>);

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
