//! Reads the files of users as text, up to a size. Opening a FIFO without a writer, or reading
//! `/dev/zero`, would never end, and no reload would follow; so what is no regular file has to end
//! in time.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// The largest file that is read, in bytes. A permission file of 20,000 rules has three megabytes.
const MAX_BYTES: u64 = 64 << 20;

/// How long a pipe or a device may take.
const MAX_TIME: Duration = Duration::from_secs(2);

/// Reads a file as text.
pub fn read_file(path: &Path) -> io::Result<String> {
    read_limited(path, MAX_BYTES)
}

/// Reads a file of up to this many bytes as text.
pub fn read_limited(path: &Path, limit: u64) -> io::Result<String> {
    if std::fs::metadata(path)?.is_file() {
        read(path, limit)
    } else {
        read_in_time(path, limit)
    }
}

fn read(path: &Path, limit: u64) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?
        .take(limit + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > limit {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {limit} bytes"),
        ));
    }
    Ok(text)
}

/// Reads a pipe or a device, on a thread that is left alone if it does not end.
fn read_in_time(path: &Path, limit: u64) -> io::Result<String> {
    let (sender, receiver) = mpsc::channel();
    let owned = path.to_owned();
    std::thread::Builder::new()
        .name("file".into())
        .spawn(move || {
            // The receiver is gone if the deadline has passed.
            let _ = sender.send(read(&owned, limit));
        })?;
    let late = || {
        let seconds = MAX_TIME.as_secs();
        io::Error::new(
            io::ErrorKind::TimedOut,
            format!("it is not a regular file, and has no end within {seconds} s"),
        )
    };
    receiver.recv_timeout(MAX_TIME).map_err(|_| late())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_limited(&path, 5).unwrap(), "12345");
        assert_eq!(
            read_limited(&path, 4).unwrap_err().to_string(),
            "it is larger than 4 bytes"
        );
        let errors = [
            (Path::new("/dev/zero"), io::ErrorKind::FileTooLarge),
            (folder.path(), io::ErrorKind::IsADirectory),
            (&folder.path().join("absent"), io::ErrorKind::NotFound),
        ];
        for (path, kind) in errors {
            assert_eq!(
                read_limited(path, 1 << 20).unwrap_err().kind(),
                kind,
                "{path:?}"
            );
        }
    }

    #[test]
    fn a_pipe_is_read_to_its_end_and_not_waited_for_without_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        let error = read_file(&path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
        let other = folder.path().join("other");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&other)
                .status()
                .unwrap()
                .success()
        );
        let writer = {
            let other = other.clone();
            std::thread::spawn(move || std::fs::write(other, "text").unwrap())
        };
        assert_eq!(read_file(&other).unwrap(), "text");
        writer.join().unwrap();
    }
}
