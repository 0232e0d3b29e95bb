-- Whether another forward to this endpoint may begin. Eight of an operator are under way together, so that slow receivers of one leave places
-- to those of others; and an endpoint takes a place only while it has fewer than are free, so that one whose receiver hangs has four, and
-- leaves four to the others. After timeouts in a row an endpoint has one place, or none for a while: such endpoints of an operator have one
-- together, and those of all operators sixteen of the 64 that a worker has. Who asks keeps rivals waiting until the transaction ends.
create function has_forward_turn(e inbound_endpoints) returns boolean language plpgsql as $$
begin
  if e.held_until > clock_timestamp() then return false; end if;
  perform pg_advisory_xact_lock(1853453410, hashtext(e.operator_id));
  if e.slow_since is not null then
    perform pg_advisory_xact_lock(1853453412, 0);
    return (select count(*) filter (where f.operator_id = e.operator_id) < 1 and count(*) < 16
      from inbound_endpoints x join inbound_forwards f on f.endpoint_id = x.id and f.status = 'sending' where x.slow_since is not null);
  end if;
  return (select count(*) filter (where endpoint_id = e.id) < 8 - count(*)
    from inbound_forwards where operator_id = e.operator_id and status = 'sending');
end $$;
