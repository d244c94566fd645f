-- Other providers, whose people are users here, and users without an address.

CREATE TABLE postern.external_identity (
  id           uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  issuer       text        NOT NULL,
  subject      text        NOT NULL,
  user_id      text        NOT NULL,
  provider     text        NOT NULL,
  email        text,
  linked_at    timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  tokens       bytea,
  UNIQUE (issuer, subject)
);
CREATE INDEX ON postern.external_identity (user_id);
COMMENT ON TABLE postern.external_identity IS 'A person at another provider who signs in as a user here.';
COMMENT ON COLUMN postern.external_identity.subject IS 'The person as the provider knows them; addresses change, this does not.';
COMMENT ON COLUMN postern.external_identity.email IS 'The address that the provider has given last, for people to recognize.';
COMMENT ON COLUMN postern.external_identity.tokens IS 'The provider''s tokens until the application takes them, sealed; null unless the settings keep them.';

ALTER TABLE postern.account ADD COLUMN is_anonymous boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN postern.account.is_anonymous IS 'Whether the user has given neither an address nor a credential yet.';

ALTER TABLE postern.ticket
  DROP CONSTRAINT ticket_purpose_check,
  ADD CONSTRAINT ticket_purpose_check CHECK (purpose IN
    ('verify', 'change', 'reset', 'link', 'code', 'elevate', 'mfa', 'webauthn', 'oauth', 'handover')),
  ADD COLUMN browser bytea CHECK (length(browser) = 32);
COMMENT ON COLUMN postern.ticket.browser IS
  'SHA-256 of a cookie, so that a sign-in by another provider ends in the browser in which it began.';
