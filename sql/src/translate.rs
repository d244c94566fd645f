//! Translates an operation into statements: resolve, plan, render. The gateway calls it when its
//! plan cache has no entry; parsing comes before and encoding of rows after it.

mod actions;
mod expected_work;
mod lower;
mod native_query;
mod row_limits;
mod runs;
mod translation;

pub use expected_work::{CountedWork, ExpectedWork, ExpectedWorkCache};
pub use lower::lower;
pub use runs::{Grouping, GroupingState, ResponseLength};
pub use translation::{
    CompositeOperation, OperationPart, RootField, TranslateError, Translation, TranslationKind,
};

use crate::graphql::variables::Variables;
use crate::model::access::Access;
use crate::resolve::{Operation, Options};

/// Translates an operation under a role's access.
pub fn translate(
    access: &Access,
    operation: &Operation,
    variables: &Variables,
    options: Options,
) -> Result<Translation, TranslateError> {
    let (selection, structure) = operation.select(access, variables, options)?;
    if actions::selects_actions(&selection) {
        actions::lower_composite(access, operation.kind(), selection, structure, options)
    } else {
        lower(access, operation.kind(), &selection, structure, options)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::error::ErrorKind;
    use crate::model::names::Convention;
    use crate::testing::{admin, validate};

    fn refused(condition: &Json) -> Option<ErrorKind> {
        let access = admin(Convention::Snake);
        let text = "query($w: authors_bool_exp) { authors(where: $w) { id } }";
        let operation = validate(&access, text).unwrap();
        let values = json!({ "w": condition });
        let variables = operation
            .coerce(&access, values.as_object().unwrap())
            .unwrap();
        match translate(&access, &operation, &variables, Options::default()) {
            Err(TranslateError::Request(error)) => Some(error.kind()),
            _ => None,
        }
    }

    #[test]
    fn conditions_in_variables_are_limited() {
        let many = |number: usize| json!({"_or": (0..number).map(|id| json!({"id": {"_eq": id}})).collect::<Vec<_>>()});
        assert_eq!(refused(&many(10_000)), None);
        assert_eq!(refused(&many(10_001)), Some(ErrorKind::LimitExceeded));
        let deep = |depth: usize| {
            (0..depth).fold(json!({}), |inner, _| json!({"articles": {"author": inner}}))
        };
        assert_eq!(refused(&deep(5)), None);
        assert_eq!(refused(&deep(6)), Some(ErrorKind::LimitExceeded));
        let wide = |width: usize| json!({"_or": vec![json!({"articles": {}}); width]});
        assert_eq!(refused(&wide(200)), None);
        assert_eq!(refused(&wide(201)), Some(ErrorKind::LimitExceeded));
    }
}
