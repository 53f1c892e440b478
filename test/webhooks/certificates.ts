import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  certificate: string;
  privateKey: string;
}

const openssl = (cwd: string, ...args: string[]) => execFileSync('openssl', args, { cwd, stdio: 'pipe' });

/** Issues certificates of a new authority with openssl, so that no test holds a key or a date. */
export function createAuthority(name = 'Test authority') {
  const folder = mkdtempSync(join(tmpdir(), 'engagement-ca-'));
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    folder,
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '30',
    '-subj',
    `/CN=${name}`,
  );
  let issued = 0;
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');

  return {
    certificate: read('ca.pem'),
    /** @param extensions such as `subjectAltName=IP:127.0.0.1` */
    issue(
      commonName: string,
      {
        days = 365,
        extensions = '',
        newKey = key,
      }: { days?: number; extensions?: string; newKey?: string[] } = {},
    ): Certificate {
      issued += 1;
      const [keyFile, request, file] = [`${issued}.key`, `${issued}.csr`, `${issued}.pem`];
      openssl(
        folder,
        'req',
        ...newKey,
        '-keyout',
        keyFile,
        '-out',
        request,
        '-subj',
        `/O=Example/CN=${commonName}`,
      );
      writeFileSync(join(folder, 'extensions'), extensions);
      const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'extensions'];
      openssl(folder, 'x509', '-req', '-in', request, ...signer, '-out', file, '-days', String(days));
      return { certificate: read(file), privateKey: read(keyFile) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
