-- The demo's sample data: 40 data controllers, 60 users, 5,000 data subjects, 40,000 processing activities and what
-- belongs to them. It is made in SQL, the same on every run: nothing is random, no clock is read, and time
-- ends at 2025-06-30 17:00 UTC, so that whatever is added later is the newest.
--
-- Identifiers to try things with:
--
--   the demo's user                510d46b8-da91-4480-b034-697c827e7a6d   Mara Lindemann (roles user and me)
--     Administrator of             22b15ffe-a936-420d-b21b-297d1782b9f2   Hansewerk Energie GmbH
--     Editor of                    28285863-9517-4ed6-b74c-a4cbb3f09a06   Grachtengordel Hotels B.V.
--     Editor of                    e6154a8c-5a89-4a96-b992-85bbc91ce95d   Alpenblick Versicherung AG
--   the demo's subject             45f3ed8d-b848-4953-b66d-d9210bf5ca24   Lena Fischer, of Hansewerk (role dataSubject)
--   a purpose of Hansewerk         3fa13411-c24c-4fd1-b271-0078fb7775ed   Newsletter; the subject's consent to it is 5b202837-8cb3-4f92-b9c5-de0aa6d2f860
--   a controller they cannot see   c7956cb2-a001-4eb6-b189-1fa63e473002   Brightwater Retail Ltd
--   a subject they cannot see      e46cb09f-1091-4185-b3f2-9aa6f01ca38d   Peter Hughes, of Brightwater

BEGIN;
SET LOCAL TimeZone = 'UTC';
SET LOCAL lc_monetary = 'C';
-- Twelve thousand rows here and there do not pay for compiling a query.
SET LOCAL jit = off;
SET LOCAL work_mem = '64MB';

-- Foreign keys hold by the way the rows are made; looking each of them up would double the time. Only a superuser may skip that.
DO $$
BEGIN
  SET LOCAL session_replication_role = replica;
EXCEPTION WHEN insufficient_privilege THEN
  NULL;
END $$;

-- The identifier of the n-th thing of a kind, formed like a random (version 4) UUID.
CREATE FUNCTION pg_temp.demo_id(kind text, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT overlay(overlay(md5('postern demo ' || kind || ' ' || n) PLACING '4' FROM 13) PLACING 'b' FROM 17)::uuid $$;

-- A number from 0 to below `below` that looks random and depends on `n` and `salt` alone.
CREATE FUNCTION pg_temp.pick(n bigint, salt bigint, below bigint) RETURNS integer LANGUAGE sql IMMUTABLE AS
$$ SELECT ((((n * (2654435761 + salt * 40503007) + salt * 7919) % 4294967291 * 1103515245 + 12345) >> 16) % below)::integer $$;

-- A text in the three languages of the service.
CREATE FUNCTION pg_temp.texts(en text, de text, nl text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT jsonb_build_object('en', en, 'de', de, 'nl', nl) $$;

-- The moment at which the demo's time ends.
CREATE FUNCTION pg_temp.demo_end() RETURNS timestamptz LANGUAGE sql STABLE AS
$$ SELECT date_trunc('minute', coalesce(nullif(current_setting('demo.end', true), '')::timestamptz, timestamptz '2025-06-30 17:00:00+00')) $$;

-- ---------------------------------------------------------------------------------------------------------
-- Controllers
-- ---------------------------------------------------------------------------------------------------------

CREATE TEMP TABLE controller_list ON COMMIT DROP AS
SELECT n, pg_temp.demo_id('controller', n) AS id, title, slug, industry, language, address, postal_code, city, country, dpo_name, dpo_phone, description
  FROM (VALUES
  ( 1, 'Hansewerk Energie GmbH',          'hansewerk-energie',      'Energy',             'de', 'Am Sandtorkai 48',          '20457',    'Hamburg',     'DE', 'Dr. Katrin Petersen',   '+49 40 5550148',  'Electricity, gas and district heating for 410,000 households in northern Germany.'),
  ( 2, 'Grachtengordel Hotels B.V.',      'grachtengordel-hotels',  'Hospitality',        'nl', 'Keizersgracht 316',         '1016 EZ',  'Amsterdam',   'NL', 'Marloes van Dijk',      '+31 20 5550116',  'Seven boutique hotels along the canals of Amsterdam, Utrecht and Leiden.'),
  ( 3, 'Alpenblick Versicherung AG',      'alpenblick-versicherung','Insurance',          'de', 'Leopoldstraße 112',         '80802',    'München',     'DE', 'Stefan Obermaier',      '+49 89 5550112',  'Home, liability and travel insurance, sold directly and through 320 agencies.'),
  ( 4, 'Brightwater Retail Ltd',          'brightwater',            'Retail',             'en', '27 Temple Back',            'BS1 6EL',  'Bristol',     'GB', 'Helen Marsh',           '+44 117 4960127', 'Outdoor clothing and equipment from 64 shops and an online store.'),
  ( 5, 'Noordzee Logistiek N.V.',         'noordzee-logistiek',     'Logistics',          'nl', 'Waalhaven Oostzijde 81',    '3087 BM',  'Rotterdam',   'NL', 'Pieter de Wit',         '+31 10 5550181',  'Freight forwarding and parcel delivery between the North Sea ports.'),
  ( 6, 'Zahnzentrum Rheinauen',           'zahnzentrum-rheinauen',  'Health care',        'de', 'Rheinaustraße 14',          '53225',    'Bonn',        'DE', 'Miriam Schäfer',        '+49 228 555014',  'A practice of eleven dentists with its own laboratory.'),
  ( 7, 'Fietsfabriek Oost B.V.',          'fietsfabriek-oost',      'Manufacturing',      'nl', 'Boekelosestraat 22',        '7548 AD',  'Enschede',    'NL', 'Joost Wolters',         '+31 53 5550122',  'Electric bicycles made to measure, sold online and by 90 dealers.'),
  ( 8, 'Kestrel Broadband plc',           'kestrel-broadband',      'Telecommunications', 'en', '5 Exchange Quay',           'M5 3EF',   'Salford',     'GB', 'Imran Qureshi',         '+44 161 4960105', 'Fibre broadband and telephony for homes in the north of England.'),
  ( 9, 'Buchhandlung Lindenhof OHG',      'lindenhof-buch',         'Retail',             'de', 'Lindenstraße 7',            '04103',    'Leipzig',     'DE', 'Anja Reuter',           '+49 341 555017',  'An independent bookshop with a lending library and readings.'),
  (10, 'Veluwe Zorggroep',                'veluwe-zorggroep',       'Health care',        'nl', 'Europaweg 150',             '7336 AL',  'Apeldoorn',   'NL', 'Saskia Bosman',         '+31 55 5550150',  'Home care and nine care homes in Gelderland.'),
  (11, 'Marienfeld Gymnasium Förderverein e. V.', 'marienfeld-foerderverein', 'Education', 'de', 'Schulweg 3',               '33428',    'Harsewinkel', 'DE', 'Thomas Kuhlmann',       '+49 5247 55503',  'The friends of a secondary school: grants, concerts and the yearly fair.'),
  (12, 'Polderbank Coöperatie U.A.',      'polderbank',             'Banking',            'nl', 'Stationsplein 9',           '8911 AB',  'Leeuwarden',  'NL', 'Femke Hoekstra',        '+31 58 5550109',  'A cooperative savings bank for farmers and small businesses.'),
  (13, 'Cartwright & Sons Property',      'cartwright-property',    'Real estate',        'en', '18 Park Row',               'LS1 5JA',  'Leeds',       'GB', 'Joanna Cartwright',     '+44 113 4960118', 'Lettings and property management for 3,200 homes.'),
  (14, 'Bergmann Maschinenbau KG',        'bergmann-maschinenbau',  'Manufacturing',      'de', 'Industriestraße 60',        '70565',    'Stuttgart',   'DE', 'Ulrike Bergmann',       '+49 711 555060',  'Packaging machines and their maintenance, in its fourth generation.'),
  (15, 'Stadswinkel Haarlem',             'stadswinkel-haarlem',    'Public sector',      'nl', 'Zijlvest 39',               '2011 VB',  'Haarlem',     'NL', 'Ruben Mulder',          '+31 23 5550139',  'Counter services of the municipality: passports, permits, parking.'),
  (16, 'Pemberton Legal LLP',             'pemberton-legal',        'Legal services',     'en', '41 Chancery Lane',          'WC2A 1JQ', 'London',      'GB', 'Dr. Adaeze Okafor',     '+44 20 79460141', 'Employment and family law for private clients.'),
  (17, 'Reisebüro Kompass GmbH',          'reisebuero-kompass',     'Travel',             'de', 'Königsallee 88',            '40212',    'Düsseldorf',  'DE', 'Sabine Lorenz',         '+49 211 555088',  'Walking and cycling holidays in 31 countries.'),
  (18, 'Tulpenveld Bloemen B.V.',         'tulpenveld',             'E-commerce',         'nl', 'Legmeerdijk 313',           '1431 GB',  'Aalsmeer',    'NL', 'Anouk Visser',          '+31 297 555013',  'Flowers by subscription, delivered the day they are cut.'),
  (19, 'Greenloop Mobility GmbH',         'greenloop-mobility',     'Mobility',           'de', 'Revaler Straße 99',         '10245',    'Berlin',      'DE', 'Cem Yıldırım',          '+49 30 5550199',  'Shared scooters, bicycles and vans by app in twelve cities.'),
  (20, 'Oakfield Veterinary Partners',    'oakfield-vets',          'Veterinary care',    'en', '2 Mill Street',             'OX2 0AJ',  'Oxford',      'GB', 'Rosalind Teale',        '+44 1865 496002', 'Four surgeries and an out-of-hours hospital for small animals.'),
  (21, 'Moselland Weinkontor eG',         'moselland-weinkontor',   'E-commerce',         'de', 'Moselufer 21',              '54470',    'Bernkastel-Kues', 'DE', 'Jürgen Thielen',    '+49 6531 55521',  'Wines of 140 growers, sold to restaurants and by mail order.'),
  (22, 'Lindqvist Fitness Benelux',       'lindqvist-fitness',      'Sports',             'nl', 'Beursplein 37',             '3011 AA',  'Rotterdam',   'NL', 'Daan Verhoeven',        '+31 10 5550137',  'Thirty-eight gyms with courses, coaching and an app.'),
  (23, 'Sparfuchs Vergleichsportal GmbH', 'sparfuchs-vergleich',    'Online services',    'de', 'Mainzer Landstraße 178',    '60327',    'Frankfurt am Main', 'DE', 'Nadine Fuchs',    '+49 69 55501780', 'Compares tariffs for energy, telephony and insurance.'),
  (24, 'Harbourside Theatre Trust',       'harbourside-theatre',    'Culture',            'en', '1 Quayside',                'NE1 3DX',  'Newcastle upon Tyne', 'GB', 'Gareth Lloyd',  '+44 191 4980101', 'A producing theatre with a youth company and a membership scheme.'),
  (25, 'Kinderopvang De Regenboog',       'kov-regenboog',          'Child care',         'nl', 'Eikenlaan 45',              '3571 BH',  'Utrecht',     'NL', 'Linda Peeters',         '+31 30 5550145',  'Day care and after-school care for 1,900 children.'),
  (26, 'Nordlicht Personal GmbH',         'nordlicht-personal',     'Recruitment',        'de', 'Holstenstraße 15',          '24103',    'Kiel',        'DE', 'Henning Asmussen',      '+49 431 555015',  'Finds nurses, electricians and engineers for northern employers.'),
  (27, 'Wexcombe Dairy Co-operative',     'wexcombe-dairy',         'Food',               'en', 'Dairy House, Station Road', 'BA4 6AA',  'Shepton Mallet', 'GB', 'Martin Fry',         '+44 1749 496031', 'Cheese and butter from 85 farms, and a milk round by app.'),
  (28, 'Waterland Drinkwater N.V.',       'waterland-drinkwater',   'Utilities',          'nl', 'Dijkgraafplein 2',          '1441 RK',  'Purmerend',   'NL', 'Hanneke Smit',          '+31 299 555002',  'Drinking water for 280,000 connections north of Amsterdam.'),
  (29, 'Optik Sehstern Filialen GmbH',    'optik-sehstern',         'Retail',             'de', 'Breite Straße 31',          '50667',    'Köln',        'DE', 'Melanie Krings',        '+49 221 555031',  'Opticians and hearing care in 52 branches.'),
  (30, 'Fenland Housing Association',     'fenland-housing',        'Housing',            'en', '9 Market Place',            'PE13 1DR', 'Wisbech',     'GB', 'Priya Nair',            '+44 1945 496009', 'Affordable homes and support for 7,400 tenants.'),
  (31, 'Spieleverlag Würfelhaus GmbH',    'wuerfelhaus',            'Publishing',         'de', 'Fürther Straße 212',        '90429',    'Nürnberg',    'DE', 'Philipp Engelhardt',    '+49 911 555212',  'Board games for families, and their digital versions.'),
  (32, 'Zeeuwse Veren B.V.',              'zeeuwse-veren',          'Transport',          'nl', 'Prins Hendrikweg 10',       '4382 NR',  'Vlissingen',  'NL', 'Kees Janse',            '+31 118 555010',  'Ferries for people on foot and bicycles across the Westerschelde.'),
  (33, 'Sternwarte Hochtaunus e. V.',     'sternwarte-hochtaunus',  'Non-profit',         'de', 'Feldbergstraße 60',         '61440',    'Oberursel',   'DE', 'Prof. Ingrid Wagner',   '+49 6171 55560',  'A public observatory with courses and a members'' magazine.'),
  (34, 'Ashdown Event Hire Ltd',          'ashdown-events',         'Events',             'en', 'Unit 6, Foundry Lane',      'BN7 2AT',  'Lewes',       'GB', 'Charlotte Dean',        '+44 1273 496006', 'Marquees, furniture and staff for weddings and conferences.'),
  (35, 'Apotheek Singel',                 'apotheek-singel',        'Pharmacy',           'nl', 'Singel 205',                '3311 KR',  'Dordrecht',   'NL', 'Yasmina El Amrani',     '+31 78 5550120',  'A pharmacy with home delivery and repeat prescriptions.'),
  (36, 'Carsharing Elbe eG',              'carsharing-elbe',        'Mobility',           'de', 'Prager Straße 5',           '01069',    'Dresden',     'DE', 'Robert Zschoche',       '+49 351 555005',  'Four hundred cars shared by nine thousand members.'),
  (37, 'Lumen Analytics B.V.',            'lumen-analytics',        'Software',           'en', 'High Tech Campus 41',       '5656 AE',  'Eindhoven',   'NL', 'Bram Hendriks',         '+31 40 5550141',  'Usage statistics for web shops, without cookies.'),
  (38, 'Heidekraut Naturkosmetik GmbH',   'heidekraut-kosmetik',    'E-commerce',         'de', 'Am Sande 18',               '21335',    'Lüneburg',    'DE', 'Silke Behrens',         '+49 4131 55518',  'Natural cosmetics, made in small batches and sent by post.'),
  (39, 'Cobham Road Surgery',             'cobham-road-surgery',    'Health care',        'en', '60 Cobham Road',            'BH21 7QZ', 'Wimborne',    'GB', 'Dr. Neil Farrant',      '+44 1202 496060', 'General practice for 11,300 patients in east Dorset.'),
  (40, 'Muziekschool Parkstad',           'muziekschool-parkstad',  'Education',          'nl', 'Burgemeester van Grunsvenplein 145', '6411 AS', 'Heerlen', 'NL', 'Lotte Claessens',  '+31 45 5550145',  'Lessons on 24 instruments, choirs and two youth orchestras.')
  ) AS v (n, title, slug, industry, language, address, postal_code, city, country, dpo_name, dpo_phone, description);

INSERT INTO data_controllers (id, title, did, description, industry, language, website, address, postal_code, city, country,
                              dpo_name, dpo_email, dpo_phone, compliance_configuration, created_at, updated_at)
SELECT id, title, 'did:web:' || slug || '.example', description, industry, language, 'https://www.' || slug || '.example/',
       address, postal_code, city, country, dpo_name,
       CASE language WHEN 'de' THEN 'datenschutz@' WHEN 'nl' THEN 'privacy@' ELSE 'dpo@' END || slug || '.example', dpo_phone,
       jsonb_build_object(
         'frameworks', CASE country WHEN 'GB' THEN '["UK GDPR", "PECR"]' WHEN 'NL' THEN '["GDPR", "UAVG"]' ELSE '["GDPR", "TDDDG"]' END::jsonb,
         'supervisoryAuthority', CASE country WHEN 'GB' THEN 'Information Commissioner''s Office' WHEN 'NL' THEN 'Autoriteit Persoonsgegevens'
                                 ELSE 'Landesbeauftragte für den Datenschutz' END,
         'answerWithinDays', 30,
         'consentRenewalMonths', 12 + 6 * pg_temp.pick(n, 1, 3),
         'defaultRetentionMonths', 24 + 12 * pg_temp.pick(n, 2, 9),
         'automatedDecisions', industry IN ('Insurance', 'Banking', 'Online services'),
         'childrensData', industry IN ('Child care', 'Education', 'Health care'),
         'honoursGlobalPrivacyControl', pg_temp.pick(n, 3, 4) <> 0),
       timestamptz '2023-01-09 09:00:00+00' + n * interval '11 days 3 hours 7 minutes',
       timestamptz '2024-09-02 08:30:00+00' + pg_temp.pick(n, 4, 290) * interval '24 hours' + n * interval '13 minutes'
  FROM controller_list ORDER BY n;

-- ---------------------------------------------------------------------------------------------------------
-- Users and teams. User 1 is the demo's user.
-- ---------------------------------------------------------------------------------------------------------

CREATE TEMP TABLE user_list ON COMMIT DROP AS
SELECT n, pg_temp.demo_id('user', n) AS id, display_name,
       translate(lower(display_name), ' .äöüßéëıçğøåáí''', '..aouseeicgoaai') AS mailbox
  FROM unnest(ARRAY[
  'Mara Lindemann', 'Jonas Albrecht', 'Sofie van den Berg', 'Oliver Hughes', 'Annika Brandt', 'Thijs Bakker', 'Emily Carter', 'Lukas Hoffmann',
  'Noor Jansen', 'Amelia Wright', 'Felix Neumann', 'Lieke de Vries', 'Harry Bennett', 'Carla Vogt', 'Sander Meijer', 'Grace Thompson',
  'Tobias Krüger', 'Eva Willems', 'George Palmer', 'Hannah Seidel', 'Jeroen Kuipers', 'Isla Murray', 'Matthias Roth', 'Fleur Dekker',
  'Samuel Osei', 'Leonie Hartmann', 'Bas van Leeuwen', 'Charlotte Reid', 'Emre Aydın', 'Maud Hermans', 'Daniel Foster', 'Greta Sommer',
  'Ruud Schouten', 'Zara Ahmed', 'Moritz Baumann', 'Iris Postma', 'Ewan Campbell', 'Paula Winkler', 'Niels Brouwer', 'Freya Collins',
  'Johannes Lang', 'Esmee Vos', 'Nathan Price', 'Theresa Keller', 'Koen Martens', 'Lucy Evans', 'Sebastian Graf', 'Roos Koster',
  'Adam Walsh', 'Ines Arnold', 'Wouter Prins', 'Megan Shaw', 'David Schulte', 'Sanne Timmermans', 'Patrick Doyle', 'Franziska Busch',
  'Hugo Scholten', 'Beth Turner', 'Julian Pohl', 'Tess van Vliet']) WITH ORDINALITY AS u (display_name, n);

INSERT INTO users (id, email, display_name, default_role, locale, last_seen_at, created_at, updated_at)
SELECT id, mailbox || '@team.example', display_name, 'user',
       CASE WHEN n = 1 THEN 'en' ELSE (ARRAY['de', 'nl', 'en'])[1 + pg_temp.pick(n, 11, 3)] END,
       CASE WHEN n % 13 <> 0 THEN pg_temp.demo_end() - pg_temp.pick(n, 12, 40000) * interval '1 minute' END,
       timestamptz '2023-01-16 08:00:00+00' + n * interval '9 days 5 hours', timestamptz '2024-12-02 10:00:00+00' + n * interval '31 hours'
  FROM user_list ORDER BY n;

-- The demo's user is in the first three teams; user c + 1 administers controller c, some others help.
INSERT INTO data_controller_users (id, data_controller_id, user_id, role, status, created_at, updated_at)
SELECT pg_temp.demo_id('member', row_number() OVER (ORDER BY c.n, m.rank)), c.id, u.id, m.role, m.status,
       dc.created_at + m.rank * interval '2 days 4 hours', dc.created_at + m.rank * interval '5 days 6 hours'
  FROM controller_list c
  JOIN data_controllers dc ON dc.id = c.id
  CROSS JOIN LATERAL (VALUES
    (1, CASE WHEN c.n <= 3 THEN 1 END, CASE c.n WHEN 1 THEN 'Administrator' ELSE 'Editor' END, 'active'),
    (2, c.n + 1, 'Administrator', 'active'),
    (3, 2 + (c.n + 12) % 59, 'Editor', 'active'),
    (4, 2 + (c.n + 27) % 59, 'Viewer', CASE WHEN c.n % 7 = 0 THEN 'suspended' ELSE 'active' END),
    (5, CASE WHEN c.n % 2 = 1 THEN 2 + (c.n + 40) % 59 END, 'Viewer', CASE WHEN c.n % 5 = 0 THEN 'invited' ELSE 'active' END)
  ) AS m (rank, user_n, role, status)
  JOIN user_list u ON u.n = m.user_n
 ORDER BY c.n, m.rank;

-- ---------------------------------------------------------------------------------------------------------
-- Purposes with data items, processors and templates
-- ---------------------------------------------------------------------------------------------------------

INSERT INTO purpose_business_templates (id, labels, descriptions, departments, default_legal_basis, created_at)
SELECT pg_temp.demo_id('business template', n), pg_temp.texts(title, title_de, title_nl), pg_temp.texts(description, description_de, description_nl),
       pg_temp.texts(department, department_de, department_nl), basis, pg_temp.demo_end() - interval '1100 days' + n * interval '1 hour'
  FROM (VALUES
  (1, 'Customer account', 'Kundenkonto', 'Klantaccount',
      'Lets people register, sign in and see what they have ordered or booked.', 'Personen können sich registrieren, anmelden und ihre Bestellungen oder Buchungen einsehen.', 'Mensen kunnen zich registreren, inloggen en hun bestellingen of boekingen inzien.',
      'Customer service', 'Kundenservice', 'Klantenservice', 'contract'),
  (2, 'Order fulfilment', 'Vertragserfüllung', 'Uitvoering van de overeenkomst',
      'Delivers what was ordered or booked.', 'Erbringt, was bestellt oder gebucht wurde.', 'Levert wat is besteld of geboekt.',
      'Operations', 'Betrieb', 'Operatie', 'contract'),
  (3, 'Statutory bookkeeping', 'Gesetzliche Buchführung', 'Wettelijke boekhouding',
      'Keeps invoices and payments for the tax authorities.', 'Bewahrt Rechnungen und Zahlungen für das Finanzamt auf.', 'Bewaart facturen en betalingen voor de belastingdienst.',
      'Finance', 'Finanzen', 'Financiën', 'legal_obligation'),
  (4, 'E-mail newsletter', 'E-Mail-Newsletter', 'Nieuwsbrief per e-mail',
      'Sends news and offers by e-mail to those who asked for them.', 'Sendet Neuigkeiten und Angebote per E-Mail an alle, die darum gebeten haben.', 'Stuurt nieuws en aanbiedingen per e-mail aan wie daarom heeft gevraagd.',
      'Communications', 'Kommunikation', 'Communicatie', 'consent'),
  (5, 'Usage statistics', 'Nutzungsstatistik', 'Gebruiksstatistieken',
      'Finds out which pages and functions are used, to improve them.', 'Ermittelt, welche Seiten und Funktionen genutzt werden, um sie zu verbessern.', 'Onderzoekt welke pagina''s en functies worden gebruikt, om ze te verbeteren.',
      'Product development', 'Produktentwicklung', 'Productontwikkeling', 'consent'),
  (6, 'Personalised offers', 'Persönliche Angebote', 'Persoonlijke aanbiedingen',
      'Chooses offers by what a person has looked at or bought.', 'Wählt Angebote danach aus, was eine Person angesehen oder gekauft hat.', 'Kiest aanbiedingen op basis van wat iemand heeft bekeken of gekocht.',
      'Communications', 'Kommunikation', 'Communicatie', 'consent'),
  (7, 'Fraud prevention', 'Betrugsprävention', 'Fraudepreventie',
      'Recognises misuse of accounts and payment methods.', 'Erkennt den Missbrauch von Konten und Zahlungsmitteln.', 'Herkent misbruik van accounts en betaalmiddelen.',
      'Security', 'Sicherheit', 'Beveiliging', 'legitimate_interests'),
  (8, 'Customer surveys', 'Kundenbefragungen', 'Klantonderzoek',
      'Asks customers how satisfied they were.', 'Fragt Kundinnen und Kunden, wie zufrieden sie waren.', 'Vraagt klanten hoe tevreden zij waren.',
      'Quality management', 'Qualitätsmanagement', 'Kwaliteit', 'consent'),
  (9, 'Job applications', 'Bewerbungen', 'Sollicitaties',
      'Handles applications until the position is filled.', 'Bearbeitet Bewerbungen, bis die Stelle besetzt ist.', 'Behandelt sollicitaties tot de vacature is vervuld.',
      'Human resources', 'Personal', 'Personeelszaken', 'contract'),
  (10, 'Enquiries', 'Anfragen', 'Vragen',
      'Answers questions that arrive by telephone, e-mail or form.', 'Beantwortet Anfragen, die per Telefon, E-Mail oder Formular eingehen.', 'Beantwoordt vragen die per telefoon, e-mail of formulier binnenkomen.',
      'Customer service', 'Kundenservice', 'Klantenservice', 'legitimate_interests'),
  (11, 'Evidence of consents and requests', 'Nachweis von Einwilligungen und Anträgen', 'Bewijs van toestemmingen en verzoeken',
      'Keeps proof of consents and of how rights requests were answered.', 'Belegt Einwilligungen und wie Anträge beantwortet wurden.', 'Bewijst toestemmingen en hoe verzoeken zijn beantwoord.',
      'Data protection', 'Datenschutz', 'Gegevensbescherming', 'legal_obligation'),
  (12, 'Treatment and care', 'Behandlung und Pflege', 'Behandeling en zorg',
      'Documents treatment and care as professional law requires.', 'Dokumentiert Behandlung und Pflege, wie es das Berufsrecht verlangt.', 'Legt behandeling en zorg vast, zoals de wet voorschrijft.',
      'Medical service', 'Medizinischer Dienst', 'Medische dienst', 'contract')
  ) AS v (n, title, title_de, title_nl, description, description_de, description_nl, department, department_de, department_nl, basis);

INSERT INTO purpose_operational_templates (id, labels, descriptions, systems, retention_months, created_at)
SELECT pg_temp.demo_id('operational template', n), pg_temp.texts(title, title_de, title_nl), pg_temp.texts(description, description_de, description_nl),
       pg_temp.texts(system, system_de, system_nl), months, pg_temp.demo_end() - interval '1099 days' + n * interval '1 hour'
  FROM (VALUES
  (1, 'Store account in CRM', 'Konto im CRM speichern', 'Account opslaan in CRM',
      'Name, contact data and history are kept in the customer database.', 'Name, Kontaktdaten und Verlauf stehen in der Kundendatenbank.', 'Naam, contactgegevens en geschiedenis staan in de klantendatabase.',
      'Customer database', 'Kundendatenbank', 'Klantendatabase', 36),
  (2, 'Hand address to carrier', 'Anschrift an Paketdienst geben', 'Adres aan vervoerder geven',
      'Name, address and telephone number go to the parcel service.', 'Name, Anschrift und Telefonnummer gehen an den Paketdienst.', 'Naam, adres en telefoonnummer gaan naar de pakketdienst.',
      'Shipping', 'Versand', 'Verzending', 36),
  (3, 'Archive invoices', 'Rechnungen archivieren', 'Facturen archiveren',
      'Invoices are written once and kept unchanged.', 'Rechnungen werden einmal geschrieben und unverändert aufbewahrt.', 'Facturen worden eenmaal opgesteld en ongewijzigd bewaard.',
      'Accounting', 'Buchhaltung', 'Boekhouding', 96),
  (4, 'Send mail by mailing service', 'E-Mails über Versanddienst senden', 'E-mail via verzenddienst sturen',
      'The address list is synchronised every night.', 'Die Liste der Adressen wird jede Nacht abgeglichen.', 'De adreslijst wordt elke nacht gesynchroniseerd.',
      'E-mail delivery', 'E-Mail-Versand', 'E-mailverzending', 24),
  (5, 'Collect page views', 'Seitenaufrufe zählen', 'Paginaweergaven tellen',
      'Page views are counted under a pseudonym that changes every day.', 'Seitenaufrufe werden unter einem Pseudonym gezählt, das täglich wechselt.', 'Paginaweergaven worden geteld onder een pseudoniem dat elke dag wisselt.',
      'Web analytics', 'Webanalyse', 'Webanalyse', 13),
  (6, 'Build interest segments', 'Interessen bilden', 'Interesses bepalen',
      'Purchases and views are grouped into interests.', 'Käufe und Aufrufe werden zu Interessen zusammengefasst.', 'Aankopen en weergaven worden gegroepeerd tot interesses.',
      'Recommendation engine', 'Empfehlungssystem', 'Aanbevelingssysteem', 12),
  (7, 'Score payments', 'Zahlungen bewerten', 'Betalingen beoordelen',
      'Every payment gets a risk score before it is accepted.', 'Jede Zahlung erhält vor der Annahme eine Risikobewertung.', 'Elke betaling krijgt een risicoscore voordat zij wordt aanvaard.',
      'Payment provider', 'Zahlungsdienst', 'Betaaldienst', 12),
  (8, 'Send survey', 'Umfrage senden', 'Enquête sturen',
      'An invitation is sent two weeks after the purchase.', 'Zwei Wochen nach dem Kauf wird eine Einladung gesendet.', 'Twee weken na de aankoop wordt een uitnodiging gestuurd.',
      'Survey tool', 'Umfragedienst', 'Enquêtedienst', 12),
  (9, 'Store application', 'Bewerbung speichern', 'Sollicitatie opslaan',
      'Documents are kept apart and deleted after the procedure.', 'Unterlagen werden getrennt aufbewahrt und nach dem Verfahren gelöscht.', 'Documenten worden apart bewaard en na de procedure verwijderd.',
      'Applicant tracking', 'Bewerbermanagement', 'Sollicitantensysteem', 6),
  (10, 'Keep ticket', 'Vorgang aufbewahren', 'Melding bewaren',
      'Question and answer are kept so that others can take over.', 'Frage und Antwort bleiben erhalten, damit andere übernehmen können.', 'Vraag en antwoord blijven bewaard, zodat anderen het kunnen overnemen.',
      'Help desk', 'Kundendienst', 'Helpdesk', 24),
  (11, 'Write consent log', 'Einwilligungen protokollieren', 'Toestemmingen vastleggen',
      'Each answer is kept with its time, its form and the text that was shown.', 'Jede Antwort bleibt mit Zeit, Formular und gezeigtem Text erhalten.', 'Elk antwoord blijft bewaard met tijdstip, formulier en getoonde tekst.',
      'Consent register', 'Einwilligungsregister', 'Toestemmingenregister', 36),
  (12, 'Keep patient file', 'Behandlungsakte führen', 'Dossier bijhouden',
      'Findings and treatments are documented in a protected file.', 'Befunde und Behandlungen stehen in einer geschützten Akte.', 'Bevindingen en behandelingen staan in een beschermd dossier.',
      'Practice system', 'Praxissystem', 'Praktijksysteem', 120)
  ) AS v (n, title, title_de, title_nl, description, description_de, description_nl, system, system_de, system_nl, months);

INSERT INTO data_processors (id, title, services, country, safeguards, website, created_at)
SELECT pg_temp.demo_id('processor', n), title, pg_temp.texts(service, service_de, service_nl), country,
       CASE safeguard
         WHEN 'eu' THEN pg_temp.texts('EU processing', 'Verarbeitung in der EU', 'Verwerking in de EU')
         WHEN 'clauses' THEN pg_temp.texts('Standard contractual clauses', 'Standardvertragsklauseln', 'Standaardcontractbepalingen')
         WHEN 'adequate' THEN pg_temp.texts('Adequacy decision', 'Angemessenheitsbeschluss', 'Adequaatheidsbesluit')
         ELSE pg_temp.texts('EU-US Data Privacy Framework and UK Extension', 'EU-US-Datenschutzrahmen (Data Privacy Framework)', 'EU-VS-gegevensbeschermingskader (Data Privacy Framework)') END,
       'https://www.' || slug || '.example/', pg_temp.demo_end() - interval '1092 days' + n * interval '1 hour'
  FROM (VALUES
  (1, 'Cloudhafen Rechenzentrum GmbH', 'cloudhafen', 'Hosting', 'Betrieb der Server', 'Hosting van servers', 'DE', 'eu'),
  (2, 'PostDuif Mailings B.V.', 'postduif', 'E-mail delivery', 'E-Mail-Versand', 'E-mailverzending', 'NL', 'eu'),
  (3, 'Zahlwerk Payments AG', 'zahlwerk', 'Payments', 'Zahlungsabwicklung', 'Betalingen', 'DE', 'eu'),
  (4, 'Meridian CRM Inc.', 'meridian-crm', 'Customer database', 'Kundendatenbank', 'Klantendatabase', 'US', 'clauses'),
  (5, 'Kartograaf Analytics B.V.', 'kartograaf', 'Web analytics', 'Webanalyse', 'Webanalyse', 'NL', 'eu'),
  (6, 'Parcelline Europe SA', 'parcelline', 'Parcel delivery', 'Paketversand', 'Pakketbezorging', 'BE', 'eu'),
  (7, 'AskWell Surveys Ltd', 'askwell', 'Surveys', 'Umfragen', 'Enquêtes', 'GB', 'adequate'),
  (8, 'Ledgerly Software ApS', 'ledgerly', 'Accounting', 'Buchhaltung', 'Boekhouding', 'DK', 'eu'),
  (9, 'Roomkey Systems SAS', 'roomkey', 'Reservations', 'Reservierungen', 'Reserveringen', 'FR', 'eu'),
  (10, 'Deskflow Support Inc.', 'deskflow', 'Help desk', 'Kundendienst', 'Helpdesk', 'US', 'framework'),
  (11, 'Wachturm Security GmbH', 'wachturm', 'Fraud detection', 'Betrugserkennung', 'Fraudedetectie', 'AT', 'eu'),
  (12, 'Talentpool Oy', 'talentpool', 'Applicant tracking', 'Bewerbermanagement', 'Sollicitantensysteem', 'FI', 'eu'),
  (13, 'Praxiswolke eG', 'praxiswolke', 'Patient files', 'Behandlungsakten', 'Patiëntendossiers', 'DE', 'eu')
  ) AS v (n, title, slug, service, service_de, service_nl, country, safeguard);

-- What a controller of each language calls the ten purposes; the position is the template's number.
CREATE TEMP TABLE purpose_text ON COMMIT DROP AS
SELECT * FROM (VALUES
  ('en', 1, 'Your customer account', 'We keep your name, contact details and history so that you can sign in and see your orders.'),
  ('en', 2, 'Delivering your order', 'We use your address to deliver what you ordered and to send you the invoice.'),
  ('en', 3, 'Accounting and tax', 'The law obliges us to keep invoices and payment records.'),
  ('en', 4, 'Newsletter', 'With your consent we send you news and offers by e-mail. You can unsubscribe at any time.'),
  ('en', 5, 'Website statistics', 'With your consent we count which pages are visited, to make our website better.'),
  ('en', 6, 'Personal recommendations', 'With your consent we choose offers by what you have looked at or bought.'),
  ('en', 7, 'Protection against misuse', 'We look for unusual sign-ins and payments in order to protect you and us from fraud.'),
  ('en', 8, 'Customer surveys', 'With your consent we ask you now and then how satisfied you were.'),
  ('en', 9, 'Applications', 'If you apply for a position, we keep your documents until it is filled.'),
  ('en', 10, 'Answering your questions', 'When you write or call, we keep the conversation until the matter is settled.'),
  ('de', 1, 'Ihr Kundenkonto', 'Wir speichern Name, Kontaktdaten und Verlauf, damit Sie sich anmelden und Ihre Vorgänge einsehen können.'),
  ('de', 2, 'Erfüllung Ihres Vertrags', 'Wir verwenden Ihre Anschrift, um die bestellte Leistung zu erbringen und Ihnen die Rechnung zu senden.'),
  ('de', 3, 'Buchhaltung und Steuern', 'Das Gesetz verpflichtet uns, Rechnungen und Zahlungsbelege aufzubewahren.'),
  ('de', 4, 'Newsletter', 'Mit Ihrer Einwilligung senden wir Ihnen Neuigkeiten und Angebote per E-Mail. Sie können sich jederzeit abmelden.'),
  ('de', 5, 'Statistik der Website', 'Mit Ihrer Einwilligung zählen wir, welche Seiten besucht werden, um unser Angebot zu verbessern.'),
  ('de', 6, 'Persönliche Empfehlungen', 'Mit Ihrer Einwilligung wählen wir Angebote danach aus, was Sie angesehen oder gekauft haben.'),
  ('de', 7, 'Schutz vor Missbrauch', 'Wir achten auf ungewöhnliche Anmeldungen und Zahlungen, um Sie und uns vor Betrug zu schützen.'),
  ('de', 8, 'Kundenbefragungen', 'Mit Ihrer Einwilligung fragen wir gelegentlich, wie zufrieden Sie waren.'),
  ('de', 9, 'Bewerbungen', 'Wenn Sie sich bewerben, bewahren wir Ihre Unterlagen auf, bis die Stelle besetzt ist.'),
  ('de', 10, 'Beantwortung Ihrer Anfragen', 'Wenn Sie uns schreiben oder anrufen, bewahren wir den Vorgang auf, bis er erledigt ist.'),
  ('nl', 1, 'Uw klantaccount', 'Wij bewaren uw naam, contactgegevens en geschiedenis, zodat u kunt inloggen en uw bestellingen kunt inzien.'),
  ('nl', 2, 'Uitvoering van uw bestelling', 'Wij gebruiken uw adres om uw bestelling te leveren en u de factuur te sturen.'),
  ('nl', 3, 'Boekhouding en belasting', 'De wet verplicht ons facturen en betalingsgegevens te bewaren.'),
  ('nl', 4, 'Nieuwsbrief', 'Met uw toestemming sturen wij u nieuws en aanbiedingen per e-mail. U kunt zich altijd afmelden.'),
  ('nl', 5, 'Websitestatistieken', 'Met uw toestemming tellen wij welke pagina''s worden bezocht, om onze website te verbeteren.'),
  ('nl', 6, 'Persoonlijke aanbevelingen', 'Met uw toestemming kiezen wij aanbiedingen op basis van wat u hebt bekeken of gekocht.'),
  ('nl', 7, 'Bescherming tegen misbruik', 'Wij letten op ongewone aanmeldingen en betalingen om u en ons tegen fraude te beschermen.'),
  ('nl', 8, 'Klantonderzoek', 'Met uw toestemming vragen wij u af en toe hoe tevreden u was.'),
  ('nl', 9, 'Sollicitaties', 'Als u bij ons solliciteert, bewaren wij uw documenten tot de vacature is vervuld.'),
  ('nl', 10, 'Beantwoording van uw vragen', 'Als u ons schrijft of belt, bewaren wij het gesprek tot de zaak is afgehandeld.')
) AS v (language, position, title, description);

-- Every controller has purposes 1 to 5; the others some have. The number of a purpose is 10 * controller + position.
CREATE TEMP TABLE purpose_list ON COMMIT DROP AS
SELECT c.n * 10 + t.position AS n, c.n AS controller_n, t.position, pg_temp.demo_id('purpose', c.n * 10 + t.position) AS id, c.id AS controller_id, t.title, t.description,
       CASE WHEN t.position > 5 AND (c.n + t.position) % 11 = 0 THEN 'draft' WHEN t.position > 7 AND (c.n + t.position) % 9 = 0 THEN 'retired' ELSE 'active' END AS status
  FROM controller_list c JOIN purpose_text t USING (language)
 WHERE t.position <= 5 OR c.n = 1 OR pg_temp.pick(c.n * 10 + t.position, 21, 3) = 0;

INSERT INTO data_controller_processing_purposes (id, data_controller_id, title, description, legal_basis, retention_months, status, position, respects_global_privacy_control, created_at, updated_at)
SELECT p.id, p.controller_id, p.title, p.description, b.default_legal_basis, o.retention_months, p.status, p.position, p.position IN (5, 6),
       dc.created_at + p.position * interval '26 hours', dc.created_at + p.position * interval '26 hours' + pg_temp.pick(p.n, 22, 300) * interval '24 hours'
  FROM purpose_list p
  JOIN data_controllers dc ON dc.id = p.controller_id
  JOIN purpose_business_templates b ON b.id = pg_temp.demo_id('business template', p.position)
  JOIN purpose_operational_templates o ON o.id = pg_temp.demo_id('operational template', p.position)
 ORDER BY p.n;

INSERT INTO data_controller_purpose_data_items (id, data_controller_processing_purpose_id, label, category, special_category_condition, is_required, created_at)
SELECT pg_temp.demo_id('data item', row_number() OVER (ORDER BY p.n, i.rank)), p.id, i.label, i.category, CASE WHEN i.category = 'health' THEN 'employment_law' END, i.required, timestamptz '2024-01-08 09:00:00+00' + p.n * interval '1 hour' + i.rank * interval '1 minute'
  FROM purpose_list p
  JOIN (VALUES
  (1, 1, 'Name', 'identity', true), (1, 2, 'E-mail address', 'contact', true), (1, 3, 'Telephone number', 'contact', false), (1, 4, 'Customer number', 'contract', true),
  (2, 1, 'Name', 'identity', true), (2, 2, 'Postal address', 'contact', true), (2, 3, 'Ordered items', 'contract', true),
  (3, 1, 'Invoice address', 'contact', true), (3, 2, 'Bank account', 'payment', true), (3, 3, 'Invoices', 'contract', true),
  (4, 1, 'E-mail address', 'contact', true), (4, 2, 'First name', 'identity', false),
  (5, 1, 'Pages visited', 'usage', true), (5, 2, 'Shortened IP address', 'location', true), (5, 3, 'Type of device', 'usage', false),
  (6, 1, 'Purchases', 'contract', true), (6, 2, 'Pages visited', 'usage', true), (6, 3, 'Interests', 'preference', false),
  (7, 1, 'IP address', 'location', true), (7, 2, 'Time of sign-in', 'usage', true), (7, 3, 'Payment method', 'payment', true),
  (8, 1, 'E-mail address', 'contact', true), (8, 2, 'Answers given', 'preference', true),
  (9, 1, 'Name', 'identity', true), (9, 2, 'CV and certificates', 'identity', true), (9, 3, 'Severe disability, if stated', 'health', false),
  (10, 1, 'Name', 'identity', false), (10, 2, 'E-mail address or telephone number', 'contact', true), (10, 3, 'The conversation', 'usage', true)
  ) AS i (position, rank, label, category, required) ON i.position = p.position
 ORDER BY p.n, i.rank;

INSERT INTO data_controller_purpose_processors (data_controller_processing_purpose_id, data_processor_id, access_level, created_at)
SELECT p.id, pg_temp.demo_id('processor', a.processor), a.access, timestamptz '2024-01-08 09:00:00+00' + p.n * interval '1 hour'
  FROM purpose_list p
  JOIN (VALUES
  (1, 1, 'store'), (1, 4, 'write'), (2, 1, 'store'), (2, 6, 'read'), (2, 9, 'write'), (3, 3, 'write'), (3, 8, 'store'), (4, 2, 'write'), (4, 4, 'read'),
  (5, 5, 'store'), (6, 4, 'read'), (6, 5, 'read'), (7, 3, 'read'), (7, 11, 'write'), (8, 7, 'store'), (9, 12, 'store'), (10, 10, 'store')
  ) AS a (position, processor, access) ON a.position = p.position AND (a.access <> 'read' OR p.controller_n % 3 > 0)
 ORDER BY p.n, a.processor;

INSERT INTO data_controller_purpose_template_links (id, data_controller_processing_purpose_id, purpose_business_template_id, purpose_operational_template_id, created_at)
SELECT pg_temp.demo_id('template link', p.n * 2 + k),  p.id,
       CASE k WHEN 0 THEN pg_temp.demo_id('business template', p.position) END, CASE k WHEN 1 THEN pg_temp.demo_id('operational template', p.position) END,
       timestamptz '2024-01-08 09:00:00+00' + p.n * interval '1 hour' + k * interval '1 minute'
  FROM purpose_list p CROSS JOIN generate_series(0, 1) k ORDER BY p.n, k;

-- ---------------------------------------------------------------------------------------------------------
-- Data subjects. Subject 1 is the demo's subject, in the first controller; subject 2 belongs to controller 4.
-- ---------------------------------------------------------------------------------------------------------

CREATE TEMP TABLE first_names ON COMMIT DROP AS
SELECT * FROM (VALUES
  ('DE', ARRAY['Anna','Lena','Katharina','Sophie','Claudia','Petra','Ursula','Birgit','Emma','Johanna','Leon','Paul','Maximilian','Andreas','Michael','Thomas','Jan','Florian','Günther','Mehmet']),
  ('NL', ARRAY['Emma','Julia','Sanne','Fenna','Marieke','Ingrid','Willemijn','Anouk','Yara','Tessa','Daan','Sem','Lars','Jeroen','Maarten','Hendrik','Ruben','Stijn','Youssef','Cornelis']),
  ('GB', ARRAY['Olivia','Charlotte','Jessica','Sarah','Margaret','Fiona','Aisha','Chloe','Alice','Eleanor','Jack','Thomas','William','James','Callum','Rhys','Mohammed','Peter','Edward','Dylan'])
) AS v (country, names);

CREATE TEMP TABLE last_names ON COMMIT DROP AS
SELECT * FROM (VALUES
  ('DE', ARRAY['Müller','Schmidt','Schneider','Fischer','Weber','Meyer','Wagner','Becker','Schulz','Hoffmann','Koch','Richter','Klein','Wolf','Schröder','Neumann','Schwarz','Zimmermann','Braun','Krüger','Hartmann','Lange','Werner','Krause','Lehmann','Köhler','Maier','Yılmaz','Kaiser','Voß','Nowak']),
  ('NL', ARRAY['de Jong','Jansen','de Vries','van den Berg','Bakker','van Dijk','Visser','Smit','Meijer','de Boer','Mulder','de Groot','Bos','Vos','Peters','Hendriks','van Leeuwen','Dekker','Brouwer','de Wit','Dijkstra','Smits','de Graaf','van der Meer','Kok','Jacobs','Vermeulen','El Idrissi','van der Linden','Huisman','Postma']),
  ('GB', ARRAY['Smith','Jones','Taylor','Brown','Williams','Wilson','Johnson','Davies','Patel','Robinson','Wright','Thompson','Evans','Walker','White','Roberts','Green','Hall','Wood','Harris','Clarke','O''Connor','Khan','Morgan','Hughes','Edwards','Hill','Moore','Begum','Scott','Campbell'])
) AS v (country, names);

CREATE TEMP TABLE subject_list ON COMMIT DROP AS
SELECT s.n, pg_temp.demo_id('subject', s.n) AS id, c.n AS controller_n, c.id AS controller_id, c.slug, c.country, c.language, s.created_at,
       extract(epoch FROM pg_temp.demo_end() - s.created_at)::bigint AS seconds
  FROM (SELECT n, CASE n WHEN 1 THEN 1 WHEN 2 THEN 4 ELSE 1 + least(pg_temp.pick(n, 31, 40), pg_temp.pick(n, 32, 40)) END AS controller_n,
               CASE n WHEN 1 THEN timestamptz '2024-03-04 18:22:41+00'
                      ELSE pg_temp.demo_end() - interval '3 hours' - pg_temp.pick(n, 33, 900000) * interval '1 minute' - n * interval '7 milliseconds' END AS created_at
          FROM generate_series(1, 5000) n) s
  JOIN controller_list c ON c.n = s.controller_n;

INSERT INTO data_subjects (id, data_controller_id, did, display_name, email, country, language, do_not_track, global_privacy_control, created_at, updated_at)
SELECT s.id, s.controller_id, 'did:web:' || s.slug || '.example:subjects:' || substr(md5('did' || s.n), 1, 16),
       CASE WHEN s.n = 1 THEN 'Lena Fischer' WHEN s.n % 9 <> 0 THEN p.first || ' ' || p.last END,
       CASE WHEN s.n = 1 THEN 'lena.fischer@mail.example'
            WHEN s.n % 9 <> 0 THEN translate(lower(p.first || '.' || p.last), ' äöüßéı''', '-aousei') || s.n || '@mail.example' END,
       s.country, s.language, pg_temp.pick(s.n, 37, 6) = 0, s.n <> 1 AND pg_temp.pick(s.n, 38, 9) = 0,
       s.created_at, s.created_at + pg_temp.pick(s.n, 39, s.seconds) * interval '1 second'
  FROM subject_list s
  JOIN (SELECT f.country, f.names AS first_names, l.names AS last_names FROM first_names f JOIN last_names l USING (country)) names ON names.country = s.country
  CROSS JOIN LATERAL (SELECT first_names[1 + pg_temp.pick(s.n, 35, 20)] AS first, last_names[1 + pg_temp.pick(s.n, 36, 31)] AS last) p
 ORDER BY s.n;

-- ---------------------------------------------------------------------------------------------------------
-- Processing activities
-- ---------------------------------------------------------------------------------------------------------

INSERT INTO data_processing_activity_types (id, code, labels, comments, purpose_business_template_id)
SELECT pg_temp.demo_id('activity type', n), code, pg_temp.texts(label, label_de, label_nl), pg_temp.texts(comment, comment_de, comment_nl), pg_temp.demo_id('business template', template)
  FROM (VALUES
  (1, 5, 'page_view', 'Page view', 'Seitenaufruf', 'Paginaweergave',
      'A page of the website or a screen of the app was opened.', 'Eine Seite der Website oder der App wurde geöffnet.', 'Een pagina van de website of een scherm van de app is geopend.'),
  (2, 1, 'sign_in', 'Sign-in', 'Anmeldung', 'Inlog',
      'The person signed in to their account.', 'Die Person hat sich in ihrem Konto angemeldet.', 'De persoon heeft ingelogd op het account.'),
  (3, 2, 'order_placed', 'Order placed', 'Bestellung', 'Bestelling geplaatst',
      'Something was ordered or booked.', 'Etwas wurde bestellt oder gebucht.', 'Er is iets besteld of geboekt.'),
  (4, 3, 'payment_received', 'Payment received', 'Zahlungseingang', 'Betaling ontvangen',
      'A payment was made and assigned.', 'Eine Zahlung ist eingegangen und wurde zugeordnet.', 'Een betaling is gedaan en toegewezen.'),
  (5, 3, 'invoice_sent', 'Invoice sent', 'Rechnung gesendet', 'Factuur verstuurd',
      'An invoice was made and sent.', 'Eine Rechnung wurde erstellt und gesendet.', 'Een factuur is opgemaakt en verstuurd.'),
  (6, 4, 'newsletter_sent', 'Newsletter sent', 'Newsletter gesendet', 'Nieuwsbrief verstuurd',
      'An issue of the newsletter was sent to the person.', 'Eine Ausgabe des Newsletters wurde an die Person gesendet.', 'Een nummer van de nieuwsbrief is naar de persoon gestuurd.'),
  (7, 4, 'newsletter_opened', 'Newsletter opened', 'Newsletter geöffnet', 'Nieuwsbrief geopend',
      'The person opened an issue of the newsletter.', 'Die Person hat eine Ausgabe des Newsletters geöffnet.', 'De persoon heeft een nummer van de nieuwsbrief geopend.'),
  (8, 11, 'consent_given', 'Consent given', 'Einwilligung erteilt', 'Toestemming gegeven',
      'The person agreed to a purpose.', 'Die Person hat in einen Zweck eingewilligt.', 'De persoon heeft met een doel ingestemd.'),
  (9, 11, 'consent_withdrawn', 'Consent withdrawn', 'Einwilligung widerrufen', 'Toestemming ingetrokken',
      'The person withdrew a consent.', 'Die Person hat eine Einwilligung widerrufen.', 'De persoon heeft een toestemming ingetrokken.'),
  (10, 1, 'profile_changed', 'Profile changed', 'Profil geändert', 'Profiel gewijzigd',
      'Contact data or settings were changed.', 'Kontaktdaten oder Einstellungen wurden geändert.', 'Contactgegevens of instellingen zijn gewijzigd.'),
  (11, 10, 'support_request', 'Support request', 'Anfrage an den Kundendienst', 'Vraag aan de helpdesk',
      'The person asked the help desk something.', 'Die Person hat den Kundendienst etwas gefragt.', 'De persoon heeft de helpdesk iets gevraagd.'),
  (12, 8, 'survey_answered', 'Survey answered', 'Umfrage beantwortet', 'Enquête beantwoord',
      'The person answered a survey.', 'Die Person hat an einer Umfrage teilgenommen.', 'De persoon heeft een enquête ingevuld.'),
  (13, 11, 'data_exported', 'Data exported', 'Daten herausgegeben', 'Gegevens verstrekt',
      'The person''s data was handed out on request.', 'Die Daten der Person wurden auf ihren Antrag herausgegeben.', 'De gegevens zijn op verzoek aan de persoon verstrekt.'),
  (14, 11, 'data_erased', 'Data erased', 'Daten gelöscht', 'Gegevens verwijderd',
      'Data of the person was erased.', 'Daten der Person wurden gelöscht.', 'Gegevens van de persoon zijn verwijderd.'),
  (15, 9, 'application_received', 'Application received', 'Bewerbung eingegangen', 'Sollicitatie ontvangen',
      'The person applied for a position.', 'Die Person hat sich auf eine Stelle beworben.', 'De persoon heeft op een vacature gesolliciteerd.'),
  (16, 12, 'treatment_recorded', 'Treatment recorded', 'Behandlung dokumentiert', 'Behandeling vastgelegd',
      'A treatment or care of the person was documented.', 'Eine Behandlung oder Pflege der Person wurde dokumentiert.', 'Een behandeling of zorg van de persoon is vastgelegd.')
  ) AS v (n, template, code, label, label_de, label_nl, comment, comment_de, comment_nl);

INSERT INTO data_processing_activity_sources (id, code, labels)
SELECT pg_temp.demo_id('activity source', n), code, pg_temp.texts(label, label_de, label_nl)
  FROM (VALUES (1, 'website', 'Website', 'Internetseite', 'Webpagina'), (2, 'mobile_app', 'Mobile app', 'Mobile App', 'Mobiele app'),
               (3, 'web_shop', 'Web shop', 'Onlineshop', 'Webwinkel'), (4, 'payment_provider', 'Payment provider', 'Zahlungsdienst', 'Betaaldienst'),
               (5, 'email_marketing', 'E-mail marketing', 'E-Mail-Marketing', 'E-mailmarketing'), (6, 'crm', 'Customer database', 'Kundendatenbank', 'Klantendatabase'),
               (7, 'accounting', 'Accounting', 'Buchhaltung', 'Boekhouding'), (8, 'survey_tool', 'Survey tool', 'Umfragedienst', 'Enquêtedienst'),
               (9, 'reservation_system', 'Reservation system', 'Reservierungssystem', 'Reserveringssysteem'), (10, 'help_desk', 'Help desk', 'Kundendienst', 'Helpdesk'),
               (11, 'applicant_tracking', 'Applicant tracking', 'Bewerbermanagement', 'Sollicitantensysteem'), (12, 'practice_system', 'Practice system', 'Praxissystem', 'Praktijksysteem')
       ) AS v (n, code, label, label_de, label_nl);

INSERT INTO data_processing_activity_fields (id, code, labels, data_type, category, comments)
SELECT pg_temp.demo_id('activity field', n), code, pg_temp.texts(label, label_de, label_nl), data_type, category, pg_temp.texts(comment, comment_de, comment_nl)
  FROM (VALUES
  (1, 'first_name', 'First name', 'Vorname', 'Voornaam', 'text', 'identity', 'Given name or names.', 'Ein oder mehrere Vornamen.', 'Een of meer voornamen.'),
  (2, 'last_name', 'Last name', 'Nachname', 'Achternaam', 'text', 'identity', 'Family name.', 'Familienname.', 'Familienaam.'),
  (3, 'date_of_birth', 'Date of birth', 'Geburtsdatum', 'Geboortedatum', 'date', 'identity', 'Asked where the law sets an age.', 'Wird erfragt, wo das Gesetz ein Alter vorschreibt.', 'Gevraagd waar de wet een leeftijd voorschrijft.'),
  (4, 'email', 'E-mail address', 'E-Mail-Adresse', 'E-mailadres', 'text', 'contact', 'The address messages are sent to.', 'Die Adresse, an die Nachrichten gehen.', 'Het adres waar berichten naartoe gaan.'),
  (5, 'phone', 'Telephone number', 'Telefonnummer', 'Telefoonnummer', 'text', 'contact', 'For questions about a delivery.', 'Für Rückfragen zu einer Lieferung.', 'Voor vragen over een levering.'),
  (6, 'postal_address', 'Postal address', 'Anschrift', 'Postadres', 'address', 'contact', 'Street, number, postal code, town.', 'Straße, Hausnummer, Postleitzahl, Ort.', 'Straat, huisnummer, postcode, plaats.'),
  (7, 'customer_number', 'Customer number', 'Kundennummer', 'Klantnummer', 'reference', 'contract', 'The number in the customer database.', 'Die Nummer in der Kundendatenbank.', 'Het nummer in de klantendatabase.'),
  (8, 'order_number', 'Order number', 'Bestellnummer', 'Bestelnummer', 'reference', 'contract', 'The number of the order or booking.', 'Die Nummer der Bestellung oder Buchung.', 'Het nummer van de bestelling of boeking.'),
  (9, 'order_total', 'Order total', 'Bestellwert', 'Totaalbedrag', 'number', 'contract', 'Amount including tax.', 'Betrag einschließlich Steuern.', 'Bedrag inclusief belasting.'),
  (10, 'iban', 'Bank account (IBAN)', 'Bankverbindung (IBAN)', 'Bankrekening (IBAN)', 'text', 'payment', 'Account for direct debit or refund.', 'Konto für Lastschrift oder Erstattung.', 'Rekening voor incasso of terugbetaling.'),
  (11, 'payment_method', 'Payment method', 'Zahlungsart', 'Betaalwijze', 'text', 'payment', 'Card, transfer, direct debit …', 'Karte, Überweisung, Lastschrift …', 'Kaart, overschrijving, incasso …'),
  (12, 'ip_address', 'Shortened IP address', 'Gekürzte IP-Adresse', 'Ingekort IP-adres', 'text', 'location', 'Shortened before it is stored.', 'Wird vor dem Speichern gekürzt.', 'Wordt ingekort voordat het wordt opgeslagen.'),
  (13, 'device', 'Type of device', 'Art des Geräts', 'Soort apparaat', 'text', 'usage', 'Kind of device and browser.', 'Art des Geräts und des Browsers.', 'Soort apparaat en browser.'),
  (14, 'page', 'Page visited', 'Besuchte Seite', 'Bezochte pagina', 'text', 'usage', 'Path of the page or name of the screen.', 'Pfad der Seite oder Name der Ansicht.', 'Pad van de pagina of naam van het scherm.'),
  (15, 'referrer', 'Referring page', 'Herkunftsseite', 'Verwijzende pagina', 'text', 'usage', 'Where the visitor came from.', 'Woher der Besuch kam.', 'Waar de bezoeker vandaan kwam.'),
  (16, 'language', 'Language', 'Sprache', 'Taal', 'text', 'preference', 'Preferred language.', 'Bevorzugte Sprache.', 'Voorkeurstaal.'),
  (17, 'interests', 'Interests', 'Interessen', 'Interesses', 'text', 'preference', 'Topics chosen by the person.', 'Themen, die die Person gewählt hat.', 'Onderwerpen die de persoon heeft gekozen.'),
  (18, 'newsletter', 'Newsletter subscription', 'Newsletter-Abonnement', 'Abonnement op de nieuwsbrief', 'boolean', 'preference', 'Whether the newsletter is wanted.', 'Ob der Newsletter gewünscht ist.', 'Of de nieuwsbrief gewenst is.'),
  (19, 'allergies', 'Allergies', 'Allergien', 'Allergieën', 'text', 'health', 'Told by the person for a booking or treatment.', 'Von der Person für eine Buchung oder Behandlung angegeben.', 'Door de persoon gemeld voor een boeking of behandeling.'),
  (20, 'message', 'Message', 'Nachricht', 'Bericht', 'text', 'usage', 'Text of a question or answer.', 'Text einer Frage oder Antwort.', 'Tekst van een vraag of antwoord.'),
  (21, 'curriculum_vitae', 'CV and certificates', 'Lebenslauf und Zeugnisse', 'Cv en diploma''s', 'text', 'identity', 'Documents of an application.', 'Unterlagen einer Bewerbung.', 'Documenten van een sollicitatie.'),
  (22, 'severe_disability', 'Severe disability', 'Schwerbehinderung', 'Arbeidsbeperking', 'text', 'health', 'If the applicant states it.', 'Falls die Bewerberin oder der Bewerber sie angibt.', 'Als de sollicitant die vermeldt.'),
  (23, 'health_record', 'Findings and treatments', 'Befunde und Behandlungen', 'Bevindingen en behandelingen', 'text', 'health', 'Documentation of treatment and care.', 'Dokumentation der Behandlung und Pflege.', 'Verslag van behandeling en zorg.'),
  (24, 'consent', 'Answer to a request for consent', 'Antwort auf eine Bitte um Einwilligung', 'Antwoord op een toestemmingsvraag', 'boolean', 'preference', 'Whether the person agreed to a purpose.', 'Ob die Person in einen Zweck eingewilligt hat.', 'Of de persoon met een doel heeft ingestemd.')
  ) AS v (n, code, label, label_de, label_nl, data_type, category, comment, comment_de, comment_nl);

INSERT INTO data_processing_preferences (id, code, labels, comments)
SELECT pg_temp.demo_id('preference', n), code, pg_temp.texts(label, label_de, label_nl), pg_temp.texts(comment, comment_de, comment_nl)
  FROM (VALUES
  (1, 'necessary', 'Necessary', 'Notwendig', 'Noodzakelijk', 'Always on.', 'Immer eingeschaltet.', 'Altijd aan.'),
  (2, 'functional', 'Functional', 'Funktional', 'Functioneel', 'Remembers settings such as the language.', 'Merkt sich Einstellungen wie die Sprache.', 'Onthoudt instellingen zoals de taal.'),
  (3, 'analytics', 'Statistics', 'Statistik', 'Statistieken', 'May be counted in statistics.', 'Darf in Statistiken gezählt werden.', 'Mag in statistieken worden meegeteld.'),
  (4, 'marketing', 'Advertising', 'Werbung', 'Reclame', 'May get advertising.', 'Darf Werbung erhalten.', 'Mag reclame ontvangen.'),
  (5, 'personalisation', 'Personalisation', 'Personalisierung', 'Personalisatie', 'May get offers chosen for the person.', 'Darf persönlich ausgewählte Angebote erhalten.', 'Mag persoonlijk gekozen aanbiedingen ontvangen.'),
  (6, 'third_parties', 'Third parties', 'Dritte', 'Derden', 'Data may be passed on to partners.', 'Daten dürfen an Partner weitergegeben werden.', 'Gegevens mogen aan partners worden doorgegeven.'),
  (7, 'email_contact', 'Contact by e-mail', 'Kontakt per E-Mail', 'Contact per e-mail', 'May be written to.', 'Darf angeschrieben werden.', 'Mag worden aangeschreven.'),
  (8, 'phone_contact', 'Contact by telephone', 'Kontakt per Telefon', 'Contact per telefoon', 'May be called.', 'Darf angerufen werden.', 'Mag worden gebeld.')
  ) AS v (n, code, label, label_de, label_nl, comment, comment_de, comment_nl);

-- Where each type is noticed and which fields it touches.
CREATE TEMP TABLE activity_kind ON COMMIT DROP AS
SELECT type_n, pg_temp.demo_id('activity type', type_n) AS type_id,
       ARRAY(SELECT pg_temp.demo_id('activity source', x) FROM unnest(sources) WITH ORDINALITY u (x, o) ORDER BY o) AS source_ids,
       ARRAY(SELECT pg_temp.demo_id('activity field', x) FROM unnest(fields) WITH ORDINALITY u (x, o) ORDER BY o) AS field_ids,
       ARRAY(SELECT pg_temp.demo_id('preference', x) FROM generate_series(1, 8) x ORDER BY x) AS preference_ids
  FROM (VALUES (1, '{1,1,2}'::int[], '{12,13,14,15}'::int[]), (2, '{1,2}', '{4,12,13}'), (3, '{3,3,9}', '{1,2,4,6,7,8,9}'), (4, '{4}', '{7,9,10,11}'),
               (5, '{7}', '{1,2,6,7,8,9}'), (6, '{5}', '{1,4,18}'), (7, '{5}', '{4,13,17}'), (8, '{1,2}', '{12,17,18}'), (9, '{1,2,5}', '{12,18}'),
               (10, '{1,6}', '{1,2,4,5,6,16}'), (11, '{10}', '{1,4,5,20}'), (12, '{8}', '{4,16,20}'), (13, '{6}', '{1,2,3,4,5,6,7}'), (14, '{6}', '{3,5,17,19}')
       ) AS v (type_n, sources, fields);

-- The indexes of the largest table are made again when its rows are there, which is quicker than to keep them up.
CREATE TEMP TABLE activity_index ON COMMIT DROP AS
SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
  FROM pg_index i WHERE i.indrelid = 'data_processing_activities'::regclass AND NOT i.indisprimary;
DO $$ DECLARE i activity_index; BEGIN FOR i IN SELECT * FROM activity_index LOOP EXECUTE 'DROP INDEX ' || i.name; END LOOP; END $$;

-- Page views are the most frequent, as everywhere; the demo's subject has more activities than most.
INSERT INTO data_processing_activities (id, data_subject_id, type_id, source_id, triggered_at, field_ids, preference_ids)
SELECT pg_temp.demo_id('activity', a.n), s.id, k.type_id, k.source_ids[1 + a.n % cardinality(k.source_ids)],
       s.created_at + (pg_temp.pick(a.n, 44, s.seconds) + a.n % 1000 / 1000::float8) * interval '1 second' AS triggered_at,
       k.field_ids, k.preference_ids[1 : 1 + pg_temp.pick(a.n, 45, 4)]
  FROM (SELECT n, CASE WHEN n % 1250 = 0 THEN 1 WHEN n % 1250 = 1 THEN 2 ELSE 1 + pg_temp.pick(n, 41, 5000) END AS subject_n,
               CASE WHEN pg_temp.pick(n, 42, 3) = 0 THEN 1 ELSE 1 + least(pg_temp.pick(n, 43, 14), pg_temp.pick(n, 46, 14)) END AS type_n
          FROM generate_series(1, 40000) n) a
  JOIN subject_list s ON s.n = a.subject_n
  JOIN activity_kind k ON k.type_n = a.type_n
 ORDER BY triggered_at, a.n;

DO $$ DECLARE i activity_index; BEGIN FOR i IN SELECT * FROM activity_index LOOP EXECUTE i.definition; END LOOP; END $$;

-- ---------------------------------------------------------------------------------------------------------
-- Consents, rights requests, notifications
-- ---------------------------------------------------------------------------------------------------------

-- Most people have been asked, most of those have agreed; some have changed their mind. The demo's subject was asked about everything.
CREATE TEMP TABLE consent_list ON COMMIT DROP AS
SELECT pg_temp.demo_id('consent', s.n * 100 + p.position) AS id, s.id AS subject_id, p.id AS purpose_id, p.controller_id, d.given_by,
       CASE WHEN d.given_by <> 'browser_signal' AND (s.n = 1 AND p.position = 4 OR pg_temp.pick(s.n * 10 + p.position, 51, 5) < 3) THEN 'true' ELSE 'false' END AS value,
       s.created_at + p.position * interval '9 seconds' AS created_at,
       s.created_at + p.position * interval '9 seconds'
         + CASE WHEN pg_temp.pick(s.n * 10 + p.position, 52, 4) = 0 THEN pg_temp.pick(s.n * 10 + p.position, 53, s.seconds - 100) ELSE 0 END * interval '1 second' AS updated_at
  FROM subject_list s
  JOIN data_subjects ds ON ds.id = s.id
  JOIN purpose_list p ON p.controller_n = s.controller_n AND p.position IN (4, 5, 6, 8) AND p.status = 'active'
  CROSS JOIN LATERAL (SELECT CASE WHEN ds.global_privacy_control AND p.position IN (5, 6) AND honours_global_privacy_control(s.controller_id) THEN 'browser_signal'
                                  WHEN ds.email IS NULL THEN 'visitor' ELSE 'person' END AS given_by) d
 WHERE s.n = 1 OR pg_temp.pick(s.n * 10 + p.position, 54, 10) < 8;

INSERT INTO data_subject_rights_requests (id, data_subject_id, request_type, status, description, channel, verified, verified_at, erased_at, result, rejection_reason, closed_at, created_at, updated_at)
SELECT pg_temp.demo_id('rights request', r.n), s.id, k.request_type, k.status,
       CASE k.request_type || CASE s.country WHEN 'GB' THEN 'GB' WHEN 'NL' THEN 'NL' ELSE 'DE' END
         WHEN 'accessDE' THEN 'Bitte teilen Sie mir mit, welche Daten Sie über mich gespeichert haben, und senden Sie mir eine Kopie.'
         WHEN 'accessNL' THEN 'Graag ontvang ik een overzicht van alle gegevens die u over mij bewaart.'
         WHEN 'accessGB' THEN 'Please send me a copy of all the data you hold about me.'
         WHEN 'erasureDE' THEN 'Ich bin kein Kunde mehr. Bitte löschen Sie meine Daten, soweit Sie sie nicht aufbewahren müssen.'
         WHEN 'erasureNL' THEN 'Ik ben geen klant meer. Wilt u mijn gegevens verwijderen?'
         WHEN 'erasureGB' THEN 'I am no longer a customer. Please erase whatever you do not have to keep.'
         WHEN 'rectificationDE' THEN 'Ich bin umgezogen, meine Anschrift ist bei Ihnen noch falsch gespeichert.'
         WHEN 'rectificationNL' THEN 'Mijn achternaam is verkeerd gespeld; graag aanpassen.'
         WHEN 'rectificationGB' THEN 'My date of birth is wrong in your records. It should be the 14th, not the 4th.'
         WHEN 'portabilityDE' THEN 'Bitte stellen Sie mir meine Daten in einem maschinenlesbaren Format bereit, ich wechsle den Anbieter.'
         WHEN 'portabilityNL' THEN 'Ik stap over naar een andere aanbieder en ontvang mijn gegevens graag als CSV.'
         ELSE 'I am moving to another provider and would like my data as a file.' END,
       'signed_in', v.verified, CASE WHEN v.verified THEN t.created_at + interval '20 hours' END,
       CASE WHEN k.status = 'completed' AND k.request_type = 'erasure' THEN u.updated_at END,
       CASE WHEN k.status = 'completed' THEN service_text('result.documents', language_of_subject(s.id)) END,
       CASE WHEN k.status = 'rejected' THEN CASE s.country WHEN 'GB' THEN 'We could not make sure that the request comes from you.'
         WHEN 'NL' THEN 'Wij konden niet vaststellen dat het verzoek van u komt.' ELSE 'Wir konnten nicht feststellen, dass der Antrag von Ihnen kommt.' END END,
       CASE WHEN k.status IN ('completed', 'rejected') THEN u.updated_at END,
       t.created_at, u.updated_at
  FROM (SELECT n, CASE WHEN n <= 3 THEN 1 WHEN n <= 5 THEN 2 ELSE 1 + pg_temp.pick(n, 61, 5000) END AS subject_n FROM generate_series(1, 640) n) r
  JOIN subject_list s ON s.n = r.subject_n
  CROSS JOIN LATERAL (SELECT (ARRAY['access', 'rectification', 'portability', 'access', 'erasure', 'access', 'erasure'])[CASE WHEN r.n <= 3 THEN r.n ELSE 1 + pg_temp.pick(r.n, 62, 7) END] AS request_type,
                             (ARRAY['completed', 'in_progress', 'submitted', 'pending', 'completed', 'completed', 'pending', 'rejected'])[CASE WHEN r.n <= 3 THEN r.n ELSE 1 + pg_temp.pick(r.n, 63, 8) END] AS status) k
  CROSS JOIN LATERAL (SELECT CASE WHEN r.n <= 3 THEN pg_temp.demo_end() - (ARRAY[214, 23, 9])[r.n] * interval '24 hours' - interval '71 minutes'
                             ELSE s.created_at + pg_temp.pick(r.n, 64, s.seconds) * interval '1 second' END AS created_at) t
  CROSS JOIN LATERAL (SELECT k.status IN ('in_progress', 'completed') OR pg_temp.pick(r.n, 65, 3) = 0 AS verified) v
  CROSS JOIN LATERAL (SELECT CASE k.status WHEN 'submitted' THEN t.created_at ELSE least(t.created_at + (1 + pg_temp.pick(r.n, 66, 27)) * interval '23 hours', pg_temp.demo_end() - interval '5 minutes') END AS updated_at) u
 ORDER BY r.n;

SELECT start_rights_request_workflow(r) FROM data_subject_rights_requests r WHERE r.closed_at IS NULL ORDER BY r.created_at, r.id;

INSERT INTO notification_messages (id, data_subject_id, kind, title, body, is_read, created_at, updated_at)
SELECT pg_temp.demo_id('notification', m.n), s.id, t.kind, t.title, format(t.body, c.title), read.is_read, sent.at,
       CASE WHEN read.is_read THEN least(sent.at + pg_temp.pick(m.n, 75, 5000) * interval '1 minute', pg_temp.demo_end() - interval '1 minute') ELSE sent.at END
  FROM (SELECT n, CASE WHEN n <= 7 THEN 1 WHEN n <= 12 THEN 2 ELSE 1 + pg_temp.pick(n, 71, 5000) END AS subject_n FROM generate_series(1, 3200) n) m
  JOIN subject_list s ON s.n = m.subject_n
  JOIN controller_list c ON c.n = s.controller_n
  JOIN (VALUES
  (0, 'info', 'Welcome', 'Here you see which data %s processes about you, and why.'),
  (1, 'consent', 'Your consent was saved', '%s has saved your choice. You can change it whenever you like.'),
  (2, 'notice', 'Our privacy notice has changed', '%s has published a new version of its privacy notice.'),
  (3, 'rights_request', 'We have received your request', '%s will answer within a month at the latest.'),
  (4, 'rights_request', 'Your request has been answered', '%s has completed your request. You find the result under your requests.'),
  (5, 'security', 'New sign-in to your account', 'Somebody signed in to your account at %s from a new device. If it was not you, please change your password.'),
  (6, 'consent', 'Please renew your consent', 'Your consent to the newsletter of %s is a year old. Would you like to keep it?')
  ) AS t (k, kind, title, body) ON t.k = CASE WHEN m.n <= 7 THEN m.n % 7 ELSE pg_temp.pick(m.n, 72, 7) END
  CROSS JOIN LATERAL (SELECT s.created_at + pg_temp.pick(m.n, 73, s.seconds) * interval '1 second' AS at) sent
  CROSS JOIN LATERAL (SELECT CASE WHEN m.n <= 7 THEN m.n % 3 = 0 ELSE pg_temp.pick(m.n, 74, 3) > 0 END AS is_read) read
 ORDER BY m.n;

-- ---------------------------------------------------------------------------------------------------------
-- FAQ entries and notices
-- ---------------------------------------------------------------------------------------------------------

INSERT INTO data_controller_faqs (id, data_controller_id, category, question, answer, position, published, created_at, updated_at)
SELECT pg_temp.demo_id('faq', c.n * 10 + f.position), c.id, f.category, replace(f.question, '{name}', c.title),
       replace(replace(f.answer, '{name}', c.title), '{dpo}', dc.dpo_email),
       f.position, f.position < 6 OR c.n % 4 <> 0,
       dc.created_at + f.position * interval '3 days', dc.created_at + f.position * interval '40 days'
  FROM controller_list c
  JOIN data_controllers dc ON dc.id = c.id
  JOIN (VALUES
  ('en', 1, 'general', 'Which data do you hold about me?', 'Only what we need for the purposes listed here: usually your name, how to reach you, and what you have ordered or asked. Open the data map to see each item, why we hold it and who else has access.'),
  ('en', 2, 'consent', 'How can I withdraw my consent?', 'Switch the purpose off under Consents. It takes effect at once; what was done before remains lawful.'),
  ('en', 3, 'rights', 'How do I get a copy of my data?', 'Submit an access request under My rights, or write to {dpo}. You get the answer within a month, free of charge.'),
  ('en', 4, 'rights', 'Can you delete all my data?', 'Yes, apart from what we must keep by law, for example invoices. We tell you what remains and for how long.'),
  ('en', 5, 'sharing', 'Does {name} sell my data?', 'No. Companies that work for us, such as our e-mail provider, only act on our instructions.'),
  ('en', 6, 'cookies', 'Do you respect Global Privacy Control?', 'Yes. When your browser sends the signal, statistics and recommendations stay off without you doing anything.'),
  ('en', 7, 'general', 'Where can I complain?', 'Please tell us first: {dpo}. You may also complain to the data protection authority at any time.'),
  ('de', 1, 'general', 'Welche Daten speichern Sie über mich?', 'Nur was für die hier genannten Zwecke nötig ist: meist Name, Kontaktdaten und Ihre Verträge oder Anfragen. In der Datenübersicht sehen Sie jede Angabe, den Grund und wer Zugriff hat.'),
  ('de', 2, 'consent', 'Wie widerrufe ich meine Einwilligung?', 'Schalten Sie den Zweck unter „Einwilligungen“ aus. Der Widerruf gilt sofort; was vorher geschah, bleibt rechtmäßig.'),
  ('de', 3, 'rights', 'Wie erhalte ich eine Kopie meiner Daten?', 'Stellen Sie unter „Meine Rechte“ einen Antrag auf Auskunft oder schreiben Sie an {dpo}. Sie erhalten die Antwort innerhalb eines Monats und kostenlos.'),
  ('de', 4, 'rights', 'Können Sie alle meine Daten löschen?', 'Ja, außer was wir gesetzlich aufbewahren müssen, etwa Rechnungen. Wir teilen Ihnen mit, was bleibt und wie lange.'),
  ('de', 5, 'sharing', 'Verkauft {name} meine Daten?', 'Nein. Dienstleister, zum Beispiel für den Versand von E-Mails, handeln nur nach unserer Weisung.'),
  ('de', 6, 'cookies', 'Beachten Sie Global Privacy Control?', 'Ja. Sendet Ihr Browser das Signal, bleiben Statistik und Empfehlungen ausgeschaltet, ohne dass Sie etwas tun müssen.'),
  ('de', 7, 'general', 'Wo kann ich mich beschweren?', 'Bitte zuerst bei uns: {dpo}. Sie können sich auch jederzeit an die Aufsichtsbehörde wenden.'),
  ('nl', 1, 'general', 'Welke gegevens bewaart u over mij?', 'Alleen wat nodig is voor de genoemde doelen: meestal uw naam, contactgegevens en uw bestellingen of vragen. In het gegevensoverzicht ziet u elk gegeven, de reden en wie er toegang toe heeft.'),
  ('nl', 2, 'consent', 'Hoe trek ik mijn toestemming in?', 'Zet het doel uit onder Toestemmingen. Dat werkt meteen; wat daarvoor is gebeurd, blijft rechtmatig.'),
  ('nl', 3, 'rights', 'Hoe krijg ik een kopie van mijn gegevens?', 'Dien een inzageverzoek in onder Mijn rechten of schrijf naar {dpo}. U krijgt binnen een maand kosteloos antwoord.'),
  ('nl', 4, 'rights', 'Kunt u al mijn gegevens verwijderen?', 'Ja, behalve wat wij wettelijk moeten bewaren, zoals facturen. Wij vertellen u wat blijft en hoe lang.'),
  ('nl', 5, 'sharing', 'Verkoopt {name} mijn gegevens?', 'Nee. Bedrijven die voor ons werken, zoals onze e-maildienst, handelen alleen in onze opdracht.'),
  ('nl', 6, 'cookies', 'Respecteert u Global Privacy Control?', 'Ja. Als uw browser het signaal verstuurt, blijven statistieken en aanbevelingen vanzelf uit.'),
  ('nl', 7, 'general', 'Waar kan ik een klacht indienen?', 'Graag eerst bij ons: {dpo}. U kunt ook altijd terecht bij de toezichthouder.')
  ) AS f (language, position, category, question, answer) ON f.language = c.language
 ORDER BY c.n, f.position;

-- Version 1 is out of force, version 2 published; every third controller is drafting version 3.
INSERT INTO privacy_notices (id, data_controller_id, title, version, language, quick_look, overview, "full", published, published_at, created_at, updated_at)
SELECT pg_temp.demo_id('notice', c.n * 10 + v.version), c.id, t.title, v.version, c.language,
       format(t.quick_look, c.title), format(t.overview, c.title, dc.dpo_email),
       format(t.full_text, c.title, dc.address || ', ' || dc.postal_code || ' ' || dc.city, dc.dpo_name, dc.dpo_email, dc.compliance_configuration->>'supervisoryAuthority'),
       v.version = 2, CASE WHEN v.version < 3 THEN v.at + interval '2 days' END, v.at, v.at + interval '2 days'
  FROM controller_list c
  JOIN data_controllers dc ON dc.id = c.id
  CROSS JOIN LATERAL (VALUES (1, timestamptz '2023-05-22 09:00:00+00'), (2, timestamptz '2024-10-14 09:00:00+00'), (3, timestamptz '2025-06-16 09:00:00+00')) AS d (version, day)
  CROSS JOIN LATERAL (SELECT d.version, d.day + c.n * interval '5 hours' AS at) v
  JOIN (VALUES
  ('en', 'Privacy notice',
   '%s uses your data to serve you, keeps it no longer than needed, and never sells it. You decide about newsletters, statistics and recommendations.',
   E'%1$s processes your data to run your account, to deliver what you order and to meet legal duties. Newsletters, statistics and recommendations need your consent, which you may withdraw at any time.\n\nCompanies that work for us act on our instructions. You may ask for a copy, a correction or the erasure of your data. Questions: %2$s',
   E'1. Who is responsible\n%1$s, %2$s. Our data protection officer is %3$s (%4$s).\n\n2. Why we process your data\nTo perform our contract with you (Article 6(1)(b) GDPR): your account, orders and deliveries. To meet legal obligations (Article 6(1)(c)): bookkeeping. For our legitimate interests (Article 6(1)(f)): protection against misuse, answering questions. With your consent (Article 6(1)(a)): newsletter, statistics, recommendations, surveys.\n\n3. Who receives it\nProcessors for hosting, payment, delivery, e-mail and support, each bound by a contract under Article 28. Where data leaves the EU or the UK, standard contractual clauses or an adequacy decision apply.\n\n4. How long we keep it\nAs long as the purpose requires; invoices ten years, statistics thirteen months.\n\n5. Your rights\nAccess, rectification, erasure, restriction, portability and objection. You may withdraw a consent at any time with effect for the future. You may complain to the authority: %5$s.'),
  ('de', 'Datenschutzhinweise',
   '%s verwendet Ihre Daten, um für Sie tätig zu werden, bewahrt sie nicht länger als nötig auf und verkauft sie nie. Über Newsletter, Statistik und Empfehlungen entscheiden Sie.',
   E'%1$s verarbeitet Ihre Daten für Ihr Kundenkonto, zur Erfüllung Ihres Vertrags und gesetzlicher Pflichten. Newsletter, Statistik und Empfehlungen setzen Ihre Einwilligung voraus, die Sie jederzeit widerrufen können.\n\nDienstleister handeln nach unserer Weisung. Sie können Auskunft, Berichtigung oder Löschung verlangen. Fragen: %2$s',
   E'1. Verantwortlicher\n%1$s, %2$s. Datenschutzbeauftragt ist %3$s (%4$s).\n\n2. Zwecke und Rechtsgrundlagen\nErfüllung des Vertrags (Art. 6 Abs. 1 lit. b DSGVO): Kundenkonto, Lieferung. Rechtliche Pflichten (lit. c): Buchhaltung. Berechtigte Interessen (lit. f): Schutz vor Missbrauch, Beantwortung von Anfragen. Einwilligung (lit. a): Newsletter, Statistik, Empfehlungen, Befragungen.\n\n3. Empfänger\nAuftragsverarbeiter für Hosting, Zahlung, Versand, E-Mail und Kundendienst, jeweils mit Vertrag nach Art. 28. Außerhalb der EU gelten Standardvertragsklauseln oder ein Angemessenheitsbeschluss.\n\n4. Dauer der Speicherung\nSolange der Zweck es verlangt; Rechnungen zehn Jahre, Statistik dreizehn Monate.\n\n5. Ihre Rechte\nAuskunft, Berichtigung, Löschung, Einschränkung, Übertragbarkeit und Widerspruch. Eine Einwilligung können Sie jederzeit mit Wirkung für die Zukunft widerrufen. Beschwerden nimmt die Aufsichtsbehörde entgegen: %5$s.'),
  ('nl', 'Privacyverklaring',
   '%s gebruikt uw gegevens om u van dienst te zijn, bewaart ze niet langer dan nodig en verkoopt ze nooit. Over nieuwsbrief, statistieken en aanbevelingen beslist u zelf.',
   E'%1$s verwerkt uw gegevens voor uw account, om uw bestelling te leveren en om aan de wet te voldoen. Voor nieuwsbrief, statistieken en aanbevelingen is uw toestemming nodig; die kunt u altijd intrekken.\n\nBedrijven die voor ons werken, handelen in onze opdracht. U kunt inzage, rectificatie of verwijdering vragen. Vragen: %2$s',
   E'1. Wie is verantwoordelijk\n%1$s, %2$s. Onze functionaris voor gegevensbescherming is %3$s (%4$s).\n\n2. Waarom wij uw gegevens verwerken\nUitvoering van de overeenkomst (artikel 6 lid 1 onder b AVG): account, bestelling en levering. Wettelijke plicht (onder c): boekhouding. Gerechtvaardigd belang (onder f): bescherming tegen misbruik, beantwoording van vragen. Toestemming (onder a): nieuwsbrief, statistieken, aanbevelingen, onderzoek.\n\n3. Wie ontvangt ze\nVerwerkers voor hosting, betaling, bezorging, e-mail en klantenservice, elk met een overeenkomst volgens artikel 28. Buiten de EU gelden modelcontractbepalingen of een adequaatheidsbesluit.\n\n4. Hoe lang bewaren wij ze\nZolang het doel dat vereist; facturen zeven jaar, statistieken dertien maanden.\n\n5. Uw rechten\nInzage, rectificatie, verwijdering, beperking, overdraagbaarheid en bezwaar. Toestemming kunt u altijd intrekken voor de toekomst. Een klacht kunt u indienen bij de toezichthouder: %5$s.')
  ) AS t (language, title, quick_look, overview, full_text) ON t.language = c.language
 WHERE v.version < 3 OR c.n % 3 = 1
 ORDER BY c.n, v.version;

-- Consents refer to the notice that was in force. Where triggers do fire, these rows are older than now.
ALTER TABLE data_subject_consent_form_values DISABLE TRIGGER record_consent;
INSERT INTO data_subject_consent_form_values (id, data_subject_id, data_controller_processing_purpose_id, value, given_by, form, purpose_version, privacy_notice_id, text_digest, created_at, updated_at)
SELECT c.id, c.subject_id, c.purpose_id, c.value, c.given_by, CASE c.given_by WHEN 'browser_signal' THEN 'browser' ELSE 'widget' END, 1,
       CASE WHEN c.given_by <> 'browser_signal' THEN t.notice_id END, CASE WHEN c.given_by <> 'browser_signal' THEN t.digest END, c.created_at, c.updated_at
  FROM consent_list c
  JOIN (SELECT p.id, m.since, lead(m.since, 1, 'infinity') OVER (PARTITION BY p.id ORDER BY m.since) AS until, m.notice_id, consent_text_digest(p.id, m.notice_id) AS digest
          FROM data_controller_processing_purposes p
          CROSS JOIN LATERAL (SELECT '-infinity'::timestamptz AS since, NULL::uuid AS notice_id
                              UNION ALL SELECT n.published_at, n.id FROM privacy_notices n WHERE n.data_controller_id = p.data_controller_id AND n.published_at IS NOT NULL) m
         WHERE p.consent_required) t ON t.id = c.purpose_id AND c.updated_at >= t.since AND c.updated_at < t.until
 ORDER BY c.created_at, c.id;
ALTER TABLE data_subject_consent_form_values ENABLE TRIGGER record_consent;

-- ---------------------------------------------------------------------------------------------------------
-- Notes
-- ---------------------------------------------------------------------------------------------------------

INSERT INTO notes (user_id, title, body, priority, pinned, small, whole, big, amount, exact, ratio, score, price, progress, code, initial, padded, letter, short_name,
                   reference, day, at_time, at_timetz, happened, happened_tz, duration, plain, document, raw, flags, mask, address, network, hardware, hardware8,
                   numbers, grid, amounts, tags, links, priorities, moments, documents, span, big_span, amount_span, days, period, spans, search, query,
                   spot, segment, area, route, shape, reach, path_in_json, source, position_in_log, created_at, updated_at)
SELECT pg_temp.demo_id('user', CASE WHEN n % 2 = 1 THEN 1 ELSE 1 + n % 7 END), t.title || CASE WHEN n > 12 THEN ' (' || (n + 11) / 12 || ')' ELSE '' END, t.body,
       (ARRAY['low', 'normal', 'high', 'urgent']::note_priority[])[1 + n % 4], n % 5 = 0,
       n * 100, n * 1000 - 20000, 9000000000 + n, n * 12.3456, n * 1.5, n / 8.0, n / 16.0, (n * 19.99)::numeric::money, n * 2, 'N-' || lpad(n::text, 4, '0'),
       chr(64 + n % 26 + 1), 'note' || n, (97 + n % 26)::"char", 'note_' || n,
       pg_temp.demo_id('reference', n), date '2025-01-01' + n * 3, time '08:00' + n * interval '7 minutes', timetz '09:30:00+02' + n * interval '5 minutes',
       timestamp '2025-02-03 10:00:00' + n * interval '26 hours', timestamptz '2025-02-03 10:00:00.123456+00' + n * interval '26 hours', n * interval '1 hour 30 minutes',
       json_build_object('n', n, 'even', n % 2 = 0), jsonb_build_object('n', n, 'tags', jsonb_build_array('a', n % 3), 'author', jsonb_build_object('name', 'Mara', 'langs', '["de", "en"]'::jsonb)),
       decode(md5('note' || n), 'hex'), (n % 256)::bit(8), (n % 32)::bit(5)::varbit, ('10.0.' || n || '.17/24')::inet, ('10.0.' || n || '.0/24')::cidr,
       ('08:00:2b:01:02:' || lpad(to_hex(n), 2, '0'))::macaddr, ('08:00:2b:01:02:03:04:' || lpad(to_hex(n), 2, '0'))::macaddr8,
       ARRAY[n, n * 2, n * 3], ARRAY[[n, 1], [2, n]], ARRAY[n * 0.5, n * 1.25], ARRAY[t.tag, 'note'], ARRAY[pg_temp.demo_id('reference', n), pg_temp.demo_id('reference', n + 1)],
       ARRAY['low', 'high']::note_priority[], ARRAY[timestamptz '2025-03-01 00:00:00+00' + n * interval '1 hour'], ARRAY[jsonb_build_object('k', n)],
       int4range(n, n + 10), int8range(n * 10000000000, NULL), numrange(n * 0.1, n * 0.2, '[]'), daterange(date '2025-01-01' + n, date '2025-02-01' + n),
       tstzrange(timestamptz '2025-01-01 00:00:00+00' + n * interval '1 day', timestamptz '2025-01-08 00:00:00+00' + n * interval '1 day'),
       int4multirange(int4range(1, 5), int4range(n + 10, n + 20)), to_tsvector('simple', t.title || ' ' || t.body), to_tsquery('simple', t.tag),
       point(n, n / 2.0), lseg(point(0, 0), point(n, 1)), box(point(0, 0), point(n, n)), '[(0,0),(1,1),(2,0)]'::path, '((0,0),(0,2),(2,2))'::polygon, circle(point(1, 2), n),
       '$.tags[*] ? (@ == "a")'::jsonpath, ROW('dashboard', n)::note_source, ('0/' || to_hex(16777216 + n))::pg_lsn,
       timestamptz '2025-04-01 08:00:00+00' + n * interval '17 hours', timestamptz '2025-04-01 08:00:00+00' + n * interval '18 hours'
  FROM generate_series(1, 46) n
  JOIN (VALUES
  (1, 'Call the works council', 'They want to see the new purpose before it goes live.', 'people'),
  (2, 'Renew processor contract', 'Meridian CRM: the annex on sub-processors is out of date.', 'contract'),
  (3, 'Check cookie banner on tablet', 'The button "Reject all" is below the fold.', 'website'),
  (4, 'Answer Mrs Fischer', 'She asked for her data in March; the archive is still missing.', 'request'),
  (5, 'Retention of applications', 'Six months after the rejection, not twelve.', 'retention'),
  (6, 'Training for the help desk', 'How to recognise a rights request that does not call itself one.', 'people'),
  (7, 'Notice, version 3', 'Legal has two remarks on the chapter about recipients.', 'notice'),
  (8, 'Audit trail', 'Sample twenty activities and compare them with the web shop.', 'audit'),
  (9, 'Datenschutz-Folgenabschätzung', 'Für die Empfehlungen nötig, für die Statistik nicht.', 'audit'),
  (10, 'Vragenlijst leverancier', 'PostDuif heeft de vragen over opslag nog niet beantwoord.', 'contract'),
  (11, 'Delete test accounts', 'Everything under @mail.example that was made before the launch.', 'retention'),
  (12, 'Global Privacy Control', 'Nine per cent of visitors send it; say so in the yearly report.', 'website')
  ) AS t (k, title, body, tag) ON t.k = 1 + (n - 1) % 12
 ORDER BY n;

-- One note holds nothing but its title; one holds the ends of what its columns can hold, and text that is hard to quote.
INSERT INTO notes (user_id, title, created_at, updated_at)
VALUES (pg_temp.demo_id('user', 1), 'Nothing but a title', timestamptz '2025-05-30 08:00:00+00', timestamptz '2025-05-30 08:00:00+00');

INSERT INTO notes (user_id, title, body, priority, small, whole, big, amount, exact, ratio, score, price, progress, code, day, at_time, at_timetz, happened, happened_tz, duration,
                   plain, document, raw, address, numbers, tags, documents, span, days, period, spans, created_at, updated_at)
VALUES (pg_temp.demo_id('user', 1), 'Ends of the "scale" \ ''quoted'' <b>&amp;</b> — 日本語 🦊', E'first line\nsecond line\twith a tab\u0001', 'urgent', -32768, 2147483647, 9223372036854775807, -9999999999999999.9999,
        123456789012345678901234567890.123456789012345678901234567890, 3.4028235e38, 1.7976931348623157e308, '-92233720368547758.08', 100, '', '0001-01-01', '24:00:00', '23:59:59.999999-15:59',
        '9999-12-31 23:59:59.999999', '1900-01-01 00:00:00.000001+00', '-1 year -2 mons +3 days -04:05:06.789',
        '{"b": 1, "a": [1.10, null, "\u00e9"], "b": 2}', '{"big": 123456789012345678901234567890, "fine": 39.10, "text": "a\"b", "empty": {}, "1": "$x"}', '\x00ff', '2001:db8::1/64',
        '{}', ARRAY['', 'NULL', NULL, 'with "quotes"', '{braces}'], ARRAY['null'::jsonb, '[]'], 'empty', '(,)', '["2025-01-01 00:00:00+00",)', '{}',
        timestamptz '2025-05-31 08:00:00+00', timestamptz '2025-05-31 08:00:00+00');

-- Postgres may have been built without XML; then the column stays empty.
ALTER TABLE notes DISABLE TRIGGER touch_updated_at;
DO $$
BEGIN
  EXECUTE $sql$ UPDATE notes SET markup = xmlparse(CONTENT '<note n="' || id || '">remember &amp; check</note>') WHERE id <= 46 $sql$;
EXCEPTION WHEN feature_not_supported THEN
  NULL;
END $$;
ALTER TABLE notes ENABLE TRIGGER touch_updated_at;

COMMIT;

-- Statistics of the two lists of an activity take longer than all others together; autovacuum may gather them.
ANALYZE users, data_controllers, data_controller_users, data_controller_processing_purposes, data_controller_purpose_data_items, data_processors,
        data_controller_purpose_processors, purpose_business_templates, purpose_operational_templates, data_controller_purpose_template_links, data_subjects,
        data_processing_activity_types, data_processing_activity_sources, data_processing_activity_fields, data_processing_preferences, data_processing_activities (id, data_subject_id, type_id, source_id, triggered_at),
        data_subject_consent_form_values, data_subject_rights_requests, notification_messages, data_controller_faqs, privacy_notices, notes;
