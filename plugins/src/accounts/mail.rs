//! The mails of accounts: from a template and its variables to an SMTP server, a web service or a
//! SQL function of the customer. The worker of the events plugin calls this when an event is due,
//! and records what came of it; retries are its matter.
//!
//! ```text
//! Mail ─▶ Values ─▶ template_set ─▶ RenderedMail ─▶ message ─▶ transport (SMTP)
//!                                              └──▶ JSON ───▶ webhook, function
//! ```

mod function;
mod mail_error;
mod message;
mod plain_text;
mod template;
mod template_set;
#[cfg(test)]
mod tests;
mod transport;
mod webhook;

use std::path::{Path, PathBuf};

use lettre::message::Mailbox;
use pg::Database;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tokio_postgres::Client;

use function::MailFunction;
pub(crate) use mail_error::MailError;
use template::Values;
pub(super) use template::{TemplateName, Variables};
use template_set::{RenderedMail, TemplateSet};
use transport::SmtpTransport;
use webhook::MailWebhook;

/// `[accounts.mail]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MailSettings {
    /// The sender: an address, perhaps with a name.
    pub(super) from: String,
    /// The URL of an SMTP server, with its password.
    pub(super) smtp: Option<String>,
    /// The URL of a web service.
    pub(super) url: Option<String>,
    /// Signs the requests to the web service.
    pub(super) secret: Option<String>,
    /// The name of a SQL function.
    pub(super) function: Option<String>,
    /// A folder of templates, relative to the settings file.
    pub(super) templates: Option<PathBuf>,
}

/// Sends mails.
#[derive(Debug)]
pub(super) struct Mailer {
    from: Mailbox,
    templates: TemplateSet,
    transport: Transport,
}

#[derive(Debug)]
enum Transport {
    Smtp(Box<SmtpTransport>),
    Webhook(Box<MailWebhook>),
    Function(MailFunction),
}

/// A mail to one person.
pub(super) struct Mail<'a> {
    pub(super) template: TemplateName,
    pub(super) to: &'a str,
    pub(super) locale: &'a str,
    pub(super) variables: Variables<'a>,
}

/// A mail as web services and functions get it: finished, and what it was made of.
#[derive(Serialize)]
struct MailPayload<'a> {
    id: &'a str,
    template: &'static str,
    to: &'a str,
    /// That of the person; `variables.locale` is that of the texts.
    locale: &'a str,
    from: &'a str,
    subject: &'a str,
    text: &'a str,
    html: &'a str,
    variables: &'a Values,
}

impl Mailer {
    /// Reads the settings and all templates. Relative paths start at `folder`. The error names the
    /// setting or the file, and repeats no secret.
    pub(super) fn new(
        settings: &MailSettings,
        folder: &Path,
        locales: &[String],
    ) -> Result<Mailer, String> {
        let from: Mailbox = settings
            .from
            .parse()
            .map_err(|_| "`mail.from` has to be an address, or `Name <address>`".to_owned())?;
        let email = message::address(from.email.as_ref())
            .ok_or("the domain of `mail.from` cannot be written in ASCII")?;
        let from = Mailbox::new(from.name, email);
        let templates = settings.templates.as_ref().map(|path| folder.join(path));
        let templates = TemplateSet::read(templates.as_deref(), locales)
            .map_err(|error| format!("`mail.templates`: {error}"))?;
        Ok(Mailer {
            transport: Transport::new(settings, from.email.domain())?,
            from,
            templates,
        })
    }

    /// Asks the database whether the function that the settings name exists. Without one there is
    /// nothing to check: no server is connected to before there is a mail.
    pub(super) async fn check(&self, client: &Client) -> Result<(), String> {
        match &self.transport {
            Transport::Smtp(_) | Transport::Webhook(_) => Ok(()),
            Transport::Function(function) => function
                .check(client)
                .await
                .map_err(|error| format!("`mail.function`: {error}")),
        }
    }

    /// Sends one mail. `id` is the event's: the Message-ID is made of it, and a web service gets it
    /// as `webhook-id`. The mail may arrive twice if the error is [`MailError::Retry`].
    pub(super) async fn send(
        &self,
        database: &Database,
        id: &str,
        mail: &Mail<'_>,
        deadline: Instant,
    ) -> Result<(), MailError> {
        let to = message::address(mail.to)
            .ok_or_else(|| MailError::Permanent("the user has no valid mail address".to_owned()))?;
        let (values, rendered) = self
            .render(mail)
            .ok_or_else(|| MailError::Permanent("the mail has no template".to_owned()))?;
        match &self.transport {
            Transport::Smtp(smtp) => {
                let message = message::message(&self.from, to, id, rendered)
                    .map_err(|error| MailError::Permanent(error.to_string()))?;
                smtp.send(&message, deadline).await
            }
            Transport::Webhook(webhook) => {
                let payload = self.payload(id, mail, &values, &rendered)?;
                webhook.send(id, payload, deadline).await
            }
            Transport::Function(function) => {
                let payload = self.payload(id, mail, &values, &rendered)?;
                function.call(database, payload, deadline).await
            }
        }
    }

    fn render(&self, mail: &Mail<'_>) -> Option<(Values, RenderedMail)> {
        let (locale, template) = self.templates.find(mail.locale, mail.template)?;
        let mut variables = mail.variables;
        // A page says what language it is in.
        if locale != mail.locale {
            variables.locale = locale;
        }
        // hasura-auth calls the code a ticket.
        if matches!(
            mail.template,
            TemplateName::SigninOtp | TemplateName::Elevate
        ) {
            if variables.code.is_empty() {
                variables.code = variables.ticket;
            }
            variables.ticket = variables.code;
        }
        let values = Values::new(&variables);
        let rendered = template.render(&values);
        Some((values, rendered))
    }

    fn payload(
        &self,
        id: &str,
        mail: &Mail<'_>,
        values: &Values,
        rendered: &RenderedMail,
    ) -> Result<String, MailError> {
        let payload = MailPayload {
            id,
            template: mail.template.as_str(),
            to: mail.to,
            locale: mail.locale,
            from: &self.from.to_string(),
            subject: &rendered.subject,
            text: &rendered.text,
            html: &rendered.html,
            variables: values,
        };
        serde_json::to_string(&payload).map_err(|error| MailError::Permanent(error.to_string()))
    }
}

impl Transport {
    /// Reads the one transport that the settings name.
    fn new(settings: &MailSettings, client_name: &str) -> Result<Transport, String> {
        let MailSettings {
            smtp,
            url,
            secret,
            function,
            ..
        } = settings;
        if secret.is_some() && url.is_none() {
            return Err("`mail.secret` needs `mail.url`".to_owned());
        }
        match (smtp, url, function) {
            (Some(smtp), None, None) => {
                let smtp = SmtpTransport::new(smtp, client_name)?;
                Ok(Transport::Smtp(Box::new(smtp)))
            }
            (None, Some(url), None) => {
                let webhook = MailWebhook::new(url, secret.as_deref())?;
                Ok(Transport::Webhook(Box::new(webhook)))
            }
            (None, None, Some(function)) => Ok(Transport::Function(MailFunction::new(function))),
            _ => Err("`mail` needs one of `smtp`, `url` and `function`".to_owned()),
        }
    }
}

impl std::fmt::Debug for MailSettings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("MailSettings")
            .field("from", &self.from)
            .field("function", &self.function)
            .field("templates", &self.templates)
            .finish_non_exhaustive()
    }
}
