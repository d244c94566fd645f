//! Writes integers in decimal, two digits at a time, and bytes in hexadecimal, eight digits at a
//! time.

/// `00` to `99`.
pub(super) const PAIRS: [[u8; 2]; 100] = pairs();

/// The most decimal digits of a 64-bit integer.
pub(super) const MAX_DIGITS: usize = 20;

/// Writes an integer with its sign.
pub(super) fn signed(number: i64, out: &mut Vec<u8>) {
    if number < 0 {
        out.push(b'-');
    }
    unsigned(number.unsigned_abs(), out);
}

/// Writes an integer without leading zeros.
pub(super) fn unsigned(number: u64, out: &mut Vec<u8>) {
    let mut buffer = [0; MAX_DIGITS];
    out.extend_from_slice(decimal(number, &mut buffer));
}

/// Writes the number's digits to the end of the buffer and returns them.
pub(super) fn decimal(mut number: u64, buffer: &mut [u8; MAX_DIGITS]) -> &[u8] {
    let mut start = MAX_DIGITS;
    for pair in buffer.rchunks_exact_mut(2) {
        // The remainder is below 100, the length of the table.
        let [tens, ones] = PAIRS[(number % 100) as usize];
        pair.copy_from_slice(&[tens, ones]);
        start -= 2;
        number /= 100;
        if number == 0 {
            start += usize::from(tens == b'0');
            break;
        }
    }
    buffer.get(start..).unwrap_or_default()
}

/// The digits of a number below 10,000.
#[inline]
pub(super) fn four_digits(number: u16) -> [u8; 4] {
    let [a, b] = PAIRS[usize::from(number / 100 % 100)];
    let [c, d] = PAIRS[usize::from(number % 100)];
    [a, b, c, d]
}

/// Writes bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() * 2);
    let (words, rest) = bytes.as_chunks();
    for word in words {
        out.extend_from_slice(&hex_digits(*word));
    }
    for byte in rest {
        let [high, low, ..] = hex_digits([*byte, 0, 0, 0]);
        out.extend_from_slice(&[high, low]);
    }
}

/// The hexadecimal digits of four bytes, computed for all eight at once: a look-up of each costs
/// three times as much.
#[inline]
pub(super) fn hex_digits(bytes: [u8; 4]) -> [u8; 8] {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    // Spreads the half bytes over the bytes of the word.
    let word = u64::from(u32::from_be_bytes(bytes));
    let word = (word | word << 16) & 0x0000_ffff_0000_ffff;
    let word = (word | word << 8) & 0x00ff_00ff_00ff_00ff;
    let word = (word | word << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    // 1 for each letter: adding 6 carries into the upper half of its byte.
    let letters = (word + ONES * 6) >> 4 & ONES;
    (word + ONES * u64::from(b'0') + letters * u64::from(b'a' - b'0' - 10)).to_be_bytes()
}

const fn pairs() -> [[u8; 2]; 100] {
    let mut pairs = [[0; 2]; 100];
    let mut index = 0;
    while index < pairs.len() {
        let digits = b"0123456789";
        pairs[index] = [digits[index / 10], digits[index % 10]];
        index += 1;
    }
    pairs
}
