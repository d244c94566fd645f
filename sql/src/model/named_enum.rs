//! Enums whose values have fixed names.

/// Declares an enum whose values have names: `ALL` lists every value with its name, and the
/// function behind `by` returns the name of a value. So a value cannot be without a name, or
/// missing in the list.
macro_rules! named_enum {
    (
        $(#[$about:meta])*
        pub enum $enum:ident by $name_of:ident {
            $($(#[$about_value:meta])* $value:ident = $name:literal,)+
        }
    ) => {
        $(#[$about])*
        pub enum $enum {
            $($(#[$about_value])* $value,)+
        }

        impl $enum {
            /// Every value with its name, in the order of declaration.
            pub const ALL: [($enum, &'static str); [$($name),+].len()] = [$(($enum::$value, $name)),+];

            /// The name.
            pub const fn $name_of(self) -> &'static str {
                match self {
                    $($enum::$value => $name,)+
                }
            }
        }
    };
}

pub(crate) use named_enum;
