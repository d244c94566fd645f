-- The row rule of the role `user` as PostGraphile's users write it: the database is the judge. The other peers own the
-- tables, and are not judged.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'bench_user') THEN CREATE ROLE bench_user; END IF;
END $$;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO bench_user;
ALTER TABLE subjects ENABLE ROW LEVEL SECURITY;
CREATE POLICY member ON subjects FOR SELECT TO bench_user USING (EXISTS (
  SELECT FROM members m WHERE m.controller_id = subjects.controller_id
    AND m.user_id = (SELECT current_setting('jwt.claims.user_id')::uuid)));
