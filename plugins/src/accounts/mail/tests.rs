//! What the built-in templates make of awkward values, and which settings are refused.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use super::*;

/// A name that is markup, a template, a header and right-to-left text.
const NAME: &str = "<b>\"Ann's\" ${link}\r\nBcc: x\u{202e} \u{5e9}\u{5dc}\u{5d5}\u{5dd}";

const FUNCTION: &str = "from = 'Shop <no-reply@shop.example>'\nfunction = 'send_mail'\n";

fn settings(text: &str) -> MailSettings {
    toml::from_str(text).unwrap()
}

fn mailer(text: &str) -> Result<Mailer, String> {
    mailer_in(text, Path::new("/nowhere"))
}

fn mailer_in(text: &str, folder: &Path) -> Result<Mailer, String> {
    let locales = ["en", "de", "nl", "fr"].map(str::to_owned);
    Mailer::new(&settings(text), folder, &locales)
}

/// A mail in which every value is hostile. The code of `signin-otp` is its ticket alone.
fn mail(template: TemplateName, locale: &str) -> Mail<'_> {
    Mail {
        template,
        to: "o'hara+<b>@example.com",
        locale,
        variables: Variables {
            link: "https://api.shop.example/v1/verify?ticket=x:1&type=y&redirectTo=https://a/'",
            display_name: NAME,
            email: "o'hara+\"<b>\n${code}@example.com",
            new_email: "new&<i>@example.com",
            ticket: "123456",
            redirect_to: "https://app.shop.example/\"><script>",
            locale,
            server_url: "https://api.shop.example",
            client_url: "https://app.shop.example/start?a=1&b=<i>",
            code: "",
        },
    }
}

#[test]
fn built_in_templates_render_awkward_values() {
    let is_blessed = std::env::var("POSTERN_BLESS")
        .is_ok_and(|part| matches!(part.as_str(), "snapshots" | "all"));
    let mailer = mailer(FUNCTION).unwrap();
    for locale in ["en", "de", "nl"] {
        let mut found = String::new();
        for template in TemplateName::ALL {
            let (_, rendered) = mailer.render(&mail(template, locale)).unwrap();
            writeln!(
                found,
                "=== {}\n{}\n--- text\n{}--- html\n{}",
                template.as_str(),
                rendered.subject,
                rendered.text,
                rendered.html
            )
            .unwrap();
            for value in ["<b>", "<i>", "<script>", "\u{202e}"] {
                assert!(!rendered.html.contains(value), "{value}: {}", rendered.html);
            }
            assert!(
                !rendered.subject.contains(['\n', '\r', '<']),
                "{}",
                rendered.subject
            );
        }
        let path: PathBuf = [
            env!("CARGO_MANIFEST_DIR"),
            "src/accounts/mail/golden",
            &format!("{locale}.txt"),
        ]
        .iter()
        .collect();
        if is_blessed {
            fs::write(path, found).unwrap();
        } else {
            assert_eq!(found, fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn built_in_templates_have_what_each_mail_needs() {
    let mailer = mailer(FUNCTION).unwrap();
    for locale in ["en", "de", "nl"] {
        for template in TemplateName::ALL {
            let mail = mail(template, locale);
            let (_, rendered) = mailer.render(&mail).unwrap();
            let needed = match template {
                TemplateName::EmailVerify
                | TemplateName::EmailConfirmChange
                | TemplateName::SigninPasswordless
                | TemplateName::PasswordReset => mail.variables.link,
                TemplateName::SigninOtp | TemplateName::Elevate => mail.variables.ticket,
                TemplateName::AccountExists
                | TemplateName::PasswordChanged
                | TemplateName::EmailChanged
                | TemplateName::FactorChanged => mail.variables.client_url,
            };
            assert!(rendered.text.contains(needed), "{locale} {template:?}");
            let escaped = needed.replace('&', "&amp;").replace('\'', "&#39;");
            let escaped = escaped.replace('<', "&lt;").replace('>', "&gt;");
            assert!(rendered.html.contains(&escaped), "{locale} {template:?}");
            assert!(
                rendered.subject.contains("app.shop.example"),
                "{}",
                rendered.subject
            );
            // What a stranger calls themself is in no mail: it could be an advertisement.
            assert!(!rendered.text.contains("Ann's"), "{locale} {template:?}");
        }
    }
}

#[test]
fn template_of_a_folder_goes_before_the_built_in_one() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join("mail").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let text = format!("{FUNCTION}templates = 'mail'\n");
    let read = || mailer_in(&text, folder.path());
    assert!(read().unwrap_err().contains("mail` is no folder"));
    // As hasura-auth's: HTML alone, and a code that is called ticket.
    write("fr/signin-otp/subject.txt", "Code ${ticket}\n");
    write(
        "fr/signin-otp/body.html",
        "<html lang=\"${locale}\"><p>${displayName}</p><a href=\"${link}\">Lien &amp; ${code}</a>",
    );
    write("fr/signin-passwordless-sms/body.txt", "${other}");
    write("en/password-reset/subject.txt", "Reset");
    write(
        "en/password-reset/body.html",
        "<p lang=\"${locale}\">Custom</p>",
    );
    write("en/password-reset/body.txt", "Own text");
    let mailer = read().unwrap();

    let (_, french) = mailer.render(&mail(TemplateName::SigninOtp, "fr")).unwrap();
    assert_eq!(french.subject, "Code 123456");
    assert!(
        french
            .html
            .starts_with("<html lang=\"fr\"><p>&lt;b&gt;&quot;Ann&#39;s")
    );
    let link = "https://api.shop.example/v1/verify?ticket=x:1&type=y&redirectTo=https://a/'";
    assert_eq!(
        french.text,
        format!(
            "<b>\"Ann's\" ${{link}} Bcc: x \u{5e9}\u{5dc}\u{5d5}\u{5dd}\n\nLien & 123456: {link}\n"
        )
    );
    // `fr` has no other template: that of the folder's `en`, and then what is built in.
    let (_, reset) = mailer
        .render(&mail(TemplateName::PasswordReset, "fr"))
        .unwrap();
    assert_eq!(
        (reset.text.as_str(), reset.html.as_str()),
        ("Own text", "<p lang=\"en\">Custom</p>")
    );
    let (_, verify) = mailer
        .render(&mail(TemplateName::EmailVerify, "fr"))
        .unwrap();
    assert!(
        verify.subject.starts_with("Confirm your address"),
        "{}",
        verify.subject
    );
    let (_, german) = mailer
        .render(&mail(TemplateName::PasswordReset, "de"))
        .unwrap();
    assert!(
        german.subject.starts_with("Neues Passwort"),
        "{}",
        german.subject
    );

    write("de/email-verify/body.txt", "x");
    let error = read().unwrap_err();
    assert!(
        error.ends_with("de/email-verify` has no subject.txt"),
        "{error}"
    );
    write("de/email-verify/subject.txt", "x");
    assert!(
        read()
            .unwrap_err()
            .ends_with("de/email-verify` has no body.html")
    );
    write("de/email-verify/body.html", "<p>${displayname}");
    let error = read().unwrap_err();
    assert!(error.contains("de/email-verify/body.html`"), "{error}");
    assert!(
        error.contains("there is no variable `${displayname}`"),
        "{error}"
    );
}

#[test]
fn payload_has_the_mail_and_its_variables() {
    let mailer = mailer(FUNCTION).unwrap();
    let mail = mail(TemplateName::SigninOtp, "xx");
    let (values, rendered) = mailer.render(&mail).unwrap();
    let payload = mailer.payload("id-1", &mail, &values, &rendered).unwrap();
    let payload: serde_json::Value = serde_json::from_str(&payload).unwrap();
    let keys: Vec<&String> = payload.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "id",
            "template",
            "to",
            "locale",
            "from",
            "subject",
            "text",
            "html",
            "variables"
        ]
    );
    assert_eq!(payload["template"], "signin-otp");
    assert_eq!(payload["locale"], "xx");
    assert_eq!(payload["from"], "Shop <no-reply@shop.example>");
    assert_eq!(payload["variables"]["locale"], "en");
    assert_eq!(payload["variables"]["code"], "123456");
    assert_eq!(
        payload["variables"]["displayName"],
        "<b>\"Ann's\" ${link} Bcc: x \u{5e9}\u{5dc}\u{5d5}\u{5dd}"
    );
}

#[test]
fn settings_name_one_transport() {
    let secret = "secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'";
    let error = |rest: &str| {
        let error = mailer(&format!("from = 'a@b.example'\n{rest}")).unwrap_err();
        assert!(!error.contains("geheim"), "{error}");
        error
    };
    let one = "`mail` needs one of `smtp`, `url` and `function`";
    assert_eq!(error(""), one);
    assert_eq!(error("smtp = 'smtps://u:geheim@h'\nfunction = 'f'"), one);
    assert_eq!(
        error("function = 'f'\nsecret = 'geheim'"),
        "`mail.secret` needs `mail.url`"
    );
    assert!(error("url = 'https://geheim@h'").starts_with("`mail.url` needs `mail.secret`"));
    let malformed = error("url = 'https://h'\nsecret = 'geheim'");
    assert!(
        malformed.starts_with("`mail.secret` has to be `whsec_`"),
        "{malformed}"
    );
    let malformed = error(&format!("url = 'ftp://geheim'\n{secret}"));
    assert!(
        malformed.starts_with("`mail.url` has to begin"),
        "{malformed}"
    );
    let from = mailer("from = 'Shop'\nfunction = 'f'").unwrap_err();
    assert!(from.starts_with("`mail.from` has to be"), "{from}");
    for rest in [
        "function = 'mail.send'".to_owned(),
        "smtp = 'smtps://u:geheim@h'".to_owned(),
        format!("url = 'https://u:geheim@h/hook?geheim'\n{secret}"),
    ] {
        let text = format!("from = 'Jürgen <no-reply@müller.example>'\n{rest}");
        let mailer = mailer(&text).unwrap();
        assert_eq!(mailer.from.email.domain(), "xn--mller-kva.example");
        let debugged = format!("{mailer:?} {:?}", settings(&text));
        for text in ["geheim", "MfKQ"] {
            assert!(!debugged.contains(text), "{debugged}");
        }
    }
    assert!(toml::from_str::<MailSettings>("from = ''\nport = 25").is_err());
}
