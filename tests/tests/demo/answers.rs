//! Tests `answerFAQ`: as a query, as a mutation and over REST, across the languages of the demo,
//! and for whom.

mod model;
mod questions;

use serde_json::{Value, json};
use tests::reply::Reply;

use super::{Caller, Demo};

const QUERY: &str = "query ($c: uuid!, $q: String!) { answerFAQ(dataControllerId: $c, question: \
                     $q) \
                     { answer language generated sources { id kind title text language score } } \
                     }";

const MUTATION: &str = "mutation ($c: uuid!, $q: String!) { answerFAQ(dataControllerId: $c, \
                        question: $q) \
                        { answer generated sources { id } } }";

const DENIED: &str = "Access denied to data controller resources";

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_answered_from_the_controllers_own_texts() {
    let demo = Demo::start(&[]);
    every_controller_answers_in_every_language(&demo).await;
    answers_have_sources_in_sentences(&demo).await;
    answers_say_what_they_answer(&demo).await;
    other_companies_are_refused(&demo).await;
    only_visible_controllers_answer(&demo).await;
    drafts_answer_nothing(&demo).await;
    hostile_questions_are_words(&demo).await;
}

async fn answer(demo: &Demo, controller: &Value, question: &str) -> Value {
    let reply = demo
        .ask("anonymous", QUERY, json!({"c": controller, "q": question}))
        .await;
    let response = reply.data()["answerFAQ"].clone();
    assert!(
        response["answer"]
            .as_str()
            .is_some_and(|text| text.ends_with('.')),
        "{question}: {}",
        reply.text
    );
    assert_eq!(response["generated"], false);
    response
}

async fn every_controller_answers_in_every_language(demo: &Demo) {
    let all = demo
        .answers("anonymous", "dataControllers { id title language }")
        .await;
    let all = all["dataControllers"].as_array().unwrap();
    assert!(all.len() >= 3);
    for controller in all {
        // The same entry, whatever language it is asked in, and with letters wrong.
        let mut found = vec![];
        for question in [
            "How do I withdraw my consent?",
            "Wie widerrufe ich meine Einwilligung?",
            "Hoe trek ik mijn toestemming in?",
            "withdrawl of consent",
            "Einwilligungserklärung widerrufen",
        ] {
            let response = answer(demo, &controller["id"], question).await;
            assert_eq!(response["language"], controller["language"]);
            let first = &response["sources"][0];
            assert_eq!(first["kind"], "faq", "{question}: {response}");
            found.push(first["id"].clone());
        }
        assert!(
            found.windows(2).all(|pair| pair[0] == pair[1]),
            "{controller}: {found:?}"
        );
    }
}

async fn answers_have_sources_in_sentences(demo: &Demo) {
    let controller = json!(demo.fact("data_controller_id"));
    for (question, kind, part) in [
        (
            "Wie lange bewahren Sie Rechnungen auf?",
            "faq",
            "8 Jahre lang aufzubewahren",
        ),
        (
            "Wie lange bewahren Sie Newsletter-Daten auf?",
            "purpose",
            "Monate",
        ),
        ("How long do you keep invoices?", "purpose", "months"),
        (
            "Können Sie alle meine Daten löschen?",
            "faq",
            "Auf die Frage „",
        ),
        ("Who gets my data?", "purpose", "PostDuif"),
        ("Wo kann ich mich beschweren?", "faq", "Aufsichtsbehörde"),
        (
            "Who is your data protection officer?",
            "controller",
            "datenschutz@hansewerk-energie.example",
        ),
        ("Welche Rechte habe ich?", "notice", "Auskunft"),
    ] {
        let response = answer(demo, &controller, question).await;
        assert!(
            response["answer"].as_str().unwrap().contains(part),
            "{question}: {response}"
        );
        let sources = response["sources"].as_array().unwrap();
        assert_eq!(sources[0]["kind"], json!(kind), "{question}: {response}");
        let scores: Vec<f64> = sources
            .iter()
            .map(|source| source["score"].as_f64().unwrap())
            .collect();
        assert!(
            scores.iter().all(|score| (0.0..=1.0).contains(score)),
            "{scores:?}"
        );
    }
    // What the controller says nothing about has no sources, and says whom to ask.
    let response_value = answer(demo, &controller, "Wie wird das Wetter morgen?").await;
    assert_eq!(response_value["sources"], json!([]));
    assert!(
        response_value["answer"]
            .as_str()
            .unwrap()
            .contains("datenschutz@hansewerk-energie.example"),
        "{response_value}"
    );

    let variables = json!({"c": controller, "q": "Wie widerrufe ich meine Einwilligung?"});
    let mutation = demo
        .ask("dataSubject", MUTATION, variables.clone())
        .await
        .data();
    let query = demo.ask("dataSubject", QUERY, variables).await.data();
    assert_eq!(
        mutation["answerFAQ"]["answer"],
        query["answerFAQ"]["answer"]
    );
    let rest = |method: reqwest::Method| {
        let url = format!("{}/api/rest/answerfaq", demo.fact("url"));
        let request = demo
            .client
            .request(method.clone(), url)
            .bearer_auth(demo.token("user"))
            .header("X-Gateway-Role", "user");
        let values = json!({"dataControllerId": controller, "question": "Wie widerrufe ich meine \
             Einwilligung?"});
        Reply::of(if method == reqwest::Method::GET {
            request.query(&values)
        } else {
            request.json(&values)
        })
    };
    for method in [reqwest::Method::GET, reqwest::Method::POST] {
        let reply = rest(method).await.unwrap();
        assert_eq!(reply.status, 200, "{}", reply.text);
        assert_eq!(reply.json()["answerFAQ"], query["answerFAQ"]);
    }
}

/// A yes or no stands behind the question that it answers, and one entry alone is the answer.
async fn answers_say_what_they_answer(demo: &Demo) {
    for (controller, language, questions) in [
        (
            "data_controller_id",
            "de",
            [
                "Sie verkaufen meine Daten also nicht, oder?",
                "So you do NOT sell my data, right?",
                "Können Sie alle meine Daten löschen?",
            ],
        ),
        (
            "other_data_controller_id",
            "en",
            [
                "So you do NOT sell my data, right?",
                "You won't keep anything after an erasure, will you?",
                "Jullie verkopen mijn gegevens toch niet?",
            ],
        ),
    ] {
        for question in questions {
            let response = answer(demo, &json!(demo.fact(controller)), question).await;
            let source = &response["sources"][0];
            assert_eq!(
                (&source["kind"], &response["language"]),
                (&json!("faq"), &json!(language))
            );
            let title = source["title"].as_str().unwrap();
            let text = source["text"].as_str().unwrap();
            let expected = match language {
                "de" => format!("Auf die Frage „{title}“: {text}"),
                _ => format!("To “{title}”: {text}"),
            };
            assert_eq!(response["answer"], expected, "{question}");
        }
    }
    // What is made from fields is in the language of the question.
    let controller = json!(demo.fact("data_controller_id"));
    for (question, language) in [
        ("How long do you keep my data?", "en"),
        ("Wie lange speichern Sie meine Daten?", "de"),
        ("Hoe lang bewaren jullie mijn gegevens?", "nl"),
        ("What will the weather be tomorrow?", "en"),
    ] {
        assert_eq!(
            answer(demo, &controller, question).await["language"],
            language,
            "{question}"
        );
    }
}

/// No controller answers from its own texts what is asked about another company.
async fn other_companies_are_refused(demo: &Demo) {
    let all = demo
        .answers("anonymous", "dataControllers { id title }")
        .await;
    let all = all["dataControllers"].as_array().unwrap();
    for (index, controller) in all.iter().enumerate() {
        let other = all[(index + 1) % all.len()]["title"].as_str().unwrap();
        for question in [
            format!("Does {other} sell my data?"),
            format!("Wie lange speichert {other} meine Daten?"),
            "Deelt u mijn gegevens met Facebook?".to_owned(),
        ] {
            let response = answer(demo, &controller["id"], &question).await;
            assert_eq!(response["sources"], json!([]), "{question}: {response}");
            let own = controller["title"].as_str().unwrap();
            assert!(
                response["answer"].as_str().unwrap().contains(own),
                "{response}"
            );
        }
    }
}

async fn only_visible_controllers_answer(demo: &Demo) {
    for (role, controller) in [
        ("user", demo.fact("other_data_controller_id")),
        ("dataSubject", demo.fact("other_data_controller_id")),
        ("anonymous", "00000000-0000-0000-0000-000000000000"),
    ] {
        for document in [QUERY, MUTATION] {
            let reply = demo
                .ask(role, document, json!({"c": controller, "q": "consent"}))
                .await;
            assert_eq!(reply.error().message, DENIED, "{role}: {}", reply.text);
        }
        let url = format!("{}/api/rest/answerfaq", demo.fact("url"));
        let request = demo
            .client
            .get(url)
            .bearer_auth(demo.token(role))
            .header("X-Gateway-Role", role);
        let reply =
            Reply::of(request.query(&json!({"dataControllerId": controller, "question": "x"})))
                .await
                .unwrap();
        assert_eq!(
            (reply.status, reply.json()),
            (
                403,
                json!({"status": "error", "message": DENIED, "data": null})
            )
        );
    }
    // A role that has no public texts does not know the field, and a subject without a person sees
    // no controller.
    assert_eq!(
        demo.ask(
            "me",
            QUERY,
            json!({"c": demo.fact("data_controller_id"), "q": "x"})
        )
        .await
        .error()
        .code,
        "validation-failed"
    );
    let nobody = Caller {
        role: "dataSubject",
        values: &[],
    };
    let reply = demo
        .ask_as(
            nobody,
            QUERY,
            json!({"c": demo.fact("data_controller_id"), "q": "x"}),
        )
        .await;
    assert_eq!(reply.error().message, DENIED, "{}", reply.text);
}

async fn drafts_answer_nothing(demo: &Demo) {
    let controller = demo.fact("data_controller_id");
    let insert = "mutation ($c: uuid!, $p: Boolean!) { insertDataControllerFaq(object: \
                  {dataControllerId: $c, \
                  question: \"Gibt es Zwergpinguine?\", answer: \"Ja.\", published: $p}) { id } }";
    for (published, count) in [(false, 0), (true, 1)] {
        demo.ask("user", insert, json!({"c": controller, "p": published}))
            .await
            .data();
        let response = answer(demo, &json!(controller), "Zwergpinguine").await;
        assert_eq!(
            response["sources"].as_array().unwrap().len(),
            count,
            "{response}"
        );
    }
}

async fn hostile_questions_are_words(demo: &Demo) {
    let controller = json!(demo.fact("data_controller_id"));
    for question in [
        "",
        "   ",
        "!&|:*'\\ <->",
        "'; DROP TABLE users; --",
        "a & b | !c",
        "\u{0}x",
        &"x".repeat(5000),
        &"wort ".repeat(2000),
        "\u{202e}\u{200b}",
        "ﷺ".repeat(400).as_str(),
    ] {
        let reply = demo
            .ask("anonymous", QUERY, json!({"c": controller, "q": question}))
            .await;
        let is_answered = reply.data()["answerFAQ"]["answer"].is_string();
        assert!(
            is_answered || question.contains('\u{0}') && reply.status < 500,
            "{question:.40}: {}",
            reply.text
        );
    }
}
