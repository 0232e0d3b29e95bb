-- Whether another forward to this endpoint may begin. Eight of an operator are under way together, so that slow receivers of one leave places
-- to those of others; and an endpoint takes a place only while it has fewer than are free, so that one whose receiver hangs has four, and
-- leaves four to the others. Who asks keeps rivals waiting until the transaction ends.
create function has_forward_turn(p_operator text, p_endpoint text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1853453410, hashtext(p_operator));
  return (select count(*) filter (where endpoint_id = p_endpoint) < 8 - count(*)
    from inbound_forwards where operator_id = p_operator and status = 'sending');
end $$;
