//! Runs inserts of few rows together with those of other requests: the messages before one `Sync` are one
//! transaction, which costs Postgres far less than one for each. [`crate::database`] sends the inserts; this module
//! decides which ones.
//!
//! Other requests must not notice: an insert joins a group only if it locks no existing row but those that its foreign
//! keys name, fires no trigger, and calls no function that might wait or tell one transaction from another.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use sql::encode::shape::Answer;
use sql::statement::Mutation;
use sql::{Translation, TranslationKind};
use tokio::time::Instant;

use super::dependencies::array;
use super::estimate::{self, subplans, text};
use super::execution::{BoundParameters, Execution};
use super::plan_mentions::PlanMentions;
use crate::database::{Database, DatabaseError, GroupedInsert, InsertTurn, Requester, TransactionError};

/// The maximum cost of each part of the plan, in the planner's units, such as a check that reads other tables.
const COST: f64 = 100.0;

/// The maximum number of rows by the planner's estimate.
const ROWS: f64 = 10.0;

/// The maximum length of the parameters in bytes. Longer ones gain less, and hold up the others of their group.
const PARAMETERS: usize = 4 << 10;

/// How long finding out whether an insert may run in groups may take.
const TIME: Duration = Duration::from_secs(5);

/// Whether an insert into table `$2` of schema `$1`, whose plan calls functions with the names `$3`, has no effects but
/// its row.
///
/// * Triggers other than those of constraints, rules and policies run code of their own.
/// * Expressions of constraints, generated columns and indexes are not in the plan. Functions of `pg_catalog` are not
///   in `pg_depend`; those of others are.
/// * Of the functions that are not immutable, those that make a key or read the clock count as harmless, and the stable
///   ones of `pg_catalog` that do not read the number of the transaction.
const IS_PLAIN: &str = "SELECT (EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind = 'r' AND NOT c.relhasrules AND NOT c.relrowsecurity \
     AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgenabled <> 'D' \
     AND t.tgtype & 4 <> 0) \
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_proc'::regclass AND (\
     d.classid = 'pg_constraint'::regclass AND d.objid IN (SELECT oid FROM pg_constraint WHERE conrelid = c.oid) \
     OR d.classid = 'pg_attrdef'::regclass AND d.objid IN (SELECT f.oid FROM pg_attrdef f JOIN pg_attribute a \
     ON a.attrelid = f.adrelid AND a.attnum = f.adnum WHERE f.adrelid = c.oid AND a.attgenerated <> '') \
     OR d.classid = 'pg_class'::regclass AND d.objid IN (SELECT indexrelid FROM pg_index WHERE indrelid = c.oid)))) \
     AND NOT EXISTS (SELECT FROM pg_proc p WHERE p.proname = ANY ($3::text[]) AND p.provolatile <> 'i' \
     AND NOT (p.pronamespace = 'pg_catalog'::regnamespace AND (p.provolatile = 's' AND p.proname NOT IN \
     ('txid_current', 'txid_current_if_assigned', 'pg_current_xact_id', 'pg_current_xact_id_if_assigned') \
     OR p.proname IN ('nextval', 'gen_random_uuid', 'uuidv7', 'random', 'clock_timestamp', 'timeofday'))) \
     AND NOT EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid \
     WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' AND e.extname = 'uuid-ossp')))::text";

impl Execution<'_> {
    /// Runs a mutation together with those of other requests if it is a plain insert. None if it is another one.
    /// [`InsertTurn::Alone`] takes the parameters out of `values`.
    pub(super) async fn insert_grouped(
        &self,
        mutation: &Mutation,
        values: &mut BoundParameters,
    ) -> Option<Result<InsertTurn, TransactionError>> {
        if !self.is_grouped_insert(mutation) {
            return None;
        }
        let parameters = values.take_first_within(PARAMETERS)?;
        let insert = GroupedInsert { translation: self.translation.clone(), parameters };
        Some(self.executor.database.insert_grouped(&self.requester(), insert, self.deadline).await)
    }

    /// Whether it runs together with others this time.
    fn is_grouped_insert(&self, mutation: &Mutation) -> bool {
        let [step] = &*mutation.steps else { return false };
        // The comment of a request would make a statement of its own.
        let has_comment = self.record.is_some_and(|record| record.comment.is_some());
        if has_comment
            || self.is_dry_run()
            || self.executor.replicas.is_some()
            || mutation.settings.is_some()
            || !matches!(step.statement.shape.answer, Answer::Part(Some(_)))
            || !self.executor.database.groups_inserts()
        {
            return false;
        }
        self.joins_group(is_plain)
    }
}

async fn is_plain(database: Database, translation: Arc<Translation>) -> Result<bool, DatabaseError> {
    let TranslationKind::Mutation(mutation) = &translation.answer else { return Ok(false) };
    let [step] = &*mutation.steps else { return Ok(false) };
    let statement = &step.statement;
    if !statement.text.contains("INSERT INTO") {
        return Ok(false);
    }
    let (deadline, requester) = (Instant::now() + TIME, Requester::default());
    let plan = database.explain(&requester, None, &statement.text, statement.parameters.len(), deadline).await?;
    if !estimate::greatest_cost(&plan).is_some_and(|cost| cost <= COST) {
        return Ok(false);
    }
    let Ok(plan) = serde_json::from_str::<Value>(&plan) else { return Ok(false) };
    let Some((schema, table)) = target_of_few_rows(&plan) else { return Ok(false) };
    let mentioned = PlanMentions::of(&plan);
    if mentioned.foreign_table {
        return Ok(false);
    }
    let parameters = [Some(schema.to_owned()), Some(table.to_owned()), array(&mentioned.functions)];
    Ok(database.query_scalar_for(&requester, None, IS_PLAIN, &parameters, deadline).await? == "true")
}

/// The schema and name of the table, if all that the plan writes is the rows of one insert, a few by the estimate,
/// which conflict with none. The planner does not know the length of a list, so there is none.
fn target_of_few_rows(plan: &Value) -> Option<(&str, &str)> {
    let mut nodes = Vec::new();
    collect(plan.get(0)?.get("Plan")?, &mut nodes);
    let has_other_nodes = nodes.iter().any(|node| {
        matches!(text(node, "Node Type"), "LockRows" | "ProjectSet" | "Function Scan" | "Table Function Scan")
    });
    let mut writing = nodes.iter().filter(|node| text(node, "Node Type") == "ModifyTable");
    let (Some(write), None) = (writing.next(), writing.next()) else { return None };
    let source = subplans(write).iter().find(|node| text(node, "Parent Relationship") == "Outer")?;
    let is_small = source.get("Plan Rows").and_then(Value::as_f64).is_some_and(|rows| rows <= ROWS);
    let is_plain = text(write, "Operation") == "Insert" && write.get("Conflict Resolution").is_none();
    (is_plain && is_small && !has_other_nodes).then(|| (text(write, "Schema"), text(write, "Relation Name")))
}

fn collect<'p>(node: &'p Value, nodes: &mut Vec<&'p Value>) {
    nodes.push(node);
    subplans(node).iter().for_each(|below| collect(below, nodes));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn insert(source: &Value) -> Value {
        json!({"Node Type": "ModifyTable", "Operation": "Insert", "Schema": "public", "Relation Name": "notes",
            "Plans": [source]})
    }

    fn target(root: &Value) -> Option<(String, String)> {
        let plan = json!([{ "Plan": root }]);
        target_of_few_rows(&plan).map(|(schema, table)| (schema.to_owned(), table.to_owned()))
    }

    #[test]
    fn only_an_insert_of_few_rows_without_conflicts_has_a_target() {
        let row = |plans: &Value| json!({"Node Type": "Result", "Parent Relationship": "Outer", "Plan Rows": 1, "Plans": plans});
        let notes = Some(("public".to_owned(), "notes".to_owned()));
        let read = json!([{"Node Type": "Index Scan", "Parent Relationship": "InitPlan"}]);
        assert_eq!(target(&insert(&row(&json!([])))), notes);
        assert_eq!(target(&insert(&row(&read))), notes);
        let inside = json!({"Node Type": "Result", "Plans": [insert(&row(&json!([])))]});
        assert_eq!(target(&inside), notes);
        let rows = json!({"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Plan Rows": 500});
        assert_eq!(target(&insert(&rows)), None);
        for (key, value) in [("Conflict Resolution", "UPDATE"), ("Operation", "Update")] {
            let mut other = insert(&row(&json!([])));
            other[key] = json!(value);
            assert_eq!(target(&other), None);
        }
        for node_type in ["LockRows", "ProjectSet", "ModifyTable"] {
            let below = json!([{"Node Type": "Limit", "Plans": [{"Node Type": node_type}]}]);
            assert_eq!(target(&insert(&row(&below))), None, "{node_type}");
        }
        assert_eq!(target(&json!({"Node Type": "Seq Scan"})), None);
    }
}
