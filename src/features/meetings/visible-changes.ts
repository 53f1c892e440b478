/** Converts documents for a subscription, without changes that clients do not see, such as the renewal of a lease. */
export function visibleChanges<D, V>(toView: (document: D) => V | null): (document: D) => V | null {
  let last = '';
  return (document) => {
    const view = toView(document);
    const shown = JSON.stringify(view);
    if (shown === last) return null;
    last = shown;
    return view;
  };
}
