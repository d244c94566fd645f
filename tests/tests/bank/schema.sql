-- Owners have accounts, accounts have cards. Nobody may owe anything.
CREATE TABLE owners (
  id int PRIMARY KEY,
  name text NOT NULL UNIQUE
);

CREATE TABLE accounts (
  id int PRIMARY KEY,
  owner_id int NOT NULL REFERENCES owners,
  label text NOT NULL,
  balance int NOT NULL DEFAULT 0 CONSTRAINT solvent CHECK (balance >= 0),
  version int NOT NULL DEFAULT 1,
  UNIQUE (owner_id, label)
);

CREATE TABLE cards (
  id int PRIMARY KEY,
  account_id int NOT NULL REFERENCES accounts DEFERRABLE INITIALLY DEFERRED,
  during int4range,
  EXCLUDE USING gist (during WITH &&)
);

-- What a trigger refuses is refused in its own words, which name what nobody should see.
CREATE TABLE words (
  word text PRIMARY KEY,
  times int NOT NULL DEFAULT 1
);
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.word = 'raise' THEN
    RAISE EXCEPTION 'secret: % words', (SELECT count(*) FROM words);
  END IF;
  IF NEW.word = 'class 23' THEN
    RAISE EXCEPTION 'secret' USING ERRCODE = 'unique_violation';
  END IF;
  IF NEW.word = 'sleep' THEN
    PERFORM pg_sleep(10);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse BEFORE INSERT ON words FOR EACH ROW EXECUTE FUNCTION refuse();

CREATE VIEW rich AS SELECT id, owner_id, label, balance FROM accounts WHERE balance >= 1000 WITH CHECK OPTION;

INSERT INTO owners VALUES (1, 'one'), (2, 'two');
INSERT INTO accounts VALUES (1, 1, 'a', 100), (2, 1, 'b', 100), (3, 2, 'secret', 5000), (4, 1, 'c', 100);
INSERT INTO words VALUES ('there', 1);
