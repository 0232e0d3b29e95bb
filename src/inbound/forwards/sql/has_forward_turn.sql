-- Whether another forward of the operator may begin: eight at once, so that slow receivers of one leave places to those of others. Who asks
-- keeps rivals waiting until the transaction ends.
create function has_forward_turn(p_operator text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1853453410, hashtext(p_operator));
  return (select count(*) < 8 from inbound_forwards where operator_id = p_operator and status = 'sending');
end $$;
