-- The search of a description: any of its words; stop words of English are left out. Null where no other is left.
create function skill_search_any(p_words text[]) returns tsquery language plpgsql stable as $$
declare
  word text;
  stem tsquery;
  wanted tsquery;
begin
  foreach word in array p_words loop
    stem := plainto_tsquery('english', word);
    if numnode(stem) > 0 then wanted := case when wanted is null then stem else wanted || stem end; end if;
  end loop;
  return wanted;
end $$;
