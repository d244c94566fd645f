//! Runs statements on a plain connection: sends parameters as text, reads columns as raw bytes, and
//! encodes the rows as the JSON of their shape.

use futures_util::TryStreamExt;
use sql::encode::shape::{ColumnTypesChanged, ResponseShape, Shape};
use sql::encode::{self, Columns, LevelAssembler};
use tokio_postgres::{Client, Row};

use crate::domains::Domains;
use crate::plain::{RowColumns, Text};

/// Why a statement failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Postgres returned an error.
    #[error("{}", message(.0))]
    Database(#[from] tokio_postgres::Error),
    /// The rows do not match the shape.
    #[error(transparent)]
    Encode(#[from] encode::Error),
    /// The columns do not have the types that the shape was made for.
    #[error(transparent)]
    Changed(#[from] ColumnTypesChanged),
    /// A statement that returns one row returned this number of rows.
    #[error("{0} rows instead of one")]
    Rows(usize),
}

impl Error {
    /// The SQLSTATE, if Postgres returned an error.
    pub fn sqlstate(&self) -> Option<&str> {
        match self {
            Error::Database(error) => error.code().map(|code| code.code()),
            _ => None,
        }
    }
}

/// The session settings of the gateway's connections, which make text output independent of the
/// server's configuration.
pub const SETTINGS: &str = "SET timezone = 'UTC'; SET datestyle = 'ISO, MDY'; SET intervalstyle \
                            = 'postgres'; \
                            SET bytea_output = 'hex'; SET lc_monetary = 'C'";

/// Runs a statement and encodes its result, `{"key":…}`.
pub async fn answer(
    client: &Client,
    text: &str,
    parameters: &[Option<String>],
    shape: &Shape,
) -> Result<String, Error> {
    let prepared = client.prepare(text).await?;
    let types: Vec<u32> = prepared
        .columns()
        .iter()
        .map(|column| column.type_().oid())
        .collect();
    shape.check(&types)?;
    let mut shape = shape.clone();
    Domains::of(client).await?.renumber(&mut shape);
    let rows = rows(client, text, parameters).await?;
    let mut out = Vec::new();
    match &shape.response {
        ResponseShape::Row(fields) => {
            let [row] = rows.as_slice() else {
                return Err(Error::Rows(rows.len()));
            };
            encode::fields(fields, &mut RowColumns::new(row), &mut out)?;
        }
        ResponseShape::Rows { key, row: node } => {
            out.extend_from_slice(format!("{{{}[", key.as_str()).as_bytes());
            for (i, row) in rows.iter().enumerate() {
                out.extend_from_slice(if i > 0 { b"," } else { b"" });
                encode::row(node, &mut RowColumns::new(row), &mut out)?;
            }
            out.extend_from_slice(b"]}");
        }
        ResponseShape::One { key, row: node } => {
            out.extend_from_slice(format!("{{{}", key.as_str()).as_bytes());
            match rows.as_slice() {
                [] => out.extend_from_slice(b"null"),
                [row] => encode::row(node, &mut RowColumns::new(row), &mut out)?,
                rows => return Err(Error::Rows(rows.len())),
            }
            out.push(b'}');
        }
        ResponseShape::Levels(levels) => {
            let mut gathering = LevelAssembler::new(levels);
            levels.open(&mut out);
            for row in &rows {
                gathering.take(levels, &mut RowColumns::new(row), &mut out)?;
            }
            if !levels.allows(gathering.roots()) {
                return Err(Error::Rows(gathering.roots()));
            }
            levels.close(gathering.roots(), &mut out);
        }
        ResponseShape::Part(node) => {
            let [row] = rows.as_slice() else {
                return Err(Error::Rows(rows.len()));
            };
            if let Some(node) = node {
                encode::row(node, &mut RowColumns::new(row), &mut out)?;
            }
        }
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Runs statements in one transaction and rolls it back.
pub async fn rehearse(
    client: &Client,
    run: impl AsyncFnOnce(&Client) -> Result<String, super::request::Failure>,
) -> Result<String, super::request::Failure> {
    client.batch_execute("BEGIN").await.map_err(Error::from)?;
    let outcome = run(client).await;
    let settled = match outcome {
        Ok(_) => client.batch_execute("SET CONSTRAINTS ALL IMMEDIATE").await,
        Err(_) => Ok(()),
    };
    client
        .batch_execute("ROLLBACK")
        .await
        .map_err(Error::from)?;
    settled.map_err(Error::from)?;
    outcome
}

/// The only value of a statement's only row, as text.
pub async fn value(
    client: &Client,
    text: &str,
    parameters: &[Option<String>],
) -> Result<String, Error> {
    let rows = rows(client, text, parameters).await?;
    let [row] = rows.as_slice() else {
        return Err(Error::Rows(rows.len()));
    };
    let bytes = RowColumns::new(row).next()?.unwrap_or_default();
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// Encodes a shape that needs no row.
pub fn constant(shape: &Shape) -> Result<String, Error> {
    let mut out = Vec::new();
    match &shape.response {
        ResponseShape::Row(fields) => encode::fields(fields, &mut NoColumns, &mut out)?,
        _ => return Err(Error::Rows(0)),
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// The bytes of all columns of all rows.
pub async fn bytes(
    client: &Client,
    text: &str,
    parameters: &[Option<String>],
) -> Result<Vec<Vec<Option<Vec<u8>>>>, Error> {
    let all = |row: &Row| {
        let mut columns = RowColumns::new(row);
        (0..row.len())
            .map(|_| Ok(columns.next()?.map(<[u8]>::to_vec)))
            .collect::<Result<Vec<_>, encode::Error>>()
    };
    Ok(rows(client, text, parameters)
        .await?
        .iter()
        .map(all)
        .collect::<Result<_, _>>()?)
}

async fn rows(
    client: &Client,
    text: &str,
    parameters: &[Option<String>],
) -> Result<Vec<Row>, Error> {
    let prepared = client.prepare(text).await?;
    let stream = client
        .query_raw(
            &prepared,
            parameters.iter().map(|value| Text(value.as_deref())),
        )
        .await?;
    Ok(stream.try_collect().await?)
}

struct NoColumns;

impl<'a> Columns<'a> for NoColumns {
    fn next(&mut self) -> Result<Option<&'a [u8]>, encode::Error> {
        Err(encode::Error::FewColumns)
    }
}

fn message(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(database) => format!("{}: {}", database.code().code(), database.message()),
        None => error.to_string(),
    }
}
