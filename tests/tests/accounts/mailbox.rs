//! The SMTP server of `tests/mail`, and the mails that it got.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;

use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;
use tests::program;
use tests::wait::until;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};

use super::page::SERVER_URL;

/// A running SMTP server. Dropping it ends it.
pub(super) struct Mailbox {
    file: PathBuf,
    port: u64,
    stdin: ChildStdin,
    /// How many mails to each address the test has read.
    read: Mutex<HashMap<String, usize>>,
    _child: Child,
    _folder: TempDir,
}

/// A mail, as a mail program shows it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Mail {
    /// The recipients of the envelope.
    pub(super) to: Vec<String>,
    /// The sender of the envelope.
    pub(super) from: String,
    #[serde(default)]
    pub(super) subject: String,
    /// The part without markup.
    #[serde(default)]
    pub(super) text: String,
    #[serde(default)]
    pub(super) html: Value,
    /// The lines of its head, folded ones with their line breaks.
    pub(super) headers: Vec<String>,
}

impl Mailbox {
    /// Starts a server.
    pub(super) async fn start() -> Mailbox {
        Mailbox::with(&[]).await
    }

    /// Starts a server with arguments: a certificate, its key, and a password.
    pub(super) async fn with(arguments: &[&str]) -> Mailbox {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mails");
        let mut command = program::node("mail", "sink.mjs").unwrap();
        let output = File::create(&file).unwrap();
        command.args(arguments).stdin(Stdio::piped()).stdout(output);
        let mut child = command.spawn().unwrap();
        let mut mailbox = Mailbox {
            file,
            port: 0,
            stdin: child.stdin.take().unwrap(),
            read: Mutex::default(),
            _child: child,
            _folder: folder,
        };
        until("the SMTP server listens", async || {
            !mailbox.lines().is_empty()
        })
        .await;
        mailbox.port = mailbox.lines()[0]["port"].as_u64().unwrap();
        mailbox
    }

    /// Its URL for the settings.
    pub(super) fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// Its port.
    pub(super) fn port(&self) -> u64 {
        self.port
    }

    /// The file of its lines.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Answers a recipient with this status from now on; 250 accepts again.
    pub(super) async fn respond(&mut self, status: u16, recipient: &str) {
        let rule = format!("{status} {recipient}");
        let repeated = self
            .lines()
            .iter()
            .filter(|line| line["rule"] == rule)
            .count();
        self.stdin
            .write_all(format!("{rule}\n").as_bytes())
            .await
            .unwrap();
        until("the server has the rule", async || {
            self.lines()
                .iter()
                .filter(|line| line["rule"] == rule)
                .count()
                > repeated
        })
        .await;
    }

    /// How often it has refused a recipient.
    pub(super) fn refused(&self, recipient: &str) -> usize {
        let is_refused = |line: &&Value| line["refused"].is_number() && line["to"] == recipient;
        self.lines().iter().filter(is_refused).count()
    }

    /// All mails so far.
    pub(super) fn mails(&self) -> Vec<Mail> {
        let mails = self
            .lines()
            .into_iter()
            .filter(|line| line["to"].is_array());
        mails
            .map(|line| serde_json::from_value(line).unwrap())
            .collect()
    }

    /// The next mail to an address that this method has not returned yet. Waits for it.
    pub(super) async fn next(&self, recipient: &str) -> Mail {
        let index = *self.read.lock().unwrap().get(recipient).unwrap_or(&0);
        let mail = || {
            let mails = self.mails().into_iter();
            mails.filter(|mail| mail.to == [recipient]).nth(index)
        };
        until(&format!("mail {} to {recipient}", index + 1), async || {
            mail().is_some()
        })
        .await;
        self.read
            .lock()
            .unwrap()
            .insert(recipient.to_owned(), index + 1);
        mail().unwrap()
    }

    /// The complete lines of its output.
    fn lines(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.file).unwrap();
        let lines = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

impl Mail {
    /// The markup of the part that has some.
    pub(super) fn html(&self) -> &str {
        self.html.as_str().unwrap_or_default()
    }

    /// The link that the reader shall open. Both parts have the same one.
    #[track_caller]
    pub(super) fn link(&self) -> String {
        let start = format!("{SERVER_URL}/v1/verify?");
        let word = self
            .text
            .split_whitespace()
            .find(|word| word.starts_with(&start));
        let link = word
            .unwrap_or_else(|| panic!("no link in {}", self.text))
            .to_owned();
        let target = format!("href=\"{}\"", escape(&link));
        assert!(self.html().contains(&target), "{target} in {}", self.html());
        link
    }

    /// Whether there is no link that signs in or changes something.
    pub(super) fn has_no_link(&self) -> bool {
        !self.text.contains("/v1/verify") && !self.html().contains("/v1/verify")
    }

    /// The code that the reader shall type: six digits that stand alone. Both parts have it.
    #[track_caller]
    pub(super) fn code(&self) -> String {
        let words = self.text.split(|letter: char| !letter.is_alphanumeric());
        let is_code =
            |word: &&str| word.len() == 6 && word.bytes().all(|byte| byte.is_ascii_digit());
        let codes: Vec<&str> = words.filter(is_code).collect();
        assert_eq!(codes.len(), 1, "{}", self.text);
        assert!(self.html().contains(codes[0]), "{}", self.html());
        codes[0].to_owned()
    }
}

/// A text as an attribute of HTML has it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
}
