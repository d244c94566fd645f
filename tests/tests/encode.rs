//! Compares `sql::encode` with a real server: thousands of values of each type, alone, in records
//! and in arrays, have to be encoded byte for byte as the server's own `to_json` does. Malformed
//! bytes are covered by unit tests.

use sql::encode::shape::{Encoder, Field, Key, Node};
use sql::encode::{self, Columns, Error};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{Client, NoTls, Row};

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::test]
async fn values_are_encoded_byte_for_byte_like_to_json() -> Result<(), Failure> {
    let server = Server::start()?;
    let client = server.connect().await?;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for case in cases(&mut random) {
        compare(&client, &case).await?;
    }
    trees(&client).await
}

/// Values of one type, as texts from which the server makes them.
struct Case {
    /// SQL that makes the value from the text `t`.
    value: &'static str,
    encoder: Encoder,
    texts: Vec<String>,
}

/// Compares every value of the case, and null: alone, in a record, in a list of records, in an
/// array of two dimensions, and for numbers as strings.
async fn compare(client: &Client, case: &Case) -> Result<(), Failure> {
    let statement = format!(
        "WITH v AS (SELECT n, ({}) AS x FROM unnest($1::text[]) WITH ORDINALITY AS u(t, n)), \
              p AS (SELECT n, x, lead(x) OVER (ORDER BY n) AS y FROM v) \
         SELECT x, row(x), ARRAY[row(x), row(y)], ARRAY[[x, y], [y, x]], x, ARRAY[[x, y], [y, x]], \
                coalesce(to_json(x)::text, 'null'), coalesce(to_json(y)::text, 'null'), \
                to_json(ARRAY[[x, y], [y, x]])::text, coalesce(to_json(x::text)::text, 'null'), \
                to_json(ARRAY[[x::text, y::text], [y::text, x::text]])::text \
         FROM p ORDER BY n",
        case.value
    );
    let texts: Vec<Option<&str>> = case
        .texts
        .iter()
        .map(|text| Some(text.as_str()))
        .chain([None])
        .collect();
    let rows = client
        .query(&statement, &[&texts])
        .await
        .map_err(|error| format!("{}: {error:?}", case.value))?;
    assert_eq!(rows.len(), texts.len());

    let boxed = |encoder: &Encoder| Box::new(encoder.clone());
    let value = || Box::new(Node::Value(case.encoder.clone()));
    let quoted = Encoder::Quoted(boxed(&case.encoder));
    let nodes = [
        Node::Value(case.encoder.clone()),
        Node::Record(value()),
        Node::List(value()),
        Node::Value(Encoder::Array(boxed(&case.encoder))),
        Node::Value(quoted.clone()),
        Node::Value(Encoder::Array(Box::new(quoted))),
    ];
    let checked = if is_number(&case.encoder) { 6 } else { 4 };
    for (row, text) in rows.iter().zip(&texts) {
        let [x, y, array, string, strings] =
            [6, 7, 8, 9, 10].map(|column| row.get::<_, &str>(column));
        let pair = format!("[{x},{y}]");
        let expected = [x, x, &pair, array, string, strings];
        let mut columns = Cells::of(row);
        for (node, expected) in nodes.iter().zip(expected).take(checked) {
            assert_eq!(
                written(node, &mut columns)?,
                expected,
                "{} where t is {text:?}, {node:?}",
                case.value
            );
        }
    }
    Ok(())
}

fn is_number(encoder: &Encoder) -> bool {
    use Encoder::{Float4, Float8, Int2, Int4, Int8, Numeric};
    matches!(encoder, Int2 | Int4 | Int8 | Float4 | Float8 | Numeric)
}

/// Compares a row of nested relations, as statements return them, with the result of the server's
/// `row_to_json`.
async fn trees(client: &Client) -> Result<(), Failure> {
    client
        .batch_execute(
            "CREATE TABLE maker (id int, name text);
             CREATE TABLE thing (id int, maker int, price numeric(10,2), feeling mood, amount amount);
             CREATE TABLE part (thing int, n int, made timestamptz, tags text[]);
             INSERT INTO maker SELECT n, 'maker \"' || n FROM generate_series(1, 5) n;
             INSERT INTO thing SELECT n, nullif(n % 7, 6), n / 7.0, 'so \"so\"', n FROM generate_series(1, 60) n;
             INSERT INTO part SELECT n % 50, n, 'epoch'::timestamptz + n * interval '1.5 s', ARRAY['a' || n, NULL]
             FROM generate_series(1, 300) n",
        )
        .await?;
    let leaf = |name: &str, encoder| Field {
        key: Key::new(name),
        node: Node::Value(encoder),
    };
    let tags = leaf("tags", Encoder::Array(Box::new(Encoder::Text)));
    let part = Node::Object(vec![
        leaf("n", Encoder::Int4),
        leaf("made", Encoder::TimestampTz),
        tags,
    ]);
    let maker = vec![leaf("id", Encoder::Int4), leaf("name", Encoder::Text)];
    let typename = Node::Constant("\"thing\"".into());
    let thing = Node::Object(vec![
        leaf("id", Encoder::Int4),
        Field {
            key: Key::new("kind"),
            node: typename,
        },
        leaf("price", Encoder::Numeric),
        leaf("feeling", Encoder::Text),
        leaf("amount", Encoder::Numeric),
        Field {
            key: Key::new("ma\"ker"),
            node: Node::Optional(maker),
        },
        Field {
            key: Key::new("parts"),
            node: Node::List(Box::new(part.clone())),
        },
        Field {
            key: Key::new("first"),
            node: Node::One(Box::new(part)),
        },
        leaf("last", Encoder::Int8),
    ]);
    let statement = "
        WITH read AS (
            SELECT t.id, t.price, t.feeling, t.amount, m.present, m.id AS maker_id, m.name,
                   array(SELECT row(p.n, p.made, p.tags) FROM part p WHERE p.thing = t.id ORDER BY p.n) AS parts,
                   array(SELECT row(p.n, p.made, p.tags) FROM part p WHERE p.thing = t.id ORDER BY p.n LIMIT 1) AS first
            FROM thing t LEFT JOIN (SELECT true AS present, * FROM maker) m ON m.id = t.maker),
        judge AS (
            SELECT t.id, 'thing' AS kind, t.price, t.feeling, t.amount,
                   (SELECT row_to_json(m) FROM maker m WHERE m.id = t.maker) AS \"ma\"\"ker\",
                   array_to_json(array(SELECT row_to_json(p) FROM (SELECT n, made, tags FROM part WHERE thing = t.id
                                       ORDER BY n) p)) AS parts,
                   (SELECT row_to_json(p) FROM (SELECT n, made, tags FROM part WHERE thing = t.id
                                       ORDER BY n LIMIT 1) p) AS first,
                   9::bigint AS last
            FROM thing t)
        SELECT read.id, read.price, read.feeling::text, read.amount, present, maker_id, name, parts, first, 9::bigint,
               (SELECT row_to_json(judge)::text FROM judge WHERE judge.id = read.id),
               array(SELECT row(read.id, read.price, read.feeling::text, read.amount::numeric, present, maker_id, name, parts, first,
                                9::bigint))
        FROM read ORDER BY id";
    let nested = Node::List(Box::new(thing.clone()));
    for row in client.query(statement, &[]).await? {
        let mut columns = Cells::of(&row);
        let expected = row.get::<_, &str>(10);
        assert_eq!(written(&thing, &mut columns)?, expected);
        columns.next()?;
        assert_eq!(written(&nested, &mut columns)?, format!("[{expected}]"));
    }
    Ok(())
}

/// Bytes of a column as the server sent them.
struct Cell<'a>(Option<&'a [u8]>);

impl<'a> FromSql<'a> for Cell<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Failure> {
        Ok(Cell(Some(raw)))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Failure> {
        Ok(Cell(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// The columns of a row that have not been read yet.
struct Cells<'a> {
    row: &'a Row,
    next: usize,
}

impl<'a> Cells<'a> {
    fn of(row: &'a Row) -> Cells<'a> {
        Cells { row, next: 0 }
    }
}

impl<'a> Columns<'a> for Cells<'a> {
    fn next(&mut self) -> Result<Option<&'a [u8]>, Error> {
        let cell: Cell<'a> = self.row.try_get(self.next).map_err(|_| Error::FewColumns)?;
        self.next += 1;
        Ok(cell.0)
    }
}

fn written<'a>(node: &Node, columns: &mut impl Columns<'a>) -> Result<String, Failure> {
    let mut out = Vec::new();
    encode::row(node, columns, &mut out)?;
    Ok(String::from_utf8(out)?)
}

/// How many random values each type gets in addition to its edge cases.
const MANY: usize = 4000;

fn cases(random: &mut Random) -> Vec<Case> {
    let case = |value, encoder, texts| Case {
        value,
        encoder,
        texts,
    };
    let words = strings(random);
    let documents = documents(random);
    vec![
        case("t::boolean", Encoder::Bool, texts(["t", "f"])),
        case("t::smallint", Encoder::Int2, integers(random, 16)),
        case("t::integer", Encoder::Int4, integers(random, 32)),
        case("t::bigint", Encoder::Int8, integers(random, 64)),
        case("t::real", Encoder::Float4, singles(random)),
        case("t::double precision", Encoder::Float8, doubles(random)),
        case("t::numeric", Encoder::Numeric, numerics(random)),
        case(
            "(t::numeric % 100000000)::amount::numeric",
            Encoder::Numeric,
            integers(random, 64),
        ),
        case("t::text", Encoder::Text, words.clone()),
        case("t::varchar", Encoder::Text, words.clone()),
        case("t::char(12)", Encoder::Text, words.clone()),
        case("left(t, 10)::name", Encoder::Text, words.clone()),
        case(
            "t::mood::text",
            Encoder::Text,
            texts(["sad", "so \"so\"", "häppy"]),
        ),
        case(
            "t::uuid",
            Encoder::Uuid,
            random.many(|random| random.hex(16)),
        ),
        case(
            "('\\x' || t)::bytea",
            Encoder::Bytea,
            random.many(|random| random.hex_up_to(40)),
        ),
        case(
            "CASE WHEN t LIKE '%i%' THEN t::date ELSE date '2000-01-01' + t::integer END",
            Encoder::Date,
            dates(random, 2_145_031_948),
        ),
        case("t::time", Encoder::Time, times(random)),
        case(MOMENT, Encoder::Timestamp, moments(random)),
        case(MOMENT_UTC, Encoder::TimestampTz, moments(random)),
        case("t::json", Encoder::Json, documents.clone()),
        case("t::jsonb", Encoder::Jsonb, documents),
        case("to_json(t)::text::json", Encoder::Json, words),
    ]
}

/// `days time`, the days counted from 2000-01-01, or a word.
const MOMENT: &str = "CASE WHEN t LIKE '%i%' THEN t::timestamp \
                      ELSE (date '2000-01-01' + split_part(t, ' ', 1)::integer) + split_part(t, \
                      ' ', 2)::time END";
const MOMENT_UTC: &str = "CASE WHEN t LIKE '%i%' THEN t::timestamptz ELSE \
                          ((date '2000-01-01' + split_part(t, ' ', 1)::integer) + split_part(t, \
                          ' ', 2)::time) AT TIME ZONE 'UTC' END";

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).into()
}

fn integers(random: &mut Random, bits: u32) -> Vec<String> {
    let shift = 64 - bits;
    let mut texts =
        random.many(|random| (random.sized().cast_signed() << shift >> shift).to_string());
    let smallest = i64::MIN >> shift;
    let largest = i64::MAX >> shift;
    texts.extend(
        [
            0, 1, -1, 9, 10, 99, 100, 101, 9999, 10_000, smallest, largest,
        ]
        .map(|number| number.to_string()),
    );
    texts
}

/// Random bits (including numbers next to zero), powers of ten and two and their neighbours, few
/// digits, whole numbers, and decimals exactly halfway between two numbers.
fn doubles(random: &mut Random) -> Vec<String> {
    let mut numbers: Vec<f64> = (0..MANY).map(|_| f64::from_bits(random.next())).collect();
    numbers.extend((0..MANY).map(|_| f64::from_bits(random.sized())));
    numbers.extend((0..MANY).map(|_| random.sized() as f64 / 10_f64.powi(random.below(20) as i32)));
    numbers.extend((0..MANY).map(|_| (random.sized() >> 11) as f64));
    numbers.extend((0..2047).flat_map(|exponent| neighbours(f64::from_bits(exponent << 52))));
    numbers.extend(
        (-323..309)
            .filter_map(|power| format!("1e{power}").parse().ok())
            .flat_map(neighbours),
    );
    numbers.extend([
        5e-324,
        f64::MAX,
        2.225_073_858_507_201e-308,
        -0.0,
        0.3,
        1e15 - 0.125,
        123_456_789_012_345.67,
    ]);
    numbers.retain(|number| number.is_finite());
    let mut texts: Vec<String> = numbers.iter().map(|number| format!("{number:e}")).collect();
    texts.extend(random.many(|random| {
        let power = 1 + random.below(22) as u32;
        let digits = ((1 << 53) + (random.next() >> 11)) / 5_u64.pow(power);
        format!("{}e{power}", digits | 1)
    }));
    texts.extend(["NaN", "Infinity", "-Infinity", "0", "-0", "1e23", "-1e23"].map(str::to_owned));
    texts
}

fn neighbours(number: f64) -> [f64; 3] {
    [number.next_down(), number, -number.next_up()]
}

/// The kinds of numbers that `doubles` has, in single precision.
fn singles(random: &mut Random) -> Vec<String> {
    let mut numbers: Vec<f32> = (0..MANY)
        .map(|_| f32::from_bits(random.next() as u32))
        .collect();
    numbers.extend((0..MANY).map(|_| f32::from_bits((random.sized() >> 32) as u32)));
    numbers.extend((0..MANY).map(|_| random.sized() as f32 / 10_f32.powi(random.below(20) as i32)));
    numbers.extend((0..MANY).map(|_| (random.sized() >> 40) as f32));
    let near = |number: f32| [number.next_down(), number, -number.next_up()];
    numbers.extend((0..255).flat_map(|exponent| near(f32::from_bits(exponent << 23))));
    numbers.extend(
        (-45..39)
            .filter_map(|power| format!("1e{power}").parse().ok())
            .flat_map(near),
    );
    numbers.extend([
        1e-45,
        f32::MAX,
        f32::MIN_POSITIVE,
        -0.0,
        0.3,
        999_999.9,
        999_999.94,
    ]);
    numbers.retain(|number| number.is_finite());
    let mut texts: Vec<String> = numbers.iter().map(|number| format!("{number:e}")).collect();
    texts.extend(random.many(|random| {
        let power = 1 + random.below(9) as u32;
        let digits = ((1 << 24) + (random.next() >> 40)) / 5_u64.pow(power);
        format!("{}e{power}", digits | 1)
    }));
    texts.extend(["NaN", "Infinity", "-Infinity", "0", "-0"].map(str::to_owned));
    texts
}

fn numerics(random: &mut Random) -> Vec<String> {
    let mut texts = random.many(|random| {
        let sign = if random.below(2) == 0 { "-" } else { "" };
        let whole = random.below(40);
        let decimals = random.below(40);
        format!(
            "{sign}0{}.{}",
            random.digits(whole),
            random.digits(decimals)
        )
    });
    texts.extend((-60..60).map(|power| format!("1e{power}")));
    texts.extend((-60..60).map(|power| format!("-12345.67890e{power}")));
    texts.extend(
        [
            "NaN",
            "Infinity",
            "-Infinity",
            "0",
            "-0",
            "0.0000",
            "-0.000",
            "1e131071",
            "1e-16383",
            "9999.9999",
            "10000.0001",
            "1e1000",
            "0.00001",
        ]
        .map(str::to_owned),
    );
    texts.push(format!("{}.{}", random.digits(2000), random.digits(2000)));
    texts
}

fn strings(random: &mut Random) -> Vec<String> {
    let mut texts = random.many(|random| {
        let length = random.below(40);
        (0..length).map(|_| random.character()).collect()
    });
    texts.extend(
        (1..=0x2000_u32)
            .filter_map(char::from_u32)
            .map(|character| format!("seven..{character}seven..")),
    );
    texts.push(String::new());
    texts
}

/// JSON texts with white space of every kind, escapes, long numbers and duplicate keys.
fn documents(random: &mut Random) -> Vec<String> {
    let words = strings(random);
    let mut texts: Vec<String> = words
        .into_iter()
        .take(MANY)
        .map(|word| {
            let word = serde_json::Value::from(word).to_string();
            let number = random.digits(30);
            let space = [" ", "\n", "\t", ""][random.below(4)];
            format!(
                "{{{word}:{space}[1.50,{space}-1{number}e-3, {{}}, [ ],null], \"a\":true, \
                     \"a\" : {word},\"\\u00e9\":0}}"
            )
        })
        .collect();
    texts.extend(
        [
            "null",
            " 1 ",
            "\"\\ud83d\\ude00\"",
            "[]",
            "{}",
            "-0",
            "1.0",
            "false",
        ]
        .map(str::to_owned),
    );
    texts
}

/// Days from the first that Postgres supports.
fn dates(random: &mut Random, last: i32) -> Vec<String> {
    const FIRST: i32 = -2_451_545;
    let mut days: Vec<i32> = (0..MANY)
        .map(|_| FIRST + random.below((last - FIRST) as usize) as i32)
        .collect();
    days.extend((0..MANY).map(|_| FIRST + random.below(5_000_000) as i32));
    days.extend(-730_500..-729_700);
    days.extend(-800..800);
    days.extend(2_921_900..2_921_980);
    days.extend([FIRST, FIRST + 1, last - 1, last]);
    days.iter()
        .map(i32::to_string)
        .chain(["infinity".to_owned(), "-infinity".to_owned()])
        .collect()
}

fn times(random: &mut Random) -> Vec<String> {
    let mut texts = random.many(Random::time);
    texts.extend(
        [
            "00:00",
            "24:00",
            "23:59:59.999999",
            "12:00:00.1",
            "12:00:00.000001",
            "00:00:01",
        ]
        .map(str::to_owned),
    );
    texts
}

fn moments(random: &mut Random) -> Vec<String> {
    let mut texts = dates(random, 106_751_900);
    for text in &mut texts {
        if !text.contains('i') {
            *text = format!("{text} {}", random.time());
        }
    }
    texts
}

/// Pseudo-random numbers (xorshift); every run generates identical ones.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }

    /// A number of any magnitude.
    fn sized(&mut self) -> u64 {
        self.next() >> self.below(64)
    }

    fn many(&mut self, mut make: impl FnMut(&mut Random) -> String) -> Vec<String> {
        (0..MANY).map(|_| make(self)).collect()
    }

    /// Digits, often zeros and nines.
    fn digits(&mut self, length: usize) -> String {
        let zeros = self.below(length + 1);
        (0..length)
            .map(|index| {
                if index < zeros {
                    '0'
                } else {
                    b"0000999123456789"[self.below(16)].into()
                }
            })
            .collect()
    }

    fn hex(&mut self, bytes: usize) -> String {
        (0..bytes)
            .map(|_| format!("{:02x}", self.next() as u8))
            .collect()
    }

    fn hex_up_to(&mut self, bytes: usize) -> String {
        let bytes = self.below(bytes);
        self.hex(bytes)
    }

    fn time(&mut self) -> String {
        let seconds = self.below(86_400);
        let fraction = [
            0,
            500_000,
            self.below(1_000_000),
            self.below(1000) * 1000,
            self.below(100),
        ][self.below(5)];
        format!(
            "{:02}:{:02}:{:02}.{fraction:06}",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        )
    }

    /// Control characters, characters that have to be escaped, and characters of one to four bytes.
    fn character(&mut self) -> char {
        let code = match self.below(6) {
            0 => 1 + self.below(31),
            1 => usize::from(b"\"\\/\x7f"[self.below(4)]),
            2 | 3 => 32 + self.below(95),
            4 => 0x80 + self.below(0xd000),
            _ => 0x10000 + self.below(0x10_0000),
        };
        u32::try_from(code)
            .ok()
            .and_then(char::from_u32)
            .unwrap_or('x')
    }
}

/// A separate server with its own data directory, reached by a Unix socket in it.
struct Server {
    directory: tempfile::TempDir,
    programs: PathBuf,
}

impl Server {
    fn start() -> Result<Server, Failure> {
        let server = Server {
            directory: tempfile::tempdir()?,
            programs: programs()?,
        };
        if is_root() {
            run(Command::new("chown")
                .arg("postgres")
                .arg(server.directory.path()))?;
        }
        let path = server.directory.path().display().to_string();
        let options =
            format!("-c listen_addresses= -c unix_socket_directories={path} -c fsync=off");
        run(server.program("initdb").args([
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        ]))?;
        run(server
            .program("pg_ctl")
            .args(["start", "-w", "-s", "-l"])
            .arg(server.data().join("log"))
            .args(["-o", &options]))?;
        Ok(server)
    }

    async fn connect(&self) -> Result<Client, Failure> {
        let settings = format!(
            "host={} user=postgres dbname=postgres",
            self.directory.path().display()
        );
        let (client, connection) = tokio_postgres::connect(&settings, NoTls).await?;
        tokio::spawn(connection);
        client
            .batch_execute(
                "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET IntervalStyle = 'postgres'; SET bytea_output = 'hex';
                 CREATE TYPE mood AS ENUM ('sad', 'so \"so\"', 'häppy');
                 CREATE DOMAIN amount AS numeric(12, 3)",
            )
            .await?;
        Ok(client)
    }

    fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// A program of Postgres, run as a user that it accepts.
    fn program(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command
            .env("PGDATA", self.data())
            .current_dir(self.directory.path());
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = run(self
            .program("pg_ctl")
            .args(["stop", "-w", "-s", "-m", "immediate"]));
    }
}

/// Whether the tests run as root, which Postgres refuses.
fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// The folder of Postgres' programs: the newest version in Debian's directories, else the one found
/// through `PATH`.
fn programs() -> Result<PathBuf, Failure> {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .map(|versions| {
            versions
                .flatten()
                .map(|version| version.path().join("bin"))
                .collect()
        })
        .unwrap_or_default();
    found.retain(|path| path.join("initdb").exists());
    found.sort();
    let in_path = || {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).find(|path| path.join("initdb").exists())
    };
    found
        .pop()
        .or_else(in_path)
        .ok_or_else(|| "no initdb found".into())
}

fn run(command: &mut Command) -> Result<(), Failure> {
    // The server that pg_ctl starts inherits these; pipes would stay open with it.
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?}: {status}").into())
    }
}
