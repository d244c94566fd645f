-- The demo's sample data: 40 data controllers, 60 users, 5,000 data subjects, 40,000 processing activities and what
-- belongs to them. It is made in SQL: nothing is random, and time ends at the moment of loading, so that the demo is of today. The setting
-- `demo.end` names another moment; then the rows are the same on every run.
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

-- Foreign keys hold by the way the rows are made; looking each of them up would double the time. The rules of the service's triggers are for what happens
-- now, and these rows are of the past. A superuser may skip both; the tables' owner switches the service's triggers off.
DO $$
DECLARE
  t regclass;
BEGIN
  SET LOCAL session_replication_role = replica;
EXCEPTION WHEN insufficient_privilege THEN
  FOR t IN SELECT DISTINCT g.tgrelid::regclass FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid WHERE NOT g.tgisinternal AND c.relnamespace = 'public'::regnamespace LOOP
    EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', t);
  END LOOP;
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

-- A number of months in words.
CREATE FUNCTION pg_temp.period(months integer, language text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN months % 12 = 0 AND months > 12 THEN months / 12 || CASE language WHEN 'de' THEN ' Jahre' WHEN 'nl' THEN ' jaar' ELSE ' years' END
              WHEN months = 1 THEN CASE language WHEN 'de' THEN 'einen Monat' WHEN 'nl' THEN 'een maand' ELSE 'a month' END
              ELSE months || CASE language WHEN 'de' THEN ' Monate' WHEN 'nl' THEN ' maanden' ELSE ' months' END END
$$;

-- An enumeration: `a, b and c`.
CREATE FUNCTION pg_temp.enumerate(words text[], language text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN cardinality(words) < 2 THEN words[1]
              ELSE array_to_string(words[:cardinality(words) - 1], ', ') || CASE language WHEN 'de' THEN ' und ' WHEN 'nl' THEN ' en ' ELSE ' and ' END || words[cardinality(words)] END
$$;

-- A text with `{name}` replaced by the value of that name, for every name.
CREATE FUNCTION pg_temp.fill(template text, vals jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v record;
BEGIN
  FOR v IN SELECT * FROM jsonb_each_text(vals) LOOP
    template := replace(template, '{' || v.key || '}', coalesce(v.value, ''));
  END LOOP;
  RETURN template;
END $$;

-- The moment at which the demo's time ends.
CREATE FUNCTION pg_temp.demo_end() RETURNS timestamptz LANGUAGE sql STABLE AS
$$ SELECT date_trunc('minute', coalesce(nullif(current_setting('demo.end', true), '')::timestamptz, now())) $$;

-- ---------------------------------------------------------------------------------------------------------
-- Controllers
-- ---------------------------------------------------------------------------------------------------------

CREATE TEMP TABLE controller_list ON COMMIT DROP AS
SELECT n, audience, pg_temp.demo_id('controller', n) AS id, title, slug, industry, language, address, postal_code, city, country, dpo_name, dpo_phone, description, authority,
       industry IN ('Insurance', 'Banking', 'Online services') AS automated_decisions, industry IN ('Child care', 'Education', 'Health care') AS childrens_data,
       pg_temp.pick(n, 3, 4) <> 0 AS honours_signal, 12 + 6 * pg_temp.pick(n, 1, 3) AS renewal_months, 24 + 12 * pg_temp.pick(n, 2, 2) AS retention_months,
       CASE country WHEN 'GB' THEN address || ', ' || city || ' ' || postal_code ELSE address || ', ' || postal_code || ' ' || city END AS full_address,
       CASE language WHEN 'de' THEN 'datenschutz@' WHEN 'nl' THEN 'privacy@' ELSE 'dpo@' END || slug || '.example' AS dpo_email,
       pg_temp.demo_end() - interval '900 days' + n * interval '3 days 1 hour 7 minutes' AS created_at
  FROM (VALUES
  ( 1, 'service', 'Hansewerk Energie GmbH',          'hansewerk-energie',      'Energy',             'de', 'Am Sandtorkai 48',          '20457',    'Hamburg',     'DE', 'Dr. Katrin Petersen',   '+49 40 5550148',
      'Strom, Gas und Fernwärme für 410.000 Haushalte in Norddeutschland.', 'Der Hamburgische Beauftragte für Datenschutz und Informationsfreiheit'),
  ( 2, 'booking', 'Grachtengordel Hotels B.V.',      'grachtengordel-hotels',  'Hospitality',        'nl', 'Keizersgracht 316',         '1016 EZ',  'Amsterdam',   'NL', 'Marloes van Dijk',      '+31 20 5550116',
      'Zeven boetiekhotels aan de grachten van Amsterdam, Utrecht en Leiden.', 'Autoriteit Persoonsgegevens'),
  ( 3, 'service', 'Alpenblick Versicherung AG',      'alpenblick-versicherung','Insurance',          'de', 'Leopoldstraße 112',         '80802',    'München',     'DE', 'Stefan Obermaier',      '+49 89 5550112',
      'Hausrat-, Haftpflicht- und Reiseversicherungen, direkt und über 320 Agenturen.', 'Bayerisches Landesamt für Datenschutzaufsicht'),
  ( 4, 'shop',    'Brightwater Retail Ltd',          'brightwater',            'Retail',             'en', '27 Temple Back',            'BS1 6EL',  'Bristol',     'GB', 'Helen Marsh',           '+44 117 4960127',
      'Outdoor clothing and equipment from 64 shops and an online store.', 'Information Commissioner''s Office'),
  ( 5, 'service', 'Noordzee Logistiek N.V.',         'noordzee-logistiek',     'Logistics',          'nl', 'Waalhaven Oostzijde 81',    '3087 BM',  'Rotterdam',   'NL', 'Pieter de Wit',         '+31 10 5550181',
      'Expeditie en pakketbezorging tussen de Noordzeehavens.', 'Autoriteit Persoonsgegevens'),
  ( 6, 'care',    'Zahnzentrum Rheinauen',           'zahnzentrum-rheinauen',  'Health care',        'de', 'Rheinaustraße 14',          '53225',    'Bonn',        'DE', 'Miriam Schäfer',        '+49 228 555014',
      'Eine Praxis mit elf Zahnärztinnen und Zahnärzten und eigenem Labor.', 'Landesbeauftragte für Datenschutz und Informationsfreiheit Nordrhein-Westfalen'),
  ( 7, 'shop',    'Fietsfabriek Oost B.V.',          'fietsfabriek-oost',      'Manufacturing',      'nl', 'Boekelosestraat 22',        '7548 AD',  'Enschede',    'NL', 'Joost Wolters',         '+31 53 5550122',
      'Elektrische fietsen op maat, online en bij 90 dealers te koop.', 'Autoriteit Persoonsgegevens'),
  ( 8, 'service', 'Kestrel Broadband plc',           'kestrel-broadband',      'Telecommunications', 'en', '5 Exchange Quay',           'M5 3EF',   'Salford',     'GB', 'Imran Qureshi',         '+44 161 4960105',
      'Fibre broadband and telephony for homes in the north of England.', 'Information Commissioner''s Office'),
  ( 9, 'shop',    'Buchhandlung Lindenhof OHG',      'lindenhof-buch',         'Retail',             'de', 'Lindenstraße 7',            '04103',    'Leipzig',     'DE', 'Anja Reuter',           '+49 341 555017',
      'Eine unabhängige Buchhandlung mit Leihbücherei und Lesungen.', 'Sächsische Datenschutz- und Transparenzbeauftragte'),
  (10, 'care',    'Veluwe Zorggroep',                'veluwe-zorggroep',       'Health care',        'nl', 'Europaweg 150',             '7336 AL',  'Apeldoorn',   'NL', 'Saskia Bosman',         '+31 55 5550150',
      'Thuiszorg en negen verpleeghuizen in Gelderland.', 'Autoriteit Persoonsgegevens'),
  (11, 'club',    'Marienfeld Gymnasium Förderverein e. V.', 'marienfeld-foerderverein', 'Education', 'de', 'Schulweg 3',               '33428',    'Harsewinkel', 'DE', 'Thomas Kuhlmann',       '+49 5247 55503',
      'Die Freunde eines Gymnasiums: Zuschüsse, Konzerte und das jährliche Schulfest.', 'Landesbeauftragte für Datenschutz und Informationsfreiheit Nordrhein-Westfalen'),
  (12, 'service', 'Polderbank Coöperatie U.A.',      'polderbank',             'Banking',            'nl', 'Stationsplein 9',           '8911 AB',  'Leeuwarden',  'NL', 'Femke Hoekstra',        '+31 58 5550109',
      'Een coöperatieve spaarbank voor boeren en kleine bedrijven.', 'Autoriteit Persoonsgegevens'),
  (13, 'service', 'Cartwright & Sons Property',      'cartwright-property',    'Real estate',        'en', '18 Park Row',               'LS1 5JA',  'Leeds',       'GB', 'Joanna Cartwright',     '+44 113 4960118',
      'Lettings and property management for 3,200 homes.', 'Information Commissioner''s Office'),
  (14, 'service', 'Bergmann Maschinenbau KG',        'bergmann-maschinenbau',  'Manufacturing',      'de', 'Industriestraße 60',        '70565',    'Stuttgart',   'DE', 'Ulrike Bergmann',       '+49 711 555060',
      'Verpackungsmaschinen und ihre Wartung, in vierter Generation.', 'Der Landesbeauftragte für den Datenschutz und die Informationsfreiheit Baden-Württemberg'),
  (15, 'public',  'Stadswinkel Haarlem',             'stadswinkel-haarlem',    'Public sector',      'nl', 'Zijlvest 39',               '2011 VB',  'Haarlem',     'NL', 'Ruben Mulder',          '+31 23 5550139',
      'De balie van de gemeente: paspoorten, vergunningen en parkeren.', 'Autoriteit Persoonsgegevens'),
  (16, 'service', 'Pemberton Legal LLP',             'pemberton-legal',        'Legal services',     'en', '41 Chancery Lane',          'WC2A 1JQ', 'London',      'GB', 'Dr. Adaeze Okafor',     '+44 20 79460141',
      'Employment and family law for private clients.', 'Information Commissioner''s Office'),
  (17, 'booking', 'Reisebüro Kompass GmbH',          'reisebuero-kompass',     'Travel',             'de', 'Königsallee 88',            '40212',    'Düsseldorf',  'DE', 'Sabine Lorenz',         '+49 211 555088',
      'Wander- und Radreisen in 31 Ländern.', 'Landesbeauftragte für Datenschutz und Informationsfreiheit Nordrhein-Westfalen'),
  (18, 'shop',    'Tulpenveld Bloemen B.V.',         'tulpenveld',             'E-commerce',         'nl', 'Legmeerdijk 313',           '1431 GB',  'Aalsmeer',    'NL', 'Anouk Visser',          '+31 297 555013',
      'Bloemen in abonnement, bezorgd op de dag dat ze zijn gesneden.', 'Autoriteit Persoonsgegevens'),
  (19, 'service', 'Greenloop Mobility GmbH',         'greenloop-mobility',     'Mobility',           'de', 'Revaler Straße 99',         '10245',    'Berlin',      'DE', 'Cem Yıldırım',          '+49 30 5550199',
      'Roller, Fahrräder und Transporter zum Teilen, per App in zwölf Städten.', 'Berliner Beauftragte für Datenschutz und Informationsfreiheit'),
  (20, 'service', 'Oakfield Veterinary Partners',    'oakfield-vets',          'Veterinary care',    'en', '2 Mill Street',             'OX2 0AJ',  'Oxford',      'GB', 'Rosalind Teale',        '+44 1865 496002',
      'Four surgeries and an out-of-hours hospital for small animals.', 'Information Commissioner''s Office'),
  (21, 'shop',    'Moselland Weinkontor eG',         'moselland-weinkontor',   'E-commerce',         'de', 'Moselufer 21',              '54470',    'Bernkastel-Kues', 'DE', 'Jürgen Thielen',    '+49 6531 55521',
      'Weine von 140 Winzern, für die Gastronomie und im Versand.', 'Der Landesbeauftragte für den Datenschutz und die Informationsfreiheit Rheinland-Pfalz'),
  (22, 'service', 'Lindqvist Fitness Benelux',       'lindqvist-fitness',      'Sports',             'nl', 'Beursplein 37',             '3011 AA',  'Rotterdam',   'NL', 'Daan Verhoeven',        '+31 10 5550137',
      'Achtendertig sportscholen met lessen, begeleiding en een app.', 'Autoriteit Persoonsgegevens'),
  (23, 'service', 'Sparfuchs Vergleichsportal GmbH', 'sparfuchs-vergleich',    'Online services',    'de', 'Mainzer Landstraße 178',    '60327',    'Frankfurt am Main', 'DE', 'Nadine Fuchs',    '+49 69 55501780',
      'Vergleicht Tarife für Energie, Telefon und Versicherungen.', 'Der Hessische Beauftragte für Datenschutz und Informationsfreiheit'),
  (24, 'booking', 'Harbourside Theatre Trust',       'harbourside-theatre',    'Culture',            'en', '1 Quayside',                'NE1 3DX',  'Newcastle upon Tyne', 'GB', 'Gareth Lloyd',  '+44 191 4980101',
      'A producing theatre with a youth company and a membership scheme.', 'Information Commissioner''s Office'),
  (25, 'service', 'Kinderopvang De Regenboog',       'kov-regenboog',          'Child care',         'nl', 'Eikenlaan 45',              '3571 BH',  'Utrecht',     'NL', 'Linda Peeters',         '+31 30 5550145',
      'Dagopvang en buitenschoolse opvang voor 1.900 kinderen.', 'Autoriteit Persoonsgegevens'),
  (26, 'service', 'Nordlicht Personal GmbH',         'nordlicht-personal',     'Recruitment',        'de', 'Holstenstraße 15',          '24103',    'Kiel',        'DE', 'Henning Asmussen',      '+49 431 555015',
      'Vermittelt Pflegekräfte, Elektriker und Ingenieurinnen an Betriebe im Norden.', 'Unabhängiges Landeszentrum für Datenschutz Schleswig-Holstein'),
  (27, 'shop',    'Wexcombe Dairy Co-operative',     'wexcombe-dairy',         'Food',               'en', 'Dairy House, Station Road', 'BA4 6AA',  'Shepton Mallet', 'GB', 'Martin Fry',         '+44 1749 496031',
      'Cheese and butter from 85 farms, and a milk round by app.', 'Information Commissioner''s Office'),
  (28, 'service', 'Waterland Drinkwater N.V.',       'waterland-drinkwater',   'Utilities',          'nl', 'Dijkgraafplein 2',          '1441 RK',  'Purmerend',   'NL', 'Hanneke Smit',          '+31 299 555002',
      'Drinkwater voor 280.000 aansluitingen ten noorden van Amsterdam.', 'Autoriteit Persoonsgegevens'),
  (29, 'shop',    'Optik Sehstern Filialen GmbH',    'optik-sehstern',         'Retail',             'de', 'Breite Straße 31',          '50667',    'Köln',        'DE', 'Melanie Krings',        '+49 221 555031',
      'Augenoptik und Hörgeräte in 52 Filialen.', 'Landesbeauftragte für Datenschutz und Informationsfreiheit Nordrhein-Westfalen'),
  (30, 'service', 'Fenland Housing Association',     'fenland-housing',        'Housing',            'en', '9 Market Place',            'PE13 1DR', 'Wisbech',     'GB', 'Priya Nair',            '+44 1945 496009',
      'Affordable homes and support for 7,400 tenants.', 'Information Commissioner''s Office'),
  (31, 'shop',    'Spieleverlag Würfelhaus GmbH',    'wuerfelhaus',            'Publishing',         'de', 'Fürther Straße 212',        '90429',    'Nürnberg',    'DE', 'Philipp Engelhardt',    '+49 911 555212',
      'Brettspiele für Familien und ihre digitalen Fassungen.', 'Bayerisches Landesamt für Datenschutzaufsicht'),
  (32, 'booking', 'Zeeuwse Veren B.V.',              'zeeuwse-veren',          'Transport',          'nl', 'Prins Hendrikweg 10',       '4382 NR',  'Vlissingen',  'NL', 'Kees Janse',            '+31 118 555010',
      'Veerdiensten voor voetgangers en fietsers over de Westerschelde.', 'Autoriteit Persoonsgegevens'),
  (33, 'club',    'Sternwarte Hochtaunus e. V.',     'sternwarte-hochtaunus',  'Non-profit',         'de', 'Feldbergstraße 60',         '61440',    'Oberursel',   'DE', 'Prof. Ingrid Wagner',   '+49 6171 55560',
      'Eine Volkssternwarte mit Kursen und einer Mitgliederzeitschrift.', 'Der Hessische Beauftragte für Datenschutz und Informationsfreiheit'),
  (34, 'booking', 'Ashdown Event Hire Ltd',          'ashdown-events',         'Events',             'en', 'Unit 6, Foundry Lane',      'BN7 2AT',  'Lewes',       'GB', 'Charlotte Dean',        '+44 1273 496006',
      'Marquees, furniture and staff for weddings and conferences.', 'Information Commissioner''s Office'),
  (35, 'care',    'Apotheek Singel',                 'apotheek-singel',        'Pharmacy',           'nl', 'Singel 205',                '3311 KR',  'Dordrecht',   'NL', 'Yasmina El Amrani',     '+31 78 5550120',
      'Een apotheek met bezorging aan huis en herhaalrecepten.', 'Autoriteit Persoonsgegevens'),
  (36, 'service', 'Carsharing Elbe eG',              'carsharing-elbe',        'Mobility',           'de', 'Prager Straße 5',           '01069',    'Dresden',     'DE', 'Robert Zschoche',       '+49 351 555005',
      'Vierhundert Autos, geteilt von neuntausend Mitgliedern.', 'Sächsische Datenschutz- und Transparenzbeauftragte'),
  (37, 'service', 'Lumen Analytics B.V.',            'lumen-analytics',        'Software',           'en', 'High Tech Campus 41',       '5656 AE',  'Eindhoven',   'NL', 'Bram Hendriks',         '+31 40 5550141',
      'Usage statistics for web shops, without cookies.', 'Autoriteit Persoonsgegevens'),
  (38, 'shop',    'Heidekraut Naturkosmetik GmbH',   'heidekraut-kosmetik',    'E-commerce',         'de', 'Am Sande 18',               '21335',    'Lüneburg',    'DE', 'Silke Behrens',         '+49 4131 55518',
      'Naturkosmetik, in kleinen Mengen hergestellt und per Post versandt.', 'Der Landesbeauftragte für den Datenschutz Niedersachsen'),
  (39, 'care',    'Cobham Road Surgery',             'cobham-road-surgery',    'Health care',        'en', '60 Cobham Road',            'BH21 7QZ', 'Wimborne',    'GB', 'Dr. Neil Farrant',      '+44 1202 496060',
      'General practice for 11,300 patients in east Dorset.', 'Information Commissioner''s Office'),
  (40, 'service', 'Muziekschool Parkstad',           'muziekschool-parkstad',  'Education',          'nl', 'Burgemeester van Grunsvenplein 145', '6411 AS', 'Heerlen', 'NL', 'Lotte Claessens',  '+31 45 5550145',
      'Les op 24 instrumenten, koren en twee jeugdorkesten.', 'Autoriteit Persoonsgegevens')
  ) AS v (n, audience, title, slug, industry, language, address, postal_code, city, country, dpo_name, dpo_phone, description, authority);

INSERT INTO data_controllers (id, title, did, description, industry, language, website, address, postal_code, city, country,
                              dpo_name, dpo_email, dpo_phone, compliance_configuration, created_at, updated_at)
SELECT c.id, c.title, 'did:web:' || c.slug || '.example', c.description, CASE c.language WHEN 'de' THEN i.de WHEN 'nl' THEN i.nl ELSE i.en END, c.language,
       'https://www.' || c.slug || '.example/', c.address, c.postal_code, c.city, c.country, c.dpo_name, c.dpo_email, c.dpo_phone,
       jsonb_build_object(
         'frameworks', CASE c.country WHEN 'GB' THEN '["UK GDPR", "Data Protection Act 2018", "PECR"]' WHEN 'NL' THEN '["GDPR", "UAVG", "Telecommunicatiewet"]' ELSE '["GDPR", "BDSG", "TDDDG"]' END::jsonb,
         'supervisoryAuthority', c.authority,
         'answerWithinDays', 30,
         'consentRenewalMonths', c.renewal_months,
         'defaultRetentionMonths', c.retention_months,
         'automatedDecisions', c.automated_decisions,
         'childrensData', c.childrens_data,
         'honoursGlobalPrivacyControl', c.honours_signal),
       c.created_at, pg_temp.demo_end() - (20 + pg_temp.pick(c.n, 4, 240)) * interval '24 hours' + c.n * interval '13 minutes'
  FROM controller_list c
  JOIN (VALUES
  ('Energy', 'Energie', 'Energie'), ('Hospitality', 'Gastgewerbe', 'Horeca'), ('Insurance', 'Versicherungen', 'Verzekeringen'), ('Retail', 'Einzelhandel', 'Detailhandel'),
  ('Logistics', 'Logistik', 'Logistiek'), ('Health care', 'Gesundheitswesen', 'Gezondheidszorg'), ('Manufacturing', 'Maschinenbau', 'Industrie'),
  ('Telecommunications', 'Telekommunikation', 'Telecommunicatie'), ('Education', 'Bildung', 'Onderwijs'), ('Banking', 'Banken', 'Bankwezen'),
  ('Real estate', 'Immobilien', 'Vastgoed'), ('Public sector', 'Öffentlicher Dienst', 'Overheid'), ('Legal services', 'Rechtsberatung', 'Juridische diensten'),
  ('Travel', 'Reisen', 'Reizen'), ('E-commerce', 'Versandhandel', 'Webwinkels'), ('Mobility', 'Mobilität', 'Mobiliteit'), ('Veterinary care', 'Tiermedizin', 'Diergeneeskunde'),
  ('Sports', 'Sport', 'Sport en fitness'), ('Online services', 'Onlinedienste', 'Onlinediensten'), ('Culture', 'Kultur', 'Cultuur'), ('Child care', 'Kinderbetreuung', 'Kinderopvang'),
  ('Recruitment', 'Personalvermittlung', 'Werving en selectie'), ('Food', 'Lebensmittel', 'Voedingsmiddelen'), ('Utilities', 'Wasserversorgung', 'Nutsvoorzieningen'),
  ('Housing', 'Wohnungswirtschaft', 'Woningcorporaties'), ('Publishing', 'Verlagswesen', 'Uitgeverij'), ('Transport', 'Verkehr', 'Vervoer'),
  ('Non-profit', 'Gemeinnützige Organisationen', 'Maatschappelijke organisaties'), ('Events', 'Veranstaltungen', 'Evenementen'), ('Pharmacy', 'Apotheken', 'Apotheken'), ('Software', 'Software', 'Software')
  ) AS i (en, de, nl) ON i.en = c.industry
 ORDER BY c.n;

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
       pg_temp.demo_end() - pg_temp.pick(n, 12, 40000) * interval '1 minute',
       pg_temp.demo_end() - interval '1000 days' + n * interval '41 hours', pg_temp.demo_end() - interval '210 days' + n * interval '31 hours'
  FROM user_list ORDER BY n;

-- The demo's user is in the first three teams; user c + 1 administers controller c, some others help. Who was invited was so lately.
INSERT INTO data_controller_users (id, data_controller_id, user_id, role, status, created_at, updated_at)
SELECT pg_temp.demo_id('member', row_number() OVER (ORDER BY c.n, m.rank)), c.id, u.id, m.role, m.status, t.at, t.at + CASE m.status WHEN 'invited' THEN interval '0' ELSE m.rank * interval '3 days 2 hours' END
  FROM controller_list c
  CROSS JOIN LATERAL (VALUES
    (1, CASE WHEN c.n <= 3 THEN 1 END, CASE c.n WHEN 1 THEN 'Administrator' ELSE 'Editor' END, 'active'),
    (2, c.n + 1, 'Administrator', 'active'),
    (3, 2 + (c.n + 12) % 59, 'Editor', 'active'),
    (4, 2 + (c.n + 27) % 59, 'Viewer', CASE WHEN c.n % 7 = 0 THEN 'suspended' ELSE 'active' END),
    (5, CASE WHEN c.n % 2 = 1 THEN 2 + (c.n + 40) % 59 END, 'Viewer', CASE WHEN c.n % 5 = 0 THEN 'invited' ELSE 'active' END)
  ) AS m (rank, user_n, role, status)
  JOIN user_list u ON u.n = m.user_n
 CROSS JOIN LATERAL (SELECT CASE m.status WHEN 'invited' THEN pg_temp.demo_end() - interval '9 days' - c.n * interval '5 hours' ELSE c.created_at + m.rank * interval '2 days 4 hours' END AS at) t
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
      'Medical service', 'Medizinischer Dienst', 'Medische dienst', 'legal_obligation')
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

INSERT INTO data_processing_activity_types (id, code, labels, comments, purpose_business_template_id, reported_by_person)
SELECT pg_temp.demo_id('activity type', n), code, pg_temp.texts(label, label_de, label_nl), pg_temp.texts(comment, comment_de, comment_nl), pg_temp.demo_id('business template', template),
       code IN ('page_view', 'sign_in')
  FROM (VALUES
  (1, 5, 'page_view', 'Page view', 'Seitenaufruf', 'Paginaweergave',
      'A page of the website or a screen of the app was opened.', 'Eine Seite der Website oder der App wurde geöffnet.', 'Een pagina van de website of een scherm van de app is geopend.'),
  (2, 1, 'sign_in', 'Sign-in', 'Anmeldung', 'Inloggen',
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
  (12, 8, 'survey_answered', 'Survey answered', 'Umfrage beantwortet', 'Enquête ingevuld',
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

INSERT INTO data_processing_activity_sources (id, code, labels, reported_by_person)
SELECT pg_temp.demo_id('activity source', n), code, pg_temp.texts(label, label_de, label_nl), code IN ('website', 'mobile_app', 'web_shop')
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

-- What controllers call their purposes. The position is the template's number; a title for one audience goes before that for all. `{period}` is the purpose's retention.
CREATE TEMP TABLE purpose_text ON COMMIT DROP AS
SELECT * FROM (VALUES
  ('en', 1, 'all', 'Your customer account', 'We keep your name, contact details and history so that you can sign in and see what you have agreed with us.'),
  ('en', 1, 'shop', 'Your customer account', 'We keep your name, contact details and history so that you can sign in and see your orders.'),
  ('en', 1, 'booking', 'Your customer account', 'We keep your name, contact details and history so that you can sign in and see your bookings.'),
  ('en', 1, 'care', 'Your patient account', 'We keep your name and contact details so that you can sign in and arrange appointments.'),
  ('en', 2, 'all', 'Performing our contract', 'We use your details to provide the service that you have agreed with us.'),
  ('en', 2, 'shop', 'Delivering your order', 'We use your address to deliver what you ordered and to help you if something is wrong with it.'),
  ('en', 2, 'booking', 'Your booking', 'We use your details to make your booking, to change it if you ask, and to expect you on the day.'),
  ('en', 3, 'all', 'Accounting and tax', 'The law obliges us to keep invoices and payment records for {period}.'),
  ('en', 4, 'all', 'Newsletter', 'With your consent we send you news and offers by e-mail. You can unsubscribe at any time.'),
  ('en', 4, 'care', 'Newsletter', 'With your consent we send you news from our practice by e-mail. You can unsubscribe at any time.'),
  ('en', 5, 'all', 'Website statistics', 'With your consent we count which pages are visited, to make our website better.'),
  ('en', 6, 'all', 'Personal recommendations', 'With your consent we choose offers by what you have looked at or bought.'),
  ('en', 7, 'all', 'Protection against misuse', 'We look for unusual sign-ins and payments in order to protect you and us from fraud.'),
  ('en', 8, 'all', 'Customer surveys', 'With your consent we ask you now and then how satisfied you were.'),
  ('en', 9, 'all', 'Applications', 'If you apply for a position, we keep your documents until it is filled, and for {period} after that.'),
  ('en', 10, 'all', 'Answering your questions', 'When you write or call, we keep the conversation until the matter is settled, and for {period} after that.'),
  ('en', 11, 'all', 'Evidence of your choices', 'We keep proof of your consents and of how we answered your requests, because we must be able to show both.'),
  ('en', 12, 'all', 'Your care', 'We document findings and treatments so that we can care for you, and because the law requires it. Our staff are bound by professional secrecy.'),
  ('en', 13, 'all', 'Customer magazine', 'With your consent we send you our magazine by post twice a year.'),
  ('de', 1, 'all', 'Ihr Kundenkonto', 'Wir speichern Name, Kontaktdaten und Verlauf, damit Sie sich anmelden und Ihre Verträge einsehen können.'),
  ('de', 1, 'shop', 'Ihr Kundenkonto', 'Wir speichern Name, Kontaktdaten und Verlauf, damit Sie sich anmelden und Ihre Bestellungen einsehen können.'),
  ('de', 1, 'booking', 'Ihr Kundenkonto', 'Wir speichern Name, Kontaktdaten und Verlauf, damit Sie sich anmelden und Ihre Buchungen einsehen können.'),
  ('de', 1, 'care', 'Ihr Patientenkonto', 'Wir speichern Name und Kontaktdaten, damit Sie sich anmelden und Termine vereinbaren können.'),
  ('de', 1, 'club', 'Ihr Mitgliedskonto', 'Wir speichern Name, Kontaktdaten und Verlauf, damit Sie sich anmelden und Ihre Mitgliedschaft verwalten können.'),
  ('de', 2, 'all', 'Erfüllung Ihres Vertrags', 'Wir verwenden Ihre Angaben, um die vereinbarte Leistung zu erbringen.'),
  ('de', 2, 'shop', 'Lieferung Ihrer Bestellung', 'Wir verwenden Ihre Anschrift, um Ihre Bestellung zu liefern und Ihnen bei Mängeln zu helfen.'),
  ('de', 2, 'booking', 'Ihre Buchung', 'Wir verwenden Ihre Angaben, um Ihre Buchung vorzunehmen, sie auf Ihren Wunsch zu ändern und Sie am Reisetag zu erwarten.'),
  ('de', 2, 'care', 'Termine und Leistungen', 'Wir verwenden Ihre Angaben, um Termine zu vergeben und unsere Leistungen abzurechnen.'),
  ('de', 2, 'club', 'Ihre Mitgliedschaft', 'Wir verwenden Ihre Angaben, um Ihre Mitgliedschaft zu führen und Sie zu Veranstaltungen einzuladen.'),
  ('de', 3, 'all', 'Buchhaltung und Steuern', 'Das Gesetz verpflichtet uns, Rechnungen und Zahlungsbelege {period} lang aufzubewahren.'),
  ('de', 4, 'all', 'Newsletter', 'Mit Ihrer Einwilligung senden wir Ihnen Neuigkeiten und Angebote per E-Mail. Sie können sich jederzeit abmelden.'),
  ('de', 4, 'care', 'Newsletter', 'Mit Ihrer Einwilligung senden wir Ihnen Neuigkeiten aus unserer Praxis per E-Mail. Sie können sich jederzeit abmelden.'),
  ('de', 4, 'club', 'Newsletter', 'Mit Ihrer Einwilligung senden wir Ihnen Neuigkeiten aus dem Verein per E-Mail. Sie können sich jederzeit abmelden.'),
  ('de', 5, 'all', 'Statistik der Website', 'Mit Ihrer Einwilligung zählen wir, welche Seiten besucht werden, um unser Angebot zu verbessern.'),
  ('de', 6, 'all', 'Persönliche Empfehlungen', 'Mit Ihrer Einwilligung wählen wir Angebote danach aus, was Sie angesehen oder gekauft haben.'),
  ('de', 7, 'all', 'Schutz vor Missbrauch', 'Wir achten auf ungewöhnliche Anmeldungen und Zahlungen, um Sie und uns vor Betrug zu schützen.'),
  ('de', 8, 'all', 'Kundenbefragungen', 'Mit Ihrer Einwilligung fragen wir gelegentlich, wie zufrieden Sie waren.'),
  ('de', 9, 'all', 'Bewerbungen', 'Wenn Sie sich bewerben, bewahren wir Ihre Unterlagen auf, bis die Stelle besetzt ist, und danach noch {period}.'),
  ('de', 10, 'all', 'Beantwortung Ihrer Anfragen', 'Wenn Sie uns schreiben oder anrufen, bewahren wir den Vorgang auf, bis er erledigt ist, und danach noch {period}.'),
  ('de', 11, 'all', 'Nachweis Ihrer Entscheidungen', 'Wir bewahren Nachweise Ihrer Einwilligungen und der Antworten auf Ihre Anträge auf, weil wir beides belegen müssen.'),
  ('de', 12, 'all', 'Ihre Behandlung', 'Wir dokumentieren Befunde und Behandlungen, um Sie zu versorgen und weil das Berufsrecht es verlangt. Wir unterliegen der Schweigepflicht.'),
  ('de', 12, 'shop', 'Sehhilfen und Hörsysteme', 'Wir dokumentieren Ihre Messwerte, um Brillen, Kontaktlinsen und Hörgeräte anzupassen und weil das Medizinprodukterecht es verlangt. Wir sind zur Verschwiegenheit verpflichtet.'),
  ('de', 13, 'all', 'Kundenmagazin', 'Mit Ihrer Einwilligung senden wir Ihnen zweimal im Jahr unser Magazin per Post.'),
  ('nl', 1, 'all', 'Uw klantaccount', 'Wij bewaren uw naam, contactgegevens en geschiedenis, zodat u kunt inloggen en uw overeenkomsten kunt inzien.'),
  ('nl', 1, 'shop', 'Uw klantaccount', 'Wij bewaren uw naam, contactgegevens en geschiedenis, zodat u kunt inloggen en uw bestellingen kunt inzien.'),
  ('nl', 1, 'booking', 'Uw klantaccount', 'Wij bewaren uw naam, contactgegevens en geschiedenis, zodat u kunt inloggen en uw boekingen kunt inzien.'),
  ('nl', 1, 'care', 'Uw cliëntaccount', 'Wij bewaren uw naam en contactgegevens, zodat u kunt inloggen en afspraken kunt maken.'),
  ('nl', 1, 'public', 'Uw account bij de gemeente', 'Wij bewaren uw naam en contactgegevens, zodat u kunt inloggen en uw aanvragen kunt volgen.'),
  ('nl', 2, 'all', 'Uitvoering van de overeenkomst', 'Wij gebruiken uw gegevens om de afgesproken dienst te leveren.'),
  ('nl', 2, 'shop', 'Uitvoering van uw bestelling', 'Wij gebruiken uw adres om uw bestelling te leveren en u te helpen als er iets mis mee is.'),
  ('nl', 2, 'booking', 'Uw boeking', 'Wij gebruiken uw gegevens om te boeken, de boeking op uw verzoek te wijzigen en u op de dag zelf te verwachten.'),
  ('nl', 2, 'care', 'Afspraken en levering', 'Wij gebruiken uw gegevens om afspraken te maken en de zorg te leveren en te declareren.'),
  ('nl', 2, 'public', 'Afhandeling van uw aanvraag', 'Wij gebruiken uw gegevens om uw aanvraag voor bijvoorbeeld een paspoort, een vergunning of een parkeerplaats te behandelen.'),
  ('nl', 3, 'all', 'Boekhouding en belasting', 'De wet verplicht ons facturen en betalingsgegevens {period} te bewaren.'),
  ('nl', 4, 'all', 'Nieuwsbrief', 'Met uw toestemming sturen wij u nieuws en aanbiedingen per e-mail. U kunt zich altijd afmelden.'),
  ('nl', 4, 'care', 'Nieuwsbrief', 'Met uw toestemming sturen wij u nieuws per e-mail. U kunt zich altijd afmelden.'),
  ('nl', 4, 'public', 'Nieuwsbrief', 'Met uw toestemming sturen wij u nieuws van de gemeente per e-mail. U kunt zich altijd afmelden.'),
  ('nl', 5, 'all', 'Websitestatistieken', 'Met uw toestemming tellen wij welke pagina''s worden bezocht, om onze website te verbeteren.'),
  ('nl', 6, 'all', 'Persoonlijke aanbevelingen', 'Met uw toestemming kiezen wij aanbiedingen op basis van wat u hebt bekeken of gekocht.'),
  ('nl', 7, 'all', 'Bescherming tegen misbruik', 'Wij letten op ongewone aanmeldingen en betalingen om u en ons tegen fraude te beschermen.'),
  ('nl', 8, 'all', 'Klantonderzoek', 'Met uw toestemming vragen wij u af en toe hoe tevreden u was.'),
  ('nl', 9, 'all', 'Sollicitaties', 'Als u bij ons solliciteert, bewaren wij uw documenten tot de vacature is vervuld, en daarna nog {period}.'),
  ('nl', 10, 'all', 'Beantwoording van uw vragen', 'Als u ons schrijft of belt, bewaren wij het gesprek tot de zaak is afgehandeld, en daarna nog {period}.'),
  ('nl', 11, 'all', 'Bewijs van uw keuzes', 'Wij bewaren het bewijs van uw toestemmingen en van onze antwoorden op uw verzoeken, omdat wij beide moeten kunnen aantonen.'),
  ('nl', 12, 'all', 'Gezondheid van uw kind', 'Met uw uitdrukkelijke toestemming noteren wij allergieën en medicijnen van uw kind, zodat onze medewerkers daarmee rekening houden.'),
  ('nl', 12, 'care', 'Behandeling en zorg', 'Wij leggen bevindingen en zorg vast om u goed te behandelen en omdat de wet dat voorschrijft. Wij hebben een beroepsgeheim.'),
  ('nl', 13, 'all', 'Klantenmagazine', 'Met uw toestemming sturen wij u twee keer per jaar ons magazine per post.')
) AS v (language, position, audience, title, description);

-- The number of a purpose is 10 * controller + position, of a kind of its own above position 10. Every controller has an account,
-- a newsletter, statistics and evidence; a general practice sells nothing; recommendations are for those who sell to consumers.
CREATE TEMP TABLE purpose_list ON COMMIT DROP AS
SELECT p.*, pg_temp.demo_id(CASE WHEN p.position <= 10 THEN 'purpose' ELSE 'further purpose' END, p.n) AS id, t.title, replace(t.description, '{period}', pg_temp.period(p.retention_months, p.language)) AS description
  FROM (SELECT c.n * 10 + x AS n, c.n AS controller_n, x AS position, c.id AS controller_id, c.language, c.audience, c.country, c.created_at,
               CASE x WHEN 1 THEN c.retention_months
                      WHEN 2 THEN CASE c.country WHEN 'DE' THEN 36 WHEN 'NL' THEN 60 ELSE 72 END
                      -- Invoices: § 147 AO and § 257 HGB since 2025, article 52 AWR, Finance Act 1998.
                      WHEN 3 THEN CASE c.country WHEN 'DE' THEN 96 WHEN 'NL' THEN 84 ELSE 72 END
                      WHEN 9 THEN CASE c.country WHEN 'NL' THEN 1 ELSE 6 END
                      -- Files of patients: § 630f BGB, article 7:454 BW, and the records code of the NHS.
                      WHEN 12 THEN CASE WHEN c.audience = 'service' THEN 24 WHEN c.country = 'NL' THEN 240 ELSE 120 END
                      ELSE (ARRAY[NULL, NULL, NULL, 24, 13, 12, 12, 12, NULL, 24, 36, NULL, 24])[x] END AS retention_months,
               CASE WHEN c.audience = 'public' AND x IN (1, 2, 7, 10) OR c.n = 39 AND x = 1 THEN 'public_task'
                    WHEN x IN (4, 5, 6, 8, 13) OR x = 12 AND c.audience = 'service' THEN 'consent'
                    WHEN x IN (3, 11, 12) THEN 'legal_obligation'
                    WHEN x IN (7, 10) THEN 'legitimate_interests'
                    ELSE 'contract' END AS legal_basis,
               CASE WHEN x = 13 OR c.n > 1 AND x BETWEEN 6 AND 9 AND (c.n + x) % 11 = 0 THEN 'draft' WHEN x IN (8, 9) AND (c.n + x) % 9 = 0 THEN 'retired' ELSE 'active' END AS status
          FROM controller_list c CROSS JOIN generate_series(1, 13) x
         WHERE CASE x WHEN 2 THEN c.n <> 39 WHEN 3 THEN c.n <> 39
                      WHEN 6 THEN c.n = 1 OR c.audience IN ('shop', 'booking') AND pg_temp.pick(c.n, 21, 3) > 0 OR c.industry IN ('Telecommunications', 'Mobility', 'Sports', 'Online services', 'Insurance') AND pg_temp.pick(c.n, 21, 3) = 0
                      WHEN 12 THEN c.n IN (6, 10, 25, 29, 35, 39)
                      WHEN 13 THEN c.n % 4 = 1
                      WHEN 10 THEN c.n = 1 OR pg_temp.pick(c.n, 22, 4) > 0
                      WHEN 7 THEN c.n = 1 OR c.audience NOT IN ('public', 'club', 'care') AND pg_temp.pick(c.n, 23, 3) = 0
                      WHEN 8 THEN c.n = 1 OR pg_temp.pick(c.n, 24, 3) = 0
                      WHEN 9 THEN c.n = 1 OR pg_temp.pick(c.n, 25, 2) = 0
                      ELSE true END) p
 CROSS JOIN LATERAL (SELECT t.title, t.description FROM purpose_text t
                      WHERE t.language = p.language AND t.position = p.position AND t.audience IN (p.audience, 'all') ORDER BY t.audience = 'all' LIMIT 1) t;

INSERT INTO data_controller_processing_purposes (id, data_controller_id, title, description, legal_basis, retention_months, status, position, respects_global_privacy_control, created_at, updated_at)
SELECT p.id, p.controller_id, p.title, p.description, p.legal_basis, p.retention_months, p.status, p.position, p.position IN (5, 6),
       p.created_at + p.position * interval '26 hours', p.created_at + p.position * interval '26 hours' + pg_temp.pick(p.n, 26, 300) * interval '5 hours'
  FROM purpose_list p ORDER BY p.n;

INSERT INTO data_controller_purpose_data_items (id, data_controller_processing_purpose_id, label, category, special_category_condition, is_required, created_at)
SELECT pg_temp.demo_id('data item', row_number() OVER (ORDER BY p.n, i.rank)), p.id, CASE p.language WHEN 'de' THEN i.de WHEN 'nl' THEN i.nl ELSE i.en END, i.category,
       CASE WHEN i.category = 'health' THEN CASE WHEN i.position = 9 THEN 'employment_law' WHEN p.audience = 'service' THEN 'explicit_consent' ELSE 'health_care' END END,
       i.required, p.created_at + p.position * interval '26 hours' + i.rank * interval '1 minute'
  FROM purpose_list p
  JOIN (VALUES
  (1, 'all', 1, 'Name', 'Name', 'Naam', 'identity', true), (1, 'all', 2, 'E-mail address', 'E-Mail-Adresse', 'E-mailadres', 'contact', true),
  (1, 'all', 3, 'Telephone number', 'Telefonnummer', 'Telefoonnummer', 'contact', false), (1, 'service', 4, 'Customer number', 'Kundennummer', 'Klantnummer', 'contract', true),
  (1, 'shop', 4, 'Customer number', 'Kundennummer', 'Klantnummer', 'contract', true), (1, 'booking', 4, 'Customer number', 'Kundennummer', 'Klantnummer', 'contract', true),
  (1, 'club', 4, 'Membership number', 'Mitgliedsnummer', 'Lidnummer', 'contract', true), (1, 'all', 5, 'Time of sign-in', 'Zeitpunkt der Anmeldung', 'Tijdstip van inloggen', 'usage', true),
  (2, 'all', 1, 'Name', 'Name', 'Naam', 'identity', true), (2, 'all', 2, 'Postal address', 'Anschrift', 'Postadres', 'contact', true),
  (2, 'shop', 3, 'Ordered items', 'Bestellte Artikel', 'Bestelde artikelen', 'contract', true), (2, 'booking', 3, 'Booking', 'Buchung', 'Boeking', 'contract', true),
  (2, 'service', 3, 'Contract', 'Vertrag', 'Overeenkomst', 'contract', true), (2, 'care', 3, 'Appointments and services', 'Termine und Leistungen', 'Afspraken en verrichtingen', 'contract', true),
  (2, 'public', 3, 'Application for a permit or document', 'Antrag', 'Aanvraag', 'contract', true), (2, 'club', 3, 'Membership', 'Mitgliedschaft', 'Lidmaatschap', 'contract', true),
  (3, 'all', 1, 'Invoice address', 'Rechnungsanschrift', 'Factuuradres', 'contact', true), (3, 'all', 2, 'Bank account', 'Bankverbindung', 'Bankrekening', 'payment', true),
  (3, 'all', 3, 'Invoices', 'Rechnungen', 'Facturen', 'contract', true),
  (4, 'all', 1, 'E-mail address', 'E-Mail-Adresse', 'E-mailadres', 'contact', true), (4, 'all', 2, 'First name', 'Vorname', 'Voornaam', 'identity', false),
  (4, 'all', 3, 'Opened issues', 'Geöffnete Ausgaben', 'Geopende nieuwsbrieven', 'usage', false),
  (5, 'all', 1, 'Pages visited', 'Besuchte Seiten', 'Bezochte pagina''s', 'usage', true), (5, 'all', 2, 'Shortened IP address', 'Gekürzte IP-Adresse', 'Ingekort IP-adres', 'location', true),
  (5, 'all', 3, 'Type of device', 'Art des Geräts', 'Soort apparaat', 'usage', false),
  (6, 'all', 1, 'Purchases', 'Käufe', 'Aankopen', 'contract', true), (6, 'all', 2, 'Pages visited', 'Besuchte Seiten', 'Bezochte pagina''s', 'usage', true),
  (6, 'all', 3, 'Interests', 'Interessen', 'Interesses', 'preference', false),
  (7, 'all', 1, 'IP address', 'IP-Adresse', 'IP-adres', 'location', true), (7, 'all', 2, 'Time of sign-in', 'Zeitpunkt der Anmeldung', 'Tijdstip van inloggen', 'usage', true),
  (7, 'all', 3, 'Payment method', 'Zahlungsart', 'Betaalwijze', 'payment', true),
  (8, 'all', 1, 'E-mail address', 'E-Mail-Adresse', 'E-mailadres', 'contact', true), (8, 'all', 2, 'Answers given', 'Gegebene Antworten', 'Gegeven antwoorden', 'preference', true),
  (9, 'all', 1, 'Name', 'Name', 'Naam', 'identity', true), (9, 'all', 2, 'CV and certificates', 'Lebenslauf und Zeugnisse', 'Cv en diploma''s', 'identity', true),
  (9, 'all', 3, 'Severe disability, if stated', 'Schwerbehinderung, falls angegeben', 'Arbeidsbeperking, indien vermeld', 'health', false),
  (10, 'all', 1, 'Name', 'Name', 'Naam', 'identity', false), (10, 'all', 2, 'E-mail address or telephone number', 'E-Mail-Adresse oder Telefonnummer', 'E-mailadres of telefoonnummer', 'contact', true),
  (10, 'all', 3, 'The conversation', 'Der Schriftwechsel', 'Het gesprek', 'usage', true),
  (11, 'all', 1, 'Your answers to requests for consent', 'Ihre Antworten auf Bitten um Einwilligung', 'Uw antwoorden op toestemmingsvragen', 'preference', true),
  (11, 'all', 2, 'Your requests and our answers', 'Ihre Anträge und unsere Antworten', 'Uw verzoeken en onze antwoorden', 'contract', true),
  (12, 'all', 1, 'Name', 'Name', 'Naam', 'identity', true), (12, 'all', 2, 'Date of birth', 'Geburtsdatum', 'Geboortedatum', 'identity', true),
  (12, 'care', 3, 'Findings and treatments', 'Befunde und Behandlungen', 'Bevindingen en behandelingen', 'health', true),
  (12, 'care', 4, 'Allergies and medication', 'Allergien und Medikamente', 'Allergieën en medicijnen', 'health', false),
  (12, 'shop', 3, 'Eye and hearing tests', 'Sehwerte und Hörtests', 'Oogmetingen en gehoortesten', 'health', true),
  (12, 'service', 3, 'Allergies and medication', 'Allergien und Medikamente', 'Allergieën en medicijnen', 'health', true),
  (13, 'all', 1, 'Name', 'Name', 'Naam', 'identity', true), (13, 'all', 2, 'Postal address', 'Anschrift', 'Postadres', 'contact', true)
  ) AS i (position, audience, rank, en, de, nl, category, required) ON i.position = p.position AND i.audience IN ('all', p.audience)
 ORDER BY p.n, i.rank;

INSERT INTO data_controller_purpose_processors (data_controller_processing_purpose_id, data_processor_id, access_level, created_at)
SELECT p.id, pg_temp.demo_id('processor', a.processor), a.access, p.created_at + p.position * interval '26 hours' + interval '1 hour'
  FROM purpose_list p
  JOIN (VALUES
  (1, 1, 'store', 'all'), (1, 4, 'write', 'all'), (2, 1, 'store', 'all'), (2, 6, 'read', 'shop'), (2, 9, 'write', 'booking'), (3, 3, 'write', 'all'), (3, 8, 'store', 'all'),
  (4, 2, 'write', 'all'), (4, 4, 'read', 'some'), (5, 5, 'store', 'all'), (6, 1, 'store', 'all'), (6, 4, 'read', 'some'), (6, 5, 'read', 'some'), (7, 3, 'read', 'some'),
  (7, 11, 'write', 'all'), (8, 7, 'store', 'all'), (9, 12, 'store', 'all'), (10, 10, 'store', 'all'), (11, 1, 'store', 'all'), (12, 13, 'store', 'care'), (12, 13, 'store', 'shop'), (12, 1, 'store', 'service'), (13, 1, 'store', 'all')
  ) AS a (position, processor, access, audience) ON a.position = p.position AND (a.audience IN ('all', p.audience) OR a.audience = 'some' AND p.controller_n % 3 > 0)
 ORDER BY p.n, a.processor;

INSERT INTO data_controller_purpose_template_links (id, data_controller_processing_purpose_id, purpose_business_template_id, purpose_operational_template_id, created_at)
SELECT pg_temp.demo_id('template link', p.n * 2 + k + CASE WHEN p.position > 10 THEN 1000 ELSE 0 END), p.id,
       CASE k WHEN 0 THEN pg_temp.demo_id('business template', p.position) END, CASE k WHEN 1 THEN pg_temp.demo_id('operational template', p.position) END,
       p.created_at + p.position * interval '26 hours' + k * interval '1 minute'
  FROM purpose_list p CROSS JOIN generate_series(0, 1) k WHERE p.position < 13 ORDER BY p.n, k;

-- ---------------------------------------------------------------------------------------------------------
-- What controllers tell the public. Each sentence is taken from the controller's own purposes, processors and settings.
-- ---------------------------------------------------------------------------------------------------------

-- What a controller's texts are made of.
CREATE TEMP TABLE controller_facts ON COMMIT DROP AS
SELECT c.*, jsonb_build_object(
         'name', c.title, 'address', c.full_address, 'dpo', c.dpo_name, 'email', c.dpo_email, 'phone', c.dpo_phone, 'authority', c.authority,
         'law', CASE WHEN c.country = 'GB' THEN 'UK GDPR' WHEN c.language = 'de' THEN 'DSGVO' WHEN c.language = 'nl' THEN 'AVG' ELSE 'GDPR' END,
         'choices', pg_temp.enumerate(p.choices, c.language), 'signal', pg_temp.enumerate(p.signal, c.language), 'purposes', p.purposes, 'periods', p.periods,
         'titles', pg_temp.enumerate(p.titles, c.language), 'consents', pg_temp.enumerate(p.consents, c.language), 'invoices', pg_temp.period(p.invoices, c.language), 'files', pg_temp.period(p.files, c.language),
         'statistics', pg_temp.period(p.statistics, c.language), 'account', pg_temp.period(p.account, c.language), 'recipients', r.recipients, 'companies', pg_temp.enumerate(r.companies, c.language),
         'transfers', coalesce(r.transfers, CASE c.language WHEN 'de' THEN 'Wir geben keine Daten in Länder außerhalb des Europäischen Wirtschaftsraums.'
                                                WHEN 'nl' THEN 'Wij geven geen gegevens door naar landen buiten de Europese Economische Ruimte.' END),
         'automated', a.automated) AS vals,
       p.invoices IS NOT NULL AS has_invoices, p.files IS NOT NULL AS has_files, p.interests AS has_interests, a.automated IS NOT NULL AS has_automated
  FROM controller_list c
  CROSS JOIN LATERAL (
    SELECT array_agg(CASE p.language
             WHEN 'de' THEN (ARRAY['Newsletter', 'Statistik', 'Empfehlungen', NULL, 'Befragungen', NULL, NULL, NULL, NULL])[p.position - 3]
             WHEN 'nl' THEN (ARRAY['nieuwsbrief', 'statistieken', 'aanbevelingen', NULL, 'klantonderzoek', NULL, NULL, NULL, 'gezondheidsgegevens van uw kind'])[p.position - 3]
             ELSE (ARRAY['newsletters', 'statistics', 'recommendations', NULL, 'surveys'])[p.position - 3] END ORDER BY p.position) FILTER (WHERE p.legal_basis = 'consent') AS choices,
           array_agg(CASE p.language WHEN 'de' THEN (ARRAY['Statistik', 'Empfehlungen'])[p.position - 4] WHEN 'nl' THEN (ARRAY['statistieken', 'aanbevelingen'])[p.position - 4]
                     ELSE (ARRAY['statistics', 'recommendations'])[p.position - 4] END ORDER BY p.position) FILTER (WHERE p.position IN (5, 6)) AS signal,
           array_agg(CASE p.language WHEN 'de' THEN '„' || p.title || '“' ELSE '“' || p.title || '”' END ORDER BY p.position) AS titles,
           array_agg(CASE p.language WHEN 'de' THEN '„' || p.title || '“' ELSE '“' || p.title || '”' END ORDER BY p.position) FILTER (WHERE p.legal_basis = 'consent') AS consents,
           string_agg(p.title || ': ' || p.description || ' ' || b.basis || coalesce(' ' || i.special, ''), E'\n' ORDER BY p.position) AS purposes,
           string_agg(p.title || ': ' || pg_temp.period(p.retention_months, p.language), E'\n' ORDER BY p.position) AS periods,
           max(p.retention_months) FILTER (WHERE p.position = 3) AS invoices, max(p.retention_months) FILTER (WHERE p.position = 12 AND p.legal_basis <> 'consent') AS files,
           max(p.retention_months) FILTER (WHERE p.position = 5) AS statistics, max(p.retention_months) FILTER (WHERE p.position = 1) AS account,
           bool_or(p.legal_basis = 'legitimate_interests' OR p.legal_basis = 'public_task') AS interests
      FROM purpose_list p
     CROSS JOIN LATERAL (SELECT CASE p.language
             WHEN 'de' THEN 'Rechtsgrundlage: ' || CASE p.legal_basis WHEN 'consent' THEN 'Ihre Einwilligung (Art. 6 Abs. 1 lit. a DSGVO).' WHEN 'contract' THEN 'der Vertrag mit Ihnen oder seine Anbahnung (Art. 6 Abs. 1 lit. b DSGVO).'
               WHEN 'legal_obligation' THEN 'eine gesetzliche Pflicht (Art. 6 Abs. 1 lit. c DSGVO).' WHEN 'public_task' THEN 'eine öffentliche Aufgabe (Art. 6 Abs. 1 lit. e DSGVO).' ELSE 'unser berechtigtes Interesse (Art. 6 Abs. 1 lit. f DSGVO).' END
             WHEN 'nl' THEN 'Grondslag: ' || CASE p.legal_basis WHEN 'consent' THEN 'uw toestemming (artikel 6 lid 1 onder a AVG).' WHEN 'contract' THEN 'de overeenkomst met u of de voorbereiding daarvan (artikel 6 lid 1 onder b AVG).'
               WHEN 'legal_obligation' THEN 'een wettelijke plicht (artikel 6 lid 1 onder c AVG).' WHEN 'public_task' THEN 'een taak van algemeen belang (artikel 6 lid 1 onder e AVG).' ELSE 'ons gerechtvaardigd belang (artikel 6 lid 1 onder f AVG).' END
             ELSE 'Legal basis: ' || CASE p.legal_basis WHEN 'consent' THEN 'your consent (Article 6(1)(a)' WHEN 'contract' THEN 'our contract with you, or steps towards it (Article 6(1)(b)'
               WHEN 'legal_obligation' THEN 'a legal obligation (Article 6(1)(c)' WHEN 'public_task' THEN 'a public task (Article 6(1)(e)' ELSE 'our legitimate interest (Article 6(1)(f)' END
               || CASE p.country WHEN 'GB' THEN ' UK GDPR).' ELSE ' GDPR).' END END AS basis) b
     LEFT JOIN LATERAL (SELECT CASE p.language
             WHEN 'de' THEN 'Besonders geschützt: ' || string_agg(x.label, ', ' ORDER BY x.created_at) || CASE min(x.special_category_condition)
               WHEN 'employment_law' THEN ' (Art. 9 Abs. 2 lit. b DSGVO, Arbeitsrecht).' WHEN 'explicit_consent' THEN ' (Art. 9 Abs. 2 lit. a DSGVO, ausdrückliche Einwilligung).' ELSE ' (Art. 9 Abs. 2 lit. h DSGVO, Gesundheitsvorsorge).' END
             WHEN 'nl' THEN 'Bijzonder beschermd: ' || string_agg(x.label, ', ' ORDER BY x.created_at) || CASE min(x.special_category_condition)
               WHEN 'employment_law' THEN ' (artikel 9 lid 2 onder b AVG, arbeidsrecht).' WHEN 'explicit_consent' THEN ' (artikel 9 lid 2 onder a AVG, uitdrukkelijke toestemming).' ELSE ' (artikel 9 lid 2 onder h AVG, gezondheidszorg).' END
             ELSE 'Specially protected: ' || string_agg(x.label, ', ' ORDER BY x.created_at) || CASE min(x.special_category_condition)
               WHEN 'employment_law' THEN ' (Article 9(2)(b), employment law).' WHEN 'explicit_consent' THEN ' (Article 9(2)(a), explicit consent).' ELSE ' (Article 9(2)(h), health care).' END END AS special
           FROM data_controller_purpose_data_items x WHERE x.data_controller_processing_purpose_id = p.id AND x.is_special HAVING count(*) > 0) i ON true
     WHERE p.controller_n = c.n AND p.status = 'active') p
  CROSS JOIN LATERAL (
    SELECT string_agg(d.title || ' (' || n.country || '): ' || (d.services ->> c.language), E'\n' ORDER BY d.title) AS recipients,
           array_agg(d.title || ' (' || (d.services ->> c.language) || ')' ORDER BY d.title) AS companies,
           string_agg(d.title || ' (' || n.country || '): ' || n.safeguard, E'\n' ORDER BY d.title) FILTER (WHERE CASE c.country WHEN 'GB' THEN d.country <> 'GB' ELSE d.country IN ('GB', 'US') END) AS transfers
      FROM (SELECT DISTINCT a.data_processor_id FROM purpose_list p JOIN data_controller_purpose_processors a ON a.data_controller_processing_purpose_id = p.id
             WHERE p.controller_n = c.n AND p.status = 'active') x
      JOIN data_processors d ON d.id = x.data_processor_id
     CROSS JOIN LATERAL (SELECT CASE c.language
               WHEN 'de' THEN CASE d.country WHEN 'DE' THEN 'Deutschland' WHEN 'NL' THEN 'Niederlande' WHEN 'US' THEN 'USA' WHEN 'BE' THEN 'Belgien' WHEN 'GB' THEN 'Vereinigtes Königreich' WHEN 'DK' THEN 'Dänemark' WHEN 'FR' THEN 'Frankreich' WHEN 'AT' THEN 'Österreich' ELSE 'Finnland' END
               WHEN 'nl' THEN CASE d.country WHEN 'DE' THEN 'Duitsland' WHEN 'NL' THEN 'Nederland' WHEN 'US' THEN 'Verenigde Staten' WHEN 'BE' THEN 'België' WHEN 'GB' THEN 'Verenigd Koninkrijk' WHEN 'DK' THEN 'Denemarken' WHEN 'FR' THEN 'Frankrijk' WHEN 'AT' THEN 'Oostenrijk' ELSE 'Finland' END
               ELSE CASE d.country WHEN 'DE' THEN 'Germany' WHEN 'NL' THEN 'Netherlands' WHEN 'US' THEN 'United States' WHEN 'BE' THEN 'Belgium' WHEN 'GB' THEN 'United Kingdom' WHEN 'DK' THEN 'Denmark' WHEN 'FR' THEN 'France' WHEN 'AT' THEN 'Austria' ELSE 'Finland' END END AS country,
             CASE WHEN c.country = 'GB' AND d.country <> 'US' THEN 'UK adequacy regulations'
                  WHEN c.country = 'GB' AND d.safeguard LIKE 'Standard%' THEN 'Standard contractual clauses with the UK addendum'
                  ELSE d.safeguards ->> c.language END AS safeguard) n) r
  LEFT JOIN (VALUES
    (3, 'Über einen Antrag auf Hausrat-, Haftpflicht- oder Reiseversicherung entscheidet ein Programm nach den Angaben im Antrag: Wohnort, Versicherungssumme und Vorschäden. Es nimmt den Antrag an, berechnet den Beitrag oder lehnt ab.'),
    (12, 'Over een aanvraag voor een spaarrekening of een krediet tot 10.000 euro beslist een programma op basis van uw identiteit, uw inkomen en eventuele betalingsachterstanden. Het wijst de aanvraag toe, past het bedrag aan of wijst af.'),
    (23, 'Ob wir Ihren Auftrag zum Wechsel eines Tarifs an den Anbieter weitergeben, entscheidet ein Programm nach Wohnort, Verbrauch und den Annahmebedingungen des Anbieters. Passt der Tarif nicht, lehnt es den Auftrag ab.')
  ) AS a (n, automated) ON a.n = c.n;

INSERT INTO data_controller_faqs (id, data_controller_id, category, question, answer, position, published, created_at, updated_at)
SELECT pg_temp.demo_id('faq', c.n * 100 + f.position), c.id, f.category, pg_temp.fill(f.question, c.vals), pg_temp.fill(f.answer, c.vals),
       row_number() OVER (PARTITION BY c.n ORDER BY f.position), f.position < 15, c.created_at + f.position * interval '3 days', c.created_at + f.position * interval '40 days'
  FROM controller_facts c
  JOIN (VALUES
  ('en', 1, 'all', 'general', 'Which data do you hold about me?', 'Only what we need for the purposes listed here: usually your name, how to reach you, and what you have agreed with us or asked us. The data map shows each item that is recorded about you, why we hold it and who else has access.'),
  ('en', 2, 'all', 'consent', 'How can I withdraw my consent?', 'Switch the purpose off under Consents. It takes effect at once; what was done before remains lawful.'),
  ('en', 3, 'all', 'rights', 'How do I get a copy of my data?', 'Submit an access request under My rights, or write to {email}. You get the answer within a month, free of charge.'),
  ('en', 4, 'invoices', 'rights', 'Can you delete all my data?', 'Yes, apart from what we must keep by law: invoices and payment records for {invoices}, and proof of your consents and requests. We tell you what remains and for how long.'),
  ('en', 4, 'files', 'rights', 'Can you delete all my data?', 'Yes, apart from what we must keep by law: your patient file for {files} after your care has ended, and proof of your consents and requests. We tell you what remains and for how long.'),
  ('en', 5, 'all', 'sharing', 'Does {name} sell my data?', 'No. Companies that work for us, such as our e-mail provider, only act on our instructions.'),
  ('en', 6, 'signal', 'cookies', 'Do you respect Global Privacy Control?', 'Yes. When your browser sends the signal, these stay off without you doing anything: {signal}.'),
  ('en', 7, 'all', 'general', 'Where can I complain?', 'Please tell us first: {email}. You may also complain to the supervisory authority at any time: {authority}.'),
  ('en', 8, 'invoices', 'retention', 'How long do you keep invoices?', 'The law obliges us to keep invoices and payment records for {invoices}.'),
  ('en', 9, 'all', 'retention', 'How long do you keep my data?', E'It depends on the purpose.\n{periods}\nThe period begins when the matter has ended. We then erase the data.'),
  ('en', 10, 'all', 'sharing', 'Who receives my data?', 'These companies work for us on our instructions: {companies}.'),
  ('en', 11, 'all', 'cookies', 'Do you use cookies?', 'One cookie keeps your privacy choices. Those for statistics are set after you have agreed, and their data is kept for {statistics}.'),
  ('en', 12, 'automated', 'rights', 'Do you make automated decisions about me?', '{automated} You may ask for a review by a member of staff, give your view and contest the decision: {email}.'),
  ('en', 13, 'children', 'children', 'Do you process data of children?', 'Yes. Those with parental responsibility decide for children who are too young to decide themselves, and may ask for a copy or the erasure of the child''s data: {email}.'),
  ('en', 15, 'some', 'general', 'Who answers questions about privacy by telephone?', 'Our data protection officer {dpo}, telephone {phone}.'),
  ('de', 1, 'all', 'general', 'Welche Daten speichern Sie über mich?', 'Nur was für die hier genannten Zwecke nötig ist: meist Name, Kontaktdaten und Ihre Verträge oder Anfragen. In der Datenübersicht sehen Sie jede Angabe, die über Sie gespeichert ist, den Grund und wer Zugriff hat.'),
  ('de', 2, 'all', 'consent', 'Wie widerrufe ich meine Einwilligung?', 'Schalten Sie den Zweck unter „Einwilligungen“ aus. Der Widerruf gilt sofort; was vorher geschah, bleibt rechtmäßig.'),
  ('de', 3, 'all', 'rights', 'Wie erhalte ich eine Kopie meiner Daten?', 'Stellen Sie unter „Meine Rechte“ einen Antrag auf Auskunft oder schreiben Sie an {email}. Sie erhalten die Antwort innerhalb eines Monats und kostenlos.'),
  ('de', 4, 'invoices', 'rights', 'Können Sie alle meine Daten löschen?', 'Ja, außer was wir gesetzlich aufbewahren müssen: Rechnungen und Zahlungsbelege {invoices} lang sowie Nachweise Ihrer Einwilligungen und Anträge. Wir teilen Ihnen mit, was bleibt und wie lange.'),
  ('de', 5, 'all', 'sharing', 'Verkauft {name} meine Daten?', 'Nein. Dienstleister, zum Beispiel für den Versand von E-Mails, handeln nur nach unserer Weisung.'),
  ('de', 6, 'signal', 'cookies', 'Beachten Sie Global Privacy Control?', 'Ja. Sendet Ihr Browser das Signal, bleibt ausgeschaltet, ohne dass Sie etwas tun müssen: {signal}.'),
  ('de', 7, 'all', 'general', 'Wo kann ich mich beschweren?', 'Bitte zuerst bei uns: {email}. Sie können sich auch jederzeit an die Aufsichtsbehörde wenden: {authority}.'),
  ('de', 8, 'invoices', 'retention', 'Wie lange bewahren Sie Rechnungen auf?', 'Das Gesetz verpflichtet uns, Rechnungen und Zahlungsbelege {invoices} lang aufzubewahren.'),
  ('de', 9, 'all', 'retention', 'Wie lange speichern Sie meine Daten?', E'Das hängt vom Zweck ab.\n{periods}\nDie Frist beginnt, wenn der Vorgang beendet ist. Danach löschen wir die Daten.'),
  ('de', 10, 'all', 'sharing', 'Wer erhält meine Daten?', 'Diese Unternehmen arbeiten nach unserer Weisung für uns: {companies}.'),
  ('de', 11, 'all', 'cookies', 'Verwenden Sie Cookies?', 'Ein Cookie merkt sich Ihre Entscheidungen zum Datenschutz. Cookies für die Statistik setzen wir erst nach Ihrer Einwilligung; ihre Daten bewahren wir {statistics} lang auf.'),
  ('de', 12, 'automated', 'rights', 'Treffen Sie automatisierte Entscheidungen über mich?', '{automated} Sie können verlangen, dass ein Mensch die Entscheidung prüft, Ihren Standpunkt darlegen und die Entscheidung anfechten: {email}.'),
  ('de', 13, 'children', 'children', 'Verarbeiten Sie Daten von Kindern?', 'Ja. Für Kinder, die noch nicht selbst entscheiden können, entscheiden die Sorgeberechtigten. Sie können eine Kopie oder die Löschung der Daten des Kindes verlangen: {email}.'),
  ('de', 15, 'some', 'general', 'Wer beantwortet Fragen zum Datenschutz am Telefon?', 'Datenschutzbeauftragt ist {dpo}, Telefon {phone}.'),
  ('nl', 1, 'all', 'general', 'Welke gegevens bewaart u over mij?', 'Alleen wat nodig is voor de genoemde doelen: meestal uw naam, contactgegevens en uw overeenkomsten of vragen. In het gegevensoverzicht ziet u elk gegeven dat over u is vastgelegd, de reden en wie er toegang toe heeft.'),
  ('nl', 2, 'all', 'consent', 'Hoe trek ik mijn toestemming in?', 'Zet het doel uit onder Toestemmingen. Dat werkt meteen; wat daarvoor is gebeurd, blijft rechtmatig.'),
  ('nl', 3, 'all', 'rights', 'Hoe krijg ik een kopie van mijn gegevens?', 'Dien een inzageverzoek in onder Mijn rechten of schrijf naar {email}. U krijgt binnen een maand kosteloos antwoord.'),
  ('nl', 4, 'invoices', 'rights', 'Kunt u al mijn gegevens verwijderen?', 'Ja, behalve wat wij wettelijk moeten bewaren: facturen en betalingsgegevens gedurende {invoices}, en het bewijs van uw toestemmingen en verzoeken. Wij vertellen u wat blijft en hoe lang.'),
  ('nl', 5, 'all', 'sharing', 'Verkoopt {name} mijn gegevens?', 'Nee. Bedrijven die voor ons werken, zoals onze e-maildienst, handelen alleen in onze opdracht.'),
  ('nl', 6, 'signal', 'cookies', 'Respecteert u Global Privacy Control?', 'Ja. Als uw browser het signaal verstuurt, blijft vanzelf uit: {signal}.'),
  ('nl', 7, 'all', 'general', 'Waar kan ik een klacht indienen?', 'Graag eerst bij ons: {email}. U kunt ook altijd terecht bij de toezichthouder: {authority}.'),
  ('nl', 8, 'invoices', 'retention', 'Hoe lang bewaart u facturen?', 'De wet verplicht ons facturen en betalingsgegevens {invoices} te bewaren.'),
  ('nl', 9, 'all', 'retention', 'Hoe lang bewaart u mijn gegevens?', E'Dat hangt af van het doel.\n{periods}\nDe termijn begint als de zaak is afgelopen. Daarna verwijderen wij de gegevens.'),
  ('nl', 10, 'all', 'sharing', 'Wie ontvangt mijn gegevens?', 'Deze bedrijven werken voor ons, in onze opdracht: {companies}.'),
  ('nl', 11, 'all', 'cookies', 'Gebruikt u cookies?', 'Eén cookie onthoudt uw privacykeuzes. Cookies voor statistieken plaatsen wij pas na uw toestemming; die gegevens bewaren wij {statistics}.'),
  ('nl', 12, 'automated', 'rights', 'Neemt u geautomatiseerde besluiten over mij?', '{automated} U kunt vragen dat een medewerker het besluit beoordeelt, uw standpunt geven en het besluit aanvechten: {email}.'),
  ('nl', 13, 'children', 'children', 'Verwerkt u gegevens van kinderen?', 'Ja. Voor kinderen die nog niet zelf kunnen beslissen, beslissen de ouders of verzorgers. Zij kunnen een kopie of verwijdering van de gegevens van het kind vragen: {email}.'),
  ('nl', 15, 'some', 'general', 'Wie beantwoordt vragen over privacy aan de telefoon?', 'Onze contactpersoon voor gegevensbescherming is {dpo}, telefoon {phone}.')
  ) AS f (language, position, audience, category, question, answer) ON f.language = c.language
   AND CASE f.audience WHEN 'invoices' THEN c.has_invoices WHEN 'files' THEN NOT c.has_invoices AND c.has_files WHEN 'signal' THEN c.honours_signal WHEN 'automated' THEN c.has_automated
                       WHEN 'children' THEN c.childrens_data WHEN 'some' THEN c.n % 4 = 0 ELSE true END
 ORDER BY c.n, f.position;

-- Version 1 is out of force, version 2 published; every third controller is drafting version 3. Version 1 had no chapter about the duty to give data.
INSERT INTO privacy_notices (id, data_controller_id, title, version, language, quick_look, overview, "full", published, published_at, created_at, updated_at)
SELECT pg_temp.demo_id('notice', c.n * 10 + v.version), c.id, t.title, v.version, c.language, pg_temp.fill(t.quick_look, c.vals), pg_temp.fill(t.overview, c.vals),
       (SELECT string_agg(k.number || '. ' || k.chapter, E'\n\n' ORDER BY k.number)
          FROM (SELECT row_number() OVER (ORDER BY x.place) AS number, pg_temp.fill(x.chapter, c.vals) AS chapter
                  FROM unnest(t.chapters) WITH ORDINALITY AS x (chapter, place)
                 WHERE CASE x.place WHEN 6 THEN v.version > 1 WHEN 8 THEN c.honours_signal WHEN 9 THEN c.has_automated WHEN 10 THEN NOT c.has_automated WHEN 11 THEN c.childrens_data ELSE true END) k),
       v.version = 2, CASE WHEN v.version < 3 THEN v.at + interval '2 days' END, v.at, v.at + interval '2 days'
  FROM controller_facts c
  CROSS JOIN LATERAL (VALUES (1, interval '770 days'), (2, interval '259 days'), (3, interval '14 days')) AS d (version, ago)
  CROSS JOIN LATERAL (SELECT d.version, pg_temp.demo_end() - d.ago + c.n * interval '5 hours' AS at) v
  JOIN (VALUES
  ('en', 'Privacy notice',
   '{name} uses your data to serve you, keeps it no longer than needed, and never sells it. You decide about {choices}.',
   E'{name} processes your data for these purposes: {titles}. Your consent, which you may withdraw at any time, is needed for {choices}.\n\nCompanies that work for us act on our instructions. You may ask for a copy, a correction or the erasure of your data. Questions: {email}',
   ARRAY[
   E'Who is responsible\n{name}, {address}. Our data protection officer is {dpo} ({email}, {phone}).',
   E'Why we process your data\n{purposes}',
   E'Who receives it\nThese processors work for us, each bound by a contract under Article 28 {law}:\n{recipients}\nThey act on our instructions alone.',
   E'Transfers to other countries\n{transfers}\nA copy of the safeguards is available from {email}.',
   E'How long we keep it\n{periods}\nThe period begins when the matter has ended, for example when you leave us or withdraw your consent. We then erase the data.',
   E'Must you give us your data\nWhat is marked as required under a purpose is needed for it; without it we cannot perform the contract or answer you. Everything else is voluntary.',
   E'Your rights\nYou may ask for access, rectification, erasure, restriction and portability (Articles 15 to 20 {law}). You may object to processing that rests on a legitimate interest or a public task, and to advertising at any time (Article 21). You may withdraw a consent at any time with effect for the future. Write to {email}.',
   E'Global Privacy Control\nWhen your browser sends the signal, we keep switched off without you doing anything: {signal}.',
   E'Automated decisions\n{automated} You may ask for a review by a member of staff, give your view and contest the decision (Article 22 {law}).',
   E'Automated decisions\nWe make no decisions with legal or similarly significant effect by a program alone (Article 22 {law}).',
   E'Children\nWe also process data of children. Those with parental responsibility decide for children who are too young to decide themselves, and may use the child''s rights.',
   E'Complaints\nYou may complain to the supervisory authority: {authority}.']),
  ('de', 'Datenschutzhinweise',
   '{name} verwendet Ihre Daten, um für Sie tätig zu werden, bewahrt sie nicht länger als nötig auf und verkauft sie nie. Sie entscheiden über: {choices}.',
   E'{name} verarbeitet Ihre Daten für diese Zwecke: {titles}. Ihre Einwilligung, die Sie jederzeit widerrufen können, ist nötig für: {choices}.\n\nDienstleister handeln nach unserer Weisung. Sie können Auskunft, Berichtigung oder Löschung verlangen. Fragen: {email}',
   ARRAY[
   E'Verantwortlicher\n{name}, {address}. Datenschutzbeauftragt ist {dpo} ({email}, {phone}).',
   E'Zwecke und Rechtsgrundlagen\n{purposes}',
   E'Empfänger\nDiese Auftragsverarbeiter arbeiten für uns, jeweils mit einem Vertrag nach Art. 28 DSGVO:\n{recipients}\nSie handeln nur nach unserer Weisung.',
   E'Übermittlung in andere Länder\n{transfers}\nEine Kopie der Garantien erhalten Sie unter {email}.',
   E'Dauer der Speicherung\n{periods}\nDie Frist beginnt, wenn der Vorgang beendet ist, zum Beispiel wenn Sie uns verlassen oder Ihre Einwilligung widerrufen. Danach löschen wir die Daten.',
   E'Müssen Sie uns Daten geben\nWas bei einem Zweck als erforderlich gekennzeichnet ist, brauchen wir dafür; ohne diese Angaben können wir den Vertrag nicht erfüllen oder Ihnen nicht antworten. Alles andere ist freiwillig.',
   E'Ihre Rechte\nSie können Auskunft, Berichtigung, Löschung, Einschränkung und Übertragung verlangen (Art. 15 bis 20 DSGVO). Sie können einer Verarbeitung widersprechen, die auf einem berechtigten Interesse oder einer öffentlichen Aufgabe beruht, und der Werbung jederzeit (Art. 21 DSGVO). Eine Einwilligung können Sie jederzeit mit Wirkung für die Zukunft widerrufen. Schreiben Sie an {email}.',
   E'Global Privacy Control\nSendet Ihr Browser das Signal, bleibt bei uns ausgeschaltet, ohne dass Sie etwas tun müssen: {signal}.',
   E'Automatisierte Entscheidungen\n{automated} Sie können verlangen, dass ein Mensch die Entscheidung prüft, Ihren Standpunkt darlegen und die Entscheidung anfechten (Art. 22 DSGVO).',
   E'Automatisierte Entscheidungen\nWir treffen keine Entscheidungen mit rechtlicher oder ähnlich erheblicher Wirkung allein durch ein Programm (Art. 22 DSGVO).',
   E'Kinder\nWir verarbeiten auch Daten von Kindern. Für Kinder, die noch nicht selbst entscheiden können, entscheiden die Sorgeberechtigten und nehmen die Rechte des Kindes wahr.',
   E'Beschwerden\nSie können sich bei der Aufsichtsbehörde beschweren: {authority}.']),
  ('nl', 'Privacyverklaring',
   '{name} gebruikt uw gegevens om u van dienst te zijn, bewaart ze niet langer dan nodig en verkoopt ze nooit. U beslist zelf over: {choices}.',
   E'{name} verwerkt uw gegevens voor deze doelen: {titles}. Uw toestemming, die u altijd kunt intrekken, is nodig voor: {choices}.\n\nBedrijven die voor ons werken, handelen in onze opdracht. U kunt inzage, rectificatie of verwijdering vragen. Vragen: {email}',
   ARRAY[
   E'Wie is verantwoordelijk\n{name}, {address}. Onze functionaris voor gegevensbescherming is {dpo} ({email}, {phone}).',
   E'Waarom wij uw gegevens verwerken\n{purposes}',
   E'Wie ontvangt ze\nDeze verwerkers werken voor ons, elk met een overeenkomst volgens artikel 28 AVG:\n{recipients}\nZij handelen alleen in onze opdracht.',
   E'Doorgifte naar andere landen\n{transfers}\nEen kopie van de waarborgen krijgt u via {email}.',
   E'Hoe lang bewaren wij ze\n{periods}\nDe termijn begint als de zaak is afgelopen, bijvoorbeeld als u vertrekt of uw toestemming intrekt. Daarna verwijderen wij de gegevens.',
   E'Moet u ons gegevens geven\nWat bij een doel als verplicht is aangegeven, hebben wij daarvoor nodig; zonder die gegevens kunnen wij de overeenkomst niet uitvoeren of u niet antwoorden. Al het andere is vrijwillig.',
   E'Uw rechten\nU kunt inzage, rectificatie, verwijdering, beperking en overdracht vragen (artikel 15 tot en met 20 AVG). U kunt bezwaar maken tegen verwerking op grond van een gerechtvaardigd belang of een taak van algemeen belang, en altijd tegen reclame (artikel 21 AVG). Toestemming kunt u altijd intrekken voor de toekomst. Schrijf naar {email}.',
   E'Global Privacy Control\nAls uw browser het signaal verstuurt, blijft bij ons vanzelf uit: {signal}.',
   E'Geautomatiseerde besluiten\n{automated} U kunt vragen dat een medewerker het besluit beoordeelt, uw standpunt geven en het besluit aanvechten (artikel 22 AVG).',
   E'Geautomatiseerde besluiten\nWij nemen geen besluiten met rechtsgevolgen of vergelijkbare gevolgen alleen door een programma (artikel 22 AVG).',
   E'Kinderen\nWij verwerken ook gegevens van kinderen. Voor kinderen die nog niet zelf kunnen beslissen, beslissen de ouders of verzorgers; zij oefenen de rechten van het kind uit.',
   E'Klachten\nU kunt een klacht indienen bij de toezichthouder: {authority}.'])
  ) AS t (language, title, quick_look, overview, chapters) ON t.language = c.language
 WHERE v.version < 3 OR c.n % 3 = 1
 ORDER BY c.n, v.version;

-- ---------------------------------------------------------------------------------------------------------
-- People. Subject 1 is the demo's subject, in the first controller; subject 2 belongs to controller 4. Each has a life whose records agree: what they are
-- to the controller, when they came, what they agreed to and when, what they asked for, and when they were forgotten.
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

-- A visitor has no name; an applicant came within the time for which applications are kept.
CREATE TEMP TABLE subject_list ON COMMIT DROP AS
SELECT s.*, pg_temp.demo_id('subject', s.n) AS id, s.kind IN ('customer') AND (s.n <= 2 OR pg_temp.pick(s.n, 40, 5) > 0) AS has_account,
       s.n > 2 AND pg_temp.pick(s.n, 38, 9) = 0 AS has_signal,
       extract(epoch FROM pg_temp.demo_end() - s.created_at)::bigint AS seconds
  FROM (SELECT k.n, k.kind, c.n AS controller_n, c.id AS controller_id, c.slug, c.title, c.country, c.language, c.audience, c.honours_signal, c.renewal_months,
               CASE WHEN k.n = 1 THEN pg_temp.demo_end() - interval '483 days 38 minutes 19 seconds'
                    WHEN k.n = 2 THEN pg_temp.demo_end() - interval '402 days 5 hours 12 minutes'
                    ELSE pg_temp.demo_end() - interval '3 hours' - n_ago * interval '1 minute' - k.n * interval '7 milliseconds' END AS created_at
          FROM (SELECT x.n, x.controller_n,
                       CASE WHEN x.n <= 2 THEN 'customer' WHEN x.n % 9 = 0 THEN 'visitor' WHEN x.k < 62 THEN 'customer' WHEN x.k < 80 THEN 'subscriber'
                            WHEN x.k < 90 THEN CASE WHEN q.positions @> '{10}' THEN 'enquirer' ELSE 'subscriber' END
                            ELSE CASE WHEN q.positions @> '{9}' THEN 'applicant' ELSE 'customer' END END AS kind,
                       CASE WHEN x.n % 9 <> 0 AND x.n > 2 AND x.k >= 90 AND q.positions @> '{9}' THEN pg_temp.pick(x.n, 33, CASE WHEN l.country = 'NL' THEN 36000 ELSE 250000 END)
                            ELSE pg_temp.pick(x.n, 33, 900000) END AS n_ago
                  FROM (SELECT n, pg_temp.pick(n, 34, 100) AS k, CASE n WHEN 1 THEN 1 WHEN 2 THEN 4 ELSE 1 + least(pg_temp.pick(n, 31, 40), pg_temp.pick(n, 32, 40)) END AS controller_n
                          FROM generate_series(1, 5000) n) x
                  JOIN controller_list l ON l.n = x.controller_n
                  JOIN (SELECT p.controller_n, array_agg(p.position) AS positions FROM purpose_list p WHERE p.status = 'active' GROUP BY p.controller_n) q ON q.controller_n = x.controller_n) k
          JOIN controller_list c ON c.n = k.controller_n) s;
CREATE UNIQUE INDEX ON subject_list (n);

-- ---------------------------------------------------------------------------------------------------------
-- Rights requests: each is closed within its time or still has some; two are overdue. No person but the first two has more than one.
-- ---------------------------------------------------------------------------------------------------------

-- The working day on or after a day and the one on or before it, as `deadline` and `step_deadline` (deadlines.sql) count them; a look-up is a hundred times as fast.
CREATE TEMP TABLE calendar ON COMMIT DROP AS
SELECT d.country, d.day, min(d.day) FILTER (WHERE NOT d.is_off) OVER (PARTITION BY d.country ORDER BY d.day ROWS BETWEEN CURRENT ROW AND 14 FOLLOWING) AS next_day,
       max(d.day) FILTER (WHERE NOT d.is_off) OVER (PARTITION BY d.country ORDER BY d.day ROWS BETWEEN 14 PRECEDING AND CURRENT ROW) AS previous_day
  FROM (SELECT c.country, g::date AS day, extract(isodow FROM g) >= 6 OR g::date = ANY (h.days) AS is_off
          FROM unnest(ARRAY['DE', 'NL', 'GB']) AS c (country)
         CROSS JOIN LATERAL (SELECT array_agg(p) AS days FROM generate_series(extract(year FROM pg_temp.demo_end())::int - 3, extract(year FROM pg_temp.demo_end())::int + 1) y CROSS JOIN LATERAL public_holidays(c.country, y) p) h
         CROSS JOIN generate_series(date_trunc('day', pg_temp.demo_end()) - interval '800 days', date_trunc('day', pg_temp.demo_end()) + interval '150 days', interval '1 day') g) d;
CREATE UNIQUE INDEX ON calendar (country, day);
ANALYZE calendar;

CREATE FUNCTION pg_temp.end_of_day(day date, country text) RETURNS timestamptz LANGUAGE sql STABLE AS
$$ SELECT (day + time '23:59:59') AT TIME ZONE CASE country WHEN 'GB' THEN 'Europe/London' WHEN 'NL' THEN 'Europe/Amsterdam' ELSE 'Europe/Berlin' END $$;

CREATE TEMP TABLE request_list ON COMMIT DROP AS
SELECT q.*, CASE WHEN q.closed_at IS NOT NULL THEN q.outcome WHEN q.n <= 3 THEN (ARRAY['completed', 'in_progress', 'submitted'])[q.n] WHEN q.is_overdue THEN 'in_progress'
                 WHEN q.age < interval '3 days' THEN 'submitted' ELSE (ARRAY['submitted', 'pending', 'in_progress', 'in_progress'])[1 + pg_temp.pick(q.n, 68, 4)] END AS status,
       CASE WHEN q.is_extended AND q.age > interval '24 days' THEN q.created_at + interval '24 days 3 hours' END AS extended_at
  FROM (SELECT r.*, pg_temp.demo_end() - r.created_at AS age,
               CASE WHEN r.n IN (2, 3) OR r.is_overdue THEN NULL WHEN r.answered_at < pg_temp.demo_end() - interval '2 hours' THEN r.answered_at END AS closed_at
          FROM (SELECT q.*, k.previous_day::timestamptz + interval '8 hours' + pg_temp.pick(q.n, 69, 500) * interval '1 minute' AS answered_at
          FROM (SELECT x.n, s.country, s.n AS subject_n, s.id AS subject_id, s.controller_n, s.controller_id, s.language, x.is_overdue,
                       x.n > 5 AND NOT x.is_overdue AND pg_temp.pick(x.n, 67, 14) = 0 AS is_extended,
                       CASE WHEN x.n > 5 AND pg_temp.pick(x.n, 67, 14) = 0 THEN 32 + pg_temp.pick(x.n, 66, 44) ELSE 6 + pg_temp.pick(x.n, 66, 21) END AS lasted,
                       CASE WHEN x.n <= 5 OR pg_temp.pick(x.n, 63, 100) < 82 THEN 'completed' WHEN pg_temp.pick(x.n, 63, 100) < 91 THEN 'rejected' ELSE 'withdrawn' END AS outcome,
                       CASE WHEN x.n <= 3 THEN (ARRAY['access', 'rectification', 'portability'])[x.n]
                            ELSE (ARRAY['access', 'rectification', 'portability', 'access', 'erasure', 'access', 'erasure', 'access', 'objection', 'deletion', 'access', 'restriction'])[1 + pg_temp.pick(x.n, 62, 12)] END AS request_type,
                       CASE WHEN x.n <= 3 THEN pg_temp.demo_end() - (ARRAY[214, 23, 9])[x.n] * interval '24 hours' - interval '71 minutes'
                            WHEN x.is_overdue THEN pg_temp.demo_end() - interval '40 days 4 hours' - x.n * interval '2 minutes'
                            WHEN pg_temp.pick(x.n, 64, 6) = 0 AND s.seconds > 2600000 THEN pg_temp.demo_end() - interval '1 hour' - pg_temp.pick(x.n, 65, 2500000) * interval '1 second'
                            ELSE s.created_at + pg_temp.pick(x.n, 65, greatest(s.seconds - 3600, 1)) * interval '1 second' END AS created_at
                  FROM (SELECT n, CASE WHEN n <= 3 THEN 1 WHEN n <= 5 THEN 2 ELSE 7 * n + CASE WHEN (7 * n + 3) % 9 = 0 THEN 4 ELSE 3 END END AS subject_n, n IN (35, 350) AS is_overdue FROM generate_series(1, 640) n) x
                  JOIN subject_list s ON s.n = x.subject_n) q
          JOIN calendar k ON k.country = q.country AND k.day = q.created_at::date + q.lasted) r) q;

-- Whoever was erased has no name, no address and no country any more.
CREATE TEMP TABLE erased ON COMMIT DROP AS
SELECT r.subject_n, r.closed_at AS at FROM request_list r WHERE r.request_type IN ('erasure', 'deletion') AND r.status = 'completed';
ALTER TABLE subject_list ADD COLUMN until timestamptz, ADD COLUMN is_erased boolean;
UPDATE subject_list s SET until = coalesce((SELECT e.at FROM erased e WHERE e.subject_n = s.n), pg_temp.demo_end()), is_erased = EXISTS (SELECT FROM erased e WHERE e.subject_n = s.n);
ANALYZE subject_list, request_list;

INSERT INTO data_subjects (id, data_controller_id, did, display_name, email, country, language, do_not_track, global_privacy_control, created_at, updated_at)
SELECT s.id, s.controller_id, 'did:web:' || s.slug || '.example:subjects:' || substr(md5('did' || s.n), 1, 16),
       CASE WHEN s.is_erased THEN NULL WHEN s.n = 1 THEN 'Lena Fischer' WHEN s.n = 2 THEN 'Peter Hughes' WHEN s.kind <> 'visitor' THEN p.first || ' ' || p.last END,
       CASE WHEN s.is_erased THEN NULL WHEN s.n = 1 THEN 'lena.fischer@mail.example' WHEN s.n = 2 THEN 'peter.hughes2@mail.example'
            WHEN s.kind <> 'visitor' THEN translate(lower(p.first || '.' || p.last), ' äöüßéı''', '-aousei') || s.n || '@mail.example' END,
       CASE WHEN NOT s.is_erased THEN s.country END, s.language, pg_temp.pick(s.n, 37, 6) = 0, s.has_signal,
       s.created_at, CASE WHEN s.is_erased THEN s.until ELSE s.created_at + pg_temp.pick(s.n, 39, s.seconds) * interval '1 second' END
  FROM subject_list s
  JOIN (SELECT f.country, f.names AS first_names, l.names AS last_names FROM first_names f JOIN last_names l USING (country)) names ON names.country = s.country
  CROSS JOIN LATERAL (SELECT first_names[1 + pg_temp.pick(s.n, 35, 20)] AS first, last_names[1 + pg_temp.pick(s.n, 36, 31)] AS last) p
 ORDER BY s.n;

-- ---------------------------------------------------------------------------------------------------------
-- Consents. Most people have been asked, most of those have agreed; some have changed their mind within a year. A consent that is older than the controller's
-- time is renewed, or ends after a month; the signal Global Privacy Control ends those that it rules out; an erasure ends all.
-- ---------------------------------------------------------------------------------------------------------

CREATE TEMP TABLE answer_list ON COMMIT DROP AS
WITH asked AS MATERIALIZED (
  SELECT s.n, p.position, p.id AS purpose_id, s.until, s.is_erased, s.renewal_months, s.n * 10 + p.position AS key, s.created_at + p.position * interval '9 seconds' AS at,
         s.has_signal AND s.honours_signal AND p.position IN (5, 6) AS is_ruled_out,
         CASE WHEN s.kind = 'visitor' THEN 'visitor' ELSE 'person' END AS person
    FROM subject_list s
    JOIN purpose_list p ON p.controller_n = s.controller_n AND p.status = 'active' AND p.legal_basis = 'consent'
     AND CASE s.kind WHEN 'customer' THEN true WHEN 'subscriber' THEN p.position IN (4, 5, 6) WHEN 'visitor' THEN p.position IN (5, 6) ELSE p.position = 5 END
   WHERE s.n = 1 OR s.kind = 'subscriber' AND p.position = 4 OR pg_temp.pick(s.n * 10 + p.position, 54, 10) < 8
), chosen AS MATERIALIZED (
  SELECT a.*, CASE WHEN a.n = 1 THEN a.position <> 6 WHEN a.position = 4 AND pg_temp.pick(a.key, 55, 3) = 0 THEN true ELSE pg_temp.pick(a.key, 51, 5) < 3 END AS value,
         a.n = 1 AND a.position = 5 OR a.n > 1 AND pg_temp.pick(a.key, 52, 4) = 0 AS has_second,
         a.at + interval '1 hour' + (pg_temp.pick(a.key, 53, 1000) / 1000.0) * least(interval '330 days', a.until - a.at - interval '2 hours') AS second_at
    FROM asked a
   WHERE (NOT a.is_ruled_out OR pg_temp.pick(a.key, 56, 2) = 0) AND a.until - a.at > interval '3 hours'
), free AS MATERIALIZED (
  SELECT c.*, 1 AS k, c.at AS answered_at, c.value AS answer FROM chosen c WHERE NOT c.is_ruled_out
  UNION ALL
  SELECT c.*, 2, c.second_at, NOT c.value FROM chosen c WHERE NOT c.is_ruled_out AND c.has_second
  UNION ALL
  SELECT c.*, 3, c.second_at + interval '1 hour' + 0.5 * least(interval '330 days', c.until - c.second_at - interval '1 hour'), c.value FROM chosen c
   WHERE NOT c.is_ruled_out AND c.has_second AND (c.n = 1 OR pg_temp.pick(c.key, 57, 4) = 0)
), latest AS MATERIALIZED (
  SELECT DISTINCT ON (f.key) f.*, f.answered_at + f.renewal_months * interval '1 month' AS renewal_at,
         f.answered_at + f.renewal_months * interval '1 month' + (1 + pg_temp.pick(f.key, 58, 20)) * interval '23 hours' AS renewed_at, f.n = 1 OR pg_temp.pick(f.key, 59, 5) < 3 AS is_renewed
    FROM free f ORDER BY f.key, f.k DESC
), renewed AS (
  SELECT l.* FROM latest l WHERE l.answer AND l.is_renewed AND l.renewed_at < l.until
), ended AS (
  SELECT l.* FROM latest l WHERE l.answer AND NOT l.is_renewed AND l.renewal_at + interval '30 days' < l.until
), answers AS (
  SELECT f.n, f.position, f.purpose_id, f.k, f.answered_at AS at, f.answer AS value, f.person AS given_by, 'widget' AS form FROM free f
  UNION ALL SELECT r.n, r.position, r.purpose_id, 4, r.renewed_at, true, r.person, 'widget' FROM renewed r
  UNION ALL SELECT e.n, e.position, e.purpose_id, 4, e.renewal_at + interval '30 days', false, 'operator', 'direct' FROM ended e
  -- Half of those whose browser sends the signal had agreed before it did.
  UNION ALL SELECT c.n, c.position, c.purpose_id, 1, c.at, c.has_second, c.person, 'widget' FROM chosen c WHERE c.is_ruled_out
  UNION ALL SELECT c.n, c.position, c.purpose_id, 2, c.second_at, false, 'browser_signal', 'browser' FROM chosen c WHERE c.is_ruled_out AND c.has_second
  UNION ALL
  SELECT l.n, l.position, l.purpose_id, 5, l.until, false, 'operator', 'direct' FROM latest l
   WHERE l.is_erased AND l.answer AND NOT EXISTS (SELECT FROM ended e WHERE e.key = l.key)
)
SELECT a.*, lead(a.at) OVER (PARTITION BY a.n, a.position ORDER BY a.k) AS replaced_at, lag(a.value) OVER (PARTITION BY a.n, a.position ORDER BY a.k) AS former,
       min(a.at) OVER (PARTITION BY a.n, a.position) AS first_at
  FROM answers a;

-- The text that was shown: the purpose and the notice that was in force.
CREATE TEMP TABLE shown_text ON COMMIT DROP AS
SELECT p.id AS purpose_id, n.id AS notice_id, n.published_at AS since, lead(n.published_at, 1, 'infinity') OVER (PARTITION BY p.id ORDER BY n.published_at) AS until, consent_text_digest(p.id, n.id) AS digest
  FROM purpose_list p JOIN privacy_notices n ON n.data_controller_id = p.controller_id AND n.published_at IS NOT NULL
 WHERE p.legal_basis = 'consent' AND p.status = 'active';

CREATE TEMP TABLE evidence ON COMMIT DROP AS
SELECT a.*, pg_temp.demo_id('consent', a.n * 100 + a.position) AS consent_id, s.id AS subject_id, t.notice_id, t.digest
  FROM answer_list a
  JOIN subject_list s ON s.n = a.n
  LEFT JOIN shown_text t ON t.purpose_id = a.purpose_id AND a.form = 'widget' AND a.at >= t.since AND a.at < t.until;

INSERT INTO data_subject_consent_form_values (id, data_subject_id, data_controller_processing_purpose_id, value, given_by, form, purpose_version, privacy_notice_id, text_digest, created_at, updated_at)
SELECT e.consent_id, e.subject_id, e.purpose_id, e.value::text, e.given_by, e.form, 1, e.notice_id, e.digest, e.first_at, e.at
  FROM evidence e WHERE e.replaced_at IS NULL ORDER BY e.n, e.position;

INSERT INTO data_subject_consent_history (id, data_subject_consent_form_value_id, data_subject_id, value, given_by, form, purpose_version, privacy_notice_id, text_digest, valid_from, replaced_at)
SELECT pg_temp.demo_id('former consent', (e.n * 100 + e.position) * 10 + e.k), e.consent_id, e.subject_id, e.value::text, e.given_by, e.form, 1, e.notice_id, e.digest, e.at, e.replaced_at
  FROM evidence e WHERE e.replaced_at IS NOT NULL ORDER BY e.replaced_at, e.consent_id;

-- From when to when somebody agreed.
CREATE TEMP TABLE agreed ON COMMIT DROP AS
SELECT a.n, a.position, s.controller_n, a.at AS since, coalesce(a.replaced_at, s.until) AS until FROM answer_list a JOIN subject_list s ON s.n = a.n WHERE a.value;
CREATE INDEX ON agreed (n, position, since);
CREATE INDEX ON answer_list (n);
ANALYZE agreed, answer_list;

-- ---------------------------------------------------------------------------------------------------------
-- Processing activities
-- ---------------------------------------------------------------------------------------------------------

-- The fields that each type touches.
CREATE TEMP TABLE activity_kind ON COMMIT DROP AS
SELECT type_n, pg_temp.demo_id('activity type', type_n) AS type_id,
       ARRAY(SELECT pg_temp.demo_id('activity field', x) FROM unnest(fields) WITH ORDINALITY u (x, o) ORDER BY o) AS field_ids
  FROM (VALUES (1, '{12,13,14,15}'::int[]), (2, '{4,12,13}'), (3, '{1,2,4,6,7,8,9}'), (4, '{7,9,10,11}'), (5, '{1,2,6,7,8,9}'), (6, '{1,4,18}'), (7, '{4,13}'), (8, '{24}'), (9, '{24}'),
               (10, '{1,2,4,5,6,16}'), (11, '{1,4,5,20}'), (12, '{4,16,20}'), (13, '{1,2,4,6,7}'), (14, '{1,2,4,5,6}'), (15, '{1,2,4,5,21}'), (16, '{1,2,3,23}')) AS v (type_n, fields);

-- What a person ordered or booked, when, and through what.
CREATE TEMP TABLE order_list ON COMMIT DROP AS
SELECT s.n, s.controller_n, k, s.until, s.created_at + ((k + pg_temp.pick(s.n * 10 + k, 44, 1000) / 1000.0) / s.orders) * (s.until - s.created_at) AS at, s.source
  FROM (SELECT s.*, CASE s.n WHEN 1 THEN 4 WHEN 2 THEN 5 ELSE 1 + pg_temp.pick(s.n, 43, 2) END AS orders,
               CASE s.audience WHEN 'booking' THEN 9 WHEN 'shop' THEN 3 WHEN 'care' THEN CASE WHEN s.controller_n = 35 THEN 3 ELSE 12 END ELSE 1 + pg_temp.pick(s.n, 45, 2) END AS source
          FROM subject_list s WHERE s.kind = 'customer' AND s.controller_n <> 39) s
 CROSS JOIN LATERAL generate_series(0, s.orders - 1) k;

-- All that happened but page views.
CREATE TEMP TABLE life ON COMMIT DROP AS
SELECT o.n, 3 AS type_n, o.source, o.at FROM order_list o
UNION ALL
SELECT o.n, 4, 4, o.at + interval '20 minutes' + pg_temp.pick(o.n * 10 + o.k, 47, 7000) * interval '1 minute' FROM order_list o
UNION ALL
SELECT o.n, 5, 7, o.at + interval '40 minutes' + pg_temp.pick(o.n * 10 + o.k, 47, 7000) * interval '1 minute' FROM order_list o
UNION ALL
SELECT s.n, 2, 1 + pg_temp.pick(s.n + k, 48, 2), s.created_at + interval '2 minutes' + (pg_temp.pick(s.n * 10 + k, 49, 1000) / 1000.0) * (s.until - s.created_at - interval '3 minutes')
  FROM subject_list s CROSS JOIN generate_series(0, 7) k WHERE s.has_account AND k < CASE WHEN s.n <= 2 THEN 8 ELSE pg_temp.pick(s.n, 50, 3) END
UNION ALL
SELECT s.n, 10, CASE WHEN pg_temp.pick(s.n, 81, 2) = 0 THEN 1 ELSE 6 END, s.created_at + 0.6 * (s.until - s.created_at) FROM subject_list s WHERE s.has_account AND (s.n = 1 OR pg_temp.pick(s.n, 82, 3) = 0)
UNION ALL
-- Three issues a year go to those who agree on that day; some of them open it.
SELECT a.n, 6, 5, i.at FROM agreed a CROSS JOIN LATERAL (SELECT pg_temp.demo_end() - k * interval '120 days' - a.controller_n * interval '5 hours' AS at FROM generate_series(0, 5) k) i
 WHERE a.position = 4 AND i.at >= a.since AND i.at < a.until
UNION ALL
SELECT a.n, 7, 5, o.at FROM agreed a CROSS JOIN LATERAL (SELECT k, pg_temp.demo_end() - k * interval '120 days' - a.controller_n * interval '5 hours' AS at FROM generate_series(0, 5) k) i
 CROSS JOIN LATERAL (SELECT i.at + (30 + pg_temp.pick(a.n * 100 + i.k, 83, 4000)) * interval '1 minute' AS at) o
 WHERE a.position = 4 AND i.at >= a.since AND o.at < a.until AND (a.n = 1 OR pg_temp.pick(a.n * 100 + i.k, 84, 4) = 0)
UNION ALL
SELECT a.n, CASE WHEN a.value THEN 8 ELSE 9 END, CASE a.given_by WHEN 'operator' THEN 6 ELSE 1 END, a.at FROM answer_list a WHERE a.value OR a.former
UNION ALL
SELECT s.n, 11, 10, CASE s.kind WHEN 'enquirer' THEN s.created_at + interval '1 minute' ELSE s.created_at + (pg_temp.pick(s.n, 85, 1000) / 1000.0) * (s.until - s.created_at) END
  FROM subject_list s JOIN purpose_list p ON p.controller_n = s.controller_n AND p.position = 10 AND p.status = 'active'
 WHERE s.kind = 'enquirer' OR s.kind = 'customer' AND (s.n <= 2 OR pg_temp.pick(s.n, 86, 5) = 0)
UNION ALL
SELECT a.n, 12, 8, x.at FROM agreed a CROSS JOIN LATERAL (SELECT a.since + (pg_temp.pick(a.n, 87, 1000) / 1000.0) * (a.until - a.since) AS at) x
 WHERE a.position = 8 AND pg_temp.pick(a.n, 88, 3) > 0 AND x.at > pg_temp.demo_end() - interval '11 months'
UNION ALL
SELECT r.subject_n, CASE WHEN r.request_type IN ('access', 'portability') THEN 13 ELSE 14 END, 6, r.closed_at FROM request_list r
 WHERE r.status = 'completed' AND r.request_type IN ('access', 'portability', 'erasure', 'deletion')
UNION ALL
SELECT s.n, 15, 11, s.created_at + interval '1 minute' FROM subject_list s WHERE s.kind = 'applicant'
UNION ALL
SELECT s.n, 16, 12, s.created_at + interval '1 day' + (pg_temp.pick(s.n * 10 + k, 89, 1000) / 1000.0) * (s.until - s.created_at - interval '1 day')
  FROM subject_list s CROSS JOIN generate_series(1, 3) k JOIN purpose_list p ON p.controller_n = s.controller_n AND p.position = 12 AND p.legal_basis <> 'consent'
 WHERE s.kind = 'customer' AND k <= 1 + pg_temp.pick(s.n, 90, 3) AND s.until - s.created_at > interval '1 day'
UNION ALL
SELECT a.n, 16, 12, a.since + interval '1 hour' FROM agreed a WHERE a.position = 12 AND a.since + interval '1 hour' < a.until;

-- Nothing is later than the end or than an erasure; of an erased person stays what has to be kept.
DELETE FROM life l USING subject_list s WHERE s.n = l.n AND (l.at > pg_temp.demo_end() - interval '1 minute' OR l.at > s.until);
CREATE TEMP TABLE gone ON COMMIT DROP AS
SELECT s.n, count(l.n) FILTER (WHERE l.type_n NOT IN (4, 5, 8, 9, 13, 14, 16) OR l.type_n = 16 AND s.controller_n = 25) AS erased FROM subject_list s LEFT JOIN life l ON l.n = s.n WHERE s.is_erased GROUP BY s.n;
DELETE FROM life l USING subject_list s WHERE s.n = l.n AND s.is_erased AND (l.type_n NOT IN (4, 5, 8, 9, 13, 14, 16) OR l.type_n = 16 AND s.controller_n = 25);

-- Page views, only while the person agrees to statistics and for as long as they are kept, make the activities forty thousand.
INSERT INTO life (n, type_n, source, at)
SELECT v.n, 1, CASE WHEN pg_temp.pick(v.key, 91, 3) = 0 AND v.has_account THEN 2 ELSE 1 END, v.at
  FROM (SELECT a.n, s.has_account, a.n * 100 + k AS key, x.since + interval '1 minute' + (pg_temp.pick(a.n * 100 + k, 92, 10000) / 10000.0) * (x.until - x.since - interval '2 minutes') AS at
          FROM agreed a
          JOIN subject_list s ON s.n = a.n AND NOT s.is_erased
         CROSS JOIN LATERAL (SELECT greatest(a.since, pg_temp.demo_end() - interval '390 days') AS since, a.until) x
         CROSS JOIN generate_series(1, 30) k
         WHERE a.position = 5 AND x.until - x.since > interval '1 hour') v
 ORDER BY v.n > 2, pg_temp.pick(v.key, 93, 1000000), v.key LIMIT 40000 - (SELECT count(*) FROM life);

CREATE INDEX ON life (n);
ANALYZE life;

-- The indexes of the largest table are made again when its rows are there, which is quicker than to keep them up.
CREATE TEMP TABLE activity_index ON COMMIT DROP AS
SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
  FROM pg_index i WHERE i.indrelid = 'data_processing_activities'::regclass AND NOT i.indisprimary;
DO $$ DECLARE i activity_index; BEGIN FOR i IN SELECT * FROM activity_index LOOP EXECUTE 'DROP INDEX ' || i.name; END LOOP; END $$;

-- The preferences that held: statistics, advertising and e-mail, personal offers, while the person agreed.
INSERT INTO data_processing_activities (id, data_subject_id, type_id, source_id, triggered_at, field_ids, preference_ids)
SELECT pg_temp.demo_id('activity', row_number() OVER (ORDER BY l.n, l.at, l.type_n)), s.id, k.type_id, f.sources[l.source], l.at,
       CASE WHEN l.type_n = 15 AND pg_temp.pick(l.n, 94, 12) = 0 THEN k.field_ids || f.disability WHEN l.type_n = 16 AND s.controller_n = 25 THEN k.field_ids[:3] || f.allergies
            WHEN l.type_n = 16 AND pg_temp.pick(l.n, 95, 3) = 0 THEN k.field_ids || f.allergies ELSE k.field_ids END,
       CASE p.held WHEN 0 THEN f.necessary ELSE f.necessary || CASE WHEN p.held & 2 > 0 THEN f.statistics ELSE '{}' END || CASE WHEN p.held & 1 > 0 THEN f.newsletter ELSE '{}' END || CASE WHEN p.held & 4 > 0 THEN f.offers ELSE '{}' END END
  FROM life l
  JOIN subject_list s ON s.n = l.n
  JOIN activity_kind k ON k.type_n = l.type_n
 CROSS JOIN (SELECT ARRAY(SELECT pg_temp.demo_id('activity source', x) FROM generate_series(1, 12) x ORDER BY x) AS sources, pg_temp.demo_id('activity field', 22) AS disability, pg_temp.demo_id('activity field', 19) AS allergies, ARRAY[pg_temp.demo_id('preference', 1), pg_temp.demo_id('preference', 2)] AS necessary,
                    ARRAY[pg_temp.demo_id('preference', 3)] AS statistics, ARRAY[pg_temp.demo_id('preference', 4), pg_temp.demo_id('preference', 7)] AS newsletter, ARRAY[pg_temp.demo_id('preference', 5)] AS offers) f
 CROSS JOIN LATERAL (SELECT coalesce(sum(DISTINCT 1 << (a.position - 4)), 0)::integer AS held FROM agreed a WHERE a.n = l.n AND a.position BETWEEN 4 AND 6 AND a.since <= l.at AND a.until > l.at) p
 ORDER BY l.at, l.n, l.type_n;

DO $$ DECLARE i activity_index; BEGIN FOR i IN SELECT * FROM activity_index LOOP EXECUTE i.definition; END LOOP; END $$;

-- ---------------------------------------------------------------------------------------------------------
-- Rights requests with their processing: steps, deadlines in working days, answers and documents
-- ---------------------------------------------------------------------------------------------------------

-- The service's texts by language.
CREATE TEMP TABLE text_list ON COMMIT DROP AS
SELECT l.language, jsonb_object_agg(t.code, CASE l.language WHEN 'de' THEN t.de WHEN 'nl' THEN t.nl ELSE t.en END) AS texts
  FROM service_texts t CROSS JOIN unnest(ARRAY['en', 'de', 'nl']) AS l (language) GROUP BY l.language;

CREATE TEMP TABLE case_list ON COMMIT DROP AS
SELECT r.*, pg_temp.demo_id('rights request', r.n) AS id, s.has_account, s.title, c.authority, m.user_id AS member, t.texts, d.first_due_at, d.step_due_on, d.identity_due_on,
       CASE WHEN r.extended_at IS NULL THEN d.first_due_at ELSE d.late_due_at END AS due_at,
       CASE WHEN r.status IN ('in_progress', 'completed') OR r.status = 'rejected' AND r.is_refused THEN least(r.created_at + interval '20 hours', r.closed_at - interval '1 hour', pg_temp.demo_end() - interval '10 minutes') END AS verified_at
  FROM (SELECT x.*, x.request_type IN ('erasure', 'deletion', 'objection', 'restriction') AS is_refused, x.request_type IN ('erasure', 'deletion') AND x.status = 'completed' AS has_erasure,
               (x.created_at AT TIME ZONE time_zone_of(x.country))::date AS day FROM request_list x) r
  JOIN subject_list s ON s.n = r.subject_n
  JOIN controller_list c ON c.n = r.controller_n
  JOIN text_list t ON t.language = r.language
 CROSS JOIN LATERAL (SELECT pg_temp.end_of_day((SELECT k.next_day FROM calendar k WHERE k.country = r.country AND k.day = (r.day + interval '1 month')::date), r.country) AS first_due_at,
                            pg_temp.end_of_day((SELECT k.next_day FROM calendar k WHERE k.country = r.country AND k.day = (r.day + interval '3 months')::date), r.country) AS late_due_at,
                            (SELECT k.previous_day FROM calendar k WHERE k.country = r.country AND k.day = r.day + CASE WHEN r.extended_at IS NULL THEN 21 ELSE 82 END) AS step_due_on,
                            (SELECT k.previous_day FROM calendar k WHERE k.country = r.country AND k.day = r.day + 7) AS identity_due_on) d
 CROSS JOIN LATERAL (SELECT u.user_id FROM data_controller_users u WHERE u.data_controller_id = r.controller_id AND u.status = 'active' AND u.role IN ('Editor', 'Administrator')
                      ORDER BY md5(u.user_id::text || r.n) LIMIT 1) m;

INSERT INTO data_subject_rights_requests (id, data_subject_id, request_type, status, description, channel, verified, verified_at, verified_by, identity_evidence, erased_at, erased_by,
                                          result, rejection_reason, closed_at, closed_by, created_at, updated_at)
SELECT r.id, r.subject_id, r.request_type, r.status, CASE r.language WHEN 'de' THEN v.de WHEN 'nl' THEN v.nl ELSE v.en END, CASE WHEN r.has_account THEN 'signed_in' ELSE 'colleague' END,
       r.verified_at IS NOT NULL, r.verified_at, CASE WHEN r.verified_at IS NOT NULL AND NOT r.has_account THEN r.member END,
       CASE WHEN r.verified_at IS NULL THEN NULL WHEN r.has_account THEN CASE r.language WHEN 'de' THEN 'Die Person war angemeldet' WHEN 'nl' THEN 'De persoon was ingelogd' ELSE 'The person was signed in' END
            ELSE CASE r.language WHEN 'de' THEN 'Rückfrage an die bekannte E-Mail-Adresse' WHEN 'nl' THEN 'Navraag via het bekende e-mailadres' ELSE 'Confirmed through the known e-mail address' END END,
       CASE WHEN r.has_erasure THEN r.closed_at END, CASE WHEN r.has_erasure THEN r.member END,
       CASE WHEN r.status <> 'completed' THEN NULL
            WHEN r.has_erasure THEN concat_ws(E'\n',
              replace(r.texts ->> 'erasure.erased', '{day}', long_date((r.closed_at AT TIME ZONE time_zone_of(r.country))::date, r.language)),
              '- ' || (r.texts ->> 'erasure.profile'), '- ' || (r.texts ->> 'erasure.identifier'),
              '- ' || replace(r.texts ->> 'erasure.activities', '{count}', e.erased::text),
              '', r.texts ->> 'erasure.kept',
              CASE WHEN e.invoices > 0 THEN '- ' || replace(replace(replace(replace(coalesce(r.texts ->> 'erasure.kept_records', r.texts ->> 'erasure.kept_invoices'), '{count}', e.invoices::text),
                '{purpose}', e.bookkeeping), '{until}', long_date((e.invoices_until AT TIME ZONE time_zone_of(r.country))::date, r.language)),
                '{law}', CASE r.country WHEN 'DE' THEN '; § 147 AO, § 257 HGB' WHEN 'NL' THEN '; artikel 52 AWR' ELSE '; section 388 Companies Act 2006' END) END,
              CASE WHEN e.treatments > 0 THEN '- ' || replace(replace(replace(replace(r.texts ->> 'erasure.kept_records', '{count}', e.treatments::text), '{purpose}', e.treatment),
                '{until}', long_date((e.treatments_until AT TIME ZONE time_zone_of(r.country))::date, r.language)), '{law}', '') END,
              CASE WHEN e.consents > 0 THEN '- ' || replace(r.texts ->> 'erasure.kept_consents', '{count}', e.consents::text) END,
              '- ' || (r.texts ->> 'erasure.kept_request'))
            WHEN r.request_type IN ('access', 'portability') THEN r.texts ->> 'result.documents'
            ELSE CASE r.language WHEN 'de' THEN v.result_de WHEN 'nl' THEN v.result_nl ELSE v.result_en END END,
       CASE WHEN r.status = 'rejected' THEN CASE WHEN r.is_refused
            THEN CASE r.language WHEN 'de' THEN 'Wir brauchen die Daten noch, um einen laufenden Vertrag mit Ihnen zu erfüllen und Ansprüche daraus zu klären.'
                                 WHEN 'nl' THEN 'Wij hebben de gegevens nog nodig om een lopende overeenkomst met u uit te voeren en aanspraken daaruit af te handelen.'
                                 ELSE 'We still need the data to perform a contract with you that is running, and to settle claims from it.' END
            ELSE CASE r.language WHEN 'de' THEN 'Wir konnten nicht feststellen, dass der Antrag von Ihnen kommt, und haben auf unsere Rückfrage keine Antwort erhalten.'
                                 WHEN 'nl' THEN 'Wij konden niet vaststellen dat het verzoek van u komt en kregen geen antwoord op onze vraag.'
                                 ELSE 'We could not make sure that the request comes from you, and our question was not answered.' END END END,
       r.closed_at, CASE WHEN r.status <> 'withdrawn' AND r.closed_at IS NOT NULL THEN r.member END, r.created_at,
       coalesce(r.closed_at, greatest(r.verified_at, r.extended_at), CASE r.status WHEN 'pending' THEN r.created_at + interval '5 hours' ELSE r.created_at END)
  FROM case_list r
  JOIN (VALUES
  ('access', 'Please send me a copy of all the data you hold about me.', 'Bitte teilen Sie mir mit, welche Daten Sie über mich gespeichert haben, und senden Sie mir eine Kopie.', 'Graag ontvang ik een overzicht van alle gegevens die u over mij bewaart.', '', '', ''),
  ('portability', 'I am moving to another provider and would like my data as a file.', 'Bitte stellen Sie mir meine Daten in einem maschinenlesbaren Format bereit, ich wechsle den Anbieter.', 'Ik stap over naar een andere aanbieder en ontvang mijn gegevens graag als bestand.', '', '', ''),
  ('erasure', 'Please erase whatever you do not have to keep about me.', 'Bitte löschen Sie meine Daten, soweit Sie sie nicht aufbewahren müssen.', 'Wilt u mijn gegevens verwijderen, voor zover u ze niet hoeft te bewaren?', '', '', ''),
  ('deletion', 'Please delete everything that you have stored about me.', 'Bitte löschen Sie alles, was Sie über mich gespeichert haben.', 'Wilt u alles verwijderen wat u over mij hebt opgeslagen?', '', '', ''),
  ('rectification', 'I have moved; your records still have my old address.', 'Ich bin umgezogen, meine Anschrift ist bei Ihnen noch falsch gespeichert.', 'Mijn achternaam is verkeerd gespeld; graag aanpassen.',
   'We have corrected what you named, and told the companies that work for us.', 'Wir haben Ihre Angaben berichtigt und die Unternehmen benachrichtigt, die für uns arbeiten.', 'Wij hebben uw gegevens aangepast en de bedrijven die voor ons werken op de hoogte gesteld.'),
  ('objection', 'I object to your looking at my sign-ins and enquiries.', 'Ich widerspreche der Auswertung meiner Anmeldungen und Anfragen.', 'Ik maak bezwaar tegen het beoordelen van mijn aanmeldingen en vragen.',
   'We have stopped the processing that you object to.', 'Wir haben die Verarbeitung beendet, der Sie widersprochen haben.', 'Wij zijn gestopt met de verwerking waartegen u bezwaar maakte.'),
  ('restriction', 'Please do not use my data until my address has been corrected.', 'Bitte verwenden Sie meine Daten nicht, bis meine Anschrift berichtigt ist.', 'Gebruik mijn gegevens alstublieft niet totdat mijn adres is gecorrigeerd.',
   'We have restricted the processing: until the matter is clear we only store your data.', 'Wir haben die Verarbeitung eingeschränkt: Bis zur Klärung speichern wir Ihre Daten nur noch.', 'Wij hebben de verwerking beperkt: tot de zaak is opgehelderd, slaan wij uw gegevens alleen nog op.')
  ) AS v (request_type, en, de, nl, result_en, result_de, result_nl) USING (request_type)
  LEFT JOIN LATERAL (
    SELECT (SELECT g.erased FROM gone g WHERE g.n = r.subject_n) AS erased, (SELECT count(*) FROM answer_list a WHERE a.n = r.subject_n) AS consents,
           count(*) FILTER (WHERE l.type_n IN (4, 5)) AS invoices, max(b.title) AS bookkeeping, max(l.at) FILTER (WHERE l.type_n IN (4, 5)) + make_interval(months => max(b.retention_months)) AS invoices_until,
           count(*) FILTER (WHERE l.type_n = 16) AS treatments, max(t.title) AS treatment, max(l.at) FILTER (WHERE l.type_n = 16) + make_interval(months => max(t.retention_months)) AS treatments_until
      FROM life l LEFT JOIN purpose_list b ON b.controller_n = r.controller_n AND b.position = 3 LEFT JOIN purpose_list t ON t.controller_n = r.controller_n AND t.position = 12
     WHERE l.n = r.subject_n) e ON r.has_erasure
 ORDER BY r.n;

INSERT INTO rights_request_workflows (id, data_subject_rights_request_id, data_subject_id, state, assigned_to, due_at, extended_at, extended_by, extension_reason, escalated_at, started_at, closed_at)
SELECT pg_temp.demo_id('workflow', r.n), r.id, r.subject_id, CASE WHEN r.closed_at IS NOT NULL THEN 'closed' WHEN r.status = 'in_progress' THEN 'in_progress' ELSE 'open' END, r.member, r.due_at,
       r.extended_at, CASE WHEN r.extended_at IS NOT NULL THEN r.member END,
       CASE WHEN r.extended_at IS NOT NULL THEN CASE r.language WHEN 'de' THEN 'Ein Teil der Angaben liegt in einem Archiv, das wir erst durchsuchen müssen.'
         WHEN 'nl' THEN 'Een deel van de gegevens staat in een archief dat wij nog moeten doorzoeken.' ELSE 'Some of the data is in an archive that we have yet to search.' END END,
       CASE WHEN r.closed_at IS NULL AND r.due_at < pg_temp.demo_end() THEN r.due_at + interval '5 minutes' END, r.created_at + interval '2 seconds', r.closed_at
  FROM case_list r ORDER BY r.n;

INSERT INTO rights_request_tasks (id, rights_request_workflow_id, data_subject_id, position, code, title, titles, state, due_at, done_at, done_by)
SELECT pg_temp.demo_id('task', r.n * 3 + t.position), pg_temp.demo_id('workflow', r.n), r.subject_id, t.position, t.code, l.titles ->> r.language, l.titles,
       CASE WHEN t.done_at IS NULL THEN 'open' WHEN t.is_done THEN 'done' ELSE 'skipped' END, t.due_at, t.done_at,
       CASE WHEN t.done_at IS NOT NULL AND NOT (t.position = 1 AND r.has_account) AND r.status <> 'withdrawn' THEN r.member END
  FROM case_list r
 CROSS JOIN LATERAL (VALUES
    (1, 'identity', pg_temp.end_of_day(r.identity_due_on, r.country), coalesce(r.verified_at, r.closed_at), r.verified_at IS NOT NULL),
    (2, CASE r.request_type WHEN 'deletion' THEN 'erasure' ELSE r.request_type END, pg_temp.end_of_day(r.step_due_on, r.country), r.closed_at, r.status = 'completed'),
    (3, 'answer', r.due_at, r.closed_at, r.status IN ('completed', 'rejected'))) AS t (position, code, due_at, done_at, is_done)
  JOIN (SELECT t.code, jsonb_build_object('en', t.en, 'de', t.de, 'nl', t.nl) AS titles FROM service_texts t) l ON l.code = 'task.' || t.code
 ORDER BY r.n, t.position;

-- The two overdue ones are known to who answers them and to the Administrators.
INSERT INTO team_reminders (id, rights_request_workflow_id, data_subject_id, user_id, kind, created_at)
SELECT pg_temp.demo_id('reminder', row_number() OVER (ORDER BY r.n, u.user_id)), pg_temp.demo_id('workflow', r.n), r.subject_id, u.user_id, 'overdue', r.due_at + interval '5 minutes'
  FROM case_list r JOIN data_controller_users u ON u.data_controller_id = r.controller_id AND u.status = 'active' AND (u.user_id = r.member OR u.role = 'Administrator')
 WHERE r.closed_at IS NULL AND r.due_at < pg_temp.demo_end();

-- What was held on the day of the answer: as a file for programs and as a table.
INSERT INTO rights_request_documents (id, data_subject_rights_request_id, data_subject_id, title, media_type, content, created_by, created_at)
SELECT pg_temp.demo_id('document', r.n * 2 + d.k), r.id, r.subject_id, d.title, d.media_type, d.content, r.member, r.closed_at - interval '30 minutes'
  FROM case_list r
  JOIN subject_list s ON s.n = r.subject_n
  JOIN data_subjects p ON p.id = r.subject_id
 CROSS JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object('when', l.at, 'what', t.labels ->> r.language, 'source', o.labels ->> r.language) ORDER BY l.at) AS activities,
           string_agg(to_char(l.at, 'YYYY-MM-DD HH24:MI') || ';' || (t.labels ->> r.language) || ';' || (o.labels ->> r.language), E'\n' ORDER BY l.at) AS lines
      FROM life l JOIN data_processing_activity_types t ON t.id = pg_temp.demo_id('activity type', l.type_n) JOIN data_processing_activity_sources o ON o.id = pg_temp.demo_id('activity source', l.source)
     WHERE l.n = r.subject_n AND l.at < r.closed_at - interval '30 minutes') a
 CROSS JOIN LATERAL (VALUES
    (0, r.texts ->> 'export.file', 'application/json', jsonb_pretty(jsonb_build_object('controller', s.title, 'exportedAt', r.closed_at - interval '30 minutes',
        'person', jsonb_build_object('name', p.display_name, 'email', p.email, 'country', p.country, 'did', p.did), 'activities', coalesce(a.activities, '[]')))),
    (1, CASE r.language WHEN 'de' THEN 'Was mit Ihren Daten geschah, als Tabelle' WHEN 'nl' THEN 'Wat er met uw gegevens is gedaan, als tabel' ELSE 'What was done with your data, as a table' END, 'text/csv',
        CASE r.language WHEN 'de' THEN 'Zeit (UTC);Vorgang;Quelle' WHEN 'nl' THEN 'Tijd (UTC);Handeling;Bron' ELSE 'Time (UTC);What;Source' END || coalesce(E'\n' || a.lines, '') || E'\n')) AS d (k, title, media_type, content)
 WHERE r.status = 'completed' AND r.request_type IN ('access', 'portability')
 ORDER BY r.n, d.k;

-- ---------------------------------------------------------------------------------------------------------
-- Notifications, in the person's language
-- ---------------------------------------------------------------------------------------------------------

CREATE TEMP TABLE message_list ON COMMIT DROP AS
SELECT s.n, 'welcome' AS kind, s.created_at + interval '1 minute' AS at, NULL AS purpose FROM subject_list s WHERE s.has_account
UNION ALL
SELECT a.n, 'saved', a.at + interval '2 seconds', p.title FROM answer_list a JOIN purpose_list p ON p.id = a.purpose_id JOIN subject_list s ON s.n = a.n
 WHERE a.given_by = 'person' AND s.has_account AND (a.n = 1 OR pg_temp.pick(a.n, 72, 3) = 0)
UNION ALL
SELECT s.n, 'notice', n.published_at + interval '1 hour', NULL FROM subject_list s JOIN privacy_notices n ON n.data_controller_id = s.controller_id AND n.version = 2 AND n.published_at > s.created_at WHERE s.has_account
UNION ALL
SELECT DISTINCT ON (l.n) l.n, 'sign_in', l.at + interval '5 seconds', NULL FROM life l WHERE l.type_n = 2 AND pg_temp.pick(l.n, 73, 5) = 0
UNION ALL
SELECT a.n, 'renew', a.at + s.renewal_months * interval '1 month' + interval '1 hour', p.title FROM answer_list a JOIN purpose_list p ON p.id = a.purpose_id JOIN subject_list s ON s.n = a.n
 WHERE a.value AND s.kind <> 'visitor' AND coalesce(a.replaced_at, s.until) > a.at + s.renewal_months * interval '1 month' + interval '1 hour';

INSERT INTO notification_messages (id, data_subject_id, kind, title, body, is_read, created_at, updated_at)
SELECT pg_temp.demo_id('notification', row_number() OVER (ORDER BY m.n, m.at, m.kind)), s.id, t.category, t.title, replace(replace(replace(t.body, '{name}', s.title), '{purpose}', coalesce(m.purpose, '')), '{months}', s.renewal_months::text), r.is_read, m.at,
       CASE WHEN r.is_read THEN least(m.at + (1 + pg_temp.pick(m.n, 75, 5000)) * interval '1 minute', pg_temp.demo_end()) ELSE m.at END
  FROM message_list m
  JOIN subject_list s ON s.n = m.n AND NOT s.is_erased
 CROSS JOIN LATERAL (SELECT CASE WHEN m.n = 1 THEN m.at < pg_temp.demo_end() - interval '100 days' ELSE pg_temp.pick(m.n * 10 + length(m.kind), 74, 3) > 0 END AS is_read) r
  JOIN (VALUES
  ('welcome', 'info', 'en', 'Welcome', 'Here you see which data {name} processes about you, and why.'),
  ('welcome', 'info', 'de', 'Willkommen', 'Hier sehen Sie, welche Daten {name} über Sie verarbeitet und warum.'),
  ('welcome', 'info', 'nl', 'Welkom', 'Hier ziet u welke gegevens {name} over u verwerkt en waarom.'),
  ('saved', 'consent', 'en', 'Your choice was saved', '{name} has saved your choice about “{purpose}”. You can change it whenever you like.'),
  ('saved', 'consent', 'de', 'Ihre Entscheidung wurde gespeichert', '{name} hat Ihre Entscheidung zu „{purpose}“ gespeichert. Sie können sie jederzeit ändern.'),
  ('saved', 'consent', 'nl', 'Uw keuze is opgeslagen', '{name} heeft uw keuze over “{purpose}” opgeslagen. U kunt die altijd wijzigen.'),
  ('notice', 'notice', 'en', 'Our privacy notice has changed', '{name} has published a new version of its privacy notice.'),
  ('notice', 'notice', 'de', 'Unsere Datenschutzhinweise haben sich geändert', '{name} hat eine neue Fassung der Datenschutzhinweise veröffentlicht.'),
  ('notice', 'notice', 'nl', 'Onze privacyverklaring is gewijzigd', '{name} heeft een nieuwe versie van de privacyverklaring gepubliceerd.'),
  ('sign_in', 'security', 'en', 'New sign-in to your account', 'Somebody signed in to your account at {name} from a new device. If it was not you, please change your password.'),
  ('sign_in', 'security', 'de', 'Neue Anmeldung in Ihrem Konto', 'In Ihrem Konto bei {name} gab es eine Anmeldung von einem neuen Gerät. Wenn Sie das nicht waren, ändern Sie bitte Ihr Passwort.'),
  ('sign_in', 'security', 'nl', 'Nieuwe aanmelding bij uw account', 'Iemand heeft zich met een nieuw apparaat bij uw account bij {name} aangemeld. Was u dat niet, wijzig dan uw wachtwoord.'),
  ('renew', 'consent', 'en', 'Please renew your consent', 'You agreed to “{purpose}” of {name} {months} months ago. Would you like to keep it? If you do not answer within 30 days, we switch it off.'),
  ('renew', 'consent', 'de', 'Bitte erneuern Sie Ihre Einwilligung', 'Vor {months} Monaten haben Sie bei {name} in „{purpose}“ eingewilligt. Soll das so bleiben? Ohne Antwort innerhalb von 30 Tagen schalten wir es aus.'),
  ('renew', 'consent', 'nl', 'Wilt u uw toestemming vernieuwen?', 'U hebt {months} maanden geleden bij {name} ingestemd met “{purpose}”. Wilt u dat zo houden? Zonder antwoord binnen 30 dagen zetten wij het uit.')
  ) AS t (kind, category, language, title, body) ON t.kind = m.kind AND t.language = s.language
 WHERE m.at <= pg_temp.demo_end()
 ORDER BY m.n, m.at, m.kind;

INSERT INTO notification_messages (id, data_subject_id, kind, title, body, is_read, created_at, updated_at)
SELECT pg_temp.demo_id('request notification', row_number() OVER (ORDER BY r.n, m.at, m.kind)), r.subject_id, 'rights_request', r.texts ->> (m.kind || '.title'),
       replace(replace(replace(replace(replace(r.texts ->> (m.kind || '.body'), '{request}', r.texts ->> ('request.' || r.request_type)),
         '{received}', long_date(r.day, r.language)), '{due}', long_date((m.due_at AT TIME ZONE time_zone_of(r.country))::date, r.language)), '{authority}', r.authority), '{reason}', coalesce(m.reason, '')),
       x.is_read, m.at, CASE WHEN x.is_read THEN least(m.at + (1 + pg_temp.pick(r.n, 76, 5000)) * interval '1 minute', pg_temp.demo_end()) ELSE m.at END
  FROM case_list r
  JOIN data_subject_rights_requests q ON q.id = r.id
  JOIN rights_request_workflows w ON w.data_subject_rights_request_id = r.id
 CROSS JOIN LATERAL (VALUES ('received', r.created_at + interval '5 seconds', r.first_due_at, NULL), ('verified', CASE WHEN r.status <> 'rejected' THEN r.verified_at END, r.first_due_at, NULL),
    ('extended', r.extended_at, r.due_at, w.extension_reason), ('overdue', w.escalated_at, r.due_at, NULL), (r.status, r.closed_at, r.due_at, q.rejection_reason)) AS m (kind, at, due_at, reason)
 CROSS JOIN LATERAL (SELECT CASE WHEN r.n <= 3 THEN m.at < pg_temp.demo_end() - interval '100 days' ELSE pg_temp.pick(r.n * 10 + length(m.kind), 77, 3) > 0 END AS is_read) x
 WHERE m.at IS NOT NULL
 ORDER BY r.n, m.at, m.kind;

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
       pg_temp.demo_end() - interval '90 days' + n * interval '17 hours', pg_temp.demo_end() - interval '90 days' + n * interval '18 hours'
  FROM generate_series(1, 46) n
  JOIN (VALUES
  (1, 'Call the works council', 'They want to see the new purpose before it goes live.', 'people'),
  (2, 'Renew processor contract', 'Meridian CRM: the annex on sub-processors is out of date.', 'contract'),
  (3, 'Check cookie banner on tablet', 'The button "Reject all" is below the fold.', 'website'),
  (4, 'Answer Mrs Fischer', 'She has moved; the old address is still in the archive.', 'request'),
  (5, 'Retention of applications', 'Six months after the rejection, not twelve.', 'retention'),
  (6, 'Training for the help desk', 'How to recognise a rights request that does not call itself one.', 'people'),
  (7, 'Notice, version 3', 'Legal has two remarks on the chapter about recipients.', 'notice'),
  (8, 'Audit trail', 'Sample twenty activities and compare them with the web shop.', 'audit'),
  (9, 'Datenschutz-Folgenabschätzung', 'Für die Empfehlungen nötig, für die Statistik nicht.', 'audit'),
  (10, 'Vragenlijst leverancier', 'PostDuif heeft de vragen over opslag nog niet beantwoord.', 'contract'),
  (11, 'Delete test accounts', 'Everything under @test.example that was made before the launch.', 'retention'),
  (12, 'Global Privacy Control', 'One in nine visitors sends it; say so in the yearly report.', 'website')
  ) AS t (k, title, body, tag) ON t.k = 1 + (n - 1) % 12
 ORDER BY n;

-- One note holds nothing but its title; one holds the ends of what its columns can hold, and text that is hard to quote.
INSERT INTO notes (user_id, title, created_at, updated_at)
VALUES (pg_temp.demo_id('user', 1), 'Nothing but a title', pg_temp.demo_end() - interval '31 days', pg_temp.demo_end() - interval '31 days');

INSERT INTO notes (user_id, title, body, priority, small, whole, big, amount, exact, ratio, score, price, progress, code, day, at_time, at_timetz, happened, happened_tz, duration,
                   plain, document, raw, address, numbers, tags, documents, span, days, period, spans, created_at, updated_at)
VALUES (pg_temp.demo_id('user', 1), 'Ends of the "scale" \ ''quoted'' <b>&amp;</b> — 日本語 🦊', E'first line\nsecond line\twith a tab\u0001', 'urgent', -32768, 2147483647, 9223372036854775807, -9999999999999999.9999,
        123456789012345678901234567890.123456789012345678901234567890, 3.4028235e38, 1.7976931348623157e308, '-92233720368547758.08', 100, '', '0001-01-01', '24:00:00', '23:59:59.999999-15:59',
        '9999-12-31 23:59:59.999999', '1900-01-01 00:00:00.000001+00', '-1 year -2 mons +3 days -04:05:06.789',
        '{"b": 1, "a": [1.10, null, "\u00e9"], "b": 2}', '{"big": 123456789012345678901234567890, "fine": 39.10, "text": "a\"b", "empty": {}, "1": "$x"}', '\x00ff', '2001:db8::1/64',
        '{}', ARRAY['', 'NULL', NULL, 'with "quotes"', '{braces}'], ARRAY['null'::jsonb, '[]'], 'empty', '(,)', '["2025-01-01 00:00:00+00",)', '{}',
        pg_temp.demo_end() - interval '30 days', pg_temp.demo_end() - interval '30 days');

-- Postgres may have been built without XML; then the column stays empty.
ALTER TABLE notes DISABLE TRIGGER touch_updated_at;
DO $$
BEGIN
  EXECUTE $sql$ UPDATE notes SET markup = xmlparse(CONTENT '<note n="' || id || '">remember &amp; check</note>') WHERE id <= 46 $sql$;
EXCEPTION WHEN feature_not_supported THEN
  NULL;
END $$;

DO $$
DECLARE
  t regclass;
BEGIN
  FOR t IN SELECT DISTINCT g.tgrelid::regclass FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
            WHERE NOT g.tgisinternal AND g.tgenabled = 'D' AND c.relnamespace = 'public'::regnamespace LOOP
    EXECUTE format('ALTER TABLE %s ENABLE TRIGGER USER', t);
  END LOOP;
END $$;

COMMIT;

-- Statistics of the two lists of an activity take longer than all others together; autovacuum may gather them.
ANALYZE users, data_controllers, data_controller_users, data_controller_processing_purposes, data_controller_purpose_data_items, data_processors,
        data_controller_purpose_processors, purpose_business_templates, purpose_operational_templates, data_controller_purpose_template_links, data_subjects,
        data_processing_activity_types, data_processing_activity_sources, data_processing_activity_fields, data_processing_preferences, data_processing_activities (id, data_subject_id, type_id, source_id, triggered_at),
        data_subject_consent_form_values, data_subject_consent_history, data_subject_rights_requests, rights_request_workflows, rights_request_tasks, rights_request_documents,
        notification_messages, data_controller_faqs, privacy_notices, notes;

-- The nightly job has run: nothing is older than its purpose allows.
SELECT delete_expired(pg_temp.demo_end());
