//! The statement as a tree of Rust types: the subset of Postgres' SQL that translated requests use.
//! A resolved selection becomes a plan here, and [`crate::render`] writes the plan as SQL text.
//!
//! Only [`Scan::open`] and its forms for writing make a table reference, and they put the role's
//! row rule in. Only an opened scan makes column references, after it has checked that the column
//! is granted.

mod write;
mod insert;
mod change;
mod related;
mod returning;
mod read;
mod required_row;
mod native_query;
mod level_union;
mod connection;
mod estimate;
mod membership;
mod planned_for_values;
mod condition_cost;
mod filter;
mod term;
mod aggregate_condition;
mod group;
mod call;
mod key_join;
mod builder;
mod planned_levels;
mod mutation;
mod tree;
mod scan;

pub use change::is_locked;
pub(crate) use membership::UNREACHED_LIMIT;
pub use mutation::{
    Assertion, AssertionKind, Assigned, Check, CheckCte, CheckStrategy, Condition, Conflict, Cte,
    DeletePlan, InputBatch, InputRows, InputSource, InsertPlan, InsertSource, Link, LinkColumn,
    LinkDirection, MissingColumnValue, MutationPlan, NewColumn, NewValue, OnConflictUpdate,
    ParentRows, PartKind, ResultLimit, SelectForUpdate, Step, StoredRowChecks, UpdatePlan,
    UpdateTarget,
};
pub use native_query::{plan_native_query, plan_native_query_steps};
pub use read::plan;
pub use required_row::{Precondition, precondition, required};
pub use scan::{
    Action, Argument, ArgumentValue, Call, Column, Denied, Event, LeastGroup, Returned, Row, Scan,
    ScanSource, TransferredKey, TransferredRows, Value, WrittenRows, free_name,
};
pub use tree::{
    AggregatePredicate, ArmRows, Comparison, ConditionPlacement, CountedColumn, Expression,
    Grouping, GroupingForm, Join, KeyJoin, KeysetKey, KeysetPredicate, LevelUnion, MembershipScan,
    NamedPiece, NativeQuery, Operand, PlanBody, PostLimit, Predicate, ReadStrategy, RowCountSource,
    RowSelector, RuleStrategy, ScannedTable, Search, Select, Term, Transfer, UnionArm,
};
pub use write::write;
