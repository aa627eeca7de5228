import pg from 'pg';

const timeoutMs = 1_000;

/**
 * Whether commits wait for standbys. To cancel such a wait would confirm and show a commit that the next
 * leader may not have (PostgreSQL documentation, section 27.2.8.4).
 *
 * @returns also true if nobody answers
 */
export async function isSynchronous(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // Without a listener, a broken connection ends the process.
  client.on('error', () => {});
  const ask = async () => {
    await client.connect();
    return client.query<{ standbys: string }>(
      "SELECT current_setting('synchronous_standby_names') AS standbys",
    );
  };
  const answer = await ask().then(
    ({ rows }) => rows.some(({ standbys }) => standbys !== ''),
    () => true,
  );
  // Not awaited: a silent server would never say goodbye.
  void client.end().catch(() => {});
  return answer;
}
