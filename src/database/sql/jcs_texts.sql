-- A list of texts as RFC 8785 writes it.
create function jcs_texts(p_values text[]) returns text language sql immutable parallel safe as $$
  select '[' || coalesce(string_agg(jcs_text(value), ',' order by at), '') || ']' from unnest(p_values) with ordinality as v (value, at);
$$;
