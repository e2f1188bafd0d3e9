/** Adds to a map that holds at most so many entries: what came first goes first. */
export function keepLatest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size < most) break;
    map.delete(oldest);
  }
  map.set(key, value);
}
