/** `1,234`. */
export const number = new Intl.NumberFormat('en');
