//! The message that an SMTP server gets. `lettre` writes headers from typed addresses and encodes
//! all other text, so that no value can add a header.

use lettre::message::header::{
    ContentTransferEncoding, ContentType, HeaderName, HeaderValue, MessageId, Subject,
};
use lettre::message::{Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};

use super::template_set::RenderedMail;

/// Makes a message. All attempts of an event have one Message-ID, by which mail programs recognize
/// a mail that arrived twice.
pub(super) fn message(
    from: &Mailbox,
    to: Address,
    id: &str,
    mail: RenderedMail,
) -> Result<Message, lettre::error::Error> {
    let id: String = id
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
        .collect();
    // The text first: programs show the last form that they understand (RFC 2046, 5.1.4).
    let body = MultiPart::alternative()
        .singlepart(part(ContentType::TEXT_PLAIN, mail.text))
        .singlepart(part(ContentType::TEXT_HTML, mail.html));
    Message::builder()
        .from(from.clone())
        .to(Mailbox::new(None, to))
        .header(Subject::from(mail.subject))
        .header(MessageId::from(format!("<{id}@{}>", from.email.domain())))
        .date_now()
        // Programs that answer while their user is away answer no mail of this kind (RFC 3834).
        .raw_header(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ))
        .multipart(body)
}

fn part(content_type: ContentType, text: String) -> SinglePart {
    SinglePart::builder()
        .header(content_type)
        // Lines of any length arrive as they are, at servers of 7 bits too.
        .header(ContentTransferEncoding::QuotedPrintable)
        .body(text)
}

/// Reads a mail address. The domain is written in ASCII, so that a server needs SMTPUTF8 only for
/// the part before the `@`.
pub(super) fn address(text: &str) -> Option<Address> {
    let address: Address = text.trim().parse().ok()?;
    if address.domain().is_ascii() {
        return Some(address);
    }
    let url = reqwest::Url::parse(&format!("http://{}/", address.domain())).ok()?;
    Address::new(address.user(), url.host_str()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(subject: &str, text: &str) -> String {
        let from = "Jürgen's \"Shop\" <no-reply@example.com>".parse().unwrap();
        let mail = RenderedMail {
            subject: subject.to_owned(),
            text: text.to_owned(),
            html: format!("<p>{text}</p>"),
        };
        let to = address("ann@müller.example").unwrap();
        let message = message(&from, to, "018f\r\nX: y", mail).unwrap();
        String::from_utf8(message.formatted()).unwrap()
    }

    #[test]
    fn message_has_two_forms_and_all_headers() {
        let text = formatted("Grüße", "é\n.\nlong");
        let (headers, body) = text.split_once("\r\n\r\n").unwrap();
        for header in [
            "To: ann@xn--mller-kva.example\r\n",
            "Subject: =?utf-8?b?R3LDvMOfZQ==?=\r\n",
            "Message-ID: <018fXy@example.com>\r\n",
            "Date: ",
            "MIME-Version: 1.0\r\n",
            "Auto-Submitted: auto-generated\r\n",
            "Content-Type: multipart/alternative;",
        ] {
            assert!(headers.contains(header), "{header} in {headers}");
        }
        let forms: Vec<&str> = body
            .lines()
            .filter(|line| line.starts_with("Content-"))
            .collect();
        let encoding = "Content-Transfer-Encoding: quoted-printable";
        assert_eq!(
            forms,
            [
                "Content-Type: text/plain; charset=utf-8",
                encoding,
                "Content-Type: text/html; charset=utf-8",
                encoding
            ]
        );
        assert!(body.contains("=C3=A9\r\n.\r\nlong\r\n"), "{body}");
    }

    #[test]
    fn subject_adds_no_header() {
        let text = formatted("a\r\nBcc: x@evil.example\r\n\r\nbody", "text");
        assert!(!text.contains("\nBcc:"), "{text}");
        let (headers, _) = text.split_once("\r\n\r\n").unwrap();
        assert!(headers.contains("Content-Type: multipart"), "{headers}");
    }

    #[test]
    fn only_one_address_is_read() {
        for text in [
            "",
            "a",
            "a@",
            "@b.example",
            "a@b.example, c@d.example",
            "Ann <a@b.example>",
            "a@b.example\r\nBcc: c@d.example",
            "a b@c.example",
            "a@b.example>\r\nRCPT TO:<c@d.example",
            "a\u{0}@b.example",
        ] {
            assert!(address(text).is_none(), "{text:?}");
        }
        assert_eq!(
            address(" a+b@c.example ").unwrap().to_string(),
            "a+b@c.example"
        );
    }
}
