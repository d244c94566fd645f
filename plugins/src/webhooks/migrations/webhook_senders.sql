-- A delivery belongs to its sender: two senders of a service may choose one id, or send equal bodies. Digests name the
-- senders, because DIDs and controllers are removed with the contents of a delivery.

ALTER TABLE postern.webhook_delivery ADD COLUMN senders text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN postern.webhook_delivery.senders IS
  'Digests of the sender''s DID or controller, else of its signing secrets. Two deliveries that share one have one sender; without any, the sender is unknown.';
COMMENT ON COLUMN postern.webhook_delivery.delivery_id IS
  'The sender''s id of the delivery, or a digest of the body; each sender of a service has each once.';
COMMENT ON COLUMN postern.webhook_delivery.replay_key IS
  'The digest of the signed body, if the signature does not cover the id: a sender has each once, so that nobody sends a body again under another id.';

UPDATE postern.webhook_delivery d
SET senders = ARRAY['sha256:' || encode(sha256(convert_to(
  coalesce(d.sender ->> 'did', '') || E'\n' || coalesce(d.sender ->> 'controller', ''), 'UTF8')), 'hex')]
WHERE d.sender ? 'did' OR d.sender ? 'controller';

ALTER TABLE postern.webhook_delivery
  DROP CONSTRAINT webhook_delivery_once, DROP CONSTRAINT webhook_delivery_no_replay,
  ADD CONSTRAINT webhook_delivery_once UNIQUE (service, delivery_id, senders),
  ADD CONSTRAINT webhook_delivery_no_replay UNIQUE (service, replay_key, senders);

-- Leaves out a delivery that its sender has sent before. The locks make transactions with equal ids wait for each other; a
-- statement of the function that follows them sees what the others have committed.
CREATE FUNCTION postern.webhook_delivery_once() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Gateways of earlier versions name no senders.
  IF NEW.senders = '{}' AND (NEW.sender ? 'did' OR NEW.sender ? 'controller') THEN
    NEW.senders := ARRAY['sha256:' || encode(sha256(convert_to(
      coalesce(NEW.sender ->> 'did', '') || E'\n' || coalesce(NEW.sender ->> 'controller', ''), 'UTF8')), 'hex')];
  END IF;
  PERFORM pg_advisory_xact_lock(k.key) FROM (
    SELECT DISTINCT hashtextextended(NEW.service || E'\n' || i.id, 0) AS key
    FROM unnest(ARRAY[NEW.delivery_id, NEW.replay_key]) AS i (id) WHERE i.id IS NOT NULL ORDER BY 1) k;
  -- The sender of a delivery without digests is unknown, so it may be any.
  IF EXISTS (
    SELECT FROM postern.webhook_delivery d
    WHERE d.service = NEW.service AND (d.delivery_id = NEW.delivery_id OR d.replay_key = NEW.replay_key)
      AND (d.senders && NEW.senders OR d.senders = '{}' OR NEW.senders = '{}')
  ) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER webhook_delivery_once BEFORE INSERT ON postern.webhook_delivery
  FOR EACH ROW EXECUTE FUNCTION postern.webhook_delivery_once();
REVOKE ALL ON FUNCTION postern.webhook_delivery_once FROM PUBLIC;
