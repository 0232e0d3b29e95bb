-- Refuses new passports and reports of a lineage that was checked out (decision A38).
create function refuse_checked_out(l passport_lineages) returns void language plpgsql as $$
begin
  if l.checked_out_at is not null then
    perform refuse('ALREADY_CHECKED_OUT',
      format('It was checked out at %s; new work needs a new passport.', iso_time(l.checked_out_at)),
      json_build_object('checked_out_at', iso_time(l.checked_out_at)));
  end if;
end $$;
