//! Writes the call of an action that a function of the database answers.

use std::fmt::Write;

use crate::postgres::catalog::{Catalog, Function};
use crate::postgres::types::{Scalar, quoted};

/// The call of a function with the arguments at these places, named or in order; parameter `$1` is
/// the first of them. It returns one row with one text column, the result as JSON.
///
/// ```sql
/// SELECT coalesce(to_json("r"), 'null')::text FROM "public"."greet"("name" => $1::text) AS "r"
/// ```
pub fn function_call(catalog: &Catalog, function: &Function, given: &[usize]) -> String {
    let result = if function.set {
        r#"coalesce(json_agg("r"), '[]')::text"#
    } else {
        r#"coalesce(to_json("r"), 'null')::text"#
    };
    let mut text = format!(
        "SELECT {result} FROM {}.{}(",
        quoted(&function.schema),
        quoted(&function.name)
    );
    for (number, index) in given.iter().enumerate() {
        let Some(argument) = function.arguments.get(*index) else {
            continue;
        };
        let separator = if number > 0 { ", " } else { "" };
        text.push_str(separator);
        if let Some(name) = &argument.name {
            let _ = write!(text, "{} => ", quoted(name));
        }
        let _ = write!(
            text,
            "${}::{}",
            number + 1,
            Scalar::from_oid(catalog, argument.r#type).sql
        );
    }
    text + r#") AS "r""#
}
