-- The traits of a channel that SQL must know. A channel that is not listed here is an error, and not a free one.
create function traits_of_channel(p_channel text) returns channel_traits language plpgsql immutable as $$
begin
  if p_channel = 'email' then return row(false, 'email')::channel_traits; end if;
  if p_channel = 'sms' then return row(true, 'sms')::channel_traits; end if;
  if p_channel = 'webhook' then return row(true, null)::channel_traits; end if;
  if p_channel = 'slack' then return row(true, null)::channel_traits; end if;
  raise 'traits_of_channel does not list the channel %', p_channel;
end $$;
