/**
 * Plays a network between a contestant and PostgreSQL: all bytes to PostgreSQL arrive later, in their order,
 * without waiting for answers. It is a program of its own, so that it shares no event loop with a contestant.
 * Its parameter is the delay in milliseconds. It prints the URL by which the database of DATABASE_URL is
 * reached through it.
 */
import { Cleanup } from '../cleanup.js';
import { startDatabaseProxy } from '../database-proxy.js';

const [, , delayMs] = process.argv;
const { url } = await startDatabaseProxy(new Cleanup(), process.env['DATABASE_URL'] ?? '', Number(delayMs));
console.error(`ready at ${url}`);
