/** Makes ordinary requests, as a client of HTTP writes them. */
import type { Request } from '../../../../contract-tools/base.js';
import { newPlantText } from '../../plants.js';

export const urlOf = (port: number): URL => new URL(`http://127.0.0.1:${port}/`);

export function get(target: string, token?: string): Request {
  const headers = token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const];
  return { method: 'GET', target, headers };
}

export function create(id: number, token: string): Request {
  const headers = [
    ['Authorization', `Bearer ${token}`],
    ['Content-Type', 'application/json'],
  ] as const;
  return {
    method: 'POST',
    target: '/plants',
    headers,
    body: Buffer.from(newPlantText({ id, name: 'Ficus' })),
  };
}
