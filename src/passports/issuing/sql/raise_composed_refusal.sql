-- CN002: the facts stand, and the caller raises the refusal that it has found from them.
create function raise_composed_refusal() returns void language plpgsql as $$
begin
  raise exception using errcode = 'CN002', message = 'refused as composed';
end $$;
