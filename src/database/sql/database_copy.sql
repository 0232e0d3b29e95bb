-- Which copy of the database this is: a restored one has another system identifier, timeline or oid.
create function database_copy() returns text language sql stable as $$
  select concat_ws(' ', (select system_identifier from pg_control_system()), (select timeline_id from pg_control_checkpoint()),
    (select oid from pg_database where datname = current_database()));
$$;
