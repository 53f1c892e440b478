/** An open subscription of one field. */
export interface TestSubscription<T> {
  /** Values received so far. */
  updates: T[];
  /** Returns true once the service has ended the stream. */
  over(): boolean;
  leave(): void;
}

/** Subscribes over HTTP and reads until `leave` is called or the stream ends. */
export async function subscribe<T>(
  { url }: { url: string },
  key: string,
  query: string,
): Promise<TestSubscription<T>> {
  const controller = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query }),
    signal: controller.signal,
  });
  if (response.status !== 200) throw new Error(`refused with ${response.status}`);
  const updates: T[] = [];
  let over = false;
  const read = async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = /^event: next\ndata: (.*)$/m.exec(event)?.[1];
        if (data) updates.push(...(Object.values(JSON.parse(data).data) as T[]));
      }
    }
  };
  read()
    .catch(() => {})
    .finally(() => {
      over = true;
    });
  return { updates, over: () => over, leave: () => controller.abort() };
}
