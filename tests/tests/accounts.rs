//! Tests accounts over HTTP: people sign up and in by password, link, code and passkey, and with a
//! second factor. Mails go to a real SMTP server, and the tests read links and codes in them, open
//! pages and press their buttons, as people do.

mod authenticator_app;
mod factors;
mod mailbox;
mod page;
mod service;
mod software_key;

mod attacks;
mod ceremonies;
mod changes;
mod clients;
mod codes;
mod elevation;
mod factor_attacks;
#[cfg(target_os = "linux")]
mod hashing;
mod links;
mod mails;
mod openapi;
mod passkeys;
mod passwords;
mod redirects;
mod second_factors;
mod secrets;
mod sessions;
mod settings;
mod sign_up;
