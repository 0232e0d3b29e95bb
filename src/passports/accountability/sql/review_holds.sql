-- Whether a review holds its agent: a critical one does until it is approved, or until a person unblocks the agent after it was decided as
-- blocked (decision A30). With `block_future` the block of the agent takes the place of the hold.
create function review_holds(c checkouts) returns boolean language sql immutable as $$
  select coalesce(c.risk = 'critical' and c.hold_lifted_at is null and (c.review_status = 'pending' or (c.review_status = 'blocked' and not c.block_future)),
    false);
$$;
