-- The balance that a row of a wallet leaves (null: a row of a release before this one, until the next migration), and columns for lists of a
-- wallet's money.
alter table transfers add column balance_after_cents bigint;

-- When a page of a top-up was given to a caller. One that nobody was given, since its opening was not answered in time, gives way first.
alter table top_ups add column given_at timestamptz;

-- How often a transfer or a refund was tried: a provider repeats the answer to a try that it has not done for a day under the same key.
alter table payouts add column tries int not null default 1 check (tries > 0);
alter table refunds add column tries int not null default 1 check (tries > 0);

-- A dispute of a payment for a subscription: whose it is. Null: of a top-up, or of no payment that is ours.
alter table disputes add column operator_id text references operators,
  add column subscription_id text,
  add constraint disputes_of_subscription check ((operator_id is null) = (subscription_id is null));
create index disputes_of_operator on disputes (operator_id, id) where operator_id is not null;

alter table billing_alarms drop constraint billing_alarms_kind_check, add constraint billing_alarms_kind_check check (kind in
  ('refund_paid_after_all', 'refunds_unread', 'dispute_unlisted', 'payout_reversed_in_part', 'upgrade_not_made',
    'subscription_refund_came_back', 'subscription_not_given_back', 'subscription_disputed', 'unknown_price'));
