-- Whether a destination that hangs may take a place: those of an operator have one together, and those of all operators sixteen of the 64 that a
-- worker has, so that who hangs waits for its like and not at the cost of who answers. Who asks keeps rivals waiting until the transaction ends.
create function has_slow_place(d destinations) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1853453411, 0);
  return (select count(*) filter (where operator_id = d.operator_id) < 1 and count(*) < 16
    from destinations where slow_since is not null and sending_until > clock_timestamp() and id <> d.id);
end $$;
