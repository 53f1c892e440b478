/** Memoizes a function of one key, without eviction, so that metrics validate their labels only once. */
export function memoize<T>(create: (key: string) => T): (key: string) => T {
  const cache = new Map<string, T>();
  return (key) => {
    let value = cache.get(key);
    if (value === undefined) {
      value = create(key);
      cache.set(key, value);
    }
    return value;
  };
}
