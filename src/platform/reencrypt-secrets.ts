export interface Reencryption {
  checked: number;
  /** Secrets that were encrypted under an older key, and are now under the primary key. */
  reencrypted: number;
}

/**
 * Re-encrypts the stored secrets that are encrypted under an older key, while the service runs.
 *
 * @param reencrypt returns the ciphertext under the primary key; null if the secret is already encrypted under it
 * @param replace stores the result unless the secret changed in the meantime, and returns true if it did
 */
export async function reencryptAll<D>(
  documents: AsyncIterable<D>,
  reencrypt: (document: D) => string | null,
  replace: (document: D, ciphertext: string) => Promise<boolean>,
): Promise<Reencryption> {
  const result = { checked: 0, reencrypted: 0 };
  for await (const document of documents) {
    result.checked += 1;
    const ciphertext = reencrypt(document);
    if (ciphertext !== null && (await replace(document, ciphertext))) result.reencrypted += 1;
  }
  return result;
}
