/** Body of an event that a load sends, of a visitor without a conversation; `#` stands for the number of the request. */
export const EVENT_BODY = '{"type":"conversion","goal":"n#","visitor_id":"v_#"}';
