-- A fault in one field of the body.
create function refuse_field(p_path text, p_message text) returns void language plpgsql as $$
begin
  perform refuse('VALIDATION_ERROR', p_path || ': ' || p_message,
    json_build_object('errors', json_build_array(json_build_object('path', p_path, 'message', p_message, 'code', 'invalid_reference'))));
end $$;
