/** Counts the open items of each key; a key without open items uses no memory. */
export function createKeyedCounter() {
  const counts = new Map<string, number>();

  function close(key: string): void {
    const left = (counts.get(key) ?? 1) - 1;
    if (left === 0) counts.delete(key);
    else counts.set(key, left);
  }

  return {
    /** Opens an item unless the key has `max`; returns a function that closes it once, or null at the maximum. */
    open(key: string, max: number): (() => void) | null {
      const count = counts.get(key) ?? 0;
      if (count >= max) return null;
      counts.set(key, count + 1);
      let isOpen = true;
      return () => {
        if (isOpen) close(key);
        isOpen = false;
      };
    },
  };
}
