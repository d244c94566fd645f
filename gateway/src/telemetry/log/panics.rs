//! Logs panics: their location, and their message only if it is a constant. Other messages may
//! contain values, such as the text that a slice index did not fit.

use std::any::Any;
use std::cell::RefCell;

thread_local! {
    /// The location of this thread's last panic.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Installs a panic hook that writes to the log instead of standard error.
pub fn catch_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let location = panic
            .location()
            .map(|source_location| format!("{}:{}", source_location.file(), source_location.line()))
            .unwrap_or_default();
        tracing::error!(location, message = constant(panic.payload()), "panic");
        PLACE.with_borrow_mut(|last| *last = Some(location));
    }));
}

/// The description of a caught panic. Must be called on the thread that panicked.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let location = PLACE.with_borrow_mut(Option::take);
    let known = location.as_deref().into_iter().chain(constant(panic));
    known.fold("panic".to_owned(), |text, known| format!("{text}: {known}"))
}

/// The message, if it contains no formatted values.
fn constant(panic: &(dyn Any + Send)) -> Option<&'static str> {
    panic.downcast_ref::<&'static str>().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_constant_messages_are_logged() {
        let caught = |work: fn()| panic_text(&*std::panic::catch_unwind(work).unwrap_err());
        assert_eq!(caught(|| panic!("a constant")), "panic: a constant");
        let formatted = caught(|| {
            let text = std::hint::black_box("s\u{e9}cret");
            let _ = &text[..std::hint::black_box(2)];
        });
        assert_eq!(formatted, "panic");
    }
}
