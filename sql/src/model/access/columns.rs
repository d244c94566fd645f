//! `Columns`: the columns of one table that a grant contains.

use std::iter::successors;

use crate::postgres::catalog::ColumnId;

/// A set of columns of one table, with a bit for each. Every role has several sets for each table,
/// so a table of up to 64 columns needs no allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(Bits);

/// The words of the bits. A set has several words only if it contains a column from 64 on, and the
/// last word contains a column, so that equal sets have equal words.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bits {
    One(u64),
    Many(Box<[u64]>),
}

impl Columns {
    /// All columns of a table with `count` columns.
    pub fn all(count: usize) -> Columns {
        (0..count as u32).map(ColumnId).collect()
    }

    /// Adds a column.
    pub fn insert(&mut self, column: ColumnId) {
        let (index, bit) = bit_position(column);
        if index >= self.words().len() {
            let mut words = self.words().to_vec();
            words.resize(index + 1, 0);
            self.0 = Bits::Many(words.into());
        }
        match &mut self.0 {
            Bits::One(word) => *word |= bit,
            Bits::Many(words) => words[index] |= bit,
        }
    }

    /// Whether the set contains a column.
    pub fn contains(&self, column: ColumnId) -> bool {
        let (index, bit) = bit_position(column);
        self.words().get(index).is_some_and(|word| word & bit != 0)
    }

    /// The columns, in the table's order.
    pub fn iter(&self) -> impl Iterator<Item = ColumnId> {
        self.words().iter().zip(0..).flat_map(|(word, index)| {
            let without_lowest = |rest: &u64| Some(rest & rest.wrapping_sub(1));
            let rests = successors(Some(*word), without_lowest).take_while(|rest| *rest != 0);
            rests.map(move |rest| ColumnId(index * u64::BITS + rest.trailing_zeros()))
        })
    }

    fn words(&self) -> &[u64] {
        match &self.0 {
            Bits::One(word) => std::slice::from_ref(word),
            Bits::Many(words) => words,
        }
    }
}

/// The index of a column's word, and its bit in it.
fn bit_position(column: ColumnId) -> (usize, u64) {
    ((column.0 / u64::BITS) as usize, 1 << (column.0 % u64::BITS))
}

impl Default for Columns {
    fn default() -> Columns {
        Columns(Bits::One(0))
    }
}

impl FromIterator<ColumnId> for Columns {
    fn from_iter<T: IntoIterator<Item = ColumnId>>(ids: T) -> Columns {
        let mut columns = Columns::default();
        ids.into_iter().for_each(|column| columns.insert(column));
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table may have up to 1,600 columns.
    #[test]
    fn columns_are_found_in_the_order_of_the_table() {
        let ids = [1599, 3, 64, 63, 0, 127, 128].map(ColumnId);
        let columns: Columns = ids.into_iter().collect();
        let mut sorted = ids;
        sorted.sort_unstable();
        assert_eq!(columns.iter().collect::<Vec<_>>(), sorted);
        assert!(
            (0..2000)
                .map(ColumnId)
                .all(|column| columns.contains(column) == ids.contains(&column))
        );
    }

    #[test]
    fn sets_are_equal_in_whatever_order_they_were_made() {
        let one: Columns = [70, 1].map(ColumnId).into_iter().collect();
        let other: Columns = [1, 70].map(ColumnId).into_iter().collect();
        assert_eq!(one, other);
        assert_ne!(one, [1].map(ColumnId).into_iter().collect());
        assert_eq!(Columns::all(130).iter().count(), 130);
        assert_eq!(Columns::all(0), Columns::default());
    }
}
