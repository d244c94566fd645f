//! Finds the parameter that was probably meant.

/// The most similar name, if one is similar enough, measured by the length of the name. Letter case
/// and underscores do not count.
pub(super) fn closest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let length = name.chars().count();
    let most = (1 + length / 4).min(length.saturating_sub(1));
    known
        .into_iter()
        .map(|known| {
            let distance = strsim::damerau_levenshtein(&folded(name), &folded(known));
            (distance, known)
        })
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_')
        .flat_map(char::to_lowercase)
        .collect()
}
