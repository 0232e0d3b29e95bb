-- The search of the words typed: every word in name or description, the last one as a beginning. Words that English leaves out
-- count only where there is no other. Null without words. The words hold letters and digits only, so none is an operator.
create function skill_search(p_words text[]) returns tsquery language plpgsql stable as $$
declare
  word text;
  place int := 0;
  stem tsquery;
  exact tsquery;
  wanted tsquery;
  fallback tsquery;
begin
  foreach word in array p_words loop
    place := place + 1;
    stem := plainto_tsquery('english', word);
    exact := to_tsquery('simple', word || case when place = cardinality(p_words) then ':*' else '' end);
    if numnode(stem) > 0 then
      wanted := case when wanted is null then exact || stem else wanted && (exact || stem) end;
    else
      fallback := case when fallback is null then exact else fallback && exact end;
    end if;
  end loop;
  return coalesce(wanted, fallback);
end $$;
