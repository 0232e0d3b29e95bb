-- Whether a review waits for a decision.
create function is_review_pending(p_checkout text) returns boolean language sql stable as $$
  select exists (select from checkouts where id = p_checkout and review_status = 'pending');
$$;
