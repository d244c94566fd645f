-- What is kept for how long: contents of inbound webhooks and calls of asynchronous actions are removed after a time.

ALTER TABLE postern.webhook_delivery ADD COLUMN replay_key text, ADD COLUMN erased_at timestamptz;
COMMENT ON COLUMN postern.webhook_delivery.replay_key IS
  'The digest of the signed body, if the signature does not cover the id: a service has each once, so that nobody sends a body again under another id.';
COMMENT ON COLUMN postern.webhook_delivery.erased_at IS
  'When body, headers, sender and address were removed; the id stays, so that a repeated delivery is recognized.';
ALTER TABLE postern.webhook_delivery ADD CONSTRAINT webhook_delivery_no_replay UNIQUE (service, replay_key);
CREATE INDEX webhook_delivery_kept ON postern.webhook_delivery (service, received_at) WHERE erased_at IS NULL;

CREATE INDEX action_log_finished ON postern.action_log (finished_at) WHERE finished_at IS NOT NULL;
