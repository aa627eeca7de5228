import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type pg from 'pg';
import t, { type Test } from 'tap';
import { fixedPorts } from '../../scripts/kit/fixed-ports.js';
import { send } from '../../scripts/kit/processes.js';
import { TokenStore } from '../../src/access/token-store.js';
import type { Cluster } from '../../src/embedded-postgres/cluster.js';
import { plantParts } from '../../src/parts.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { startOwnPostgres } from '../support/postgres/own-postgres.js';
import { makeFolder, until } from '../support/programs/process.js';
import { plantMany } from '../support/service/many-plants.js';
import { newPlantText } from '../support/service/plants.js';
import { type Server, spawnServer } from '../support/service/server.js';
import { rulesFile, startPrometheus, withoutPrometheus } from './prometheus.js';

const run = promisify(execFile);
/** A minute of the rules takes four seconds here. */
const factor = 15;
const owners = ['ann', 'ben', 'cleo', 'dan', 'eve', 'fay'];
const longText = 'x'.repeat(200);

/** Ends a cause. */
type End = () => unknown;

interface Cause {
  readonly cause: string;
  readonly alerts: readonly string[];
  /** @returns what ends it */
  begin(stage: Stage): Promise<End>;
}

const causes: readonly Cause[] = [
  {
    cause: 'The process is killed.',
    alerts: ['PlantStoreDown'],
    async begin(stage) {
      stage.service.child.kill('SIGKILL');
      await stage.service.ended;
      return () => stage.startService();
    },
  },
  {
    cause: 'PostgreSQL is stopped, while clients create plants.',
    alerts: ['PlantStoreNotReady', 'PlantStoreUnavailable'],
    async begin({ postgres, createPlants }) {
      const stop = createPlants();
      await postgres.stop();
      return async () => {
        await postgres.start();
        await stop();
      };
    },
  },
  {
    cause: 'The database becomes read-only, while clients create plants.',
    alerts: ['PlantStoreNotReady', 'PlantStoreUnavailable'],
    async begin({ createPlants, sql }) {
      const stop = createPlants();
      await sql('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()');
      return async () => {
        await sql('ALTER SYSTEM RESET default_transaction_read_only', 'SELECT pg_reload_conf()');
        await stop();
      };
    },
  },
  {
    cause: 'The table of plants is gone, and one client creates one plant.',
    alerts: ['PlantStoreNotReady', 'PlantStoreInternalErrors'],
    async begin({ create, sql }) {
      await sql('ALTER TABLE plants RENAME TO gone');
      await create(500);
      return () => sql('ALTER TABLE gone RENAME TO plants');
    },
  },
  {
    cause: 'Another transaction locks the table, while clients read long lists and create plants.',
    alerts: ['PlantStoreOverloaded'],
    async begin({ createPlants, openLists, lock }) {
      const lists = await openLists(owners.slice(0, 2), 15);
      const stop = createPlants();
      const unlock = await lock('LOCK TABLE plants');
      // Each now waits on a connection of its own.
      for (const { response } of lists) response.resume();
      return async () => {
        await unlock();
        for (const { request } of lists) request.destroy();
        await stop();
      };
    },
  },
  {
    cause: 'Every insert takes 0.7 seconds.',
    alerts: ['PlantStoreSlow'],
    async begin({ createPlants, sql }) {
      await sql(
        `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.7); RETURN NULL; END'`,
        'CREATE TRIGGER wait AFTER INSERT ON plants FOR EACH STATEMENT EXECUTE FUNCTION wait()',
      );
      const stop = createPlants();
      return async () => {
        await stop();
        await sql('DROP FUNCTION wait CASCADE');
      };
    },
  },
  {
    cause: 'The process gets a core for a quarter of the time (SIGSTOP, SIGCONT).',
    alerts: ['PlantStoreEventLoopBlocked'],
    async begin({ service: { pid } }) {
      let ended = false;
      const stopAndGo = async () => {
        while (!ended) {
          send('SIGSTOP', pid);
          await pause(300);
          send('SIGCONT', pid);
          await pause(100);
        }
      };
      const done = stopAndGo();
      return () => {
        ended = true;
        return done;
      };
    },
  },
  {
    cause: 'Six owners open 14 long lists each, and do not read on.',
    alerts: ['PlantStoreLongListsFull'],
    async begin({ openLists }) {
      const lists = await openLists(owners, 14);
      return () => {
        for (const { request } of lists) request.destroy();
      };
    },
  },
  {
    cause: 'Nobody reads stdout any more.',
    alerts: ['PlantStoreLogFailing'],
    async begin(stage) {
      await stage.endReader();
      await stage.create(200);
      return () => stage.startReader();
    },
  },
];

interface OpenList {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

/** The service as a process, with a PostgreSQL and a reader of its log that can go. */
class Stage {
  readonly postgres: Cluster;
  readonly #t: Test;
  readonly #ports: { readonly PORT: string; readonly ADMIN_PORT: string };
  readonly #log: string;
  readonly #tokens: ReadonlyMap<string, string>;
  #service: Server | undefined;
  #reader: ChildProcess | undefined;
  #id = 1_000_000;

  private constructor(
    t: Test,
    postgres: Cluster,
    { log, ports, tokens }: { log: string; ports: number[]; tokens: ReadonlyMap<string, string> },
  ) {
    this.#t = t;
    this.postgres = postgres;
    this.#log = log;
    this.#tokens = tokens;
    const [port, adminPort] = ports;
    this.#ports = { PORT: String(port), ADMIN_PORT: String(adminPort) };
  }

  static async open(t: Test): Promise<Stage> {
    const postgres = await startOwnPostgres(t);
    await migrate(postgres.url, plantParts.migrationFolders);
    const database = new Database(postgres.url, () => {});
    const store = new TokenStore(database);
    const tokens = new Map<string, string>();
    for (const owner of owners) {
      tokens.set(owner, await store.issue(owner));
      await plantMany(postgres.url, owner, 40_000, longText);
    }
    await database.close();
    const log = join(await makeFolder(t), 'log');
    await run('mkfifo', [log]);
    const stage = new Stage(t, postgres, { log, ports: await fixedPorts(2), tokens });
    stage.startReader();
    // So that the reader outlives the service.
    const writer = openSync(log, 'a');
    t.teardown(() => closeSync(writer));
    t.teardown(() => stage.endReader());
    await stage.startService();
    return stage;
  }

  get target(): string {
    return `127.0.0.1:${this.#ports.ADMIN_PORT}`;
  }

  get service(): Server {
    if (this.#service === undefined) throw new Error('The service was not started.');
    return this.#service;
  }

  async startService(): Promise<void> {
    const environment = { ...this.#ports, DATABASE_URL: this.postgres.url };
    this.#service = await spawnServer(this.#t, environment, { stdoutFile: this.#log });
  }

  startReader(): void {
    this.#reader = spawn('cat', [this.#log], { stdio: 'ignore' });
  }

  async endReader(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) return;
    reader.kill('SIGKILL');
    await once(reader, 'exit');
  }

  /** One plant. */
  readonly create = async (expected?: number): Promise<void> => {
    const options = { token: this.#tokens.get('ann'), body: newPlantText({ id: ++this.#id, name: 'Ficus' }) };
    const { status } = await this.service.call('POST', '/plants', options);
    if (expected !== undefined) this.#t.equal(status, expected);
  };

  /** Eight clients. @returns what stops them */
  readonly createPlants = (): End => {
    let stopped = false;
    const client = async () => {
      while (!stopped) {
        await this.create().catch(() => {});
        await pause(20);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    return () => {
      stopped = true;
      return Promise.all(clients);
    };
  };

  /** Lists whose head has arrived, and of which nothing is read. */
  readonly openLists = (of: readonly string[], each: number): Promise<OpenList[]> => {
    const open = async (owner: string): Promise<OpenList> => {
      const headers = { authorization: `Bearer ${this.#tokens.get(owner)}` };
      const request = get(`${this.service.address}/plants`, { agent: false, headers });
      const [response]: IncomingMessage[] = await once(request, 'response');
      if (response?.statusCode !== 200) throw new Error(`A list was answered ${response?.statusCode}.`);
      for (const stream of [request, response]) stream.on('error', () => {});
      return { request, response };
    };
    return Promise.all(of.flatMap((owner) => Array.from({ length: each }, () => open(owner))));
  };

  readonly sql = async (...statements: string[]): Promise<void> => {
    const client = await this.postgres.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };

  /** @returns what ends the transaction */
  readonly lock = async (statement: string): Promise<End> => {
    const client: pg.Client = await this.postgres.connect();
    await client.query('BEGIN');
    await client.query(statement);
    return () => client.end();
  };
}

const seconds = (since: number): string => ((performance.now() - since) / 1_000).toFixed(1);

t.test('each alert is caused by something', async (t) => {
  const rules = await readFile(rulesFile, 'utf8');
  const alerts = Array.from(rules.matchAll(/alert: (\w+)/g), ([, alert = '']) => alert);
  t.strictSame([...new Set(causes.flatMap((cause) => cause.alerts))].sort(), alerts.sort());
});

t.test('each alert fires when it is caused, and ends afterwards', { skip: withoutPrometheus }, async (t) => {
  const stage = await Stage.open(t);
  const readAlerts = await startPrometheus(t, { target: stage.target, factor });
  const stop = stage.createPlants();
  await pause((5 * 60_000) / factor);
  await stop();
  t.strictSame(await readAlerts(), { firing: [], pending: [] }, 'nothing fires before');

  for (const { cause, alerts, begin } of causes) {
    const begun = performance.now();
    const end = await begin(stage);
    const fired = new Map<string, string>();
    await until(`${alerts.join(' and ')} fires: ${cause}`, async () => {
      for (const alert of (await readAlerts()).firing)
        if (!fired.has(alert)) fired.set(alert, seconds(begun));
      return alerts.every((alert) => fired.has(alert));
    });
    await end();
    const ended = performance.now();
    await until(`nothing fires any more: ${cause}`, async () => {
      const { firing, pending } = await readAlerts();
      return firing.length + pending.length === 0;
    });
    const names = Array.from(fired, ([alert, after]) => `${alert} ${after}`).join(', ');
    t.comment(`| ${cause} | ${names} | ${seconds(ended)} |`);
    t.pass(cause);
  }
});
