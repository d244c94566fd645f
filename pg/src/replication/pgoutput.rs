//! Reads the messages of the output plugin `pgoutput`, protocol version 1, from the bytes that
//! Postgres sends. Values are borrowed from these bytes and never copied. What a change means is
//! left to the caller.
//! <https://www.postgresql.org/docs/15/protocol-logicalrep-message-formats.html>

use std::time::{Duration, SystemTime};

use tokio_postgres::types::Oid;

/// A message of a transaction that has committed. Transactions follow each other in the order of
/// their commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogicalMessage<'b> {
    /// A transaction begins.
    Begin {
        /// The id of the transaction, without its epoch.
        xid: u32,
        /// The server's time of the commit.
        committed_at: SystemTime,
    },
    /// The transaction ends.
    Commit,
    /// A table whose rows the next messages contain.
    Relation(ReplicatedTable),
    /// A new row.
    Insert {
        /// The table.
        table: Oid,
        /// The row.
        new: Tuple<'b>,
    },
    /// A changed row.
    Update {
        /// The table.
        table: Oid,
        /// The row before, if Postgres sends it: with the replica identity `FULL`, or if a column
        /// of the identity has changed. Then only the columns of the identity have values.
        old: Option<Tuple<'b>>,
        /// The row after.
        new: Tuple<'b>,
    },
    /// A deleted row.
    Delete {
        /// The table.
        table: Oid,
        /// The row before; without the replica identity `FULL` only the columns of the identity
        /// have values.
        old: Tuple<'b>,
    },
    /// Emptied tables.
    Truncate(Vec<Oid>),
    /// A message that changes no rows: types, origins.
    Other,
}

/// A table as it is sent before its first change, and again after it was altered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicatedTable {
    /// The OID.
    pub oid: Oid,
    /// Whether the replica identity is `REPLICA_IDENTITY_FULL`: old rows are sent whole.
    pub is_full: bool,
    /// The columns in the order of the rows.
    pub columns: Vec<ReplicatedColumn>,
}

/// A column of a replicated table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicatedColumn {
    /// The name.
    pub name: String,
    /// The OID of the type.
    pub data_type: Oid,
    /// Whether the column is part of the replica identity.
    pub is_identity: bool,
}

/// A row, or the part of it that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuple<'b> {
    count: u16,
    bytes: &'b [u8],
}

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TupleValue<'b> {
    /// Null, or not sent.
    Null,
    /// A long value that the statement has not changed, which is therefore not sent.
    Unchanged,
    /// The text form of the value.
    Text(&'b [u8]),
}

/// Bytes that are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed message of logical replication")]
pub struct Malformed;

/// The replica identity `REPLICA_IDENTITY_FULL` in a relation message.
const REPLICA_IDENTITY_FULL: u8 = b'f';

/// The flag of a column that is part of the replica identity.
const IDENTITY_COLUMN_FLAG: u8 = 1;

/// From the epoch of Unix to that of Postgres.
const POSTGRES_EPOCH: Duration = Duration::from_secs(946_684_800);

impl<'b> LogicalMessage<'b> {
    /// Reads a message.
    pub fn read(bytes: &'b [u8]) -> Result<LogicalMessage<'b>, Malformed> {
        let mut reader = Reader(bytes);
        match reader.byte()? {
            b'B' => {
                reader.u64()?;
                let committed_at = time(reader.u64()?);
                Ok(LogicalMessage::Begin {
                    committed_at,
                    xid: reader.u32()?,
                })
            }
            b'C' => Ok(LogicalMessage::Commit),
            b'R' => reader.relation().map(LogicalMessage::Relation),
            b'I' => {
                let table = reader.u32()?;
                reader.expect(b"N")?;
                Ok(LogicalMessage::Insert {
                    table,
                    new: reader.tuple()?,
                })
            }
            b'U' => {
                let table = reader.u32()?;
                let old = match reader.expect(b"KON")? {
                    b'N' => None,
                    _ => {
                        let old = reader.tuple()?;
                        reader.expect(b"N")?;
                        Some(old)
                    }
                };
                Ok(LogicalMessage::Update {
                    table,
                    old,
                    new: reader.tuple()?,
                })
            }
            b'D' => {
                let table = reader.u32()?;
                reader.expect(b"KO")?;
                Ok(LogicalMessage::Delete {
                    table,
                    old: reader.tuple()?,
                })
            }
            b'T' => {
                let count = reader.u32()?;
                reader.byte()?;
                // Each table takes four bytes, so a count that is too large ends with the bytes.
                (0..count)
                    .map(|_| reader.u32())
                    .collect::<Result<_, _>>()
                    .map(LogicalMessage::Truncate)
            }
            _ => Ok(LogicalMessage::Other),
        }
    }
}

impl<'b> Tuple<'b> {
    /// The values in the order of the table's columns.
    pub fn values(&self) -> impl Iterator<Item = TupleValue<'b>> + use<'b> {
        let mut reader = Reader(self.bytes);
        // The values were read once, so none of them is missing here.
        (0..self.count).map_while(move |_| reader.value().ok())
    }
}

/// Reads big-endian numbers and texts from the front of a slice.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, length: usize) -> Result<&'b [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        self.array().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_be_bytes)
    }

    fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_be_bytes)
    }

    /// One of these bytes.
    fn expect(&mut self, allowed: &[u8]) -> Result<u8, Malformed> {
        self.byte().and_then(|byte| {
            if allowed.contains(&byte) {
                Ok(byte)
            } else {
                Err(Malformed)
            }
        })
    }

    /// A text that ends with a zero byte.
    fn text(&mut self) -> Result<&'b [u8], Malformed> {
        let end = self.0.iter().position(|byte| *byte == 0).ok_or(Malformed)?;
        let text = self.take(end)?;
        self.byte()?;
        Ok(text)
    }

    fn relation(&mut self) -> Result<ReplicatedTable, Malformed> {
        let oid = self.u32()?;
        // The schema and the name.
        self.text()?;
        self.text()?;
        let is_full = self.byte()? == REPLICA_IDENTITY_FULL;
        let count = self.u16()?;
        let columns = (0..count)
            .map(|_| self.column())
            .collect::<Result<_, _>>()?;
        Ok(ReplicatedTable {
            oid,
            is_full,
            columns,
        })
    }

    fn column(&mut self) -> Result<ReplicatedColumn, Malformed> {
        let is_identity = self.byte()? & IDENTITY_COLUMN_FLAG != 0;
        let name = String::from_utf8_lossy(self.text()?).into_owned();
        let data_type = self.u32()?;
        // The modifier of the type.
        self.u32()?;
        Ok(ReplicatedColumn {
            name,
            data_type,
            is_identity,
        })
    }

    fn tuple(&mut self) -> Result<Tuple<'b>, Malformed> {
        let count = self.u16()?;
        let bytes = self.0;
        for _ in 0..count {
            self.value()?;
        }
        Ok(Tuple { count, bytes })
    }

    fn value(&mut self) -> Result<TupleValue<'b>, Malformed> {
        match self.byte()? {
            b'n' => Ok(TupleValue::Null),
            b'u' => Ok(TupleValue::Unchanged),
            b't' => {
                let length = usize::try_from(self.u32()?).map_err(|_| Malformed)?;
                self.take(length).map(TupleValue::Text)
            }
            _ => Err(Malformed),
        }
    }
}

/// A time in microseconds since the year 2000.
fn time(microseconds: u64) -> SystemTime {
    let since =
        Duration::from_micros(u64::try_from(microseconds.cast_signed()).unwrap_or_default());
    (SystemTime::UNIX_EPOCH + POSTGRES_EPOCH)
        .checked_add(since)
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<u8> {
        let mut bytes = b"R\0\0\0\x07public\0notes\0f\0\x02".to_vec();
        bytes.extend(b"\x01id\0\0\0\0\x17\xff\xff\xff\xff");
        bytes.extend(b"\0text\0\0\0\0\x19\xff\xff\xff\xff");
        bytes
    }

    fn messages() -> Vec<Vec<u8>> {
        let mut begin = b"B".to_vec();
        begin.extend(9_u64.to_be_bytes());
        begin.extend(1_000_000_u64.to_be_bytes());
        begin.extend(77_u32.to_be_bytes());
        vec![
            begin,
            table(),
            b"I\0\0\0\x07N\0\x02t\0\0\0\x0242n".to_vec(),
            b"U\0\0\0\x07N\0\x02t\0\0\0\x0242u".to_vec(),
            b"U\0\0\0\x07O\0\x02t\0\0\0\x011nN\0\x02t\0\0\0\x012n".to_vec(),
            b"D\0\0\0\x07K\0\x02t\0\0\0\x011n".to_vec(),
            b"T\0\0\0\x02\0\0\0\0\x07\0\0\0\x08".to_vec(),
            b"C\0".to_vec(),
        ]
    }

    #[test]
    fn each_message_is_read() {
        let messages = messages();
        let read: Vec<_> = messages
            .iter()
            .map(|bytes| LogicalMessage::read(bytes).unwrap())
            .collect();
        let second = SystemTime::UNIX_EPOCH + POSTGRES_EPOCH + Duration::from_secs(1);
        assert_eq!(
            read[0],
            LogicalMessage::Begin {
                xid: 77,
                committed_at: second
            }
        );
        let LogicalMessage::Relation(table) = &read[1] else {
            panic!("{:?}", read[1])
        };
        assert_eq!(
            (table.oid, table.is_full, table.columns.len()),
            (7, true, 2)
        );
        assert!(table.columns[0].is_identity && !table.columns[1].is_identity);
        assert_eq!(
            (table.columns[1].name.as_str(), table.columns[1].data_type),
            ("text", 25)
        );
        let values = |tuple: &Tuple<'static>| tuple.values().collect::<Vec<_>>();
        let text = |text: &'static str| TupleValue::Text(text.as_bytes());
        let read: Vec<LogicalMessage<'static>> = messages[2..]
            .iter()
            .map(|bytes| LogicalMessage::read(bytes.clone().leak()).unwrap())
            .collect();
        let LogicalMessage::Insert { table: 7, new } = &read[0] else {
            panic!("{:?}", read[0])
        };
        assert_eq!(values(new), [text("42"), TupleValue::Null]);
        let LogicalMessage::Update { old: None, new, .. } = &read[1] else {
            panic!("{:?}", read[1])
        };
        assert_eq!(values(new), [text("42"), TupleValue::Unchanged]);
        let LogicalMessage::Update {
            old: Some(old),
            new,
            ..
        } = &read[2]
        else {
            panic!("{:?}", read[2])
        };
        assert_eq!((values(old)[0], values(new)[0]), (text("1"), text("2")));
        assert!(matches!(&read[3], LogicalMessage::Delete { table: 7, .. }));
        assert_eq!(read[4], LogicalMessage::Truncate(vec![7, 8]));
        assert_eq!(read[5], LogicalMessage::Commit);
    }

    #[test]
    fn truncated_and_altered_messages_are_errors_or_messages() {
        for message in messages() {
            for length in 0..message.len() {
                let _ = LogicalMessage::read(&message[..length]);
            }
            for at in 0..message.len() {
                for byte in [0, 1, 127, 255, b'n', b't', b'N'] {
                    let mut altered = message.clone();
                    altered[at] = byte;
                    if let Ok(LogicalMessage::Insert { new, .. }) = LogicalMessage::read(&altered) {
                        assert_eq!(new.values().count(), usize::from(new.count));
                    }
                }
            }
        }
        for bytes in [
            &b""[..],
            b"I\0\0\0\x07N\0\x02t\x7f\xff\xff\xffab",
            b"T\xff\xff\xff\xff\0\0\0\0\x07",
            b"U\0\0\0\x07X",
        ] {
            assert_eq!(LogicalMessage::read(bytes), Err(Malformed), "{bytes:?}");
        }
    }

    #[test]
    fn values_are_borrowed() {
        let bytes = b"I\0\0\0\x07N\0\x01t\0\0\0\x02ab";
        let Ok(LogicalMessage::Insert { new, .. }) = LogicalMessage::read(bytes) else {
            panic!()
        };
        let Some(TupleValue::Text(value)) = new.values().next() else {
            panic!()
        };
        assert!(bytes.as_ptr_range().contains(&value.as_ptr()));
    }
}
