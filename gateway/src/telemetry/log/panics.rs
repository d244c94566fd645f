//! Panics in the log: where they happened, and their message only where it is a constant. Other messages repeat what was
//! computed with, such as the text that a slice did not fit.

use std::any::Any;
use std::cell::RefCell;

thread_local! {
    /// Where this thread panicked last.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Has panics written to the log, in place of standard error.
pub fn catch_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line())).unwrap_or_default();
        tracing::error!(place, message = constant(panic.payload()), "panic");
        PLACE.with_borrow_mut(|last| *last = Some(place));
    }));
}

/// What the log says of a panic that was caught on the thread that it happened on.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let place = PLACE.with_borrow_mut(Option::take);
    let known = place.as_deref().into_iter().chain(constant(panic));
    known.fold("panic".to_owned(), |text, known| format!("{text}: {known}"))
}

/// The message, if no value is formatted into it.
fn constant(panic: &(dyn Any + Send)) -> Option<&'static str> {
    panic.downcast_ref::<&'static str>().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_constant_messages_are_told() {
        let caught = |work: fn()| panic_text(&*std::panic::catch_unwind(work).unwrap_err());
        assert_eq!(caught(|| panic!("a constant")), "panic: a constant");
        let formatted = caught(|| {
            let text = std::hint::black_box("s\u{e9}cret");
            let _ = &text[..std::hint::black_box(2)];
        });
        assert_eq!(formatted, "panic");
    }
}
