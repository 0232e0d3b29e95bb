-- The optional events that an operator's active rules name are written from now on; a trigger calls it when one of them changes
-- (0014-notifications.sql). One at a time: of two in parallel each would leave out what the
-- other names.
create function follow_rules(p_operator text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1920298085, hashtext(p_operator));
  perform want_event_types(p_operator, array(select unnest(events) from notification_rules where operator_id = p_operator and active));
end $$;
