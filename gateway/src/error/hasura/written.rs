//! What Hasura says of rows that cannot be written as the request has them, and where.

use sql::Cause;

/// What is told.
pub(super) fn message(cause: &Cause) -> String {
    match cause {
        Cause::NotInserted { table, relation: Some(relation) } => {
            format!(
                "cannot proceed to insert object relation \"{relation}\" since insert to table \"{table}\" affects zero rows"
            )
        }
        Cause::NotInserted { table, relation: None } => {
            format!("cannot proceed to insert array relations since insert to table \"{table}\" affects zero rows")
        }
        Cause::Determined { column, is_related: true, .. } => {
            format!("cannot insert \"{column}\" columns as their values are already being determined by parent insert")
        }
        Cause::Determined { column, relation, .. } => {
            format!(
                "cannot insert object relationship \"{relation}\" as \"{column}\" column values are already determined"
            )
        }
        Cause::NothingToUpdate { names } => format!("at least any one of {} is expected", operators(names)),
        Cause::ChangedTwice { columns } => {
            let column = |(column, names): &(String, Vec<String>)| format!("\"{column}\" in {}", operators(names));
            let columns: Vec<String> = columns.iter().map(column).collect();
            format!("column found in multiple operators; {}", columns.join(". "))
        }
        other => super::quoted(&other.to_string()),
    }
}

/// The place that is named.
pub(super) fn path(cause: &Cause, path: &str) -> String {
    match cause {
        Cause::Placeholder => path.rsplit_once('.').map_or(path, |(before, _)| before).to_owned(),
        Cause::NotInserted { relation: Some(_), .. } => by_row(path.trim_end_matches(".data")),
        _ => by_row(path),
    }
}

/// Rows that come with others are told by their places, even where there is just one. Which of several is left alone is not
/// known: the first stands for them.
fn by_row(path: &str) -> String {
    let path = path.replacen(".args.object.", ".args.object[0].", 1);
    let names_rows = [".args.objects", ".args.object", ".data"].into_iter().any(|end| path.ends_with(end));
    if names_rows { format!("{path}[0]") } else { path }
}

/// Operators of updates in Hasura's order, ours behind.
fn operators(names: &[String]) -> String {
    const ORDER: [&str; 7] = ["set", "inc", "prepend", "append", "deletekey", "deleteelem", "deleteatpath"];
    let place = |name: &&str| {
        let plain = name.replace('_', "").to_ascii_lowercase();
        ORDER.iter().position(|operator| *operator == plain).unwrap_or(ORDER.len())
    };
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_by_key(place);
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
    fn a_row_that_is_left_alone_is_told_by_its_relation() {
        let left =
            |relation: Option<&str>| Cause::NotInserted { table: "t".into(), relation: relation.map(str::to_owned) };
        let words = "cannot proceed to insert object relation \"r\" since insert to table \"t\" affects zero rows";
        assert_eq!(to_hasura(&left(Some("r")), &format!("{ROW}.r.data")), (format!("{ROW}.r"), words.to_owned()));
        let words = "cannot proceed to insert array relations since insert to table \"t\" affects zero rows";
        let (all, one) = ("$.selectionSet.insert_author.args.objects", "$.selectionSet.insert_author_one.args.object");
        assert_eq!(to_hasura(&left(None), all), (ROW.to_owned(), words.to_owned()));
        assert_eq!(path(&left(None), one), format!("{one}[0]"));
        assert_eq!(path(&left(None), &format!("{one}.rs.data")), format!("{one}[0].rs.data[0]"));
    }

    #[test]
    fn a_column_that_a_relation_says_is_told_on_the_side_that_says_it_too() {
        let said = |is_related| Cause::Determined { column: "c".into(), relation: "r".into(), is_related };
        let words = "cannot insert object relationship \"r\" as \"c\" column values are already determined";
        assert_eq!(to_hasura(&said(false), &format!("{ROW}.r")), (format!("{ROW}.r"), words.to_owned()));
        let words = "cannot insert \"c\" columns as their values are already being determined by parent insert";
        assert_eq!(to_hasura(&said(true), &format!("{ROW}.r.data[1]")), (format!("{ROW}.r.data[1]"), words.to_owned()));
        assert_eq!(path(&said(true), &format!("{ROW}.r.data")), format!("{ROW}.r.data[0]"));
    }

    #[test]
    fn a_placeholder_is_told_of_the_clause() {
        let clause = "$.selectionSet.insert_author.args.on_conflict";
        assert_eq!(path(&Cause::Placeholder, &format!("{clause}.update_columns[0]")), clause);
    }

    #[test]
    fn operators_stand_in_hasuras_order() {
        let names = ["_append", "_deleteKey", "_inc", "_mul", "_prepend", "_set"].map(str::to_owned);
        assert_eq!(operators(&names), "_set, _inc, _prepend, _append, _deleteKey, _mul");
        let twice = Cause::ChangedTwice { columns: vec![("id".into(), vec!["_inc".into(), "_set".into()])] };
        assert_eq!(message(&twice), "column found in multiple operators; \"id\" in _set, _inc");
    }
}
