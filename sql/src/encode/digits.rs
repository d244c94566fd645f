//! Writes integers in decimal and bytes in hexadecimal, two digits at a time, straight into the output.

/// `00` to `99`.
pub(super) const PAIRS: [[u8; 2]; 100] = pairs::<100>(10);
/// `00` to `ff`.
pub(super) const HEX: [[u8; 2]; 256] = pairs::<256>(16);

/// The most decimal digits of a 64-bit integer.
pub(super) const LONGEST: usize = 20;

/// Writes an integer with its sign.
pub(super) fn signed(number: i64, out: &mut Vec<u8>) {
    if number < 0 {
        out.push(b'-');
    }
    unsigned(number.unsigned_abs(), out);
}

/// Writes an integer without leading zeros.
pub(super) fn unsigned(number: u64, out: &mut Vec<u8>) {
    let mut buffer = [0; LONGEST];
    out.extend_from_slice(decimal(number, &mut buffer));
}

/// Writes the number's digits to the end of the buffer and returns them.
pub(super) fn decimal(mut number: u64, buffer: &mut [u8; LONGEST]) -> &[u8] {
    let mut start = LONGEST;
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

/// Writes a number below 10,000 in four digits.
pub(super) fn four(number: u16, out: &mut Vec<u8>) {
    let ([a, b], [c, d]) = (PAIRS[usize::from(number / 100 % 100)], PAIRS[usize::from(number % 100)]);
    out.extend_from_slice(&[a, b, c, d]);
}

/// Writes bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() * 2);
    for byte in bytes {
        out.extend_from_slice(&HEX[usize::from(*byte)]);
    }
}

const fn pairs<const N: usize>(base: usize) -> [[u8; 2]; N] {
    let mut pairs = [[0; 2]; N];
    let mut index = 0;
    while index < N {
        let digits = b"0123456789abcdef";
        pairs[index] = [digits[index / base], digits[index % base]];
        index += 1;
    }
    pairs
}
