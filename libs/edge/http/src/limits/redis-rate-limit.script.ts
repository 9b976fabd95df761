/**
 * Judges and counts one request in one round trip, by the server's clock, so that gateways with different clocks share one
 * window.
 *
 * KEYS: list of the key's request times, list of the user's, sorted set of the key's requests in progress. ARGV: window ms, key
 * budget, user ceiling, concurrency (0: unlimited), request id, slot ttl ms. Returns outcome (0 admitted, 1 window, 2
 * concurrency), remaining, milliseconds until the next slot.
 *
 * A list per window instead of a sorted set: times arrive in order, so the oldest is at the head, and a list needs no unique
 * member per request.
 */
export const TAKE_SCRIPT = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local window = tonumber(ARGV[1])

local function left(list, budget)
  while true do
    local oldest = redis.call('LINDEX', list, 0)
    if not oldest or tonumber(oldest) > now - window then break end
    redis.call('LPOP', list)
  end
  return budget - redis.call('LLEN', list)
end

local function untilNext(list)
  local oldest = redis.call('LINDEX', list, 0)
  return oldest and (tonumber(oldest) + window - now) or 0
end

local keyLeft = left(KEYS[1], tonumber(ARGV[2]))
local userLeft = left(KEYS[2], tonumber(ARGV[3]))
local remaining = math.min(keyLeft, userLeft)
local binding = keyLeft > remaining and KEYS[2] or KEYS[1]
if remaining <= 0 then return {1, remaining, untilNext(binding)} end

local concurrency = tonumber(ARGV[4])
if concurrency > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
  if redis.call('ZCARD', KEYS[3]) >= concurrency then return {2, remaining, untilNext(binding)} end
  redis.call('ZADD', KEYS[3], now + tonumber(ARGV[6]), ARGV[5])
  redis.call('PEXPIRE', KEYS[3], ARGV[6])
end
redis.call('RPUSH', KEYS[1], now)
redis.call('PEXPIRE', KEYS[1], window)
redis.call('RPUSH', KEYS[2], now)
redis.call('PEXPIRE', KEYS[2], window)
return {0, remaining - 1, untilNext(binding)}
`;
