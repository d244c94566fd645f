//! Tests with hand-made bytes: the JSON of each encoder and node, and that malformed data is an
//! error and never a panic. `tests/tests/encode.rs` compares with a server.

use super::*;
use crate::encode::shape::Key;

/// A row of cells without type OIDs.
struct Cells<'a>(std::slice::Iter<'a, Option<Vec<u8>>>);

impl<'a> Columns<'a> for Cells<'a> {
    fn next(&mut self) -> Result<Option<&'a [u8]>, Error> {
        self.0.next().map(Option::as_deref).ok_or(Error::FewColumns)
    }
}

fn written(node: &Node, cells: &[Option<Vec<u8>>]) -> Result<String, Error> {
    let mut out = Vec::new();
    row(node, &mut Cells(cells.iter()), &mut out)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn encoded(encoder: Encoder, bytes: &[u8]) -> Result<String, Error> {
    written(&Node::Value(encoder), &[Some(bytes.to_vec())])
}

#[track_caller]
fn check(encoder: Encoder, bytes: &[u8], json: &str) {
    assert_eq!(encoded(encoder, bytes).as_deref(), Ok(json));
}

fn cell(value: i32) -> Option<Vec<u8>> {
    Some(value.to_be_bytes().to_vec())
}

fn sized(value: Option<&[u8]>) -> Vec<u8> {
    let length = value.map_or(-1, |bytes| bytes.len() as i32);
    [&length.to_be_bytes(), value.unwrap_or_default()].concat()
}

fn record_of(cells: &[Option<Vec<u8>>]) -> Vec<u8> {
    let cells: Vec<_> = cells.iter().map(|cell| (23, cell.clone())).collect();
    typed_record_of(&cells)
}

/// Builds a binary record of values, each with the OID of its type.
fn typed_record_of(cells: &[(u32, Option<Vec<u8>>)]) -> Vec<u8> {
    let mut bytes = (cells.len() as i32).to_be_bytes().to_vec();
    for (oid, cell) in cells {
        bytes.extend(oid.to_be_bytes());
        bytes.extend(sized(cell.as_deref()));
    }
    bytes
}

fn array_of(lengths: &[i32], elements: &[Option<Vec<u8>>]) -> Vec<u8> {
    let mut bytes = [lengths.len() as i32, 1, 2249]
        .map(i32::to_be_bytes)
        .concat();
    for length in lengths {
        bytes.extend([*length, 1].map(i32::to_be_bytes).concat());
    }
    for element in elements {
        bytes.extend(sized(element.as_deref()));
    }
    bytes
}

fn numeric_of(weight: i16, sign: u16, scale: u16, groups: &[u16]) -> Vec<u8> {
    let head = [groups.len() as u16, weight.cast_unsigned(), sign, scale];
    head.iter()
        .chain(groups)
        .flat_map(|part| part.to_be_bytes())
        .collect()
}

fn field(name: &str, node: Node) -> Field {
    Field {
        key: Key::new(name),
        node,
    }
}

fn int(name: &str) -> Field {
    field(name, Node::Value(Encoder::Int4))
}

#[test]
fn integers() {
    for number in [
        0,
        1,
        -1,
        9,
        10,
        99,
        100,
        101,
        12_345,
        -1_000_000,
        i64::MAX,
        i64::MIN,
    ] {
        check(Encoder::Int8, &number.to_be_bytes(), &number.to_string());
    }
    check(Encoder::Int2, &i16::MIN.to_be_bytes(), "-32768");
    check(Encoder::Int4, &i32::MIN.to_be_bytes(), "-2147483648");
    assert_eq!(
        encoded(Encoder::Int4, &[0, 1]),
        Err(Error::Size {
            expected: 4,
            found: 2
        })
    );
}

#[test]
fn doubles() {
    let cases = [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.5, "1.5"),
        (-0.1, "-0.1"),
        (100.0, "100"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (0.000012345, "1.2345e-05"),
        (999_999_999_999_999.0, "999999999999999"),
        (1e15, "1e+15"),
        (1_234_567_890_123_456.0, "1.234567890123456e+15"),
        (123_456_789_012_345.6, "123456789012345.6"),
        (1e20, "1e+20"),
        (1e-300, "1e-300"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        // The midpoint of two adjacent doubles.
        (1e23, "9.999999999999999e+22"),
        (f64::NAN, "\"NaN\""),
        (f64::INFINITY, "\"Infinity\""),
        (f64::NEG_INFINITY, "\"-Infinity\""),
    ];
    for (number, json) in cases {
        check(Encoder::Float8, &number.to_be_bytes(), json);
    }
}

#[test]
fn singles() {
    let cases = [
        (0.1_f32, "0.1"),
        (-0.0, "-0"),
        (999_999.0, "999999"),
        (1e6, "1e+06"),
        (123_456.7, "123456.7"),
        (16_777_216.0, "1.6777216e+07"),
        // The shorter 5.334916e+08 is a midpoint.
        (533_491_580.0, "5.3349158e+08"),
        // The shorter text is close to a midpoint, but is not one.
        (221_486_944.0, "2.2148694e+08"),
        (1e-45, "1e-45"),
        (f32::MAX, "3.4028235e+38"),
        (f32::NEG_INFINITY, "\"-Infinity\""),
    ];
    for (number, json) in cases {
        check(Encoder::Float4, &number.to_be_bytes(), json);
    }
}

#[test]
fn numerics() {
    let cases = [
        (numeric_of(0, 0, 0, &[]), "0"),
        (numeric_of(0, 0, 3, &[]), "0.000"),
        (numeric_of(0, 0, 16, &[5, 5500]), "5.5500000000000000"),
        (numeric_of(0, 0x4000, 1, &[12, 3000]), "-12.3"),
        (numeric_of(1, 0, 0, &[1, 2]), "10002"),
        (numeric_of(2, 0, 0, &[1]), "100000000"),
        (numeric_of(-1, 0, 2, &[700]), "0.07"),
        (numeric_of(-3, 0, 12, &[9]), "0.000000000009"),
        (numeric_of(0, 0xC000, 0, &[]), "\"NaN\""),
        (numeric_of(0, 0xD000, 0, &[]), "\"Infinity\""),
        (numeric_of(0, 0xF000, 0, &[]), "\"-Infinity\""),
    ];
    for (bytes, json) in cases {
        check(Encoder::Numeric, &bytes, json);
    }
    assert_eq!(
        encoded(Encoder::Numeric, &numeric_of(0, 0, 0, &[10_000])),
        Err(Error::NumericGroup(10_000))
    );
    assert_eq!(
        encoded(Encoder::Numeric, &numeric_of(0, 1, 0, &[])),
        Err(Error::NumericSign(1))
    );
}

#[test]
fn strings_are_escaped_at_every_position() {
    check(
        Encoder::Text,
        "\u{8}\u{c}\n\r\t\"\\\u{1}\u{1f}\u{7f}/é😀".as_bytes(),
        "\"\\b\\f\\n\\r\\t\\\"\\\\\\u0001\\u001f\u{7f}/é😀\"",
    );
    for byte in 0..=127_u8 {
        for (length, index) in
            (1..=20).flat_map(|length| (0..length).map(move |position| (length, position)))
        {
            let mut text = vec![b'x'; length];
            text[index] = byte;
            let text = String::from_utf8_lossy(&text).into_owned();
            // serde_json escapes these bytes identically.
            check(
                Encoder::Text,
                text.as_bytes(),
                &serde_json::Value::from(text.as_str()).to_string(),
            );
        }
    }
}

#[test]
fn other_scalars() {
    check(Encoder::Bool, &[1], "true");
    check(Encoder::Bool, &[0], "false");
    assert_eq!(encoded(Encoder::Bool, &[7]), Err(Error::Bool(7)));
    check(
        Encoder::Uuid,
        &std::array::from_fn::<u8, 16, _>(|i| i as u8 * 17),
        "\"00112233-4455-6677-8899-aabbccddeeff\"",
    );
    check(Encoder::Bytea, &[0, 0xde, 0xff], "\"\\\\x00deff\"");
    check(Encoder::Json, b"{\"a\": 1}", "{\"a\": 1}");
    check(Encoder::Jsonb, b"\x01{\"a\": 1}", "{\"a\": 1}");
    assert_eq!(
        encoded(Encoder::Jsonb, b"\x02{}"),
        Err(Error::JsonbVersion(2))
    );
    assert_eq!(encoded(Encoder::Jsonb, b""), Err(Error::Truncated));
}

#[test]
fn each_day_follows_the_one_before() {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    // Year 0 is 1 BC.
    let mut year = -400;
    let mut month = 1;
    let mut day = 1;
    for days in -876_582..292_194 {
        let (shown, era) = if year > 0 {
            (year, "")
        } else {
            (1 - year, " BC")
        };
        check(
            Encoder::Date,
            &i32::to_be_bytes(days),
            &format!("\"{shown:04}-{month:02}-{day:02}{era}\""),
        );
        let length = match month {
            2 => 28 + i64::from(is_leap(year)),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        day = if day == length { 1 } else { day + 1 };
        month = if day > 1 { month } else { month % 12 + 1 };
        year += i64::from((month, day) == (1, 1));
    }
    assert_eq!((year, month, day), (2800, 1, 1));
}

#[test]
fn empty_object_after_other_text() {
    let mut out = b"1,".to_vec();
    fields(&[], &mut Cells([].iter()), &mut out).unwrap();
    assert_eq!(out, b"1,{}");
}

#[test]
fn dates_and_times() {
    let dates = [
        (0, "2000-01-01"),
        (-1, "1999-12-31"),
        (59, "2000-02-29"),
        (8825, "2024-02-29"),
        (2_921_940, "10000-01-01"),
        (-730_119, "0001-01-01"),
        (-730_120, "0001-12-31 BC"),
        (-2_451_545, "4714-11-24 BC"),
        (i32::MAX, "infinity"),
        (i32::MIN, "-infinity"),
    ];
    for (days, json) in dates {
        check(Encoder::Date, &days.to_be_bytes(), &format!("\"{json}\""));
    }
    check(
        Encoder::Time,
        &86_400_000_000_i64.to_be_bytes(),
        "\"24:00:00\"",
    );
    check(
        Encoder::Time,
        &86_399_999_999_i64.to_be_bytes(),
        "\"23:59:59.999999\"",
    );
    assert_eq!(
        encoded(Encoder::Time, &(-1_i64).to_be_bytes()),
        Err(Error::TimeOfDay(-1))
    );
    check(
        Encoder::Timestamp,
        &(-1_i64).to_be_bytes(),
        "\"1999-12-31T23:59:59.999999\"",
    );
    for (fraction, digits) in [
        (1, ".000001"),
        (10, ".00001"),
        (120_000, ".12"),
        (250_000, ".25"),
        (999_999, ".999999"),
    ] {
        let json = format!("\"2000-01-01T00:00:00{digits}\"");
        check(Encoder::Timestamp, &i64::to_be_bytes(fraction), &json);
    }
    let late = 2_921_940_i64 * 86_400_000_000 + 1_500_000;
    check(
        Encoder::TimestampTz,
        &late.to_be_bytes(),
        "\"10000-01-01T00:00:01.5+00:00\"",
    );
    check(
        Encoder::TimestampTz,
        &0_i64.to_be_bytes(),
        "\"2000-01-01T00:00:00+00:00\"",
    );
    let before = -730_120_i64 * 86_400_000_000;
    check(
        Encoder::TimestampTz,
        &before.to_be_bytes(),
        "\"0001-12-31T00:00:00+00:00 BC\"",
    );
    check(
        Encoder::TimestampTz,
        &i64::MAX.to_be_bytes(),
        "\"infinity\"",
    );
    check(Encoder::Timestamp, &i64::MIN.to_be_bytes(), "\"-infinity\"");
}

#[test]
fn arrays() {
    let ints = || Encoder::Array(Box::new(Encoder::Int4));
    check(ints(), &array_of(&[], &[]), "[]");
    check(
        ints(),
        &array_of(&[3], &[cell(1), None, cell(-3)]),
        "[1,null,-3]",
    );
    check(
        ints(),
        &array_of(&[2, 2], &[cell(1), cell(2), None, cell(4)]),
        "[[1,2],[null,4]]",
    );
    assert_eq!(
        encoded(ints(), &array_of(&[2], &[cell(1)])),
        Err(Error::Truncated)
    );
    assert_eq!(
        encoded(ints(), &array_of(&[1], &[cell(1), cell(2)])),
        Err(Error::Surplus)
    );
    assert_eq!(
        encoded(ints(), &array_of(&[-1], &[])),
        Err(Error::Length(-1))
    );
    assert_eq!(
        encoded(ints(), &array_of(&[1; 7], &[cell(1)])),
        Err(Error::Dimensions(7))
    );
    // Announced elements that are missing must not cost memory.
    assert_eq!(
        encoded(ints(), &array_of(&[i32::MAX; 6], &[])),
        Err(Error::Truncated)
    );
}

#[test]
fn quoted_numbers() {
    let quoted = |encoder| Encoder::Quoted(Box::new(encoder));
    check(quoted(Encoder::Int8), &7_i64.to_be_bytes(), "\"7\"");
    check(quoted(Encoder::Float8), &1.5_f64.to_be_bytes(), "\"1.5\"");
    check(quoted(Encoder::Float8), &f64::NAN.to_be_bytes(), "\"NaN\"");
    check(
        quoted(Encoder::Numeric),
        &numeric_of(0, 0xC000, 0, &[]),
        "\"NaN\"",
    );
    check(quoted(Encoder::Text), b"a", "\"a\"");
    let elements = array_of(&[2], &[cell(1), None]);
    check(
        quoted(Encoder::Array(Box::new(Encoder::Int4))),
        &elements,
        "[\"1\",null]",
    );
    check(
        Encoder::Array(Box::new(quoted(Encoder::Int4))),
        &elements,
        "[\"1\",null]",
    );
}

#[test]
fn optional_objects_are_null_when_absent() {
    let parent = field(
        "parent",
        Node::Optional(vec![
            int("id"),
            field("t", Node::Constant("\"p\"".into())),
            int("x"),
        ]),
    );
    let node = Node::Object(vec![int("a"), parent, int("z")]);
    let present = |present: Option<u8>| present.map(|byte| vec![byte]);
    let cells = |flag| [cell(1), present(flag), cell(2), None, cell(9)];
    let whole = r#"{"a":1,"parent":{"id":2,"t":"p","x":null},"z":9}"#;
    assert_eq!(written(&node, &cells(Some(1))).as_deref(), Ok(whole));
    assert_eq!(
        written(&node, &cells(Some(0))).as_deref(),
        Ok(r#"{"a":1,"parent":null,"z":9}"#)
    );
    assert_eq!(
        written(&node, &cells(None)).as_deref(),
        Ok(r#"{"a":1,"parent":null,"z":9}"#)
    );
    assert_eq!(written(&node, &cells(Some(1))[..4]), Err(Error::FewColumns));
    assert_eq!(written(&Node::Object(Vec::new()), &[]).as_deref(), Ok("{}"));
}

#[test]
fn lists_of_records() {
    let inner = Node::Object(vec![int("c")]);
    let node = Node::Object(vec![int("a"), field("items", Node::List(Box::new(inner)))]);
    let list = Node::List(Box::new(node.clone()));
    let items = array_of(
        &[2],
        &[Some(record_of(&[cell(5)])), Some(record_of(&[None]))],
    );
    let records = array_of(
        &[3],
        &[
            Some(record_of(&[cell(1), Some(items)])),
            Some(record_of(&[None, None])),
            None,
        ],
    );
    let json = r#"[{"a":1,"items":[{"c":5},{"c":null}]},{"a":null,"items":[]},null]"#;
    assert_eq!(
        written(&list, &[Some(records.clone())]).as_deref(),
        Ok(json)
    );
    assert_eq!(
        written(&list, &[Some(array_of(&[], &[]))]).as_deref(),
        Ok("[]")
    );
    assert_eq!(written(&list, &[None]).as_deref(), Ok("[]"));

    let one = Node::One(Box::new(node));
    let json = r#"{"a":1,"items":[{"c":5},{"c":null}]}"#;
    assert_eq!(written(&one, &[Some(records)]).as_deref(), Ok(json));
    assert_eq!(
        written(&one, &[Some(array_of(&[], &[]))]).as_deref(),
        Ok("null")
    );
    assert_eq!(written(&one, &[None]).as_deref(), Ok("null"));
}

#[test]
fn record_with_other_columns_than_its_shape_is_an_error() {
    let node = Node::Record(Box::new(Node::Object(vec![int("a")])));
    assert_eq!(
        written(&node, &[Some(record_of(&[cell(1)]))]).as_deref(),
        Ok(r#"{"a":1}"#)
    );
    assert_eq!(written(&node, &[None]).as_deref(), Ok("null"));
    assert_eq!(
        written(&node, &[Some(record_of(&[]))]),
        Err(Error::FewColumns)
    );
    assert_eq!(
        written(&node, &[Some(record_of(&[cell(1), cell(2)]))]),
        Err(Error::ManyColumns)
    );
    let longer = [record_of(&[cell(1)]), vec![0]].concat();
    assert_eq!(written(&node, &[Some(longer)]), Err(Error::Surplus));
    let list = Node::List(Box::new(Node::Value(Encoder::Int4)));
    let square = array_of(&[1, 1], &[Some(record_of(&[cell(1)]))]);
    assert_eq!(written(&list, &[Some(square)]), Err(Error::Dimensions(2)));
}

/// Small pseudo-random numbers (xorshift), identical in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }

    /// Random bytes, most of them small or extreme, so that lengths in them are often valid.
    fn noise(&mut self, most: usize) -> Vec<u8> {
        let length = self.below(most);
        (0..length)
            .map(|_| [0, 0, 0, 1, 2, 4, 127, 255, self.below(256) as u8][self.below(9)])
            .collect()
    }
}

fn every_node() -> Vec<Node> {
    use Encoder::*;
    let scalars = [
        Bool,
        Int2,
        Int4,
        Int8,
        Float4,
        Float8,
        Numeric,
        Text,
        Uuid,
        Date,
        Time,
        Timestamp,
        TimestampTz,
        Json,
        Jsonb,
        Bytea,
    ];
    let mut nodes = Vec::new();
    for scalar in scalars {
        for encoder in [
            scalar.clone(),
            Quoted(Box::new(scalar.clone())),
            Array(Box::new(scalar)),
        ] {
            let record = || {
                Box::new(Node::Object(vec![
                    field("v", Node::Value(encoder.clone())),
                    int("i"),
                ]))
            };
            nodes.extend([
                Node::List(record()),
                Node::One(record()),
                Node::Record(record()),
                Node::Value(encoder),
            ]);
        }
    }
    nodes
}

#[test]
fn noise_never_panics() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for node in every_node() {
        for _ in 0..2_000 {
            let _ = written(&node, &[Some(random.noise(60))]);
        }
    }
}

#[test]
fn damaged_values_never_panic() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let inner = Node::Object(vec![
        field("n", Node::Value(Encoder::Numeric)),
        field("a", Node::Value(Encoder::Array(Box::new(Encoder::Int4)))),
    ]);
    let node = Node::List(Box::new(Node::Object(vec![
        int("i"),
        field("o", Node::Record(Box::new(inner))),
    ])));
    let numbers = array_of(&[2, 1], &[cell(5), None]);
    let inner = typed_record_of(&[
        (1700, Some(numeric_of(1, 0, 4, &[1, 2, 3]))),
        (1007, Some(numbers)),
    ]);
    let outer = record_of(&[cell(1), Some(inner)]);
    let sound = array_of(&[2], &[Some(outer.clone()), Some(outer)]);
    let object = r#"{"i":1,"o":{"n":10002.0003,"a":[[5],[null]]}}"#;
    assert_eq!(
        written(&node, &[Some(sound.clone())]),
        Ok(format!("[{object},{object}]"))
    );
    for length in 0..sound.len() {
        assert!(
            written(&node, &[Some(sound[..length].to_vec())]).is_err(),
            "cut at {length}"
        );
    }
    for _ in 0..50_000 {
        let mut damaged = sound.clone();
        for _ in 0..=random.below(3) {
            let index = random.below(damaged.len());
            damaged[index] = [0, 1, 255, 128, random.below(256) as u8][random.below(5)];
        }
        let _ = written(&node, &[Some(damaged)]);
    }
}
