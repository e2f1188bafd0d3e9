/**
 * What a flow's history was seen to be, each time as the list of all answers until then. A flow has
 * one history when all that was ever seen of it are beginnings of one list; gives what is not.
 */
export function forksOf(seen: readonly (readonly string[])[]): string[] {
  const longest = seen.reduce((left, right) => (right.length > left.length ? right : left), []);
  const forks = seen.filter((list) => list.some((answer, at) => answer !== longest[at]));
  return [...new Set(forks.map((list) => `${list.join(" ")} | ${longest.join(" ")}`))];
}
