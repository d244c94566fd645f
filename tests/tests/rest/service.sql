-- A table with a column of every kind that parameters are read for, and one too long for a single piece.

CREATE TYPE mood AS ENUM ('calm', 'wild');
CREATE TABLE owners (id uuid PRIMARY KEY, name text NOT NULL);
CREATE TABLE things (
  id int PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES owners,
  name text NOT NULL,
  whole bigint,
  exact numeric,
  ratio float8,
  yes boolean,
  key uuid,
  day date,
  at timestamptz,
  mood mood,
  body jsonb,
  keys uuid[],
  secret text
);

INSERT INTO owners VALUES
  ('00000000-0000-0000-0000-00000000000a', 'Ada'), ('00000000-0000-0000-0000-00000000000b', 'Bob');
INSERT INTO things VALUES
  (1, '00000000-0000-0000-0000-00000000000a', 'a/b + ü', 9007199254740993, 1.50, 0.25, true,
   '00000000-0000-0000-0000-000000000001', '2024-02-29', '2024-02-29T12:00:00Z', 'wild', '{"a": 1}',
   '{00000000-0000-0000-0000-000000000001,00000000-0000-0000-0000-000000000002}', 's1'),
  (2, '00000000-0000-0000-0000-00000000000b', '7', 2, 2, 2, false,
   '00000000-0000-0000-0000-000000000002', '2024-03-01', '2024-03-01T12:00:00Z', 'calm', '[]', '{}', 's2');

CREATE VIEW long AS SELECT g AS id, repeat('x', 100) AS text FROM generate_series(1, 30000) g;
CREATE VIEW flood AS SELECT g AS id, repeat('x', 100) AS text, 1 / (60000 - g) AS ratio FROM generate_series(1, 60000) g;
CREATE FUNCTION draw() RETURNS float8 LANGUAGE sql VOLATILE AS $$ SELECT random() $$;
CREATE FUNCTION told(
  id int DEFAULT NULL, name text DEFAULT NULL, whole bigint DEFAULT NULL, exact numeric DEFAULT NULL,
  ratio float8 DEFAULT NULL, yes boolean DEFAULT NULL, key uuid DEFAULT NULL, day date DEFAULT NULL,
  at timestamptz DEFAULT NULL, mood mood DEFAULT NULL, body jsonb DEFAULT NULL, ids int[] DEFAULT NULL,
  names text[] DEFAULT NULL, keys uuid[] DEFAULT NULL
) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', id, 'name', name, 'whole', whole, 'exact', exact, 'ratio', ratio, 'yes', yes, 'key', key,
    'day', day, 'at', at, 'mood', mood, 'body', body, 'ids', ids, 'names', names, 'keys', keys) $$;
CREATE VIEW slow AS SELECT id, pg_sleep(20)::text AS slept FROM things WHERE id = 1;
