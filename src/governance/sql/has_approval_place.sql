-- Whether one request more may wait for a person, of the credential at the end of `p_line` (decision A64). Looked at are, from the operator down,
-- the credentials behind it and at last what it requests itself: each of these branches, with all below it, may have as many open as are left
-- to the others of the same maker, so that none takes the last place of another or of its maker. Where no others are there any more, there is
-- nobody to leave places to.
create function has_approval_place(p_operator text, p_line text[], p_most_of_first int, p_most_of_operator int) returns boolean language plpgsql stable as $$
declare
  v_depth constant int := cardinality(p_line);
  v_waiting constant jsonb := (select coalesce(jsonb_agg(coalesce(c.line, array[a.requested_by])), '[]')
    from governance_approvals a left join credential_lines c on c.id = a.requested_by
    where a.operator_id = p_operator and a.status = 'pending' and approval_status(a) = 'pending');
  v_open int; -- of the branch, with the one that is requested
  v_left int; -- to the others
begin
  for v_nth in 0..v_depth + 1 loop
    continue when v_nth between 3 and v_depth + 1 and not exists (select from credential_lines c
      where c.operator_id = p_operator and p_line[v_nth - 1] = any (c.line) and (c.expires_at is null or c.expires_at > clock_timestamp())
        and case when v_nth > v_depth then c.id <> p_line[v_depth] else p_line[v_nth] <> all (c.line) end);
    select count(*) + 1 into v_open from jsonb_array_elements(v_waiting) as line
      where case when v_nth = 0 then true when v_nth > v_depth then line ->> -1 = p_line[v_depth] else line ? p_line[v_nth] end;
    if v_nth = 0 then
      v_left := p_most_of_operator - v_open;
    elsif v_open > v_left then
      return false;
    else
      v_left := case when v_nth = 1 then least(v_left, p_most_of_first - v_open) else v_left - v_open end;
    end if;
  end loop;
  return v_left >= 0;
end $$;
