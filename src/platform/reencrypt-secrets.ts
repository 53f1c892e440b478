/** What came of sealing stored secrets anew. */
export interface Resealed {
  checked: number;
  resealed: number;
}

/**
 * Goes through stored secrets, while the service runs, and seals those anew that are under an older key.
 *
 * @param reseal the same secret under the newest key; null when it is already
 * @param replace stores it unless it was replaced meanwhile, and says whether it did
 */
export async function resealAll<D>(
  documents: AsyncIterable<D>,
  reseal: (document: D) => string | null,
  replace: (document: D, sealed: string) => Promise<boolean>,
): Promise<Resealed> {
  const result = { checked: 0, resealed: 0 };
  for await (const document of documents) {
    result.checked += 1;
    const sealed = reseal(document);
    if (sealed !== null && (await replace(document, sealed))) result.resealed += 1;
  }
  return result;
}
