//! Mails by an SMTP server. Connections are kept for some seconds, since mails often come in
//! bursts.
//!
//! The pool is this file's own: that of `lettre` takes a connection back when a mail's time is up,
//! although the server has yet to answer, and the next mail reads the answers to the last one.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use lettre::Message;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use reqwest::Url;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::mail_error::MailError;

/// How many connections a gateway opens at most. Servers refuse clients that open many; Postfix
/// allows 50 for all gateways together.
const MAX_CONNECTIONS: usize = 10;

/// How long an unused connection stays open. Servers close it after minutes.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// How long the gateway waits for each address of the server's name.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a server has for a command that does nothing.
const NOOP_TIMEOUT: Duration = Duration::from_secs(5);

/// An SMTP server with connections to it.
pub(super) struct SmtpTransport {
    host: String,
    port: u16,
    security: Security,
    credentials: Option<Credentials>,
    client: ClientId,
    /// Made for the first mail, because that reads the system's certificates.
    tls: OnceCell<TlsParameters>,
    idle: Arc<Mutex<IdleConnections>>,
    slots: Semaphore,
}

/// How a connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Security {
    /// From the first byte.
    Implicit,
    /// By STARTTLS, before the password is sent.
    StartTls,
    /// Not at all: the server is on the same machine.
    Loopback,
}

#[derive(Default)]
struct IdleConnections {
    /// With the time since which each is unused, the oldest first.
    connections: Vec<(AsyncSmtpConnection, Instant)>,
    /// Whether a task waits to close them.
    is_swept: bool,
}

impl IdleConnections {
    /// Removes the connections whose time is up. Also returns whether others are left to wait for.
    fn remove_old(&mut self) -> (Vec<(AsyncSmtpConnection, Instant)>, bool) {
        let old = self
            .connections
            .extract_if(.., |(_, since)| since.elapsed() >= IDLE_TIMEOUT)
            .collect();
        self.is_swept = !self.connections.is_empty();
        (old, self.is_swept)
    }
}

impl SmtpTransport {
    /// Reads `smtps://` or `smtp://` with perhaps a user, a password and a port. `client_name` is
    /// the domain by which the gateway introduces itself. The error repeats no value.
    pub(super) fn new(text: &str, client_name: &str) -> Result<SmtpTransport, String> {
        // `@`, `/` and `#` in a password end the URL's part and leave a host that is none.
        let url = Url::parse(text).map_err(|error| {
            format!(
                "`mail.smtp` is no URL: {error}; write `@` in a password as `%40`, `/` as `%2F`"
            )
        })?;
        let host = url.host_str().unwrap_or_default();
        let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
        let has_rest = !matches!(url.path(), "" | "/") || url.query().or(url.fragment()).is_some();
        if host.is_empty() || has_rest {
            return Err("`mail.smtp` has to be `smtps://user:password@host:port`".to_owned());
        }
        let (security, port) = match url.scheme() {
            "smtps" => (Security::Implicit, 465),
            "smtp" if is_loopback(&host) => (Security::Loopback, 25),
            "smtp" => (Security::StartTls, 587),
            _ => return Err("`mail.smtp` has to begin with `smtps://` or `smtp://`".to_owned()),
        };
        Ok(SmtpTransport {
            host,
            port: url.port().unwrap_or(port),
            security,
            credentials: credentials(&url)?,
            client: ClientId::Domain(client_name.to_owned()),
            tls: OnceCell::new(),
            idle: Arc::default(),
            slots: Semaphore::new(MAX_CONNECTIONS),
        })
    }

    /// Sends a message. When the deadline passes, the connection is closed: the server may have
    /// taken the message or not.
    pub(super) async fn send(&self, message: &Message, deadline: Instant) -> Result<(), MailError> {
        match timeout_at(deadline, self.exchange(message)).await {
            Ok(result) => result,
            Err(_) => Err(MailError::Retry(
                "the SMTP server did not take the mail in time".to_owned(),
            )),
        }
    }

    async fn exchange(&self, message: &Message) -> Result<(), MailError> {
        let _slot = self.slots.acquire().await;
        let mut connection = match self.idle_connection().await {
            Some(connection) => connection,
            // A refused connection says nothing about the mail, whatever its code is: a wrong
            // password is 535.
            None => self.connect().await.map_err(|error| {
                MailError::Retry(format!(
                    "the SMTP server refused the connection: {}",
                    describe(&error)
                ))
            })?,
        };
        let envelope = message.envelope();
        match connection.send(envelope, &message.formatted()).await {
            Ok(_) => {
                self.keep(connection);
                Ok(())
            }
            Err(error) => {
                let text = format!("the SMTP server refused the mail: {}", describe(&error));
                // The one error of the client's own: the server lacks SMTPUTF8.
                let is_ascii = envelope.to().iter().all(|to| to.user().is_ascii());
                let is_final = error.is_permanent() || (error.is_client() && !is_ascii);
                Err(if is_final {
                    MailError::Permanent(text)
                } else {
                    MailError::Retry(text)
                })
            }
        }
    }

    /// A connection of an earlier mail, if the server still answers on it.
    async fn idle_connection(&self) -> Option<AsyncSmtpConnection> {
        loop {
            let (mut connection, since) = lock(&self.idle).connections.pop()?;
            let is_open = since.elapsed() < IDLE_TIMEOUT
                && timeout(NOOP_TIMEOUT, connection.test_connected())
                    .await
                    .unwrap_or(false);
            if is_open {
                return Some(connection);
            }
        }
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, Error> {
        let tls = match self.security {
            Security::Implicit => Some(self.tls().await?),
            Security::StartTls | Security::Loopback => None,
        };
        let mut connection = AsyncSmtpConnection::connect_tokio1(
            (self.host.as_str(), self.port),
            Some(CONNECT_TIMEOUT),
            &self.client,
            tls,
            None,
        )
        .await?;
        if self.security == Security::StartTls {
            // Fails if the server does not offer it, so that nobody on the way can remove it.
            connection.starttls(self.tls().await?, &self.client).await?;
        }
        if let Some(credentials) = &self.credentials {
            connection.auth(DEFAULT_MECHANISMS, credentials).await?;
        }
        Ok(connection)
    }

    async fn tls(&self) -> Result<TlsParameters, Error> {
        let made = self
            .tls
            .get_or_try_init(|| async { TlsParameters::new(self.host.clone()) });
        made.await.cloned()
    }

    fn keep(&self, connection: AsyncSmtpConnection) {
        let mut idle = lock(&self.idle);
        idle.connections.push((connection, Instant::now()));
        if !idle.is_swept {
            idle.is_swept = true;
            tokio::spawn(sweep(Arc::downgrade(&self.idle)));
        }
    }
}

/// Closes connections that are not used, until there are none.
async fn sweep(idle: Weak<Mutex<IdleConnections>>) {
    loop {
        sleep(IDLE_TIMEOUT).await;
        let Some(idle) = idle.upgrade() else {
            return;
        };
        let (old, is_swept) = lock(&idle).remove_old();
        drop(idle);
        quit(old).await;
        if !is_swept {
            return;
        }
    }
}

async fn quit(connections: Vec<(AsyncSmtpConnection, Instant)>) {
    for (mut connection, _) in connections {
        // A server that does not say goodbye is left without.
        let _ = timeout(NOOP_TIMEOUT, connection.abort()).await;
    }
}

fn lock(idle: &Mutex<IdleConnections>) -> std::sync::MutexGuard<'_, IdleConnections> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

fn credentials(url: &Url) -> Result<Option<Credentials>, String> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(None);
    }
    let decode = |text: &str| {
        percent_encoding::percent_decode_str(text)
            .decode_utf8()
            .map(std::borrow::Cow::into_owned)
            .map_err(|_| "`mail.smtp` has a user or a password that is not UTF-8".to_owned())
    };
    let user = decode(url.username())?;
    let password = decode(url.password().unwrap_or_default())?;
    Ok(Some(Credentials::new(user, password)))
}

pub(super) fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

/// What an error says without the words of the server, which may repeat addresses: the codes
/// (RFC 5321 and 3463), or the error of the connection.
fn describe(error: &Error) -> String {
    if let Some(code) = error.status() {
        let text = std::error::Error::source(error).map(ToString::to_string);
        let enhanced = text.as_deref().and_then(enhanced_code).unwrap_or_default();
        return format!("{code} {enhanced}").trim_end().to_owned();
    }
    if error.is_response() {
        return "a response that is not of SMTP".to_owned();
    }
    // The innermost cause: the outer ones say "connection error", some of them twice.
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// The code at the beginning of a response's text, such as `5.1.1`.
fn enhanced_code(text: &str) -> Option<&str> {
    let first = text.split_whitespace().next()?;
    let is_number = |part: &str| {
        (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    (first.split('.').count() == 3 && first.split('.').all(is_number)).then_some(first)
}

impl std::fmt::Debug for SmtpTransport {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("SmtpTransport")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("security", &self.security)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> SmtpTransport {
        SmtpTransport::new(text, "example.com").unwrap()
    }

    #[test]
    fn url_decides_on_encryption_and_port() {
        let read = |text: &str| {
            let transport = read(text);
            (transport.host.clone(), transport.port, transport.security)
        };
        let host = "mail.example.com".to_owned();
        assert_eq!(
            read("smtps://Mail.Example.com"),
            (host.clone(), 465, Security::Implicit)
        );
        assert_eq!(
            read("smtp://u:p@mail.example.com/"),
            (host.clone(), 587, Security::StartTls)
        );
        assert_eq!(
            read("smtp://mail.example.com:2525"),
            (host, 2525, Security::StartTls)
        );
        for text in ["localhost", "127.0.0.1", "[::1]"] {
            let (_, port, security) = read(&format!("smtp://{text}:1025"));
            assert_eq!((port, security), (1025, Security::Loopback), "{text}");
        }
        assert_eq!(read("smtps://localhost").2, Security::Implicit);
        assert_eq!(read("smtp://localhost.example.com").2, Security::StartTls);
    }

    #[test]
    fn credentials_are_decoded() {
        let decoded = read("smtps://a%40b:p%2F%25%C3%A9@h").credentials;
        assert!(decoded == Some(Credentials::new("a@b".to_owned(), "p/%é".to_owned())));
        assert!(read("smtps://h").credentials.is_none());
    }

    #[test]
    fn wrong_urls_are_refused_without_their_secrets() {
        for text in [
            "",
            "mail.example.com:465",
            "https://u:geheim@h",
            "smtps://u:ge/heim@h",
            "smtps://u:geheim@",
            "smtps://u:geheim@h/path",
            "smtps://u:geheim@h?tls=none",
            "smtps://u:geheim@h:99999",
            "smtps://%ff:geheim@h",
        ] {
            let error = SmtpTransport::new(text, "example.com").unwrap_err();
            assert!(error.contains("`mail.smtp`"), "{error}");
            assert!(!error.contains("heim"), "{error}");
        }
        let debugged = format!("{:?}", read("smtps://u:geheim@h"));
        assert!(!debugged.contains("geheim"), "{debugged}");
    }

    #[test]
    fn only_codes_are_read_from_a_response() {
        assert_eq!(
            enhanced_code("5.1.1 <ann@x.example>: unknown"),
            Some("5.1.1")
        );
        assert_eq!(enhanced_code("4.7.1234 x"), None);
        assert_eq!(enhanced_code("ann@x.example 5.1.1"), None);
        assert_eq!(enhanced_code(""), None);
    }
}
