-- Deadlines in working days: public holidays, and periods of months as Regulation (EEC, Euratom) No 1182/71 counts them.
-- Loaded after the schema; rights requests (workflow.sql) count with it.

BEGIN;

-- https://en.wikipedia.org/wiki/Date_of_Easter#Anonymous_Gregorian_algorithm
CREATE FUNCTION easter_sunday(year int) RETURNS date LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  golden  int := year % 19;
  century int := year / 100;
  within  int := year % 100;
  epact   int := (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30;
  weekday int := (32 + 2 * (century % 4) + 2 * (within / 4) - epact - within % 4) % 7;
  late    int := (golden + 11 * epact + 22 * weekday) / 451;
  march   int := epact + weekday - 7 * late + 114;
BEGIN
  RETURN make_date(year, march / 31, march % 31 + 1);
END $$;
COMMENT ON FUNCTION easter_sunday(int) IS 'Easter Sunday of a year, by the Gregorian calendar.';

CREATE FUNCTION weekday_of_month(year int, month int, weekday int, is_last boolean) RETURNS date LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT CASE WHEN is_last THEN last_day - (extract(isodow FROM last_day)::int - weekday + 7) % 7
         ELSE first_day + (weekday - extract(isodow FROM first_day)::int + 7) % 7 END
    FROM (SELECT make_date(year, month, 1) AS first_day, (make_date(year, month, 1) + interval '1 month - 1 day')::date AS last_day) m
$$;
COMMENT ON FUNCTION weekday_of_month(int, int, int, boolean) IS 'The first or last Monday (1) to Sunday (7) of a month.';

-- Where New Year's Day, Christmas Day or Boxing Day falls on a weekend, England has a substitute day on the next weekday.
CREATE FUNCTION public_holidays(country text, year int) RETURNS SETOF date LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT day FROM (SELECT easter_sunday(year) AS easter) e, LATERAL (
    SELECT unnest(CASE country
      WHEN 'DE' THEN ARRAY[make_date(year, 1, 1), easter - 2, easter + 1, make_date(year, 5, 1), easter + 39, easter + 50,
                           make_date(year, 10, 3), make_date(year, 12, 25), make_date(year, 12, 26)]
      -- Algemene termijnenwet, article 3. The King's birthday is celebrated a day earlier if it is a Sunday.
      WHEN 'NL' THEN ARRAY[make_date(year, 1, 1), easter - 2, easter + 1,
                           make_date(year, 4, 27) - CASE extract(isodow FROM make_date(year, 4, 27)) WHEN 7 THEN 1 ELSE 0 END,
                           make_date(year, 5, 5), easter + 39, easter + 50, make_date(year, 12, 25), make_date(year, 12, 26)]
      -- Banking and Financial Dealings Act 1971, for England.
      WHEN 'GB' THEN ARRAY[make_date(year, 1, 1) + CASE extract(isodow FROM make_date(year, 1, 1)) WHEN 6 THEN 2 WHEN 7 THEN 1 ELSE 0 END,
                           easter - 2, easter + 1, weekday_of_month(year, 5, 1, false), weekday_of_month(year, 5, 1, true),
                           weekday_of_month(year, 8, 1, true),
                           make_date(year, 12, 25) + CASE WHEN extract(isodow FROM make_date(year, 12, 25)) >= 6 THEN 2 ELSE 0 END,
                           make_date(year, 12, 26) + CASE WHEN extract(isodow FROM make_date(year, 12, 26)) >= 6 THEN 2 ELSE 0 END]
      -- Of other countries only the days that nearly all of them have.
      ELSE ARRAY[make_date(year, 1, 1), easter + 1, make_date(year, 12, 25)] END) AS day
    UNION ALL
    SELECT day FROM (VALUES ('GB', date '2022-09-19'), ('GB', date '2023-05-08')) AS once (of_country, day)
     WHERE of_country = country AND extract(year FROM day) = year
  ) d
$$;
COMMENT ON FUNCTION public_holidays(text, int) IS 'The public holidays of a year in a country: DE (those of all its states), NL, GB (England).';

CREATE FUNCTION public_holiday(country text, day date) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT EXISTS (SELECT FROM public_holidays(country, extract(year FROM day)::int) h WHERE h = day)
$$;
COMMENT ON FUNCTION public_holiday(text, date) IS 'Whether a day is a public holiday, or its substitute, in a country.';

CREATE FUNCTION working_day(day date, country text, direction int) RETURNS date LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  WHILE extract(isodow FROM day) >= 6 OR public_holiday(country, day) LOOP
    day := day + sign(direction)::int;
  END LOOP;
  RETURN day;
END $$;
COMMENT ON FUNCTION working_day(date, text, int) IS 'The day itself if it is a working day, else the next one (direction 1) or the one before (-1).';

CREATE FUNCTION time_zone_of(country text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE country WHEN 'GB' THEN 'Europe/London' WHEN 'NL' THEN 'Europe/Amsterdam' WHEN 'DE' THEN 'Europe/Berlin' ELSE 'Europe/Brussels' END
$$;
COMMENT ON FUNCTION time_zone_of(text) IS 'The time zone in which a country''s days begin and end.';

-- Article 3 of the Regulation: the day of receipt does not count, a period of months ends with the last hour of the day of
-- the same number, or of the month's last day where there is none; if that is a Saturday, a Sunday or a holiday, with the
-- last hour of the next working day.
CREATE FUNCTION deadline(received timestamptz, months int, country text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT (working_day((received_on + make_interval(months => months))::date, coalesce(country, 'EU'), 1) + time '23:59:59') AT TIME ZONE time_zone_of(country)
    FROM (SELECT (received AT TIME ZONE time_zone_of(country))::date AS received_on) r
$$;
COMMENT ON FUNCTION deadline(timestamptz, int, text) IS 'When a period of months ends that began when something was received.';

CREATE FUNCTION step_deadline(day date, country text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT (working_day(day, coalesce(country, 'EU'), -1) + time '23:59:59') AT TIME ZONE time_zone_of(country)
$$;
COMMENT ON FUNCTION step_deadline(date, text) IS 'The end of a day, or of the working day before it.';

COMMIT;
