(SELECT md5(concat_ws(';',
  (SELECT string_agg(concat_ws(' ', c.oid, c.relname, c.relnamespace, c.relkind, c.relpersistence, c.relreplident,
      c.relrowsecurity, c.relforcerowsecurity, c.relhassubclass, c.relispartition), ',' ORDER BY c.oid)
    FROM pg_catalog.pg_class c
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't' AND c.oid >= 16384),
  (SELECT concat_ws(' ', count(*), sum(a.xmin::text::bigint))
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
    WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND c.oid >= 16384 AND a.attnum > 0),
  (SELECT concat_ws(' ', count(*), sum(r.xmin::text::bigint))
    FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class
    WHERE c.relpersistence <> 't' AND c.oid >= 16384),
  (SELECT concat_ws(' ', count(*), sum(xmin::text::bigint)) FROM pg_catalog.pg_proc WHERE oid >= 16384),
  (SELECT concat_ws(' ', count(*), sum(xmin::text::bigint)) FROM pg_catalog.pg_inherits),
  (SELECT concat_ws(' ', count(*), sum(xmin::text::bigint)) FROM pg_catalog.pg_policy),
  (SELECT concat_ws(' ', count(*), sum(xmin::text::bigint)) FROM pg_catalog.pg_publication),
  (SELECT concat_ws(' ', count(*), sum(xmin::text::bigint)) FROM pg_catalog.pg_publication_rel),
  -- Those of whole schemas, too.
  (SELECT md5(string_agg(concat_ws('.', schemaname, tablename), ',' ORDER BY schemaname, tablename))
    FROM pg_catalog.pg_publication_tables WHERE pubname = 'postern'))))
