//! Formats numbers as in Hasura's messages.

/// A number with a decimal point, and with an exponent if it is long: `2.147483648e9`, `0.5`,
/// `100000.0`. Exponents beyond those of any number in Postgres are returned unchanged.
pub(super) fn shown(number: &str) -> String {
    let (sign, plain) = number
        .strip_prefix('-')
        .map_or(("", number), |plain| ("-", plain));
    let (decimal, exponent) = plain.split_once(['e', 'E']).unwrap_or((plain, "0"));
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let Some(exponent) = exponent
        .parse::<i32>()
        .ok()
        .filter(|exponent| exponent.abs() < 1 << 20)
    else {
        return number.to_owned();
    };
    let digits = format!("{whole}{fraction}");
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let digits = digits.trim_matches('0');
    // The position of the decimal point, counted from the first digit.
    let point = i32::try_from(whole.len()).unwrap_or_default()
        - i32::try_from(leading).unwrap_or_default()
        + exponent;
    let (first, rest) = digits.split_at_checked(1).unwrap_or(("0", ""));
    let zero = if rest.is_empty() { "0" } else { "" };
    match usize::try_from(point) {
        _ if digits.is_empty() => "0.0".into(),
        Ok(0) => format!("{sign}0.{digits}"),
        Ok(point @ 1..=7) => {
            let padded = format!("{digits:0<point$}");
            let (whole, fraction) = padded.split_at_checked(point).unwrap_or((&padded, ""));
            format!(
                "{sign}{whole}.{}",
                if fraction.is_empty() { "0" } else { fraction }
            )
        }
        _ => format!("{sign}{first}.{rest}{zero}e{}", point - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_point_and_long_numbers_an_exponent() {
        let cases = [
            ("2147483648", "2.147483648e9"),
            ("-2147483649", "-2.147483649e9"),
            ("10000000", "1.0e7"),
            ("1234567", "1234567.0"),
            ("100000", "100000.0"),
            ("1.50", "1.5"),
            ("1e3", "1000.0"),
            ("12.5E-1", "1.25"),
            ("0.25", "0.25"),
            ("0.025", "2.5e-2"),
            ("0", "0.0"),
            ("1e99999999999", "1e99999999999"),
        ];
        for (number, expected) in cases {
            assert_eq!(shown(number), expected, "{number}");
        }
    }
}
