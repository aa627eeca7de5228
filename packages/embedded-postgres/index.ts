/**
 * A PostgreSQL that comes with npm: its programs are an optional package for each kind of machine, and its data lie in a
 * folder of the caller.
 *
 * @example
 * ```ts
 * const { url, stop } = await startEmbedded('/absolute/path/.data', (error, message) => console.error(message, error));
 * // … connect to `url` with pg …
 * await stop();
 * ```
 */
export { EmbeddedPostgresError } from './src/binaries.js';
export { Cluster } from './src/cluster.js';
export { borrowEmbedded, type EmbeddedPostgres, type Report, startEmbedded } from './src/embedded.js';
