-- The calls of asynchronous actions. A mutation adds a row and returns its id; a gateway claims it, calls the handler,
-- and stores the answer.

CREATE TABLE postern.action_log (
  id            uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  action        text        NOT NULL,
  input         jsonb       NOT NULL,
  session       jsonb       NOT NULL,
  request_query text        NOT NULL,
  status        text        NOT NULL DEFAULT 'created' CHECK (status IN ('created', 'processing', 'completed', 'failed')),
  attempts      int         NOT NULL DEFAULT 0,
  claimed_until timestamptz,
  output        jsonb,
  errors        jsonb,
  created_at    timestamptz NOT NULL DEFAULT now(),
  finished_at   timestamptz
);
COMMENT ON TABLE postern.action_log IS 'Calls of asynchronous actions, and what became of them.';
COMMENT ON COLUMN postern.action_log.session IS 'The caller''s session values; only the same caller may read the outcome.';
COMMENT ON COLUMN postern.action_log.claimed_until IS 'Until when the gateway that processes the call has it for itself.';
CREATE INDEX action_log_open ON postern.action_log (created_at) WHERE status IN ('created', 'processing');
CREATE INDEX action_log_created_at ON postern.action_log (created_at);
