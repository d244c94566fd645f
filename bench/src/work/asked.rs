//! Generates the values of many requests of each work from a seed.

use super::{Data, Work, data};

/// The values of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The values, in the order of the work's parameters.
    pub values: Vec<(&'static str, String)>,
    /// The number of the calling user, where it determines the response.
    pub user: Option<u32>,
}

/// The values of `count` requests; a larger count extends the list without changing its beginning.
pub fn asked(work: &Work, data: Data, seed: u64, count: usize) -> Vec<Asked> {
    let mut drawn = Drawn(seed);
    (0..count).map(|_| one(work, data, &mut drawn)).collect()
}

fn one(work: &Work, data: Data, drawn: &mut Drawn) -> Asked {
    let user = drawn.number(Data::USERS);
    let is_users = work.parameters.contains(&"user");
    let value = |name: &&'static str| (*name, value(work, name, data, user, drawn));
    Asked {
        values: work.parameters.iter().map(value).collect(),
        user: is_users.then_some(user),
    }
}

fn value(work: &Work, name: &str, data: Data, user: u32, drawn: &mut Drawn) -> String {
    match name {
        "id" | "subject_id" => data::subject(drawn.number(data.subjects)),
        "controller" if work.name == "page" => data::controller(drawn.number(data.controllers())),
        "controller" => data::controller(drawn.number(data.busy_controllers())),
        // Late enough that enough rows precede it.
        "before" => {
            data::moment(data.subjects / 4 + drawn.number(data.subjects - data.subjects / 4))
        }
        "user" => data::user(user),
        "without" => drawn.draw(&["blocked", "deleted"]),
        "kind" => drawn.draw(&["access", "erasure", "export", "objection"]),
        "status" => drawn.draw(&["open", "done", "refused"]),
        "title" => format!("Called, \"{}\" times", drawn.number(1_000)),
        "body" => format!(
            "Wants to know what became of request {}.\nCalls again.",
            drawn.number(1_000_000)
        ),
        _ => String::new(),
    }
}

/// Pseudo-random numbers, determined by the seed: splitmix64,
/// <https://prng.di.unimi.it/splitmix64.c>.
struct Drawn(u64);

impl Drawn {
    /// A number from 1 to `bound`.
    fn number(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // Below `bound`, which is of 32 bits.
        1 + (mixed % u64::from(bound.max(1))) as u32
    }

    fn draw(&mut self, words: &[&str]) -> String {
        let index = self.number(words.len() as u32) as usize - 1;
        words.get(index).copied().unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work;

    #[test]
    fn requests_differ_and_are_determined_by_the_seed() {
        for work in work::all() {
            let first = asked(work, Data::WHOLE, 1, 50);
            assert_eq!(first, asked(work, Data::WHOLE, 1, 50));
            assert_eq!(first[..20], asked(work, Data::WHOLE, 1, 20));
            assert!(
                first.iter().any(|asked| Some(asked) != first.first()),
                "{}",
                work.name
            );
            assert!(
                first
                    .iter()
                    .flat_map(|asked| &asked.values)
                    .all(|(_, value)| !value.is_empty()),
                "{}",
                work.name
            );
        }
    }
}
