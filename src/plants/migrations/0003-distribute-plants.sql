-- On Citus (docs/scale/citus.md). The other tables stay on the coordinator, but every node can read them.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    PERFORM create_distributed_table('plants', 'owner');
    PERFORM citus_add_local_table_to_metadata('access_tokens');
    PERFORM citus_add_local_table_to_metadata('plant_store_migrations');
  END IF;
END $$;
