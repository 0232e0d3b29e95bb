-- Ends the page of a top-up: from here on it is over, and the life closes it at the provider. What was paid before that is credited all the same.
-- Returns whether it could still be paid.
create function close_top_up_page(p_top_up text) returns boolean language plpgsql as $$
begin
  update top_ups set expires_at = clock_timestamp(), next_call_at = case when next_call_at is not null then clock_timestamp() end
    where id = p_top_up and status in ('opening', 'open') and expires_at > clock_timestamp();
  return found;
end $$;
