-- The keys of an agent, newest first: few rows of many.
create index if not exists api_keys_of_agent on api_keys (agent_id, id desc) where agent_id is not null;
