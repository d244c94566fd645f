-- The texts of a controller that answer questions: published FAQ entries, the chapters of the newest published notice, and
-- passages that are made from the fields of its profile and of its active purposes, so that they say what is set.

BEGIN;

-- The sentences of made passages in each language; `%s` are their values.
CREATE TABLE IF NOT EXISTS answers.phrase (name text PRIMARY KEY, en text NOT NULL, de text NOT NULL, nl text NOT NULL);
COMMENT ON TABLE answers.phrase IS 'A sentence of made passages in the languages of the service.';
TRUNCATE answers.phrase;
INSERT INTO answers.phrase (name, en, de, nl) VALUES
-- How an answer begins.
('faq', 'To “%s”: %s', 'Auf die Frage „%s“: %s', 'Op de vraag “%s”: %s'),
('notice.part', 'From “%s”: %s', 'Aus „%s“: %s', 'Uit “%s”: %s'),
('list.retention', 'How long data is kept depends on the purpose. %s', 'Wie lange Daten aufbewahrt werden, hängt vom Zweck ab. %s', 'Hoe lang gegevens worden bewaard, hangt af van het doel. %s'),
('list.recipients', 'These processors have access, each for its purposes. %s', 'Diese Auftragsverarbeiter haben Zugriff, jeder für seine Zwecke. %s', 'Deze verwerkers hebben toegang, elk voor hun doelen. %s'),
('list.location', 'Processors have the data, each for its purposes, in the countries named. %s', 'Auftragsverarbeiter haben die Daten, jeder für seine Zwecke, in den genannten Ländern. %s', 'Verwerkers hebben de gegevens, elk voor hun doelen, in de genoemde landen. %s'),
('list.transfer', 'These processors are outside the European Economic Area, with the safeguard named. %s', 'Diese Auftragsverarbeiter sitzen außerhalb des Europäischen Wirtschaftsraums, mit der genannten Garantie. %s', 'Deze verwerkers zijn buiten de Europese Economische Ruimte gevestigd, met de genoemde waarborg. %s'),
('list.transfer_uk', 'These processors are outside the United Kingdom and the European Economic Area, with the safeguard named. %s', 'Diese Auftragsverarbeiter sitzen außerhalb des Vereinigten Königreichs und des Europäischen Wirtschaftsraums, mit der genannten Garantie. %s', 'Deze verwerkers zijn buiten het Verenigd Koninkrijk en de Europese Economische Ruimte gevestigd, met de genoemde waarborg. %s'),
('list.within', 'The processors named for the purposes are in the European Economic Area. %s', 'Die für die Zwecke genannten Auftragsverarbeiter sitzen im Europäischen Wirtschaftsraum. %s', 'De verwerkers die bij de doelen worden genoemd, zijn in de Europese Economische Ruimte gevestigd. %s'),
('list.within_uk', 'The processors named for the purposes are in the United Kingdom or the European Economic Area. %s', 'Die für die Zwecke genannten Auftragsverarbeiter sitzen im Vereinigten Königreich oder im Europäischen Wirtschaftsraum. %s', 'De verwerkers die bij de doelen worden genoemd, zijn in het Verenigd Koninkrijk of in de Europese Economische Ruimte gevestigd. %s'),
('list.basis', 'The legal basis depends on the purpose. %s', 'Die Rechtsgrundlage hängt vom Zweck ab. %s', 'De grondslag hangt af van het doel. %s'),
('list.must_consent', 'These purposes need your consent, which is voluntary and may be withdrawn at any time under Consents; the others have another legal basis. %s', 'Diese Zwecke brauchen Ihre Einwilligung, die freiwillig ist und jederzeit unter „Einwilligungen“ widerrufen werden kann; die anderen haben eine andere Rechtsgrundlage. %s', 'Voor deze doelen is uw toestemming nodig, die vrijwillig is en altijd onder Toestemmingen kan worden ingetrokken; de andere hebben een andere grondslag. %s'),
('list.items', 'Which data may be processed depends on the purpose. %s', 'Welche Daten verarbeitet werden können, hängt vom Zweck ab. %s', 'Welke gegevens kunnen worden verwerkt, hangt af van het doel. %s'),
('list.item', 'This may be processed for the following purposes; what is recorded about you personally is in the data map. %s', 'Das kann für die folgenden Zwecke verarbeitet werden; was zu Ihnen persönlich erfasst ist, zeigt die Datenübersicht. %s', 'Dit kan voor de volgende doelen worden verwerkt; wat over u persoonlijk is vastgelegd, staat in het gegevensoverzicht. %s'),
('list.special', 'Data of special categories may be processed for the following purposes; what is recorded about you personally is in the data map. %s', 'Besondere Kategorien von Daten können für die folgenden Zwecke verarbeitet werden; was zu Ihnen persönlich erfasst ist, zeigt die Datenübersicht. %s', 'Bijzondere categorieën van gegevens kunnen voor de volgende doelen worden verwerkt; wat over u persoonlijk is vastgelegd, staat in het gegevensoverzicht. %s'),
('list.purposes', 'Data is processed for these purposes. %s', 'Daten werden für diese Zwecke verarbeitet. %s', 'Gegevens worden voor deze doelen verwerkt. %s'),
-- What a passage about a purpose says.
('months', '%s months', '%s Monate', '%s maanden'),
('month', '1 month', '1 Monat', '1 maand'),
('years', '%s months (%s years)', '%s Monate (%s Jahre)', '%s maanden (%s jaar)'),
('relation', 'as long as the relation with you lasts', 'solange die Beziehung zu Ihnen besteht', 'zolang de relatie met u duurt'),
('consent', 'your consent', 'Ihre Einwilligung', 'uw toestemming'),
('contract', 'the contract with you', 'der Vertrag mit Ihnen', 'de overeenkomst met u'),
('legal_obligation', 'a legal obligation', 'eine gesetzliche Pflicht', 'een wettelijke plicht'),
('vital_interests', 'vital interests', 'lebenswichtige Interessen', 'vitale belangen'),
('public_task', 'a public task', 'eine öffentliche Aufgabe', 'een taak van algemeen belang'),
('legitimate_interests', 'legitimate interests; you may object', 'berechtigte Interessen; Sie können widersprechen', 'een gerechtvaardigd belang; u kunt bezwaar maken'),
('needs', 'consent is needed; it is voluntary and may be withdrawn at any time under Consents', 'eine Einwilligung ist nötig; sie ist freiwillig und kann jederzeit unter „Einwilligungen“ widerrufen werden', 'toestemming is nodig; die is vrijwillig en kan altijd onder Toestemmingen worden ingetrokken'),
('needs_not', 'no consent is asked for; the legal basis is %s', 'es wird keine Einwilligung eingeholt; die Rechtsgrundlage ist %s', 'er wordt geen toestemming gevraagd; de grondslag is %s'),
('if_given', '%s (only if you give it)', '%s (nur, wenn Sie es angeben)', '%s (alleen als u het opgeeft)'),
('for', '%s for %s', '%s für %s', '%s voor %s'),
('about.basis', 'Legal basis: %s.', 'Rechtsgrundlage: %s.', 'Grondslag: %s.'),
('about.items', 'Data: %s.', 'Daten: %s.', 'Gegevens: %s.'),
('about.retention', 'Kept: %s.', 'Aufbewahrung: %s.', 'Bewaard: %s.'),
('condition.explicit_consent', 'explicit consent', 'ausdrückliche Einwilligung', 'uitdrukkelijke toestemming'),
('condition.employment_law', 'employment and social security law', 'Arbeits- und Sozialrecht', 'arbeids- en socialezekerheidsrecht'),
('condition.vital_interests', 'vital interests', 'lebenswichtige Interessen', 'vitale belangen'),
('condition.nonprofit', 'work of a non-profit body', 'Tätigkeit einer gemeinnützigen Organisation', 'werk van een instantie zonder winstoogmerk'),
('condition.made_public', 'data made public by the person', 'von der Person veröffentlichte Daten', 'door de persoon openbaar gemaakte gegevens'),
('condition.legal_claims', 'legal claims', 'Rechtsansprüche', 'rechtsvorderingen'),
('condition.public_interest', 'substantial public interest', 'erhebliches öffentliches Interesse', 'zwaarwegend algemeen belang'),
('condition.health_care', 'health care', 'Gesundheitsversorgung', 'gezondheidszorg'),
('condition.public_health', 'public health', 'öffentliche Gesundheit', 'volksgezondheid'),
('condition.research', 'research', 'Forschung', 'onderzoek'),
('special', '%s (condition under Article 9(2) GDPR: %s)', '%s (Bedingung nach Art. 9 Abs. 2 DSGVO: %s)', '%s (voorwaarde van artikel 9 lid 2 AVG: %s)'),
-- What a passage about the controller says, by intent, with its title.
('officer.title', 'Data protection officer', 'Datenschutzbeauftragte Person', 'Functionaris voor gegevensbescherming'),
('officer', 'You reach the data protection officer of %1$s, %2$s, at %3$s.', 'Die oder den Datenschutzbeauftragten von %1$s, %2$s, erreichen Sie unter %3$s.', 'De functionaris voor gegevensbescherming van %1$s, %2$s, bereikt u via %3$s.'),
('address.title', 'Controller', 'Verantwortlicher', 'Verwerkingsverantwoordelijke'),
('address', 'Responsible for the processing (controller) is %1$s, %2$s.', 'Verantwortlich für die Verarbeitung ist %1$s, %2$s.', 'Verantwoordelijk voor de verwerking is %1$s, %2$s.'),
('authority.title', 'Supervisory authority', 'Aufsichtsbehörde', 'Toezichthouder'),
('authority', 'You may complain to the supervisory authority at any time. %1$s names: %2$s.', 'Sie können sich jederzeit bei der Aufsichtsbehörde beschweren. %1$s nennt: %2$s.', 'U kunt altijd een klacht indienen bij de toezichthouder. %1$s noemt: %2$s.'),
('automated.title', 'Automated decisions', 'Automatisierte Entscheidungen', 'Geautomatiseerde besluiten'),
('automated.true', '%s states that it makes automated decisions. You may ask that a person looks at such a decision (Article 22 GDPR).', '%s gibt an, automatisierte Entscheidungen zu treffen. Sie können verlangen, dass ein Mensch eine solche Entscheidung prüft (Art. 22 DSGVO).', '%s geeft aan geautomatiseerde besluiten te nemen. U kunt vragen dat een mens zo''n besluit bekijkt (artikel 22 AVG).'),
('automated.false', '%s states that it makes no automated decisions about people (Article 22 GDPR).', '%s gibt an, keine automatisierten Entscheidungen über Personen zu treffen (Art. 22 DSGVO).', '%s geeft aan geen geautomatiseerde besluiten over personen te nemen (artikel 22 AVG).'),
('children.title', 'Data of children', 'Daten von Kindern', 'Gegevens van kinderen'),
('children.true', '%s states that it processes data of children.', '%s gibt an, Daten von Kindern zu verarbeiten.', '%s geeft aan gegevens van kinderen te verwerken.'),
('children.false', '%s states that its processing is not meant for data of children.', '%s gibt an, dass die Verarbeitung nicht für Daten von Kindern gedacht ist.', '%s geeft aan dat de verwerking niet voor gegevens van kinderen is bedoeld.'),
('deadline.title', 'Time to answer requests', 'Frist für Antworten', 'Termijn voor antwoorden'),
('deadline', '%1$s answers a request within %2$s days. Where a request is complex, the law allows two further months, of which you are told.', '%1$s beantwortet einen Antrag innerhalb von %2$s Tagen. Ist ein Antrag aufwendig, erlaubt das Gesetz zwei weitere Monate; das wird Ihnen mitgeteilt.', '%1$s beantwoordt een verzoek binnen %2$s dagen. Bij een ingewikkeld verzoek staat de wet twee maanden extra toe; dat krijgt u te horen.'),
('renew.title', 'Renewal of consents', 'Erneuerung von Einwilligungen', 'Vernieuwing van toestemmingen'),
('renew', '%1$s asks for consents again after %2$s months.', '%1$s fragt nach %2$s Monaten erneut nach Einwilligungen.', '%1$s vraagt na %2$s maanden opnieuw om toestemming.'),
('rights.title', 'Your rights: %s', 'Ihre Rechte: %s', 'Uw rechten: %s'),
('rights', 'You may ask %1$s for %2$s: submit a request under My rights, or write to %3$s.', 'Sie können von %1$s %2$s verlangen: Stellen Sie unter „Meine Rechte“ einen Antrag oder schreiben Sie an %3$s.', 'U kunt %1$s vragen om %2$s: dien een verzoek in onder Mijn rechten of schrijf naar %3$s.'),
('right.how_erase', 'erasure', 'Löschung', 'verwijdering'),
('right.erase', 'erasure', 'Löschung', 'verwijdering'),
('right.access', 'access to your data', 'Auskunft', 'inzage'),
('right.rectify', 'correction of your data', 'Berichtigung', 'correctie'),
('right.portability', 'transfer of your data (portability)', 'Übertragung Ihrer Daten', 'overdracht van uw gegevens'),
('right.restrict', 'restriction of the processing', 'Einschränkung der Verarbeitung', 'beperking van de verwerking'),
('object', 'You may object to processing by %1$s: submit a request under My rights, or write to %3$s.', 'Sie können der Verarbeitung durch %1$s widersprechen: Stellen Sie unter „Meine Rechte“ einen Antrag oder schreiben Sie an %3$s.', 'U kunt bezwaar maken tegen de verwerking door %1$s: dien een verzoek in onder Mijn rechten of schrijf naar %3$s.'),
('right.object', 'objection', 'Widerspruch', 'bezwaar'),
('notice_date', 'The published notice is version %1$s of %2$s.', 'Der veröffentlichte Hinweis ist Fassung %1$s vom %2$s.', 'De gepubliceerde verklaring is versie %1$s van %2$s.'),
-- What is said when nothing answers.
('none', 'What %1$s says about privacy does not answer this question.%2$s', 'Die Hinweise von %1$s beantworten diese Frage nicht.%2$s', 'De informatie van %1$s beantwoordt deze vraag niet.%2$s'),
('other', 'This answers for %1$s only, and from its own texts; the question does not fit them.%2$s', 'Hier wird nur für %1$s und nur aus den eigenen Hinweisen geantwortet; dazu passt die Frage nicht.%2$s', 'Hier wordt alleen namens %1$s en uit de eigen informatie geantwoord; daar past de vraag niet bij.%2$s'),
('ask', ' Please ask the data protection officer: %s.', ' Bitte wenden Sie sich an den Datenschutz: %s.', ' U kunt terecht bij de functionaris voor gegevensbescherming: %s.');

CREATE OR REPLACE FUNCTION answers.say(name text, language text, VARIADIC texts text[] DEFAULT '{}') RETURNS text LANGUAGE sql STABLE AS $$
  SELECT format(CASE language WHEN 'de' THEN p.de WHEN 'nl' THEN p.nl ELSE p.en END, VARIADIC texts) FROM answers.phrase p WHERE p.name = say.name
$$;
COMMENT ON FUNCTION answers.say(text, text, text[]) IS 'A phrase in a language, with its values.';

CREATE OR REPLACE FUNCTION answers.end_sentence(text text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT rtrim(text) || CASE WHEN rtrim(text) ~ '[.!?…]["”“)]?$' THEN '' ELSE '.' END
$$;
COMMENT ON FUNCTION answers.end_sentence(text) IS 'A text with a full stop at its end.';

-- The countries of processors, and whether they are in the European Economic Area.
CREATE TABLE IF NOT EXISTS answers.country (code text PRIMARY KEY, is_eea boolean NOT NULL, en text NOT NULL, de text NOT NULL, nl text NOT NULL);
COMMENT ON TABLE answers.country IS 'The name of a country in the languages of the service.';
TRUNCATE answers.country;
INSERT INTO answers.country (code, is_eea, en, de, nl) VALUES
('AT', true, 'Austria', 'Österreich', 'Oostenrijk'), ('BE', true, 'Belgium', 'Belgien', 'België'), ('BG', true, 'Bulgaria', 'Bulgarien', 'Bulgarije'),
('HR', true, 'Croatia', 'Kroatien', 'Kroatië'), ('CY', true, 'Cyprus', 'Zypern', 'Cyprus'), ('CZ', true, 'Czechia', 'Tschechien', 'Tsjechië'),
('DK', true, 'Denmark', 'Dänemark', 'Denemarken'), ('EE', true, 'Estonia', 'Estland', 'Estland'), ('FI', true, 'Finland', 'Finnland', 'Finland'),
('FR', true, 'France', 'Frankreich', 'Frankrijk'), ('DE', true, 'Germany', 'Deutschland', 'Duitsland'), ('GR', true, 'Greece', 'Griechenland', 'Griekenland'),
('HU', true, 'Hungary', 'Ungarn', 'Hongarije'), ('IS', true, 'Iceland', 'Island', 'IJsland'), ('IE', true, 'Ireland', 'Irland', 'Ierland'),
('IT', true, 'Italy', 'Italien', 'Italië'), ('LV', true, 'Latvia', 'Lettland', 'Letland'), ('LI', true, 'Liechtenstein', 'Liechtenstein', 'Liechtenstein'),
('LT', true, 'Lithuania', 'Litauen', 'Litouwen'), ('LU', true, 'Luxembourg', 'Luxemburg', 'Luxemburg'), ('MT', true, 'Malta', 'Malta', 'Malta'),
('NL', true, 'the Netherlands', 'Niederlande', 'Nederland'), ('NO', true, 'Norway', 'Norwegen', 'Noorwegen'), ('PL', true, 'Poland', 'Polen', 'Polen'),
('PT', true, 'Portugal', 'Portugal', 'Portugal'), ('RO', true, 'Romania', 'Rumänien', 'Roemenië'), ('SK', true, 'Slovakia', 'Slowakei', 'Slowakije'),
('SI', true, 'Slovenia', 'Slowenien', 'Slovenië'), ('ES', true, 'Spain', 'Spanien', 'Spanje'), ('SE', true, 'Sweden', 'Schweden', 'Zweden'),
('GB', false, 'United Kingdom', 'Vereinigtes Königreich', 'Verenigd Koninkrijk'), ('CH', false, 'Switzerland', 'Schweiz', 'Zwitserland'),
('US', false, 'United States', 'USA', 'Verenigde Staten'), ('CA', false, 'Canada', 'Kanada', 'Canada'), ('IN', false, 'India', 'Indien', 'India'),
('JP', false, 'Japan', 'Japan', 'Japan'), ('IL', false, 'Israel', 'Israel', 'Israël'), ('AU', false, 'Australia', 'Australien', 'Australië');

CREATE OR REPLACE FUNCTION answers.country_name(code text, language text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT CASE language WHEN 'de' THEN c.de WHEN 'nl' THEN c.nl ELSE c.en END FROM answers.country c WHERE c.code = country_name.code), code)
$$;
COMMENT ON FUNCTION answers.country_name(text, text) IS 'The name of a country.';

CREATE OR REPLACE FUNCTION answers.months(months int, language text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN months IS NULL THEN answers.say('relation', language)
              WHEN months = 1 THEN answers.say('month', language)
              WHEN months >= 24 AND months % 12 = 0 THEN answers.say('years', language, months::text, (months / 12)::text)
              ELSE answers.say('months', language, months::text) END
$$;
COMMENT ON FUNCTION answers.months(int, text) IS 'How long a purpose keeps its data.';

-- A text of a catalogue in a language: `labels` or the like where the row has it, or else its text.
CREATE OR REPLACE FUNCTION answers.label(catalogue_row jsonb, languages_column text, text_column text, language text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(catalogue_row -> languages_column ->> language, catalogue_row ->> text_column)
$$;
COMMENT ON FUNCTION answers.label(jsonb, text, text, text) IS 'A text of a catalogue in a language.';

-- `Kartograaf Analytics B.V. (Web analytics, the Netherlands, EU processing)`
CREATE OR REPLACE FUNCTION answers.processor_text(processor data_processors, language text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT format('%s (%s)', processor.title, concat_ws(', ', answers.label(to_jsonb(processor), 'services', 'service', language),
    answers.country_name(processor.country, language), answers.label(to_jsonb(processor), 'safeguards', 'safeguard', language)))
$$;
COMMENT ON FUNCTION answers.processor_text(data_processors, text) IS 'A processor with its service, country and safeguard.';

DROP TYPE IF EXISTS answers.passage CASCADE;
CREATE TYPE answers.passage AS (kind text, id uuid, title text, text text, language text);

-- FAQ entries that are published, and the chapters of the newest published notice in each language, which have their
-- heading on a line of their own.
CREATE OR REPLACE FUNCTION answers.entries(controller data_controllers) RETURNS SETOF answers.passage LANGUAGE sql STABLE ROWS 10 AS $$
  SELECT 'faq', f.id, f.question, f.answer, controller.language
    FROM data_controller_faqs f WHERE f.data_controller_id = controller.id AND f.published ORDER BY f.position
$$;
COMMENT ON FUNCTION answers.entries IS 'The published FAQ entries of a controller.';

CREATE OR REPLACE FUNCTION answers.chapters(controller data_controllers) RETURNS SETOF answers.passage LANGUAGE sql STABLE ROWS 10 AS $$
  SELECT 'notice', n.id, n.title || ': ' || regexp_replace(split_part(chapter, E'\n', 1), '^\d+\.\s*', ''), substr(chapter, strpos(chapter, E'\n') + 1), n.language
    FROM (SELECT DISTINCT ON (v.language) v.* FROM privacy_notices v
           WHERE v.data_controller_id = controller.id AND v.published ORDER BY v.language, v.version DESC) n
   CROSS JOIN LATERAL regexp_split_to_table(n."full", '\n\s*\n') AS chapter
   WHERE strpos(chapter, E'\n') > 0
$$;
COMMENT ON FUNCTION answers.chapters IS 'The chapters of a controller''s notice.';

-- Whether a name has one of some words, in any form.
CREATE OR REPLACE FUNCTION answers.has_word(name text, words text[], language text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT tsvector_to_array(to_tsvector(answers.configuration(language), answers.normalize(name)))
         && tsvector_to_array(to_tsvector(answers.configuration(language), array_to_string(words, ' ')))
$$;
COMMENT ON FUNCTION answers.has_word IS 'Whether a name has one of some words.';

-- The active purposes that a question is about: those it names, those that have the data it names, or all.
CREATE OR REPLACE FUNCTION answers.purposes_asked(controller data_controllers, question answers.question)
RETURNS SETOF data_controller_processing_purposes LANGUAGE sql STABLE ROWS 10 AS $$
  WITH purpose AS MATERIALIZED (
    SELECT p.*::data_controller_processing_purposes AS p, row_number() OVER (ORDER BY p.position, p.id)::int AS number
      FROM data_controller_processing_purposes p WHERE p.data_controller_id = controller.id AND p.status = 'active'
  ), titled AS MATERIALIZED (
    SELECT c.number, c.concepts FROM answers.classify(ARRAY(SELECT (p.p).title FROM purpose p ORDER BY p.number), ARRAY[controller.language]) c
  ), item AS MATERIALIZED (
    SELECT DISTINCT i.label FROM data_controller_purpose_data_items i JOIN purpose p ON (p.p).id = i.data_controller_processing_purpose_id ORDER BY i.label
  ), labelled AS MATERIALIZED (
    SELECT (ARRAY(SELECT label FROM item ORDER BY label))[c.number] AS label, c.concepts
      FROM answers.classify(ARRAY(SELECT label FROM item ORDER BY label), ARRAY[controller.language, 'en']) c
  )
  SELECT (p.p).* FROM purpose p
   WHERE CASE
     WHEN question.topics <> '{}' THEN EXISTS (SELECT FROM titled t WHERE t.number = p.number AND t.concepts && question.topics)
       OR 'titled' = ANY (question.topics) AND answers.has_word((p.p).title, question.named, controller.language)
     WHEN question.items <> '{}' THEN EXISTS (
       SELECT FROM labelled l JOIN data_controller_purpose_data_items i ON i.label = l.label
        WHERE i.data_controller_processing_purpose_id = (p.p).id AND (l.concepts && question.items OR 'labelled' = ANY (question.items) AND answers.has_word(l.label, question.named, controller.language)))
     ELSE true END
   ORDER BY p.number
$$;
COMMENT ON FUNCTION answers.purposes_asked IS 'The active purposes that a question is about.';

-- What the fields of the purposes say to a question: a passage for each purpose.
CREATE OR REPLACE FUNCTION answers.purpose_passages(controller data_controllers, question answers.question, language text)
RETURNS SETOF answers.passage LANGUAGE sql STABLE ROWS 10 AS $$
  SELECT 'purpose', p.id, p.title, s.text, language
    FROM answers.purposes_asked(controller, question) p
   CROSS JOIN LATERAL (
     SELECT CASE CASE question.intent WHEN 'location' THEN 'recipients' ELSE question.intent END
       WHEN 'retention' THEN answers.months(p.retention_months, language)
       WHEN 'basis' THEN answers.say(p.legal_basis, language)
       WHEN 'must_consent' THEN
         CASE WHEN p.consent_required AND question.topics = '{}' THEN answers.say('consent', language)
              WHEN p.consent_required THEN answers.say('needs', language)
              WHEN question.topics <> '{}' THEN answers.say('needs_not', language, answers.say(p.legal_basis, language)) END
       WHEN 'recipients' THEN (
         SELECT string_agg(answers.processor_text(r, language), ', ' ORDER BY r.title)
           FROM data_controller_purpose_processors a JOIN data_processors r ON r.id = a.data_processor_id
          WHERE a.data_controller_processing_purpose_id = p.id)
       WHEN 'transfer' THEN (
         SELECT string_agg(answers.processor_text(r, language), ', ' ORDER BY r.title)
           FROM data_controller_purpose_processors a JOIN data_processors r ON r.id = a.data_processor_id
          WHERE a.data_controller_processing_purpose_id = p.id
            AND r.country IS DISTINCT FROM controller.country
            AND NOT EXISTS (SELECT FROM answers.country c WHERE c.code = r.country AND c.is_eea))
       WHEN 'items' THEN (
         SELECT string_agg(CASE WHEN i.is_required THEN i.label ELSE answers.say('if_given', language, i.label) END, ', ' ORDER BY i.created_at, i.label)
           FROM data_controller_purpose_data_items i WHERE i.data_controller_processing_purpose_id = p.id)
       WHEN 'item' THEN (
         SELECT string_agg(CASE WHEN i.is_required THEN i.label ELSE answers.say('if_given', language, i.label) END, ', ' ORDER BY i.created_at, i.label)
           FROM data_controller_purpose_data_items i
           JOIN answers.classify(ARRAY[i.label], ARRAY[controller.language, 'en']) c ON c.concepts && question.items OR answers.has_word(i.label, question.named, controller.language)
          WHERE i.data_controller_processing_purpose_id = p.id)
       WHEN 'special' THEN (
         SELECT string_agg(coalesce(answers.say('special', language, i.label,
                                                answers.say('condition.' || (to_jsonb(i) ->> 'special_category_condition'), language)), i.label),
                           ', ' ORDER BY i.created_at, i.label)
           FROM data_controller_purpose_data_items i WHERE i.data_controller_processing_purpose_id = p.id AND i.is_special)
       WHEN 'purposes' THEN coalesce(nullif(p.description, ''), p.title)
       WHEN 'topic' THEN concat_ws(' ', nullif(p.description, ''),
         answers.say('about.basis', controller.language, answers.say(p.legal_basis, controller.language)),
         answers.say('about.retention', controller.language, answers.months(p.retention_months, controller.language)))
     END AS text) s
   WHERE s.text <> ''
$$;
COMMENT ON FUNCTION answers.purpose_passages IS 'What the fields of a controller''s purposes say to a question.';

-- What the fields of the controller's profile say to a question.
CREATE OR REPLACE FUNCTION answers.profile_passage(controller data_controllers, question answers.question, language text)
RETURNS SETOF answers.passage LANGUAGE sql STABLE ROWS 1 AS $$
  WITH setting AS (
    SELECT CASE question.intent WHEN 'complain' THEN 'authority' ELSE question.intent END AS intent, controller.compliance_configuration AS set
  ), said AS (
    SELECT CASE
      WHEN s.intent IN ('how_erase', 'erase', 'access', 'rectify', 'portability', 'restrict', 'object')
        THEN answers.say('rights.title', language, answers.say('right.' || s.intent, language))
      ELSE answers.say(s.intent || '.title', language) END AS title,
      CASE
      WHEN s.intent = 'officer' THEN answers.say('officer', language, controller.title, controller.dpo_name, concat_ws(', ', controller.dpo_email, controller.dpo_phone))
      WHEN s.intent = 'address' THEN answers.say('address', language, controller.title, concat_ws(', ', controller.address,
        CASE controller.country WHEN 'GB' THEN concat_ws(' ', controller.city, controller.postal_code) ELSE concat_ws(' ', controller.postal_code, controller.city) END,
        answers.country_name(controller.country, language)))
      WHEN s.intent = 'authority' THEN answers.say('authority', language, controller.title, s.set ->> 'supervisoryAuthority')
      WHEN s.intent IN ('automated', 'children') THEN answers.say(
        s.intent || '.' || (s.set ->> CASE s.intent WHEN 'automated' THEN 'automatedDecisions' ELSE 'childrensData' END), language, controller.title)
      WHEN s.intent = 'deadline' THEN answers.say('deadline', language, controller.title, s.set ->> 'answerWithinDays')
      WHEN s.intent = 'renew' THEN answers.say('renew', language, controller.title, s.set ->> 'consentRenewalMonths')
      WHEN s.intent = 'object' THEN answers.say('object', language, controller.title, '', controller.dpo_email)
      WHEN s.intent IN ('how_erase', 'erase', 'access', 'rectify', 'portability', 'restrict') THEN answers.say(
        'rights', language, controller.title, answers.say('right.' || s.intent, language), controller.dpo_email) END AS text,
      CASE s.intent
        WHEN 'officer' THEN num_nulls(controller.dpo_name, controller.dpo_email) = 0
        WHEN 'address' THEN num_nulls(controller.address, controller.city) = 0
        WHEN 'authority' THEN s.set ->> 'supervisoryAuthority' IS NOT NULL
        WHEN 'deadline' THEN s.set ->> 'answerWithinDays' IS NOT NULL
        WHEN 'renew' THEN s.set ->> 'consentRenewalMonths' IS NOT NULL
        WHEN 'automated' THEN true WHEN 'children' THEN true
        ELSE controller.dpo_email IS NOT NULL END AS is_set
      FROM setting s
  )
  SELECT 'controller', controller.id, d.title, d.text, language FROM said d WHERE d.is_set AND d.text IS NOT NULL
$$;
COMMENT ON FUNCTION answers.profile_passage IS 'What the fields of a controller''s profile say to a question.';

-- The newest published notice of a controller, by its version and day, or by its main points.
CREATE OR REPLACE FUNCTION answers.notice_passage(controller data_controllers, question answers.question, language text)
RETURNS SETOF answers.passage LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT 'notice', n.id, n.title,
         CASE question.intent
           WHEN 'notice' THEN answers.say('notice.part', n.language, n.title, answers.end_sentence(n.overview))
           ELSE answers.say('notice_date', language, n.version::text, to_char(n.published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')) END,
         CASE question.intent WHEN 'notice' THEN n.language ELSE language END
    FROM privacy_notices n
   WHERE n.data_controller_id = controller.id AND n.published AND question.intent IN ('notice', 'notice_date')
   ORDER BY n.language = language DESC, n.version DESC LIMIT 1
$$;
COMMENT ON FUNCTION answers.notice_passage IS 'What a controller''s published notice is.';

-- What is made from the fields for a question, in its language; in the controller's where most of it is the controller's
-- words. Where no processor is outside of the European Economic Area, all of them are named.
CREATE OR REPLACE FUNCTION answers.made_passages(controller data_controllers, question answers.question) RETURNS answers.passage[]
LANGUAGE plpgsql STABLE AS $$
DECLARE
  language text := CASE WHEN question.intent IN ('topic', 'purposes') THEN controller.language ELSE question.language END;
  passages answers.passage[];
BEGIN
  passages := ARRAY(SELECT p FROM answers.profile_passage(controller, question, language) p
                    UNION ALL
                    SELECT p FROM answers.notice_passage(controller, question, language) p
                    UNION ALL
                    SELECT p FROM answers.purpose_passages(controller, question, language) p);
  IF passages = '{}' AND question.intent = 'transfer' THEN
    question.intent := 'recipients';
    passages := ARRAY(SELECT p FROM answers.purpose_passages(controller, question, language) p);
  END IF;
  RETURN passages;
END $$;
COMMENT ON FUNCTION answers.made_passages IS 'What is made from a controller''s fields for a question.';

COMMIT;
