//! What was found where another value was expected. The value itself is left out of messages: it
//! may be large or secret.

/// The kind of value that was found. Messages print its words: `a string`, `text that is not a
/// uuid`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActualKind {
    /// Null.
    #[error("null")]
    Null,
    /// Null in a list whose items may not be null.
    #[error("null in a list")]
    NullInList,
    /// A variable without a value.
    #[error("no value")]
    Absent,
    /// `true` or `false`.
    #[error("a boolean")]
    Boolean,
    /// A number without fraction and exponent.
    #[error("an integer")]
    Integer,
    /// Any other number.
    #[error("a number")]
    Number,
    /// A string.
    #[error("a string")]
    String,
    /// A list.
    #[error("a list")]
    List,
    /// An object.
    #[error("an object")]
    Object,
    /// An enum value in the document's text.
    #[error("an enum value")]
    EnumValue,
    /// An integer that the type cannot hold.
    #[error("an integer out of range")]
    IntegerOutOfRange,
    /// A number or text that is not an integer.
    #[error("a value that is not an integer")]
    NotAnInteger,
    /// Another value than a list of two.
    #[error("a value that is not a list of two")]
    NotAPair,
    /// Text with a character that Postgres' text cannot hold.
    #[error("text with a NUL character")]
    NulCharacter,
    /// Text that is not in the format of the type.
    #[error("text that is not {0}")]
    Malformed(TextFormat),
    /// A query of a full-text search that is too long.
    #[error("a search query that is too long")]
    LongSearchQuery,
    /// An object with a key that its type does not have.
    #[error("an object with the unknown key '{0}'")]
    UnknownKey(Box<str>),
    /// A value under a key of an object, with the key.
    #[error("{} in '{}'", .0.0, .0.1)]
    UnderKey(Box<(ActualKind, String)>),
    /// A value in place of a list of coordinates.
    #[error("{0} among coordinates")]
    Coordinate(Box<ActualKind>),
    /// Invalid GeoJSON.
    #[error(transparent)]
    Geometry(GeometryFault),
    /// A value that is longer than the role's grant allows for its column.
    #[error("a value of more than {0}")]
    TooLong(LengthLimit),
}

/// The greatest length of a value that a role may give for a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LengthLimit {
    /// Characters of the value's text, or of the text of each element of an array.
    #[error("{0} characters")]
    Characters(u32),
    /// Elements of an array.
    #[error("{0} elements")]
    Elements(u32),
}

/// A format of text that Postgres reads as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextFormat {
    /// `uuid`.
    #[error("a uuid")]
    Uuid,
    /// `date`, `timestamp` and `timestamptz`.
    #[error("a date or time")]
    Date,
    /// `time` and `timetz`.
    #[error("a time")]
    Time,
    /// A value of an enum of the database.
    #[error("a value of the enum")]
    EnumValue,
    /// `ltree`.
    #[error("a path of labels")]
    Labels,
    /// `lquery` and `ltxtquery`.
    #[error("a query of label paths")]
    LabelQuery,
    /// `raster`.
    #[error("a hexadecimal form of a raster")]
    Raster,
    /// A number.
    #[error("a number")]
    Number,
    /// An array.
    #[error("an array")]
    Array,
    /// A row of a composite type.
    #[error("a row")]
    Row,
    /// `tsquery`.
    #[error("a search query")]
    SearchQuery,
}

/// What is wrong with a GeoJSON object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GeometryFault {
    /// A `crs` in neither of its forms.
    #[error("a crs of an unknown form")]
    CrsForm,
    /// A `crs` whose number in the catalog of EPSG is unknown.
    #[error("a crs that is not one of EPSG")]
    CrsName,
    /// No `type`.
    #[error("a geometry without a type")]
    NoType,
    /// A `type` that GeoJSON does not have, shortened.
    #[error("a geometry of the unknown type '{0}'")]
    UnknownType(Box<str>),
    /// No `coordinates`.
    #[error("a geometry without coordinates")]
    NoCoordinates,
    /// No `geometries`.
    #[error("a GeometryCollection without geometries")]
    NoGeometries,
    /// A position with a single coordinate, or none.
    #[error("a Position of fewer than 2 numbers")]
    ShortPosition,
    /// A position with something else than numbers.
    #[error("a Position that is not of numbers")]
    NotNumbers,
    /// A line of one point.
    #[error("a LineString of fewer than 2 Positions")]
    ShortLine,
    /// A ring that encloses nothing.
    #[error("a LinearRing of fewer than 4 Positions")]
    ShortRing,
    /// A ring that is not closed.
    #[error("a LinearRing that does not end where it begins")]
    OpenRing,
}

impl ActualKind {
    /// A value of this kind under a key of an object.
    pub fn under_key(self, key: &str) -> ActualKind {
        ActualKind::UnderKey(Box::new((self, key.to_owned())))
    }
}

impl From<GeometryFault> for ActualKind {
    fn from(fault: GeometryFault) -> ActualKind {
        ActualKind::Geometry(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_described_in_words() {
        let described = [
            (ActualKind::Null, "null"),
            (
                ActualKind::Malformed(TextFormat::Uuid),
                "text that is not a uuid",
            ),
            (
                ActualKind::List.under_key("n").under_key("b"),
                "a list in 'n' in 'b'",
            ),
            (
                ActualKind::Coordinate(Box::new(ActualKind::Integer)),
                "an integer among coordinates",
            ),
            (
                GeometryFault::UnknownType("Circle".into()).into(),
                "a geometry of the unknown type 'Circle'",
            ),
        ];
        for (kind, words) in described {
            assert_eq!(kind.to_string(), words);
        }
        // Errors of values are as large as the text forms that they replace.
        assert!(size_of::<ActualKind>() <= size_of::<String>());
    }
}
