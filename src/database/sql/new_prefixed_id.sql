-- new_prefixed_id('pc') is pc_01K…
create function new_prefixed_id(prefix text) returns text language sql volatile parallel safe as $$
  select prefix || '_' || new_ulid();
$$;
