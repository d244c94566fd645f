-- The texts with which the service writes to people, in its three languages, and the dates in them. Loaded after the schema;
-- workflow.sql, contacts.sql, export.sql and erasure.sql use them.

BEGIN;

CREATE TABLE service_texts (
  code text PRIMARY KEY CHECK (code ~ '^[a-z_]+(\.[a-z_]+)*$'),
  en   text NOT NULL CHECK (char_length(en) BETWEEN 1 AND 2000),
  de   text NOT NULL CHECK (char_length(de) BETWEEN 1 AND 2000),
  nl   text NOT NULL CHECK (char_length(nl) BETWEEN 1 AND 2000)
);
COMMENT ON TABLE service_texts IS 'A text of the service in its three languages; a word in braces stands for a value.';
COMMENT ON COLUMN service_texts.code IS 'The name of the text.';
COMMENT ON COLUMN service_texts.en IS 'The text in English.';
COMMENT ON COLUMN service_texts.de IS 'The text in German.';
COMMENT ON COLUMN service_texts.nl IS 'The text in Dutch.';

-- One pass over the template, so that nothing in a value is taken for a placeholder.
CREATE FUNCTION fill_text(template text, "values" jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(CASE WHEN part[1] ~ '^\{[a-z_]+\}$' THEN coalesce("values" ->> trim(part[1], '{}'), '') ELSE part[1] END, '' ORDER BY n)
    FROM regexp_matches(template, '\{[a-z_]+\}|[^{]+|\{', 'g') WITH ORDINALITY AS m (part, n)
$$;
COMMENT ON FUNCTION fill_text(text, jsonb) IS 'Puts values into the places of a template: {name}.';

CREATE FUNCTION service_text(code text, language text, "values" jsonb DEFAULT '{}') RETURNS text LANGUAGE sql STABLE AS $$
  SELECT fill_text(CASE language WHEN 'de' THEN t.de WHEN 'nl' THEN t.nl ELSE t.en END, "values")
    FROM service_texts t WHERE t.code = service_text.code
$$;
COMMENT ON FUNCTION service_text(text, text, jsonb) IS 'A text in a language, with its values.';

CREATE FUNCTION service_labels(code text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('en', t.en, 'de', t.de, 'nl', t.nl) FROM service_texts t WHERE t.code = service_labels.code
$$;
COMMENT ON FUNCTION service_labels(text) IS 'A text in all languages.';

CREATE FUNCTION long_date(day date, language text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT format(CASE language WHEN 'de' THEN '%s. %s %s' ELSE '%s %s %s' END, extract(day FROM day),
    (CASE language
       WHEN 'de' THEN '{Januar,Februar,März,April,Mai,Juni,Juli,August,September,Oktober,November,Dezember}'
       WHEN 'nl' THEN '{januari,februari,maart,april,mei,juni,juli,augustus,september,oktober,november,december}'
       ELSE '{January,February,March,April,May,June,July,August,September,October,November,December}'
     END::text[])[extract(month FROM day)::int], extract(year FROM day))
$$;
COMMENT ON FUNCTION long_date(date, text) IS 'A date in words: 5. Dezember 2026, 5 december 2026, 5 December 2026.';

CREATE FUNCTION language_of_subject(subject uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT s.language FROM data_subjects s WHERE s.id = subject
$$;
COMMENT ON FUNCTION language_of_subject(uuid) IS 'The language in which the service writes to a person.';

INSERT INTO service_texts (code, en, de, nl) VALUES
  ('request.access', 'Your request for access to your data', 'Ihr Antrag auf Auskunft', 'Uw verzoek om inzage'),
  ('request.erasure', 'Your request to erase your data', 'Ihr Antrag auf Löschung', 'Uw verzoek om verwijdering'),
  ('request.deletion', 'Your request to erase your data', 'Ihr Antrag auf Löschung', 'Uw verzoek om verwijdering'),
  ('request.rectification', 'Your request to correct your data', 'Ihr Antrag auf Berichtigung', 'Uw verzoek om correctie'),
  ('request.portability', 'Your request to receive your data as a file', 'Ihr Antrag auf Datenübertragung', 'Uw verzoek om overdracht van uw gegevens'),
  ('request.restriction', 'Your request to restrict the processing', 'Ihr Antrag auf Einschränkung der Verarbeitung', 'Uw verzoek om beperking van de verwerking'),
  ('request.objection', 'Your objection to the processing', 'Ihr Widerspruch gegen die Verarbeitung', 'Uw bezwaar tegen de verwerking'),

  ('received.title', 'We have received your request', 'Wir haben Ihren Antrag erhalten', 'Wij hebben uw verzoek ontvangen'),
  ('received.body',
   '{request} arrived on {received}. The answer is due on {due}. First we make sure that the request comes from you; if we need anything for that, we ask you.',
   '{request} ist am {received} eingegangen. Die Antwort ist bis zum {due} fällig. Zuerst stellen wir sicher, dass der Antrag von Ihnen kommt; brauchen wir dazu etwas, fragen wir Sie.',
   '{request} is op {received} binnengekomen. Het antwoord volgt uiterlijk op {due}. Eerst gaan wij na of het verzoek van u komt; hebben wij daarvoor iets nodig, dan vragen wij het u.'),
  ('unreachable.title', 'We have received your request', 'Wir haben Ihren Antrag erhalten', 'Wij hebben uw verzoek ontvangen'),
  ('unreachable.body',
   '{request} arrived on {received}. We do not know how to reach you: the answer will appear here, with your requests, and in this browser alone. Leave an e-mail address with the request if you want to be told.',
   '{request} ist am {received} eingegangen. Wir wissen nicht, wie wir Sie erreichen: Die Antwort erscheint hier bei Ihren Anträgen, und nur in diesem Browser. Hinterlassen Sie beim Antrag eine E-Mail-Adresse, wenn wir Sie benachrichtigen sollen.',
   '{request} is op {received} binnengekomen. Wij weten niet hoe wij u kunnen bereiken: het antwoord verschijnt hier bij uw verzoeken, en alleen in deze browser. Laat bij het verzoek een e-mailadres achter als u bericht wilt krijgen.'),
  ('contact.title', 'We can reach you now', 'Wir können Sie jetzt erreichen', 'Wij kunnen u nu bereiken'),
  ('contact.body',
   'Your e-mail address is confirmed. {request} arrived on {received}; the answer is due on {due}.',
   'Ihre E-Mail-Adresse ist bestätigt. {request} ist am {received} eingegangen; die Antwort ist bis zum {due} fällig.',
   'Uw e-mailadres is bevestigd. {request} is op {received} binnengekomen; het antwoord volgt uiterlijk op {due}.'),
  ('code.title', 'Your code: {code}', 'Ihr Code: {code}', 'Uw code: {code}'),
  ('code.body',
   E'Somebody has entered this address with a privacy request to {controller}. If it was you, enter this code on the page: {code}\n\nIt is valid for 15 minutes. If it was not you, you need not do anything.',
   E'Jemand hat diese Adresse bei einem Datenschutzantrag an {controller} angegeben. Wenn Sie es waren, geben Sie auf der Seite diesen Code ein: {code}\n\nEr gilt 15 Minuten. Waren Sie es nicht, brauchen Sie nichts zu tun.',
   E'Iemand heeft dit adres opgegeven bij een privacyverzoek aan {controller}. Was u het, vul dan op de pagina deze code in: {code}\n\nDe code is 15 minuten geldig. Was u het niet, dan hoeft u niets te doen.'),
  ('verified.title', 'Your identity is confirmed', 'Ihre Identität ist bestätigt', 'Uw identiteit is bevestigd'),
  ('verified.body',
   '{request} is being processed. The answer is due on {due}.',
   '{request} wird bearbeitet. Die Antwort ist bis zum {due} fällig.',
   '{request} wordt behandeld. Het antwoord volgt uiterlijk op {due}.'),
  ('extended.title', 'Your request takes longer', 'Ihr Antrag braucht länger', 'Uw verzoek duurt langer'),
  ('extended.body',
   '{request} cannot be answered within a month. The answer is now due on {due}. Reason: {reason}',
   '{request} kann nicht innerhalb eines Monats beantwortet werden. Die Antwort ist jetzt bis zum {due} fällig. Grund: {reason}',
   '{request} kan niet binnen een maand worden beantwoord. Het antwoord volgt nu uiterlijk op {due}. Reden: {reason}'),
  ('overdue.title', 'The answer to your request is late', 'Die Antwort auf Ihren Antrag ist überfällig', 'Het antwoord op uw verzoek is te laat'),
  ('overdue.body',
   '{request} was due to be answered by {due}. We are sorry; the people in charge have been told. You may complain to the supervisory authority: {authority}.',
   '{request} war bis zum {due} zu beantworten. Das tut uns leid; die Verantwortlichen sind benachrichtigt. Sie können sich bei der Aufsichtsbehörde beschweren: {authority}.',
   '{request} had uiterlijk op {due} beantwoord moeten zijn. Dat spijt ons; de verantwoordelijken zijn op de hoogte. U kunt een klacht indienen bij de toezichthouder: {authority}.'),
  ('completed.title', 'Your request has been answered', 'Ihr Antrag ist beantwortet', 'Uw verzoek is beantwoord'),
  ('completed.body',
   '{request} of {received} has been answered. You find the answer with your requests.',
   '{request} vom {received} ist beantwortet. Die Antwort finden Sie bei Ihren Anträgen.',
   '{request} van {received} is beantwoord. U vindt het antwoord bij uw verzoeken.'),
  ('rejected.title', 'Your request has been rejected', 'Ihr Antrag ist abgelehnt', 'Uw verzoek is afgewezen'),
  ('rejected.body',
   '{request} of {received} has been rejected. You may complain to the supervisory authority ({authority}), and go to court. Reason: {reason}',
   '{request} vom {received} ist abgelehnt. Sie können sich bei der Aufsichtsbehörde ({authority}) beschweren und den Rechtsweg beschreiten. Grund: {reason}',
   '{request} van {received} is afgewezen. U kunt een klacht indienen bij de toezichthouder ({authority}) en naar de rechter gaan. Reden: {reason}'),
  ('withdrawn.title', 'Your request is withdrawn', 'Ihr Antrag ist zurückgezogen', 'Uw verzoek is ingetrokken'),
  ('withdrawn.body',
   '{request} of {received} is withdrawn and will not be processed further. You can make a new one at any time.',
   '{request} vom {received} ist zurückgezogen und wird nicht weiter bearbeitet. Sie können jederzeit einen neuen stellen.',
   '{request} van {received} is ingetrokken en wordt niet verder behandeld. U kunt altijd een nieuw verzoek doen.'),

  ('result.documents', 'You find the answer in the attached documents.', 'Die Antwort finden Sie in den beigefügten Dokumenten.', 'U vindt het antwoord in de bijgevoegde documenten.'),
  ('result.export',
   'The attached documents have all the data that we hold about you, as a page to read and as a file for programs.',
   'Die beigefügten Dokumente enthalten alle Daten, die wir über Sie gespeichert haben: als Seite zum Lesen und als Datei für Programme.',
   'De bijgevoegde documenten bevatten alle gegevens die wij over u bewaren: als pagina om te lezen en als bestand voor programma''s.'),

  ('invitation.title', 'Invitation to the privacy team of {controller}', 'Einladung in das Datenschutzteam von {controller}', 'Uitnodiging voor het privacyteam van {controller}'),
  ('invitation.body',
   E'{inviter} invites you to the privacy team of {controller}. You will be {level}.\n\nSign in here with the address {address}, by a link or a code that is mailed to you, and accept or decline: {link}\n\nIf you did not expect this, you need not do anything.',
   E'{inviter} lädt Sie in das Datenschutzteam von {controller} ein. Dort sind Sie {level}.\n\nMelden Sie sich hier mit der Adresse {address} an, mit einem Link oder Code, den Sie per E-Mail bekommen, und nehmen Sie an oder lehnen Sie ab: {link}\n\nHaben Sie das nicht erwartet, brauchen Sie nichts zu tun.',
   E'{inviter} nodigt u uit voor het privacyteam van {controller}. U wordt daar {level}.\n\nMeld u hier aan met het adres {address}, met een link of code die u per e-mail krijgt, en accepteer of weiger: {link}\n\nHad u dit niet verwacht, dan hoeft u niets te doen.'),
  ('invitation.operator', 'The service', 'Der Dienst', 'De dienst'),
  ('level.viewer', 'a Viewer, who sees everything and changes nothing', 'Betrachter: Sie sehen alles und ändern nichts', 'Lezer: u ziet alles en wijzigt niets'),
  ('level.editor', 'an Editor, who answers requests and maintains settings', 'Bearbeiter: Sie beantworten Anträge und pflegen die Einstellungen', 'Bewerker: u beantwoordt verzoeken en beheert de instellingen'),
  ('level.administrator', 'an Administrator, who looks after the team and its integrations too', 'Administrator: Sie betreuen auch das Team und die Anbindungen', 'Beheerder: u beheert ook het team en de koppelingen'),

  ('task.identity', 'Check the identity of the person', 'Identität der Person prüfen', 'Identiteit van de persoon controleren'),
  ('task.access', 'Collect the data about the person', 'Daten über die Person zusammenstellen', 'Gegevens over de persoon verzamelen'),
  ('task.portability', 'Export the data in a machine-readable form', 'Daten in maschinenlesbarer Form ausgeben', 'Gegevens in machineleesbare vorm exporteren'),
  ('task.rectification', 'Correct the data', 'Daten berichtigen', 'Gegevens corrigeren'),
  ('task.restriction', 'Restrict the processing', 'Verarbeitung einschränken', 'Verwerking beperken'),
  ('task.objection', 'Stop the processing that the person objects to', 'Verarbeitung beenden, der die Person widerspricht', 'Verwerking stoppen waartegen de persoon bezwaar maakt'),
  ('task.erasure', 'Erase the data, unless the law requires it to be kept', 'Daten löschen, soweit sie nicht aufzubewahren sind', 'Gegevens verwijderen, tenzij de wet vraagt ze te bewaren'),
  ('task.answer', 'Answer the person', 'Der Person antworten', 'De persoon antwoorden');

COMMIT;
