-- A review that was decided as blocked holds its agent as before, until it is approved or a person unblocks the agent. What was blocked
-- before this lifted its hold then, and nobody who decided so meant otherwise.
alter table checkouts add column hold_lifted_at timestamptz; -- by unblocking the agent
update checkouts set hold_lifted_at = decided_at where review_status = 'blocked' and risk = 'critical';

create index checkouts_holding_agent on checkouts (agent_id)
  where risk = 'critical' and review_status in ('pending', 'blocked') and hold_lifted_at is null;

drop trigger checkouts_hold_changes on checkouts;
create trigger checkouts_hold_changes after update of review_status, risk, hold_lifted_at on checkouts for each row
  when ((old.review_status, old.risk, old.hold_lifted_at) is distinct from (new.review_status, new.risk, new.hold_lifted_at))
  execute function hold_keys();
