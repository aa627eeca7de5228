import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certificate {
  /** PEM files: the authority's certificate; the server's certificate, its key, and both together. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  readonly both: string;
}

/** Makes an authority in `folder`, and has it certify a server of this name. */
export function certify(folder: string, hostName: string): Certificate {
  const file = (name: string) => join(folder, `${hostName}-${name}`);
  const files = { authority: file('ca.crt'), certificate: file('crt'), key: file('key'), both: file('pem') };
  const authorityKey = file('ca.key');
  const request = (parameters: readonly string[]) => {
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...parameters], { stdio: 'ignore' });
  };
  request(['-subj', `/CN=the authority of ${hostName}`, '-keyout', authorityKey, '-out', files.authority]);
  const signed = ['-CA', files.authority, '-CAkey', authorityKey];
  const names = ['-addext', `subjectAltName=DNS:${hostName}`, '-addext', 'basicConstraints=CA:FALSE'];
  request(['-subj', `/CN=${hostName}`, ...signed, ...names, '-keyout', files.key, '-out', files.certificate]);
  writeFileSync(files.both, readFileSync(files.certificate, 'utf8') + readFileSync(files.key, 'utf8'));
  return files;
}
