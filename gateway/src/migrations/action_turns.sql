-- Callers and actions take turns: a call has the number of its caller's turn, and at most so many calls of a caller wait.

ALTER TABLE postern.action_log ADD COLUMN caller text, ADD COLUMN turn bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN postern.action_log.caller IS 'A digest of the session values, or of the address of a caller without any, until the call has finished.';
COMMENT ON COLUMN postern.action_log.turn IS 'Waiting calls of an action are taken up in this order; those of one caller follow each other.';
COMMENT ON COLUMN postern.action_log.attempts IS 'How often the handler was begun: never, or once.';
CREATE INDEX action_log_turn ON postern.action_log (action, turn, created_at) WHERE status = 'created';
CREATE INDEX action_log_caller ON postern.action_log (caller, action, turn) WHERE status = 'created';
CREATE INDEX action_log_claimed ON postern.action_log (claimed_until) WHERE status = 'processing';
DROP INDEX postern.action_log_open;
