/** Nonce of the page's Content-Security-Policy, required on every style element that is created at run time. */
export const cspNonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

// Read by react-remove-scroll, which locks scrolling behind a dialog.
Object.assign(globalThis, { __webpack_nonce__: cspNonce });
