-- A small database for the front door: rows of two authors, views that take their time, and some that cannot be computed.

CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL, born date);
CREATE TABLE articles (
  id int PRIMARY KEY,
  author_id int NOT NULL REFERENCES authors,
  title text NOT NULL,
  size bigint,
  price numeric,
  key uuid,
  body jsonb
);
CREATE INDEX ON articles (author_id);

INSERT INTO authors VALUES (1, 'Ada', '1815-12-10'), (2, 'Bob', NULL);
INSERT INTO articles VALUES
  (1, 1, 'first', 1, 1.50, '00000000-0000-0000-0000-000000000001', '{"a": [1, 2]}'),
  (2, 1, 'second', 2, NULL, NULL, NULL),
  (3, 2, 'third', 3, 0.1, NULL, 'null');

CREATE VIEW slow AS SELECT id, pg_sleep(20)::text AS slept FROM authors WHERE id = 1;
CREATE VIEW brief AS SELECT id, pg_sleep(0.6)::text AS slept FROM authors WHERE id = 1;
CREATE VIEW ratios AS SELECT id, 10 / (id - 1) AS ratio FROM authors;
-- Six megabytes, and the last row cannot be computed.
CREATE VIEW flood AS SELECT g AS id, repeat('x', 100) AS text, 1 / (60000 - g) AS ratio FROM generate_series(1, 60000) g;
