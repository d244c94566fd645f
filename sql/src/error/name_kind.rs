//! What a name in a request stands for, in errors about names.

/// What a name stands for. Messages print its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NameKind {
    /// An argument of a field or directive.
    #[error("argument")]
    Argument,
    /// A field of an input object that is required.
    #[error("field")]
    Field,
    /// A key of an object in the document's text.
    #[error("input field")]
    InputField,
    /// A variable.
    #[error("variable")]
    Variable,
    /// A fragment.
    #[error("fragment")]
    Fragment,
    /// A directive.
    #[error("directive")]
    Directive,
    /// An operation.
    #[error("operation")]
    Operation,
    /// A type.
    #[error("type")]
    Type,
}
