-- Refuses a passport that a withdrawn key has signed: the process that verified its signature may hold older keys.
create function refuse_withdrawn(p passports) returns void language plpgsql as $$
begin
  if exists (select from signing_keys k where k.kid = p.kid and not is_signing_key_accepted(k)) then
    perform refuse('INVALID_PASSPORT', 'The key of the passport was withdrawn; issue a new one.', json_build_object('reason', 'unknown_key'));
  end if;
end $$;
