-- Policies as PostgREST's and Supabase's users write them, one of them over another table.
CREATE SCHEMA auth;
CREATE FUNCTION auth.uid() RETURNS int LANGUAGE sql STABLE AS
  $$ SELECT (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::int $$;
CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE members (team_id int REFERENCES teams, user_id int, PRIMARY KEY (team_id, user_id));
CREATE TABLE notes (id serial PRIMARY KEY, user_id int NOT NULL, body text NOT NULL);
CREATE TABLE tasks (id int PRIMARY KEY, team_id int REFERENCES teams, title text NOT NULL);
CREATE TABLE secrets (id int PRIMARY KEY, body text);
INSERT INTO teams VALUES (1, 'one'), (2, 'two');
INSERT INTO members VALUES (1, 7), (2, 8);
INSERT INTO notes (user_id, body) VALUES (7, 'of seven'), (8, 'of eight'), (7, 'again');
INSERT INTO tasks VALUES (1, 1, 'for one'), (2, 2, 'for two');
INSERT INTO secrets VALUES (1, 'hidden');
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
ALTER TABLE notes FORCE ROW LEVEL SECURITY;
ALTER TABLE tasks ENABLE ROW LEVEL SECURITY;
-- Without `true` a missing setting raises an error, also while the statement is planned.
CREATE POLICY own ON notes USING (user_id = current_setting('app.user_id')::int)
  WITH CHECK (user_id = current_setting('app.user_id')::int);
CREATE POLICY team ON tasks FOR SELECT USING (
  EXISTS (SELECT FROM members m WHERE m.team_id = tasks.team_id AND m.user_id = auth.uid()));
CREATE FUNCTION whoami() RETURNS text LANGUAGE sql STABLE AS
  $$ SELECT current_user || ' ' || coalesce(current_setting('app.user_id', true), '-') $$;
CREATE FUNCTION boom(how text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF how = 'slow' THEN PERFORM pg_sleep(30); END IF;
  RAISE EXCEPTION 'order % is closed', how USING DETAIL = 'since Monday', HINT = 'open it';
END $$;
-- With `true` a missing setting is null, or empty on a connection that has had one: no row.
CREATE TABLE letters (id serial PRIMARY KEY, user_id int NOT NULL, body text NOT NULL);
INSERT INTO letters (user_id, body) VALUES (7, 'to seven'), (8, 'to eight'), (7, 'to seven again');
ALTER TABLE letters ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON letters USING (user_id = nullif(current_setting('app.user_id', true), '')::int);
CREATE FUNCTION letters_of_caller() RETURNS SETOF letters LANGUAGE sql STABLE AS $$ SELECT * FROM letters ORDER BY id $$;
CREATE FUNCTION keep_letter(body text) RETURNS SETOF letters LANGUAGE sql VOLATILE AS
  $$ INSERT INTO letters (user_id, body) VALUES (current_setting('app.user_id', true)::int, body) RETURNING * $$;
