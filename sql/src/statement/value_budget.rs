//! How much the values of one request may come to. A value that is used many times is a parameter each time, so a small
//! request could ask for more text than there is memory.

use crate::error::{Cause, Error};
use crate::graphql::variables::{Template, Variables};

/// What is left of the bytes that the values of a request may have, as the text they travel in.
#[derive(Clone, Copy, Debug)]
pub struct ValueBudget {
    left: usize,
    most: usize,
    /// The same of patterns alone.
    patterns_left: usize,
    most_patterns: usize,
}

/// What a pattern counts beside its bytes: one of a byte is looked for in all of a value too.
const PATTERN: usize = 16;

/// The limit on the bytes of a request's values, as messages name it.
pub const VALUES: &str = "bytes of a request's values";

/// The limit on the bytes of its patterns.
pub const PATTERNS: &str = "bytes of a request's patterns";

/// So many bytes the values may have where nothing else is said.
const MOST: usize = 64 << 20;

impl Default for ValueBudget {
    fn default() -> ValueBudget {
        ValueBudget::new(MOST)
    }
}

impl ValueBudget {
    /// Room for so many bytes.
    pub fn new(most: usize) -> ValueBudget {
        ValueBudget { left: most, most, patterns_left: usize::MAX, most_patterns: usize::MAX }
    }

    /// The same room, of which patterns may have so many bytes.
    pub fn with_patterns(self, most: usize) -> ValueBudget {
        ValueBudget { patterns_left: most, most_patterns: most, ..self }
    }

    /// What is left where all values may have so many bytes.
    pub fn widened(self, most: usize) -> ValueBudget {
        ValueBudget { left: most.saturating_sub(self.used()), most, ..self }
    }

    /// How many bytes were taken.
    pub fn used(&self) -> usize {
        self.most - self.left
    }

    /// How many bytes of patterns were taken.
    pub fn patterns(&self) -> usize {
        self.most_patterns - self.patterns_left
    }

    /// Takes what a pattern counts.
    pub(crate) fn take_pattern(&mut self, text: Option<&str>) -> Result<(), Error> {
        let counts = text.map_or(0, str::len).saturating_add(PATTERN);
        let refused = || Cause::Limit { limit: PATTERNS, value: self.most_patterns }.under("$");
        self.patterns_left = self.patterns_left.checked_sub(counts).ok_or_else(refused)?;
        Ok(())
    }

    /// Takes what a parameter needs.
    pub(crate) fn take(&mut self, text: Option<&str>) -> Result<(), Error> {
        self.left = self.left.checked_sub(text.map_or(0, str::len)).ok_or_else(|| self.exceeded())?;
        Ok(())
    }

    /// Refuses a list or an object of the document that would be too long with its variables put in. A variable alone is
    /// not put in anywhere, and is no longer than the request.
    pub(super) fn check(&self, value: &Template, variables: &Variables) -> Result<(), Error> {
        let mut left = self.left;
        match value {
            Template::Json(_) | Template::Variable(_) => Ok(()),
            written if written.fits(variables, &mut left) => Ok(()),
            _ => Err(self.exceeded()),
        }
    }

    fn exceeded(&self) -> Error {
        Cause::Limit { limit: VALUES, value: self.most }.under("$")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::graphql::variables::VariablePath;

    fn variables(given: Json) -> Variables {
        let Json::Object(given) = given else { panic!("no object") };
        Variables::from(given)
    }

    #[test]
    fn room_is_taken_until_there_is_none() {
        let mut room = ValueBudget::new(5);
        assert_eq!((room.take(Some("abc")), room.take(None), room.take(Some("de"))), (Ok(()), Ok(()), Ok(())));
        let refused = room.take(Some("f")).unwrap_err();
        assert_eq!(refused.to_string(), "the limit on bytes of a request's values is 5");
    }

    #[test]
    fn patterns_have_room_of_their_own() {
        let mut room = ValueBudget::new(1000).with_patterns(2 * PATTERN + 3);
        assert_eq!((room.take_pattern(Some("ab")), room.take_pattern(Some("c"))), (Ok(()), Ok(())));
        assert_eq!(room.patterns(), 2 * PATTERN + 3);
        let refused = room.take_pattern(None).unwrap_err();
        assert_eq!(refused.to_string(), "the limit on bytes of a request's patterns is 35");
        assert_eq!(ValueBudget::new(1).take_pattern(Some("abc")), Ok(()));
    }

    #[test]
    fn what_is_written_around_variables_is_measured_before_it_is_made() {
        let held = variables(json!({"v": "x".repeat(1000), "w": {"key": [1, 2, null]}}));
        let variable = |name| Template::Variable(VariablePath::variable(name));
        let room = ValueBudget::new(10_000);
        let list = |many| Template::List(vec![variable("v"); many]);
        assert_eq!(room.check(&list(9), &held), Ok(()));
        assert!(room.check(&list(10), &held).is_err());
        let object = |many: usize| Template::Object((0..many).map(|n| (n.to_string(), variable("w"))).collect());
        assert_eq!(room.check(&object(100), &held), Ok(()));
        assert!(room.check(&Template::List(vec![object(100); 10]), &held).is_err());
        // What is not there is nothing; and what is borrowed needs no room of its own.
        assert_eq!(room.check(&Template::List(vec![variable("absent"); 100_000]), &held), Ok(()));
        assert_eq!(ValueBudget::new(1).check(&variable("v"), &held), Ok(()));
    }
}
