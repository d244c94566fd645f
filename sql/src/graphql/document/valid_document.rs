//! A parsed document, in which operations and fragments are looked up by name.

use std::collections::HashMap;

use async_graphql_parser::Positioned;
use async_graphql_parser::types::{FragmentDefinition, OperationDefinition, OperationType};

use super::fast_parser::Definitions;
use crate::error::{Cause, Error, NameKind};

/// A document that parses and is within its limits. Only [`super::parse`] makes one.
#[derive(Debug)]
pub struct Document {
    operations: Vec<(Option<String>, Positioned<OperationDefinition>)>,
    fragments: Vec<(String, Positioned<FragmentDefinition>)>,
    by_name: HashMap<String, usize>,
}

/// The type of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// `query`.
    Query,
    /// `mutation`.
    Mutation,
    /// `subscription`.
    Subscription,
}

impl Document {
    pub(super) fn new(
        Definitions {
            operations,
            fragments,
        }: Definitions,
    ) -> Document {
        let by_name = fragments
            .iter()
            .enumerate()
            .map(|(i, (name, _))| (name.clone(), i))
            .collect();
        Document {
            operations,
            fragments,
            by_name,
        }
    }

    /// Returns all operations, in the order of the text, each with its name.
    pub fn operations(
        &self,
    ) -> impl Iterator<Item = (Option<&str>, &Positioned<OperationDefinition>)> {
        self.operations
            .iter()
            .map(|(name, operation)| (name.as_deref(), operation))
    }

    /// Returns all fragments, in the order of the text, each with its name.
    pub fn fragments(&self) -> impl Iterator<Item = (&str, &Positioned<FragmentDefinition>)> {
        self.fragments
            .iter()
            .map(|(name, fragment)| (name.as_str(), fragment))
    }

    /// Looks up a fragment by name.
    pub fn fragment(&self, name: &str) -> Option<&Positioned<FragmentDefinition>> {
        self.by_name.get(name).map(|&i| &self.fragments[i].1)
    }

    /// Returns the operation that `operationName` selects.
    ///
    /// Errors: [`Cause::OperationNameNeeded`] without a name where the document has several
    /// operations, [`Cause::Unknown`] where it has none of this name.
    /// <https://spec.graphql.org/October2021/#GetOperation()>
    pub fn operation(&self, name: Option<&str>) -> Result<&Positioned<OperationDefinition>, Error> {
        match (name, self.operations.as_slice()) {
            (None, [(_, operation)]) => Ok(operation),
            (None, _) => Err(Cause::OperationNameNeeded.under("$")),
            (Some(wanted), operations) => {
                let found = operations
                    .iter()
                    .find(|(name, _)| name.as_deref() == Some(wanted));
                let unknown = || {
                    Cause::Unknown {
                        kind: NameKind::Operation,
                        name: wanted.to_owned(),
                    }
                    .under("$")
                };
                found.map(|(_, operation)| operation).ok_or_else(unknown)
            }
        }
    }

    /// Returns the type of the operation that `operationName` selects.
    ///
    /// Errors: as [`Document::operation`].
    pub fn kind(&self, name: Option<&str>) -> Result<OperationKind, Error> {
        Ok(match self.operation(name)?.node.ty {
            OperationType::Query => OperationKind::Query,
            OperationType::Mutation => OperationKind::Mutation,
            OperationType::Subscription => OperationKind::Subscription,
        })
    }
}
