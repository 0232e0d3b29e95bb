-- The effect of a fact, the operator whose wallet it concerned, and which life has something to do since.
create type payment_effect as (outcome text, operator_id text, life text);

-- The next step of a life: `open` a checkout, `check` or `request` at the provider, fetch the `receipt`, `wait`, or `end`.
create type payment_step as (status text, action text, wait_ms bigint, until text);
