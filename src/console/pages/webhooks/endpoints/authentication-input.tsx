import { NativeSelect, PasswordInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { MAX_CLIENT_SECRET, MAX_TOKEN_PARAMETER } from '../../../../shared/endpoint-limits.ts';
import { MAX_TEXT, MAX_URL } from '../../../../shared/text-limits.ts';
import type { WebhookAuthenticationInput } from '../../../generated/graphql.ts';
import type { Endpoint } from './use-endpoints.ts';

type Method = 'none' | 'oauth2' | 'mtls';

/** The form of an authentication; every field is kept while the method changes. */
export interface AuthenticationDraft {
  method: Method;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  audience: string;
  clientAuthentication: 'client_secret_basic' | 'client_secret_post';
  certificate: string;
  privateKey: string;
  ca: string;
}

export const draftOf = (current: Endpoint['authentication'] | undefined): AuthenticationDraft => ({
  method: current?.oauth2 ? 'oauth2' : current?.mtls ? 'mtls' : 'none',
  tokenUrl: current?.oauth2?.tokenUrl ?? '',
  clientId: current?.oauth2?.clientId ?? '',
  clientSecret: '',
  scope: current?.oauth2?.scope ?? '',
  audience: current?.oauth2?.audience ?? '',
  clientAuthentication: current?.oauth2?.clientAuthentication ?? 'client_secret_basic',
  certificate: '',
  privateKey: '',
  ca: '',
});

/** Returns the input for a draft; undefined if the stored certificate stays. */
export function authenticationOf(
  draft: AuthenticationDraft,
  current: Endpoint['authentication'] | undefined,
): WebhookAuthenticationInput | null | undefined {
  const { method, tokenUrl, clientId, clientSecret, scope, audience, clientAuthentication } = draft;
  const { certificate, privateKey, ca } = draft;
  if (method === 'none') return null;
  if (method === 'mtls') {
    if (current?.mtls && !certificate && !privateKey && !ca) return undefined;
    return { mtls: { certificate, privateKey, ca: ca || null } };
  }
  return {
    oauth2: {
      tokenUrl: tokenUrl.trim(),
      clientId: clientId.trim(),
      clientSecret: clientSecret || null,
      scope: scope.trim() || null,
      audience: audience.trim() || null,
      clientAuthentication,
    },
  };
}

interface AuthenticationInputProps {
  draft: AuthenticationDraft;
  onChange: (draft: AuthenticationDraft) => void;
  /** What is stored; absent for a new endpoint. */
  current: Endpoint['authentication'] | undefined;
  /** Returns the service's message for a field of the input. */
  fieldError: (field: string) => string | undefined;
}

/** Edits how the service authenticates itself to the receiver. Secrets are never shown. */
export function AuthenticationInput({ draft, onChange, current, fieldError }: AuthenticationInputProps) {
  const { method } = draft;
  const errorOf = (field: string) => fieldError(`authentication.${method}.${field}`);
  const bind = (field: keyof AuthenticationDraft) => ({
    value: draft[field],
    error: errorOf(field),
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ ...draft, [field]: event.currentTarget.value }),
  });
  const hasFieldError = Object.keys(draft).some(errorOf);
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Authentication"
        description="How the service authenticates itself to the receiver, besides its signatures."
        data={[
          { value: 'none', label: 'None' },
          { value: 'oauth2', label: 'OAuth 2.0 client credentials' },
          { value: 'mtls', label: 'Client certificate (mutual TLS)' },
        ]}
        {...bind('method')}
        error={hasFieldError ? undefined : fieldError('authentication')}
      />
      {method === 'oauth2' && (
        <>
          <TextInput label="Token URL" type="url" required maxLength={MAX_URL} {...bind('tokenUrl')} />
          <TextInput label="Client ID" required maxLength={MAX_TEXT} {...bind('clientId')} />
          <PasswordInput
            label="Client secret"
            description={current?.oauth2 ? 'Leave empty to keep the stored secret.' : undefined}
            maxLength={MAX_CLIENT_SECRET}
            autoComplete="off"
            {...bind('clientSecret')}
          />
          <TextInput label="Scope" maxLength={MAX_TOKEN_PARAMETER} {...bind('scope')} />
          <TextInput label="Audience" maxLength={MAX_TOKEN_PARAMETER} {...bind('audience')} />
          <NativeSelect
            label="Credentials are sent"
            data={[
              { value: 'client_secret_basic', label: 'In the header Authorization' },
              { value: 'client_secret_post', label: 'In the body' },
            ]}
            {...bind('clientAuthentication')}
          />
        </>
      )}
      {method === 'mtls' && (
        <>
          {current?.mtls && (
            <Text size="sm" c="dimmed">
              Leave all fields empty to keep the stored certificate.
            </Text>
          )}
          <Textarea
            label="Certificate (PEM)"
            rows={4}
            classNames={{ input: 'mono' }}
            {...bind('certificate')}
          />
          <Textarea
            label="Private key (PEM)"
            rows={4}
            classNames={{ input: 'mono' }}
            {...bind('privateKey')}
          />
          <Textarea
            label="Authorities of the receiver (PEM)"
            description="Empty for the public ones."
            rows={4}
            classNames={{ input: 'mono' }}
            {...bind('ca')}
          />
        </>
      )}
    </Stack>
  );
}
