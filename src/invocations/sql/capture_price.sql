-- Moves the held price of a completed invocation to the provider's earnings; nothing where it costs nothing.
create function capture_price(i invocations, p_transfer text) returns void language plpgsql as $$
begin
  if i.price_cents = 0 then return; end if;
  perform capture_hold(i.id, p_transfer, i.provider_operator_id, 'invocation',
    'Skill ' || (select name from skill_names where id = i.skill_id) || ' ' || i.skill_version, i.skill_id, i.id);
end $$;
