//! Makes scripts of random databases with policies. A seed decides about everything, so a failing
//! one can be run alone.

use std::fmt::Write;

/// A sequence of numbers that follows from its seed (SplitMix64).
pub(super) struct Numbers(u64);

const TABLES: [&str; 3] = ["a", "b", "c"];

/// What policies refer to: settings, claims, functions with the rights of their owner and of the
/// caller, and tables.
const HELPERS: &str = "
CREATE FUNCTION app_user() RETURNS int LANGUAGE sql STABLE AS
  $$ SELECT nullif(current_setting('app.user_id', true), '')::int $$;
CREATE FUNCTION acting() RETURNS int LANGUAGE plpgsql STABLE AS
  $f$ BEGIN RETURN nullif(CURRENT_SETTING ( 'acting.user_id' ), '')::int; END $f$;
CREATE FUNCTION claim(name text) RETURNS text LANGUAGE sql STABLE AS
  $$ SELECT nullif(current_setting('request.jwt.claims', true), '')::json ->> name $$;
CREATE TABLE a (id int PRIMARY KEY, owner int, team int, who text, note text);
CREATE TABLE b (id int PRIMARY KEY, owner int, team int, who text, note text);
CREATE TABLE c (id int PRIMARY KEY, owner int, team int, who text, note text);
CREATE FUNCTION owns(wanted int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS
  $$ SELECT EXISTS (SELECT FROM b WHERE b.id = wanted AND b.owner = app_user()) $$;
CREATE FUNCTION sees(wanted int) RETURNS boolean LANGUAGE sql STABLE SECURITY INVOKER AS
  $$ SELECT EXISTS (SELECT FROM b WHERE b.id = wanted) $$;
";

/// Conditions of policies. `THIS` is the table, `OTHER` another one.
const CONDITIONS: [&str; 26] = [
    "owner = app_user()",
    "team = (claim('team'))::int",
    "true",
    "false",
    "who = current_user",
    "who <> current_user",
    "who = session_user",
    "who = current_setting('role')",
    "EXISTS (SELECT FROM OTHER o WHERE o.id = THIS.id)",
    "NOT EXISTS (SELECT FROM OTHER o WHERE o.id = THIS.id)",
    "id IN (SELECT o.id FROM OTHER o WHERE o.owner = app_user())",
    "id NOT IN (SELECT o.id FROM OTHER o)",
    "EXISTS (SELECT FROM THIS o WHERE o.team = THIS.team AND o.owner = app_user())",
    "owns(id)",
    "NOT owns(id)",
    "sees(id)",
    "owner = acting()",
    "note = 'auth.uid()'",
    "note = current_setting('app.note', true)",
    "note IS NOT DISTINCT FROM nullif(current_setting('app.note', true), '')",
    "coalesce(claim('banned'), 'no') <> 'yes'",
    "(claim('guest'))::boolean IS DISTINCT FROM true",
    "claim('role') = 'WEBBY'",
    "pg_has_role('pg_monitor', 'usage')",
    "owner = coalesce(app_user(), 2)",
    "current_setting('server_version_num')::int > 90000",
];

impl Numbers {
    pub(super) fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'i>(&mut self, items: &[&'i str]) -> &'i str {
        items[self.below(items.len())]
    }
}

/// The script of a database with random rows, policies, defaults, views, triggers, owners and
/// privileges.
pub(super) fn script(numbers: &mut Numbers) -> String {
    let mut script = HELPERS.to_owned();
    let mut add = |statement: String| script.push_str(&(statement + ";\n"));
    for table in TABLES {
        for id in 1..=4 {
            let owner = 1 + numbers.below(3);
            let team = 1 + numbers.below(3);
            let who = numbers.pick(&["WEBBY", "MEMBER", "LOGIN", "x"]);
            let note = numbers.pick(&["'auth.uid()'", "'x'", "''", "NULL"]);
            add(format!(
                "INSERT INTO {table} VALUES ({id}, {owner}, {team}, '{who}', {note})"
            ));
        }
        for (column, default) in [
            ("owner", "app_user()"),
            ("owner", "acting()"),
            ("who", "current_user"),
            ("who", "claim('role')"),
            ("note", "current_setting('app.note', true)"),
        ] {
            if numbers.percent(30) {
                add(format!(
                    "ALTER TABLE {table} ALTER {column} SET DEFAULT {default}"
                ));
            }
        }
    }
    if numbers.percent(40) {
        add(
            "CREATE SEQUENCE numbers; ALTER TABLE c ALTER team SET DEFAULT nextval('numbers') * \
             0 + 1"
                .to_owned(),
        );
        if numbers.percent(50) {
            add("GRANT USAGE ON SEQUENCE numbers TO WEBBY, MEMBER".to_owned());
        }
    }
    if numbers.percent(40) {
        add(
            "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             NEW.note := current_setting('app.note', true) || current_user; RETURN NEW; END $$; \
             CREATE TRIGGER keep BEFORE INSERT OR UPDATE ON a FOR EACH ROW EXECUTE FUNCTION keep()"
                .to_owned(),
        );
    }
    add("CREATE VIEW invoked WITH (security_invoker = true) AS SELECT * FROM a".to_owned());
    let condition = numbers.pick(&["true", "owner = app_user()", "who = current_user"]);
    add(format!(
        "CREATE VIEW plain AS SELECT * FROM b WHERE {condition}"
    ));
    let members = numbers.pick(&["GRANT WEBBY TO MEMBER", "GRANT KEEPER TO MEMBER", "", ""]);
    add(members.to_owned());
    for table in TABLES {
        add_security(table, numbers, &mut add);
    }
    for table in ["a", "b", "c", "invoked", "plain"] {
        if numbers.percent(30) {
            add(format!("ALTER TABLE {table} OWNER TO KEEPER"));
        }
        add(format!("GRANT {} ON {table} TO WEBBY", privileges(numbers)));
        if numbers.percent(40) {
            let role = numbers.pick(&["MEMBER", "PUBLIC", "EXEMPT", "KEEPER"]);
            add(format!(
                "GRANT {} ON {table} TO {role}",
                privileges(numbers)
            ));
        }
    }
    if numbers.percent(15) {
        let function = numbers.pick(&["app_user()", "claim(text)", "owns(int)"]);
        add(format!("REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC"));
    }
    script
}

fn add_security(table: &str, numbers: &mut Numbers, add: &mut impl FnMut(String)) {
    if numbers.percent(85) {
        add(format!("ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"));
    }
    if numbers.percent(30) {
        add(format!("ALTER TABLE {table} FORCE ROW LEVEL SECURITY"));
    }
    for number in 0..1 + numbers.below(4) {
        let command = numbers.pick(&[
            "ALL", "ALL", "SELECT", "SELECT", "INSERT", "UPDATE", "DELETE",
        ]);
        let kind = if numbers.percent(75) {
            "PERMISSIVE"
        } else {
            "RESTRICTIVE"
        };
        let role = numbers.pick(&[
            "PUBLIC",
            "PUBLIC",
            "WEBBY",
            "MEMBER",
            "KEEPER",
            "WEBBY, MEMBER",
        ]);
        let mut policy =
            format!("CREATE POLICY p{number} ON {table} AS {kind} FOR {command} TO {role}");
        for (keyword, without) in [("USING", "INSERT"), ("WITH CHECK", "SELECT DELETE")] {
            if !without.contains(command) && numbers.percent(75) {
                let condition = numbers.pick(&CONDITIONS);
                let other = TABLES[(TABLES.iter().position(|name| *name == table).unwrap()
                    + 1
                    + numbers.below(2))
                    % 3];
                let condition = condition.replace("OTHER", other).replace("THIS", table);
                let _ = write!(policy, " {keyword} ({condition})");
            }
        }
        add(policy);
    }
}

fn privileges(numbers: &mut Numbers) -> &'static str {
    numbers.pick(&[
        "ALL",
        "ALL",
        "ALL",
        "SELECT",
        "SELECT (id, owner), INSERT, DELETE",
        "SELECT (id, note), UPDATE (note), INSERT (id, owner)",
        "INSERT, UPDATE, DELETE",
        "SELECT, UPDATE (owner, team)",
    ])
}
