//! Budget for the size of one request's values. A variable that occurs many times in lists or input
//! rows is written each time, so without a limit a small request could produce more text than fits
//! into memory.

use crate::error::{Cause, Error, RequestLimit};
use crate::graphql::variables::{Template, Variables};

/// The remaining bytes for the values of a request, in their text format.
#[derive(Clone, Copy, Debug)]
pub struct ValueBudget {
    left: usize,
    most: usize,
    /// The remaining bytes for patterns.
    patterns_left: usize,
    most_patterns: usize,
}

/// The number of bytes that a pattern counts beyond its length: a pattern of one byte is still
/// matched against a whole value.
const PATTERN_BASE_BYTES: usize = 16;

/// The default budget in bytes.
const DEFAULT_BUDGET_BYTES: usize = 64 << 20;

impl Default for ValueBudget {
    fn default() -> ValueBudget {
        ValueBudget::new(DEFAULT_BUDGET_BYTES)
    }
}

impl ValueBudget {
    /// A budget of `most` bytes.
    pub fn new(most: usize) -> ValueBudget {
        ValueBudget {
            left: most,
            most,
            patterns_left: usize::MAX,
            most_patterns: usize::MAX,
        }
    }

    /// Limits patterns to `most` bytes.
    pub fn with_patterns(self, most: usize) -> ValueBudget {
        ValueBudget {
            patterns_left: most,
            most_patterns: most,
            ..self
        }
    }

    /// The budget with the total raised to `most`, less the bytes already used.
    pub fn widened(self, most: usize) -> ValueBudget {
        ValueBudget {
            left: most.saturating_sub(self.used()),
            most,
            ..self
        }
    }

    /// The number of bytes used.
    pub fn used(&self) -> usize {
        self.most - self.left
    }

    /// The number of bytes used by patterns.
    pub fn patterns(&self) -> usize {
        self.most_patterns - self.patterns_left
    }

    /// Charges a pattern.
    pub(crate) fn take_pattern(&mut self, text: Option<&str>) -> Result<(), Error> {
        let counts = text.map_or(0, str::len).saturating_add(PATTERN_BASE_BYTES);
        let refused = || {
            Cause::Limit {
                limit: RequestLimit::PatternBytes,
                value: self.most_patterns,
            }
            .under("$")
        };
        self.patterns_left = self.patterns_left.checked_sub(counts).ok_or_else(refused)?;
        Ok(())
    }

    /// Charges a parameter's value.
    pub(crate) fn take(&mut self, text: Option<&str>) -> Result<(), Error> {
        self.take_bytes(text.map_or(0, str::len))
    }

    /// Charges a value of that length.
    pub(crate) fn take_bytes(&mut self, bytes: usize) -> Result<(), Error> {
        self.left = self
            .left
            .checked_sub(bytes)
            .ok_or_else(|| self.exceeded())?;
        Ok(())
    }

    /// Rejects a list or object of the document that would exceed the budget once its variables are
    /// substituted. A value that is only a variable is borrowed, and is no longer than the request.
    pub(crate) fn check(&self, value: &Template, variables: &Variables) -> Result<(), Error> {
        let mut left = self.left;
        match value {
            Template::Json(_) | Template::Variable(_) => Ok(()),
            written if written.fits(variables, &mut left) => Ok(()),
            _ => Err(self.exceeded()),
        }
    }

    fn exceeded(&self) -> Error {
        Cause::Limit {
            limit: RequestLimit::ValueBytes,
            value: self.most,
        }
        .under("$")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::graphql::variables::VariablePath;

    fn variables(given: Json) -> Variables {
        let Json::Object(given) = given else {
            panic!("no object")
        };
        Variables::from(given)
    }

    #[test]
    fn budget_is_charged_until_exhausted() {
        let mut budget = ValueBudget::new(5);
        assert_eq!(
            (
                budget.take(Some("abc")),
                budget.take(None),
                budget.take(Some("de"))
            ),
            (Ok(()), Ok(()), Ok(()))
        );
        let refused = budget.take(Some("f")).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the limit on bytes of a request's values is 5"
        );
    }

    #[test]
    fn patterns_have_a_separate_budget() {
        let mut budget = ValueBudget::new(1000).with_patterns(2 * PATTERN_BASE_BYTES + 3);
        assert_eq!(
            (
                budget.take_pattern(Some("ab")),
                budget.take_pattern(Some("c"))
            ),
            (Ok(()), Ok(()))
        );
        assert_eq!(budget.patterns(), 2 * PATTERN_BASE_BYTES + 3);
        let refused = budget.take_pattern(None).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the limit on bytes of a request's patterns is 35"
        );
        assert_eq!(ValueBudget::new(1).take_pattern(Some("abc")), Ok(()));
    }

    #[test]
    fn size_with_variables_is_checked_before_substitution() {
        let values = variables(json!({"v": "x".repeat(1000), "w": {"key": [1, 2, null]}}));
        let variable = |name| Template::Variable(VariablePath::variable(name));
        let budget = ValueBudget::new(10_000);
        let list = |many| Template::List(vec![variable("v"); many]);
        assert_eq!(budget.check(&list(9), &values), Ok(()));
        assert!(budget.check(&list(10), &values).is_err());
        let object = |many: usize| {
            Template::Object((0..many).map(|n| (n.to_string(), variable("w"))).collect())
        };
        assert_eq!(budget.check(&object(100), &values), Ok(()));
        assert!(
            budget
                .check(&Template::List(vec![object(100); 10]), &values)
                .is_err()
        );
        // An absent variable counts nothing, and a borrowed value is not charged.
        assert_eq!(
            budget.check(&Template::List(vec![variable("absent"); 100_000]), &values),
            Ok(())
        );
        assert_eq!(ValueBudget::new(1).check(&variable("v"), &values), Ok(()));
    }
}
