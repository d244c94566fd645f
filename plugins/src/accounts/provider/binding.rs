//! What a sign-in at a provider is bound to.

/// What a sign-in is bound to, made of its state, so that none of it is stored.
pub(in crate::accounts) struct Binding<'a> {
    /// The state, which the provider gives back.
    pub(in crate::accounts) state: &'a str,
    /// What the id token has to contain.
    pub(in crate::accounts) nonce: String,
    /// The verifier of the code: <https://www.rfc-editor.org/rfc/rfc7636>
    pub(in crate::accounts) verifier: String,
    /// Where the provider sends the person back to.
    pub(in crate::accounts) callback: String,
}
