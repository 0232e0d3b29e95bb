-- CN002 where composing ended with a refusal that comes at this place: its facts stand, and the caller raises it.
create function raise_composed_refusal(p_composed composed_passport, p_place text) returns void language plpgsql as $$
begin
  if p_composed.refused = p_place then raise exception using errcode = 'CN002', message = 'refused as composed'; end if;
end $$;
