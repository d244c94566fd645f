//! Reads the planner's estimate of a statement from its `EXPLAIN` output: the total cost, and the
//! rows including those of nested lists. The planner multiplies the cost of a subplan by how often
//! it runs, but not its rows, so this file does. A node below a `Limit` is estimated as if all of
//! its rows were read; [`rows_read_of`] hands the number of rows that are really read down to the
//! node that evaluates the subplans.

use std::collections::BTreeSet;

use serde_json::Value;
use sql::ExpectedWork;

/// What the output of `EXPLAIN` says about a statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StatementEstimate {
    /// The rows, including those of nested lists, and the cost.
    pub work: ExpectedWork,
    /// The list with the most rows.
    pub largest: LargestList,
}

/// The list with the most rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LargestList {
    /// All its rows in the response.
    pub rows: f64,
    /// The number of the table's alias, if it is one of a translation: 3 for `_3`.
    pub alias: Option<u32>,
}

/// Reads the output of `EXPLAIN (VERBOSE, FORMAT JSON)`. An unreadable plan counts as no work:
/// other limits apply while the statement runs.
pub(super) fn read(response: &str) -> StatementEstimate {
    let plan: Option<Value> = serde_json::from_str(response).ok();
    match plan.as_ref().and_then(|plan| plan.get(0)?.get("Plan")) {
        Some(plan) => {
            let mut counter = RowCounter::default();
            counter.count_plan(plan, 1.0);
            let work = ExpectedWork {
                rows: counter.rows,
                cost: number(plan, "Total Cost"),
            };
            StatementEstimate {
                work,
                largest: counter.largest,
            }
        }
        // The plan is nested too deeply for the parser. The total cost is near the beginning of the
        // text.
        None => {
            let work = ExpectedWork {
                rows: 0.0,
                cost: first_cost(response).unwrap_or_default(),
            };
            StatementEstimate {
                work,
                largest: LargestList::default(),
            }
        }
    }
}

/// The greatest cost of a node of the plan. None if the plan is unreadable.
pub(super) fn greatest_cost(response: &str) -> Option<f64> {
    fn greatest(plan: &Value) -> f64 {
        subplans(plan)
            .iter()
            .map(greatest)
            .fold(number(plan, "Total Cost"), f64::max)
    }
    let plan: Value = serde_json::from_str(response).ok()?;
    Some(greatest(plan.get(0)?.get("Plan")?))
}

/// The schemas and names of the tables that a plan reads.
pub(super) fn tables(response: &str) -> BTreeSet<(String, String)> {
    fn collect(plan: &Value, tables: &mut BTreeSet<(String, String)>) {
        let schema = text(plan, "Schema");
        let name = text(plan, "Relation Name");
        if !name.is_empty() {
            tables.insert((schema.to_owned(), name.to_owned()));
        }
        subplans(plan)
            .iter()
            .for_each(|below| collect(below, tables));
    }
    let plan = serde_json::from_str::<Value>(response).unwrap_or_default();
    let mut tables = BTreeSet::new();
    plan.get(0)
        .and_then(|plan| plan.get("Plan"))
        .into_iter()
        .for_each(|plan| collect(plan, &mut tables));
    tables
}

fn first_cost(response: &str) -> Option<f64> {
    let (_, rest) = response.split_once("\"Total Cost\":")?;
    rest.split([',', '\n']).next()?.trim().parse().ok()
}

/// Sums the rows of a plan and of the lists nested in them.
#[derive(Default)]
struct RowCounter {
    rows: f64,
    largest: LargestList,
}

impl RowCounter {
    /// Counts the rows of a plan that runs `times` times to its end, and of the lists nested in
    /// them.
    fn count_plan(&mut self, plan: &Value, times: f64) {
        self.count_own_rows(plan, times);
        self.count_lists(plan, times, f64::INFINITY);
    }

    /// The arms of an `Append` are lists of their own.
    fn count_own_rows(&mut self, plan: &Value, times: f64) {
        if text(plan, "Node Type") == "Append" {
            return subplans(plan)
                .iter()
                .filter(|below| is_input(below))
                .for_each(|arm| self.count_own_rows(arm, times));
        }
        let rows = times * number(plan, "Plan Rows");
        self.rows += rows;
        if rows > self.largest.rows {
            self.largest = LargestList {
                rows,
                alias: first_alias(plan),
            };
        }
    }

    /// Counts the rows of lists that are built for the rows of a plan or of plans below it. The
    /// plan runs `times` times, and each time at most `read` of its rows are read.
    fn count_lists(&mut self, plan: &Value, times: f64, read: f64) {
        let plans = subplans(plan);
        let rows = number(plan, "Plan Rows").min(read).max(1.0);
        let mut left = read;
        for below in plans {
            let is_listed = || {
                plans
                    .iter()
                    .chain([plan])
                    .any(|node| is_in_output(node, text(below, "Subplan Name")))
            };
            match text(below, "Parent Relationship") {
                // Subplans of conditions add no rows to the response.
                "SubPlan" if is_in_output(plan, text(below, "Subplan Name")) => {
                    self.count_plan(below, times * rows);
                }
                "SubPlan" => {}
                "InitPlan" if text(below, "Subplan Name").starts_with("CTE ") => {
                    self.count_lists(below, 1.0, f64::INFINITY);
                }
                // A parameter that is selected is no row of a table.
                "InitPlan" if is_single_row(below) => {}
                // It runs again whenever the plan that has it does: it may depend on rows further
                // out.
                "InitPlan" if is_listed() => self.count_plan(below, times),
                "InitPlan" => {}
                _ => {
                    let times = times * runs_per_run(plan, below, read);
                    self.count_lists(below, times, rows_read_of(below, plan, read, left));
                    left = (left - number(below, "Plan Rows")).max(0.0);
                }
            }
        }
    }
}

/// How often an input of a plan runs in one run of the plan: the inner side of a nested loop for
/// each row of the outer side, and the inputs of a `Gather`, whose estimates are those of one
/// process, in each of its processes.
fn runs_per_run(plan: &Value, input: &Value, read: f64) -> f64 {
    match (text(plan, "Node Type"), text(input, "Parent Relationship")) {
        ("Nested Loop", "Inner") => {
            let outer = subplans(plan)
                .iter()
                .find(|below| text(below, "Parent Relationship") == "Outer");
            outer.map_or(1.0, |outer| {
                number(outer, "Plan Rows")
                    .min(rows_read_of(outer, plan, read, read))
                    .max(1.0)
            })
        }
        ("Gather" | "Gather Merge", _) => {
            (number(plan, "Plan Rows") / number(input, "Plan Rows").max(1.0)).max(1.0)
        }
        _ => 1.0,
    }
}

/// The rows that a plan reads of one of its inputs if `read` of its own rows are read; infinite for
/// all. `left` are those that the inputs before this one do not have.
fn rows_read_of(input: &Value, plan: &Value, read: f64, left: f64) -> f64 {
    let rows = number(plan, "Plan Rows");
    let of_input = number(input, "Plan Rows");
    // The part of the input that yields the rows.
    let part = || {
        if read < rows {
            of_input * read / rows
        } else {
            f64::INFINITY
        }
    };
    match text(plan, "Node Type") {
        "Limit" => rows_until_limit(plan, input) - (rows - read).max(0.0),
        // The arms of an `Append` run one after the other.
        "Append" => left,
        // Nodes that read their input row by row, as far as their own rows are read.
        "Result" | "Subquery Scan" | "LockRows" | "ProjectSet" | "Gather" | "Gather Merge"
        | "Merge Append" | "Unique" | "Group" | "Materialize" | "Memoize" | "Merge Join" => part(),
        "Nested Loop" | "Hash Join" if text(input, "Parent Relationship") == "Outer" => part(),
        // These read a group of rows before they yield the first.
        "Incremental Sort" => part() + rows_until(number(plan, "Startup Cost"), input),
        "Aggregate" if text(plan, "Strategy") == "Sorted" => {
            part() + rows_until(number(plan, "Startup Cost"), input)
        }
        // All others need all rows before they yield the first, or may.
        _ => f64::INFINITY,
    }
}

/// The rows that a `Limit` reads of its input, those included that its offset skips. `EXPLAIN` does
/// not show the offset, but the cost of a `Limit` is that of its input up to the last row that it
/// reads.
fn rows_until_limit(limit: &Value, input: &Value) -> f64 {
    rows_until(number(limit, "Total Cost"), input).max(number(limit, "Plan Rows"))
}

/// How many rows a plan has yielded when it has cost so much. The planner assumes that they cost
/// the same each.
fn rows_until(cost: f64, plan: &Value) -> f64 {
    let startup = number(plan, "Startup Cost");
    let total = number(plan, "Total Cost");
    let part = if total > startup {
        ((cost - startup) / (total - startup)).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (number(plan, "Plan Rows") * part).ceil()
}

/// Whether a plan is an input of the one above it, and not a subquery of its expressions.
fn is_input(plan: &Value) -> bool {
    !matches!(text(plan, "Parent Relationship"), "SubPlan" | "InitPlan")
}

/// Whether a plan reads nothing: `(SELECT $1)`.
fn is_single_row(plan: &Value) -> bool {
    text(plan, "Node Type") == "Result" && subplans(plan).is_empty()
}

/// The number of the first scan of a plan or of its inputs that has an alias of a translation:
/// `_3`, or `_3_1` where Postgres shows the alias a second time.
fn first_alias(plan: &Value) -> Option<u32> {
    let digits = text(plan, "Alias")
        .strip_prefix('_')
        .and_then(|alias| alias.split('_').next());
    let own = digits.and_then(|digits| digits.parse().ok());
    own.or_else(|| {
        subplans(plan)
            .iter()
            .filter(|below| is_input(below))
            .find_map(first_alias)
    })
}

/// Whether the output of a plan contains the result of the subplan with this name: `SubPlan 1`, or
/// `InitPlan 1 (returns $0)`, which the output shows as `$0`.
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
    let outputs = plan
        .get("Output")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    outputs
        .iter()
        .filter_map(Value::as_str)
        .any(|output| named(output, short) || named(output, returned))
}

fn number(plan: &Value, name: &str) -> f64 {
    plan.get(name).and_then(Value::as_f64).unwrap_or_default()
}

/// The plans below a plan.
pub(super) fn subplans(plan: &Value) -> &[Value] {
    plan.get("Plans")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
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
        let leaf = json!({"Node Type": "Index Scan", "Parent Relationship": "SubPlan", "Subplan \
             Name": "SubPlan 1",
            "Plan Rows": 30, "Total Cost": 5.0, "Output": ["ROW(_2.id)"]});
        let inner = json!({"Node Type": "Index Scan", "Parent Relationship": "SubPlan", "Subplan \
             Name": "SubPlan 2",
            "Plan Rows": 20, "Total Cost": 200.0, "Output": ["ROW(_1.id, (SubPlan 1))"], "Plans": [leaf]});
        let rule = json!({"Node Type": "Seq Scan", "Parent Relationship": "SubPlan", "Subplan \
             Name": "SubPlan 21",
            "Plan Rows": 1000, "Total Cost": 9.0});
        let root = json!([{"Plan": {"Node Type": "Seq Scan", "Plan Rows": 100, "Total Cost": 20_000.5,
            "Output": ["_0.id", "(SubPlan 2)"], "Plans": [inner, rule]}}]);
        assert_eq!(
            read(&root.to_string()).work,
            ExpectedWork {
                rows: 100.0 + 2_000.0 + 60_000.0,
                cost: 20_000.5
            }
        );
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
            "Plans": [list("InitPlan 1 (returns $0)"), list("InitPlan 2 (returns $1)"), list("CTE \
                 _0")]}}]);
        assert_eq!(
            read(&root.to_string()).work,
            ExpectedWork {
                rows: 501.0,
                cost: 7.0
            }
        );
    }

    /// A list of five rows for each row of a table of 250,000, below what stands between the table
    /// and the response.
    fn listed_rows(above: impl Fn(Value) -> Value) -> f64 {
        let list = json!({"Node Type": "Index Scan", "Parent Relationship": "SubPlan", "Subplan \
             Name": "SubPlan 1",
            "Plan Rows": 5, "Alias": "_1", "Output": ["ROW(_1.id)"]});
        let table = json!({"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Plan Rows": 250_000, "Alias": "_0",
            "Startup Cost": 0.0, "Total Cost": 500_000.0, "Output": ["_0.id", "(SubPlan 1)"], "Plans": [list]});
        let plan = above(table);
        let read = read(&json!([{"Plan": plan}]).to_string());
        read.work.rows - number(&plan, "Plan Rows")
    }

    fn limit(rows: u32, (startup, total): (f64, f64), input: &Value) -> Value {
        json!({"Node Type": "Limit", "Parent Relationship": "Outer", "Plan Rows": rows, "Startup \
             Cost": startup,
            "Total Cost": total, "Output": ["_0.id", "((SubPlan 1))"], "Plans": [input]})
    }

    fn above(node: &str, input: &Value) -> Value {
        json!({"Node Type": node, "Parent Relationship": "Outer", "Plan Rows": 250_000, "Startup \
             Cost": 0.0,
            "Total Cost": 500_000.0, "Plans": [input]})
    }

    #[test]
    fn limit_counts_for_lists_below_nodes_that_read_row_by_row() {
        assert_eq!(listed_rows(|table| table), 1_250_000.0);
        assert_eq!(listed_rows(|table| limit(20, (0.0, 40.0), &table)), 100.0);
        for node in [
            "Result",
            "Subquery Scan",
            "LockRows",
            "Unique",
            "Materialize",
            "Gather",
        ] {
            assert_eq!(
                listed_rows(|table| limit(20, (0.0, 40.0), &above(node, &table))),
                100.0,
                "{node}"
            );
        }
        for node in ["Sort", "WindowAgg", "Aggregate", "Hash", "SetOp"] {
            assert_eq!(
                listed_rows(|table| limit(20, (0.0, 40.0), &above(node, &table))),
                1_250_000.0,
                "{node}"
            );
        }
    }

    #[test]
    fn rows_that_an_offset_skips_are_read() {
        assert_eq!(
            listed_rows(|table| limit(20, (200.0, 240.0), &table)),
            600.0
        );
        // Of 20 rows behind an offset of 100, the limit above reads two.
        assert_eq!(
            listed_rows(|table| limit(2, (200.0, 204.0), &limit(20, (200.0, 240.0), &table))),
            510.0
        );
    }

    #[test]
    fn filter_below_a_limit_reads_more_rows_than_it_yields() {
        let filtered = |table| {
            let mut scan = above("Subquery Scan", &table);
            scan["Plan Rows"] = 2_500.into();
            limit(20, (0.0, 4_000.0), &scan)
        };
        assert_eq!(listed_rows(filtered), 5.0 * 2_000.0);
    }

    #[test]
    fn list_with_the_most_rows_is_named() {
        let list = |name: &str, alias: &str, rows: u32| {
            json!({"Node Type": "Limit", "Parent Relationship": "SubPlan", "Subplan Name": name, "Plan \
                 Rows": rows,
                "Plans": [{"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Alias": alias}]})
        };
        let root = json!([{"Plan": {"Node Type": "Seq Scan", "Plan Rows": 10, "Alias": "_0",
            "Output": ["(SubPlan 1)", "(SubPlan 2)"], "Plans": [list("SubPlan 1", "_7", 3), list("SubPlan \
                 2", "_12_1", 9)]}}]);
        assert_eq!(
            read(&root.to_string()).largest,
            LargestList {
                rows: 90.0,
                alias: Some(12)
            }
        );
    }

    #[test]
    fn too_deep_plan_still_has_its_cost() {
        let deep = format!(
            "[{{\"Plan\": {{\n\"Total Cost\": 12.5,\n\"Plans\": {}{}}}}}]",
            "[".repeat(200),
            "]".repeat(200)
        );
        assert_eq!(
            read(&deep).work,
            ExpectedWork {
                rows: 0.0,
                cost: 12.5
            }
        );
    }
}
