//! Limits how many statements differ only in their constants. A statement with the constants of its document as
//! literals is planned once, but a client that writes changing values into its documents would fill the plan cache and
//! Postgres' prepared statements with texts that are used once.

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use foldhash::fast::RandomState;
use moka::sync::Cache;
use sql::Translation;

use super::CallerKey;

/// The statements that were admitted lately, by their text without literals.
#[derive(Debug)]
pub(super) struct TextFamilies {
    /// For each family, the hashes of the literals that its members have.
    families: Cache<u64, Arc<Mutex<Vec<u64>>>, RandomState>,
    hasher: RandomState,
}

/// How many members a family may have within [`PERIOD`].
const MEMBERS: usize = 4;

/// How many it may have if the operator has chosen the documents: endpoints may be alike but for their constants.
const OPERATOR_MEMBERS: usize = 64;

/// How long a family is remembered.
const PERIOD: Duration = Duration::from_secs(600);

/// The most families that are remembered.
const FAMILIES: u64 = 10_000;

impl Default for TextFamilies {
    fn default() -> TextFamilies {
        let families = Cache::builder().max_capacity(FAMILIES).time_to_live(PERIOD);
        TextFamilies { families: families.build_with_hasher(RandomState::default()), hasher: RandomState::default() }
    }
}

impl TextFamilies {
    /// Whether a translation for a caller may be used as it is. If not, its constants have to become parameters.
    /// Callers have families of their own, and documents of the operator too: what others send neither changes the
    /// answer nor shows in it.
    pub(super) fn admits(&self, translation: &Translation, caller: &CallerKey, is_from_operator: bool) -> bool {
        let Some(statement) = translation.answer.statement().filter(|statement| !statement.literals.is_empty()) else {
            return true;
        };
        let (mut family, mut literals) = (self.hasher.build_hasher(), self.hasher.build_hasher());
        (caller, is_from_operator).hash(&mut family);
        let mut end = 0;
        let text = |range: Range<usize>| statement.text.get(range).unwrap_or_default().as_bytes();
        for literal in &statement.literals {
            write(&mut family, text(end..literal.range.start));
            write(&mut literals, text(literal.range.clone()));
            end = literal.range.end;
        }
        write(&mut family, text(end..statement.text.len()));
        let members = self.families.get_with(family.finish(), Arc::default);
        let mut members = members.lock().unwrap_or_else(PoisonError::into_inner);
        let literals = literals.finish();
        if members.contains(&literals) {
            return true;
        }
        let has_room = members.len() < if is_from_operator { OPERATOR_MEMBERS } else { MEMBERS };
        if has_room {
            members.push(literals);
        }
        has_room
    }
}

/// Writes bytes with their number, so that two lists of texts differ also where their concatenations do not.
fn write(hasher: &mut impl Hasher, bytes: &[u8]) {
    hasher.write_usize(bytes.len());
    hasher.write(bytes);
}
