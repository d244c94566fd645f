//! Runs property tests that shrink: a test draws its choices from a list of numbers, and [`check`]
//! searches for lists that make it fail, then for shorter ones. The first choice of each kind is
//! the simplest, so a short list gives a simple example.

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// The choices of one example.
#[derive(Debug)]
pub struct Choices<'a> {
    left: std::slice::Iter<'a, u16>,
}

impl Choices<'_> {
    /// Returns a number below `bound`, or zero when the list is exhausted.
    pub fn below(&mut self, bound: usize) -> usize {
        self.left
            .next()
            .map_or(0, |number| usize::from(*number) % bound.max(1))
    }

    /// Returns true in `percent` of a hundred cases.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }

    /// Picks one of the items; the first is the simplest.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        items.get(self.below(items.len()))
    }
}

/// Runs a test over this number of examples; every run generates identical examples. The error is
/// that of the smallest failing example.
pub fn check(
    examples: u32,
    test: impl Fn(&mut Choices<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let config = Config {
        cases: examples,
        failure_persistence: None,
        max_shrink_iters: 400,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let run = |numbers: Vec<u16>| {
        test(&mut Choices {
            left: numbers.iter(),
        })
        .map_err(TestCaseError::fail)
    };
    runner
        .run(&vec(any::<u16>(), 0..300), run)
        .map_err(|error| error.to_string())
}
