-- CHECK constraints of all tables of the service, loaded after them: each says what is wrong in a sentence, and every text
-- has a longest length. They hold for every writer, the admin included. `notes`, which is there for trying clients, takes
-- what Postgres takes.

BEGIN;

-- The name that a column has in GraphQL.
CREATE FUNCTION pg_temp.field_name(name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left(name, 1) || right(replace(initcap(replace(name, '_', ' ')), ' ', ''), -1)
$$;

-- Of a constraint of a kind that is known the sentence follows from its text; the others have theirs by name.
CREATE FUNCTION pg_temp.sentence(name text, field text, condition text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN name = 'data_controllers_compliance_configuration_check' THEN 'complianceConfiguration is an object'
    WHEN name = 'data_controller_processing_purposes_signal_check' THEN 'only a purpose that needs consent respects Global Privacy Control'
    WHEN name = 'data_controller_purpose_data_items_condition_check' THEN 'data of a special category has a specialCategoryCondition, and other data has none'
    WHEN name = 'data_controller_purpose_template_links_one_check' THEN 'a link is to a business template or to an operational one'
    WHEN name = 'privacy_notices_published_at_check' THEN 'a published notice has publishedAt'
    WHEN name ~ '_closed_check$|_completed_check$|_rejected_check$|_extended_check$|_done_check$|_verified_check$|_contact_check$|_agreed_check$|_colleague_check$' THEN NULL
    WHEN condition ~ 'char_length\(\w+\) >= ' THEN
      field || ' has ' || substring(condition FROM '>= (\d+)') || ' to ' || substring(condition FROM '<= (\d+)') || ' characters'
    WHEN condition ~ 'char_length\(\w+\) <= ' THEN field || ' has at most ' || substring(condition FROM '<= (\d+)') || ' characters'
    WHEN condition ~ 'octet_length\(\w+\) >= ' THEN
      field || ' has ' || substring(condition FROM '>= (\d+)') || ' to ' || substring(condition FROM '<= (\d+)') || ' bytes'
    WHEN condition ~ '= ANY \(ARRAY\[' THEN field || ' is one of ' ||
      (SELECT string_agg(v.value[1], ', ') FROM regexp_matches(condition, '''([^'']*)''::text', 'g') AS v (value))
    WHEN condition ~ '<> ''''::text' THEN field || ' is not empty'
    WHEN condition ~ '@\[\^@' THEN field || ' is an e-mail address, such as ada@example.org'
    WHEN condition ~ '\^\[A-Z\]\{2\}\$' THEN field || ' is two capital letters, such as DE'
    WHEN condition ~ '\^did:' THEN field || ' is a decentralized identifier, such as did:web:example.org'
    WHEN condition ~ '\w+ > 0\)' THEN field || ' is more than 0' END
$$;

DO $$
DECLARE
  found record;
BEGIN
  FOR found IN
    SELECT k.conrelid::regclass AS relation, k.conname AS name, k.condition, pg_temp.sentence(k.conname, pg_temp.field_name(a.attname), k.condition) AS sentence
      FROM (SELECT k.*, substring(pg_get_constraintdef(k.oid) FROM '^CHECK (\(.*\))$') AS condition FROM pg_constraint k WHERE k.contype = 'c') k
      JOIN pg_class c ON c.oid = k.conrelid AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'notes'
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
     WHERE k.condition NOT LIKE '%require(%' AND pg_temp.sentence(k.conname, a.attname, k.condition) IS NOT NULL
     ORDER BY 1, 2
  LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %I CHECK (require(%s, %L))',
      found.relation, found.name, found.name, found.condition, found.sentence);
  END LOOP;
END $$;

DO $$
DECLARE
  limited record;
BEGIN
  FOR limited IN
    SELECT c.oid::regclass AS relation, c.relname AS relation_name, a.attname AS name,
           CASE
             WHEN a.attname IN ('display_name', 'title', 'label', 'category', 'industry', 'address', 'postal_code', 'city', 'dpo_name', 'dpo_phone') THEN 200
             WHEN a.attname ~ 'email$' THEN 320
             WHEN a.attname IN ('did', 'website') THEN 2000
             WHEN a.attname IN ('description', 'question') THEN 5000
             WHEN a.attname = 'full' THEN 1000000
             WHEN a.attname = 'content' THEN 10000000
             ELSE 20000 END AS longest
      FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.atttypid = 'text'::regtype
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'notes'
       AND NOT EXISTS (SELECT FROM pg_constraint k
                        WHERE k.conrelid = c.oid AND k.contype = 'c' AND a.attnum = ANY (k.conkey)
                          AND pg_get_constraintdef(k.oid) ~ '(length|ANY) ?\(')
     ORDER BY 1, a.attnum
  LOOP
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (require(char_length(%I) <= %s, %L))',
      limited.relation, limited.relation_name || '_' || limited.name || '_length', limited.name, limited.longest,
      format('%s has at most %s characters', pg_temp.field_name(limited.name), limited.longest));
  END LOOP;
END $$;

ALTER TABLE data_controllers ADD CONSTRAINT data_controllers_compliance_configuration_length
  CHECK (require(octet_length(compliance_configuration::text) <= 20000, 'complianceConfiguration has at most 20000 bytes'));

COMMIT;
