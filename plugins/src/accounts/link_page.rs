//! The page of a link in a mail: one form with one button, and a field for the code of a second
//! factor where the person has one.

use super::purpose::Purpose;

/// What the page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageContent {
    /// A button that uses the link.
    Button(Purpose),
    /// A field for a code, too.
    Code,
    /// The field again, after a wrong code.
    WrongCode,
}

/// What the page says in a language.
struct PageText {
    title: &'static str,
    about: &'static str,
    button: &'static str,
    wrong: &'static str,
}

/// A page whose form sends the fields to the path of links.
/// `action` is the address of `/v1/verify`, relative to the page.
pub(super) fn html(
    locale: &str,
    content: PageContent,
    action: &str,
    fields: &[(&str, &str)],
) -> String {
    let language = if matches!(locale, "de" | "nl") {
        locale
    } else {
        "en"
    };
    let PageText {
        title,
        about,
        button,
        wrong,
    } = page_text(content, locale);
    let mut inputs: String = fields
        .iter()
        .map(|(name, value)| {
            format!(
                "<input type=\"hidden\" name=\"{name}\" value=\"{}\">\n",
                escaped(value)
            )
        })
        .collect();
    let mut alert = String::new();
    if !matches!(content, PageContent::Button(_)) {
        inputs.push_str(&format!(
            "<input name=\"otp\" autocomplete=\"one-time-code\" autocapitalize=\"none\" \
             spellcheck=\"false\" maxlength=\"32\" aria-label=\"{title}\" required autofocus>\n"
        ));
    }
    if content == PageContent::WrongCode {
        alert = format!("<p role=\"alert\">{wrong}</p>\n");
    }
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<main>\n<h1>{title}</h1>\n{alert}<p>{about}</p>\n<form method=\"post\" action=\"{action}\">\n{inputs}\
         <button>{button}</button>\n</form>\n</main>\n</body>\n</html>\n"
    )
}

/// The texts in the languages that have mails built in.
fn page_text(content: PageContent, locale: &str) -> PageText {
    let purpose = match content {
        PageContent::Button(purpose) => purpose,
        PageContent::Code | PageContent::WrongCode => return code_text(locale),
    };
    let (title, about, button) = match (locale, purpose) {
        ("de", Purpose::Verify) => (
            "E-Mail-Adresse bestätigen",
            "Mit einem Klick bestätigen Sie Ihre Adresse und sind angemeldet.",
            "Adresse bestätigen",
        ),
        ("de", Purpose::Change) => (
            "Neue E-Mail-Adresse bestätigen",
            "Mit einem Klick wird dies die Adresse Ihres Kontos.",
            "Neue Adresse bestätigen",
        ),
        ("de", Purpose::Reset) => (
            "Neues Passwort",
            "Weiter zur Seite, auf der Sie ein neues Passwort wählen.",
            "Weiter",
        ),
        ("de", _) => (
            "Anmelden",
            "Mit einem Klick sind Sie angemeldet.",
            "Anmelden",
        ),
        ("nl", Purpose::Verify) => (
            "E-mailadres bevestigen",
            "Met één klik bevestigt u uw adres en bent u ingelogd.",
            "Adres bevestigen",
        ),
        ("nl", Purpose::Change) => (
            "Nieuw e-mailadres bevestigen",
            "Met één klik wordt dit het adres van uw account.",
            "Nieuw adres bevestigen",
        ),
        ("nl", Purpose::Reset) => (
            "Nieuw wachtwoord",
            "Ga verder naar de pagina waar u een nieuw wachtwoord kiest.",
            "Verder",
        ),
        ("nl", _) => ("Inloggen", "Met één klik bent u ingelogd.", "Inloggen"),
        (_, Purpose::Verify) => (
            "Verify your email address",
            "One click verifies your address and signs you in.",
            "Verify address",
        ),
        (_, Purpose::Change) => (
            "Verify your new email address",
            "One click makes this the address of your account.",
            "Verify new address",
        ),
        (_, Purpose::Reset) => (
            "New password",
            "Go on to the page where you choose a new password.",
            "Go on",
        ),
        (_, _) => ("Sign in", "One click signs you in.", "Sign in"),
    };
    PageText {
        title,
        about,
        button,
        wrong: "",
    }
}

fn code_text(locale: &str) -> PageText {
    let (title, about, button, wrong) = match locale {
        "de" => (
            "Code eingeben",
            "Geben Sie den Code Ihrer Authenticator-App oder einen Wiederherstellungscode ein.",
            "Anmelden",
            "Dieser Code ist falsch.",
        ),
        "nl" => (
            "Code invoeren",
            "Voer de code van uw authenticator-app of een herstelcode in.",
            "Inloggen",
            "Die code klopt niet.",
        ),
        _ => (
            "Enter your code",
            "Enter the code of your authenticator app, or a recovery code.",
            "Sign in",
            "That code is wrong.",
        ),
    };
    PageText {
        title,
        about,
        button,
        wrong,
    }
}

const STYLE: &str = ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0;display:grid;\
min-height:100vh;place-items:center}main{max-width:28rem;padding:1.5rem}input,button{font:inherit;margin:.3rem 0}button{padding:.6rem 1.2rem;\
border:0;border-radius:.4rem;background:#1f5fbf;color:#fff;cursor:pointer}button:focus-visible{outline:3px solid;\
outline-offset:2px}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
