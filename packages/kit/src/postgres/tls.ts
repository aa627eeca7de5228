/** Puts TLS before PostgreSQL, or before what stands in for it. */
import { connect } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Test } from 'tap';
import { makeCertificate } from '../testing/certificate.js';
import { listen } from './listen.js';

/**
 * Listens on a free port for clients that ask for TLS, and passes what they send to a port without TLS.
 *
 * @returns the port for the clients
 */
export async function listenWithTls(t: Test, plainPort: number): Promise<number> {
  const context = createSecureContext(await makeCertificate(t));
  return listen(t, (socket) => {
    // A client first asks for TLS with eight bytes (PostgreSQL documentation, SSL Session Encryption).
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, secureContext: context });
      const plain = connect(plainPort, '127.0.0.1');
      for (const end of [secure, plain]) end.on('error', () => {});
      secure.pipe(plain).pipe(secure);
    });
  });
}

/** @returns the URL of a database behind a port that `listenWithTls` has opened */
export function urlWithTls(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.port = String(port);
  url.searchParams.set('sslmode', 'no-verify');
  return url.href;
}
