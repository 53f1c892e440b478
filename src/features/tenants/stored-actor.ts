/** An actor as it is stored: an earlier version stored the start of its API key as the name, and no prefix. */
export type StoredActor<Actor extends { prefix: string | null }> = Omit<Actor, 'prefix'> &
  Partial<Pick<Actor, 'prefix'>>;

interface KeyNames {
  name?: string | null | undefined;
  prefix?: string | null | undefined;
}

/** Returns an actor with the name and the start of its API key, whichever version has stored it. */
export const withKeyNames = <Actor extends KeyNames>({ name = null, prefix, ...actor }: Actor) => ({
  ...actor,
  ...(prefix === undefined ? { name: null, prefix: name } : { name, prefix }),
});
