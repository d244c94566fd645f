//! How much the values of one request may come to. A value that is used many times is a parameter each time, so a small
//! request could ask for more text than there is memory.

use crate::error::{Cause, Error};
use crate::variables::{Template, Variables};

/// What is left of the bytes that the values of a request may have, as the text they travel in.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    left: usize,
    most: usize,
}

/// So many bytes the values may have where nothing else is said.
const MOST: usize = 64 << 20;

impl Default for Room {
    fn default() -> Room {
        Room::new(MOST)
    }
}

impl Room {
    /// Room for so many bytes.
    pub fn new(most: usize) -> Room {
        Room { left: most, most }
    }

    /// Takes what a parameter needs.
    pub(crate) fn take(&mut self, text: Option<&str>) -> Result<(), Error> {
        self.left = self.left.checked_sub(text.map_or(0, str::len)).ok_or_else(|| self.exceeded())?;
        Ok(())
    }

    /// Refuses a list or an object of the document that would be too long with its variables put in. A variable alone is
    /// not put in anywhere, and is no longer than the request.
    pub(super) fn check(&self, value: &Template, variables: &Variables) -> Result<(), Error> {
        let mut left = self.left;
        match value {
            Template::Json(_) | Template::Variable(_) => Ok(()),
            written if written.fits(variables, &mut left) => Ok(()),
            _ => Err(self.exceeded()),
        }
    }

    fn exceeded(&self) -> Error {
        Cause::Limit { limit: "bytes of a request's values", value: self.most }.under("$")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::variables::Place;

    fn variables(given: Json) -> Variables {
        let Json::Object(given) = given else { panic!("no object") };
        Variables::from(given)
    }

    #[test]
    fn room_is_taken_until_there_is_none() {
        let mut room = Room::new(5);
        assert_eq!((room.take(Some("abc")), room.take(None), room.take(Some("de"))), (Ok(()), Ok(()), Ok(())));
        let refused = room.take(Some("f")).unwrap_err();
        assert_eq!(refused.to_string(), "the limit on bytes of a request's values is 5");
    }

    #[test]
    fn what_is_written_around_variables_is_measured_before_it_is_made() {
        let held = variables(json!({"v": "x".repeat(1000), "w": {"key": [1, 2, null]}}));
        let variable = |name| Template::Variable(Place::variable(name));
        let room = Room::new(10_000);
        let list = |many| Template::List(vec![variable("v"); many]);
        assert_eq!(room.check(&list(9), &held), Ok(()));
        assert!(room.check(&list(10), &held).is_err());
        let object = |many: usize| Template::Object((0..many).map(|n| (n.to_string(), variable("w"))).collect());
        assert_eq!(room.check(&object(100), &held), Ok(()));
        assert!(room.check(&Template::List(vec![object(100); 10]), &held).is_err());
        // What is not there is nothing; and what is borrowed needs no room of its own.
        assert_eq!(room.check(&Template::List(vec![variable("absent"); 100_000]), &held), Ok(()));
        assert_eq!(Room::new(1).check(&variable("v"), &held), Ok(()));
    }
}
