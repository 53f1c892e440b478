/** Title for each code of the error catalog. The service's message is shown below it. */
export const ERROR_TITLES: Record<string, string> = {
  BAD_REQUEST: 'The service could not parse the request.',
  DOCUMENT_NOT_TRUSTED: 'The service does not execute this document. Reload the page.',
  PERSISTED_QUERY_NOT_FOUND: 'The console is of another version than the service. Reload the page.',
  UNAUTHENTICATED: 'This API key is not valid or has expired.',
  FORBIDDEN: 'The service does not permit this.',
  CUSTOMER_SUSPENDED: 'This customer is suspended or is being deleted.',
  NOT_FOUND: 'Not found. It may have been deleted or belong to another customer.',
  METHOD_NOT_ALLOWED: 'Method not allowed.',
  CONFLICT: 'The request conflicts with the current state.',
  POSITION_GONE: 'It has been removed by retention.',
  PAYLOAD_TOO_LARGE: 'The request exceeds the maximum size of 1 MiB.',
  UNSUPPORTED_MEDIA_TYPE: 'The service accepts JSON only.',
  VALIDATION_FAILED: 'Some values are not valid.',
  RATE_LIMITED: 'Too many requests. Wait a moment and try again.',
  NOT_CONFIGURED: 'This feature is not configured on this service.',
  PROVIDER_KEY_INVALID:
    'The meeting provider rejected this API key. Create a new key there and connect again.',
  PROVIDER_UNAVAILABLE: 'The meeting provider is not responding. Try again later.',
  SERVICE_UNAVAILABLE: 'The service or one of its dependencies is unavailable. Try again in a moment.',
  INTERNAL: 'Internal error. The service log has the cause.',
};
