-- Reads texts: finds the terms in them, the language of a question, and from both what a question asks for, its intent.

BEGIN;

CREATE OR REPLACE FUNCTION answers.configuration(language text) RETURNS regconfig LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE language WHEN 'de' THEN 'pg_catalog.german' WHEN 'nl' THEN 'pg_catalog.dutch' ELSE 'pg_catalog.english' END::regconfig
$$;
COMMENT ON FUNCTION answers.configuration(text) IS 'The text search configuration of a language.';

-- The words of some texts, without upper case and accents; three hundred characters bound the work.
CREATE OR REPLACE FUNCTION answers.split_words(texts text[]) RETURNS TABLE (number int, place int, word text)
LANGUAGE plpgsql IMMUTABLE ROWS 10 AS $$
BEGIN
  RETURN QUERY
    SELECT t.number::int, (row_number() OVER (PARTITION BY t.number ORDER BY w.place))::int, w.word
      FROM unnest(texts) WITH ORDINALITY AS t (text, number)
     CROSS JOIN LATERAL regexp_split_to_table(answers.normalize(left(t.text, 300)), '[^[:alnum:]]+') WITH ORDINALITY AS w (word, place)
     WHERE w.word <> '';
END $$;
COMMENT ON FUNCTION answers.split_words(text[]) IS 'The words of some texts.';

-- The terms in some texts, with the places of their words. `one .. two` is at two places with others between. Of terms at
-- the same place the longest counts: in `data protection officer` and `Datenschutzbeauftragter` nobody asks about data.
CREATE OR REPLACE FUNCTION answers.find_terms(texts text[], languages text[])
RETURNS TABLE (number int, language text, concept text, places int[]) LANGUAGE plpgsql STABLE ROWS 30 AS $$
#variable_conflict use_column
BEGIN
RETURN QUERY
WITH word AS MATERIALIZED (
  SELECT * FROM answers.split_words(texts)
), phrase AS MATERIALIZED (
  SELECT a.number, ARRAY[a.place] AS places, a.word AS phrase, 0 AS before FROM word a
  UNION ALL
  SELECT a.number, ARRAY[a.place, b.place], a.word || ' ' || b.word, length(a.word) + 1
    FROM word a JOIN word b ON b.number = a.number AND b.place = a.place + 1
  UNION ALL
  SELECT a.number, ARRAY[a.place, b.place, c.place], a.word || ' ' || b.word || ' ' || c.word, length(a.word) + length(b.word) + 2
    FROM word a JOIN word b ON b.number = a.number AND b.place = a.place + 1 JOIN word c ON c.number = a.number AND c.place = a.place + 2
  UNION ALL
  SELECT a.number, ARRAY[a.place, b.place, c.place, d.place], a.word || ' ' || b.word || ' ' || c.word || ' ' || d.word,
         length(a.word) + length(b.word) + length(c.word) + 3
    FROM word a JOIN word b ON b.number = a.number AND b.place = a.place + 1 JOIN word c ON c.number = a.number AND c.place = a.place + 2
    JOIN word d ON d.number = a.number AND d.place = a.place + 3
), found AS (
  SELECT p.number, t.language, t.concept, p.places, t.word AS term
    FROM phrase p JOIN answers.term t ON t.word = p.phrase AND t.form = 'exact'
  UNION
  SELECT p.number, t.language, t.concept, p.places, t.word
    FROM phrase p CROSS JOIN LATERAL generate_series(p.before + 2, length(p.phrase)) AS letters
    JOIN answers.term t ON t.word = left(p.phrase, letters) AND t.form = 'prefix'
  UNION
  SELECT w.number, t.language, t.concept, ARRAY[w.place], t.word
    FROM word w JOIN answers.term t ON t.form = 'infix' AND strpos(w.word, t.word) > 0
  UNION
  SELECT a.number, t.language, t.concept, ARRAY[a.place, b.place], t.word
    FROM word a JOIN word b ON b.number = a.number AND b.place BETWEEN a.place + 1 AND a.place + 12
    JOIN answers.term t ON t.word = a.word || ' .. ' || b.word AND t.form = 'exact'
), known AS MATERIALIZED (
  SELECT f.* FROM found f WHERE f.language = ANY (languages)
)
SELECT DISTINCT k.number, k.language, k.concept, k.places FROM known k
 WHERE NOT EXISTS (
   SELECT FROM known l
    WHERE l.number = k.number AND l.language = k.language AND l.places @> k.places
      AND (cardinality(l.places) > cardinality(k.places) OR length(l.term) > length(k.term) AND strpos(l.term, k.term) > 0));
END
$$;
COMMENT ON FUNCTION answers.find_terms(text[], text[]) IS 'The terms of some languages in some texts.';

-- The terms that a word in some languages may be a misspelling of: one letter is wrong, missing, too many or at its neighbour's place.
CREATE OR REPLACE FUNCTION answers.find_similar(word text, languages text[]) RETURNS SETOF text LANGUAGE sql STABLE ROWS 2 AS $$
  SELECT DISTINCT m.concept
    FROM (SELECT left(find_similar.word, n) AS head, n FROM generate_series(greatest(5, length(find_similar.word) - 5), length(find_similar.word)) n) h
   CROSS JOIN LATERAL (
         SELECT h.head AS variant UNION SELECT overlay(h.head PLACING '' FROM m FOR 1) FROM generate_series(2, h.n) m) v
    JOIN answers.misspelling m ON m.variant = v.variant AND m.language = ANY (languages)
   WHERE length(find_similar.word) BETWEEN 5 AND 30 AND abs(length(m.word) - h.n) <= 1
     AND (m.form = 'prefix' OR h.n = length(find_similar.word))
$$;
COMMENT ON FUNCTION answers.find_similar(text, text[]) IS 'The concepts of the terms that a word may be a misspelling of.';

-- ---------------------------------------------------------------------------------------------------------
-- Intents
-- ---------------------------------------------------------------------------------------------------------

-- What people ask for. A text has an intent if its concepts match the rule, and if each of its words that is a concept is
-- in the rule, in `explains`, or one that goes with every question: what else is asked has to be met, too. The first rule
-- that holds counts. `scope` says what a question about a purpose or a kind of data needs: `named` an answer
-- about this purpose, `any` one about all data.
CREATE TABLE IF NOT EXISTS answers.rule (
  number   int     PRIMARY KEY,
  intent   text    NOT NULL,
  scope    text    NOT NULL CHECK (scope IN ('named', 'any')),
  rule     tsquery NOT NULL,
  explains text[]  NOT NULL
);
COMMENT ON TABLE answers.rule IS 'Which concepts of a text show what it asks for.';
TRUNCATE answers.rule;

INSERT INTO answers.rule (number, intent, scope, rule, explains)
SELECT row_number() OVER (ORDER BY v.number), v.intent, v.scope, r.rule::tsquery,
       (SELECT array_agg(DISTINCT m[1]) FROM regexp_matches(regexp_replace(r.rule, '!\s*(\([^)]*\)|\w+)', '', 'g'), '\w+', 'g') AS m)
       || (SELECT array_agg(e) FROM regexp_split_to_table(r.explains, '[\s|]+') AS e WHERE e <> '')
  FROM (VALUES
  ( 10, 'gpc',         'any',   'gpc', 'respect statistics cookies recommendations newsletter stop process'),
  ( 20, 'sell',        'any',   'sell', 'share receive who must topic item law money'),
  ( 30, 'children',    'any',   'children & !(which | sell | share | how_long | access | erase | who | consent)', 'request must item'),
  ( 40, 'automated',   'any',   'automated | decide & machine', 'decide machine order application account who recommendations law rights'),
  ( 50, 'officer',     'any',   'officer', 'who contact where responsible email phone name address complain item enquiry'),
  ( 51, 'officer',     'any',   'privacy & (contact | who | email | phone | name | address | enquiry)', 'responsible where item'),
  ( 52, 'officer',     'any',   'contact & !(withdraw | erase | access | rectify | newsletter | me & item)', 'who where email phone address enquiry'),
  ( 53, 'officer',     'any',   'your & !me & (phone | email)', 'contact where who'),
  ( 60, 'complain',    'any',   'complain', 'authority where who contact responsible process law name email object'),
  ( 61, 'authority',   'any',   'authority', 'who where responsible contact name address process item law'),
  ( 70, 'renew',       'any',   'consent & (how_long | how_often | renew)', 'renew must newsletter when'),
  ( 80, 'notice_date', 'any',   'notice & (when | version)', 'wrong version'),
  ( 81, 'notice',      'any',   'notice', 'where access'),
  ( 90, 'cookies',     'any',   'cookies & !(withdraw | stop)', 'must send statistics why purpose how_long notice'),
  (100, 'breach',      'any',   'breach', 'security'),
  (101, 'security',    'any',   'security', 'item topic send receive'),
  (102, 'origin',      'any',   'origin', 'who item'),
  (105, 'location',    'named', 'processor & (abroad | where | based)', 'topic item'),
  (110, 'transfer',    'named', '(abroad | transfer & where | transfer & short) & !(portability | sell)', 'share receive send where keep who transfer topic leave retention|item'),
  (120, 'retention',   'named', 'retention', 'leave stop how_long law topic item erase where answer when'),
  (121, 'retention',   'named', 'how_long & (keep | data | process | topic | item | know) & !(answer | deadline | request)', 'law topic item erase order must leave stop when'),
  (123, 'retention',   'named', '(why | when) & leave & data', 'topic stop'),
  (122, 'retention',   'named', '(when | how_long) & erase & !(answer | deadline | request)', 'law topic item leave stop'),
  (130, 'deadline',    'any',   '(how_long | when | deadline) & (answer | request | deadline | access | erase | rectify | portability) & !(keep | process)', 'access erase rectify portability restrict object deadline answer rights law complain send receive must'),
  (140, 'withdraw',    'any',   'withdraw', 'consent stop newsletter statistics recommendations survey cookies email how_often send receive must where'),
  (141, 'withdraw',    'any',   'stop & (consent | newsletter | statistics | recommendations | survey | cookies)', 'email send item wrong receive'),
  (142, 'withdraw',    'any',   'stop & email & !(account | wrong)', 'receive newsletter send'),
  (143, 'withdraw',    'any',   'consent & wrong & !(item)', ''),
  (144, 'withdraw',    'any',   'object & (newsletter | statistics | recommendations | survey)', 'send email process'),
  (145, 'withdraw',    'any',   'erase & newsletter & !(address | data | item)', 'send email'),
  (150, 'how_erase',   'any',   'erase & (how | where) & !(when | how_long)', 'account request order newsletter topic item law rights must'),
  (151, 'erase',       'any',   'erase & !(when | how_long)', 'account request order topic item law rights must stop withdraw leave'),
  (160, 'rectify',     'any',   'rectify', 'wrong item account request topic rights law'),
  (161, 'rectify',     'any',   'wrong & (data | item | account | keep)', 'rectify item account request rights renew stop'),
  (170, 'portability', 'any',   'portability | transfer & me & !(you & !your & !may)', 'transfer account request rights law access send item topic'),
  (180, 'restrict',    'any',   'restrict', 'request rights law item topic'),
  (190, 'object',      'any',   'object', 'request rights law newsletter recommendations statistics item topic stop basis'),
  (191, 'object',      'any',   'stop & process & !item', 'data recommendations newsletter statistics'),
  (200, 'access',      'any',   'access & !(officer | share | who | other_person)', 'cost money request account law rights topic item receive send must how_often where'),
  (201, 'access',      'any',   'send & me & (data | know)', 'request access topic'),
  (202, 'access',      'any',   'receive & me & data & (may | how | request) & !(who | share | where | topic | item)', 'request access keep'),
  (203, 'access',      'any',   'cost & (request | rights)', 'law'),
  (210, 'rights',      'any',   'rights & !(basis | who)', 'law request access privacy'),
  (211, 'rights',      'any',   'request & may & law', 'rights'),
  (220, 'basis',       'named', 'basis', 'law topic item keep who must consent why send'),
  (230, 'special',     'named', 'special & !(share | sell | who | how_long)', 'topic item must'),
  (240, 'must_consent','named', 'consent & (must | voluntary | which | newsletter | statistics | recommendations | survey | process | purpose) & !(share | sell | who | why)', 'topic purpose must voluntary law send item'),
  (242, 'must_consent','named', '(must | voluntary) & (newsletter | statistics | recommendations | survey) & !(data | item | who | how_long | why)', 'send'),
  (243, 'must_consent','named', 'consent & object', 'topic may'),
  (244, 'must_consent','named', 'consent & why & must & !(data | share)', 'topic'),
  (241, 'must_consent','named', 'consent & !(who | why | when | how_long | share | where)', 'voluntary'),
  (250, 'recipients',  'named', 'share | transfer & you', 'transfer who receive where topic item send why receive purpose must'),
  (251, 'recipients',  'named', '(who | processor) & (receive | process | keep | know | send) & !(responsible | must) | processor & !(responsible | how_long | when)', 'topic item processor share'),
  (252, 'location',    'named', 'where & (keep | process | send | data) & !(request | contact | may & me)', 'topic item abroad'),
  (253, 'recipients',  'named', 'receive & (data | item | account) & !(me & may | how_long | when | why | how)', 'share topic item'),
  (260, 'address',     'any',   'responsible', 'who where process name address contact item'),
  (261, 'address',     'any',   'based | (your | own) & address & !me & !(process | keep | why)', 'where who name address responsible which'),
  (270, 'purposes',    'named', '(why | purpose) & (data | process | keep | know | item | topic | purpose | must)', 'topic item must why receive'),
  (279, 'items',       'named', 'which & data & voluntary', 'must item topic'),
  (280, 'items',       'named', 'which & (data | item | keep) & topic', 'item must receive send'),
  (281, 'item',        'named', 'item & (keep | process | know | why | must | voluntary | data) & !(who | when | how_long | where)', 'item topic'),
  (282, 'item',        'named', 'item & (short | me & you) & !(who | when | how_long | where | send)', 'item'),
  (290, 'data',        'any',   'data & (which | keep | know | about_me | process) & !(where | when | who | how_long | why | how_often | how & !about_me & !process)', 'item must receive leave stop'),
  (292, 'data',        'any',   'data_map', 'where receive'),
  (291, 'data',        'any',   'about_me & (keep | know | process | which) | which & keep & you', 'receive'),
  (300, 'topic',       'named', '(newsletter | statistics | recommendations | fraud | survey) & !(who | when | how_long | where | why | how_often | must | cost)', 'send process topic email receive'),
  (301, 'topic',       'named', 'topic & (data | process | privacy | short) & !(who | when | how_long | where | why | how_often | must | cost)', 'topic')
  ) AS v (number, intent, scope, rule, explains)
 CROSS JOIN LATERAL (
       SELECT replace(replace(v.rule, 'topic', t.topics), 'item', i.items) AS rule, replace(replace(v.explains, 'topic', t.topics), 'item', i.items) AS explains
         FROM (SELECT '(' || string_agg(c.name, ' | ') || ')' AS topics FROM answers.concept c WHERE c.kind = 'topic') t,
              (SELECT '(' || string_agg(c.name, ' | ') || ')' AS items FROM answers.concept c WHERE c.kind = 'item') i) r0
 CROSS JOIN LATERAL (SELECT r0.rule, translate(r0.explains, '()', '  ') AS explains) r;

-- The first rule that holds for the concepts of a text's words: `concepts` are all of them, `meanings` has for each word
-- those that it may have, separated by spaces.
CREATE OR REPLACE FUNCTION answers.find_rule(concepts text[], meanings text[]) RETURNS answers.rule LANGUAGE sql STABLE AS $$
  SELECT r FROM answers.rule r
   WHERE array_to_tsvector(concepts) @@ r.rule
     AND NOT EXISTS (
       SELECT FROM unnest(meanings) AS w (meaning)
        WHERE NOT string_to_array(w.meaning, ' ') && (r.explains || ARRAY['you', 'your', 'me', 'not', 'may', 'how', 'which', 'filler', 'own',
                                                                         'data', 'privacy', 'about_me', 'keep', 'process', 'know', 'request']))
   ORDER BY r.number LIMIT 1
$$;
COMMENT ON FUNCTION answers.find_rule(text[], text[]) IS 'What a text asks for.';

-- ---------------------------------------------------------------------------------------------------------
-- Questions
-- ---------------------------------------------------------------------------------------------------------

-- The words of titles that many companies have, which name no one of them.
CREATE OR REPLACE FUNCTION answers.company_words() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT string_to_array('gmbh ag kg ohg eg ev bv nv ua plc ltd llp llc inc co sons trust group holding verein stiftung partners partner systems software '
    'energie energy hotels hotel versicherung insurance retail logistiek logistics zahnzentrum fietsfabriek oost broadband buchhandlung zorggroep gymnasium '
    'foerderverein cooperatie cooperative operative property maschinenbau stadswinkel legal reisebuero kompass bloemen mobility veterinary personal drinkwater '
    'optik filialen housing association spieleverlag veren event events hire apotheek apotheke carsharing naturkosmetik road surgery muziekschool music '
    'fitness benelux vergleichsportal theatre theater kinderopvang dairy analytics sternwarte weinkontor bank europe payments security support rechenzentrum '
    'surveys mailings reservations delivery nord sued west east north south london haarlem parkstad elbe singel', ' ')
$$;
COMMENT ON FUNCTION answers.company_words() IS 'Words of titles that name no company.';

-- What people call a company of an industry: `the bank`.
CREATE OR REPLACE FUNCTION answers.industry_words(industry text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT string_to_array(string_agg(w.words, ' '), ' ')
    FROM (VALUES
      ('bank', 'bank'),
      ('health|gesundheit|gezondheid|veterin', 'praxis arztpraxis zahnarztpraxis praktijk practice surgery clinic klinik kliniek zorggroep'),
      ('hospital|horeca|hotel|gast', 'hotel hotels'),
      ('insur|versicher|verzeker', 'versicherung insurer insurance verzekeraar'),
      ('educat|bildung|onderwijs|kinderopvang|child', 'schule school verein opvang kinderopvang muziekschool'),
      ('non-profit|gemeinn|cultur|kultur|sport', 'verein theatre theater club sternwarte sportschool gym'),
      ('public|overheid', 'gemeente gemeinde council stadt stad'),
      ('pharma|apothe', 'apotheek apotheke pharmacy'),
      ('energ|utilit|nuts|telecom', 'provider anbieter versorger stromanbieter aanbieder'),
      ('retail|handel|winkel|commerce|food', 'laden geschaeft haendler retailer onlineshop webshop webwinkel')) AS w (pattern, words)
   WHERE lower(industry) ~ w.pattern
$$;
COMMENT ON FUNCTION answers.industry_words(text) IS 'What people call a company of an industry.';

-- The words of a title by which people name the company.
CREATE OR REPLACE FUNCTION answers.names(title text) RETURNS SETOF text LANGUAGE sql STABLE ROWS 2 AS $$
  SELECT w FROM regexp_split_to_table(answers.normalize(title), '[^[:alnum:]]+') AS w
   WHERE length(w) >= 4 AND w <> ALL (answers.company_words())
$$;
COMMENT ON FUNCTION answers.names(text) IS 'The words of a title that name a company.';

-- The processors of a controller's active purposes.
CREATE OR REPLACE FUNCTION answers.processors(controller uuid) RETURNS SETOF data_processors LANGUAGE sql STABLE ROWS 10 AS $$
  SELECT r.* FROM data_processors r
   WHERE EXISTS (SELECT FROM data_controller_purpose_processors a
                   JOIN data_controller_processing_purposes p ON p.id = a.data_controller_processing_purpose_id
                  WHERE a.data_processor_id = r.id AND p.data_controller_id = controller AND p.status = 'active')
$$;
COMMENT ON FUNCTION answers.processors(uuid) IS 'Which companies process data for a controller.';

-- The titles of other companies in a text, the controllers of the service and processors that do not work for this one.
CREATE OR REPLACE FUNCTION answers.names_other(controller data_controllers, question text) RETURNS boolean LANGUAGE sql STABLE AS $$
  WITH other AS (
    SELECT c.title FROM data_controllers c WHERE c.id <> controller.id
    UNION ALL
    SELECT p.title FROM data_processors p
     WHERE NOT EXISTS (SELECT FROM answers.processors(controller.id) o WHERE o.id = p.id)
  ), own AS (
    SELECT answers.names(controller.title) AS name
  )
  SELECT EXISTS (
    SELECT FROM other o, regexp_replace(answers.normalize(o.title), '\s+(gmbh|ag|kg|ohg|eg|e\.? ?v\.?|b\.v\.|n\.v\.|cooperatie.*|plc|ltd|llp|inc\.|sa|sas|aps|oy)$', '') AS core
     WHERE length(core) >= 6 AND strpos(' ' || answers.normalize(question) || ' ', ' ' || core) > 0)
  OR EXISTS (
    SELECT FROM answers.split_words(ARRAY[question]) w
      JOIN (SELECT answers.names(o.title) AS name FROM other o) n ON n.name = w.word
     WHERE NOT EXISTS (SELECT FROM answers.term t WHERE t.word = w.word) AND w.word NOT IN (SELECT name FROM own))
$$;
COMMENT ON FUNCTION answers.names_other(data_controllers, text) IS 'Whether a question names another company.';

DROP TYPE IF EXISTS answers.question CASCADE;
CREATE TYPE answers.question AS (
  language    text,     -- of the question; of the controller if the words do not say
  intent      text,     -- null if nothing is asked for that is known
  scope       text,
  topics      text[],   -- the purposes that it names
  items       text[],   -- the kinds of data that it names
  words       text[],   -- the words that say what it is about
  unknown     text[],   -- those of them that are no term
  named       text[],   -- those of them that are in the name of a purpose or of data
  coverage    float8,   -- which part of the words the intent explains
  names_other boolean   -- whether it is about another company
);

-- What a question means. Its language is the one in which most of its words are terms. Words that are no terms count
-- against the intent, and more so where a name stands: after `with` or `to`, and in upper case.
CREATE OR REPLACE FUNCTION answers.understand(controller data_controllers, question text) RETURNS answers.question
LANGUAGE sql STABLE AS $$
WITH title AS (
  SELECT regexp_replace(answers.plain(controller.title), '([^[:alnum:] ])', '\\\1', 'g') AS pattern
), asked AS MATERIALIZED (
  -- The controller's own name is one word.
  SELECT regexp_replace(answers.plain(left(question, 300)), t.pattern, ' Thecontroller ', 'gi') AS text FROM title t
), word AS MATERIALIZED (
  SELECT place::int, m[2] AS written, lower(m[2]) AS word, m[1] ~ '[.!?:]' OR place = 1 AS begins, upper(a.text) = a.text AS shouts, m[1] = '-' AS joined
    FROM asked a CROSS JOIN LATERAL regexp_matches(a.text, '([^[:alnum:]]*)([[:alnum:]]+)', 'g') WITH ORDINALITY AS w (m, place)
), term AS MATERIALIZED (
  SELECT t.*, c.kind FROM asked a CROSS JOIN LATERAL answers.find_terms(ARRAY[a.text], ARRAY['en', 'de', 'nl']) t
    JOIN answers.concept c ON c.name = t.concept
), counted AS MATERIALIZED (
  SELECT l.language, count(DISTINCT p.place) AS words
    FROM unnest(ARRAY['en', 'de', 'nl']) AS l (language) LEFT JOIN term t ON t.language = l.language LEFT JOIN LATERAL unnest(t.places) AS p (place) ON true
   GROUP BY l.language
), spoken AS MATERIALIZED (
  -- The languages that are as likely as the others, and the one of them that is taken.
  SELECT array_agg(c.language) AS languages,
         CASE WHEN bool_or(c.language = controller.language) THEN controller.language ELSE min(c.language) END AS language
    FROM counted c WHERE c.words = (SELECT max(words) FROM counted)
), own_name AS MATERIALIZED (
  SELECT answers.names(controller.title) AS name
), processor_name AS MATERIALIZED (
  SELECT name FROM answers.processors(controller.id) p CROSS JOIN LATERAL regexp_split_to_table(answers.normalize(p.title), '[^[:alnum:]]+') AS name
), named AS MATERIALIZED (
  -- The words of the names of purposes and of data.
  SELECT n.concept, l.lexeme
    FROM (SELECT 'titled' AS concept, p.title FROM data_controller_processing_purposes p WHERE p.data_controller_id = controller.id AND p.status = 'active'
          UNION
          SELECT 'labelled', i.label FROM data_controller_purpose_data_items i JOIN data_controller_processing_purposes p ON p.id = i.data_controller_processing_purpose_id
           WHERE p.data_controller_id = controller.id AND p.status = 'active') n
   CROSS JOIN LATERAL unnest(to_tsvector(answers.configuration(controller.language), answers.normalize(n.title))) AS l
), similar_term AS MATERIALIZED (
  -- What words that are no term may be a misspelling of.
  SELECT d.word, (SELECT nullif(array_agg(c), '{}') FROM spoken s, answers.find_similar(d.word, s.languages) AS c) AS concepts
    FROM (SELECT DISTINCT w.word FROM word w WHERE length(w.word) >= 5 AND NOT EXISTS (SELECT FROM term t WHERE w.place = ANY (t.places)) LIMIT 20) d
), meaning AS MATERIALIZED (
  -- What each word may mean: a term of the language, a name, a term of another language, or a misspelt term.
  SELECT w.*, lag(w.word) OVER (ORDER BY w.place) AS previous, lag(w.word, 2) OVER (ORDER BY w.place) AS one_before,
         coalesce(
           (SELECT array_agg(DISTINCT t.concept) FROM term t, spoken s WHERE t.language = ANY (s.languages) AND w.place = ANY (t.places)),
           CASE WHEN w.word = 'thecontroller' OR w.word IN (SELECT name FROM own_name) OR w.word = split_part(answers.normalize(controller.title), ' ', 1) OR w.word = ANY (SELECT unnest(answers.industry_words(controller.industry))) THEN ARRAY['own']
                WHEN w.word IN (SELECT name FROM processor_name) THEN ARRAY['processor']
                WHEN w.word IN (SELECT answers.names(controller.dpo_name)) THEN ARRAY['officer']
                WHEN w.word ~ '^[0-9]+$|^.$' THEN ARRAY['filler'] END,
           (SELECT array_agg(DISTINCT t.concept) FROM term t WHERE w.place = ANY (t.places) AND t.kind <> 'asked'),
           (SELECT array_agg(DISTINCT n.concept) FROM named n
             WHERE length(w.word) >= 4 AND n.lexeme = ANY (tsvector_to_array(to_tsvector(answers.configuration(controller.language), w.word)))),
           (SELECT t.concepts FROM similar_term t WHERE t.word = w.word)) AS concepts
    FROM word w
), concept AS MATERIALIZED (
  SELECT c AS name FROM meaning m CROSS JOIN LATERAL unnest(m.concepts) AS c
  UNION
  -- Keywords.
  SELECT 'short' FROM meaning m HAVING count(*) <= 2 AND bool_and(m.concepts IS NOT NULL)
), weighed AS MATERIALIZED (
  SELECT m.*, s.language,
         CASE WHEN m.concepts IS NOT NULL THEN 0
              WHEN m.written ~ '^[[:upper:]]' AND NOT m.begins AND NOT m.joined AND NOT m.shouts
               AND (s.language <> 'de' OR coalesce(m.previous, '') !~ '^((d|k?ein|mein|ihr|eu?er|unser|jed|dies|welch|all)(e|er|es|en|em|ie|as)?|zu[mr]|beim|[vai][mn]s?)$') THEN 3
              WHEN CASE WHEN m.previous IN ('the', 'my', 'your', 'a', 'der', 'die', 'das', 'den', 'dem', 'meine', 'meiner', 'meinen', 'de', 'het', 'een', 'mijn')
                        THEN m.one_before ELSE m.previous END
                   = ANY (CASE s.language WHEN 'en' THEN ARRAY['with', 'to', 'from', 'at', 'by', 'via']
                                          WHEN 'de' THEN ARRAY['an', 'mit', 'bei', 'von'] ELSE ARRAY['aan', 'met', 'bij', 'van'] END) THEN 2
              WHEN NOT EXISTS (SELECT FROM concept c WHERE c.name IN ('you', 'your', 'own')) AND (SELECT count(*) FROM word) > 3 THEN 2
              ELSE 1 END AS weight
    FROM meaning m, spoken s
), found AS MATERIALIZED (
  SELECT answers.find_rule((SELECT array_agg(c.name) FROM concept c),
                           (SELECT array_agg(array_to_string(m.concepts, ' ')) FROM meaning m WHERE m.concepts IS NOT NULL)) AS rule
)
SELECT s.language, (f.rule).intent, (f.rule).scope,
       ARRAY(SELECT c.name FROM concept c JOIN answers.concept k ON k.name = c.name AND k.kind = 'topic'),
       ARRAY(SELECT c.name FROM concept c JOIN answers.concept k ON k.name = c.name AND k.kind = 'item'),
       ARRAY(SELECT w.word FROM weighed w
              WHERE w.concepts IS NULL OR NOT EXISTS (SELECT FROM answers.concept k WHERE k.name = ANY (w.concepts) AND k.kind IN ('filler', 'common'))),
       ARRAY(SELECT w.word FROM weighed w WHERE w.concepts IS NULL),
       ARRAY(SELECT w.word FROM weighed w WHERE w.concepts && ARRAY['titled', 'labelled']),
       (SELECT CASE WHEN e.unknown = 0 THEN 1
                    -- What is asked for has to be about data at all.
                    WHEN NOT EXISTS (SELECT FROM concept c JOIN answers.concept k ON k.name = c.name
                                      WHERE k.kind IN ('topic', 'item') OR c.name IN ('data', 'about_me', 'consent', 'privacy', 'me', 'officer', 'authority', 'rights', 'automated', 'withdraw', 'gpc', 'cookies', 'retention', 'basis')) THEN 0
                    -- An unknown word may be what is asked about.
                    WHEN (f.rule).scope = 'named' AND NOT EXISTS (SELECT FROM concept c JOIN answers.concept k ON k.name = c.name AND k.kind IN ('topic', 'item'))
                      THEN e.known / (e.known + 2 * e.unknown)
                    ELSE e.known / (e.known + e.unknown) END
          FROM (SELECT coalesce(sum(w.weight), 0)::float8 AS unknown,
                       -- What a question is about shows more of it than a word that goes with every question.
                       coalesce(sum((SELECT max(CASE WHEN k.kind IN ('subject', 'topic', 'item') THEN 2 WHEN k.kind <> 'filler' THEN 1 ELSE 0 END)
                                       FROM answers.concept k WHERE k.name = ANY (w.concepts))), 0)::float8 AS known
                  FROM weighed w) e),
       CASE WHEN EXISTS (SELECT FROM weighed w WHERE w.concepts IS NULL) THEN answers.names_other(controller, (SELECT a.text FROM asked a)) ELSE false END
       OR EXISTS (SELECT FROM concept c WHERE c.name = 'brand') OR EXISTS (SELECT FROM weighed w WHERE w.weight = 3)
  FROM spoken s, found f
$$;
COMMENT ON FUNCTION answers.understand(data_controllers, text) IS 'What a question asks for.';

-- What some texts of a controller are about: headings, questions of the FAQ, names of purposes and of data. A text that
-- is about more than its intent explains has none.
CREATE OR REPLACE FUNCTION answers.classify(texts text[], languages text[])
RETURNS TABLE (number int, intent text, concepts text[]) LANGUAGE plpgsql STABLE ROWS 50 AS $$
#variable_conflict use_column
BEGIN
RETURN QUERY
  WITH term AS MATERIALIZED (
    SELECT t.number, t.concept, unnest(t.places) AS place FROM answers.find_terms(texts, languages) t
  ), word AS MATERIALIZED (
    SELECT w.number, w.place, (SELECT array_agg(DISTINCT t.concept) FROM term t WHERE t.number = w.number AND t.place = w.place) AS concepts
      FROM answers.split_words(texts) w
  ), text AS MATERIALIZED (
    SELECT w.number, count(*) FILTER (WHERE w.concepts IS NULL) AS unknown, count(w.concepts) AS known,
           array_agg(array_to_string(w.concepts, ' ')) FILTER (WHERE w.concepts IS NOT NULL) AS meanings,
           (SELECT array_agg(DISTINCT t.concept) FROM term t WHERE t.number = w.number) AS concepts
      FROM word w GROUP BY w.number
  )
  SELECT t.number,
         CASE WHEN t.known >= 2 * t.unknown AND t.meanings IS NOT NULL THEN (answers.find_rule(t.concepts, t.meanings)).intent END,
         coalesce(t.concepts, '{}')
    FROM text t;
END
$$;
COMMENT ON FUNCTION answers.classify(text[], text[]) IS 'What some texts ask for, and their concepts.';

COMMIT;
