//! The text part of a mail whose template has HTML alone, as those of hasura-auth have: tags are
//! dropped, the address of a link stands behind its text. The conversion works on the template, not
//! on the mail, so that values stand in the text as they are.

/// Elements whose content is not shown.
const HIDDEN: [&str; 4] = ["head", "style", "script", "title"];

/// Elements that begin a line of their own.
const BLOCKS: [&str; 19] = [
    "address",
    "blockquote",
    "div",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "td",
    "tr",
    "ul",
];

/// The named character references that templates use beside those of markup: what editors write
/// for spaces, quotes, dashes and the letters of western Europe.
const ENTITIES: [(&str, &str); 44] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("copy", "©"),
    ("reg", "®"),
    ("euro", "€"),
    ("hellip", "…"),
    ("ndash", "–"),
    ("mdash", "—"),
    ("bull", "•"),
    ("middot", "·"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("bdquo", "„"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("szlig", "ß"),
    ("auml", "ä"),
    ("ouml", "ö"),
    ("uuml", "ü"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("euml", "ë"),
    ("iuml", "ï"),
    ("aacute", "á"),
    ("eacute", "é"),
    ("iacute", "í"),
    ("oacute", "ó"),
    ("uacute", "ú"),
    ("Eacute", "É"),
    ("agrave", "à"),
    ("egrave", "è"),
    ("acirc", "â"),
    ("ecirc", "ê"),
    ("icirc", "î"),
    ("ocirc", "ô"),
    ("ccedil", "ç"),
    ("ntilde", "ñ"),
];

/// Makes the text of HTML.
pub(super) fn from_html(html: &str) -> String {
    let mut writer = TextWriter::default();
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        writer.add_text(text);
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        // A `<` that begins no tag is text.
        if !after.starts_with(|letter: char| letter.is_ascii_alphabetic() || "/!?".contains(letter))
        {
            writer.add_text("<");
            rest = after;
            continue;
        }
        let (tag, after) = after.split_at(tag_length(after));
        writer.add_tag(tag);
        rest = after.strip_prefix('>').unwrap_or(after);
    }
    writer.add_text(rest);
    writer.finish()
}

/// The bytes up to the `>` that ends a tag; one in quotes does not.
fn tag_length(tag: &str) -> usize {
    let mut quote = None;
    for (index, letter) in tag.char_indices() {
        match (quote, letter) {
            (None, '>') => return index,
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => (),
        }
    }
    tag.len()
}

#[derive(Default)]
struct TextWriter {
    text: String,
    /// The element whose content is skipped.
    hidden: Option<&'static str>,
    /// The link that is open: its address, and where its text begins.
    link: Option<(String, usize)>,
}

impl TextWriter {
    fn add_text(&mut self, text: &str) {
        if self.hidden.is_some() {
            return;
        }
        let mut is_after_space = self.text.is_empty() || self.text.ends_with([' ', '\n']);
        for letter in decode(text).chars() {
            // A no-break space is kept as a space by `decode`: a text part breaks anywhere.
            if !letter.is_whitespace() {
                self.text.push(letter);
                is_after_space = false;
            } else if !is_after_space {
                self.text.push(' ');
                is_after_space = true;
            }
        }
    }

    fn add_tag(&mut self, tag: &str) {
        let is_end = tag.starts_with('/');
        let tag = tag.trim_start_matches('/');
        let name = tag
            .split(|letter: char| letter.is_whitespace() || letter == '/')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        if let Some(hidden) = self.hidden {
            if is_end && name == hidden {
                self.hidden = None;
            }
            return;
        }
        match (name.as_str(), is_end) {
            ("br", _) => self.break_line(1),
            ("a", false) => {
                self.link = attribute(tag, "href").map(|address| (address, self.text.len()));
            }
            ("a", true) => self.end_link(),
            (name, false) if HIDDEN.contains(&name) => {
                self.hidden = HIDDEN.into_iter().find(|hidden| *hidden == name);
            }
            (name, _) if BLOCKS.contains(&name) => self.break_line(2),
            _ => (),
        }
    }

    /// Puts the address behind the text, unless the text is the address.
    fn end_link(&mut self) {
        let Some((address, start)) = self.link.take() else {
            return;
        };
        let shown = self.text.get(start..).unwrap_or_default().trim();
        let is_shown = shown.is_empty() || shown == address.trim_start_matches("mailto:");
        if address.is_empty() || address.starts_with('#') || (is_shown && !shown.is_empty()) {
            return;
        }
        if !is_shown {
            self.text.truncate(self.text.trim_end().len());
            self.text.push_str(": ");
        }
        self.text.push_str(&address);
    }

    /// Ends the line, with an empty line behind it for two breaks.
    fn break_line(&mut self, breaks: usize) {
        let trimmed = self.text.trim_end_matches(' ').len();
        self.text.truncate(trimmed);
        if self.text.is_empty() {
            return;
        }
        let present = self.text.len() - self.text.trim_end_matches('\n').len();
        for _ in present..breaks {
            self.text.push('\n');
        }
    }

    fn finish(self) -> String {
        format!("{}\n", self.text.trim())
    }
}

/// The value of a tag's attribute.
fn attribute(tag: &str, wanted: &str) -> Option<String> {
    let mut rest = tag.split_once(char::is_whitespace)?.1;
    while let Some((name, after)) = rest.split_once('=') {
        // Attributes without a value may stand before the name.
        let name = name.split_whitespace().last().unwrap_or_default();
        let after = after.trim_start();
        let quote = after
            .chars()
            .next()
            .filter(|letter| "\"'".contains(*letter));
        let (value, after) = match quote {
            Some(quote) => {
                let inner = after.get(1..)?;
                inner.split_once(quote).unwrap_or((inner, ""))
            }
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        if name.eq_ignore_ascii_case(wanted) {
            return Some(decode(value).trim().to_owned());
        }
        rest = after;
    }
    None
}

/// Replaces character references; what is none stays.
fn decode(text: &str) -> String {
    let mut decoded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        let reference = after
            .split_once(';')
            .and_then(|(name, after)| Some((referenced(name)?, after)));
        match reference {
            Some((letters, after)) => {
                decoded.push_str(&letters);
                rest = after;
            }
            None => {
                decoded.push('&');
                rest = after;
            }
        }
    }
    decoded.push_str(rest);
    decoded
}

/// What a character reference stands for.
fn referenced(name: &str) -> Option<String> {
    let number = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        },
        None => {
            let found = ENTITIES.iter().find(|(entity, _)| *entity == name);
            return found.map(|(_, letter)| (*letter).to_owned());
        }
    };
    char::from_u32(number.ok()?).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_dropped_and_links_kept() {
        let html = r##"<!DOCTYPE html>
<html><head><title>T</title><style>p > a { color: red }</style></head>
<body><!-- a > b --><h1>Best&auml;tigen &amp; weiter</h1>
<p>Hello ${displayName},
   1 &#60; 2 < 3&nbsp;&#x20AC;, R&D</p>
<table><tr><td><a class=x href="${link}" title="a > b">
  Verify  <b>Email</b>
</a></td></tr></table>
<p>Or <a href='${link}'>${link}</a><br>or <a href="#top">up</a>,
<a href="https://x.example/?a=1&amp;b=2">there</a>.</p><img alt="Logo" src="x.png"><hr/>
<a href="mailto:help@x.example">help@x.example</a> <a name="x">here</a>
</body></html>"##;
        assert_eq!(
            from_html(html),
            "Bestätigen & weiter\n\n\
             Hello ${displayName}, 1 < 2 < 3 €, R&D\n\n\
             Verify Email: ${link}\n\n\
             Or ${link}\nor up, there: https://x.example/?a=1&b=2.\n\n\
             help@x.example here\n"
        );
    }

    #[test]
    fn broken_html_ends() {
        for html in [
            "<",
            "<a",
            "<a href=\"x",
            "a<!-- b",
            "<head>x",
            "</a></p>",
            "&",
            "&#xffffffff;",
        ] {
            assert!(from_html(html).ends_with('\n'), "{html}");
        }
    }
}
