/** Body of an event that a load sends, each of another visitor; `#` stands for the number of the request. */
export const EVENT_BODY = '{"type":"conversion","goal":"n#","visitor_id":"v_#"}';
