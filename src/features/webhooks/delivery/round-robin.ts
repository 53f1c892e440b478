/** Entries by tenant and endpoint. The order of both maps is the order of the turns. */
export type ByTenant<T> = Map<number, Map<number, T>>;

/** End of an endpoint's turn; `served_last`: it was served and has nothing left. */
export type Turn = 'served' | 'served_last' | 'refused';

/**
 * Serves the tenants in turn, and in each turn one endpoint of the tenant, until every endpoint of every tenant refuses.
 * A tenant or endpoint that was served moves to the back, so that the next call continues with the others.
 */
export function serveInTurn<T>(tenants: ByTenant<T>, serve: (entry: T) => Turn): void {
  // A map's iteration reaches the entries that move to the back again.
  for (const [customerId, endpoints] of tenants)
    if (serveOne(endpoints, serve)) {
      tenants.delete(customerId);
      if (endpoints.size > 0) tenants.set(customerId, endpoints);
    }
}

function serveOne<T>(endpoints: Map<number, T>, serve: (entry: T) => Turn): boolean {
  for (const [endpointId, entry] of endpoints) {
    const turn = serve(entry);
    if (turn === 'refused') continue;
    endpoints.delete(endpointId);
    if (turn === 'served') endpoints.set(endpointId, entry);
    return true;
  }
  return false;
}
