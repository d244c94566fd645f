//! Asks `answerFAQ` the questions of `tuning.toml` and `held_out.toml`, of which each expects
//! sources of `sources.toml`. An answer is right if its first source is one of them, or if it is
//! refused where that is expected or where the controller has none of them; it is wrong if another
//! source answers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::Demo;
use super::answer;

/// The least part of right answers and the greatest of wrong ones, in percent.
const LEAST_RIGHT: usize = 85;
const MOST_WRONG: usize = 3;

#[derive(Deserialize)]
struct Expected {
    /// Kinds of sources, separated by spaces.
    kind: String,
    #[serde(default)]
    title: Vec<String>,
    #[serde(default)]
    text: Vec<String>,
    /// The field of the controller that the text has to contain.
    fact: Option<String>,
    /// How many sources of the first one's kind there are.
    #[serde(default)]
    least: usize,
    most: Option<usize>,
}

#[derive(Deserialize)]
struct Questions {
    asked: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    /// The first word of the controller's title.
    controller: String,
    questions: Vec<(String, String)>,
}

struct Controllers {
    all: Value,
    entries: Value,
    purposes: Value,
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_have_the_expected_sources() {
    let sources: BTreeMap<String, Expected> = toml::from_str(include_str!("sources.toml")).unwrap();
    let demo = Demo::start(&[]);
    let controllers = Controllers::read(&demo).await;
    let mut asked = 0;
    for (name, text) in [
        ("tuning", include_str!("tuning.toml")),
        ("held out", include_str!("held_out.toml")),
    ] {
        let set: Questions = toml::from_str(text).unwrap();
        asked += measure(&demo, &controllers, &sources, name, &set).await;
    }
    assert!(asked >= 200, "{asked}");
}

async fn measure(
    demo: &Demo,
    controllers: &Controllers,
    sources: &BTreeMap<String, Expected>,
    name: &str,
    set: &Questions,
) -> usize {
    let mut asked = 0;
    let mut right = 0;
    let mut wrong = 0;
    let mut missed = Vec::new();
    for group in &set.asked {
        let controller = controllers.by_name(&group.controller);
        for (question, expected) in &group.questions {
            let found = answer(demo, &controller["id"], question).await;
            let expected: Vec<&str> = expected.split(' ').collect();
            let fitting: Vec<&Expected> = expected
                .iter()
                .filter(|name| **name != "refused")
                .map(|name| sources.get(*name).unwrap_or_else(|| panic!("no `{name}`")))
                .filter(|source| controllers.have(controller, source))
                .collect();
            let is_refused = found["sources"] == json!([]);
            let is_right = if is_refused {
                expected.contains(&"refused") || fitting.is_empty()
            } else {
                fitting.iter().any(|source| source.fits(controller, &found))
            };
            asked += 1;
            right += usize::from(is_right);
            wrong += usize::from(!is_right && !is_refused);
            if !is_right {
                missed.push(format!(
                    "{}: {question}: {expected:?}: {found}",
                    group.controller
                ));
            }
        }
    }
    assert!(
        right * 100 >= asked * LEAST_RIGHT,
        "{name}: {right} right of {asked}: {missed:#?}"
    );
    assert!(
        wrong * 100 <= asked * MOST_WRONG,
        "{name}: {wrong} wrong of {asked}: {missed:#?}"
    );
    asked
}

impl Controllers {
    async fn read(demo: &Demo) -> Controllers {
        let query = "{ dataControllers { id title dpoEmail city complianceConfiguration } \
                     dataControllerFaqs(where: {published: {_eq: true}}) \
                     { dataControllerId question } \
                     dataControllerProcessingPurposes(where: {status: {_eq: \"active\"}}) \
                     { dataControllerId title } }";
        let mut data = demo.ask_as_admin(query, json!({})).await.data();
        let controllers = Controllers {
            all: data["dataControllers"].take(),
            entries: data["dataControllerFaqs"].take(),
            purposes: data["dataControllerProcessingPurposes"].take(),
        };
        assert!(
            controllers
                .entries
                .as_array()
                .is_some_and(|entries| entries.len() > 100)
        );
        controllers
    }

    fn by_name(&self, name: &str) -> &Value {
        let has_name =
            |controller: &&Value| controller["title"].as_str().unwrap().starts_with(name);
        let mut all = self.all.as_array().unwrap().iter();
        all.find(has_name)
            .unwrap_or_else(|| panic!("no controller `{name}`"))
    }

    /// Whether a controller has a text of its own that is the source; its profile and notice have
    /// every field.
    fn have(&self, controller: &Value, source: &Expected) -> bool {
        let (rows, title) = match source.kind.as_str() {
            "faq" => (&self.entries, "question"),
            "purpose" => (&self.purposes, "title"),
            _ => return true,
        };
        rows.as_array().unwrap().iter().any(|row| {
            row["dataControllerId"] == controller["id"] && has_one_of(&source.title, &row[title])
        })
    }
}

impl Expected {
    fn fits(&self, controller: &Value, answer: &Value) -> bool {
        let sources = answer["sources"].as_array().unwrap();
        let first = &sources[0];
        let count = sources
            .iter()
            .filter(|source| source["kind"] == first["kind"])
            .count();
        let fact = match self.fact.as_deref() {
            Some("authority") => {
                controller["complianceConfiguration"]["supervisoryAuthority"].clone()
            }
            Some("days") => controller["complianceConfiguration"]["answerWithinDays"]
                .to_string()
                .into(),
            Some(field) => controller[field].clone(),
            None => json!(""),
        };
        self.kind.split(' ').any(|kind| first["kind"] == kind)
            && has_one_of(&self.title, &first["title"])
            && has_one_of(&self.text, &first["text"])
            && first["text"]
                .as_str()
                .unwrap()
                .contains(fact.as_str().unwrap())
            && self.least <= count
            && self.most.is_none_or(|most| count <= most)
    }
}

fn has_one_of(words: &[String], text: &Value) -> bool {
    let text = text.as_str().unwrap().to_lowercase();
    words.is_empty() || words.iter().any(|word| text.contains(word.as_str()))
}
