/** The nonce of this page's Content-Security-Policy: what makes a style element later on must give it one. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

// Read by the package that keeps the page from scrolling behind a dialog.
Object.assign(globalThis, { __webpack_nonce__: nonce });
