/** Makes certificates with the openssl of the machine, for tests of TLS. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { makeFolder } from '../folder.js';
import { missing } from './missing.js';

const program = 'openssl';

/** The reason to skip tests with a certificate on this machine; false if they can run. */
export const withoutOpenssl = missing(program);

/**
 * Makes a self-signed certificate and its key, in PEM.
 *
 * @throws {Error} of Node.js if openssl is missing or fails
 */
export async function makeCertificate(t: Pick<Test, 'teardown'>): Promise<{ key: Buffer; cert: Buffer }> {
  const folder = await makeFolder(t);
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=here'];
  execFileSync(program, ['req', '-x509', ...kind, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key: await readFile(key), cert: await readFile(cert) };
}
