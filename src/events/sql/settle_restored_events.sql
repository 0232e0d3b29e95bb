-- Events that another copy of the database has written bear ids of transactions that are still to come here: from now on they count as
-- older than every event of this copy. Called when another store of lives is noticed.
create function settle_restored_events() returns void language sql as $$
  update service_events set tx = '0' where tx >= pg_snapshot_xmax(pg_current_snapshot());
$$;
