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
local kept = redis.call('GET', KEYS[1])
local written, ending, owner, mark
if kept then
  local length, from
  written, ending, length, from = string.match(kept, '^(%d+) (%d+) (%d+) ()')
  if not written then return redis.error_reply('ERR no row of a parley store') end
  if tonumber(ending) > now then
    owner = string.sub(kept, from, from + length - 1)
    mark = string.sub(kept, from + length)
  end
end
`;
  // ARGV: owner, mark, body, how long the body is kept, when the row ends.
  const write = `
redis.call('SET', KEYS[1], string.format('%.0f %s %d ', now, ARGV[5], #ARGV[1]) .. ARGV[1] .. ARGV[2], 'PXAT', ARGV[5])
local keep = math.min(ARGV[4], ARGV[5] - now)
if ARGV[3] ~= '' and keep >= 1 then redis.call('SET', KEYS[2], ARGV[3], 'PX', string.format('%.0f', keep))
elseif kept then redis.call('DEL', KEYS[2]) end
`;
  return {
    insert: script(`${common}
if owner then
  return { 'present', owner, mark, redis.call('GET', KEYS[2]) or '', string.format('%.0f', math.max(0, now - written)) }
end
if tonumber(ARGV[5]) <= now then return { 'past' } end
${write}
return { 'inserted' }
`),
    replace: script(`${common}
if owner ~= ARGV[6] then return { 'no' } end
if tonumber(ARGV[5]) <= now then
  redis.call('DEL', KEYS[1], KEYS[2])
  return { 'yes' }
end
${write}
return { 'yes' }
`),
    remove: script(`${common}
if owner ~= ARGV[1] then return { 'no' } end
redis.call('DEL', KEYS[1], KEYS[2])
return { 'yes' }
`),
  };
}

function script(source: string): Script {
  return { source, sha: hash("sha1", source) };
}
