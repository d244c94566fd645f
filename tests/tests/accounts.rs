//! Tests accounts over HTTP: people sign up and in by password, link and code. Mails go to a real
//! SMTP server, and the tests read links and codes in them, open pages and press their buttons, as
//! people do.

mod mailbox;
mod page;
mod service;

mod attacks;
mod changes;
mod clients;
mod codes;
#[cfg(target_os = "linux")]
mod hashing;
mod links;
mod mails;
mod openapi;
mod passwords;
mod redirects;
mod secrets;
mod settings;
mod sign_up;
