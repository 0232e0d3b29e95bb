-- What is held, over all endpoints of an operator, newest first.
create index if not exists inbound_events_held on inbound_events (operator_id, id desc) where status = 'blocked';
