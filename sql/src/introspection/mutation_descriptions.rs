//! Descriptions of mutation fields, arguments and input types in a role's schema. Where Hasura has
//! the same element, the text is Hasura's.

use crate::model::names::RootKind;
use crate::model::update_operators::UpdateOperator;
use crate::postgres::catalog::{ArbiterIndex, TableId};
use crate::schema::{InputMeaning, InputObject};

/// Describes a mutation root field.
pub(super) fn root(kind: RootKind, table: &str) -> Option<String> {
    let about = match kind {
        RootKind::Insert => "insert data into the table",
        RootKind::InsertOne => "insert a single row into the table",
        RootKind::Update => "update data of the table",
        RootKind::UpdateOne => "update single row of the table",
        RootKind::UpdateMany => "update multiples rows of table",
        RootKind::Delete => "delete data from the table",
        RootKind::DeleteOne => "delete single row from the table",
        _ => return None,
    };
    Some(format!("{about}: \"{table}\""))
}

/// Describes an argument of a mutation root field.
pub(super) fn argument(name: &str) -> Option<&'static str> {
    Some(match name {
        "object" => "the row to be inserted",
        "objects" => "the rows to be inserted",
        "on_conflict" | "onConflict" => "upsert condition",
        "pk_columns" | "pkColumns" => "the primary key of the row",
        "updates" => "updates to execute, in order",
        "if_match" | "ifMatch" => IF_MATCH,
        "_related" => RELATED,
        name => {
            let (modifier, _) = UpdateOperator::ALL
                .into_iter()
                .find(|(_, word)| is_spelled(word, name))?;
            return Some(changed(modifier));
        }
    })
}

const IF_MATCH: &str =
    "what the row has to hold before the update; nothing is written if it does not";
const RELATED: &str = "what becomes of related rows";

fn is_spelled(word: &'static str, name: &str) -> bool {
    crate::model::names::Spelling::ALL
        .iter()
        .any(|spelling| spelling.is_field(word, name))
}

fn changed(modifier: UpdateOperator) -> &'static str {
    match modifier {
        UpdateOperator::Set => "sets the columns of the filtered rows to the given values",
        UpdateOperator::Inc => {
            "increments the numeric columns with given value of the filtered values"
        }
        UpdateOperator::Mul => {
            "multiplies the numeric columns of the filtered rows by the given values"
        }
        UpdateOperator::Append => {
            "append existing jsonb value of filtered columns with new jsonb value"
        }
        UpdateOperator::Prepend => {
            "prepend existing jsonb value of filtered columns with new jsonb value"
        }
        UpdateOperator::DeleteKey => {
            "delete key/value pair or string element. string elements \
                                      are matched based on their value"
        }
        UpdateOperator::DeleteElem => {
            "delete the array element with specified index (negative \
                                       integers count from the end). throws an error if top \
                                       level container is not an array"
        }
        UpdateOperator::DeleteAtPath => {
            "delete the field or element with specified path (for \
                                         JSON arrays, negative integers count from the end)"
        }
        UpdateOperator::ArrayAppend => "adds the values at the end of the arrays",
        UpdateOperator::ArrayRemove => "takes all elements with the values out of the arrays",
    }
}

/// Describes an input type of mutations.
pub(super) fn input(input: InputObject, name: impl Fn(TableId) -> String) -> Option<String> {
    let (about, table) = match input {
        InputObject::Insert(table) | InputObject::InsertAs(table, _) => {
            ("inserting data into", table)
        }
        InputObject::ObjectInsert(table) => ("inserting object relation for remote", table),
        InputObject::ArrayInsert(table) => ("inserting array relation for remote", table),
        InputObject::Assign(table, modifier) => (assigned(modifier), table),
        InputObject::OnConflict(table) => {
            return Some(format!(
                "on_conflict condition type for table \"{}\"",
                name(table)
            ));
        }
        InputObject::KeyColumns(table) => {
            return Some(format!(
                "primary key columns input for table: {}",
                name(table)
            ));
        }
        InputObject::Updates(table) => ("one of several updates of", table),
        InputObject::RowChange(table) => ("updating a related row of", table),
        InputObject::Match(table) => ("what rows have to hold before an update of", table),
        InputObject::Related(table) => ("changing rows that are related to those of", table),
        InputObject::RelatedChange(table, _) => (
            "changing rows that a relation leads to from those of",
            table,
        ),
        InputObject::RelatedWhere(table) => ("choosing related rows of", table),
        _ => return None,
    };
    Some(format!("input type for {about} table \"{}\"", name(table)))
}

fn assigned(modifier: UpdateOperator) -> &'static str {
    match modifier {
        UpdateOperator::Inc => "incrementing numeric columns in",
        UpdateOperator::Mul => "multiplying numeric columns in",
        _ => "updating data in",
    }
}

/// Describes a field of an input type of mutations.
pub(super) fn meaning(meaning: InputMeaning<'_>) -> Option<&'static str> {
    Some(match meaning {
        InputMeaning::OnConflict => "upsert condition",
        InputMeaning::Assign(modifier) => changed(modifier),
        InputMeaning::Match => IF_MATCH,
        InputMeaning::Related => RELATED,
        InputMeaning::RelatedInsert => "rows that are inserted and belong to the row",
        InputMeaning::RelatedUpdate => "what becomes of rows that belong to the row",
        InputMeaning::RelatedDelete => "rows that belong to the row and are deleted",
        InputMeaning::Link => "rows that belong to the row from now on",
        InputMeaning::Unlink => "rows that do not belong to the row any more",
        InputMeaning::Nothing => "placeholder (do not use)",
        _ => return None,
    })
}

/// Describes a value of a constraint enum.
pub(super) fn arbiter_index(index: ArbiterIndex<'_>) -> String {
    let columns: Vec<String> = index
        .columns()
        .iter()
        .map(|column| format!("\"{column}\""))
        .collect();
    let columns = columns.join(", ");
    match index {
        ArbiterIndex::Key(_) => format!("unique or primary key constraint on columns {columns}"),
        ArbiterIndex::Partial(..) => {
            format!("unique index over expressions or some of the rows, of columns {columns}")
        }
    }
}
