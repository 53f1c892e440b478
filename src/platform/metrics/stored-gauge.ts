import { Gauge, type Registry } from 'prom-client';

interface StoredGauge {
  name: string;
  help: string;
  registers: Registry[];
  /** Reads the value from the database; null while it is not available. */
  read: () => Promise<number | null>;
}

/** Registers a gauge of what the database has; its series is omitted while it cannot be read, since 0 would be a value. */
export function storedGauge({ read, ...gauge }: StoredGauge): void {
  new Gauge({
    ...gauge,
    async collect() {
      const value = await read();
      if (value === null) this.remove();
      else this.set(value);
    },
  });
}
