-- The calls to models that are under way, of an operator: eight at most, as its forwards.
create index if not exists inbound_events_calling on inbound_events (operator_id) where classification = 'calling';
