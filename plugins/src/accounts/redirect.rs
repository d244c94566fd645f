//! Pages of applications that links lead back to. Scheme, host and port are compared exactly, after
//! the address was parsed as a browser parses it; `*` and `**` stand in paths alone.

use reqwest::Url;

/// A page, or the pages below a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RedirectPattern {
    origin: String,
    segments: Vec<String>,
}

impl RedirectPattern {
    /// Reads a pattern of the settings: `https://app.example.com/**`. The scheme may be an
    /// application's own, such as `myapp://sign-in`.
    pub(super) fn read(text: &str) -> Result<RedirectPattern, String> {
        let url = parse(text).ok_or_else(|| {
            format!("`{text}` is no address of a page: scheme, host and path, without query")
        })?;
        if url.query().is_some() || url.host_str().is_some_and(|host| host.contains('*')) {
            return Err(format!(
                "`{text}`: only paths may have `*`, and there is no query"
            ));
        }
        Ok(RedirectPattern {
            origin: origin(&url),
            segments: segments(&url),
        })
    }

    /// Whether an address is one of the pages. `*` stands for one segment, `**` at the end for any
    /// number.
    pub(super) fn allows(&self, url: &Url) -> bool {
        let segments = segments(url);
        let (fixed, is_open) = match self.segments.split_last() {
            Some((last, fixed)) if last == "**" => (fixed, true),
            _ => (self.segments.as_slice(), false),
        };
        let has_length = if is_open {
            segments.len() >= fixed.len()
        } else {
            segments.len() == fixed.len()
        };
        has_length
            && origin(url) == self.origin
            && fixed
                .iter()
                .zip(&segments)
                .all(|(pattern, segment)| pattern == "*" || pattern == segment)
    }
}

/// What links add to the address of a page. An address that brings its own would be read instead.
const ADDED: [&str; 8] = [
    "refreshToken",
    "ticket",
    "type",
    "error",
    "errorDescription",
    "code",
    "provider_error",
    "provider_error_description",
];

/// Parses an address that a browser may be sent to: absolute, without a user name, a fragment,
/// parameters that links add, or what parsers read differently: encoded dots, empty segments, and
/// parameters of segments.
pub(super) fn parse(text: &str) -> Option<Url> {
    let is_plain = text.len() <= 2000
        && text
            .chars()
            .all(|character| character.is_ascii_graphic() && character != '\\');
    let encoded = text.to_ascii_lowercase();
    if !is_plain
        || ["%2e", "%2f", "%5c", "%00"]
            .iter()
            .any(|code| encoded.contains(code))
    {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let has_user = !url.username().is_empty() || url.password().is_some();
    let is_page = url.has_host() && !has_user && url.fragment().is_none();
    let is_script = matches!(
        url.scheme(),
        "javascript" | "data" | "file" | "blob" | "vbscript"
    );
    // Browsers correct `https:/host` and `https:host`, which other readers take for paths.
    let has_slashes = text.get(url.scheme().len()..)?.starts_with("://");
    let is_clear = !url.path().contains("//") && !url.path().contains("..;");
    let adds_nothing = url.query_pairs().all(|(name, _)| !ADDED.contains(&&*name));
    (is_page && !is_script && has_slashes && is_clear && adds_nothing).then_some(url)
}

/// Scheme, host and port. The origin of a scheme that browsers do not know is opaque.
fn origin(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{}://{host}:{port}", url.scheme())
}

/// The segments of the path, without the empty one of a slash at the end.
fn segments(url: &Url) -> Vec<String> {
    let path = url.path();
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = path.strip_suffix('/').unwrap_or(path);
    if path.is_empty() {
        return vec![];
    }
    path.split('/').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_allowed(pattern: &str, text: &str) -> bool {
        let pattern = RedirectPattern::read(pattern).unwrap();
        parse(text).is_some_and(|url| pattern.allows(&url))
    }

    #[test]
    fn pages_of_a_pattern() {
        for (pattern, text) in [
            ("https://app.example.com", "https://app.example.com/"),
            (
                "https://app.example.com",
                "https://app.example.com?from=mail",
            ),
            (
                "https://app.example.com/**",
                "https://app.example.com/a/b?c=d",
            ),
            (
                "https://app.example.com/docs/**",
                "https://app.example.com/docs",
            ),
            (
                "https://app.example.com/*/home",
                "https://app.example.com/en/home",
            ),
            ("http://localhost:3000/**", "http://localhost:3000/x"),
            ("myapp://sign-in", "myapp://sign-in"),
        ] {
            assert!(is_allowed(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        for text in [
            "https://app.example.com/docss",
            "https://app.example.com/docs/../admin",
            "https://app.example.com/docs/%2e%2e/admin",
            "https://app.example.com/docs%2fx",
            "https://app.example.com.evil.example/docs",
            "https://evil.example/docs",
            "https://app.example.com@evil.example/docs",
            "https://user@app.example.com/docs",
            "http://app.example.com/docs",
            "https://app.example.com:444/docs",
            "https://app.example.com\\@evil.example/docs",
            "https:/app.example.com/docs",
            "https:app.example.com/docs",
            "//app.example.com/docs",
            "/docs",
            "docs",
            "",
            "javascript://app.example.com/docs",
            "data://app.example.com/docs",
            " https://app.example.com/docs",
            "https://app.example.com/docs\n",
            "https://app.example.com/docs#x",
            "https://\u{430}pp.example.com/docs",
            "https://xn--pp-6kc.example.com/docs",
            "https://app.example.com%00.evil.example/docs",
            "https://app.example.com:443@evil.example/docs",
            "https://[::1]/docs",
            "https://app.example.com./docs",
            "file://app.example.com/docs",
            "https://app.example.com//docs",
            "https://app.example.com/docs//x",
            "https://app.example.com/docs/..;/admin",
            "https://app.example.com/docs?refreshToken=x",
            "https://app.example.com/docs?a=b&ty%70e=x",
        ] {
            assert!(
                !is_allowed("https://app.example.com/docs/**", text),
                "{text}"
            );
        }
    }

    #[test]
    fn wildcards_stand_in_paths_alone() {
        for text in [
            "https://*.example.com/**",
            "https://app.example.com/?a=*",
            "*",
            "app.example.com",
        ] {
            assert!(RedirectPattern::read(text).is_err(), "{text}");
        }
    }
}
