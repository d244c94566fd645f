//! All templates of a gateway: those that are built in, and above them those of the customer's
//! folder, `<locale>/<name>/{subject.txt,body.html,body.txt}` as in hasura-auth's.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;

use super::plain_text;
use super::template::{Form, Template, TemplateName, Values};

/// The locale of mails for which no other has a template.
const FALLBACK: &str = "en";

/// A template of SMS. hasura-auth keeps them in the same folder; the gateway sends none.
const SMS: &str = "-sms";

const SUBJECT: &str = "subject.txt";
const HTML: &str = "body.html";
const TEXT: &str = "body.txt";

/// The files of a template that is built in.
struct BuiltIn {
    locale: &'static str,
    name: TemplateName,
    subject: &'static str,
    html: &'static str,
    text: &'static str,
}

macro_rules! built_in {
    ($($locale:literal)*) => {
        built_in!(rows $(
            $locale "email-verify" EmailVerify,
            $locale "email-confirm-change" EmailConfirmChange,
            $locale "signin-passwordless" SigninPasswordless,
            $locale "signin-otp" SigninOtp,
            $locale "password-reset" PasswordReset,
            $locale "account-exists" AccountExists,
            $locale "password-changed" PasswordChanged,
            $locale "email-changed" EmailChanged,
            $locale "elevate" Elevate,
            $locale "factor-changed" FactorChanged,
        )*)
    };
    (rows $($locale:literal $folder:literal $name:ident,)*) => {
        &[$(BuiltIn {
            locale: $locale,
            name: TemplateName::$name,
            subject: include_str!(concat!("templates/", $locale, "/", $folder, "/subject.txt")),
            html: include_str!(concat!("templates/", $locale, "/", $folder, "/body.html")),
            text: include_str!(concat!("templates/", $locale, "/", $folder, "/body.txt")),
        }),*]
    };
}

/// The frame of the HTML of templates that are built in, whose body is what is inside.
const FRAME: &str = include_str!("templates/frame.html");

const BUILT_IN: &[BuiltIn] = built_in!("en" "de" "nl");

/// The templates, by locale and name.
#[derive(Debug)]
pub(super) struct TemplateSet(HashMap<String, HashMap<TemplateName, MailTemplate>>);

/// The template of a mail in one language.
#[derive(Debug)]
pub(super) struct MailTemplate {
    subject: Template,
    text: Template,
    html: Template,
}

/// A mail in its three forms.
#[derive(Debug)]
pub(super) struct RenderedMail {
    pub(super) subject: String,
    pub(super) text: String,
    pub(super) html: String,
}

impl TemplateSet {
    /// Reads the templates. The error names the file.
    pub(super) fn read(folder: Option<&Path>, locales: &[String]) -> Result<TemplateSet, String> {
        let mut templates = TemplateSet(HashMap::new());
        for built_in in BUILT_IN {
            let html = FRAME
                .replace("{title}", built_in.subject.trim_end())
                .replace("{body}", built_in.html);
            let template = MailTemplate {
                subject: parse(Form::Subject, built_in.subject, &SUBJECT)?,
                html: parse(Form::Html, &html, &HTML)?,
                text: parse(Form::Text, built_in.text, &TEXT)?,
            };
            templates.add(built_in.locale, built_in.name, template);
        }
        if let Some(folder) = folder {
            if !folder.is_dir() {
                return Err(format!("`{}` is no folder", folder.display()));
            }
            let locales = locales.iter().map(String::as_str);
            for locale in locales.chain([FALLBACK]) {
                templates.read_locale(&folder.join(locale), locale)?;
            }
        }
        Ok(templates)
    }

    fn read_locale(&mut self, folder: &Path, locale: &str) -> Result<(), String> {
        for name in TemplateName::ALL {
            if let Some(template) = MailTemplate::read(&folder.join(name.as_str()))? {
                self.add(locale, name, template);
            }
        }
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_known = name.ends_with(SMS)
                || TemplateName::ALL
                    .iter()
                    .any(|known| known.as_str() == name.as_ref());
            if !is_known && entry.path().is_dir() {
                let folder = entry.path().display().to_string();
                tracing::warn!(folder, "no mail has a template of this name");
            }
        }
        Ok(())
    }

    fn add(&mut self, locale: &str, name: TemplateName, template: MailTemplate) {
        let templates = self.0.entry(locale.to_owned()).or_default();
        templates.insert(name, template);
    }

    /// The template for a locale, and the locale that it is written in.
    pub(super) fn find<'a>(
        &'a self,
        locale: &'a str,
        name: TemplateName,
    ) -> Option<(&'a str, &'a MailTemplate)> {
        [locale, FALLBACK]
            .into_iter()
            .find_map(|locale| Some((locale, self.0.get(locale)?.get(&name)?)))
    }
}

impl MailTemplate {
    /// Reads the template of a folder; `None` if the folder has no file of it.
    fn read(folder: &Path) -> Result<Option<MailTemplate>, String> {
        let subject = read_file(&folder.join(SUBJECT))?;
        let html = read_file(&folder.join(HTML))?;
        let text = read_file(&folder.join(TEXT))?;
        if subject.is_none() && html.is_none() && text.is_none() {
            return Ok(None);
        }
        let missing = |name| format!("`{}` has no {name}", folder.display());
        let subject = subject.ok_or_else(|| missing(SUBJECT))?;
        let html = html.ok_or_else(|| missing(HTML))?;
        let text = match text {
            Some(text) => parse(Form::Text, &text, &folder.join(TEXT).display())?,
            None => {
                let text = plain_text::from_html(&html);
                parse(Form::Text, &text, &folder.join(HTML).display())?
            }
        };
        Ok(Some(MailTemplate {
            subject: parse(Form::Subject, &subject, &folder.join(SUBJECT).display())?,
            html: parse(Form::Html, &html, &folder.join(HTML).display())?,
            text,
        }))
    }

    pub(super) fn render(&self, values: &Values) -> RenderedMail {
        RenderedMail {
            subject: self.subject.render(values),
            text: self.text.render(values),
            html: self.html.render(values),
        }
    }
}

fn parse(form: Form, source: &str, file: &dyn std::fmt::Display) -> Result<Template, String> {
    Template::parse(form, source).map_err(|error| format!("`{file}`: {error}"))
}

fn read_file(path: &Path) -> Result<Option<String>, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("`{}`: {error}", path.display())),
    }
}
