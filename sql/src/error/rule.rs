//! The name of the rule that a request breaks, for logs: unlike a message, it repeats nothing that
//! the client has sent.

use super::{Cause, NameKind};

impl Cause {
    /// The rule of the GraphQL specification that the request breaks, by its name in graphql-js, or
    /// the gateway's own name of a fault that the specification does not know.
    pub fn rule(&self) -> &'static str {
        match self {
            Cause::Syntax { .. } => "Syntax",
            Cause::Limit { .. } => "Limit",
            Cause::UnknownField { .. } => "FieldsOnCorrectType",
            Cause::UnknownArgument { .. } => "KnownArgumentNames",
            Cause::UnknownInputField { .. }
            | Cause::WrongType { .. }
            | Cause::UnknownEnumValue { .. }
            | Cause::NotAnObject { .. }
            | Cause::NotAnEnumValue { .. }
            | Cause::Unreadable { .. } => "ValuesOfCorrectType",
            Cause::Missing { .. } => "ProvidedRequiredArguments",
            Cause::Duplicate { kind, .. } => match kind {
                NameKind::Argument => "UniqueArgumentNames",
                NameKind::Field | NameKind::InputField => "UniqueInputFieldNames",
                NameKind::Variable => "UniqueVariableNames",
                NameKind::Fragment => "UniqueFragmentNames",
                NameKind::Directive => "UniqueDirectivesPerLocation",
                NameKind::Operation => "UniqueOperationNames",
                NameKind::Type => "UniqueTypeNames",
            },
            Cause::TwoSpellings { .. } => "UniqueArgumentNames",
            Cause::Unknown { kind, .. } => match kind {
                NameKind::Argument => "KnownArgumentNames",
                NameKind::Field | NameKind::InputField => "ValuesOfCorrectType",
                NameKind::Variable => "NoUndefinedVariables",
                NameKind::Fragment => "KnownFragmentNames",
                NameKind::Directive => "KnownDirectives",
                NameKind::Operation => "KnownOperationName",
                NameKind::Type => "KnownTypeNames",
            },
            Cause::Unused {
                kind: NameKind::Fragment,
                ..
            } => "NoUnusedFragments",
            Cause::Unused { .. } => "NoUnusedVariables",
            Cause::FragmentCycle { .. } => "NoFragmentCycles",
            Cause::ImpossibleFragment { .. } => "PossibleFragmentSpreads",
            Cause::FragmentOnLeaf { .. } => "FragmentsOnCompositeTypes",
            Cause::LeafWithSelection { .. } | Cause::MissingSelection { .. } => "ScalarLeafs",
            Cause::Conflict { .. } => "OverlappingFieldsCanBeMerged",
            Cause::MisplacedDirective { .. } => "KnownDirectives",
            Cause::VariableType { .. } => "VariablesInAllowedPosition",
            Cause::VariableNotInput { .. } => "VariablesAreInputTypes",
            Cause::MissingVariable { .. } | Cause::AbsentInWrite { .. } => "RequiredVariable",
            Cause::UnexpectedVariables { .. } => "UnexpectedVariables",
            Cause::NegativeOffset => "NegativeOffset",
            Cause::Pattern { .. } => "Pattern",
            Cause::Regular { .. } => "RegularExpression",
            Cause::JsonPath { .. } => "JsonPath",
            Cause::Cursor { .. } | Cause::MovingCursor { .. } => "Cursor",
            Cause::Together { .. } => "ArgumentsTogether",
            Cause::NotGrouped { .. } => "GroupedColumns",
            Cause::NoDefault { .. } | Cause::Gap { .. } => "FunctionArguments",
            Cause::DistinctOrder { .. } => "DistinctOrder",
            Cause::NoOperation | Cause::NotExecutable { .. } => "ExecutableDefinitions",
            Cause::OperationNameNeeded => "OperationNameNeeded",
            Cause::LoneAnonymous => "LoneAnonymousOperation",
            Cause::NoMutations | Cause::NoSubscriptions => "KnownOperationType",
            Cause::SeveralRoots | Cause::IntrospectedRoot => "SingleFieldSubscriptions",
            Cause::IntrospectionOff { .. } => "Introspection",
            Cause::Check => "PermissionCheck",
            Cause::Affected { .. } => "AffectedRows",
            Cause::Inserted { .. } => "InsertedRows",
            Cause::TooLong { .. } => "ValueLength",
            Cause::KeyRepeats => "UniqueKey",
            Cause::Mismatch => "IfMatch",
            Cause::NotInserted { .. } | Cause::Determined { .. } | Cause::Differs { .. } => {
                "NestedInsert"
            }
            Cause::NotOne { .. } => "RelatedRow",
            Cause::NothingToUpdate { .. } => "NothingToUpdate",
            Cause::ChangedTwice { .. } => "ChangedTwice",
            Cause::Placeholder => "ColumnName",
            Cause::Required => "RequiredRow",
            Cause::MissingSession { .. } => "MissingSessionValue",
            Cause::MalformedSession { .. } => "MalformedSessionValue",
        }
    }
}
