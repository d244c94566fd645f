-- Answers to questions about privacy, from what a controller tells the public: its FAQ, its notices, its purposes and its
-- profile. The action `answerFAQ` calls the function at the end.
--
-- A question and the texts are read for their intents (answers/reading.sql), by terms that have words in all languages
-- (answers/terms.sql). Only a text with the same intent answers (answers/passages.sql), and one source words the answer,
-- with its own question or heading. What no text answers is refused: nothing false is said in a controller's name.

BEGIN;

-- The FAQ entries and chapters that answer a question, the best first. One that has the question's own words comes first.
-- Where no intent is known, an entry has to have nearly all words of the question, and the question most of its; all of
-- them where it names another company.
CREATE OR REPLACE FUNCTION answers.text_passages(controller data_controllers, question answers.question, asked text)
RETURNS TABLE (passage answers.passage, score float8, is_exact boolean) LANGUAGE sql STABLE ROWS 5 AS $$
WITH config AS (
  SELECT answers.configuration(controller.language) AS name
), source AS MATERIALIZED (
  SELECT ROW(s.*)::answers.passage AS source, replace(CASE s.kind WHEN 'notice' THEN regexp_replace(s.title, '^[^:]*: ', '') ELSE s.title END, controller.title, 'Thecontroller') AS title, row_number() OVER ()::int AS number
    FROM (SELECT * FROM answers.entries(controller) UNION ALL SELECT * FROM answers.chapters(controller)) s
), classified AS MATERIALIZED (
  SELECT s.*, c.intent, ARRAY(SELECT n FROM unnest(c.concepts) n JOIN answers.concept k ON k.name = n AND k.kind = 'topic') AS topics,
         ARRAY(SELECT lexeme FROM config, unnest(to_tsvector(config.name, answers.normalize(s.title))) WHERE lexeme <> 'thecontrol') AS lexemes
    FROM source s JOIN answers.classify(ARRAY(SELECT title FROM source ORDER BY number), ARRAY[controller.language]) c ON c.number = s.number
), word AS MATERIALIZED (
  SELECT DISTINCT l.lexeme FROM config, unnest(question.words) AS w CROSS JOIN LATERAL unnest(to_tsvector(config.name, w)) AS l
), compared AS (
  SELECT c.*, c.intent = question.intent
              OR c.intent = 'erase' AND question.intent = 'how_erase' OR c.intent = 'how_erase' AND question.intent = 'erase'
              OR c.intent = 'complain' AND question.intent = 'authority' AND (c.source).kind = 'notice' AS is_meant,
         answers.normalize(rtrim((c.source).title, ' ?.!')) = answers.normalize(rtrim(btrim(asked), ' ?.!')) AS is_exact,
         (SELECT count(*) FROM word w WHERE w.lexeme = ANY (c.lexemes))::float8 AS common
    FROM classified c
)
SELECT c.source,
       CASE WHEN c.is_exact THEN 1 WHEN c.is_meant THEN question.coverage ELSE c.common / greatest(1, cardinality(question.words)) END,
       c.is_exact
  FROM compared c
 WHERE c.is_exact AND (c.source).kind = 'faq'
    OR c.is_meant AND question.coverage >= 0.7 AND NOT question.names_other
       AND (c.topics <@ question.topics OR (c.source).kind = 'notice')
       AND (question.scope = 'any' OR question.topics = '{}' AND question.items = '{}' OR question.topics && c.topics)
    OR (c.source).kind = 'faq' AND c.common > 0 AND (question.intent IS NULL OR question.names_other)
       AND c.common >= CASE WHEN question.names_other THEN 1 ELSE 0.75 END * cardinality(question.words)
       AND c.common >= 0.5 * cardinality(c.lexemes)
 ORDER BY c.is_exact DESC, (c.source).kind = 'faq' DESC, c.common DESC, c.number
$$;
COMMENT ON FUNCTION answers.text_passages IS 'The FAQ entries and chapters that answer a question.';

CREATE OR REPLACE FUNCTION answers.may_ask(session json, controller uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM data_controllers c WHERE c.id = controller) AND coalesce(CASE session ->> 'x-gateway-role'
    WHEN 'admin' THEN true
    WHEN 'anonymous' THEN true
    WHEN 'dataSubject' THEN controller = (
      SELECT s.data_controller_id FROM data_subjects s WHERE s.id = (session ->> 'x-gateway-data-subject-id')::uuid)
    WHEN 'user' THEN EXISTS (
      SELECT FROM data_controller_users m
       WHERE m.data_controller_id = controller AND m.user_id = (session ->> 'x-gateway-user-id')::uuid AND m.status = 'active')
    ELSE false END, false)
$$;
COMMENT ON FUNCTION answers.may_ask(json, uuid) IS 'Whether the caller sees the public texts of a controller.';

-- One sentence or list from made passages. Each has its purpose's name before it; the profile's are sentences.
CREATE OR REPLACE FUNCTION answers.word_passages(intent text, passages answers.passage[], language text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
      WHEN p.list IS NULL THEN p.sentences
      -- What is asked about one purpose needs no heading; what is asked about the person does.
      WHEN cardinality(passages) = 1 AND intent NOT IN ('transfer', 'transfer_uk', 'within', 'within_uk', 'item', 'special') THEN p.list
      ELSE coalesce(answers.say('list.' || intent, language, p.list), p.list) END
    FROM (SELECT string_agg((v).text, ' ') FILTER (WHERE (v).kind <> 'purpose') AS sentences,
                 string_agg(answers.end_sentence(format('%s: %s', (v).title, (v).text)), ' ') FILTER (WHERE (v).kind = 'purpose') AS list
            FROM unnest(passages) AS v) p
$$;
COMMENT ON FUNCTION answers.word_passages IS 'The answer that passages from fields make.';

CREATE OR REPLACE FUNCTION answers.source(passage answers.passage, score float8) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('id', passage.id, 'kind', passage.kind, 'title', passage.title,
                           'text', passage.text, 'language', passage.language, 'score', trim_scale(round(score::numeric, 3)))
$$;
COMMENT ON FUNCTION answers.source IS 'A passage as a source of an answer.';

-- The settings keep the planner from compiling a query whose rows it cannot guess.
CREATE OR REPLACE FUNCTION answers.answer_question(session json, data_controller_id uuid, question text) RETURNS json
LANGUAGE plpgsql STABLE SET jit = off AS $$
#variable_conflict use_variable
DECLARE
  controller data_controllers;
  meant answers.question;
  language text;             -- of the answer
  entry answers.passage;     -- what the controller wrote that answers best: an FAQ entry or a chapter
  written answers.passage[]; -- all that it wrote that answers, and as sources
  texts json[];
  is_first boolean := false;        -- the entry words the answer, and not the fields
  made answers.passage[] := '{}'; -- what is made from fields
  heading text;              -- of a list made from fields
  answer text;
BEGIN
  IF NOT answers.may_ask(session, data_controller_id) THEN
    RAISE EXCEPTION 'Access denied to data controller resources' USING ERRCODE = 'PT403';
  END IF;
  SELECT c.* INTO controller FROM data_controllers c WHERE c.id = data_controller_id;
  meant := answers.understand(controller, question);
  IF meant.intent = 'purposes' AND meant.items <> '{}' AND meant.topics = '{}' THEN
    -- Why a kind of data is needed: the purposes that have it.
    meant.intent := 'item';
  END IF;
  SELECT array_agg(answers.source(t.passage, t.score)), array_agg(t.passage),
         coalesce((array_agg((t.passage).kind))[1] = 'faq' AND (meant.intent IS DISTINCT FROM 'how_erase' OR bool_or(t.is_exact)), false)
    INTO texts, written, is_first FROM answers.text_passages(controller, meant, question) t;
  entry := written[1];
  IF meant.coverage >= 0.7 AND NOT meant.names_other THEN
    made := answers.made_passages(controller, meant);
  END IF;
  IF meant.language <> controller.language AND made <> '{}' AND meant.intent IN (
       'retention', 'recipients', 'transfer', 'basis', 'must_consent', 'automated', 'children', 'deadline') THEN
    -- The fields say the same in the language of the question.
    is_first := false;
  END IF;
  IF is_first OR made = '{}' AND texts <> '{}' THEN
    language := entry.language;
    answer := answers.say(CASE entry.kind WHEN 'faq' THEN 'faq' ELSE 'notice.part' END, language, entry.title, answers.end_sentence(entry.text));
  ELSIF made <> '{}' THEN
    language := made[1].language;
    heading := CASE WHEN meant.intent <> 'transfer' THEN meant.intent
                    WHEN EXISTS (SELECT FROM answers.purpose_passages(controller, meant, language)) THEN 'transfer'
                    ELSE 'within' END;
    IF heading IN ('transfer', 'within') AND controller.country = 'GB' THEN
      heading := heading || '_uk';
    END IF;
    answer := answers.word_passages(heading, made, language);
  ELSE
    language := meant.language;
    answer := answers.say(CASE WHEN meant.names_other THEN 'other' ELSE 'none' END, language, controller.title,
                          coalesce(answers.say('ask', language, controller.dpo_email), ''));
  END IF;
  RETURN json_build_object(
    'answer', answer,
    'language', language,
    'generated', false,
    'sources', coalesce((
      SELECT json_agg(s.source ORDER BY s.is_made = is_first, s.place)
        FROM (SELECT source, place, false AS is_made FROM unnest(texts) WITH ORDINALITY AS t (source, place)
              UNION ALL
              SELECT answers.source(CASE p.kind WHEN 'purpose' THEN ROW(p.kind, p.id, p.title, answers.end_sentence(format('%s: %s', p.title, p.text)), p.language)::answers.passage
                                                ELSE ROW(p.kind, p.id, p.title, p.text, p.language)::answers.passage END, meant.coverage), place, true
                FROM unnest(made) WITH ORDINALITY AS p (kind, id, title, text, language, place)) s), '[]'));
END $$;
COMMENT ON FUNCTION answers.answer_question(json, uuid, text) IS 'Answers the action answerFAQ.';

COMMIT;
