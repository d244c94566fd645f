-- Tables large enough for their indexes, under row rules of three kinds.
CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE members (user_id int, team_id int REFERENCES teams, PRIMARY KEY (user_id, team_id));
CREATE TABLE people (
  id int PRIMARY KEY, team_id int NOT NULL REFERENCES teams, owner_id int NOT NULL, status text NOT NULL,
  email text NOT NULL, body text NOT NULL, created date NOT NULL
);
CREATE TABLE notes (id int PRIMARY KEY, person_id int NOT NULL REFERENCES people, owner_id int NOT NULL, created date NOT NULL);
INSERT INTO teams SELECT n, 'team ' || n FROM generate_series(1, 50) n;
INSERT INTO members SELECT n, 1 + (n + k) % 50 FROM generate_series(0, 399) n, generate_series(0, 9) k;
-- A user of every team.
INSERT INTO members SELECT 500, n FROM generate_series(1, 50) n;
INSERT INTO people
SELECT n, 1 + n % 50, n % 10, CASE n % 3 WHEN 0 THEN 'open' ELSE 'done' END, 'p' || n || '@example.org', 'text ' || n,
  date '2020-01-01' + n % 2000
FROM generate_series(1, 30000) n;
INSERT INTO notes SELECT n, 1 + n % 30000, n % 10, date '2020-01-01' + n % 2000 FROM generate_series(1, 40000) n;
CREATE UNIQUE INDEX people_email ON people (email);
CREATE INDEX people_prefix ON people (email text_pattern_ops);
CREATE INDEX people_created ON people (created);
CREATE INDEX people_owner ON people (owner_id, created DESC);
CREATE INDEX people_team ON people (team_id, created DESC);
CREATE INDEX notes_person ON notes (person_id);
CREATE INDEX notes_created ON notes (created);
ANALYZE;
