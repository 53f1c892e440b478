export const FIELD_PATH =
  "Path of the field in the provider's JSON of the meeting, such as `participants[2].email`.";
export const WARNING_REASON = 'Reason in English, without the value.';
