//! Reads password files like libpq: `~/.pgpass`, lines of `host:port:database:user:password`.
//! <https://www.postgresql.org/docs/current/libpq-pgpass.html>

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The text of a password file; empty if there is none.
#[derive(Clone, Default)]
pub(super) struct PasswordFile {
    text: String,
}

impl PasswordFile {
    /// Reads a file; a missing file has no passwords. The error is a warning text, as in libpq: the
    /// file is not used.
    pub(super) fn read(path: &Path) -> Result<PasswordFile, String> {
        let ignored =
            |reason: &str| format!("the password file {} is not used: {reason}", path.display());
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if is_absent(&error) => return Ok(PasswordFile::default()),
            Err(error) => return Err(ignored(&error.to_string())),
        };
        if !metadata.is_file() {
            return Err(ignored("it is not a regular file"));
        }
        if metadata.permissions().mode() & 0o077 != 0 {
            return Err(ignored(
                "group or others may access it; its mode has to be 0600 or stricter",
            ));
        }
        let bytes = fs::read(path).map_err(|error| ignored(&error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| ignored("it is not UTF-8"))?;
        Ok(PasswordFile { text })
    }

    /// The password of the first matching line.
    pub(super) fn password(
        &self,
        host: &str,
        port: u16,
        database: &str,
        user: &str,
    ) -> Option<String> {
        let port = port.to_string();
        let expected = [host, &port, database, user];
        let lines = self.text.lines().filter(|line| !line.starts_with('#'));
        lines
            .filter_map(|line| password_of_line(line, expected))
            .next()
    }
}

/// Whether a file is missing, which is an error only if a parameter names it.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The password of a line whose first four fields are these values or `*`. A backslash escapes a
/// colon or a backslash.
fn password_of_line(line: &str, expected: [&str; 4]) -> Option<String> {
    let mut rest = line;
    for value in expected {
        let (field, is_wildcard, after) = field(rest)?;
        if !is_wildcard && field != value {
            return None;
        }
        rest = after;
    }
    let mut password = String::new();
    let mut characters = rest.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => password.extend(characters.next()),
            ':' => break,
            other => password.push(other),
        }
    }
    Some(password).filter(|password| !password.is_empty())
}

/// The next field without its escapes, whether it is an unescaped `*`, and the text after its
/// colon.
fn field(text: &str) -> Option<(String, bool, &str)> {
    let mut field = String::new();
    let mut characters = text.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '\\' => field.extend(characters.next().map(|(_, escaped)| escaped)),
            ':' => {
                let is_wildcard = text.get(..index) == Some("*");
                return Some((field, is_wildcard, text.get(index + 1..)?));
            }
            other => field.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> PasswordFile {
        PasswordFile { text: text.into() }
    }

    #[test]
    fn first_matching_line_has_the_password() {
        let lines =
            file("# a:1:b:c:comment\na:1:b:c:first\r\na:*:*:c:second\n*:*:*:*:last\nbroken\n");
        assert_eq!(lines.password("a", 1, "b", "c").as_deref(), Some("first"));
        assert_eq!(lines.password("a", 2, "b", "c").as_deref(), Some("second"));
        assert_eq!(lines.password("x", 2, "y", "z").as_deref(), Some("last"));
        assert_eq!(file("a:1:b:c:p\n").password("a", 1, "b", "d"), None);
    }

    #[test]
    fn colons_and_backslashes_are_escaped() {
        let lines = file("\\:\\:1:5:a\\\\b:u:p\\:q\\\\r\n\\*:5:d:u:star\n");
        assert_eq!(
            lines.password("::1", 5, "a\\b", "u").as_deref(),
            Some("p:q\\r")
        );
        assert_eq!(lines.password("*", 5, "d", "u").as_deref(), Some("star"));
        assert_eq!(lines.password("h", 5, "d", "u"), None);
    }

    #[test]
    fn file_readable_by_others_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pgpass");
        assert!(PasswordFile::read(&path).unwrap().text.is_empty());
        fs::write(&path, "*:*:*:*:hidden\n").unwrap();
        for (mode, is_used) in [
            (0o600, true),
            (0o400, true),
            (0o640, false),
            (0o604, false),
            (0o660, false),
        ] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let read = PasswordFile::read(&path);
            assert_eq!(read.is_ok(), is_used, "{mode:o}");
            assert!(
                read.err()
                    .is_none_or(|warning| warning.contains("0600") && !warning.contains("hidden"))
            );
        }
        assert!(PasswordFile::read(folder.path()).is_err());
    }
}
