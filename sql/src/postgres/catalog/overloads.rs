//! Functions of one name: which calls Postgres cannot resolve. `f(a int)` beside `f(a int, b int
//! DEFAULT 1)` cannot be called, because `f(1)` may mean both; of the second, only calls with `b`
//! can. <https://www.postgresql.org/docs/current/typeconv-func.html>

use super::{Catalog, Function};

/// The most optional arguments of a function whose combinations are tried.
const MAX_OPTIONAL: usize = 8;

impl Catalog {
    /// Requires arguments that no call can leave out, and marks functions that no call can mean.
    pub(super) fn resolve_overloads(&mut self) {
        let mut rest = self.functions.as_mut_slice();
        while let Some(first) = rest.first() {
            let is_overload = |of: &&Function| of.schema == first.schema && of.name == first.name;
            let count = rest.iter().take_while(is_overload).count();
            let (overloads, others) = rest.split_at_mut(count);
            if count > 1
                && overloads
                    .iter()
                    .any(|of| of.arguments.iter().any(|argument| argument.default))
            {
                resolve(overloads);
            }
            rest = others;
        }
    }
}

fn resolve(overloads: &mut [Function]) {
    let resolved: Vec<_> = (0..overloads.len())
        .map(|index| unambiguous_calls(overloads, index))
        .collect();
    for (function, calls) in overloads.iter_mut().zip(resolved) {
        let Some(calls) = calls else { continue };
        function.ambiguous = calls.is_empty();
        for (position, argument) in function.arguments.iter_mut().enumerate() {
            argument.default &= calls.iter().any(|omitted| omitted.contains(&position));
        }
    }
}

/// The sets of arguments that a call of a function may leave out, such that it can mean no other
/// function; `None` if there are too many to try.
fn unambiguous_calls(overloads: &[Function], index: usize) -> Option<Vec<Vec<usize>>> {
    let function = overloads.get(index)?;
    let optional: Vec<usize> = (0..function.arguments.len())
        .filter(|position| function.arguments[*position].default)
        .collect();
    if optional.len() > MAX_OPTIONAL || function.variadic {
        return None;
    }
    let others = || {
        overloads
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
            .map(|(_, other)| other)
    };
    let sets = (0..1_u32 << optional.len()).map(|bits| {
        let omitted = optional
            .iter()
            .enumerate()
            .filter(|(bit, _)| bits & (1 << bit) != 0);
        omitted
            .map(|(_, column_index)| *column_index)
            .collect::<Vec<_>>()
    });
    Some(
        sets.filter(|omitted| !others().any(|other| accepts(other, function, omitted)))
            .collect(),
    )
}

/// Whether a call of `function` without the omitted arguments is one of `other`, too, with
/// arguments of the same types. Arguments before the first omitted one are passed by position,
/// those behind it by name.
fn accepts(other: &Function, function: &Function, omitted: &[usize]) -> bool {
    if other.variadic {
        return false;
    }
    let first_omitted = omitted.first().copied().unwrap_or(function.arguments.len());
    let mut passed = vec![false; other.arguments.len()];
    for (index, argument) in function
        .arguments
        .iter()
        .enumerate()
        .filter(|(position, _)| !omitted.contains(position))
    {
        let target = if index < first_omitted {
            Some(index)
        } else {
            other
                .arguments
                .iter()
                .position(|named| named.name.is_some() && named.name == argument.name)
        };
        let taken = target.and_then(|target| Some((target, other.arguments.get(target)?)));
        match taken {
            Some((target, taken)) if taken.r#type == argument.r#type && !passed[target] => {
                passed[target] = true;
            }
            _ => return false,
        }
    }
    other
        .arguments
        .iter()
        .zip(passed)
        .all(|(argument, passed)| passed || argument.default)
}

#[cfg(test)]
mod tests {
    use super::super::{Argument, Volatility};
    use super::*;

    /// `a, b?`: a function with these arguments of one type; those with a question mark have a
    /// default.
    fn function(arguments: &str) -> Function {
        let argument = |text: &str| Argument {
            name: Some(text.trim_end_matches('?').to_owned()),
            r#type: 23,
            default: text.ends_with('?'),
        };
        Function {
            schema: "public".into(),
            name: "f".into(),
            volatility: Volatility::Stable,
            arguments: arguments
                .split(", ")
                .filter(|text| !text.is_empty())
                .map(argument)
                .collect(),
            result: 23,
            set: false,
            variadic: false,
            columns: vec![],
            comment: None,
            ambiguous: false,
        }
    }

    fn resolved(overloads: &[&str]) -> Vec<String> {
        let functions = overloads
            .iter()
            .map(|arguments| function(arguments))
            .collect();
        let mut catalog = Catalog {
            functions,
            ..Catalog::default()
        };
        catalog.resolve_overloads();
        let shown = |of: &Function| {
            if of.ambiguous {
                "-".to_owned()
            } else {
                let arguments = of.arguments.iter().map(|argument| {
                    format!(
                        "{}{}",
                        argument.name.as_deref().unwrap_or_default(),
                        if argument.default { "?" } else { "" }
                    )
                });
                arguments.collect::<Vec<_>>().join(", ")
            }
        };
        catalog.functions.iter().map(shown).collect()
    }

    #[test]
    fn argument_is_required_if_a_call_without_it_may_mean_another_function() {
        assert_eq!(resolved(&["a", "a, b?"]), ["-", "a, b"]);
        assert_eq!(resolved(&["a, b?", "a, b?, c?"]), ["-", "a, b?, c"]);
        assert_eq!(resolved(&["", "a?"]), ["-", "a"]);
        assert_eq!(resolved(&["a", "a, b"]), ["a", "a, b"]);
        assert_eq!(resolved(&["a", "a, b?, c?"]), ["-", "a, b?, c?"]);
        assert_eq!(resolved(&["a, b?"]), ["a, b?"]);
    }
}
