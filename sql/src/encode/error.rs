//! Errors in rows that do not match their shape.

/// Why binary data cannot be encoded by its shape. The client causes none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The shape consumes more columns than the row has.
    #[error("there are fewer columns than the shape has")]
    FewColumns,
    /// A record has more columns than its shape consumes.
    #[error("a record has more columns than its shape")]
    ManyColumns,
    /// A length points past the end of its value.
    #[error("a value ends too early")]
    Truncated,
    /// Bytes are left after the last part of a value.
    #[error("a value has bytes behind its end")]
    Surplus,
    /// A value of a fixed-size type has another length.
    #[error("a value of {expected} bytes has {found}")]
    Size {
        /// Bytes in the type's binary form.
        expected: usize,
        /// Bytes received.
        found: usize,
    },
    /// A negative length other than -1 (null), or an array dimension of length 0.
    #[error("a length is {0}")]
    Length(i32),
    /// An array with more than six or a negative number of dimensions, or a multidimensional array
    /// where the shape has a list of records.
    #[error("an array has {0} dimensions")]
    Dimensions(i32),
    /// A boolean byte other than 0 or 1.
    #[error("a boolean is {0}")]
    Bool(u8),
    /// A base-10000 digit of a `numeric` above 9999.
    #[error("a group of numeric digits is {0}")]
    NumericGroup(u16),
    /// A sign field that the binary form of `numeric` does not define.
    #[error("the sign of a numeric is {0:#06x}")]
    NumericSign(u16),
    /// No decimal digits were found for a floating point number.
    #[error("a floating point number has no digits")]
    FloatDigits,
    /// A time of day before 00:00 or after 24:00, in microseconds.
    #[error("a time of day is {0} microseconds")]
    TimeOfDay(i64),
    /// A row of a level that does not exist, or of a level whose rows have all been received.
    #[error("a row is of a level that has no place for it")]
    Level,
    /// A record has a value with the type of this OID, which its encoder does not decode: the
    /// schema has changed since the statement was translated.
    #[error(
        "a record has a value of the type with OID {0}, which its column did not have when \
             the catalog was read"
    )]
    Type(u32),
    /// A level whose rows have child lists has more rows than [`shape::KEYS`].
    #[error("a list has too many rows with lists in them")]
    Keys,
    /// A version of the binary form of `jsonb` other than 1.
    #[error("the version of a jsonb value is {0}")]
    JsonbVersion(u8),
}
