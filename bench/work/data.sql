-- The rows, always the same ones. `SET bench.subjects = 200000` before says how many subjects there are; all other numbers
-- follow from it: a controller for each 1,000 (ten at least), 3,000 users with one to five controllers each, and for the
-- subjects of one controller in five none to six requests with none to six events each, three on the average.
--
-- Keys are computed from the row's number, so that a client knows them without asking, and scattered.

CREATE FUNCTION pg_temp.scatter(n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
  RETURN n * 2654435761 % 4294967296;

-- A number below `bound` that looks as if it had been drawn.
CREATE FUNCTION pg_temp.drawn(n bigint, bound bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
  RETURN pg_temp.scatter(n) / 65536 % bound;

-- Number 1 of kind 3 is 9e3779b1-0003-4000-8000-000000000001.
CREATE FUNCTION pg_temp.key(kind int, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
  RETURN (lpad(to_hex(pg_temp.scatter(n)), 8, '0') || '-' || lpad(kind::text, 4, '0') || '-4000-8000-'
    || lpad(to_hex(n), 12, '0'))::uuid;

CREATE FUNCTION pg_temp.subjects() RETURNS int LANGUAGE sql STABLE
  RETURN coalesce(nullif(current_setting('bench.subjects', true), ''), '200000')::int;

CREATE FUNCTION pg_temp.controllers() RETURNS int LANGUAGE sql STABLE
  RETURN greatest(pg_temp.subjects() / 1000, 10);

-- Two minutes and a bit lie between two rows, so that no two moments are equal and most have fractions of a second.
CREATE FUNCTION pg_temp.moment(n bigint) RETURNS timestamptz LANGUAGE sql STABLE
  RETURN '2024-01-01 00:00:00+00'::timestamptz + n * interval '123.4567 seconds';

INSERT INTO controllers
SELECT pg_temp.key(1, n), 'Controller ' || n, (ARRAY['DE', 'FR', 'IT', 'NL', 'SE'])[1 + n % 5], pg_temp.moment(n)
FROM generate_series(1, pg_temp.controllers()) n;

INSERT INTO members
SELECT pg_temp.key(2, n), pg_temp.key(1, 1 + (n * 7 + k * 41) % pg_temp.controllers())
FROM generate_series(1, 3000) n, generate_series(0, n % 5) k;

INSERT INTO subjects
SELECT pg_temp.key(3, n), pg_temp.key(1, 1 + pg_temp.drawn(n, pg_temp.controllers())),
  'person.' || n || '@example.org',
  (ARRAY['Ada', 'Grace', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Tony'])[1 + pg_temp.drawn(n + 1, 7)] || ' '
    || (ARRAY['Lovelace', 'Hopper', 'O''Brien', 'Müller', 'Knuth'])[1 + pg_temp.drawn(n + 2, 5)],
  (ARRAY['active', 'active', 'active', 'blocked', 'deleted'])[1 + pg_temp.drawn(n + 3, 5)],
  pg_temp.moment(n)
FROM generate_series(1, pg_temp.subjects()) n;

INSERT INTO requests
SELECT pg_temp.key(4, s.n * 8 + k), pg_temp.key(3, s.n),
  (ARRAY['access', 'erasure', 'export', 'objection'])[1 + pg_temp.drawn(s.n * 8 + k, 4)],
  (ARRAY['open', 'done', 'refused'])[1 + pg_temp.drawn(s.n * 8 + k + 1, 3)],
  pg_temp.moment(s.n) + k * interval '7 hours'
FROM generate_series(1, pg_temp.subjects()) s(n), generate_series(1, pg_temp.drawn(s.n + 4, 7)) k
WHERE pg_temp.drawn(s.n, pg_temp.controllers()) < pg_temp.controllers() / 5;

-- A key of kind 4 carries the request's number in its last twelve digits.
INSERT INTO events
SELECT pg_temp.key(5, r.n * 8 + k), r.id,
  (ARRAY['received', 'confirmed', 'forwarded', 'answered'])[1 + pg_temp.drawn(r.n * 8 + k, 4)],
  CASE WHEN k % 2 = 1 THEN 'Step ' || k || ' of the "usual" way' END,
  r.created_at + k * interval '11 minutes'
FROM (SELECT id, created_at, ('x' || right(id::text, 12))::bit(48)::bigint AS n FROM requests) r,
  generate_series(1, pg_temp.drawn(r.n + 5, 7)) k;

INSERT INTO notes (subject_id, title, body)
SELECT pg_temp.key(3, n), 'Note ' || n, 'Called back.' FROM generate_series(1, 100) n;

CREATE INDEX ON members (controller_id);
CREATE INDEX ON subjects (created_at);
CREATE INDEX ON subjects (controller_id, created_at DESC);
CREATE INDEX ON requests (subject_id);
CREATE INDEX ON events (request_id);
CREATE INDEX ON notes (subject_id);

ANALYZE;
