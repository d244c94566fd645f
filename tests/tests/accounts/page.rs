//! A page with one button, read as far as these tests need it: the form and its fields.

use reqwest::Url;

/// The gateway's public address, which is not the one that tests reach it at.
pub(super) const SERVER_URL: &str = "https://api.example.com";

/// The form of a page.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// What it posts to: a path of the gateway, or a URL.
    pub(super) action: String,
    /// The names and values of its fields.
    pub(super) fields: Vec<(String, String)>,
}

impl Form {
    /// Reads the only form of the page of links, which has one button.
    #[track_caller]
    pub(super) fn read(html: &str) -> Form {
        let page = format!("{SERVER_URL}/v1/verify");
        let form = Form::read_at(&page, html);
        assert!(tags(html, "script").is_empty(), "{html}");
        let path = form.action.strip_prefix(SERVER_URL);
        let path = path.unwrap_or_else(|| panic!("{form:?} leads elsewhere"));
        Form {
            action: path.to_owned(),
            ..form
        }
    }

    /// Reads the only form of the page at a URL, which has one button. Its action is a URL.
    #[track_caller]
    pub(super) fn read_at(url: &str, html: &str) -> Form {
        let forms = tags(html, "form");
        assert_eq!(
            (forms.len(), tags(html, "button").len()),
            (1, 1),
            "{url}: {html}"
        );
        let method = attribute(forms[0], "method").unwrap_or_default();
        assert!(method.eq_ignore_ascii_case("post"), "{html}");
        let action = attribute(forms[0], "action").unwrap_or_default();
        let action = Url::parse(url).unwrap().join(&action).unwrap();
        let inputs = tags(html, "input").into_iter();
        let fields = inputs.filter_map(|tag| {
            Some((
                attribute(tag, "name")?,
                attribute(tag, "value").unwrap_or_default(),
            ))
        });
        Form {
            action: action.to_string(),
            fields: fields.collect(),
        }
    }

    /// The form with another value of a field.
    pub(super) fn with(mut self, name: &str, value: &str) -> Form {
        self.fields.retain(|(field, _)| field != name);
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The body of the request that the button sends.
    pub(super) fn body(&self) -> String {
        let url = Url::parse_with_params("http://localhost", &self.fields).unwrap();
        url.query().unwrap_or_default().to_owned()
    }
}

/// The tags of a name, without their brackets.
fn tags<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let parts = html.split('<').skip(1);
    let tags = parts.filter_map(|part| part.split_once('>'));
    let tags = tags.map(|(tag, _)| tag);
    tags.filter(|tag| tag.split_whitespace().next() == Some(name))
        .collect()
}

/// The value of an attribute of a tag, in double quotes.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    let (value, _) = rest.split_once('"')?;
    let entities = [
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    let text = entities
        .iter()
        .fold(value.to_owned(), |text, (entity, letter)| {
            text.replace(entity, letter)
        });
    Some(text)
}

/// The value of a parameter of a URL.
pub(super) fn parameter(url: &str, name: &str) -> Option<String> {
    let url = Url::parse(url).unwrap_or_else(|error| panic!("{url}: {error}"));
    let found = url.query_pairs().find(|(key, _)| key == name);
    found.map(|(_, value)| value.into_owned())
}
