-- What may be recorded as a processing activity, by whom, and that records stay: a record is added once, and only retention
-- and erasure remove it. Row rules say whose activities a caller may add; these triggers hold for every writer.

BEGIN;

-- Functions that erase set `privacy.erasing` for their own transaction. No request to the gateway sets it.
CREATE FUNCTION is_erasing() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(current_setting('privacy.erasing', true), '') = 'on'
$$;
COMMENT ON FUNCTION is_erasing() IS 'Whether a function that removes what has to be erased is running.';

-- The sentences depend on nothing that the caller may not see: on what is written, and on catalogs that everybody reads.
CREATE FUNCTION check_activity() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_own CONSTANT boolean := NEW.recorded_by IN ('person', 'visitor');
  a_day  CONSTANT int := CASE NEW.recorded_by WHEN 'visitor' THEN 100 ELSE 500 END;
  kept   int;
BEGIN
  IF cardinality(NEW.field_ids) > 50 OR cardinality(NEW.preference_ids) > 50 THEN
    RAISE EXCEPTION 'fieldIds and preferenceIds have at most 50 ids each' USING ERRCODE = 'check_violation';
  END IF;
  IF array_ndims(NEW.field_ids) > 1 OR array_ndims(NEW.preference_ids) > 1
     OR (SELECT count(DISTINCT x.id) FROM unnest(NEW.field_ids) AS x (id)) < cardinality(NEW.field_ids)
     OR (SELECT count(DISTINCT x.id) FROM unnest(NEW.preference_ids) AS x (id)) < cardinality(NEW.preference_ids) THEN
    RAISE EXCEPTION 'fieldIds and preferenceIds have each id once' USING ERRCODE = 'check_violation';
  END IF;
  IF (SELECT count(*) FROM data_processing_activity_fields f WHERE f.id = ANY (NEW.field_ids)) < cardinality(NEW.field_ids) THEN
    RAISE EXCEPTION 'fieldIds has an id of no field' USING ERRCODE = 'check_violation';
  END IF;
  IF (SELECT count(*) FROM data_processing_preferences p WHERE p.id = ANY (NEW.preference_ids)) < cardinality(NEW.preference_ids) THEN
    RAISE EXCEPTION 'preferenceIds has an id of no preference' USING ERRCODE = 'check_violation';
  END IF;
  -- A minute, because clocks differ.
  IF NEW.triggered_at > now() + interval '1 minute' THEN
    RAISE EXCEPTION 'triggeredAt is not in the future' USING ERRCODE = 'check_violation';
  END IF;
  IF is_own THEN
    IF NOT EXISTS (SELECT FROM data_processing_activity_types t, data_processing_activity_sources s
                    WHERE t.id = NEW.type_id AND s.id = NEW.source_id AND t.reported_by_person AND s.reported_by_person) THEN
      RAISE EXCEPTION 'a page reports page views and sign-ins of the website or the app, and nothing else' USING ERRCODE = 'check_violation';
    END IF;
    IF EXISTS (SELECT FROM data_processing_activity_fields f WHERE f.id = ANY (NEW.field_ids) AND f.is_special) THEN
      RAISE EXCEPTION 'a page reports no data of a special category' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.triggered_at < now() - interval '1 day' THEN
      RAISE EXCEPTION 'a page reports what happened within the last day' USING ERRCODE = 'check_violation';
    END IF;
    -- The lock makes parallel reports of one person count each other.
    PERFORM pg_advisory_xact_lock(hashtextextended(NEW.data_subject_id::text, 2));
    IF (SELECT count(*) FROM data_processing_activities a
         WHERE a.data_subject_id = NEW.data_subject_id AND a.triggered_at > now() - interval '1 day' AND a.recorded_by = NEW.recorded_by) >= a_day THEN
      RAISE EXCEPTION 'a % has at most % activities a day', NEW.recorded_by, a_day USING ERRCODE = 'check_violation';
    END IF;
  ELSE
    -- What comes late is recorded for as long as some controller keeps such activities.
    SELECT coalesce(max(coalesce(p.retention_months, 120)), 120) INTO kept
      FROM data_processing_activity_types t
      JOIN data_controller_purpose_template_links l ON l.purpose_business_template_id = t.purpose_business_template_id
      JOIN data_controller_processing_purposes p ON p.id = l.data_controller_processing_purpose_id AND p.status <> 'draft'
     WHERE t.id = NEW.type_id;
    IF NEW.triggered_at < now() - make_interval(months => kept) THEN
      RAISE EXCEPTION 'triggeredAt is more than % months ago, longer than such activities are kept', kept USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION check_activity() IS 'Refuses an activity that names what does not exist, that cannot be true, or that its reporter cannot know.';
CREATE TRIGGER check_activity BEFORE INSERT ON data_processing_activities FOR EACH ROW EXECUTE FUNCTION check_activity();

CREATE FUNCTION keep_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND is_erasing() THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'a recorded activity is neither changed nor deleted before its retention ends' USING ERRCODE = 'check_violation';
END $$;
COMMENT ON FUNCTION keep_activity() IS 'Refuses changes of recorded activities; retention and erasure delete them.';
CREATE TRIGGER keep_activity BEFORE UPDATE OR DELETE ON data_processing_activities FOR EACH ROW EXECUTE FUNCTION keep_activity();
CREATE TRIGGER keep_activities BEFORE TRUNCATE ON data_processing_activities FOR EACH STATEMENT EXECUTE FUNCTION keep_activity();

COMMIT;
