import { hash } from "node:crypto";

/** A script, and the name that Redis keeps it under. */
export interface Script {
  readonly source: string;
  readonly sha: string;
}

/** Milliseconds since 1970 by the server's own clock, as Lua; `time` is what `TIME` answered. */
export const REDIS_CLOCK = "time[1] * 1000 + math.floor(time[2] / 1000)";

/**
 * The three operations. A row is one text, `bytesOfOwner owner notAfter mark written`, under
 * KEYS[1], and its body another, under KEYS[2], so that each expires in its own time. Whatever
 * Redis has expired is gone; what it has not yet is judged here.
 *
 * They run for every claim, so they say as little as they can: 1 for done, 0 for not, and a list
 * only for a row that stands. All of a row but the time of its writing comes as it is kept, and one
 * that begins as its owner's does is not taken apart.
 */
export function redisScripts(clock: string = REDIS_CLOCK): {
  /** ARGV: {@link rowText}, `notAfter`, and of a body that is kept the text and the ms. */
  insert: Script;
  /** ARGV: as for an insert, with the owner's {@link rowHead} before the body. */
  replace: Script;
  /** ARGV: the owner's {@link rowHead}. */
  remove: Script;
} {
  const begin = `
local call = redis.call
local time = call('TIME')
local now = ${clock}
`;
  const odd = "return redis.error_reply('ERR no row of a parley store')";
  /** Ends with the body at `at` in ARGV, and how long it is kept behind it, if there is one. */
  const writeBody = (at: number, otherwise = ""): string => `
if ARGV[${at}] then
  if ARGV[2] - now < tonumber(ARGV[${at + 1}]) then call('SET', KEYS[2], ARGV[${at}], 'PXAT', ARGV[2])
  else call('SET', KEYS[2], ARGV[${at}], 'PX', ARGV[${at + 1}]) end
${otherwise} end
return 1
`;
  /** Goes on if the row is live and begins with `head`, as its owner's do. */
  const mine = (head: string): string => `${begin}
local kept = call('GET', KEYS[1])
if not kept then return 0 end
if string.sub(kept, 1, #${head}) ~= ${head} then
  if string.find(kept, '^%d+ ') then return 0 end
  ${odd}
end
if string.match(kept, '^%d+', #${head} + 1) - now <= 0 then return 0 end
`;
  return {
    insert: script(`${begin}
local ahead = ARGV[2] - now > 0
if not ahead or not call('SET', KEYS[1], ARGV[1] .. now, 'NX', 'PXAT', ARGV[2]) then
  local kept = call('GET', KEYS[1])
  if kept then
    local length, from = string.match(kept, '^(%d+) ()')
    if not length then ${odd} end
    local ending, mark, written = string.match(kept, '^ (%d+) (.*) (%d+)$', from + length)
    if ending - now > 0 then
      local owner = string.sub(kept, from, from + length - 1)
      local body = call('GET', KEYS[2]) or ''
      return { owner, mark, body, math.max(0, now - written) }
    end
  end
  if not ahead then return 0 end
  call('SET', KEYS[1], ARGV[1] .. now, 'PXAT', ARGV[2])
  call('DEL', KEYS[2])
end
${writeBody(3)}`),
    replace: script(`${mine("ARGV[3]")}
if ARGV[2] - now <= 0 then
  call('DEL', KEYS[1], KEYS[2])
  return 1
end
call('SET', KEYS[1], ARGV[1] .. now, 'PXAT', ARGV[2])
${writeBody(4, "else call('DEL', KEYS[2])")}`),
    remove: script(`${mine("ARGV[1]")}
call('DEL', KEYS[1], KEYS[2])
return 1
`),
  };
}

/** How the rows of an owner begin. */
export function rowHead(owner: string): string {
  return `${Buffer.byteLength(owner)} ${owner} `;
}

/** A row but for the time of its writing, which the scripts add. */
export function rowText(owner: string, notAfter: string, mark: string): string {
  return `${rowHead(owner)}${notAfter} ${mark} `;
}

function script(source: string): Script {
  return { source, sha: hash("sha1", source) };
}
