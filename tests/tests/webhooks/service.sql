CREATE TABLE seen (service text, delivery_id text, body bytea, sender jsonb, headers jsonb);

CREATE FUNCTION record(delivery postern.webhook_delivery) RETURNS void LANGUAGE sql AS $$
  INSERT INTO seen VALUES (delivery.service, delivery.delivery_id, delivery.body, delivery.sender, delivery.headers)
$$;

CREATE FUNCTION fail(delivery postern.webhook_delivery) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO seen (service) VALUES ('rolled back');
  RAISE EXCEPTION 'cannot process %', postern.webhook_json(delivery) ->> 'id';
END $$;

CREATE FUNCTION other(event jsonb) RETURNS void LANGUAGE sql AS 'SELECT';

CREATE TABLE keys (did uuid, digest bytea);
INSERT INTO keys VALUES
  ('6c0b5b50-2f7e-4d1c-9d0c-0f3f6a1b7e55', sha256('the first key, which is long enough')),
  ('6c0b5b50-2f7e-4d1c-9d0c-0f3f6a1b7e55', sha256('the second key, which is long enough')),
  ('6c0b5b50-2f7e-4d1c-9d0c-0f3f6a1b7e56', sha256('the key of somebody else'));
