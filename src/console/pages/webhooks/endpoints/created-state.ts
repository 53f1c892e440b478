/** State of the browser history on the page of an endpoint that was just created. */
export const CREATED_STATE = 'endpoint-created';
