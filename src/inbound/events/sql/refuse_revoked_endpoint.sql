-- For a provider that sends to an endpoint that is revoked.
create function refuse_revoked_endpoint() returns void language sql as $$
  select refuse('ENDPOINT_REVOKED', 'This endpoint is revoked: nothing that is sent to it is taken any more. Stop sending.');
$$;
