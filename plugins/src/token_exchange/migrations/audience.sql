-- A caller may sign in for one of several parties: a widget's session is for one controller.

ALTER TABLE postern.authentication_event ADD COLUMN audience text;
COMMENT ON COLUMN postern.authentication_event.audience IS 'For whom the caller signed in, if the session is for one party: as in the claim `aud`.';
