//! Reads the planner's estimate of a statement from its `EXPLAIN` output: the total cost, and the rows including those
//! of nested lists. The planner multiplies the cost of a subplan by how often it runs, but not its rows, so this file
//! does.

use serde_json::Value;
use sql::ExpectedWork;

/// Reads the output of `EXPLAIN (VERBOSE, FORMAT JSON)`. An unreadable plan counts as no work: other limits apply while
/// the statement runs.
pub(super) fn read(answer: &str) -> ExpectedWork {
    let plan: Option<Value> = serde_json::from_str(answer).ok();
    match plan.as_ref().and_then(|plan| plan.get(0)?.get("Plan")) {
        Some(plan) => ExpectedWork { rows: rows_of_plan(plan, 1.0), cost: number(plan, "Total Cost") },
        // The plan is nested too deeply for the parser. The total cost is near the beginning of the text.
        None => ExpectedWork { rows: 0.0, cost: first_cost(answer).unwrap_or_default() },
    }
}

/// The greatest cost of a node of the plan. None if the plan is unreadable.
pub(super) fn greatest_cost(answer: &str) -> Option<f64> {
    fn greatest(plan: &Value) -> f64 {
        subplans(plan).iter().map(greatest).fold(number(plan, "Total Cost"), f64::max)
    }
    let plan: Value = serde_json::from_str(answer).ok()?;
    Some(greatest(plan.get(0)?.get("Plan")?))
}

fn first_cost(answer: &str) -> Option<f64> {
    let (_, rest) = answer.split_once("\"Total Cost\":")?;
    rest.split([',', '\n']).next()?.trim().parse().ok()
}

/// The rows of a plan that runs `times` times, and of the lists nested in them.
fn rows_of_plan(plan: &Value, times: f64) -> f64 {
    times * number(plan, "Plan Rows") + rows_of_subplans(plan, times)
}

/// The rows of lists that are built for the rows of a plan or of plans below it.
fn rows_of_subplans(plan: &Value, times: f64) -> f64 {
    let plans = subplans(plan);
    let rows = number(plan, "Plan Rows");
    let is_loop = text(plan, "Node Type") == "Nested Loop";
    let outer = plans.iter().find(|below| text(below, "Parent Relationship") == "Outer");
    let loops = outer.filter(|_| is_loop).map_or(1.0, |outer| number(outer, "Plan Rows").max(1.0));
    let of = |below: &Value| match text(below, "Parent Relationship") {
        // Subplans of conditions add no rows to the response.
        "SubPlan" if is_in_output(plan, text(below, "Subplan Name")) => rows_of_plan(below, times * rows.max(1.0)),
        "SubPlan" => 0.0,
        "InitPlan" if text(below, "Subplan Name").starts_with("CTE ") => rows_of_subplans(below, 1.0),
        "InitPlan" if plans.iter().chain([plan]).any(|at| is_in_output(at, text(below, "Subplan Name"))) => {
            rows_of_plan(below, 1.0)
        }
        "InitPlan" => 0.0,
        "Inner" => rows_of_subplans(below, times * loops),
        _ => rows_of_subplans(below, times),
    };
    plans.iter().map(of).sum()
}

/// Whether the output of a plan contains the result of the subplan with this name: `SubPlan 1`, or `InitPlan 1 (returns
/// $0)`, which the output shows as `$0`.
fn is_in_output(plan: &Value, name: &str) -> bool {
    let (short, returned) = match name.split_once(" (returns ") {
        Some((short, returned)) => (short, returned.trim_end_matches(')')),
        None => (name, name),
    };
    let named = |output: &str, word: &str| {
        output.match_indices(word).any(|(at, _)| {
            let behind = output.as_bytes().get(at + word.len());
            !behind.is_some_and(u8::is_ascii_digit)
        })
    };
    let outputs = plan.get("Output").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    outputs.iter().filter_map(Value::as_str).any(|output| named(output, short) || named(output, returned))
}

fn number(plan: &Value, name: &str) -> f64 {
    plan.get(name).and_then(Value::as_f64).unwrap_or_default()
}

/// The plans below a plan.
pub(super) fn subplans(plan: &Value) -> &[Value] {
    plan.get("Plans").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A text of a plan, such as its node type; empty if it has none of that name.
pub(super) fn text<'p>(plan: &'p Value, name: &str) -> &'p str {
    plan.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn list_rows_are_multiplied_and_condition_rows_are_not_counted() {
        let leaf = json!({"Node Type": "Index Scan", "Parent Relationship": "SubPlan", "Subplan Name": "SubPlan 1",
            "Plan Rows": 30, "Total Cost": 5.0, "Output": ["ROW(_2.id)"]});
        let inner = json!({"Node Type": "Index Scan", "Parent Relationship": "SubPlan", "Subplan Name": "SubPlan 2",
            "Plan Rows": 20, "Total Cost": 200.0, "Output": ["ROW(_1.id, (SubPlan 1))"], "Plans": [leaf]});
        let rule = json!({"Node Type": "Seq Scan", "Parent Relationship": "SubPlan", "Subplan Name": "SubPlan 21",
            "Plan Rows": 1000, "Total Cost": 9.0});
        let root = json!([{"Plan": {"Node Type": "Seq Scan", "Plan Rows": 100, "Total Cost": 20_000.5,
            "Output": ["_0.id", "(SubPlan 2)"], "Plans": [inner, rule]}}]);
        assert_eq!(read(&root.to_string()), ExpectedWork { rows: 100.0 + 2_000.0 + 60_000.0, cost: 20_000.5 });
    }

    #[test]
    fn greatest_cost_is_that_below_a_limit() {
        let scan = json!({"Node Type": "Index Scan", "Total Cost": 1000.5});
        let plan = json!([{"Plan": {"Node Type": "Limit", "Total Cost": 8.5, "Plans": [scan]}}]);
        assert_eq!(greatest_cost(&plan.to_string()), Some(1000.5));
        assert_eq!(greatest_cost("[{\"Plan\""), None);
    }

    #[test]
    fn sibling_lists_are_counted_once() {
        let list = |name: &str| {
            json!({"Node Type": "Seq Scan", "Parent Relationship": "InitPlan", "Subplan Name": name,
            "Plan Rows": 500, "Output": ["ROW(_1.id)"]})
        };
        let root = json!([{"Plan": {"Node Type": "Result", "Plan Rows": 1, "Total Cost": 7.0, "Output": ["$0"],
            "Plans": [list("InitPlan 1 (returns $0)"), list("InitPlan 2 (returns $1)"), list("CTE _0")]}}]);
        assert_eq!(read(&root.to_string()), ExpectedWork { rows: 501.0, cost: 7.0 });
    }

    #[test]
    fn too_deep_plan_still_has_its_cost() {
        let deep =
            format!("[{{\"Plan\": {{\n\"Total Cost\": 12.5,\n\"Plans\": {}{}}}}}]", "[".repeat(200), "]".repeat(200));
        assert_eq!(read(&deep), ExpectedWork { rows: 0.0, cost: 12.5 });
    }
}
