//! A type as introspection shows it: a named type in `NON_NULL` and `LIST`.

use crate::schema::{Schema, TypeKey, TypeRef};

/// A type around another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrapper {
    NonNull,
    List,
}

/// A named type and the types around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeShape {
    pub(super) named: TypeKey,
    /// From the outermost; [`MAX_WRAPPERS`] are enough for a required list of arrays.
    wrappers: [Option<Wrapper>; MAX_WRAPPERS],
}

const MAX_WRAPPERS: usize = 5;

impl TypeShape {
    pub(super) fn named(named: TypeKey) -> TypeShape {
        TypeShape {
            named,
            wrappers: [None; MAX_WRAPPERS],
        }
    }

    /// The shape of a reference. An array of the database that GraphQL shows as a list is one more
    /// list.
    pub(super) fn new(schema: Schema<'_>, of: TypeRef) -> TypeShape {
        let element = schema.list_element(of.named);
        let wrappers = [
            (of.required, Wrapper::NonNull),
            (of.list, Wrapper::List),
            (of.list && !of.sparse, Wrapper::NonNull),
            (element.is_some(), Wrapper::List),
            (element.is_some(), Wrapper::NonNull),
        ];
        let mut shape = TypeShape::named(element.unwrap_or(of.named));
        let present = wrappers.into_iter().filter(|(is_present, _)| *is_present);
        for (slot, (_, wrapper)) in shape.wrappers.iter_mut().zip(present) {
            *slot = Some(wrapper);
        }
        shape
    }

    /// The outermost wrapper and the type in it.
    pub(super) fn unwrap(self) -> Option<(Wrapper, TypeShape)> {
        let [outermost, rest @ ..] = self.wrappers;
        let [second, third, fourth, fifth] = rest;
        Some((
            outermost?,
            TypeShape {
                wrappers: [second, third, fourth, fifth, None],
                ..self
            },
        ))
    }
}
