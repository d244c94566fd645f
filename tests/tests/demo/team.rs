//! The team's day beside its requests: an Administrator invites by mail, sees who signs in, makes
//! keys of services and has failed deliveries processed again. Nobody else of the team may, and
//! outsiders, invited and suspended people see nothing of it.

use serde_json::{Value, json};
use tests::reply::Reply;
use tests::webhook_senders::sign;
use tokio_postgres::Client;

use super::{Caller, Demo};

const INVITE: &str = "mutation ($c: uuid!, $email: String!, $role: String!, $name: String) { \
                      inviteTeamMember(dataControllerId: $c, email: $email, role: $role, \
                      displayName: $name) { status message dataControllerUserId } }";
const ANSWER: &str = "mutation ($id: uuid!) { updateDataControllerUser(pk_columns: {id: $id}, \
                      _set: {status: \"active\"}) { status } }";
const WITHDRAW: &str = "mutation ($id: uuid!) { deleteDataControllerUser(id: $id) { id } }";
const CREATE_KEY: &str = "mutation ($c: uuid!, $service: String!) { createIntegrationKey(\
                          dataControllerId: $c, service: $service, name: \"test\") { id secret \
                          path } }";
const REVOKE_KEY: &str =
    "mutation ($id: uuid!) { revokeIntegrationKey(id: $id) { status message } }";
const REPLAY: &str = "mutation ($id: uuid!) { replayDelivery(deliveryId: $id) { status message } }";
const DELIVERIES: &str = "query ($c: uuid!) { webhookDeliveries(where: {dataControllerId: {_eq: \
                          $c}}, order_by: {receivedAt: desc}) { id service state attempts \
                          lastError } }";

/// An id that nothing has.
const UNKNOWN: &str = "00000000-0000-4000-8000-00000000abcd";

async fn connect(demo: &Demo) -> Client {
    tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap()
}

/// A user by a condition on `users u`.
async fn user(sql: &Client, condition: &str) -> String {
    let statement =
        format!("SELECT u.id::text FROM users u WHERE {condition} ORDER BY u.id LIMIT 1");
    sql.query_one(&statement, &[]).await.unwrap().get(0)
}

/// A member of the demo's controller with a level and a state, and nobody of a higher level.
async fn member(demo: &Demo, sql: &Client, level: &str) -> String {
    let controller = demo.fact("data_controller_id");
    let condition = format!(
        "EXISTS (SELECT FROM data_controller_users m WHERE m.user_id = u.id AND m.role = '{level}' \
         AND m.status = 'active' AND m.data_controller_id = '{controller}')"
    );
    user(sql, &condition).await
}

/// An Administrator of another controller who has nothing to do with the demo's.
async fn stranger(demo: &Demo, sql: &Client) -> String {
    let controller = demo.fact("data_controller_id");
    let condition = format!(
        "EXISTS (SELECT FROM data_controller_users m WHERE m.user_id = u.id AND m.role = \
         'Administrator' AND m.status = 'active') AND NOT EXISTS (SELECT FROM \
         data_controller_users m WHERE m.user_id = u.id AND m.data_controller_id = '{controller}')"
    );
    user(sql, &condition).await
}

async fn ask(demo: &Demo, role: &str, user: &str, query: &str, variables: Value) -> Reply {
    let values = [("user_id", user)];
    let caller = Caller {
        role,
        values: &values,
    };
    demo.ask_as(caller, query, variables).await
}

async fn invite(demo: &Demo, email: &str, role: &str) -> Reply {
    let variables = json!({"c": demo.fact("data_controller_id"), "email": email, "role": role});
    demo.ask("user", INVITE, variables).await
}

/// The membership of an invitation that was sent.
fn membership(reply: &Reply) -> String {
    let invited = &reply.data()["inviteTeamMember"];
    assert_eq!(invited["status"], "sent", "{}", reply.text);
    invited["dataControllerUserId"].as_str().unwrap().to_owned()
}

/// Subject and body of the mails to an address, the newest first.
async fn mails(sql: &Client, address: &str) -> Vec<(String, String)> {
    let statement = "SELECT subject, body FROM outgoing_mails WHERE recipient = $1 ORDER BY \
                     created_at DESC, id";
    let rows = sql.query(statement, &[&address]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn invited_person_joins_by_mail() {
    let demo = Demo::start(&[]);
    let sql = connect(&demo).await;
    let controller = json!({"c": demo.fact("data_controller_id")});
    let id = membership(&invite(&demo, "New.Colleague@mail.example", "Viewer").await);
    // Once more, with another level.
    let again = membership(&invite(&demo, "new.colleague@MAIL.example", "Editor").await);
    assert_eq!(again, id);
    let sent = mails(&sql, "New.Colleague@mail.example").await;
    assert_eq!(sent.len(), 2);
    // The controller is German, and the person has no account with another language.
    let (subject, body) = &sent[0];
    assert_eq!(
        subject,
        "Einladung in das Datenschutzteam von Hansewerk Energie GmbH"
    );
    assert!(
        body.contains("Mara Lindemann") && body.contains("/dashboard#/invitation"),
        "{body}"
    );

    let team = "query ($c: uuid!) { teamInvitations(where: {dataControllerId: {_eq: $c}}) { email \
                sentCount membership { role status user { email } } } }";
    let waiting = demo.ask("user", team, controller.clone()).await;
    assert_eq!(
        waiting.data()["teamInvitations"],
        json!([{"email": "new.colleague@MAIL.example", "sentCount": 2,
                "membership": {"role": "Editor", "status": "invited", "user": null}}]),
    );

    // The person knows who invites, and sees nothing else before answering.
    let person = user(&sql, "u.email = 'New.Colleague@mail.example'").await;
    let own = "{ dataControllerUsers { id role status dataController { title } invitation { \
               inviterName } } }";
    let own = ask(&demo, "me", &person, own, json!({})).await;
    assert_eq!(
        own.data()["dataControllerUsers"],
        json!([{"id": id, "role": "Editor", "status": "invited",
                "dataController": {"title": "Hansewerk Energie GmbH"},
                "invitation": {"inviterName": "Mara Lindemann"}}]),
    );
    let address = ask(
        &demo,
        "me",
        &person,
        "{ teamInvitations { email } }",
        json!({}),
    )
    .await;
    assert_eq!(address.error().code, "validation-failed");
    // Nobody accepts for the person.
    for role in ["user", "me"] {
        let foreign = demo.ask(role, ANSWER, json!({"id": id})).await;
        assert_eq!(foreign.data()["updateDataControllerUser"], Value::Null);
    }
    let default_role = "SELECT default_role FROM users WHERE id::text = $1";
    let role: String = sql
        .query_one(default_role, &[&person])
        .await
        .unwrap()
        .get(0);
    assert_eq!(role, "dataSubject");
    let accepted = ask(&demo, "me", &person, ANSWER, json!({"id": id})).await;
    assert_eq!(
        accepted.data()["updateDataControllerUser"]["status"],
        "active",
        "{}",
        accepted.text
    );
    let role: String = sql
        .query_one(default_role, &[&person])
        .await
        .unwrap()
        .get(0);
    assert_eq!(role, "user");
    let waiting = demo.ask("user", team, controller.clone()).await;
    assert_eq!(waiting.data()["teamInvitations"], json!([]));
    let member = invite(&demo, "new.colleague@mail.example", "Viewer").await;
    assert_eq!(member.error().code, "conflict", "{}", member.text);
}

/// One answer, one row, one mail, whether the address has an account or not.
#[tokio::test(flavor = "multi_thread")]
async fn invitation_does_not_tell_who_has_an_account() {
    let demo = Demo::start(&[]);
    let sql = connect(&demo).await;
    let stranger = stranger(&demo, &sql).await;
    let address = "SELECT email FROM users WHERE id::text = $1";
    let known: String = sql.query_one(address, &[&stranger]).await.unwrap().get(0);
    let seen = "query ($id: uuid!) { dataControllerUser(id: $id) { role status user { email \
                displayName } invitation { displayName locale sentCount } } users(where: \
                {memberships: {id: {_eq: $id}}}) { id } }";
    let mut answers = vec![];
    for email in [known.as_str(), "nobody@mail.example"] {
        let reply = invite(&demo, email, "Viewer").await;
        let id = membership(&reply);
        let row = demo.ask("user", seen, json!({"id": id})).await;
        assert_ne!(
            row.data()["dataControllerUser"],
            Value::Null,
            "{}",
            row.text
        );
        assert_eq!(mails(&sql, email).await.len(), 1, "{email}");
        answers.push((reply.text.replace(&id, "ID"), row.text));
    }
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn invitations_have_limits() {
    let demo = Demo::start(&[]);
    let sql = connect(&demo).await;
    for (email, role) in [
        ("nowhere", "Viewer"),
        ("a@b", "Viewer"),
        ("a@b.example\nBcc: c@d.example", "Viewer"),
        ("a@b.example, c@d.example", "Viewer"),
        ("a@b.example", "Owner"),
        ("a@b.example", "viewer"),
    ] {
        let refused = invite(&demo, email, role).await;
        assert_eq!(
            refused.error().code,
            "action-failed",
            "{email}: {}",
            refused.text
        );
    }
    for _ in 0..5 {
        membership(&invite(&demo, "often@mail.example", "Viewer").await);
    }
    let sixth = invite(&demo, "often@mail.example", "Viewer").await;
    assert!(
        sixth.error().message.contains("five times today"),
        "{}",
        sixth.text
    );
    // A withdrawn invitation counts.
    let withdraw = "mutation ($c: uuid!) { deleteDataControllerUsers(where: {dataControllerId: \
                    {_eq: $c}, status: {_eq: \"invited\"}}) { affected_rows } }";
    let withdrawn = demo
        .ask(
            "user",
            withdraw,
            json!({"c": demo.fact("data_controller_id")}),
        )
        .await;
    assert_eq!(
        withdrawn.data()["deleteDataControllerUsers"]["affected_rows"],
        1
    );
    let sixth = invite(&demo, "OFTEN@mail.example", "Viewer").await;
    assert!(
        sixth.error().message.contains("five times today"),
        "{}",
        sixth.text
    );
    assert_eq!(mails(&sql, "often@mail.example").await.len(), 5);
    for n in 5..50 {
        membership(&invite(&demo, &format!("n{n}@mail.example"), "Viewer").await);
    }
    let last = invite(&demo, "n50@mail.example", "Viewer").await;
    assert!(last.error().message.contains("at most 50"), "{}", last.text);
    // What people call themselves makes neither lines nor links.
    let rename =
        "UPDATE users SET display_name = E'Win\\nhttps://evil.example <b>' WHERE id::text = $1";
    sql.execute(rename, &[&demo.fact("user_id")]).await.unwrap();
    sql.execute("DELETE FROM team_invitation_mails", &[])
        .await
        .unwrap();
    membership(&invite(&demo, "name@mail.example", "Viewer").await);
    let (_, body) = mails(&sql, "name@mail.example").await.remove(0);
    assert!(body.starts_with("Win https evil. example b lädt"), "{body}");
    let name = "SELECT name_in_mail($1)";
    for (written, sent) in [
        ("\u{202e}abc\u{2066} a/b", "abc a b"),
        ("www.evil.example", "www. evil. example"),
        ("Hansewerk Energie GmbH", "Hansewerk Energie GmbH"),
    ] {
        let row = sql.query_one(name, &[&written]).await.unwrap();
        assert_eq!(row.get::<_, String>(0), sent);
    }
}

/// By identifier as by address, and without the address.
#[tokio::test(flavor = "multi_thread")]
async fn membership_by_identifier_is_an_invitation() {
    let demo = Demo::start(&[]);
    let sql = connect(&demo).await;
    let stranger = stranger(&demo, &sql).await;
    let insert = "mutation ($c: uuid!, $u: uuid!) { insertDataControllerUser(object: \
                  {dataControllerId: $c, userId: $u, role: \"Viewer\"}) { id } }";
    let variables = json!({"c": demo.fact("data_controller_id"), "u": stranger});
    let list = "query ($id: uuid!) { teamInvitations(where: {dataControllerUserId: {_eq: $id}}) { \
                email sentCount inviter { displayName } } }";
    for _ in 0..5 {
        let made = demo.ask("user", insert, variables.clone()).await;
        let id = made.data()["insertDataControllerUser"]["id"].clone();
        let listed = demo.ask("user", list, json!({"id": id})).await;
        assert_eq!(
            listed.data()["teamInvitations"],
            json!([{"email": "", "sentCount": 0, "inviter": {"displayName": "Mara Lindemann"}}]),
            "{}",
            made.text
        );
        let withdrawn = demo.ask("user", WITHDRAW, json!({"id": id})).await;
        assert_eq!(withdrawn.data()["deleteDataControllerUser"]["id"], id);
    }
    let sixth = demo.ask("user", insert, variables).await;
    assert!(sixth.text.contains("five times today"), "{}", sixth.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn withdrawn_invitation_leaves_no_account() {
    let demo = Demo::start(&[]);
    let sql = connect(&demo).await;
    let variables = json!({"c": demo.fact("data_controller_id"), "email": "gone@mail.example",
                           "role": "Viewer", "name": "Greta Onne"});
    let account = "SELECT display_name, default_role FROM users WHERE email = 'gone@mail.example'";
    let first = membership(&demo.ask("user", INVITE, variables.clone()).await);
    let row = sql.query_one(account, &[]).await.unwrap();
    assert_eq!(row.get::<_, String>(0), "gone@mail.example");
    let withdrawn = demo.ask("user", WITHDRAW, json!({"id": first})).await;
    assert_eq!(withdrawn.data()["deleteDataControllerUser"]["id"], first);
    assert!(sql.query_opt(account, &[]).await.unwrap().is_none());

    // Who accepts has the name of the invitation, and after the last membership no team's role.
    let second = membership(&demo.ask("user", INVITE, variables).await);
    let person = user(&sql, "u.email = 'gone@mail.example'").await;
    let accepted = ask(&demo, "me", &person, ANSWER, json!({"id": second})).await;
    assert_eq!(
        accepted.data()["updateDataControllerUser"]["status"],
        "active"
    );
    let row = sql.query_one(account, &[]).await.unwrap();
    let values: (String, String) = (row.get(0), row.get(1));
    assert_eq!(values, ("Greta Onne".into(), "user".into()));
    let left = ask(&demo, "me", &person, WITHDRAW, json!({"id": second})).await;
    assert_eq!(left.data()["deleteDataControllerUser"]["id"], second);
    let row = sql.query_one(account, &[]).await.unwrap();
    let values: (String, String) = (row.get(0), row.get(1));
    assert_eq!(values, ("Greta Onne".into(), "dataSubject".into()));
}

/// Events during a membership stay with the team; events after it do not come to it.
#[tokio::test(flavor = "multi_thread")]
async fn audit_outlasts_a_membership() {
    let demo = Demo::start(&[]);
    let sql = connect(&demo).await;
    let viewer = member(&demo, &sql, "Viewer").await;
    let seen = async || {
        let count = "query ($c: uuid!, $u: uuid!) { teamAuthenticationEventsAggregate(where: \
                     {dataControllerId: {_eq: $c}, userId: {_eq: $u}}) { aggregate { count } } }";
        let variables = json!({"c": demo.fact("data_controller_id"), "u": viewer});
        let reply = demo.ask("user", count, variables).await;
        reply.data()["teamAuthenticationEventsAggregate"]["aggregate"]["count"].clone()
    };
    let sign_in = "INSERT INTO postern.authentication_event (event, outcome, user_id) VALUES \
                   ('sign-in', 'success', $1)";
    let of_member = "WHERE user_id::text = $1 AND data_controller_id::text = $2";
    let controller = demo.fact("data_controller_id");
    sql.execute(sign_in, &[&viewer]).await.unwrap();
    assert_eq!(seen().await, 1);
    for end in [
        format!("UPDATE data_controller_users SET status = 'suspended' {of_member}"),
        format!("DELETE FROM data_controller_users {of_member}"),
    ] {
        sql.execute(&end, &[&viewer, &controller]).await.unwrap();
        sql.execute(sign_in, &[&viewer]).await.unwrap();
        assert_eq!(seen().await, 1, "{end}");
    }
    let refused = sql
        .batch_execute("DELETE FROM team.membership_periods")
        .await;
    assert!(refused.is_err());
}

/// A failed delivery of the web shop and a key of the CRM, for those who try what they may not.
struct Things {
    delivery: String,
    key: String,
}

async fn things(demo: &Demo, sql: &Client) -> Things {
    let key = json!({"c": demo.fact("data_controller_id"), "service": "crm"});
    let key = demo.ask("user", CREATE_KEY, key).await;
    let key = key.data()["createIntegrationKey"]["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{}", key.text))
        .to_owned();
    let delivery = failed_delivery(sql).await;
    Things { delivery, key }
}

/// A delivery whose processing was given up, as the queue leaves it.
async fn failed_delivery(sql: &Client) -> String {
    let statement = "WITH d AS (
           INSERT INTO postern.webhook_delivery (id, service, delivery_id, verification, body)
           VALUES (gen_random_uuid(), 'ecommerce', gen_random_uuid()::text, 'hmac',
                   convert_to('{\"id\": 1, \"email\": \"lena.fischer@mail.example\"}', 'UTF8'))
           RETURNING id
         ), e AS (
           INSERT INTO postern.event_queue (trigger_name, kind, state, payload, attempts, finished_at)
           SELECT 'webhook:ecommerce', 'webhook', 'dead',
                  json_build_object('delivery', d.id, 'function', 'integrations.on_ecommerce'), 8, now() FROM d
           RETURNING id
         ), i AS (
           INSERT INTO postern.event_invocation (event_id, trigger_name, attempt, milliseconds, outcome, error)
           SELECT e.id, 'webhook:ecommerce', 8, 1, 'dead', 'P0001: the report names no person' FROM e
         )
         SELECT d.id::text FROM d";
    sql.query_one(statement, &[]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_administrators_look_after_team_and_integrations() {
    let demo = Demo::start(&[]);
    let sql = connect(&demo).await;
    let Things { delivery, key } = things(&demo, &sql).await;
    membership(&invite(&demo, "waits@mail.example", "Administrator").await);
    let invited = user(&sql, "u.email = 'waits@mail.example'").await;
    let controller = demo.fact("data_controller_id");
    let suspend = "WITH u AS (INSERT INTO users (email, display_name, default_role) VALUES \
                   ('former@team.example', 'Former', 'user') RETURNING id), m AS (INSERT INTO \
                   data_controller_users (data_controller_id, user_id, role, status) SELECT \
                   c.id, u.id, 'Administrator', 'suspended' FROM u, data_controllers c WHERE \
                   c.id::text = $1) SELECT u.id::text FROM u";
    let suspended: String = sql.query_one(suspend, &[&controller]).await.unwrap().get(0);
    let viewer = member(&demo, &sql, "Viewer").await;
    let editor = member(&demo, &sql, "Editor").await;
    let stranger = stranger(&demo, &sql).await;
    let mutations = [
        (
            INVITE,
            json!({"c": controller, "email": "x@mail.example", "role": "Viewer"}),
        ),
        (CREATE_KEY, json!({"c": controller, "service": "crm"})),
        (CREATE_KEY, json!({"c": UNKNOWN, "service": "crm"})),
        (REVOKE_KEY, json!({"id": key})),
        (REVOKE_KEY, json!({"id": UNKNOWN})),
        (REPLAY, json!({"id": delivery})),
        (REPLAY, json!({"id": UNKNOWN})),
    ];
    let for_administrators = [
        "query ($c: uuid!) { r: teamInvitations(where: {dataControllerId: {_eq: $c}}) { id } }",
        "query ($c: uuid!) { r: integrationKeys(where: {dataControllerId: {_eq: $c}}) { id } }",
        "query ($c: uuid!) { r: teamAuthenticationEvents(where: {dataControllerId: {_eq: $c}}) { id } }",
    ];
    let for_members = [
        "query ($c: uuid!) { r: integrationServices(where: {dataControllerId: {_eq: $c}}) { service } }",
        "query ($c: uuid!) { r: webhookDeliveries(where: {dataControllerId: {_eq: $c}}) { id } }",
    ];
    for (who, person, is_member) in [
        ("viewer", &viewer, true),
        ("editor", &editor, true),
        ("stranger", &stranger, false),
        ("invited", &invited, false),
        ("suspended", &suspended, false),
    ] {
        for (mutation, variables) in &mutations {
            let reply = ask(&demo, "user", person, mutation, variables.clone()).await;
            assert_eq!(
                (reply.error().code.as_str(), reply.error().message.as_str()),
                (
                    "permission-error",
                    "Access denied to data controller resources"
                ),
                "{who}: {mutation}: {}",
                reply.text
            );
        }
        for query in for_administrators {
            let reply = ask(&demo, "user", person, query, json!({"c": controller})).await;
            assert_eq!(
                reply.data()["r"],
                json!([]),
                "{who}: {query}: {}",
                reply.text
            );
        }
        for query in for_members {
            let reply = ask(&demo, "user", person, query, json!({"c": controller})).await;
            let rows = reply.data()["r"].as_array().map(Vec::len);
            assert_eq!(
                rows.is_some_and(|rows| rows > 0),
                is_member,
                "{who}: {query}: {}",
                reply.text
            );
        }
    }
    // Nor does any other role have them.
    for role in ["me", "dataSubject", "anonymous"] {
        for (mutation, variables) in &mutations {
            let reply = demo.ask(role, mutation, variables.clone()).await;
            assert_eq!(
                reply.error().code,
                "validation-failed",
                "{role}: {}",
                reply.text
            );
        }
        demo.hides(role, "integrationKeys", "integrationKeys { id }")
            .await;
        demo.hides(role, "webhookDeliveries", "webhookDeliveries { id }")
            .await;
        demo.hides(
            role,
            "teamAuthenticationEvents",
            "teamAuthenticationEvents { id }",
        )
        .await;
    }
    let keys =
        "SELECT count(*) FROM integrations.keys WHERE name IS NOT NULL AND revoked_at IS NULL";
    let keys: i64 = sql.query_one(keys, &[]).await.unwrap().get(0);
    assert_eq!(keys, 1, "nobody has made or revoked one");
}

async fn report(demo: &Demo, path: &str, number: usize) -> u16 {
    let body = json!({"event": "contact.updated", "number": number,
                      "contact": {"email": "lena.fischer@mail.example"}});
    let request = demo
        .client
        .post(format!("{}{path}", demo.fact("url")))
        .json(&body);
    Reply::of(request).await.unwrap().status
}

#[tokio::test(flavor = "multi_thread")]
async fn key_is_shown_once_and_ends() {
    let demo = Demo::start(&[]);
    let create = json!({"c": demo.fact("data_controller_id"), "service": "crm"});
    let made = demo.ask("user", CREATE_KEY, create).await;
    let made = made.data()["createIntegrationKey"].clone();
    let secret = made["secret"].as_str().unwrap();
    let path = made["path"].as_str().unwrap().replace("{key}", secret);
    assert_eq!(report(&demo, &path, 1).await, 200);
    let list = "{ integrationKeys(where: {name: {_eq: \"test\"}}) { service hint creator { \
                displayName } revokedAt } }";
    let listed = demo.ask("user", list, json!({})).await;
    assert_eq!(
        listed.data()["integrationKeys"],
        json!([{"service": "crm", "hint": &secret[60..],
                "creator": {"displayName": "Mara Lindemann"}, "revokedAt": null}]),
    );
    // Not even the admin reads it.
    let admin = "{ __schema { types { name } } integrationKeys { id service name hint } }";
    let admin = demo.ask_as_admin(admin, json!({})).await;
    assert!(!admin.text.contains(secret) && !admin.text.contains("digest"));
    let revoked = demo
        .ask("user", REVOKE_KEY, json!({"id": made["id"]}))
        .await;
    assert_eq!(revoked.data()["revokeIntegrationKey"]["status"], "success");
    assert_eq!(report(&demo, &path, 2).await, 401);
    for (service, code) in [("ecommerce", "conflict"), ("none", "action-failed")] {
        let create = json!({"c": demo.fact("data_controller_id"), "service": service});
        let refused = demo.ask("user", CREATE_KEY, create).await;
        assert_eq!(refused.error().code, code, "{}", refused.text);
    }
}

/// Another controller with surveys: the key that its Administrator makes speaks for it alone.
#[tokio::test(flavor = "multi_thread")]
async fn each_controller_signs_with_its_own_key() {
    let demo = Demo::start(&[]);
    let sql = connect(&demo).await;
    let other = demo.fact("other_data_controller_id");
    let administrator = format!(
        "EXISTS (SELECT FROM data_controller_users m WHERE m.user_id = u.id AND m.role = \
         'Administrator' AND m.status = 'active' AND m.data_controller_id = '{other}')"
    );
    let administrator = user(&sql, &administrator).await;
    let create = json!({"c": other, "service": "survey"});
    let made = ask(&demo, "user", &administrator, CREATE_KEY, create).await;
    let made = made.data()["createIntegrationKey"].clone();
    let path = made["path"].as_str().unwrap();
    let body = br#"{"event_id": "7", "form_response": {"hidden": {"email": "new.customer@mail.example"}}}"#;
    let kind = json!({"kind": "hmac", "header": "Typeform-Signature", "prefix": "sha256=", "secret": made["secret"]});
    let signed = sign(kind, body).await.unwrap();
    let send = async |path: &str| {
        let mut request = demo.client.post(format!("{}{path}", demo.fact("url")));
        for (name, value) in &signed.headers {
            request = request.header(name, value);
        }
        Reply::of(request.body(body.to_vec())).await.unwrap().status
    };
    assert_eq!(send(path).await, 200);
    let (_, did) = path.split_once("did=").unwrap();
    let foreign = path.replace(did, "did:web:hansewerk-energie.example");
    assert_eq!(send(&foreign).await, 401);
    assert_eq!(send(path.split('?').next().unwrap()).await, 401);
    let seen = ask(
        &demo,
        "user",
        &administrator,
        DELIVERIES,
        json!({"c": other}),
    )
    .await;
    assert_eq!(
        seen.data()["webhookDeliveries"].as_array().map(Vec::len),
        Some(1),
        "{}",
        seen.text
    );
    let foreign = demo.ask("user", DELIVERIES, json!({"c": other})).await;
    assert_eq!(foreign.data()["webhookDeliveries"], json!([]));
    let admin = demo
        .ask_as_admin("{ integrationKeys { id hint } }", json!({}))
        .await;
    assert!(!admin.text.contains(made["secret"].as_str().unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_delivery_is_processed_again() {
    let demo = Demo::start(&[]);
    let sql = connect(&demo).await;
    let id = failed_delivery(&sql).await;
    let controller = json!({"c": demo.fact("data_controller_id")});
    let failed = demo.ask("user", DELIVERIES, controller.clone()).await;
    assert_eq!(
        failed.data()["webhookDeliveries"],
        json!([{"id": id, "service": "ecommerce", "state": "failed", "attempts": 1,
                "lastError": "P0001: the report names no person"}]),
    );
    let services = "query ($c: uuid!) { integrationServices(where: {dataControllerId: {_eq: $c}, \
                    service: {_eq: \"ecommerce\"}}) { connected deliveries failed waiting } }";
    let counted = demo.ask("user", services, controller.clone()).await;
    assert_eq!(
        counted.data()["integrationServices"],
        json!([{"connected": true, "deliveries": 1, "failed": 1, "waiting": 0}]),
    );
    let replayed = demo.ask("user", REPLAY, json!({"id": id})).await;
    assert_eq!(
        replayed.data()["replayDelivery"]["status"],
        "success",
        "{}",
        replayed.text
    );
    let mut state = Value::Null;
    for _ in 0..200 {
        let reply = demo.ask("user", DELIVERIES, controller.clone()).await;
        state = reply.data()["webhookDeliveries"][0]["state"].clone();
        if state == "processed" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(state, "processed");
    let again = demo.ask("user", REPLAY, json!({"id": id})).await;
    assert_eq!(again.error().code, "conflict", "{}", again.text);
}

/// Who did it: the member by GraphQL, and nobody's name for the person, the service and the
/// operator, also after a member has extended the deadline.
#[tokio::test(flavor = "multi_thread")]
async fn history_of_a_request_names_the_member() {
    let demo = Demo::start(&[]);
    let sql = connect(&demo).await;
    let editor = member(&demo, &sql, "Editor").await;
    let viewer = member(&demo, &sql, "Viewer").await;
    let insert = "mutation ($id: uuid!) { insertDataSubjectsRightsRequest(object: \
                  {dataSubjectId: $id, requestType: \"rectification\"}) { id } }";
    let made = demo
        .ask(
            "dataSubject",
            insert,
            json!({"id": demo.fact("data_subject_id")}),
        )
        .await;
    let id = made.data()["insertDataSubjectsRightsRequest"]["id"].clone();
    let request = id
        .as_str()
        .unwrap_or_else(|| panic!("{}", made.text))
        .to_owned();
    let start = "SELECT start_rights_request(json_build_object('event', json_build_object('data', \
                 json_build_object('new', json_build_object('id', $1::text)))))";
    sql.execute(start, &[&request]).await.unwrap();
    let workflow = "mutation ($r: uuid!, $u: uuid!, $why: String!) { a: \
                    updateRightsRequestWorkflows(where: {dataSubjectRightsRequestId: {_eq: $r}}, \
                    _set: {assignedTo: $u}) { affected_rows } b: \
                    updateRightsRequestWorkflows(where: {dataSubjectRightsRequestId: {_eq: $r}}, \
                    _set: {extensionReason: $why}) { affected_rows } }";
    let variables = json!({"r": id, "u": demo.fact("user_id"), "why": "many records"});
    let moved = ask(&demo, "user", &editor, workflow, variables).await;
    assert_eq!(moved.data()["b"]["affected_rows"], 1, "{}", moved.text);
    let update = "mutation ($id: uuid!, $set: dataSubjectsRightsRequests_set_input!) { \
                  updateDataSubjectsRightsRequest(pk_columns: {id: $id}, _set: $set) { status } }";
    let set = json!({"verified": true, "identityEvidence": "passport", "status": "in_progress"});
    let foreign = ask(
        &demo,
        "user",
        &viewer,
        update,
        json!({"id": id, "set": set}),
    )
    .await;
    assert_eq!(
        foreign.data()["updateDataSubjectsRightsRequest"],
        Value::Null
    );
    let moved = demo
        .ask("user", update, json!({"id": id, "set": set}))
        .await;
    assert_eq!(
        moved.data()["updateDataSubjectsRightsRequest"]["status"],
        "in_progress",
        "{}",
        moved.text
    );
    let operator = "UPDATE rights_request_workflows SET assigned_to = NULL WHERE \
                    data_subject_rights_request_id::text = $1";
    sql.execute(operator, &[&request]).await.unwrap();

    let history = "query ($id: uuid!) { dataSubjectsRightsRequest(id: $id) { changes(order_by: \
                   {at: asc}) { field newValue changedBy newAssignee { displayName } } } }";
    let history = ask(&demo, "user", &viewer, history, json!({"id": id})).await;
    let changes = history.data()["dataSubjectsRightsRequest"]["changes"].clone();
    let changes: Vec<(&str, &Value)> = changes
        .as_array()
        .unwrap_or_else(|| panic!("{}", history.text))
        .iter()
        .map(|change| (change["field"].as_str().unwrap(), &change["changedBy"]))
        .collect();
    let mara = json!(demo.fact("user_id"));
    let editor = json!(editor);
    let expected = [
        ("assigned_to", &editor),
        ("due_at", &editor),
        ("verified", &mara),
        ("status", &mara),
        ("assigned_to", &Value::Null),
    ];
    // The service may have chosen the same member by itself.
    let first = expected.len() - changes.len().min(expected.len());
    assert!(
        changes.len() >= 4 && changes == expected[first..],
        "{}",
        history.text
    );

    let stranger = stranger(&demo, &sql).await;
    let rows = "{ rightsRequestChanges { id } }";
    let other = format!(
        "{{ rightsRequestChanges(where: {{dataSubjectRightsRequestId: {{_eq: \"{request}\"}}}}) {{ id }} }}"
    );
    for query in [rows, &other] {
        let reply = ask(&demo, "user", &stranger, query, json!({})).await;
        assert!(!reply.text.contains(&request), "{}", reply.text);
    }
    for role in ["dataSubject", "anonymous", "me"] {
        demo.hides(role, "rightsRequestChanges", "rightsRequestChanges { id }")
            .await;
    }
    for statement in ["DELETE FROM", "TRUNCATE"] {
        let refused = sql
            .batch_execute(&format!("{statement} rights_request_changes"))
            .await;
        assert!(refused.is_err(), "{statement}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_ins_are_seen_by_oneself_and_the_administrators() {
    let demo = Demo::start(&[]);
    let sign_in = demo
        .client
        .post(format!("{}/v1/signin/pat", demo.fact("url")))
        .json(&json!({"personalAccessToken": demo.fact("pat")}));
    assert_eq!(Reply::of(sign_in).await.unwrap().status, 200);
    for role in ["user", "me"] {
        let own = "{ sessions { id } authenticationEvents(limit: 1) { event outcome address } }";
        let own = demo.ask(role, own, json!({})).await.data();
        assert_eq!(own["sessions"].as_array().map(Vec::len), Some(1), "{own}");
        assert_eq!(own["authenticationEvents"][0]["event"], "sign-in", "{own}");
    }
    let team = "query ($c: uuid!) { teamAuthenticationEvents(where: {dataControllerId: {_eq: $c}, \
                event: {_eq: \"sign-in\"}}) { event outcome user { displayName } } }";
    let controller = json!({"c": demo.fact("data_controller_id")});
    let seen = demo.ask("user", team, controller).await;
    assert_eq!(
        seen.data()["teamAuthenticationEvents"],
        json!([{"event": "sign-in", "outcome": "success", "user": {"displayName": "Mara Lindemann"}}]),
        "{}",
        seen.text
    );
    let address = "{ teamAuthenticationEvents { address } }";
    assert_eq!(
        demo.ask("user", address, json!({})).await.error().code,
        "validation-failed"
    );
    // Somebody else's session does not end.
    let sql = connect(&demo).await;
    let viewer = member(&demo, &sql, "Viewer").await;
    let session = demo
        .ask("user", "{ sessions { id } }", json!({}))
        .await
        .data();
    let session = session["sessions"][0]["id"].clone();
    let revoke = "mutation ($id: uuid!) { revokeSession(args: {id: $id}) }";
    let foreign = ask(&demo, "user", &viewer, revoke, json!({"id": session})).await;
    assert_eq!(foreign.data()["revokeSession"], false, "{}", foreign.text);
    let own = demo.ask("me", revoke, json!({"id": session})).await;
    assert_eq!(own.data()["revokeSession"], true, "{}", own.text);
}
