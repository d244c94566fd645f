//! Finds every type that is reachable from `query_root`, `mutation_root` and `subscription_root`,
//! each once by its name. Only the keys of the types are stored, because [`crate::schema`] computes
//! everything else from a key.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use crate::schema::{BuiltIn, Enum, Meta, Object, Schema, TypeKey};

/// The types of a role's schema, in the order of their names.
#[derive(Debug, Default)]
pub struct ReachableTypes {
    types: Box<[TypeKey]>,
}

impl ReachableTypes {
    /// Finds all types at once.
    pub fn new(schema: Schema<'_>) -> ReachableTypes {
        let mut walk = TypeWalk::new(schema);
        while walk.visit(usize::MAX) {}
        walk.finish()
    }

    pub(super) fn keys(&self) -> &[TypeKey] {
        &self.types
    }

    /// The memory of the types in bytes, for the size limit of a cache.
    pub fn weight(&self) -> usize {
        size_of_val(&*self.types)
    }
}

/// A walk over a role's schema, breadth first, that can pause between any two types.
pub struct TypeWalk<'a> {
    schema: Schema<'a>,
    seen: HashSet<TypeKey, RandomState>,
    /// In the order of the walk; those after the named ones have not been visited.
    found: Vec<TypeKey>,
    named: Vec<(String, TypeKey)>,
}

impl<'a> TypeWalk<'a> {
    /// The bytes that a walk holds for each type at most: its key in a list and in a set, and its
    /// name while they are sorted.
    pub const BYTES_PER_TYPE: usize = 256;

    /// Starts a walk.
    pub fn new(schema: Schema<'a>) -> TypeWalk<'a> {
        let mut walk = TypeWalk {
            schema,
            seen: HashSet::default(),
            found: Vec::new(),
            named: Vec::new(),
        };
        BuiltIn::ALL
            .iter()
            .for_each(|(built_in, _)| walk.add(TypeKey::BuiltIn(*built_in)));
        Meta::ALL
            .iter()
            .for_each(|(meta, _)| walk.add(TypeKey::Object(Object::Meta(*meta))));
        walk.add(TypeKey::Enum(Enum::TypeKind));
        walk.add(TypeKey::Enum(Enum::DirectiveLocation));
        walk.add(TypeKey::Object(Object::Query));
        if schema.has_mutations() {
            walk.add(TypeKey::Object(Object::Mutation));
        }
        if schema.has_subscriptions() {
            walk.add(TypeKey::Object(Object::Subscription));
        }
        walk
    }

    /// The number of types found so far.
    pub fn found(&self) -> usize {
        self.found.len()
    }

    /// Visits types until this many have been found, at least one; returns whether any remain.
    pub fn visit(&mut self, until: usize) -> bool {
        while let Some(named) = self.found.get(self.named.len()).copied() {
            self.named.push((self.schema.name(named), named));
            self.visit_type(named);
            if self.found.len() >= until {
                break;
            }
        }
        self.named.len() < self.found.len()
    }

    /// Sorts the types by name. Where several have one name, the first found is kept.
    pub fn finish(self) -> ReachableTypes {
        let TypeWalk { mut named, .. } = self;
        named.sort_by(|(one, _), (other, _)| one.cmp(other));
        named.dedup_by(|(name, _), (first, _)| name == first);
        ReachableTypes {
            types: named.into_iter().map(|(_, named)| named).collect(),
        }
    }

    fn visit_type(&mut self, named: TypeKey) {
        match named {
            // The fields of these are of built-in types alone.
            TypeKey::Object(Object::Meta(_)) => {}
            TypeKey::Object(object) => {
                for field in self.schema.fields(object) {
                    self.add(field.r#type.named);
                    field
                        .arguments
                        .iter()
                        .for_each(|argument| self.add(argument.r#type.named));
                }
            }
            TypeKey::Input(input) => {
                self.schema
                    .input_fields(input)
                    .iter()
                    .for_each(|field| self.add(field.r#type.named));
            }
            TypeKey::Enum(_)
            | TypeKey::Scalar(_)
            | TypeKey::ActionScalar(_)
            | TypeKey::BuiltIn(_) => {}
        }
    }

    fn add(&mut self, named: TypeKey) {
        let named = self.schema.list_element(named).unwrap_or(named);
        if self.seen.insert(named) {
            self.found.push(named);
        }
    }
}
