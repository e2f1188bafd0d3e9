import { hash } from "node:crypto";

/** A script, and the name that Redis keeps it under. */
export interface Script {
  readonly source: string;
  readonly sha: string;
}

/** Milliseconds since 1970 by the server's own clock, as Lua. */
export const REDIS_CLOCK =
  "(function() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end)()";

/**
 * The three operations. A row is one text, `written notAfter ownerLength owner mark`, under
 * KEYS[1], and its body another, under KEYS[2], so that each expires in its own time. Whatever
 * Redis has expired is gone; what it has not yet is judged here.
 */
export function redisScripts(clock: string = REDIS_CLOCK): {
  insert: Script;
  replace: Script;
  remove: Script;
} {
  const common = `
local now = ${clock}
local function live()
  local kept = redis.call('GET', KEYS[1])
  if not kept then return nil end
  local written, ending, length, from = string.match(kept, '^(%d+) (%d+) (%d+) ()')
  if not written then return nil, redis.error_reply('ERR no row of a parley store') end
  if tonumber(ending) <= now then return nil end
  local owner = string.sub(kept, from, from + tonumber(length) - 1)
  return { owner = owner, mark = string.sub(kept, from + tonumber(length)), age = now - tonumber(written) }
end
local function write(owner, mark, body, body_for, ending)
  local row = string.format('%.0f %s %d ', now, ending, #owner) .. owner .. mark
  redis.call('SET', KEYS[1], row, 'PXAT', ending)
  local keep = math.min(tonumber(body_for), tonumber(ending) - now)
  if body == '' or keep < 1 then redis.call('DEL', KEYS[2])
  else redis.call('SET', KEYS[2], body, 'PX', string.format('%.0f', keep)) end
end
local row, wrong = live()
if wrong then return wrong end
`;
  return {
    insert: script(`${common}
if row then
  local body = redis.call('GET', KEYS[2]) or ''
  return { 'present', row.owner, row.mark, body, string.format('%.0f', math.max(0, row.age)) }
end
if tonumber(ARGV[5]) <= now then return { 'past' } end
write(ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5])
return { 'inserted' }
`),
    replace: script(`${common}
if not row or row.owner ~= ARGV[6] then return { 'no' } end
if tonumber(ARGV[5]) <= now then redis.call('DEL', KEYS[1], KEYS[2])
else write(ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]) end
return { 'yes' }
`),
    remove: script(`${common}
if not row or row.owner ~= ARGV[1] then return { 'no' } end
redis.call('DEL', KEYS[1], KEYS[2])
return { 'yes' }
`),
  };
}

function script(source: string): Script {
  return { source, sha: hash("sha1", source) };
}
