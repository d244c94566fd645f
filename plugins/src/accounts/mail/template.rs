//! Templates in hasura-auth's syntax: `${name}` stands for a variable, everything else for itself.
//! A template is parsed once, when the gateway starts, so that a value can never be read as a
//! template.
//! <https://docs.nhost.io/products/auth/email-templates>

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// How much of a display name a mail shows, in characters: room for a name, not for a message.
const MAX_DISPLAY_NAME: usize = 32;

/// The mails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::accounts) enum TemplateName {
    EmailVerify,
    EmailConfirmChange,
    SigninPasswordless,
    SigninOtp,
    PasswordReset,
    AccountExists,
    PasswordChanged,
    EmailChanged,
    Elevate,
    FactorChanged,
}

impl TemplateName {
    /// All of them.
    pub(in crate::accounts) const ALL: [TemplateName; 10] = [
        TemplateName::EmailVerify,
        TemplateName::EmailConfirmChange,
        TemplateName::SigninPasswordless,
        TemplateName::SigninOtp,
        TemplateName::PasswordReset,
        TemplateName::AccountExists,
        TemplateName::PasswordChanged,
        TemplateName::EmailChanged,
        TemplateName::Elevate,
        TemplateName::FactorChanged,
    ];

    /// The name of the template's folder.
    pub(in crate::accounts) fn as_str(self) -> &'static str {
        match self {
            TemplateName::EmailVerify => "email-verify",
            TemplateName::EmailConfirmChange => "email-confirm-change",
            TemplateName::SigninPasswordless => "signin-passwordless",
            TemplateName::SigninOtp => "signin-otp",
            TemplateName::PasswordReset => "password-reset",
            TemplateName::AccountExists => "account-exists",
            TemplateName::PasswordChanged => "password-changed",
            TemplateName::EmailChanged => "email-changed",
            TemplateName::Elevate => "elevate",
            TemplateName::FactorChanged => "factor-changed",
        }
    }
}

/// What a mail says. A text that a mail does not have is empty.
#[derive(Clone, Copy, Default)]
pub(in crate::accounts) struct Variables<'a> {
    pub(in crate::accounts) link: &'a str,
    pub(in crate::accounts) display_name: &'a str,
    pub(in crate::accounts) email: &'a str,
    pub(in crate::accounts) new_email: &'a str,
    pub(in crate::accounts) ticket: &'a str,
    pub(in crate::accounts) redirect_to: &'a str,
    pub(in crate::accounts) locale: &'a str,
    pub(in crate::accounts) server_url: &'a str,
    pub(in crate::accounts) client_url: &'a str,
    pub(in crate::accounts) code: &'a str,
}

/// A variable of templates.
struct Variable {
    name: &'static str,
    /// Whether a subject may have it. A subject is read before anything is known of the sender, so
    /// it has no value that a stranger chooses and no link.
    is_for_subjects: bool,
    value: for<'a> fn(&Variables<'a>) -> &'a str,
}

impl Variable {
    const fn new(
        name: &'static str,
        is_for_subjects: bool,
        value: for<'a> fn(&Variables<'a>) -> &'a str,
    ) -> Variable {
        Variable {
            name,
            is_for_subjects,
            value,
        }
    }
}

const DISPLAY_NAME: &str = "displayName";

/// All variables. hasura-auth has all but `clientHost` and `code`.
const VARIABLES: [Variable; 11] = [
    Variable::new("link", false, |variables| variables.link),
    Variable::new(DISPLAY_NAME, false, |variables| variables.display_name),
    Variable::new("email", false, |variables| variables.email),
    Variable::new("newEmail", false, |variables| variables.new_email),
    Variable::new("ticket", true, |variables| variables.ticket),
    Variable::new("redirectTo", false, |variables| variables.redirect_to),
    Variable::new("locale", true, |variables| variables.locale),
    Variable::new("serverUrl", true, |variables| variables.server_url),
    Variable::new("clientUrl", true, |variables| variables.client_url),
    Variable::new("clientHost", true, |variables| host(variables.client_url)),
    Variable::new("code", true, |variables| variables.code),
];

/// The values of a mail, safe for each form: without line breaks and invisible characters, the
/// display name cut. In the order of `VARIABLES`; serialized as an object.
#[derive(Clone)]
pub(super) struct Values([String; VARIABLES.len()]);

impl Values {
    pub(super) fn new(variables: &Variables<'_>) -> Values {
        Values(VARIABLES.each_ref().map(|variable| {
            let value = clean((variable.value)(variables));
            if variable.name == DISPLAY_NAME {
                value.trim().chars().take(MAX_DISPLAY_NAME).collect()
            } else {
                value
            }
        }))
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(VARIABLES.len()))?;
        for (variable, value) in VARIABLES.iter().zip(&self.0) {
            map.serialize_entry(variable.name, value)?;
        }
        map.end()
    }
}

/// The part of a mail that a template makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Subject,
    Text,
    Html,
}

/// A parsed template.
#[derive(Debug)]
pub(super) struct Template {
    form: Form,
    segments: Vec<Segment>,
}

#[derive(Debug)]
enum Segment {
    Literal(String),
    /// An index of `VARIABLES`.
    Variable(usize),
}

impl Template {
    /// Parses a template. The error does not name the file.
    pub(super) fn parse(form: Form, source: &str) -> Result<Template, String> {
        let source = source.trim_start_matches('\u{feff}');
        let mut segments = vec![];
        let mut rest = source;
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after
                .split_once('}')
                .ok_or_else(|| "`${` without `}`".to_owned())?;
            segments.push(Segment::Literal(before.to_owned()));
            segments.push(Segment::Variable(find(form, name)?));
            rest = after;
        }
        segments.push(Segment::Literal(rest.to_owned()));
        if form == Form::Subject && source.trim().is_empty() {
            return Err("a mail needs a subject".to_owned());
        }
        Ok(Template { form, segments })
    }

    /// Puts in the values. They are not parsed, so a `${…}` in one stays what it is.
    pub(super) fn render(&self, values: &Values) -> String {
        let mut text = String::new();
        for segment in &self.segments {
            match segment {
                Segment::Literal(literal) => text.push_str(literal),
                Segment::Variable(index) => {
                    let value = values.0.get(*index).map_or("", String::as_str);
                    match self.form {
                        Form::Html => escape(value, &mut text),
                        Form::Subject | Form::Text => text.push_str(value),
                    }
                }
            }
        }
        match self.form {
            // The last line of a file ends with a newline, which would begin another header.
            Form::Subject => clean(text.trim()),
            Form::Text | Form::Html => text,
        }
    }
}

/// The index of a variable that a form may have.
fn find(form: Form, name: &str) -> Result<usize, String> {
    let found = VARIABLES
        .iter()
        .enumerate()
        .find(|(_, variable)| variable.name == name);
    match found {
        Some((_, variable)) if form == Form::Subject && !variable.is_for_subjects => Err(format!(
            "`${{{name}}}` may not be part of a subject: strangers choose it, or it is secret"
        )),
        Some((index, _)) => Ok(index),
        None => {
            let name: String = clean(name).chars().take(40).collect();
            let known: Vec<&str> = VARIABLES.iter().map(|variable| variable.name).collect();
            let known = known.join(", ");
            Err(format!("there is no variable `${{{name}}}`, only {known}"))
        }
    }
}

/// The text on one line and without invisible characters. Those that reverse the direction of text
/// go too, because what follows a value could be read backwards; letters of right-to-left scripts
/// have their direction without them.
fn clean(text: &str) -> String {
    let letters = text.chars().filter_map(|letter| match letter {
        '\n' | '\t' | '\u{2028}' | '\u{2029}' => Some(' '),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        letter if letter.is_control() => None,
        letter => Some(letter),
    });
    letters.collect()
}

/// Escapes a value for text and for attributes in quotes.
fn escape(value: &str, html: &mut String) {
    for letter in value.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            letter => html.push(letter),
        }
    }
}

/// The host and perhaps the port of a URL: how people name the site.
fn host(url: &str) -> &str {
    let after = url.split_once("://").map_or(url, |(_, after)| after);
    after.split(['/', '?', '#']).next().unwrap_or(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(form: Form, source: &str, variables: &Variables<'_>) -> String {
        Template::parse(form, source)
            .unwrap()
            .render(&Values::new(variables))
    }

    #[test]
    fn values_are_escaped_in_html_alone() {
        let variables = Variables {
            display_name: "<b>\"O'Hara\" & Co</b>",
            ..Variables::default()
        };
        let source = "<a title=\"${displayName}\">${displayName}</a> $ {x} $$";
        assert_eq!(
            render(Form::Html, source, &variables),
            "<a title=\"&lt;b&gt;&quot;O&#39;Hara&quot; &amp; Co&lt;/b&gt;\">&lt;b&gt;&quot;O&#39;Hara\
             &quot; &amp; Co&lt;/b&gt;</a> $ {x} $$"
        );
        assert_eq!(
            render(Form::Text, "${displayName}.", &variables),
            "<b>\"O'Hara\" & Co</b>."
        );
    }

    #[test]
    fn values_are_not_expanded_again() {
        let variables = Variables {
            display_name: "${link}",
            link: "https://x/${code}",
            code: "123456",
            ..Variables::default()
        };
        for form in [Form::Html, Form::Text] {
            assert_eq!(
                render(form, "${displayName} ${link}", &variables),
                "${link} https://x/${code}"
            );
        }
    }

    #[test]
    fn values_have_one_line_and_names_at_most_32_characters() {
        let variables = Variables {
            display_name: "a\r\nBcc: x@y\u{202e}\u{0} \u{5e9}\u{5dc}\u{5d5}\u{5dd}\u{2028}\
                           , this is far too long",
            code: "1\n2",
            ..Variables::default()
        };
        let text = render(Form::Text, "${displayName}|${code}", &variables);
        assert_eq!(
            text,
            "a Bcc: x@y \u{5e9}\u{5dc}\u{5d5}\u{5dd} , this is far to|1 2"
        );
        let subject = render(
            Form::Subject,
            "\u{feff}Code ${code}\r\nof today\n",
            &variables,
        );
        assert_eq!(subject, "Code 1 2 of today");
    }

    #[test]
    fn wrong_templates_are_refused() {
        let refused = |form, source: &str| Template::parse(form, source).map(drop).unwrap_err();
        let unknown = refused(Form::Html, "<p>${ link }");
        assert!(unknown.starts_with("there is no variable `${ link }`, only link, displayName,"));
        assert_eq!(refused(Form::Text, "a ${link"), "`${` without `}`");
        assert_eq!(refused(Form::Subject, " \n"), "a mail needs a subject");
        for name in ["displayName", "email", "newEmail", "redirectTo", "link"] {
            let source = format!("Hello ${{{name}}}");
            assert!(refused(Form::Subject, &source).contains(name), "{source}");
            assert!(Template::parse(Form::Text, &source).is_ok(), "{source}");
        }
    }

    #[test]
    fn host_is_read_from_the_url() {
        let hosts = [
            "https://app.example.com/a/b?c",
            "http://localhost:3000",
            "app.example.com/",
            "",
        ]
        .map(host);
        assert_eq!(
            hosts,
            ["app.example.com", "localhost:3000", "app.example.com", ""]
        );
    }
}
