, 'snapshot', pg_catalog.pg_current_snapshot()::text, 'lag', (
    SELECT (pg_catalog.pg_current_wal_lsn() - least(restart_lsn, confirmed_flush_lsn))::bigint
      FROM pg_catalog.pg_replication_slots WHERE slot_name = $1))::text
