-- What is counted and what it costs: metered actions, the month they fall in, the mission a charge came of; and what other domains show of
-- themselves to a statement.

-- The mission an invocation is for (decisions B24). Null: none.
alter table invocations add column mission_id text;

-- For statements, which name what was paid for: nothing here that a statement may not show.
create view invocation_references as select id, status, skill_id, mission_id from invocations;
create view skill_names as select id, name from skills;
create view mission_intents as select id, declared_intent from missions;
create view agent_names as select id, name from agents;
