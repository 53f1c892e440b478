/** A way to verify deliveries, to copy into a receiver or a terminal. */
interface VerificationSnippet {
  name: string;
  /** Name of the language in Markdown. */
  language: string;
  code: string;
}

const NODE = `import { createHmac, timingSafeEqual } from 'node:crypto';

// rawBody: the request body as received, before JSON.parse.
export function isFromService(secret, signatureHeader, rawBody) {
  const [, t, v1] = /^t=(\\d{1,15})((?:,v1=[0-9a-f]{64})+)$/.exec(signatureHeader) ?? [];
  if (!t || Math.abs(Date.now() / 1000 - t) > 300) return false;
  const expected = createHmac('sha256', secret).update(t + '.').update(rawBody).digest();
  // There are two signatures while a rotated secret and the previous one overlap.
  const signatures = v1.slice(4).split(',v1=').map((hex) => Buffer.from(hex, 'hex'));
  return signatures.some((signature) => timingSafeEqual(expected, signature));
}
`;

const PYTHON = `import hashlib, hmac, re, time

# raw_body: the bytes of the request body as received, before json.loads.
def is_from_service(secret: str, signature_header: str, raw_body: bytes) -> bool:
    match = re.fullmatch(r"t=([0-9]{1,15})((?:,v1=[0-9a-f]{64})+)", signature_header)
    if not match or abs(time.time() - int(match[1])) > 300:
        return False
    signed = match[1].encode() + b"." + raw_body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    # There are two signatures while a rotated secret and the previous one overlap.
    return any(hmac.compare_digest(expected, v1) for v1 in match[2][4:].split(",v1="))
`;

const SHELL = `# SECRET: the signing secret. SIGNATURE: the X-SVC-Signature header of a delivery.
# body.json: its body, byte for byte.
T=\${SIGNATURE#t=}; T=\${T%%,*}
HMAC=$( (printf '%s.' "$T"; cat body.json) | openssl dgst -sha256 -hmac "$SECRET" -r)
case "$SIGNATURE," in "t=$T"*",v1=\${HMAC%% *},"*) echo valid ;; *) echo INVALID ;; esac

# Send it to your receiver again, within 300 seconds of its timestamp.
curl -sS "$RECEIVER_URL" -H 'Content-Type: application/json' \\
  -H "X-SVC-Signature: $SIGNATURE" --data-binary @body.json
`;

export const VERIFICATION_SNIPPETS: readonly VerificationSnippet[] = [
  { name: 'Node.js', language: 'js', code: NODE },
  { name: 'Python', language: 'python', code: PYTHON },
  { name: 'OpenSSL and curl', language: 'sh', code: SHELL },
];
