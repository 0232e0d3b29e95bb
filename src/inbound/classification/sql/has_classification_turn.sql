-- Whether another event of this operator may be judged by a model: eight calls are under way together, so that a slow model leaves places of a worker
-- to other operators. Steps that are begun at the same moment may exceed it by as many as they are.
create function has_classification_turn(p_operator text) returns boolean language sql stable as $$
  select count(*) < 8 from inbound_events where operator_id = p_operator and classification = 'calling';
$$;
