-- The words of questions and texts: each term stands for a concept (`erase`, `how_long`, `newsletter`) in one language of
-- the service, so that a question in one language finds a text in another. Nothing is learnt and no extension is used.
-- The other scripts of this folder, and answers.sql, are loaded after this one.

BEGIN;

DROP SCHEMA IF EXISTS answers CASCADE;
CREATE SCHEMA answers;
COMMENT ON SCHEMA answers IS 'What answers questions about privacy.';

-- Umlauts spelt out, no accents or apostrophes: what people type with and without them is the same word.
CREATE FUNCTION answers.plain(text text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(regexp_replace(
           translate(replace(replace(replace(replace(replace(replace(replace(text,
             'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'Ä', 'Ae'), 'Ö', 'Oe'), 'Ü', 'Ue'), 'ß', 'ss'),
             'áàâåãéèêëíìîïóòôøúùûçñÁÀÂÅÉÈÊËÍÎÓÔØÚÛÇ''’`´', 'aaaaaeeeeiiiioooouuucnAAAAEEEEIIOOOUUC'),
           '\m[Ee][ -]?([Mm]ail)', 'e\1', 'g'), '\m([Oo]pt)-(in|out)', '\1 \2', 'g')
$$;
COMMENT ON FUNCTION answers.plain(text) IS 'A text without umlauts, accents and apostrophes.';

CREATE FUNCTION answers.normalize(text text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT lower(answers.plain(text))
$$;
COMMENT ON FUNCTION answers.normalize(text) IS 'A text in the spelling in which words are compared.';

-- How a term is written:
--   word        the word itself
--   word*       a word that begins so; after several words, the last of them
--   *word*      a word with this in it, as in compounds
--   two words   words that follow each other
--   one .. two  both words in this order, with others between: the separable verbs of German and Dutch
CREATE TABLE answers.term (
  concept  text NOT NULL,
  language text NOT NULL CHECK (language IN ('en', 'de', 'nl')),
  word     text NOT NULL,
  form     text NOT NULL CHECK (form IN ('exact', 'prefix', 'infix')),
  PRIMARY KEY (word, form, language, concept)
);
COMMENT ON TABLE answers.term IS 'A word or phrase for a concept in a language.';
COMMENT ON COLUMN answers.term.form IS 'exact, prefix (of a word) or infix (of a compound).';

-- The kinds of concepts. `filler` says nothing about the subject; `common` goes with any question about data; `asked` is
-- what kind of thing is wanted; `subject` is what the question is about; `topic` and `item` are those subjects that
-- name a purpose or a kind of data; `foreign` is what no controller answers.
CREATE TABLE answers.concept (
  name text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('filler', 'common', 'asked', 'subject', 'topic', 'item', 'foreign'))
);
COMMENT ON TABLE answers.concept IS 'What words stand for.';

CREATE TEMP TABLE word_list (kind text, concept text, en text, de text, nl text) ON COMMIT DROP;

-- Who speaks, and the small words.
INSERT INTO word_list VALUES
('filler', 'you',
 'you, youre, youve, yourself, your, yours, u, ur, we',
 'sie, ihr, ihnen, ihre, ihren, ihrem, ihrer, ihres, euch, euer, eure, euren, eurem, eurer, du, dir, dich, dein*',
 'u, uw, jullie, je, jij, jouw'),
('filler', 'your', 'your, yours', 'ihre, ihren, ihrem, ihrer, ihres, euer, eure, euren, eurem, eurer', 'uw, jullie, jouw'),
('filler', 'me',
 'i, im, ive, id, me, my, mine, myself, our, us',
 'ich, mir, mich, mein, meine, meinen, meinem, meiner, meines, unser*, uns',
 'ik, mij, me, mijn, mn, ons, onze'),
('filler', 'not',
 'not, dont, doesnt, didnt, isnt, arent, wont, never, no, without, cannot, cant',
 'nicht, nie, niemals, kein, keine, keinen, keinem, keiner, ohne, nichts',
 'niet, nooit, geen, zonder, niets, niks'),
('filler', 'may',
 'may, can, could, might, able, allowed, possible, option, entitled',
 'kann, koennen, koennte, koennten, koennt, kannst, darf, duerfen, duerfte, moeglich, moeglichkeit, erlaubt, laesst',
 'kan, kunnen, kunt, mag, mogen, mogelijk, mogelijkheid, zou'),
('filler', 'how', 'how, way, steps, procedure', 'wie, weg, vorgehen, vorgang', 'hoe, manier, stappen'),
('filler', 'which', 'which, what, whats, kind, kinds, type, types, sort, category, categories, list',
 'welche, welcher, welches, welchen, welchem, was, art, arten, kategorien, kategorie, liste',
 'welke, welk, wat, soort, soorten, categorieen, categorie, lijst'),
('filler', 'filler',
 'a, an, any, the, this, that, these, those, there, here, it, its, they, them, their, he, she, is, are, was, were, be, been, being, am, do, does, did, done, doing,
  have, has, had, having, will, would, shall, should, to, of, in, on, at, by, for, from, with, about, into, onto, as, if, or, and, but, so, than, then, too, also, just, only, even,
  yes, ok, okay, please, pls, thanks, thank, hi, hello, hey, dear, sir, madam, good, morning, evening, day, want, wanted, wants, like, id like, need to, know, tell, say, says, said, explain, wonder, wondering,
  ask, asking, curious, interested, actually, really, exactly, currently, now, right, true, correct that, sure, well, still, again, ever, always, sometimes, usually, all, every, each, everything, anything, something, else, other, others, some, more, most, much, many,
  get, gets, got, getting, give, given, make, made, makes, take, takes, let, go, goes, going, put, come, comes, think, understand, believe, hear, heard, read, saw, mean, happen, happens, happened, one, ones, thing, things, stuff, case, regarding, concerning, roughly, approximately, love, bits, asked, sit, sits, after all, two, three, four, five, six, ten, twelve, away, unwanted, unsolicited, hired, according, under, up, out, off, over, down, back,
  when i, because, while, after, before, since, during, between, within, through, years, year, months, month, weeks, week, days, ago, last, next, time, times, long time, couple, few, old, new, customer, customers, client, clients, user, member, person, people, someone, somebody, anyone, anybody, nobody, everyone,
  used, using, using your, website, site, online, internet, web, app, shop, store, company, firm, organisation, organization, business, service, services, place, system, systems, computer, side, end, part, whole, full, simple, easy, easily, quickly, question, questions, answer me, quick, help, wish, would like, what about, regards, kind regards, both, either, another, apply, applies, how about, currently, correct, anymore, any more, longer, already a, apply to me, happy, unhappy, lots, lot, per, via, me about, your own,
  whether, bit, once, theyve, theyre, though, although, anywhere, somewhere, elsewhere, gave, told, honest, honestly, shame, yet, maybe, perhaps, probably, possibly, simply, basically, generally, especially, specifically, properly, completely, entirely, fully, immediately, soon, later, today, recently, first, finally, same, different, own, such, very, quite, rather, pretty, little, big, large, small, bad, best, better, nice,
  folks, guys, peoples, everybody, whatever, whenever, wherever, however, therefore, thus, anyway, besides, plus, except, instead, towards, against, among, across, along, around, behind, beyond, unless, despite, due, cause, cos, cuz, wasnt, werent, hasnt, havent, hadnt, shouldnt, wouldnt, couldnt, theres, thats, hows, wheres, lets, ill, youll, youd, theyd, weve, gonna, wanna, gotta, asap, plz, thx,
  hope, hoping, try, trying, tried, seem, seems, look, looking, find, found, start, started, certain, clear, clearly, important, wonder, letter, message, worried, concerned, confused, annoyed, joined, join, signed, visited, visit, called, companies, companys, firms, customers data, personally, constantly, keep getting, any time, exact, actual, anyhow, respect to, regard, related, relating, involved, individual, individuals, whos data',
 'der, die, das, den, dem, des, ein, eine, einen, einem, einer, eines, dies, diese, dieser, dieses, diesen, diesem, jene, es, er, man, sich, ist, sind, war, waren, sein, bin, seid, wird, werden, wurde, worden, hat, haben, hatte, habe, habt, hast,
  zu, von, vom, in, im, ins, an, am, auf, aus, bei, beim, mit, fuer, ueber, unter, um, nach, durch, gegen, bis, seit, vor, zum, zur, als, wenn, ob, oder, und, aber, sondern, dann, denn, da, dass, damit, so, auch, nur, sogar, noch, schon einmal, mal, doch, ja, nein, wohl, eben, halt, eigentlich, ueberhaupt, denn, genau, wirklich, gerade, derzeit, jetzt, immer, manchmal, wieder, also, oder, richtig, stimmt, wahr, sicher dass, hier, dort, dazu, dabei, davon, daran, darum, damals, alles, alle, allen, aller, jede, jeder, jedes, jeden, etwas, irgendetwas, irgendwas, irgendwo, anderes, andere, anderen, mehr, viel, viele, einige, bitte, danke, hallo, hi, guten, tag, morgen, abend, sehr, geehrte, damen, herren, liebe, gruesse, freundliche, freundlichen,
  moechte, moechten, will, wollen, wuerde, wuerden, gerne, gern, soll, sollte, sollen, wissen, sagen, sag, sagt, erklaeren, fragen, frage, interessiert, bekomme, bekommen, kriege, kriegen, bekommt, erhalte, erhalten, mache, machen, macht, tun, tut, gehen, geht, kommt, komme, kommen, gibt, geben, gebt, gibts, lassen, lasse, findet, finde, finden, steht, stehen, liegt, liegen, passiert, geschieht, bleibt, bleiben, uebrig, heisst, bedeutet, verstehen, glaube, denke, gelesen, gehoert, eigene, eigenen, person, personen, jemand, jemanden, niemand, irgendwelche, leute, kunde, kunden, kundin, mitglied, nutzer, sache, sachen, ding, fall, falls, weil, waehrend, nachdem, bevor, jahre, jahren, jahr, monate, monat, wochen, tage, letzte, letzten, letztes, neu, neue, neuen, alt, alte, alten, zeit, website, webseite, seite, internet, online, app, shop, firma, unternehmen, betrieb, organisation, ganz, ganze, einfach, schnell, hilfe, wer weiss, beispiel, zum beispiel, zb, bezueglich, laut, gemaess, irgendwann, spaeter, sonst, meiner seite, jeweils, alle meine, saemtliche, saemtlichen, zuletzt, lautet, lauten, sofort, umgehend, heraus, werde, wirst, wuerdet, lange, bekaeme, schriftlich, angeben, her, herum, hin, ran, raus, rein, los, bestimmte, bestimmten, bisschen, allem, zwei, drei, vier, fuenf, sechs, zehn, zwoelf, treffen, trifft, trefft, getroffen, faellt, faellen, gilt, beruht, rueckwirkend, erstellen, erstellt, angelegt, unerwuenscht*, ungefragt, monaten, tagen, anlegen, nachher, allgemein, irgendwem, irgendjemand*, bestehende, noetige, gespeicherten, gespeicherte, euer unternehmen, na, ab wann, dich, wem gegenueber,
  sobald, solange, obwohl, trotzdem, dennoch, deshalb, daher, somit, ausserdem, zudem, nebenbei, uebrigens, vielleicht, wahrscheinlich, bestimmt, hoffentlich, leider, natuerlich, selbstverstaendlich, grundsaetzlich, normalerweise, generell, speziell, komplett, komplette, vollstaendig, endgueltig, dauerhaft, ehrlich, wollte, wollten, gewusst, staendig, dauernd, jederzeit, tatsaechlich, angeblich, heute, gestern, frueher, kuerzlich, neulich, demnaechst, bald, danach, vorher, nachher, zuerst, mehrmals, selten, gut, schlecht, besser, gross, klein, gleich, gleichen, selbe, verschiedene, solche, solchen, beide, beiden, mehrere, wenig, wenige, genug, ziemlich, etwa, ungefaehr, circa,
  trotz, wegen, statt, ausser, zwischen, gegenueber, hinter, neben, dafuer, dagegen, daraus, darauf, darin, darueber, dadurch, dessen, deren, wessen, wobei, wodurch, womit, worauf, worin, worueber, konkret, konkrete, konkreten, genauer, naeher, brief, nachricht, problem, thema, verstehe, denken, weiss, wusste, kenne, suche, suchen, hoffe, waere, waeren, haette, haetten, duerft, moegt, wollt, willst, sollt, nen, ne, nun, ach, hm, moin, servus, vielen, mfg, lg, frau, herr, betrifft, betreffend, betroffen, angeht, haengt, aktuell, jemals, ueberall, irgendein, irgendeine, irgendeinen, einzelne, einzelnen, jemandem, gegeben, gesagt, erzaehlt, verlange, verlangen, fordern',
 'de, het, een, dit, dat, deze, die, er, hier, daar, hij, zij, ze, is, zijn, was, waren, ben, bent, wordt, worden, werd, heb, hebt, heeft, hebben, had,
  te, van, voor, in, op, aan, bij, met, over, om, uit, naar, door, tot, sinds, onder, als, of, en, maar, dan, dus, toch, ook, alleen, zelfs, nog, wel, eens, ja, nee, oke, eigenlijk, precies, echt, nu, momenteel, altijd, soms, klopt, waar dat, alles, alle, al, allemaal, elke, elk, ieder, iedere, iets, ergens, andere, ander, meer, veel, enkele, sommige, alstublieft, graag, bedankt, dank, hallo, hoi, goedemorgen, goedemiddag, goedendag, dag, beste, geachte, heer, mevrouw, groet, groeten,
  wil, willen, wilt, zou, zouden, zal, zullen, moeten we, weten, weet, vertellen, vertel, zeggen, zeg, uitleggen, vragen, vraag, vraagje, krijg, krijgen, krijgt, geven, geeft, geef, doe, doen, doet, maken, maakt, ga, gaan, gaat, kom, komen, komt, laat, laten, vind, vinden, staat, staan, gebeurt, gebeuren, blijft, blijven, over, betekent, begrijpen, denk, gelezen, gehoord, eigen, persoon, personen, iemand, niemand, mensen, klant, klanten, lid, gebruiker, gast, zaak, ding, geval, omdat, terwijl, nadat, voordat, jaar, jaren, maand, maanden, week, weken, dagen, laatst, laatste, nieuw, nieuwe, oud, oude, tijd, website, site, pagina, internet, online, app, winkel, bedrijf, onderneming, organisatie, heel, hele, gewoon, snel, hulp, bijvoorbeeld, bv, betreffende, volgens, ooit, later, terecht, af, mee, heen, zelf, zo, zoiets, namelijk, eerder, eerdere, soort van, me, allen, zoals, hoor, dienen, indienen, indien, dien, verzoek ik, terug, twee, drie, vier, vijf, zes, tien, twaalf, neem, neemt, nemen, genomen, tegen, ongevraagd*, ongewenst*, heen, gemaakt, opgesteld, geldt, zomaar, geweest, gedaan, daarna,
  zodra, zolang, hoewel, daarom, bovendien, trouwens, misschien, waarschijnlijk, hopelijk, helaas, natuurlijk, normaal, algemeen, speciaal, compleet, volledig, definitief, blijvend, eerlijk, steeds, telkens, daadwerkelijk, vandaag, gisteren, vroeger, onlangs, binnenkort, direct, meteen, onmiddellijk, eerst, zelden, goed, slecht, beter, groot, klein, zelfde, dezelfde, hetzelfde, verschillende, zulke, beide, meerdere, weinig, genoeg, erg, vrij, ongeveer, circa, ondanks, wegens, behalve, tussen, tegenover, achter, naast, daarvoor, daarop, daarin, daarover, daardoor, waarvan, waarbij, waarmee, waarop, waarin, waarover, wiens, concreet, concrete, precieze, brief, bericht, probleem, onderwerp, begrijp, snap, denken, wist, kent, ken, zoek, zoeken, hoop, geloof, hadden, mochten, wilden, wou, effe, even, nou, groetjes, mvg, betreft, hangt, vroeg, straks,
  gegeven hebben, gezegd, verteld, actueel nu, overal, een of andere, bepaalde, afzonderlijke, personen, bedrijven, eenmaal, helemaal, verder, vooral'),
-- What kind of thing is wanted.
('asked', 'how_long',
 'how long, after .. years, after .. months, after .. year, after .. days, than .. years, than .. months, kept .. years, kept .. months, keep .. years, keep .. months, after how many, forever, for ever, how many years, how many months, how many days, until when, for how many, duration, period, length of time',
 'wie lange, wie lang, nach .. jahren, nach .. monaten, nach .. jahr, als .. jahre, als .. monate, speichert .. jahre, speichern .. jahre, jahre .. gespeichert, jahre .. aufbewahrt, jahre lang, nach wie vielen, ewig, fuer immer, bis wann, wie viele jahre, wie viele monate, dauer, zeitraum, frist, fristen',
 'hoe lang, hoelang, na .. jaar, na .. maanden, dan .. jaar, dan .. maanden, bewaart .. jaar, bewaren .. jaar, jaar .. bewaard, na hoeveel, eeuwig, voor altijd, tot wanneer, hoeveel jaar, hoeveel maanden, duur, termijn, termijnen, periode'),
('asked', 'when', 'when, what point', 'wann, ab wann, zeitpunkt', 'wanneer, tijdstip'),
('asked', 'who', 'who, whom, whos, nobody else, no one else, anyone else, someone else, anybody else, which companies, which company, which firms, which organisations, which organizations, which parties, which partners, names of companies',
 'wer, wem, wen, niemand sonst, sonst niemand, sonst jemand, jemand anderes, andere leute, welche firmen, welche firma, welche unternehmen, welche stellen, welche partner', 'wie, niemand anders, iemand anders, anderen, welke bedrijven, welk bedrijf, welke partijen, welke partners, welke organisaties'),
('asked', 'where', 'where, in the uk, in britain, in england, in germany, in the netherlands, in this country, within the uk, which country, which countries, location of, which server, which servers', 'wo, in deutschland, in oesterreich, innerhalb deutschlands, wohin, welchem land, welchen laendern, welches land, standort, welchem server, welchen servern, serverstandort', 'waar, in nederland, in belgie, in duitsland, binnen nederland, waarheen, welk land, welke landen, locatie, welke server, welke servers'),
('asked', 'origin', 'where did, where do you get, where have you got, how did you get, where you got, source of, come from, came from, obtained', 'woher', 'waar .. vandaan, waarvandaan, hoe komen jullie aan, hoe komt u aan'),
('asked', 'why', 'why, what for, do you do with, do with my, does with my, happens to my, happens with my, happen to my, happen with my, being done with, reason, reasons, how come, for what, what do you use .. for, what are .. for', 'macht ihr mit, machen sie mit, macht man mit, passiert mit, geschieht mit, warum, wieso, weshalb, wozu, wofuer, weswegen, grund, gruende, zu welchem', 'doet u met, doen jullie met, doen ze met, gebeurt er met, gebeurt met, waarom, waarvoor, waartoe, reden, redenen'),
('asked', 'how_often', 'how often, how many times, frequency', 'wie oft, wie haeufig', 'hoe vaak, hoe dikwijls'),
('asked', 'cost', 'cost, costs, fee, fees, price, prices, free of charge, free, pay for, charge, charged, how much, expensive', 'kosten, kostet, kostenlos, gebuehr*, unentgeltlich, gratis, preis, preise, bezahlen, wie viel, wieviel, kostenpflichtig', 'kost, kosten, kosteloos, gratis, vergoeding, prijs, prijzen, betalen, hoeveel, duur is'),
('asked', 'must', 'must, am i obliged, am i required, do i have to, have to, need, needs, needed, required, necessary, mandatory, obliged, obligatory, compulsory', 'muss, bin ich verpflichtet, verpflichtet, muessen, muesste, brauche, brauchen, braucht, noetig, gebraucht, notwendig, erforderlich, pflicht, benoetigen, benoetigt, benoetige, zwingend', 'moet, ben ik verplicht, moeten, nodig, verplicht, noodzakelijk, vereist'),
('asked', 'voluntary', 'voluntary, voluntarily, optional', 'freiwillig, freiwillige, optional', 'vrijwillig, vrijwillige, optioneel'),
('asked', 'deadline', 'deadline, how much time, how soon, how quickly, how fast, within what time, response time, turnaround', 'wie viel zeit, wieviel zeit, wie schnell, bearbeitungszeit, bearbeitungsdauer, antwortfrist, wie zuegig, dauert es, dauert das', 'hoe snel, hoeveel tijd, binnen welke termijn, reactietijd, behandeltijd, antwoordtermijn, duurt het, duurt dat'),
('asked', 'answer', 'answer, answers, answered, reply, replies, response, respond, hear back, wait, waiting, take, takes', 'innerhalb, antwort, beantwortet, beantworten, antwortet, antworten, rueckmeldung, reaktion, warten, dauert, dauern', 'antwoord, beantwoord, beantwoorden, antwoorden, reactie, reageren, wachten, duurt, duren');

-- What goes with any question about data.
INSERT INTO word_list VALUES
('common', 'data',
 'data, info, information, details, detail, record, records, file, files, personal, pii, database, databases, dataset, particulars, personal data, personal information, medical records, medical record, medical file, patient records, patient file, health records',
 'daten, *daten, *daten*, angaben, angabe, information, informationen, infos, info, datensatz, datensaetze, akte, akten, unterlagen, personenbezogen*, persoenliche, persoenlichen, datenbank, personendaten, patientenakte*, krankenakte*, kundenakte*',
 'gegevens, gegeven, *gegevens*, data, info, informatie, dossier, dossiers, medisch dossier, patientendossier*, zorgdossier*, clientdossier*, bestand, bestanden, database, persoonlijke, persoonlijk'),
('common', 'privacy', 'privacy, data protection, protection of data', 'datenschutz, privatsphaere', 'privacy, gegevensbescherming, dataprotectie, avg zaken'),
('common', 'about_me', 'about me, know about me, you know about, on me, of me, on file, about myself, about customers, me on file', 'ueber mich, ueber mich wissen, zu mir, von mir, meiner person, ueber kunden, zu meiner', 'over mij, over mij weten, van mij, van me, over me, over ons, over klanten'),
('common', 'keep',
 'server, servers, keep, keeps, kept, keeping, store, stores, stored, storing, save, saved, saves, hold, holds, held, holding, retain*, storage, archive*, hang on to, hold on to, remain, remains, stay, stays',
 'speicher, speichern, speichert, gespeichert, speicherung, aufbewahr*, bewahr*, aufgehoben, aufheben, aufhebt, landen, landet, hebt, behalten, behaltet, archivier*, vorhalten, verbleib*, bekannt, vorliegen, liegen .. vor, vorhanden, aufgezeichnet, lagern, lagert, gelagert, server, servern',
 'server, servers, bewaar*, bewaren, bewaard, opslaan, sla, slaat, slaan, opgeslagen, opslag, houden, houdt, vastgelegd, vastleggen, archiver*, bekend, aanhouden, blijven staan'),
('common', 'process',
 'process, processes, processed, processing, use, uses, used for, handle, handled, collect, collects, collected, collecting, gather, gathered, do with, work with, treat, treated, record about',
 'verarbeit*, bearbeit*, datenverarbeitung, nutz*, benutz*, verwend*, erheb*, erhoben, sammel*, gesammelt, erfass*, erfasst, umgang, umgeh*, wertet .. aus, auswert*, setzt .. ein, setzen, setzt',
 'verwerk*, gegevensverwerking, gebruik*, gebruikt, verzamel*, omgaan, plaatsen, plaatst, gaan .. om, gaat .. om, doen met'),
('common', 'know', 'know about me, you know about, do you know where, do you know my, knows about, do you have, have you got, youve got, you have on, got on, you have', 'wissen sie, wisst ihr, ueber mich wissen, haben sie, habt ihr, hast du, kennen sie, kennt ihr, erfahren, herausfinden', 'weten jullie, weet u, over mij weten, heeft u, hebben jullie, hebt u, jullie .. hebben, u .. heeft, te weten komen, erachter komen'),
('common', 'request', 'request, requests, submit, lodge, application for, form, apply for, file a, make a, demand, exercise, claim', 'antrag, antraege, anfrage stellen, beantragen, stellen, stelle, stellt, einreichen, geltend, formular, ersuchen, verlangen, anfordern', 'verzoek, verzoeken, aanvraag, aanvragen, formulier, indienen, uitoefenen');

-- What a question is about.
INSERT INTO word_list VALUES
('subject', 'consent',
 'consent, consents, consented, permission, permissions, agreement to, agree, agreed, agreeing, opt in, approval, accept*, authorise, authorize, authorisation',
 'einwillig*, zustimm*, zugestimmt, eingewilligt, einverstaendnis*, einverstanden, erlaubnis, akzeptier*, genehmigung, erklaerung der einwilligung',
 'toestemm*, toestemming*, instemm*, ingestemd, akkoord, accepter*, goedkeuring, toegestemd'),
('subject', 'withdraw',
 'withdraw*, revoke, revoked, revoking, revocation, retract*, unsubscribe*, unsubscribing, opt out, opting out, opted out, take back, take away, undo, unsign, deregister',
 'widerruf*, zurueckzieh*, zurueckgezogen, zuruecknehm*, ziehe .. zurueck, nehme .. zurueck, abmeld*, abgemeldet, melde .. ab, melden .. ab, abbestell*, bestelle .. ab, austragen, trage .. aus, loswerden, werde .. los, rueckgaengig',
 'intrek*, ingetrokken, trek .. in, trekken .. in, intreken, herroep*, afmeld*, afgemeld, meld .. af, melden .. af, uitschrijv*, uitgeschreven, schrijf .. uit, schrijven .. uit, uitzetten, zet .. uit, opzeggen, terugnemen, terugtrekken'),
('subject', 'stop',
 'stop, stops, stopped, stopping, cancel, end, disable, switch off, turn off, turn it off, get rid of, get out of, get off, take me off, take .. off, no more, dont want, do not want, no longer want, any longer, change my mind, changed my mind, leave',
 'stopp*, aufhoer*, hoert .. auf, beenden, abschalten, ausschalten, deaktivier*, keine .. mehr, kein .. mehr, keinen .. mehr, nicht mehr, abstellen, stelle .. ab, meinung .. aendern, anders ueberlegt, herauskommen, komme .. raus',
 'stop*, ophouden, beeindigen, uitschakelen, schakel .. uit, deactiveren, geen .. meer, niet meer, niet langer, van gedachten veranderd, kom .. af, komen .. af, annuleren mijn toestemming'),
('subject', 'erase',
 'delete*, deleting, deletion, erase*, erasing, erasure, remove, removed, removing, removal, forget me, forgotten, right to be forgotten, be forgotten, destroy*, wipe*, wiping, purge*, scrub, get rid of my data, get rid of everything, clear my data, get rid of my account, get my data deleted, get my data erased, get my data removed, get my data wiped, get my data destroyed',
 'loesch*, geloescht*, *loeschung*, *loeschfrist*, *loeschen*, loesch .. , entfern*, vernicht*, vergessenwerden, vergessen werden, tilg*, weghaben, beseitig*, schliessen sie mein konto',
 'verwijder*, wis, wissen, wist, gewist, vergetelheid, vergeten te worden, vernietig*, *verwijdering*, weghalen, weg te halen, schrappen'),
('subject', 'access',
 'copy of, a copy, copy, copies, overview of, overview, find out, access request, subject access, sar, dsar, right of access, right to access, send .. everything, send .. all, access my data, access to my data, access my personal, inspect, disclosure, send me a copy, send me everything, send me all, send me my, send me what, provide me with, printout, see my, i see my, see my data, see my information, view my data, view my information, view my, see what, see everything, see all, show me, look at my, look into my, get my data, get hold of my data, obtain my data, get all my data, article 15, art 15',
 'kopie, kopien, uebersicht, ueberblick, auskunft, *auskunft*, selbstauskunft, auskunftsrecht, auskunftsersuchen, einsicht, einsehen, datenauskunft, datenkopie, art 15, artikel 15, schicken sie mir alle*, schickt mir alle*, senden sie mir alle*, schick mir alle*, schickt .. alles, schicken .. alles, schick .. alles, senden .. alles, zusenden, zuschicken, meine daten sehen, sehe ich meine, kann ich meine .. sehen, meine daten ansehen, zeigen sie mir, zeigt mir, komme .. an meine, komme ich an meine, bekomme ich meine daten, kriege ich meine daten, erhalte ich meine daten, bekomme ich alle meine, ausdruck, herausgabe',
 'kopie, overzicht, inzage, *inzage*, inzien, afschrift, opvragen, vraag .. op, vragen .. op, artikel 15, art 15, mijn gegevens zien, zie ik mijn, mijn gegevens bekijken, stuur mij alle*, stuur me alle*, laat mij zien, krijg ik mijn gegevens, kom ik aan mijn gegevens, krijg ik al mijn, stuur .. alles, sturen .. alles, toesturen, opsturen'),
('subject', 'rectify',
 'rectif*, correct my, correct the, correct it, correct this, correct wrong, correct errors, corrected, correcting, correction, corrections, amend*, put right, fixed, fix, moved house, moved home, move house, have moved, ive moved, new address, new name, got married, am married',
 'berichtig*, korrigier*, korrektur*, richtigstell*, verbessern, ausbessern, umgezogen, meinem umzug, nach umzug, neue adresse, neuen adresse, neue anschrift, geheiratet',
 'rectific*, corriger*, correctie*, gecorrigeerd, verbeter*, rechtzetten, verhuisd, mijn verhuizing, nieuw adres, nieuwe adres, getrouwd'),
('subject', 'wrong',
 'wrong, incorrect, inaccurate, mistake, mistakes, error, errors, typo, misspelled, misspelt, spelled, spelt, outdated, out of date, update, updated, updating, change, changed, changing, moved, married, edit, modify, incomplete',
 'falsch*, unrichtig*, fehler*, fehlerhaft*, tippfehler, veraltet*, aktualisier*, aender*, geaendert, unvollstaendig*, anpassen, bearbeiten, stimmt nicht, stimmen nicht, schreibfehler, geschrieben',
 'fout, foute, fouten, onjuist*, verkeerd*, typfout*, gespeld, spelfout*, verouderd, bijwerken, actualiser*, wijzig*, aanpass*, aangepast, pas .. aan, passen .. aan, verander*, onvolledig, klopt niet, kloppen niet'),
('subject', 'portability',
 'portab*, export*, machine readable, take my data with, take my data to, move my data, transfer my data to another, transfer my data to a, another provider, other provider, csv, json, download, downloaded, switch provider',
 '*portabil*, *uebertragbarkeit*, mitnehmen, exportier*, export, datenexport, maschinenlesbar*, herunterladen, download, anderen anbieter, anderer anbieter, anbieterwechsel, csv',
 'overdraagbaarheid, *portabiliteit*, overdragen, meenemen, neem .. mee, exporter*, export, downloaden, download, andere aanbieder, machineleesbaar, dataportabiliteit, csv'),
('subject', 'restrict',
 'restrict, restricted, restricting, restriction, restrictions, limit, limiting, freeze, frozen, block my, block processing, block the',
 'einschraenk*, *einschraenkung*, eingeschraenkt, sperr*, gesperrt, blockieren, einfrieren',
 'beperk*, *beperking*, beperken, blokker*, bevriezen, afschermen'),
('subject', 'object',
 'object to, i object, objection, objections, object, objecting, oppose*, refuse, refuse to, say no to, right to object',
 'widersprech*, widerspruch*, *widerspruch*, widerspreche, ablehn*, verweiger*',
 'bezwaar*, verzet, verzetten, weiger*, protest*'),
('subject', 'complain',
 'complain, complaint, complaints, complaining, unhappy with, not happy with, dissatisfied, grievance, report you, report a, ombudsman',
 'beschwer*, *beschwerde*, habe ich ein beschwerderecht, unzufrieden, anzeigen bei, melden bei',
 'klacht*, klag*, klagen, bezwaarschrift, ontevreden, ombudsman, beklag, beklagen'),
('subject', 'authority',
 'authority, supervisory authority, data protection authority, regulator, watchdog, ico, information commissioner, commissioner, supervisory body, dpa, which authority, supervises, regulates, regulate, oversees, oversight',
 '*aufsichtsbehoerde*, aufsicht, behoerde, datenschutzbehoerde, landesbeauftragte*, bundesbeauftragte*, landesdatenschutz*, beaufsichtigt, welche behoerde, kontrollstelle, kontrolliert, ueberwacht, beaufsichtigen',
 'toezichthouder*, autoriteit, autoriteit persoonsgegevens, ap, toezicht, instantie, toezichthoudende, controleert, ziet toe'),
('subject', 'officer',
 'data protection officer, privacy officer, dpo, data protection contact, data protection lead, data privacy officer, data officer, person in charge of privacy, person in charge of data protection, head of privacy, privacy team, privacy contact, officer',
 'datenschutzbeauftragt*, *datenschutzbeauftragt*, datenschuetzer*, dsb, ansprechpartner*, ansprechperson*, beauftragte fuer datenschutz, beauftragten fuer datenschutz, datenschutz beauftragte*, datenschutzteam',
 'functionaris, functionaris voor gegevensbescherming, functionaris gegevensbescherming, fg, privacy officer, privacyfunctionaris, contactpersoon, privacymedewerker, dpo, aanspreekpunt'),
('subject', 'contact',
 'contact, contacts, reach, write to, get in touch, speak to, talk to, turn to, get hold of, call you, email you, phone you',
 'kontakt, kontaktieren, kontaktdaten ihres, erreich*, wende ich mich, wenden, wende, melde ich mich bei, schreibe ich, anrufen, sprechen mit, kontaktadresse, ansprechen, telefonieren, telefonisch, jemandem sprechen',
 'contact, contacteren, contactgegevens van, bereik*, bereiken, wenden, benader*, schrijf ik, bellen, spreken met, mailen'),
('subject', 'responsible',
 'responsible, responsibility, accountable, data controller, controller, in charge, who are you, company behind, who runs, who owns this, imprint, legal entity',
 'verantwortlich*, verantwortung, zustaendig*, wer sind sie, wer seid ihr, impressum, wer steckt',
 'verantwoordelijk*, *verantwoordelijke*, wie bent u, wie zijn jullie, wie zit er achter, colofon, bevoegd*'),
('subject', 'based',
 'based, located, headquarters, headquartered, head office, registered office, registered address, registered, business address, seat, your office, your offices, where are you, where do you sit',
 'sitz, sitzt, firmensitz, ansaessig, sitzen sie, wo sind sie, wo seid ihr, hauptsitz, ihr standort, niederlassung, firmenadresse, firmenanschrift',
 'gevestigd, vestiging, hoofdkantoor, kantoor, waar zit u, waar zitten jullie, statutaire zetel, bezoekadres, vestigingsadres, bedrijfsadres'),
('subject', 'sell',
 'sell, sells, selling, sold, sale, rent out, renting out, trade my, trade with, trade in, make money with, make money from, make money off, monetise, monetize, monetising, monetizing, profit from, resell',
 'verkauf*, verkaeuf*, *verkauf*, vermiet*, verhoeker*, handel mit, handelt .. mit, handeln .. mit, geld mit, geld verdienen, verdient .. geld, verdienen .. geld, weiterverkauf*, adresshaendler*, adresshandel',
 'verkop*, verkoop*, verkocht, doorverkop*, doorverkocht, doorverkoop*, handel in, verhandel*, verhuren, verhuurt, geld verdienen, verdienen .. geld, verdient .. geld'),
('subject', 'share',
 'share, shares, shared, cooperate with, collaborate with, sharing, pass on, give away, given away, pass .. on, passed on, pass my, passing, disclose, disclosed, hand over, hand .. over, give my data, give .. to, forward, forwarded, recipient, recipients, third party, third parties, advertiser*, broker, brokers, outsiders, processor, processors, subprocessors, sub processors, contractors, suppliers, vendors, partners, partner companies, service providers, service provider, outsource*, subcontractors, other companies, other organisations, other firms',
 'weitergeb*, weitergegeben, *weitergabe*, gehen meine daten, gehen daten, gehen die daten, arbeitet .. zusammen, arbeiten .. zusammen, zusammenarbeit*, geben .. heraus, gebt .. heraus, geben .. weiter, gebt .. weiter, gibt .. weiter, gebe .. weiter, weiterleit*, leiten .. weiter, teilen, teilt, geteilt, dritte, dritten, werbetreibende*, werbepartner*, empfaenger*, *empfaenger*, auftragsverarbeit*, dienstleist*, subunternehm*, offenleg*, offengelegt, uebermittel*, herausgeb*, lieferanten, partner, partnern, partnerfirmen, externe, externen, andere firmen, anderen firmen, andere unternehmen, anderen unternehmen, uebergeben, ausgelagert',
 'delen, deelt, deel, gaan mijn gegevens naar, gaan gegevens naar, werkt .. samen, werken .. samen, samenwerk*, gedeeld, derden, adverteerder*, derde partij, derde partijen, ontvanger*, verwerkers, verwerker, doorgeven, doorgegeven, geeft .. door, geven .. door, geef .. door, verstrek*, overhandig*, uitbested*, leverancier*, dienstverlener*, partners, externe partijen, andere bedrijven, andere organisaties, andere partijen, doorgestuurd, doorsturen, doorgespeeld'),
('subject', 'receive',
 'receive, receives, received, gets my, get my data, gets to see, get to see, sees, see, access, have access, has access, access to my, access my data, access to my data, access to the data, looks at, view, views, see my, view my, obtains, looks after, host, hosts, hosted, hosting, works for you, work for you, work with',
 'erhaelt, erhalten, bekommen, kriegen, erhalten .. daten, bekommt, bekommen .. daten, zugriff, zugang, sieht, sehen, einblick, einsicht in, hostet, hosten, hosting, betreibt, empfaengt, zu sehen, meine daten sehen, meine daten ansehen, meine daten einsehen, kriegt, arbeitet .. fuer, arbeitet fuer, mitlesen, liest',
 'ontvang*, krijgt, krijgen, toegang, ziet, zien, inkijken, inzage in, bekijkt, meekijken, meelezen, host, hosten, hosting, beheert, leest, mijn gegevens zien, mijn gegevens bekijken, mijn gegevens inzien, bij kan, erbij kan, werken voor'),
('subject', 'abroad',
 'outside the eu, outside of the eu, outside europe, outside of europe, outside the uk, outside the eea, outside the european, outside the country, non eu, third country, third countries, overseas, abroad, international transfer, international transfers, leave europe, leave the eu, leave the uk, other countries, another country, foreign countries, in the eu, inside the eu, within the eu, within europe, in europe, the states, usa, us, america, united states, china, india, russia, american, cross border, safeguards, adequacy, standard contractual clauses',
 '*drittland*, ausserhalb der eu, ausserhalb europas, ausserhalb von europa, ausserhalb des ewr, drittland, drittlaender*, drittstaat*, ausland, auslaendisch*, usa, amerika, vereinigte staaten, vereinigten staaten, china, indien, russland, uebermittlung in, datenuebermittlung, anderen laendern, andere laender, verlassen, nicht eu, innerhalb der eu, in der eu, in europa, standardvertragsklauseln, garantien, us anbieter*, angemessenheitsbeschluss, transferiert, transfer',
 'buiten de eu, buiten europa, buiten de eer, buiten nederland, derde land, derde landen, buitenland, vs, amerika, verenigde staten, china, india, rusland, doorgifte, andere landen, ander land, landen buiten, binnen de eu, binnen europa, in europa, modelcontract*, waarborg*, adequaatheid*, internationaal, grens'),
('subject', 'transfer', 'transfer, transfers, transferred, transferring, transmit, transmitted, transfer my data', '', ''),
('subject', 'retention',
 'retention, retention period, retention periods, storage period, storage time, shelf life, retention schedule, data retention, retention policy',
 'aufbewahrungsfrist*, aufbewahrungsdauer, aufbewahrungszeit*, speicherdauer, speicherfrist*, *speicherdauer*, loeschfrist*, loeschkonzept, dauer der speicherung, dauer der aufbewahrung, vorhaltedauer',
 'bewaartermijn*, bewaarduur, bewaarperiode*, *bewaartermijn*, opslagduur, bewaarbeleid, opslagtermijn*'),
('subject', 'purpose', 'purpose, purposes, goal, goals, aims', 'zweck, zwecke, zwecken, *zwecke*, verarbeitungszweck*', 'doel, doelen, doeleinde*, verwerkingsdoel*'),
('subject', 'basis',
 'legal basis, lawful basis, legal bases, lawful bases, legal ground, legal grounds, legal justification, lawful, lawfully, lawfulness, legitimate interest, legitimate interests, article 6, art 6, on what basis, on which basis, what basis, basis, legally allowed, legally justified, what right do you, entitles you',
 'rechtsgrundlage*, *rechtsgrundlage*, rechtmaessig*, rechtsgrund, berechtigtes interesse, berechtigte interessen, berechtigten interessen, artikel 6, art 6, gesetzliche grundlage, welcher grundlage, grundlage, mit welchem recht, berechtigt sie',
 'grondslag*, *grondslag*, rechtsgrond*, rechtmatig*, wettelijke basis, gerechtvaardigd belang, gerechtvaardigde belangen, artikel 6, art 6, op basis van, basis, met welk recht'),
('subject', 'law', 'do i have a right, do i have the right, have i got a right, have i the right, gdpr, uk gdpr, dpa 2018, law, legal, legally, statutory, article, regulation', 'habe ich ein recht, habe ich das recht, habe ich recht, habe ich ein beschwerderecht, habe ich anspruch, dsgvo, gdpr, gesetz*, bdsg, recht auf, gesetzlich*, artikel, art, verordnung', 'heb ik recht, heb ik het recht, heb ik een recht, avg, gdpr, wet, wettelijk*, uavg, artikel, art, verordening, recht op'),
('subject', 'rights', 'my rights, rights, rights do i have, what rights, am i entitled, entitled to', 'rechte, rechten, betroffenenrechte*, *rechte, meine rechte, welche rechte, rechte habe ich, anspruch, ansprueche, was darf ich, was kann ich', 'rechten, mijn rechten, welke rechten, rechten heb ik, wat mag ik, wat kan ik, privacyrechten'),
('subject', 'gpc', 'global privacy control, gpc, do not track, dnt, privacy signal, browser signal, opt out signal', 'global privacy control, gpc, do not track, dnt, browsersignal, signal', 'global privacy control, gpc, do not track, dnt, browsersignaal, signaal'),
('subject', 'respect', 'respect*, react to, honour*, honor*, observe, comply, complies, compliant, compliance, support, recognise, recognize, follow', 'beacht*, reagier*, respektier*, beruecksichtig*, haltet, halten, unterstuetz*, befolg*', 'respecteer*, reageer*, respecteren, honoreer*, honoreren, houdt u zich, ondersteun*, volgt, rekening'),
('subject', 'cookies', 'cookie, cookies, cookie banner, pixel, pixels, local storage', '*cookie*, pixel', '*cookie*, pixels'),
('subject', 'security', 'secure*, secured, security, protect, protected, protecting, safe, safely, safety, encrypt*, encryption, password*, hackers, firewall, two factor', 'sicher, sicherheit*, *sicherheit*, schuetz*, geschuetzt*, verschluessel*, abgesichert, passwort*, passwoerter, hacker, schutz', 'veilig*, beveilig*, beschermt, beschermen, beschermd, versleutel*, wachtwoord*, hackers, bescherming'),
('subject', 'breach', 'breach*, hacked, leak, leaked, leaks, stolen, data loss, lost my data, cyber attack, incident*', '*datenpanne*, datenleck*, gehackt, *leck, gestohlen, datenverlust, angriff*, geleakt, panne*', 'datalek*, gehackt, gelekt, gestolen, lek, incident*, inbraak'),
('subject', 'automated', 'automated decision*, automatic decision*, automatically decide*, decide automatically, decided automatically, automated decision making, article 22, art 22, credit score, scoring', 'automatisierte entscheidung*, automatisierten entscheidung*, automatische entscheidung*, automatischen entscheidung*, art 22, artikel 22, scoring, *entscheidungsfindung', 'geautomatiseerde besluit*, geautomatiseerde beslissing*, automatische besluit*, automatische beslissing*, *besluitvorming*, artikel 22, art 22, kredietscore, scoring'),
('subject', 'machine', 'automated, automatic, automatically, algorithm*, ai, artificial intelligence, machine learning, computer, computers, machine, machines, robot*, without a human, human, humans', 'automatisiert*, automatisch*, algorithm*, ki, kuenstliche intelligenz, maschinell*, computer, maschine*, mensch, automat*, roboter*', 'geautomatiseerd*, automatisch*, algoritm*, ai, kunstmatige intelligentie, computer*, machine*, mens, robot*'),
('subject', 'decide', 'decision*, decide, decides, decided, deciding, make decisions, take decisions, review a decision, review the decision', 'entscheid*, entschieden, *entscheidung*', 'beslis*, besluit*, beslissing*'),
('subject', 'children', 'child, childs, children, childrens, under 16s, under 13s, 16s, 13s, kid, kids, minor, minors, underage, teenager*, under 16, under 13, pupil*, my son, my daughter', 'kind, kinder*, kindern, kindes, minderjaehrig*, jugendlich*, schueler*, mein sohn, meine tochter', 'kind, kinderen, minderjarig*, jongeren, leerling*, mijn zoon, mijn dochter'),
('subject', 'special', 'sensitive, sensitive data, special category, special categories, health data, health information, health, medical, disability, religion, religious, ethnic*, biometric*, sexual*, political, trade union, article 9', 'sensib*, besondere kategorien, besonderer kategorien, besonders geschuetzt*, *gesundheit*, medizinisch*, *behinder*, religi*, ethnisch*, biometr*, sexuell*, politisch*, gewerkschaft*, artikel 9, art 9', 'gevoelig*, bijzondere categorie*, bijzondere persoonsgegevens, bijzondere gegevens, *gezondheid*, medisch*, *beperking heb, handicap*, religi*, godsdienst*, etnisch*, biometr*, seksue*, politiek*, vakbond, artikel 9'),
('subject', 'data_map', 'data map, data overview', 'datenuebersicht, datenkarte', 'gegevensoverzicht, dataoverzicht'),
('subject', 'notice', 'privacy notice, privacy policy, privacy statement, data protection notice, notice, policy', 'datenschutzerklaerung*, datenschutzhinweis*, datenschutzinformation*, *datenschutzerklaerung*, datenschutzbestimmung*', 'privacyverklaring*, privacybeleid, privacystatement, privacyreglement, verklaring'),
('subject', 'version', 'version, how old is, last changed, last updated, updated last, latest version, how old, date of, published, publish', 'version, wie alt ist, fassung, stand, zuletzt geaendert, letzte aenderung, veroeffentlicht, aktuell*', 'versie, hoe oud, laatst gewijzigd, laatste wijziging, gepubliceerd, actueel, laatst bijgewerkt'),
('subject', 'renew', 'renew*, valid, validity, expire*, expiry, run out, ask me again, ask again', 'erneuer*, gueltig*, ablaufen, laeuft .. ab, verfaellt, erneut fragen, wieder fragen', 'verleng*, vernieuw*, geldig*, verloopt, verlopen, opnieuw vragen'),
('subject', 'send', 'send, sends, sent, sending, mail me, emails from you, receive emails', 'schick*, send*, versend*, verschick*, gesendet, zugesandt', 'stuur*, sturen, verstuur*, verzend*, versturen, gestuurd'),
('subject', 'leave', 'when i leave, after i leave, if i leave, am no longer, stopped being, stop being, leave you, leaving, quit, close my account, cancel my contract, cancel my account, no longer a customer', 'kuendige, kuendigen, kuendigung, gekuendigt, kein kunde mehr, keine kundin mehr, nicht mehr kunde, kunde .. mehr, weggehe, wechsle', 'vertrek, vertrekken, wegga, weggaan, opzeg, opzeg mijn contract, geen klant meer, account opheffen, klant .. meer'),
('subject', 'money', 'money, paid, profit', 'geld, profit, gewinn', 'geld, winst');

-- The subjects that name a purpose.
INSERT INTO word_list VALUES
('topic', 'titled', '', '', ''),
('topic', 'account', 'account, accounts, customer account, my account, user account, login, log in, membership, registration, member account', '*konto, kundenkonto, konto, kontos, konten, benutzerkonto, mitgliedschaft, registrierung, anmeldung, login, kundenprofil', 'account, accounts, klantaccount, *account, lidmaatschap, registratie, inloggen'),
('topic', 'order', 'order, orders, ordered, ordering, delivery, deliveries, delivering, deliver, contract, contracts, booking, bookings, reservation, reservations, purchase, purchases, shipping, performance of contract, performing our contract, tenancy, lease', 'bestell*, bestellung*, liefer*, vertrag*, *vertrag, *vertrags, buchung*, reservier*, kauf, kaeufe, einkauf*, einkaeufe, versand, mietvertrag', 'bestelling*, bestel*, lever*, levering*, contract, contracten, overeenkomst*, boeking*, reserver*, aankoop, aankopen, verzending, bezorg*'),
('topic', 'care', 'treatment, treatments, care, medical treatment, patient account', 'behandlung*, *behandlungen, sehhilfen, patientenkonto, pflege', 'behandeling*, zorg, verzorging'),
('topic', 'appointment', 'appointments, appointment data', 'termine und leistungen, termindaten', 'afspraken en levering, afspraken en verrichtingen'),
('topic', 'accounting', 'accounting, accounts department, bookkeeping, tax, taxes, invoice, invoices, invoicing, bill, bills, receipt, receipts, payment records, payment, payments, billing, tax records, financial records', 'buchhaltung*, buchfuehrung, steuer*, rechnung, rechnungen, *rechnung, *rechnungen, belege, quittung*, zahlungsbeleg*, zahlung*, abrechnung*', 'boekhoud*, *boekhouding, administratie, belasting*, factuur, facturen, *facturen, bonnen, betaling*, *betalingen, betalingsgegevens, rekeningafschrift*, nota, notas'),
('topic', 'newsletter', 'newsletter*, news letter, mailing, mailings, mailing list, marketing, advertising, adverts, advert, ads, promotional, promotions, promotion, spam, spamming, email marketing, offers, special offers, direct marketing, marketing emails, junk mail, offers by email, news and offers', 'newsletter*, werbezweck*, rundbrief*, rundschreiben, werbung*, werben, werbemail*, werbepost, werbeanrufe, emailwerbung, briefwerbung, direktwerbung, marketing, mailing*, spam, reklame, verteiler, angebote, infomail*, angebote per', 'nieuwsbrie*, newsletter*, mailing*, mailinglijst, marketing, reclame*, reclamedoeleinden, advertent*, spam, aanbiedingen, promotie*, direct marketing'),
('topic', 'statistics', 'statistic*, stats, website stats, website statistics, analytics, web analytics, visitor statistics, page views, tracking, track, tracks, tracked, tracker, trackers, usage analysis, visitor counts, google analytics use', 'statistik*, *statistik*, analytics, webanalyse, besucherzahlen, reichweitenmessung, tracking, trackt, tracken, getrackt, verfolg*, besuchermessung, nutzungsanalyse, *analyse', 'statistiek*, *statistieken*, analytics, webanalyse, bezoekcijfers, tracking, tracken, trackt, volgen, volgt u mij, gevolgd, bezoekersmeting'),
('topic', 'recommendations', 'recommend*, personalis*, personaliz*, personal offers, personalised offers, profiling, profile me, profiles of me, profiles, profile of me, build a profile, profile about me, profile on me, suggestions, tailored, targeted, interests', 'empfehl*, personalisier*, *empfehlungen, persoenliche angebote, profiling, profilbildung, *profilbildung, profil von mir, profil ueber mich, profil von uns, profil, profile, profilen, kundenprofile, vorschlaege, zugeschnitten*, interessen', 'aanbevel*, *aanbevelingen, personalis*, gepersonaliseerd*, persoonlijke aanbiedingen, profiling, profilering, profielen, profiel, profiel van mij, profiel over mij, suggesties, op maat, interesses'),
('topic', 'fraud', 'fraud*, misuse, abuse, suspicious, unusual sign ins, unusual payments', 'betrug*, *betrug*, missbrauch*, *missbrauch*, verdaechtig*', 'fraude*, *fraude*, misbruik*, verdacht*'),
('topic', 'survey', 'survey, surveys, questionnaire*, feedback, satisfaction, customer survey, customer surveys, poll, polls, market research', '*befragung*, umfrage*, *umfrage*, fragebogen, zufriedenheit*, feedback, marktforschung', '*onderzoek, klantonderzoek*, enquete*, *enquete*, vragenlijst*, tevredenheid*, feedback, peiling*'),
('topic', 'application', 'application, applications, job application, job applications, applicant, applicants, apply for a job, applied for a job, candidate, candidates, cv, cvs, resume, recruitment, recruiting, job, position, vacancy, vacancies', '*bewerb*, lebenslauf, lebenslaeufe, stelle beworben, kandidat*, personalauswahl, recruiting, stellenanzeige*, job', 'sollicit*, *sollicitatie*, cv, kandidaat, kandidaten, vacature*, werving, baan'),
('topic', 'enquiry', 'enquiry, enquiries, inquiry, inquiries, customer service, conversation, conversations, phone calls, calls, call records, call recording, correspondence, support tickets, support ticket, support requests, chat, chats, call recordings, letters', '*anfragen, anfrage, kundendienst, kundenservice, gespraech*, telefonat*, schriftwechsel, korrespondenz, support, supportanfragen, anruf, anrufe, chat*', 'klantenservice, gesprek*, correspondentie, telefoongesprek*, helpdesk, chat*, vragen van klanten, beantwoording van');

-- The subjects that name a kind of data.
INSERT INTO word_list VALUES
('item', 'labelled', '', '', ''),
('item', 'name', 'name, names, surname, first name, last name, maiden name', 'name, namen, vorname*, nachname*, familienname', 'naam, namen, voornaam, achternaam'),
('item', 'email', 'email, emails, email address, email addresses, email adress, mails', 'email, emails, mails, emailadresse*, mailadresse*, email adresse, mail adresse', 'email, emails, mails, mailtje*, emailadres*, mailadres*, email adres, mail adres'),
('item', 'phone', 'telephone, phone, phone number, telephone number, phone numbers, mobile number, mobile, telephone numbers', 'telefonnummer*, telefon, handynummer*, rufnummer*, mobilnummer*, handy', 'telefoonnummer*, telefoon, mobiele nummer, mobiel nummer, 06 nummer, telefoonnr'),
('item', 'address', 'address, addresses, postal address, home address, where i live, postcode, street, know where i live', 'adresse, adressen, anschrift, anschriften, postanschrift, wohnort, postleitzahl, wohnanschrift, rechnungsanschrift', 'adres, adressen, postadres, woonadres, woonplaats, postcode, adresgegevens'),
('item', 'bank', 'bank account, bank accounts, bank details, account number, iban, credit card, card details, card number, bank data, bank account number, sort code, credit cards', 'bankverbindung*, iban, kontonummer*, bankkonto, kreditkarte*, kreditkartendaten, bankdaten, kontodaten, kontoverbindung', 'bankrekening*, rekeningnummer*, bankrekeningnummer*, iban, creditcard*, bankgegevens, rekeningnr'),
('item', 'payment_method', 'payment method, payment methods, means of payment', 'zahlungsart*, zahlungsmittel, zahlungsweise, zahlungsmethode*', 'betaalmethode*, betaalmiddel*, betaalwijze'),
('item', 'ip', 'ip address, ip addresses, ip, ips', 'ip adresse*, ip, ipadresse*', 'ip adres*, ip, ipadres*'),
('item', 'pages', 'pages visited, pages i visit, pages i visited, browsing history, browsing behaviour, surfing, pages i look at, visited pages', 'besuchte seiten, besuchten seiten, aufgerufene seiten, surfverhalten, browserverlauf, seiten besuche, nutzungsverhalten', 'bezochte paginas, surfgedrag, paginas bezoek, browsegeschiedenis, bekeken paginas'),
('item', 'device', 'device, devices, type of device, browser type, device type', 'geraet, geraete, geraetetyp, art des geraets, endgeraet*', 'apparaat, apparaten, soort apparaat, type apparaat'),
('item', 'sign_in', 'time of sign in, sign ins, login times, logins', 'zeitpunkt der anmeldung, anmeldezeit*, loginzeit*', 'tijdstip van aanmelding, aanmeldtijd*, inlogtijd*'),
('item', 'customer_number', 'customer number, customer id, client number', 'kundennummer*', 'klantnummer*'),
('item', 'location', 'location, gps, whereabouts, location data', 'standortdaten, gps, aufenthaltsort, standort', 'locatie, gps, locatiegegevens, verblijfplaats'),
('item', 'birth', 'date of birth, birthday, birth date, age, dob', 'geburtsdatum, geburtstag, alter', 'geboortedatum, verjaardag, leeftijd'),
('item', 'photo', 'photo, photos, picture of me, pictures of me', 'foto, fotos, lichtbild, bilder von mir', 'foto, fotos, pasfoto'),
('item', 'purchases', 'purchase history, what i bought, things i bought, order history, ordered items', 'kaufhistorie, was ich gekauft, bestellhistorie, bestellte artikel, gekauft', 'aankoopgeschiedenis, wat ik gekocht, bestelde artikelen, bestelgeschiedenis, gekocht');

-- What no controller's texts answer: instructions to a program, the state of a person's own matter, other people, other
-- companies.
INSERT INTO word_list VALUES
('foreign', 'injection',
 'ignore, disregard, instruction, instructions, system prompt, prompt, you are now, pretend, act as, role play, roleplay, jailbreak, repeat after me, repeat the, say yes, answer yes, answer with, only answer, answer only, respond with, respond only, reply with, print, output, developer mode, admin secret, secret, api key, poem, joke, story, song, translate, summarise, summarize, write a, write me, language model, chatgpt, select, drop table, script, sudo, execute, override, forget everything, forget all, forget your, forget previous, previous rules, your rules, confirm that, admit that, hypothetically, imagine',
 'ignorier*, anweisung*, missachte, vergiss, vergesst, systemprompt, system prompt, prompt, du bist jetzt, du bist nun, tu so, stell dir vor, spiele, rollenspiel, wiederhole, antworte, antworten sie nur, antworte nur, sag ja, sag mir dass, sag einfach, gib .. aus, gedicht, witz, geschichte, lied, uebersetze, fasse .. zusammen, schreib mir, schreibe ein, sprachmodell, chatgpt, passwort des, geheimnis, bestaetige, gib zu',
 'negeer, negeren, instructie*, vergeet alles, vergeet alle, systeemprompt, prompt, je bent nu, jij bent nu, doe alsof, stel je voor, rollenspel, herhaal, antwoord met, antwoord alleen, zeg ja, zeg gewoon, zeg dat, gedicht, grap, mop, verhaal, lied, vertaal, vat .. samen, schrijf een, schrijf mij, taalmodel, chatgpt, geheim, bevestig, geef toe'),
('foreign', 'own_state',
 'have i, did i, was my, were my, has my, have you already, have you deleted, did you delete, did you send, have you sent, have you sold, status of my, status, is my request, my request been, what is my, whats my, am i subscribed, am i registered, am i on, did you receive my, where is my order, where is my parcel, why was i, why did i, why was my, why am i getting, already, my ticket, my case number, reference number, rejected, my balance',
 'habe ich, hab ich, hatte ich, wurde mein, wurden meine, wurden, wurde ich, sind meine daten schon, ist mein antrag, ist meine anfrage, status, stand meines, stand meiner, schon, bereits, bin ich, haben sie meinen antrag, haben sie meine anfrage, haben sie .. geloescht, habt ihr .. geloescht, haben sie .. verkauft, habt ihr .. verkauft, wie lautet mein*, wo ist meine, wo bleibt, abgelehnt, aktenzeichen',
 'heb ik, had ik, is mijn verzoek, is mijn aanvraag, zijn mijn gegevens al, werd mijn, werden mijn, status, stand van, al .. verwijderd, hebben jullie .. verwijderd, heeft u .. verwijderd, heeft u .. verkocht, hebben jullie .. verkocht, ben ik, waar blijft, waar is mijn, wat is mijn, afgewezen, dossiernummer, hebben jullie mijn verzoek, heeft u mijn verzoek, waarom ben ik'),
('foreign', 'other_person',
 'neighbour*, neighbor*, husband*, wife, wifes, spouse, partners data, boyfriend, girlfriend, my ex, mother*, father*, brother*, sister*, parents, friend, friends, boss, employer*, colleague*, landlord*, police, government, tax office, tax authorities, court, courts, secret service, intelligence, insurer, insurance company, doctor, employee*, staff, your staff, journalist*, celebrity, deceased, dead, lawyer, someone elses, another person*, credit agency, credit agencies, credit bureau, debt collector*, hackers get, hmrc, nsa, immigration, home office',
 'nachbar*, ehemann, mein mann, meine frau, ehefrau, ehepartner*, freund, freundin, freunde, mutter, vater, bruder, schwester, eltern, chef, arbeitgeber*, kolleg*, vermieter*, polizei, staat, regierung, finanzamt, gericht*, geheimdienst*, krankenkasse*, versicherer, meine versicherung, meiner versicherung, arzt, hausarzt, mitarbeiter*, angestellte*, beschaeftigte*, journalist*, verstorben*, anwalt, anderer person, schufa, auskunftei*, inkasso*, jobcenter, auslaenderbehoerde',
 'buurman*, buurvrouw*, buren, echtgeno*, mijn man, mijn vrouw, vriend, vriendin, vrienden, moeder*, vader*, broer*, zus*, ouders, baas, werkgever*, collega*, verhuurder*, politie, overheid, regering, belastingdienst, rechtbank, rechter, geheime dienst*, verzekeraar*, huisarts, arts, medewerker*, werknemer*, personeel, journalist*, overleden, advocaat, ander persoon, bkr, incasso*, uwv, ind'),
('foreign', 'brand',
 'facebook, meta, google, amazon, apple, microsoft, tiktok, instagram, whatsapp, twitter, linkedin, youtube, snapchat, netflix, paypal, ebay, experian, equifax, openai, salesforce, mailchimp, stripe, uber, airbnb, tesco, vodafone, bt, hubspot, bing, pinterest, temu, shein, spotify, klarna, visa, mastercard, dropbox, zoom, cambridge analytica, palantir, x com',
 'facebook, meta, google, amazon, apple, microsoft, tiktok, instagram, whatsapp, twitter, linkedin, youtube, snapchat, netflix, paypal, ebay, zalando, telekom, vodafone, deutsche post, dhl, openai, salesforce, mailchimp, stripe, uber, sparkasse, otto, lidl, aldi, rewe, edeka, klarna, temu, shein, spotify, creditreform, palantir',
 'facebook, meta, google, amazon, apple, microsoft, tiktok, instagram, whatsapp, twitter, linkedin, youtube, snapchat, netflix, paypal, ebay, bol, bolcom, albert heijn, jumbo, kpn, ziggo, postnl, openai, salesforce, mailchimp, stripe, uber, rabobank, abn amro, klarna, temu, shein, spotify, palantir, experian, booking'),
('foreign', 'offtopic',
 'become a, become an, what is a, what is an, whats a, what does .. mean, what do .. mean, meaning of, definition, define, weather, recipe, capital, opening hours, open today, football, world cup, president, discount, voucher, refund, return policy, warranty, guarantee, appointment, parking, breakfast, wifi, room, rooms, rent, flat, kilowatt*, tariff, meter, interest rate, loan, mortgage, tooth, teeth, ticket price, menu, stock, size, sizes, jacket, shoes, parcel, bread, cake, dog, cat, holiday, flight, train',
 'wird man, werde ich datenschutz*, was ist ein, was ist eine, was bedeutet, was heisst, bedeutung, definition, wetter, rezept, hauptstadt, oeffnungszeit*, fussball, weltmeister*, praesident*, bundeskanzler*, rabatt*, gutschein*, erstattung, garantie, gewaehrleistung, termin, termine, parkplatz, fruehstueck, wlan, zimmer, miete, wohnung, kilowatt*, tarif, tarife, strompreis, stromzaehler, zaehler, zaehlerstand, zinsen, zinssatz, kredit, zahn, zaehne, zahnarzt*, paket, brot, hund, katze, urlaub, flug, zug, stoerung, stromausfall, kuendigungsfrist',
 'wordt men, wat is een, wat betekent, wat houdt .. in, betekenis, definitie, weer, recept, hoofdstad, openingstijd*, voetbal, wereldkampioen*, president, koning, korting*, kortingscode, terugbetaling, garantie, afspraak, parkeren, parkeerplaats, ontbijt, wifi, kamer, kamers, huur, woning, kilowatt*, tarief, tarieven, meterstand, rente, spaarrekening, hypotheek, lening, tand, tanden, pakket, brood, hond, kat, vakantie, vlucht, trein, storing, opzegtermijn, fiets, inchecken, uitchecken');

INSERT INTO answers.concept (name, kind) SELECT concept, kind FROM word_list;

INSERT INTO answers.term (concept, language, word, form)
SELECT DISTINCT w.concept, l.language,
       regexp_replace(btrim(answers.normalize(t.word), ' *'), '\s+', ' ', 'g'),
       CASE WHEN t.word LIKE '*%' THEN 'infix' WHEN t.word LIKE '%*' THEN 'prefix' ELSE 'exact' END
  FROM word_list w
 CROSS JOIN LATERAL (VALUES ('en', w.en), ('de', w.de), ('nl', w.nl)) AS l (language, words)
 CROSS JOIN LATERAL (SELECT btrim(part, E' \n') FROM regexp_split_to_table(l.words, ',') AS part) AS t (word)
 WHERE btrim(t.word, ' *.') <> '';
-- The second word of `one .. two` is a word, not the end of a sentence.
DELETE FROM answers.term WHERE word LIKE '%..';

-- Terms with one letter left out, to recognize words with one letter wrong, missing, doubled or exchanged with its
-- neighbour (each is one deletion away from a deletion of the term).
CREATE TABLE answers.misspelling (
  variant  text NOT NULL,
  word     text NOT NULL,
  form     text NOT NULL,
  language text NOT NULL,
  concept  text NOT NULL,
  PRIMARY KEY (variant, word, form, language, concept)
);
COMMENT ON TABLE answers.misspelling IS 'A term of six letters or more without one of them.';
INSERT INTO answers.misspelling (variant, word, form, language, concept)
SELECT DISTINCT overlay(t.word PLACING '' FROM n FOR 1), t.word, t.form, t.language, t.concept
  FROM answers.term t JOIN answers.concept c ON c.name = t.concept CROSS JOIN LATERAL generate_series(2, length(t.word)) n
 WHERE t.form <> 'infix' AND t.word !~ '[^a-z]' AND length(t.word) >= 6 AND c.kind IN ('common', 'subject', 'topic', 'item', 'asked')
UNION
SELECT t.word, t.word, t.form, t.language, t.concept
  FROM answers.term t JOIN answers.concept c ON c.name = t.concept
 WHERE t.form <> 'infix' AND t.word !~ '[^a-z]' AND length(t.word) >= 6 AND c.kind IN ('common', 'subject', 'topic', 'item', 'asked');

ANALYZE answers.term, answers.misspelling, answers.concept;

COMMIT;
