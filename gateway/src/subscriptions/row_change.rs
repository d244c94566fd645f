//! A changed row, as logical replication reports it: the values of a column before and after, if
//! both are known.

use pg::replication::pgoutput::{ReplicatedTable, Tuple, TupleValue};

use crate::execute::key_type::KeyType;

/// A row that was inserted, updated or deleted.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowChange<'m> {
    /// The table, as it was when the row changed.
    pub(super) table: &'m ReplicatedTable,
    /// What happened to the row.
    pub(super) kind: ChangeKind<'m>,
}

/// What happened to a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChangeKind<'m> {
    Insert {
        new: Tuple<'m>,
    },
    /// `old` is not sent if the replica identity is not `FULL` and none of its columns has changed.
    Update {
        old: Option<Tuple<'m>>,
        new: Tuple<'m>,
    },
    Delete {
        old: Tuple<'m>,
    },
}

impl<'m> RowChange<'m> {
    /// The texts of a column before and after the change; none where there is no row or the value
    /// is null. `None` if they are not known: the column is not in the replica identity, has
    /// another type than this one, or holds a long value that is not sent.
    pub(super) fn values(&self, column: &str, key_type: KeyType) -> Option<[Option<&'m [u8]>; 2]> {
        let index = self
            .table
            .columns
            .iter()
            .position(|known| known.name == column)?;
        let known = self.table.columns.get(index)?;
        if KeyType::from_oid(known.data_type) != Some(key_type) {
            return None;
        }
        let value = |tuple: Tuple<'m>| tuple.values().nth(index);
        match self.kind {
            ChangeKind::Insert { new } => Some([None, text(value(new)?)?]),
            // The row before has only the columns of the identity.
            _ if !known.is_identity && !self.table.is_full => None,
            ChangeKind::Delete { old } => Some([text(value(old)?)?, None]),
            ChangeKind::Update { old: None, new } => {
                if self.table.is_full {
                    None
                } else {
                    text(value(new)?).map(|same| [same, same])
                }
            }
            ChangeKind::Update {
                old: Some(old),
                new,
            } => {
                let old = text(value(old)?)?;
                match value(new)? {
                    TupleValue::Unchanged => Some([old, old]),
                    new => Some([old, text(new)?]),
                }
            }
        }
    }
}

/// The text of a value, or none for null. `None` if the value was not sent.
fn text(value: TupleValue<'_>) -> Option<Option<&[u8]>> {
    match value {
        TupleValue::Null => Some(None),
        TupleValue::Text(text) => Some(Some(text)),
        TupleValue::Unchanged => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pg::replication::pgoutput::{LogicalMessage, ReplicatedColumn};

    /// A table with an id in its replica identity and two more columns.
    fn table(is_full: bool) -> ReplicatedTable {
        let column = |name: &str, data_type, is_identity| ReplicatedColumn {
            name: name.into(),
            data_type,
            is_identity,
        };
        let columns = vec![
            column("id", 23, true),
            column("owner", 23, is_full),
            column("body", 25, is_full),
        ];
        ReplicatedTable {
            oid: 1,
            is_full,
            columns,
        }
    }

    /// A row of values: `-` is null and `=` an unchanged one.
    fn row(values: [&str; 3]) -> Tuple<'static> {
        let mut bytes = b"I\0\0\0\x01N\0\x03".to_vec();
        for value in values {
            match value {
                "-" => bytes.push(b'n'),
                "=" => bytes.push(b'u'),
                text => {
                    bytes.push(b't');
                    bytes.extend(u32::try_from(text.len()).unwrap().to_be_bytes());
                    bytes.extend(text.as_bytes());
                }
            }
        }
        match LogicalMessage::read(bytes.leak()) {
            Ok(LogicalMessage::Insert { new, .. }) => new,
            other => panic!("{other:?}"),
        }
    }

    /// The values before and after, as texts: `1>2`; `?` if they are not known.
    fn values(is_full: bool, kind: ChangeKind<'static>) -> [String; 3] {
        let table: &'static ReplicatedTable = Box::leak(Box::new(table(is_full)));
        let change = RowChange { table, kind };
        let text = |value: Option<&[u8]>| {
            value.map_or("-".into(), |value| {
                String::from_utf8(value.to_vec()).unwrap()
            })
        };
        let of = |column, key_type| match change.values(column, key_type) {
            Some([old, new]) => format!("{}>{}", text(old), text(new)),
            None => "?".into(),
        };
        [
            of("id", KeyType::Integer),
            of("owner", KeyType::Integer),
            of("body", KeyType::Text),
        ]
    }

    #[test]
    fn old_values_are_known_in_the_replica_identity() {
        let insert = ChangeKind::Insert {
            new: row(["1", "7", "-"]),
        };
        assert_eq!(values(false, insert), ["->1", "->7", "->-"]);
        let update = ChangeKind::Update {
            old: None,
            new: row(["1", "8", "="]),
        };
        assert_eq!(values(false, update), ["1>1", "?", "?"]);
        assert_eq!(
            values(true, update),
            ["?", "?", "?"],
            "a row before is missing"
        );
        let update = ChangeKind::Update {
            old: Some(row(["1", "-", "-"])),
            new: row(["2", "8", "x"]),
        };
        assert_eq!(values(false, update), ["1>2", "?", "?"]);
        let update = ChangeKind::Update {
            old: Some(row(["1", "7", "long"])),
            new: row(["1", "8", "="]),
        };
        assert_eq!(values(true, update), ["1>1", "7>8", "long>long"]);
        let delete = ChangeKind::Delete {
            old: row(["1", "-", "-"]),
        };
        assert_eq!(values(false, delete), ["1>-", "?", "?"]);
        let delete = ChangeKind::Delete {
            old: row(["1", "7", "-"]),
        };
        assert_eq!(values(true, delete), ["1>-", "7>-", "->-"]);
    }

    #[test]
    fn column_of_another_type_is_not_known() {
        let table = table(true);
        let change = RowChange {
            table: &table,
            kind: ChangeKind::Insert {
                new: row(["1", "7", "a"]),
            },
        };
        assert_eq!(change.values("id", KeyType::Text), None);
        assert_eq!(change.values("other", KeyType::Text), None);
    }
}
