/**
 * The plain servers, which keep their contracts by hand and without the document. The service and its models read
 * the document with the code of this project; these share no reading of it, so they also show where the
 * checker and the service misread it together.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Scope } from '../../src/base/scope.js';
import type { ExhibitFault } from './exhibits/faults.js';
import { startExhibits } from './exhibits/server.js';
import type { RepairFault } from './repairs/faults.js';
import { startRepairs } from './repairs/server.js';

interface PlainServer {
  /** Its document. */
  readonly file: string;
  /** Makes a credential of an owner that nobody else has, as the checker takes it. */
  makeCredential(): string;
  /** The token of the kiosks of the owner of a credential, if the document has them. */
  kioskOf?(credential: string): string;
  /**
   * @param credentials the good ones, each of another owner
   * @param fault the name of one of its faults
   */
  start(scope: Scope, credentials: readonly string[], fault: string | undefined): Promise<URL>;
}

export const plainServers: Readonly<Record<'repairs' | 'exhibits', PlainServer>> = {
  repairs: {
    file: fileOf('repairs'),
    makeCredential: randomUUID,
    start: (scope, keys, fault) => startRepairs(scope, { keys, fault: fault as RepairFault | undefined }),
  },
  exhibits: {
    file: fileOf('exhibits'),
    // RFC 7617, section 2: a password may have colons.
    makeCredential: () => `museum-${randomUUID()}:pass:${randomUUID()}`,
    start: (scope, credentials, fault) =>
      startExhibits(scope, credentials.map(museumOf), fault as ExhibitFault | undefined),
    kioskOf: (credential) => museumOf(credential).kiosk,
  },
};

function museumOf(credential: string) {
  const colon = credential.indexOf(':');
  const user = credential.slice(0, colon);
  return { user, password: credential.slice(colon + 1), kiosk: `kiosk-of-${user}` };
}

/** @param name the name of a file in `contracts/`, without its ending */
function fileOf(name: string): string {
  return join(import.meta.dirname, '..', 'contracts', `${name}.yaml`);
}
