-- People of many teams, of whom a caller sees those of one; things that hang on them; long texts outside of their rows.
CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE members (user_id int, team_id int REFERENCES teams, PRIMARY KEY (user_id, team_id));
CREATE TABLE people (
  id int PRIMARY KEY, team_id int NOT NULL REFERENCES teams, code int NOT NULL, rank int NOT NULL, shown boolean NOT NULL,
  email text NOT NULL, name text NOT NULL, body text NOT NULL
);
ALTER TABLE people ALTER body SET STORAGE EXTERNAL;
CREATE TABLE threads (id int PRIMARY KEY, title text NOT NULL);
CREATE TABLE notes (
  id int PRIMARY KEY, person_id int NOT NULL REFERENCES people, thread_id int NOT NULL REFERENCES threads, text text NOT NULL
);
INSERT INTO teams SELECT n, 'team ' || n FROM generate_series(1, 20) n;
INSERT INTO members SELECT n, 1 + n % 20 FROM generate_series(0, 399) n;
-- The two rows that an attacker wants to tell apart are 5001 and 5002, side by side and both of team 2. The caller is of team 1.
INSERT INTO people
SELECT n, CASE WHEN n = 5002 THEN 2 ELSE 1 + n % 20 END, n, CASE n WHEN 5001 THEN 8 ELSE 7 END, n % 20 = 0,
  CASE n WHEN 5001 THEN 'quentin@example.org' ELSE 'person' || n || '@example.org' END, 'Person ' || n,
  CASE n WHEN 5001 THEN repeat(md5('x'), 60000) ELSE 'short' END
FROM generate_series(1, 10000) n;
INSERT INTO threads SELECT n, 'thread ' || n FROM generate_series(1, 40) n;
INSERT INTO notes SELECT n, 1 + n % 4999, 1 + n % 39, 'text' FROM generate_series(1, 2000) n;
INSERT INTO notes SELECT 10000 + n, 5001, 40, 'text' FROM generate_series(1, 150) n;
INSERT INTO notes SELECT 20000 + n, 5000, 39, 'text' FROM generate_series(1, 20) n;
CREATE INDEX ON people (email text_pattern_ops);
CREATE INDEX ON people (code);
CREATE INDEX ON people (team_id);
CREATE INDEX ON notes (person_id);
CREATE INDEX ON notes (thread_id);
ANALYZE;
