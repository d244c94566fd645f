//! Tests services with several senders: the deliveries of one suppress and hold up none of another,
//! for every method of verification and every place of the id.

use serde_json::{Value, json};
use tests::webhook_senders::{Signed, sign_all};

use super::service::{
    Delivery, SECRET, SETTINGS, Service, TOKEN_SECRET, WHSEC, accepted, builder, migrated,
};

const OTHER_SECRET: &str = "another secret, which is older";
const OTHER_WHSEC: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const BODY: &[u8] = b"{\"id\":\"evt-1001\"}";
const KEY: &str = "the key of the CRM";
const KEY_DIGEST: &str = "d11cccc665bff3bffe29a201d7f1d7287b5a01813c7c382360a52b23f5fedf97";

/// The places of an id.
const IDS: [(&str, &str); 3] = [
    ("digest", "\"digest\""),
    ("header", "{ header = \"X-Id\" }"),
    ("json", "{ json = \"id\" }"),
];

/// A declaration of methods, and what two senders of the service send.
struct Case {
    name: &'static str,
    methods: String,
    senders: [Vec<Value>; 2],
    /// Whether a signature covers the body, so that the body is taken once, whatever the id in a
    /// header is.
    is_signed: bool,
}

fn cases() -> Vec<Case> {
    let signed = |name, declaration: &str, kind: fn(&str) -> Value, secrets: [&str; 2]| Case {
        name,
        methods: declaration.replace("SECRETS", &format!("secrets = {secrets:?}")),
        senders: secrets.map(|secret| vec![kind(secret)]),
        is_signed: true,
    };
    let hmac = |secret: &str| json!({"kind": "hmac", "header": "X-Signature", "secret": secret});
    let jwe = |service: &str, controller: &str| json!({"kind": "jwe", "secret": TOKEN_SECRET, "claims": {"service": service, "controller": controller}});
    let legacy = |did: &str| json!({"kind": "legacy", "did": did});
    let token = format!("jwe = {{ secret = \"{TOKEN_SECRET}\" }}\n");
    let keys = format!(
        "legacy = {{ keys = {{ \"did:a\" = \"{KEY_DIGEST}\", \"did:b\" = \"{KEY_DIGEST}\" }} }}\n"
    );
    let texts = [SECRET, OTHER_SECRET];
    vec![
        signed(
            "hmac",
            "hmac = { header = \"X-Signature\", SECRETS }\n",
            hmac,
            texts,
        ),
        signed(
            "stripe",
            "stripe = { SECRETS }\n",
            |secret| json!({"kind": "stripe", "secret": secret}),
            texts,
        ),
        signed(
            "github",
            "github = { SECRETS }\n",
            |secret| json!({"kind": "github", "secret": secret}),
            texts,
        ),
        signed(
            "standard",
            "standard = { SECRETS }\n",
            |secret| json!({"kind": "standard", "secret": secret}),
            [WHSEC, OTHER_WHSEC],
        ),
        Case {
            name: "jwe",
            methods: token.clone(),
            senders: ["c1", "c2"].map(|controller| vec![jwe("SERVICE", controller)]),
            is_signed: false,
        },
        Case {
            name: "legacy",
            methods: keys.clone(),
            senders: ["did:a", "did:b"].map(|did| vec![legacy(did)]),
            is_signed: false,
        },
        Case {
            name: "hmac-jwe",
            methods: format!("hmac = {{ header = \"X-Signature\", secret = {SECRET:?} }}\n{token}"),
            senders: ["c1", "c2"].map(|controller| vec![hmac(SECRET), jwe("SERVICE", controller)]),
            is_signed: true,
        },
        Case {
            name: "any",
            methods: format!("verify = \"any\"\n{token}{keys}"),
            senders: [vec![jwe("SERVICE", "did:a")], vec![legacy("did:a")]],
            is_signed: false,
        },
        Case {
            name: "hmac-github",
            methods: format!(
                "hmac = {{ header = \"X-Signature\", secret = {SECRET:?} }}\ngithub \
                              = {{ secrets = {texts:?} }}\n"
            ),
            senders: texts
                .map(|secret| vec![hmac(SECRET), json!({"kind": "github", "secret": secret})]),
            is_signed: true,
        },
    ]
}

/// The services of all cases, with every place of an id.
fn settings(cases: &[Case]) -> String {
    let service = |case: &Case, (location, source): (&str, &str)| {
        format!(
            "[webhook.{}-{location}]\nfunction = \"record\"\nin_order = true\ndelivery_id = \
             {source}\n{}",
            case.name, case.methods
        )
    };
    let services: Vec<String> = cases
        .iter()
        .flat_map(|case| IDS.map(|id| service(case, id)))
        .collect();
    services.join("\n") + "\n[events]\ndeliver = false\n"
}

/// What the senders of the services send with [`BODY`], in the order of cases, places and senders.
async fn signatures(cases: &[Case]) -> Vec<Signed> {
    let mut requests = vec![];
    for case in cases {
        for (location, _) in IDS {
            for kind in case
                .senders
                .iter()
                .flatten()
                .filter(|kind| kind["kind"] != "legacy")
            {
                let mut kind = kind.clone();
                if kind["kind"] == "jwe" {
                    kind["claims"]["service"] = format!("{}-{location}", case.name).into();
                }
                requests.push((kind, BODY.to_vec()));
            }
        }
    }
    sign_all(requests).await.unwrap()
}

/// The delivery of a sender, with the next of the signatures.
fn delivery(
    service: &'static str,
    kinds: &[Value],
    signed: &mut impl Iterator<Item = Signed>,
) -> Delivery {
    let mut delivery = Delivery {
        service,
        headers: vec![],
        query: Default::default(),
        body: BODY.to_vec(),
    };
    for kind in kinds {
        match kind["did"].as_str() {
            Some(did) => delivery = delivery.parameter("did", did).parameter("svcKey", KEY),
            None => {
                let signed = signed.next().unwrap();
                delivery.headers.extend(signed.headers);
                delivery.query.extend(signed.query);
            }
        }
    }
    delivery
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_of_one_sender_neither_suppress_nor_hold_up_those_of_another() {
    let cases = cases();
    let database = migrated().await;
    let running = builder(&database, &settings(&cases)).start().await.unwrap();
    let sql = database.connect().await.unwrap();
    let service = Service::from_parts(running, database, sql);
    let mut signed = signatures(&cases).await.into_iter();
    for case in &cases {
        for (location, _) in IDS {
            let name: &'static str =
                Box::leak(format!("{}-{location}", case.name).into_boxed_str());
            let [a, b] = [0, 1].map(|sender| delivery(name, &case.senders[sender], &mut signed));
            let again = if location == "header" && !case.is_signed {
                "event received"
            } else {
                "event received before"
            };
            for (sender, id, message) in [
                (&a, "evt-1001", "event received"),
                (&b, "evt-1001", "event received"),
                (&a, "evt-1001", "event received before"),
                (&b, "evt-1001", "event received before"),
                (&a, "evt-1002", again),
                (&b, "evt-1002", again),
            ] {
                let reply = service.send(&sender.clone().header("X-Id", id)).await;
                accepted(&reply);
                assert_eq!(reply.json()["message"], message, "{name} {id}");
            }
            let keys = "SELECT count(*), count(DISTINCT q.ordering_key), count(DISTINCT \
                        d.senders), \
                        count(DISTINCT (d.senders, q.ordering_key)) \
                        FROM postern.webhook_delivery d JOIN postern.event_queue q ON q.payload \
                        ->> 'delivery' = d.id::text \
                        WHERE d.service = $1";
            let row = service.sql.query_one(keys, &[&name]).await.unwrap();
            let stored = if again == "event received" { 4 } else { 2 };
            assert_eq!(
                [0, 1, 2, 3].map(|column| row.get::<_, i64>(column)),
                [stored, 2, 2, 2],
                "{name}"
            );
        }
    }
    let leaked = "SELECT count(*) FROM postern.webhook_delivery WHERE senders::text ~ \
                  'did|secret' OR senders = '{}'";
    assert_eq!(
        service
            .sql
            .query_one(leaked, &[])
            .await
            .unwrap()
            .get::<_, i64>(0),
        0
    );
}

/// Stripe signs with both secrets while one is replaced.
#[tokio::test(flavor = "multi_thread")]
async fn sender_is_known_by_each_of_its_secrets_in_any_order() {
    let mut service = Service::start().await;
    let signed = async |secret| {
        Delivery::signed(
            "payments",
            json!({"kind": "stripe", "secret": secret}),
            BODY,
        )
        .await
    };
    let old = signed(OTHER_SECRET).await;
    let new = signed(SECRET).await;
    let signature = new.value("Stripe-Signature");
    let both = format!(
        "{},{}",
        old.value("Stripe-Signature"),
        signature.split_once(',').unwrap().1
    );
    let both = old.clone().with("Stripe-Signature", &both);
    for (secrets, delivery, message) in [
        (format!("{OTHER_SECRET:?}"), &old, "event received"),
        (
            format!("{OTHER_SECRET:?}, {SECRET:?}"),
            &both,
            "event received before",
        ),
        (
            format!("{SECRET:?}, {OTHER_SECRET:?}"),
            &old,
            "event received before",
        ),
        (
            format!("{SECRET:?}, {OTHER_SECRET:?}"),
            &both,
            "event received before",
        ),
    ] {
        let settings = format!("[webhook.payments]\nstripe = {{ secrets = [{secrets}] }}\n");
        let gateway = builder(&service.database, &settings).start().await;
        service.set_gateway(gateway.unwrap());
        let reply = service.send(delivery).await;
        assert_eq!(
            reply.json()["message"],
            message,
            "{secrets}: {}",
            reply.text
        );
    }
}

/// A delivery as gateways of the version before store it.
const STORE_BEFORE: &str = "
INSERT INTO postern.webhook_delivery (id, service, delivery_id, verification, sender, body, replay_key)
SELECT gen_random_uuid(), $1, $2, 'legacy', $3::text::jsonb, '', $4 ON CONFLICT DO NOTHING";

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_of_earlier_versions_keep_their_sender() {
    let script = plugins::migration_script();
    let version =
        "\nDO $migrate$ BEGIN\nIF NOT EXISTS (SELECT FROM postern.migration WHERE version = 9)";
    let before = format!("{}COMMIT;", script.split_once(version).unwrap().0);
    let database = tests::create("webhooks", &[&before, super::service::SCHEMA])
        .await
        .unwrap();
    let sql = database.connect().await.unwrap();
    let store = async |service: &str, id: &str, sender: Value, replay_key: Option<&str>| {
        sql.execute(
            STORE_BEFORE,
            &[&service, &id, &sender.to_string(), &replay_key],
        )
        .await
        .unwrap()
    };
    let [a, b] = ["did:web:a.example", "did:web:b.example"].map(|did| json!({"did": did}));
    assert_eq!(store("crm", "1", a.clone(), None).await, 1);
    assert_eq!(store("shop", "1", json!({}), Some("one")).await, 1);
    sql.batch_execute(&script).await.unwrap();
    // A gateway of the version before still runs.
    assert_eq!(store("crm", "1", a.clone(), None).await, 0);
    assert_eq!(store("crm", "1", b.clone(), None).await, 1);
    assert_eq!(store("crm", "1", b, None).await, 0);
    assert_eq!(store("crm", "2", a, None).await, 1);
    assert_eq!(store("shop", "2", json!({}), Some("one")).await, 0);
    // A new one beside it.
    let settings = SETTINGS.replace(
        "[webhook.crm]",
        "[webhook.crm]\ndelivery_id = { header = \"X-Id\" }",
    );
    let running = builder(&database, &settings).start().await.unwrap();
    let service = Service::from_parts(running, database, sql);
    let query = [
        ("did".to_owned(), "did:web:a.example".to_owned()),
        ("svcKey".to_owned(), KEY.to_owned()),
    ]
    .into();
    let crm = Delivery {
        service: "crm",
        headers: vec![],
        query,
        body: BODY.to_vec(),
    };
    for (id, message) in [
        ("1", "event received before"),
        ("2", "event received before"),
        ("3", "event received"),
    ] {
        let reply = service.send(&crm.clone().header("X-Id", id)).await;
        assert_eq!(reply.json()["message"], message, "{}", reply.text);
    }
    let shop = Delivery::shop(BODY)
        .await
        .header("X-Shopify-Webhook-Id", "1");
    assert_eq!(
        service.send(&shop).await.json()["message"],
        "event received before"
    );
    let shop = shop.with("X-Shopify-Webhook-Id", "3");
    accepted(&service.send(&shop).await);
    // What the new gateway has stored, the old one recognizes.
    let stored = |id: &'static str, sender: Value| {
        let sql = &service.sql;
        async move {
            let service = if sender == json!({}) { "shop" } else { "crm" };
            sql.execute(
                STORE_BEFORE,
                &[&service, &id, &sender.to_string(), &None::<&str>],
            )
            .await
            .unwrap()
        }
    };
    assert_eq!(stored("3", json!({"did": "did:web:a.example"})).await, 0);
    assert_eq!(stored("3", json!({"did": "did:web:c.example"})).await, 1);
    assert_eq!(stored("3", json!({})).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn delivery_that_fails_holds_up_its_sender_alone() {
    let declaration = format!(
        "[webhook.crm]\nfunction = \"record_json\"\nin_order = true\ndelivery_id = \"digest\"\n\
         legacy = {{ keys = {{ \"did:a\" = \"{KEY_DIGEST}\", \"did:b\" = \"{KEY_DIGEST}\" }} }}\n"
    );
    let function = "CREATE FUNCTION record_json(delivery postern.webhook_delivery) RETURNS void \
                    LANGUAGE sql AS $$ \
                    INSERT INTO seen (service, sender) SELECT postern.webhook_json(delivery) ->> \
                    'id', delivery.sender $$";
    let script = plugins::migration_script();
    let database = tests::create("webhooks", &[&script, super::service::SCHEMA, function])
        .await
        .unwrap();
    let running = builder(&database, &declaration).start().await.unwrap();
    let sql = database.connect().await.unwrap();
    let service = Service::from_parts(running, database, sql);
    let send = async |did: &str, body: &[u8]| {
        let query = [
            ("did".to_owned(), did.to_owned()),
            ("svcKey".to_owned(), KEY.to_owned()),
        ]
        .into();
        accepted(
            &service
                .send(&Delivery {
                    service: "crm",
                    headers: vec![],
                    query,
                    body: body.to_vec(),
                })
                .await,
        );
    };
    send("did:a", b"no json at all").await;
    send("did:a", BODY).await;
    send("did:b", BODY).await;
    send("did:b", b"{\"id\":\"evt-1002\"}").await;
    let seen =
        "SELECT coalesce(string_agg(sender ->> 'did' || ' ' || service, ', '), '') FROM seen";
    let seen = async || {
        service
            .sql
            .query_one(seen, &[])
            .await
            .unwrap()
            .get::<_, String>(0)
    };
    tests::wait::until("the other sender's are processed", async || {
        seen().await == "did:b evt-1001, did:b evt-1002"
    })
    .await;
}
