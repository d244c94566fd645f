//! Tests what `postern check` and `postern init` read from policies and privileges.

use serde_json::json;
use tests::reply::Reply;

use super::service::{database, url_as};

#[tokio::test(flavor = "multi_thread")]
async fn check_finds_missing_privileges_and_settings() {
    let (database, [login, reader]) = database(
        "GRANT SELECT, INSERT ON notes TO LOGIN; GRANT SELECT ON tasks TO LOGIN; \
                  REVOKE EXECUTE ON FUNCTION whoami() FROM public; GRANT READER TO LOGIN; GRANT \
                  SELECT (id) ON notes TO READER",
    )
    .await;
    let folder = std::env::temp_dir().join(format!("postern_states_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("permissions.toml");
    let check = |file: &str| {
        std::fs::write(&path, file).unwrap();
        let url = url_as(&database, &login);
        let path = path.display().to_string();
        tests::binary::run(&["check", "--database-url", &url, "--permissions", &path]).unwrap()
    };
    let file = "[naming]\nconvention = \"snake\"\n[session]\nuser_id = \
                \"int4\"\n[settings]\nreads = READS\napp.user_id = \"session.user_id\"\n\
                [table.notes.role.user]\nselect = { columns = \"*\", rows = \"true\" }\n\
                insert = { columns = [\"user_id\", \"body\"], check = \"true\" }\n\
                [table.tasks.role.user]\nselect = { columns = \"*\", rows = \"true\" \
                }\n[function.whoami]\nroles = [\"user\"]\n";
    let found = check(&file.replace("READS", "false")).err;
    for expected in [
        format!("GRANT USAGE ON SEQUENCE notes_id_seq TO {login}"),
        format!("GRANT EXECUTE ON FUNCTION whoami() TO {login}"),
        "policies or triggers of `tasks` read settings that the file does not set: \
         request.jwt.claims"
            .to_owned(),
        "policies of `notes` read settings that only transactions that write have: app.user_id"
            .to_owned(),
        "no problems: ".to_owned(),
    ] {
        assert!(found.contains(&expected), "{expected}: {found}");
    }
    let found = check(&file.replace("READS", "true")).err;
    assert!(!found.contains("only transactions that write"), "{found}");
    let found = check(&format!(
        "{}[role.user]\nset_role = \"{reader}\"\n",
        file.replace("READS", "true")
    ))
    .err;
    for expected in [
        format!("GRANT SELECT (user_id, body) ON notes TO {reader}"),
        format!("GRANT INSERT (user_id, body) ON notes TO {reader}"),
        format!("GRANT SELECT (id, team_id, title) ON tasks TO {reader}"),
    ] {
        assert!(found.contains(&expected), "{expected}: {found}");
    }
    // A privilege of the table is a fault.
    let found = check(
        &format!(
            "{file}[table.secrets.role.user]\nselect = {{ columns = [\"id\"], rows = \"true\" }}\n"
        )
        .replace("READS", "true"),
    );
    assert!(
        found.err.contains(&format!(
            "GRANT SELECT (\"id\") ON \"public\".\"secrets\" TO {login};"
        )),
        "{}",
        found.err
    );
    assert_eq!(found.code, Some(1));
    // Rules of the file itself, wherever they stand.
    let setting = |name: &str| format!("current_setting('{name}', true)");
    let rules = format!(
        "[rules.mine]\nargs = [\"who\"]\nsql = \"who::text = {}\"\n[table.notes.role.other]\n\
         select = {{ columns = [\"id\"], rows = \"mine(user_id) AND body <> {} AND body <> {}\" \
         }}\n\
         insert = {{ columns = [\"user_id\"], check = \"body = pg_catalog.{}\", preset = {{ body \
         = \"{}\" }} }}\n",
        setting("app.Named"),
        setting("App.User_Id"),
        setting("server_version"),
        setting("app.check"),
        setting("app.preset"),
    );
    let found = check(&format!("{}{rules}", file.replace("READS", "true"))).err;
    for name in ["app.named", "app.check", "app.preset"] {
        let expected = format!("this rule reads settings that the file does not set: {name}\n");
        assert!(found.contains(&expected), "{expected}: {found}");
    }
    assert_eq!(
        found.matches("this rule reads settings").count(),
        3,
        "{found}"
    );
    std::fs::remove_dir_all(folder).unwrap();
    let client = database.connect().await.unwrap();
    client
        .batch_execute(&format!(
            "DROP OWNED BY {login}, {reader}; DROP ROLE {login}, {reader}"
        ))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn init_reads_policies_into_a_file_that_starts() {
    let (database, [login, reader]) = database(
        "GRANT SELECT, INSERT ON notes TO READER; GRANT SELECT ON tasks, members TO \
                  READER; GRANT SELECT (id) ON secrets TO READER",
    )
    .await;
    let found =
        tests::binary::run(&["init", "--from", "rls", "--database-url", database.url()]).unwrap();
    assert_eq!(found.code, Some(0), "{}", found.err);
    let file = found.out;
    for expected in [
        "user_id = \"text\"".to_owned(),
        "app.user_id = \"session.user_id\"".to_owned(),
        "request.jwt.claims = \"token\"".to_owned(),
        format!("[role.{reader}]\nset_role = \"{reader}\""),
        format!(
            "[table.notes.role.{reader}]\nselect = {{ columns = \"*\", rows = \
                 \"true\" }}"
        ),
        "insert = { columns = \"*\", check = \"true\" }".to_owned(),
        format!(
            "[table.secrets.role.{reader}]\nselect = {{ columns = [\"id\"], rows = \"true\" }}"
        ),
        format!(
            "[table.members.role.{reader}]\nselect = {{ columns = \"*\", rows = \
                 \"true\" }}"
        ),
        format!("[table.tasks.role.{reader}]"),
    ] {
        assert!(file.contains(&expected), "{expected}: {file}");
    }
    let builder = tests::gateway()
        .database_url(database.url())
        .admin_secret("secret")
        .listen("127.0.0.1:0");
    let running = builder
        .permissions_text("permissions.toml", &file)
        .start()
        .await
        .unwrap();
    let post = reqwest::Client::new().post(format!("{}/v1/graphql", running.url()));
    let post = post
        .header("X-Gateway-Admin-Secret", "secret")
        .header("X-Gateway-Role", &reader);
    let query = json!({"query": "{ notes(order_by: {id: asc}) { body } }"});
    let reply = Reply::of(post.header("X-Gateway-User-Id", "8").json(&query))
        .await
        .unwrap();
    assert_eq!(
        reply.data(),
        json!({"notes": [{"body": "of eight"}]}),
        "{}",
        reply.text
    );
    drop(running);
    let client = database.connect().await.unwrap();
    client
        .batch_execute(&format!(
            "DROP OWNED BY {login}, {reader}; DROP ROLE {login}, {reader}"
        ))
        .await
        .unwrap();
}
