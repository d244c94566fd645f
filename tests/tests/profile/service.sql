-- Authors and their articles, for questions that are asked as clients of Hasura ask them.

CREATE TABLE author (id int PRIMARY KEY, name text UNIQUE, registered boolean NOT NULL DEFAULT false, key uuid, born date, note jsonb);
CREATE TABLE article (
  id int PRIMARY KEY,
  author_id int NOT NULL REFERENCES author,
  title text,
  size bigint,
  price numeric(5, 2),
  weight double precision,
  rank smallint
);

INSERT INTO author VALUES
  (1, 'Ada', true, '00000000-0000-0000-0000-000000000001', '1815-12-10', '{"1": 2}'),
  (2, 'Bob', false, NULL, NULL, NULL),
  (3, 'C\', false, NULL, NULL, NULL);
INSERT INTO article VALUES
  (1, 1, 'first', 9007199254740993, 1.50, 0.5, 7), (2, 1, 'second', 2, NULL, NULL, NULL), (3, 2, 'third', 3, 0.10, 2, 1);

CREATE VIEW ratio AS SELECT id, 10 / (id - 1) AS ratio FROM author;

CREATE FUNCTION label(author) RETURNS text AS $$ SELECT $1.name || '!' $$ LANGUAGE sql STABLE;
CREATE FUNCTION find_author(search text, low int DEFAULT 1, high int DEFAULT 9) RETURNS SETOF author AS $$
  SELECT * FROM author WHERE name ILIKE search AND id BETWEEN low AND high
$$ LANGUAGE sql STABLE;

CREATE TYPE mood AS ENUM ('calm', 'cross');
CREATE TABLE sample (id int PRIMARY KEY, tags text[], notes json[], mood mood);
