//! Tests the language model that `POSTERN_DEMO_MODEL_URL` names: it words what was found, is not
//! called where nothing was, and its faults leave the service's own answer.

use serde_json::{Value, json};
use tests::binary;

use super::super::Demo;
use super::QUERY;
use crate::http::elsewhere::{Answer, Elsewhere};

fn completion(text: &str) -> Answer {
    Answer::ok(json!({"choices": [
        {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}))
}

fn start(model: &str) -> Demo {
    let mut command = binary::command(&["demo", "--listen", "127.0.0.1:0"]);
    command.env("POSTERN_DEMO_MODEL_URL", model);
    command.env("POSTERN_DEMO_MODEL", "small");
    Demo::with_copy(command)
}

#[tokio::test(flavor = "multi_thread")]
async fn model_words_only_what_was_found() {
    let model = Elsewhere::start(completion("No, it does not sell your data.")).await;
    let demo = start(&model.url("/v1/chat/completions"));
    let controller = demo.fact("data_controller_id").to_owned();
    let ask = async |question: &str| {
        let variables = json!({"c": controller, "q": question});
        demo.ask("anonymous", QUERY, variables).await.data()["answerFAQ"].clone()
    };
    for question in [
        "Does Brightwater sell my data?",
        "What is the capital of France?",
        "Hello",
    ] {
        let refused = ask(question).await;
        assert_eq!(
            (&refused["generated"], &refused["sources"]),
            (&json!(false), &json!([]))
        );
    }
    assert_eq!(model.asked().len(), 0);

    let worded = ask("Do you sell my data?").await;
    assert_eq!(
        (&worded["answer"], &worded["generated"]),
        (&json!("No, it does not sell your data."), &json!(true))
    );
    let request: Value = serde_json::from_str(&model.asked()[0].body).unwrap();
    let content = request["messages"][1]["content"].as_str().unwrap();
    let content: Value = serde_json::from_str(content).unwrap();
    assert_eq!(content["passages"], worded["sources"]);

    model.answer(Answer::of("500 Internal Server Error", json!({})));
    let own = ask("Do you sell my data?").await;
    assert_eq!(
        (&own["generated"], &own["sources"]),
        (&json!(false), &worded["sources"])
    );
    assert!(
        own["answer"]
            .as_str()
            .unwrap()
            .starts_with("Auf die Frage „"),
        "{own}"
    );
}
