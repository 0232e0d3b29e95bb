-- The caller has found from those facts that it must refuse, and knows the words.
create function raise_composed_refusal() returns void language plpgsql as $$
begin
  raise exception using errcode = 'CN002', message = 'refused as composed';
end $$;
