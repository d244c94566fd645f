//! Hasura's messages and paths for rows that cannot be written as requested.

use sql::Cause;

/// The message of an error.
pub(super) fn message(cause: &Cause) -> String {
    match cause {
        Cause::NotInserted {
            table,
            relation: Some(relation),
        } => {
            format!(
                "cannot proceed to insert object relation \"{relation}\" since insert to \
                     table \"{table}\" affects zero rows"
            )
        }
        Cause::NotInserted {
            table,
            relation: None,
        } => {
            format!(
                "cannot proceed to insert array relations since insert to table \"{table}\" \
                     affects zero rows"
            )
        }
        Cause::Determined {
            column,
            is_related: true,
            ..
        } => {
            format!(
                "cannot insert \"{column}\" columns as their values are already being \
                     determined by parent insert"
            )
        }
        Cause::Determined {
            column, relation, ..
        } => {
            format!(
                "cannot insert object relationship \"{relation}\" as \"{column}\" column \
                     values are already determined"
            )
        }
        Cause::NothingToUpdate { names } => {
            format!("at least any one of {} is expected", operators(names))
        }
        Cause::ChangedTwice { columns } => {
            let column = |(column, names): &(String, Vec<String>)| {
                format!("\"{column}\" in {}", operators(names))
            };
            let columns: Vec<String> = columns.iter().map(column).collect();
            format!("column found in multiple operators; {}", columns.join(". "))
        }
        other => super::quoted(&other.to_string()),
    }
}

/// The path of an error.
pub(super) fn path(cause: &Cause, path: &str) -> String {
    match cause {
        Cause::Placeholder => path
            .rsplit_once('.')
            .map_or(path, |(before, _)| before)
            .to_owned(),
        Cause::NotInserted {
            relation: Some(_), ..
        } => with_row_index(path.trim_end_matches(".data")),
        _ => with_row_index(path),
    }
}

/// Adds the index of a row. Hasura has one even if there is a single row. Which of several rows was
/// not inserted is unknown, so the index is that of the first.
fn with_row_index(path: &str) -> String {
    let path = path.replacen(".args.object.", ".args.object[0].", 1);
    let names_rows = [".args.objects", ".args.object", ".data"]
        .into_iter()
        .any(|end| path.ends_with(end));
    if names_rows {
        format!("{path}[0]")
    } else {
        path
    }
}

/// Update operators in Hasura's order, followed by those that only this gateway has.
fn operators(names: &[String]) -> String {
    const ORDER: [&str; 7] = [
        "set",
        "inc",
        "prepend",
        "append",
        "deletekey",
        "deleteelem",
        "deleteatpath",
    ];
    let location = |name: &&str| {
        let plain = name.replace('_', "").to_ascii_lowercase();
        ORDER
            .iter()
            .position(|operator| *operator == plain)
            .unwrap_or(ORDER.len())
    };
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_by_key(location);
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "$.selectionSet.insert_author.args.objects[0]";

    fn to_hasura(cause: &Cause, at: &str) -> (String, String) {
        (path(cause, at), message(cause))
    }

    #[test]
    fn row_that_is_not_inserted_is_named_by_its_relation() {
        let not_inserted = |relation: Option<&str>| Cause::NotInserted {
            table: "t".into(),
            relation: relation.map(str::to_owned),
        };
        let words = "cannot proceed to insert object relation \"r\" since insert to table \"t\" \
                     affects zero rows";
        assert_eq!(
            to_hasura(&not_inserted(Some("r")), &format!("{ROW}.r.data")),
            (format!("{ROW}.r"), words.to_owned())
        );
        let words = "cannot proceed to insert array relations since insert to table \"t\" \
                     affects zero rows";
        let all = "$.selectionSet.insert_author.args.objects";
        let one = "$.selectionSet.insert_author_one.args.object";
        assert_eq!(
            to_hasura(&not_inserted(None), all),
            (ROW.to_owned(), words.to_owned())
        );
        assert_eq!(path(&not_inserted(None), one), format!("{one}[0]"));
        assert_eq!(
            path(&not_inserted(None), &format!("{one}.rs.data")),
            format!("{one}[0].rs.data[0]")
        );
    }

    #[test]
    fn column_set_by_parent_and_input_is_reported_at_the_input() {
        let determined = |is_related| Cause::Determined {
            column: "c".into(),
            relation: "r".into(),
            is_related,
        };
        let words =
            "cannot insert object relationship \"r\" as \"c\" column values are already determined";
        assert_eq!(
            to_hasura(&determined(false), &format!("{ROW}.r")),
            (format!("{ROW}.r"), words.to_owned())
        );
        let words = "cannot insert \"c\" columns as their values are already being determined by \
                     parent insert";
        assert_eq!(
            to_hasura(&determined(true), &format!("{ROW}.r.data[1]")),
            (format!("{ROW}.r.data[1]"), words.to_owned())
        );
        assert_eq!(
            path(&determined(true), &format!("{ROW}.r.data")),
            format!("{ROW}.r.data[0]")
        );
    }

    #[test]
    fn placeholder_path_is_that_of_the_clause() {
        let clause = "$.selectionSet.insert_author.args.on_conflict";
        assert_eq!(
            path(&Cause::Placeholder, &format!("{clause}.update_columns[0]")),
            clause
        );
    }

    #[test]
    fn operators_are_in_hasuras_order() {
        let names =
            ["_append", "_deleteKey", "_inc", "_mul", "_prepend", "_set"].map(str::to_owned);
        assert_eq!(
            operators(&names),
            "_set, _inc, _prepend, _append, _deleteKey, _mul"
        );
        let twice = Cause::ChangedTwice {
            columns: vec![("id".into(), vec!["_inc".into(), "_set".into()])],
        };
        assert_eq!(
            message(&twice),
            "column found in multiple operators; \"id\" in _set, _inc"
        );
    }
}
