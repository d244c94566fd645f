-- Answers to questions about privacy, from a controller's own FAQ, notices and purposes. The action `answerFAQ` calls the
-- function at the end. It uses no extension and no model: words are compared by their stems in each language of the
-- service, by concepts that have words in all of them, and, if neither finds a word, by trigrams. The file runs at each
-- start, so that kept data has its newest version.

BEGIN;

DROP FUNCTION IF EXISTS answer_faq(uuid, text);
DROP VIEW IF EXISTS privacy_answers;
DROP SCHEMA IF EXISTS answers CASCADE;
CREATE SCHEMA answers;
COMMENT ON SCHEMA answers IS 'What answers questions about privacy.';

-- ---------------------------------------------------------------------------------------------------------
-- Words
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION answers.configuration(language text) RETURNS regconfig LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE language WHEN 'de' THEN 'pg_catalog.german' WHEN 'nl' THEN 'pg_catalog.dutch' ELSE 'pg_catalog.english' END::regconfig
$$;
COMMENT ON FUNCTION answers.configuration(text) IS 'The text search configuration of a language.';

-- The trigrams of a word, with a mark of its beginning and end.
CREATE FUNCTION answers.trigrams(word text) RETURNS SETOF text LANGUAGE sql IMMUTABLE STRICT ROWS 8 AS $$
  SELECT DISTINCT substr('  ' || word || ' ', n, 3) FROM generate_series(1, length(word) + 1) n
$$;
COMMENT ON FUNCTION answers.trigrams(text) IS 'All sequences of three letters of a word.';

-- What people ask about, in the words of each language. A question in one language so finds a text in another one. Beware of
-- phrases with stop words: `which data` is `data` alone.
CREATE TABLE answers.term (
  concept  text     NOT NULL,
  language text     NOT NULL CHECK (language IN ('en', 'de', 'nl')),
  word     text     NOT NULL,
  query    tsquery  NOT NULL,
  PRIMARY KEY (language, word, concept)
);
COMMENT ON TABLE answers.term IS 'A word or phrase for a concept in a language.';
COMMENT ON COLUMN answers.term.query IS 'Matches the word in a text of the language.';

INSERT INTO answers.term (concept, language, word, query)
SELECT DISTINCT t.concept, l.language, btrim(w), phraseto_tsquery(answers.configuration(l.language), w)
  FROM (VALUES
  ('consent',
   'consent, consents, permission, agreement, agree, opt in',
   'Einwilligung, einwilligen, Zustimmung, zustimmen, Einverständnis, Erlaubnis',
   'toestemming, toestemmen, instemming, instemmen, akkoord, goedkeuring'),
  ('withdraw',
   'withdraw, withdrawal, revoke, retract, unsubscribe, opt out, take back, switch off, turn off, cancel, stop',
   'widerrufen, widerrufe, Widerruf, zurückziehen, zurücknehmen, abmelden, abbestellen, ausschalten, rückgängig, beenden',
   'intrekken, intrek, trek, herroepen, afmelden, opzeggen, uitzetten, uitschrijven, terugnemen, stoppen'),
  ('data',
   'data, personal data, information',
   'Daten, Angaben, Informationen',
   'gegevens, persoonsgegevens, informatie'),
  ('erase',
   'delete, deletion, erase, erasure, remove, removal, forget, forgotten, destroy',
   'löschen, Löschung, gelöscht, entfernen, vernichten, vergessen, Vergessenwerden',
   'verwijderen, verwijdering, verwijderd, wissen, gewist, vergeten, vergetelheid, vernietigen'),
  ('access',
   'access request, copy, copies, obtain, see my data, data do you hold, disclosure',
   'Auskunft, Kopie, Einsicht, erfahren, Datenauskunft',
   'inzage, inzageverzoek, kopie, afschrift, opvragen'),
  ('rectify',
   'rectify, rectification, correct, correction, wrong, incorrect, inaccurate, update my data, change my address',
   'berichtigen, Berichtigung, korrigieren, Korrektur, falsch, unrichtig, ändern',
   'rectificatie, rectificeren, corrigeren, correctie, verbeteren, onjuist, fout, wijzigen'),
  ('portability',
   'portability, portable, export, transfer my data, machine readable, download',
   'Übertragbarkeit, Datenübertragbarkeit, übertragen, exportieren, Export, maschinenlesbar, herunterladen',
   'overdraagbaarheid, overdragen, exporteren, export, downloaden'),
  ('restrict',
   'restrict, restriction, limit the processing, block',
   'einschränken, Einschränkung, sperren, Sperrung',
   'beperken, beperking, blokkeren'),
  ('object',
   'object, objection, oppose, refuse, decline',
   'widersprechen, Widerspruch, ablehnen, verweigern',
   'bezwaar, weigeren, afwijzen, verzetten'),
  ('complain',
   'complain, complaint, authority, supervisory authority, regulator, ombudsman',
   'beschweren, Beschwerde, Aufsichtsbehörde, Behörde, Datenschutzbehörde',
   'klacht, klagen, toezichthouder, autoriteit, bezwaarschrift'),
  ('officer',
   'data protection officer, privacy officer, DPO, contact, contact person, e-mail address of the officer, write to, reach',
   'Datenschutzbeauftragter, Datenschutzbeauftragte, Datenschutzbeauftragt, Ansprechpartner, Kontakt, kontaktieren, erreichen, schreiben',
   'functionaris, functionaris voor gegevensbescherming, contactpersoon, contact, bereiken, schrijf'),
  ('responsible',
   'responsible, controller, who are you, company behind, imprint',
   'Verantwortlicher, verantwortlich, wer sind Sie, Impressum',
   'verantwoordelijk, verantwoordelijke, verwerkingsverantwoordelijke, wie bent u'),
  ('share',
   'share, shared, sell, sold, third parties, recipients, receive, receives, pass on, disclose, processors, give my data, gets my data, sees my data, partners, suppliers',
   'weitergeben, Weitergabe, verkaufen, verkauft, Dritte, Empfänger, teilen, Auftragsverarbeiter, Dienstleister, erhält meine Daten, bekommt meine Daten, sieht meine Daten, Partner',
   'delen, deelt, verkopen, verkoopt, derden, ontvangers, ontvangt, verwerkers, doorgeven, verstrekken, krijgt mijn gegevens, ziet mijn gegevens, leveranciers'),
  ('transfer',
   'outside the EU, third country, third countries, United States, abroad, transfer',
   'außerhalb der EU, Drittland, Drittländer, USA, Ausland, Übermittlung',
   'buiten de EU, derde land, derde landen, buitenland, doorgifte'),
  ('retention',
   'how long, retention, keep, kept, store, stored, storage, period, duration, archive',
   'wie lange, Aufbewahrung, aufbewahren, Speicherdauer, speichern, Dauer, Frist, Speicherung',
   'hoe lang, bewaren, bewaartermijn, bewaar, bewaart, opslaan, opslag, termijn'),
  ('purpose',
   'purpose, purposes, why, reason, reasons, use my data',
   'Zweck, Zwecke, warum, wozu, wofür, Grund',
   'doel, doelen, doeleinden, waarom, waarvoor, reden'),
  ('basis',
   'legal basis, lawful, legal ground, legitimate interest, legitimate interests, GDPR article',
   'Rechtsgrundlage, Rechtsgrundlagen, rechtmäßig, berechtigtes Interesse, berechtigte Interessen',
   'grondslag, rechtsgrond, rechtmatig, gerechtvaardigd belang'),
  ('cookies',
   'cookie, cookies, tracking, track, tracker, analytics, statistics, profiling, Global Privacy Control, Do Not Track',
   'Cookie, Cookies, Tracking, verfolgen, Statistik, Statistiken, Profilbildung, Global Privacy Control, Do Not Track',
   'cookie, cookies, tracking, volgen, statistiek, statistieken, profilering, Global Privacy Control, Do Not Track'),
  ('newsletter',
   'newsletter, newsletters, marketing, advertising, adverts, mailing, promotional, e-mails',
   'Newsletter, Werbung, Marketing, Rundschreiben, Werbemail',
   'nieuwsbrief, nieuwsbrieven, reclame, marketing, mailing'),
  ('rights',
   'my rights, rights, entitled, GDPR',
   'meine Rechte, Rechte, DSGVO, Betroffenenrechte',
   'mijn rechten, rechten, AVG'),
  ('cost',
   'cost, costs, fee, fees, price, free of charge, pay, charge',
   'Kosten, kostet, kostenlos, Gebühr, unentgeltlich, bezahlen',
   'kosten, kosteloos, gratis, vergoeding, betalen'),
  ('deadline',
   'deadline, within a month, how soon, how quickly, how fast',
   'innerhalb eines Monats, wie schnell, Bearbeitungszeit',
   'binnen een maand, hoe snel'),
  ('payment',
   'payment, payments, invoice, invoices, bank account, credit card, IBAN',
   'Zahlung, Zahlungen, Rechnung, Rechnungen, Bankverbindung, Kreditkarte, IBAN',
   'betaling, betalingen, factuur, facturen, bankrekening, creditcard, IBAN'),
  ('security',
   'secure, security, protect, protected, safe, encryption, encrypted, breach, misuse',
   'sicher, Sicherheit, schützen, geschützt, Verschlüsselung, verschlüsselt, Datenpanne, Missbrauch',
   'veilig, veiligheid, beveiliging, beschermen, beschermd, versleuteling, datalek, misbruik'),
  ('health',
   'health, allergies, allergy, medical, sensitive data',
   'Gesundheit, Gesundheitsdaten, Allergie, Allergien, medizinisch',
   'gezondheid, gezondheidsgegevens, allergie, allergieën, medisch'),
  ('children',
   'children, child, minor, minors, kids',
   'Kinder, Kind, Minderjährige',
   'kinderen, kind, minderjarigen')
  ) AS t (concept, en, de, nl)
 CROSS JOIN LATERAL (VALUES ('en', t.en), ('de', t.de), ('nl', t.nl)) AS l (language, words)
 CROSS JOIN LATERAL regexp_split_to_table(l.words, ',\s*') AS w
 WHERE numnode(phraseto_tsquery(answers.configuration(l.language), w)) > 0;

-- The trigrams of the terms that are one word, for words that are misspelt or put together with others.
CREATE TABLE answers.term_trigram (
  trigram text NOT NULL,
  concept text NOT NULL,
  word    text NOT NULL,
  count   int  NOT NULL,
  PRIMARY KEY (trigram, concept, word)
);
COMMENT ON TABLE answers.term_trigram IS 'A trigram of a term, with the number of trigrams that the term has.';
INSERT INTO answers.term_trigram (trigram, concept, word, count)
SELECT g, t.concept, lower(t.word), (SELECT count(*) FROM answers.trigrams(lower(t.word)))
  FROM answers.term t CROSS JOIN LATERAL answers.trigrams(lower(t.word)) g
 WHERE t.word !~ '[\s-]' AND length(t.word) >= 5
    ON CONFLICT DO NOTHING;
ANALYZE answers.term, answers.term_trigram;

-- ---------------------------------------------------------------------------------------------------------
-- Passages
-- ---------------------------------------------------------------------------------------------------------

-- What a purpose says beside its description, in the controller's language.
CREATE FUNCTION answers.purpose_text(language text, purpose data_controller_processing_purposes) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT concat_ws(' ', nullif(purpose.description, ''),
    CASE language
      WHEN 'de' THEN CASE purpose.legal_basis
        WHEN 'consent' THEN 'Rechtsgrundlage ist Ihre Einwilligung, die Sie jederzeit widerrufen können.'
        WHEN 'contract' THEN 'Rechtsgrundlage ist der Vertrag mit Ihnen.'
        WHEN 'legal_obligation' THEN 'Rechtsgrundlage ist eine gesetzliche Pflicht.'
        WHEN 'vital_interests' THEN 'Rechtsgrundlage sind lebenswichtige Interessen.'
        WHEN 'public_task' THEN 'Rechtsgrundlage ist eine öffentliche Aufgabe.'
        ELSE 'Rechtsgrundlage sind berechtigte Interessen; Sie können widersprechen.' END
      WHEN 'nl' THEN CASE purpose.legal_basis
        WHEN 'consent' THEN 'De grondslag is uw toestemming, die u altijd kunt intrekken.'
        WHEN 'contract' THEN 'De grondslag is de overeenkomst met u.'
        WHEN 'legal_obligation' THEN 'De grondslag is een wettelijke plicht.'
        WHEN 'vital_interests' THEN 'De grondslag zijn vitale belangen.'
        WHEN 'public_task' THEN 'De grondslag is een taak van algemeen belang.'
        ELSE 'De grondslag is een gerechtvaardigd belang; u kunt bezwaar maken.' END
      ELSE CASE purpose.legal_basis
        WHEN 'consent' THEN 'The legal basis is your consent, which you may withdraw at any time.'
        WHEN 'contract' THEN 'The legal basis is our contract with you.'
        WHEN 'legal_obligation' THEN 'The legal basis is a legal obligation.'
        WHEN 'vital_interests' THEN 'The legal basis are vital interests.'
        WHEN 'public_task' THEN 'The legal basis is a public task.'
        ELSE 'The legal basis is a legitimate interest; you may object.' END
    END,
    CASE WHEN purpose.retention_months IS NOT NULL THEN format(CASE language
      WHEN 'de' THEN 'Die Daten werden %s Monate aufbewahrt.'
      WHEN 'nl' THEN 'De gegevens worden %s maanden bewaard.'
      ELSE 'The data is kept for %s months.' END, purpose.retention_months) END,
    (SELECT format(CASE language WHEN 'de' THEN 'Dazu gehören: %s.' WHEN 'nl' THEN 'Dit betreft: %s.' ELSE 'It needs: %s.' END,
                   string_agg(i.label, ', ' ORDER BY i.label))
       FROM data_controller_purpose_data_items i WHERE i.data_controller_processing_purpose_id = purpose.id HAVING count(*) > 0))
$$;
COMMENT ON FUNCTION answers.purpose_text IS 'What a purpose is, its legal basis, its data and how long it is kept, in sentences.';

-- Everything that a controller tells the public: published FAQ entries, the newest published notice in each language, by its
-- main points and its chapters, and active purposes. Drafts are nobody's answer.
CREATE FUNCTION answers.passages(controller uuid)
RETURNS TABLE (kind text, id uuid, title text, body text, language text) LANGUAGE sql STABLE ROWS 50 AS $$
  SELECT 'faq', f.id, f.question, f.answer, c.language
    FROM data_controllers c JOIN data_controller_faqs f ON f.data_controller_id = c.id
   WHERE c.id = controller AND f.published
  UNION ALL
  SELECT 'notice', n.id, n.title || coalesce(': ' || regexp_replace(p.heading, '^\d+\.\s*', ''), ''), p.body, n.language
    FROM (SELECT DISTINCT ON (v.language) v.* FROM privacy_notices v
           WHERE v.data_controller_id = controller AND v.published ORDER BY v.language, v.version DESC) n
   CROSS JOIN LATERAL (
         SELECT NULL AS heading, n.overview AS body
         UNION ALL
         -- A chapter has its heading on a line of its own.
         SELECT split_part(chapter, E'\n', 1), substr(chapter, strpos(chapter, E'\n') + 1)
           FROM regexp_split_to_table(n."full", '\n\s*\n') AS chapter WHERE strpos(chapter, E'\n') > 0) p
  UNION ALL
  SELECT 'purpose', p.id, p.title, answers.purpose_text(c.language, p), c.language
    FROM data_controllers c JOIN data_controller_processing_purposes p ON p.data_controller_id = c.id
   WHERE c.id = controller AND p.status = 'active'
$$;
COMMENT ON FUNCTION answers.passages(uuid) IS 'The texts of a controller that answer questions.';

-- ---------------------------------------------------------------------------------------------------------
-- Retrieval
-- ---------------------------------------------------------------------------------------------------------

-- The words of a question that are stop words in none of the languages, and no verbs that every question has. Three hundred characters are more than a question
-- has, and bound the work.
CREATE FUNCTION answers.words(question text) RETURNS SETOF text LANGUAGE sql STABLE ROWS 8 AS $$
  SELECT DISTINCT w FROM regexp_split_to_table(lower(left(question, 300)), '[^[:alnum:]]+') AS w
   WHERE length(w) BETWEEN 2 AND 60
     AND w <> ALL (ARRAY['get', 'gets', 'got', 'want', 'need', 'please', 'tell', 'know', 'make', 'happens', 'happen', 'like', 'would', 'could',
                         'may', 'bitte', 'bekomme', 'bekommen', 'bekommt', 'erhalte', 'erhalten', 'möchte', 'kriege', 'sagen', 'wissen', 'geht',
                         'passiert', 'darf', 'graag', 'krijg', 'krijgen', 'kunt', 'wil', 'weten', 'gebeurt', 'mag', 'gaat'])
     AND length(to_tsvector('pg_catalog.english', w)) > 0 AND length(to_tsvector('pg_catalog.german', w)) > 0
     AND length(to_tsvector('pg_catalog.dutch', w)) > 0
$$;
COMMENT ON FUNCTION answers.words(text) IS 'The words of a question that say what it is about.';

-- The passages that fit a question. What is asked about are features: concepts, and words that are no concept. A rare
-- feature counts more than one that most passages have, one in a title more than one in a text. The score is the part of
-- the question that a passage covers, from 0 to 1.
CREATE FUNCTION answers.search(controller uuid, question text)
RETURNS TABLE (kind text, id uuid, title text, body text, language text, score real) LANGUAGE sql STABLE ROWS 5 AS $$
WITH asked AS MATERIALIZED (
  SELECT l.language, to_tsvector(answers.configuration(l.language), left(question, 300)) AS words
    FROM unnest(ARRAY['en', 'de', 'nl']) AS l (language)
), word AS MATERIALIZED (
  SELECT w FROM answers.words(question) AS w
), term AS MATERIALIZED (
  -- Concepts with the question's words that name them.
  SELECT t.concept, t.word FROM answers.term t JOIN asked a ON a.language = t.language AND a.words @@ t.query
), known AS MATERIALIZED (
  SELECT DISTINCT w.w FROM word w
   WHERE EXISTS (SELECT FROM term t CROSS JOIN unnest(ARRAY['en', 'de', 'nl']) AS l (language)
                  WHERE to_tsvector(answers.configuration(l.language), t.word) @@ plainto_tsquery(answers.configuration(l.language), w.w))
), passage AS MATERIALIZED (
  SELECT row_number() OVER () AS number, p.*,
         to_tsvector(answers.configuration(p.language), p.title) AS title_words,
         to_tsvector(answers.configuration(p.language), p.body) AS body_words
    FROM answers.passages(controller) p
), plain AS MATERIALIZED (
  -- Words that are no concept, and whether some passage has them.
  SELECT w.w, EXISTS (SELECT FROM passage p WHERE (p.title_words || p.body_words) @@ plainto_tsquery(answers.configuration(p.language), w.w)) AS is_found
    FROM word w WHERE w.w NOT IN (SELECT k.w FROM known k)
), similar_term AS MATERIALIZED (
  -- Misspelt and compound words: the concept of the term with the most trigrams in common, which begins alike: `Wetter` is
  -- no `Newsletter`.
  SELECT DISTINCT ON (s.w) s.w, s.concept
    FROM (SELECT p.w, g.concept, g.word, count(*)::float8 / least(
                   g.count, (SELECT count(*) FROM answers.trigrams(p.w))) AS similarity
            FROM plain p CROSS JOIN LATERAL answers.trigrams(p.w) AS t JOIN answers.term_trigram g ON g.trigram = t
           WHERE NOT p.is_found AND length(p.w) >= 5 AND left(g.word, 3) = left(p.w, 3)
           GROUP BY p.w, g.concept, g.word, g.count) s
   WHERE s.similarity >= 0.6
   ORDER BY s.w, s.similarity DESC, s.concept
), concept AS MATERIALIZED (
  SELECT t.concept FROM term t UNION SELECT s.concept FROM similar_term s
), rest AS MATERIALIZED (
  SELECT p.w, p.is_found FROM plain p WHERE p.w NOT IN (SELECT s.w FROM similar_term s)
), similar_word AS MATERIALIZED (
  -- The words of titles that look like a word of the question that nothing else explains.
  SELECT DISTINCT r.w, p.number
    FROM rest r, passage p
   CROSS JOIN LATERAL regexp_split_to_table(lower(left(p.title, 200)), '[^[:alnum:]]+') AS v
   WHERE NOT r.is_found AND length(r.w) >= 5 AND length(v) BETWEEN 5 AND 60 AND left(v, 3) = left(r.w, 3)
     AND (SELECT count(*)::float8 FROM answers.trigrams(r.w) AS a JOIN answers.trigrams(v) AS b ON a = b)
         >= 0.55 * least((SELECT count(*) FROM answers.trigrams(r.w)), (SELECT count(*) FROM answers.trigrams(v)))
), feature AS MATERIALIZED (
  SELECT 'concept:' || c.concept AS name, p.number, bool_or(p.title_words @@ t.query) AS in_title
    FROM concept c JOIN answers.term t ON t.concept = c.concept
    JOIN passage p ON p.language = t.language AND (p.title_words @@ t.query OR p.body_words @@ t.query)
   GROUP BY c.concept, p.number
  UNION ALL
  SELECT 'word:' || r.w, p.number, p.title_words @@ q
    FROM rest r CROSS JOIN passage p
   CROSS JOIN LATERAL plainto_tsquery(answers.configuration(p.language), r.w) AS q
   WHERE r.is_found AND (p.title_words @@ q OR p.body_words @@ q)
  UNION ALL
  SELECT 'word:' || s.w, s.number, true FROM similar_word s
), weight AS MATERIALIZED (
  -- A word that is found nowhere weighs nearly as much as the rarest: the question is about something else.
  SELECT n.name, CASE WHEN n.found = 0 THEN 0.8 ELSE 1 END * ln(1 + (SELECT count(*) FROM passage) / greatest(1, n.found))::float8 AS weight
    FROM (SELECT a.name, (SELECT count(*) FROM feature f WHERE f.name = a.name) AS found
            FROM (SELECT 'concept:' || c.concept AS name FROM concept c UNION SELECT 'word:' || r.w FROM rest r) a) n
), scored AS (
  SELECT f.number, sum(w.weight * CASE WHEN f.in_title THEN 1 ELSE 0.5 END) / nullif((SELECT sum(weight) FROM weight), 0) AS score
    FROM feature f JOIN weight w ON w.name = f.name GROUP BY f.number
)
SELECT p.kind, p.id, p.title, p.body, p.language, s.score::real
  FROM scored s JOIN passage p ON p.number = s.number
 WHERE s.score >= 0.2
 ORDER BY s.score * CASE p.kind WHEN 'faq' THEN 1.15 WHEN 'notice' THEN 1 ELSE 0.9 END DESC, p.kind, p.number
 LIMIT 5
$$;
COMMENT ON FUNCTION answers.search(uuid, text) IS 'The passages of a controller that fit a question, the best first.';

-- ---------------------------------------------------------------------------------------------------------
-- The answer
-- ---------------------------------------------------------------------------------------------------------

-- At most so many sentences of a text: those with words of the question or its concepts first, in the order of the text.
CREATE FUNCTION answers.sentences(body text, language text, question text, most int) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT string_agg(chosen.sentence, ' ' ORDER BY chosen.place)
    FROM (SELECT s.sentence, s.place,
                 (SELECT count(*) FROM answers.words(question) w
                   WHERE to_tsvector(answers.configuration(sentences.language), s.sentence) @@ plainto_tsquery(answers.configuration(sentences.language), w))
                 + (SELECT count(DISTINCT t.concept) FROM answers.term t
                     WHERE t.language = sentences.language AND to_tsvector(answers.configuration(t.language), s.sentence) @@ t.query
                       AND t.concept IN (
                         SELECT a.concept FROM answers.term a
                          WHERE to_tsvector(answers.configuration(a.language), left(question, 300)) @@ a.query)) AS matches
            FROM regexp_split_to_table(body, '(?<=[.!?])\s+(?=[[:upper:]„"])') WITH ORDINALITY AS s (sentence, place)
           WHERE s.sentence <> ''
           ORDER BY matches DESC, s.place LIMIT most) chosen
$$;
COMMENT ON FUNCTION answers.sentences IS 'The sentences of a text that fit a question.';

CREATE FUNCTION answers.may_ask(session json, controller uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
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

-- `answer_question` and not `answer_faq`, which used to be a search with rows of its own.
CREATE FUNCTION answers.answer_question(session json, data_controller_id uuid, question text) RETURNS json
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  controller data_controllers;
  found json;
  answer text;
BEGIN
  IF NOT answers.may_ask(session, data_controller_id) THEN
    RAISE EXCEPTION 'Access denied to data controller resources' USING ERRCODE = 'PT403';
  END IF;
  SELECT c.* INTO controller FROM data_controllers c WHERE c.id = data_controller_id;
  WITH source AS MATERIALIZED (
    SELECT s.*, row_number() OVER () AS place, max(s.score) OVER () AS best FROM answers.search(controller.id, question) s
  )
  SELECT json_agg(json_build_object('id', s.id, 'kind', s.kind, 'title', s.title, 'text', s.body, 'language', s.language,
                                    'score', trim_scale(round(s.score::numeric, 3))) ORDER BY s.place),
         -- The best passage answers; another one adds a sentence if it fits nearly as well.
         string_agg(CASE
           WHEN s.place = 1 AND s.kind = 'faq' THEN s.body
           WHEN s.place = 1 THEN answers.sentences(s.body, s.language, question, 3)
           WHEN s.place = 2 AND s.score >= 0.75 * s.best THEN answers.sentences(s.body, s.language, question, 1)
         END, ' ' ORDER BY s.place)
    INTO found, answer FROM source s;
  RETURN json_build_object(
    'answer', coalesce(answer, format(CASE controller.language
      WHEN 'de' THEN 'Die Hinweise von %s beantworten diese Frage nicht.%s'
      WHEN 'nl' THEN 'De informatie van %s beantwoordt deze vraag niet.%s'
      ELSE 'What %s says about privacy does not answer this question.%s' END, controller.title,
      ' ' || CASE controller.language
        WHEN 'de' THEN 'Bitte wenden Sie sich an den Datenschutz: '
        WHEN 'nl' THEN 'U kunt terecht bij de functionaris voor gegevensbescherming: '
        ELSE 'Please ask the data protection officer: ' END || controller.dpo_email || '.')),
    'language', controller.language,
    'generated', false,
    'sources', coalesce(found, '[]'));
END $$;
COMMENT ON FUNCTION answers.answer_question(json, uuid, text) IS 'Answers the action answerFAQ.';

COMMIT;
