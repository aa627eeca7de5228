import { connect, type Socket } from 'node:net';

/** Opens connections that read nothing by themselves. The service may reset them. */
export function openPaused(address: string, count: number): Socket[] {
  const { hostname, port } = new URL(address);
  return Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => {});
    return socket;
  });
}

export function listRequest(address: string, token: string | undefined, query = ''): string {
  const { host } = new URL(address);
  return `GET /plants${query} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}
