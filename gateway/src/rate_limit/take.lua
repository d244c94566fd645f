-- Takes from buckets as governor does in one process (GCRA), by the clock of the server; times are in microseconds.
-- For each key: the time in which one request comes back, the burst, how many are taken (0: it is only looked; below 0: they
-- are given back), and 1 if nothing further is to be taken where this is refused. Answers for each key: the wait (0: taken), what is left, and the
-- time until the bucket is full.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local answer = {}
for place, key in ipairs(KEYS) do
  local interval, burst = tonumber(ARGV[4 * place - 3]), tonumber(ARGV[4 * place - 2])
  local count, enforced = tonumber(ARGV[4 * place - 1]), ARGV[4 * place] == '1'
  local whole = interval * burst
  -- A clock that was set back must not keep anybody out for longer than a bucket takes to fill.
  local full_at = math.min(math.max(tonumber(redis.call('GET', key) or '') or now, now), now + whole)
  local wait = full_at + interval * math.max(count, 1) - whole - now
  -- Half a microsecond is what adding fractions may have come to.
  local refused = count >= 0 and wait > 0.5
  if not refused and count > 0 then
    full_at = full_at + interval * count
    redis.call('SET', key, string.format('%.3f', full_at), 'PX', math.ceil((full_at - now) / 1000) + 1000)
  end
  if count < 0 then
    full_at = math.max(now, full_at + interval * count)
    if full_at > now then
      redis.call('SET', key, string.format('%.3f', full_at), 'PX', math.ceil((full_at - now) / 1000) + 1000)
    else
      redis.call('DEL', key)
    end
  end
  answer[#answer + 1] = refused and math.ceil(wait) or 0
  answer[#answer + 1] = math.max(0, math.floor((now + whole - full_at) / interval + 0.001))
  answer[#answer + 1] = math.ceil(full_at - now)
  if refused and enforced then break end
end
return answer
