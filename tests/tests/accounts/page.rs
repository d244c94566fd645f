//! A page with one button, read as far as these tests need it: the form and its fields.

use reqwest::Url;

/// The gateway's public address, which is not the one that tests reach it at.
pub(super) const SERVER_URL: &str = "https://api.example.com";

/// The form of a page.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// The path that it posts to.
    pub(super) action: String,
    /// The names and values of its fields.
    pub(super) fields: Vec<(String, String)>,
}

impl Form {
    /// Reads the only form of a page, which has one button.
    #[track_caller]
    pub(super) fn read(html: &str) -> Form {
        let tags: Vec<&str> = html
            .split('<')
            .skip(1)
            .filter_map(|part| part.split_once('>'))
            .map(|(tag, _)| tag)
            .collect();
        let named = |name: &str| {
            let tags = tags
                .iter()
                .filter(|tag| tag.split_whitespace().next() == Some(name));
            tags.copied().collect::<Vec<&str>>()
        };
        assert_eq!(
            (named("form").len(), named("button").len()),
            (1, 1),
            "{html}"
        );
        assert!(named("script").is_empty(), "{html}");
        let form = named("form")[0];
        let method = attribute(form, "method").unwrap_or_default();
        assert!(method.eq_ignore_ascii_case("post"), "{form}");
        let inputs = named("input").into_iter();
        let fields = inputs.filter_map(|tag| {
            Some((
                attribute(tag, "name")?,
                attribute(tag, "value").unwrap_or_default(),
            ))
        });
        Form {
            action: resolve(&attribute(form, "action").unwrap_or_default()),
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

/// The path of a reference on the page of links.
fn resolve(reference: &str) -> String {
    let page = Url::parse("http://gateway/v1/verify").unwrap();
    let url = page.join(reference).unwrap();
    assert_eq!(url.host(), page.host(), "{reference}");
    url.path().to_owned()
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
