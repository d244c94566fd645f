//! Stands in for parts of `sql` and `permissions` that are being written; goes when they are there.
#![allow(missing_docs, dead_code, clippy::needless_pass_by_value)]

pub mod sql {
    pub use ::sql::*;

    #[derive(Debug, Clone)]
    pub struct Error {
        pub kind: ErrorKind,
        pub message: String,
        pub path: String,
        pub locations: Vec<(usize, usize)>,
    }
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ErrorKind {
        ValidationFailed,
        ParseFailed,
        BadRequest,
        ConstraintViolation,
        PermissionError,
        LimitExceeded,
        NotSupported,
    }
    pub mod document {
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Limits {
            pub bytes: usize,
            pub tokens: usize,
            pub nesting: usize,
            pub depth: usize,
            pub aliases: usize,
            pub roots: usize,
        }
        impl Default for Limits {
            fn default() -> Self {
                Limits { bytes: 1 << 20, tokens: 20000, nesting: 100, depth: 20, aliases: 500, roots: 50 }
            }
        }
        #[derive(Debug)]
        pub struct Document {}
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum OperationKind {
            Query,
            Mutation,
            Subscription,
        }
        pub fn parse(_text: &str, _limits: &Limits) -> Result<Document, super::Error> {
            Ok(Document {})
        }
        impl Document {
            pub fn operation_kind(&self, _name: Option<&str>) -> Result<OperationKind, super::Error> {
                Ok(OperationKind::Query)
            }
        }
    }
    pub mod statement {
        use serde_json::{Map, Value};
        #[derive(Debug)]
        pub struct Parameter {}
        #[derive(Debug)]
        pub struct Statement {
            pub text: String,
            pub parameters: Vec<Parameter>,
            pub shape: ::sql::shape::Shape,
        }
        pub fn bind(
            _statement: &Statement,
            _variables: &Map<String, Value>,
            _session: &dyn Fn(&str) -> Option<String>,
        ) -> Result<Vec<Option<String>>, super::Error> {
            Ok(vec![])
        }
    }
    pub mod translate {
        use super::{document::Document, statement::Statement};
        use serde_json::{Map, Value};
        #[derive(Debug)]
        pub struct Translation {
            pub statement: Option<Statement>,
            pub introspects: bool,
            pub reads: Vec<Reading>,
            pub structure: Structure,
        }
        #[derive(Debug, Clone, Default)]
        pub struct Structure {}
        impl Structure {
            pub fn key(&self, _variables: &Map<String, Value>) -> String {
                String::new()
            }
            pub fn merge(&mut self, _other: &Structure) {}
        }
        #[derive(Debug)]
        pub struct Reading {
            pub table: String,
            pub alias: String,
            pub rule: std::sync::Arc<::sql::access::Rule>,
        }
        #[derive(Debug, Clone, Default)]
        pub struct Options {
            pub stringify_numbers: bool,
        }
        pub fn translate(
            _access: &::sql::access::Access,
            _document: &Document,
            _operation: Option<&str>,
            _variables: &Map<String, Value>,
            _options: &Options,
        ) -> Result<Translation, super::Error> {
            Err(super::Error {
                kind: super::ErrorKind::NotSupported,
                message: "no".into(),
                path: "$".into(),
                locations: vec![],
            })
        }
    }
}

pub mod permissions {
    use sql::access::Access;
    use sql::catalog::Catalog;
    use sql::model::Model;
    use std::sync::Arc;
    #[derive(Debug)]
    pub struct Permissions {
        pub model: Arc<Model>,
        pub rules: Vec<Preparation>,
    }
    #[derive(Debug)]
    pub struct Preparation {
        pub sql: String,
    }
    impl Preparation {
        pub fn problem(&self, _message: &str, _position: Option<usize>, _hint: Option<&str>) -> Problem {
            Problem
        }
    }
    #[derive(Debug)]
    pub struct Problem;
    #[derive(Debug)]
    pub struct SourceFile {
        pub name: String,
        pub text: String,
    }
    impl Permissions {
        pub fn role(&self, _name: &str) -> Option<&Arc<Access>> {
            None
        }
    }
    pub fn compile(_file: &SourceFile, _catalog: Arc<Catalog>) -> Result<Permissions, Vec<Problem>> {
        Err(vec![])
    }
    pub fn open(catalog: Arc<Catalog>) -> Permissions {
        Permissions { model: Arc::new(Model::new(catalog, vec![], vec![])), rules: vec![] }
    }
    pub fn draw(_problems: &[Problem], _file: &SourceFile, _colour: bool) -> String {
        String::new()
    }
    pub fn init(_catalog: &Catalog) -> String {
        String::new()
    }
}
