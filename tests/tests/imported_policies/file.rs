//! The file itself: what a person has to decide stands in comments with the reason, each left out
//! alone.

use super::judge::{Caller, Judge, role_of, select};

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_decides_stands_in_comments() {
    let judge = Judge::new(
        "CREATE TABLE t (id int PRIMARY KEY, \"we ird\" text); CREATE TABLE \
                            \"1st table\" (id int); CREATE TABLE kept (id int); \
                            CREATE SCHEMA shut; CREATE TABLE shut.s (id int); ALTER TABLE kept \
                            ENABLE ROW LEVEL SECURITY; \
                            ALTER TABLE kept OWNER TO KEEPER; GRANT KEEPER TO MEMBER; CREATE \
                            ROLE \"viewer of WEBBY\" IN ROLE WEBBY; \
                            GRANT ALL ON t, \"1st table\", kept, shut.s TO WEBBY; GRANT SELECT \
                            ON t TO MEMBER, EXEMPT; GRANT SELECT ON t TO PUBLIC; \
                            CREATE TABLE forced (id int); ALTER TABLE forced ENABLE ROW LEVEL \
                            SECURITY; ALTER TABLE forced FORCE ROW LEVEL SECURITY; \
                            ALTER TABLE forced OWNER TO KEEPER",
    )
    .await;
    for line in [
        "# Left out, because policies do not limit roles with SUPERUSER or BYPASSRLS: EXEMPT",
        "# Left out, because they own tables and have no other grant: KEEPER",
        "# PUBLIC has privileges on these, so the roles below have them too, and so has each \
         other role: t",
        "# Left out, because they have privileges as members alone: viewer of WEBBY (member of \
         WEBBY)",
        "# GRANT \"WEBBY\" TO \"LOGIN\";",
        "set_role = \"WEBBY\"",
        "# select without columns that have no name in GraphQL yet: we ird",
        "# no select: the table has no name in GraphQL: give it a `name`",
        "# no select: the role may not use the schema: GRANT USAGE ON SCHEMA \"shut\" TO \
         \"WEBBY\";",
        "# no select: policies of the table do not limit MEMBER, which is a member of its owner \
         KEEPER (without FORCE ROW LEVEL SECURITY)",
        "[table.forced.role.MEMBER]",
        "# Aggregates are not granted",
    ] {
        assert!(judge.has(line), "{line}\n{}", judge.file);
    }
    // Nothing of that costs the rest, and the missing membership is printed too.
    let printed = format!("GRANT {} TO {};", judge.role("WEBBY"), judge.role("LOGIN"));
    assert!(judge.printed.contains(&printed), "{}", judge.printed);
    let statement = select("t", &["id"]);
    assert!(
        judge
            .compare("WEBBY", &Caller::default(), &statement)
            .await
            .is_none()
    );
    assert!(
        judge
            .graphql("WEBBY", &Caller::default(), &statement.graphql)
            .await
            .is_ok()
    );
    let viewer = format!("DROP ROLE \"viewer of {}\"", judge.role("WEBBY"));
    judge
        .database
        .connect()
        .await
        .unwrap()
        .batch_execute(&viewer)
        .await
        .unwrap();
    judge.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn privileges_on_tables_are_short_and_equal_roles_inherit() {
    let judge = Judge::new(
        "CREATE TABLE t (id int PRIMARY KEY, name text); CREATE TABLE u (id int, name text); \
         GRANT ALL ON t TO WEBBY, MEMBER; GRANT SELECT (id) ON u TO WEBBY, MEMBER; \
         INSERT INTO t VALUES (1, 'a')",
    )
    .await;
    for line in [
        "select = { columns = \"*\", rows = \"true\" }",
        "select = { columns = [\"id\"], rows = \"true\" }",
        "inherits = [\"MEMBER\"]",
    ] {
        assert!(judge.has(line), "{line}\n{}", judge.file);
    }
    assert!(!judge.has("[table.t.role.WEBBY]"), "{}", judge.file);
    let statement = select("t", &["id", "name"]);
    for role in ["WEBBY", "MEMBER"] {
        let difference = judge.compare(role, &Caller::default(), &statement).await;
        assert!(difference.is_none(), "{role}: {difference:?}");
    }
    judge.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn role_called_admin_is_left_out_alone() {
    let database = tests::create("imported", &[]).await.unwrap();
    let client = database.connect().await.unwrap();
    let webby = role_of(&database, "WEBBY");
    let script = format!(
        "DO $$ BEGIN CREATE ROLE admin; EXCEPTION WHEN duplicate_object THEN \
                          NULL; END $$; CREATE ROLE {webby}; \
                          CREATE TABLE t (id int PRIMARY KEY); GRANT SELECT ON t TO admin, \
                          {webby}"
    );
    client.batch_execute(&script).await.unwrap();
    let found =
        tests::binary::run(&["init", "--from", "rls", "--database-url", database.url()]).unwrap();
    client
        .batch_execute(&format!("DROP OWNED BY admin, {webby}; DROP ROLE {webby}"))
        .await
        .unwrap();
    assert_eq!(found.code, Some(0), "{}", found.err);
    assert!(
        found
            .out
            .contains("# Left out, because `admin` may do everything in this file"),
        "{}",
        found.out
    );
    assert!(
        found
            .out
            .contains(&format!("[table.t.role.{webby}]\nselect")),
        "{}",
        found.out
    );
    assert!(
        !found.out.contains("\n[table.t.role.admin]"),
        "{}",
        found.out
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_those_that_nothing_else_sets() {
    let judge = Judge::new(
        "CREATE TABLE t (id int PRIMARY KEY, a text DEFAULT \
                            current_setting('app.a', true)); GRANT ALL ON t TO WEBBY; \
                            CREATE FUNCTION any_setting(name text) RETURNS text LANGUAGE sql AS \
                            $$ SELECT current_setting(name, true) $$; \
                            CREATE VIEW v AS SELECT id, any_setting('app.b') AS b, \
                            current_setting('app.fixed', true) AS fixed FROM t; \
                            CREATE FUNCTION notice() RETURNS trigger LANGUAGE plpgsql AS $$ \
                            BEGIN \
                            EXECUTE 'SELECT current_setting(''app.c'', true)'; RETURN NEW; END \
                            $$; \
                            CREATE TRIGGER notice AFTER INSERT ON t FOR EACH ROW WHEN \
                            (current_setting('app.d', true) = 'x') EXECUTE FUNCTION notice(); \
                            DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET app.fixed = \
                            ''1''', current_database()); END $$",
    )
    .await;
    for line in [
        "app.a = \"session.a\"",
        "app.b = \"session.b\"",
        "app.c = \"session.c\"",
        "app.d = \"session.d\"",
    ] {
        assert!(judge.has(line), "{line}\n{}", judge.file);
    }
    assert!(
        judge.has("# function any_setting reads a setting whose name it computes"),
        "{}",
        judge.file
    );
    assert!(!judge.has("app.fixed ="), "{}", judge.file);
    judge.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn database_without_grants_gives_a_file_that_says_so() {
    let database = tests::create("imported", &[]).await.unwrap();
    database
        .connect()
        .await
        .unwrap()
        .batch_execute("CREATE TABLE t (id int PRIMARY KEY)")
        .await
        .unwrap();
    let found =
        tests::binary::run(&["init", "--from", "rls", "--database-url", database.url()]).unwrap();
    assert_eq!(found.code, Some(0), "{}", found.err);
    assert!(
        found
            .out
            .contains("# No tables are granted to a role that policies limit"),
        "{}",
        found.out
    );
}
