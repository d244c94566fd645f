//! Content codings of request and response bodies (`zstd`, `br`, `gzip`): their names, negotiation
//! by `Accept-Encoding`, encoders and decoders with their memory limits.
//! <https://www.rfc-editor.org/rfc/rfc9110#name-content-codings>

use std::io::{Error, ErrorKind, Read, Result, Write};

use brotli::CompressorWriter;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use http::HeaderMap;
use http::header::{ACCEPT_ENCODING, HeaderValue};

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentEncoding {
    /// `zstd`.
    Zstd,
    /// `br`.
    Brotli,
    /// `gzip`.
    Gzip,
}

/// Compression levels: encoding takes about as long as a statement that returns so many bytes, or
/// less.
const ZSTD_LEVEL: i32 = 3;
const BROTLI_QUALITY: u32 = 4;
const GZIP_LEVEL: u32 = 4;

/// The window of brotli, as a power of two: JSON repeats itself within a short distance.
const BROTLI_WINDOW: u32 = 18;

/// The largest window of a zstd body, as a power of two. The decoder allocates that much memory
/// whatever the body requests. <https://www.rfc-editor.org/rfc/rfc9659>
const ZSTD_WINDOW: u32 = 23;

/// The size of brotli's input buffer in bytes.
const BROTLI_BUFFER_BYTES: usize = 4 << 10;

impl ContentEncoding {
    /// All codings. The first of those that a client weighs equally is used: `br` before `zstd`,
    /// which costs less, because clients behind proxies that name `zstd`, such as the `fetch` of
    /// Node.js 20, cannot always read it.
    pub const ALL: [ContentEncoding; 3] = [
        ContentEncoding::Brotli,
        ContentEncoding::Zstd,
        ContentEncoding::Gzip,
    ];

    /// The value of `Accept-Encoding` in responses: the codings of request bodies.
    pub const NAMES: &str = "gzip, br, zstd";

    /// The name in headers.
    pub const fn name(self) -> &'static str {
        match self {
            ContentEncoding::Zstd => "zstd",
            ContentEncoding::Brotli => "br",
            ContentEncoding::Gzip => "gzip",
        }
    }

    /// The name as a header value.
    pub fn value(self) -> HeaderValue {
        HeaderValue::from_static(self.name())
    }

    /// The memory that an encoder needs, in bytes, approximately.
    pub const fn encoder_bytes(self) -> usize {
        match self {
            ContentEncoding::Zstd => 4 << 20,
            ContentEncoding::Brotli => 2 << 20,
            ContentEncoding::Gzip => 256 << 10,
        }
    }

    /// Finds a coding by its name in any case. `x-gzip` is an old name of `gzip`.
    pub fn named(name: &str) -> Option<ContentEncoding> {
        let matches = |coding: &ContentEncoding| name.eq_ignore_ascii_case(coding.name());
        // <https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.3>
        let old = || {
            name.eq_ignore_ascii_case("x-gzip")
                .then_some(ContentEncoding::Gzip)
        };
        ContentEncoding::ALL.into_iter().find(matches).or_else(old)
    }

    /// The coding that a client weighs highest; `None` if it weighs `identity` higher than that, or
    /// names no coding.
    pub fn negotiate(headers: &HeaderMap) -> Option<ContentEncoding> {
        let mut weights = Weights::default();
        for value in headers.get_all(ACCEPT_ENCODING) {
            value
                .to_str()
                .ok()?
                .split(',')
                .for_each(|item| weights.read(item));
        }
        let (coding, quality) = weights.best()?;
        (quality > 0.0 && weights.identity.is_none_or(|identity| identity <= quality))
            .then_some(coding)
    }

    /// Creates a reader of the inflated bytes. It fails if the data is corrupt or incomplete.
    pub fn reader<'a>(self, bytes: &'a [u8]) -> Result<Box<dyn Read + Send + 'a>> {
        Ok(match self {
            ContentEncoding::Gzip => Box::new(Member(GzDecoder::new(bytes))),
            ContentEncoding::Brotli if asks_for_large_window(bytes) => {
                return Err(Error::new(ErrorKind::InvalidData, "a large window"));
            }
            ContentEncoding::Brotli => {
                Box::new(brotli::Decompressor::new(bytes, BROTLI_BUFFER_BYTES))
            }
            ContentEncoding::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes)?;
                decoder.window_log_max(ZSTD_WINDOW)?;
                Box::new(decoder)
            }
        })
    }
}

/// Reads the single member of a gzip body. The decoder would accept any number of empty members,
/// which no client sends.
struct Member<'a>(GzDecoder<&'a [u8]>);

impl Read for Member<'_> {
    fn read(&mut self, piece: &mut [u8]) -> Result<usize> {
        match self.0.read(piece)? {
            0 if !piece.is_empty() && !self.0.get_ref().is_empty() => {
                Err(Error::new(ErrorKind::InvalidData, "bytes after the end"))
            }
            read => Ok(read),
        }
    }
}

/// Whether a brotli stream begins with the bit pattern that the specification does not allow, and
/// that the library takes for a window of up to 1 GiB.
/// <https://www.rfc-editor.org/rfc/rfc7932#section-9.1>
fn asks_for_large_window(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|first| first & 0x7f == 0x11)
}

/// The weights in `Accept-Encoding`.
#[derive(Default)]
struct Weights {
    codings: [Option<f32>; ContentEncoding::ALL.len()],
    others: Option<f32>,
    identity: Option<f32>,
}

impl Weights {
    /// Parses one item of the header, such as `br;q=0.5`.
    fn read(&mut self, item: &str) {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let quality = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        let quality = Some(quality.map_or(1.0, |text| text.parse().unwrap_or(0.0)));
        match (ContentEncoding::named(name), name) {
            (Some(coding), _) => self.codings[coding as usize] = quality,
            (None, "*") => self.others = quality,
            (None, name) if name.eq_ignore_ascii_case("identity") => self.identity = quality,
            _ => {}
        }
    }

    fn best(&self) -> Option<(ContentEncoding, f32)> {
        let weighed = |coding: ContentEncoding| {
            Some((coding, self.codings[coding as usize].or(self.others)?))
        };
        let better = |best: (ContentEncoding, f32), next: (ContentEncoding, f32)| {
            if next.1 > best.1 { next } else { best }
        };
        ContentEncoding::ALL
            .into_iter()
            .filter_map(weighed)
            .reduce(better)
    }
}

/// A streaming encoder.
pub enum Encoder {
    /// `zstd`.
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    /// `br`.
    Brotli(Box<CompressorWriter<Vec<u8>>>),
    /// `gzip`.
    Gzip(GzEncoder<Vec<u8>>),
}

impl Encoder {
    /// Creates an encoder; `size` is the length of its input if known.
    pub fn new(coding: ContentEncoding, size: Option<u64>) -> Result<Encoder> {
        Ok(match coding {
            ContentEncoding::Gzip => {
                Encoder::Gzip(GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL)))
            }
            ContentEncoding::Brotli => {
                let writer = CompressorWriter::new(
                    Vec::new(),
                    BROTLI_BUFFER_BYTES,
                    BROTLI_QUALITY,
                    BROTLI_WINDOW,
                );
                Encoder::Brotli(Box::new(writer))
            }
            ContentEncoding::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), ZSTD_LEVEL)?;
                // The encoder's tables are no larger than the input needs.
                encoder.set_pledged_src_size(size)?;
                Encoder::Zstd(encoder)
            }
        })
    }

    /// Encodes some bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Encoder::Gzip(encoder) => encoder.write_all(bytes),
            Encoder::Brotli(encoder) => encoder.write_all(bytes),
            Encoder::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    /// Takes the output written so far.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(match self {
            Encoder::Gzip(encoder) => encoder.get_mut(),
            Encoder::Brotli(encoder) => encoder.get_mut(),
            Encoder::Zstd(encoder) => encoder.get_mut(),
        })
    }

    /// Ends the stream and returns the rest of the output.
    pub fn finish(self) -> Result<Vec<u8>> {
        match self {
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Brotli(encoder) => Ok(encoder.into_inner()),
            Encoder::Zstd(encoder) => encoder.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn negotiated(accepted: &[&'static str]) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        for value in accepted {
            headers.append(ACCEPT_ENCODING, HeaderValue::from_static(value));
        }
        ContentEncoding::negotiate(&headers).map(ContentEncoding::name)
    }

    #[test]
    fn coding_with_highest_weight_is_chosen() {
        let known: [(&[&str], Option<&str>); 17] = [
            (&[], None),
            (&[""], None),
            (&["gzip"], Some("gzip")),
            (&["GZIP"], Some("gzip")),
            (&["x-gzip"], Some("gzip")),
            (&["gzip, deflate, br, zstd"], Some("br")),
            (&["gzip, br;q=0.9, zstd"], Some("zstd")),
            (&["gzip, deflate, br"], Some("br")),
            (&["gzip;q=0.9, br;q=0.5"], Some("gzip")),
            (&["gzip;q=0.9", "br ; Q=1.0"], Some("br")),
            (&["gzip;q=0"], None),
            (&["gzip;q=much"], None),
            (&["*"], Some("br")),
            (&["*, zstd;q=0, br;q=0.5"], Some("gzip")),
            (&["identity, gzip;q=0.5"], None),
            (&["identity;q=0.5, gzip"], Some("gzip")),
            (&["deflate, compress"], None),
        ];
        for (accepted, expected) in known {
            assert_eq!(negotiated(accepted), expected, "{accepted:?}");
        }
    }

    #[test]
    fn encoded_bytes_are_decoded_and_truncated_ones_fail() {
        let text = r#"{"id":1,"name":"somebody"},"#.repeat(9000);
        for coding in ContentEncoding::ALL {
            let mut encoder = Encoder::new(coding, None).unwrap();
            let mut packed = Vec::new();
            for part in text.as_bytes().chunks(1000) {
                encoder.write(part).unwrap();
                packed.append(&mut encoder.take());
            }
            packed.append(&mut encoder.finish().unwrap());
            assert!(
                packed.len() < text.len() / 10,
                "{coding:?}: {}",
                packed.len()
            );
            let mut read = String::new();
            coding
                .reader(&packed)
                .unwrap()
                .read_to_string(&mut read)
                .unwrap();
            assert!(read == text, "{coding:?}");
            for end in [packed.len() - 1, packed.len() / 2, 1] {
                let cut = coding
                    .reader(&packed[..end])
                    .unwrap()
                    .read_to_end(&mut Vec::new());
                assert!(cut.is_err(), "{coding:?} cut off at {end}");
            }
        }
    }

    #[test]
    fn gzip_body_with_second_member_fails() {
        let member = |text: &[u8]| {
            let mut encoder = Encoder::new(ContentEncoding::Gzip, None).unwrap();
            encoder.write(text).unwrap();
            encoder.finish().unwrap()
        };
        let read = |bytes: &[u8]| {
            ContentEncoding::Gzip
                .reader(bytes)
                .unwrap()
                .read_to_end(&mut Vec::new())
        };
        assert_eq!(read(&member(b"{}")).unwrap(), 2);
        for after in [&member(b"")[..], &member(b" "), b"\0"] {
            assert!(read(&[&member(b"{}"), after].concat()).is_err());
        }
    }

    #[test]
    fn large_windows_are_refused() {
        assert!(ContentEncoding::Brotli.reader(b"\x11\x1e\x00").is_err());
        let mut far = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        far.window_log(27).unwrap();
        far.write_all(b"{}").unwrap();
        let far = far.finish().unwrap();
        assert!(
            ContentEncoding::Zstd
                .reader(&far)
                .unwrap()
                .read_to_end(&mut Vec::new())
                .is_err()
        );
    }
}
