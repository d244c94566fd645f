//! The greatest lengths of values that a role may give for a column.

/// Limits on the length of a value. None is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LengthLimits {
    /// The characters of the value's text, or of the text of each element of an array.
    pub characters: Option<u32>,
    /// The elements of an array, of all its dimensions.
    pub elements: Option<u32>,
}

impl LengthLimits {
    /// Whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        *self == LengthLimits::default()
    }

    /// The limits for an element that is added to an array.
    #[must_use]
    pub fn of_element(self) -> LengthLimits {
        LengthLimits {
            elements: None,
            ..self
        }
    }

    /// The lesser of each pair of limits.
    #[must_use]
    pub fn lesser(self, other: LengthLimits) -> LengthLimits {
        let lesser = |one: Option<u32>, other: Option<u32>| one.into_iter().chain(other).min();
        LengthLimits {
            characters: lesser(self.characters, other.characters),
            elements: lesser(self.elements, other.elements),
        }
    }
}
