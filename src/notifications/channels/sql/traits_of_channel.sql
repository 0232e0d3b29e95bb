-- What SQL must know of a channel. One that is not listed here is an error, and not a free one.
create function traits_of_channel(p_channel text) returns channel_traits language plpgsql immutable as $$
begin
  case p_channel
    when 'email' then return row(false, 'email')::channel_traits;
    when 'sms' then return row(true, 'sms')::channel_traits;
    when 'webhook' then return row(true, null)::channel_traits;
  end case;
end $$;
