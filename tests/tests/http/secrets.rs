//! Tests that secrets and callers' confidential values appear nowhere: the `postern` binary handles
//! successful and failing requests, and everything that it wrote and sent is searched for them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::TestDatabase;
use tests::binary;
use tests::reply::Reply;

use super::elsewhere::{Answer, Elsewhere};
use super::service::{PERMISSIONS, SCHEMA};
use super::token;

const ADMIN: &str = "s3cret-of-the-admin-4711";
const KEY: &str = "s3cret-key-of-tokens-with-enough-bytes-4712";
const METRICS: &str = "s3cret-of-prometheus-4713";
/// The password of a Redis server that does not exist.
const REDIS: &str = "s3cret-of-redis-4718";
/// What a caller guesses, writes and sends.
const GUESS: &str = "s3cret-guess-4714";
const VALUE: &str = "s3cret-value-4715";
const PASSWORD: &str = "s3cret-password-4716";
const SESSION: &str = "s3cret-session-4717";

/// The key that signs new tokens, and the key that verifies them.
const SIGNING_KEY: &str = include_str!("../../../gateway/tests/keys/ec256.private.pem");
const PUBLIC_KEY: &str = include_str!("../../../gateway/tests/keys/ec256.public.pem");

/// Users of the token exchange.
const USERS: &str = "\
    CREATE TABLE users (id text PRIMARY KEY, email text, default_role text, allowed_roles text[], claims jsonb);
    INSERT INTO users VALUES ('1', 'ada@example.org', 'author', '{author,reader}', '{}');";

/// Longer than any step of these tests takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Every recorded output and response, each with a description of its source.
#[derive(Default)]
struct Recorded(Vec<(String, String)>);

impl Recorded {
    fn take(&mut self, what: &str, text: String) {
        self.0.push((what.to_owned(), text));
    }

    fn reply(&mut self, what: &str, reply: &Reply) {
        self.take(
            what,
            format!("{} {:?}\n{}", reply.status, reply.headers, reply.text),
        );
    }

    /// Fails if one of the secrets occurs, in plain text or in an encoding that reveals it.
    #[track_caller]
    fn assert_contains_none(&self, secrets: &[&str]) {
        for secret in secrets {
            assert!(secret.len() >= 8, "`{secret}` is found anywhere");
            // Base64 of a part does not depend on the preceding bytes if the part begins and ends
            // at a multiple of three bytes.
            let encoded = (0..3).flat_map(|from| {
                let middle = &secret.as_bytes()[from..from + (secret.len() - from) / 3 * 3];
                [
                    STANDARD_NO_PAD.encode(middle),
                    URL_SAFE_NO_PAD.encode(middle),
                ]
            });
            let bytes = format!("{:?}", secret.as_bytes());
            let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
            for form in encoded.chain([
                (*secret).to_owned(),
                bytes.trim_matches(['[', ']']).to_owned(),
                hex,
            ]) {
                for (what, text) in &self.0 {
                    assert!(
                        !text.contains(&form),
                        "{what} holds `{secret}` as `{form}`:\n{}",
                        around(text, &form)
                    );
                }
            }
        }
    }
}

/// The line that contains it.
fn around<'t>(text: &'t str, form: &str) -> &'t str {
    text.lines()
        .find(|line| line.contains(form))
        .unwrap_or_default()
}

/// A folder with settings, and a database.
struct Place {
    folder: TempDir,
    database: TestDatabase,
    client: reqwest::Client,
}

/// A running gateway whose output goes to files.
struct Gateway {
    child: Child,
    log: PathBuf,
    url: String,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Gateway {
    fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Waits until the log contains the text that many times.
    fn wait_for_log(&self, text: &str, times: usize) {
        let end = Instant::now() + PATIENCE;
        while self.log().matches(text).count() < times {
            assert!(
                Instant::now() < end,
                "the log does not say `{text}`:\n{}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .arg(format!("-{name}"))
            .arg(self.child.id().to_string())
            .status();
        assert!(status.unwrap().success());
    }
}

impl Place {
    async fn new() -> Place {
        let database = tests::create("secrets", &[SCHEMA, USERS]).await.unwrap();
        let location = Place {
            folder: tempfile::tempdir().unwrap(),
            database,
            client: reqwest::Client::new(),
        };
        location.write("permissions.toml", PERMISSIONS);
        location.write("gateway.toml", &location.settings(""));
        let migrated =
            binary::run(&["migrate", "--config", text(&location.path("gateway.toml"))]).unwrap();
        assert_eq!(migrated.code, Some(0), "{migrated:?}");
        location
    }

    /// Settings with every secret there is.
    fn settings(&self, more: &str) -> String {
        format!(
            "database_url = \"{}\"\npermissions = \"permissions.toml\"\nlisten = \
             \"127.0.0.1:0\"\nlog_level = \"debug\"\n\
             admin_secret = \"{ADMIN}\"\nmetrics_secret = \"{METRICS}\"\nserver_timing = true\n\
             redis_url = \"redis://:{REDIS}@127.0.0.1:1\"\n\
             signing_key = \"\"\"\n{SIGNING_KEY}\"\"\"\n{more}\n\
             [[jwt_secret]]\ntype = \"ES256\"\nkey = \"\"\"\n{PUBLIC_KEY}\"\"\"\n\
             [[jwt_secret]]\ntype = \"HS256\"\nkey = \"{KEY}\"\n\
             [token_exchange]\nusers = \"SELECT id, email, default_role, allowed_roles, claims \
             FROM users WHERE id = $1\"\n",
            self.database.url()
        )
    }

    /// The password of the database.
    fn password(&self) -> &str {
        let (before, _) = self.database.url().split_once('@').unwrap();
        before.rsplit_once(':').unwrap().1
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn serve(&self, arguments: &[&str]) -> Gateway {
        let log = self.path("log");
        let file = File::create(&log).unwrap();
        let mut command = binary::command(&["serve", "--config", text(&self.path("gateway.toml"))]);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file);
        let mut gateway = Gateway {
            child: command.spawn().unwrap(),
            log,
            url: String::new(),
        };
        gateway.wait_for_log("ready", 1);
        let log = gateway.log();
        let ready = log
            .lines()
            .find(|line| line.contains("ready") && line.contains("address"))
            .unwrap();
        let (_, address) = ready.split_once("127.0.0.1:").unwrap();
        let port: String = address.chars().take_while(char::is_ascii_digit).collect();
        gateway.url = format!("http://127.0.0.1:{port}");
        gateway
    }

    /// Everything that the gateway stores in the database.
    async fn stored(&self) -> String {
        let client = self.database.connect().await.unwrap();
        let dump = "SELECT string_agg(query_to_xml('SELECT * FROM postern.' || tablename, true, \
                    false, '')::text, '') \
                    FROM pg_tables WHERE schemaname = 'postern'";
        client.query_one(dump, &[]).await.unwrap().get(0)
    }

    async fn ask(&self, gateway: &Gateway, headers: &[(&str, &str)], body: &Value) -> Reply {
        let request = self
            .client
            .post(format!("{}/v1/graphql", gateway.url))
            .json(body);
        let request = headers.iter().fold(request, |request, (name, value)| {
            request.header(*name, *value)
        });
        Reply::of(request).await.unwrap()
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn signed(key: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut claims = token::claims();
    claims["gateway"]["x-gateway-note"] = SESSION.into();
    change(&mut claims);
    token::by(
        Algorithm::HS256,
        &EncodingKey::from_secret(key.as_bytes()),
        &claims,
    )
}

/// The signature of a token, without which it is not valid.
fn signature(token: &str) -> &str {
    token.rsplit_once('.').unwrap().1
}

/// A part of the private key itself: the part before it encodes the kind of key, and the part after
/// it is public.
fn signing_key() -> &'static str {
    &SIGNING_KEY.lines().nth(2).unwrap()[..24]
}

/// Requests that succeed and that fail in every layer, with confidential values.
fn bodies() -> Vec<Value> {
    let body = |query: &str, variables: Value| json!({"query": query, "variables": variables});
    vec![
        body(
            "query ($t: String) { articles(where: {title: {_eq: $t}}) { id } }",
            json!({"t": VALUE}),
        ),
        body(
            "query ($t: uuid) { articles(where: {key: {_eq: $t}}) { id } }",
            json!({"t": VALUE}),
        ),
        body(
            "query ($t: Int) { articles(where: {id: {_eq: $t}}) { id } }",
            json!({"t": VALUE}),
        ),
        body(
            "query ($t: String) { articles(where: {title: {_eq: $t}}) { nothing } }",
            json!({"t": VALUE}),
        ),
        body(
            "query ($t: String) { articles(where: {title: {_similar: $t}}) { id } }",
            json!({"t": format!("({VALUE}")}),
        ),
        body(
            "query ($t: String) { articles(where: {title: {_regex: $t}}) { id } }",
            json!({"t": format!("({VALUE}")}),
        ),
        body("{ ratios { ratio } }", json!({})),
        body("{ slow { slept } }", json!({})),
        body("{ authors { id } }", json!({"unused": VALUE})),
        body(
            "mutation ($t: String!) { insert_articles(objects: [{id: 1, author_id: 1, title: \
             $t}]) { affected_rows } }",
            json!({"t": VALUE}),
        ),
        body(
            "mutation ($t: String!) { insert_articles(objects: [{id: 9, author_id: 99, title: \
             $t}]) { affected_rows } }",
            json!({"t": VALUE}),
        ),
        body("{ __schema { types { name } } }", json!({})),
        body(
            &format!("{{ articles(where: {{title: {{_eq: \"{VALUE}\"}}}}) {{ id }} "),
            json!({}),
        ),
    ]
}

/// Sends a gateway every kind of request that callers make.
async fn exercise(location: &Place, gateway: &Gateway, recorded: &mut Recorded) {
    let good = format!("Bearer {}", signed(KEY, |_| {}));
    let forged = format!("Bearer {}", signed(GUESS, |_| {}));
    let expired = format!("Bearer {}", signed(KEY, |claims| claims["exp"] = 1.into()));
    let odd = format!(
        "Bearer {}",
        signed(KEY, |claims| claims["gateway"]["x-gateway-allowed-roles"] =
            VALUE.into())
    );
    let cut = good[..good.len() - 4].to_owned();
    let malformed = format!("Digest {GUESS}");
    let reader = ("X-Gateway-Role", "reader");
    let callers: Vec<Vec<(&str, &str)>> = vec![
        vec![
            ("X-Gateway-Admin-Secret", ADMIN),
            reader,
            ("X-Gateway-Note", SESSION),
        ],
        vec![("X-Gateway-Admin-Secret", GUESS), reader],
        vec![
            ("X-Gateway-Admin-Secret", ADMIN),
            ("X-Gateway-Admin-Secret", GUESS),
        ],
        vec![("Authorization", &good), reader],
        vec![("Authorization", &good), ("X-Gateway-Role", "supervisor")],
        vec![("Authorization", &good), ("Cookie", GUESS)],
        vec![("Authorization", &forged)],
        vec![("Authorization", &expired)],
        vec![("Authorization", &odd)],
        vec![("Authorization", &cut)],
        vec![("Authorization", &malformed)],
        vec![("Authorization", GUESS)],
        vec![],
    ];
    for caller in &callers {
        for body in bodies() {
            recorded.reply("an answer", &location.ask(gateway, caller, &body).await);
        }
    }
    for (path, header) in [
        (
            format!("/v1/graphql?query={{authors{{id}}}}&token={GUESS}"),
            GUESS,
        ),
        ("/metrics".to_owned(), GUESS),
        ("/metrics".to_owned(), METRICS),
        ("/readyz".to_owned(), ADMIN),
        ("/v1/version".to_owned(), ADMIN),
        ("/nowhere".to_owned(), ADMIN),
    ] {
        let request = location
            .client
            .get(format!("{}{path}", gateway.url))
            .bearer_auth(header);
        recorded.reply(
            &path,
            &Reply::of(request.header("X-Request-Id", "1"))
                .await
                .unwrap(),
        );
    }
    let broken = location
        .client
        .post(format!("{}/v1/graphql", gateway.url))
        .header("X-Gateway-Admin-Secret", ADMIN);
    let broken = broken
        .header("Content-Type", "application/json")
        .body(format!("{{\"query\": {VALUE}"));
    recorded.reply("an answer", &Reply::of(broken).await.unwrap());
}

/// Signs in and out, with valid and invalid tokens. Returns the issued secrets, which only the
/// caller may see.
async fn exchange(location: &Place, gateway: &Gateway, recorded: &mut Recorded) -> Vec<String> {
    let config = location.path("gateway.toml");
    let run = |arguments: &[&str]| {
        let finished = binary::run(&[arguments, &["--config", text(&config)]].concat()).unwrap();
        assert_eq!(finished.code, Some(0), "{arguments:?}: {finished:?}");
        finished
    };
    let personal = run(&["pat", "create", "--user", "1", "--name", "laptop"])
        .out
        .trim()
        .to_owned();
    let post = async |path: &str, body: Value| {
        let request = location
            .client
            .post(format!("{}{path}", gateway.url))
            .json(&body);
        Reply::of(request.header("X-Forwarded-For", "10.0.0.1"))
            .await
            .unwrap()
    };
    let signed_in = post("/v1/signin/pat", json!({"personalAccessToken": personal})).await;
    assert_eq!(signed_in.status, 200, "{}", signed_in.text);
    let text_of = |value: &Value| value.as_str().unwrap().to_owned();
    let session = signed_in.json()["session"].clone();
    let access = text_of(&session["accessToken"]);
    let refresh = text_of(&session["refreshToken"]);
    let refreshed = post("/v1/token", json!({"refreshToken": refresh})).await;
    assert_eq!(refreshed.status, 200, "{}", refreshed.text);
    let second = text_of(&refreshed.json()["refreshToken"]);
    for (path, body) in [
        ("/v1/token", json!({"refreshToken": refresh})),
        ("/v1/token", json!({"refreshToken": GUESS})),
        ("/v1/signin/pat", json!({"personalAccessToken": GUESS})),
        ("/v1/signin/pat", json!({"personalAccessToken": [GUESS]})),
        ("/v1/signin/pat", json!({"refreshToken": personal})),
        ("/v1/token/verify", json!({"token": GUESS})),
        ("/v1/token/verify", json!({"token": access})),
        ("/v1/signout", json!({"refreshToken": second})),
        ("/v1/signout", json!({"refreshToken": GUESS})),
    ] {
        recorded.reply(path, &post(path, body).await);
    }
    for path in ["/v1/user", "/v1/.well-known/jwks.json"] {
        let request = location
            .client
            .get(format!("{}{path}", gateway.url))
            .bearer_auth(&access);
        recorded.reply(path, &Reply::of(request).await.unwrap());
    }
    let listed = run(&["pat", "list"]);
    recorded.take(
        "the list of tokens",
        format!("{}{}", listed.out, listed.err),
    );
    recorded.take("what is stored", location.stored().await);
    vec![personal, refresh, second, signature(&access).to_owned()]
}

/// Reloads settings that are broken where they contain secrets, then valid ones.
fn reload(location: &Place, gateway: &Gateway) {
    let line = |key: &str| {
        location
            .settings("")
            .lines()
            .find(|line| line.starts_with(key))
            .unwrap()
            .to_owned()
    };
    let faults = [
        // Without its closing quote, of another type, and in the wrong place.
        location
            .settings("")
            .replace(&line("admin_secret"), &format!("admin_secret = \"{ADMIN}")),
        location
            .settings("")
            .replace(&line("admin_secret"), &format!("admin_secret = {ADMIN}")),
        location.settings("").replace("HS256", "RS256"),
        location.settings("").replace("HS256", KEY),
        location.settings("").replace(
            KEY,
            &format!("-----BEGIN PRIVATE KEY-----\\n{KEY}\\n-----END PRIVATE KEY-----"),
        ),
        location.settings("").replace(
            &line("database_url"),
            &format!("database_url = \"postgres://u:{PASSWORD}@h:port/d\""),
        ),
        location.settings("").replace(
            &line("database_url"),
            &format!(
                "database_url = \"postgres://postern:{PASSWORD}@127.0.0.1:1/d?connect_timeout=1\""
            ),
        ),
        location.settings("").replace(
            &line("database_url"),
            &line("database_url").replace(location.password(), PASSWORD),
        ),
        location.settings(&format!("pool_size = \"{GUESS}\"")),
        location.settings("[bounds]\ndepth = \"deep\""),
    ];
    for (place_of_fault, fault) in faults.iter().enumerate() {
        location.write("gateway.toml", fault);
        gateway.signal("HUP");
        gateway.wait_for_log("not reloaded", place_of_fault + 1);
    }
    location.write("gateway.toml", &location.settings(""));
    gateway.signal("HUP");
    gateway.wait_for_log("permissions_changed", 1);
}

async fn searched(arguments: &[&str]) {
    let location = Place::new().await;
    let mut recorded = Recorded::default();
    let gateway = location.serve(&[arguments, &["--time-limit", "0.5"]].concat());
    let issued = exchange(&location, &gateway, &mut recorded).await;
    exercise(&location, &gateway, &mut recorded).await;
    reload(&location, &gateway);
    // The database becomes unavailable while the gateway runs.
    let admin = location.database.connect().await.unwrap();
    let allow = |allowed: bool| {
        format!(
            "UPDATE pg_database SET datallowconn = {allowed} WHERE datname = current_database()"
        )
    };
    admin.batch_execute(&allow(false)).await.unwrap();
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = \
               current_database() AND pid <> pg_backend_pid()";
    admin.batch_execute(cut).await.unwrap();
    let caller = [
        ("X-Gateway-Admin-Secret", ADMIN),
        ("X-Gateway-Role", "reader"),
    ];
    let reply = location.ask(&gateway, &caller, &bodies()[0]).await;
    assert!(reply.status >= 500, "{}", reply.text);
    recorded.reply("an answer", &reply);
    admin.batch_execute(&allow(true)).await.unwrap();
    gateway.signal("TERM");
    gateway.wait_for_log("stopped", 1);
    let log = gateway.log();
    assert!(
        log.contains("answered") && log.contains("not reloaded"),
        "{log}"
    );
    recorded.take("the log", log);
    let good = signed(KEY, |_| {});
    let own = [
        ADMIN,
        KEY,
        METRICS,
        REDIS,
        location.password(),
        signing_key(),
    ];
    let secrets = [&own[..], &[GUESS, PASSWORD, SESSION, signature(&good)]].concat();
    recorded.assert_contains_none(&secrets);
    recorded.assert_contains_none(&issued.iter().map(String::as_str).collect::<Vec<_>>());
    // Only the caller gets back the values of an invalid document.
    Recorded(recorded.0.split_off(recorded.0.len() - 1)).assert_contains_none(&[VALUE]);
}

#[tokio::test(flavor = "multi_thread")]
async fn running_gateway_reveals_no_secret() {
    searched(&["--log-format", "text"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn json_log_contains_no_secret() {
    searched(&["--log-format", "json"]).await;
}

/// Rows whose values Postgres repeats in its messages, and functions that raise them with codes and
/// names of their own choice.
const REPEATING: &str = "
    CREATE TABLE notes (id int PRIMARY KEY, body text, code text, CONSTRAINT notes_body CHECK (body NOT LIKE '%refused'));
    INSERT INTO notes VALUES (1, 's3cret-stored-4719', '22023');
    CREATE FUNCTION raised(body text, code text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'raised %', body USING ERRCODE = code, CONSTRAINT = body, TABLE = body, COLUMN = body, DETAIL = body, HINT = body;
    END $$;
    CREATE FUNCTION dynamic(body text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
      EXECUTE format('SELECT 1 FROM %I', body); RETURN 1;
    END $$;
    CREATE FUNCTION raise_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.code IS NOT NULL THEN PERFORM raised(NEW.body, NEW.code); END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER raises BEFORE INSERT OR UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION raise_it();
    CREATE VIEW casts AS SELECT id, body::int AS number FROM notes;
    CREATE VIEW classes AS SELECT id, body::regclass::text AS class FROM notes;
    CREATE VIEW raising AS SELECT id, raised(body, 'P0001') AS number FROM notes;
    CREATE VIEW naming AS SELECT id, dynamic(body) AS number FROM notes;
    CREATE VIEW searches AS SELECT id, to_tsquery(body || ' & & ')::text AS query FROM notes;";

const REPEATING_GRANTS: &str = "
    [table.notes.role.reader]
    select = { columns = \"*\", rows = \"true\" }
    insert = { columns = \"*\", check = \"body <> session.note\" }
    update = { columns = [\"body\", \"code\"], rows = \"true\" }
    [table.casts.role.reader]
    select = { columns = \"*\", rows = \"true\" }
    [table.classes.role.reader]
    select = { columns = \"*\", rows = \"true\" }
    [table.raising.role.reader]
    select = { columns = \"*\", rows = \"true\" }
    [table.naming.role.reader]
    select = { columns = \"*\", rows = \"true\" }
    [table.searches.role.reader]
    select = { columns = \"*\", rows = \"true\" }";

const STORED: &str = "s3cret-stored-4719";
const GUESSED_PATH: &str = "s3cret-path-4720";

/// Requests that make Postgres repeat its input and stored values.
fn repeated() -> Vec<Value> {
    let mut bodies = vec![];
    for view in [
        "casts { number }",
        "classes { class }",
        "raising { number }",
        "naming { number }",
        "searches { query }",
    ] {
        bodies.push(json!({"query": format!("{{ {view} }}")}));
    }
    let raw = format!("a & & {VALUE}");
    let search =
        "query ($q: String!) { notes(where: {body: {_fts: {query: $q, mode: RAW}}}) { id } }";
    bodies.push(json!({"query": search, "variables": {"q": raw}}));
    let literal =
        format!("{{ notes(where: {{body: {{_fts: {{query: \"{raw}\", mode: RAW}}}}}}) {{ id }} }}");
    bodies.push(json!({"query": literal}));
    let insert = "mutation ($b: String!, $c: String) { insert_notes(objects: [{id: 7, body: $b, \
                  code: $c}]) { affected_rows } }";
    for code in [
        "P0001", "42601", "42P01", "42501", "22023", "23505", "23514", "57P01", "08006", "53300",
        "40001", "XX000", "55000",
    ] {
        bodies.push(json!({"query": insert, "variables": {"b": VALUE, "c": code}}));
        let literal = format!(
            "mutation {{ insert_notes(objects: [{{id: 7, body: \"{VALUE}\", \
                               code: \"{code}\"}}]) {{ affected_rows }} }}"
        );
        bodies.push(json!({"query": literal}));
    }
    // A check of the table, a check of the role, and a duplicate key.
    for (id, body) in [
        (8, format!("{VALUE} refused")),
        (8, SESSION.to_owned()),
        (1, VALUE.to_owned()),
    ] {
        let query = "mutation ($i: Int!, $b: String!) { insert_notes(objects: [{id: $i, body: \
                     $b}]) { affected_rows } }";
        bodies.push(json!({"query": query, "variables": {"i": id, "b": body}}));
    }
    bodies.push(
        json!({"query": format!("query {VALUE} {{ notes {{ id }} }}"), "operationName": VALUE}),
    );
    bodies.push(json!({"query": "{ notes { id } }", "extensions": {"note": VALUE}}));
    bodies
}

/// At the most verbose level, for every way that a value takes into a request and out of the
/// database.
#[tokio::test(flavor = "multi_thread")]
async fn no_value_is_logged_at_any_level() {
    let location = Place::new().await;
    location
        .database
        .connect()
        .await
        .unwrap()
        .batch_execute(REPEATING)
        .await
        .unwrap();
    let permissions =
        PERMISSIONS.replace("user_id = \"int\"", "user_id = \"int\"\nnote = \"text\"");
    assert!(permissions.contains("note = "));
    location.write(
        "permissions.toml",
        &format!("{permissions}\n{REPEATING_GRANTS}"),
    );
    location.write(
        "rest-map.toml",
        "[[endpoint]]\npath = \"notes/:body\"\noperation = \"NotesOf\"\nmethods = [\"GET\", \
         \"POST\"]\n\
         query = \"query NotesOf($body: String!) { notes(where: {body: {_eq: $body}}) { id } \
         }\"\nsummary = \"notes\"\n",
    );
    location.write(
        "gateway.toml",
        &location.settings("rest_map = \"rest-map.toml\""),
    );
    let mut recorded = Recorded::default();
    for format in ["text", "json"] {
        let gateway = location.serve(&["--log-level", "trace", "--log-format", format]);
        let issued = exchange(&location, &gateway, &mut recorded).await;
        exercise(&location, &gateway, &mut recorded).await;
        let good = format!("Bearer {}", signed(KEY, |_| {}));
        let callers: [&[(&str, &str)]; 3] = [
            &[
                ("X-Gateway-Admin-Secret", ADMIN),
                ("X-Gateway-Role", "reader"),
                ("X-Gateway-Note", SESSION),
            ],
            &[
                ("Authorization", &good),
                ("X-Gateway-Role", "reader"),
                ("X-Unknown", VALUE),
                ("Cookie", VALUE),
            ],
            &[
                ("X-Gateway-Admin-Secret", ADMIN),
                ("X-Gateway-Role", VALUE),
                ("X-Gateway-Note", SESSION),
            ],
        ];
        for caller in callers {
            for body in repeated() {
                location.ask(&gateway, caller, &body).await;
                location.ask(&gateway, caller, &json!([body])).await;
            }
            for path in [
                format!("/api/rest/notes/{GUESSED_PATH}?other={GUESSED_PATH}"),
                format!("/api/rest/notes/{GUESSED_PATH}"),
                format!("/api/rest/{GUESSED_PATH}"),
                format!("/{GUESSED_PATH}/{GUESSED_PATH}?{GUESSED_PATH}={GUESSED_PATH}"),
                format!(
                    "/v1/graphql?query={{notes(where:{{body:{{_eq:\"{GUESSED_PATH}\"}}}}){{id}}}}"
                ),
                format!("/v1/graphql/{GUESSED_PATH}"),
            ] {
                for method in ["GET", "POST", "DELETE", GUESSED_PATH] {
                    let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
                    let request = location
                        .client
                        .request(method, format!("{}{path}", gateway.url));
                    let request = caller.iter().fold(request, |request, (name, value)| {
                        request.header(*name, *value)
                    });
                    Reply::of(request.header("Origin", VALUE).header("User-Agent", VALUE))
                        .await
                        .unwrap();
                }
            }
            let call = json!({"jsonrpc": "2.0", "id": VALUE, "method": "tools/call",
                "params": {"name": "NotesOf", "arguments": {"body": VALUE, VALUE: VALUE}}});
            let request = location
                .client
                .post(format!("{}/mcp", gateway.url))
                .json(&call);
            let request = caller.iter().fold(request, |request, (name, value)| {
                request.header(*name, *value)
            });
            Reply::of(request.header("Accept", "application/json, text/event-stream"))
                .await
                .unwrap();
        }
        gateway.signal("TERM");
        gateway.wait_for_log("stopped", 1);
        let log = gateway.log();
        for part in ["answered", "P0001", "42601", "notes_body"] {
            assert!(log.contains(part), "no {part}:\n{log}");
        }
        let log = Recorded(vec![("the log".into(), log)]);
        log.assert_contains_none(&[
            VALUE,
            SESSION,
            STORED,
            GUESS,
            GUESSED_PATH,
            ADMIN,
            KEY,
            METRICS,
            location.password(),
        ]);
        log.assert_contains_none(&issued.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// The filter target `values` enables the database's own messages in the log.
#[tokio::test(flavor = "multi_thread")]
async fn values_are_logged_only_with_their_filter() {
    let location = Place::new().await;
    location
        .database
        .connect()
        .await
        .unwrap()
        .batch_execute(REPEATING)
        .await
        .unwrap();
    location.write(
        "permissions.toml",
        &format!(
            "{PERMISSIONS}\n{}",
            REPEATING_GRANTS.replace("body <> session.note", "true")
        ),
    );
    let gateway = location.serve(&["--log-level", "info,values=debug"]);
    let caller = [
        ("X-Gateway-Admin-Secret", ADMIN),
        ("X-Gateway-Role", "reader"),
    ];
    location
        .ask(
            &gateway,
            &caller,
            &json!({"query": "{ raising { number } }"}),
        )
        .await;
    gateway.wait_for_log(&format!("raised {STORED}"), 1);
}

/// The requests to external servers, their URLs, and their responses are not logged.
#[tokio::test(flavor = "multi_thread")]
async fn requests_to_external_servers_are_not_logged() {
    let location = Place::new().await;
    let mut recorded = Recorded::default();
    let start = |settings: &str| {
        let common = format!(
            "admin_secret = \"{ADMIN}\"\npermissions = \
                              \"permissions.toml\"\nlisten = \"127.0.0.1:0\"\n"
        );
        let database = location.database.url();
        location.write(
            "gateway.toml",
            &format!("{common}log_level = \"debug\"\ndatabase_url = \"{database}\"\n{settings}"),
        );
        location.serve(&[])
    };
    let hook = Elsewhere::start(Answer::ok(
        json!({"X-Gateway-Role": "reader", "X-Gateway-Note": SESSION}),
    ))
    .await;
    let caller = [("Authorization", GUESS), ("Cookie", PASSWORD)];
    for mode in ["GET", "POST"] {
        let gateway = start(&format!(
            "auth_hook = \"{}\"\nauth_hook_mode = \"{mode}\"\n",
            hook.url(&format!("/who?key={KEY}"))
        ));
        let responses = [
            Answer::ok(json!({"X-Gateway-Role": "reader", "X-Gateway-Note": SESSION})),
            Answer::of("401 Unauthorized", SESSION),
            Answer::of("500 Internal Server Error", SESSION),
            Answer::of("302 Found", SESSION),
            Answer::of("200 OK", SESSION),
            Answer::ok(json!({"X-Gateway-Role": [SESSION]})),
        ];
        for response in responses {
            hook.answer(response);
            recorded.reply(
                "an answer",
                &location.ask(&gateway, &caller, &bodies()[0]).await,
            );
        }
        recorded.take("the log", gateway.log());
    }
    let nowhere = format!("127.0.0.1:1/who?key={KEY}");
    let gateway = start(&format!(
        "auth_hook = \"http://postern:{PASSWORD}@{nowhere}\"\n"
    ));
    recorded.reply(
        "an answer",
        &location.ask(&gateway, &caller, &bodies()[0]).await,
    );
    recorded.take("the log", gateway.log());
    let gateway = start(&format!(
        "[jwt_secret]\njwk_url = \"http://postern:{PASSWORD}@{nowhere}\"\n"
    ));
    gateway.wait_for_log("could not fetch the keys", 1);
    let bearer = format!("Bearer {}", signed(GUESS, |_| {}));
    recorded.reply(
        "an answer",
        &location
            .ask(&gateway, &[("Authorization", &bearer)], &bodies()[0])
            .await,
    );
    recorded.take("the log", gateway.log());
    recorded.assert_contains_none(&[ADMIN, KEY, GUESS, PASSWORD, SESSION, location.password()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_and_failed_starts_reveal_no_secret() {
    let location = Place::new().await;
    let mut recorded = Recorded::default();
    let config = location.path("gateway.toml");
    let permissions = location.path("permissions.toml");
    let config = text(&config);
    let permissions = text(&permissions);
    let wrong = location
        .database
        .url()
        .replace(location.password(), PASSWORD);
    let nowhere = format!("postgres://postern:{PASSWORD}@127.0.0.1:1/d");
    let pem = format!(
        "{{\"type\":\"RS256\",\"key\":\"-----BEGIN PUBLIC \
                       KEY-----\\n{KEY}\\n-----END PUBLIC KEY-----\"}}"
    );
    let cases: &[&[&str]] = &[
        &["--help"],
        &["serve", "--help"],
        &["check", "--help"],
        &["check", "--config", config],
        &["check", "--config", config, "--json"],
        &[
            "explain", "--config", config, "--role", "reader", "/nowhere",
        ],
        &["schema", "--config", config, "--role", "reader"],
        &["check", "--config", config, "--database-url", &wrong],
        &["serve", "--config", config, "--database-url", &wrong],
        &["serve", "--config", config, "--database-url", &nowhere],
        &[
            "serve",
            "--config",
            config,
            "--database-url",
            &format!("postgres://u:{PASSWORD}@h:port/d"),
        ],
        &[
            "serve",
            "--config",
            config,
            "--database-url",
            &format!("{PASSWORD} and nothing else"),
        ],
        &["serve", "--config", config, "--jwt-secret", KEY],
        &[
            "serve",
            "--config",
            config,
            "--jwt-secret",
            &format!("{{\"type\":\"HS256\",\"key\":\"{KEY}\""),
        ],
        &[
            "serve",
            "--config",
            config,
            "--jwt-secret",
            &format!("{{\"type\":\"{KEY}\",\"key\":\"{KEY}\"}}"),
        ],
        &[
            "serve",
            "--config",
            config,
            "--jwt-secret",
            &format!("{{\"type\":\"ES256\",\"key\":\"{KEY}\"}}"),
        ],
        &["serve", "--config", config, "--jwt-secret", &pem],
        &["serve", "--config", config, "--permissions", "/nowhere"],
        &["serve", "--config", permissions],
        &["serve", "--admin-secret", ADMIN, "--listen", "nowhere"],
        &["serve", "--admin-secret", ADMIN, "--unknown", "x"],
        &["token", "--config", config],
    ];
    for case in cases {
        let mut command = binary::command(case);
        // Secrets in the environment are not shown as defaults.
        command
            .env("POSTERN_ADMIN_SECRET", ADMIN)
            .env("POSTERN_METRICS_SECRET", METRICS)
            .stdin(Stdio::null());
        let finished = binary::Finished::from(command.output().unwrap());
        recorded.take(
            &format!("`postern {}`", case.first().unwrap()),
            format!("{}\n{}", finished.out, finished.err),
        );
        let is_bad = case.contains(&"serve") && !case.contains(&"--help");
        assert!(
            !is_bad || finished.code != Some(0),
            "{case:?}: {finished:?}"
        );
    }
    recorded.assert_contains_none(&[
        ADMIN,
        KEY,
        METRICS,
        PASSWORD,
        location.password(),
        signing_key(),
    ]);
}

#[tokio::test]
async fn debug_output_contains_no_secret() {
    let location = Place::new().await;
    let settings =
        gateway::config::Settings::from_text("gateway.toml", &location.settings("")).unwrap();
    let mut recorded = Recorded::default();
    recorded.take("the settings", format!("{settings:?} {settings:#?}"));
    recorded.take(
        "what they mean",
        format!("{:?}", gateway::config::Config::new(&settings)),
    );
    let builder = tests::gateway()
        .settings(settings)
        .setting("permissions", "/nowhere");
    let builder = builder.permissions_text("service.toml", PERMISSIONS);
    recorded.take("what is to be started", format!("{builder:?}"));
    let running = builder.start().await.unwrap();
    let request = location
        .client
        .post(format!("{}/v1/graphql", running.url()))
        .json(&bodies()[0]);
    let good = signed(KEY, |_| {});
    assert_eq!(
        Reply::of(
            request
                .bearer_auth(&good)
                .header("X-Gateway-Role", "reader")
        )
        .await
        .unwrap()
        .status,
        200
    );
    recorded.take("what runs", format!("{running:?}"));
    recorded.take(
        "what it answers with",
        format!("{:?}", running.app().state()),
    );
    recorded.assert_contains_none(&[
        ADMIN,
        KEY,
        METRICS,
        location.password(),
        signature(&good),
        signing_key(),
    ]);
}
