//! What an import has taken over and what it has left out. It names users by their ids and has no
//! secret, hash or address.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use super::source_kind::SourceKind;

/// How many ids of users are listed for each reason.
const MAX_LISTED_USERS: usize = 5;

/// What an import has done.
#[derive(Debug)]
pub struct ImportReport {
    kind: SourceKind,
    is_dry_run: bool,
    users: usize,
    known_users: usize,
    counts: BTreeMap<CredentialKind, Counts>,
    left_out: BTreeMap<Reason, LeftOut>,
}

/// What is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CredentialKind {
    Password,
    VerifiedAddress,
    Identity,
    Key,
    App,
    Token,
    Anonymous,
}

/// Why something is left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    /// The query `users` returns no user of this id.
    UnknownUser,
    /// The user has changed a credential in Postern.
    ChangedHere,
    /// The hash is neither bcrypt nor argon2.
    PasswordHash,
    /// A secret is sealed, and no key is given.
    Sealed,
    /// A secret is sealed with another key.
    OtherKey,
    /// The verified address is another one than `users` returns.
    OtherAddress,
    /// There is no provider of this name.
    NoProvider(String),
    /// The provider of this name has another issuer.
    OtherIssuer(String),
    /// The identity is linked to another user.
    OtherUsersIdentity,
    /// There is no `[accounts.passkeys]`.
    NoPasskeys,
    /// The key is of another algorithm, or cannot be read.
    KeyForm,
    /// The key belongs to another user.
    OtherUsersKey,
    /// The secret is no base32.
    AppForm,
    /// The user has further authenticator apps.
    FurtherApp,
    /// The hash of a token is no SHA-256.
    TokenForm,
    /// The token has expired.
    ExpiredToken,
    /// Recovery codes.
    RecoveryCodes,
    /// Codes by SMS.
    SmsFactor,
    /// A phone number.
    PhoneNumber,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    taken: usize,
    /// What Postern has already, which stays as it is.
    present: usize,
}

#[derive(Debug, Default)]
struct LeftOut {
    count: usize,
    /// The ids of the first users.
    users: Vec<String>,
}

impl CredentialKind {
    const ALL: [CredentialKind; 7] = [
        CredentialKind::Password,
        CredentialKind::VerifiedAddress,
        CredentialKind::Identity,
        CredentialKind::Key,
        CredentialKind::App,
        CredentialKind::Token,
        CredentialKind::Anonymous,
    ];

    /// The name in the JSON report.
    fn name(self) -> &'static str {
        match self {
            CredentialKind::Password => "passwords",
            CredentialKind::VerifiedAddress => "verifiedAddresses",
            CredentialKind::Identity => "linkedProviders",
            CredentialKind::Key => "securityKeys",
            CredentialKind::App => "authenticatorApps",
            CredentialKind::Token => "personalAccessTokens",
            CredentialKind::Anonymous => "anonymousUsers",
        }
    }

    /// The words in the report.
    fn words(self) -> &'static str {
        match self {
            CredentialKind::Password => "passwords",
            CredentialKind::VerifiedAddress => "verified addresses",
            CredentialKind::Identity => "linked providers",
            CredentialKind::Key => "passkeys and security keys",
            CredentialKind::App => "authenticator apps",
            CredentialKind::Token => "personal access tokens",
            CredentialKind::Anonymous => "anonymous users",
        }
    }
}

impl Reason {
    /// What is left out, and why.
    fn words(&self) -> String {
        let words = match self {
            Reason::UnknownUser => "users whom the query `users` does not return",
            Reason::ChangedHere => {
                "users who have changed a credential in Postern, with all that they have"
            }
            Reason::PasswordHash => "passwords whose hash is neither bcrypt nor argon2",
            Reason::Sealed => "secrets that are sealed: `--source-key` opens them",
            Reason::OtherKey => "secrets that are sealed with another key than `--source-key`",
            Reason::OtherAddress => {
                "verified addresses that are not the address which `users` returns"
            }
            Reason::NoProvider(name) => {
                return format!(
                    "linked providers `{name}`: there is no `[accounts.provider.{name}]`"
                );
            }
            Reason::OtherIssuer(name) => {
                return format!(
                    "linked providers `{name}`: `[accounts.provider.{name}]` has another issuer"
                );
            }
            Reason::OtherUsersIdentity => {
                "linked providers that another user has linked in Postern"
            }
            Reason::NoPasskeys => "security keys: there is no `[accounts.passkeys]`",
            Reason::KeyForm => "security keys of another algorithm than ES256, EdDSA and RS256",
            Reason::OtherUsersKey => "security keys that another user has in Postern",
            Reason::AppForm => "authenticator apps whose secret is not base32",
            Reason::FurtherApp => {
                "further authenticator apps of a user who keeps the one used last"
            }
            Reason::TokenForm => "personal access tokens whose hash is not SHA-256",
            Reason::ExpiredToken => "personal access tokens that have expired",
            Reason::RecoveryCodes => {
                "users with recovery codes, whose hashes Postern does not read: new ones are needed"
            }
            Reason::SmsFactor => "second factors by SMS",
            Reason::PhoneNumber => "phone numbers",
        };
        words.to_owned()
    }
}

impl ImportReport {
    pub(super) fn new(kind: SourceKind, is_dry_run: bool) -> ImportReport {
        ImportReport {
            kind,
            is_dry_run,
            users: 0,
            known_users: 0,
            counts: BTreeMap::new(),
            left_out: BTreeMap::new(),
        }
    }

    /// Sets how many users the source has, and how many of them the query `users` returns.
    pub(super) fn set_users(&mut self, users: usize, known_users: usize) {
        self.users = users;
        self.known_users = known_users;
    }

    /// Counts what was written of one kind, out of what was to be written.
    pub(super) fn count(&mut self, kind: CredentialKind, written: usize, given: usize) {
        let counts = self.counts.entry(kind).or_default();
        counts.taken += written;
        counts.present += given.saturating_sub(written);
    }

    /// Counts something that is left out, with the id of its user.
    pub(super) fn leave_out(&mut self, reason: Reason, user: &str) {
        let left_out = self.left_out.entry(reason).or_default();
        left_out.count += 1;
        let is_listed = left_out.users.iter().any(|listed| listed == user);
        if !is_listed && left_out.users.len() < MAX_LISTED_USERS {
            left_out.users.push(user.to_owned());
        }
    }

    /// Whether everything was taken over, or had been before.
    pub fn is_complete(&self) -> bool {
        self.left_out.is_empty()
    }

    /// The report for people.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "{}: {} users, of whom the query `users` returns {}\n",
            self.kind.name(),
            self.users,
            self.known_users
        );
        let counts = |select: fn(&Counts) -> usize| {
            let counts = self.counts.iter();
            let lines = counts.map(move |(kind, counts)| (select(counts), kind.words()));
            lines.filter(|(count, _)| *count > 0)
        };
        for (title, lines) in [
            ("taken over", counts(|counts| counts.taken)),
            (
                "there already, and left as it is",
                counts(|counts| counts.present),
            ),
        ] {
            let lines: String = lines.fold(String::new(), |mut lines, (count, words)| {
                let _ = writeln!(lines, "{count:>8}  {words}");
                lines
            });
            if !lines.is_empty() {
                let _ = write!(text, "\n{title}:\n{lines}");
            }
        }
        if !self.left_out.is_empty() {
            text.push_str("\nleft out:\n");
        }
        for (reason, left_out) in &self.left_out {
            let more = if left_out.count > left_out.users.len() {
                ", …"
            } else {
                ""
            };
            let users = left_out.users.join(", ");
            let _ = writeln!(text, "{:>8}  {}", left_out.count, reason.words());
            let _ = writeln!(text, "          {users}{more}");
        }
        text.push_str("\nSessions are not taken over: people sign in again.\n");
        if self.is_dry_run {
            text.push_str("This was a dry run: nothing is changed.\n");
        }
        text
    }

    /// The report for programs.
    pub fn to_json(&self) -> Value {
        let counts = |select: fn(&Counts) -> usize| {
            let counts = CredentialKind::ALL.map(|kind| {
                let count = self.counts.get(&kind).map_or(0, select);
                (kind.name().to_owned(), Value::from(count))
            });
            Value::Object(counts.into_iter().collect())
        };
        let left_out = self.left_out.iter().map(|(reason, left_out)| {
            json!({"reason": reason.words(), "count": left_out.count, "users": left_out.users})
        });
        json!({
            "source": self.kind.name(),
            "isDryRun": self.is_dry_run,
            "users": self.users,
            "knownUsers": self.known_users,
            "taken": counts(|counts| counts.taken),
            "present": counts(|counts| counts.present),
            "leftOut": left_out.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_lists_the_first_users_of_each_reason() {
        let mut report = ImportReport::new(SourceKind::HasuraAuth, true);
        report.set_users(9, 8);
        report.count(CredentialKind::Password, 2, 3);
        for number in 0..7 {
            report.leave_out(Reason::PhoneNumber, &format!("user{number}"));
        }
        assert_eq!(
            report.to_text(),
            "hasura-auth: 9 users, of whom the query `users` returns 8

taken over:
       2  passwords

there already, and left as it is:
       1  passwords

left out:
       7  phone numbers
          user0, user1, user2, user3, user4, …

Sessions are not taken over: people sign in again.
This was a dry run: nothing is changed.
"
        );
        assert!(!report.is_complete());
        let json = report.to_json();
        assert_eq!(
            (&json["taken"]["passwords"], &json["present"]["passwords"]),
            (&json!(2), &json!(1))
        );
        assert_eq!(json["leftOut"][0]["count"], 7);
    }
}
