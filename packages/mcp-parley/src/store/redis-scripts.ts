import { hash } from "node:crypto";

/** A script, and the name that Redis keeps it under. */
export interface Script {
  readonly source: string;
  readonly sha: string;
}

/** Milliseconds since 1970 by the server's own clock, as Lua; `time` is what `TIME` answered. */
export const REDIS_CLOCK = "time[1] * 1000 + math.floor(time[2] / 1000)";

/**
 * The three operations. A row is one text, `ownerLength owner notAfter written mark`, under
 * KEYS[1], and its body another, under KEYS[2], so that each expires in its own time. Whatever
 * Redis has expired is gone; what it has not yet is judged here.
 *
 * They run for every claim, so they say as little as they can: 1 for done, 0 for not, and a list
 * only for a row that stands. A row that begins as its owner's does is not taken apart.
 */
export function redisScripts(clock: string = REDIS_CLOCK): {
  insert: Script;
  replace: Script;
  remove: Script;
} {
  const begin = `
local call = redis.call
local time = call('TIME')
local now = ${clock}
`;
  const odd = "return redis.error_reply('ERR no row of a parley store')";
  // ARGV always begins with: owner, mark, when the row ends.
  const row = "#ARGV[1] .. ' ' .. ARGV[1] .. ' ' .. ARGV[3] .. ' ' .. now .. ' ' .. ARGV[2]";
  /** Ends with the body at `at` in ARGV, and how long it is kept behind it, if there is one. */
  const writeBody = (at: number, otherwise = ""): string => `
if ARGV[${at}] then call('SET', KEYS[2], ARGV[${at}], 'PX', math.min(ARGV[${at + 1}], ARGV[3] - now)) ${otherwise} end
return 1
`;
  /** Goes on if the row is live and whose `owner` says. */
  const mine = (owner: string): string => `${begin}
local kept = call('GET', KEYS[1])
if not kept then return 0 end
local head = #${owner} .. ' ' .. ${owner} .. ' '
if string.sub(kept, 1, #head) ~= head then
  if string.find(kept, '^%d+ ') then return 0 end
  ${odd}
end
if string.match(kept, '^%d+', #head + 1) - now <= 0 then return 0 end
`;
  return {
    insert: script(`${begin}
local ahead = ARGV[3] - now > 0
if not ahead or not call('SET', KEYS[1], ${row}, 'NX', 'PXAT', ARGV[3]) then
  local kept = call('GET', KEYS[1])
  if kept then
    local length, from = string.match(kept, '^(%d+) ()')
    if not length then ${odd} end
    local ending, written, mark = string.match(kept, '^ (%d+) (%d+) ()', from + length)
    if ending - now > 0 then
      local owner = string.sub(kept, from, from + length - 1)
      local body = call('GET', KEYS[2]) or ''
      return { owner, string.sub(kept, mark), body, math.max(0, now - written) }
    end
  end
  if not ahead then return 0 end
  call('SET', KEYS[1], ${row}, 'PXAT', ARGV[3])
  call('DEL', KEYS[2])
end
${writeBody(4)}`),
    replace: script(`${mine("ARGV[4]")}
if ARGV[3] - now <= 0 then
  call('DEL', KEYS[1], KEYS[2])
  return 1
end
call('SET', KEYS[1], ${row}, 'PXAT', ARGV[3])
${writeBody(5, "else call('DEL', KEYS[2])")}`),
    remove: script(`${mine("ARGV[1]")}
call('DEL', KEYS[1], KEYS[2])
return 1
`),
  };
}

function script(source: string): Script {
  return { source, sha: hash("sha1", source) };
}
