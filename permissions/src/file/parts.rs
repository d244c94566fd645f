//! Reads a long permission file in parts. What the parser makes of a text takes thirty times the
//! memory of the text, and is dropped after each part.
//!
//! A file begins a new part where the grants of another table begin. Parts are read only if the
//! file has no faults, and says the same as a whole: each part is TOML by itself, and no two of
//! them have a key in common but that of tables. Otherwise the caller reads the whole file, which
//! finds the faults.

use std::collections::HashSet;
use std::ops::Range;

use super::File;
use super::read::{file, read_whole};
use super::values::{Fields, Reader};
use crate::diagnostic::SourceFile;
use crate::left_out::LeftOut;
use crate::report::Report;

/// How many bytes a part has at least, except the last.
const MIN_PART_BYTES: usize = 1 << 16;

/// The begin of a line that begins a table's entry.
const HEADER: &str = "\n[table.";

/// Reads the file without some parts: in parts if it is long and without faults, otherwise in one
/// piece.
pub(crate) fn read(report: &mut Report<'_>, left_out: &LeftOut) -> Option<File> {
    let in_parts = if left_out.is_empty() {
        read_parts(report.file)
    } else {
        None
    };
    in_parts.or_else(|| read_whole(report, left_out))
}

/// Reads a file in parts of at least [`MIN_PART_BYTES`] bytes; `None` if it has only one, or they
/// cannot be read by themselves.
fn read_parts(source: &SourceFile) -> Option<File> {
    read_parts_of(source, MIN_PART_BYTES)
}

fn read_parts_of(source: &SourceFile, least: usize) -> Option<File> {
    let parts = parts(&source.text, least);
    if parts.len() < 2 {
        return None;
    }
    let mut whole = File::default();
    let mut keys = HashSet::new();
    let mut tables = HashSet::new();
    for part in parts {
        let mut is_apart = true;
        let read = Reader::read_part(source, part, |mut fields| {
            is_apart = are_apart(&mut fields, source, &mut keys);
            file(&mut fields)
        });
        let mut file = read.filter(|_| is_apart)?;
        if !file
            .tables
            .iter()
            .all(|entry| tables.insert(entry.key.value.clone()))
        {
            return None;
        }
        whole.convention = whole.convention.or(file.convention);
        whole.graphql_enums |= file.graphql_enums;
        whole.session.append(&mut file.session);
        whole.settings.values.append(&mut file.settings.values);
        whole.settings.reads |= file.settings.reads;
        whole.rules.append(&mut file.rules);
        whole.tables.append(&mut file.tables);
        whole.roles.append(&mut file.roles);
        whole.functions.append(&mut file.functions);
    }
    Some(whole)
}

/// Whether a part has none of the keys of earlier parts, except `table`, if the headers of its
/// entries alone define it.
fn are_apart(fields: &mut Fields<'_, '_>, source: &SourceFile, keys: &mut HashSet<String>) -> bool {
    fields.pairs().all(|(key, value)| match key.value.as_str() {
        // The header `[table]`, and a table in braces, have spans of their own; a dotted key does
        // not follow a bracket.
        "table" => {
            let before = source.text.get(..key.span.start).unwrap_or_default();
            value.span() == key.span && before.trim_end().ends_with('[')
        }
        _ => keys.insert(key.value.clone()),
    })
}

/// Divides a text before lines that begin the entry of another table than the one before.
fn parts(text: &str, least: usize) -> Vec<Range<usize>> {
    let mut parts = vec![];
    let mut start = 0;
    let mut before = "";
    for (newline, _) in text.match_indices(HEADER) {
        let rest = text.get(newline + HEADER.len()..).unwrap_or_default();
        let name = rest.split(['.', ']', '\n']).next().unwrap_or_default();
        if name != before && newline + 1 - start >= least {
            parts.push(start..newline + 1);
            start = newline + 1;
        }
        before = name;
    }
    parts.push(start..text.len());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
[session]
user_id = "uuid"

[table.a]
name = "${NAME}"

[table.a.role.user]
select = { columns = ["id", "ä"], rows = "id = 1" }

[table."b.c".role.user]
select = { columns = "*", rows = '''
[table.is_in_text]
''' }

[table.d.role.user]
select = { columns = [
  "id",
  "other",
], rows = "true" }

[role.user]
"#;

    fn source(text: &str) -> SourceFile {
        SourceFile::new("permissions.toml", text)
            .with_variables(|name| (name == "NAME").then(|| "n".to_owned()))
    }

    fn whole(source: &SourceFile) -> (Option<File>, usize) {
        let mut report = Report::new(source);
        let file = read_whole(&mut report, &LeftOut::default());
        (file, report.len())
    }

    #[test]
    fn a_file_in_parts_is_the_whole_file() {
        let text = TEXT.replace("[table.is_in_text]", "true");
        let source = source(&text);
        assert_eq!(parts(&text, 1).len(), 4);
        let (file, faults) = whole(&source);
        assert_eq!(faults, 0);
        assert_eq!(
            format!("{:?}", read_parts_of(&source, 1).unwrap()),
            format!("{:?}", file.unwrap())
        );
    }

    #[test]
    fn a_file_whose_parts_depend_on_each_other_is_read_as_a_whole() {
        let twice = "[table.a.role.x]\n[table.b.role.x]\n";
        let refused = [
            TEXT.to_owned(),
            TEXT.replace("[table.is_in_text]", "true") + "[table.a.role.other]\n",
            format!("{twice}[table.\"a\".role.y]\n"),
            format!("{twice}[table.b]\n[table.c]\n[table]\n"),
            format!("[table]\n{twice}[table.c]\n[role.x]\n[table]\n"),
            format!("table.z.name = \"z\"\n{twice}"),
            format!("table = {{ z = {{}} }}\n{twice}"),
            format!("{twice}[[table.c]]\n[table.d]\n"),
            format!("[role.x]\n{twice}[role.y]\n"),
            format!("unknown = 1\n{twice}"),
            format!("{twice}x = [\n[table.c]\n"),
        ];
        for text in refused {
            assert!(read_parts_of(&source(&text), 1).is_none(), "{text}");
        }
    }
}
