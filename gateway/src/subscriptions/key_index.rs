//! Finds the lists of parameters that a changed row can touch: an index of the values of those
//! parameters that every scan of a table compares with a column. A row that touches no subscriber
//! costs a hash look-up for each column.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;
use std::sync::Arc;

use sql::postgres::catalog::Oid;

use super::row_change::RowChange;
use crate::execute::BoundQuery;
use crate::execute::dependencies::{TableRead, TouchingRows};
use crate::execute::key_type::KeyType;

/// The lists of parameters of a cohort by their values.
#[derive(Debug)]
pub(super) struct KeyIndex {
    /// The tables all of whose scans have keys.
    tables: HashMap<Oid, Vec<Vec<Key>>>,
    parameters: Vec<ParameterIndex>,
    hasher: foldhash::quality::RandomState,
}

/// A column that has to equal a parameter.
#[derive(Debug)]
struct Key {
    column: String,
    key_type: KeyType,
    /// The index in `parameters`.
    parameter: usize,
}

/// The lists by the value of one parameter. Null equals nothing, so lists with null are in neither.
#[derive(Debug)]
struct ParameterIndex {
    index: usize,
    key_type: KeyType,
    /// By a hash of the value. Values with the same hash only wake lists in vain.
    by_value: HashMap<u64, Vec<Arc<BoundQuery>>>,
    /// The lists with values whose text is not certain, which any row may touch.
    uncertain: Vec<Arc<BoundQuery>>,
}

/// The lists of parameters that a change can touch.
#[derive(Clone, Debug)]
pub(super) enum Touched {
    All,
    Lists(Vec<Arc<BoundQuery>>),
}

impl Touched {
    pub(super) fn is_nobody(&self) -> bool {
        matches!(self, Touched::Lists(lists) if lists.is_empty())
    }

    /// Adds those that another change can touch.
    pub(super) fn add(&mut self, more: Touched) {
        match (&mut *self, more) {
            (Touched::Lists(lists), Touched::Lists(more)) => lists.extend(more),
            (_, Touched::All) => *self = Touched::All,
            (Touched::All, _) => {}
        }
    }
}

impl KeyIndex {
    /// An index without lists for a query that reads these tables.
    pub(super) fn new(tables: &BTreeMap<Oid, TableRead>) -> KeyIndex {
        let mut index = KeyIndex {
            tables: HashMap::new(),
            parameters: Vec::new(),
            hasher: Default::default(),
        };
        for (oid, table) in tables {
            let TouchingRows::ByKey(scans) = &table.rows else {
                continue;
            };
            let mut keys = Vec::new();
            for scan in scans {
                let key = scan.iter().map(|key| Key {
                    column: key.column.clone(),
                    key_type: key.key_type,
                    parameter: index.parameter(key.position, key.key_type),
                });
                keys.push(key.collect());
            }
            index.tables.insert(*oid, keys);
        }
        index
    }

    /// The index of a parameter, which several columns may share.
    fn parameter(&mut self, index: usize, key_type: KeyType) -> usize {
        let known = self
            .parameters
            .iter()
            .position(|known| (known.index, known.key_type) == (index, key_type));
        known.unwrap_or_else(|| {
            let by_value = HashMap::new();
            let uncertain = Vec::new();
            self.parameters.push(ParameterIndex {
                index,
                key_type,
                by_value,
                uncertain,
            });
            self.parameters.len() - 1
        })
    }

    pub(super) fn insert(&mut self, list: &Arc<BoundQuery>) {
        for parameter in &mut self.parameters {
            let Some(value) = list.value(parameter.index) else {
                continue;
            };
            match parameter.key_type.normalize(value) {
                Some(value) => {
                    let hash = self.hasher.hash_one(value.as_bytes());
                    // Most values have one list.
                    parameter
                        .by_value
                        .entry(hash)
                        .or_insert_with(|| Vec::with_capacity(1))
                        .push(list.clone());
                }
                None => parameter.uncertain.push(list.clone()),
            }
        }
    }

    pub(super) fn remove(&mut self, list: &BoundQuery) {
        for parameter in &mut self.parameters {
            let Some(value) = list.value(parameter.index) else {
                continue;
            };
            match parameter.key_type.normalize(value) {
                Some(value) => {
                    let hash = self.hasher.hash_one(value.as_bytes());
                    if let Some(lists) = parameter.by_value.get_mut(&hash) {
                        lists.retain(|known| **known != *list);
                        if lists.is_empty() {
                            parameter.by_value.remove(&hash);
                        }
                    }
                }
                None => parameter.uncertain.retain(|known| **known != *list),
            }
        }
    }

    /// The lists that a changed row of a table can touch.
    pub(super) fn touched(&self, table: Oid, change: &RowChange<'_>) -> Touched {
        let Some(scans) = self.tables.get(&table) else {
            return Touched::All;
        };
        let mut touched = Vec::new();
        for keys in scans {
            // A row has to equal all keys of the scan, so the one with the fewest lists is enough.
            let candidates = keys.iter().filter_map(|key| self.candidates(key, change));
            match candidates
                .min_by_key(|lists| lists.iter().map(|lists| lists.len()).sum::<usize>())
            {
                Some(candidates) => touched.extend(candidates.into_iter().flatten().cloned()),
                None => return Touched::All,
            }
        }
        Touched::Lists(touched)
    }

    /// The lists whose parameter equals the column before or after the change; none if its values
    /// are not known.
    fn candidates(&self, key: &Key, change: &RowChange<'_>) -> Option<[&[Arc<BoundQuery>]; 3]> {
        let parameter = self.parameters.get(key.parameter)?;
        let [old, new] = change.values(&key.column, key.key_type)?;
        let lists = |value: Option<&[u8]>| {
            let lists =
                value.and_then(|value| parameter.by_value.get(&self.hasher.hash_one(value)));
            lists.map(Vec::as_slice).unwrap_or_default()
        };
        let new = if new == old { None } else { new };
        Some([lists(old), lists(new), &parameter.uncertain])
    }
}
