//! Encodes JSON strings and the types that are written as one: text, uuid, bytea; and `jsonb`,
//! whose JSON is copied. The server guarantees valid UTF-8: it converts and checks everything it
//! sends to a client with `client_encoding` UTF8.

use super::{Error, digits};

/// Encodes text as a JSON string with Postgres' escapes: the short forms, `\u00xx` for other
/// control characters, all other characters unescaped.
pub(super) fn string(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut rest = bytes;
    // Nearly all texts need no escapes.
    if has_special(bytes) {
        while let Some((run, byte, tail)) = split_at_special(rest) {
            out.extend_from_slice(run);
            escape(byte, out);
            rest = tail;
        }
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// The bytes that [`string`] writes.
pub(super) fn string_length(bytes: &[u8]) -> usize {
    let more = |byte: &u8| match byte {
        b'"' | b'\\' | 0x08 | 0x0c | b'\n' | b'\r' | b'\t' => 1,
        0..b' ' => 5,
        _ => 0,
    };
    bytes.len() + 2 + bytes.iter().map(more).sum::<usize>()
}

/// Encodes a UUID, `"8-4-4-4-12"` hexadecimal digits.
pub(super) fn uuid(bytes: [u8; 16], out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"00000000-0000-0000-0000-000000000000\"");
    let (words, _) = bytes.as_chunks();
    if let ([first, second, third, last], Some(text)) = (words, out.last_chunk_mut::<38>()) {
        let second = digits::hex_digits(*second);
        let third = digits::hex_digits(*third);
        text[1..9].copy_from_slice(&digits::hex_digits(*first));
        text[10..14].copy_from_slice(&second[..4]);
        text[15..19].copy_from_slice(&second[4..]);
        text[20..24].copy_from_slice(&third[..4]);
        text[25..29].copy_from_slice(&third[4..]);
        text[29..37].copy_from_slice(&digits::hex_digits(*last));
    }
}

/// Encodes `bytea`, `"\\x…"`: the hexadecimal form of `bytea_output`, its backslash escaped.
pub(super) fn bytea(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"\\\\x");
    digits::hex(bytes, out);
    out.push(b'"');
}

/// Copies the JSON text after the version byte.
pub(super) fn jsonb(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    match bytes.split_first() {
        Some((1, json)) => {
            out.extend_from_slice(json);
            Ok(())
        }
        Some((version, _)) => Err(Error::JsonbVersion(*version)),
        None => Err(Error::Truncated),
    }
}

/// Whether a byte has to be escaped.
#[inline]
fn has_special(bytes: &[u8]) -> bool {
    // The last bytes overlap those that were checked before.
    if let Some(last) = bytes.last_chunk() {
        return bytes.as_chunks().0.iter().any(word_has_special) || word_has_special(last);
    }
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some([a, b, c, d]), Some([e, f, g, h])) => {
            word_has_special(&[*a, *b, *c, *d, *e, *f, *g, *h])
        }
        _ => bytes.iter().any(|byte| is_special(*byte)),
    }
}

/// Splits at the first byte to escape: the bytes before it, that byte, and the bytes after it.
fn split_at_special(bytes: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let (words, _) = bytes.as_chunks();
    let clean = words
        .iter()
        .take_while(|word| !word_has_special(word))
        .count();
    let found = bytes
        .iter()
        .skip(clean * 8)
        .position(|byte| is_special(*byte))?;
    let (run, tail) = bytes.split_at_checked(clean * 8 + found)?;
    let (byte, tail) = tail.split_first()?;
    Some((run, *byte, tail))
}

fn is_special(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// Whether one of eight bytes has to be escaped: the usual test for a zero byte in a word, for
/// three kinds of bytes at once. <https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord>
#[inline]
fn word_has_special(bytes: &[u8; 8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let word = u64::from_ne_bytes(*bytes);
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let control = word.wrapping_sub(ONES * b' ' as u64) & !word;
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    (control | quote | backslash) & HIGH != 0
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            out.extend_from_slice(b"\\u00");
            return digits::hex(&[byte], out);
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}
